// SPDX-License-Identifier: MIT
/*
 * Exactly once: two processes with two queues each work without pause while
 * holds come and go at random, and every dispatch still executes once, in
 * order.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lease.h"
#include "must.h"
#include "random.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define SWITCHES	500
#define WORKERS		2

/* From a corner of the GPU to twice what it holds. */
static const struct spin_shape shape = { 1280, 256, MS };
static uint32_t max_grace_us = 99;	/* of UNMAP; MES: 0 */

/* One random switch: a process or a queue, suspend, unmap or resume. */
static int random_switch(int fd, const struct worker *w, uint32_t *seed)
{
	/* Mostly resumed, so that there is something to stop. */
	static const uint32_t ops[] = {
		KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_OP_UNMAP,
		KFD_XSCHED_OP_RESUME, KFD_XSCHED_OP_RESUME, KFD_XSCHED_OP_RESUME,
	};
	uint32_t op = ops[random_next(seed) % 5];
	int grace = op == KFD_XSCHED_OP_UNMAP ? (int)(random_next(seed) % (max_grace_us + 1)) : 0;
	struct kfd_xsched_queue queues[16];
	int n;

	if (random_next(seed) & 1)
		return xsdev_process_op(fd, op, w[random_next(seed) % WORKERS].pid, grace, NULL);
	n = xsdev_list(fd, queues, 16);
	if (n <= 0)
		return n ? n : -ENOENT;
	return xsdev_queue_op(fd, op, queues[random_next(seed) % n].id, grace, NULL);
}

static uint64_t preemptions(int fd)
{
	struct kfd_xsched_queue queues[16];
	int n = xsdev_list(fd, queues, 16), i;
	uint64_t sum = 0;

	for (i = 0; i < n && i < 16; i++)
		sum += queues[i].preemptions;
	return sum;
}

static void report(struct worker *w, unsigned int i)
{
	struct spin_account a;

	tap_is(worker_load_stop(&w[i]), 0, "process %u: everything completed", i);
	worker_account(&w[i], &a);
	tap_is(a.lost, 0, "process %u: no dispatch was lost", i);
	tap_is(a.duplicated, 0, "process %u: none executed twice", i);
	tap_is(a.out_of_order, 0, "process %u: none out of order", i);
	tap_ok(a.saved > 10, "process %u: waves were saved more than ten times on the way", i);
	tap_note("process %u: %llu dispatches, %llu saves", i, (unsigned long long)a.submitted,
		 (unsigned long long)a.saved);
}

int main(int argc, char **argv)
{
	uint32_t seed = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 1;
	unsigned int i, failed = 0;
	struct worker w[WORKERS];
	int fd = must_open(), ret;

	/* In real time the host may keep us from running for longer than a usual lease. */
	lease_set(LEASE_PATIENT_MS);
	if (!xsdev_can(fd, KFD_XSCHED_CAP_GRACE))
		max_grace_us = 0;
	tap_note("seed %u", seed);
	for (i = 0; i < WORKERS; i++) {
		must_start(&w[i], 2, NULL);
		worker_load_start(&w[i], &shape, seed + i);
	}
	for (i = 0; i < SWITCHES; i++) {
		ret = random_switch(fd, w, &seed);
		failed += ret && ret != -EALREADY;
		xsdev_sleep_ms(random_next(&seed) % 8);
	}
	tap_is(failed, 0, "%u random switches", SWITCHES);
	tap_ok(preemptions(fd) > SWITCHES / 10, "queues were taken off the hardware %llu times",
	       (unsigned long long)preemptions(fd));
	for (i = 0; i < WORKERS; i++)
		xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w[i].pid, 0, NULL);
	/* Single queues may still be held: closing the file releases everything. */
	close(fd);
	for (i = 0; i < WORKERS; i++) {
		report(w, i);
		worker_stop(&w[i]);
	}
	return tap_done();
}
