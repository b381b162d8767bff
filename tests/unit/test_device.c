// SPDX-License-Identifier: MIT
/*
 * The sys and object layers above a fake ioctl: sizes and strides sent, errnos
 * passed through, arrays grown, results cut to their room.
 */
#include "fake_ioctl.h"
#include "unit.h"

#include <fcntl.h>
#include <unistd.h>

/**
 * struct fake - the kernel below
 * @nodes: nodes there are
 * @queues: queues there are
 * @grow: queues that appear during each LIST
 * @abi: ABI version to report
 * @fail: errno for the next call, 0: none
 * @calls: ioctls so far
 * @node_count: nodes the next APPLY reports
 * @last_subscribe: argument
 * @last_apply: argument
 * @last_entry: its last entry
 * @last_tenant: argument
 * @last_arm: argument
 * @last_park: argument
 */
static struct fake {
	uint32_t nodes;
	uint32_t queues;
	uint32_t grow;
	uint32_t abi;
	int fail;
	unsigned int calls;
	uint32_t node_count;
	struct kfd_xsched_subscribe last_subscribe;
	struct kfd_xsched_apply last_apply;
	struct kfd_xsched_entry last_entry;
	struct kfd_xsched_tenant last_tenant;
	struct kfd_xsched_arm last_arm;
	struct kfd_xsched_park last_park;
} fake;

static int fake_renew(struct kfd_xsched_renew *renew)
{
	assert_int_equal(renew->size, sizeof(*renew));
	assert_int_equal(renew->flags, 0);
	renew->lease_ms = 2000;
	renew->client = 7;
	renew->ejected = fake.fail == EOWNERDEAD ? KFD_XSCHED_EJECT_ADMIN : 0;
	return fake.fail;
}

static void fake_info(struct kfd_xsched_info *info)
{
	struct kfd_xsched_node *nodes = (void *)(uintptr_t)info->nodes;

	assert_int_equal(info->size, sizeof(*info));
	assert_int_equal(info->node_stride, sizeof(*nodes));
	assert_int_equal(info->flags, 0);
	info->abi_version = fake.abi;
	info->node_count = fake.nodes;
	for (uint32_t i = 0; i < fake.nodes && i < info->node_capacity; i++)
		nodes[i].gpu_id = 1000 + i;
}

static void fake_list(struct kfd_xsched_list *list)
{
	struct kfd_xsched_queue *queues = (void *)(uintptr_t)list->queues;

	assert_int_equal(list->size, sizeof(*list));
	assert_int_equal(list->stride, sizeof(*queues));
	assert_int_equal(list->flags, 0);
	assert_int_equal(list->changed, 0);
	assert_true(list->capacity <= KFD_XSCHED_MAX_ENTRIES);
	fake.queues += fake.grow;
	list->count = fake.queues;
	for (uint32_t i = 0; i < fake.queues && i < list->capacity; i++)
		queues[i].id = 1 + i;
}

static int fake_apply(struct kfd_xsched_apply *apply)
{
	struct kfd_xsched_entry *entries = (void *)(uintptr_t)apply->entries;

	assert_int_equal(apply->size, sizeof(*apply));
	assert_int_equal(apply->stride, sizeof(*entries));
	assert_int_equal(apply->node_stride,
			 sizeof(struct kfd_xsched_node_result));
	assert_int_equal(apply->flags & ~KFD_XSCHED_APPLY_ASYNC, 0);
	assert_int_equal(apply->reserved, 0);
	assert_true(!apply->cookie || apply->flags);
	fake.last_apply = *apply;
	fake.last_entry = entries[apply->count - 1];
	for (uint32_t i = 0; i < apply->count; i++) {
		assert_int_equal(entries[i].reserved, 0);
		assert_int_equal(entries[i].status, 0);
		assert_int_equal(entries[i].effective_class, 0);
		entries[i].status = fake.fail ? -fake.fail : 0;
		entries[i].effective = i;
	}
	apply->node_count = fake.node_count;
	return fake.fail;
}

