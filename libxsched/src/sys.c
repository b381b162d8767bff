// SPDX-License-Identifier: MIT
/*
 * Layer 1: one function per ioctl, and the read of events.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <xsched/sys.h>

static int sys_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

int xsched_sys_info(int fd, struct kfd_xsched_info *info)
{
	info->size = sizeof(*info);
	info->node_stride = sizeof(struct kfd_xsched_node);
	return sys_ioctl(fd, KFD_XSCHED_INFO, info);
}

int xsched_sys_list(int fd, struct kfd_xsched_list *list)
{
	list->size = sizeof(*list);
	list->stride = sizeof(struct kfd_xsched_queue);
	return sys_ioctl(fd, KFD_XSCHED_LIST, list);
}

int xsched_sys_apply(int fd, struct kfd_xsched_apply *apply)
{
	apply->size = sizeof(*apply);
	apply->stride = sizeof(struct kfd_xsched_entry);
	apply->node_stride = sizeof(struct kfd_xsched_node_result);
	return sys_ioctl(fd, KFD_XSCHED_APPLY, apply);
}

int xsched_sys_tenant(int fd, struct kfd_xsched_tenant *tenant)
{
	tenant->size = sizeof(*tenant);
	return sys_ioctl(fd, KFD_XSCHED_TENANT, tenant);
}

int xsched_sys_subscribe(int fd, struct kfd_xsched_subscribe *subscribe)
{
	subscribe->size = sizeof(*subscribe);
	return sys_ioctl(fd, KFD_XSCHED_SUBSCRIBE, subscribe);
}

int xsched_sys_renew(int fd, struct kfd_xsched_renew *renew)
{
	renew->size = sizeof(*renew);
	return sys_ioctl(fd, KFD_XSCHED_RENEW, renew);
}

int xsched_sys_arm(int fd, struct kfd_xsched_arm *arm)
{
	arm->size = sizeof(*arm);
	if (arm->count)
		arm->stride = sizeof(struct kfd_xsched_entry);
	return sys_ioctl(fd, KFD_XSCHED_ARM, arm);
}

int xsched_sys_park(int fd, struct kfd_xsched_park *park)
{
	park->size = sizeof(*park);
	return sys_ioctl(fd, KFD_XSCHED_PARK, park);
}

int xsched_sys_read(int fd, struct kfd_xsched_event *events, size_t capacity)
{
	ssize_t got;

	/* The count must fit the return type, whatever the caller has room for. */
	if (capacity > KFD_XSCHED_EVENT_RING + 1)
		capacity = KFD_XSCHED_EVENT_RING + 1;
	got = read(fd, events, capacity * sizeof(*events));
	if (got < 0)
		return -errno;
	if (got % sizeof(*events))
		return -EPROTO;
	return got / sizeof(*events);
}
