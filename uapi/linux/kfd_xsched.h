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
 * This is the only interface between kfd_xsched.ko and user space: ioctls,
 * read(2) and poll(2) of the character device /dev/kfd_xsched (mode 0660). An
 * open file is a *client*. The holds, priorities and tenants of a client last
 * until the client drops them, its file is closed for whatever reason, or the
 * client is ejected.
 */

/**
 * DOC: Lease
 *
 * A scheduler that has stopped acting must not keep queues held. So a client
 * that holds a queue has a lease: it must give a sign of life every lease_ms,
 * which KFD_XSCHED_RENEW reports. Every ioctl is a sign of life when it begins
 * and when it ends, and so is every read(2). If the lease ends without one, and
 * a queue the client holds has work, the client is *ejected*: its holds,
 * priorities, tenants and armed switches are dropped.
 *
 * Queues held by an armed switch count as held by its client. A run of the
 * switch is not a sign of life, nor is the end of an ASYNC call.
 *
 * A call that waits for a node which does not answer may take longer than a
 * lease. Then the client is ejected for what it holds on other nodes, in the
 * middle of that call. A client that holds on several nodes calls with ASYNC.
 * Queues of a node are not looked at during a switch there.
 *
 * No lease ends while the system is suspended or hibernates, because programs
 * are frozen. Holds, priorities and armed switches stay in force, and all
 * leases begin anew when programs are thawed.
 *
 * An administrator can also eject a client, or disable the module, which ejects
 * every client with a hold, an override or an armed switch (see
 * Documentation/ABI/testing/sysfs-kfd-xsched).
 *
 * An ejected client reads a record KFD_XSCHED_EVENT_EJECTED after all others.
 * read(2) fails with EOWNERDEAD after that record, every ioctl fails with it at
 * once, and poll(2) reports POLLERR and POLLHUP. This is permanent: the program
 * must open the device anew, so that nothing it planned before the ejection can
 * take effect afterwards.
 */

/**
 * DOC: Limits of a user
 *
 * What a client has costs other clients time. So the clients of one user have
 * limits, which they share. A client that was opened with CAP_SYS_NICE in the
 * first user namespace has none. A client that was opened in another user
 * namespace counts for the owner of that namespace; if namespaces are nested,
 * for the owner of the one directly below the first. At a limit, open(2) or the
 * ioctl fails with EDQUOT and changes nothing.
 *
 * Containers of root share uid 0. So of its clients, those that were opened in
 * one cgroup (version 2) may have a quarter of each limit, but for steps and
 * requests_on_target: an ASYNC call of theirs, or a long one, has 4096 entries
 * at the most. Together they have no more than any other user. Cgroups of other
 * users do not count.
 *
 * The numbers are in /sys/class/kfd_xsched/global/limits_of_user:
 *
 * ==================  =====  ==============================================
 * file                now    what it limits
 * ==================  =====  ==============================================
 * clients             1024   open files, until their last call is over
 * subscriptions       256    clients that subscribed to events
 * armed               256    armed switches
 * armed_entries       4096   entries of all armed switches
 * entries             16384  entries of APPLY calls in progress that are
 *                            ASYNC or have more than 64 entries; other calls
 *                            do not count
 * requests            65536  what clients and armed switches ask for: of a
 *                            process one, one for each node it has queues on,
 *                            and one for each queue there once one was named
 *                            by itself
 * requests_on_target  32     clients and armed switches that ask something of
 *                            the same process, or of queues of it on a node
 * tenants             4096   tenants, of all clients
 * rings               512    clients that have a ring of events, until they
 *                            are closed: it comes with the first SUBSCRIBE of
 *                            an event or the first ASYNC call
 * steps               16384  steps of the entries of one call (E2BIG)
 * armed_steps         128    steps of the entries of an armed switch (E2BIG)
 * ==================  =====  ==============================================
 *
 * A step is a process that an entry names, itself or as a member of a tenant; and
 * a queue of that process. A call, and an armed switch, of a client without limits
 * may have 65536. What only gives back is never refused for its requests.
 */

/**
 * DOC: Rates
 *
 * To hold a queue that runs, or to change its priority or class, preempts its
 * whole node for a moment. So the clients of one user may do that only so often
 * to each node, by APPLY, by ARM, by TENANT, and by the files of a queue in
 * /sys: user_rate times a second on an average, and user_burst times at once (see
 * Documentation/ABI/testing/sysfs-kfd-xsched). Clients without the limits above
 * have a rate that they all share, admin_rate, and that is without limit until
 * an administrator sets one. Of uid 0, what comes from one cgroup may do that a
 * quarter as often, and all of uid 0 together as often as any other user.
 *
 * A call counts once for each node where it takes something: a hold, a priority
 * or a class that this client did not have, or that somebody else overrides. One
 * too many is EBUSY, and the call changes nothing. An armed switch leaves out
 * what is EBUSY, as it does with other errors, and reports it.
 *
 * To give back is never refused, but counts, unless the call takes something on
 * that node anyway. So do a queue that is created, changed by its owner or destroyed,
 * and a process with queues that exits, on the account of its user: they preempt the
 * node, too.
 * By these, a user can come to owe up to user_burst calls, which must be paid off
 * first. What a client has when it closes its file is given back for nothing.
 */

