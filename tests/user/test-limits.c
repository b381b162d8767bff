// SPDX-License-Identifier: MIT
/*
 * Every field of every argument at the ends of its range: the errno the uapi
 * header names, and nothing changed by a call that failed. Then memory that is
 * not there, and threads that close a file while others use it.
 *
 * Each call has a client of its own, so that what one changes goes with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"

#define MAX_QUEUES	8
#define PAGE		4096
#define STORM_MS	2000	/* at the least, and until it has been one */
#define ENOUGH		100
#define MOST_MS		60000
#define STORMERS	3
#define SETTLED_MS	20000

#define HIGH32		0x80000000ULL
#define ONES32		0xffffffffULL
#define KERNEL		0xffff800000000000ULL	/* an address of the kernel's */

static struct kfd_xsched_queue queue;	/* the worker's only one */
static int observer;			/* a client that does nothing */

/* ---- the state before and after ------------------------------------------------ */

/**
 * struct state - all a call could have changed
 * @count: of queues
 * @queues: what is listed of them, without what counts up by itself
 * @clients: open files
 * @held: queues held, by any client
 * @in_force: requests that ask for something, tenants, armed switches
 * @objects: all requests; a client keeps empty ones, to its end
 */
struct state {
	int count;
	struct kfd_xsched_queue queues[MAX_QUEUES];
	long clients;
	long held;
	unsigned int in_force;
	unsigned int objects;
};

static struct state state_now(void)
{
	static char text[1 << 20];
	struct state s;
	int i;

	memset(&s, 0, sizeof(s));
	s.count = xsdev_list(observer, s.queues, MAX_QUEUES);
	for (i = 0; i < s.count && i < MAX_QUEUES; i++) {
		/* What the sampler knew last, and counts. */
		s.queues[i].state &= ~(KFD_XSCHED_QUEUE_READY | KFD_XSCHED_QUEUE_WATCHED |
				       KFD_XSCHED_QUEUE_TAPPED);
		s.queues[i].held_ns = 0;
		s.queues[i].preemptions = 0;
		s.queues[i].resident = 0;
	}
	s.clients = sysfile_number(SYSFILE_GLOBAL "statistics/clients");
	s.held = sysfile_number(SYSFILE_GLOBAL "statistics/held");
	if (sysfile_read(text, sizeof(text), SYSFILE_STATE) <= 0)
		tap_bail(SYSFILE_STATE " cannot be read");
	s.in_force = sysfile_count(text, " now=") - sysfile_count(text, " now=free/-1/1") +
		     sysfile_count(text, " next=") + sysfile_count(text, "  tenant ") +
		     sysfile_count(text, "  armed ");
	s.objects = sysfile_count(text, "    request ") + sysfile_count(text, "  process ");
	return s;
}

/* As far as it has an effect. */
static bool unchanged(const struct state *a, const struct state *b)
{
	struct state c = *b;

	c.objects = a->objects;
	return !memcmp(a, &c, sizeof(c));
}

