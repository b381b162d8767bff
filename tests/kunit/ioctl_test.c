// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules every ioctl keeps: sizes, tails, flags, reserved fields, counts,
 * and addresses that are not there.
 */
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "harness.h"

#define ROOM	(PAGE_SIZE + 64)

/**
 * struct rules - an ioctl, and what its argument must not be
 * @name: for the test's name
 * @cmd: its number
 * @size: of the argument
 * @min: of the argument as it was first published
 * @flags: offset of flags
 * @known: flags that are known
 * @reserved: offset of a reserved field, or 0
 */
struct rules {
	const char *name;
	unsigned int cmd;
	u32 size;
	u32 min;
	u32 flags;
	u32 known;
	u32 reserved;
};

#define RULES(_name, _cmd, _min, _known, _reserved) {			\
	.name = #_name,							\
	.cmd = _cmd,							\
	.size = sizeof(struct kfd_xsched_##_name),			\
	.min = _min,							\
	.flags = offsetof(struct kfd_xsched_##_name, flags),		\
	.known = _known,						\
	.reserved = _reserved,						\
}

#define RESERVED(_name)		offsetof(struct kfd_xsched_##_name, reserved)

static const struct rules ioctls[] = {
	RULES(info, KFD_XSCHED_INFO, 32, 0, 0),
	RULES(list, KFD_XSCHED_LIST, 32, 0, 0),
	RULES(apply, KFD_XSCHED_APPLY, 48, KFD_XSCHED_APPLY_ASYNC, RESERVED(apply)),
	RULES(subscribe, KFD_XSCHED_SUBSCRIBE, 24, KFD_XSCHED_SUBSCRIBE_NO_TAP,
	      RESERVED(subscribe)),
	RULES(tenant, KFD_XSCHED_TENANT, 32, 0, RESERVED(tenant)),
	RULES(renew, KFD_XSCHED_RENEW, 24, 0, 0),
	RULES(arm, KFD_XSCHED_ARM, 48, KFD_XSCHED_ARM_ASYNC, 0),
	RULES(park, KFD_XSCHED_PARK, 32, 0, RESERVED(park)),
};

static void rules_name(const struct rules *rules, char *name)
{
	strscpy(name, rules->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(rules, ioctls, rules_name);

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

/* A switch for a process that has no work. */
static struct kfd_xsched_arm good_arm(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *trigger = fake_process_add(test, XT_UID);
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0);

	KUNIT_ASSERT_NOT_NULL(test, fake_queue_add(test, trigger, xt->node));
	return (struct kfd_xsched_arm){
		.size = sizeof(struct kfd_xsched_arm),
		.op = KFD_XSCHED_ARM_SET,
		.trigger = KFD_XSCHED_TARGET_PROCESS,
		.trigger_id = trigger->nr,
		.count = 1,
		.stride = sizeof(entry),
		.entries = xt_put(test, &entry, sizeof(entry)),
	};
}

/* An argument the ioctl accepts, in a buffer with room after it. */
static u32 *good_argument(struct kunit *test, const struct rules *rules)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0);
	u32 *argument = kunit_kzalloc(test, ROOM, GFP_KERNEL);
	struct kfd_xsched_tenant *tenant = (void *)argument;
	struct kfd_xsched_apply *apply = (void *)argument;

	KUNIT_ASSERT_NOT_NULL(test, argument);
	argument[0] = rules->size;
	if (rules->cmd == KFD_XSCHED_APPLY) {
		apply->count = 1;
		apply->stride = sizeof(entry);
		apply->entries = xt_put(test, &entry, sizeof(entry));
	}
	if (rules->cmd == KFD_XSCHED_TENANT)
		tenant->op = KFD_XSCHED_TENANT_CREATE;
	if (rules->cmd == KFD_XSCHED_ARM)
		*(struct kfd_xsched_arm *)argument = good_arm(test);
	if (rules->cmd == KFD_XSCHED_PARK)
		*(struct kfd_xsched_park *)argument = (struct kfd_xsched_park){
			.size = sizeof(struct kfd_xsched_park),
			.op = KFD_XSCHED_PARK_SET,
			.target = KFD_XSCHED_TARGET_PROCESS,
			.id = xt->process->nr,
		};
	return argument;
}

/* Of what comes back only the size is kept: the argument stays a good one. */
static long call(struct kunit *test, const struct rules *rules, u32 *argument, u32 size)
{
	u32 *copy = kmemdup(argument, ROOM, GFP_KERNEL);
	long ret;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	copy[0] = size;
	ret = xt_ioctl_arg(test, client(test), rules->cmd, copy, ROOM);
	argument[0] = copy[0];
	kfree(copy);
	return ret;
}

