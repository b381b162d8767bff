// SPDX-License-Identifier: MIT
/*
 * A GPU is divided into partitions anew. That is refused as long as there is a process, whose
 * queues and holds do not notice; without one, the scheduler gets other nodes.
 *
 *   test-partition GPUS	the last of them
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpufault.h"
#include "held.h"
#include "lease.h"
#include "pci.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define MS		1000000ULL
#define MODE_FILE	"current_compute_partition"
#define MODE_SIZE	32
#define DONE_MS		30000

static const struct spin_shape shape = { 64, 256, 4 * MS };
static unsigned int gpus, last;

static int get_mode(char mode[MODE_SIZE])
{
	return sysfile_read(mode, MODE_SIZE, PCI_DRIVER "%s/" MODE_FILE, pci_last());
}

static int set_mode(const char *mode)
{
	return sysfile_write(mode, PCI_DRIVER "%s/" MODE_FILE, pci_last());
}

/* amdkfd forgets a process a little after it has ended. */
static int set_mode_in_the_end(const char *mode)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;
	int ret;

	while ((ret = set_mode(mode)) == -EBUSY && xsdev_now() < until)
		xsdev_sleep_ms(10);
	return ret;
}

static void test_refused(void)
{
	struct worker held, busy;

	held_begin(&held, 1);
	if (worker_start_on(&busy, 1, last) || worker_load_start(&busy, &shape, 0))
		tap_bail("no worker on the last GPU");
	tap_is(held_half_way(&held), 0, "a process is held");
	tap_is(set_mode("CPX"), -EBUSY, "not divided while there are processes");
	tap_is(xsdev_node_count(held_fd), gpus, "there are the same nodes");
	tap_ok(worker_load_goes_on(&busy), "a process there works on");
	tap_ok(held_is(&held, HELD_MINE) && held_still(&held),
	       "the other is still held");
	tap_is(held_resume(&held), 0, "it is released");
	tap_ok(held_done(&held), "and runs to its end");
	tap_is(worker_load_stop(&busy), 0, "all that the first submitted completed");
	worker_stop(&held);
	worker_stop(&busy);
}

static void test_divided(void)
{
	unsigned int count;
	struct worker w;

	tap_is(set_mode_in_the_end("CPX"), 0, "without a process it is divided");
	count = xsdev_node_count(held_fd);
	tap_ok(count > gpus, "the scheduler has %u nodes", count);
	if (worker_start_on(&w, 1, count - 1))
		tap_bail("no worker on the last partition");
	tap_is(held_half_way(&w), 0, "a process on the last one is held");
	tap_is(set_mode("SPX"), -EBUSY, "they are not joined meanwhile");
	tap_ok(held_is(&w, HELD_MINE) && held_still(&w), "it is still held");
	tap_is(held_resume(&w), 0, "it is released");
	tap_ok(held_done(&w), "and runs to its end");
	worker_stop(&w);
	tap_is(set_mode_in_the_end("SPX"), 0, "they are joined");
	tap_is(xsdev_node_count(held_fd), gpus, "there are as many nodes as before");
}

int main(int argc, char **argv)
{
	char mode[MODE_SIZE];

	gpus = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 1;
	last = gpus - 1;
	if (lease_set(LEASE_PATIENT_MS))
		tap_bail("the lease cannot be set");
	held_open(1);
	tap_is(xsdev_node_count(held_fd), gpus, "so many GPUs");
	if (get_mode(mode) <= 0) {
		tap_skip("this GPU has no partitions", "partitions");
		return tap_done();
	}
	tap_ok(!strncmp(mode, "SPX", 3), "there are no partitions at first");
	test_refused();
	test_divided();
	tap_is(xsdev_wait_no_queue(held_fd, DONE_MS), 0, "no queue is left");
	return tap_done();
}
