// SPDX-License-Identifier: MIT
/*
 * Bad input: every error of the table in the uapi header, on the real module
 * and driver, with nothing changed by it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define TAIL	64	/* bytes after a structure that this kernel does not know */

static int fd;
static struct kfd_xsched_queue queue;	/* the worker's only one */
static int grace_error = -EINVAL;	/* what a wrong grace gets; no grace at all: EOPNOTSUPP */
static void *nowhere;			/* an address without memory */

/* An entry that is right, to be spoilt. */
static struct kfd_xsched_entry good_entry(void)
{
	return (struct kfd_xsched_entry){
		.op = KFD_XSCHED_OP_SUSPEND,
		.target = KFD_XSCHED_TARGET_QUEUE,
		.id = queue.id,
	};
}

static bool held(void)
{
	struct kfd_xsched_queue q;

	if (xsdev_find(fd, queue.pid, queue.queue_id, &q))
		tap_bail("the queue is gone");
	return q.state & KFD_XSCHED_QUEUE_HELD;
}

static void resume(void)
{
	xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, queue.id, 0, NULL);
}

/*
 * One row an ioctl: its argument, valid, its size now and as first published,
 * where its flags are and which it knows, and where its reserved field is (0:
 * there is none).
 */
struct argument {
	const char *name;
	unsigned long request;
	const void *valid;
	size_t size;
	size_t first_size;
	size_t flags;
	uint32_t known;
	size_t reserved;
};

/* A copy that can only be read; the last one made. */
static void *read_only(const void *from, size_t size)
{
	static void *page;

	if (!page)
		page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	memcpy(page, from, size);
	mprotect(page, 4096, PROT_READ);
	return page;
}

/* All about a structure's size; it may be followed by unknown fields. */
static void test_size(const struct argument *arg)
{
	char *buf = calloc(1, arg->size + TAIL);
	uint32_t *size = (uint32_t *)buf;

	memcpy(buf, arg->valid, arg->size);
	*size = 0;
	tap_is(xsdev_ioctl(fd, arg->request, buf), -EINVAL, "%s: size 0", arg->name);
	*size = arg->first_size - 1;
	tap_is(xsdev_ioctl(fd, arg->request, buf), -EINVAL, "%s: size too small", arg->name);
	memcpy(buf, arg->valid, arg->size);
	*size = arg->first_size;
	tap_is(xsdev_ioctl(fd, arg->request, buf), 0, "%s: size as first published", arg->name);
	memcpy(buf, arg->valid, arg->size);
	*size = arg->size;
	tap_is(xsdev_ioctl(fd, arg->request, buf), 0, "%s: exact size", arg->name);
	memcpy(buf, arg->valid, arg->size);
	*size = arg->size + TAIL;
	tap_is(xsdev_ioctl(fd, arg->request, buf), 0, "%s: longer, with a tail of zeros", arg->name);
	memcpy(buf, arg->valid, arg->size);
	*size = arg->size + TAIL;
	buf[arg->size + TAIL - 1] = 1;
	tap_is(xsdev_ioctl(fd, arg->request, buf), -E2BIG, "%s: longer, the last byte set", arg->name);
	*size = UINT32_MAX;
	tap_ok(xsdev_ioctl(fd, arg->request, buf) < 0, "%s: size 4 GiB", arg->name);
	free(buf);
}

static void test_fields(const struct argument *arg)
{
	char *buf = calloc(1, arg->size);
	unsigned int bit, wrong = 0;

	for (bit = 0; bit < 32; bit++) {
		if (arg->known & 1u << bit)
			continue;
		memcpy(buf, arg->valid, arg->size);
		*(uint32_t *)(buf + arg->flags) = 1u << bit;
		wrong += xsdev_ioctl(fd, arg->request, buf) != -EOPNOTSUPP;
	}
	tap_is(wrong, 0, "%s: each unknown flag", arg->name);
	if (arg->reserved) {
		memcpy(buf, arg->valid, arg->size);
		*(uint32_t *)(buf + arg->reserved) = 1;
		tap_is(xsdev_ioctl(fd, arg->request, buf), -EINVAL, "%s: reserved field set",
		       arg->name);
	}
	tap_is(xsdev_ioctl(fd, arg->request, nowhere), -EFAULT, "%s: bad pointer", arg->name);
	tap_is(xsdev_ioctl(fd, arg->request, NULL), -EFAULT, "%s: no pointer", arg->name);
	tap_is(xsdev_ioctl(fd, arg->request, read_only(arg->valid, arg->size)), -EFAULT,
	       "%s: an argument that cannot be written", arg->name);
	free(buf);
}