static int fake_tenant(struct kfd_xsched_tenant *tenant)
{
	assert_int_equal(tenant->size, sizeof(*tenant));
	assert_int_equal(tenant->flags, 0);
	assert_int_equal(tenant->reserved, 0);
	fake.last_tenant = *tenant;
	if (tenant->op == KFD_XSCHED_TENANT_CREATE)
		tenant->id = 77;
	return fake.fail;
}

static int fake_arm(struct kfd_xsched_arm *arm)
{
	assert_int_equal(arm->size, sizeof(*arm));
	assert_true(!arm->flags || (arm->op == KFD_XSCHED_ARM_CLEAR &&
				    arm->flags == KFD_XSCHED_ARM_ASYNC));
	fake.last_arm = *arm;
	if (arm->op == KFD_XSCHED_ARM_SET)
		arm->id = 55;
	return fake.fail;
}

static int fake_park(struct kfd_xsched_park *park)
{
	assert_int_equal(park->size, sizeof(*park));
	assert_int_equal(park->flags, 0);
	assert_int_equal(park->reserved, 0);
	fake.last_park = *park;
	return fake.fail;
}

int fake_ioctl(int fd, unsigned long request, void *arg)
{
	(void)fd;
	fake.calls++;
	if (request == KFD_XSCHED_APPLY)
		return fake_apply(arg);
	if (request == KFD_XSCHED_TENANT)
		return fake_tenant(arg);
	if (request == KFD_XSCHED_ARM)
		return fake_arm(arg);
	if (request == KFD_XSCHED_PARK)
		return fake_park(arg);
	if (request == KFD_XSCHED_RENEW)
		return fake_renew(arg);
	if (fake.fail)
		return fake.fail;
	if (request == KFD_XSCHED_INFO)
		fake_info(arg);
	else if (request == KFD_XSCHED_LIST)
		fake_list(arg);
	else if (request == KFD_XSCHED_SUBSCRIBE)
		fake.last_subscribe = *(struct kfd_xsched_subscribe *)arg;
	else
		return ENOTTY;
	return 0;
}

static struct xsched_device *open_fake(uint32_t nodes)
{
	struct xsched_device *device;

	fake = (struct fake){ .nodes = nodes, .abi = KFD_XSCHED_ABI_VERSION };
	assert_int_equal(xsched_open(&device, "/dev/null"), 0);
	return device;
}

/* The numbers of the ABI: a change here breaks every program built before. */
static void abi_numbers(void **state)
{
	(void)state;
	assert_int_equal(KFD_XSCHED_INFO, 0xbd00);
	assert_int_equal(KFD_XSCHED_LIST, 0xbd01);
	assert_int_equal(KFD_XSCHED_APPLY, 0xbd02);
	assert_int_equal(KFD_XSCHED_SUBSCRIBE, 0xbd03);
	assert_int_equal(KFD_XSCHED_TENANT, 0xbd04);
	assert_int_equal(KFD_XSCHED_RENEW, 0xbd05);
	assert_int_equal(KFD_XSCHED_ARM, 0xbd06);
	assert_int_equal(KFD_XSCHED_PARK, 0xbd07);
	assert_int_equal(sizeof(struct kfd_xsched_park), 32);
	assert_int_equal(sizeof(struct kfd_xsched_arm), 48);
	assert_int_equal(sizeof(struct kfd_xsched_info), 32);
	assert_int_equal(sizeof(struct kfd_xsched_node), 32);
	assert_int_equal(sizeof(struct kfd_xsched_list), 32);
	assert_int_equal(sizeof(struct kfd_xsched_queue), 88);
	assert_int_equal(sizeof(struct kfd_xsched_entry), 40);
	assert_int_equal(sizeof(struct kfd_xsched_node_result), 48);
	assert_int_equal(sizeof(struct kfd_xsched_apply), 56);
	assert_int_equal(sizeof(struct kfd_xsched_tenant), 32);
	assert_int_equal(sizeof(struct kfd_xsched_subscribe), 24);
	assert_int_equal(sizeof(struct kfd_xsched_event), 40);
	assert_int_equal(sizeof(struct kfd_xsched_renew), 24);
}

