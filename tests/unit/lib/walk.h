/* SPDX-License-Identifier: MIT */
/*
 * Tenants that come, work and go at random, in virtual time, and a naive record
 * of it beside the engine: what policies are checked on. Plans are carried out
 * at once.
 */
#ifndef XSCHED_TEST_WALK_H
#define XSCHED_TEST_WALK_H

#include "unit.h"

#define WALK_TENANTS	10
#define WALK_NODES	4

/**
 * struct walker - expected state of a process; its pid is its index plus one
 * @exists: the engine knows of it
 * @priority: as set
 * @nodes: where it has a queue, a bit each
 * @ready: of these, where it has work
 * @manual: held by request
 * @held: according to plans
 * @since: when it got work
 * @ran: time it had work and was not held
 * @hint: as given
 */
struct walker {
	bool exists;
	int priority;
	uint64_t nodes;
	uint64_t ready;
	bool manual;
	bool held;
	uint64_t since;
	uint64_t ran;
	int64_t hint[XSCHED_HINT_COUNT];
};

/**
 * struct walk - all of it
 * @engine: the engine
 * @random: state of the generator
 * @now: virtual time in ns, never 0
 * @deadline: of the last plan
 * @nodes: how many there are
 * @walkers: the processes
 * @holds: times somebody was held
 * @plans: plans asked for
 */
struct walk {
	struct xsched_engine *engine;
	uint64_t random;
	uint64_t now;
	uint64_t deadline;
	int nodes;
	struct walker walkers[WALK_TENANTS];
	unsigned long holds;
	unsigned long plans;
};

/** walk_begin() - an engine with that policy and nobody in it */
void walk_begin(struct walk *w, const char *policy, int nodes, uint64_t seed);

/** walk_end() - free it */
void walk_end(struct walk *w);

/** walk_roll() - a number below @below, the same sequence everywhere */
unsigned int walk_roll(struct walk *w, unsigned int below);

/** walk_add() - a process with a queue on each of @nodes, without work */
void walk_add(struct walk *w, int i, uint64_t nodes);

/** walk_exit() - it ends */
void walk_exit(struct walk *w, int i);

/** walk_ready() - it has work on those of its nodes, now */
void walk_ready(struct walk *w, int i, uint64_t ready);

/** walk_priority() - set it */
void walk_priority(struct walk *w, int i, int priority);

/** walk_hint() - pass it to the engine */
void walk_hint(struct walk *w, int i, enum xsched_hint hint, int64_t value);

/** walk_manual() - hold by request, or no longer */
void walk_manual(struct walk *w, int i, bool manual);

/** walk_option() - set an option */
void walk_option(struct walk *w, const char *name, int64_t value);

/** walk_plan() - ask for a plan and carry it out; asking again finds nothing */
void walk_plan(struct walk *w);

/** walk_until() - let time pass to @until; plans where their deadlines are */
void walk_until(struct walk *w, uint64_t until);

/** walk_something() - one thing happens at random */
void walk_something(struct walk *w);

/** walk_counts() - whether it has work that counts: not held by request */
bool walk_counts(const struct walk *w, int i);

/** walk_conserving() - on a node of each held one, another one runs */
void walk_conserving(const struct walk *w);

/** walk_running() - how many run on a node */
int walk_running(const struct walk *w, int node);

#endif /* XSCHED_TEST_WALK_H */