/* A switch that never runs: its trigger is a tenant without processes. */
static struct kfd_xsched_arm good_arm(uint64_t tenant, const struct kfd_xsched_entry *entry)
{
	return (struct kfd_xsched_arm){
		.size = sizeof(struct kfd_xsched_arm), .op = KFD_XSCHED_ARM_SET,
		.trigger = KFD_XSCHED_TARGET_TENANT, .trigger_id = tenant,
		.count = 1, .stride = sizeof(*entry), .entries = (uintptr_t)entry,
	};
}

static void test_structures(void)
{
	struct kfd_xsched_entry entry = good_entry();
	struct kfd_xsched_info info = { .size = sizeof(info) };
	struct kfd_xsched_list list = { .size = sizeof(list) };
	struct kfd_xsched_subscribe subscribe = { .size = sizeof(subscribe) };
	struct kfd_xsched_apply apply = {
		.size = sizeof(apply), .count = 1, .stride = sizeof(entry),
		.entries = (uintptr_t)&entry,
	};
	struct kfd_xsched_tenant tenant = {
		.size = sizeof(tenant), .op = KFD_XSCHED_TENANT_CREATE,
	};
	struct kfd_xsched_renew renew = { .size = sizeof(renew) };
	const uint64_t trigger = (uint64_t)xsdev_tenant(fd, KFD_XSCHED_TENANT_CREATE, 0, 0);
	struct kfd_xsched_arm arm = good_arm(trigger, &entry);
	/* Never: so it leaves all as it is. */
	struct kfd_xsched_park park = {
		.size = sizeof(park), .op = KFD_XSCHED_PARK_SET,
		.target = KFD_XSCHED_TARGET_PROCESS, .id = (uint64_t)queue.pid,
	};
	const struct argument args[] = {
		{ "INFO", KFD_XSCHED_INFO, &info, sizeof(info), 32,
		  offsetof(struct kfd_xsched_info, flags), 0, 0 },
		{ "LIST", KFD_XSCHED_LIST, &list, sizeof(list), 32,
		  offsetof(struct kfd_xsched_list, flags), 0, 0 },
		{ "APPLY", KFD_XSCHED_APPLY, &apply, sizeof(apply), 48,
		  offsetof(struct kfd_xsched_apply, flags), KFD_XSCHED_APPLY_ASYNC,
		  offsetof(struct kfd_xsched_apply, reserved) },
		{ "SUBSCRIBE", KFD_XSCHED_SUBSCRIBE, &subscribe, sizeof(subscribe), 24,
		  offsetof(struct kfd_xsched_subscribe, flags), KFD_XSCHED_SUBSCRIBE_NO_TAP,
		  offsetof(struct kfd_xsched_subscribe, reserved) },
		{ "TENANT", KFD_XSCHED_TENANT, &tenant, sizeof(tenant), 32,
		  offsetof(struct kfd_xsched_tenant, flags), 0,
		  offsetof(struct kfd_xsched_tenant, reserved) },
		{ "RENEW", KFD_XSCHED_RENEW, &renew, sizeof(renew), 24,
		  offsetof(struct kfd_xsched_renew, flags), 0, 0 },
		{ "ARM", KFD_XSCHED_ARM, &arm, sizeof(arm), 48,
		  offsetof(struct kfd_xsched_arm, flags), KFD_XSCHED_ARM_ASYNC, 0 },
		{ "PARK", KFD_XSCHED_PARK, &park, sizeof(park), 32,
		  offsetof(struct kfd_xsched_park, flags), 0,
		  offsetof(struct kfd_xsched_park, reserved) },
	};
	size_t i;

	for (i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		test_size(&args[i]);
		resume();
		test_fields(&args[i]);
		tap_ok(!held(), "%s: nothing is held by all that", args[i].name);
	}
	tap_is(xsdev_tenant(fd, KFD_XSCHED_TENANT_DESTROY, trigger, 0), 0,
	       "ARM: the switches go with their trigger");
	tap_is(xsdev_ioctl(fd, _IO(KFD_XSCHED_IOC_TYPE, 0x7f), &info), -ENOTTY, "unknown ioctl");
}