/* Opening reads the nodes, however many. */
static void open_reads_nodes(void **state)
{
	const struct kfd_xsched_node *nodes;
	struct xsched_device *device = open_fake(3);
	size_t count;

	(void)state;
	nodes = xsched_nodes(device, &count);
	assert_int_equal(count, 3);
	assert_int_equal(nodes[2].gpu_id, 1002);
	assert_int_equal(xsched_abi_version(device), KFD_XSCHED_ABI_VERSION);
	fake.nodes = 9;
	assert_int_equal(xsched_refresh_nodes(device), 0);
	nodes = xsched_nodes(device, &count);
	assert_int_equal(count, 9);
	assert_int_equal(nodes[8].gpu_id, 1008);
	fake.fail = ENODEV;
	assert_int_equal(xsched_refresh_nodes(device), -ENODEV);
	xsched_nodes(device, &count);
	assert_int_equal(count, 9);
	xsched_close(device);
}

static int logged;

static void count_log(void *user, int level, const char *message)
{
	(void)user;
	assert_int_equal(level, XSCHED_LOG_ERROR);
	assert_non_null(strstr(message, "ABI 7"));
	logged++;
}

/* No device, a foreign device, a foreign ABI: an errno each, no device. */
static void open_fails_cleanly(void **state)
{
	struct xsched_device *device = NULL;

	(void)state;
	assert_int_equal(xsched_open(&device, "/nonexistent/x"), -ENOENT);
	fake = (struct fake){ .fail = ENOTTY };
	assert_int_equal(xsched_open(&device, "/dev/null"), -ENOTTY);
	fake = (struct fake){ .abi = 7 };
	xsched_set_log(count_log, NULL);
	assert_int_equal(xsched_open(&device, "/dev/null"), -EPROTONOSUPPORT);
	xsched_set_log(NULL, NULL);
	assert_int_equal(logged, 1);
	assert_null(device);
}

/* The list grows until everything fits, also while queues keep coming. */
static void list_grows(void **state)
{
	struct xsched_device *device = open_fake(1);
	struct xsched_queue_list list = { 0 };

	(void)state;
	assert_int_equal(xsched_list_queues(device, &list), 0);
	assert_int_equal(list.count, 0);
	fake.queues = 500;
	fake.grow = 1;
	fake.calls = 0;
	assert_int_equal(xsched_list_queues(device, &list), 0);
	assert_int_equal(list.count, 502);
	assert_int_equal(list.queues[501].id, 502);
	assert_int_equal(fake.calls, 2);
	/* Faster than the slack: several turns, but it ends. */
	fake.grow = 50;
	fake.queues = 1000;
	assert_int_equal(xsched_list_queues(device, &list), -E2BIG);
	assert_int_equal(list.count, 0);
	fake.grow = 0;
	fake.queues = KFD_XSCHED_MAX_ENTRIES;
	assert_int_equal(xsched_list_queues(device, &list), 0);
	assert_int_equal(list.count, KFD_XSCHED_MAX_ENTRIES);
	fake.fail = EFAULT;
	assert_int_equal(xsched_list_queues(device, &list), -EFAULT);
	assert_int_equal(list.count, 0);
	xsched_queue_list_free(&list);
	xsched_close(device);
}

