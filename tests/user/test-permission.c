// SPDX-License-Identifier: MIT
/* Who may do what: the caller's uid against the owner's, and CAP_SYS_NICE. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define ALICE	1000
#define BOB	1001

static const char *const nodes[] = { XSDEV_PATH, "/dev/kfd", "/dev/dri/renderD128" };
static mode_t modes[3];

/* Ordinary users reach the devices here; the kernel has to tell them apart. */
static void open_devices(bool to_all)
{
	struct stat st;
	size_t i;

	for (i = 0; i < 3; i++) {
		if (stat(nodes[i], &st))
			tap_bail("%s: error %d", nodes[i], -errno);
		if (to_all)
			modes[i] = st.st_mode & 07777;
		if (chmod(nodes[i], to_all ? 0666 : modes[i]))
			tap_bail("chmod: error %d", -errno);
	}
}

/**
 * struct attempt - what one user gets when he tries everything on one process
 * @opened: open of the device
 * @listed: queues of the process that LIST shows
 * @suspend: of the process
 * @suspend_queue: of its queue, by id
 * @resume: of the process
 * @lower: SET_PRIORITY 3
 * @normal: SET_PRIORITY 7
 * @raise: SET_PRIORITY 8
 */
struct attempt {
	int opened;
	int listed;
	int suspend;
	int suspend_queue;
	int resume;
	int lower;
	int normal;
	int raise;
};

static int count_listed(int fd, pid_t pid)
{
	struct kfd_xsched_queue queues[64];
	int n = xsdev_list(fd, queues, 64), i, found = 0;

	for (i = 0; i < n && i < 64; i++)
		found += queues[i].pid == pid;
	return n < 0 ? n : found;
}

static void try_all(pid_t pid, uint64_t queue, struct attempt *a)
{
	int fd = xsdev_open();

	a->opened = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	a->listed = count_listed(fd, pid);
	a->suspend = xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, pid, 0, NULL);
	a->suspend_queue = xsdev_queue_op(fd, KFD_XSCHED_OP_SUSPEND, queue, 0, NULL);
	a->resume = xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, pid, 0, NULL);
	a->lower = xsdev_process_op(fd, KFD_XSCHED_OP_SET_PRIORITY, pid, 3, NULL);
	a->normal = xsdev_process_op(fd, KFD_XSCHED_OP_SET_PRIORITY, pid,
				     KFD_XSCHED_PRIORITY_NORMAL, NULL);
	a->raise = xsdev_process_op(fd, KFD_XSCHED_OP_SET_PRIORITY, pid,
				    KFD_XSCHED_PRIORITY_NORMAL + 1, NULL);
	close(fd);
}

/* As another user: in a child, its answers through a pipe. */
static void try_as(uid_t uid, pid_t pid, uint64_t queue, struct attempt *a)
{
	int pipefd[2], status;
	pid_t child;

	memset(a, 0xff, sizeof(*a));
	if (pipe(pipefd))
		tap_bail("pipe: error %d", -errno);
	child = fork();
	if (!child) {
		if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
			_exit(1);
		try_all(pid, queue, a);
		_exit(write(pipefd[1], a, sizeof(*a)) == sizeof(*a) ? 0 : 1);
	}
	close(pipefd[1]);
	if (read(pipefd[0], a, sizeof(*a)) != sizeof(*a))
		tap_note("no answer from the other user");
	close(pipefd[0]);
	waitpid(child, &status, 0);
}

static void expect_denied(const struct attempt *a, const char *who)
{
	tap_is(a->opened, 0, "%s: opens the device", who);
	tap_is(a->listed, 0, "%s: its queues are not listed", who);
	tap_is(a->suspend, -EPERM, "%s: SUSPEND of the process", who);
	tap_is(a->suspend_queue, -EPERM, "%s: SUSPEND of the queue", who);
	tap_is(a->resume, -EPERM, "%s: RESUME", who);
	tap_is(a->lower, -EPERM, "%s: a lower priority", who);
	tap_is(a->raise, -EPERM, "%s: a higher priority", who);
}

