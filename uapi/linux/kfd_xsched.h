/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kfd_xsched: hold, release and prioritise the user queues of AMD GPUs.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef _UAPI_LINUX_KFD_XSCHED_H
#define _UAPI_LINUX_KFD_XSCHED_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: Overview
 *
 * The only interface between kfd_xsched.ko and user space. It is spoken over
 * the character device /dev/kfd_xsched (mode 0660). An open file is a
 * *client*. What a client holds, the priorities it set and the tenants it made
 * last until it lets go or its file is closed, whatever closed it, or it is
 * ejected.
 */

/**
 * DOC: Lease
 *
 * A scheduler that does not act is as good as dead, stopped or not. So a client
 * that holds a queue has a lease: a sign of life is due every lease_ms, as
 * KFD_XSCHED_RENEW reports it. Every ioctl and every read(2) is one, and a call
 * on its way. When none came, and a queue the client holds has work, the client
 * is *ejected*: all it holds, set and made is dropped.
 *
 * What an armed switch of a client holds, the client holds; that the switch ran
 * is no sign of life.
 *
 * While the system is suspended or hibernates no lease ends: programs are frozen.
 * What is held, set and armed stays so, and all leases begin anew as they go on.
 *
 * An administrator can eject a client, too, and all of them at once by disabling
 * the module (see Documentation/ABI/testing/sysfs-kfd-xsched).
 *
 * An ejected client finds a record KFD_XSCHED_EVENT_EJECTED behind what else
 * there is to read. After that read(2), and every ioctl at once, fails with
 * EOWNERDEAD; poll(2) reports POLLERR and POLLHUP. That is for good: it starts
 * afresh by opening the device anew, so that nothing it planned before can
 * take effect after.
 */

/**
 * DOC: Rules of evolution
 *
 * - Every argument structure begins with its own size in bytes, set by the
 *   caller. A structure may only grow at its end. A kernel that knows a longer
 *   one reads the missing tail as zero; a kernel that knows a shorter one
 *   accepts a longer one if the tail it does not know is zero, else E2BIG. A
 *   size below the first published one is EINVAL.
 * - Arrays carry pointer, count and stride (the size of an element as the
 *   caller knows it); an element follows the same rule as a structure.
 * - Reserved fields must be zero (EINVAL); unknown flags and operations are
 *   EOPNOTSUPP.
 * - A number, once given to a meaning, keeps it.
 */

/**
 * DOC: Errors
 *
 * ==========  ==============================================================
 * EINVAL      size too small, reserved field set, value outside its limits
 * E2BIG       nonzero data in a tail this kernel does not know, or a count
 *             above KFD_XSCHED_MAX_ENTRIES, for ARM
 *             KFD_XSCHED_MAX_ARMED_ENTRIES
 * EFAULT      a pointer could not be read or written
 * ENOTTY      no such ioctl
 * EOPNOTSUPP  unknown flag, operation, target or event; or known, and the
 *             node cannot do it
 * ENOENT      there is not and never was such a queue, GPU process, tenant or
 *             armed switch; the process to be removed is not in the tenant
 * ESRCH       the queue, process, tenant or armed switch existed and is gone, or
 *             went during the call (benign)
 * EALREADY    RESUME of what this client does not hold; ADD of a process that
 *             is in the tenant (benign)
 * EEXIST      ADD of a process that is in another tenant of this client
 * ELOOP       ARM: a target is a trigger whose switch, or one of that switch's
 *             targets in turn, holds the trigger: both would wait for ever
 * ENOSPC      KFD_XSCHED_MAX_TENANTS tenants of this client exist, or
 *             KFD_XSCHED_MAX_ARMED switches
 * EPERM       the caller may not do this to this target
 * EIO         the firmware or a reset in progress refused the switch;
 *             amdkfd's own recovery takes over
 * ETIME       the firmware did not answer; a GPU reset has been scheduled
 * ENODEV      the GPU or the driver is going away
 * ENOMEM      out of memory; nothing changed
 * EOWNERDEAD  the client was ejected; close the file and open the device anew
 * ECANCELED   the module is disabled, and the entry holds or prioritises
 * EBUSY       another entry of the same array asks for the opposite, or for
 *             another priority; on MES, amdgpu has halted the scheduler
 * EAGAIN      an ASYNC call, and nothing changed: an earlier call of this
 *             client still works on the same queue, process or tenant, or
 *             KFD_XSCHED_MAX_ASYNC calls have not been heard of, or the ring of
 *             events is full
 * ==========  ==============================================================
 */

