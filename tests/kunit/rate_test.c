// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often a node may be preempted: what counts, on whose account, and what never is
 * refused.
 */
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/uidgid.h>

#include "core.h"
#include "files.h"
#include "model/node.h"
#include "model/rate.h"
#include "watched.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define TENANT		KFD_XSCHED_TARGET_TENANT
#define APP		KFD_XSCHED_PRIORITY_APP
#define NODE		"class/kfd_xsched/node4660/"

/* ---- buckets ------------------------------------------------------------- */

#define PER_S		10
#define BURST		3
#define INTERVAL	(NSEC_PER_SEC / PER_S)
#define BEGIN		(1000 * NSEC_PER_SEC)
#define FIRST_USER	2000

static struct xs_rates rates;

static void begin(void)
{
	xs_rates_init(&rates);
	xs_rates_set_user(&rates, PER_S);
	rates.user.burst = BURST;
}

static struct xs_payer payer_of(unsigned int uid, u64 share)
{
	return (struct xs_payer){ .user = KUIDT_INIT(uid), .share = share };
}

static bool take(struct xs_payer payer, u64 now)
{
	u64 cost_ns;

	return xs_rates_take(&rates, payer, now, &cost_ns);
}

static bool user_takes(unsigned int uid, u64 now)
{
	return take(payer_of(uid, 0), now);
}

/* How many a payer gets at one moment. */
static unsigned int gets(struct xs_payer payer, u64 now)
{
	unsigned int count = 0;

	while (count < 2 * BURST && take(payer, now))
		count++;
	return count;
}

static unsigned int user_gets(unsigned int uid, u64 now)
{
	return gets(payer_of(uid, 0), now);
}

/* A burst, then one in each interval, and after a long rest a burst again. */
static void rate_and_burst(struct kunit *test)
{
	u64 now = BEGIN, cost_ns;

	begin();
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, now), BURST);
	KUNIT_EXPECT_EQ(test, rates.refused, 1);
	KUNIT_EXPECT_FALSE(test, user_takes(XT_UID, now + INTERVAL - 1));
	now += INTERVAL;
	KUNIT_EXPECT_TRUE(test, xs_rates_take(&rates, payer_of(XT_UID, 0), now, &cost_ns));
	KUNIT_EXPECT_FALSE(test, user_takes(XT_UID, now));
	xs_rates_give_back(&rates, payer_of(XT_UID, 0), cost_ns);
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, now), 1);
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, now + 100 * INTERVAL), BURST);
}

static void users_are_apart(struct kunit *test)
{
	begin();
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, BEGIN), BURST);
	KUNIT_EXPECT_EQ(test, user_gets(XT_OTHER_UID, BEGIN), BURST);
	KUNIT_EXPECT_EQ(test, user_gets(0, BEGIN), BURST);
	KUNIT_EXPECT_FALSE(test, user_takes(XT_UID, BEGIN));
	KUNIT_EXPECT_TRUE(test, take(XS_PAYER_ADMIN, BEGIN));
}

static void admins_share_one(struct kunit *test)
{
	unsigned int i;

	begin();
	for (i = 0; i < 10 * XS_ADMIN_BURST; i++)
		KUNIT_EXPECT_TRUE(test, take(XS_PAYER_ADMIN, BEGIN));
	xs_rates_set_admin(&rates, 1);
	for (i = 0; i < XS_ADMIN_BURST; i++)
		KUNIT_EXPECT_TRUE(test, take(XS_PAYER_ADMIN, BEGIN));
	KUNIT_EXPECT_FALSE(test, take(XS_PAYER_ADMIN, BEGIN));
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, BEGIN), BURST);
	KUNIT_EXPECT_TRUE(test, take(XS_PAYER_ADMIN, BEGIN + NSEC_PER_SEC));
	/* Written anew, it begins anew; and a user has no limit, either, if root says so. */
	xs_rates_set_admin(&rates, 0);
	KUNIT_EXPECT_TRUE(test, take(XS_PAYER_ADMIN, BEGIN));
	xs_rates_set_user(&rates, PER_S);
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, BEGIN), BURST);
	xs_rates_set_user(&rates, 0);
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, BEGIN), 2 * BURST);
}

