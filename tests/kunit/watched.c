// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues with indices in user memory. See watched.h.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "model/queue.h"
#include "watched.h"

void xt_set_indices(struct kunit *test, const struct xt_watched *w, u64 read, u64 write)
{
	const u64 indices[2] = { read, write };

	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)w->indices, indices,
					   sizeof(indices)), 0);
}

unsigned long xt_unreadable_page(struct kunit *test)
{
	unsigned long page = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_NE(test, page, 0);
	return page;
}

static struct xt_watched add(struct kunit *test, struct xs_hw_process *process,
			     struct xs_hw_node *node, unsigned long indices)
{
	struct xt *xt = test->priv;
	struct xt_watched w = { .indices = indices };
	const struct xs_hw_queue_desc desc = {
		.node = node,
		.process = process,
		.indices_count_packets = true,
		.indices_show_idle = true,
		.read_index = (u64 __user *)indices,
		.write_index = (u64 __user *)(indices + 8),
	};
	u32 count;

	w.queue = fake_queue_add_desc(test, &desc);
	KUNIT_ASSERT_NOT_NULL(test, w.queue);
	count = xt_list(test, xt->files[0]);
	KUNIT_ASSERT_GT(test, count, 0);
	w.id = xt->list[count - 1].id;
	return w;
}

struct xt_watched xt_add_watched_on(struct kunit *test, struct xs_hw_process *process,
				    struct xs_hw_node *node, u64 packets)
{
	const struct xt_watched place = { .indices = xt_alloc(test, 16) };

	xt_set_indices(test, &place, 0, packets);
	return add(test, process, node, place.indices);
}

struct xt_watched xt_add_watched(struct kunit *test, u64 packets)
{
	struct xt *xt = test->priv;

	return xt_add_watched_on(test, xt->process, xt->node, packets);
}

struct xt_watched xt_add_ready(struct kunit *test, u32 period_us)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_watched(test, 1);

	xt_subscribe(test, xt->files[0], XT_ACTIVITY, period_us, 0);
	xt_expect_event(test, xt->files[0], &w, XT_READY);
	return w;
}

struct xt_watched xt_add_watched_at(struct kunit *test, unsigned long indices)
{
	struct xt *xt = test->priv;

	return add(test, xt->process, xt->node, indices);
}

void xt_expect_event(struct kunit *test, struct file *file,
		     const struct xt_watched *w, u32 type)
{
	const struct kfd_xsched_event event = xt_wait_event(test, file);

	KUNIT_EXPECT_EQ(test, event.type, type);
	KUNIT_EXPECT_EQ(test, event.id, w->id);
}

void xt_expect_silence(struct kunit *test, struct file *file)
{
	msleep(30);
	KUNIT_EXPECT_EQ(test, xt_read(test, file), -EAGAIN);
}

static enum xs_activity activity_of(const struct xt_watched *w)
{
	enum xs_activity activity;

	scoped_guard(rt_mutex, &xs_lock)
		activity = xs_queue_find_locked(w->id)->watch.activity;
	return activity;
}

void xt_expect_look(struct kunit *test, const struct xt_watched *w)
{
	KUNIT_EXPECT_TRUE(test, xt_comes(activity_of(w) == XS_ACTIVITY_IDLE));
}

static bool is_watched(struct kunit *test, struct file *file, const struct xt_watched *w)
{
	return xt_describe(test, file, w->id).state & KFD_XSCHED_QUEUE_WATCHED;
}

void xt_expect_watched(struct kunit *test, struct file *file, const struct xt_watched *w,
		       bool watched)
{
	KUNIT_EXPECT_TRUE(test, xt_comes(is_watched(test, file, w) == watched));
}

void xt_expect_held(struct kunit *test, const struct xs_hw_queue *queue, bool held)
{
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(queue->held) == held));
}
