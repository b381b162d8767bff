// SPDX-License-Identifier: MIT
/* SET_PRIORITY: what takes effect is read back, and the application's comes back. */
#include <errno.h>
#include <unistd.h>

#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS	1000000ULL
#define APP	7	/* what the worker asks for */

static const struct spin_shape tenth = { 64, 256, 100 * MS };
static int fd;

static int set(int client, struct worker *w, int value, uint32_t *effective)
{
	struct kfd_xsched_entry e = {
		.op = KFD_XSCHED_OP_SET_PRIORITY, .target = KFD_XSCHED_TARGET_PROCESS,
		.id = w->pid, .value = value,
	};
	int ret = xsdev_apply(client, &e, 1, NULL);

	*effective = e.effective;
	return ret;
}

static void test_values(struct worker *w)
{
	uint32_t effective;
	unsigned int wrong = 0;
	int value;

	tap_is(must_list(w, 0, fd).priority, APP, "the application's priority is listed");
	for (value = KFD_XSCHED_PRIORITY_MIN; value <= KFD_XSCHED_PRIORITY_MAX; value++)
		wrong += set(fd, w, value, &effective) || effective != (uint32_t)value ||
			 must_list(w, 0, fd).priority != (uint32_t)value ||
			 must_list(w, 1, fd).priority != (uint32_t)value;
	tap_is(wrong, 0, "each priority takes effect on all queues and is read back");
	tap_is(set(fd, w, KFD_XSCHED_PRIORITY_APP, &effective), 0, "the priority is given back");
	tap_is(effective, APP, "the answer is the application's");
	tap_is(must_list(w, 0, fd).priority, APP, "and so is the list");
}

static void test_application(struct worker *w)
{
	uint32_t effective;

	set(fd, w, 12, &effective);
	tap_is(worker_update(w, 0, 100, 4), 0, "the application sets 4 under an override of 12");
	tap_is(must_list(w, 0, fd).priority, 12, "the override stays in effect");
	set(fd, w, KFD_XSCHED_PRIORITY_APP, &effective);
	tap_is(must_list(w, 0, fd).priority, 4, "given back, the application's 4 takes effect");
	worker_update(w, 0, 100, APP);
}

static void test_new_queue(struct worker *w)
{
	uint32_t effective;
	int n;

	set(fd, w, 2, &effective);
	n = worker_add_queue(w);
	if (tap_ok(n > 0, "a process with an override creates a queue"))
		tap_is(must_list(w, n, fd).priority, 2, "which has the override, too");
	set(fd, w, KFD_XSCHED_PRIORITY_APP, &effective);
	if (n > 0)
		tap_is(must_list(w, n, fd).priority, APP, "and loses it with the others");
}

static void test_close(struct worker *w)
{
	int other = xsdev_open();
	uint32_t effective;

	tap_is(set(other, w, 15, &effective), 0, "another client sets 15");
	tap_is(must_list(w, 0, fd).priority, 15, "it is in effect");
	close(other);
	tap_is(must_list(w, 0, fd).priority, APP, "the client's end gives it back");
}

static int set_and_hold(struct worker *w)
{
	uint32_t effective;
	int ret = set(fd, w, 14, &effective);

	return ret ? ret : xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, NULL);
}

static int release(struct worker *w)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w->pid, 0, NULL);
}

static void test_running(struct worker *w)
{
	struct spin_account a;
	uint32_t effective;

	tap_is(worker_half_way(w, 1, &tenth, set_and_hold), 0,
	       "a priority is set while a dispatch runs, then it is held");
	tap_is(set(fd, w, 1, &effective), 0, "a priority is set while it is held");
	tap_is(effective, 1, "it is read back");
	tap_is(worker_wait(w, 0, 500), -ETIME, "it stays held");
	tap_is(release(w), 0, "resumed");
	tap_is(worker_wait(w, 0, 20000), 0, "the dispatch completes");
	set(fd, w, KFD_XSCHED_PRIORITY_APP, &effective);
	worker_account(w, &a);
	tap_ok(spin_account_clean(&a), "every dispatch executed once and in order");
}

int main(void)
{
	struct worker w;

	fd = must_open();
	must_start(&w, 2, NULL);
	test_values(&w);
	test_application(&w);
	test_new_queue(&w);
	test_close(&w);
	test_running(&w);
	worker_stop(&w);
	return tap_done();
}
