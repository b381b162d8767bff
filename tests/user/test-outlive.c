// SPDX-License-Identifier: MIT
/*
 * An address space that outlives the process that made queues in it: a child by
 * clone(CLONE_VM) goes on to ring its doorbells. The queues can be held by the number of
 * the process all the same, and what was held before can be released. That is so, too, when
 * another process with queues has got that number: it stands for both.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define STACK		(256UL << 10)
#define DISPATCHES	65536
#define STILL_MS	300
#define SETTLED_MS	20000
#define PAUSE_US	1000
#define TRIES		20	/* somebody else may get the number */
#define LISTED		64

/**
 * struct shared - between the test, a process, and who goes on with its work
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

/* Of the process that is outlived; and of the next one with its number. */
static struct shared *shared, *next;

/* In a process: its own. */
static struct shared *mine;

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
		__atomic_add_fetch(&mine->rounds, 1, __ATOMIC_RELEASE);
	}
}

/* Make queues, leave them to a child, and exit when the test says so. */
static void be_process(int go)
{
	static char stack[STACK];
	struct app app;
	char byte;

	mine = shared;
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

static uint64_t rounds_of(const struct shared *s)
{
	return __atomic_load_n(&s->rounds, __ATOMIC_ACQUIRE);
}

static bool rounds_go_on(const struct shared *s)
{
	const uint64_t from = rounds_of(s);
	const uint64_t end = xsdev_now() + SETTLED_MS * 1000000ULL;

	while (rounds_of(s) < from + 3) {
		if (xsdev_now() > end)
			return false;
		xsdev_sleep_ms(5);
	}
	return true;
}

static bool rounds_stand_still(const struct shared *s)
{
	const uint64_t from = rounds_of(s);

	xsdev_sleep_ms(STILL_MS);
	/* One may have been executed before the hold, and be counted after it. */
	return rounds_of(s) <= from + 1;
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
	if (p->pid < 0 || !rounds_go_on(shared))
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
	tap_ok(rounds_go_on(shared), "its queue goes on");
	tap_ok(!xsdev_find(fd, p.pid, shared->queue, &q), "and is listed, with its number");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, p.pid, 0, NULL), 0,
	       "it is held by that");
	tap_ok(rounds_stand_still(shared), "nothing is executed");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, p.pid, 0, NULL), 0, "it is released");
	tap_ok(rounds_go_on(shared), "and goes on");
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
	tap_ok(rounds_stand_still(shared), "it stays held");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, p.pid, 0, NULL), 0, "it is released");
	tap_ok(rounds_go_on(shared), "and goes on");
	end();
}

/* ---- the number is used again --------------------------------------------------- */

/* With queues of its own. Does not return. */
static void be_next(void)
{
	struct app app;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mine = next;
	app_open(&app, DISPATCHES);
	go_on(&app);
	_exit(1);
}

/* A process that gets the number, unless somebody else does: its pid. */
static pid_t try_number(pid_t number)
{
	char last[16];
	pid_t pid;

	snprintf(last, sizeof(last), "%d", (int)number - 1);
	if (sysfile_write(last, "/proc/sys/kernel/ns_last_pid"))
		tap_bail("ns_last_pid cannot be written");
	pid = fork();
	if (!pid) {
		if (getpid() != number)
			_exit(0);
		be_next();
	}
	if (pid < 0)
		tap_bail("fork: error %d", -errno);
	if (pid != number)
		waitpid(pid, NULL, 0);
	return pid;
}

static void start_next(pid_t number)
{
	unsigned int tries = 1;
	pid_t pid;

	next->rounds = 0;
	while ((pid = try_number(number)) != number && tries < TRIES)
		tries++;
	if (pid != number || !rounds_go_on(next))
		tap_bail("after %u tries no other process has number %d", tries, (int)number);
	tap_note("number %d after %u tries", (int)number, tries);
}

static void end_next(pid_t number)
{
	kill(number, SIGKILL);
	waitpid(number, NULL, 0);
}

/* How many queues are listed with that number, and have all these bits of their state. */
static int listed_with(pid_t number, uint32_t state)
{
	struct kfd_xsched_queue queues[LISTED];
	int n = xsdev_list(fd, queues, LISTED), i, count = 0;

	for (i = 0; i < n && i < LISTED; i++)
		count += queues[i].pid == number && (queues[i].state & state) == state;
	return n < 0 ? n : count;
}

/* The kernel's log, from what comes next on. */
static int open_log(void)
{
	const int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (log < 0 || lseek(log, 0, SEEK_END) < 0)
		tap_bail("the log cannot be read: error %d", -errno);
	return log;
}

/* Whether there is nothing that fails a test (tests/guest/log-lib). What has come is shown. */
static bool log_is_silent(int log)
{
	/* amdkfd says where it was when it could not make a directory: with "Call Trace". */
	static const char *const bad[] = { "WARNING:", "BUG:", "Oops", "refcount_t:" };
	char record[2048];
	bool silent = true;
	unsigned int i;
	ssize_t n;

	while ((n = read(log, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		record[n < 0 ? 0 : n] = '\0';
		record[strcspn(record, "\n")] = '\0';
		if (*record)
			tap_note("log: %s", record);
		for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			silent &= !strstr(record, bad[i]);
	}
	close(log);
	return silent;
}

static void hold_both(pid_t number)
{
	const uint32_t held = KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_MINE;

	tap_is(listed_with(number, 0), 2 * APP_QUEUES, "used again: queues of both are listed");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, number, 0, NULL), 0,
	       "used again: it is held");
	tap_is(listed_with(number, held), 2 * APP_QUEUES, "used again: so are all queues");
	tap_ok(rounds_stand_still(shared), "used again: nothing of what goes on is executed");
	tap_ok(rounds_stand_still(next), "used again: nor of the other process");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, number, 0, NULL), 0,
	       "used again: it is released");
	tap_is(listed_with(number, KFD_XSCHED_QUEUE_HELD), 0, "used again: no queue is held");
	tap_ok(rounds_go_on(shared) && rounds_go_on(next), "used again: both go on");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, number, 0, NULL), -EALREADY,
	       "used again: to release it again is benign");
}

/* amdkfd cannot make a directory of that number again, and must do without. */
static void test_number_used_again(void)
{
	const int log = open_log();
	struct process p;

	start(&p);
	leave(&p);
	start_next(p.pid);
	hold_both(p.pid);
	end_next(p.pid);
	tap_ok(rounds_go_on(shared), "used again: the other one is killed, the first goes on");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, p.pid, 0, NULL), 0,
	       "used again: the number stands for that now");
	tap_ok(rounds_stand_still(shared), "used again: it is held");
	end();
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, p.pid, 0, NULL), -ESRCH,
	       "used again: then the number is gone");
	tap_ok(log_is_silent(log), "used again: the kernel has nothing to say");
}

int main(void)
{
	fd = xsdev_open();
	shared = mmap(NULL, 2 * sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (fd < 0 || shared == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1))
		tap_bail("no client, memory or child: error %d", -errno);
	next = shared + 1;
	if (xsdev_wait_no_queue(fd, SETTLED_MS))
		tap_bail("somebody else has queues");
	test_hold_afterwards();
	test_hold_before();
	test_number_used_again();
	return tap_done();
}