/**
 * DOC: Demotion
 *
 * A queue that does not save its waves is reset (KFD_XSCHED_QUEUE_RESET), or all of its
 * GPU is, and until then everybody on that GPU has waited. So its process is *demoted*:
 * on every node its queues, also those to come, have the lowest priority and the lowest
 * class, whatever is asked for: that comes into force when the demotion ends. They are
 * held and released as others are. But work of a demoted process runs no armed switch.
 *
 * If that happens to two processes of a user within breaker_window_s (see "Breaker"), the
 * user is demoted: all of his processes are, also those to come. A process belongs to the
 * effective user of its first queue; in another user namespace, to the owner of the
 * namespace directly below the first. User 0 is never demoted as a whole, as most
 * containers run as that.
 *
 * It counts whoever asked for the preemption, amdkfd itself, too. Only an administrator
 * can end a demotion, by /sys/class/kfd_xsched/global/demoted. LIST tells which queues
 * are demoted (KFD_XSCHED_QUEUE_DEMOTED), and a KFD_XSCHED_EVENT_DEMOTED when a process is.
 */

/**
 * DOC: Park
 *
 * A process that has queues and no work costs all others on its GPUs: it is in the
 * runlists, and has a VMID and slots. So a process that has had no work on any of its
 * nodes for some time can be *parked*: its queues leave the hardware of all of them. Its
 * first ring of a doorbell, on whatever node, brings all of them back. The kernel does
 * that, without a program that schedules.
 *
 * A park is a reason of its own for which a queue does not run, beside holds, eviction and
 * the debugger: it is nobody's hold, has no lease, and ends by itself. A queue that is held
 * and rings is READY and stays held. Nothing is parked unless an administrator
 * (park_ms in Documentation/ABI/testing/sysfs-kfd-xsched) or a client (KFD_XSCHED_PARK)
 * says so.
 *
 * A ring by a GPU or another device is not seen. A kernel of the process itself can ring
 * only while the process has work. Where others can ring, or where it cannot be known that
 * there is no work, a process is not parked: &kfd_xsched_queue.resident says why.
 *
 * On HWS, to take queues off and to bring them back is a new runlist each, for which the
 * waves of all processes are saved. So queues leave with the next switch of their node, if
 * there is one within its park_batch_ms, else together with all others that wait for that.
 * A return waits for nothing but the node itself and is never refused; but it counts like a
 * call that takes something (see "Rates"), and while a user has spent what he may, his
 * processes are not parked. A process that was parked for less than a thousand times what
 * its return costs all others is parked only after twice the time without work, up to 64
 * times; each time that it was parked for longer, half of that is forgotten.
 */

/**
 * DOC: Breaker
 *
 * A preemption that the firmware does not answer (ETIME) ends in a reset, and all
 * processes lose their work that are on nodes of the same *reset domain*: a GPU, or all
 * GPUs of an XGMI hive. So each reset domain has a *breaker*. It opens
 *
 * - when preemptions failed of which no queue can be named, as often within so long as an
 *   administrator allows: by default, at the first one (breaker_failures and
 *   breaker_window_s in Documentation/ABI/testing/sysfs-kfd-xsched);
 * - when queues of two users did not save their waves within that time.
 *
 * Who asked for the preemption does not matter. What one user's programs fail to save
 * does not open it: that is what a demotion is for. Then all holds in the domain are
 * dropped, of clients and of armed switches, each client that subscribed reads a
 * KFD_XSCHED_EVENT_NODE_BREAKER for each node, and nothing is held there any more: a
 * SUSPEND, an UNMAP, or a SET_PRIORITY that is more than to give back, of a queue of
 * these nodes is ESHUTDOWN. One of a process or tenant leaves such nodes out, and is
 * ESHUTDOWN if no queue on another node is left. Priorities and classes that were set
 * before stay in effect until they are given back, because to change them would preempt
 * the node. Events go on as before.
 *
 * Only an administrator can close a breaker. What was dropped stays dropped.
 */

