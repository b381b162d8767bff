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

#include "config.h"
#include "histogram.h"
#include "process.h"
#include "trace.h"

/**
 * struct task - what the daemon keeps of a tenant, beside the engine
 * @process: who it is, as it was when it showed up
 * @rule: its priority comes from a rule
 * @overridden: its priority was set by request
 * @base_priority: priority by rule or nice value
 * @suspended_by_admin: the manual hold was asked for by a privileged user
 * @seen_ns: when it showed up
 * @switches: durations of the Calls of APPLY that held it
 */
struct task {
	struct process process;
	bool rule;
	bool overridden;
	int32_t base_priority;
	bool suspended_by_admin;
	uint64_t seen_ns;
	struct histogram switches;
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
 * struct sched - the scheduler
 * @event: loop
 * @config: in effect; not owned
 * @device: client of the kernel
 * @engine: decides
 * @apply: the switch, reused
 * @trace: trace or NULL
 * @device_source: @device has events
 * @timer: deadline of the policy, or the next attempt after a failure
 * @attempts: failures in a row
 * @backing_off: @timer waits for the next attempt; until then nothing is tried
 * @lease: timer of the signs of life; enabled while something may be held
 * @lease_usec: from one to the next
 * @ejected: the kernel ejected this client: start afresh
 * @last_error: result of the last APPLY, 0 or a negative errno
 * @list: queues, reused
 * @stats: counters
 */
struct sched {
	sd_event *event;
	const struct config *config;
	struct xsched_device *device;
	struct xsched_engine *engine;
	struct xsched_apply *apply;
	struct trace *trace;
	sd_event_source *device_source;
	sd_event_source *timer;
	unsigned int attempts;
	bool backing_off;
	sd_event_source *lease;
	uint64_t lease_usec;
	bool ejected;
	int last_error;
	struct xsched_queue_list list;
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

/** sched_set_priority() - by request, until the process ends; 0, -ENOENT,
 *  -EINVAL, or the error of the switch this led to
 */
int sched_set_priority(struct sched *sched, pid_t pid, int32_t priority);

/** sched_set_policy() - 0, -EOPNOTSUPP, or the error of the switch */
int sched_set_policy(struct sched *sched, const char *name);

#endif /* XSCHEDD_SCHED_H */