/*
 * A share of root's gets a quarter of what root gets, so that there is something left for others;
 * all of them together get no more than he.
 */
static void shares_of_root(struct kunit *test)
{
	const u64 later = BEGIN + 1000 * INTERVAL;
	unsigned int share, all = 0;
	u64 cost_ns;

	begin();
	rates.user.burst = 2 * XS_ROOT_SHARES;
	KUNIT_EXPECT_EQ(test, gets(payer_of(0, 1), BEGIN), 2);
	KUNIT_EXPECT_FALSE(test, take(payer_of(0, 1), BEGIN + XS_ROOT_SHARES * INTERVAL - 1));
	KUNIT_EXPECT_TRUE(test, xs_rates_take(&rates, payer_of(0, 1),
					      BEGIN + XS_ROOT_SHARES * INTERVAL, &cost_ns));
	xs_rates_give_back(&rates, payer_of(0, 1), cost_ns);
	KUNIT_EXPECT_TRUE(test, take(payer_of(0, 1), BEGIN + XS_ROOT_SHARES * INTERVAL));
	for (share = 1; share <= 2 * XS_ROOT_SHARES; share++)
		all += gets(payer_of(0, share), later);
	KUNIT_EXPECT_EQ(test, all, 2 * XS_ROOT_SHARES);
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, later), 2 * BURST);
	/* So does what one does that is not refused. */
	begin();
	rates.user.burst = 2 * XS_ROOT_SHARES;
	for (share = 0; share < 1000; share++)
		xs_rates_charge(&rates, payer_of(0, 1), BEGIN);
	KUNIT_EXPECT_FALSE(test, take(payer_of(0, 1), BEGIN));
	KUNIT_EXPECT_EQ(test, gets(payer_of(0, 2), BEGIN), 2);
}

/* What nobody refuses makes a debt of one burst, which is paid off, and then there is none. */
static void debt_is_bounded(struct kunit *test)
{
	const struct xs_payer user = payer_of(XT_UID, 0);
	unsigned int i;

	begin();
	for (i = 0; i < 1000; i++)
		xs_rates_charge(&rates, user, BEGIN);
	KUNIT_EXPECT_FALSE(test, user_takes(XT_UID, BEGIN + (BURST + 1) * INTERVAL - 1));
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, BEGIN + (BURST + 1) * INTERVAL), 1);
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, BEGIN + 3 * BURST * INTERVAL), BURST);
	/* With a shorter burst no debt becomes less by being charged. */
	for (i = 0; i < 1000; i++)
		xs_rates_charge(&rates, user, 2 * BEGIN);
	rates.user.burst = 1;
	xs_rates_charge(&rates, user, 2 * BEGIN);
	KUNIT_EXPECT_FALSE(test, user_takes(XT_UID, 2 * BEGIN + 2 * BURST * INTERVAL - 1));
	KUNIT_EXPECT_TRUE(test, user_takes(XT_UID, 2 * BEGIN + 2 * BURST * INTERVAL));
}

static void highest_numbers(struct kunit *test)
{
	const u64 late = U64_MAX / 2;
	unsigned int i;

	begin();
	xs_rates_set_user(&rates, 1);
	rates.user.burst = XS_BURST_MAX;
	for (i = 0; i < 3 * XS_BURST_MAX; i++)
		xs_rates_charge(&rates, payer_of(XT_UID, 0), late);
	KUNIT_EXPECT_FALSE(test, user_takes(XT_UID, late + XS_BURST_MAX * NSEC_PER_SEC));
	KUNIT_EXPECT_TRUE(test, user_takes(XT_UID, late + (XS_BURST_MAX + 1) * NSEC_PER_SEC));
	xs_rates_set_user(&rates, XS_RATE_MAX);
	rates.user.burst = XS_BURST_MIN;
	KUNIT_EXPECT_TRUE(test, user_takes(XT_UID, late));
	KUNIT_EXPECT_FALSE(test, user_takes(XT_UID, late));
	KUNIT_EXPECT_TRUE(test, user_takes(XT_UID, late + NSEC_PER_SEC / XS_RATE_MAX));
}