/**
 * DOC: Rules of evolution
 *
 * - Every argument structure begins with its own size in bytes, set by the
 *   caller. A structure may only grow at its end. A kernel that knows a longer
 *   one reads the missing tail as zero; a kernel that knows a shorter one
 *   accepts a longer one if the tail it does not know is zero, else E2BIG. A
 *   size below the first published one is EINVAL.
 * - An array has a pointer, a count and a stride (the size of an element as the
 *   caller knows it). An element may grow as a structure may.
 * - Reserved fields must be zero (EINVAL); unknown flags and operations are
 *   EOPNOTSUPP.
 * - A number never changes its meaning.
 */

/**
 * DOC: Errors
 *
 * ==========  ==============================================================
 * EINVAL      size too small, reserved field set, value outside its limits
 * E2BIG       nonzero data in a tail this kernel does not know, or a count
 *             above KFD_XSCHED_MAX_ENTRIES, for ARM
 *             KFD_XSCHED_MAX_ARMED_ENTRIES; the entries together come to too
 *             many steps (see "Limits of a user")
 * EFAULT      a pointer could not be read or written
 * ENOTTY      no such ioctl
 * EOPNOTSUPP  unknown flag, operation, target or event; or the node does not
 *             support it
 * ENOENT      there is not and never was such a queue, GPU process, tenant or
 *             armed switch; the process to be removed is not in the tenant
 * ESRCH       the queue, process, tenant or armed switch existed and is gone, or
 *             went during the call (benign)
 * EALREADY    RESUME of something this client does not hold; ADD of a process
 *             that is in the tenant already (benign)
 * EEXIST      ADD of a process that is in another tenant of this client
 * ELOOP       ARM: a target is a trigger whose switch, or one of that switch's
 *             targets in turn, holds the trigger: both could wait for ever
 * ENOSPC      KFD_XSCHED_MAX_TENANTS tenants of this client exist, or
 *             KFD_XSCHED_MAX_ARMED switches
 * EDQUOT      open(2), APPLY, ARM, SUBSCRIBE, CREATE of a tenant: the clients of
 *             this user have as much as they may, see "Limits of a user"
 * EPERM       the caller may not do this to this target
 * EIO         the firmware or a reset in progress refused the switch;
 *             amdkfd's own recovery takes over
 * ETIME       the firmware did not answer; a GPU reset has been scheduled
 * ESHUTDOWN   the breaker of the node is open, see "Breaker"; a call that was
 *             about to take something there when it opened fails with it, too
 * ENODEV      the GPU or the driver is going away
 * ENOMEM      out of memory; nothing changed
 * EOWNERDEAD  the client was ejected; close the file and open the device anew
 * ECANCELED   the module is disabled, and the entry holds or prioritises
 * EBUSY       another entry of the same array asks for the opposite, or for
 *             another priority; on MES, amdgpu has halted the scheduler; or
 *             the clients of this user preempted the node as often as they
 *             may, see "Rates": try later
 * EAGAIN      an ASYNC call that changed nothing: an earlier call of this
 *             client still works on the same queue, process or tenant, or the
 *             client has not read APPLY_DONE of KFD_XSCHED_MAX_ASYNC calls, or
 *             its ring of events is full
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
#define KFD_XSCHED_CAP_PARK	(1u << 7)	/* an idle process can be parked */

/**
 * struct kfd_xsched_node - one GPU node, as KFD_XSCHED_INFO reports it
 * @gpu_id: KFD's id of the node, as in its topology
 * @backend: enum kfd_xsched_backend
 * @caps: bits KFD_XSCHED_CAP_*. SUSPEND and UNMAP: these operations; GRACE:
 *	UNMAP with a grace; PRIORITY and CLASS: SET_PRIORITY of it; WAVES: a
 *	queue is not IDLE while one of its waves runs, unless an administrator has
 *	set waves_percent to 0; TAP: READY is reported at
 *	the doorbell, and an idle process is not sampled
 * @max_grace_us: longest grace UNMAP can ask for, microseconds; 0: none
 * @failures: preemptions that failed (ETIME) within the window of the breaker
 *	that ends now, as far as they are remembered
 * @reserved: zero
 * @shut_ns: when the breaker opened, CLOCK_MONOTONIC; 0: it is closed. While it is
 *	open, @caps lacks SUSPEND, UNMAP, GRACE, PRIORITY and CLASS
 */
