// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much one user's clients may have, also by cgroup, and that others are none the worse
 * for it.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>

#include "front/client.h"
#include "model/account.h"
#include "switch/switch.h"
#include "files.h"
#include "watched.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define PATH		"/kfd_xsched"
#define LIMITS		XT_GLOBAL "limits_of_user/"
#define USER		"user " __stringify(XT_UID)
#define USERS		16
#define LEASE_MS	60
#define WALKS		5
#define SHARES		4

/**
 * struct crowd - files of one user, closed at the end of the test
 * @in_crowds: in the list of all
 * @count: how many
 * @files: them, or ERR_PTR()
 */
struct crowd {
	struct list_head in_crowds;
	unsigned int count;
	struct file *files[] __counted_by(count);
};

static LIST_HEAD(crowds);

static void disperse(struct crowd *crowd)
{
	unsigned int i;

	for (i = 0; i < crowd->count; i++) {
		if (!IS_ERR(crowd->files[i]))
			__fput_sync(crowd->files[i]);
	}
	list_del(&crowd->in_crowds);
	kvfree(crowd);
}

/* Before the core stops. */
static void exit(struct kunit *test)
{
	struct crowd *crowd, *next;

	list_for_each_entry_safe(crowd, next, &crowds, in_crowds)
		disperse(crowd);
	xt_exit(test);
}

static struct file *open_as(struct kunit *test, unsigned int uid)
{
	struct file *file;

	xt_become(test, uid);
	file = filp_open(PATH, O_RDWR | O_NONBLOCK, 0);
	xt_unbecome(test);
	return file;
}

static struct crowd *gather(struct kunit *test, unsigned int uid, unsigned int count)
{
	struct crowd *crowd = kvzalloc(struct_size(crowd, files, count), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	crowd->count = count;
	xt_become(test, uid);
	for (i = 0; i < count; i++)
		crowd->files[i] = filp_open(PATH, O_RDWR | O_NONBLOCK, 0);
	xt_unbecome(test);
	list_add(&crowd->in_crowds, &crowds);
	return crowd;
}

static void expect_limit(struct kunit *test, const char *name, u32 limit)
{
	u32 shown = 0;

	KUNIT_EXPECT_EQ(test, kstrtou32(xt_sysfs_read(test, name), 10, &shown), 0);
	KUNIT_EXPECT_EQ(test, shown, limit);
}

/* One user has so many files, and no more; others, and root, have theirs. */
static void clients(struct kunit *test)
{
	const u32 limit = xs_account_limit(XS_QUOTA_CLIENTS);
	struct crowd *crowd = gather(test, XT_UID, limit + 1), *again;

	expect_limit(test, LIMITS "clients", limit);
	KUNIT_EXPECT_FALSE(test, IS_ERR(crowd->files[limit - 1]));
	KUNIT_EXPECT_EQ(test, PTR_ERR(crowd->files[limit]), -EDQUOT);
	xt_close(test, xt_open(test));
	again = gather(test, XT_OTHER_UID, 1);
	KUNIT_EXPECT_FALSE(test, IS_ERR(again->files[0]));
	disperse(crowd);
	again = gather(test, XT_UID, limit);
	KUNIT_EXPECT_FALSE(test, IS_ERR(again->files[limit - 1]));
}

/*
 * So many clients of a user ask something of one queue, or of others of its process on that node,
 * and each of so much in all; to give back is never refused. Others, and root, have theirs.
 */
static void requests(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct crowd *crowd = gather(test, XT_UID, XS_REQUESTS_ON_TARGET + 1);
	struct file *last = crowd->files[XS_REQUESTS_ON_TARGET];
	struct xs_hw_process *elsewhere = fake_process_add(test, XT_UID);
	unsigned int i;

	expect_limit(test, LIMITS "requests", xs_account_limit(XS_QUOTA_REQUESTS));
	expect_limit(test, LIMITS "requests_on_target", XS_REQUESTS_ON_TARGET);
	fake_queue_add(test, elsewhere, xt->node);
	xt_become(test, XT_UID);
	for (i = 0; i < XS_REQUESTS_ON_TARGET; i++)
		KUNIT_ASSERT_EQ(test, xt_suspend(test, crowd->files[i], xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, last, xt->ids[0]), -EDQUOT);
	KUNIT_EXPECT_EQ(test, xt_resume(test, last, xt->ids[0]), -EALREADY);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, last, xt->ids[1]), -EDQUOT);
	KUNIT_EXPECT_EQ(test, xt_do(test, last, OP(SUSPEND), KFD_XSCHED_TARGET_PROCESS,
				    elsewhere->nr, 0), 0);
	xt_unbecome(test);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, xt->files[0], xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], xt->ids[0]).holders,
			XS_REQUESTS_ON_TARGET + 1);
	xt_become(test, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_resume(test, crowd->files[0], xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, last, xt->ids[0]), 0);
	xt_unbecome(test);
	disperse(crowd);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], xt->ids[0]).holders, 1);
	KUNIT_EXPECT_EQ(test, xt_resume(test, xt->files[0], xt->ids[0]), 0);
}