static void test_info(void)
{
	struct kfd_xsched_node nodes[4];
	struct kfd_xsched_info info = {
		.size = sizeof(info), .node_capacity = 4, .node_stride = sizeof(nodes[0]),
		.nodes = (uintptr_t)nodes,
	};

	memset(nodes, 0, sizeof(nodes));
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_INFO, &info), 0, "INFO with nodes");
	tap_is(info.abi_version, KFD_XSCHED_ABI_VERSION, "the version of the interface");
	tap_is(info.node_count, 1, "one node");
	tap_is(nodes[0].gpu_id, queue.gpu_id, "it is the queue's");
	tap_ok(nodes[0].backend == KFD_XSCHED_BACKEND_HWS ||
	       nodes[0].backend == KFD_XSCHED_BACKEND_MES, "scheduled by a firmware");
	tap_ok((nodes[0].caps & KFD_XSCHED_CAP_SUSPEND) && (nodes[0].caps & KFD_XSCHED_CAP_UNMAP),
	       "it can suspend and unmap");
	info.node_stride = offsetof(struct kfd_xsched_node, failures);
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_INFO, &info), 0, "INFO: an element as first published");
	info.node_stride -= 1;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_INFO, &info), -EINVAL, "INFO: stride too small");
	info.node_stride = sizeof(nodes[0]);
	info.nodes = (uintptr_t)nowhere;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_INFO, &info), -EFAULT, "INFO: bad array");
}

static void test_list(void)
{
	struct kfd_xsched_queue q[2];
	struct kfd_xsched_list list = {
		.size = sizeof(list), .capacity = 2, .stride = sizeof(q[0]), .queues = (uintptr_t)q,
	};

	tap_is(xsdev_ioctl(fd, KFD_XSCHED_LIST, &list), 0, "LIST");
	tap_is(list.count, 1, "one queue");
	list.capacity = 0;
	list.count = 0;
	tap_ok(!xsdev_ioctl(fd, KFD_XSCHED_LIST, &list) && list.count == 1,
	       "LIST without room reports how many there are");
	list.capacity = KFD_XSCHED_MAX_ENTRIES + 1;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_LIST, &list), -E2BIG, "LIST: capacity above the limit");
	list.capacity = 2;
	list.stride = offsetof(struct kfd_xsched_queue, tenant) - 1;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_LIST, &list), -EINVAL, "LIST: stride too small");
	list.stride = sizeof(q[0]);
	list.queues = (uintptr_t)nowhere;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_LIST, &list), -EFAULT, "LIST: bad array");
}

static void test_apply_array(void)
{
	struct kfd_xsched_entry entry = good_entry();
	struct kfd_xsched_node_result node;
	struct kfd_xsched_apply a = {
		.size = sizeof(a), .count = 1, .stride = sizeof(entry), .entries = (uintptr_t)&entry,
	}, apply = a;

	apply.count = 0;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -EINVAL, "APPLY of nothing");
	apply.count = KFD_XSCHED_MAX_ENTRIES + 1;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -E2BIG, "APPLY: count above the limit");
	apply = a;
	apply.stride = offsetof(struct kfd_xsched_entry, effective_class) - 1;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -EINVAL, "APPLY: stride too small");
	apply = a;
	apply.cookie = 1;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -EINVAL, "APPLY: a cookie without ASYNC");
	apply = a;
	apply.entries = (uintptr_t)read_only(&entry, sizeof(entry));
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -EFAULT,
	       "APPLY: entries that cannot be written");
	apply = a;
	apply.entries = (uintptr_t)nowhere;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -EFAULT, "APPLY: bad array");
	apply.entries = 0;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -EFAULT, "APPLY: no array");
	apply = a;
	apply.node_capacity = 1;
	apply.node_stride = 8;
	apply.nodes = (uintptr_t)&node;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -EINVAL, "APPLY: node stride too small");
	apply.node_stride = sizeof(node);
	apply.nodes = (uintptr_t)read_only(&node, sizeof(node));
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -EFAULT,
	       "APPLY: results that cannot be written");
	tap_ok(!held(), "APPLY: nothing is held by all that");
}

