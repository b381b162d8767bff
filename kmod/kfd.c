// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend for the real amdkfd: what the patches export, in the core's words.
 *
 * Handles of the core are amdkfd's pointers. The core never dereferences them, nor
 * does this file.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/stddef.h>
#include <linux/time64.h>

#include <linux/kfd_xsched.h>

#include <kfd_sched.h>

#include "backend.h"
#include "core.h"

static struct kfd_node *kfd_to_node(struct xs_hw_node *hw)
{
	return (struct kfd_node *)hw;
}

static struct xs_hw_node *kfd_from_node(struct kfd_node *node)
{
	return (struct xs_hw_node *)node;
}

static struct kfd_process *kfd_to_process(struct xs_hw_process *hw)
{
	return (struct kfd_process *)hw;
}

static struct xs_hw_process *kfd_from_process(struct kfd_process *process)
{
	return (struct xs_hw_process *)process;
}

static struct queue *kfd_to_queue(struct xs_hw_queue *hw)
{
	return (struct queue *)hw;
}

static struct xs_hw_queue *kfd_from_queue(struct queue *queue)
{
	return (struct xs_hw_queue *)queue;
}

/* What the core passes has the layout that amdkfd expects: nothing is copied. */
#define ASSERT_SAME_FIELD(xs, xs_field, kfd, kfd_field)		\
	static_assert(offsetof(struct xs, xs_field) == offsetof(struct kfd, kfd_field))

ASSERT_SAME_FIELD(xs_hw_change, hw, kfd_sched_change, q);
ASSERT_SAME_FIELD(xs_hw_change, next, kfd_sched_change, next);
ASSERT_SAME_FIELD(xs_hw_change, hold, kfd_sched_change, hold);
ASSERT_SAME_FIELD(xs_hw_change, priority, kfd_sched_change, priority);
ASSERT_SAME_FIELD(xs_hw_change, level, kfd_sched_change, level);
ASSERT_SAME_FIELD(xs_hw_change, ret, kfd_sched_change, ret);
ASSERT_SAME_FIELD(xs_hw_change, flipped, kfd_sched_change, flipped);
ASSERT_SAME_FIELD(xs_hw_change, effective_priority, kfd_sched_change, effective_priority);
ASSERT_SAME_FIELD(xs_hw_change, effective_level, kfd_sched_change, effective_level);
static_assert(sizeof(struct xs_hw_change) == sizeof(struct kfd_sched_change));
static_assert(XS_PRIORITY_KEEP == KFD_SCHED_PRIORITY_KEEP);
static_assert(XS_PRIORITY_APP == KFD_SCHED_PRIORITY_APP);

