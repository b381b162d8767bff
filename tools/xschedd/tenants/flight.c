// SPDX-License-Identifier: MIT
/*
 * Flights.
 *
 * A switch that fails because of the firmware is tried again with back-off, each
 * process by itself. Nothing is undone: the engine marks unknown states as
 * uncertain, and the kernel's operations are idempotent.
 *
 * A switch of which the kernel refuses some entries has changed nothing. The rest goes at
 * once, and what was refused is tried again with a back-off of its own.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "kernel/device.h"
#include "state/stream.h"
#include "state/trace.h"
#include "tenants/entries.h"
#include "tenants/flight.h"

/* Initial room for entries: more allocates, once. */
#define ROOM			512

/* Back-off: 1 ms, doubled up to half a second; then one attempt a second, but only
 * while events keep coming.
 */
#define BACKOFF_LAST_NS		1000000000ULL
#define BACKOFF_ATTEMPTS	10

/* When to try again what was given up. */
#define NEVER			XSCHED_NO_DEADLINE

/**
 * struct answer - what a switch came to
 * @status: 0 or a negative errno
 * @begun: the kernel took all entries, and at least began to switch
 * @end_ns: when
 * @gpu_id: the first GPU that failed, 0: none, or not known
 * @flips: queues that went on or off the hardware
 */
struct answer {
	int status;
	bool begun;
	uint64_t end_ns;
	uint32_t gpu_id;
	uint32_t flips;
};

/* ---- flights ------------------------------------------------------------ */

static struct flight *flight_make(void)
{
	struct flight *flight = calloc(1, sizeof(*flight));

	if (flight && xsched_apply_new(&flight->apply, ROOM)) {
		free(flight);
		flight = NULL;
	}
	return flight;
}

static void flight_put(struct sched *sched, struct flight *flight)
{
	LIST_INSERT_HEAD(&sched->flights.spare, flight, entry);
}

int flight_open(struct sched *sched)
{
	struct flight *flight = flight_make();

	if (!flight)
		return -ENOMEM;
	flight_put(sched, flight);
	return 0;
}

struct flight *flight_new(struct sched *sched, uint64_t event_ns)
{
	struct flight *flight = LIST_FIRST(&sched->flights.spare);

	if (flight)
		LIST_REMOVE(flight, entry);
	else
		flight = flight_make();
	if (!flight)
		return NULL;
	*flight = (struct flight){ .apply = flight->apply, .event_ns = event_ns };
	xsched_apply_reset(flight->apply);
	return flight;
}

static void flight_forget(struct sched *sched, struct flight_list *list)
{
	struct flight *flight;

	while ((flight = LIST_FIRST(list))) {
		LIST_REMOVE(flight, entry);
		flight_put(sched, flight);
	}
}

void flight_forget_all(struct sched *sched)
{
	flight_forget(sched, &sched->flights.sent);
	flight_forget(sched, &sched->flights.failed);
	sched->flights.sent_count = 0;
}

void flight_close(struct sched *sched)
{
	struct flight *flight;

	flight_forget_all(sched);
	while ((flight = LIST_FIRST(&sched->flights.spare))) {
		LIST_REMOVE(flight, entry);
		xsched_apply_free(flight->apply);
		free(flight);
	}
}

/* ---- after a failure ---------------------------------------------------- */

/* Where entries wait that may be tried again at that time, or NULL: no memory. */
static struct flight *flight_until(struct sched *sched, uint64_t due_ns)
{
	struct flight *flight;

	LIST_FOREACH(flight, &sched->flights.failed, entry)
		if (flight->due_ns == due_ns)
			return flight;
	flight = flight_new(sched, 0);
	if (!flight)
		return NULL;
	flight->due_ns = due_ns;
	flight->marked = true;
	LIST_INSERT_HEAD(&sched->flights.failed, flight, entry);
	return flight;
}

/* Until then it is on its way, for the engine. */
static void flight_put_aside(struct sched *sched, const struct kfd_xsched_entry *entry,
			     uint64_t due_ns, uint64_t end_ns)
{
	struct flight *until = flight_until(sched, due_ns);

	if (!until || xsched_apply_add(until->apply, entry->op, entry->target, entry->id,
				       entry->value))
		entries_doubt_one(sched, entry, end_ns);
}