struct kfd_xsched_node {
	__u32 gpu_id;
	__u32 backend;
	__u32 caps;
	__u32 max_grace_us;
	__u32 failures;
	__u32 reserved;
	__aligned_u64 shut_ns;
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
/* With WATCHED: not sampled; the next doorbell of its process will fault. */
#define KFD_XSCHED_QUEUE_TAPPED	(1u << 9)
#define KFD_XSCHED_QUEUE_DEMOTED (1u << 10)	/* its process is demoted */
#define KFD_XSCHED_QUEUE_PARKED	(1u << 11)	/* off, until its process rings */

/*
 * Why a process is not parked, struct kfd_xsched_queue.resident. Without any: it is, or is
 * about to be once it has had no work for long enough.
 */
#define KFD_XSCHED_RESIDENT_OFF	(1u << 0)	/* nobody asks for it */
#define KFD_XSCHED_RESIDENT_BUSY (1u << 1)	/* it has work, or may have, on some node */
/*
 * It has a queue of which cannot be known whether that has work: it is not watched, or its
 * indices are not in memory, as nobody has used it yet.
 */
#define KFD_XSCHED_RESIDENT_BLIND (1u << 2)
/* A ring might not be seen: its doorbells cannot be taken away on some node. */
#define KFD_XSCHED_RESIDENT_UNTAPPED (1u << 3)
/* Another process or device may ring. */
#define KFD_XSCHED_RESIDENT_SHARED (1u << 4)
#define KFD_XSCHED_RESIDENT_MANY (1u << 5)	/* it has too many queues */
#define KFD_XSCHED_RESIDENT_RATE (1u << 6)	/* its user preempted as often as he may */
/* The breaker of one of its nodes is open, or the firmware there fails. */
#define KFD_XSCHED_RESIDENT_SHUT (1u << 7)

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
 * @pid: thread group id of the owner in the caller's pid namespace; 0: it is
 *	not visible there
 * @queue_id: KFD's own id, unique within the process
 * @gpu_id: node the queue belongs to
 * @type: enum kfd_xsched_queue_type
 * @state: bits KFD_XSCHED_QUEUE_*
 * @priority: KFD priority in effect, 0..15; without an override, the one the
 *	application set last
 * @holders: number of clients that hold it; an armed switch counts as one
 * @prio_class: enum kfd_xsched_class in effect; 0: its node has no classes
 * @preemptions: number of times a hold took it off the hardware
 * @held_ns: total time held so far, nanoseconds
 * @tenant: tenant of this client that the process is in, or zero
 * @process: id of the process, unique for the life of the module, never used again; what
 *	KFD_XSCHED_TARGET_PROCESS_ID takes
 * @parked_ns: since when its process is parked, CLOCK_MONOTONIC; 0: it is not
 * @resident: why that is not parked, bits KFD_XSCHED_RESIDENT_*
 * @returns: how often that has come back
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
	__aligned_u64 process;
	__aligned_u64 parked_ns;
	__u32 resident;
	__u32 returns;
};

/**
 * struct kfd_xsched_list - argument of KFD_XSCHED_LIST
 * @size: sizeof(struct kfd_xsched_list)
 * @flags: must be zero
 * @capacity: in, elements @queues has room for, at most KFD_XSCHED_MAX_ENTRIES
 * @count: out, queues the caller may see; if more than @capacity, call again
 *	with more room
 * @stride: in, size of one element of @queues
 * @changed: out, 1: queues came or went while the list was written, so that it is of no
 *	one moment; else 0. Each queue is listed once all the same
 * @queues: in, address of an array of struct kfd_xsched_queue
 *
 * Only queues the caller may act on are listed: those of processes that have
 * the caller's uid and did not change their credentials, and all queues if the
 * caller has CAP_SYS_NICE in the owner's user namespace. Order: by @id,
 * ascending.
 */
struct kfd_xsched_list {
	__u32 size;
	__u32 flags;
	__u32 capacity;
	__u32 count;
	__u32 stride;
	__u32 changed;
	__aligned_u64 queues;
};

