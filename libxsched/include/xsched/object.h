/* SPDX-License-Identifier: MIT */
/*
 * libxsched, layer 2: devices, nodes, queue lists and switches.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 *
 * A device is one client of the kernel module. Its holds last until it drops
 * them, xsched_close() is called, or the process ends, however it ends.
 */
#ifndef XSCHED_OBJECT_H
#define XSCHED_OBJECT_H

#include <stdarg.h>
#include <stdint.h>
#include <sys/types.h>
#include <xsched/sys.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Path that xsched_open() takes for NULL. */
#define XSCHED_DEVICE_PATH	"/dev/" KFD_XSCHED_DEVICE

/** enum xsched_log_level - how grave a message is; numbers of syslog(3) */
enum xsched_log_level {
	XSCHED_LOG_ERROR = 3,
	XSCHED_LOG_WARNING = 4,
	XSCHED_LOG_INFO = 6,
	XSCHED_LOG_DEBUG = 7,
};

/**
 * typedef xsched_log_fn - receives messages of the library
 * @user: as given to xsched_set_log()
 * @level: enum xsched_log_level
 * @message: one line, no newline; valid during the call
 */
typedef void (*xsched_log_fn)(void *user, int level, const char *message);

/**
 * xsched_set_log() - say where messages go
 * @fn: called for each message; NULL, the initial state: nowhere
 * @user: handed to @fn
 *
 * For the whole process. Call it before other threads use the library.
 */
void xsched_set_log(xsched_log_fn fn, void *user);

/** The version of these headers. The library that a program runs with may be a later one: see xsched_version(). */
#define XSCHED_VERSION_MAJOR	0
#define XSCHED_VERSION_MINOR	1
#define XSCHED_VERSION_PATCH	0

/** True if these headers are of that version, or a later one. */
#define XSCHED_VERSION_AT_LEAST(major, minor, patch)				\
	(XSCHED_VERSION_MAJOR > (major) ||					\
	 (XSCHED_VERSION_MAJOR == (major) &&					\
	  (XSCHED_VERSION_MINOR > (minor) ||					\
	   (XSCHED_VERSION_MINOR == (minor) && XSCHED_VERSION_PATCH >= (patch)))))

/** xsched_version() - "MAJOR.MINOR.PATCH" of the library */
const char *xsched_version(void);

/* ---- device ------------------------------------------------------------- */

struct xsched_device;

/**
 * xsched_open() - become a client of kfd_xsched
 * @out: the device, set on success only
 * @path: device node, NULL for XSCHED_DEVICE_PATH
 *
 * The descriptor is non-blocking and close-on-exec.
 *
 * Return: 0; -ENOENT or -ENXIO: the module is not loaded; -EACCES: not
 * permitted; -EPROTONOSUPPORT: it speaks an ABI this library does not know;
 * -ENOMEM, or another negative errno of open(2) or KFD_XSCHED_INFO.
 */
int xsched_open(struct xsched_device **out, const char *path);

/**
 * xsched_open_fd() - become a client through a descriptor opened elsewhere
 * @out: the device, set on success only
 * @fd: open kfd_xsched device; owned by the device from success on
 *
 * Return: as xsched_open().
 */
int xsched_open_fd(struct xsched_device **out, int fd);

/**
 * xsched_close() - end the client, which drops all its holds
 * @device: device or NULL
 */
void xsched_close(struct xsched_device *device);

/**
 * xsched_fd() - descriptor to poll for events (POLLIN)
 * @device: device
 *
 * Return: the descriptor. It still belongs to @device.
 */
int xsched_fd(const struct xsched_device *device);

/** xsched_abi_version() - KFD_XSCHED_ABI_VERSION of the module */
uint32_t xsched_abi_version(const struct xsched_device *device);

/**
 * xsched_nodes() - GPU nodes, as they were at the last xsched_refresh_nodes()
 * @device: device
 * @count: out, number of nodes
 *
 * Return: array of @count nodes, valid until the next xsched_refresh_nodes()
 * or xsched_close().
 */
const struct kfd_xsched_node *xsched_nodes(const struct xsched_device *device,
					   size_t *count);

/**
 * xsched_refresh_nodes() - ask the kernel for its nodes again
 * @device: device
 *
 * xsched_open() does so once.
 *
 * Return: 0 or a negative errno; the former array stays on failure.
 */
int xsched_refresh_nodes(struct xsched_device *device);