static void test_apply_stride(void)
{
	struct {
		struct kfd_xsched_entry entry;
		char tail[TAIL];
	} longer[2];
	struct kfd_xsched_apply apply = {
		.size = sizeof(apply), .count = 2, .stride = sizeof(longer[0]),
		.entries = (uintptr_t)longer,
	};

	memset(longer, 0, sizeof(longer));
	longer[0].entry = good_entry();
	longer[1].entry = good_entry();
	longer[1].tail[TAIL - 1] = 1;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), -E2BIG,
	       "APPLY: longer elements, the last byte of one set");
	tap_ok(!held(), "APPLY: and nothing is held");
	longer[1].tail[TAIL - 1] = 0;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply), 0,
	       "APPLY: longer elements with tails of zeros");
	tap_is(longer[0].entry.effective, 1, "APPLY: the answer is in the element");
	resume();
}

/*
 * Armed switches that went with their trigger leave the node's worker something to look at,
 * which nobody waits for. Coming late it does what has been staged meanwhile, and whose that
 * is has no transaction of its own. Whoever closes a file waits until the node is done.
 */
static void wait_settled(void)
{
	int other = xsdev_open();

	if (other < 0 || close(other))
		tap_bail("no second file: error %d", other);
}

/* As many entries as there may be, all for one queue: one switch. */
static void test_apply_limit(void)
{
	struct kfd_xsched_entry *entries = calloc(KFD_XSCHED_MAX_ENTRIES, sizeof(*entries));
	struct kfd_xsched_node_result node;
	uint32_t i;

	wait_settled();
	for (i = 0; i < KFD_XSCHED_MAX_ENTRIES; i++)
		entries[i] = good_entry();
	tap_is(xsdev_apply(fd, entries, KFD_XSCHED_MAX_ENTRIES, &node), 0,
	       "APPLY of %d entries", KFD_XSCHED_MAX_ENTRIES);
	if (!tap_ok(held() && node.fw_transactions == 1, "one queue is held by one transaction"))
		tap_note("%u transactions, %u flips", node.fw_transactions, node.flips);
	resume();
	free(entries);
}

/* One spoilt entry: what it returns, and that a good one before it had no effect. */
static void bad_entry(struct kfd_xsched_entry bad, int want, const char *what)
{
	struct kfd_xsched_entry entries[] = { good_entry(), bad };
	int ret = xsdev_apply(fd, entries, 2, NULL);

	tap_is(ret, want, "entry: %s", what);
	tap_ok(entries[1].status == want, "entry: %s: its status says so", what);
	if (!tap_ok(!held(), "entry: %s: the good one beside it changed nothing", what))
		resume();
}

