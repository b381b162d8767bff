// SPDX-License-Identifier: MIT
/*
 * A scheduler that is stopped, not killed: the kernel ejects it after watchdog_ms,
 * and what it held runs. It learns of that when it goes on, and starts afresh.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "lease.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define LEASE_MS	1000
#define LATE_MS		20000	/* for what does not hang on a lease */
#define HI_NAME		"watchdog-hi"

static const struct spin_shape lo_shape = { 640, 256, 2 * MS };
/* One dispatch that runs for as long as a test takes. */
static const struct spin_shape long_shape = { 64, 256, 3000 * MS };

/**
 * struct holder - a scheduler of one hold, in a process of its own
 * @pid: process
 * @request: what it is to do next, a byte
 * @answer: what became of it, an int
 */
struct holder {
	pid_t pid;
	int request;
	int answer;
};

static int renew(int fd, struct kfd_xsched_renew *arg)
{
	*arg = (struct kfd_xsched_renew){ .size = sizeof(*arg) };
	return xsdev_ioctl(fd, KFD_XSCHED_RENEW, arg);
}

/* What the holder does: h hold, n renew, w why, a afresh. */
static int act(int *fd, char what, pid_t target)
{
	struct kfd_xsched_event event;
	struct kfd_xsched_renew arg;

	switch (what) {
	case 'h':
		return xsdev_process_op(*fd, KFD_XSCHED_OP_SUSPEND, target, 0, NULL);
	case 'n':
		return renew(*fd, &arg);
	case 'w':
		if (xsdev_wait_event(*fd, KFD_XSCHED_EVENT_EJECTED, 0, 0, &event))
			return -EIO;
		return renew(*fd, &arg) == -EOWNERDEAD && arg.ejected == event.data ?
			(int)arg.ejected : -EIO;
	case 'a':
		close(*fd);
		*fd = xsdev_open();
		return *fd < 0 ? *fd : 0;
	default:
		return -EINVAL;
	}
}

static void holder_main(struct holder *h, pid_t target)
{
	int fd = xsdev_open(), ret;
	char what;

	while (read(h->request, &what, 1) == 1) {
		ret = act(&fd, what, target);
		if (write(h->answer, &ret, sizeof(ret)) != sizeof(ret))
			break;
	}
	_exit(0);
}

static void holder_start(struct holder *h, pid_t target)
{
	int request[2], answer[2];

	if (pipe(request) || pipe(answer))
		tap_bail("pipe: error %d", -errno);
	h->pid = fork();
	if (!h->pid) {
		close(request[1]);
		h->request = request[0];
		h->answer = answer[1];
		holder_main(h, target);
	}
	close(request[0]);
	close(answer[1]);
	h->request = request[1];
	h->answer = answer[0];
}

static int ask(struct holder *h, char what)
{
	int ret = -EPIPE;

	if (write(h->request, &what, 1) != 1 || read(h->answer, &ret, sizeof(ret)) != sizeof(ret))
		return -EPIPE;
	return ret;
}

static void holder_stop(struct holder *h)
{
	kill(h->pid, SIGKILL);
	waitpid(h->pid, NULL, 0);
	close(h->request);
	close(h->answer);
}

static bool holds(int fd, const struct worker *w, bool held, unsigned int ms)
{
	return daemon_holds_within(fd, w->pid, held, ms);
}

/* The kernel looks at each client once in a lease, at the least. */
static bool ejected_within(int fd, const struct worker *w, long lease_ms)
{
	return holds(fd, w, false, 2 * (unsigned int)lease_ms);
}

static void set_lease(unsigned int ms)
{
	if (lease_set(ms))
		tap_bail("watchdog_ms cannot be written");
}

static long ejections(void)
{
	return sysfile_number(SYSFILE_GLOBAL "statistics/ejected_watchdog");
}

/* SIGSTOP, the main case, with the lease the kernel starts with. */
static void test_stopped(int fd, struct worker *lo)
{
	const long lease = sysfile_number(SYSFILE_GLOBAL "watchdog_ms"), ejected = ejections();
	uint64_t since, took;
	struct holder h;

	worker_load_start(lo, &lo_shape, 0);
	holder_start(&h, lo->pid);
	since = xsdev_now();
	tap_is(ask(&h, 'h'), 0, "a scheduler holds a process");
	kill(h.pid, SIGSTOP);
	tap_ok(worker_load_still(lo, 300), "it is stopped; the process waits");
	tap_ok(ejected_within(fd, lo, lease), "it is ejected");
	took = (xsdev_now() - since) / MS;
	tap_note("%llu ms after the hold, the lease is %ld ms", (unsigned long long)took, lease);
	tap_ok((long)took >= lease, "not before its lease was over");
	tap_ok(worker_load_goes_on(lo), "and the process runs");
	tap_is(ejections(), ejected + 1, "the ejection is counted");
	kill(h.pid, SIGCONT);
	tap_is(ask(&h, 'n'), -EOWNERDEAD, "it goes on, and finds itself ejected");
	tap_is(ask(&h, 'h'), -EOWNERDEAD, "it cannot hold any more");
	tap_is(ask(&h, 'w'), KFD_XSCHED_EJECT_WATCHDOG, "it can read why");
	tap_is(ask(&h, 'a'), 0, "it opens the device anew");
	tap_is(ask(&h, 'h'), 0, "and holds again");
	holder_stop(&h);
	tap_is(worker_load_stop(lo), 0, "all of it completed");
}