/**
 * xsched_subscribe() - say which events to deliver
 * @device: device
 * @events: KFD_XSCHED_EVENT_BIT() of each type wanted, 0: none any more
 * @sample_us: how often to compare queue indices, microseconds; ignored unless
 *	READY or IDLE is among @events
 * @settle_us: how long a queue must be dry to be IDLE, microseconds; ignored
 *	likewise
 *
 * Return: 0 or a negative errno of KFD_XSCHED_SUBSCRIBE.
 */
int xsched_subscribe(struct xsched_device *device, uint32_t events,
		     uint32_t sample_us, uint32_t settle_us);

/**
 * xsched_renew() - give a sign of life
 * @device: device
 * @renew: out, or NULL: lease, number of the client and why it was ejected
 *
 * A client that holds something must give one every @renew->lease_ms; every
 * other call that reaches the kernel is one, too. Without one it is ejected: it
 * loses everything, and every call fails with -EOWNERDEAD until xsched_close().
 *
 * Return: 0, -EOWNERDEAD, or another negative errno of KFD_XSCHED_RENEW.
 */
int xsched_renew(struct xsched_device *device, struct kfd_xsched_renew *renew);

/**
 * xsched_eject_name() - why a client was ejected, in words
 * @reason: enum kfd_xsched_eject, as in an event or in struct kfd_xsched_renew
 */
const char *xsched_eject_name(uint64_t reason);

/**
 * xsched_read_events() - take events that have arrived
 * @device: device
 * @events: where to put them
 * @capacity: room in @events, at least one
 *
 * Return: events read, or as xsched_sys_read().
 */
int xsched_read_events(struct xsched_device *device,
		       struct kfd_xsched_event *events, size_t capacity);

/* ---- tenants ------------------------------------------------------------ */

/**
 * xsched_tenant_create() - make an empty set of processes
 * @device: client that owns it; the tenant ends with the client
 * @id: out, its name in the entries of a switch; set on success only
 *
 * Return: 0, -ENOSPC: this client has KFD_XSCHED_MAX_TENANTS; or another
 * negative errno of KFD_XSCHED_TENANT.
 */
int xsched_tenant_create(struct xsched_device *device, uint64_t *id);

/**
 * xsched_tenant_add() - add a process
 * @device: client
 * @id: tenant
 * @pid: process that owns, or owned, a queue
 *
 * If the tenant is held, so is the process when this returns.
 *
 * Return: 0, -EALREADY: it is there; -EEXIST: it is in another tenant of this
 * client; or another negative errno of KFD_XSCHED_TENANT.
 */
int xsched_tenant_add(struct xsched_device *device, uint64_t id, pid_t pid);

/**
 * xsched_tenant_remove() - take a process out
 * @device: client
 * @id: tenant
 * @pid: process
 *
 * If the tenant is held, the process is released.
 *
 * Return: 0, -ENOENT: it is not there; or another negative errno of
 * KFD_XSCHED_TENANT.
 */
int xsched_tenant_remove(struct xsched_device *device, uint64_t id, pid_t pid);

/**
 * xsched_tenant_destroy() - take all processes out, and end the tenant
 * @device: client
 * @id: tenant
 *
 * Return: 0, or a negative errno of KFD_XSCHED_TENANT; then the tenant remains,
 * with the processes that could not be removed.
 */
int xsched_tenant_destroy(struct xsched_device *device, uint64_t id);

/* ---- parks -------------------------------------------------------------- */

/**
 * xsched_park() - say from when on a process without work is parked
 * @device: client
 * @pid: process
 * @idle_ms: how long it must have had no work, KFD_XSCHED_PARK_MS_MIN..MAX, or 0: never
 *
 * It counts until xsched_park_clear(), or as long as the client exists. The kernel takes the
 * queues off the hardware, and brings them back at the first ring.
 *
 * Return: 0, or a negative errno of KFD_XSCHED_PARK; -ENOTTY: this module parks nothing.
 */
int xsched_park(struct xsched_device *device, pid_t pid, uint32_t idle_ms);

/**
 * xsched_park_clear() - say nothing of it any more: others decide
 * @device: client
 * @pid: process
 *
 * Return: 0; -EALREADY: this client said nothing; or another negative errno of
 * KFD_XSCHED_PARK.
 */
int xsched_park_clear(struct xsched_device *device, pid_t pid);

