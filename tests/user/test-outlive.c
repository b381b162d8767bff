// SPDX-License-Identifier: MIT
/*
 * An address space that outlives the process that made queues in it: a child by
 * clone(CLONE_VM) goes on to ring its doorbells. The queues can be held by the number of
 * the process all the same, and what was held before can be released.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "tap.h"
#include "xsdev.h"

#define STACK		(256UL << 10)
#define DISPATCHES	65536
#define STILL_MS	300
#define SETTLED_MS	20000
#define PAUSE_US	1000

/**
 * struct shared - between all three
 * @child: the process that goes on, once it does
 * @rounds: dispatches that it saw completed
 * @queue: KFD's id of the queue
 */
struct shared {
	pid_t child;
	uint64_t rounds;
	uint32_t queue;
};

static const struct spin_shape brief = { 1, 64, 10000 };
static struct shared *shared;
static int fd;

/* One dispatch after another, without KFD, which answers the process alone. */
static int go_on(void *argument)
{
	struct app *app = argument;

	for (;;) {
		if (app_submit(app, 0, &brief))
			_exit(1);
		while (__atomic_load_n(&app->done[0]->value, __ATOMIC_ACQUIRE) > 0)
			usleep(PAUSE_US);
		__atomic_add_fetch(&shared->rounds, 1, __ATOMIC_RELEASE);
	}
}

/* Make queues, leave them to a child, and exit when the test says so. */
static void be_process(int go)
{
	static char stack[STACK];
	struct app app;
	char byte;

	app_open(&app, DISPATCHES);
	shared->queue = kfdq_queue_id(app.queue[0]);
	shared->child = clone(go_on, stack + STACK, CLONE_VM | SIGCHLD, &app);
	/* The stack that app is on stays: it is in the address space. */
	if (shared->child < 0 || read(go, &byte, 1) != 1)
		_exit(1);
	_exit(0);
}

/**
 * struct process - the process with queues
 * @pid: of it
 * @go: written to, it exits
 */
struct process {
	pid_t pid;
	int go;
};

static bool rounds_go_on(void)
{
	const uint64_t from = __atomic_load_n(&shared->rounds, __ATOMIC_ACQUIRE);
	const uint64_t end = xsdev_now() + SETTLED_MS * 1000000ULL;

	while (__atomic_load_n(&shared->rounds, __ATOMIC_ACQUIRE) < from + 3) {
		if (xsdev_now() > end)
			return false;
		xsdev_sleep_ms(5);
	}
	return true;
}

static bool rounds_stand_still(void)
{
	const uint64_t from = __atomic_load_n(&shared->rounds, __ATOMIC_ACQUIRE);

	xsdev_sleep_ms(STILL_MS);
	/* One may have been executed before the hold, and be counted after it. */
	return __atomic_load_n(&shared->rounds, __ATOMIC_ACQUIRE) <= from + 1;
}

static void start(struct process *p)
{
	int pipefd[2];

	shared->child = 0;
	shared->rounds = 0;
	if (pipe(pipefd))
		tap_bail("pipe: error %d", -errno);
	p->pid = fork();
	if (!p->pid) {
		close(pipefd[1]);
		be_process(pipefd[0]);
	}
	close(pipefd[0]);
	p->go = pipefd[1];
	if (p->pid < 0 || !rounds_go_on())
		tap_bail("the process does not work");
}

/* It exits and is reaped: only its child and the address space are left. */
static void leave(struct process *p)
{
	int status;

	if (write(p->go, "", 1) != 1 || waitpid(p->pid, &status, 0) != p->pid || status)
		tap_bail("the process does not exit");
	close(p->go);
	tap_is(kill(p->pid, 0) ? -errno : 0, -ESRCH, "the process is gone");
}

static void end(void)
{
	kill(shared->child, SIGKILL);
	waitpid(shared->child, NULL, 0);
	tap_is(xsdev_wait_no_queue(fd, SETTLED_MS), 0, "its child is killed: so are the queues");
}

static void test_hold_afterwards(void)
{
	struct kfd_xsched_queue q;
	struct process p;

	start(&p);
	leave(&p);
	tap_ok(rounds_go_on(), "its queue goes on");
	tap_ok(!xsdev_find(fd, p.pid, shared->queue, &q), "and is listed, with its number");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, p.pid, 0, NULL), 0,
	       "it is held by that");
	tap_ok(rounds_stand_still(), "nothing is executed");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, p.pid, 0, NULL), 0, "it is released");
	tap_ok(rounds_go_on(), "and goes on");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, shared->child, 0, NULL), -ENOENT,
	       "the number of its child names nothing");
	end();
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, p.pid, 0, NULL), -ESRCH,
	       "with the address space it is gone");
}

static void test_hold_before(void)
{
	struct process p;

	start(&p);
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, p.pid, 0, NULL), 0,
	       "a process is held, and exits");
	leave(&p);
	tap_ok(rounds_stand_still(), "it stays held");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, p.pid, 0, NULL), 0, "it is released");
	tap_ok(rounds_go_on(), "and goes on");
	end();
}

int main(void)
{
	fd = xsdev_open();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (fd < 0 || shared == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1))
		tap_bail("no client, memory or child: error %d", -errno);
	if (xsdev_wait_no_queue(fd, SETTLED_MS))
		tap_bail("somebody else has queues");
	test_hold_afterwards();
	test_hold_before();
	return tap_done();
}
