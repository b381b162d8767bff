// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dump of all there is: complete, and of one moment, whatever goes on.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mmu_context.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "files.h"
#include "harness.h"
#include "core.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS

/* Dumps under load: so many at least, and at most. */
#define DUMPS		100
#define MOST_DUMPS	2000

static const char *state(struct kunit *test)
{
	const char *text = xt_read_in(test, "debugfs", "kfd_xsched/state");

	KUNIT_ASSERT_NOT_NULL(test, text);
	return text;
}

static void __printf(4, 5) expect(struct kunit *test, const char *text,
				  unsigned int times, const char *format, ...)
{
	char wanted[160];
	va_list args;

	va_start(args, format);
	vsnprintf(wanted, sizeof(wanted), format, args);
	va_end(args);
	if (xt_count(text, wanted) != times)
		KUNIT_FAIL(test, "%u times \"%s\", not %u, in:\n%s",
			   xt_count(text, wanted), wanted, times, text);
}

/* Everything that exists has its line. */
static void everything(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct kfd_xsched_tenant tenant = {
		.size = sizeof(tenant),
		.op = KFD_XSCHED_TENANT_CREATE,
	};
	const char *text;

	xt_subscribe(test, b, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD), 0, 0);
	fake_queue_add(test, xt->process, xt->node);
	xt_suspend(test, xt->files[0], xt->ids[0]);
	xt_do(test, b, OP(SUSPEND), PROCESS, xt->process->nr, 0);
	xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[1], 3);
	xt_ioctl_arg(test, b, KFD_XSCHED_TENANT, &tenant, sizeof(tenant));
	text = state(test);
	expect(test, text, 1, "abi=%d enabled=1 watchdog_ms=%u armed=1 ", KFD_XSCHED_ABI_VERSION,
	       XS_WATCHDOG_MS_MAX);
	expect(test, text, 1, "\nactivity: sampled=0 tapped=0 rings=");
	expect(test, text, 1, "node %u: backend=hws caps=%#x max_grace_us=120 default_grace_us=30 queues=4 ",
	       XT_GPU, FAKE_CAPS);
	expect(test, text, 1, "\n  queue %llu: pid=%d queue_id=0 type=compute applied=held ",
	       xt->ids[0], xt->process->nr);
	expect(test, text, 4, " applied=held ");
	expect(test, text, 1, " priority=3 class=3 override=3/1 ");
	expect(test, text, 5, "    request ");
	expect(test, text, 1, "\nsysfs:\n");
	expect(test, text, 2, "comm=%s state=active ", current->group_leader->comm);
	expect(test, text, 1, " events=0x1 sample_us=0 settle_us=0 unread=1 lost=0\n");
	/* Under queues, under clients, and one on a process. */
	expect(test, text, 11, " now=held/");
	expect(test, text, 1, "\n  process %d: tenant=0 now=held/-1/1\n", xt->process->nr);
	expect(test, text, 1, "\n  tenant 1: processes=0 now=free/-1/1\n");
	KUNIT_EXPECT_STREQ(test, text + strlen(text) - 5, "\nend\n");
}

/* The last number after the word, which is not less than that, nor more than has passed. */
static void expect_ms(struct kunit *test, const char *text, const char *word, u64 least, u64 most)
{
	const char *at = NULL, *next = text;
	u64 ms;

	while ((next = strstr(next, word)))
		at = next++;
	KUNIT_ASSERT_NOT_NULL(test, at);
	KUNIT_ASSERT_EQ(test, sscanf(at + strlen(word), "%llu", &ms), 1);
	KUNIT_EXPECT_GE(test, ms, least);
	KUNIT_EXPECT_LE(test, ms, most);
}

/* Holders, their holds and times; ejected clients, with the reason. */
static void clients(struct kunit *test)
{
	const ktime_t begin = ktime_get();
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct kfd_xsched_renew arg = { .size = sizeof(arg) };
	const char *text;
	unsigned int i;
	u64 most;

	xt_ioctl_arg(test, b, KFD_XSCHED_RENEW, &arg, sizeof(arg));
	xt_suspend(test, b, xt->ids[2]);
	msleep(110);
	text = xt_read_in(test, "debugfs", "kfd_xsched/clients");
	most = ktime_ms_delta(ktime_get(), begin);
	expect(test, text, 1, "client %llu: pid=%d uid=0 comm=%s state=active opened_ms=",
	       arg.client, task_tgid_nr(current), current->group_leader->comm);
	expect_ms(test, text, " opened_ms=", 110, most);
	expect(test, text, 1, "\n  queue %llu: pid=%d queue_id=2 now=held/-1/1 held_ms=",
	       xt->ids[2], xt->process->nr);
	expect_ms(test, text, " held_ms=", 110, most);
	/* A queue that was reset is not one that it holds. */
	xt_suspend(test, b, xt->ids[1]);
	xt->queues[1]->ret = -EACCES;
	xt_do(test, xt->files[0], OP(SET_PRIORITY), QUEUE, xt->ids[1], 3);
	xs_eject_number(arg.client);
	text = xt_read_in(test, "debugfs", "kfd_xsched/clients");
	expect(test, text, 1, "client %llu: pid=%d uid=0 comm=%s state=admin ", arg.client,
	       task_tgid_nr(current), current->group_leader->comm);
	expect(test, text, 0, "\n  queue ");
	xt_close(test, b);
	text = xt_read_in(test, "debugfs", "kfd_xsched/clients");
	expect(test, text, 0, "client %llu: ", arg.client);
	expect(test, text, 1, "ejected %llu: pid=%d uid=0 comm=%s reason=admin ago_ms=",
	       arg.client, task_tgid_nr(current), current->group_leader->comm);
	expect(test, text, 1, " held=1\n");
	/* The latest first, and not more than there is room for. */
	for (i = 0; i < XS_EJECTIONS + 3; i++) {
		b = xt_open(test);
		xt_ioctl_arg(test, b, KFD_XSCHED_RENEW, &arg, sizeof(arg));
		xs_eject_number(arg.client);
		xt_close(test, b);
	}
	text = xt_read_in(test, "debugfs", "kfd_xsched/clients");
	expect(test, text, XS_EJECTIONS, "ejected ");
	expect(test, strstr(text, "ejected"), 1, "ejected %llu: ", arg.client);
	KUNIT_EXPECT_NOT_NULL(test, strnstr(strstr(text, "ejected"), "held=0", 200));
}

