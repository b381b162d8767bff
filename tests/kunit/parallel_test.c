// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes that switch at the same time, and one that does not answer: which calls
 * wait for it, and which do not.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>

#include "front/client.h"
#include "switch/switch.h"
#include "watched.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS

/* Long enough for what would not wait. */
#define WHILE_MS	60

static struct xs_hw_node *other;	/* a second node */
static struct xs_hw_queue *there;	/* a queue on it, of xt.process */
static u64 there_id;

static int init(struct kunit *test)
{
	const int ret = xt_init(test);
	struct xt *xt = test->priv;

	if (ret)
		return ret;
	other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	there = fake_queue_add(test, xt->process, other);
	KUNIT_ASSERT_NOT_NULL(test, there);
	there_id = xt->ids[2] + 1;
	return 0;
}

/* A hold of xt.process that hangs on its first node, until fake_answer(). */
static void start_hold(struct kunit *test, struct xt_call *call)
{
	struct xt *xt = test->priv;

	fake_hang(xt->node);
	xt_start_do(test, call, xt->files[0], OP(SUSPEND), PROCESS, xt->process->nr);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
}

/* A process on three nodes: each begins before the others have ended. */
static void nodes_switch_at_once(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *third = fake_node_add(test, XT_GPU + 2, FAKE_CAPS);
	struct xt_call call;

	fake_queue_add(test, xt->process, third);
	fake_hang(xt->node);
	fake_hang(other);
	fake_hang(third);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), PROCESS, xt->process->nr);
	KUNIT_EXPECT_TRUE(test, xt_entered(xt->node));
	KUNIT_EXPECT_TRUE(test, xt_entered(other));
	KUNIT_EXPECT_TRUE(test, xt_entered(third));
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&call, WHILE_MS));
	fake_answer(third, 0);
	fake_answer(other, 0);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&call, WHILE_MS));
	/* What is done there is in force, though the call is not over. */
	KUNIT_EXPECT_TRUE(test, xt_describe(test, xt->files[0], there_id).state &
			  KFD_XSCHED_QUEUE_MINE);
	KUNIT_EXPECT_FALSE(test, xt_describe(test, xt->files[0], xt->ids[0]).state &
			   KFD_XSCHED_QUEUE_MINE);
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held && there->held);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new);
}

/* A node hangs, then fails: the other keeps what was done, the rule is not in force. */
static void one_hangs_and_fails(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call call;

	fake_hang(xt->node);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), PROCESS, xt->process->nr);
	KUNIT_EXPECT_TRUE(test, xt_entered(xt->node));
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new);
	fake_answer(xt->node, -ETIME);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -ETIME);
	xt->node->fail = 0;
	KUNIT_EXPECT_TRUE(test, there->held);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_FALSE(test, xt->process->hold_new);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], xt->ids[0]).holders, 0);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], there_id).holders, 1);
}

/* While a node hangs everything that does not name its queues goes on. */
static void hung_node_holds_up_nobody_else(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *process;
	struct file *b = xt_open(test);
	struct xs_hw_queue *queue;
	struct xt_call call;

	fake_hang(xt->node);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));

	/* The same client on the other node, another client there, and the lists. */
	KUNIT_EXPECT_EQ(test, xt_suspend(test, xt->files[0], there_id), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, there_id), 0);
	KUNIT_EXPECT_EQ(test, xt_list(test, b), 4);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, b, KFD_XSCHED_EVENT_BIT(
						   KFD_XSCHED_EVENT_QUEUE_ADD), 0, 0), 0);
	/* Queues come and go, and on the hung node go those that are not in flight. */
	queue = fake_queue_add(test, xt->process, other);
	KUNIT_EXPECT_NOT_NULL(test, queue);
	fake_queue_remove(queue);
	fake_queue_remove(xt->queues[2]);
	KUNIT_EXPECT_NOT_NULL(test, fake_queue_add(test, xt->process, xt->node));
	process = fake_process_add(test, XT_UID);
	fake_queue_add(test, process, other);
	fake_process_exit(process);
	/* A client goes that has nothing there. */
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], there_id).holders, 1);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&call, 0));

	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
}

/* A client goes while a node hangs: what it held on the other runs at once. */
static void close_while_one_hangs(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct xt_call call, closing;

	xt_suspend(test, b, xt->ids[1]);
	xt_suspend(test, b, there_id);
	fake_hang(xt->node);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_start_close(test, &closing, b);
	xt_expect_held(test, there, false);
	KUNIT_EXPECT_TRUE(test, xt->queues[1]->held);
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	xt_call_wait(test, &closing);
	xt_expect_held(test, xt->queues[1], false);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
}