static void test_entry(void)
{
	struct kfd_xsched_entry e = good_entry();

	e.op = 0;
	bad_entry(e, -EOPNOTSUPP, "operation 0");
	e.op = 99;
	bad_entry(e, -EOPNOTSUPP, "operation 99");
	e = good_entry();
	e.target = 0;
	bad_entry(e, -EOPNOTSUPP, "target 0");
	e.target = 99;
	bad_entry(e, -EOPNOTSUPP, "target 99");
	e = good_entry();
	e.reserved = 1;
	bad_entry(e, -EINVAL, "reserved field set");
	e = good_entry();
	e.value = 1;
	bad_entry(e, -EINVAL, "SUSPEND with a value");
	e = good_entry();
	e.id = queue.id + 1000000;
	bad_entry(e, -ENOENT, "a queue that never was");
	e.id = 0;
	bad_entry(e, -ENOENT, "queue 0");
	e = good_entry();
	e.target = KFD_XSCHED_TARGET_PROCESS;
	e.id = 1;
	bad_entry(e, -ENOENT, "a process without a GPU");
	e.id = UINT64_MAX;
	bad_entry(e, -ENOENT, "a process that cannot be");
	e = good_entry();
	e.op = KFD_XSCHED_OP_SET_PRIORITY;
	e.value = KFD_XSCHED_PRIORITY_MAX + 1;
	bad_entry(e, -EINVAL, "a priority above the highest");
	e.value = KFD_XSCHED_PRIORITY_KEEP;
	bad_entry(e, -EINVAL, "neither priority nor class");
	e.value = KFD_XSCHED_PRIORITY_KEEP - 1;
	bad_entry(e, -EINVAL, "a priority below the lowest");
	e.value = INT32_MIN;
	bad_entry(e, -EINVAL, "the lowest number as a priority");
	e.value = KFD_XSCHED_PRIORITY_KEEP;
	e.prio_class = KFD_XSCHED_CLASS_REALTIME + 1;
	bad_entry(e, -EINVAL, "a class above the highest");
	e.prio_class = UINT32_MAX;
	bad_entry(e, -EINVAL, "the highest number as a class");
	e = good_entry();
	e.prio_class = KFD_XSCHED_CLASS_LOW;
	bad_entry(e, -EINVAL, "SUSPEND with a class");
	e = good_entry();
	e.target = KFD_XSCHED_TARGET_TENANT;
	e.id = 99999;
	bad_entry(e, -ENOENT, "a tenant that never was");
	e.id = 0;
	bad_entry(e, -ENOENT, "tenant 0");
	e = good_entry();
	e.op = KFD_XSCHED_OP_UNMAP;
	e.value = INT32_MIN;
	bad_entry(e, -EINVAL, "a negative grace");
	e.value = 1000000;
	bad_entry(e, grace_error, "a grace above the node's longest");
	e = good_entry();
	e.op = KFD_XSCHED_OP_RESUME;
	bad_entry(e, -EBUSY, "the opposite of another entry");
}

static void test_graces(void)
{
	struct kfd_xsched_entry e[2] = { good_entry(), good_entry() };

	e[0].op = KFD_XSCHED_OP_UNMAP;
	e[0].value = 10;
	e[1].op = KFD_XSCHED_OP_UNMAP;
	e[1].value = 20;
	tap_is(xsdev_apply(fd, e, 2, NULL), grace_error, "two graces for one node");
	tap_ok(!held(), "and nothing is held");
}

static void test_repeat(void)
{
	struct kfd_xsched_node_result node;

	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, queue.id, 0, &node), -EALREADY,
	       "RESUME of what is not held");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_SUSPEND, queue.id, 0, &node), 0, "SUSPEND");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_SUSPEND, queue.id, 0, &node), 0, "second SUSPEND");
	tap_is(node.fw_transactions, 0, "costs no firmware transaction");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, queue.id, 0, &node), 0, "RESUME");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, queue.id, 0, &node), -EALREADY,
	       "second RESUME");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, queue.pid, 0, &node), -EALREADY,
	       "RESUME of a process that is not held");
}

/* A queue that is gone is benign: it only fails a call that has nothing else to do. */
static void test_dead_queue(struct worker *w)
{
	struct kfd_xsched_entry e[2] = { good_entry(), good_entry() };
	struct kfd_xsched_queue q;
	int n;

	n = worker_add_queue(w);
	if (n < 0 || worker_listed(w, n, fd, &q))
		tap_bail("no second queue");
	tap_is(worker_recreate(w, n), 0, "a queue is destroyed");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_SUSPEND, q.id, 0, NULL), -ESRCH,
	       "SUSPEND of a queue that is gone");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, q.id, 0, NULL), -ESRCH,
	       "RESUME of a queue that is gone");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_SET_PRIORITY, q.id, 3, NULL), -ESRCH,
	       "SET_PRIORITY of a queue that is gone");
	e[1].id = q.id;
	tap_is(xsdev_apply(fd, e, 2, NULL), 0, "SUSPEND of one that lives and one that is gone");
	tap_ok(e[0].status == 0 && e[1].status == -ESRCH && held(), "their statuses differ");
	resume();
}