#define KFD_XSCHED_DEVICE	"kfd_xsched"	/* name of the node in /dev */
#define KFD_XSCHED_ABI_VERSION	1

#define KFD_XSCHED_IOC_TYPE	0xBD

/* Entries of one APPLY, and queues of one LIST. */
#define KFD_XSCHED_MAX_ENTRIES	8192

/**
 * struct kfd_xsched_info - argument of KFD_XSCHED_INFO
 * @size: sizeof(struct kfd_xsched_info)
 * @flags: in, must be zero
 * @abi_version: out, KFD_XSCHED_ABI_VERSION of the module
 * @node_count: out, GPU nodes present
 * @node_capacity: in, elements @nodes has room for
 * @node_stride: in, size of one element of @nodes
 * @nodes: in, address of an array of struct kfd_xsched_node, or zero
 *
 * Who may call: anyone who could open the device.
 */
struct kfd_xsched_info {
	__u32 size;
	__u32 flags;
	__u32 abi_version;
	__u32 node_count;
	__u32 node_capacity;
	__u32 node_stride;
	__aligned_u64 nodes;
};

/**
 * enum kfd_xsched_backend - which firmware schedules a node's queues
 * @KFD_XSCHED_BACKEND_NONE: none; nothing can be held
 * @KFD_XSCHED_BACKEND_HWS: HWS; one transaction a switch
 * @KFD_XSCHED_BACKEND_MES: MES; a call a queue
 */
enum kfd_xsched_backend {
	KFD_XSCHED_BACKEND_NONE = 0,
	KFD_XSCHED_BACKEND_HWS = 1,
	KFD_XSCHED_BACKEND_MES = 2,
};

/* Capabilities of a node, struct kfd_xsched_node.caps */
#define KFD_XSCHED_CAP_SUSPEND	(1u << 0)	/* Lv3: save running waves now */
#define KFD_XSCHED_CAP_UNMAP	(1u << 1)	/* Lv2: take off the hardware */
#define KFD_XSCHED_CAP_GRACE	(1u << 2)	/* UNMAP takes a grace */
#define KFD_XSCHED_CAP_PRIORITY	(1u << 3)	/* SET_PRIORITY has an effect */
#define KFD_XSCHED_CAP_WAVES	(1u << 4)	/* IDLE looks at waves, too */
#define KFD_XSCHED_CAP_CLASS	(1u << 5)	/* SET_PRIORITY takes a class */
#define KFD_XSCHED_CAP_TAP	(1u << 6)	/* READY comes with the doorbell */

/**
 * struct kfd_xsched_node - one GPU node, as KFD_XSCHED_INFO reports it
 * @gpu_id: KFD's id of the node, as in its topology
 * @backend: enum kfd_xsched_backend
 * @caps: bits KFD_XSCHED_CAP_*: SUSPEND and UNMAP, the operations; GRACE, UNMAP
 *	with one; PRIORITY and CLASS, SET_PRIORITY; WAVES, a queue is not IDLE while
 *	one of its waves runs; TAP, READY comes with the doorbell, and a process
 *	that is idle is not sampled
 * @max_grace_us: longest grace UNMAP can ask for, microseconds; 0: none
 */
struct kfd_xsched_node {
	__u32 gpu_id;
	__u32 backend;
	__u32 caps;
	__u32 max_grace_us;
};

/* State of a queue, struct kfd_xsched_queue.state */
#define KFD_XSCHED_QUEUE_ACTIVE	(1u << 0)	/* amdkfd has it in the runlist */
#define KFD_XSCHED_QUEUE_HELD	(1u << 1)	/* somebody holds it */
#define KFD_XSCHED_QUEUE_MINE	(1u << 2)	/* this client holds it */
#define KFD_XSCHED_QUEUE_READY	(1u << 3)	/* has work, as far as is known */
#define KFD_XSCHED_QUEUE_WATCHED (1u << 4)	/* READY is current */
/* Why a queue does not run, beside HELD; several may be set at once. */
#define KFD_XSCHED_QUEUE_EVICTED (1u << 5)	/* its memory is not there */
#define KFD_XSCHED_QUEUE_DEBUGGED (1u << 6)	/* suspended by a debugger */
#define KFD_XSCHED_QUEUE_DISABLED (1u << 7)	/* no share of time, or no ring */
#define KFD_XSCHED_QUEUE_RESET	(1u << 8)	/* was reset: never runs again */
/* With WATCHED: not sampled, because the next doorbell of its process tells. */
#define KFD_XSCHED_QUEUE_TAPPED	(1u << 9)