static void remove_queue(void *data)
{
	fake_queue_remove(data);
}

/* The removal of a queue in flight waits for its node, and for no other. */
static void removal_waits_for_its_node(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call call, removal;

	fake_hang(xt->node);
	fake_hang(other);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), PROCESS, xt->process->nr);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node) && xt_entered(other));
	xt_start_fn(test, &removal, remove_queue, xt->queues[1]);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&removal, WHILE_MS));
	fake_answer(xt->node, 0);
	xt_call_wait(test, &removal);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&call, 0));
	fake_answer(other, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 3);
}

/* A queue goes after its part is done and before the call is over: ESRCH. */
static void queue_goes_between_the_parts(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0),
		XT_ENTRY(SUSPEND, QUEUE, there_id, 0),
	};
	const struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.count = 2,
		.stride = sizeof(entries[0]),
		.entries = xt_put(test, entries, sizeof(entries)),
	};
	struct xt_call call = {
		.file = xt->files[0],
		.cmd = KFD_XSCHED_APPLY,
		.address = xt_put(test, &arg, sizeof(arg)),
	};

	fake_hang(other);
	xt_call_start(test, &call);
	KUNIT_ASSERT_TRUE(test, xt_entered(other));
	while (!READ_ONCE(xt->queues[0]->held))
		msleep(1);
	fake_queue_remove(xt->queues[0]);
	fake_answer(other, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	xt_get(test, xt->entries, arg.entries, sizeof(entries));
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -ESRCH);
	KUNIT_EXPECT_EQ(test, xt->entries[1].status, 0);
}

/* A process exits before the call on it is over: ESRCH, and nothing is left. */
static void process_goes_between_the_parts(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call call;

	fake_hang(other);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), PROCESS, xt->process->nr);
	KUNIT_ASSERT_TRUE(test, xt_entered(other));
	xs_process_exited(xt->process);
	xt->process->exited = true;
	fake_answer(other, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -ESRCH);
	xt->process->exited = false;
	fake_process_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 0);
}

/* Two calls of one client on one queue: the second waits, and has its say. */
static void second_call_waits(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call first, second;

	fake_hang(xt->node);
	xt_start_do(test, &first, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_start_do(test, &second, xt->files[0], OP(RESUME), QUEUE, xt->ids[0]);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&second, WHILE_MS));
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &first), 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &second), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 2);
}

/* The first fails: what the second asks for is judged by what became of it. */
static void second_call_sees_the_failure(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call first, second;

	fake_hang(xt->node);
	xt_start_do(test, &first, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_start_do(test, &second, xt->files[0], OP(RESUME), QUEUE, xt->ids[0]);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&second, WHILE_MS));
	fake_answer(xt->node, -EIO);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &first), -EIO);
	xt->node->fail = 0;
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &second), -EALREADY);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
}

/* Two clients on one queue: the second's hold survives the first's failure. */
static void clients_do_not_share_failures(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct xt_call first, second;

	fake_hang(xt->node);
	xt_start_do(test, &first, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_start_do(test, &second, b, OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&second, WHILE_MS));
	/* The fake reads the error as it wakes; the second must not see it. */
	fake_answer(xt->node, -EIO);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &first), -EIO);
	xt->node->fail = 0;
	if (xt_call_wait(test, &second))
		KUNIT_EXPECT_EQ(test, xt_suspend(test, b, xt->ids[0]), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, xt_describe(test, b, xt->ids[0]).holders, 1);
	KUNIT_EXPECT_EQ(test, xt_resume(test, xt->files[0], xt->ids[0]), -EALREADY);
	KUNIT_EXPECT_EQ(test, xt_resume(test, b, xt->ids[0]), 0);
}

/* A bad call that stages something for a queue and then gives up. */
static long give_up(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], 3),
		XT_ENTRY(SUSPEND, QUEUE, 0, 0),
	};

	return xt_apply(test, xt->files[0], entries, 2);
}

/* A client drops its hold while another's hold of the queue is on its way. */
static void request_dropped_in_flight(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct xt_call call, closing;

	fake_hang(xt->node);
	xt_start_do(test, &call, b, OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	KUNIT_EXPECT_EQ(test, give_up(test), -ENOENT);
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);

	fake_hang(xt->node);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[1]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_start_close(test, &closing, b);
	xt_expect_close_waits(test, &closing);
	fake_answer(xt->node, 0);
	xt_call_wait(test, &call);
	xt_call_wait(test, &closing);
	xt_expect_held(test, xt->queues[0], false);
}

