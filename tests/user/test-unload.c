// SPDX-License-Identifier: MIT
/*
 * The module is unloaded while the firmware of one GPU does not answer: amdkfd waits for that
 * GPU, as a priority has to be put back there. Meanwhile queues are created and destroyed on
 * another GPU as ever.
 *
 *   test-unload GPUS	the last of them hangs
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpufault.h"
#include "module.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define HANG_MS		800	/* instead of amdkfd's nine seconds */
#define LEAST_MS	(HANG_MS * 3 / 4)
#define BOUND_MS	100	/* as in test-neighbours */

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static bool over;
static int error;
static uint64_t took_ns;

static void *unload(void *unused)
{
	const uint64_t since = xsdev_now();

	error = module_unload();
	took_ns = xsdev_now() - since;
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	return unused;
}

static int set_priority(struct worker *w)
{
	uint32_t id;
	int ret = worker_queue_id(w, 0, &id);

	return ret ? ret : sysfile_write("3", "/sys/class/kfd/kfd/proc/%d/queues/%u/xsched/priority",
					 (int)w->pid, id);
}

/* Destroy and create queues until the module is unloaded: the longest time of the two, or -errno. */
static int64_t longest(struct worker *w, unsigned int *count)
{
	int64_t most = 0;
	int ret = 0;

	for (*count = 0; !ret && !__atomic_load_n(&over, __ATOMIC_ACQUIRE); ++*count) {
		const uint64_t since = xsdev_now();

		ret = worker_recreate(w, 0);
		if ((int64_t)(xsdev_now() - since) > most)
			most = (int64_t)(xsdev_now() - since);
	}
	return ret ? ret : most;
}

static void check(struct worker *hangs, struct worker *other, unsigned int gpu)
{
	unsigned int count;
	pthread_t thread;
	int64_t most;

	tap_is(worker_begin(hangs, 0, &endless), 0, "a process runs on the last GPU");
	tap_is(set_priority(hangs), 0, "an administrator overrides its priority");
	tap_is(gpufault("%u.0 preempt_hang", gpu), 0, "its firmware will not answer");
	if (pthread_create(&thread, NULL, unload, NULL))
		tap_bail("no thread");
	most = longest(other, &count);
	pthread_join(thread, NULL);
	tap_is(error, 0, "the module is unloaded");
	if (!tap_ok(took_ns >= LEAST_MS * MS, "and has waited for that firmware"))
		tap_note("it took %llu ms", (unsigned long long)(took_ns / MS));
	tap_ok(count > 3, "queues came and went on another GPU meanwhile");
	if (!tap_ok(most >= 0 && most < (int64_t)(BOUND_MS * MS), "and did not wait for it"))
		tap_note("%lld ms", (long long)(most < 0 ? most : most / (int64_t)MS));
	tap_note("unloaded in %llu ms; a queue went and came in %lld ms at most",
		 (unsigned long long)(took_ns / MS), (long long)(most / (int64_t)MS));
}

int main(int argc, char **argv)
{
	const unsigned int gpus = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 0;
	struct worker hangs, other;
	struct stat device;
	int fd;

	if (gpus < 2)
		tap_bail("usage: test-unload GPUS, from 2 on");
	if (stat(XSDEV_PATH, &device))
		tap_bail(XSDEV_PATH ": error %d", -errno);
	gpufault_timeout(HANG_MS);
	if (worker_start_on(&other, 1, 0) || worker_start_on(&hangs, 1, gpus - 1))
		tap_bail("no workers");
	check(&hangs, &other, gpus - 1);
	worker_kill(&hangs);
	worker_kill(&other);
	tap_is(module_load(&device), 0, "it is loaded again, and its device has the mode it had");
	fd = gpufault_open();
	tap_ok(fd >= 0, "a client opens it");
	close(fd);
	return tap_done();
}