/**
 * xsched_resident_name() - why a process is not parked, in a word
 * @index: of a bit KFD_XSCHED_RESIDENT_*, from 0
 *
 * Return: the word, or NULL: this library knows no such bit.
 */
const char *xsched_resident_name(unsigned int index);

/* ---- queue list --------------------------------------------------------- */

/**
 * struct xsched_queue_list - queues, as KFD_XSCHED_LIST reported them
 * @queues: @count queues by ascending id, owned by the list
 * @count: number of queues
 * @capacity: elements @queues has room for
 *
 * Begin with one set to zero; it may be used again and again.
 */
struct xsched_queue_list {
	struct kfd_xsched_queue *queues;
	size_t count;
	size_t capacity;
};

/**
 * xsched_list_queues() - list the queues the caller may act on
 * @device: device
 * @list: in: empty or used before; out: the queues
 *
 * The array grows until everything fits.
 *
 * Return: 0; -ENOMEM; -E2BIG: more than KFD_XSCHED_MAX_ENTRIES queues; or a
 * negative errno of KFD_XSCHED_LIST. On failure @list->count is 0.
 */
int xsched_list_queues(struct xsched_device *device,
		       struct xsched_queue_list *list);

/**
 * xsched_queue_list_free() - free the array of a list and empty it
 * @list: list
 */
void xsched_queue_list_free(struct xsched_queue_list *list);

/* ---- switch: one APPLY -------------------------------------------------- */

struct xsched_apply;

/**
 * xsched_apply_new() - make an empty switch
 * @out: the switch, set on success only
 * @capacity: entries to have room for from the start; adding more allocates
 *
 * Return: 0, -E2BIG above KFD_XSCHED_MAX_ENTRIES, or -ENOMEM.
 */
int xsched_apply_new(struct xsched_apply **out, size_t capacity);

/**
 * xsched_apply_free() - free a switch; changes nothing in the kernel
 * @apply: switch or NULL
 */
void xsched_apply_free(struct xsched_apply *apply);

/**
 * xsched_apply_reset() - forget entries and results, keep the memory
 * @apply: switch
 */
void xsched_apply_reset(struct xsched_apply *apply);

/**
 * xsched_apply_add() - add one entry
 * @apply: switch
 * @op: enum kfd_xsched_op
 * @target: enum kfd_xsched_target
 * @id: queue, process or tenant, after @target
 * @value: as in struct kfd_xsched_entry
 *
 * Nothing is checked here: the kernel judges all entries together.
 *
 * Return: 0, -E2BIG above KFD_XSCHED_MAX_ENTRIES, or -ENOMEM.
 */
int xsched_apply_add(struct xsched_apply *apply, uint32_t op, uint32_t target,
		     uint64_t id, int32_t value);

/**
 * xsched_apply_suspend_queue() - add SUSPEND of one queue (Lv3)
 * @apply: switch
 * @id: kfd_xsched_queue.id
 *
 * Return: as xsched_apply_add(); so do the others below.
 */
int xsched_apply_suspend_queue(struct xsched_apply *apply, uint64_t id);

/** xsched_apply_suspend_process() - the same for a process, all its nodes */
int xsched_apply_suspend_process(struct xsched_apply *apply, pid_t pid);

/** xsched_apply_suspend_tenant() - the same for a tenant of the client */
int xsched_apply_suspend_tenant(struct xsched_apply *apply, uint64_t id);

/** xsched_apply_unmap_queue() - add UNMAP of a queue (Lv2), grace in µs */
int xsched_apply_unmap_queue(struct xsched_apply *apply, uint64_t id,
			     uint32_t grace_us);

/** xsched_apply_unmap_process() - the same for a process, all its nodes */
int xsched_apply_unmap_process(struct xsched_apply *apply, pid_t pid,
			       uint32_t grace_us);

/** xsched_apply_unmap_tenant() - the same for a tenant of the client */
int xsched_apply_unmap_tenant(struct xsched_apply *apply, uint64_t id,
			      uint32_t grace_us);

/** xsched_apply_resume_queue() - add RESUME of what this client holds */
int xsched_apply_resume_queue(struct xsched_apply *apply, uint64_t id);

/** xsched_apply_resume_process() - the same for a process, all its nodes */
int xsched_apply_resume_process(struct xsched_apply *apply, pid_t pid);

/** xsched_apply_resume_tenant() - the same for a tenant of the client */
int xsched_apply_resume_tenant(struct xsched_apply *apply, uint64_t id);

