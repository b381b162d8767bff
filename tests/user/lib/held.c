// SPDX-License-Identifier: MIT
/* A worker that is held while something else happens to it. */
#include "held.h"
#include "must.h"
#include "tap.h"

#include <errno.h>

#define MS		1000000ULL
#define MAX_QUEUES	256

const struct spin_shape held_lengthy = { 64, 256, 500 * MS };
const struct spin_shape held_tiny = { 1, 64, 1000 };

int held_fd;
unsigned int held_gpus = 1;

void held_open(unsigned int gpus)
{
	held_gpus = gpus;
	held_fd = must_open();
	if (xsdev_wait_no_queue(held_fd, HELD_DONE_MS))
		tap_bail("other processes have queues");
}

void held_begin(struct worker *w, unsigned int queues)
{
	int ret = worker_start_on(w, queues, held_gpus > 1 ? WORKER_ALL_GPUS : 0);

	if (ret)
		tap_bail("no worker: error %d", ret);
}

struct kfd_xsched_queue held_queue(struct worker *w, unsigned int n)
{
	return must_list(w, n, held_fd);
}

/* Where the queues of a process differ from that, or all ones: it has none. */
static uint32_t difference(pid_t pid, uint32_t want)
{
	struct kfd_xsched_queue queues[MAX_QUEUES];
	int n = xsdev_list(held_fd, queues, MAX_QUEUES), i, found = 0;
	uint32_t differs = 0;

	for (i = 0; i < n && i < MAX_QUEUES; i++) {
		if (queues[i].pid != pid)
			continue;
		found++;
		differs |= (queues[i].state & HELD_REASONS) ^ want;
	}
	return found ? differs : ~0U;
}

bool held_process_is(pid_t pid, uint32_t want)
{
	const uint64_t end = xsdev_now() + HELD_DONE_MS * MS;
	uint32_t differs;

	while ((differs = difference(pid, want)) && xsdev_now() < end)
		xsdev_sleep_ms(5);
	if (differs)
		tap_note("reasons %#x, not %#x", differs ^ want, want);
	return !differs;
}

bool held_is(struct worker *w, uint32_t want)
{
	return held_process_is(w->pid, want);
}

void held_submit(struct worker *w, const struct spin_shape *shape)
{
	unsigned int i;

	for (i = 0; i < held_gpus; i++) {
		if (worker_submit(w, i, shape, 1))
			tap_bail("submit failed");
	}
}

void held_start(struct worker *w)
{
	unsigned int i;

	for (i = 0; i < held_gpus; i++) {
		if (worker_begin(w, i, &held_lengthy))
			tap_bail("nothing runs");
	}
}

int held_stop_half_way(struct worker *w, worker_step stop)
{
	return worker_half_way(w, held_gpus, &held_lengthy, stop);
}

int held_half_way(struct worker *w)
{
	return held_stop_half_way(w, held_suspend);
}

bool held_still(struct worker *w)
{
	unsigned int i;

	for (i = 0; i < held_gpus; i++) {
		if (worker_wait(w, i, i ? 1 : HELD_STILL_MS) != -ETIME)
			return false;
	}
	return true;
}

bool held_done(struct worker *w)
{
	unsigned int i;

	for (i = 0; i < held_gpus; i++) {
		if (worker_wait(w, i, HELD_DONE_MS))
			return false;
	}
	return true;
}

int held_suspend(struct worker *w)
{
	return xsdev_process_op(held_fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, NULL);
}

int held_resume(struct worker *w)
{
	return xsdev_process_op(held_fd, KFD_XSCHED_OP_RESUME, w->pid, 0, NULL);
}

void held_account(struct worker *w, const char *what)
{
	struct spin_account a;

	tap_ok(!worker_account(w, &a) && spin_account_clean(&a) && a.submitted,
	       "%s: every dispatch executed once and in order", what);
}