/**
 * enum kfd_xsched_queue_type - what a queue feeds
 * @KFD_XSCHED_QUEUE_COMPUTE: the compute units
 * @KFD_XSCHED_QUEUE_SDMA: a copy engine
 */
enum kfd_xsched_queue_type {
	KFD_XSCHED_QUEUE_COMPUTE = 0,
	KFD_XSCHED_QUEUE_SDMA = 1,
};

/**
 * struct kfd_xsched_queue - one user queue, as KFD_XSCHED_LIST reports it
 * @id: unique for the life of the module, never used again; what APPLY takes
 * @pid: thread group id of the owner in the caller's pid namespace, 0: not visible there
 * @queue_id: KFD's own id, unique within the process
 * @gpu_id: node the queue belongs to
 * @type: enum kfd_xsched_queue_type
 * @state: bits KFD_XSCHED_QUEUE_*
 * @priority: KFD priority in effect, 0..15; without an override what the
 *	application set last
 * @holders: number of clients that hold it; an armed switch counts as one
 * @prio_class: enum kfd_xsched_class in effect; 0: its node has no classes
 * @preemptions: times it was taken off the hardware by a hold
 * @held_ns: total time held so far, nanoseconds
 * @tenant: tenant of this client that the process is in, or zero
 */
struct kfd_xsched_queue {
	__aligned_u64 id;
	__s32 pid;
	__u32 queue_id;
	__u32 gpu_id;
	__u32 type;
	__u32 state;
	__u32 priority;
	__u32 holders;
	__u32 prio_class;
	__aligned_u64 preemptions;
	__aligned_u64 held_ns;
	__aligned_u64 tenant;
};

/**
 * struct kfd_xsched_list - argument of KFD_XSCHED_LIST
 * @size: sizeof(struct kfd_xsched_list)
 * @flags: must be zero
 * @capacity: in, elements @queues has room for, at most KFD_XSCHED_MAX_ENTRIES
 * @count: out, queues the caller may see; more than @capacity: call again
 * @stride: in, size of one element of @queues
 * @reserved: must be zero
 * @queues: in, address of an array of struct kfd_xsched_queue
 *
 * Only queues the caller may act on are listed: those of processes with its
 * uid that did not change their credentials, all of them with CAP_SYS_NICE in
 * the owner's user namespace. Order: by @id, ascending.
 */
struct kfd_xsched_list {
	__u32 size;
	__u32 flags;
	__u32 capacity;
	__u32 count;
	__u32 stride;
	__u32 reserved;
	__aligned_u64 queues;
};

/**
 * enum kfd_xsched_op - operation of one entry of APPLY
 * @KFD_XSCHED_OP_SUSPEND: Lv3: hold, saving the context of running waves at
 *	once. Holding what this client holds already is success and costs
 *	nothing.
 * @KFD_XSCHED_OP_UNMAP: Lv2: hold; running waves get a grace to finish, then
 *	are saved. KFD_XSCHED_GRACE_DEFAULT asks for the one the administrator
 *	chose for the node, and goes with any other. A grace is a property of
 *	the whole transaction of a node: two different ones for one node in one
 *	call are EINVAL.
 * @KFD_XSCHED_OP_RESUME: drop this client's hold, taken by either of the above,
 *	but not what its armed switches hold
 * @KFD_XSCHED_OP_SET_PRIORITY: override the KFD priority, the class, or both,
 *	or give them back, which is success also without an override. The latest
 *	override of all clients is in effect; when its client goes, the one
 *	before it. A copy queue has no priority, though it may have a class, and
 *	not every node has classes: EOPNOTSUPP, and left out in a process.
 */
enum kfd_xsched_op {
	KFD_XSCHED_OP_SUSPEND = 1,
	KFD_XSCHED_OP_UNMAP = 2,
	KFD_XSCHED_OP_RESUME = 3,
	KFD_XSCHED_OP_SET_PRIORITY = 4,
};

