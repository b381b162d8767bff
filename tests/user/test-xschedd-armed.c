// SPDX-License-Identifier: MIT
/*
 * xschedd with armed=yes: the kernel holds by itself what the daemon would hold,
 * also while that is stopped, and the daemon has the last word. With several
 * GPUs that is done for hhpf alone.
 *
 *   test-xschedd-armed [XSCHEDD]
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "daemon.h"
#include "lease.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define LATE_MS		20000	/* for whatever must happen */
#define HI_NAME		"armed-hi"

static const char hi_rule[] = "armed = yes\n\n[rule hi]\ncomm = " HI_NAME "\nuser = 0\npriority = 10\n";
static const struct spin_shape lo_shape = { 640, 256, 2 * MS };
static const struct spin_shape hi_shape = { 64, 256, 60 * MS };

/* HPF decides for each GPU: with several it cannot be known in advance which tenants it holds. */
static void test_hpf_is_not_armed(struct daemon *d, const struct worker *hi)
{
	char request[64];

	snprintf(request, sizeof(request), "{\"cmd\":\"rules\",\"pid\":%d}\n", hi->pid);
	tap_ok(daemon_counts(d, "tenants", 2, LATE_MS) &&
	       strstr(daemon_ask(d, request), "\"rule\":\"hi\""), "both are known");
	/* Longer than it waits for others to come. */
	xsdev_sleep_ms(100);
	tap_is(daemon_count(d, "armed"), 0, "hpf on several GPUs: nothing is armed");
	daemon_ask(d, "{\"cmd\":\"policy\",\"policy\":\"hhpf\"}\n");
}

/* With the daemon stopped: what happens, the kernel does. */
static void test_stopped(struct daemon *d, int fd, struct worker *lo, struct worker *hi)
{
	tap_ok(daemon_counts(d, "armed", 1, LATE_MS), "a switch is armed");
	kill(d->pid, SIGSTOP);
	/* For as long as it may take to see that low is held. */
	worker_submit(hi, 0, &hi_shape, 50);
	tap_ok(daemon_holds_within(fd, lo->pid, true, LATE_MS),
	       "the daemon is stopped, high gets work, and low is held");
	tap_is(worker_wait(hi, 0, LATE_MS), 0, "high is done");
	tap_ok(daemon_holds_within(fd, lo->pid, false, LATE_MS), "low is not held any more");
	kill(d->pid, SIGCONT);
	tap_ok(daemon_counts(d, "armed_runs", 1, LATE_MS), "the daemon goes on, and learns of it");
}

static void test_together(struct daemon *d, int fd, struct worker *lo, struct worker *hi)
{
	long before = daemon_count(d, "armed_runs");

	worker_load_start(hi, &hi_shape, 0);
	tap_ok(daemon_holds_within(fd, lo->pid, true, LATE_MS), "high works: low is held");
	tap_ok(daemon_counts(d, "armed_runs", before + 1, LATE_MS), "by the switch, too");
	daemon_ask(d, "{\"cmd\":\"policy\",\"options\":{\"floor_percent\":0}}\n");
	/* High may have been idle for a moment just then. */
	tap_ok(daemon_holds_within(fd, lo->pid, true, LATE_MS), "disarmed, the daemon holds on");
	tap_is(worker_load_stop(hi), 0, "high completed");
	tap_ok(daemon_holds_within(fd, lo->pid, false, LATE_MS), "low is not held any more");
}

int main(int argc, char **argv)
{
	struct daemon d = { .program = argc > 1 ? argv[1] : "/bin/xschedd", .name = "armed" };
	int fd = must_open();
	struct spin_account a;
	struct worker lo, hi;
	unsigned int nodes;

	nodes = xsdev_node_count(fd);
	if (worker_start_on(&lo, nodes, WORKER_ALL_GPUS) || worker_start_named(&hi, 1, HI_NAME))
		tap_bail("no workers");
	/* The daemon is stopped for three seconds of high's work. */
	lease_set(LEASE_PATIENT_MS);
	daemon_configure(&d, hi_rule);
	worker_load_start(&lo, &lo_shape, 0);
	daemon_start(&d);
	if (nodes > 1)
		test_hpf_is_not_armed(&d, &hi);
	test_stopped(&d, fd, &lo, &hi);
	test_together(&d, fd, &lo, &hi);
	tap_is(daemon_stop(&d), 0, "it ends in order");
	tap_is(worker_load_stop(&lo), 0, "low completed");
	worker_account(&lo, &a);
	tap_ok(spin_account_clean(&a), "every dispatch executed once and in order");
	worker_stop(&lo);
	worker_stop(&hi);
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "nothing is held");
	return tap_done();
}
