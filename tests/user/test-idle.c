// SPDX-License-Identifier: MIT
/*
 * What a scheduler that has nothing to do costs: with watches set and a switch
 * armed, neither the module nor the daemon wakes up, as long as nobody rings.
 *
 * For a guest whose time passes quickly when it is idle: run-guest --icount.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"

#define WATCH_S		60	/* how long nothing must happen */
#define LEASE_S		2	/* as the watchdog has it when nobody sets it */
#define TIMEOUT_MS	10000
#define SAMPLE_US	1000
#define ACTIVITY	(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |	\
			 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE))
#define CONFIG		"/tmp/idle.conf"
#define MINE		"[kfd_xsched]"

/* What runs a function of the module by itself, and where its name stands. */
static const char *const sources[] = {
	"timer/hrtimer_expire_entry",
	"timer/timer_expire_entry",
	"workqueue/workqueue_execute_start",
	"sched/sched_kthread_work_execute_start",
};

/**
 * struct wakeups - what has woken up so far
 * @timers: timers and works of the module
 * @threads: context switches of its threads
 * @daemon: and of the daemon's
 */
struct wakeups {
	long timers;
	long threads;
	long daemon;
};

static const struct spin_shape brief = { 1, 64, 300000 };
static pid_t daemon_pid;
static char text[1 << 18];

/* ---- what is counted --------------------------------------------------------- */

/* Have the kernel count calls by function. */
static void count_calls(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < sizeof(sources) / sizeof(*sources) && !ret; i++)
		ret = sysfile_write("hist:keys=function.sym", SYSFILE_TRACE "events/%s/trigger",
				    sources[i]);
	if (ret)
		tap_bail("calls cannot be counted: error %d", ret);
}

/* Lines are "{ function: [ADDRESS] NAME [MODULE] } hitcount: N". */
static long calls(const char *source)
{
	char *line, *rest = text, *count;
	long sum = 0;

	if (sysfile_read(text, sizeof(text), SYSFILE_TRACE "events/%s/hist", source) < 0)
		tap_bail("%s: no histogram", source);
	while ((line = strsep(&rest, "\n"))) {
		count = strstr(line, "hitcount:");
		if (count && strstr(line, MINE))
			sum += atol(count + strlen("hitcount:"));
	}
	return sum;
}

static long field(const char *name)
{
	const char *at = strstr(text, name);

	return at ? atol(at + strlen(name)) : 0;
}

/* Of all threads of a process. */
static long switches(const char *pid)
{
	char path[300];
	struct dirent *e;
	long sum = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    sysfile_read(text, sizeof(text), "%s/%s/status", path, e->d_name) < 0)
			continue;
		sum += field("\nvoluntary_ctxt_switches:") + field("\nnonvoluntary_ctxt_switches:");
	}
	if (dir)
		closedir(dir);
	return sum;
}

static bool is_thread_of_module(const char *pid)
{
	return sysfile_read(text, sizeof(text), "/proc/%s/comm", pid) > 0 &&
		(!strncmp(text, "kfd_xsched", 10) || !strncmp(text, "xsched-", 7));
}

static struct wakeups count(void)
{
	struct wakeups w = { 0 };
	DIR *proc = opendir("/proc");
	char pid[16];
	struct dirent *e;
	unsigned int i, threads = 0;

	for (i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		w.timers += calls(sources[i]);
	while (proc && (e = readdir(proc))) {
		if (!isdigit((unsigned char)e->d_name[0]) || !is_thread_of_module(e->d_name))
			continue;
		threads++;
		w.threads += switches(e->d_name);
	}
	closedir(proc);
	/* The sampler's and the node's. */
	if (threads < 2)
		tap_bail("the module has %u threads", threads);
	snprintf(pid, sizeof(pid), "%d", (int)daemon_pid);
	w.daemon = switches(pid);
	if (!w.daemon)
		tap_bail("xschedd is not there");
	return w;
}

/* A number of the module's dump. */
static long dumped(const char *name)
{
	if (sysfile_read(text, sizeof(text), SYSFILE_STATE) < 0)
		tap_bail(SYSFILE_STATE " cannot be read");
	return field(name);
}

/* Whether all processes leave the hardware; the next sleep is for what follows that. */
static bool all_parked(int fd)
{
	struct kfd_xsched_queue queues[16];
	int n = xsdev_list(fd, queues, 16), parked = 0, tries, i;

	for (tries = 0; tries < TIMEOUT_MS / 20 && parked < n; tries++) {
		xsdev_sleep_ms(20);
		n = xsdev_list(fd, queues, 16);
		for (i = parked = 0; i < n && i < 16; i++)
			parked += !!(queues[i].state & KFD_XSCHED_QUEUE_PARKED);
	}
	xsdev_sleep_ms(1000);
	return n > 0 && parked == n;
}

/* What woke up in so many seconds. */
static struct wakeups in_seconds(unsigned int s, const char *what)
{
	struct wakeups before = count(), after;