static bool same(const struct state *a, const struct state *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* ---- the calls --------------------------------------------------------------------- */

/**
 * struct call - one ioctl with all it points to, valid to begin with
 * @client: whose
 * @info: arguments
 * @list: likewise
 * @apply: likewise
 * @subscribe: likewise
 * @tenant: likewise
 * @renew: likewise
 * @arm: likewise
 * @park: likewise
 * @entries: of @apply and @arm; the second is the one that is spoilt
 * @nodes: of @info
 * @results: of @apply
 * @queues: of @list
 */
struct call {
	int client;
	struct kfd_xsched_info info;
	struct kfd_xsched_list list;
	struct kfd_xsched_apply apply;
	struct kfd_xsched_subscribe subscribe;
	struct kfd_xsched_tenant tenant;
	struct kfd_xsched_renew renew;
	struct kfd_xsched_arm arm;
	struct kfd_xsched_park park;
	struct kfd_xsched_entry entries[2];
	struct kfd_xsched_node nodes[2];
	struct kfd_xsched_node_result results[2];
	struct kfd_xsched_queue queues[MAX_QUEUES];
};

static void fill_arrays(struct call *c)
{
	c->info.node_capacity = 2;
	c->info.node_stride = sizeof(c->nodes[0]);
	c->info.nodes = (uintptr_t)c->nodes;
	c->list.capacity = MAX_QUEUES;
	c->list.stride = sizeof(c->queues[0]);
	c->list.queues = (uintptr_t)c->queues;
	c->apply.count = 2;
	c->apply.stride = sizeof(c->entries[0]);
	c->apply.entries = (uintptr_t)c->entries;
	c->apply.node_capacity = 2;
	c->apply.node_stride = sizeof(c->results[0]);
	c->apply.nodes = (uintptr_t)c->results;
	c->arm.count = 2;
	c->arm.stride = sizeof(c->entries[0]);
	c->arm.entries = (uintptr_t)c->entries;
}

/*
 * Holds the worker's queue, overrides its priority: so much for what may not happen by half.
 * The same is armed, for a tenant that has no process yet: nothing of it happens.
 */
static void call_init(struct call *c)
{
	memset(c, 0, sizeof(*c));
	c->client = must_open();
	c->info.size = sizeof(c->info);
	c->list.size = sizeof(c->list);
	c->apply.size = sizeof(c->apply);
	c->subscribe.size = sizeof(c->subscribe);
	c->tenant.size = sizeof(c->tenant);
	c->renew.size = sizeof(c->renew);
	c->arm.size = sizeof(c->arm);
	c->park.size = sizeof(c->park);
	c->entries[0] = (struct kfd_xsched_entry){
		.op = KFD_XSCHED_OP_SUSPEND, .target = KFD_XSCHED_TARGET_PROCESS,
		.id = (uint64_t)queue.pid,
	};
	c->entries[1] = (struct kfd_xsched_entry){
		.op = KFD_XSCHED_OP_SET_PRIORITY, .target = KFD_XSCHED_TARGET_QUEUE,
		.id = queue.id, .value = 3,
	};
	c->subscribe.events = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY);
	c->subscribe.sample_us = 1000;
	c->tenant.op = KFD_XSCHED_TENANT_CREATE;
	c->arm.op = KFD_XSCHED_ARM_SET;
	c->arm.trigger = KFD_XSCHED_TARGET_TENANT;
	c->arm.trigger_id = (uint64_t)xsdev_tenant(c->client, KFD_XSCHED_TENANT_CREATE, 0, 0);
	c->park.op = KFD_XSCHED_PARK_SET;
	c->park.target = KFD_XSCHED_TARGET_PROCESS;
	c->park.id = (uint64_t)queue.pid;
	c->park.idle_ms = KFD_XSCHED_PARK_MS_MAX;
	fill_arrays(c);
}

/* The argument of an ioctl, by its number. */
static void *argument(struct call *c, unsigned long request)
{
	switch (request) {
	case KFD_XSCHED_INFO:
		return &c->info;
	case KFD_XSCHED_LIST:
		return &c->list;
	case KFD_XSCHED_APPLY:
		return &c->apply;
	case KFD_XSCHED_SUBSCRIBE:
		return &c->subscribe;
	case KFD_XSCHED_TENANT:
		return &c->tenant;
	case KFD_XSCHED_ARM:
		return &c->arm;
	case KFD_XSCHED_PARK:
		return &c->park;
	default:
		return &c->renew;
	}
}

/* ---- fields ------------------------------------------------------------------------- */

#define MAX_VALUES	10

/**
 * struct value - what a field is set to, and what the call then returns
 * @set: value
 * @want: 0 or -errno
 */
struct value {
	uint64_t set;
	int want;
};

/**
 * struct field - a row of the table
 * @name: of the field
 * @request: ioctl
 * @where: of the field in struct call
 * @size: of it
 * @count: of @values
 * @values: to try
 */
struct field {
	const char *name;
	unsigned long request;
	size_t where;
	size_t size;
	unsigned int count;
	struct value values[MAX_VALUES];
};