/**
 * enum kfd_xsched_target - what the id of an entry names
 * @KFD_XSCHED_TARGET_QUEUE: a queue, by &kfd_xsched_queue.id
 * @KFD_XSCHED_TARGET_PROCESS: a thread group id in the caller's pid
 *	namespace: all its queues on all nodes, and those it will create while
 *	held or overridden. RESUME drops this client's holds on its queues, too,
 *	however they were taken. RESUME of one queue of a held process releases
 *	that queue alone; those to come are still born held.
 * @KFD_XSCHED_TARGET_TENANT: a tenant of this client, by &kfd_xsched_tenant.id:
 *	all its processes, and those that are added while it is held or
 *	overridden
 */
enum kfd_xsched_target {
	KFD_XSCHED_TARGET_QUEUE = 1,
	KFD_XSCHED_TARGET_PROCESS = 2,
	KFD_XSCHED_TARGET_TENANT = 3,
};

/* value of UNMAP: the node's default grace */
#define KFD_XSCHED_GRACE_DEFAULT	(-1)

/* value of SET_PRIORITY: leave it, the entry is about the class alone */
#define KFD_XSCHED_PRIORITY_KEEP	(-2)
/* value of SET_PRIORITY: give back the priority the application had set */
#define KFD_XSCHED_PRIORITY_APP		(-1)
#define KFD_XSCHED_PRIORITY_MIN		0
#define KFD_XSCHED_PRIORITY_NORMAL	7	/* of runtimes; above: CAP_SYS_NICE */
#define KFD_XSCHED_PRIORITY_MAX		15

/**
 * enum kfd_xsched_class - how a queue ranks among those of all processes
 * @KFD_XSCHED_CLASS_KEEP: in an entry: leave it
 * @KFD_XSCHED_CLASS_APP: in an entry: give it back; applications cannot choose
 *	one, so that they have NORMAL
 * @KFD_XSCHED_CLASS_LOW: the lowest
 * @KFD_XSCHED_CLASS_NORMAL: of queues that nobody overrides; above it:
 *	CAP_SYS_NICE
 * @KFD_XSCHED_CLASS_MEDIUM: above normal
 * @KFD_XSCHED_CLASS_HIGH: above medium
 * @KFD_XSCHED_CLASS_REALTIME: the highest
 *
 * On MES this is the global priority level of a queue. HWS has none: there the
 * priority alone decides, in three steps (0..6, 7..10, 11..15), which pipe
 * priority a queue gets.
 */
enum kfd_xsched_class {
	KFD_XSCHED_CLASS_KEEP = 0,
	KFD_XSCHED_CLASS_APP = 1,
	KFD_XSCHED_CLASS_LOW = 2,
	KFD_XSCHED_CLASS_NORMAL = 3,
	KFD_XSCHED_CLASS_MEDIUM = 4,
	KFD_XSCHED_CLASS_HIGH = 5,
	KFD_XSCHED_CLASS_REALTIME = 6,
};

/**
 * struct kfd_xsched_entry - one element of an APPLY
 * @op: enum kfd_xsched_op
 * @target: enum kfd_xsched_target
 * @id: which queue, process or tenant
 * @value: UNMAP: grace in microseconds, 0..kfd_xsched_node.max_grace_us, or
 *	KFD_XSCHED_GRACE_DEFAULT;
 *	SET_PRIORITY: KFD_XSCHED_PRIORITY_APP, 0..15 or, with a class,
 *	KFD_XSCHED_PRIORITY_KEEP; else zero
 * @status: out, 0 or a negative errno of the table above
 * @effective: out, queues this entry concerned; for SET_PRIORITY the priority
 *	in effect afterwards (of the first queue, for a process or tenant)
 * @prio_class: SET_PRIORITY: enum kfd_xsched_class; else zero
 * @effective_class: out, for SET_PRIORITY the class in effect afterwards, as
 *	@effective; 0: the node has no classes
 * @reserved: must be zero
 */
struct kfd_xsched_entry {
	__u32 op;
	__u32 target;
	__aligned_u64 id;
	__s32 value;
	__s32 status;
	__u32 effective;
	__u32 prio_class;
	__u32 effective_class;
	__u32 reserved;
};

/**
 * struct kfd_xsched_node_result - what APPLY did to one node
 * @gpu_id: which node
 * @status: 0 or a negative errno; nodes fail independently
 * @flips: queues that went on or off the hardware
 * @fw_transactions: firmware transactions sent: 0 or 1 on HWS; what the
 *	transaction of another call has done already costs none
 * @lock_ns: waiting for amdkfd's queue manager, nanoseconds
 * @unmap_ns: until the firmware confirmed that the waves are saved
 * @map_ns: writing the new runlist
 * @total_ns: all of it, as the caller waited
 */
