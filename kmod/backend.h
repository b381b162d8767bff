/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the core asks of the driver below. What the driver reports is struct xs_news
 * in core.h.
 *
 * kfd.c implements struct xs_backend_ops on top of the patched amdkfd, and is
 * the only file that includes its header. KUnit implements it with a fake, so
 * nothing else in kmod/ may know amdkfd.
 *
 * Handles (struct xs_hw_*) are opaque to the core. Each is valid from the call of
 * xs_news that adds it until the one that removes it returns.
 */
#ifndef KFD_XSCHED_BACKEND_H
#define KFD_XSCHED_BACKEND_H

#include <linux/types.h>

struct kobject;
struct mm_struct;
struct pid;
struct xs_hw_node;
struct xs_hw_process;
struct xs_hw_queue;

/**
 * struct xs_hw_node_desc - a node, as the backend describes it
 * @gpu_id: KFD's id
 * @reset_domain: the same for all nodes that are reset together; for comparisons
 * @backend: enum kfd_xsched_backend
 * @caps: KFD_XSCHED_CAP_*
 * @max_grace_us: longest grace, microseconds
 */
struct xs_hw_node_desc {
	u32 gpu_id;
	const void *reset_domain;
	u32 backend;
	u32 caps;
	u32 max_grace_us;
};

/**
 * struct xs_hw_queue_desc - a queue, as the backend describes it
 * @node: where it runs
 * @process: whose it is
 * @pid: thread group leader of the owner; borrowed for the call
 * @mm: address space of the owner; borrowed for the call
 * @queue_id: KFD's id
 * @type: enum kfd_xsched_queue_type
 * @doorbell: its doorbell, unique on the GPU
 * @indices_count_packets: @read_index and @write_index mean work
 * @indices_show_idle: if these two are equal, nothing waits; also of a copy queue, which
 *	counts bytes
 * @read_index: in the owner's address space
 * @write_index: in the owner's address space
 * @priority: the KFD priority the application asks for
 * @kobj: its directory in /sys, or NULL
 */
struct xs_hw_queue_desc {
	struct xs_hw_node *node;
	struct xs_hw_process *process;
	struct pid *pid;
	struct mm_struct *mm;
	u32 queue_id;
	u32 type;
	u32 doorbell;
	bool indices_count_packets;
	bool indices_show_idle;
	u64 __user *read_index;
	u64 __user *write_index;
	u32 priority;
	struct kobject *kobj;
};

#define XS_PRIORITY_KEEP	(-2)
#define XS_PRIORITY_APP		(-1)
#define XS_GRACE_NOW		0U		/* microseconds; the shortest the node can */

/**
 * struct xs_hw_change - what one queue is to become, and what became of it
 * @hw: the queue
 * @next: the next change of the transaction, or NULL
 * @hold: somebody holds it
 * @priority: 0..15, XS_PRIORITY_APP or XS_PRIORITY_KEEP
 * @level: enum kfd_xsched_class from KFD_XSCHED_CLASS_LOW on, counted from 0, or
 *	as above; XS_PRIORITY_KEEP without KFD_XSCHED_CAP_CLASS
 * @ret: out, 0 or -ESRCH (it is being destroyed), -EACCES (it was reset)
 * @flipped: out, it went on or off the hardware
 * @effective_priority: out, if a priority or a level was asked for
 * @effective_level: out, as @level, likewise
 */
struct xs_hw_change {
	struct xs_hw_queue *hw;
	struct xs_hw_change *next;
	bool hold;
	s32 priority;
	s32 level;
	int ret;
	bool flipped;
	u32 effective_priority;
	u32 effective_level;
};

/**
 * struct xs_hw_times - what a transaction took and did
 * @lock_ns: waiting for the driver's queue manager
 * @unmap_ns: until the firmware confirmed that all waves are saved
 * @map_ns: writing the new runlist
 * @flips: queues that went on or off the hardware
 * @fw_transactions: HWS: 0 or 1; MES: calls
 */
