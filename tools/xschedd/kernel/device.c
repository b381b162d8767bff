// SPDX-License-Identifier: MIT
/*
 * The device.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/log.h"
#include "kernel/device.h"
#include "kernel/lease.h"

#define EVENTS_WANTED (KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_DEL) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_PROCESS_EXIT) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_LOST) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET))

/* An older kernel refuses an unknown event: ask for it only if it is used. */
#define EVENT_ARMED	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED)
/* The same; one without breakers, or without demotion, has none to report. */
#define EVENT_BREAKER	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_BREAKER)
#define EVENT_DEMOTED	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_DEMOTED)

static const uint32_t newer[] = { EVENT_BREAKER | EVENT_DEMOTED, EVENT_BREAKER, 0 };

int device_lost(struct sched *sched, int error)
{
	log_message(LOG_ERR, "the device is gone: %s", strerror(-error));
	return sd_event_exit(sched->event, error);
}

bool device_is_shut(const struct sched *sched, uint32_t gpu_id)
{
	const struct kfd_xsched_node *nodes;
	size_t count;

	if (!sched->device)
		return false;
	nodes = xsched_nodes(sched->device, &count);
	for (size_t i = 0; i < count; i++)
		if (nodes[i].gpu_id == gpu_id)
			return nodes[i].shut_ns;
	return false;
}

bool device_is_alone(const struct sched *sched)
{
	size_t count;

	xsched_nodes(sched->device, &count);
	return count < 2;
}

FILE *device_open_file(uint32_t gpu_id, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/kfd_xsched/node%u/%s", gpu_id, name);
	return fopen(path, "re");
}

FILE *device_open_module_file(const char *module, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/%s", module, name);
	return fopen(path, "re");
}

bool device_has_level(const struct sched *sched, int level)
{
	uint32_t cap = level == 2 ? KFD_XSCHED_CAP_UNMAP :
				    KFD_XSCHED_CAP_SUSPEND;
	const struct kfd_xsched_node *nodes;
	size_t count;

	nodes = xsched_nodes(sched->device, &count);
	for (size_t i = 0; i < count; i++)
		if (!(nodes[i].caps & cap) && !nodes[i].shut_ns)
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

		if (nodes[i].shut_ns)
			log_message(LOG_WARNING, "GPU %u: its breaker is open: nothing is held there",
				    nodes[i].gpu_id);
		else if (!(nodes[i].caps & need))
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

int device_read_nodes(struct sched *sched)
{
	const struct kfd_xsched_node *nodes;
	int ret = xsched_refresh_nodes(sched->device);
	size_t count;

	if (ret) {
		log_message(LOG_ERR, "cannot read the nodes: %s", strerror(-ret));
		return ret;
	}
	nodes = xsched_nodes(sched->device, &count);
	for (size_t i = 0; i < count; i++)
		xsched_engine_set_shut(sched->engine, nodes[i].gpu_id, nodes[i].shut_ns);
	return 0;
}

int device_subscribe(struct sched *sched)
{
	uint32_t events = EVENTS_WANTED |
			  (sched->config->armed ? EVENT_ARMED : 0);
	const struct config *config = sched->config;
	int ret = -EOPNOTSUPP;

	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]) && ret == -EOPNOTSUPP; i++)
		ret = xsched_subscribe(sched->device, events | newer[i], config->sample_us,
				       config->settle_us);
	if (ret)
		log_message(LOG_ERR, "cannot subscribe: %s", strerror(-ret));
	return ret;
}

static int device_cannot_watch(int error)
{
	log_message(LOG_ERR, "cannot watch the device: %s", strerror(-error));
	return error;
}

int device_watch(struct sched *sched, sd_event_io_handler_t handler)
{
	int ret = sd_event_add_io(sched->event, &sched->device_source,
				  xsched_fd(sched->device), EPOLLIN, handler,
				  sched);

	/* The GPU comes before users of the control socket. */
	if (ret >= 0)
		ret = sd_event_source_set_priority(sched->device_source,
						   SD_EVENT_PRIORITY_IMPORTANT);
	return ret < 0 ? device_cannot_watch(ret) : 0;
}

/* The source remains when a new client replaces the former. */
static int device_watch_again(struct sched *sched)
{
	int ret;

	if (!sched->device_source)
		return 0;
	ret = sd_event_source_set_io_fd(sched->device_source,
					xsched_fd(sched->device));
	if (ret >= 0)
		ret = sd_event_source_set_enabled(sched->device_source,
						  SD_EVENT_ON);
	return ret < 0 ? device_cannot_watch(ret) : 0;
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
	ret = device_watch_again(sched);
	if (ret)
		return ret;
	lease_renew(sched);
	/* Subscribe first: what happens after the list comes as an event. */
	return device_subscribe(sched);
}

void device_disconnect(struct sched *sched)
{
	/* Disable it before close(), as the descriptor may be reused. */
	sd_event_source_set_enabled(sched->device_source, SD_EVENT_OFF);
	xsched_close(sched->device);
	sched->device = NULL;
}
