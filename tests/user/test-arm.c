// SPDX-License-Identifier: MIT
/* Armed switches: what the kernel does by itself when a process gets work. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lease.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"

#define MS		1000000ULL
#define TIMEOUT_MS	20000
#define LEASE_MS	500
#define HELD_MS		200	/* how long we watch a held process do nothing */
#define RELEASE_MS	100	/* what is held is released so soon after its client's end */
#define SAMPLE_US	500
/* Times half a second: what is looked at while a process works is seen in that time. */
#define LONG		5
#define LONGER		8
#define BIT(type)	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##type)
#define EVENTS		(BIT(READY) | BIT(IDLE) | BIT(ARMED))

static const struct spin_shape brief = { 1, 64, 50000 };
static const struct spin_shape half = { 4, 64, 500 * MS };
static const struct spin_shape busy = { 64, 256, 2 * MS };
static struct worker high, low, other;
static int fd;

/* The first queue of a worker, which cannot be asked for its number under load. */
static struct kfd_xsched_queue queue_of(const struct worker *w)
{
	struct kfd_xsched_queue queue;
	int ret = xsdev_find_first(fd, w->pid, &queue);

	if (ret)
		tap_bail("the worker's queue is not listed: error %d", ret);
	return queue;
}

static bool is_held(const struct worker *w)
{
	return queue_of(w).state & KFD_XSCHED_QUEUE_HELD;
}

static bool wait_held(const struct worker *w, bool held, int timeout_ms)
{
	while (is_held(w) != held && timeout_ms-- > 0)
		xsdev_sleep_ms(1);
	return is_held(w) == held;
}

static bool makes_progress(struct worker *w, int ms)
{
	return !worker_load_progress(w, worker_load_rounds(w), ms);
}

static int open_client(uint32_t settle_us)
{
	int dev = xsdev_open();

	if (dev < 0 || xsdev_subscribe(dev, EVENTS, SAMPLE_US, settle_us))
		tap_bail("no client");
	return dev;
}

/*
 * Half a second of work, @count times. If waves cannot be counted, only dispatches
 * after the running one are seen: so there is one more.
 */
static int submit_long(struct worker *w, uint32_t count)
{
	return worker_submit(w, 0, &half, count + !xsdev_can(fd, KFD_XSCHED_CAP_WAVES));
}

static void finish(struct worker *w, const char *who)
{
	struct spin_account account = { 0 };

	tap_is(worker_account(w, &account), 0, "%s: account", who);
	tap_ok(spin_account_clean(&account), "%s: each dispatch once and in order", who);
	tap_note("%s: %llu dispatches", who, (unsigned long long)account.submitted);
	tap_is(worker_stop(w), 0, "%s exits", who);
}

/* The doorbell of one process takes another off the GPU, and its end puts it back. */
static void test_switch(void)
{
	struct kfd_xsched_queue q;
	struct kfd_xsched_event ready, e;
	uint64_t submitted;
	struct vgpu_log log;
	int id;

	worker_load_start(&low, &busy, 0);
	id = xsarm_suspend(fd, high.pid, low.pid);
	tap_ok(id > 0, "arm: when high has work, suspend low (%d)", id);
	tap_ok(makes_progress(&low, TIMEOUT_MS) && !is_held(&low), "nothing happens yet");
	if (xsdev_can(fd, KFD_XSCHED_CAP_TAP))
		tap_is(xsarm_wait_tapped(fd, queue_of(&high).id, true, TIMEOUT_MS), 0,
		       "high is idle, and tapped");
	xsarm_drain(fd);
	submitted = xsdev_now();
	submit_long(&high, LONG);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, high.pid, TIMEOUT_MS, &ready), 0,
	       "high is READY");
	tap_is(xsarm_wait(fd, id, true, TIMEOUT_MS, &e), 0, "the switch ran");
	tap_ok(e.time_ns >= ready.time_ns && ready.time_ns >= submitted, "after that");
	tap_is(KFD_XSCHED_ARMED_NS(e.data), e.time_ns - ready.time_ns, "it says how long it took");
	tap_is(KFD_XSCHED_ARMED_ERRNO(e.data), 0, "without an error");
	tap_is(e.queue_id, 1, "one queue went");
	tap_is(e.pid, high.pid, "it names the trigger");
	q = queue_of(&low);
	tap_ok(q.state & KFD_XSCHED_QUEUE_HELD && q.state & KFD_XSCHED_QUEUE_MINE,
	       "low is held, by this client");
	tap_ok(worker_load_still(&low, HELD_MS), "and makes no progress");
	tap_is(worker_wait(&high, 0, TIMEOUT_MS), 0, "high completes");
	tap_is(xsarm_wait(fd, id, false, TIMEOUT_MS, &e), 0, "the switch is undone");
	worker_last_log(&high, 0, &log);
	if (xsdev_can(fd, KFD_XSCHED_CAP_WAVES))
		tap_ok(e.time_ns >= log.end_ns, "not before high is done");
	tap_is(e.queue_id, 1, "one queue came back");
	tap_ok(makes_progress(&low, TIMEOUT_MS) && !is_held(&low), "low goes on");
	tap_is(xsarm_clear(fd, id), 0, "clear");
	xsarm_drain(fd);
	worker_submit(&high, 0, &brief, 1);
	worker_wait(&high, 0, TIMEOUT_MS);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_ARMED, 0, HELD_MS, &e), -ETIME,
	       "then it does not run");
	tap_is(xsarm_clear(fd, id), -ESRCH, "it is gone");
	tap_is(xsarm_clear(fd, id + 1), -ENOENT, "and the next never was");
	tap_is(worker_load_stop(&low), 0, "low's load ends");
}