/* The same for the hold that is on its way itself, and a call that gives up. */
static void dropped_and_given_up_in_flight(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct xt_call closing;

	fake_hang(xt->node);
	KUNIT_EXPECT_EQ(test, xt_async(test, b, OP(SUSPEND), QUEUE, xt->ids[0], 1), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_start_close(test, &closing, b);
	xt_expect_close_waits(test, &closing);
	KUNIT_EXPECT_EQ(test, give_up(test), -ENOENT);
	fake_answer(xt->node, 0);
	xt_call_wait(test, &closing);
	xt_expect_held(test, xt->queues[0], false);
}

/* A queue comes to a node while the hold of its process is on its way: it is held with it. */
static void is_born_held(struct kunit *test, struct xs_hw_node *node)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue;
	struct xt_call call;

	start_hold(test, &call);
	queue = fake_queue_add(test, xt->process, node);
	KUNIT_ASSERT_NOT_NULL(test, queue);
	KUNIT_EXPECT_TRUE(test, queue->held);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&call, 0));
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	KUNIT_EXPECT_TRUE(test, queue->held);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], there_id + 1).holders, 1);
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[0], OP(RESUME), PROCESS,
				    xt->process->nr, 0), 0);
	KUNIT_EXPECT_FALSE(test, queue->held);
}

/* Where the process has queues: theirs is done. */
static void born_during_a_hold(struct kunit *test)
{
	is_born_held(test, other);
}

/* Where it had none: as its other nodes will do. */
static void born_elsewhere_during_a_hold(struct kunit *test)
{
	is_born_held(test, fake_node_add(test, XT_GPU + 2, FAKE_CAPS));
}

static struct xs_hw_queue *born;

static void bear(void *data)
{
	struct kunit *test = data;
	struct xt *xt = test->priv;

	born = fake_queue_add(test, xt->process, xt->node);
}

struct staging {
	struct kunit *test;
	struct xs_hw_node *node;
	struct xs_item item;
	unsigned int slices;
	struct completion begun;
};

static void bear_during_staging(void *data)
{
	struct staging *staging = data;
	struct xt *xt = staging->test->priv;

	wait_for_completion(&staging->begun);
	born = fake_queue_add(staging->test, xt->process, staging->node);
}

/* As each slice but the last ends, the queue waits for the lock: first it lacks a request. */
static int stage_in_slices(struct xs_batch *batch, void *arg)
{
	struct staging *staging = arg;
	int ret;

	if (!staging->slices) {
		ret = xs_stage_item_locked(batch, &staging->item);
		if (ret)
			return ret;
		complete(&staging->begun);
	}
	if (++staging->slices > 2)
		return 0;
	msleep(1);
	return -EINPROGRESS;
}

/* It comes to a node where the process had none while the hold is staged, and is held, too. */
static void born_between_slices(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_client *client = xt->files[0]->private_data;
	struct kfd_xsched_entry entry = XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0);
	struct staging staging = { .test = test, .item.entry = &entry };
	struct xs_batch *batch = xs_batch_new(&client->holder, GFP_KERNEL);
	struct xt_call birth;

	KUNIT_ASSERT_NOT_NULL(test, batch);
	born = NULL;
	staging.node = fake_node_add(test, XT_GPU + 2, FAKE_CAPS);
	init_completion(&staging.begun);
	xt_start_fn(test, &birth, bear_during_staging, &staging);
	KUNIT_EXPECT_EQ(test, xs_batch_stage_and_start(batch, stage_in_slices, &staging), 0);
	KUNIT_EXPECT_EQ(test, xs_batch_finish(batch), 0);
	xt_call_wait(test, &birth);
	KUNIT_ASSERT_NOT_NULL(test, born);
	KUNIT_EXPECT_TRUE(test, born->held);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	xs_batch_free(batch);
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[0], OP(RESUME), PROCESS,
				    xt->process->nr, 0), 0);
	KUNIT_EXPECT_FALSE(test, born->held);
}

/* It had none there, and the hold fails: nobody would ever release it, so it runs. */
static void born_elsewhere_during_a_hold_that_fails(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *third = fake_node_add(test, XT_GPU + 2, FAKE_CAPS);
	struct xs_hw_queue *queue;
	struct xt_call call;

	start_hold(test, &call);
	queue = fake_queue_add(test, xt->process, third);
	KUNIT_ASSERT_NOT_NULL(test, queue);
	fake_answer(xt->node, -EIO);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -EIO);
	xt->node->fail = 0;
	xt_expect_held(test, queue, false);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], there_id + 1).holders, 0);
	KUNIT_EXPECT_TRUE(test, there->held);
}