/* What is said of parks of the process: never. */
static long say_never(struct kunit *test, struct file *file, u32 op)
{
	struct xt *xt = test->priv;

	return xt_park(test, file, op, xt->process->nr, 0);
}

/* So many clients of a user say something of parks of one process. Root says more. */
static void wishes(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct crowd *crowd = gather(test, XT_UID, XS_REQUESTS_ON_TARGET + 1);
	struct file *last = crowd->files[XS_REQUESTS_ON_TARGET];
	unsigned int i;

	xt_become(test, XT_UID);
	for (i = 0; i < XS_REQUESTS_ON_TARGET; i++)
		KUNIT_ASSERT_EQ(test, say_never(test, crowd->files[i], KFD_XSCHED_PARK_SET), 0);
	KUNIT_EXPECT_EQ(test, say_never(test, last, KFD_XSCHED_PARK_SET), -EDQUOT);
	KUNIT_EXPECT_EQ(test, say_never(test, last, KFD_XSCHED_PARK_CLEAR), -EALREADY);
	KUNIT_EXPECT_EQ(test, say_never(test, crowd->files[0], KFD_XSCHED_PARK_SET), 0);
	xt_unbecome(test);
	KUNIT_EXPECT_EQ(test, say_never(test, xt->files[0], KFD_XSCHED_PARK_SET), 0);
	xt_become(test, XT_UID);
	KUNIT_EXPECT_EQ(test, say_never(test, crowd->files[0], KFD_XSCHED_PARK_CLEAR), 0);
	KUNIT_EXPECT_EQ(test, say_never(test, last, KFD_XSCHED_PARK_SET), 0);
	xt_unbecome(test);
	disperse(crowd);
	KUNIT_EXPECT_EQ(test, say_never(test, xt->files[0], KFD_XSCHED_PARK_CLEAR), 0);
}

/* Each client that subscribes counts once, until it ends that or is closed. */
static void subscriptions(struct kunit *test)
{
	const u32 limit = xs_account_limit(XS_QUOTA_SUBSCRIPTIONS), bit = 1;
	struct crowd *crowd = gather(test, XT_UID, limit + 1);
	unsigned int i;

	expect_limit(test, LIMITS "subscriptions", limit);
	for (i = 0; i < limit; i++) {
		KUNIT_ASSERT_EQ(test, xt_subscribe(test, crowd->files[i], bit, 0, 0), 0);
		KUNIT_ASSERT_EQ(test, xt_subscribe(test, crowd->files[i], bit, 0, 0), 0);
	}
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, crowd->files[limit], bit, 0, 0), -EDQUOT);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, xt_open(test), bit, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, crowd->files[0], 0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, crowd->files[limit], bit, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, crowd->files[0], bit, 0, 0), -EDQUOT);
	__fput_sync(crowd->files[1]);
	crowd->files[1] = ERR_PTR(-EBADF);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, crowd->files[0], bit, 0, 0), 0);
}

/* A switch on an empty tenant, that the process triggers: its id, or -errno. */
static long arm(struct kunit *test, struct file *file, u32 count)
{
	struct xt *xt = test->priv;
	const size_t used = xt->used;
	const unsigned long entries = xt_alloc(test, count * sizeof(struct kfd_xsched_entry));
	const struct kfd_xsched_entry entry = XT_ENTRY(SUSPEND, TENANT, 1, 0);
	struct kfd_xsched_arm arg = {
		.size = sizeof(arg),
		.op = KFD_XSCHED_ARM_SET,
		.trigger = KFD_XSCHED_TARGET_PROCESS,
		.trigger_id = xt->process->nr,
		.count = count,
		.stride = sizeof(entry),
		.entries = entries,
	};
	long ret;
	u32 i;

	for (i = 0; i < count; i++)
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)entries + i * sizeof(entry),
						   &entry, sizeof(entry)), 0);
	ret = xt_ioctl_arg(test, file, KFD_XSCHED_ARM, &arg, sizeof(arg));
	xt->used = used;
	return ret ?: (long)arg.id;
}

