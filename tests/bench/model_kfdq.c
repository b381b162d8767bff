// SPDX-License-Identifier: MIT
/* Models on a queue of /dev/kfd, with synthetic kernels. */
#include <errno.h>
#include <stdlib.h>

#include "kfdq_fault.h"
#include "model.h"
#include "model_queue.h"
#include "peers/lv1.h"
#include "spin.h"

/* Length of the ring: that, or as long as what is in flight. */
#define RING_PACKETS	512
#define MOST_PACKETS	8192
#define WARM_MS		10000

static struct model_queue like = MODEL_QUEUE_DEFAULTS;

void model_kfdq_use(const struct model_queue *queue)
{
	like = *queue;
}

/**
 * struct gpu - what such a model has
 * @dev: GPU
 * @queue: its only queue
 * @signals: one for each request in flight
 * @packets: length of its ring
 * @batch: packets of a request
 * @set: dispatches and their log
 * @turns: where it says that it has work, if it does
 * @lv1: what launches, NULL: the model itself, as much as it has
 */
struct gpu {
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	struct kfdq_signal *signals[MODEL_DEPTH];
	uint32_t packets;
	struct kfdq_dispatch *batch;
	struct spin_set set;
	struct turns turns;
	struct lv1 *lv1;
};

/*
 * The first dispatch of a process costs it what it has not touched before, some 50 us: that is
 * no request's.
 */
static int warm_up(struct gpu *g)
{
	const struct spin_shape tiny = { 1, 64, 1000 };
	struct spin_set set;
	int ret = spin_set_init(&set, g->dev, 1, g->packets);

	if (!ret)
		ret = spin_submit(&set, g->queue, &tiny, 1, g->signals[0]);
	if (!ret)
		ret = kfdq_signal_wait(g->dev, g->signals[0], WARM_MS);
	spin_set_fini(&set);
	return ret;
}

static int create_queue(struct gpu *g)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	int ret;

	options.packets = g->packets;
	options.priority = like.priority;
	ret = kfdq_queue_create(g->dev, &options, &g->queue);
	if (!ret && like.cus)
		ret = kfdq_queue_set_cus(g->queue, like.first_cu, like.cus);
	return ret;
}

static int join(struct gpu *g)
{
	int ret = like.turns ? turns_join(&g->turns, like.turns, like.rank) : 0;

	return !ret && like.lv1 ? lv1_open(g->dev, g->queue, &g->turns, &g->lv1) : ret;
}

/* Room for all packets that there are at a time. */
static int choose_ring(const struct model *m, struct gpu *g)
{
	g->packets = RING_PACKETS;
	while (g->packets < (uint64_t)m->kernels * MODEL_DEPTH && g->packets < MOST_PACKETS)
		g->packets *= 2;
	if (g->packets < (uint64_t)m->kernels * MODEL_DEPTH)
		return -E2BIG;
	g->batch = calloc(m->kernels, sizeof(*g->batch));
	return g->batch ? 0 : -ENOMEM;
}

static int open_gpu(struct model *m)
{
	struct gpu *g;
	unsigned int i;
	int ret;

	m->gpu = g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	ret = choose_ring(m, g);
	if (!ret)
		ret = kfdq_open_gpu(like.gpu, &g->dev);
	if (ret)
		return ret;
	if (like.debuggable)
		ret = kfdq_exceptions_enable(g->dev);
	for (i = 0; i < MODEL_DEPTH && !ret; i++)
		ret = kfdq_signal_create(g->dev, &g->signals[i]);
	if (!ret)
		ret = spin_set_init(&g->set, g->dev, m->capacity * m->kernels, g->packets);
	if (!ret)
		ret = create_queue(g);
	if (!ret)
		ret = warm_up(g);
	if (!ret)
		ret = join(g);
	m->gpu_id = kfdq_gpu_id(g->dev);
	m->log = g->set.log;
	return ret;
}

static void close_gpu(struct model *m)
{
	struct gpu *g = m->gpu;

	if (!g)
		return;
	turns_leave(&g->turns);
	lv1_close(g->lv1);
	if (g->queue)
		kfdq_queue_destroy(g->queue);
	spin_set_fini(&g->set);
	kfdq_close(g->dev);
	free(g->batch);
	free(g);
}

/* Packets of one request, the completion signal on the last. */
static int submit(struct model *m)
{
	struct gpu *g = m->gpu;
	struct kfdq_signal *signal = g->signals[m->submitted % MODEL_DEPTH];
	const struct preset_stage *stage;
	uint32_t n = 0, k;
	int ret;

	for (stage = m->options->preset->stages; stage->kernels; stage++) {
		struct spin_shape shape = {
			stage->workgroups, stage->workgroup_size, stage->workgroup_ns
		};

		for (k = 0; k < stage->kernels; k++, n++) {
			ret = spin_next(&g->set, &shape, n == m->kernels - 1 ? signal : NULL,
					&g->batch[n]);
			if (ret)
				return ret;
		}
	}
	kfdq_signal_arm(signal, 1);
	if (g->lv1)
		return lv1_submit(g->lv1, g->batch, n);
	if (g->turns.page)
		turns_say(&g->turns, true);
	ret = kfdq_queue_write(g->queue, g->batch, n);
	if (ret)
		return ret;
	m->requests[m->submitted].rung_ns = model_now();
	kfdq_queue_ring(g->queue, n);
	return 0;
}

static int wait(struct model *m)
{
	struct gpu *g = m->gpu;
	int ret;

	if (g->lv1)
		return lv1_wait(g->lv1, (m->completed + 1) * m->kernels);
	ret = kfdq_signal_wait(g->dev, g->signals[m->completed % MODEL_DEPTH], -1);
	if (!ret && g->turns.page && m->completed + 1 == m->submitted)
		turns_say(&g->turns, false);
	return ret;
}

const struct model_backend model_kfdq = {
	.open = open_gpu,
	.submit = submit,
	.wait = wait,
	.close = close_gpu,
};