/* Too short, exact, too long with and without something in the tail. */
static void sizes(struct kunit *test)
{
	const struct rules *rules = test->param_value;
	u32 *argument = good_argument(test, rules);
	u8 *tail = (u8 *)argument + rules->size;

	KUNIT_EXPECT_EQ(test, call(test, rules, argument, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, 4), -EINVAL);
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->min - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->min), 0);
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->size), 0);
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->size + 8), 0);
	KUNIT_EXPECT_EQ(test, argument[0], rules->size + 8);
	tail[7] = 1;
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->size + 8), -E2BIG);
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->size + 7), 0);
	tail[7] = 0;
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, PAGE_SIZE + 1), -E2BIG);
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, U32_MAX), -E2BIG);
}

/* Every other bit of flags is unknown; reserved fields are zero. */
static void flags_and_reserved(struct kunit *test)
{
	const struct rules *rules = test->param_value;
	u32 *argument = good_argument(test, rules);
	u32 *flags = argument + rules->flags / 4;
	u32 *reserved = argument + rules->reserved / 4;
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		*flags = 1U << bit;
		if (*flags & rules->known)
			continue;
		KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->size),
				-EOPNOTSUPP);
		*flags |= rules->known;
		KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->size),
				-EOPNOTSUPP);
	}
	*flags = 0;
	if (rules->reserved) {
		*reserved = 1;
		KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->size), -EINVAL);
		*reserved = 0;
	}
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_EQ(test, call(test, rules, argument, rules->size), 0);
}

/* Addresses that are not there. */
static void bad_addresses(struct kunit *test)
{
	const struct rules *rules = test->param_value;

	KUNIT_EXPECT_EQ(test, xt_ioctl(client(test), rules->cmd, 0), -EFAULT);
	KUNIT_EXPECT_EQ(test, xt_ioctl(client(test), rules->cmd, ULONG_MAX - 3), -EFAULT);
}

/* An argument that can be read and not written back: EFAULT, and nothing changed. */
static void read_only_argument(struct kunit *test)
{
	const struct rules *rules = test->param_value;
	u32 *argument = good_argument(test, rules);
	struct xt *xt = test->priv;
	unsigned long address;

	argument[0] = rules->size;
	address = xt_map_read_only(test, argument, rules->size);
	KUNIT_EXPECT_EQ(test, xt_ioctl(client(test), rules->cmd, address), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, xt->files[0], KFD_XSCHED_TENANT_CREATE, 0, 0),
			1);
}

/* No such ioctl, also when only its type or its size bits are wrong. */
static void unknown_numbers(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_EXPECT_EQ(test, xt_ioctl(client(test), _IO(KFD_XSCHED_IOC_TYPE, 0x7f),
				       xt->user), -ENOTTY);
	KUNIT_EXPECT_EQ(test, xt_ioctl(client(test), _IO(0xBC, 0), xt->user), -ENOTTY);
	KUNIT_EXPECT_EQ(test, xt_ioctl(client(test), _IOWR(KFD_XSCHED_IOC_TYPE, 0, int),
				       xt->user), -ENOTTY);
}

/* INFO describes the nodes, as far as there is room. */
static void info(struct kunit *test)
{
	struct kfd_xsched_node nodes[3] = {};
	struct kfd_xsched_info arg = {
		.size = sizeof(arg),
		.node_capacity = 1,
		.node_stride = sizeof(nodes[0]),
		.nodes = xt_put(test, nodes, sizeof(nodes)),
	};

	fake_node_add(test, XT_GPU + 1, KFD_XSCHED_CAP_UNMAP);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_INFO,
					   &arg, sizeof(arg)), 0);
	KUNIT_EXPECT_EQ(test, arg.abi_version, KFD_XSCHED_ABI_VERSION);
	KUNIT_EXPECT_EQ(test, arg.node_count, 2);
	xt_get(test, nodes, arg.nodes, sizeof(nodes));
	KUNIT_EXPECT_EQ(test, nodes[0].gpu_id, XT_GPU);
	KUNIT_EXPECT_EQ(test, nodes[0].backend, KFD_XSCHED_BACKEND_HWS);
	KUNIT_EXPECT_EQ(test, nodes[0].caps, FAKE_CAPS);
	KUNIT_EXPECT_EQ(test, nodes[0].max_grace_us, FAKE_MAX_GRACE_US);
	KUNIT_EXPECT_EQ(test, nodes[1].gpu_id, 0);
	arg.node_capacity = U32_MAX;
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_INFO,
					   &arg, sizeof(arg)), 0);
	xt_get(test, nodes, arg.nodes, sizeof(nodes));
	KUNIT_EXPECT_EQ(test, nodes[1].gpu_id, XT_GPU + 1);
	KUNIT_EXPECT_EQ(test, nodes[1].max_grace_us, 0);
	KUNIT_EXPECT_EQ(test, nodes[2].gpu_id, 0);
}