/* One more user than there are buckets takes over that of one who owes nothing. */
static void full_table(struct kunit *test)
{
	unsigned int i;

	begin();
	for (i = 0; i < XS_RATE_USERS; i++)
		KUNIT_EXPECT_EQ(test, user_gets(FIRST_USER + i, BEGIN + i), BURST);
	/* By then the first owes nothing, and the last does. */
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, BEGIN + BURST * INTERVAL), BURST);
	KUNIT_EXPECT_FALSE(test, user_takes(XT_UID, BEGIN + BURST * INTERVAL));
	KUNIT_EXPECT_EQ(test, user_gets(FIRST_USER + XS_RATE_USERS - 1,
					BEGIN + BURST * INTERVAL), BURST - 1);
}

/* If all owe something, a newcomer inherits the least of it; the others keep theirs. */
static void debts_are_inherited(struct kunit *test)
{
	unsigned int i;

	begin();
	for (i = 0; i < XS_RATE_USERS; i++)
		user_gets(FIRST_USER + i, BEGIN);
	/* One interval later each may take one. All do but one, who owes one less. */
	for (i = 0; i < XS_RATE_USERS; i++)
		if (i != XS_RATE_USERS / 2)
			KUNIT_EXPECT_TRUE(test, user_takes(FIRST_USER + i, BEGIN + INTERVAL));
	KUNIT_EXPECT_EQ(test, user_gets(XT_UID, BEGIN + INTERVAL), 1);
	KUNIT_EXPECT_FALSE(test, user_takes(FIRST_USER, BEGIN + INTERVAL));
	KUNIT_EXPECT_FALSE(test, user_takes(FIRST_USER + XS_RATE_USERS / 2, BEGIN + INTERVAL));
}

/* However many users there are, and in whatever order they come. */
static void many_users(struct kunit *test)
{
	unsigned int round, i, taken = 0;

	begin();
	for (round = 0; round < 2 * BURST; round++)
		for (i = 0; i < 5 * XS_RATE_USERS; i++)
			taken += user_takes(FIRST_USER + i, BEGIN);
	KUNIT_EXPECT_EQ(test, taken, BURST * XS_RATE_USERS);
}

/* ---- what counts --------------------------------------------------------- */

static void set(struct kunit *test, const char *name, const char *value)
{
	KUNIT_ASSERT_EQ_MSG(test, xt_sysfs_write(test, name, value), 0, "%s", name);
}

/* One a second, so that nothing comes back during a test; what was before is forgotten. */
static void limit_users(struct kunit *test, const char *burst)
{
	set(test, NODE "user_burst", burst);
	set(test, NODE "user_rate", "1");
}

/* The user's bucket on the node; it is made if there is none. */
static struct xs_bucket *bucket_locked(struct xt *xt, unsigned int uid)
{
	struct xs_rates *of_node = &xs_node_find_locked(xt->node)->rates;
	const struct xs_payer payer = payer_of(uid, 0);
	struct xs_bucket *bucket;

	xs_rates_charge(of_node, payer, ktime_get_ns());
	for (bucket = of_node->users; !uid_eq(bucket->payer.user, payer.user); bucket++)
		;
	return bucket;
}

/* Pretend that a thousand seconds' worth was taken: time does not matter then. */
static void overdraw(struct kunit *test, unsigned int uid)
{
	scoped_guard(rt_mutex, &xs_lock)
		bucket_locked(test->priv, uid)->paid_ns = ktime_get_ns() + 1000 * NSEC_PER_SEC;
}

/* What was taken since, at one a second, if he was overdrawn. */
static u64 taken(struct kunit *test, unsigned int uid)
{
	struct xs_bucket *bucket;
	static u64 before_ns;
	u64 paid_ns, count;

	scoped_guard(rt_mutex, &xs_lock) {
		bucket = bucket_locked(test->priv, uid);
		/* It was charged for the look. */
		bucket->paid_ns -= NSEC_PER_SEC;
		paid_ns = bucket->paid_ns;
	}
	count = div_u64(paid_ns - before_ns, NSEC_PER_SEC);
	before_ns = paid_ns;
	return count;
}

/* A user that may take as much as the test likes, and is counted from here on. */
static struct file *open_counted(struct kunit *test)
{
	struct file *file = xt_open_as(test, XT_UID);

	limit_users(test, "10000");
	overdraw(test, XT_UID);
	taken(test, XT_UID);
	return file;
}