/* Each helper makes the entry it names. */
static void apply_entries(void **state)
{
	static const struct kfd_xsched_entry expected[] = {
		{ .op = 1, .target = 1, .id = 11 },
		{ .op = 1, .target = 2, .id = 12 },
		{ .op = 2, .target = 1, .id = 13, .value = 40 },
		{ .op = 2, .target = 2, .id = 14, .value = 50 },
		{ .op = 3, .target = 1, .id = 15 },
		{ .op = 3, .target = 2, .id = 16 },
		{ .op = 4, .target = 2, .id = 17, .value = -1 },
	};
	struct xsched_apply *apply;

	(void)state;
	assert_int_equal(xsched_apply_new(&apply, 0), 0);
	assert_int_equal(xsched_apply_suspend_queue(apply, 11), 0);
	assert_int_equal(xsched_apply_suspend_process(apply, 12), 0);
	assert_int_equal(xsched_apply_unmap_queue(apply, 13, 40), 0);
	assert_int_equal(xsched_apply_unmap_process(apply, 14, 50), 0);
	assert_int_equal(xsched_apply_resume_queue(apply, 15), 0);
	assert_int_equal(xsched_apply_resume_process(apply, 16), 0);
	assert_int_equal(xsched_apply_set_priority(apply,
				KFD_XSCHED_TARGET_PROCESS, 17,
				KFD_XSCHED_PRIORITY_APP), 0);
	assert_int_equal(xsched_apply_count(apply), 7);
	assert_memory_equal(xsched_apply_entries(apply), expected,
			    sizeof(expected));
	xsched_apply_free(apply);
}

/* One ioctl a run; statuses and nodes can be read, with success or without. */
static void apply_runs(void **state)
{
	struct xsched_device *device = open_fake(1);
	const struct kfd_xsched_entry *entries;
	struct xsched_apply *apply;
	size_t count;

	(void)state;
	assert_int_equal(xsched_apply_new(&apply, 4), 0);
	fake.calls = 0;
	assert_int_equal(xsched_apply_run(apply, device), -EINVAL);
	assert_int_equal(fake.calls, 0);
	assert_int_equal(xsched_apply_suspend_process(apply, 1), 0);
	assert_int_equal(xsched_apply_resume_process(apply, 2), 0);
	fake.fail = EIO;
	fake.node_count = 2;
	assert_int_equal(xsched_apply_run(apply, device), -EIO);
	entries = xsched_apply_entries(apply);
	assert_int_equal(entries[1].status, -EIO);
	xsched_apply_nodes(apply, &count);
	assert_int_equal(count, 2);
	/* More nodes than there was room for: only the room is valid. */
	fake.fail = 0;
	fake.node_count = 4000;
	assert_int_equal(xsched_apply_run(apply, device), 0);
	xsched_apply_nodes(apply, &count);
	assert_int_equal(count, fake.last_apply.node_capacity);
	assert_int_equal(entries[1].status, 0);
	assert_int_equal(entries[1].effective, 1);
	assert_int_equal(fake.calls, 2);
	xsched_apply_reset(apply);
	assert_int_equal(xsched_apply_count(apply), 0);
	xsched_apply_nodes(apply, &count);
	assert_int_equal(count, 0);
	xsched_apply_free(apply);
	xsched_close(device);
}

/* The largest switch fits, one more entry does not. */
static void apply_limit(void **state)
{
	struct xsched_apply *apply;

	(void)state;
	assert_int_equal(xsched_apply_new(&apply, KFD_XSCHED_MAX_ENTRIES + 1),
			 -E2BIG);
	assert_int_equal(xsched_apply_new(&apply, 1), 0);
	for (int i = 0; i < KFD_XSCHED_MAX_ENTRIES; i++)
		assert_int_equal(xsched_apply_suspend_queue(apply, i), 0);
	assert_int_equal(xsched_apply_suspend_queue(apply, 0), -E2BIG);
	assert_int_equal(xsched_apply_count(apply), KFD_XSCHED_MAX_ENTRIES);
	assert_int_equal(xsched_apply_entries(apply)[8191].id, 8191);
	xsched_apply_free(apply);
}