/* In longer elements of the caller, the unknown tail is cleared. */
static void longer_elements(struct kunit *test)
{
	struct xt *xt = test->priv;
	const u32 stride = sizeof(struct kfd_xsched_queue) + 16;
	struct kfd_xsched_list arg = {
		.size = sizeof(arg),
		.capacity = 3,
		.stride = stride,
	};
	u8 *bytes = kunit_kzalloc(test, 3 * stride, GFP_KERNEL);
	struct kfd_xsched_queue *queue = (void *)(bytes + 2 * stride);

	memset(bytes, 0xff, 3 * stride);
	arg.queues = xt_put(test, bytes, 3 * stride);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST,
					   &arg, sizeof(arg)), 0);
	xt_get(test, bytes, arg.queues, 3 * stride);
	KUNIT_EXPECT_EQ(test, queue->id, xt->ids[2]);
	KUNIT_EXPECT_EQ(test, queue->gpu_id, XT_GPU);
	KUNIT_EXPECT_EQ(test, queue->pid, xt->process->nr);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(queue + 1, 0, 16), NULL);
	/* As it was first published, and one less. */
	arg.stride = offsetofend(struct kfd_xsched_queue, held_ns);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST,
					   &arg, sizeof(arg)), 0);
	xt_get(test, bytes, arg.queues, 3 * stride);
	queue = (void *)(bytes + 2 * arg.stride);
	KUNIT_EXPECT_EQ(test, queue->id, xt->ids[2]);
	arg.stride--;
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST,
					   &arg, sizeof(arg)), -EINVAL);
	arg.stride = PAGE_SIZE + 1;
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST,
					   &arg, sizeof(arg)), -E2BIG);
}

/* LIST reports the number of queues, fills the room there is, and has a limit. */
static void list_capacity(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct kfd_xsched_queue queues[3] = {};
	struct kfd_xsched_list arg = { .size = sizeof(arg) };

	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST,
					   &arg, sizeof(arg)), 0);
	KUNIT_EXPECT_EQ(test, arg.count, 3);
	arg.capacity = 2;
	arg.stride = sizeof(queues[0]);
	arg.queues = xt_put(test, queues, sizeof(queues));
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST,
					   &arg, sizeof(arg)), 0);
	KUNIT_EXPECT_EQ(test, arg.count, 3);
	xt_get(test, queues, arg.queues, sizeof(queues));
	KUNIT_EXPECT_EQ(test, queues[0].id, xt->ids[0]);
	KUNIT_EXPECT_EQ(test, queues[1].id, xt->ids[1]);
	KUNIT_EXPECT_EQ(test, queues[2].id, 0);
	arg.capacity = KFD_XSCHED_MAX_ENTRIES;
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST,
					   &arg, sizeof(arg)), 0);
	arg.capacity++;
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST,
					   &arg, sizeof(arg)), -E2BIG);
}

static long apply_array(struct kunit *test, u64 address, u32 count, u32 stride)
{
	struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.count = count,
		.stride = stride,
		.entries = address,
	};

	return xt_ioctl_arg(test, client(test), KFD_XSCHED_APPLY, &arg, sizeof(arg));
}

/* Count and stride of APPLY's entries, at and beyond their limits. */
static void apply_array_limits(struct kunit *test)
{
	struct xt *xt = test->priv;
	const u32 size = sizeof(struct kfd_xsched_entry);
	const u32 first_size = offsetofend(struct kfd_xsched_entry, prio_class);
	const u32 most = KFD_XSCHED_MAX_ENTRIES;
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0);
	const unsigned long array = xt_alloc(test, most * (size + 8));
	u32 i;

	for (i = 0; i < most; i++)
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)(array + i * size),
						   &entry, size), 0);
	KUNIT_EXPECT_EQ(test, apply_array(test, array, 0, size), -EINVAL);
	KUNIT_EXPECT_EQ(test, apply_array(test, array, most + 1, size), -E2BIG);
	KUNIT_EXPECT_EQ(test, apply_array(test, array, 1, first_size - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, apply_array(test, array, 1, PAGE_SIZE + 1), -E2BIG);
	KUNIT_EXPECT_EQ(test, apply_array(test, 0, 1, size), -EFAULT);
	KUNIT_EXPECT_EQ(test, apply_array(test, 0x1000, 1, size), -EFAULT);
	KUNIT_EXPECT_EQ(test, apply_array(test, U64_MAX - 7, 1, size), -EFAULT);
	/* The next entry lies in the tail of the first. */
	KUNIT_EXPECT_EQ(test, apply_array(test, array, 1, size + 8), -E2BIG);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_EQ(test, apply_array(test, array, most, size), 0);
	KUNIT_EXPECT_EQ(test, fake_applies(), 1);
}

