/* SPDX-License-Identifier: MIT */
/*
 * libxsched, layer 3: what a policy sees, and what the engine asks of it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 *
 * A policy is a table, struct xsched_policy_ops. Those of the library are
 * libxsched/src/policy_*.c, a file each. One can be written outside of it: fill
 * a table and hand it to xsched_policy_register(), or name it "xsched_policy",
 * make a shared object of it and let xsched_policy_load() find it. An example
 * is libxsched/examples/fcfs.c.
 *
 * A policy decides only from what it is given: it makes no system call, reads
 * no clock and allocates nothing. Its state is in @data of a tenant, or of the
 * view.
 *
 * Rules for a policy
 * ------------------
 *  - It sets @hold of every tenant of the view. The engine ignores @hold of a
 *    tenant with @pinned.
 *  - @ready is the work that counts. It excludes work of a tenant that is held
 *    whatever the policy says (by request, for the floor of another, or because
 *    it is demoted and one that is not has work).
 *  - On a node without a ready tenant, no tenant ought to be held.
 *  - A tenant is held on all its nodes or on none.
 */
#ifndef XSCHED_POLICY_H
#define XSCHED_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of everything in this header; another one is not loaded. */
#define XSCHED_POLICY_ABI	2

/** Symbol that xsched_policy_load() looks for: a struct xsched_policy_ops. */
#define XSCHED_POLICY_SYMBOL	"xsched_policy"

/** Nothing to decide before the next event. */
#define XSCHED_NO_DEADLINE	UINT64_MAX

/** GPU nodes one engine can tell apart. */
#define XSCHED_ENGINE_NODES	64

/** Policies an engine can know: the library's and registered ones. */
#define XSCHED_POLICY_MAX	32

/** Options a policy may have. */
#define XSCHED_POLICY_OPTIONS	8

/** Numbers a policy may keep for each tenant, and for all of them. */
#define XSCHED_POLICY_DATA	8

/** Value of a hint that is not set. */
#define XSCHED_HINT_UNSET	INT64_MIN

/**
 * enum xsched_hint - hints that a process may have beside its priority
 * @XSCHED_HINT_UTILIZATION: share of the GPU it is to have, 0..100 percent
 * @XSCHED_HINT_TIMESLICE_US: length of its turns, 100..10000000
 * @XSCHED_HINT_DEADLINE_NS: of each request, from its arrival; at least 0
 * @XSCHED_HINT_LAXITY_NS: how long a request may wait; at least -1: not at all
 * @XSCHED_HINT_LAX_PRIORITY: priority while it may wait, -255..255
 * @XSCHED_HINT_CRIT_PRIORITY: priority after that, -255..255
 * @XSCHED_HINT_NICE: nice value, -20..19; a real-time process: -20 less its
 *	real-time priority, at least -119
 * @XSCHED_HINT_WINDOW_ACTIVE: has the active window, 0 or 1
 * @XSCHED_HINT_NEXT_REQUEST_NS: when its next request comes, on the clock of
 *	the engine; at least 0
 * @XSCHED_HINT_PERIOD_NS: time between its requests; 0: to be learned; at
 *	most a minute
 * @XSCHED_HINT_COUNT: number of hints
 */
enum xsched_hint {
	XSCHED_HINT_UTILIZATION = 0,
	XSCHED_HINT_TIMESLICE_US = 1,
	XSCHED_HINT_DEADLINE_NS = 2,
	XSCHED_HINT_LAXITY_NS = 3,
	XSCHED_HINT_LAX_PRIORITY = 4,
	XSCHED_HINT_CRIT_PRIORITY = 5,
	XSCHED_HINT_NICE = 6,
	XSCHED_HINT_WINDOW_ACTIVE = 7,
	XSCHED_HINT_NEXT_REQUEST_NS = 8,
	XSCHED_HINT_PERIOD_NS = 9,
	XSCHED_HINT_COUNT = 10,
};

/** Room for future hints. */
#define XSCHED_HINT_MAX		16

/**
 * struct xsched_policy_tenant - a tenant, as a policy sees it
 * @pid: its process; of a group, the lowest: breaks ties
 * @priority: XSCHED_PRIORITY_MIN..MAX; of a group, the highest
 * @nodes: set of nodes it has queues on, a bit each
 * @ready: of these, the nodes on which it has work that counts
 * @pinned: it runs whatever the policy says
 * @expected: it has no work yet, but is about to; then @ready is @nodes
 * @running: it has work and was not held until now
 * @hold: out, whether the policy wants it held
 * @backfill: out, by xsched_policy_turns(): it runs on nodes that a tenant
 *	before it in the order waits for
 * @ready_ns: when it last changed from no work to work; if @expected: when it
 *	will
 * @ran_ns: time it had work and was not held since the decision before
 * @rank: for the helpers below: the smaller comes first
 * @data: the policy's own, zero for a tenant the policy has not seen yet
 * @hint: value of each hint, or XSCHED_HINT_UNSET
 */
