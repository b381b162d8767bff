// SPDX-License-Identifier: MIT
/*
 * How often a user may preempt a node: one who toggles the priority of an own queue that runs is
 * refused after a burst, and so are holds. Others are not, nor is giving back.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "users.h"
#include "worker.h"
#include "xsdev.h"

#define MS	1000000ULL
#define ALICE	1000
#define BOB	1001
#define BURST	20
#define TRIES	200
#define APP	KFD_XSCHED_PRIORITY_APP

#define OP(_op)	KFD_XSCHED_OP_##_op

static const struct spin_shape brief = { 1, 64, 1 * MS };
static const struct worker_ids alice_ids = { ALICE, ALICE, ALICE, true };
static const struct worker_ids bob_ids = { BOB, BOB, BOB, true };

static char directory[64];

/*
 * Clients of root and of users; processes of those: one that runs, one that is held, one whose
 * queue comes and goes.
 */
static int root, alice, bob;
static struct worker runs, held, comes, of_bob;

static int op_as(uid_t uid, int fd, uint32_t op, const struct worker *w, int value)
{
	int ret;

	users_become(uid);
	ret = xsdev_process_op(fd, op, w->pid, value, NULL);
	users_become(0);
	return ret;
}

static long statistic(const char *name)
{
	return sysfile_number("%sstatistics/%s", directory, name);
}

static void set(const char *file, unsigned int value)
{
	if (sysfile_set(value, "%s%s", directory, file))
		tap_bail("%s%s cannot be written", directory, file);
}

/* Alice owes a burst, so that nothing she asks for is due for the next BURST seconds. */
static void make_debt(void)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < BURST; i++)
		wrong += worker_recreate(&comes, 0) != 0;
	tap_is(wrong, 0, "to create and to destroy queues is refused to nobody");
}

/* To and fro, at each try to what is not in effect. */
static void test_toggle(void)
{
	const long switches = statistic("switches"), transactions = statistic("transactions");
	const long refused = statistic("refused");
	unsigned int granted = 0, busy = 0, most, i;
	const uint64_t begin = xsdev_now();
	int value = 0, ret;

	for (i = 0; i < TRIES; i++) {
		ret = op_as(ALICE, alice, OP(SET_PRIORITY), &runs, value);
		if (!ret)
			value = value ? 0 : KFD_XSCHED_PRIORITY_NORMAL;
		granted += !ret;
		busy += ret == -EBUSY;
	}
	/* One a second comes back meanwhile. */
	most = BURST + 1 + (unsigned int)((xsdev_now() - begin) / (1000 * MS));
	tap_note("%u of %u granted, %u at the most", granted, TRIES, most);
	tap_ok(granted >= BURST && granted <= most,
	       "a user's priorities of a process that runs: a burst");
	tap_is(granted + busy, TRIES, "all others are EBUSY");
	tap_ok(statistic("refused") - refused >= (long)busy, "which is counted");
	tap_ok(statistic("switches") - switches <= (long)granted,
	       "the node is switched for none of these");
	tap_ok(statistic("transactions") - transactions < TRIES / 2,
	       "nor has its firmware much to do");
	tap_ok(worker_load_goes_on(&runs), "the process runs on");
}

static void test_others(void)
{
	make_debt();
	tap_is(op_as(ALICE, alice, OP(SUSPEND), &runs, 0), -EBUSY, "nor may that user hold");
	close(alice);
	alice = users_open(ALICE);
	tap_is(op_as(ALICE, alice, OP(SUSPEND), &runs, 0), -EBUSY, "not by another open file, either");
	tap_is(op_as(BOB, bob, OP(SUSPEND), &of_bob, 0), 0, "another user may hold");
	tap_is(op_as(BOB, bob, OP(RESUME), &of_bob, 0), 0, "and release");
	tap_is(op_as(0, root, OP(SUSPEND), &runs, 0), 0, "root may hold that very process");
	tap_is(op_as(0, root, OP(RESUME), &runs, 0), 0, "and release it");
	tap_ok(worker_load_goes_on(&runs), "it runs on");
}