#define FIELD(_request, _part, _field, ...)					\
	{									\
		.name = #_request ": " #_field,					\
		.request = KFD_XSCHED_##_request,				\
		.where = offsetof(struct call, _part._field),			\
		.size = sizeof(((struct call *)NULL)->_part._field),		\
		.count = sizeof((struct value[]){ __VA_ARGS__ }) / sizeof(struct value), \
		.values = { __VA_ARGS__ },					\
	}

/* A size that is nearly right is test-uapi's; 4096 is the largest there is. */
#define SIZES(_request, _part)							\
	FIELD(_request, _part, size, { 0, -EINVAL }, { 1, -EINVAL }, { 4097, -E2BIG }, \
	      { HIGH32 - 1, -E2BIG }, { HIGH32, -E2BIG }, { ONES32, -E2BIG })
#define FLAGS(_request, _part)							\
	FIELD(_request, _part, flags, { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP })
#define RESERVED(_request, _part)						\
	FIELD(_request, _part, reserved, { 1, -EINVAL }, { HIGH32, -EINVAL }, { ONES32, -EINVAL })
#define STRIDES(_request, _part, _field)					\
	FIELD(_request, _part, _field, { 0, -EINVAL }, { 1, -EINVAL }, { 4097, -E2BIG }, \
	      { HIGH32, -E2BIG }, { ONES32, -E2BIG })
#define POINTERS(_request, _part, _field)					\
	FIELD(_request, _part, _field, { 1, -EFAULT }, { KERNEL, -EFAULT },	\
	      { UINT64_MAX, -EFAULT }, { UINT64_MAX - 4095, -EFAULT },		\
	      { 1ULL << 63, -EFAULT })
/* Written by the kernel: what is there before does not matter. */
#define OUTPUT32(_request, _part, _field)					\
	FIELD(_request, _part, _field, { 1, 0 }, { HIGH32, 0 }, { ONES32, 0 })