/* Periods go to the kernel only with the events they belong to. */
static void subscribe_periods(void **state)
{
	struct xsched_device *device = open_fake(1);

	(void)state;
	assert_int_equal(xsched_subscribe(device,
			 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY), 100,
			 500), 0);
	assert_int_equal(fake.last_subscribe.size, 24);
	assert_int_equal(fake.last_subscribe.sample_us, 100);
	assert_int_equal(fake.last_subscribe.settle_us, 500);
	assert_int_equal(xsched_subscribe(device,
			 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD), 100,
			 500), 0);
	assert_int_equal(fake.last_subscribe.sample_us, 0);
	assert_int_equal(fake.last_subscribe.settle_us, 0);
	fake.fail = EOPNOTSUPP;
	assert_int_equal(xsched_subscribe(device, 1u << 31, 0, 0), -EOPNOTSUPP);
	xsched_close(device);
}

/* A sign of life; and why it is none, once ejected. */
static void renews(void **state)
{
	struct xsched_device *device = open_fake(1);
	struct kfd_xsched_renew renew = { .flags = 1, .ejected = 9 };

	(void)state;
	assert_int_equal(xsched_renew(device, NULL), 0);
	assert_int_equal(xsched_renew(device, &renew), 0);
	assert_int_equal(renew.lease_ms, 2000);
	assert_int_equal(renew.client, 7);
	assert_int_equal(renew.ejected, KFD_XSCHED_EJECT_NONE);
	fake.fail = EOWNERDEAD;
	assert_int_equal(xsched_renew(device, &renew), -EOWNERDEAD);
	assert_int_equal(renew.ejected, KFD_XSCHED_EJECT_ADMIN);
	fake.fail = 0;
	xsched_close(device);
	/* Every reason there is has words of its own, and so have those to come. */
	for (uint64_t i = 0; i <= KFD_XSCHED_EJECT_DISABLED; i++)
		assert_string_not_equal(xsched_eject_name(i), xsched_eject_name(i + 1));
	assert_non_null(xsched_eject_name(UINT64_MAX));
}

/* Tenants: what is asked for reaches the kernel, an id comes back on success only. */
static void tenants(void **state)
{
	struct xsched_device *device = open_fake(1);
	uint64_t id = 5;

	(void)state;
	fake.fail = ENOSPC;
	assert_int_equal(xsched_tenant_create(device, &id), -ENOSPC);
	assert_int_equal(id, 5);
	fake.fail = 0;
	assert_int_equal(xsched_tenant_create(device, &id), 0);
	assert_int_equal(id, 77);
	assert_int_equal(fake.last_tenant.op, KFD_XSCHED_TENANT_CREATE);
	assert_int_equal(fake.last_tenant.id, 0);
	assert_int_equal(xsched_tenant_add(device, id, 123), 0);
	assert_int_equal(fake.last_tenant.op, KFD_XSCHED_TENANT_ADD);
	assert_int_equal(fake.last_tenant.id, 77);
	assert_int_equal(fake.last_tenant.process, 123);
	fake.fail = ENOENT;
	assert_int_equal(xsched_tenant_remove(device, id, 124), -ENOENT);
	assert_int_equal(fake.last_tenant.op, KFD_XSCHED_TENANT_REMOVE);
	fake.fail = 0;
	assert_int_equal(xsched_tenant_destroy(device, id), 0);
	assert_int_equal(fake.last_tenant.op, KFD_XSCHED_TENANT_DESTROY);
	assert_int_equal(fake.last_tenant.process, 0);
	xsched_close(device);
}

/* What is said of a process reaches the kernel, and so does that nothing is said any more. */
static void parks(void **state)
{
	struct xsched_device *device = open_fake(1);

	(void)state;
	assert_int_equal(xsched_park(device, 123, 200), 0);
	assert_int_equal(fake.last_park.op, KFD_XSCHED_PARK_SET);
	assert_int_equal(fake.last_park.target, KFD_XSCHED_TARGET_PROCESS);
	assert_int_equal(fake.last_park.id, 123);
	assert_int_equal(fake.last_park.idle_ms, 200);
	assert_int_equal(xsched_park_clear(device, 124), 0);
	assert_int_equal(fake.last_park.op, KFD_XSCHED_PARK_CLEAR);
	assert_int_equal(fake.last_park.id, 124);
	assert_int_equal(fake.last_park.idle_ms, 0);
	fake.fail = EALREADY;
	assert_int_equal(xsched_park_clear(device, 124), -EALREADY);
	fake.fail = ENOTTY;
	assert_int_equal(xsched_park(device, 123, 0), -ENOTTY);
	xsched_close(device);
}