/* The core counts classes from the lowest, as levels are. */
#define ASSERT_SAME_LEVEL(name)						\
	static_assert((int)KFD_SCHED_LEVEL_##name ==			\
		      KFD_XSCHED_CLASS_##name - KFD_XSCHED_CLASS_LOW)

ASSERT_SAME_LEVEL(LOW);
ASSERT_SAME_LEVEL(NORMAL);
ASSERT_SAME_LEVEL(MEDIUM);
ASSERT_SAME_LEVEL(HIGH);
ASSERT_SAME_LEVEL(REALTIME);

ASSERT_SAME_FIELD(xs_hw_waves, mapped_ns, kfd_sched_waves, mapped_ns);
ASSERT_SAME_FIELD(xs_hw_waves, turn_ns, kfd_sched_waves, turn_ns);
ASSERT_SAME_FIELD(xs_hw_waves, count, kfd_sched_waves, count);
ASSERT_SAME_FIELD(xs_hw_waves, queues, kfd_sched_waves, queues);
ASSERT_SAME_FIELD(xs_hw_queue_waves, doorbell, kfd_sched_queue_waves, doorbell);
ASSERT_SAME_FIELD(xs_hw_queue_waves, waves, kfd_sched_queue_waves, waves);
static_assert(sizeof(struct xs_hw_waves) == sizeof(struct kfd_sched_waves));

ASSERT_SAME_FIELD(xs_hw_times, lock_ns, kfd_sched_times, lock_ns);
ASSERT_SAME_FIELD(xs_hw_times, unmap_ns, kfd_sched_times, unmap_ns);
ASSERT_SAME_FIELD(xs_hw_times, map_ns, kfd_sched_times, map_ns);
ASSERT_SAME_FIELD(xs_hw_times, flips, kfd_sched_times, flips);
ASSERT_SAME_FIELD(xs_hw_times, fw_transactions, kfd_sched_times, fw_transactions);
static_assert(sizeof(struct xs_hw_times) == sizeof(struct kfd_sched_times));

/* Microseconds to the node's units. What is shorter than one unit is one. */
static u32 kfd_grace_units(struct kfd_node *node, u32 grace_us)
{
	struct kfd_sched_node_info info;
	u64 units;

	if (grace_us == XS_GRACE_NOW)
		return KFD_SCHED_GRACE_NOW;

	kfd_sched_node_info(node, &info);
	if (!info.max_grace)
		return KFD_SCHED_GRACE_NOW;
	units = div_u64((u64)grace_us * NSEC_PER_USEC, info.grace_unit_ns);
	return clamp_t(u64, units, KFD_SCHED_GRACE_NOW, info.max_grace);
}

static int kfd_apply(struct xs_hw_node *hw, struct xs_hw_change *changes, u32 grace_us,
		     struct xs_hw_times *times)
{
	struct kfd_node *node = kfd_to_node(hw);

	return kfd_sched_apply(node, (struct kfd_sched_change *)changes,
			       kfd_grace_units(node, grace_us),
			       (struct kfd_sched_times *)times);
}

static void kfd_hold_new(struct xs_hw_process *hw, bool hold)
{
	kfd_sched_hold_new(kfd_to_process(hw), hold);
}

static u32 kfd_state(struct xs_hw_queue *hw)
{
	const u32 reasons = kfd_sched_queue_reasons(kfd_to_queue(hw));
	u32 state = reasons ? 0 : KFD_XSCHED_QUEUE_ACTIVE;

	/* KFD_SCHED_HELD is left out: the core knows its holders. */
	if (reasons & KFD_SCHED_EVICTED)
		state |= KFD_XSCHED_QUEUE_EVICTED;
	if (reasons & KFD_SCHED_SUSPENDED)
		state |= KFD_XSCHED_QUEUE_DEBUGGED;
	if (reasons & KFD_SCHED_DISABLED)
		state |= KFD_XSCHED_QUEUE_DISABLED;
	if (reasons & KFD_SCHED_RESET)
		state |= KFD_XSCHED_QUEUE_RESET;
	return state;
}

static int kfd_count_waves(struct xs_hw_node *hw, struct xs_hw_waves *waves)
{
	return kfd_sched_count_waves(kfd_to_node(hw), (struct kfd_sched_waves *)waves);
}

static bool kfd_mapped_since(struct xs_hw_node *hw, u64 mapped_ns)
{
	return kfd_sched_mapped_since(kfd_to_node(hw), mapped_ns);
}

static int kfd_saved(struct xs_hw_queue *hw)
{
	return kfd_sched_queue_saved(kfd_to_queue(hw));
}

static u32 kfd_priority(struct xs_hw_queue *hw)
{
	struct kfd_sched_queue_info info;

	kfd_sched_queue_info(kfd_to_queue(hw), &info);
	return info.priority;
}

static u32 kfd_node_backend(enum kfd_sched_fw fw)
{
	switch (fw) {
	case KFD_SCHED_FW_HWS:
		return KFD_XSCHED_BACKEND_HWS;
	case KFD_SCHED_FW_MES:
		return KFD_XSCHED_BACKEND_MES;
	case KFD_SCHED_FW_NONE:
		break;
	}
	return KFD_XSCHED_BACKEND_NONE;
}

#ifdef KFD_SCHED_HAS_TAP
static bool kfd_can_tap(const struct kfd_sched_node_info *info)
{
	return info->can_tap;
}

static int kfd_tap(struct xs_hw_process *process, struct xs_hw_node *node)
{
	return kfd_sched_tap_arm(kfd_to_process(process), kfd_to_node(node));
}

static void kfd_untap(struct xs_hw_process *process, struct xs_hw_node *node)
{
	kfd_sched_tap_disarm(kfd_to_process(process), kfd_to_node(node));
}

#ifdef KFD_SCHED_HAS_RINGS_ELSEWHERE
static bool kfd_can_park(const struct kfd_sched_node_info *info)
{
	return info->can_tap;
}

static bool kfd_rings_elsewhere(struct xs_hw_process *process, struct xs_hw_node *node)
{
	return kfd_sched_rings_elsewhere(kfd_to_process(process), kfd_to_node(node));
}
#else
/* An amdkfd that does not know it: then a ring might not be seen. */
static bool kfd_can_park(const struct kfd_sched_node_info *info)
{
	return false;
}
#endif

/* Which doorbell it was does not matter: the indices show which queue has work. */
static void kfd_doorbell(struct kfd_process *process, struct kfd_node *node, u32 offset)
{
	xs_news->doorbell(kfd_from_process(process), kfd_from_node(node));
}
#else
/* An amdkfd without that patch: activity is sampled. */
static bool kfd_can_tap(const struct kfd_sched_node_info *info)
{
	return false;
}

static bool kfd_can_park(const struct kfd_sched_node_info *info)
{
	return false;
}
#endif

static u32 kfd_node_caps(const struct kfd_sched_node_info *info)
{
	u32 caps = 0;

	if (info->can_hold)
		caps |= KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_UNMAP |
			KFD_XSCHED_CAP_PRIORITY;
	if (info->max_grace)
		caps |= KFD_XSCHED_CAP_GRACE;
	if (info->can_level)
		caps |= KFD_XSCHED_CAP_CLASS;
	if (info->can_count_waves)
		caps |= KFD_XSCHED_CAP_WAVES;
	if (kfd_can_tap(info))
		caps |= KFD_XSCHED_CAP_TAP;
	if (kfd_can_park(info))
		caps |= KFD_XSCHED_CAP_PARK;
	return caps;
}

static void kfd_node_add(struct kfd_node *node)
{
	struct kfd_sched_node_info info;
	struct xs_hw_node_desc desc;
	int ret;

	kfd_sched_node_info(node, &info);
	desc = (struct xs_hw_node_desc){
		.gpu_id = info.gpu_id,
		.reset_domain = info.reset_domain,
		.backend = kfd_node_backend(info.fw),
		.caps = kfd_node_caps(&info),
		.max_grace_us = info.max_grace * info.grace_unit_ns / NSEC_PER_USEC,
	};
	ret = xs_news->node_added(kfd_from_node(node), &desc);
	if (ret)
		pr_err("kfd_xsched: node %u is not managed: %d\n", info.gpu_id, ret);
}

static void kfd_node_del(struct kfd_node *node)
{
	xs_news->node_removed(kfd_from_node(node));
}

static void kfd_node_reset(struct kfd_node *node, bool done)
{
	xs_news->node_reset(kfd_from_node(node), done);
}

/* The core cannot look after this queue: if it was born held, nobody else does. */
static void kfd_let_run(struct queue *queue, struct kfd_node *node)
{
	struct kfd_sched_change change = {
		.q = queue,
		.priority = KFD_SCHED_PRIORITY_KEEP,
		.level = KFD_SCHED_PRIORITY_KEEP,
	};
	struct kfd_sched_times times;

	kfd_sched_apply(node, &change, KFD_SCHED_GRACE_DEFAULT, &times);
}

static void kfd_queue_add(struct queue *queue)
{
	struct kfd_sched_queue_info info;
	struct xs_hw_queue_desc desc;
	struct pid *pid;
	int ret;

	kfd_sched_queue_info(queue, &info);
	pid = kfd_sched_process_pid(info.process);
	/* All threads are gone, but something else still uses the mm. */
	if (!pid) {
		kfd_let_run(queue, info.node);
		return;
	}

	desc = (struct xs_hw_queue_desc){
		.node = kfd_from_node(info.node),
		.process = kfd_from_process(info.process),
		.pid = pid,
		.mm = info.mm,
		.queue_id = info.queue_id,
		.type = info.sdma ? KFD_XSCHED_QUEUE_SDMA : KFD_XSCHED_QUEUE_COMPUTE,
		.doorbell = info.doorbell,
		.indices_count_packets = info.aql,
		.indices_show_idle = info.aql || info.sdma,
		.read_index = info.read_index,
		.write_index = info.write_index,
		.priority = info.priority,
		.kobj = info.kobj,
	};
	ret = xs_news->queue_added(kfd_from_queue(queue), &desc);
	if (ret) {
		pr_err("kfd_xsched: queue %u of process %d is not managed: %d\n",
		       info.queue_id, pid_nr(pid), ret);
		kfd_let_run(queue, info.node);
	}
	put_pid(pid);
}

static void kfd_queue_del(struct queue *queue)
{
	xs_news->queue_removed(kfd_from_queue(queue));
}

static void kfd_queue_changed(struct queue *queue)
{
	xs_news->queue_changed(kfd_from_queue(queue));
}

static void kfd_preempt_failed(struct kfd_node *node, struct queue *queue)
{
	xs_news->preempt_failed(kfd_from_node(node), kfd_from_queue(queue));
}

static void kfd_process_exit(struct kfd_process *process)
{
	xs_news->process_exited(kfd_from_process(process));
}

static const struct kfd_sched_ops kfd_news = {
	.node_add = kfd_node_add,
	.node_del = kfd_node_del,
	.node_reset = kfd_node_reset,
	.queue_add = kfd_queue_add,
	.queue_del = kfd_queue_del,
	.queue_changed = kfd_queue_changed,
	.preempt_failed = kfd_preempt_failed,
	.process_exit = kfd_process_exit,
#ifdef KFD_SCHED_HAS_TAP
	.doorbell = kfd_doorbell,
#endif
};

static int kfd_start(void)
{
	return kfd_sched_register(&kfd_news);
}

static void kfd_stop(void)
{
	kfd_sched_unregister(&kfd_news);
}

const struct xs_backend_ops xs_kfd_backend = {
	.start = kfd_start,
	.stop = kfd_stop,
	.apply = kfd_apply,
	.hold_new = kfd_hold_new,
	.state = kfd_state,
	.count_waves = kfd_count_waves,
	.mapped_since = kfd_mapped_since,
	.saved = kfd_saved,
	.priority = kfd_priority,
#ifdef KFD_SCHED_HAS_TAP
	.tap = kfd_tap,
	.untap = kfd_untap,
#endif
#ifdef KFD_SCHED_HAS_RINGS_ELSEWHERE
	.rings_elsewhere = kfd_rings_elsewhere,
#endif
};