/* Work that is there already; what is cleared while it is in force; new queues. */
static void test_while_ready(void)
{
	struct kfd_xsched_event e;
	int id, n;

	tap_ok(!submit_long(&high, LONGER) &&
	       !xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, high.pid, TIMEOUT_MS, &e),
	       "high has work, and is READY");
	id = xsarm_suspend(fd, high.pid, low.pid);
	tap_is(xsarm_wait(fd, id, true, TIMEOUT_MS, &e), 0, "armed while high is READY: at once");
	worker_submit(&low, 0, &brief, 1);
	tap_is(worker_wait(&low, 0, HELD_MS), -ETIME, "low does not run");
	n = worker_add_queue(&low);
	worker_submit(&low, (unsigned int)n, &brief, 1);
	tap_is(worker_wait(&low, (unsigned int)n, HELD_MS), -ETIME, "nor does a new queue of it");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, low.pid, 0, NULL), -EALREADY,
	       "RESUME does not undo what a switch holds");
	tap_is(xsarm_clear(fd, id), 0, "clear while it is in force");
	tap_ok(!is_held(&low), "low is not held when that returns");
	tap_ok(!worker_wait(&low, 0, TIMEOUT_MS) && !worker_wait(&low, (unsigned int)n, TIMEOUT_MS),
	       "both queues run");
	worker_wait(&high, 0, TIMEOUT_MS);
}

/* Each holder releases its own holds. */
static void test_overlap(void)
{
	int a = xsarm_suspend(fd, high.pid, low.pid), b = xsarm_suspend(fd, other.pid, low.pid);
	struct kfd_xsched_event e;

	submit_long(&high, 1);
	submit_long(&other, LONGER);
	tap_ok(!xsarm_wait(fd, b, true, TIMEOUT_MS, &e), "two switches hold one process");
	worker_wait(&high, 0, TIMEOUT_MS);
	tap_is(xsarm_wait(fd, a, false, TIMEOUT_MS, &e), 0, "one is undone");
	tap_is(e.queue_id, 0, "no queue moves");
	tap_ok(is_held(&low), "the other still holds it");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, low.pid, 0, NULL), 0,
	       "the client holds it, too");
	worker_wait(&other, 0, TIMEOUT_MS);
	tap_is(xsarm_wait(fd, b, false, TIMEOUT_MS, &e), 0, "the other is undone");
	tap_ok(is_held(&low), "the client's own hold stays");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, low.pid, 0, NULL), 0, "RESUME");
	tap_ok(!is_held(&low), "and low is free");
	xsarm_clear(fd, a);
	xsarm_clear(fd, b);
}