/* It comes to a node where the hold is in force, though another failed: it is held, too. */
static void born_beside_a_hold_that_fails(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue;
	struct xt_call call;

	start_hold(test, &call);
	queue = fake_queue_add(test, xt->process, other);
	KUNIT_ASSERT_NOT_NULL(test, queue);
	fake_answer(xt->node, -EIO);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -EIO);
	xt->node->fail = 0;
	KUNIT_EXPECT_TRUE(test, there->held);
	KUNIT_EXPECT_TRUE(test, queue->held);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], there_id + 1).holders, 1);
	xt_expect_held(test, xt->queues[0], false);
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[0], OP(RESUME), PROCESS,
				    xt->process->nr, 0), 0);
	KUNIT_EXPECT_FALSE(test, there->held);
	KUNIT_EXPECT_FALSE(test, queue->held);
}

/* Born held there before the hold has failed for all: nobody holds it, so it runs. */
static void born_during_a_hold_that_fails(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call call, birth;

	start_hold(test, &call);
	born = NULL;
	xt_start_fn(test, &birth, bear, test);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&birth, WHILE_MS));
	fake_answer(xt->node, -EIO);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -EIO);
	xt_call_wait(test, &birth);
	KUNIT_ASSERT_NOT_NULL(test, born);
	xt->node->fail = 0;
	xt_expect_held(test, born, false);
	xt_expect_held(test, xt->queues[0], false);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], there_id + 1).holders, 0);
}

/* One of its queues is named while a client's hold of the process is on its way: in turn. */
static void queue_behind_its_process(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call whole, one;

	start_hold(test, &whole);
	xt_start_do(test, &one, xt->files[0], OP(RESUME), QUEUE, xt->ids[0]);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&one, WHILE_MS));
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &whole), 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &one), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_TRUE(test, xt->queues[1]->held);
}

/*
 * A priority is given back, which fails, and meanwhile a queue came that had nothing
 * to give back, beside one that has no priority: it gets that which stays in force.
 */
static void born_while_a_priority_stays(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *process = fake_process_add(test, XT_UID);
	const struct xs_hw_queue_desc sdma = {
		.node = xt->node,
		.process = process,
		.type = KFD_XSCHED_QUEUE_SDMA,
	};
	struct file *a = xt->files[0];
	struct kfd_xsched_entry entry;
	struct xs_hw_queue *queue;
	struct xt_call call;
	long tenant;

	fake_queue_add_desc(test, &sdma);
	queue = fake_queue_add(test, process, xt->node);
	tenant = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);
	xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, tenant, process->nr);
	xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, tenant, xt->process->nr);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), KFD_XSCHED_TARGET_TENANT, tenant,
				    3), 0);
	KUNIT_EXPECT_EQ(test, queue->override, 3);
	fake_queue_remove(queue);
	fake_hang(xt->node);
	entry = (struct kfd_xsched_entry)
		XT_ENTRY(SET_PRIORITY, TENANT, tenant, KFD_XSCHED_PRIORITY_APP);
	xt_start_entry(test, &call, a, &entry);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	queue = fake_queue_add(test, process, xt->node);
	fake_answer(xt->node, -EIO);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -EIO);
	xt->node->fail = 0;
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(queue->override) == 3));
}

/* A queue that came like that goes before the call is over. */
static void born_and_gone_during_a_hold(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call call;

	start_hold(test, &call);
	fake_queue_remove(fake_queue_add(test, xt->process, other));
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 4);
}

static void remove_node(void *data)
{
	fake_queue_remove(there);
	fake_node_remove(data);
}

/* A node goes with a call in flight there and one queued: both end, then it goes. */
static void node_goes_under_calls(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct xt_call removal, both;

	fake_hang(other);
	KUNIT_EXPECT_EQ(test, xt_async(test, xt->files[0], OP(SUSPEND), QUEUE, there_id, 1), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(other));
	KUNIT_EXPECT_EQ(test, xt_async(test, b, OP(SUSPEND), QUEUE, there_id, 2), 0);
	xt_start_do(test, &both, b, OP(SUSPEND), PROCESS, xt->process->nr);
	xt_start_fn(test, &removal, remove_node, other);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&removal, WHILE_MS));
	fake_answer(other, 0);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, xt->files[0]).id, 1);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, b).id, 2);
	xt_call_wait(test, &both);
	xt_call_wait(test, &removal);
	KUNIT_EXPECT_EQ(test, xt_list(test, b), 3);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
}