static long set_priority(struct kunit *test, struct file *file, u64 queue, s32 priority)
{
	return xt_do(test, file, OP(SET_PRIORITY), QUEUE, queue, priority);
}

static long set_class(struct kunit *test, struct file *file, u64 queue, u32 prio_class)
{
	struct kfd_xsched_entry entry =
		XT_ENTRY(SET_PRIORITY, QUEUE, queue, KFD_XSCHED_PRIORITY_KEEP);

	entry.prio_class = prio_class;
	return xt_apply(test, file, &entry, 1);
}

/* A call counts once, also one that releases; what is held already and what fails do not. */
static void holds_count(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = open_counted(test);
	const struct kfd_xsched_entry both[] = {
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0),
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[1], 0),
	};
	const struct kfd_xsched_entry wrong[] = {
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[2], 0),
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[2] + 100, 0),
	};

	KUNIT_EXPECT_EQ(test, xt_apply(test, a, wrong, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 0);
	KUNIT_EXPECT_EQ(test, xt_apply(test, a, both, 2), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, xt_apply(test, a, both, 2), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 0);
	KUNIT_EXPECT_EQ(test, xt_resume(test, a, xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, xt_resume(test, a, xt->ids[0]), -EALREADY);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(UNMAP), PROCESS, xt->process->nr, 0), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(RESUME), PROCESS, xt->process->nr, 0), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
}

/* Another priority or class counts, also the application's own; the same does not. */
static void priorities_count(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = open_counted(test);
	const u64 id = xt->ids[0];

	KUNIT_EXPECT_EQ(test, set_priority(test, a, id, APP), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 0);
	KUNIT_EXPECT_EQ(test, set_priority(test, a, id, 0), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, set_priority(test, a, id, 0), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 0);
	KUNIT_EXPECT_EQ(test, set_priority(test, a, id, 7), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, set_class(test, a, id, KFD_XSCHED_CLASS_LOW), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, set_class(test, a, id, KFD_XSCHED_CLASS_LOW), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 0);
	KUNIT_EXPECT_EQ(test, set_priority(test, a, id, APP), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, set_class(test, a, id, KFD_XSCHED_CLASS_APP), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), PROCESS, xt->process->nr, 2), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
}

/* All in one call is one preemption of the node; of two nodes it is one of each. */
static void a_call_counts_once(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = open_counted(test);
	const struct kfd_xsched_entry all[] = {
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], 3),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[2], 4),
	};
	const struct kfd_xsched_entry back[] = {
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], APP),
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[1], 0),
		XT_ENTRY(RESUME, QUEUE, xt->ids[0], 0),
	};
	struct xs_hw_node *second = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);

	KUNIT_EXPECT_EQ(test, xt_apply(test, a, all, 3), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, xt_apply(test, a, back, 3), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	/* The rate of one node says nothing about others. */
	fake_queue_add(test, xt->process, second);
	set(test, NODE "user_burst", "1");
	KUNIT_EXPECT_EQ(test, set_priority(test, a, xt->ids[2] + 1, 3), 0);
	KUNIT_EXPECT_EQ(test, set_priority(test, a, xt->ids[2], 3), -EBUSY);
	/* A call is refused as a whole. */
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), PROCESS, xt->process->nr, 1),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[2] + 1).priority, 3);
}

/* Two clients of a user, each with its own priority, do not take turns for nothing. */
static void the_same_anew(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = open_counted(test), *b = xt_open_as(test, XT_UID);
	const u64 id = xt->ids[0];

	set_priority(test, a, id, 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), PROCESS, xt->process->nr, 7), 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 7);
	set_priority(test, a, id, 0);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 0);
	xt_do(test, b, OP(SET_PRIORITY), PROCESS, xt->process->nr, 7);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 7);
	xt_do(test, b, OP(SET_PRIORITY), PROCESS, xt->process->nr, 7);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 0);
}