/* Entries as they were first published do what they always did. */
static void apply_first_entries(struct kunit *test)
{
	const u32 size = offsetofend(struct kfd_xsched_entry, prio_class);
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], 9);
	struct kfd_xsched_entry back = { .reserved = 77 };
	const unsigned long array = xt_put(test, &back, sizeof(back));

	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)array, &entry, size), 0);
	KUNIT_EXPECT_EQ(test, apply_array(test, array, 1, size), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 9);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, XS_PRIORITY_APP);
	xt_get(test, &back, array, sizeof(back));
	KUNIT_EXPECT_EQ(test, back.effective, 9);
	KUNIT_EXPECT_EQ(test, back.reserved, 77);
}

/* Longer entries work if what we do not know is zero. */
static void apply_longer_entries(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct {
		struct kfd_xsched_entry known;
		u64 tail;
	} entries[2] = {
		{ .known = XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0) },
		{ .known = XT_ENTRY(SUSPEND, QUEUE, xt->ids[1], 0), .tail = 1 },
	};
	unsigned long array = xt_put(test, entries, sizeof(entries));

	KUNIT_EXPECT_EQ(test, apply_array(test, array, 2, sizeof(entries[0])), -E2BIG);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	entries[1].tail = 0;
	entries[1].known.status = 77;
	array = xt_put(test, entries, sizeof(entries));
	KUNIT_EXPECT_EQ(test, apply_array(test, array, 2, sizeof(entries[0])), 0);
	xt_get(test, entries, array, sizeof(entries));
	KUNIT_EXPECT_EQ(test, entries[1].known.status, 0);
	KUNIT_EXPECT_EQ(test, entries[1].known.effective, 1);
	KUNIT_EXPECT_TRUE(test, xt->queues[1]->held);
}

/* Entries that cannot be written back: EFAULT before anything changed. */
static void apply_read_only(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0);
	const unsigned long array = xt_map_read_only(test, &entry, sizeof(entry));

	KUNIT_EXPECT_EQ(test, apply_array(test, array, 1, sizeof(entry)), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
}

/* Results of nodes: no room, no address, elements too short. */
static void apply_results(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0);
	struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.count = 1,
		.stride = sizeof(entry),
		.entries = xt_put(test, &entry, sizeof(entry)),
		.node_capacity = 1,
		.node_stride = sizeof(struct kfd_xsched_node_result) - 1,
		.nodes = xt->user,
	};

	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_APPLY,
					   &arg, sizeof(arg)), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	arg.node_stride++;
	arg.nodes = xt_map_read_only(test, &entry, sizeof(entry));
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_APPLY,
					   &arg, sizeof(arg)), -EFAULT);
	arg.nodes = 0x1000;
	arg.node_capacity = U32_MAX;
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_APPLY,
					   &arg, sizeof(arg)), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	arg.node_capacity = 0;
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_APPLY,
					   &arg, sizeof(arg)), 0);
	KUNIT_EXPECT_EQ(test, arg.node_count, 1);
	arg.node_capacity = 8;
	arg.nodes = 0;
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_APPLY,
					   &arg, sizeof(arg)), 0);
	KUNIT_EXPECT_EQ(test, arg.node_count, 1);
}

/* SUBSCRIBE: every event bit, and the limits of its times. */
static void subscribe_limits(struct kunit *test)
{
	const u32 ready = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY);
	const u32 min = KFD_XSCHED_SAMPLE_US_MIN, max = KFD_XSCHED_SAMPLE_US_MAX;
	const u32 settle = KFD_XSCHED_SETTLE_US_MAX;
	struct file *file = client(test);
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		const bool activity = bit == KFD_XSCHED_EVENT_READY ||
			bit == KFD_XSCHED_EVENT_IDLE;

		KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, 1U << bit,
						   activity ? 1000 : 0, 0),
				bit > KFD_XSCHED_EVENT_DEMOTED ? -EOPNOTSUPP : 0);
	}
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, ready, min - 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, ready, max + 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, ready, min, settle + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, 0, min, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, 0, 0, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, ready, max, settle), 0);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, ready, min, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, 0, 0, 0), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(sizes, rules_gen_params),
	KUNIT_CASE_PARAM(flags_and_reserved, rules_gen_params),
	KUNIT_CASE_PARAM(bad_addresses, rules_gen_params),
	KUNIT_CASE_PARAM(read_only_argument, rules_gen_params),
	KUNIT_CASE(unknown_numbers),
	KUNIT_CASE(info),
	KUNIT_CASE(longer_elements),
	KUNIT_CASE(list_capacity),
	KUNIT_CASE(apply_array_limits),
	KUNIT_CASE(apply_first_entries),
	KUNIT_CASE(apply_longer_entries),
	KUNIT_CASE(apply_read_only),
	KUNIT_CASE(apply_results),
	KUNIT_CASE(subscribe_limits),
	{}
};

static struct kunit_suite suite = {
	.name = "ioctl",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
