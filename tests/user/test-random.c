// SPDX-License-Identifier: MIT
/*
 * Exactly once, at random: processes whose queues are never idle, while the
 * test suspends, unmaps with a grace, resumes, changes priorities and makes
 * amdkfd evict them, 100,000 times in all. Every dispatch must execute once and
 * in its turn, and every workgroup of it must end once.
 *
 *   test-random [COUNT [SEED]]
 *
 * The seed, 1 unless it is given (also as RANDOM_SEED), makes the sequence of
 * operations. What they meet on the GPU depends on the time they take: where the
 * guest counts its instructions (run-guest --icount), that is the same in each run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "must.h"
#include "pressure.h"
#include "random.h"
#include "random_worker.h"
#include "tap.h"
#include "xsdev.h"

#define OPERATIONS	100000
#define WORKERS		4
#define QUEUES		(WORKERS * RANDOM_QUEUES)
#define MAX_QUEUES	64
#define PRESSURE_EVERY	10000	/* operations: it takes seconds */
#define LISTED_MS	5000

/**
 * struct target - a queue of a worker
 * @id: of the scheduler
 * @held: by this test
 */
struct target {
	uint64_t id;
	bool held;
};

/**
 * struct tally - operations that took effect
 * @by_op: of APPLY, by operation
 * @pressure: times the GPU's memory was filled
 * @applies: calls
 * @failed: that failed
 * @error: how the first of them did
 */
struct tally {
	uint64_t by_op[KFD_XSCHED_OP_SET_PRIORITY + 1];
	uint64_t pressure;
	uint64_t applies;
	uint64_t failed;
	int error;
};

static struct random_worker workers[WORKERS];
static struct target targets[WORKERS][RANDOM_QUEUES];
static struct tally tally;
static uint32_t seed, max_grace_us, gpu_id;
static int fd;

static uint32_t below(uint32_t n)
{
	return random_below(&seed, n);
}

static uint64_t evictions(void)
{
	uint64_t sum = tally.pressure;
	unsigned int i;

	for (i = 0; i < WORKERS; i++)
		sum += random_worker_evictions(&workers[i]);
	return sum;
}

static uint64_t operations(void)
{
	uint64_t sum = evictions();
	unsigned int i;

	for (i = 0; i <= KFD_XSCHED_OP_SET_PRIORITY; i++)
		sum += tally.by_op[i];
	return sum;
}

/* ---- one APPLY: no two entries for the same queue ---- */

/* What to do to something that is held or not: it runs about two thirds of the time. */
static uint32_t choose(bool held, uint32_t hold)
{
	uint32_t r = below(10);

	if (r < 2)
		return KFD_XSCHED_OP_SET_PRIORITY;
	if (held)
		return KFD_XSCHED_OP_RESUME;
	return r < 7 ? hold : 0;
}

static void add_entry(struct kfd_xsched_entry *e, uint32_t op, uint32_t target, uint64_t id,
		      int32_t grace)
{
	memset(e, 0, sizeof(*e));
	e->op = op;
	e->target = target;
	e->id = id;
	if (op == KFD_XSCHED_OP_SET_PRIORITY)
		e->value = (int32_t)below(17) - 1;
	else if (op == KFD_XSCHED_OP_UNMAP)
		e->value = grace;
}

static bool is_hold(uint32_t op)
{
	return op == KFD_XSCHED_OP_SUSPEND || op == KFD_XSCHED_OP_UNMAP;
}

static void note_held(unsigned int w, unsigned int q, uint32_t op)
{
	if (op != KFD_XSCHED_OP_SET_PRIORITY)
		targets[w][q].held = is_hold(op);
}

/* The whole process; its queues may be held one by one. */
static uint32_t add_process(struct kfd_xsched_entry *e, unsigned int w, uint32_t hold,
			    int32_t grace)
{
	bool held = false;
	unsigned int q;
	uint32_t op;

	for (q = 0; q < RANDOM_QUEUES; q++)
		held |= targets[w][q].held;
	op = choose(held, hold);
	if (!op)
		return 0;
	add_entry(e, op, KFD_XSCHED_TARGET_PROCESS, workers[w].pid, grace);
	for (q = 0; q < RANDOM_QUEUES; q++)
		note_held(w, q, op);
	return 1;
}

static uint32_t add_queues(struct kfd_xsched_entry *e, unsigned int w, uint32_t hold,
			   int32_t grace)
{
	uint32_t n = 0, op;
	unsigned int q;

	for (q = 0; q < RANDOM_QUEUES; q++) {
		op = below(4) ? choose(targets[w][q].held, hold) : 0;
		if (!op)
			continue;
		add_entry(&e[n++], op, KFD_XSCHED_TARGET_QUEUE, targets[w][q].id, grace);
		note_held(w, q, op);
	}
	return n;
}

static void apply(void)
{
	uint32_t hold = below(2) ? KFD_XSCHED_OP_SUSPEND : KFD_XSCHED_OP_UNMAP;
	int32_t grace = (int32_t)below(max_grace_us + 1);
	struct kfd_xsched_entry entries[QUEUES];
	uint32_t n = 0, i;
	unsigned int w;
	int ret;

	for (w = 0; w < WORKERS; w++) {
		if (below(3))
			n += add_queues(&entries[n], w, hold, grace);
		else
			n += add_process(&entries[n], w, hold, grace);
	}
	if (!n)
		return;
	ret = xsdev_apply(fd, entries, n, NULL);
	tally.applies++;
	for (i = 0; i < n; i++)
		tally.by_op[entries[i].op] += !ret;
	if (ret && !tally.failed++)
		tally.error = ret;
}