static uint64_t queue_of(struct worker *w)
{
	struct kfd_xsched_queue q;
	int fd = xsdev_open();
	uint32_t id;

	if (fd < 0 || worker_queue_id(w, 0, &id) || xsdev_find(fd, w->pid, id, &q))
		tap_bail("the worker's queue is not listed");
	close(fd);
	return q.id;
}

static void test_own(struct worker *alice)
{
	struct attempt a;

	try_as(ALICE, alice->pid, queue_of(alice), &a);
	tap_is(a.opened, 0, "own process: opens the device");
	tap_is(a.listed, 1, "own process: its queue is listed");
	tap_is(a.suspend, 0, "own process: SUSPEND");
	tap_is(a.suspend_queue, 0, "own process: SUSPEND of the queue");
	tap_is(a.resume, 0, "own process: RESUME");
	tap_is(a.lower, 0, "own process: a lower priority");
	tap_is(a.normal, 0, "own process: normal priority");
	tap_is(a.raise, -EPERM, "own process: a higher priority takes CAP_SYS_NICE");
}

static void test_root(struct worker *alice)
{
	struct attempt a;

	try_all(alice->pid, queue_of(alice), &a);
	tap_is(a.listed, 1, "root: everybody's queues are listed");
	tap_is(a.suspend, 0, "root: SUSPEND");
	tap_is(a.resume, 0, "root: RESUME");
	tap_is(a.raise, 0, "root: a higher priority");
}

/* Events tell of queues, too: only to those who may act on them. */
static void test_events(void)
{
	struct kfd_xsched_event event;
	struct worker w;
	pid_t child;
	int status;

	child = fork();
	if (!child) {
		int fd;

		if (setresuid(BOB, BOB, BOB))
			_exit(2);
		fd = xsdev_open();
		if (fd < 0 || xsdev_subscribe(fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD),
					      0, 0))
			_exit(2);
		_exit(xsdev_wait_event(fd, KFD_XSCHED_EVENT_QUEUE_ADD, 0, 3000, &event) == -ETIME
		      ? 0 : 1);
	}
	xsdev_sleep_ms(500);
	if (worker_start(&w, 1, NULL))
		tap_bail("no worker");
	waitpid(child, &status, 0);
	tap_is(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0,
	       "no event tells another user of root's queue");
	worker_stop(&w);
}

int main(void)
{
	const struct worker_ids alice_ids = { ALICE, ALICE, ALICE, true };
	const struct worker_ids elevated_ids = { ALICE, ALICE, 0, true };
	const struct worker_ids changed_ids = { ALICE, ALICE, ALICE, false };
	struct worker root, alice, elevated, changed;
	struct attempt a;

	open_devices(true);
	if (worker_start(&root, 1, NULL) || worker_start(&alice, 1, &alice_ids) ||
	    worker_start(&elevated, 1, &elevated_ids) || worker_start(&changed, 1, &changed_ids))
		tap_bail("no workers");
	try_as(ALICE, root.pid, queue_of(&root), &a);
	expect_denied(&a, "root's process");
	try_as(BOB, alice.pid, queue_of(&alice), &a);
	expect_denied(&a, "another user's process");
	try_as(ALICE, elevated.pid, queue_of(&elevated), &a);
	expect_denied(&a, "own uid, but it kept root's");
	try_as(ALICE, changed.pid, queue_of(&changed), &a);
	expect_denied(&a, "own uid, but it was root's when it started");
	test_own(&alice);
	test_root(&alice);
	test_events();
	worker_stop(&root);
	worker_stop(&alice);
	worker_stop(&elevated);
	worker_stop(&changed);
	open_devices(false);
	try_as(ALICE, getpid(), 1, &a);
	tap_is(a.opened, -EACCES, "the device node itself keeps ordinary users out");
	return tap_done();
}
