// SPDX-License-Identifier: MIT
/*
 * The grammar of the interface for test-fuzz, by hand from uapi/linux/kfd_xsched.h.
 * tests/fuzz/check-names finds what the header has and this file has not.
 */
#include <errno.h>

#include "fuzz.h"

#define N(_n)		{ FUZZ_NUMBER, (uint64_t)(_n) }
#define IN(_type, _field, _pool) {				\
	.name = #_field,					\
	.offset = offsetof(struct kfd_xsched_##_type, _field),	\
	.size = sizeof(((struct kfd_xsched_##_type *)0)->_field),	\
	.pool = _pool,						\
	.pool_count = sizeof(_pool) / sizeof(_pool[0]),		\
}
#define BITS(_type, _field, _pool) {				\
	.name = #_field,					\
	.offset = offsetof(struct kfd_xsched_##_type, _field),	\
	.size = sizeof(((struct kfd_xsched_##_type *)0)->_field),	\
	.pool = _pool,						\
	.pool_count = sizeof(_pool) / sizeof(_pool[0]),		\
	.bits = true,						\
}
#define EVENT(_type)	N(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##_type))

/* ---- what is put into fields --------------------------------------------- */

static const struct fuzz_value zero[] = { N(0) };
static const struct fuzz_value small[] = { N(1), N(2), N(3), N(4), N(0), N(5) };
static const struct fuzz_value some_room[] = { N(0), N(1), N(2), N(8), N(64) };
static const struct fuzz_value rooms[] = {
	N(0), N(1), N(16), N(64), N(KFD_XSCHED_MAX_ENTRIES), N(KFD_XSCHED_MAX_ENTRIES + 1),
};
static const struct fuzz_value buffers[] = {
	{ FUZZ_BUFFER, FUZZ_ROOM }, { FUZZ_BUFFER, FUZZ_ROOM }, { FUZZ_BUFFER, FUZZ_ROOM },
	{ FUZZ_BUFFER, FUZZ_SHARED }, { FUZZ_BUFFER, FUZZ_EDGE }, { FUZZ_BUFFER, FUZZ_ODD },
	{ FUZZ_BUFFER, FUZZ_READ_ONLY }, { FUZZ_BUFFER, FUZZ_NOWHERE },
	{ FUZZ_BUFFER, FUZZ_KERNEL }, N(0),
};

static const struct fuzz_value info_sizes[] = { N(sizeof(struct kfd_xsched_info)) };
static const struct fuzz_value list_sizes[] = { N(sizeof(struct kfd_xsched_list)) };
static const struct fuzz_value apply_sizes[] = { N(sizeof(struct kfd_xsched_apply)), N(48) };
static const struct fuzz_value subscribe_sizes[] = { N(sizeof(struct kfd_xsched_subscribe)) };
static const struct fuzz_value tenant_sizes[] = { N(sizeof(struct kfd_xsched_tenant)) };
static const struct fuzz_value renew_sizes[] = { N(sizeof(struct kfd_xsched_renew)) };
static const struct fuzz_value arm_sizes[] = { N(sizeof(struct kfd_xsched_arm)) };
static const struct fuzz_value park_sizes[] = { N(sizeof(struct kfd_xsched_park)) };
static const struct fuzz_value node_strides[] = {
	N(sizeof(struct kfd_xsched_node)), N(sizeof(struct kfd_xsched_node) + 8),
};
static const struct fuzz_value queue_strides[] = {
	N(sizeof(struct kfd_xsched_queue)), N(sizeof(struct kfd_xsched_queue) + 8),
};
static const struct fuzz_value entry_strides[] = {
	N(sizeof(struct kfd_xsched_entry)), N(sizeof(struct kfd_xsched_entry)),
	N(sizeof(struct kfd_xsched_entry) + 8), N(32),
};
static const struct fuzz_value result_strides[] = {
	N(sizeof(struct kfd_xsched_node_result)), N(sizeof(struct kfd_xsched_node_result) + 8),
};
static const struct fuzz_value entry_counts[] = {
	N(1), N(2), N(3), N(FUZZ_ENTRIES), N(0), N(KFD_XSCHED_MAX_ARMED_ENTRIES + 1),
	N(KFD_XSCHED_MAX_ENTRIES + 1),
};

static const struct fuzz_value apply_flags[] = { N(0), N(KFD_XSCHED_APPLY_ASYNC) };
static const struct fuzz_value arm_flags[] = { N(0), N(0), N(0), N(KFD_XSCHED_ARM_ASYNC) };
static const struct fuzz_value subscribe_flags[] = { N(0), N(KFD_XSCHED_SUBSCRIBE_NO_TAP) };
static const struct fuzz_value ops[] = {
	N(KFD_XSCHED_OP_SUSPEND), N(KFD_XSCHED_OP_UNMAP), N(KFD_XSCHED_OP_RESUME),
	N(KFD_XSCHED_OP_SET_PRIORITY),
};
static const struct fuzz_value targets[] = {
	N(KFD_XSCHED_TARGET_QUEUE), N(KFD_XSCHED_TARGET_PROCESS), N(KFD_XSCHED_TARGET_TENANT),
	N(KFD_XSCHED_TARGET_PROCESS_ID),
};
static const struct fuzz_value tenant_ops[] = {
	N(KFD_XSCHED_TENANT_CREATE), N(KFD_XSCHED_TENANT_ADD), N(KFD_XSCHED_TENANT_REMOVE),
	N(KFD_XSCHED_TENANT_DESTROY),
};
static const struct fuzz_value arm_ops[] = {
	N(KFD_XSCHED_ARM_SET), N(KFD_XSCHED_ARM_SET), N(KFD_XSCHED_ARM_CLEAR),
};
static const struct fuzz_value park_ops[] = {
	N(KFD_XSCHED_PARK_SET), N(KFD_XSCHED_PARK_SET), N(KFD_XSCHED_PARK_CLEAR),
};
static const struct fuzz_value park_times[] = {
	N(KFD_XSCHED_PARK_MS_MIN), N(KFD_XSCHED_PARK_MS_MIN), N(0), N(100),
	N(KFD_XSCHED_PARK_MS_MIN - 1), N(KFD_XSCHED_PARK_MS_MAX), N(KFD_XSCHED_PARK_MS_MAX + 1),
};
static const struct fuzz_value values[] = {
	N(0), N(0), N(1), N(100), N(KFD_XSCHED_GRACE_DEFAULT), N(KFD_XSCHED_PRIORITY_KEEP),
	N(KFD_XSCHED_PRIORITY_APP), N(KFD_XSCHED_PRIORITY_MIN), N(KFD_XSCHED_PRIORITY_NORMAL),
	N(KFD_XSCHED_PRIORITY_MAX), N(KFD_XSCHED_PRIORITY_MAX + 1),
};
static const struct fuzz_value classes[] = {
	N(KFD_XSCHED_CLASS_KEEP), N(KFD_XSCHED_CLASS_KEEP), N(KFD_XSCHED_CLASS_APP),
	N(KFD_XSCHED_CLASS_LOW), N(KFD_XSCHED_CLASS_NORMAL), N(KFD_XSCHED_CLASS_MEDIUM),
	N(KFD_XSCHED_CLASS_HIGH), N(KFD_XSCHED_CLASS_REALTIME), N(KFD_XSCHED_CLASS_REALTIME + 1),
};
static const struct fuzz_value ids[] = {
	{ FUZZ_QUEUE, 0 }, { FUZZ_QUEUE, 1 }, { FUZZ_QUEUE, 2 }, { FUZZ_QUEUE, 3 },
	{ FUZZ_QUEUE, 5 }, { FUZZ_PID, 0 }, { FUZZ_PID, 1 }, { FUZZ_PID, 2 }, { FUZZ_PID, 3 },
	{ FUZZ_PROCESS, 0 }, { FUZZ_PROCESS, 1 }, { FUZZ_PROCESS, 2 }, N(1), N(2), N(3),
};
static const struct fuzz_value pids[] = {
	{ FUZZ_PID, 0 }, { FUZZ_PID, 1 }, { FUZZ_PID, 2 }, { FUZZ_PID, 3 }, N(0), N(1),
};
static const struct fuzz_value events[] = {
	EVENT(QUEUE_ADD), EVENT(QUEUE_DEL), EVENT(PROCESS_EXIT), EVENT(READY), EVENT(IDLE),
	EVENT(LOST), EVENT(NODE_RESET), EVENT(APPLY_DONE), EVENT(EJECTED), EVENT(ARMED),
	EVENT(NODE_BREAKER), EVENT(DEMOTED),
};
static const struct fuzz_value sample_times[] = {
	N(0), N(100), N(KFD_XSCHED_SAMPLE_US_MIN), N(KFD_XSCHED_SAMPLE_US_MAX),
	N(KFD_XSCHED_SAMPLE_US_MIN - 1),
};
static const struct fuzz_value settle_times[] = {
	N(0), N(500), N(KFD_XSCHED_SETTLE_US_MAX), N(KFD_XSCHED_SETTLE_US_MAX + 1),
};
static const struct fuzz_value read_sizes[] = {
	N(sizeof(struct kfd_xsched_event)), N(64 * sizeof(struct kfd_xsched_event)),
	N(sizeof(struct kfd_xsched_event) - 1), N(0),
};
static const struct fuzz_value requests[] = {
	N(_IO(KFD_XSCHED_IOC_TYPE, 0x08)), N(_IO(KFD_XSCHED_IOC_TYPE, 0xff)), N(0),
	N(_IOWR(KFD_XSCHED_IOC_TYPE, 0x02, struct kfd_xsched_apply)),
};

/* ---- structures ---------------------------------------------------------- */

static const struct fuzz_field info_fields[] = {
	IN(info, size, info_sizes), IN(info, flags, zero), IN(info, abi_version, zero),
	IN(info, node_count, zero), IN(info, node_capacity, some_room),
	IN(info, node_stride, node_strides), IN(info, nodes, buffers),
};

static const struct fuzz_field list_fields[] = {
	IN(list, size, list_sizes), IN(list, flags, zero), IN(list, capacity, rooms),
	IN(list, count, zero), IN(list, stride, queue_strides), IN(list, changed, zero),
	IN(list, queues, buffers),
};

static const struct fuzz_field apply_fields[] = {
	IN(apply, size, apply_sizes), IN(apply, flags, apply_flags), IN(apply, count, entry_counts),
	IN(apply, stride, entry_strides), IN(apply, entries, buffers),
	IN(apply, node_capacity, some_room), IN(apply, node_stride, result_strides),
	IN(apply, nodes, buffers), IN(apply, node_count, zero), IN(apply, reserved, zero),
	IN(apply, cookie, small),
};

static const struct fuzz_field subscribe_fields[] = {
	IN(subscribe, size, subscribe_sizes), IN(subscribe, flags, subscribe_flags),
	BITS(subscribe, events, events), IN(subscribe, sample_us, sample_times),
	IN(subscribe, settle_us, settle_times), IN(subscribe, reserved, zero),
};

static const struct fuzz_field tenant_fields[] = {
	IN(tenant, size, tenant_sizes), IN(tenant, flags, zero), IN(tenant, op, tenant_ops),
	IN(tenant, reserved, zero), IN(tenant, id, small), IN(tenant, process, pids),
};

static const struct fuzz_field renew_fields[] = {
	IN(renew, size, renew_sizes), IN(renew, flags, zero), IN(renew, lease_ms, zero),
	IN(renew, ejected, zero), IN(renew, client, zero),
};

static const struct fuzz_field arm_fields[] = {
	IN(arm, size, arm_sizes), IN(arm, flags, arm_flags), IN(arm, op, arm_ops),
	IN(arm, trigger, targets), IN(arm, trigger_id, ids), IN(arm, id, small),
	IN(arm, count, entry_counts), IN(arm, stride, entry_strides), IN(arm, entries, buffers),
};

static const struct fuzz_field park_fields[] = {
	IN(park, size, park_sizes), IN(park, flags, zero), IN(park, op, park_ops),
	IN(park, target, targets), IN(park, id, ids), IN(park, idle_ms, park_times),
	IN(park, reserved, zero),
};

const struct fuzz_field fuzz_entry_fields[FUZZ_ENTRY_FIELDS] = {
	IN(entry, op, ops), IN(entry, target, targets), IN(entry, id, ids),
	IN(entry, value, values), IN(entry, prio_class, classes), IN(entry, reserved, zero),
};

/* The first field of what is no ioctl of ours is a number, of these. */
#define NUMBER(_pool)	{ .name = "n", .size = 8, .pool = _pool, \
			  .pool_count = sizeof(_pool) / sizeof(_pool[0]) }
static const struct fuzz_field of_small[] = { NUMBER(small) };
static const struct fuzz_field of_reads[] = { NUMBER(read_sizes) };
static const struct fuzz_field of_unknown[] = { NUMBER(requests) };

/* ---- calls --------------------------------------------------------------- */

#define OTHER(_name, _fields, _weight) [FUZZ_##_name] = {	\
	.name = #_name, .fields = _fields, .count = 1, .weight = _weight }
#define IOCTL(_name, _type, _fields, _entries, _weight) {		\
	.name = #_name, .request = KFD_XSCHED_##_name,			\
	.size = sizeof(struct kfd_xsched_##_type), .fields = _fields,	\
	.count = sizeof(_fields) / sizeof(_fields[0]), .entries = _entries, .weight = _weight }

const struct fuzz_kind fuzz_kinds[] = {
	OTHER(OPEN, of_small, 40), OTHER(CLOSE, of_small, 30), OTHER(READ, of_reads, 60),
	OTHER(POLL, of_small, 20), OTHER(FORK, of_small, 1), OTHER(KILL, of_small, 3),
	OTHER(WORK, of_small, 40), OTHER(EJECT, of_small, 4), OTHER(UNKNOWN, of_unknown, 5),
	IOCTL(INFO, info, info_fields, false, 30),
	IOCTL(LIST, list, list_fields, false, 60),
	IOCTL(APPLY, apply, apply_fields, true, 300),
	IOCTL(SUBSCRIBE, subscribe, subscribe_fields, false, 100),
	IOCTL(TENANT, tenant, tenant_fields, false, 160),
	IOCTL(RENEW, renew, renew_fields, false, 20),
	IOCTL(ARM, arm, arm_fields, true, 200),
	IOCTL(PARK, park, park_fields, false, 60),
};
const size_t fuzz_kind_count = sizeof(fuzz_kinds) / sizeof(fuzz_kinds[0]);

/* ---- values -------------------------------------------------------------- */

static struct fuzz_value any_bits(const struct fuzz_field *field)
{
	struct fuzz_value v = N(0);
	size_t i;

	for (i = 0; i < field->pool_count; i++)
		if (!fuzz_below(3))
			v.n |= field->pool[i].n;
	return v;
}

/* Numbers at which something ends. */
static struct fuzz_value a_limit(void)
{
	static const uint64_t limits[] = {
		0, 1, 2, 4, 7, 8, 16, 31, 32, 63, 64, 127, 255, 256, 4095, 4096, 65535, 65536,
		INT32_MAX, 1ULL << 31, UINT32_MAX, 1ULL << 32, INT64_MAX, 1ULL << 63, UINT64_MAX,
	};
	const uint32_t count = sizeof(limits) / sizeof(limits[0]);

	return (struct fuzz_value){ FUZZ_NUMBER, limits[fuzz_below(count)] };
}

struct fuzz_value fuzz_value_of(const struct fuzz_field *field)
{
	const uint32_t kind = fuzz_below(100);
	struct fuzz_value v;

	if (kind < 92 && field->bits)
		return any_bits(field);
	if (kind < 96)
		return field->pool[fuzz_below((uint32_t)field->pool_count)];
	v = a_limit();
	if (kind == 99)
		v.n = (uint64_t)fuzz_below(1 << 24) << fuzz_below(40);
	return v;
}

struct fuzz_value fuzz_id_of(uint64_t target)
{
	static const uint8_t hows[] = {
		[KFD_XSCHED_TARGET_QUEUE] = FUZZ_QUEUE, [KFD_XSCHED_TARGET_PROCESS] = FUZZ_PID,
		[KFD_XSCHED_TARGET_TENANT] = FUZZ_NUMBER,
		[KFD_XSCHED_TARGET_PROCESS_ID] = FUZZ_PROCESS,
	};
	struct fuzz_value v = { FUZZ_NUMBER, 1 + fuzz_below(4) };

	if (target >= sizeof(hows))
		return v;
	v.how = hows[target];
	if (v.how != FUZZ_NUMBER)
		v.n = fuzz_below(8);
	return v;
}

bool fuzz_errno_is_known(int error)
{
	/* The last two: the client is closed by another thread; a signal. */
	static const int known[] = {
		0, EINVAL, E2BIG, EFAULT, ENOTTY, EOPNOTSUPP, ENOENT, ESRCH, EALREADY, EEXIST,
		ELOOP, ENOSPC, EDQUOT, EPERM, EIO, ETIME, ESHUTDOWN, ENODEV, ENOMEM, EOWNERDEAD,
		ECANCELED, EBUSY, EAGAIN, EBADF, EINTR,
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i] == error)
			return true;
	return false;
}
