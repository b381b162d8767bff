// SPDX-License-Identifier: MIT
/*
 * Everything at once, at random, for an hour: processes work, and are held, released, prioritised,
 * grouped, parked, switched by the kernel, evicted, debugged, killed; their schedulers are killed,
 * too. One epoch in four has a fault of the GPU. An epoch takes twenty seconds. At its end nobody
 * holds anything, all runs as if nothing had been, every dispatch was executed once, and nothing is
 * left.
 *
 *   test-torture [SECONDS[:SEED[:EPOCH]]]
 *
 * The seed, 1 unless it is given, makes the sequence of operations. What is not as it should be is
 * reported with the number of its epoch, with which a run can begin: an epoch does not depend on
 * those before. In time that the guest's instructions count (run-guest --icount), it is the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lease.h"
#include "must.h"
#include "tap.h"
#include "torture.h"
#include "users.h"

#define SECONDS		3600
#define EPOCH_MS	20000
#define FIRST_FAULT_MS	2000	/* since the epoch began */
#define LAST_FAULT_MS	16000
#define FAULT_EVERY	4	/* epochs */
#define SHORT_EVERY	5
#define SHORT_LEASE_MS	1000
#define STEP_MS		8	/* from one operation to the next, at the most */
#define NOTE_MS		20000
#define ENOUGH_EPOCHS	20	/* for each operation to have succeeded */
#define MOST_VIOLATIONS	10
#define NEEDED		(KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_UNMAP | KFD_XSCHED_CAP_PRIORITY | \
			 KFD_XSCHED_CAP_PARK)

/**
 * struct operation - what is done at random
 * @name: of it
 * @weight: how often, relative to the others
 * @run: do it
 * @count: times it was
 * @good: of these, some call succeeded
 */
struct operation {
	const char *name;
	unsigned int weight;
	void (*run)(void);
	unsigned long count;
	unsigned long good;
};

static struct operation operations[] = {
	{ "hold", 1800, torture_hold, 0, 0 },
	{ "resume", 1800, torture_resume, 0, 0 },
	{ "priority", 900, torture_priority, 0, 0 },
	{ "several", 600, torture_several, 0, 0 },
	{ "park", 400, torture_park, 0, 0 },
	{ "tenant", 800, torture_tenant, 0, 0 },
	{ "arm", 300, torture_arm, 0, 0 },
	{ "clear", 300, torture_clear, 0, 0 },
	{ "subscribe", 150, torture_subscribe, 0, 0 },
	{ "read", 600, torture_read, 0, 0 },
	{ "renew", 50, torture_renew, 0, 0 },
	{ "list", 600, torture_look, 0, 0 },
	{ "files", 300, torture_files, 0, 0 },
	{ "close", 150, torture_die, 0, 0 },
	{ "eject", 30, torture_eject, 0, 0 },
	{ "load", 500, torture_load, 0, 0 },
	{ "ask", 1200, torture_ask, 0, 0 },
	{ "evict", 500, torture_evict, 0, 0 },
	{ "restart", 40, torture_restart, 0, 0 },
	{ "pressure", 2, torture_pressure, 0, 0 },
};

#define OPERATIONS	(sizeof(operations) / sizeof(operations[0]))

/* Beside these, and after a fault only. */
static struct operation rearm = { "rearm", 20, torture_rearm, 0, 0 };

static const char *const claims[TORTURE_CLAIMS] = {
	[TORTURE_CALLS] = "each call succeeds, or fails as it may",
	[TORTURE_HOLDS] = "what a call holds is held when it returns",
	[TORTURE_LOOKS] = "LIST and files make sense",
	[TORTURE_EVENTS] = "events make sense, and each ASYNC call has its own",
	[TORTURE_WORKS] = "each process can do what it wants",
	[TORTURE_FREE] = "when all clients are closed, nothing is held or parked",
	[TORTURE_GIVEN_BACK] = "nor is a priority or class overridden",
	[TORTURE_GOES_ON] = "whoever lives goes on, and comes to an end",
	[TORTURE_ONCE] = "every dispatch was executed once and in order",
	[TORTURE_ENDS] = "no queue is left",
	[TORTURE_ACCOUNTS] = "the accounts are those of nobody",
	[TORTURE_RECOVERS] = "after a fault all works again",
	[TORTURE_GPU] = "the software GPU met no error",
};

static unsigned long done;
static uint64_t next_note;

/* ---- what is done -------------------------------------------------------- */

static struct operation *choose(void)
{
	uint32_t sum = 0, at;
	unsigned int i;

	for (i = 0; i < OPERATIONS; i++)
		sum += operations[i].weight;
	at = torture_below(sum + rearm.weight);
	for (i = 0; i < OPERATIONS; i++) {
		if (at < operations[i].weight)
			return &operations[i];
		at -= operations[i].weight;
	}
	return &rearm;
}

static void step(void)
{
	struct operation *o = choose();

	torture.succeeded = false;
	o->run();
	o->count++;
	o->good += torture.succeeded;
	done++;
	torture_workers_look();
	xsdev_sleep_ms(1 + torture_below(STEP_MS));
}

/* So that one sees it go on. */
static void note(void)
{
	const uint64_t now = xsdev_now();

	if (now < next_note)
		return;
	next_note = now + NOTE_MS * TORTURE_MS;
	tap_note("%llu s: epoch %u, %lu operations, %u faults, %u violations",
		 (unsigned long long)((now - torture.began_ns) / (1000 * TORTURE_MS)),
		 torture.epoch, done, torture_faults_count(), torture.violations);
}