/* Each bit has a word of its own. */
static void resident_names(void **state)
{
	(void)state;
	assert_string_equal(xsched_resident_name(0), "off");
	assert_string_equal(xsched_resident_name(__builtin_ctz(KFD_XSCHED_RESIDENT_BLIND)), "blind");
	assert_string_equal(xsched_resident_name(__builtin_ctz(KFD_XSCHED_RESIDENT_SHUT)), "shut");
	assert_null(xsched_resident_name(__builtin_ctz(KFD_XSCHED_RESIDENT_SHUT) + 1));
}

/* A switch to be armed reaches the kernel, an id comes back on success only. */
static void arms(void **state)
{
	struct xsched_device *device = open_fake(1);
	struct xsched_apply *apply;
	uint64_t id = 1;

	(void)state;
	assert_int_equal(xsched_apply_new(&apply, 0), 0);
	assert_int_equal(xsched_apply_arm(apply, device, KFD_XSCHED_TARGET_PROCESS, 9, &id),
			 -EINVAL);
	assert_int_equal(xsched_apply_suspend_process(apply, 8), 0);
	assert_int_equal(xsched_apply_arm(apply, device, KFD_XSCHED_TARGET_PROCESS, 9, &id), 0);
	assert_int_equal(id, 55);
	assert_int_equal(fake.last_arm.trigger, KFD_XSCHED_TARGET_PROCESS);
	assert_int_equal(fake.last_arm.trigger_id, 9);
	assert_int_equal(fake.last_arm.count, 1);
	assert_int_equal(fake.last_arm.stride, sizeof(struct kfd_xsched_entry));
	assert_ptr_equal(fake.last_arm.entries, xsched_apply_entries(apply));
	fake.fail = ELOOP;
	id = 1;
	assert_int_equal(xsched_apply_arm(apply, device, KFD_XSCHED_TARGET_TENANT, 9, &id), -ELOOP);
	assert_int_equal(id, 1);
	fake.fail = 0;
	assert_int_equal(xsched_disarm(device, 55), 0);
	assert_int_equal(fake.last_arm.op, KFD_XSCHED_ARM_CLEAR);
	assert_int_equal(fake.last_arm.id, 55);
	assert_int_equal(fake.last_arm.count + fake.last_arm.stride, 0);
	assert_int_equal(fake.last_arm.flags, 0);
	assert_int_equal(xsched_disarm_async(device, 55), 0);
	assert_int_equal(fake.last_arm.op, KFD_XSCHED_ARM_CLEAR);
	assert_int_equal(fake.last_arm.flags, KFD_XSCHED_ARM_ASYNC);
	xsched_apply_free(apply);
	xsched_close(device);
}

/* Entries on tenants and of classes are what their names say. */
static void entries_of_tenants_and_classes(void **state)
{
	const struct kfd_xsched_entry *entries;
	struct xsched_apply *apply;

	(void)state;
	assert_int_equal(xsched_apply_new(&apply, 0), 0);
	assert_int_equal(xsched_apply_suspend_tenant(apply, 3), 0);
	assert_int_equal(xsched_apply_unmap_tenant(apply, 4, 50), 0);
	assert_int_equal(xsched_apply_resume_tenant(apply, 5), 0);
	assert_int_equal(xsched_apply_set_class(apply, KFD_XSCHED_TARGET_QUEUE, 6,
						KFD_XSCHED_CLASS_HIGH), 0);
	assert_int_equal(xsched_apply_set_priority(apply, KFD_XSCHED_TARGET_TENANT, 7, 9), 0);
	entries = xsched_apply_entries(apply);
	for (int i = 0; i < 5; i++)
		assert_int_equal(entries[i].id, 3 + i);
	assert_int_equal(entries[0].op, KFD_XSCHED_OP_SUSPEND);
	assert_int_equal(entries[1].op, KFD_XSCHED_OP_UNMAP);
	assert_int_equal(entries[1].value, 50);
	assert_int_equal(entries[2].op, KFD_XSCHED_OP_RESUME);
	assert_int_equal(entries[2].target, KFD_XSCHED_TARGET_TENANT);
	assert_int_equal(entries[3].value, KFD_XSCHED_PRIORITY_KEEP);
	assert_int_equal(entries[3].prio_class, KFD_XSCHED_CLASS_HIGH);
	assert_int_equal(entries[4].prio_class, KFD_XSCHED_CLASS_KEEP);
	assert_int_equal(entries[4].value, 9);
	xsched_apply_free(apply);
}