/* After @failures in a row. */
static uint64_t flight_retry_ns(unsigned int failures, uint64_t now_ns)
{
	return failures > BACKOFF_ATTEMPTS ? NEVER :
	       now_ns + backoff_ns(failures, BACKOFF_ATTEMPTS - 1);
}

/* Returns whether there was something to say. */
static bool flight_say(const struct answer *answer, unsigned int failures)
{
	const struct log_fields fields = { .gpu_id = answer->gpu_id, .id = LOG_SWITCH_FAILED };

	if (failures == 1)
		log_event(LOG_ERR, &fields, "cannot switch: %s", strerror(-answer->status));
	else if (failures == BACKOFF_ATTEMPTS + 1)
		log_message(LOG_ERR, "cannot switch, gave up after %u attempts: %s",
			    BACKOFF_ATTEMPTS, strerror(-answer->status));
	else
		return false;
	return true;
}

/*
 * Each of its processes waits for as long as its own failures make it: one that fails
 * for ever would else delay all that it was switched with.
 */
static void flight_back_off(struct sched *sched, struct flight *flight,
			    const struct answer *answer)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(flight->apply);
	uint64_t now_ns = clock_ns();
	unsigned int failures = 0;
	pid_t pid, former = 0;
	bool said = false;

	entries_mark(sched, flight);
	for (size_t i = 0; i < xsched_apply_count(flight->apply); i++) {
		pid = entries_process(sched, flight, &e[i]);
		if (!pid)
			continue;
		/* The queues of a process are adjacent. */
		if (pid != former) {
			failures = entries_failed(sched, pid);
			said = said || flight_say(answer, failures);
		}
		former = pid;
		flight_put_aside(sched, &e[i], flight_retry_ns(failures, now_ns),
				 answer->end_ns);
	}
}

/* Let what was refused wait, unless no plan has it any more. */
static void flight_set_apart(struct sched *sched, const struct flight *flight,
			     const struct answer *answer)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(flight->apply);
	uint64_t now_ns = clock_ns(), due_ns = now_ns;
	pid_t pid, former = 0;
	uint32_t gpu_id;

	for (size_t i = 0; i < xsched_apply_count(flight->apply); i++) {
		if (!entries_is_refused(&e[i]) || entries_drop(sched, &e[i]))
			continue;
		pid = state_entry_process(sched, &e[i], &gpu_id);
		/* The queues of a process are adjacent. */
		if (pid != former)
			due_ns = entries_refused(sched, pid, &e[i], now_ns);
		former = pid;
		entries_wait(sched, &e[i]);
		flight_put_aside(sched, &e[i], due_ns, answer->end_ns);
	}
}

/* Returns whether the kernel refused some entries, and did nothing for that alone. */
static bool flight_is_refused(const struct flight *flight, const struct answer *answer)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(flight->apply);

	for (size_t i = 0; !answer->begun && i < xsched_apply_count(flight->apply); i++)
		if (entries_is_refused(&e[i]))
			return true;
	return false;
}

void flight_stir(struct sched *sched)
{
	struct flight *flight;

	LIST_FOREACH(flight, &sched->flights.failed, entry)
		if (flight->due_ns == NEVER)
			flight->due_ns = clock_ns() + BACKOFF_LAST_NS;
}

void flight_retry(struct sched *sched, uint64_t until_ns)
{
	struct flight *flight, *next;

	for (flight = LIST_FIRST(&sched->flights.failed); flight; flight = next) {
		next = LIST_NEXT(flight, entry);
		if (flight->due_ns > until_ns)
			continue;
		LIST_REMOVE(flight, entry);
		entries_doubt(sched, flight, clock_ns());
		flight_put(sched, flight);
		sched->stats.retries++;
	}
}

uint64_t flight_due(const struct sched *sched)
{
	uint64_t due_ns = NEVER;
	const struct flight *flight;

	LIST_FOREACH(flight, &sched->flights.failed, entry)
		if (flight->due_ns < due_ns)
			due_ns = flight->due_ns;
	return due_ns;
}

/* ---- what it came to ---------------------------------------------------- */

static bool flight_is_done(int status)
{
	return !status || status == -ESRCH || status == -EALREADY;
}