/* Queues of a user that come, change and go, and a process that exits with several. */
static void queues_count(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *process = fake_process_add(test, XT_UID);
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	struct xs_hw_queue *queue;
	unsigned int i;

	open_counted(test);
	queue = fake_queue_add(test, process, xt->node);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	fake_queue_change(queue);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	fake_queue_remove(queue);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	for (i = 0; i < 3; i++)
		fake_queue_add(test, process, xt->node);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 3);
	fake_process_exit(process);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 1);
	fake_queue_add(test, other, xt->node);
	KUNIT_EXPECT_EQ(test, taken(test, XT_UID), 0);
}

/* ---- what is refused ----------------------------------------------------- */

static void expect_refused(struct kunit *test, u64 count)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu\n", count);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "statistics/refused"), text);
}

/* Holds and priorities alike. One too many changes nothing. */
static void one_too_many(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt_open_as(test, XT_UID);
	const struct kfd_xsched_entry both[] = {
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[1], 0),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], 3),
	};
	unsigned int i, before;

	limit_users(test, "4");
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, set_priority(test, a, xt->ids[0], i & 1 ? 0 : 7), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[2]), 0);
	expect_refused(test, 0);
	before = fake_transactions();
	KUNIT_EXPECT_EQ(test, set_priority(test, a, xt->ids[0], 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -EBUSY);
	expect_refused(test, 1);
	KUNIT_EXPECT_EQ(test, set_class(test, a, xt->ids[0], KFD_XSCHED_CLASS_LOW), -EBUSY);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[1]), -EBUSY);
	KUNIT_EXPECT_EQ(test, xt_apply(test, a, both, 2), -EBUSY);
	KUNIT_EXPECT_EQ(test, xt->entries[1].status, -EBUSY);
	expect_refused(test, 4);
	/* What is so already is asked for in vain, not refused. */
	KUNIT_EXPECT_EQ(test, set_priority(test, a, xt->ids[0], 7), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[2]), 0);
	KUNIT_EXPECT_EQ(test, fake_transactions(), before);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 7);
	KUNIT_EXPECT_FALSE(test, xt->queues[1]->held);
	/* From now on there is no limit. */
	set(test, NODE "user_rate", "0");
	KUNIT_EXPECT_EQ(test, set_priority(test, a, xt->ids[0], 0), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[1]), 0);
}

/* Another user, and root, are none the worse for it. */
static void others_go_on(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *root = xt->files[0], *a = xt_open_as(test, XT_UID);
	struct file *b = xt_open_as(test, XT_OTHER_UID);
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	unsigned int i;

	fake_queue_add(test, other, xt->node);
	limit_users(test, "1");
	overdraw(test, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), -EBUSY);
	/* By another open file he is the same. */
	xt_close(test, a);
	a = xt_open_as(test, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), -EBUSY);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, xt->ids[2] + 1), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, root, xt->ids[0]), 0);
	for (i = 0; i < 2 * XS_ADMIN_BURST; i++)
		KUNIT_EXPECT_EQ(test, set_priority(test, root, xt->ids[0], i & 1), 0);
}

/* Root is as free as root says. */
static void root_can_be_limited(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *root = xt->files[0], *a = xt_open_as(test, XT_UID);

	set(test, NODE "admin_burst", "1");
	set(test, NODE "admin_rate", "1");
	KUNIT_EXPECT_EQ(test, xt_suspend(test, root, xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, xt_open(test), xt->ids[1]), -EBUSY);
	KUNIT_EXPECT_EQ(test, xt_resume(test, root, xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[1]), 0);
	set(test, NODE "admin_rate", "0");
	KUNIT_EXPECT_EQ(test, xt_suspend(test, root, xt->ids[1]), 0);
}

/* To give back is never refused; the debt that it makes has an end. */
static void giving_back(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt_open_as(test, XT_UID);
	const struct kfd_xsched_entry back[] = {
		XT_ENTRY(RESUME, PROCESS, xt->process->nr, 0),
		XT_ENTRY(SET_PRIORITY, PROCESS, xt->process->nr, APP),
	};
	u64 least_ns, paid_ns;
	unsigned int i;

	limit_users(test, "2");
	set(test, NODE "user_rate", "0");
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, set_priority(test, a, xt->ids[i], i), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), PROCESS, xt->process->nr, 0), 0);
	set(test, NODE "user_rate", "1");
	overdraw(test, XT_UID);
	KUNIT_EXPECT_EQ(test, set_priority(test, a, xt->ids[0], APP), 0);
	KUNIT_EXPECT_EQ(test, xt_resume(test, a, xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_apply(test, a, back, 2), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), -EBUSY);
	/* Nor is a queue that comes or goes. */
	set(test, NODE "user_rate", "1");
	least_ns = ktime_get_ns() + 3 * NSEC_PER_SEC;
	for (i = 0; i < 20; i++)
		fake_queue_remove(fake_queue_add(test, xt->process, xt->node));
	scoped_guard(rt_mutex, &xs_lock)
		paid_ns = bucket_locked(xt, XT_UID)->paid_ns;
	KUNIT_EXPECT_GT(test, paid_ns, least_ns);
	KUNIT_EXPECT_LE(test, paid_ns, ktime_get_ns() + 4 * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, set_priority(test, a, xt->ids[0], 0), -EBUSY);
}