/* A start asks for no results and has none; it can be followed by a run. */
static void apply_starts(void **state)
{
	struct xsched_device *device = open_fake(1);
	struct xsched_apply *apply;
	size_t count;

	(void)state;
	assert_int_equal(xsched_apply_new(&apply, 1), 0);
	assert_int_equal(xsched_apply_start(apply, device, 1), -EINVAL);
	xsched_apply_suspend_tenant(apply, 3);
	fake.node_count = 2;
	assert_int_equal(xsched_apply_start(apply, device, UINT64_MAX), 0);
	assert_int_equal(fake.last_apply.flags, KFD_XSCHED_APPLY_ASYNC);
	assert_int_equal(fake.last_apply.cookie, UINT64_MAX);
	assert_int_equal(fake.last_apply.nodes, 0);
	assert_int_equal(fake.last_entry.id, 3);
	xsched_apply_nodes(apply, &count);
	assert_int_equal(count, 0);
	fake.fail = EAGAIN;
	assert_int_equal(xsched_apply_start(apply, device, 2), -EAGAIN);
	assert_int_equal(xsched_apply_entries(apply)[0].status, -EAGAIN);
	fake.fail = 0;
	assert_int_equal(xsched_apply_run(apply, device), 0);
	assert_int_equal(fake.last_apply.flags, 0);
	assert_int_equal(fake.last_apply.cookie, 0);
	xsched_apply_free(apply);
	xsched_close(device);
}

/* Whole records, an end, nothing now, part of a record. */
static void reads_events(void **state)
{
	struct kfd_xsched_event events[4] = { { .id = 1 }, { .id = 2 } };
	struct kfd_xsched_event got[4];
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_int_equal(xsched_sys_read(fds[0], got, 4), -EAGAIN);
	assert_int_equal(write(fds[1], events, 2 * sizeof(*events)),
			 2 * sizeof(*events));
	assert_int_equal(xsched_sys_read(fds[0], got, 1), 1);
	assert_int_equal(xsched_sys_read(fds[0], got, 4), 1);
	assert_int_equal(got[0].id, 2);
	assert_int_equal(write(fds[1], events, 5), 5);
	assert_int_equal(xsched_sys_read(fds[0], got, 4), -EPROTO);
	close(fds[1]);
	assert_int_equal(xsched_sys_read(fds[0], got, 4), 0);
	close(fds[0]);
	assert_int_equal(xsched_sys_read(fds[0], got, 4), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(abi_numbers),
		cmocka_unit_test(open_reads_nodes),
		cmocka_unit_test(open_fails_cleanly),
		cmocka_unit_test(list_grows),
		cmocka_unit_test(apply_entries),
		cmocka_unit_test(apply_runs),
		cmocka_unit_test(apply_limit),
		cmocka_unit_test(subscribe_periods),
		cmocka_unit_test(renews),
		cmocka_unit_test(tenants),
		cmocka_unit_test(entries_of_tenants_and_classes),
		cmocka_unit_test(apply_starts),
		cmocka_unit_test(parks),
		cmocka_unit_test(resident_names),
		cmocka_unit_test(arms),
		cmocka_unit_test(reads_events),
	};

	return RUN(tests);
}