static const struct field fields[] = {
	SIZES(INFO, info),
	FLAGS(INFO, info),
	OUTPUT32(INFO, info, abi_version),
	OUTPUT32(INFO, info, node_count),
	FIELD(INFO, info, node_capacity, { 0, 0 }, { HIGH32, 0 }, { ONES32, 0 }),
	STRIDES(INFO, info, node_stride),
	POINTERS(INFO, info, nodes),

	SIZES(LIST, list),
	FLAGS(LIST, list),
	OUTPUT32(LIST, list, count),
	FIELD(LIST, list, capacity, { 0, 0 }, { KFD_XSCHED_MAX_ENTRIES, 0 },
	      { KFD_XSCHED_MAX_ENTRIES + 1, -E2BIG }, { HIGH32, -E2BIG }, { ONES32, -E2BIG }),
	STRIDES(LIST, list, stride),
	POINTERS(LIST, list, queues),

	SIZES(APPLY, apply),
	FLAGS(APPLY, apply),
	RESERVED(APPLY, apply),
	OUTPUT32(APPLY, apply, node_count),
	FIELD(APPLY, apply, count, { 0, -EINVAL }, { KFD_XSCHED_MAX_ENTRIES + 1, -E2BIG },
	      { HIGH32, -E2BIG }, { ONES32, -E2BIG }),
	STRIDES(APPLY, apply, stride),
	POINTERS(APPLY, apply, entries),
	FIELD(APPLY, apply, node_capacity, { 0, 0 }, { HIGH32, 0 }, { ONES32, 0 }),
	STRIDES(APPLY, apply, node_stride),
	POINTERS(APPLY, apply, nodes),
	FIELD(APPLY, apply, cookie, { 1, -EINVAL }, { 1ULL << 63, -EINVAL },
	      { UINT64_MAX, -EINVAL }),

	FIELD(APPLY, entries[1], op, { 0, -EOPNOTSUPP }, { 5, -EOPNOTSUPP },
	      { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP }),
	FIELD(APPLY, entries[1], target, { 0, -EOPNOTSUPP }, { 5, -EOPNOTSUPP },
	      { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP }),
	FIELD(APPLY, entries[1], id, { 0, -ENOENT }, { HIGH32, -ENOENT }, { ONES32, -ENOENT },
	      { 1ULL << 32, -ENOENT }, { 1ULL << 63, -ENOENT }, { UINT64_MAX, -ENOENT }),
	FIELD(APPLY, entries[1], value, { 16, -EINVAL }, { HIGH32 - 1, -EINVAL },
	      { HIGH32, -EINVAL }, { (uint32_t)-3, -EINVAL }, { (uint32_t)-2, -EINVAL }),
	OUTPUT32(APPLY, entries[1], status),
	OUTPUT32(APPLY, entries[1], effective),
	OUTPUT32(APPLY, entries[1], effective_class),
	FIELD(APPLY, entries[1], prio_class, { 7, -EINVAL }, { HIGH32, -EINVAL },
	      { ONES32, -EINVAL }),
	RESERVED(APPLY, entries[1]),

	SIZES(SUBSCRIBE, subscribe),
	RESERVED(SUBSCRIBE, subscribe),
	FIELD(SUBSCRIBE, subscribe, flags, { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP }),
	FIELD(SUBSCRIBE, subscribe, events, { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP },
	      { 0, -EINVAL }),
	FIELD(SUBSCRIBE, subscribe, sample_us, { 1, -EINVAL },
	      { KFD_XSCHED_SAMPLE_US_MIN - 1, -EINVAL }, { KFD_XSCHED_SAMPLE_US_MIN, 0 },
	      { KFD_XSCHED_SAMPLE_US_MAX, 0 }, { KFD_XSCHED_SAMPLE_US_MAX + 1, -EINVAL },
	      { HIGH32, -EINVAL }, { ONES32, -EINVAL }),
	FIELD(SUBSCRIBE, subscribe, settle_us, { KFD_XSCHED_SETTLE_US_MAX, 0 },
	      { KFD_XSCHED_SETTLE_US_MAX + 1, -EINVAL }, { HIGH32, -EINVAL },
	      { ONES32, -EINVAL }),

	SIZES(TENANT, tenant),
	FLAGS(TENANT, tenant),
	RESERVED(TENANT, tenant),
	FIELD(TENANT, tenant, op, { 0, -EOPNOTSUPP }, { 5, -EOPNOTSUPP },
	      { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP },
	      { KFD_XSCHED_TENANT_ADD, -ENOENT }, { KFD_XSCHED_TENANT_REMOVE, -ENOENT },
	      { KFD_XSCHED_TENANT_DESTROY, -ENOENT }),
	FIELD(TENANT, tenant, id, { 1, -EINVAL }, { 1ULL << 63, -EINVAL },
	      { UINT64_MAX, -EINVAL }),
	FIELD(TENANT, tenant, process, { 1, -EINVAL }, { 1ULL << 32, -EINVAL },
	      { UINT64_MAX, -EINVAL }),

	SIZES(RENEW, renew),
	FLAGS(RENEW, renew),
	OUTPUT32(RENEW, renew, lease_ms),
	OUTPUT32(RENEW, renew, ejected),
	FIELD(RENEW, renew, client, { 1, 0 }, { UINT64_MAX, 0 }),

	SIZES(ARM, arm),
	FLAGS(ARM, arm),
	FIELD(ARM, arm, op, { 0, -EOPNOTSUPP }, { 3, -EOPNOTSUPP }, { HIGH32, -EOPNOTSUPP },
	      { ONES32, -EOPNOTSUPP }, { KFD_XSCHED_ARM_CLEAR, -EINVAL }),
	FIELD(ARM, arm, trigger, { 0, -EOPNOTSUPP }, { KFD_XSCHED_TARGET_QUEUE, -EOPNOTSUPP },
	      { 5, -EOPNOTSUPP }, { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP },
	      { KFD_XSCHED_TARGET_PROCESS, -ENOENT }),
	FIELD(ARM, arm, trigger_id, { 0, -ENOENT }, { HIGH32, -ENOENT }, { ONES32, -ENOENT },
	      { 1ULL << 32, -ENOENT }, { 1ULL << 63, -ENOENT }, { UINT64_MAX, -ENOENT }),
	FIELD(ARM, arm, id, { 1, -EINVAL }, { 1ULL << 63, -EINVAL }, { UINT64_MAX, -EINVAL }),
	FIELD(ARM, arm, count, { 0, -EINVAL }, { 1, 0 }, { 2, 0 },
	      { KFD_XSCHED_MAX_ARMED_ENTRIES + 1, -E2BIG }, { HIGH32, -E2BIG },
	      { ONES32, -E2BIG }),
	STRIDES(ARM, arm, stride),
	POINTERS(ARM, arm, entries),
	/* What is left with the kernel is checked as what is done at once. */
	FIELD(ARM, entries[1], op, { 0, -EOPNOTSUPP }, { KFD_XSCHED_OP_RESUME, -EINVAL },
	      { 5, -EOPNOTSUPP }, { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP }),
	FIELD(ARM, entries[1], target, { 0, -EOPNOTSUPP }, { 5, -EOPNOTSUPP },
	      { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP }),
	FIELD(ARM, entries[1], id, { 0, -ENOENT }, { HIGH32, -ENOENT }, { ONES32, -ENOENT },
	      { 1ULL << 32, -ENOENT }, { 1ULL << 63, -ENOENT }, { UINT64_MAX, -ENOENT }),
	FIELD(ARM, entries[1], value, { (uint32_t)-1, -EINVAL }, { 16, -EINVAL },
	      { HIGH32 - 1, -EINVAL }, { HIGH32, -EINVAL }, { (uint32_t)-3, -EINVAL },
	      { (uint32_t)-2, -EINVAL }),
	FIELD(ARM, entries[1], prio_class, { 7, -EINVAL }, { HIGH32, -EINVAL },
	      { ONES32, -EINVAL }),
	RESERVED(ARM, entries[1]),

	SIZES(PARK, park),
	FLAGS(PARK, park),
	RESERVED(PARK, park),
	FIELD(PARK, park, op, { 0, -EOPNOTSUPP }, { 3, -EOPNOTSUPP }, { HIGH32, -EOPNOTSUPP },
	      { ONES32, -EOPNOTSUPP }, { KFD_XSCHED_PARK_CLEAR, -EINVAL }),
	FIELD(PARK, park, target, { 0, -EOPNOTSUPP }, { KFD_XSCHED_TARGET_QUEUE, -EOPNOTSUPP },
	      { KFD_XSCHED_TARGET_TENANT, -EOPNOTSUPP }, { 5, -EOPNOTSUPP },
	      { HIGH32, -EOPNOTSUPP }, { ONES32, -EOPNOTSUPP }),
	FIELD(PARK, park, id, { 0, -ENOENT }, { HIGH32, -ENOENT }, { ONES32, -ENOENT },
	      { 1ULL << 32, -ENOENT }, { 1ULL << 63, -ENOENT }, { UINT64_MAX, -ENOENT }),
	FIELD(PARK, park, idle_ms, { 0, 0 }, { 1, -EINVAL }, { KFD_XSCHED_PARK_MS_MIN - 1, -EINVAL },
	      { KFD_XSCHED_PARK_MS_MIN, 0 }, { KFD_XSCHED_PARK_MS_MAX, 0 },
	      { KFD_XSCHED_PARK_MS_MAX + 1, -EINVAL }, { HIGH32, -EINVAL }, { ONES32, -EINVAL }),
};

