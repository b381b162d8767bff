// SPDX-License-Identifier: MIT
/*
 * xschedd is killed with SIGKILL again and again, at random moments, under load: as it
 * starts, while it holds, in the middle of a switch. Each time it is gone and nothing is held
 * within 100 ms after the kill, and in the end no dispatch is lost.
 *
 * For a guest whose time is that of its instructions, so that a limit is one of the software,
 * not of the machine it runs on: run-guest --icount.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "must.h"
#include "random.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define ROUNDS		1000
#define RELEASE_MS	100
#define LATE_MS		30000
#define WORK_US		40000	/* longest time it holds and releases */
#define HI_NAME		"killed-hi"

/* A round of the low-priority load is four of these at most. */
static const struct spin_shape lo_shape = { 640, 256, 32 * MS };
/* High comes and goes, so that there are switches all the time. */
static const struct spin_shape hi_shape = { 64, 256, 8 * MS };

/*
 * What the signal handler knows, and what it has seen: how often low was held, and the longest time
 * from a kill until the daemon was gone and nothing was held.
 */
static struct {
	int fd;
	pid_t daemon;
	pid_t low;
	pid_t high;
	unsigned int held;
	uint64_t longest;
} at_kill;

/* For the same moments in each run. */
static uint32_t seed = 20261121;

static bool is_gone(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

static bool anything_held(void)
{
	return daemon_holds(at_kill.fd, at_kill.low) || daemon_holds(at_kill.fd, at_kill.high);
}

/* Ask afterwards, not before: LIST might wait for the very switch that is to be hit. */
static void on_alarm(int signo)
{
	const uint64_t killed = xsdev_now();
	int saved = errno;
	uint64_t took;

	(void)signo;
	kill(at_kill.daemon, SIGKILL);
	at_kill.held += daemon_holds(at_kill.fd, at_kill.low);
	do {
		xsdev_sleep_ms(1);
		took = xsdev_now() - killed;
	} while ((!is_gone(at_kill.daemon) || anything_held()) && took < LATE_MS * MS);
	if (took > at_kill.longest)
		at_kill.longest = took;
	errno = saved;
}

static void kill_in(unsigned int us)
{
	const struct itimerval timer = { .it_value = { us / 1000000, us % 1000000 } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* How long it takes the daemon to start and to hold, in microseconds. */
static unsigned int measure_start(struct daemon *d, struct worker *lo, struct worker *hi)
{
	uint64_t start = xsdev_now();

	worker_load_start(hi, &hi_shape, 0);
	daemon_start(d);
	if (!daemon_holds_within(at_kill.fd, lo->pid, true, LATE_MS))
		tap_bail("xschedd does not hold");
	start = xsdev_now() - start;
	kill(d->pid, SIGKILL);
	daemon_reap(d);
	worker_load_stop(hi);
	return (unsigned int)(start / 1000);
}

/**
 * struct tally - what became of the rounds
 * @idle: rounds in which the daemon did not hold
 * @unserved: rounds in which high got no answer
 * @left: rounds after which something was held
 */
struct tally {
	unsigned int idle;
	unsigned int unserved;
	unsigned int left;
};

/* Have it hold, and then release and hold again, until the timer ends it. Whether it held. */
static bool work(struct daemon *d, struct worker *lo, struct worker *hi, unsigned int us,
		 struct tally *tally)
{
	bool held;

	worker_load_start(hi, &hi_shape, 0);
	held = daemon_holds_within(at_kill.fd, lo->pid, true, LATE_MS);
	at_kill.daemon = d->pid;
	kill_in(us);
	if (worker_load_stop(hi))
		tally->unserved++;
	return held;
}

/* One daemon's life. */
static void round_once(struct daemon *d, struct worker *lo, struct worker *hi, bool late,
		       unsigned int us, struct tally *tally)
{
	bool served = true;
	int status;

	daemon_start(d);
	at_kill.daemon = d->pid;
	if (late)
		tally->idle += !work(d, lo, hi, us, tally);
	else
		kill_in(us);
	while (!waitpid(d->pid, &status, WNOHANG)) {
		served &= !worker_submit(hi, 0, &hi_shape, 1) && !worker_wait(hi, 0, LATE_MS);
		xsdev_sleep_ms(4);
	}
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		tap_bail("the daemon ended by itself, status %#x", status);
	tally->unserved += !served;
	tally->left += daemon_holds(at_kill.fd, lo->pid) || daemon_holds(at_kill.fd, hi->pid);
}

static void test_kills(struct daemon *d, struct worker *lo, struct worker *hi,
		       unsigned int rounds)
{
	unsigned int start, us, i, stuck = 0;
	struct tally tally = { 0 };
	uint32_t progress = 0;

	worker_load_start(lo, &lo_shape, 1);
	/* The first takes longer: nothing of the daemon is in memory. */
	measure_start(d, lo, hi);
	start = measure_start(d, lo, hi);
	for (i = 0; i < rounds; i++) {
		/* Every other one about before it holds for the first time. */
		us = 1 + random_below(&seed, i % 2 ? start : WORK_US);
		round_once(d, lo, hi, !(i % 2), us, &tally);
		if (i % 50)
			continue;
		progress = worker_load_rounds(lo);
		stuck += worker_load_progress(lo, progress, LATE_MS) != 0;
		if (i && i % 100 == 0)
			tap_note("%u kills, %u left something held", i, tally.left);
	}
	tap_note("%u kills, half of them within %u us after the start, half within %u us after a hold",
		 rounds, start, WORK_US);
	tap_note("something was held at %u of them", at_kill.held);
	tap_note("the daemon was gone and nothing was held %.2f ms after the kill, at worst",
		 (double)at_kill.longest / 1e6);
	tap_is(tally.left, 0, "after each of %u kills nothing is held", rounds);
	tap_ok(at_kill.longest && at_kill.longest < RELEASE_MS * MS,
	       "within %d ms after the kill, each time", RELEASE_MS);
	tap_is(tally.idle, 0, "until then the daemon held");
	tap_is(tally.unserved, 0, "and high was served");
	tap_ok(at_kill.held >= rounds / 10, "many of them while something was held");
	tap_is(stuck, 0, "the low-priority process goes on");
	tap_is(worker_load_stop(lo), 0, "all it submitted completed");
}

/* test-xschedd-kill [ROUNDS [SEED]] */
int main(int argc, char **argv)
{
	struct daemon d = { .program = "/bin/xschedd", .name = "killed" };
	unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : ROUNDS;
	struct spin_account low, high;
	struct worker lo, hi;

	if (argc > 2)
		seed = (uint32_t)strtoul(argv[2], NULL, 10);
	at_kill.fd = must_open();
	if (worker_start(&lo, 1, NULL) || worker_start_named(&hi, 1, HI_NAME))
		tap_bail("no workers");
	at_kill.low = lo.pid;
	at_kill.high = hi.pid;
	signal(SIGALRM, on_alarm);
	daemon_configure(&d, "realtime = no\n\n[rule hi]\ncomm = " HI_NAME "\nuser = 0\npriority = 10\n");
	test_kills(&d, &lo, &hi, rounds);
	worker_account(&lo, &low);
	worker_account(&hi, &high);
	tap_note("%llu and %llu dispatches", (unsigned long long)low.submitted,
		 (unsigned long long)high.submitted);
	tap_ok(spin_account_clean(&low) && spin_account_clean(&high),
	       "every dispatch executed once and in order");
	tap_is(worker_stop(&lo) | worker_stop(&hi), 0, "the processes end in order");
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "nothing is held");
	return tap_done();
}