/* To join a tenant that is held is to be held; to leave it is to be released. */
static void joining(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt_open_as(test, XT_UID);
	const long id = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);
	const pid_t nr = xt->process->nr;

	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), TENANT, id, 3), 0);
	limit_users(test, "1");
	overdraw(test, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, id, nr), -EBUSY);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	set(test, NODE "user_rate", "1");
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, id, nr), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	overdraw(test, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_REMOVE, id, nr), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

static u32 armed_error(struct kunit *test, struct file *file)
{
	const struct kfd_xsched_event event = xt_wait_event(test, file);

	KUNIT_EXPECT_EQ(test, event.type, KFD_XSCHED_EVENT_ARMED);
	return KFD_XSCHED_ARMED_ERRNO(event.data);
}

/* A run is on the account of the client that armed it. What is refused is left out. */
static void armed_runs(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *high = fake_process_add(test, XT_UID);
	const struct xt_watched work = xt_add_watched_on(test, high, xt->node, 0);
	struct file *a = xt_open_as(test, XT_UID);
	const struct kfd_xsched_entry entry = XT_ENTRY(SET_PRIORITY, PROCESS, xt->process->nr, 3);
	struct kfd_xsched_arm arg = {
		.size = sizeof(arg),
		.op = KFD_XSCHED_ARM_SET,
		.trigger = PROCESS,
		.trigger_id = high->nr,
		.count = 1,
		.stride = sizeof(entry),
		.entries = xt_put(test, &entry, sizeof(entry)),
	};

	xt_subscribe(test, a, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED), 0, 0);
	KUNIT_ASSERT_EQ(test, xt_ioctl_arg(test, a, KFD_XSCHED_ARM, &arg, sizeof(arg)), 0);
	limit_users(test, "1");
	overdraw(test, XT_UID);
	xt_set_indices(test, &work, 0, 1);
	KUNIT_EXPECT_EQ(test, armed_error(test, a), EBUSY);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, APP);
	xt_set_indices(test, &work, 1, 1);
	KUNIT_EXPECT_EQ(test, armed_error(test, a), 0);
	set(test, NODE "user_rate", "1");
	xt_set_indices(test, &work, 1, 2);
	KUNIT_EXPECT_EQ(test, armed_error(test, a), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 3);
	overdraw(test, XT_UID);
	xt_set_indices(test, &work, 2, 2);
	KUNIT_EXPECT_EQ(test, armed_error(test, a), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, APP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rate_and_burst),
	KUNIT_CASE(users_are_apart),
	KUNIT_CASE(admins_share_one),
	KUNIT_CASE(shares_of_root),
	KUNIT_CASE(debt_is_bounded),
	KUNIT_CASE(highest_numbers),
	KUNIT_CASE(full_table),
	KUNIT_CASE(debts_are_inherited),
	KUNIT_CASE(many_users),
	KUNIT_CASE(holds_count),
	KUNIT_CASE(priorities_count),
	KUNIT_CASE(a_call_counts_once),
	KUNIT_CASE(the_same_anew),
	KUNIT_CASE(queues_count),
	KUNIT_CASE(one_too_many),
	KUNIT_CASE(others_go_on),
	KUNIT_CASE(root_can_be_limited),
	KUNIT_CASE(giving_back),
	KUNIT_CASE(joining),
	KUNIT_CASE(armed_runs),
	{}
};

static struct kunit_suite suite = {
	.name = "rate",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