/**
 * enum kfd_xsched_op - operation of one entry of APPLY
 * @KFD_XSCHED_OP_SUSPEND: Lv3: hold, saving the context of running waves at
 *	once. To hold a queue that this client holds already succeeds and costs
 *	nothing.
 * @KFD_XSCHED_OP_UNMAP: Lv2: hold; running waves get a grace to finish, then
 *	are saved. KFD_XSCHED_GRACE_DEFAULT asks for the grace the administrator
 *	chose for the node, and is compatible with any other. A grace applies to
 *	the whole transaction of a node, and SUSPEND asks for one of zero: two
 *	different graces for one node in one call are EINVAL.
 * @KFD_XSCHED_OP_RESUME: drop this client's hold, taken by either of the above,
 *	but not the holds of its armed switches
 * @KFD_XSCHED_OP_SET_PRIORITY: override the KFD priority, the class, or both,
 *	or drop the override, which succeeds also if there is none. The latest
 *	override of all clients is in effect; when its client goes, the one
 *	before it is. An SDMA queue has no priority, though it may have a class,
 *	and not every node has classes: EOPNOTSUPP for a queue that cannot have
 *	all that is asked for. Of a process or tenant, each queue gets what it can
 *	have: EOPNOTSUPP if none can have any of it.
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
 *	namespace: all its queues on all nodes, and those it creates while it is
 *	held or overridden. One that it creates while the call goes on is held by
 *	a transaction of its own; if that fails, it is tried again, and the call
 *	succeeds all the same. RESUME also drops this client's holds on single
 *	queues of it. RESUME of one queue of a held process releases that queue
 *	alone; new queues of the process are still created held.
 *	A process whose thread group leader is gone, but whose address space
 *	another process still uses (clone(2) with CLONE_VM), keeps its number. The
 *	credentials it had at its first queue decide who may name it then. If
 *	another process has that number by now, both are meant, as far as the
 *	caller may name them; @status and @effective are those of both together.
 * @KFD_XSCHED_TARGET_TENANT: a tenant of this client, by &kfd_xsched_tenant.id:
 *	all its processes, and those that are added while it is held or
 *	overridden
 * @KFD_XSCHED_TARGET_PROCESS_ID: a process, by &kfd_xsched_queue.process: as by its
 *	thread group id, but this one alone, whoever has that number by now. It is
 *	known once the process has a queue. Who has a pidfd of a process, and
 *	finds its number in LIST, has the id for sure if the pidfd is not readable
 *	afterwards: the number was not used again
 */
enum kfd_xsched_target {
	KFD_XSCHED_TARGET_QUEUE = 1,
	KFD_XSCHED_TARGET_PROCESS = 2,
	KFD_XSCHED_TARGET_TENANT = 3,
	KFD_XSCHED_TARGET_PROCESS_ID = 4,
};

/* value of UNMAP: the node's default grace */
#define KFD_XSCHED_GRACE_DEFAULT	(-1)

/* value of SET_PRIORITY: leave the priority, change the class alone */
#define KFD_XSCHED_PRIORITY_KEEP	(-2)
/* value of SET_PRIORITY: go back to the priority the application set */
#define KFD_XSCHED_PRIORITY_APP		(-1)
#define KFD_XSCHED_PRIORITY_MIN		0
#define KFD_XSCHED_PRIORITY_NORMAL	7	/* of runtimes; to go above it is to raise */
#define KFD_XSCHED_PRIORITY_MAX		15