/* Arm switches of @count entries by clients of one user, as many as go. */
static unsigned int arm_all(struct kunit *test, struct crowd *crowd, u32 count)
{
	unsigned int armed = 0, i = 0;
	long ret;

	xt_become(test, XT_UID);
	for (i = 0; i < crowd->count; i++) {
		KUNIT_ASSERT_EQ(test, xt_tenant(test, crowd->files[i], KFD_XSCHED_TENANT_CREATE,
						0, 0), 1);
		while ((ret = arm(test, crowd->files[i], count)) > 0)
			armed++;
		if (ret == -EDQUOT)
			break;
		KUNIT_ASSERT_EQ(test, ret, -ENOSPC);
	}
	KUNIT_EXPECT_EQ(test, ret, -EDQUOT);
	xt_unbecome(test);
	return armed;
}

/* Switches of all clients of a user, and their entries. */
static void armed(struct kunit *test)
{
	const u32 limit = xs_account_limit(XS_QUOTA_ARMED);
	const u32 entries = xs_account_limit(XS_QUOTA_ARMED_ENTRIES);
	struct crowd *crowd = gather(test, XT_UID, limit / KFD_XSCHED_MAX_ARMED + 1);

	expect_limit(test, LIMITS "armed", limit);
	expect_limit(test, LIMITS "armed_entries", entries);
	KUNIT_EXPECT_EQ(test, arm_all(test, crowd, 1), limit);
	disperse(crowd);
	crowd = gather(test, XT_UID, 1);
	KUNIT_EXPECT_EQ(test, arm_all(test, crowd, KFD_XSCHED_MAX_ARMED_ENTRIES),
			entries / KFD_XSCHED_MAX_ARMED_ENTRIES);
	disperse(crowd);
	crowd = gather(test, XT_UID, 1);
	KUNIT_EXPECT_EQ(test, arm_all(test, crowd, KFD_XSCHED_MAX_ARMED_ENTRIES),
			entries / KFD_XSCHED_MAX_ARMED_ENTRIES);
}

/* As many entries as go into one call, all the same. */
static unsigned long put_entries(struct kunit *test, const struct kfd_xsched_entry *entry)
{
	const size_t size = sizeof(*entry);
	const unsigned long entries = xt_alloc(test, KFD_XSCHED_MAX_ENTRIES * size);
	u32 i;

	for (i = 0; i < KFD_XSCHED_MAX_ENTRIES; i++)
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)entries + i * size, entry,
						   size), 0);
	return entries;
}

static long apply(struct kunit *test, struct file *file, unsigned long entries, u32 count,
		  u32 flags)
{
	struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.flags = flags,
		.count = count,
		.stride = sizeof(struct kfd_xsched_entry),
		.entries = entries,
	};

	return xt_ioctl_arg(test, file, KFD_XSCHED_APPLY, &arg, sizeof(arg));
}

/* Those on their way to a node that does not answer; a short call always may. */
static void entries_on_their_way(struct kunit *test)
{
	const u32 limit = xs_account_limit(XS_QUOTA_ENTRIES), most = KFD_XSCHED_MAX_ENTRIES;
	const u32 async = KFD_XSCHED_APPLY_ASYNC;
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entry = XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0);
	const struct kfd_xsched_entry other = XT_ENTRY(RESUME, QUEUE, xt->ids[1], 0);
	const unsigned long entries = put_entries(test, &entry);
	const unsigned long release = put_entries(test, &other);
	struct crowd *crowd = gather(test, XT_UID, 4);
	struct file *const *files = crowd->files;

	expect_limit(test, LIMITS "entries", limit);
	KUNIT_ASSERT_EQ(test, limit, 2 * most);
	xt_become(test, XT_UID);
	fake_hang(xt->node);
	KUNIT_EXPECT_EQ(test, apply(test, files[0], entries, most, async), 0);
	/* One that fails is not on its way. */
	KUNIT_EXPECT_EQ(test, apply(test, files[2], entries, most, 1u << 31), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, apply(test, files[0], entries, most, async), -EAGAIN);
	KUNIT_EXPECT_EQ(test, apply(test, files[2], release, most, 0), -EALREADY);
	KUNIT_EXPECT_EQ(test, apply(test, files[1], entries, most, async), 0);
	KUNIT_EXPECT_EQ(test, apply(test, files[2], entries, 1, async), -EDQUOT);
	KUNIT_EXPECT_EQ(test, apply(test, files[2], release, 65, 0), -EDQUOT);
	KUNIT_EXPECT_EQ(test, apply(test, files[2], release, 64, 0), -EALREADY);
	xt_unbecome(test);
	KUNIT_EXPECT_EQ(test, apply(test, xt->files[0], release, most, 0), -EALREADY);
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, files[0]).type, KFD_XSCHED_EVENT_APPLY_DONE);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, files[1]).type, KFD_XSCHED_EVENT_APPLY_DONE);
	xt_become(test, XT_UID);
	KUNIT_EXPECT_EQ(test, apply(test, files[2], entries, most, 0), 0);
	xt_unbecome(test);
}

