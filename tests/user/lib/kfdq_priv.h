/* SPDX-License-Identifier: MIT */
/* What the files of kfdq share among themselves. */
#ifndef KFDQ_PRIV_H
#define KFDQ_PRIV_H

#include "kfdq.h"

#define KFDQ_PAGE	4096UL

/**
 * struct kfdq_device - /dev/kfd and the render node of one GPU
 * @kfd: file descriptor of /dev/kfd
 * @drm: file descriptor of the render node; buffers are mapped through it
 * @node: number of the GPU in KFD's topology
 * @gpu_id: KFD's id of it
 * @doorbells: where the process's doorbells are mapped, or NULL before the first queue
 * @doorbells_size: bytes of that mapping
 * @signals: the signals, or zero before the first one
 * @event_page: mailboxes of the events, allocated with @signals
 * @first: whose mailboxes are used, or NULL: its own
 * @signal_count: signals taken
 * @event_ids: KFD's id of each signal's event
 */
struct kfdq_device {
	int kfd;
	int drm;
	int node;
	uint32_t gpu_id;
	void *doorbells;
	size_t doorbells_size;
	struct kfdq_buffer signals;
	struct kfdq_buffer event_page;
	struct kfdq_device *first;
	uint32_t signal_count;
	uint32_t event_ids[KFDQ_MAX_SIGNALS];
};

/* ioctl(2) on /dev/kfd, restarted when interrupted, with -errno for -1. */
int kfdq_ioctl(const struct kfdq_device *dev, unsigned long request, void *arg);

/*
 * The doorbell at an offset KFD gave for a queue. A process has one range of
 * doorbells; the first queue maps it.
 */
int kfdq_doorbell(struct kfdq_device *dev, uint64_t offset, volatile uint64_t **out);

/* Map a buffer of another GPU for this one, too. */
int kfdq_map(struct kfdq_device *dev, const struct kfdq_buffer *buf);

static inline size_t kfdq_align(size_t value, size_t to)
{
	return (value + to - 1) & ~(to - 1);
}

#endif /* KFDQ_PRIV_H */
