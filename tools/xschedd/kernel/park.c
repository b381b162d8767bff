// SPDX-License-Identifier: MIT
/*
 * Parks.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "kernel/park.h"

static void park_failed(struct sched *sched, pid_t pid, int error)
{
	const struct log_fields fields = { .pid = pid };

	/* It has exited. */
	if (error == -ENOENT || error == -ESRCH)
		return;
	if (error == -ENOTTY && sched->park_missing)
		return;
	if (error == -ENOTTY) {
		sched->park_missing = true;
		log_message(LOG_NOTICE, "this kfd_xsched parks no process: 'park' has no effect");
		return;
	}
	log_event(LOG_WARNING, &fields, "process %d: its park cannot be set: %s", pid,
		  strerror(-error));
}

void park_tell(struct sched *sched, struct task *task)
{
	const struct rating *rating = &task->rating;
	const pid_t pid = task->process.pid;
	struct park *park = &task->park;
	int ret;

	if (rating->has_park == park->said && (!park->said || rating->park_ms == park->ms))
		return;
	ret = rating->has_park ? xsched_park(sched->device, pid, rating->park_ms) :
				 xsched_park_clear(sched->device, pid);
	/* Nothing was said of it: as is wanted. */
	if (ret == -EALREADY && !rating->has_park)
		ret = 0;
	if (ret) {
		park_failed(sched, pid, ret);
		return;
	}
	park->said = rating->has_park;
	park->ms = rating->park_ms;
}

void park_tell_all(struct sched *sched)
{
	struct xsched_tenant tenant;

	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		struct task *task;

		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		task = tenant.user;
		if (!task || !task->park.said)
			continue;
		task->park.said = false;
		park_tell(sched, task);
	}
}

static void park_forget_looks(const struct sched *sched)
{
	struct xsched_tenant tenant;

	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		struct task *task;

		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		task = tenant.user;
		if (task)
			task->park = (struct park){ .said = task->park.said, .ms = task->park.ms };
	}
}

static void park_see(struct task *task, const struct kfd_xsched_queue *queue)
{
	task->park.since_ns = queue->parked_ns;
	task->park.resident = queue->resident;
	task->park.returns = queue->returns;
	task->park.slots += queue->type == KFD_XSCHED_QUEUE_COMPUTE;
}

void park_look(const struct sched *sched)
{
	struct xsched_queue_list list = { 0 };

	park_forget_looks(sched);
	if (!sched->device || xsched_list_queues(sched->device, &list))
		return;
	for (size_t i = 0; i < list.count; i++) {
		struct task *task = list.queues[i].pid > 0 ?
			state_task(sched, list.queues[i].pid) : NULL;

		if (task)
			park_see(task, &list.queues[i]);
	}
	xsched_queue_list_free(&list);
}