/* Lines that begin with one word and have another. */
static unsigned int count_lines(const char *text, const char *begin, const char *has)
{
	unsigned int count = 0;

	for (; *text; text += strcspn(text, "\n"), text += !!*text) {
		if (str_has_prefix(text, begin) &&
		    strnstr(text, has, strcspn(text, "\n")))
			count++;
	}
	return count;
}

/*
 * As many queues as the node says it has, and each hold as often as it must be
 * there: counted with its queue, below it, and below its client. Returns how many.
 */
static unsigned int expect_consistent(struct kunit *test, const char *text)
{
	const char *at, *clients = strstr(text, "\nclient ");
	unsigned int queues, holders, sum = 0;

	KUNIT_ASSERT_NOT_NULL(test, clients);
	KUNIT_ASSERT_NOT_NULL(test, strstr(text, "\nend\n"));
	at = strstr(text, " queues=");
	KUNIT_ASSERT_NOT_NULL(test, at);
	KUNIT_ASSERT_EQ(test, sscanf(at, " queues=%u", &queues), 1);
	KUNIT_EXPECT_EQ(test, count_lines(text, "  queue ", " holders="), queues);
	for (at = text; (at = strstr(at, " holders=")); at++) {
		KUNIT_ASSERT_EQ(test, sscanf(at, " holders=%u", &holders), 1);
		sum += holders;
	}
	KUNIT_EXPECT_EQ(test, count_lines(text, "    request ", " now=held"), sum);
	KUNIT_EXPECT_EQ(test, count_lines(clients, "  queue ", " now=held"), sum);
	return sum;
}

/**
 * struct load - a thread that holds and releases, as fast as it can
 * @mm: address space of the test
 * @file: client
 * @hold: APPLY that holds, in user memory
 * @release: APPLY that releases
 */
struct load {
	struct mm_struct *mm;
	struct file *file;
	unsigned long hold;
	unsigned long release;
};

static unsigned long put_apply(struct kunit *test, u32 op)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entry = {
		.op = op,
		.target = PROCESS,
		.id = xt->process->nr,
	};
	const struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.count = 1,
		.stride = sizeof(entry),
		.entries = xt_put(test, &entry, sizeof(entry)),
	};

	return xt_put(test, &arg, sizeof(arg));
}

static int load_thread(void *data)
{
	struct load *load = data;

	kthread_use_mm(load->mm);
	while (!kthread_should_stop()) {
		xt_ioctl(load->file, KFD_XSCHED_APPLY, load->hold);
		xt_ioctl(load->file, KFD_XSCHED_APPLY, load->release);
		cond_resched();
	}
	kthread_unuse_mm(load->mm);
	return 0;
}

/* The thread may have to wait for its turn, or take that of others. */
static bool enough(const struct xs_hw_node *node, unsigned int dumps, unsigned int held)
{
	return dumps >= DUMPS && held > 10 && held < dumps && READ_ONCE(node->applies) > 100;
}

/* Dumps while queues come, go, are held and released. */
static void under_load(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct load load = {
		.mm = current->mm,
		.file = xt_open(test),
		.hold = put_apply(test, OP(SUSPEND)),
		.release = put_apply(test, OP(RESUME)),
	};
	struct task_struct *task = kthread_run(load_thread, &load, "xt-load");
	struct xs_hw_queue *queues[8] = {};
	unsigned int i, held = 0;
	const char *text;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	xt->node->switch_ms = 1;
	for (i = 0; i < MOST_DUMPS && !enough(xt->node, i, held); i++) {
		struct xs_hw_queue **queue = &queues[i % ARRAY_SIZE(queues)];

		if (*queue)
			fake_queue_remove(*queue);
		*queue = fake_queue_add(test, xt->process, xt->node);
		text = state(test);
		held += !!expect_consistent(test, text);
		kunit_kfree(test, text);
		usleep_range(100, 1000);
	}
	kthread_stop(task);
	KUNIT_EXPECT_TRUE(test, enough(xt->node, i, held));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(everything),
	KUNIT_CASE(clients),
	KUNIT_CASE_SLOW(under_load),
	{}
};

static struct kunit_suite suite = {
	.name = "debugfs",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
