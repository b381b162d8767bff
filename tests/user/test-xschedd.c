// SPDX-License-Identifier: MIT
/*
 * xschedd as a service: what it reports to the service manager, what it makes of a
 * configuration that is broken, and that it does nothing when there is nothing to do.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define LATE_MS		20000	/* for whatever must happen */
#define HI_NAME		"service-hi"
#define NOTIFY		"/tmp/service.notify"
#define WATCHDOG_MS	2000
#define IDLE_S		60

static const char hi_rule[] = "\n[rule hi]\ncomm = " HI_NAME "\nuser = 0\npriority = 10\n";
static const struct spin_shape lo_shape = { 640, 256, 2 * MS };
static const struct spin_shape hi_shape = { 64, 256, 60 * MS };

/* A number of /proc/PID/status. */
static long status_of(pid_t pid, const char *name)
{
	static char text[8192];
	const char *at;

	if (sysfile_read(text, sizeof(text), "/proc/%d/status", pid) < 0)
		return -1;
	at = strstr(text, name);
	return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

/* ---- the service manager ---- */

static int listen_notify(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = NOTIFY };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	unlink(NOTIFY);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		tap_bail("no socket: error %d", -errno);
	return fd;
}

/* The next message within so many milliseconds, or "". */
static const char *next_message(int fd, unsigned int ms)
{
	const struct timeval timeout = { ms / 1000, ms % 1000 * 1000 };
	static char message[1024];
	ssize_t got;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	got = recv(fd, message, sizeof(message) - 1, 0);
	message[got > 0 ? got : 0] = '\0';
	return message;
}

/* The next that is no sign of life. */
static const char *next_news(int fd)
{
	const char *message;

	do {
		message = next_message(fd, LATE_MS);
	} while (!strcmp(message, "WATCHDOG=1"));
	return message;
}

/* Signs of life within so many milliseconds. */
static unsigned int count_signs(int fd, unsigned int ms)
{
	uint64_t end = xsdev_now() + ms * MS;
	unsigned int count = 0;

	while (xsdev_now() < end)
		count += !strcmp(next_message(fd, 50), "WATCHDOG=1");
	return count;
}

static void test_reloading(struct daemon *d, int fd)
{
	const char *news, *since;
	uint64_t before = xsdev_now();

	kill(d->pid, SIGHUP);
	news = next_news(fd);
	since = strstr(news, "MONOTONIC_USEC=");
	tap_ok(!strncmp(news, "RELOADING=1\n", 12), "SIGHUP: RELOADING=1");
	tap_ok(since && strtoull(since + 15, NULL, 10) >= before / 1000,
	       "with the time at which it began");
	tap_ok(!strncmp(next_news(fd), "READY=1\n", 8), "then READY=1 again");
}

static void test_notify(struct daemon *d)
{
	static const char *const variables[] = {
		"NOTIFY_SOCKET=" NOTIFY, "WATCHDOG_USEC=2000000", NULL
	};
	int fd = listen_notify();
	unsigned int signs;

	d->variables = variables;
	daemon_configure(d, hi_rule);
	daemon_start(d);
	tap_ok(!strcmp(next_news(fd), "READY=1\nSTATUS=policy hpf, 1 rules"),
	       "READY=1 with the policy and the number of rules");
	tap_ok(strstr(daemon_ask(d, "{\"cmd\":\"stats\"}\n"), "\"ok\":true"),
	       "by then it answers");
	tap_is(sched_getscheduler(d->pid), SCHED_FIFO | SCHED_RESET_ON_FORK,
	       "it goes before ordinary processes");
	tap_ok(status_of(d->pid, "\nVmLck:") > 0, "and its memory is locked");
	signs = count_signs(fd, 4 * WATCHDOG_MS);
	tap_note("%u signs of life in %d ms, of which one is due each %d ms", signs,
		 4 * WATCHDOG_MS, WATCHDOG_MS);
	tap_ok(signs >= 4, "WATCHDOG=1, at least as often as asked for");
	test_reloading(d, fd);
	kill(d->pid, SIGSTOP);
	waitpid(d->pid, NULL, WUNTRACED);
	count_signs(fd, 100);
	tap_is(count_signs(fd, WATCHDOG_MS), 0, "none while it is stopped");
	kill(d->pid, SIGCONT);
	tap_ok(count_signs(fd, WATCHDOG_MS) > 0, "and again when it goes on");
	kill(d->pid, SIGTERM);
	tap_ok(!strcmp(next_news(fd), "STOPPING=1"), "SIGTERM: STOPPING=1");
	tap_is(daemon_reap(d), 0, "it ends in order");
	close(fd);
	d->variables = NULL;
}

/* ---- the configuration ---- */

/* Ends of files that are broken, and what is said of it; their first line is the sixth. */
static const struct {
	const char *text;
	const char *message;
} broken[] = {
	{ "nonsense\n", "service.conf:6:1: neither a section nor NAME=VALUE" },
	{ "  colour = red\n", "service.conf:6:3: there is no setting 'colour'; expected one of" },
	{ "grace_us = soon\n", "service.conf:6:12: 'soon' is not a number; expected 0.." },
	{ "[rules]\n", "service.conf:6:1: there is no section [rules]; expected [xschedd]" },
	{ "[rule a]\ncomm = a\npriority = 256\n",
	  "service.conf:8:12: 256 is not within -256..255" },
	{ "[rule a]\nuser = nobody-there\n", "service.conf:7:8: " },
	{ "[options]\nfloor_percent = 101\n", "service.conf:7:17: 101 is not within 0.." },
};