/* With nothing owed any more, she changes a queue of her own, which amdkfd refuses to nobody. */
static void test_change(void)
{
	unsigned int i, wrong = 0;

	set("user_rate", 0);
	set("user_rate", 1);
	for (i = 0; i < 2 * BURST; i++)
		wrong += worker_update(&comes, 0, 100, i & 1 ? KFD_XSCHED_PRIORITY_NORMAL : 3) != 0;
	tap_is(wrong, 0, "a user may change queues of his own as often as he likes");
	tap_is(op_as(ALICE, alice, OP(SUSPEND), &runs, 0), -EBUSY, "but it counts: he may not hold");
}

/* By a client that had taken before there was a limit. */
static void test_giving_back(int taker)
{
	make_debt();
	tap_is(op_as(ALICE, taker, OP(SET_PRIORITY), &held, 1), -EBUSY, "another priority is refused");
	tap_is(op_as(ALICE, taker, OP(SET_PRIORITY), &held, APP), 0, "a priority is given back");
	tap_is(op_as(ALICE, taker, OP(RESUME), &held, 0), 0, "a hold is given back");
	tap_is(worker_submit(&held, 0, &brief, 1) ? : worker_wait(&held, 0, 20000), 0,
	       "what was held runs");
	make_debt();
	tap_is(op_as(ALICE, alice, OP(SUSPEND), &held, 0), -EBUSY, "to hold it again is refused");
}

/* What counted is forgotten with the rate. */
static void test_without_limit(void)
{
	unsigned int i, wrong = 0;

	set("user_rate", 0);
	for (i = 0; i < 2 * BURST; i++)
		wrong += op_as(ALICE, alice, OP(SET_PRIORITY), &runs, i & 1) != 0;
	tap_is(wrong, 0, "without a limit nothing is refused");
	tap_is(op_as(ALICE, alice, OP(SUSPEND), &runs, 0), 0, "nor is a hold");
	tap_is(op_as(ALICE, alice, OP(RESUME), &runs, 0), 0, "it is released");
}

int main(void)
{
	struct kfd_xsched_node node;
	int taker;

	root = users_open(0);
	if (xsdev_node(root, &node))
		tap_bail("no node");
	if (!xsdev_can(root, KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_PRIORITY)) {
		tap_skip("the node has no priorities", "rates");
		return tap_done();
	}
	snprintf(directory, sizeof(directory), "/sys/class/kfd_xsched/node%u/", node.gpu_id);
	tap_is(sysfile_number("%s.defaults/user_rate", directory), 1000, "a user has a rate by default");
	tap_is(sysfile_number("%s.defaults/admin_rate", directory), 0, "root has none");
	users_admit(true);
	must_start(&runs, 1, &alice_ids);
	must_start(&held, 1, &alice_ids);
	must_start(&comes, 1, &alice_ids);
	must_start(&of_bob, 1, &bob_ids);
	alice = users_open(ALICE);
	taker = users_open(ALICE);
	bob = users_open(BOB);
	tap_is(op_as(ALICE, taker, OP(SUSPEND), &held, 0), 0, "a user holds an own process");
	tap_is(op_as(ALICE, taker, OP(SET_PRIORITY), &held, 3), 0, "and gives it a priority");
	if (worker_load_start(&runs, &brief, 0))
		tap_bail("no load");
	set("user_burst", BURST);
	set("user_rate", 1);
	test_toggle();
	test_others();
	test_change();
	test_giving_back(taker);
	test_without_limit();
	close(alice);
	tap_is(worker_load_stop(&runs), 0, "the load ends");
	tap_ok(worker_clean(&runs) && worker_clean(&held), "every dispatch executed once and in order");
	worker_stop(&runs);
	worker_stop(&held);
	worker_stop(&comes);
	worker_stop(&of_bob);
	users_admit(false);
	return tap_done();
}