/* A call that names too much is refused as a whole, and how much that is depends on the user. */
static void steps(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *second = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	const struct kfd_xsched_entry entry = XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0);
	const unsigned long entries = put_entries(test, &entry);
	struct crowd *crowd = gather(test, XT_UID, 1);
	/* The process, and four queues. */
	const u32 most = XS_STEPS_OF_USER / 5;

	expect_limit(test, LIMITS "steps", XS_STEPS_OF_USER);
	fake_queue_add(test, xt->process, second);
	xt_become(test, XT_UID);
	KUNIT_EXPECT_EQ(test, apply(test, crowd->files[0], entries, most + 1, 0), -E2BIG);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, apply(test, crowd->files[0], entries, most, 0), 0);
	xt_unbecome(test);
	KUNIT_EXPECT_EQ(test, apply(test, xt->files[0], entries, KFD_XSCHED_MAX_ENTRIES, 0), 0);
}

static u64 walk_once_ns(void)
{
	const u64 begin = ktime_get_ns();
	struct xs_client *client;
	u64 id = 0;

	while ((client = xs_client_next(id))) {
		id = client->id;
		xs_client_put(client);
	}
	return ktime_get_ns() - begin;
}

/* The shortest time to go through all clients; others may be interrupted. */
static u64 walk_ns(void)
{
	u64 shortest = U64_MAX;
	unsigned int i;

	for (i = 0; i < WALKS; i++)
		shortest = min(shortest, walk_once_ns());
	return shortest;
}

/* With as many clients as several users may have, a silent holder is ejected as soon. */
static void many_clients(struct kunit *test)
{
	const u32 limit = xs_account_limit(XS_QUOTA_CLIENTS);
	struct xt_watched w = xt_add_watched(test, 1);
	unsigned int uid;
	struct file *holder;

	xs_watchdog_set_ms(LEASE_MS);
	for (uid = 0; uid < USERS; uid++)
		gather(test, XT_UID + uid, limit);
	/* Of all of them the last one. */
	holder = open_as(test, XT_UID + USERS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(holder));
	KUNIT_EXPECT_EQ(test, xs_client_count(), USERS * limit + 2);
	/* It takes some 0.1 s; a minute, if each is searched from the first one on. */
	KUNIT_EXPECT_LT(test, walk_ns(), 10ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, holder, w.id), 0);
	xt_expect_held(test, w.queue, false);
	__fput_sync(holder);
}

static long create(struct kunit *test, struct file *file)
{
	return xt_tenant(test, file, KFD_XSCHED_TENANT_CREATE, 0, 0);
}

/* Tenants of all clients of a user: those that are destroyed, or go with a client, are free. */
static void tenants(struct kunit *test)
{
	const u32 limit = xs_account_limit(XS_QUOTA_TENANTS), most = KFD_XSCHED_MAX_TENANTS;
	struct crowd *crowd = gather(test, XT_UID, limit / most + 1);
	struct file *last = crowd->files[limit / most];
	u32 i;

	expect_limit(test, LIMITS "tenants", limit);
	for (i = 0; i < limit; i++)
		KUNIT_ASSERT_GT(test, create(test, crowd->files[i / most]), 0);
	KUNIT_EXPECT_EQ(test, create(test, crowd->files[0]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, create(test, last), -EDQUOT);
	KUNIT_EXPECT_GT(test, create(test, xt_open(test)), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, crowd->files[0], KFD_XSCHED_TENANT_DESTROY, 1, 0), 0);
	KUNIT_EXPECT_GT(test, create(test, last), 0);
	KUNIT_EXPECT_EQ(test, create(test, last), -EDQUOT);
	__fput_sync(crowd->files[1]);
	crowd->files[1] = ERR_PTR(-EBADF);
	for (i = 0; i < most - 1; i++)
		KUNIT_ASSERT_GT(test, create(test, last), 0);
	KUNIT_EXPECT_EQ(test, create(test, last), -ENOSPC);
}

