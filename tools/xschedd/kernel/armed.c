// SPDX-License-Identifier: MIT
/*
 * Armed switches: one for each tenant to which others of lower priority yield.
 * It holds these others. To one that is demoted nobody yields, and it yields to all.
 * Whom the kernel refuses to hold that way is left out.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/armed.h"
#include "state/refusal.h"

/* Processes of one job start one after another: arm once, after the last. */
#define REST_NS		10000000

/* ---- what can be known in advance --------------------------------------- */

static bool armed_option_is(const struct sched *sched, const char *name, int64_t value)
{
	int64_t is;

	return !xsched_engine_option(sched->engine, name, &is) && is == value;
}

static bool armed_has_groups(const struct sched *sched)
{
	struct xsched_tenant tenant;

	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (tenant.group)
			return true;
	}
	return false;
}

static bool armed_is_known(const struct sched *sched)
{
	const char *policy = xsched_engine_policy(sched->engine);
	size_t nodes;

	xsched_nodes(sched->device, &nodes);
	if (strcmp(policy, "hhpf") && (strcmp(policy, "hpf") || nodes != 1))
		return false;
	return armed_option_is(sched, "floor_percent", 0) &&
	       armed_option_is(sched, "gang", 1) && !armed_has_groups(sched);
}

/* ---- arm and disarm ------------------------------------------------------ */

/* Whether the kernel refused it lately: then note when to try again. */
static bool armed_is_left_out(struct sched *sched, pid_t pid)
{
	const struct task *task = state_task(sched, pid);
	struct armed *armed = &sched->armed;

	if (!task || task->unarmed.until_ns <= armed->begin_ns)
		return false;
	if (task->unarmed.count && task->unarmed.until_ns < armed->due_ns)
		armed->due_ns = task->unarmed.until_ns;
	return true;
}

/* Tenants after number @index that yield to it. False: none, or too many. */
static bool armed_collect(struct sched *sched, size_t index, int32_t priority)
{
	struct xsched_apply *apply = sched->armed.apply;
	struct xsched_tenant tenant;

	xsched_apply_reset(apply);
	for (size_t i = index + 1; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (tenant.exempt || tenant.shut ||
		    (tenant.priority == priority && !tenant.demoted) ||
		    armed_is_left_out(sched, tenant.pid))
			continue;
		if (xsched_apply_count(apply) == KFD_XSCHED_MAX_ARMED_ENTRIES ||
		    state_add_hold(sched, apply, KFD_XSCHED_TARGET_PROCESS,
				   tenant.pid, tenant.pid))
			return false;
	}
	return xsched_apply_count(apply);
}

/* Returns whether it could be done. */
static bool armed_leave_out(struct sched *sched, const struct kfd_xsched_entry *entry)
{
	struct task *task = state_task(sched, entry->id);

	if (!task)
		return false;
	switch (entry->status) {
	case -ENOENT:
	case -ESRCH:
	case -EPERM:
	case -EOPNOTSUPP:
		/* Its event, or the plan's own switch, has the consequences. */
		task->unarmed.until_ns = sched->armed.begin_ns + 1;
		break;
	default:
		refusal_note(task, &task->unarmed, entry, clock_ns());
	}
	return true;
}

/* Returns whether the next try is without some that are at fault. */
static bool armed_leave_out_all(struct sched *sched)
{
	struct xsched_apply *apply = sched->armed.apply;
	const struct kfd_xsched_entry *e = xsched_apply_entries(apply);
	bool any = false;

	for (size_t i = 0; i < xsched_apply_count(apply); i++)
		if (e[i].status)
			any |= armed_leave_out(sched, &e[i]);
	return any;
}

static void armed_note_done(struct sched *sched)
{
	struct xsched_apply *apply = sched->armed.apply;
	const struct kfd_xsched_entry *e = xsched_apply_entries(apply);

	for (size_t i = 0; i < xsched_apply_count(apply); i++) {
		struct task *task = state_task(sched, e[i].id);

		if (task)
			refusal_end(task, &task->unarmed, &e[i]);
	}
	sched->armed.count++;
}