struct xsched_policy_tenant {
	int32_t pid;
	int32_t priority;
	uint64_t nodes;
	uint64_t ready;
	bool pinned;
	bool expected;
	bool running;
	bool hold;
	bool backfill;
	uint64_t ready_ns;
	uint64_t ran_ns;
	int64_t rank;
	uint64_t data[XSCHED_POLICY_DATA];
	int64_t hint[XSCHED_HINT_MAX];
};

/**
 * struct xsched_policy_view - what a decision is made from
 * @tenants: all of them; for a policy that is @local, those of nodes on which
 *	something changed, and of all nodes connected with these. A policy may
 *	reorder them; the order is kept for the next decision. Those that are
 *	demoted are in none of these views, but in one of their own.
 * @scratch: room for as many pointers, for the helpers
 * @count: how many
 * @now_ns: time of the decision
 * @option: values of the policy's options, in the order of its table
 * @data: the policy's own, zero when it is chosen
 */
struct xsched_policy_view {
	struct xsched_policy_tenant **tenants;
	struct xsched_policy_tenant **scratch;
	size_t count;
	uint64_t now_ns;
	const int64_t *option;
	uint64_t data[XSCHED_POLICY_DATA];
};

/**
 * struct xsched_option - something that can be set
 * @name: "name"; of a policy: "policy.name"
 * @summary: what it does, in a line
 * @min: smallest value
 * @max: largest value
 * @value: default value
 */
struct xsched_option {
	const char *name;
	const char *summary;
	int64_t min;
	int64_t max;
	int64_t value;
};

/**
 * struct xsched_policy_ops - a policy
 * @abi: XSCHED_POLICY_ABI
 * @name: what users call it: lower-case letters, digits, '-' and '_', at most 31
 * @summary: what it does, in a line
 * @options: what can be set, @option_count of them
 * @option_count: at most XSCHED_POLICY_OPTIONS
 * @local: its decision about a tenant depends only on tenants that share a node
 *	with it, on those that share a node with these, and so on
 * @enter: called before the decision for a tenant new to the policy; or NULL
 * @decide: set @hold of each tenant. Returns when to be asked again without an
 *	event, or XSCHED_NO_DEADLINE.
 */
struct xsched_policy_ops {
	uint32_t abi;
	const char *name;
	const char *summary;
	const struct xsched_option *options;
	size_t option_count;
	bool local;
	void (*enter)(struct xsched_policy_view *view,
		      struct xsched_policy_tenant *tenant);
	uint64_t (*decide)(struct xsched_policy_view *view);
};

/**
 * xsched_policy_levels() - decide as HPF does, by @rank instead of priority
 * @view: all tenants, with their @rank set
 *
 * On each node the ready tenants of the smallest rank run together; those of
 * larger rank are held, also idle ones. Sorts the tenants.
 */
void xsched_policy_levels(struct xsched_policy_view *view);

/**
 * xsched_policy_turns() - let a number of tenants run on each node
 * @view: all tenants, with their @rank set
 * @limit: how many, at least 1
 * @hold_idle: on a node where @limit tenants run, hold idle ones, too
 *
 * Goes through the ready tenants by rank, then pid. A tenant runs if every node
 * on which it has work has room for it. Sorts the tenants.
 *
 * Return: set of nodes a ready tenant waits for: only there must a turn end.
 */
uint64_t xsched_policy_turns(struct xsched_policy_view *view,
			     unsigned int limit, bool hold_idle);

/**
 * xsched_policy_register() - make a policy known under its name
 * @ops: table, which must stay as it is while the program runs
 *
 * May be called from several threads.
 *
 * Return: 0, -EPROTONOSUPPORT for another XSCHED_POLICY_ABI, -EINVAL for a table
 * that is not complete, -EEXIST if there is one of that name, -ENOSPC if there
 * are XSCHED_POLICY_MAX policies.
 */
int xsched_policy_register(const struct xsched_policy_ops *ops);

/**
 * xsched_policy_load() - load a policy from a shared object and register it
 * @path: file; without a slash: NAME, of XSCHED_POLICY_DIR/NAME.so
 * @name: out, unless NULL: its name
 *
 * The code runs with all rights of the program. So the file must belong to root
 * or to the user of this process, and be writable by nobody else. It is never
 * unloaded. Errors also go to the callback of xsched_set_log().
 *
 * Return: 0; -ENOENT if there is no such file, -EPERM for one that others may
 * write, -ENOEXEC if it cannot be loaded or has no XSCHED_POLICY_SYMBOL, and as
 * xsched_policy_register().
 */
int xsched_policy_load(const char *path, const char **name);

#ifdef __cplusplus
}
#endif

#endif /* XSCHED_POLICY_H */