struct kfd_xsched_node_result {
	__u32 gpu_id;
	__s32 status;
	__u32 flips;
	__u32 fw_transactions;
	__aligned_u64 lock_ns;
	__aligned_u64 unmap_ns;
	__aligned_u64 map_ns;
	__aligned_u64 total_ns;
};

/* struct kfd_xsched_apply.flags */
#define KFD_XSCHED_APPLY_ASYNC	(1u << 0)	/* return before the firmware acts */

/* ASYNC calls of a client of which it has not yet read APPLY_DONE. */
#define KFD_XSCHED_MAX_ASYNC	64

/**
 * struct kfd_xsched_apply - argument of KFD_XSCHED_APPLY
 * @size: sizeof(struct kfd_xsched_apply)
 * @flags: KFD_XSCHED_APPLY_ASYNC or zero
 * @count: elements of @entries, 1..KFD_XSCHED_MAX_ENTRIES
 * @stride: size of one element of @entries
 * @entries: address of an array of struct kfd_xsched_entry
 * @node_capacity: elements @nodes has room for; may be zero
 * @node_stride: size of one element of @nodes
 * @nodes: address of an array of struct kfd_xsched_node_result, or zero
 * @node_count: out, nodes that were concerned
 * @reserved: must be zero
 * @cookie: with ASYNC: comes back in the event; else zero
 *
 * All entries are checked before the first change: with one that is neither
 * good nor benign nothing changes, the call fails with its errno and
 * the status of each entry tells which. Benign ones are skipped; the call fails with
 * the errno of the first only when there is no good one beside them.
 * Then at most one firmware transaction a node (HWS), on all nodes at once; a
 * node that does not answer delays no call that does not name its queues. On
 * return no wave of a held queue is on the GPU. When a node fails, the call
 * returns its errno and the other nodes keep what was done; what was asked for
 * queues to come of a process that has a queue on the failed node is not in
 * force, nor is what was asked for processes to come of its tenant.
 *
 * With ASYNC the call returns once all is checked; @status of the entries tells
 * of the check, @effective is zero and @nodes is cleared. If, and only if, it
 * returned 0 a KFD_XSCHED_EVENT_APPLY_DONE follows. Without ASYNC a call waits
 * for an earlier one of the same client that works on the same queue, process or
 * tenant.
 *
 * Who may call: SUSPEND, UNMAP, RESUME and a priority up to
 * KFD_XSCHED_PRIORITY_NORMAL on processes of the caller's uid that did not
 * change their credentials; everything else takes CAP_SYS_NICE in the target's
 * user namespace. What a client has taken it may always give back.
 */
struct kfd_xsched_apply {
	__u32 size;
	__u32 flags;
	__u32 count;
	__u32 stride;
	__aligned_u64 entries;
	__u32 node_capacity;
	__u32 node_stride;
	__aligned_u64 nodes;
	__u32 node_count;
	__u32 reserved;
	__aligned_u64 cookie;
};

/* Tenants a client may have at a time. */
#define KFD_XSCHED_MAX_TENANTS	1024

/**
 * enum kfd_xsched_tenant_op - what KFD_XSCHED_TENANT does
 * @KFD_XSCHED_TENANT_CREATE: make an empty tenant; @id says which
 * @KFD_XSCHED_TENANT_ADD: add a process. If the tenant is held, so is the
 *	process when the call returns; the same for priority and class. On a
 *	node that can do neither they are left out, as for a new queue.
 * @KFD_XSCHED_TENANT_REMOVE: the process leaves. This client's hold on it is
 *	dropped if the tenant is held, and its override if the tenant has one.
 * @KFD_XSCHED_TENANT_DESTROY: all processes leave, and the tenant is gone
 */
enum kfd_xsched_tenant_op {
	KFD_XSCHED_TENANT_CREATE = 1,
	KFD_XSCHED_TENANT_ADD = 2,
	KFD_XSCHED_TENANT_REMOVE = 3,
	KFD_XSCHED_TENANT_DESTROY = 4,
};