/* ---- an epoch ------------------------------------------------------------ */

static void begin_epoch(uint32_t number)
{
	torture_begin_epoch(number);
	torture.faulty = number % FAULT_EVERY == 0;
	torture.short_lease = !torture_below(SHORT_EVERY) && !torture.faulty;
	if (lease_set(torture.short_lease ? SHORT_LEASE_MS : LEASE_PATIENT_MS))
		tap_bail("the lease cannot be set");
	torture.nr_listed = 0;
	if (torture.faulty)
		torture_faults_allow();
	torture_workers_start();
}

static void torment(void)
{
	const uint64_t began = xsdev_now(), until = began + EPOCH_MS * TORTURE_MS;
	const uint32_t fault_ms = FIRST_FAULT_MS + torture_below(LAST_FAULT_MS - FIRST_FAULT_MS);
	bool due = torture.faulty;

	while (!torture.over && xsdev_now() < until) {
		if (due && xsdev_now() >= began + fault_ms * TORTURE_MS) {
			torture_strike();
			due = false;
		}
		step();
		note();
	}
}

/* What went wrong before is not reported again, in other words. */
static void end_epoch(void)
{
	if (!torture.over)
		torture_clients_answered();
	torture_clients_close();
	torture_recover();
	torture_free_check();
	if (!torture.over)
		torture_workers_go_on();
	if (!torture.over)
		torture_workers_settle();
	if (!torture.over)
		torture_workers_check();
	torture_workers_stop();
	if (torture.harm == TORTURE_WORK_IS_LOST)
		torture_recovered_check();
	torture_accounts_check();
	torture_gpu_check();
}

/* ---- the run ------------------------------------------------------------- */

static void look_at_nodes(void)
{
	struct kfd_xsched_node nodes[WORKER_MAX_GPUS];
	const int n = xsdev_nodes(torture.root, nodes, WORKER_MAX_GPUS);
	unsigned int i;

	if (n < 1 || n > WORKER_MAX_GPUS)
		tap_bail("%d nodes", n);
	torture.nodes = (unsigned int)n;
	torture.caps = UINT32_MAX;
	torture.max_grace_us = UINT32_MAX;
	for (i = 0; i < torture.nodes; i++) {
		torture.gpu_ids[i] = nodes[i].gpu_id;
		torture.caps &= nodes[i].caps;
		torture.mes |= nodes[i].backend == KFD_XSCHED_BACKEND_MES;
		if (nodes[i].max_grace_us < torture.max_grace_us)
			torture.max_grace_us = nodes[i].max_grace_us;
	}
	if (!(torture.caps & KFD_XSCHED_CAP_GRACE))
		torture.max_grace_us = 0;
}

static void begin(void)
{
	torture.root = must_open();
	if (xsdev_wait_no_queue(torture.root, TORTURE_DONE_MS))
		tap_bail("other processes have queues");
	look_at_nodes();
	if ((torture.caps & NEEDED) != NEEDED)
		tap_bail("not all can be done to all nodes");
	users_admit(true);
	torture_accounts_begin();
	torture_gpu_check();
	torture_faults_begin();
	torture_clients_begin();
	torture_workers_begin();
	torture.began_ns = xsdev_now();
	next_note = torture.began_ns + NOTE_MS * TORTURE_MS;
	torture_watch();
}

static unsigned int note_operations(void)
{
	unsigned int i, never = 0;

	for (i = 0; i < OPERATIONS; i++) {
		tap_note("%-9s %7lu times, %7lu with success", operations[i].name,
			 operations[i].count, operations[i].good);
		never += !operations[i].good;
	}
	torture_faults_note();
	torture_parks_note();
	return never;
}

static void report(unsigned int epochs)
{
	const unsigned int never = note_operations();
	unsigned int i;

	tap_note("%u epochs, %lu operations, %u faults", epochs, done, torture_faults_count());
	for (i = 0; i < TORTURE_CLAIMS; i++)
		if (!tap_ok(!torture.broken[i], "%s", claims[i]))
			tap_note("violated %u times", torture.broken[i]);
	if (epochs < ENOUGH_EPOCHS)
		tap_skip("it was short", "each operation has succeeded");
	else
		tap_is(never, 0, "each operation has succeeded");
}

/* Of the arguments, at each colon: run-guest all makes several of one. */
static void read_numbers(int argc, char **argv, uint32_t numbers[], unsigned int count)
{
	unsigned int n = 0;
	char *word;
	int i;

	for (i = 1; i < argc; i++)
		for (word = strtok(argv[i], ":"); word && n < count; word = strtok(NULL, ":"))
			numbers[n++] = (uint32_t)strtoul(word, NULL, 0);
}

int main(int argc, char **argv)
{
	uint32_t numbers[] = { SECONDS, 1, 1 }, epoch;
	uint64_t until;

	read_numbers(argc, argv, numbers, sizeof(numbers) / sizeof(numbers[0]));
	torture.seed = numbers[1];
	begin();
	tap_note("%u s, seed %u, from epoch %u on", numbers[0], torture.seed, numbers[2]);
	until = torture.began_ns + numbers[0] * 1000 * TORTURE_MS;
	for (epoch = numbers[2];
	     xsdev_now() < until && torture.violations < MOST_VIOLATIONS; epoch++) {
		begin_epoch(epoch);
		torment();
		end_epoch();
	}
	users_admit(false);
	report(epoch - numbers[2]);
	return tap_done();
}