static void test_tenant_arguments(void)
{
	const struct {
		struct kfd_xsched_tenant arg;
		int want;
		const char *what;
	} bad[] = {
		{ { .op = 0 }, -EOPNOTSUPP, "operation 0" },
		{ { .op = 5 }, -EOPNOTSUPP, "operation 5" },
		{ { .op = UINT32_MAX }, -EOPNOTSUPP, "the highest number as an operation" },
		{ { .op = KFD_XSCHED_TENANT_CREATE, .id = 1 }, -EINVAL, "CREATE with an id" },
		{ { .op = KFD_XSCHED_TENANT_CREATE, .process = 1 }, -EINVAL,
		  "CREATE with a process" },
		{ { .op = KFD_XSCHED_TENANT_DESTROY, .process = 1 }, -EINVAL,
		  "DESTROY with a process" },
		{ { .op = KFD_XSCHED_TENANT_DESTROY }, -ENOENT, "DESTROY of tenant 0" },
		{ { .op = KFD_XSCHED_TENANT_DESTROY, .id = UINT64_MAX }, -ENOENT,
		  "DESTROY of the highest number" },
		{ { .op = KFD_XSCHED_TENANT_ADD, .id = 2, .process = UINT64_MAX }, -ENOENT,
		  "ADD of a process that cannot be" },
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kfd_xsched_tenant arg = bad[i].arg;

		arg.size = sizeof(arg);
		tap_is(xsdev_ioctl(fd, KFD_XSCHED_TENANT, &arg), bad[i].want, "TENANT: %s",
		       bad[i].what);
	}
}

/* A number in the argument of ARM, in place of a good one. */
static void bad_arm(struct kfd_xsched_arm arg, size_t field, size_t size, uint64_t value,
		    int want, const char *what)
{
	memcpy((char *)&arg + field, &value, size);
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_ARM, &arg), want, "ARM: %s", what);
}

#define BAD_ARM(_field, _value, _want, _what)						\
	bad_arm(good, offsetof(struct kfd_xsched_arm, _field), sizeof(good._field),	\
		_value, _want, _what)

static void test_arm_arguments(void)
{
	const uint64_t tenant = (uint64_t)xsdev_tenant(fd, KFD_XSCHED_TENANT_CREATE, 0, 0);
	struct kfd_xsched_entry entry = good_entry();
	const struct kfd_xsched_arm good = good_arm(tenant, &entry);
	struct kfd_xsched_arm clear = { .size = sizeof(clear), .op = KFD_XSCHED_ARM_CLEAR };
	const size_t first_stride = offsetof(struct kfd_xsched_entry, effective_class);

	BAD_ARM(op, 0, -EOPNOTSUPP, "operation 0");
	BAD_ARM(op, 3, -EOPNOTSUPP, "operation 3");
	BAD_ARM(op, UINT32_MAX, -EOPNOTSUPP, "the highest number as an operation");
	BAD_ARM(trigger, 0, -EOPNOTSUPP, "trigger 0");
	BAD_ARM(trigger, KFD_XSCHED_TARGET_QUEUE, -EOPNOTSUPP, "a queue as the trigger");
	BAD_ARM(trigger, UINT32_MAX, -EOPNOTSUPP, "the highest number as a kind of trigger");
	BAD_ARM(trigger_id, 0, -ENOENT, "tenant 0");
	BAD_ARM(trigger_id, tenant + 1, -ENOENT, "a tenant that never was");
	BAD_ARM(trigger_id, UINT64_MAX, -ENOENT, "the highest number as a tenant");
	BAD_ARM(id, 1, -EINVAL, "SET with an id");
	BAD_ARM(flags, KFD_XSCHED_ARM_ASYNC, -EINVAL, "SET with ASYNC");
	BAD_ARM(count, 0, -EINVAL, "SET of nothing");
	BAD_ARM(count, KFD_XSCHED_MAX_ARMED_ENTRIES + 1, -E2BIG, "count above the limit");
	BAD_ARM(count, UINT32_MAX, -E2BIG, "the highest number as a count");
	BAD_ARM(stride, 0, -EINVAL, "stride 0");
	BAD_ARM(stride, first_stride - 1, -EINVAL, "stride too small");
	BAD_ARM(stride, UINT32_MAX, -E2BIG, "stride 4 GiB");
	BAD_ARM(entries, 0, -EFAULT, "no array");
	BAD_ARM(entries, (uintptr_t)nowhere, -EFAULT, "bad array");
	BAD_ARM(entries, UINT64_MAX - 7, -EFAULT, "an array at the end of memory");
	BAD_ARM(entries, (uintptr_t)read_only(&entry, sizeof(entry)), -EFAULT,
		"entries that cannot be written");
	entry.op = KFD_XSCHED_OP_RESUME;
	BAD_ARM(count, 1, -EINVAL, "an entry that gives back");
	tap_is(entry.status, -EINVAL, "ARM: its status says so");
	clear.id = 1000;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_ARM, &clear), -ENOENT, "ARM: CLEAR of what never was");
	clear.count = 1;
	tap_is(xsdev_ioctl(fd, KFD_XSCHED_ARM, &clear), -EINVAL, "ARM: CLEAR with entries");
	tap_ok(!held(), "ARM: nothing is held by all that");
	xsdev_tenant(fd, KFD_XSCHED_TENANT_DESTROY, tenant, 0);
}