/* Priorities are put back, too. */
static void test_priority(void)
{
	struct kfd_xsched_entry entry = XSARM_ENTRY(SET_PRIORITY, PROCESS, low.pid, 1);
	struct kfd_xsched_queue before = queue_of(&low), during, after;
	struct kfd_xsched_event e;
	int armed;

	armed = xsarm_set(fd, KFD_XSCHED_TARGET_PROCESS, (uint64_t)high.pid, &entry, 1);
	submit_long(&high, LONG);
	tap_is(xsarm_wait(fd, armed, true, TIMEOUT_MS, &e), 0, "a switch that lowers a priority");
	during = queue_of(&low);
	worker_wait(&high, 0, TIMEOUT_MS);
	tap_is(xsarm_wait(fd, armed, false, TIMEOUT_MS, &e), 0, "and is undone");
	after = queue_of(&low);
	tap_ok(during.priority == 1 && after.priority == before.priority,
	       "puts it back (%u, %u, %u)", before.priority, during.priority, after.priority);
	xsarm_clear(fd, armed);
}

/* Sets of processes as trigger and as target, while they change. */
static void test_tenants(void)
{
	const int t = xsdev_tenant(fd, KFD_XSCHED_TENANT_CREATE, 0, 0);
	const int v = xsdev_tenant(fd, KFD_XSCHED_TENANT_CREATE, 0, 0);
	struct kfd_xsched_entry entry = XSARM_ENTRY(SUSPEND, TENANT, v, 0);
	struct kfd_xsched_event e;
	int id;

	xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, (uint64_t)t, high.pid);
	id = xsarm_set(fd, KFD_XSCHED_TARGET_TENANT, (uint64_t)t, &entry, 1);
	tap_ok(id > 0, "a tenant triggers, an empty one is the target");
	submit_long(&high, LONGER);
	tap_is(xsarm_wait(fd, id, true, TIMEOUT_MS, &e), 0, "it runs");
	tap_is(e.queue_id, 0, "and finds no process");
	xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, (uint64_t)v, low.pid);
	tap_ok(wait_held(&low, true, TIMEOUT_MS), "a process that joins while it is in force is held");
	xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, (uint64_t)v, other.pid);
	tap_ok(wait_held(&other, true, TIMEOUT_MS), "so is the next");
	xsdev_tenant(fd, KFD_XSCHED_TENANT_REMOVE, (uint64_t)v, other.pid);
	tap_ok(wait_held(&other, false, TIMEOUT_MS), "one that leaves is released");
	tap_ok(is_held(&low), "and one that stays is held");
	xsdev_tenant(fd, KFD_XSCHED_TENANT_REMOVE, (uint64_t)t, high.pid);
	tap_is(xsarm_wait(fd, id, false, TIMEOUT_MS, &e), 0, "the trigger left the tenant: undone");
	tap_ok(wait_held(&low, false, TIMEOUT_MS), "low is free");
	xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, (uint64_t)t, high.pid);
	tap_is(xsarm_wait(fd, id, true, TIMEOUT_MS, &e), 0, "it came back: run again");
	xsdev_tenant(fd, KFD_XSCHED_TENANT_DESTROY, (uint64_t)t, 0);
	tap_is(xsarm_wait(fd, id, false, TIMEOUT_MS, &e), 0, "the tenant is destroyed: undone");
	tap_is(KFD_XSCHED_ARMED_ERRNO(e.data), ESRCH, "and forgotten");
	tap_is(xsarm_clear(fd, id), -ESRCH, "for good");
	tap_ok(wait_held(&low, false, TIMEOUT_MS), "low is free");
	xsdev_tenant(fd, KFD_XSCHED_TENANT_DESTROY, (uint64_t)v, 0);
	worker_wait(&high, 0, TIMEOUT_MS);
}