/**
 * enum kfd_xsched_class - how a queue ranks among those of all processes
 * @KFD_XSCHED_CLASS_KEEP: in an entry: leave the class
 * @KFD_XSCHED_CLASS_APP: in an entry: drop the override; the class is NORMAL
 *	then, because applications cannot choose one
 * @KFD_XSCHED_CLASS_LOW: the lowest
 * @KFD_XSCHED_CLASS_NORMAL: the class without an override; to go above it is to
 *	raise
 * @KFD_XSCHED_CLASS_MEDIUM: above normal
 * @KFD_XSCHED_CLASS_HIGH: above medium
 * @KFD_XSCHED_CLASS_REALTIME: the highest
 *
 * On MES this is the global priority level of a queue. HWS has no classes: the
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
 * @effective: out, number of queues this entry applied to; for SET_PRIORITY,
 *	the priority in effect afterwards (of the first queue of a process or
 *	tenant)
 * @prio_class: SET_PRIORITY: enum kfd_xsched_class; else zero
 * @effective_class: out, SET_PRIORITY: the class in effect afterwards (of the
 *	same queue as @effective); 0: the node has no classes
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
 * @fw_transactions: firmware transactions sent: 0 or 1 on HWS; 0 if the
 *	transaction of another call included these changes
 * @lock_ns: time spent waiting for amdkfd's queue manager, nanoseconds
 * @unmap_ns: time until the firmware confirmed that the waves are saved
 * @map_ns: time to write the new runlist
 * @total_ns: the whole time that the caller waited
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

/* ASYNC calls of one client whose APPLY_DONE it has not read yet. */
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
 * @node_count: out, number of nodes the entries apply to
 * @reserved: must be zero
 * @cookie: with ASYNC: returned as @id of the event; else zero
 *
 * All entries are checked before the first change. If an entry has an error
 * that is not benign, nothing changes and the call fails with that errno; the
 * status of each entry is set. An entry with a benign error is skipped; only if
 * no other entry is left does the call fail, with the errno of the first.
 *
 * The call then makes at most one firmware transaction a node (HWS), on all
 * nodes at the same time. A node that does not answer delays only calls that
 * name its queues. On return no wave of a held queue is on the GPU. If a node
 * fails, the call returns its errno, and the changes on other nodes stay. For a
 * process with a queue on the failed node, the change does not apply to queues
 * created later; nor does it apply to processes that join its tenant later.
 *
 * With ASYNC the call returns once all entries are checked: their @status is
 * the result of the check, @effective is zero and @nodes is cleared. If, and
 * only if, the call returned 0, a KFD_XSCHED_EVENT_APPLY_DONE follows. Without
 * ASYNC a call waits for an earlier one of the same client that works on the
 * same queue, process or tenant.
 *
 * Who may call: SUSPEND, UNMAP, RESUME, a priority up to
 * KFD_XSCHED_PRIORITY_NORMAL and a class up to KFD_XSCHED_CLASS_NORMAL are
 * allowed on processes that have the caller's uid and did not change their
 * credentials; on others they take CAP_SYS_NICE in the target's user namespace.
 * A higher priority or class takes CAP_SYS_NICE in the first user namespace,
 * because it is at the cost of all processes: root of a user namespace cannot
 * raise anything. A client may always drop its own holds and overrides.
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
 * @KFD_XSCHED_TENANT_CREATE: make an empty tenant; @id says which. ENOSPC: this client
 *	has KFD_XSCHED_MAX_TENANTS; EDQUOT: all clients of the user have as many as they may
 * @KFD_XSCHED_TENANT_ADD: add a process. If the tenant is held, so is the
 *	process when the call returns; the same goes for priority and class. A
 *	node without priority or class leaves it out, as for a new queue; so does
 *	a node whose breaker is open.
 * @KFD_XSCHED_TENANT_REMOVE: remove a process. This client's hold on it is
 *	dropped if the tenant is held, and its override if the tenant has one.
 * @KFD_XSCHED_TENANT_DESTROY: remove all processes, and the tenant itself
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
 * leaves it when it exits.
 *
 * ADD, REMOVE and DESTROY are switches, like APPLY. If a node fails, the call
 * returns its errno, and the changes on other nodes stay. The process is then
 * not added, or not removed; a DESTROY that fails keeps the tenant with the
 * processes that could not be removed. REMOVE and DESTROY never fail for want of
 * memory.
 *
 * Who may call: ADD takes the permission to hold the process, and CAP_SYS_NICE
 * in the first user namespace if the tenant's priority is above
 * KFD_XSCHED_PRIORITY_NORMAL or its class above KFD_XSCHED_CLASS_NORMAL. The
 * other operations concern only the client itself and need no permission.
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
 * enum kfd_xsched_event_type - what a struct kfd_xsched_event reports
 * @KFD_XSCHED_EVENT_QUEUE_ADD: a queue was created
 * @KFD_XSCHED_EVENT_QUEUE_DEL: a queue is gone
 * @KFD_XSCHED_EVENT_PROCESS_EXIT: a GPU process is gone, after its queues
 * @KFD_XSCHED_EVENT_READY: a queue got work
 * @KFD_XSCHED_EVENT_IDLE: a queue has had no work for the settle time
 * @KFD_XSCHED_EVENT_LOST: @data events were dropped: LIST again
 * @KFD_XSCHED_EVENT_NODE_RESET: a GPU reset begins (@data 0) or ended (1)
 * @KFD_XSCHED_EVENT_APPLY_DONE: an ASYNC call is over: @id is its cookie,
 *	@queue_id how many queues went on or off the hardware, @data 0 or a
 *	positive errno of the table above, @gpu_id the first node that failed
 * @KFD_XSCHED_EVENT_EJECTED: this client was ejected; @data is the reason, an
 *	enum kfd_xsched_eject
 * @KFD_XSCHED_EVENT_ARMED: an armed switch of this client ran: @id is the
 *	switch, @time_ns when the last node was done, @pid the trigger (0 if it
 *	is a tenant), @queue_id how many queues went on or off the hardware,
 *	@gpu_id the first node that failed; KFD_XSCHED_ARMED_* decode @data
 * @KFD_XSCHED_EVENT_NODE_BREAKER: the breaker of a node opened (@data 1): nothing
 *	is held there any more; or it was closed (0): holds are possible again
 * @KFD_XSCHED_EVENT_DEMOTED: a process was demoted (@data 1), or is not any more (0); one
 *	whose user is demoted is from the beginning, which comes before its QUEUE_ADD
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
	KFD_XSCHED_EVENT_NODE_BREAKER = 10,
	KFD_XSCHED_EVENT_DEMOTED = 11,
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
 * read(2) returns whole records, at least one, or fails: EAGAIN if there is
 * none (O_NONBLOCK), EINVAL if the buffer is shorter than one record. Records
 * it could not write (EFAULT) count as LOST. poll(2) reports POLLIN. A client
 * has a ring of KFD_XSCHED_EVENT_RING records. When it overflows, the newest
 * are dropped and one LOST record follows those kept. LOST, APPLY_DONE and
 * EJECTED are always delivered, subscribed or not. Room is reserved for
 * APPLY_DONE. EJECTED is the last record.
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
 * struct kfd_xsched_subscribe.flags: do not intercept doorbells. While one
 * client sets it, queues that it may see are sampled for all clients.
 */