/* If this fails, the plan does its work; the next change tries again. */
static int armed_add(struct sched *sched, const struct xsched_tenant *trigger)
{
	struct armed *armed = &sched->armed;
	int ret = xsched_apply_arm(armed->apply, sched->device,
				   KFD_XSCHED_TARGET_PROCESS, trigger->pid,
				   &armed->ids[armed->count]);

	if (!ret)
		armed_note_done(sched);
	else if (ret == -EOWNERDEAD)
		sched->ejected = true;
	else
		log_message(LOG_DEBUG, "no switch armed for process %d: %s",
			    trigger->pid, strerror(-ret));
	return ret;
}

/* Without those that the kernel refuses: it may name them one by one. */
static int armed_add_without(struct sched *sched, size_t index,
			     const struct xsched_tenant *trigger)
{
	int ret = 0;

	while (armed_collect(sched, index, trigger->priority)) {
		ret = armed_add(sched, trigger);
		if (!ret || !armed_leave_out_all(sched))
			break;
	}
	return ret;
}

static void armed_add_all(struct sched *sched)
{
	struct armed *armed = &sched->armed;
	struct xsched_tenant tenant;
	int ret = 0;

	/* In the order of their priorities. */
	for (size_t i = 0; i < xsched_engine_tenants(sched->engine) &&
	     armed->count < KFD_XSCHED_MAX_ARMED; i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (tenant.exempt || tenant.manual || tenant.demoted)
			continue;
		ret = armed_add_without(sched, i, &tenant);
		if (ret == -ENOTTY || ret == -EOWNERDEAD)
			break;
	}
	if (ret != -ENOTTY)
		return;
	armed->missing = true;
	log_message(LOG_WARNING, "armed=yes: this kernel has no armed switches");
}

static void armed_disarm_all(struct sched *sched)
{
	struct armed *armed = &sched->armed;

	while (armed->count) {
		int ret = xsched_disarm_async(sched->device,
					      armed->ids[--armed->count]);

		if (ret == -EOWNERDEAD)
			sched->ejected = true;
		else if (ret && ret != -ESRCH)
			log_message(LOG_WARNING, "cannot disarm a switch: %s",
				    strerror(-ret));
	}
}

/* ---- when ---------------------------------------------------------------- */

void armed_renew(struct sched *sched)
{
	struct armed *armed = &sched->armed;

	armed_disarm_all(sched);
	if (!sched->config->armed || armed->missing || !armed_is_known(sched))
		return;
	armed->begin_ns = clock_ns();
	armed->due_ns = XSCHED_NO_DEADLINE;
	armed_add_all(sched);
	if (armed->due_ns != XSCHED_NO_DEADLINE)
		clock_timer_set(armed->timer, armed->due_ns);
}

int armed_open(struct sched *sched)
{
	return xsched_apply_new(&sched->armed.apply, 0);
}

void armed_close(struct sched *sched)
{
	if (sched->device)
		armed_disarm_all(sched);
	clock_timer_free(sched->armed.timer);
	xsched_apply_free(sched->armed.apply);
	sched->armed = (struct armed){ 0 };
}

void armed_stale(struct sched *sched)
{
	struct armed *armed = &sched->armed;

	if (!armed->timer || armed->missing ||
	    (!armed->count && !sched->config->armed))
		return;
	clock_timer_set(armed->timer, clock_ns() + REST_NS);
}

void armed_wrong(struct sched *sched)
{
	armed_disarm_all(sched);
	armed_stale(sched);
}

void armed_lost(struct sched *sched)
{
	sched->armed.count = 0;
	armed_stale(sched);
}

void armed_event(struct sched *sched, const struct kfd_xsched_event *event)
{
	if (event->data & KFD_XSCHED_ARMED_READY)
		sched->armed.runs++;
}
