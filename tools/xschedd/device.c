// SPDX-License-Identifier: MIT
/*
 * The device: become a client, read its events, and start afresh when the
 * kernel ejected us: become a client anew and plan afresh.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>

#include "log.h"
#include "sched_priv.h"
#include "stream.h"

/* Events read at a time. */
#define BATCH		64

#define EVENTS_WANTED (KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_DEL) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_PROCESS_EXIT) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_LOST) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET))

/* An older kernel would refuse what it does not know: asked for only if used. */
#define EVENT_ARMED	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED)

/* A process that was held and has no queue may be gone, its exit unseen. */
static void reap(struct sched *sched)
{
	struct xsched_tenant tenant;
	size_t i = xsched_engine_tenants(sched->engine);

	while (i-- > 0) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (!tenant.queues && kill(tenant.pid, 0) && errno == ESRCH)
			xsched_engine_process_exit(sched->engine, tenant.pid);
	}
}

int device_resync(struct sched *sched)
{
	int ret = xsched_list_queues(sched->device, &sched->list);

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
			log_message(LOG_ERR, "queue %llu is left alone: %s",
				    (unsigned long long)queue->id,
				    strerror(-ret));
	}
	xsched_engine_sync_end(sched->engine);
	reap(sched);
	return 0;
}

/* Returns whether the list of queues must be read again. */
static bool feed(struct sched *sched, const struct kfd_xsched_event *event)
{
	int ret;

	/* Of an exit the engine forgets whose it was. */
	if (event->type == KFD_XSCHED_EVENT_PROCESS_EXIT)
		stream_event(sched->stream, event,
			     sched_task(sched, event->pid));
	ret = xsched_engine_event(sched->engine, event);
	if (ret == XSCHED_NEW_TENANT)
		tenant_adopt(sched, event->pid);
	if (event->type != KFD_XSCHED_EVENT_PROCESS_EXIT)
		stream_event(sched->stream, event,
			     sched_task(sched, event->pid));
	if (event->type == KFD_XSCHED_EVENT_EJECTED)
		sched->ejected = true;
	if (event->type == KFD_XSCHED_EVENT_ARMED)
		armed_event(sched, event);
	if (event->type == KFD_XSCHED_EVENT_NODE_RESET)
		log_event(LOG_WARNING,
			  &(struct log_fields){ .gpu_id = event->gpu_id },
			  "GPU %u: reset %s", event->gpu_id,
			  event->data ? "ended" : "begins");
	if (ret == -ENOMEM || ret == -ENOSPC)
		log_message(LOG_ERR, "queue %llu is left alone: %s",
			    (unsigned long long)event->id, strerror(-ret));
	if (ret != -ESTALE)
		return false;
	sched->stats.lost++;
	return true;
}

static int device_lost(struct sched *sched, int error)
{
	log_message(LOG_ERR, "the device is gone: %s", strerror(-error));
	return sd_event_exit(sched->event, error);
}

static int on_device(sd_event_source *source, int fd, uint32_t revents,
		     void *user)
{
	struct sched *sched = user;
	struct kfd_xsched_event events[BATCH];
	uint64_t event_ns = 0;
	bool stale = false;
	int count;

	(void)source;
	(void)fd;
	do {
		count = xsched_read_events(sched->device, events, BATCH);
		if (count < 0)
			break;
		if (!count)
			return device_lost(sched, -ENODEV);
		if (!event_ns)
			event_ns = events[0].time_ns;
		sched->stats.events += count;
		for (int i = 0; i < count; i++)
			stale |= feed(sched, &events[i]);
	} while (count == BATCH);

	if (count == -EOWNERDEAD)
		sched->ejected = true;
	if (sched->ejected) {
		if (!device_start_afresh(sched))
			switch_now(sched, 0);
		return 0;
	}
	if (count < 0 && count != -EAGAIN && count != -EINTR)
		return device_lost(sched, count);
	if (count < 0 && !event_ns && (revents & (EPOLLHUP | EPOLLERR)))
		return device_lost(sched, -ENODEV);
	if (stale)
		device_resync(sched);
	switch_wait(sched);
	switch_now(sched, event_ns);
	return 0;
}

bool device_can(const struct sched *sched, uint32_t caps)
{
	const struct kfd_xsched_node *nodes;
	size_t count;

	nodes = xsched_nodes(sched->device, &count);
	for (size_t i = 0; i < count; i++)
		if ((nodes[i].caps & caps) != caps)
			return false;
	return true;
}

void device_check_nodes(struct sched *sched)
{
	const struct config *config = sched->config;
	const struct kfd_xsched_node *nodes;
	size_t count;

	nodes = xsched_nodes(sched->device, &count);
	if (!count)
		log_message(LOG_WARNING, "there is no GPU node");
	for (size_t i = 0; i < count; i++) {
		uint32_t need = config->unmap ? KFD_XSCHED_CAP_UNMAP :
						KFD_XSCHED_CAP_SUSPEND;

		if (!(nodes[i].caps & need))
			log_message(LOG_WARNING, "GPU %u cannot %s its queues",
				    nodes[i].gpu_id,
				    config->unmap ? "unmap" : "suspend");
		if (config->unmap && config->grace_us > nodes[i].max_grace_us)
			log_message(LOG_WARNING,
				    "GPU %u: grace_us=%u is above its limit, %u",
				    nodes[i].gpu_id, config->grace_us,
				    nodes[i].max_grace_us);
	}
}

int device_subscribe(struct sched *sched)
{
	uint32_t events = EVENTS_WANTED |
			  (sched->config->armed ? EVENT_ARMED : 0);
	int ret = xsched_subscribe(sched->device, events,
				   sched->config->sample_us,
				   sched->config->settle_us);

	if (ret)
		log_message(LOG_ERR, "cannot subscribe: %s", strerror(-ret));
	return ret;
}

static int watch_device(struct sched *sched)
{
	int ret = sd_event_add_io(sched->event, &sched->device_source,
				  xsched_fd(sched->device), EPOLLIN, on_device,
				  sched);

	if (ret < 0)
		return ret;
	/* The GPU first, users of the control socket after it. */
	return sd_event_source_set_priority(sched->device_source,
					    SD_EVENT_PRIORITY_IMPORTANT);
}

int device_connect(struct sched *sched)
{
	const char *path = sched->config->device;
	int ret = xsched_open(&sched->device, path);

	if (ret) {
		log_message(LOG_ERR, "%s: %s", path, strerror(-ret));
		return ret;
	}
	device_check_nodes(sched);
	ret = watch_device(sched);
	if (ret < 0) {
		log_message(LOG_ERR, "cannot watch the device: %s",
			    strerror(-ret));
		return ret;
	}
	lease_renew(sched);
	/* Subscribe first: what happens after the list comes as an event. */
	return device_subscribe(sched);
}

int device_start_afresh(struct sched *sched)
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
	sched->device_source = sd_event_source_disable_unref(sched->device_source);
	xsched_close(sched->device);
	sched->device = NULL;
	armed_lost(sched);
	lease_run(sched, false);
	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		xsched_engine_commit(sched->engine, tenant.pid,
				     XSCHED_RELEASED, now_ns());
	}
	ret = device_connect(sched);
	if (!ret)
		ret = device_resync(sched);
	if (ret)
		device_lost(sched, ret);
	else
		log_message(LOG_NOTICE, "started afresh");
	return ret;
}