/* ---- the run ---- */

static void evict_some(void)
{
	unsigned int w = below(WORKERS);

	if (below(4))
		random_worker_evict(&workers[w], below(RANDOM_EVICTIONS));
}

static void find_queues(void)
{
	struct kfd_xsched_queue queues[MAX_QUEUES];
	unsigned int w, found;
	int n = xsdev_list(fd, queues, MAX_QUEUES), i;

	for (w = 0; w < WORKERS; w++) {
		found = 0;
		for (i = 0; i < n && i < MAX_QUEUES; i++)
			if (queues[i].pid == workers[w].pid && found < RANDOM_QUEUES)
				targets[w][found++].id = queues[i].id;
		if (found != RANDOM_QUEUES)
			tap_bail("worker %u has %u queues", w, found);
	}
}

static void start(void)
{
	struct kfd_xsched_node node;
	unsigned int w;

	for (w = 0; w < WORKERS; w++)
		if (random_worker_start(&workers[w], random_next(&seed)))
			tap_bail("no worker");
	fd = must_open();	/* not before: workers must not keep it open */
	if (xsdev_node(fd, &node))
		tap_bail("no node");
	max_grace_us = node.max_grace_us;
	gpu_id = node.gpu_id;
	find_queues();
}

static void run(uint64_t count)
{
	uint64_t begin = xsdev_now(), next_pressure = PRESSURE_EVERY, done = 0, reported = 0;
	int ret = 0;

	while (done < count && tally.failed < 10 && !ret) {
		apply();
		evict_some();
		done = operations();
		if (done >= next_pressure) {
			next_pressure += PRESSURE_EVERY;
			ret = pressure_once();
			tally.pressure += !ret;
		}
		if (done / (count / 10 + 1) != reported) {
			reported = done / (count / 10 + 1);
			tap_note("%llu operations after %llu ms", (unsigned long long)done,
				 (unsigned long long)((xsdev_now() - begin) / 1000000));
		}
	}
	tap_is(ret, 0, "the GPU's memory can be filled");
	tap_is(tally.error, 0, "none of %llu calls failed", (unsigned long long)tally.applies);
	tap_ok(done >= count, "%llu operations: %llu suspends, %llu unmaps, %llu resumes, "
	       "%llu priorities, %llu evictions", (unsigned long long)done,
	       (unsigned long long)tally.by_op[KFD_XSCHED_OP_SUSPEND],
	       (unsigned long long)tally.by_op[KFD_XSCHED_OP_UNMAP],
	       (unsigned long long)tally.by_op[KFD_XSCHED_OP_RESUME],
	       (unsigned long long)tally.by_op[KFD_XSCHED_OP_SET_PRIORITY],
	       (unsigned long long)evictions());
	tap_note("%llu ms", (unsigned long long)((xsdev_now() - begin) / 1000000));
}

/* What amdkfd says: how long the process's queues were evicted, in all. */
static long evicted_ms(pid_t pid)
{
	char path[96];
	FILE *f;
	long ms = -1;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/stats_%u/evicted_ms", pid, gpu_id);
	f = fopen(path, "re");
	if (f && fscanf(f, "%ld", &ms) != 1)
		ms = -1;
	if (f)
		fclose(f);
	return ms;
}

static void report(unsigned int w, struct random_result *sum)
{
	struct random_result r = { 0 };
	long evicted = evicted_ms(workers[w].pid);
	unsigned int i;

	tap_ok(evicted > 0, "process %u: was evicted", w);
	tap_note("process %u: for %ld ms in all", w, evicted);
	tap_is(random_worker_stop(&workers[w], &r), 0, "process %u: ends in order", w);
	tap_is(r.failed, 0, "process %u: no call failed", w);
	tap_is(r.lost, 0, "process %u: no dispatch was lost", w);
	tap_is(r.wrong, 0, "process %u: each executed once and in order", w);
	tap_is(r.wrong_workgroups, 0, "process %u: each workgroup ended once", w);
	tap_note("process %u: %llu dispatches, %llu workgroups", w, (unsigned long long)r.dispatches,
		 (unsigned long long)r.workgroups);
	sum->saved += r.saved;
	sum->dispatches += r.dispatches;
	for (i = 0; i < RANDOM_EVICTIONS; i++)
		sum->evictions[i] += r.evictions[i];
}

int main(int argc, char **argv)
{
	const char *given = getenv("RANDOM_SEED");
	struct random_result sum = { 0 };
	uint64_t count = OPERATIONS;
	unsigned int i;

	seed = 1;
	if (argc > 1)
		count = strtoull(argv[1], NULL, 0);
	if (given || argc > 2)
		seed = (uint32_t)strtoul(given ? given : argv[2], NULL, 0);
	tap_note("%llu operations, seed %u", (unsigned long long)count, seed);
	start();
	run(count);
	close(fd);	/* releases everything */
	for (i = 0; i < WORKERS; i++)
		report(i, &sum);
	tap_ok(sum.saved > count / 500, "waves were saved often");
	tap_note("%llu times", (unsigned long long)sum.saved);
	for (i = 0; i < RANDOM_EVICTIONS; i++) {
		tap_ok(sum.evictions[i] > count / 1000, "there were evictions of kind %u", i);
		tap_note("kind %u: %llu", i, (unsigned long long)sum.evictions[i]);
	}
	return tap_done();
}
