// SPDX-License-Identifier: MIT
/* Models on a queue of /dev/kfd, with synthetic kernels. */
#include <errno.h>
#include <stdlib.h>

#include "model.h"
#include "spin.h"

#define RING_PACKETS	512
#define WARM_MS		10000

/**
 * struct gpu - what such a model has
 * @dev: GPU
 * @queue: its only queue
 * @signals: one for each request in flight
 * @set: dispatches and their log
 */
struct gpu {
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	struct kfdq_signal *signals[MODEL_DEPTH];
	struct spin_set set;
};

/*
 * The first dispatch of a process costs it what it has not touched before, some 50 us: that is
 * no request's.
 */
static int warm_up(struct gpu *g)
{
	const struct spin_shape tiny = { 1, 64, 1000 };
	struct spin_set set;
	int ret = spin_set_init(&set, g->dev, 1, RING_PACKETS);

	if (!ret)
		ret = spin_submit(&set, g->queue, &tiny, 1, g->signals[0]);
	if (!ret)
		ret = kfdq_signal_wait(g->dev, g->signals[0], WARM_MS);
	spin_set_fini(&set);
	return ret;
}

static int open_gpu(struct model *m)
{
	struct kfdq_queue_options queue = KFDQ_QUEUE_DEFAULTS;
	struct gpu *g;
	unsigned int i;
	int ret;

	queue.packets = RING_PACKETS;
	if (m->kernels * MODEL_DEPTH > RING_PACKETS)
		return -E2BIG;
	m->gpu = g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	ret = kfdq_open(&g->dev);
	if (ret)
		return ret;
	for (i = 0; i < MODEL_DEPTH && !ret; i++)
		ret = kfdq_signal_create(g->dev, &g->signals[i]);
	if (!ret)
		ret = spin_set_init(&g->set, g->dev, m->capacity * m->kernels, RING_PACKETS);
	if (!ret)
		ret = kfdq_queue_create(g->dev, &queue, &g->queue);
	if (!ret)
		ret = warm_up(g);
	m->gpu_id = kfdq_gpu_id(g->dev);
	m->log = g->set.log;
	return ret;
}

static void close_gpu(struct model *m)
{
	struct gpu *g = m->gpu;

	if (!g)
		return;
	if (g->queue)
		kfdq_queue_destroy(g->queue);
	spin_set_fini(&g->set);
	kfdq_close(g->dev);
	free(g);
}

/* Packets of one request, the completion signal on the last. */
static int submit(struct model *m)
{
	struct gpu *g = m->gpu;
	struct kfdq_signal *signal = g->signals[m->submitted % MODEL_DEPTH];
	struct kfdq_dispatch batch[RING_PACKETS];
	const struct preset_stage *stage;
	uint32_t n = 0, k;
	int ret;

	for (stage = m->options->preset->stages; stage->kernels; stage++) {
		struct spin_shape shape = {
			stage->workgroups, stage->workgroup_size, stage->workgroup_ns
		};

		for (k = 0; k < stage->kernels; k++, n++) {
			ret = spin_next(&g->set, &shape, n == m->kernels - 1 ? signal : NULL,
					&batch[n]);
			if (ret)
				return ret;
		}
	}
	kfdq_signal_arm(signal, 1);
	return kfdq_queue_submit(g->queue, batch, n);
}

static int wait(struct model *m)
{
	struct gpu *g = m->gpu;

	return kfdq_signal_wait(g->dev, g->signals[m->completed % MODEL_DEPTH], -1);
}

const struct model_backend model_kfdq = {
	.open = open_gpu,
	.submit = submit,
	.wait = wait,
	.close = close_gpu,
};
