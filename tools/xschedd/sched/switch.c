// SPDX-License-Identifier: MIT
/*
 * Switching.
 *
 * A switch that fails because of the firmware is tried again with back-off.
 * Nothing is undone: the engine marks unknown states as uncertain, and the
 * kernel's operations are idempotent.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/device.h"
#include "kernel/lease.h"
#include "sched/switch.h"
#include "state/stream.h"
#include "state/trace.h"
#include "tenants/entries.h"
#include "tenants/events.h"

/* How often to plan a switch anew when the kernel refused some of it. */
#define PLAN_ATTEMPTS	4

/* Back-off: 1 ms, doubled up to a second; then one attempt a second, but only
 * while events keep coming.
 */
#define BACKOFF_FIRST_NS	1000000ULL
#define BACKOFF_LAST_NS		1000000000ULL
#define BACKOFF_ATTEMPTS	10

/* Result of a switch. */
enum outcome {
	DONE,		/* as planned */
	REPLAN,		/* some of it is refused: plan without */
	RETRY,		/* the firmware or memory: try again later */
};

static enum outcome switch_settle(struct sched *sched, int status, uint64_t end_ns,
				  uint64_t call_ns)
{
	switch (status) {
	case 0:
	case -ESRCH:
	case -EALREADY:
		entries_commit(sched, end_ns, call_ns);
		return DONE;
	case -EOWNERDEAD:
		sched->ejected = true;
		return RETRY;
	case -EIO:
	case -ETIME:
	case -ENODEV:
		/* Some nodes may have switched. */
		entries_doubt(sched, end_ns);
		return RETRY;
	case -ESHUTDOWN:
		/* Its event is yet to be read: plan without that node. */
		entries_doubt(sched, end_ns);
		return device_read_nodes(sched) ? RETRY : REPLAN;
	default:
		/* Nothing changed. */
		return entries_refuse(sched) ? REPLAN : RETRY;
	}
}

static struct node_stats *switch_node_stats(struct sched_stats *stats, uint32_t gpu_id)
{
	struct node_stats *node;

	for (size_t i = 0; i < stats->node_count; i++)
		if (stats->nodes[i]->gpu_id == gpu_id)
			return stats->nodes[i];
	if (stats->node_count == XSCHED_ENGINE_NODES)
		return NULL;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->gpu_id = gpu_id;
	stats->nodes[stats->node_count++] = node;
	return node;
}

static void switch_count_nodes(struct sched *sched)
{
	const struct kfd_xsched_node_result *results;
	size_t count;

	results = xsched_apply_nodes(sched->apply, &count);
	for (size_t i = 0; i < count; i++) {
		struct node_stats *node = switch_node_stats(&sched->stats,
							    results[i].gpu_id);

		if (!node)
			continue;
		node->switches++;
		node->failures += results[i].status != 0;
		node->flips += results[i].flips;
		histogram_add(&node->total, results[i].total_ns);
	}
}

/* One APPLY, with the entries of @sched->apply. */
static enum outcome switch_apply(struct sched *sched, uint64_t event_ns)
{
	struct trace_record record = {
		.event_ns = event_ns,
		.apply = sched->apply,
	};
	enum outcome outcome;
	uint64_t end_ns;

	record.start_ns = clock_ns();
	record.status = xsched_apply_run(sched->apply, sched->device);
	end_ns = clock_ns();
	record.call_ns = end_ns - record.start_ns;
	sched->last_error = record.status;
	outcome = switch_settle(sched, record.status, end_ns, record.call_ns);
	if (outcome == DONE) {
		sched->stats.applies++;
		histogram_add(&sched->stats.call, record.call_ns);
		if (event_ns && event_ns < end_ns)
			histogram_add(&sched->stats.reaction,
				      end_ns - event_ns);
	} else {
		sched->stats.failures++;
	}
	switch_count_nodes(sched);
	trace_write(sched->trace, &record);
	stream_switch(sched->stream, &record, sched);
	return outcome;
}

static void switch_timer(struct sched *sched, uint64_t at_ns)
{
	if (at_ns == XSCHED_NO_DEADLINE) {
		clock_timer_off(sched->timer);
		return;
	}
	clock_timer_set(sched->timer, at_ns);
}

static void switch_back_off(struct sched *sched)
{
	unsigned int n = sched->attempts++;
	uint64_t delay = n < BACKOFF_ATTEMPTS ? BACKOFF_FIRST_NS << n :
						BACKOFF_LAST_NS;

	if (!n)
		log_event(LOG_ERR,
			  &(struct log_fields){ .id = LOG_SWITCH_FAILED },
			  "cannot switch: %s", strerror(-sched->last_error));
	/* Give up: the next event tries again, see switch_wait(). */
	if (n >= BACKOFF_ATTEMPTS) {
		if (n == BACKOFF_ATTEMPTS)
			log_message(LOG_ERR, "cannot switch, gave up after %u attempts: %s",
				    n, strerror(-sched->last_error));
		return;
	}
	sched->backing_off = true;
	if (delay > BACKOFF_LAST_NS)
		delay = BACKOFF_LAST_NS;
	switch_timer(sched, clock_ns() + delay);
}

static void switch_recovered(struct sched *sched)
{
	if (sched->attempts)
		log_message(LOG_INFO, "switching works again");
	sched->attempts = 0;
}

void switch_now(struct sched *sched, uint64_t event_ns)
{
	struct xsched_plan plan;
	enum outcome outcome = DONE;

	if (sched->backing_off)
		return;
	for (int i = 0; i < PLAN_ATTEMPTS; i++) {
		xsched_engine_plan(sched->engine, clock_ns(), &plan);
		sched->last_error = entries_fill(sched, &plan);
		if (!sched->last_error && !xsched_apply_count(sched->apply))
			break;
		outcome = sched->last_error ? RETRY : switch_apply(sched, event_ns);
		/* After a release, see whether that was the last. */
		lease_run(sched, plan.hold_count || plan.hold_queue_count ||
			  lease_needed(sched));
		if (sched->ejected && !events_start_afresh(sched)) {
			outcome = DONE;
			continue;
		}
		if (outcome != REPLAN)
			break;
	}
	if (outcome == DONE) {
		if (sched->attempts)
			switch_recovered(sched);
		switch_timer(sched, plan.deadline_ns);
	} else {
		switch_back_off(sched);
	}
}

void switch_wait(struct sched *sched)
{
	if (sched->attempts <= BACKOFF_ATTEMPTS || sched->backing_off)
		return;
	sched->backing_off = true;
	switch_timer(sched, clock_ns() + BACKOFF_LAST_NS);
}

void switch_due(struct sched *sched)
{
	if (sched->backing_off)
		sched->stats.retries++;
	sched->backing_off = false;
	switch_now(sched, 0);
}

void switch_afresh(struct sched *sched)
{
	if (!events_start_afresh(sched))
		switch_now(sched, 0);
}

/* Release explicitly, not by closing the device. */
void switch_release_all(struct sched *sched)
{
	struct xsched_tenant tenant;
	int ret;

	xsched_apply_reset(sched->apply);
	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (tenant.state != XSCHED_RELEASED &&
		    xsched_apply_resume_process(sched->apply, tenant.pid))
			break;
	}
	if (!xsched_apply_count(sched->apply))
		return;
	switch_apply(sched, 0);
	ret = sched->last_error;
	if (ret && ret != -ESRCH && ret != -EALREADY)
		log_message(LOG_WARNING, "cannot release, the kernel will: %s",
			    strerror(-ret));
}
