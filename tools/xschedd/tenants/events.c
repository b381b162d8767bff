// SPDX-License-Identifier: MIT
/*
 * Feed events of the device to the engine. When the kernel has ejected the
 * daemon, it becomes a new client and plans afresh.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/armed.h"
#include "kernel/device.h"
#include "kernel/lease.h"
#include "kernel/park.h"
#include "state/stream.h"
#include "tenants/events.h"
#include "tenants/flight.h"
#include "tenants/tenant.h"

/* Events read at a time. */
#define BATCH		64

/* A process that was held and has no queue may have exited unnoticed. */
static void events_reap(struct sched *sched)
{
	struct xsched_tenant tenant;
	size_t i = xsched_engine_tenants(sched->engine);

	while (i-- > 0) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (!tenant.queues && kill(tenant.pid, 0) && errno == ESRCH)
			xsched_engine_process_exit(sched->engine, tenant.pid);
	}
}

int events_resync(struct sched *sched)
{
	int ret = device_read_nodes(sched);

	if (ret)
		return ret;
	ret = xsched_list_queues(sched->device, &sched->list);
	if (ret) {
		log_message(LOG_ERR, "cannot list queues: %s", strerror(-ret));
		return ret;
	}
	xsched_engine_sync_begin(sched->engine);
	for (size_t i = 0; i < sched->list.count; i++) {
		const struct kfd_xsched_queue *queue = &sched->list.queues[i];

		if (queue->pid <= 0)
			continue;
		ret = xsched_engine_sync_queue(sched->engine, queue);
		if (ret == XSCHED_NEW_TENANT)
			tenant_adopt(sched, queue->pid);
		else if (ret < 0)
			log_message(LOG_ERR, "queue %llu is not scheduled: %s",
				    (unsigned long long)queue->id,
				    strerror(-ret));
		if (ret >= 0)
			tenant_note_demotion(sched, queue->pid,
					     queue->state & KFD_XSCHED_QUEUE_DEMOTED);
	}
	xsched_engine_sync_end(sched->engine);
	events_reap(sched);
	return 0;
}

static void events_note_breaker(struct sched *sched, const struct kfd_xsched_event *event)
{
	const struct log_fields fields = { .gpu_id = event->gpu_id, .id = LOG_BREAKER };

	device_read_nodes(sched);
	armed_wrong(sched);
	if (event->data)
		log_event(LOG_ERR, &fields,
			  "GPU %u: its breaker opened: nothing is held there, and nobody is held for what runs there",
			  event->gpu_id);
	else
		log_event(LOG_NOTICE, &fields, "GPU %u: its breaker is closed again",
			  event->gpu_id);
}

/* Returns whether it is of a process that is not known yet: the list has it, or will. */
static bool events_note_demotion(struct sched *sched, const struct kfd_xsched_event *event)
{
	tenant_note_demotion(sched, event->pid, event->data);
	return event->data && event->pid > 0 && !state_task(sched, event->pid);
}

/* Returns whether the list of queues must be read again. */
static bool events_feed(struct sched *sched, const struct kfd_xsched_event *event)
{
	bool stale = false;
	int ret;

	if (event->type == KFD_XSCHED_EVENT_APPLY_DONE) {
		flight_land(sched, event);
		return false;
	}
	flight_stir(sched);
	/* With the exit, the engine forgets the task. */
	if (event->type == KFD_XSCHED_EVENT_PROCESS_EXIT)
		stream_event(sched->stream, event,
			     state_task(sched, event->pid));
	ret = xsched_engine_event(sched->engine, event);
	if (ret == XSCHED_NEW_TENANT)
		tenant_adopt(sched, event->pid);
	if (event->type != KFD_XSCHED_EVENT_PROCESS_EXIT)
		stream_event(sched->stream, event,
			     state_task(sched, event->pid));
	if (event->type == KFD_XSCHED_EVENT_EJECTED)
		sched->ejected = true;
	if (event->type == KFD_XSCHED_EVENT_ARMED)
		armed_event(sched, event);
	if (event->type == KFD_XSCHED_EVENT_NODE_RESET)
		log_event(LOG_WARNING,
			  &(struct log_fields){ .gpu_id = event->gpu_id },
			  "GPU %u: reset %s", event->gpu_id,
			  event->data ? "ended" : "begins");
	if (event->type == KFD_XSCHED_EVENT_NODE_BREAKER)
		events_note_breaker(sched, event);
	if (event->type == KFD_XSCHED_EVENT_DEMOTED && !ret)
		stale = events_note_demotion(sched, event);
	if (ret == -ENOMEM || ret == -ENOSPC)
		log_message(LOG_ERR, "queue %llu is not scheduled: %s",
			    (unsigned long long)event->id, strerror(-ret));
	if (ret != -ESTALE)
		return stale;
	sched->stats.lost++;
	return true;
}

int events_read(struct sched *sched, bool hung_up, uint64_t *event_ns)
{
	struct kfd_xsched_event events[BATCH];
	bool stale = false;
	int count;

	*event_ns = 0;
	do {
		count = xsched_read_events(sched->device, events, BATCH);
		if (count < 0)
			break;
		if (!count)
			return -ENODEV;
		if (!*event_ns)
			*event_ns = events[0].time_ns;
		sched->stats.events += count;
		for (int i = 0; i < count; i++)
			stale |= events_feed(sched, &events[i]);
	} while (count == BATCH);

	sched->ejected |= count == -EOWNERDEAD;
	if (sched->ejected)
		return 0;
	if (count < 0 && count != -EAGAIN && count != -EINTR)
		return count;
	if (count < 0 && !*event_ns && hung_up)
		return -ENODEV;
	if (stale)
		events_resync(sched);
	return 0;
}

int events_start_afresh(struct sched *sched)
{
	struct kfd_xsched_renew why;
	struct xsched_tenant tenant;
	int ret;

	sched->ejected = false;
	sched->stats.ejections++;
	xsched_renew(sched->device, &why);
	log_event(LOG_WARNING, &(struct log_fields){ .id = LOG_EJECTED },
		  "ejected by the kernel: %s; starting afresh",
		  xsched_eject_name(why.ejected));
	device_disconnect(sched);
	armed_lost(sched);
	flight_forget_all(sched);
	lease_run(sched, false);
	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		xsched_engine_commit(sched->engine, tenant.pid,
				     XSCHED_RELEASED, clock_ns());
	}
	ret = device_connect(sched);
	if (!ret)
		ret = events_resync(sched);
	if (!ret)
		park_tell_all(sched);
	if (ret)
		device_lost(sched, ret);
	else
		log_message(LOG_NOTICE, "started afresh");
	return ret;
}
