/* SPDX-License-Identifier: MIT */
/*
 * What the scheduler knows: itself, and its tasks.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_STATE_H
#define XSCHEDD_STATE_H

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include <libxsched.h>

#include "base/bucket.h"
#include "base/groups.h"
#include "base/histogram.h"
#include "facts/config.h"
#include "facts/rating.h"
#include "facts/reader.h"

struct clock_timer;
struct stream;
struct trace;

/**
 * struct refusal - what the kernel refuses of a task, see state/refusal.h
 * @count: how often, in a row; 0: it refuses nothing
 * @error: why, the last time: a negative errno
 * @hold: also to hold it, not only to release it
 * @queue: the last time it was this queue alone; 0: the process
 * @until_ns: not to be tried before
 */
struct refusal {
	unsigned int count;
	int error;
	bool hold;
	uint64_t queue;
	uint64_t until_ns;
};

/**
 * struct park - whether a task is parked, see kernel/park.h
 * @said: the kernel was told @ms
 * @ms: from when on it is to be parked, 0: never
 * @since_ns: since when it is, CLOCK_MONOTONIC, 0: it is not; this and the rest as
 *	park_look() saw it last
 * @resident: why it is not, bits KFD_XSCHED_RESIDENT_*
 * @returns: how often it has come back
 * @slots: its compute queues, each of which takes a slot of the hardware unless it is parked
 */
struct park {
	bool said;
	uint32_t ms;
	uint64_t since_ns;
	uint32_t resident;
	uint32_t returns;
	unsigned int slots;
};

/**
 * struct task - what the daemon keeps of a tenant, beside the engine
 * @process: facts about it, as they were read last
 * @rating: its rating, likewise
 * @reading: the question for these facts
 * @unread: no facts have come since it appeared, or since the rules were read
 * @matched: number of the rule that counts it as a match, from 1; 0: none
 * @group: number of the tenant it is part of, 0: it is one of its own
 * @has_hint: @hint was set by the program or its owner
 * @hint: priority by hint
 * @overridden: its priority was set by an administrator
 * @override: that priority
 * @level: preemption level set by request, 2 or 3; 0: by @rating, or as
 *	configured
 * @suspended: held by request
 * @suspended_by_admin: by request of an administrator
 * @demoted: by the kernel, as far as was logged
 * @seen_ns: when it appeared
 * @failed: switches of it that failed, in a row
 * @refused: what the kernel refuses to switch
 * @unarmed: what it refuses to switch by an armed switch
 * @switches: durations of the switches that held it
 * @park: whether it is parked
 */
struct task {
	struct process process;
	struct rating rating;
	struct reading reading;
	bool unread;
	size_t matched;
	uint64_t group;
	bool has_hint;
	int32_t hint;
	bool overridden;
	int32_t override;
	int level;
	bool suspended;
	bool suspended_by_admin;
	bool demoted;
	uint64_t seen_ns;
	unsigned int failed;
	struct refusal refused;
	struct refusal unarmed;
	struct histogram switches;
	struct park park;
};

/**
 * struct flight - a switch, see tenants/flight.h
 * @entry: in a list of struct flights
 * @apply: its entries
 * @marked: for the engine they are on their way
 * @cookie: its name in the kernel's answer
 * @nodes: GPUs it concerns, as of xsched_engine_nodes()
 * @start_ns: when it was sent
 * @event_ns: time of the event that caused it, 0: none
 * @due_ns: of one that failed: when its entries may be tried again
 */
struct flight {
	LIST_ENTRY(flight) entry;
	struct xsched_apply *apply;
	bool marked;
	uint64_t cookie;
	uint64_t nodes;
	uint64_t start_ns;
	uint64_t event_ns;
	uint64_t due_ns;
};

LIST_HEAD(flight_list, flight);

/**
 * struct flights - all of them
 * @sent: those whose answer is to come
 * @sent_count: how many
 * @failed: those that failed, until they may be tried again
 * @spare: to be used again
 * @last_cookie: of the last that was sent
 */
struct flights {
	struct flight_list sent;
	size_t sent_count;
	struct flight_list failed;
	struct flight_list spare;
	uint64_t last_cookie;
};

/**
 * struct sched_stats - since the daemon began
 * @events: events read
 * @lost: times the kernel had to drop some
 * @applies: successful switches
 * @failures: switches that failed or were refused
 * @retries: times something was tried again after it had failed
 * @ejections: times the kernel ejected this client
 * @call: durations of successful switches
 * @reaction: time from an event to the end of the switch it caused
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
};

/**
 * struct build - what runs together, as of the start
 * @kernel: its release
 * @driver: version of amdgpu or, if it has none, its srcversion; empty: it has neither
 * @module: likewise of kfd_xsched
 * @abi: version of the module's interface
 */