/* The core goes down with what is left of a closed client on its way. */
static void stops_after_calls(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct xt_call closing;

	fake_hang(xt->node);
	fake_hang(other);
	KUNIT_EXPECT_EQ(test, xt_async(test, b, OP(SUSPEND), PROCESS, xt->process->nr, 1), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node) && xt_entered(other));
	KUNIT_EXPECT_EQ(test, xt_async(test, xt->files[0], OP(SUSPEND), QUEUE,
				       xt->ids[0], 2), 0);
	xt_start_close(test, &closing, b);
	xt_expect_close_waits(test, &closing);
	fake_answer(xt->node, -EIO);
	fake_answer(other, 0);
	xt_call_wait(test, &closing);
	xt->node->fail = 0;
	xt_expect_held(test, there, false);
	KUNIT_EXPECT_FALSE(test, xt->process->hold_new);
	/* The rest is for xt_exit(), and for kmemleak. */
}

/**
 * struct churn - two threads that do the same to the same queues
 * @test: of which they are
 * @file: whose client, or NULL: one of its own each time
 * @bad: answers that nothing explains
 */
struct churn {
	struct kunit *test;
	struct file *file;
	unsigned int bad;
};

static bool explained(int ret)
{
	return !ret || ret == -EALREADY || ret == -ESRCH;
}

static int apply_from_kernel(struct file *file, u32 op, u64 id)
{
	struct kfd_xsched_entry entry = {
		.op = op,
		.target = QUEUE,
		.id = id,
	};
	struct xs_client *client = file->private_data;

	return xs_apply_internal(&client->holder, &entry, 1);
}

static void churn(void *data)
{
	struct churn *churn = data;
	struct xt *xt = churn->test->priv;
	unsigned int i;

	for (i = 0; i < 300; i++) {
		struct file *file = churn->file ?: filp_open("/kfd_xsched", O_RDWR, 0);

		churn->bad += !explained(apply_from_kernel(file, OP(SUSPEND), xt->ids[i % 3]));
		churn->bad += !explained(apply_from_kernel(file, OP(SUSPEND), there_id));
		churn->bad += !explained(apply_from_kernel(file, OP(RESUME), xt->ids[i % 3]));
		if (!churn->file)
			__fput_sync(file);
	}
}

/* Threads that apply with one client, and others that open and close meanwhile. */
static void threads(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct churn churns[4] = {};
	struct xt_call calls[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		churns[i].test = test;
		churns[i].file = i < 2 ? xt->files[0] : NULL;
		xt_start_fn(test, &calls[i], churn, &churns[i]);
	}
	for (i = 0; i < 4; i++) {
		KUNIT_ASSERT_TRUE(test, xt_call_ended(&calls[i], 60000));
		KUNIT_EXPECT_EQ(test, churns[i].bad, 0);
	}
	KUNIT_EXPECT_LE(test, xt_describe(test, xt->files[0], there_id).holders, 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(nodes_switch_at_once),
	KUNIT_CASE(one_hangs_and_fails),
	KUNIT_CASE(hung_node_holds_up_nobody_else),
	KUNIT_CASE(close_while_one_hangs),
	KUNIT_CASE(removal_waits_for_its_node),
	KUNIT_CASE(queue_goes_between_the_parts),
	KUNIT_CASE(process_goes_between_the_parts),
	KUNIT_CASE(second_call_waits),
	KUNIT_CASE(second_call_sees_the_failure),
	KUNIT_CASE(clients_do_not_share_failures),
	KUNIT_CASE(request_dropped_in_flight),
	KUNIT_CASE(dropped_and_given_up_in_flight),
	KUNIT_CASE(born_during_a_hold),
	KUNIT_CASE(born_elsewhere_during_a_hold),
	KUNIT_CASE(born_between_slices),
	KUNIT_CASE(born_elsewhere_during_a_hold_that_fails),
	KUNIT_CASE(born_beside_a_hold_that_fails),
	KUNIT_CASE(born_during_a_hold_that_fails),
	KUNIT_CASE(queue_behind_its_process),
	KUNIT_CASE(born_while_a_priority_stays),
	KUNIT_CASE(born_and_gone_during_a_hold),
	KUNIT_CASE(node_goes_under_calls),
	KUNIT_CASE(stops_after_calls),
	KUNIT_CASE_SLOW(threads),
	{}
};

static struct kunit_suite suite = {
	.name = "parallel",
	.init = init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