/* One value: what is wrong, or NULL. */
static const char *try_value(const struct field *f, const struct value *v,
			     const struct state *before)
{
	struct state during, after;
	static struct call c;
	int ret;

	call_init(&c);
	memcpy((char *)&c + f->where, &v->set, f->size);
	during = state_now();
	ret = xsdev_ioctl(c.client, f->request, argument(&c, f->request));
	after = state_now();
	close(c.client);
	if (ret != v->want) {
		tap_note("%s = %#" PRIx64 ": got %d, want %d", f->name, v->set, ret, v->want);
		return "errno";
	}
	if (ret && !unchanged(&during, &after))
		return "the call failed and changed something";
	after = state_now();
	return same(before, &after) ? NULL : "something is left of the call";
}

static void test_fields(void)
{
	const struct state before = state_now();
	const char *wrong, *first;
	unsigned int i, j;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		for (j = 0, first = NULL; j < fields[i].count; j++) {
			wrong = try_value(&fields[i], &fields[i].values[j], &before);
			first = first ? first : wrong;
		}
		if (!tap_ok(!first, "%s: %u values", fields[i].name, fields[i].count))
			tap_note("%s", first);
	}
}

/* ---- memory ----------------------------------------------------------------------------- */

/* Its last bytes lie where nothing is, or where nothing may be written. */
static void *at_the_edge(const void *from, size_t size, size_t inside, int protection)
{
	static char *pages;

	if (!pages)
		pages = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(pages, 2 * PAGE, PROT_READ | PROT_WRITE);
	memcpy(pages + PAGE - inside, from, size);
	mprotect(pages + PAGE, PAGE, protection);
	return pages + PAGE - inside;
}

