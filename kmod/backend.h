/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the core asks of the driver below, and what the driver tells the core.
 *
 * kfd.c implements struct xs_backend_ops on top of the patched amdkfd, and is
 * the only file that includes its header. KUnit implements it with a fake, so
 * nothing else in kmod/ may know amdkfd.
 *
 * Handles (struct xs_hw_*) are opaque to the core. Each is valid from the call
 * that adds it until the call that deletes it returns.
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
 * @backend: enum kfd_xsched_backend
 * @caps: KFD_XSCHED_CAP_*
 * @max_grace_us: longest grace, microseconds
 */
struct xs_hw_node_desc {
	u32 gpu_id;
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
 * @indices_count_packets: @read_index and @write_index mean work
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
	bool indices_count_packets;
	u64 __user *read_index;
	u64 __user *write_index;
	u32 priority;
	struct kobject *kobj;
};

#define XS_PRIORITY_KEEP	(-2)
#define XS_PRIORITY_APP		(-1)
#define XS_GRACE_NOW		0U		/* microseconds; the shortest the node can */

/**
 * struct xs_hw_target - one queue of a change, and what became of it
 * @hw: which
 * @next: the next one of the same change
 * @ret: out, 0 or -ESRCH (being destroyed), -EACCES (was reset)
 * @flipped: out, went on or off the hardware
 * @effective_priority: out, if a priority was asked for
 * @effective_level: out, as xs_hw_change.level, if one was asked for
 */
struct xs_hw_target {
	struct xs_hw_queue *hw;
	struct xs_hw_target *next;
	int ret;
	bool flipped;
	u32 effective_priority;
	u32 effective_level;
};

/**
 * struct xs_hw_change - desired state of one queue or more
 * @targets: the first of them; the others along xs_hw_target.next
 * @count: how many
 * @hold: held by somebody
 * @priority: 0..15, XS_PRIORITY_APP or XS_PRIORITY_KEEP
 * @level: enum kfd_xsched_class from KFD_XSCHED_CLASS_LOW on, counted from 0, or
 *	as above; XS_PRIORITY_KEEP without KFD_XSCHED_CAP_CLASS
 * @failed: out, how many have a @ret
 * @flips: out, how many @flipped
 */
struct xs_hw_change {
	struct xs_hw_target *targets;
	unsigned int count;
	bool hold;
	s32 priority;
	s32 level;
	u32 failed;
	u32 flips;
};

struct xs_hw_times {
	u64 lock_ns;
	u64 unmap_ns;
	u64 map_ns;
	u32 flips;
	u32 fw_transactions;
};

/**
 * struct xs_backend_ops - the driver below
 * @start: begin to call xs_*_added() and friends, first for what exists; 0 or -errno
 * @stop: no call after this returns; the driver drops every hold and override
 * @apply: at most one firmware transaction; see kfd_sched_apply(). Different nodes
 *	at the same time, one node not
 * @hold_new: queues the process creates from now on are born held; waits for nothing
 * @state: KFD_XSCHED_QUEUE_ACTIVE, _EVICTED, _DEBUGGED, _DISABLED, _RESET as they
 *	are now; a hint, waits for nothing
 * @waves: waves of the queue on the GPU, or -EOPNOTSUPP
 * @priority: the KFD priority the application asks for now; waits for nothing
 * @tap: take the doorbells of the process on that node away until it rings, or
 *	maps them first, and tell then, once, by xs_doorbell(). Waits for nothing
 *	long. 0, or -EOPNOTSUPP, for good. With KFD_XSCHED_CAP_TAP
 * @untap: do not tell; likewise
 */
struct xs_backend_ops {
	int (*start)(void);
	void (*stop)(void);
	int (*apply)(struct xs_hw_node *node, struct xs_hw_change *changes,
		     unsigned int count, u32 grace_us, struct xs_hw_times *times);
	void (*hold_new)(struct xs_hw_process *process, bool hold);
	u32 (*state)(struct xs_hw_queue *queue);
	int (*waves)(struct xs_hw_queue *queue);
	u32 (*priority)(struct xs_hw_queue *queue);
	int (*tap)(struct xs_hw_process *process, struct xs_hw_node *node);
	void (*untap)(struct xs_hw_process *process, struct xs_hw_node *node);
};

/* Implemented by the core, called by the backend. All may sleep, but the last. */
int xs_node_added(struct xs_hw_node *hw, const struct xs_hw_node_desc *desc);
void xs_node_removed(struct xs_hw_node *hw);
void xs_node_reset(struct xs_hw_node *hw, bool done);
int xs_queue_added(struct xs_hw_queue *hw, const struct xs_hw_queue_desc *desc);
void xs_queue_removed(struct xs_hw_queue *hw);
void xs_process_exited(struct xs_hw_process *hw);

/*
 * A process rang that was tapped, or mapped its doorbells. In a page fault: waits
 * for nothing. Of any process, also one whose queues nobody watches.
 */
void xs_doorbell(struct xs_hw_process *process, struct xs_hw_node *node);

#endif /* KFD_XSCHED_BACKEND_H */