/* As the rule of the first configuration says, and by nobody else. */
static bool as_before(const struct daemon *d, int fd, const struct worker *lo,
		      const struct worker *hi)
{
	char request[64];

	snprintf(request, sizeof(request), "{\"cmd\":\"rules\",\"pid\":%d}\n", hi->pid);
	return strstr(daemon_ask(d, request), "\"rule\":\"hi\",\"priority\":10,") &&
	       daemon_holds_within(fd, lo->pid, true, LATE_MS);
}

static void test_broken(struct daemon *d, int fd, struct worker *lo, struct worker *hi)
{
	unsigned int i;

	worker_load_start(hi, &hi_shape, 0);
	worker_load_start(lo, &lo_shape, 0);
	daemon_configure(d, hi_rule);
	daemon_start(d);
	tap_ok(daemon_holds_within(fd, lo->pid, true, LATE_MS), "the rule counts: low is held");
	for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		daemon_configure(d, broken[i].text);
		kill(d->pid, SIGHUP);
		tap_ok(daemon_says(d, broken[i].message, LATE_MS), "SIGHUP: %s",
		       broken[i].message);
		tap_ok(as_before(d, fd, lo, hi), "all stays as it was");
	}
	tap_ok(daemon_says(d, "the former configuration stays", LATE_MS), "which it says, too");
	daemon_configure(d, "\n[rule hi]\ncomm = " HI_NAME "\npriority = -10\n");
	kill(d->pid, SIGHUP);
	tap_ok(daemon_holds_within(fd, hi->pid, true, LATE_MS) &&
	       daemon_holds_within(fd, lo->pid, false, LATE_MS),
	       "a file that is right counts at once: high and low change places");
	tap_is(daemon_stop(d), 0, "it ends in order");
	tap_is(worker_load_stop(lo), 0, "low completed");
	tap_is(worker_load_stop(hi), 0, "high completed");
}

/* ---- nothing to do ---- */

static long wakeups(pid_t pid)
{
	long slept = status_of(pid, "\nvoluntary_ctxt_switches:");
	long preempted = status_of(pid, "\nnonvoluntary_ctxt_switches:");

	return slept < 0 || preempted < 0 ? -1 : slept + preempted;
}

/* Wakeups when whatever comes of the work has come: none for a while. */
static long settled(pid_t pid)
{
	const uint64_t end = xsdev_now() + LATE_MS * MS;
	long before, after = wakeups(pid);

	do {
		before = after;
		xsdev_sleep_ms(4000);
		after = wakeups(pid);
	} while (after != before && xsdev_now() < end);
	return after;
}

/* Two processes with queues, which have worked, one of them held; then all rest. */
static void test_idle(struct daemon *d, int fd, struct worker *lo, struct worker *hi,
		      unsigned int seconds)
{
	long before, after;

	daemon_configure(d, "http_port = 9461\nhttp_front = yes\narmed = yes\n"
			 "\n[rule hi]\ncomm = " HI_NAME "\nuser = 0\npriority = 10\n");
	daemon_start(d);
	worker_load_start(lo, &lo_shape, 0);
	worker_load_start(hi, &hi_shape, 0);
	tap_ok(daemon_holds_within(fd, lo->pid, true, LATE_MS), "high and low work, low is held");
	tap_is(worker_load_stop(hi), 0, "high is done");
	tap_is(worker_load_stop(lo), 0, "and low");
	before = settled(d->pid);
	xsdev_sleep_ms(seconds * 1000);
	after = wakeups(d->pid);
	tap_ok(before > 0, "the daemon has been awake");
	tap_is(after - before, 0, "%u s without work: it did not wake up once", seconds);
	tap_is(status_of(d->pid, "\nThreads:"), 1, "nor is there a thread that did");
	tap_ok(strstr(daemon_ask(d, "{\"cmd\":\"stats\"}\n"), "\"ok\":true"), "it is alive");
	tap_is(daemon_stop(d), 0, "it ends in order");
}

/* test-xschedd [SECONDS of idleness [XSCHEDD]] */
int main(int argc, char **argv)
{
	struct daemon d = { .program = argc > 2 ? argv[2] : "/bin/xschedd", .name = "service" };
	unsigned int seconds = argc > 1 ? (unsigned int)atoi(argv[1]) : IDLE_S;
	int fd = must_open();
	struct worker lo, hi;
	struct spin_account a;

	if (worker_start(&lo, 1, NULL) || worker_start_named(&hi, 1, HI_NAME))
		tap_bail("no workers");
	test_notify(&d);
	test_broken(&d, fd, &lo, &hi);
	test_idle(&d, fd, &lo, &hi, seconds);
	worker_account(&lo, &a);
	tap_ok(spin_account_clean(&a), "every dispatch executed once and in order");
	worker_stop(&lo);
	worker_stop(&hi);
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "nothing is held");
	return tap_done();
}