/**
 * xsched_apply_set_priority() - add SET_PRIORITY of the priority alone
 * @apply: switch
 * @target: enum kfd_xsched_target
 * @id: queue, process or tenant, after @target
 * @priority: KFD's 0..15, or KFD_XSCHED_PRIORITY_APP
 */
int xsched_apply_set_priority(struct xsched_apply *apply, uint32_t target,
			      uint64_t id, int32_t priority);

/**
 * xsched_apply_set_class() - add SET_PRIORITY of the class alone
 * @apply: switch
 * @target: enum kfd_xsched_target
 * @id: queue, process or tenant, after @target
 * @prio_class: enum kfd_xsched_class but KEEP; nodes without
 *	KFD_XSCHED_CAP_CLASS have none
 */
int xsched_apply_set_class(struct xsched_apply *apply, uint32_t target,
			   uint64_t id, uint32_t prio_class);

/**
 * xsched_apply_run() - run it and wait: one ioctl
 * @apply: switch with at least one entry
 * @device: client that shall hold
 *
 * Blocks until no wave of a held queue is on the GPU. May be repeated.
 *
 * All or nothing: if there are no node results, and an entry has a status other than 0,
 * -ESRCH and -EALREADY, the kernel refused that one and has done nothing. Without it, the
 * rest can be run.
 *
 * Return: 0, -EINVAL without an entry, or a negative errno of
 * KFD_XSCHED_APPLY. Entries and node results are valid either way.
 */
int xsched_apply_run(struct xsched_apply *apply, struct xsched_device *device);

/**
 * xsched_apply_arm() - have the kernel run it when a trigger becomes READY
 * @apply: switch with at least one entry, none of which drops a hold or an
 *	override; may be changed or freed afterwards
 * @device: client that shall hold
 * @trigger: KFD_XSCHED_TARGET_PROCESS or KFD_XSCHED_TARGET_TENANT
 * @trigger_id: which
 * @id: out, its name in KFD_XSCHED_EVENT_ARMED and xsched_disarm(); on success only
 *
 * The kernel runs it at the doorbell, undoes it when the trigger is IDLE, and
 * reports both with an event.
 *
 * Return: 0, -EINVAL without an entry, or a negative errno of KFD_XSCHED_ARM;
 * each entry has the result of its check.
 */
int xsched_apply_arm(struct xsched_apply *apply, struct xsched_device *device,
		     uint32_t trigger, uint64_t trigger_id, uint64_t *id);

/**
 * xsched_disarm() - undo an armed switch and forget it
 * @device: client
 * @id: as xsched_apply_arm() gave it
 *
 * What it held runs when this returns, unless a node failed.
 *
 * Return: 0, -ESRCH: it ended with its trigger; or another negative errno of
 * KFD_XSCHED_ARM.
 */
int xsched_disarm(struct xsched_device *device, uint64_t id);

/** xsched_disarm_async() - the same, not waiting for any node: what it held runs soon after */
int xsched_disarm_async(struct xsched_device *device, uint64_t id);

/**
 * xsched_apply_start() - check it, and have the kernel run it: one ioctl
 * @apply: switch with at least one entry; may be changed or freed afterwards
 * @device: client that shall hold
 * @cookie: returned as @id of the KFD_XSCHED_EVENT_APPLY_DONE with the result
 *
 * Return: 0: an event follows, else none. -EINVAL without an entry; -EAGAIN: an
 * earlier call of this client still works on one of the targets, or too many
 * events wait to be read; or another negative errno of KFD_XSCHED_APPLY. Each
 * entry has the result of its check, and there are no node results.
 */
int xsched_apply_start(struct xsched_apply *apply, struct xsched_device *device,
		       uint64_t cookie);

/** xsched_apply_count() - entries added so far */
size_t xsched_apply_count(const struct xsched_apply *apply);

/**
 * xsched_apply_entries() - entries in the order they were added
 * @apply: switch
 *
 * Return: array of xsched_apply_count() entries; @status and @effective are
 * those of the last run. Valid until the next change of @apply.
 */
const struct kfd_xsched_entry *
xsched_apply_entries(const struct xsched_apply *apply);

/**
 * xsched_apply_nodes() - what the last run did to each of its nodes
 * @apply: switch
 * @count: out, number of results
 *
 * Return: array of @count results, valid until the next change of @apply.
 */
const struct kfd_xsched_node_result *
xsched_apply_nodes(const struct xsched_apply *apply, size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* XSCHED_OBJECT_H */