/**
 * struct kfd_xsched_tenant - argument of KFD_XSCHED_TENANT
 * @size: sizeof(struct kfd_xsched_tenant)
 * @flags: must be zero
 * @op: enum kfd_xsched_tenant_op
 * @reserved: must be zero
 * @id: which tenant, never used again by this client; CREATE: out, zero before
 * @process: ADD, REMOVE: thread group id in the caller's pid namespace; else
 *	zero
 *
 * A tenant is a set of processes that APPLY can name as one. It belongs to the
 * client and ends with it. A process is in one tenant of a client at most, and
 * leaves when it exits.
 *
 * ADD, REMOVE and DESTROY are switches, as APPLY: when a node fails, its errno
 * is returned, other nodes keep what was done, and the process has not come or
 * gone; a DESTROY that fails keeps the tenant with those that could not go.
 *
 * Who may call: ADD: whoever may hold the process; above
 * KFD_XSCHED_PRIORITY_NORMAL or KFD_XSCHED_CLASS_NORMAL it takes CAP_SYS_NICE in
 * the target's user namespace. All else is the client's own.
 */
struct kfd_xsched_tenant {
	__u32 size;
	__u32 flags;
	__u32 op;
	__u32 reserved;
	__aligned_u64 id;
	__aligned_u64 process;
};

/**
 * enum kfd_xsched_event_type - what a struct kfd_xsched_event tells
 * @KFD_XSCHED_EVENT_QUEUE_ADD: a queue was created
 * @KFD_XSCHED_EVENT_QUEUE_DEL: a queue is gone
 * @KFD_XSCHED_EVENT_PROCESS_EXIT: a GPU process is gone, after its queues
 * @KFD_XSCHED_EVENT_READY: a queue got work
 * @KFD_XSCHED_EVENT_IDLE: a queue ran dry and stayed so
 * @KFD_XSCHED_EVENT_LOST: @data events did not fit: LIST again
 * @KFD_XSCHED_EVENT_NODE_RESET: a GPU reset begins (@data 0) or ended (1)
 * @KFD_XSCHED_EVENT_APPLY_DONE: an ASYNC call is over: @id is its cookie,
 *	@queue_id how many queues went on or off the hardware, @data 0 or a
 *	positive errno of the table above, @gpu_id the first node that failed
 * @KFD_XSCHED_EVENT_EJECTED: this client was ejected; @data is the reason, an
 *	enum kfd_xsched_eject
 * @KFD_XSCHED_EVENT_ARMED: an armed switch of this client ran: @id is its,
 *	@time_ns when the last node was done, @pid the trigger, 0 if that is a
 *	tenant, @queue_id how many queues went on or off the hardware, @gpu_id the
 *	first node that failed, @data as KFD_XSCHED_ARMED_* take it apart
 */
enum kfd_xsched_event_type {
	KFD_XSCHED_EVENT_QUEUE_ADD = 0,
	KFD_XSCHED_EVENT_QUEUE_DEL = 1,
	KFD_XSCHED_EVENT_PROCESS_EXIT = 2,
	KFD_XSCHED_EVENT_READY = 3,
	KFD_XSCHED_EVENT_IDLE = 4,
	KFD_XSCHED_EVENT_LOST = 5,
	KFD_XSCHED_EVENT_NODE_RESET = 6,
	KFD_XSCHED_EVENT_APPLY_DONE = 7,
	KFD_XSCHED_EVENT_EJECTED = 8,
	KFD_XSCHED_EVENT_ARMED = 9,
};

#define KFD_XSCHED_EVENT_BIT(type)	(1u << (type))

/**
 * struct kfd_xsched_event - one record of read(2)
 * @type: enum kfd_xsched_event_type
 * @pid: thread group id of the owner in the pid namespace of the opener, or 0
 * @time_ns: when it happened, CLOCK_MONOTONIC
 * @id: queue, as in kfd_xsched_queue.id, or see the type
 * @gpu_id: node, or zero
 * @queue_id: KFD's id of the queue, or see the type
 * @data: see the type
 *
 * read(2) returns whole records, at least one or EAGAIN (O_NONBLOCK), EINVAL
 * for a buffer shorter than one; records it could not write (EFAULT) count as
 * LOST. poll(2) reports POLLIN. A client has a ring of KFD_XSCHED_EVENT_RING
 * records; when it overflows the newest are dropped and one LOST record follows
 * those kept. LOST and APPLY_DONE are always
 * delivered, subscribed or not; for APPLY_DONE room is kept. EJECTED is, too,
 * as the last record there is.
 */
struct kfd_xsched_event {
	__u32 type;
	__s32 pid;
	__aligned_u64 time_ns;
	__aligned_u64 id;
	__u32 gpu_id;
	__u32 queue_id;
	__aligned_u64 data;
};