static void test_edges(void)
{
	static const unsigned long requests[] = {
		KFD_XSCHED_INFO, KFD_XSCHED_LIST, KFD_XSCHED_APPLY, KFD_XSCHED_SUBSCRIBE,
		KFD_XSCHED_TENANT, KFD_XSCHED_RENEW, KFD_XSCHED_ARM,
		KFD_XSCHED_PARK,
	};
	struct state before, after;
	unsigned int i, wrong = 0;
	static struct call c;
	void *arg;

	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		uint32_t size;

		call_init(&c);
		before = state_now();
		arg = argument(&c, requests[i]);
		size = *(uint32_t *)arg;
		wrong += xsdev_ioctl(c.client, requests[i],
				     at_the_edge(arg, size, 4, PROT_NONE)) != -EFAULT;
		wrong += xsdev_ioctl(c.client, requests[i],
				     at_the_edge(arg, size, size - 1, PROT_NONE)) != -EFAULT;
		wrong += xsdev_ioctl(c.client, requests[i],
				     at_the_edge(arg, size, 8, PROT_READ)) != -EFAULT;
		after = state_now();
		wrong += !unchanged(&before, &after);
		close(c.client);
	}
	tap_is(wrong, 0, "memory: an argument of each ioctl that ends where nothing is");
}

/* The second element lies beyond. */
static void test_array_edges(void)
{
	struct state before, after;
	static struct call c;

	call_init(&c);
	before = state_now();
	c.apply.entries = (uintptr_t)at_the_edge(c.entries, sizeof(c.entries),
						 sizeof(c.entries[0]) + 8, PROT_NONE);
	tap_is(xsdev_ioctl(c.client, KFD_XSCHED_APPLY, &c.apply), -EFAULT,
	       "memory: the second of two entries is half there");
	c.apply.entries = (uintptr_t)at_the_edge(c.entries, sizeof(c.entries),
						 sizeof(c.entries[0]), PROT_READ);
	tap_is(xsdev_ioctl(c.client, KFD_XSCHED_APPLY, &c.apply), -EFAULT,
	       "memory: the second of two entries cannot be written");
	c.list.queues = (uintptr_t)at_the_edge(c.queues, sizeof(c.queues), 8, PROT_READ);
	tap_is(xsdev_ioctl(c.client, KFD_XSCHED_LIST, &c.list), -EFAULT,
	       "memory: a list that cannot be written");
	c.info.nodes = (uintptr_t)at_the_edge(c.nodes, sizeof(c.nodes), 8, PROT_READ);
	tap_is(xsdev_ioctl(c.client, KFD_XSCHED_INFO, &c.info), -EFAULT,
	       "memory: nodes that cannot be written");
	c.arm.entries = (uintptr_t)at_the_edge(c.entries, sizeof(c.entries),
					       sizeof(c.entries[0]), PROT_READ);
	tap_is(xsdev_ioctl(c.client, KFD_XSCHED_ARM, &c.arm), -EFAULT,
	       "memory: the second of two entries to be armed cannot be written");
	after = state_now();
	tap_ok(unchanged(&before, &after), "memory: nothing is changed by all that");
	close(c.client);
}

/* What comes of a read(2) of one record to @buffer. */
static int read_to(int client, void *buffer)
{
	const ssize_t n = read(client, buffer, sizeof(struct kfd_xsched_event));

	return n < 0 ? -errno : (int)n;
}

