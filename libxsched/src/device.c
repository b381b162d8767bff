// SPDX-License-Identifier: MIT
/*
 * A client of kfd_xsched: descriptor, nodes, subscription.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <xsched/object.h>

#include "log.h"

/**
 * struct xsched_device - see xsched/object.h
 * @fd: open device
 * @abi_version: as the module says
 * @nodes: @node_count nodes of the last xsched_refresh_nodes(), or NULL
 * @node_count: number of @nodes
 */
struct xsched_device {
	int fd;
	uint32_t abi_version;
	struct kfd_xsched_node *nodes;
	size_t node_count;
};

#define ACTIVITY_EVENTS (KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) | \
			 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE))

/* Nodes may appear meanwhile: how often to try again with more room. */
#define NODE_ATTEMPTS 8

int xsched_refresh_nodes(struct xsched_device *device)
{
	struct kfd_xsched_node *nodes = NULL;
	uint32_t room = 0;

	for (int i = 0; i < NODE_ATTEMPTS; i++) {
		struct kfd_xsched_info info = {
			.node_capacity = room,
			.nodes = (uintptr_t)nodes,
		};
		int ret = xsched_sys_info(device->fd, &info);

		if (ret) {
			free(nodes);
			return ret;
		}
		device->abi_version = info.abi_version;
		if (info.node_count <= room) {
			free(device->nodes);
			device->nodes = nodes;
			device->node_count = info.node_count;
			return 0;
		}
		free(nodes);
		room = info.node_count;
		nodes = calloc(room, sizeof(*nodes));
		if (!nodes)
			return -ENOMEM;
	}
	free(nodes);
	return -EAGAIN;
}

int xsched_open_fd(struct xsched_device **out, int fd)
{
	struct xsched_device *device = calloc(1, sizeof(*device));
	int ret;

	if (!device)
		return -ENOMEM;
	device->fd = fd;
	ret = xsched_refresh_nodes(device);
	if (!ret && device->abi_version != KFD_XSCHED_ABI_VERSION) {
		xsched_log(XSCHED_LOG_ERROR,
			   "the module speaks ABI %u, this library %u",
			   device->abi_version, KFD_XSCHED_ABI_VERSION);
		ret = -EPROTONOSUPPORT;
	}
	if (ret) {
		free(device->nodes);
		free(device);
		return ret;
	}
	*out = device;
	return 0;
}

int xsched_open(struct xsched_device **out, const char *path)
{
	int ret, fd;

	fd = open(path ? path : XSCHED_DEVICE_PATH,
		  O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = xsched_open_fd(out, fd);
	if (ret)
		close(fd);
	return ret;
}

void xsched_close(struct xsched_device *device)
{
	if (!device)
		return;
	close(device->fd);
	free(device->nodes);
	free(device);
}

int xsched_fd(const struct xsched_device *device)
{
	return device->fd;
}

uint32_t xsched_abi_version(const struct xsched_device *device)
{
	return device->abi_version;
}

const struct kfd_xsched_node *xsched_nodes(const struct xsched_device *device,
					   size_t *count)
{
	*count = device->node_count;
	return device->nodes;
}

int xsched_subscribe(struct xsched_device *device, uint32_t events,
		     uint32_t sample_us, uint32_t settle_us)
{
	struct kfd_xsched_subscribe subscribe = { .events = events };

	if (events & ACTIVITY_EVENTS) {
		subscribe.sample_us = sample_us;
		subscribe.settle_us = settle_us;
	}
	return xsched_sys_subscribe(device->fd, &subscribe);
}

int xsched_renew(struct xsched_device *device, struct kfd_xsched_renew *renew)
{
	struct kfd_xsched_renew local, *arg = renew ? renew : &local;

	*arg = (struct kfd_xsched_renew){ 0 };
	return xsched_sys_renew(device->fd, arg);
}

const char *xsched_eject_name(uint64_t reason)
{
	switch (reason) {
	case KFD_XSCHED_EJECT_NONE:
		return "not ejected";
	case KFD_XSCHED_EJECT_WATCHDOG:
		return "no sign of life while a held queue had work";
	case KFD_XSCHED_EJECT_ADMIN:
		return "by an administrator";
	case KFD_XSCHED_EJECT_DISABLED:
		return "the module was disabled";
	default:
		return "for a reason this library does not know";
	}
}

int xsched_tenant_create(struct xsched_device *device, uint64_t *id)
{
	struct kfd_xsched_tenant tenant = { .op = KFD_XSCHED_TENANT_CREATE };
	int ret = xsched_sys_tenant(device->fd, &tenant);

	if (!ret)
		*id = tenant.id;
	return ret;
}

static int tenant_change(struct xsched_device *device, uint32_t op, uint64_t id,
			 pid_t pid)
{
	struct kfd_xsched_tenant tenant = {
		.op = op,
		.id = id,
		.process = (uint64_t)pid,
	};

	return xsched_sys_tenant(device->fd, &tenant);
}

int xsched_tenant_add(struct xsched_device *device, uint64_t id, pid_t pid)
{
	return tenant_change(device, KFD_XSCHED_TENANT_ADD, id, pid);
}

int xsched_tenant_remove(struct xsched_device *device, uint64_t id, pid_t pid)
{
	return tenant_change(device, KFD_XSCHED_TENANT_REMOVE, id, pid);
}

int xsched_tenant_destroy(struct xsched_device *device, uint64_t id)
{
	return tenant_change(device, KFD_XSCHED_TENANT_DESTROY, id, 0);
}

static int park_change(struct xsched_device *device, uint32_t op, pid_t pid, uint32_t idle_ms)
{
	struct kfd_xsched_park park = {
		.op = op,
		.target = KFD_XSCHED_TARGET_PROCESS,
		.id = (uint64_t)pid,
		.idle_ms = idle_ms,
	};

	return xsched_sys_park(device->fd, &park);
}

int xsched_park(struct xsched_device *device, pid_t pid, uint32_t idle_ms)
{
	return park_change(device, KFD_XSCHED_PARK_SET, pid, idle_ms);
}

int xsched_park_clear(struct xsched_device *device, pid_t pid)
{
	return park_change(device, KFD_XSCHED_PARK_CLEAR, pid, 0);
}

const char *xsched_resident_name(unsigned int index)
{
	static const char *const names[] = {
		"off", "busy", "blind", "untapped", "shared", "many", "rate", "shut",
	};

	return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

int xsched_read_events(struct xsched_device *device,
		       struct kfd_xsched_event *events, size_t capacity)
{
	return xsched_sys_read(device->fd, events, capacity);
}