#define KFD_XSCHED_EVENT_RING	1024

#define KFD_XSCHED_SAMPLE_US_MIN	20
#define KFD_XSCHED_SAMPLE_US_MAX	1000000
#define KFD_XSCHED_SETTLE_US_MAX	10000000

/*
 * struct kfd_xsched_subscribe.flags: leave the doorbells of processes alone. No
 * client's READY comes by them while one asks so.
 */
#define KFD_XSCHED_SUBSCRIBE_NO_TAP	(1u << 0)

/**
 * struct kfd_xsched_subscribe - argument of KFD_XSCHED_SUBSCRIBE
 * @size: sizeof(struct kfd_xsched_subscribe)
 * @flags: with READY or IDLE: KFD_XSCHED_SUBSCRIBE_NO_TAP; else zero
 * @events: KFD_XSCHED_EVENT_BIT() of each type wanted; zero: none any more
 * @sample_us: with READY or IDLE: how often the indices are compared,
 *	KFD_XSCHED_SAMPLE_US_MIN..MAX, or zero for the period the administrator
 *	chose; without them zero. The shortest of all clients is in effect.
 * @settle_us: with READY or IDLE: how long a queue must stay dry before it
 *	is IDLE, 0..KFD_XSCHED_SETTLE_US_MAX. The longest of all clients is
 *	in effect.
 * @reserved: must be zero
 *
 * Replaces the former subscription. A queue that has work when it begins to
 * be sampled, or when the client begins to ask, is reported READY. Only queues
 * the caller may see are reported; that is decided by the credentials the
 * owner had when the queue came, and those of who opened the device.
 * Nothing is sampled of a process unless a client that may see a queue of it
 * asks for READY or IDLE, or a switch is armed that it triggers, itself or as a
 * member of a tenant. A look at many queues takes several turns, so that it does
 * not keep others from running, and may take longer than @sample_us.
 *
 * Where a node has KFD_XSCHED_CAP_TAP nothing is sampled there, either, of a
 * process that is idle: its next doorbell faults, once, and is reported as
 * READY, with the time of that fault. A doorbell rung by a GPU is not seen, nor
 * is one of a process that mapped its doorbells MAP_PRIVATE: that is sampled.
 */
struct kfd_xsched_subscribe {
	__u32 size;
	__u32 flags;
	__u32 events;
	__u32 sample_us;
	__u32 settle_us;
	__u32 reserved;
};

/**
 * enum kfd_xsched_eject - why a client was ejected
 * @KFD_XSCHED_EJECT_NONE: it was not
 * @KFD_XSCHED_EJECT_WATCHDOG: no sign of life while it held a queue with work
 * @KFD_XSCHED_EJECT_ADMIN: an administrator ejected it
 * @KFD_XSCHED_EJECT_DISABLED: an administrator disabled the module while it
 *	held something, had set a priority or armed a switch
 */
enum kfd_xsched_eject {
	KFD_XSCHED_EJECT_NONE = 0,
	KFD_XSCHED_EJECT_WATCHDOG = 1,
	KFD_XSCHED_EJECT_ADMIN = 2,
	KFD_XSCHED_EJECT_DISABLED = 3,
};

/**
 * struct kfd_xsched_renew - argument of KFD_XSCHED_RENEW
 * @size: sizeof(struct kfd_xsched_renew)
 * @flags: must be zero
 * @lease_ms: out, the next sign of life is due so soon
 * @ejected: out, enum kfd_xsched_eject
 * @client: out, number of the client, as administrators see it
 *
 * A sign of life, and nothing else. It says what the lease is now: a change by
 * an administrator is in force for a client from its next sign of life on.
 *
 * For an ejected client the call fails with EOWNERDEAD, and @ejected and
 * @client are filled in.
 *
 * Who may call: anyone who could open the device.
 */
struct kfd_xsched_renew {
	__u32 size;
	__u32 flags;
	__u32 lease_ms;
	__u32 ejected;
	__aligned_u64 client;
};

/* Armed switches a client may have at a time, and entries of one. */
#define KFD_XSCHED_MAX_ARMED	64
#define KFD_XSCHED_MAX_ARMED_ENTRIES	256

/**
 * enum kfd_xsched_arm_op - what KFD_XSCHED_ARM does
 * @KFD_XSCHED_ARM_SET: leave a switch with the kernel; @id says which
 * @KFD_XSCHED_ARM_CLEAR: give back what it holds and set, and forget it
 */