static struct xs_account *share_of(struct kunit *test, kuid_t uid, u64 cgroup)
{
	struct xs_account *share = xs_account_get_share(uid, cgroup);

	KUNIT_ASSERT_FALSE(test, IS_ERR(share));
	return share;
}

/* What is on an account, as root reads it. */
static void expect_line(struct kunit *test, const char *name, enum xs_quota quota, u32 used,
			u32 limit)
{
	const char *text = xt_read_in(test, "debugfs", "kfd_xsched/accounts");
	const char *line = text ? strstr(text, name) : NULL;
	char wanted[64];

	KUNIT_ASSERT_NOT_NULL_MSG(test, line, "no \"%s\" in:\n%s", name, text);
	snprintf(wanted, sizeof(wanted), " %s=%u/%u", xs_account_quota_name(quota), used, limit);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strnstr(line, wanted, strcspn(line, "\n")),
				  "no \"%s\" in:\n%s", wanted, line);
}

/* No cgroup of uid 0 has more than its quarter, and each has that, until there are four. */
static void shares_of_root(struct kunit *test)
{
	const enum xs_quota quota = XS_QUOTA_ENTRIES;
	const u32 limit = xs_account_limit(quota), quarter = xs_account_root_limit(quota);
	struct xs_account *shares[SHARES + 1];
	unsigned int i;

	KUNIT_EXPECT_EQ(test, quarter * SHARES, limit);
	for (i = 0; i <= SHARES; i++)
		shares[i] = share_of(test, GLOBAL_ROOT_UID, i + 1);
	for (i = 0; i < SHARES; i++) {
		KUNIT_EXPECT_EQ(test, xs_account_charge(shares[i], quota, quarter + 1), -EDQUOT);
		KUNIT_EXPECT_EQ(test, xs_account_charge(shares[i], quota, U32_MAX), -EDQUOT);
		KUNIT_EXPECT_EQ(test, xs_account_charge(shares[i], quota, quarter), 0);
		KUNIT_EXPECT_EQ(test, xs_account_charge(shares[i], quota, 1), -EDQUOT);
	}
	/* The fifth has room of its own, and its user has none. */
	KUNIT_EXPECT_EQ(test, xs_account_charge(shares[SHARES], quota, 1), -EDQUOT);
	xs_account_uncharge(shares[0], quota, 1);
	KUNIT_EXPECT_EQ(test, xs_account_charge(shares[SHARES], quota, 1), 0);
	KUNIT_EXPECT_EQ(test, xs_account_charge(shares[0], quota, 1), -EDQUOT);
	expect_line(test, "user 0:", quota, limit, limit);
	expect_line(test, "user 0 cgroup 1:", quota, quarter - 1, quarter);
	expect_line(test, "user 0 cgroup 5:", quota, 1, quarter);
	xs_account_uncharge(shares[SHARES], quota, 1);
	xs_account_uncharge(shares[0], quota, quarter - 1);
	for (i = 1; i < SHARES; i++)
		xs_account_uncharge(shares[i], quota, quarter);
	for (i = 0; i <= SHARES; i++)
		xs_account_put(shares[i]);
}

/* Cgroups of a user have together what he may have; what is refused changes neither. */
static void shares_of_a_user(struct kunit *test)
{
	const enum xs_quota quota = XS_QUOTA_ENTRIES;
	const u32 limit = xs_account_limit(quota);
	struct xs_account *a = share_of(test, KUIDT_INIT(XT_UID), 1);
	struct xs_account *b = share_of(test, KUIDT_INIT(XT_UID), 2);
	struct xs_account *other = share_of(test, KUIDT_INIT(XT_OTHER_UID), 1);

	KUNIT_EXPECT_PTR_NE(test, a, b);
	KUNIT_EXPECT_PTR_NE(test, a, other);
	KUNIT_EXPECT_EQ(test, xs_account_charge(a, quota, limit - 1), 0);
	KUNIT_EXPECT_EQ(test, xs_account_charge(b, quota, 2), -EDQUOT);
	expect_line(test, USER ":", quota, limit - 1, limit);
	expect_line(test, USER " cgroup 2:", quota, 0, limit);
	KUNIT_EXPECT_EQ(test, xs_account_charge(b, quota, 1), 0);
	KUNIT_EXPECT_EQ(test, xs_account_charge(a, quota, 1), -EDQUOT);
	expect_line(test, USER ":", quota, limit, limit);
	expect_line(test, USER " cgroup 1:", quota, limit - 1, limit);
	KUNIT_EXPECT_EQ(test, xs_account_charge(other, quota, limit), 0);
	xs_account_uncharge(a, quota, limit - 1);
	xs_account_uncharge(b, quota, 1);
	xs_account_uncharge(other, quota, limit);
	expect_line(test, USER ":", quota, 0, limit);
	xs_account_put(a);
	xs_account_put(b);
	xs_account_put(other);
}