struct build {
	char kernel[65];
	char driver[128];
	char module[128];
	uint32_t abi;
};

/**
 * struct armed - what is armed
 * @ids: switches, as the kernel names them
 * @count: number of @ids
 * @runs: times one of them held a tenant
 * @timer: arms anew when no more changes come
 * @apply: entries, reused
 * @missing: this kernel has none; logged once
 * @begin_ns: when they were armed last
 * @due_ns: when to arm anew, with what the kernel refused then; XSCHED_NO_DEADLINE: nothing
 */
struct armed {
	uint64_t ids[KFD_XSCHED_MAX_ARMED];
	size_t count;
	uint64_t runs;
	struct clock_timer *timer;
	struct xsched_apply *apply;
	bool missing;
	uint64_t begin_ns;
	uint64_t due_ns;
};

/**
 * struct await - switches wait until the facts about a new process have come
 * @unread: number of tasks that are &task.unread
 * @say_rules: when it ends, log the rules that match no process
 * @since_ns: since when switches wait, 0: they do not
 * @event_ns: time of the first event that has to wait, 0: none
 * @budget: how long they may wait
 * @timer: ends the wait
 */
struct await {
	size_t unread;
	bool say_rules;
	uint64_t since_ns;
	uint64_t event_ns;
	struct bucket budget;
	struct clock_timer *timer;
};

/**
 * struct sched - the scheduler
 * @event: loop
 * @config: in effect; not owned
 * @device: client of the kernel
 * @engine: decides
 * @flights: switches on their way
 * @trace: trace or NULL
 * @stream: stream of events to listeners, or NULL
 * @groups: tenants of several processes
 * @reader: reads about processes
 * @await: how long switches wait for that, and whether they do
 * @armed: armed switches
 * @device_source: @device has events
 * @timer: deadline of the policy, or the next attempt after a failure
 * @lease: timer of the signs of life; on while something may be held
 * @lease_ns: time between two signs of life
 * @ejected: the kernel ejected this client: start afresh
 * @last_error: of the last plan that was sent: 0, or the negative errno of a switch
 *	that was not accepted or, where it is waited for, failed
 * @list: queues, reused
 * @matched: for each rule, number of processes it decided about since it was
 *	read
 * @stats: counters
 * @build: what runs together
 * @park_missing: this kernel parks nothing; logged once
 */
struct sched {
	sd_event *event;
	const struct config *config;
	struct xsched_device *device;
	struct xsched_engine *engine;
	struct flights flights;
	struct trace *trace;
	struct stream *stream;
	struct groups groups;
	struct reader *reader;
	struct await await;
	struct armed armed;
	sd_event_source *device_source;
	struct clock_timer *timer;
	struct clock_timer *lease;
	uint64_t lease_ns;
	bool ejected;
	int last_error;
	struct xsched_queue_list list;
	uint64_t *matched;
	struct sched_stats stats;
	struct build build;
	bool park_missing;
};

/** state_task() - the task of a process, or NULL */
struct task *state_task(const struct sched *sched, pid_t pid);

/** state_task_source() - where the priority of a task comes from */
enum rating_source state_task_source(const struct task *task);

/** state_task_priority() - PRIORITY_NEVER..XSCHED_PRIORITY_MAX */
int32_t state_task_priority(const struct task *task);

/** state_level() - preemption level 2 or 3 of a process; without a task (NULL) as configured */
int state_level(const struct sched *sched, const struct task *task);

/**
 * state_add_hold() - an entry that holds a process or a queue, at the level it has
 * @sched: scheduler
 * @apply: where it is added
 * @target: KFD_XSCHED_TARGET_PROCESS or KFD_XSCHED_TARGET_QUEUE
 * @id: of the target
 * @pid: whose it is
 *
 * Return: 0, or an error of xsched_apply_add().
 */
int state_add_hold(const struct sched *sched, struct xsched_apply *apply,
		   uint32_t target, uint64_t id, pid_t pid);

/** state_entry_process() - pid of an entry, and the node of a queue; 0: gone */
pid_t state_entry_process(const struct sched *sched,
			  const struct kfd_xsched_entry *entry, uint32_t *gpu_id);

#endif /* XSCHEDD_STATE_H */
