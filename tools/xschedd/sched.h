/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: events of the device into the engine, its plans into APPLY.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_SCHED_H
#define XSCHEDD_SCHED_H

#include <systemd/sd-event.h>

#include <libxsched.h>

#include "armed.h"
#include "config.h"
#include "groups.h"
#include "histogram.h"
#include "rating.h"
#include "trace.h"

struct stream;

/**
 * struct task - what the daemon keeps of a tenant, beside the engine
 * @process: who it is, as it was when it was last looked at
 * @rating: its worth, likewise
 * @group: number of the tenant it is part of, 0: it is one by itself
 * @has_hint: @hint was set by the program or its owner
 * @hint: priority by hint
 * @overridden: its priority was set by a privileged request
 * @override: that priority
 * @level: preemption level set by request, 2 or 3; 0: by @rating, or as
 *	configured
 * @suspended: held by request
 * @suspended_by_admin: that was asked for by a privileged user
 * @seen_ns: when it showed up
 * @switches: durations of the Calls of APPLY that held it
 */
struct task {
	struct process process;
	struct rating rating;
	uint64_t group;
	bool has_hint;
	int32_t hint;
	bool overridden;
	int32_t override;
	int level;
	bool suspended;
	bool suspended_by_admin;
	uint64_t seen_ns;
	struct histogram switches;
};

/**
 * struct node_stats - of a GPU
 * @gpu_id: which
 * @switches: switches it took part in
 * @failures: of these, those it failed
 * @flips: queues it took off or put on the hardware
 * @total: durations of its part
 */
struct node_stats {
	uint32_t gpu_id;
	uint64_t switches;
	uint64_t failures;
	uint64_t flips;
	struct histogram total;
};

/**
 * struct sched_stats - since the daemon began
 * @events: events read
 * @lost: times the kernel had to drop some
 * @applies: Calls of APPLY that did what was asked
 * @failures: Calls of APPLY that did not
 * @retries: of all, those made again by the back-off
 * @ejections: times the kernel ejected this client
 * @call: durations of successful calls
 * @reaction: time from an event to the end of the APPLY it caused
 * @nodes: of each GPU that took part in a switch
 * @node_count: number of @nodes
 */
struct sched_stats {
	uint64_t events;
	uint64_t lost;
	uint64_t applies;
	uint64_t failures;
	uint64_t retries;
	uint64_t ejections;
	struct histogram call;
	struct histogram reaction;
	struct node_stats *nodes[XSCHED_ENGINE_NODES];
	size_t node_count;
};

/**
 * struct sched - the scheduler
 * @event: loop
 * @config: in effect; not owned
 * @device: client of the kernel
 * @engine: decides
 * @apply: the switch, reused
 * @trace: trace or NULL
 * @stream: who listens to what happens, or NULL
 * @groups: tenants that are several processes
 * @armed: switches left with the kernel
 * @device_source: @device has events
 * @timer: deadline of the policy, or the next attempt after a failure
 * @attempts: failures in a row
 * @backing_off: @timer waits for the next attempt; until then nothing is tried
 * @lease: timer of the signs of life; enabled while something may be held
 * @lease_usec: from one to the next
 * @ejected: the kernel ejected this client: start afresh
 * @last_error: result of the last APPLY, 0 or a negative errno
 * @list: queues, reused
 * @matched: for each rule, processes it decided about since it was read
 * @stats: counters
 */
struct sched {
	sd_event *event;
	const struct config *config;
	struct xsched_device *device;
	struct xsched_engine *engine;
	struct xsched_apply *apply;
	struct trace *trace;
	struct stream *stream;
	struct groups groups;
	struct armed armed;
	sd_event_source *device_source;
	sd_event_source *timer;
	unsigned int attempts;
	bool backing_off;
	sd_event_source *lease;
	uint64_t lease_usec;
	bool ejected;
	int last_error;
	struct xsched_queue_list list;
	uint64_t *matched;
	struct sched_stats stats;
};

/** now_ns() - CLOCK_MONOTONIC */
uint64_t now_ns(void);

/**
 * sched_start() - open the device, subscribe, take over what there is
 * @sched: set to zero
 * @event: loop to run in
 * @config: stays in use until sched_reload() or sched_stop()
 *
 * Return: 0 or a negative errno, logged; then call sched_stop() all the same.
 */
int sched_start(struct sched *sched, sd_event *event,
		const struct config *config);

/** sched_stop() - release everything, finish the trace, close the device */
void sched_stop(struct sched *sched);

/**
 * sched_reload() - take another configuration into use
 * @sched: scheduler
 * @config: takes the place of the former one, which may be freed afterwards
 *
 * What cannot be taken over is logged and stays as it was.
 */
void sched_reload(struct sched *sched, const struct config *config);

/**
 * sched_suspend() - hold a process by request
 * @sched: scheduler
 * @pid: process
 * @admin: only a privileged user may undo it
 *
 * Return: 0 when it is held; -ENOENT: no such tenant; or why the kernel
 * refused, and then the request is forgotten.
 */
int sched_suspend(struct sched *sched, pid_t pid, bool admin);

/**
 * sched_resume() - undo sched_suspend()
 * @sched: scheduler
 * @pid: process
 *
 * The policy may still want it held.
 *
 * Return: 0, -ENOENT: no such tenant, -EALREADY: it was not suspended by
 * request, or why the kernel refused; then it is tried again.
 */
int sched_resume(struct sched *sched, pid_t pid);

/**
 * sched_set_priority() - by request, until the process ends
 * @sched: scheduler
 * @pid: process
 * @priority: PRIORITY_NEVER..XSCHED_PRIORITY_MAX
 * @admin: it overrides rules and hints; else it is a hint, and the caller has
 *	checked that it is not above &rating.limit
 *
 * Return: 0, -ENOENT, or the error of the switch this led to.
 */
int sched_set_priority(struct sched *sched, pid_t pid, int32_t priority,
		       bool admin);

/** sched_set_level() - preemption level 2 or 3 of a process; 0, -ENOENT, or
 *  -EOPNOTSUPP: a GPU cannot
 */
int sched_set_level(struct sched *sched, pid_t pid, int level);

/** sched_set_hint() - 0, or an error of xsched_engine_set_hint() or of the
 *  switch
 */
int sched_set_hint(struct sched *sched, pid_t pid, enum xsched_hint hint,
		   int64_t value);

/** sched_set_policy() - 0, -EOPNOTSUPP, or the error of the switch */
int sched_set_policy(struct sched *sched, const char *name);

/** sched_set_option() - 0, or an error of xsched_engine_set_option() */
int sched_set_option(struct sched *sched, const char *name, int64_t value);

/** sched_task() - the task of a process, or NULL */
struct task *sched_task(const struct sched *sched, pid_t pid);

/** entry_process() - whom an entry is about, and for a queue its node; 0: gone */
pid_t entry_process(const struct sched *sched,
		    const struct kfd_xsched_entry *entry, uint32_t *gpu_id);

/** task_source() - where the priority of a task comes from */
enum rating_source task_source(const struct task *task);

/** task_priority() - PRIORITY_NEVER..XSCHED_PRIORITY_MAX */
int32_t task_priority(const struct task *task);

#endif /* XSCHEDD_SCHED_H */