	xsdev_sleep_ms(s * 1000);
	after = count();
	after.timers -= before.timers;
	after.threads -= before.threads;
	after.daemon -= before.daemon;
	tap_note("%s, %u s: %ld timers and works, %ld runs of threads, %ld of the daemon", what, s,
		 after.timers, after.threads, after.daemon);
	return after;
}

static void expect_silence(const char *what)
{
	struct wakeups w = in_seconds(WATCH_S, what);

	tap_is(w.timers, 0, "%s: no timer and no work of the module runs in %d s", what, WATCH_S);
	tap_is(w.threads, 0, "%s: its threads sleep", what);
	tap_is(w.daemon, 0, "%s: the daemon sleeps", what);
	tap_is(dumped(" sampled="), 0, "%s: nothing is sampled", what);
	tap_is(dumped(" armed="), 0, "%s: the watchdog's timer is off", what);
}

/* ---- watching clients, and watched processes --------------------------------- */

static bool client_comes(pid_t pid)
{
	char wanted[32];
	int tries;

	snprintf(wanted, sizeof(wanted), ": pid=%d ", (int)pid);
	for (tries = 0; tries < TIMEOUT_MS / 20; tries++) {
		dumped("");
		if (strstr(text, wanted))
			return true;
		xsdev_sleep_ms(20);
	}
	return false;
}

static void start_daemon(void)
{
	FILE *f = fopen(CONFIG, "we");

	if (!f)
		tap_bail(CONFIG ": error %d", -errno);
	fprintf(f, "[xschedd]\npolicy = hpf\nsample_us = 200\nsettle_us = 1000\n");
	fclose(f);
	fflush(stdout);
	daemon_pid = fork();
	if (!daemon_pid) {
		execlp("xschedd", "xschedd", "-f", "-c", CONFIG, NULL);
		_exit(127);
	}
	if (!client_comes(daemon_pid))
		tap_bail("xschedd does not open the device");
}

static void open_watch(int *fd, uint32_t flags)
{
	struct kfd_xsched_subscribe arg = {
		.size = sizeof(arg),
		.flags = flags,
		.events = ACTIVITY,
		.sample_us = SAMPLE_US,
	};
	int ret;

	*fd = xsdev_open();
	ret = *fd < 0 ? *fd : xsdev_ioctl(*fd, KFD_XSCHED_SUBSCRIBE, &arg);
	if (ret)
		tap_bail("no watch: error %d", ret);
}

static bool all_tapped(int fd)
{
	struct kfd_xsched_queue queues[16];
	int n = xsdev_list(fd, queues, 16), i;

	for (i = 0; i < n && i < 16; i++) {
		if (xsarm_wait_tapped(fd, queues[i].id, true, TIMEOUT_MS))
			return false;
	}
	return n > 0;
}

static void start_workers(struct worker *w, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (worker_start(&w[i], 2, NULL) || worker_submit(&w[i], 1, &brief, 1) ||
		    worker_wait(&w[i], 1, TIMEOUT_MS))
			tap_bail("no worker");
	}
}

static void hold_and_release(int fd, pid_t pid)
{
	int i;

	for (i = 0; i < 10; i++) {
		if (xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, pid, 0, NULL) ||
		    xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, pid, 0, NULL))
			tap_bail("no switch");
	}
}

int main(void)
{
	struct kfd_xsched_node node = { 0 };
	struct worker w[2];
	struct wakeups woken;
	int fd, sampling;

	open_watch(&fd, 0);
	count_calls();
	start_daemon();
	open_watch(&sampling, KFD_XSCHED_SUBSCRIBE_NO_TAP);
	xsdev_sleep_ms(1000);
	expect_silence("watched, but no process has queues");
	close(sampling);

	start_workers(w, 2);
	tap_ok(xsarm_suspend(fd, w[0].pid, w[1].pid) > 0, "a switch is armed");
	tap_ok(all_tapped(fd), "two processes are idle, and tapped");
	xsdev_sleep_ms(1000 * (LEASE_S + 1));
	hold_and_release(fd, w[0].pid);
	woken = in_seconds(LEASE_S + 1, "one was held and released");
	tap_is(woken.timers, 1, "the watchdog looks once more");
	expect_silence("two idle processes");
	tap_is(dumped(" tapped="), 2, "both are still tapped");
	xsdev_node(fd, &node);
	if (node.caps & KFD_XSCHED_CAP_PARK) {
		sysfile_set(50, "/sys/class/kfd_xsched/node%u/park_ms", node.gpu_id);
		tap_ok(all_parked(fd), "both are parked");
		expect_silence("two parked processes");
		sysfile_set(0, "/sys/class/kfd_xsched/node%u/park_ms", node.gpu_id);
		xsdev_sleep_ms(1000);
	}

	open_watch(&sampling, KFD_XSCHED_SUBSCRIBE_NO_TAP);
	woken = in_seconds(1, "a subscriber does not want the tap");
	tap_is(dumped(" sampled="), 2, "then both are sampled");
	tap_ok(woken.timers > 500 && woken.threads > 500, "which would have been noticed");
	close(sampling);
	tap_ok(all_tapped(fd), "that subscriber has gone: tapped again");
	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, NULL, 0);
	worker_stop(&w[0]);
	worker_stop(&w[1]);
	return tap_done();
}