/* A record that could not be written is not forgotten: it is counted as lost. */
static void test_read(void)
{
	struct kfd_xsched_entry entry = {
		.op = KFD_XSCHED_OP_SUSPEND, .target = KFD_XSCHED_TARGET_QUEUE, .id = queue.id,
	};
	struct kfd_xsched_event event = { 0 };
	struct pollfd poll_one = { .fd = xsdev_open(), .events = POLLIN };
	const int client = poll_one.fd;

	tap_ok(!xsdev_apply_async(client, &entry, 1, 7) && poll(&poll_one, 1, SETTLED_MS) == 1,
	       "read: there is a record");
	tap_is(read_to(client, NULL), -EFAULT, "read: no buffer");
	tap_is(read_to(client, &event), sizeof(event), "read: the next time");
	tap_ok(event.type == KFD_XSCHED_EVENT_LOST && event.data == 1,
	       "read: says that one is lost");
	entry.op = KFD_XSCHED_OP_RESUME;
	tap_ok(!xsdev_apply_async(client, &entry, 1, 8) && poll(&poll_one, 1, SETTLED_MS) == 1,
	       "read: there is another");
	tap_is(read_to(client, at_the_edge(&event, 8, 8, PROT_READ)), -EFAULT,
	       "read: a buffer that ends where nothing may be written");
	tap_is(read_to(client, at_the_edge(&event, sizeof(event), sizeof(event), PROT_NONE)),
	       sizeof(event), "read: one that ends just before");
	tap_is(read_to(client, &event), -EAGAIN, "read: that was all");
	close(client);
}

/* ---- ids ----------------------------------------------------------------------------------- */

static void test_ids(void)
{
	const struct state before = state_now();
	int client = xsdev_open();
	struct state after;

	tap_is(xsdev_queue_op(client, KFD_XSCHED_OP_SUSPEND, queue.gpu_id, 0, NULL), -ENOENT,
	       "ids: that of a GPU is none of a queue");
	tap_is(xsdev_process_op(client, KFD_XSCHED_OP_SUSPEND, (pid_t)queue.gpu_id, 0, NULL), -ENOENT,
	       "ids: nor of a process");
	tap_is(xsdev_process_op(client, KFD_XSCHED_OP_SUSPEND, getpid(), 0, NULL), -ENOENT,
	       "ids: a process without a queue");
	tap_is(xsdev_tenant_op(client, KFD_XSCHED_OP_SUSPEND, 1, 0, NULL), -ENOENT,
	       "ids: a tenant of another client");
	tap_is(xsdev_tenant(client, KFD_XSCHED_TENANT_ADD, 1, queue.pid), -ENOENT,
	       "ids: nor can anything be added to it");
	close(client);
	after = state_now();
	tap_ok(same(&before, &after), "ids: nothing is changed by all that");
}

static void test_tenant_limit(void)
{
	int client = xsdev_open(), ret = 0;
	unsigned int n = 0;

	while (ret >= 0 && n <= KFD_XSCHED_MAX_TENANTS) {
		ret = xsdev_tenant(client, KFD_XSCHED_TENANT_CREATE, 0, 0);
		n += ret >= 0;
	}
	tap_is(n, KFD_XSCHED_MAX_TENANTS, "tenants: as many as there may be");
	tap_is(ret, -ENOSPC, "tenants: one more is refused");
	tap_is(xsdev_tenant(client, KFD_XSCHED_TENANT_DESTROY, 1, 0), 0, "tenants: one is destroyed");
	tap_ok(xsdev_tenant(client, KFD_XSCHED_TENANT_CREATE, 0, 0) > 0, "tenants: there is room again");
	close(client);
}

/* ---- threads --------------------------------------------------------------------------------- */

/**
 * struct storm - a file that is used and closed at the same time
 * @file: its number, always the same
 * @over: threads are to end
 * @calls: made
 * @unexpected: errors that are none of those of a file that goes
 */
struct storm {
	int file;
	atomic_bool over;
	atomic_uint calls;
	atomic_uint unexpected;
};