static void test_subscribe(void)
{
	const uint32_t ready = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY);
	const uint32_t add = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD);
	struct kfd_xsched_event event;
	unsigned int bit, wrong = 0;

	for (bit = KFD_XSCHED_EVENT_DEMOTED + 1; bit < 32; bit++)
		wrong += xsdev_subscribe(fd, 1u << bit, 0, 0) != -EOPNOTSUPP;
	tap_is(wrong, 0, "SUBSCRIBE: each unknown event");
	tap_is(xsdev_subscribe(fd, ready, KFD_XSCHED_SAMPLE_US_MIN - 1, 0), -EINVAL,
	       "SUBSCRIBE: sampling too often");
	tap_is(xsdev_subscribe(fd, ready, 0, 0), 0, "SUBSCRIBE: READY with the default period");
	tap_is(xsdev_subscribe(fd, ready, KFD_XSCHED_SAMPLE_US_MAX + 1, 0), -EINVAL,
	       "SUBSCRIBE: sampling too seldom");
	tap_is(xsdev_subscribe(fd, ready, 100, KFD_XSCHED_SETTLE_US_MAX + 1), -EINVAL,
	       "SUBSCRIBE: too long a settle time");
	tap_is(xsdev_subscribe(fd, add, 100, 0), -EINVAL, "SUBSCRIBE: a period without READY");
	tap_is(xsdev_subscribe(fd, add, 0, 0), 0, "SUBSCRIBE to new queues");
	tap_is(read(fd, &event, sizeof(event) - 1) < 0 ? -errno : 0, -EINVAL,
	       "read: a buffer shorter than a record");
	tap_is(read(fd, &event, sizeof(event)) < 0 ? -errno : 0, -EAGAIN, "read: nothing there");
	tap_is(xsdev_subscribe(fd, 0, 0, 0), 0, "SUBSCRIBE to nothing");
}

int main(void)
{
	struct worker w;
	int ret;

	fd = must_open();
	if (xsdev_wait_no_queue(fd, 5000))
		tap_bail("other processes have queues");
	ret = worker_start(&w, 1, NULL);
	if (ret || worker_listed(&w, 0, fd, &queue))
		tap_bail("no queue to act on: error %d", ret);
	if (!xsdev_can(fd, KFD_XSCHED_CAP_GRACE))
		grace_error = -EOPNOTSUPP;
	nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	test_info();
	test_list();
	test_structures();
	test_apply_array();
	test_apply_stride();
	test_apply_limit();
	test_entry();
	test_graces();
	test_repeat();
	test_tenant_arguments();
	test_arm_arguments();
	test_subscribe();
	test_dead_queue(&w);
	tap_is(worker_stop(&w), 0, "the worker exits");
	return tap_done();
}