/* A sign of life in time, again and again, keeps the hold. */
static void test_renewed(int fd, struct worker *lo)
{
	bool held = true;
	struct holder h;
	int ret, i;

	worker_load_start(lo, &lo_shape, 0);
	holder_start(&h, lo->pid);
	ret = ask(&h, 'h');
	for (i = 0; i < 12 && !ret; i++) {
		xsdev_sleep_ms(LEASE_MS / 4);
		ret = ask(&h, 'n');
		held &= daemon_holds(fd, lo->pid);
	}
	tap_is(ret, 0, "a client that renews for three leases is not ejected");
	tap_ok(held, "and holds all the time");
	holder_stop(&h);
	tap_is(worker_load_stop(lo), 0, "all of it completed");
}

/* Nobody samples: the kernel looks for itself, at packets and at saved waves. */
static void test_work(int fd, struct worker *w)
{
	struct holder h;

	holder_start(&h, w->pid);
	tap_is(ask(&h, 'h'), 0, "a process without work is held");
	kill(h.pid, SIGSTOP);
	tap_ok(!holds(fd, w, false, 4 * LEASE_MS), "that is no reason to eject the scheduler");
	worker_submit(w, 0, &lo_shape, 1);
	tap_ok(ejected_within(fd, w, LEASE_MS), "until it submits something");
	tap_is(worker_wait(w, 0, LATE_MS), 0, "which completes");
	kill(h.pid, SIGCONT);
	ask(&h, 'a');
	/* Its packet is taken from the ring, and its waves run. */
	if (worker_begin(w, 0, &long_shape))
		tap_bail("nothing runs");
	tap_is(ask(&h, 'h'), 0, "a process is held in the middle of its only kernel");
	kill(h.pid, SIGSTOP);
	tap_ok(ejected_within(fd, w, LEASE_MS), "its saved waves are work");
	tap_is(worker_wait(w, 0, LATE_MS), 0, "which completes");
	kill(h.pid, SIGCONT);
	holder_stop(&h);
}

/* Administrators need no reason. */
static void test_admin(int fd, struct worker *w)
{
	struct holder h, other;
	char text[32];

	holder_start(&h, w->pid);
	holder_start(&other, w->pid);
	ask(&h, 'h');
	ask(&other, 'h');
	snprintf(text, sizeof(text), "pid %d", (int)h.pid);
	tap_is(sysfile_write(text, SYSFILE_GLOBAL "eject"), 0, "an administrator ejects one of two");
	tap_is(ask(&h, 'w'), KFD_XSCHED_EJECT_ADMIN, "it can read why");
	tap_ok(daemon_holds(fd, w->pid), "the other holds on");
	tap_is(sysfile_write(text, SYSFILE_GLOBAL "eject"), -ESRCH, "ejecting it twice is refused");
	tap_is(sysfile_write("0", SYSFILE_GLOBAL "enabled"), 0, "an administrator disables all");
	tap_ok(!daemon_holds(fd, w->pid), "nothing is held when that returns");
	tap_is(ask(&other, 'w'), KFD_XSCHED_EJECT_DISABLED, "the holder can read why");
	ask(&other, 'a');
	tap_is(ask(&other, 'h'), -ECANCELED, "a new client cannot hold");
	tap_is(sysfile_write("1", SYSFILE_GLOBAL "enabled"), 0, "it is enabled again");
	tap_is(ask(&other, 'h'), 0, "now it can");
	holder_stop(&h);
	holder_stop(&other);
	tap_ok(!daemon_holds(fd, w->pid), "nothing is held in the end");
}

/* The daemon: stopped, ejected, continued; and never ejected while it lives. */
static void test_xschedd(int fd, struct worker *lo, const char *xschedd)
{
	struct daemon d = { .program = xschedd, .name = "watchdog" };
	struct worker hi;
	long before;

	if (worker_start_named(&hi, 1, HI_NAME))
		tap_bail("no worker");
	daemon_configure(&d, "\n[rule watchdog]\ncomm = " HI_NAME "\nuser = 0\npriority = 10\n");
	worker_load_start(lo, &lo_shape, 0);
	worker_submit(&hi, 0, &long_shape, 8);
	daemon_start(&d);
	tap_ok(holds(fd, lo, true, LATE_MS), "xschedd holds the low-priority process");
	tap_ok(!holds(fd, lo, false, 4 * LEASE_MS), "for four leases: it renews");
	before = daemon_count(&d, "ejections");
	kill(d.pid, SIGSTOP);
	tap_ok(ejected_within(fd, lo, LEASE_MS), "it is stopped, and ejected");
	tap_ok(worker_load_goes_on(lo), "the low-priority process runs");
	kill(d.pid, SIGCONT);
	tap_ok(holds(fd, lo, true, LATE_MS), "it goes on, and holds again");
	tap_ok(daemon_says(&d, "ejected by the kernel: no sign of life", LATE_MS),
	       "its log says what happened");
	tap_ok(daemon_says(&d, "starting afresh", LATE_MS), "and what it did");
	tap_ok(daemon_counts(&d, "ejections", before + 1, LATE_MS), "and its statistics");
	tap_is(daemon_stop(&d), 0, "it ends in order");
	tap_is(worker_load_stop(lo), 0, "all of it completed");
	tap_is(worker_wait(&hi, 0, 60000), 0, "the high-priority process is undisturbed");
	worker_stop(&hi);
}

int main(int argc, char **argv)
{
	int fd = must_open();
	struct worker w;

	must_start(&w, 1, NULL);
	test_stopped(fd, &w);
	set_lease(LEASE_MS);
	test_renewed(fd, &w);
	test_work(fd, &w);
	test_admin(fd, &w);
	test_xschedd(fd, &w, argc > 1 ? argv[1] : "/bin/xschedd");
	tap_ok(worker_clean(&w), "every dispatch executed once and in order");
	worker_stop(&w);
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "nothing is held");
	return tap_done();
}