#define KFD_XSCHED_SUBSCRIBE_NO_TAP	(1u << 0)

/**
 * struct kfd_xsched_subscribe - argument of KFD_XSCHED_SUBSCRIBE
 * @size: sizeof(struct kfd_xsched_subscribe)
 * @flags: with READY or IDLE: KFD_XSCHED_SUBSCRIBE_NO_TAP; else zero
 * @events: KFD_XSCHED_EVENT_BIT() of each type wanted; zero ends the
 *	subscription
 * @sample_us: with READY or IDLE: period in which a queue's indices are
 *	compared, KFD_XSCHED_SAMPLE_US_MIN..MAX, or zero for the period the
 *	administrator chose; without them zero. The shortest of all clients is
 *	in effect; of a client that was opened without CAP_SYS_NICE in the first
 *	user namespace, no shorter one than the administrator chose.
 * @settle_us: with READY or IDLE: how long a queue must have no work before it
 *	is IDLE, 0..KFD_XSCHED_SETTLE_US_MAX. The longest of all clients that
 *	may see a queue of the process is in effect.
 * @reserved: must be zero
 *
 * Replaces the former subscription. Sampling begins and ends soon after the
 * call, not with it; LIST reports its queues as WATCHED. A queue that has work
 * when its sampling begins, or when the client subscribes, is reported READY.
 * Only queues the caller may see are reported: the credentials of the owner when
 * the queue was created, and those of the opener of the device, decide.
 *
 * A process is sampled only if a client that may see one of its queues asks for
 * READY or IDLE, or if it is the trigger of an armed switch, itself or as a
 * member of a tenant. The sampler yields between groups of queues, so one pass
 * over many queues may take longer than @sample_us.
 *
 * On a node with KFD_XSCHED_CAP_TAP an idle process is not sampled, either: its
 * next doorbell faults, once, and is reported as READY, with the time of that
 * fault. Two kinds of doorbells do not fault: those rung by a GPU, and those of
 * a process that mapped its doorbells MAP_PRIVATE, or those of one node more
 * than four times, which is sampled instead: LIST reports its queues as WATCHED
 * and not as TAPPED. To take doorbells away costs time for each mapping, for
 * which all would wait; a runtime needs one.
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
 * @lease_ms: out, time until the next sign of life is due
 * @ejected: out, enum kfd_xsched_eject
 * @client: out, number of the client, as administrators see it
 *
 * Gives a sign of life, and reports the current lease. When an administrator
 * changes the lease, a client gets the new one with its next sign of life.
 *
 * For an ejected client the call fails with EOWNERDEAD, but sets @ejected and
 * @client.
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
 * @KFD_XSCHED_ARM_SET: arm a switch; @id says which
 * @KFD_XSCHED_ARM_CLEAR: undo a switch, and remove it
 */
enum kfd_xsched_arm_op {
	KFD_XSCHED_ARM_SET = 1,
	KFD_XSCHED_ARM_CLEAR = 2,
};

#define KFD_XSCHED_ARM_ASYNC	(1u << 0)	/* CLEAR: return before the firmware acts */