enum kfd_xsched_arm_op {
	KFD_XSCHED_ARM_SET = 1,
	KFD_XSCHED_ARM_CLEAR = 2,
};

/**
 * struct kfd_xsched_arm - argument of KFD_XSCHED_ARM
 * @size: sizeof(struct kfd_xsched_arm)
 * @flags: must be zero
 * @op: enum kfd_xsched_arm_op
 * @trigger: SET: KFD_XSCHED_TARGET_PROCESS or KFD_XSCHED_TARGET_TENANT; else zero
 * @trigger_id: SET: which, as in an entry of APPLY; else zero
 * @id: which switch, never used again by this client; SET: out, zero before
 * @count: SET: elements of @entries, 1..KFD_XSCHED_MAX_ARMED_ENTRIES; else zero
 * @stride: SET: size of one element of @entries; else zero
 * @entries: SET: address of an array of struct kfd_xsched_entry, as for APPLY;
 *	else zero
 *
 * An APPLY that the kernel runs by itself: at once when a queue of the trigger
 * becomes READY, or is READY when the switch is set. It undoes it when all queues
 * of the trigger, on all nodes, have become IDLE. Each run is a switch as that
 * of an APPLY, and is told by KFD_XSCHED_EVENT_ARMED to a client that subscribed
 * it.
 *
 * Entries may SUSPEND, UNMAP, or SET_PRIORITY to something; what gives back is
 * EINVAL, for a switch gives back by itself. The trigger, or a queue or member of
 * it, as a target is EINVAL. SET checks all as APPLY does, and fails as that
 * would, with the status of each entry, except that a benign error in one is one
 * of all. It changes nothing itself.
 *
 * A switch is a holder of its own: what it holds is not released by a RESUME of
 * its client, nor by another switch, nor does its undoing release what its
 * client, or another switch, holds. So switches may overlap. Switches of one
 * client may not wait for one another in a circle (ELOOP), as far as processes
 * are in tenants when they are set.
 *
 * Each run checks again, with the credentials of who called SET: a target that
 * may not be touched any more (EPERM), that is gone, or that has become part of
 * the trigger (EINVAL) is left out, and the others are done. A process that
 * joins or leaves a tenant while the switch is in force follows it soon after.
 *
 * A run that fails on a node has no effect there, until the next; an undoing that
 * fails is retried until it succeeds.
 *
 * The switch is undone and forgotten with its trigger (one more ARMED follows,
 * with ESRCH), by CLEAR, and with its client: closed, ejected, or because the
 * module was disabled. When CLEAR returns its queues run, unless a node failed.
 *
 * Who may call: SET: whoever may APPLY the entries, and hold the trigger. CLEAR is
 * the client's own.
 */
struct kfd_xsched_arm {
	__u32 size;
	__u32 flags;
	__u32 op;
	__u32 trigger;
	__aligned_u64 trigger_id;
	__aligned_u64 id;
	__u32 count;
	__u32 stride;
	__aligned_u64 entries;
};

/* data of KFD_XSCHED_EVENT_ARMED: 0, or the first errno of a node or an entry */
#define KFD_XSCHED_ARMED_ERRNO(data)	((__u32)(data) & 0xffffu)
/* whether the trigger had become READY; else the switch was undone */
#define KFD_XSCHED_ARMED_READY		(1u << 16)
/* from the edge, a doorbell if the node has the tap, to @time_ns; nanoseconds */
#define KFD_XSCHED_ARMED_NS(data)	((__u32)((data) >> 32))

#define KFD_XSCHED_INFO		_IO(KFD_XSCHED_IOC_TYPE, 0x00)
#define KFD_XSCHED_LIST		_IO(KFD_XSCHED_IOC_TYPE, 0x01)
#define KFD_XSCHED_APPLY	_IO(KFD_XSCHED_IOC_TYPE, 0x02)
#define KFD_XSCHED_SUBSCRIBE	_IO(KFD_XSCHED_IOC_TYPE, 0x03)
#define KFD_XSCHED_TENANT	_IO(KFD_XSCHED_IOC_TYPE, 0x04)
#define KFD_XSCHED_RENEW	_IO(KFD_XSCHED_IOC_TYPE, 0x05)
#define KFD_XSCHED_ARM		_IO(KFD_XSCHED_IOC_TYPE, 0x06)

#endif /* _UAPI_LINUX_KFD_XSCHED_H */
