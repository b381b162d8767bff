/* SPDX-License-Identifier: MIT */
/*
 * libxsched, layer 1: one function per ioctl of kfd_xsched, and its read(2).
 *
 * Copyright (C) 2026 The kfd-xsched authors
 *
 * These functions keep no state. Any thread may call them, also several threads
 * at the same time for one descriptor; the kernel serialises where needed.
 */
#ifndef XSCHED_SYS_H
#define XSCHED_SYS_H

#include <stddef.h>
#include <linux/kfd_xsched.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * xsched_sys_info() - KFD_XSCHED_INFO
 * @fd: open kfd_xsched device
 * @info: as in the uapi header; @size and @node_stride are filled in here
 *
 * Return: 0 or a negative errno.
 */
int xsched_sys_info(int fd, struct kfd_xsched_info *info);

/**
 * xsched_sys_list() - KFD_XSCHED_LIST
 * @fd: open kfd_xsched device
 * @list: as in the uapi header; @size and @stride are filled in here
 *
 * Return: 0, also when there are more queues than room, or a negative errno.
 */
int xsched_sys_list(int fd, struct kfd_xsched_list *list);

/**
 * xsched_sys_apply() - KFD_XSCHED_APPLY
 * @fd: open kfd_xsched device
 * @apply: as in the uapi header; @size, @stride and @node_stride are filled in
 *
 * Returns when no wave of a held queue is on the GPU any more, or at once if
 * @flags has KFD_XSCHED_APPLY_ASYNC.
 *
 * Return: 0 or a negative errno; see the status of each entry.
 */
int xsched_sys_apply(int fd, struct kfd_xsched_apply *apply);

/**
 * xsched_sys_tenant() - KFD_XSCHED_TENANT
 * @fd: open kfd_xsched device
 * @tenant: as in the uapi header; @size is filled in here
 *
 * Return: 0 or a negative errno.
 */
int xsched_sys_tenant(int fd, struct kfd_xsched_tenant *tenant);

/**
 * xsched_sys_subscribe() - KFD_XSCHED_SUBSCRIBE
 * @fd: open kfd_xsched device
 * @subscribe: as in the uapi header; @size is filled in here
 *
 * Return: 0 or a negative errno.
 */
int xsched_sys_subscribe(int fd, struct kfd_xsched_subscribe *subscribe);

/**
 * xsched_sys_renew() - KFD_XSCHED_RENEW
 * @fd: open kfd_xsched device
 * @renew: as in the uapi header; @size is filled in here
 *
 * Return: 0 or a negative errno; with -EOWNERDEAD @renew says why, too.
 */
int xsched_sys_renew(int fd, struct kfd_xsched_renew *renew);

/**
 * xsched_sys_arm() - KFD_XSCHED_ARM
 * @fd: open kfd_xsched device
 * @arm: as in the uapi header; @size and, with entries, @stride are filled in here
 *
 * Return: 0 or a negative errno.
 */
int xsched_sys_arm(int fd, struct kfd_xsched_arm *arm);

/**
 * xsched_sys_park() - KFD_XSCHED_PARK
 * @fd: open kfd_xsched device
 * @park: as in the uapi header; @size is filled in here
 *
 * Return: 0 or a negative errno; -ENOTTY: this module parks nothing.
 */
int xsched_sys_park(int fd, struct kfd_xsched_park *park);

/**
 * xsched_sys_read() - read events
 * @fd: open kfd_xsched device
 * @events: where to put them
 * @capacity: room in @events, at least one
 *
 * Return: records read, 0 at end of file, -EAGAIN when there is none now and
 * the descriptor is non-blocking, -EINTR, -EPROTO when the kernel returned an
 * incomplete record, or another negative errno.
 */
int xsched_sys_read(int fd, struct kfd_xsched_event *events, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* XSCHED_SYS_H */