/**
 * struct kfd_xsched_arm - argument of KFD_XSCHED_ARM
 * @size: sizeof(struct kfd_xsched_arm)
 * @flags: CLEAR: KFD_XSCHED_ARM_ASYNC or zero; else zero
 * @op: enum kfd_xsched_arm_op
 * @trigger: SET: KFD_XSCHED_TARGET_PROCESS, _PROCESS_ID or _TENANT; else zero
 * @trigger_id: SET: which one, as in an entry of APPLY; else zero
 * @id: which switch, never used again by this client; SET: out, zero before
 * @count: SET: elements of @entries, 1..KFD_XSCHED_MAX_ARMED_ENTRIES; else zero
 * @stride: SET: size of one element of @entries; else zero
 * @entries: SET: address of an array of struct kfd_xsched_entry, as for APPLY;
 *	else zero
 *
 * An armed switch is an APPLY that the kernel runs by itself: as soon as a
 * queue of the trigger becomes READY, or at once if one is READY at SET. The
 * kernel undoes it when all queues of the trigger, on all nodes, have become
 * IDLE. Each run is a switch like that of an APPLY, and is reported as
 * KFD_XSCHED_EVENT_ARMED if the client subscribed to it.
 *
 * Entries may SUSPEND, UNMAP or set an override. An entry that drops a hold or
 * an override is EINVAL: the switch drops its own when it is undone. The
 * trigger, or a queue or member of it, as a target is EINVAL. SET checks the
 * entries as APPLY does, and fails in the same way, with the status of each
 * entry, except that one benign error fails the call. It changes nothing
 * itself.
 *
 * A switch is a holder of its own: a RESUME by its client, or another switch,
 * does not release what it holds, and undoing it does not release what its
 * client or another switch holds. So switches may overlap. Switches of one
 * client must not wait for one another in a circle (ELOOP); SET checks this
 * with the members that tenants have at that time.
 *
 * Each run checks again, with the credentials of the caller of SET. A target
 * that the caller may not touch any more (EPERM), that is gone, or that has
 * become part of the trigger (EINVAL) is skipped; the other targets are
 * switched. A process that joins or leaves a tenant while the switch is in
 * force follows soon after.
 *
 * A run that fails on a node has no effect there until the next run. An undo
 * that fails is retried: for 102 s at most, and again after each reset.
 *
 * The switch is undone and removed by CLEAR, when its trigger is gone (one more
 * ARMED follows, with ESRCH), and when its client closes, is ejected, or the
 * module is disabled. When CLEAR returns, its queues run, unless a node failed; with
 * ASYNC they run soon after, and the call does not wait for a node that hangs.
 *
 * Who may call: SET takes the permission to APPLY the entries and to hold the
 * trigger. CLEAR concerns only the client itself.
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
/* set: the trigger became READY; clear: the switch was undone */
#define KFD_XSCHED_ARMED_READY		(1u << 16)
/* from the edge, a doorbell if the node has the tap, to @time_ns; nanoseconds */
#define KFD_XSCHED_ARMED_NS(data)	((__u32)((data) >> 32))

#define KFD_XSCHED_PARK_MS_MIN	10
#define KFD_XSCHED_PARK_MS_MAX	3600000

/**
 * enum kfd_xsched_park_op - what KFD_XSCHED_PARK does
 * @KFD_XSCHED_PARK_SET: say from when on a process is parked
 * @KFD_XSCHED_PARK_CLEAR: say nothing of it any more. EALREADY: this client did not
 */
enum kfd_xsched_park_op {
	KFD_XSCHED_PARK_SET = 1,
	KFD_XSCHED_PARK_CLEAR = 2,
};

/**
 * struct kfd_xsched_park - argument of KFD_XSCHED_PARK
 * @size: sizeof(struct kfd_xsched_park)
 * @flags: must be zero
 * @op: enum kfd_xsched_park_op
 * @target: KFD_XSCHED_TARGET_PROCESS or _PROCESS_ID
 * @id: which process
 * @idle_ms: SET: how long it must have had no work before it is parked,
 *	KFD_XSCHED_PARK_MS_MIN..MAX, or zero: never; CLEAR: zero
 * @reserved: must be zero
 *
 * What a client says of a process counts instead of the park_ms of its nodes, until the
 * client clears it, is closed or ejected, or the process exits. Of what several clients say
 * the latest counts; when its client goes, the one before it. A process that is parked and
 * must not be any more comes back soon after the call.
 *
 * EDQUOT: each process of which a client says something is a request (see "Limits of a
 * user"). ECANCELED: SET, and the module is disabled.
 *
 * Who may call: SET takes the permission to hold the process. CLEAR concerns only the
 * client itself.
 */
struct kfd_xsched_park {
	__u32 size;
	__u32 flags;
	__u32 op;
	__u32 target;
	__aligned_u64 id;
	__u32 idle_ms;
	__u32 reserved;
};

#define KFD_XSCHED_INFO		_IO(KFD_XSCHED_IOC_TYPE, 0x00)
#define KFD_XSCHED_LIST		_IO(KFD_XSCHED_IOC_TYPE, 0x01)
#define KFD_XSCHED_APPLY	_IO(KFD_XSCHED_IOC_TYPE, 0x02)
#define KFD_XSCHED_SUBSCRIBE	_IO(KFD_XSCHED_IOC_TYPE, 0x03)
#define KFD_XSCHED_TENANT	_IO(KFD_XSCHED_IOC_TYPE, 0x04)
#define KFD_XSCHED_RENEW	_IO(KFD_XSCHED_IOC_TYPE, 0x05)
#define KFD_XSCHED_ARM		_IO(KFD_XSCHED_IOC_TYPE, 0x06)
#define KFD_XSCHED_PARK		_IO(KFD_XSCHED_IOC_TYPE, 0x07)

#endif /* _UAPI_LINUX_KFD_XSCHED_H */