static bool expected(int ret)
{
	return ret >= 0 || ret == -EBADF || ret == -EALREADY || ret == -EAGAIN ||
		ret == -ENOTTY || ret == -ENOENT;
}

/* Leave a switch with the file, for a tenant of it, until it has all it may have. */
static int arm(int file)
{
	struct kfd_xsched_entry entry = XSARM_ENTRY(SET_PRIORITY, PROCESS, queue.pid, 1);
	const int ret = xsarm_set(file, KFD_XSCHED_TARGET_TENANT, 1, &entry, 1);

	return ret == -ENOSPC ? 0 : ret;
}

static void *use(void *argument_of_thread)
{
	struct storm *s = argument_of_thread;
	unsigned int i = 0;
	int ret;

	while (!s->over) {
		switch (i++ % 7) {
		case 0:
			ret = xsdev_process_op(s->file, KFD_XSCHED_OP_SUSPEND, queue.pid, 0, NULL);
			break;
		case 1:
			ret = xsdev_queue_op(s->file, KFD_XSCHED_OP_SET_PRIORITY, queue.id, 2, NULL);
			break;
		case 2:
			ret = xsdev_subscribe(s->file, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY),
					      100, 0);
			break;
		case 3:
			ret = xsdev_tenant(s->file, KFD_XSCHED_TENANT_CREATE, 0, 0);
			break;
		case 4:
			ret = xsdev_process_op(s->file, KFD_XSCHED_OP_RESUME, queue.pid, 0, NULL);
			break;
		case 5:
			ret = arm(s->file);
			break;
		default:
			ret = xsdev_list(s->file, NULL, 0);
		}
		s->calls++;
		if (!expected(ret)) {
			s->unexpected++;
			tap_note("call %u: error %d", i - 1, ret);
		}
	}
	return NULL;
}

static void test_storm(void)
{
	const struct state before = state_now();
	struct storm s = { .file = xsdev_open() };
	pthread_t threads[STORMERS];
	unsigned int i, closed = 0;
	struct state after;
	uint64_t begin, end;

	for (i = 0; i < STORMERS; i++) {
		if (pthread_create(&threads[i], NULL, use, &s))
			tap_bail("no thread");
	}
	begin = xsdev_now();
	while (xsdev_now() < begin + STORM_MS * 1000000ULL ||
	       ((s.calls <= ENOUGH || closed <= ENOUGH) &&
		xsdev_now() < begin + MOST_MS * 1000000ULL)) {
		int fresh = xsdev_open();

		if (closed & 1)
			close(s.file);
		dup3(fresh, s.file, O_CLOEXEC);
		close(fresh);
		closed++;
	}
	s.over = true;
	for (i = 0; i < STORMERS; i++)
		pthread_join(threads[i], NULL);
	close(s.file);
	tap_note("%u calls, %u files", s.calls, closed);
	tap_ok(s.calls > ENOUGH && closed > ENOUGH && !s.unexpected,
	       "threads: a file is closed while others hold, release, arm and ask by it");
	/* A close does not wait for all that others have on their way. */
	end = xsdev_now() + SETTLED_MS * 1000000ULL;
	do {
		xsdev_sleep_ms(10);
		after = state_now();
	} while (!same(&before, &after) && xsdev_now() < end);
	if (!tap_ok(same(&before, &after), "threads: nothing is left of its clients"))
		tap_note("clients %ld, held %ld, in force %u, objects %u", after.clients, after.held,
			 after.in_force, after.objects);
}

int main(void)
{
	struct worker w;
	uint32_t id;

	observer = must_open();
	if (xsdev_wait_no_queue(observer, SETTLED_MS))
		tap_bail("other processes have queues");
	if (worker_start(&w, 1, NULL) || worker_queue_id(&w, 0, &id) ||
	    xsdev_find(observer, w.pid, id, &queue))
		tap_bail("no queue to act on");
	test_fields();
	test_edges();
	test_array_edges();
	test_read();
	test_ids();
	test_tenant_limit();
	test_storm();
	tap_is(worker_stop(&w), 0, "the worker exits");
	return tap_done();
}