/* Returns whether to plan anew. */
static bool flight_settle(struct sched *sched, struct flight *flight,
			  const struct answer *answer)
{
	uint64_t call_ns = answer->end_ns - flight->start_ns;

	switch (answer->status) {
	case 0:
	case -ESRCH:
	case -EALREADY:
		if (entries_commit(sched, flight, answer->end_ns, call_ns))
			log_message(LOG_INFO, "switching works again");
		return false;
	case -EOWNERDEAD:
		sched->ejected = true;
		return false;
	}
	if (flight_is_refused(flight, answer)) {
		flight_set_apart(sched, flight, answer);
		return true;
	}
	/* Its event is yet to be read: plan without that node. */
	if (answer->status == -ESHUTDOWN && !device_read_nodes(sched)) {
		entries_doubt(sched, flight, answer->end_ns);
		return true;
	}
	/* Some nodes may have switched. */
	flight_back_off(sched, flight, answer);
	return false;
}

static void flight_count(struct sched *sched, const struct trace_record *record)
{
	struct sched_stats *stats = &sched->stats;
	uint64_t end_ns = record->start_ns + record->call_ns;

	if (!flight_is_done(record->status)) {
		stats->failures++;
		return;
	}
	stats->applies++;
	histogram_add(&stats->call, record->call_ns);
	if (record->event_ns && record->event_ns < end_ns)
		histogram_add(&stats->reaction, end_ns - record->event_ns);
}

static bool flight_over(struct sched *sched, struct flight *flight,
			const struct answer *answer)
{
	const struct trace_record record = {
		.start_ns = flight->start_ns,
		.event_ns = flight->event_ns,
		.call_ns = answer->end_ns - flight->start_ns,
		.status = answer->status,
		.flips = answer->flips,
		.apply = flight->apply,
	};
	bool replan = flight_settle(sched, flight, answer);

	flight_count(sched, &record);
	trace_write(sched->trace, &record);
	stream_switch(sched->stream, &record, sched);
	flight_put(sched, flight);
	return replan;
}

/* ---- send --------------------------------------------------------------- */

static bool flight_answered(struct sched *sched, struct flight *flight, int status)
{
	struct answer answer = { .status = status, .end_ns = clock_ns() };
	const struct kfd_xsched_node_result *results;
	size_t count;

	if (!flight_is_done(status))
		sched->last_error = status;
	results = xsched_apply_nodes(flight->apply, &count);
	answer.begun = count;
	for (size_t i = 0; i < count; i++) {
		answer.flips += results[i].flips;
		if (results[i].status && !answer.gpu_id)
			answer.gpu_id = results[i].gpu_id;
	}
	return flight_over(sched, flight, &answer);
}

bool flight_run(struct sched *sched, struct flight *flight)
{
	flight->start_ns = clock_ns();
	return flight_answered(sched, flight,
			       xsched_apply_run(flight->apply, sched->device));
}

/*
 * With one GPU there is nothing that a switch could delay, and to wait for it is
 * cheaper, by an event and a wake-up.
 */
bool flight_send(struct sched *sched, struct flight *flight)
{
	struct flights *flights = &sched->flights;
	int status;

	if (device_is_alone(sched))
		return flight_run(sched, flight);
	flight->start_ns = clock_ns();
	flight->cookie = ++flights->last_cookie;
	status = xsched_apply_start(flight->apply, sched->device, flight->cookie);
	if (status)
		return flight_answered(sched, flight, status);
	entries_mark(sched, flight);
	LIST_INSERT_HEAD(&flights->sent, flight, entry);
	flights->sent_count++;
	return false;
}

void flight_land(struct sched *sched, const struct kfd_xsched_event *event)
{
	const struct answer answer = {
		.status = -(int)event->data,
		.begun = true,
		.end_ns = event->time_ns,
		.gpu_id = event->gpu_id,
		.flips = event->queue_id,
	};
	struct flight *flight;

	LIST_FOREACH(flight, &sched->flights.sent, entry)
		if (flight->cookie == event->id)
			break;
	if (!flight)
		return;
	LIST_REMOVE(flight, entry);
	sched->flights.sent_count--;
	flight_over(sched, flight, &answer);
}