/* What makes no sense is refused when it is armed. */
static void test_refused(void)
{
	struct kfd_xsched_entry entry = XSARM_ENTRY(SUSPEND, PROCESS, high.pid, 0);
	int a, b, c, i, ids[KFD_XSCHED_MAX_ARMED];

	tap_is(xsarm_set(fd, KFD_XSCHED_TARGET_PROCESS, (uint64_t)high.pid, &entry, 1), -EINVAL,
	       "a process that suspends itself");
	tap_is(entry.status, -EINVAL, "the entry says so");
	a = xsarm_suspend(fd, high.pid, low.pid);
	b = xsarm_suspend(fd, low.pid, other.pid);
	tap_ok(a > 0 && b > 0, "high suspends low, low suspends another");
	tap_is(xsarm_suspend(fd, other.pid, high.pid), -ELOOP, "that one suspends high: a circle");
	tap_is(xsarm_suspend(fd, low.pid, high.pid), -ELOOP, "so is the shortest");
	c = xsarm_suspend(fd, high.pid, other.pid);
	tap_ok(c > 0, "high suspends it, too: none");
	xsarm_clear(fd, a);
	xsarm_clear(fd, b);
	xsarm_clear(fd, c);
	for (i = 0; i < KFD_XSCHED_MAX_ARMED; i++)
		ids[i] = xsarm_suspend(fd, high.pid, low.pid);
	tap_ok(ids[i - 1] > 0, "%d switches", i);
	tap_is(xsarm_suspend(fd, high.pid, low.pid), -ENOSPC, "and no more");
	while (i--)
		xsarm_clear(fd, (uint64_t)ids[i]);
	a = xsarm_suspend(fd, high.pid, low.pid);
	tap_ok(a > 0, "until they are cleared");
	xsarm_clear(fd, (uint64_t)a);
}

/* Processes go while switches name them. */
static void test_deaths(void)
{
	struct kfd_xsched_event e;
	struct worker mortal;
	int id;

	must_start(&mortal, 1, NULL);
	id = xsarm_suspend(fd, mortal.pid, low.pid);
	submit_long(&mortal, 8);
	xsarm_wait(fd, id, true, TIMEOUT_MS, &e);
	tap_ok(is_held(&low), "the trigger works, low is held");
	worker_kill(&mortal);
	tap_is(xsarm_wait(fd, id, false, TIMEOUT_MS, &e), 0, "the trigger is killed: undone");
	tap_is(KFD_XSCHED_ARMED_ERRNO(e.data), ESRCH, "and forgotten");
	tap_ok(wait_held(&low, false, TIMEOUT_MS), "low is free");

	must_start(&mortal, 1, NULL);
	id = xsarm_suspend(fd, high.pid, mortal.pid);
	submit_long(&mortal, 8);
	submit_long(&high, 1);
	xsarm_wait(fd, id, true, TIMEOUT_MS, &e);
	worker_kill(&mortal);
	worker_wait(&high, 0, TIMEOUT_MS);
	tap_is(xsarm_wait(fd, id, false, TIMEOUT_MS, &e), 0, "the target is killed: undone all the same");
	worker_submit(&high, 0, &brief, 1);
	tap_is(xsarm_wait(fd, id, true, TIMEOUT_MS, &e), 0, "and run the next time");
	tap_ok(!e.queue_id && !KFD_XSCHED_ARMED_ERRNO(e.data), "with nothing to do");
	worker_wait(&high, 0, TIMEOUT_MS);
	xsarm_clear(fd, id);
}

/* A scheduler in a child that arms, and then does nothing. */
static pid_t silent_client(int *out)
{
	int pipefd[2];
	pid_t pid;

	if (pipe(pipefd))
		tap_bail("pipe: error %d", -errno);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int dev = xsdev_open(), id = xsarm_suspend(dev, high.pid, low.pid);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(pipefd[1], &id, sizeof(id)) != sizeof(id))
			_exit(1);
		for (;;)
			pause();
	}
	close(pipefd[1]);
	if (read(pipefd[0], out, sizeof(*out)) != sizeof(*out))
		tap_bail("the client did not answer");
	close(pipefd[0]);
	return pid;
}