/* Root reads what is on each account, and the limits; an account goes with its last client. */
static void shown(struct kunit *test)
{
	const u32 limit = xs_account_limit(XS_QUOTA_CLIENTS);
	struct crowd *crowd = gather(test, XT_UID, 2);
	const char *text = xt_sysfs_read(test, XT_GLOBAL "account_limits");
	char line[64];
	enum xs_quota i;

	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_EQ(test, xt_count(text, "\n"), XS_QUOTAS);
	for (i = 0; i < XS_QUOTAS; i++) {
		snprintf(line, sizeof(line), "%s %u %u\n", xs_account_quota_name(i),
			 xs_account_limit(i), xs_account_limit(i) / SHARES);
		KUNIT_EXPECT_TRUE_MSG(test, str_has_prefix(text, line), "%s", line);
		text += strcspn(text, "\n") + 1;
	}
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, crowd->files[0], 1, 0, 0), 0);
	expect_line(test, USER ":", XS_QUOTA_CLIENTS, 2, limit);
	expect_line(test, USER " cgroup ", XS_QUOTA_CLIENTS, 2, limit);
	expect_line(test, USER ":", XS_QUOTA_SUBSCRIPTIONS, 1,
		    xs_account_limit(XS_QUOTA_SUBSCRIPTIONS));
	disperse(crowd);
	KUNIT_EXPECT_STREQ(test, xt_read_in(test, "debugfs", "kfd_xsched/accounts"), "");
}

/* A client has one ring, whatever it is for, and to its end. */
static void rings(struct kunit *test)
{
	const u32 limit = xs_account_limit(XS_QUOTA_RINGS), bit = 1;
	struct xs_account *rest = share_of(test, KUIDT_INIT(XT_UID), 1);
	struct crowd *crowd = gather(test, XT_UID, 2);
	struct file *const *files = crowd->files;
	struct xt *xt = test->priv;

	expect_limit(test, LIMITS "rings", limit);
	KUNIT_EXPECT_EQ(test, xs_account_charge(rest, XS_QUOTA_RINGS, limit - 1), 0);
	xt_become(test, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_async(test, files[0], OP(SUSPEND), KFD_XSCHED_TARGET_QUEUE,
				       xt->ids[0], 1), 0);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, files[0], bit, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_async(test, files[1], OP(SUSPEND), KFD_XSCHED_TARGET_QUEUE,
				       xt->ids[1], 1), -EDQUOT);
	KUNIT_EXPECT_FALSE(test, xt->queues[1]->held);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, files[1], bit, 0, 0), -EDQUOT);
	/* What needs none is as before. */
	KUNIT_EXPECT_EQ(test, xt_suspend(test, files[1], xt->ids[1]), 0);
	xt_unbecome(test);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, files[0]).type, KFD_XSCHED_EVENT_APPLY_DONE);
	__fput_sync(crowd->files[0]);
	crowd->files[0] = ERR_PTR(-EBADF);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, files[1], bit, 0, 0), 0);
	xs_account_uncharge(rest, XS_QUOTA_RINGS, limit - 1);
	xs_account_put(rest);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(clients),
	KUNIT_CASE(requests),
	KUNIT_CASE(wishes),
	KUNIT_CASE(subscriptions),
	KUNIT_CASE(armed),
	KUNIT_CASE(entries_on_their_way),
	KUNIT_CASE(steps),
	KUNIT_CASE(tenants),
	KUNIT_CASE(rings),
	KUNIT_CASE(shares_of_root),
	KUNIT_CASE(shares_of_a_user),
	KUNIT_CASE(shown),
	KUNIT_CASE_SLOW(many_clients),
	{}
};

static struct kunit_suite suite = {
	.name = "quota",
	.init = xt_init,
	.exit = exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