struct xs_hw_times {
	u64 lock_ns;
	u64 unmap_ns;
	u64 map_ns;
	u32 flips;
	u32 fw_transactions;
};

/* Queues of a node that have waves; a node has no more slots. */
#define XS_HW_MAX_WAVES		128

/**
 * struct xs_hw_queue_waves - waves of a queue
 * @doorbell: of the queue, as in xs_hw_queue_desc
 * @waves: how many
 */
struct xs_hw_queue_waves {
	u32 doorbell;
	u32 waves;
};

/**
 * struct xs_hw_waves - waves in flight on a node
 * @mapped_ns: when queues were last put on the hardware, CLOCK_MONOTONIC; waves that were
 *	saved before come back a little later
 * @turn_ns: not 0: not all queues fit, and each gets a turn within that time
 * @count: how many @queues
 * @queues: all that have waves
 */
struct xs_hw_waves {
	u64 mapped_ns;
	u64 turn_ns;
	u32 count;
	struct xs_hw_queue_waves queues[XS_HW_MAX_WAVES];
};

/**
 * struct xs_backend_ops - the driver below
 * @start: begin to report by xs_news, first what exists; 0 or -errno
 * @stop: nothing is reported after this returns; the driver drops every hold and
 *	override
 * @apply: at most one firmware transaction for a chain of changes; see
 *	kfd_sched_apply(). Different nodes at the same time, one node not
 * @hold_new: queues the process creates from now on are born held; waits for nothing
 * @state: KFD_XSCHED_QUEUE_ACTIVE, _EVICTED, _DEBUGGED, _DISABLED, _RESET as they
 *	are now; a hint, waits for nothing
 * @count_waves: waves of all queues of the node. It takes up to a millisecond, but does not
 *	wait for the firmware. -EBUSY: queues came or went meanwhile; or another -errno. With
 *	KFD_XSCHED_CAP_WAVES
 * @mapped_since: whether queues of the node were put on the hardware since the count of which
 *	that is @mapped_ns; true also if that is not known just now. Waits for nothing
 * @saved: contexts with waves that were saved when the queue was last taken off the
 *	hardware, or packets that a copy queue had begun; -EBUSY: not now; -EIO: what was
 *	saved makes no sense; -EOPNOTSUPP. Waits for nothing
 * @priority: the KFD priority the application asks for now; waits for nothing
 * @tap: take the doorbells of the process on that node away until it rings, or
 *	maps them first, and report that once. Waits for no thread of the process. 0,
 *	-EAGAIN, not just now, or -EOPNOTSUPP, for good. With KFD_XSCHED_CAP_TAP
 * @untap: do not report; likewise
 * @rings_elsewhere: another process or device may ring doorbells of the process on that node,
 *	or could at some time; waits for nothing. With KFD_XSCHED_CAP_PARK
 */
struct xs_backend_ops {
	int (*start)(void);
	void (*stop)(void);
	int (*apply)(struct xs_hw_node *node, struct xs_hw_change *changes, u32 grace_us,
		     struct xs_hw_times *times);
	void (*hold_new)(struct xs_hw_process *process, bool hold);
	u32 (*state)(struct xs_hw_queue *queue);
	int (*count_waves)(struct xs_hw_node *node, struct xs_hw_waves *waves);
	bool (*mapped_since)(struct xs_hw_node *node, u64 mapped_ns);
	int (*saved)(struct xs_hw_queue *queue);
	u32 (*priority)(struct xs_hw_queue *queue);
	int (*tap)(struct xs_hw_process *process, struct xs_hw_node *node);
	void (*untap)(struct xs_hw_process *process, struct xs_hw_node *node);
	bool (*rings_elsewhere)(struct xs_hw_process *process, struct xs_hw_node *node);
};

/* The patched amdkfd: kfd.c. */
extern const struct xs_backend_ops xs_kfd_backend;

#endif /* KFD_XSCHED_BACKEND_H */