/* The scheduler goes, or is thrown out, while its switch is in force or on its way. */
static void test_fail_open(void)
{
	int id, dev, i, stuck = 0;
	char pid_text[32];
	pid_t pid;

	pid = silent_client(&id);
	submit_long(&high, LONGER);
	tap_ok(id > 0 && wait_held(&low, true, TIMEOUT_MS), "a client's switch holds low");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	tap_ok(wait_held(&low, false, RELEASE_MS), "it is killed: low is free");
	worker_wait(&high, 0, TIMEOUT_MS);

	for (i = 0; i < 40; i++) {
		pid = silent_client(&id);
		worker_submit(&high, 0, &brief, 1);
		usleep((unsigned int)(i * 37) % 1500);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		stuck += !wait_held(&low, false, RELEASE_MS);
		worker_wait(&high, 0, TIMEOUT_MS);
	}
	tap_is(stuck, 0, "killed at any moment, 40 times: low is free each time");

	pid = silent_client(&id);
	worker_submit(&low, 0, &brief, 1);
	worker_wait(&low, 0, TIMEOUT_MS);
	lease_set(LEASE_MS);
	submit_long(&high, 2 * LONGER);
	wait_held(&low, true, TIMEOUT_MS);
	worker_submit(&low, 0, &brief, 1);
	tap_is(worker_wait(&low, 0, TIMEOUT_MS), 0,
	       "held by a switch of a client without a sign of life: ejected, low runs");
	lease_set(LEASE_PATIENT_MS);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	pid = silent_client(&id);
	wait_held(&low, true, TIMEOUT_MS);
	snprintf(pid_text, sizeof(pid_text), "pid %d", pid);
	tap_is(sysfile_write(pid_text, SYSFILE_GLOBAL "eject"), 0, "eject a client whose switch is in force");
	tap_ok(!is_held(&low), "low is free when that returns");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	dev = open_client(0);
	id = xsarm_suspend(dev, low.pid, other.pid);
	tap_is(sysfile_write("0", SYSFILE_GLOBAL "enabled"), 0, "disable while a switch is armed");
	tap_is(xsarm_clear(dev, (uint64_t)id), -EOWNERDEAD, "its client is ejected");
	tap_is(xsarm_suspend(fd, high.pid, low.pid), -ECANCELED, "no client can arm");
	sysfile_write("1", SYSFILE_GLOBAL "enabled");
	close(dev);
	worker_wait(&high, 0, TIMEOUT_MS);
}

/* Bursts of one against a steady load of another: nothing is lost or late for ever. */
static void test_bursts(unsigned int count)
{
	unsigned int i, seed = 7, before = worker_load_rounds(&low);
	int id = xsarm_suspend(fd, high.pid, low.pid), late = 0;
	struct kfd_xsched_event e;
	unsigned int runs = 0, undone = 0;

	xsarm_drain(fd);
	worker_load_start(&low, &busy, 3);
	for (i = 0; i < count; i++) {
		worker_submit(&high, 0, &brief, 1 + rand_r(&seed) % 3);
		late += !!worker_wait(&high, 0, TIMEOUT_MS);
		if (rand_r(&seed) % 2)
			usleep(rand_r(&seed) % 4000);
		while (read(fd, &e, sizeof(e)) == sizeof(e)) {
			runs += e.type == KFD_XSCHED_EVENT_ARMED &&
				e.data & KFD_XSCHED_ARMED_READY;
			undone += e.type == KFD_XSCHED_EVENT_ARMED &&
				!(e.data & KFD_XSCHED_ARMED_READY);
		}
	}
	tap_is(late, 0, "%u bursts of high, all complete", count);
	tap_ok(runs > count / 20 && (runs == undone || runs == undone + 1), "the switch ran often, and was undone each time");
	tap_note("it ran %u times, was undone %u", runs, undone);
	tap_is(worker_load_stop(&low), 0, "low's load ends");
	tap_ok(worker_load_rounds(&low) > before, "and made progress");
	tap_note("%u rounds", worker_load_rounds(&low) - before);
	xsarm_clear(fd, (uint64_t)id);
}

int main(void)
{
	/* What a switch holds waits for seconds of high's work, in which we make no call. */
	lease_set(LEASE_PATIENT_MS);
	fd = open_client(0);
	must_start(&high, 1, NULL);
	must_start(&low, 1, NULL);
	must_start(&other, 1, NULL);
	test_switch();
	test_while_ready();
	test_overlap();
	if (xsdev_can(fd, KFD_XSCHED_CAP_PRIORITY))
		test_priority();
	test_tenants();
	test_refused();
	test_deaths();
	test_fail_open();
	test_bursts(400);
	close(fd);
	fd = open_client(0);
	finish(&high, "high");
	finish(&low, "low");
	finish(&other, "other");
	tap_is(xsdev_wait_no_queue(fd, TIMEOUT_MS), 0, "no queue is left");
	return tap_done();
}
