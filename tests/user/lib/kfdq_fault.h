/* SPDX-License-Identifier: MIT */
/*
 * Exceptions: KFD's reports to a process about a bad address on the GPU, about the GPU's reset
 * and, if enabled, about packets that its queues refuse.
 */
#ifndef KFDQ_FAULT_H
#define KFDQ_FAULT_H

#include "kfdq.h"

/**
 * struct kfdq_fault - a memory exception
 * @va: address, page-aligned
 * @gpu_id: of the GPU
 * @not_present: there is nothing at that address
 * @read_only: it was written, and may not be
 */
struct kfdq_fault {
	uint64_t va;
	uint32_t gpu_id;
	bool not_present;
	bool read_only;
};

/* Have KFD keep the process's exceptions from now on; @event names them. */
int kfdq_fault_watch(struct kfdq_device *dev, uint32_t *event);

/* Block until there is one: -ETIME after @timeout_ms. */
int kfdq_fault_wait(struct kfdq_device *dev, uint32_t event, uint32_t timeout_ms,
		    struct kfdq_fault *out);

/* Have KFD keep what it reports of resets, of all GPUs, from now on; @event names them. */
int kfdq_reset_watch(struct kfdq_device *dev, uint32_t *event);

/* Block until a GPU was reset, and its memory lost: -ETIME after @timeout_ms. */
int kfdq_reset_wait(struct kfdq_device *dev, uint32_t event, uint32_t timeout_ms,
		    uint32_t *gpu_id);

/* Codes of packet exceptions, as bits 1 << (code - 1) of the payload: KFD's EC_QUEUE_PACKET_*. */
enum kfdq_packet_exception {
	KFDQ_PACKET_DIMENSIONS = 16,
	KFDQ_PACKET_CODE = 18,
	KFDQ_PACKET_UNSUPPORTED = 20,
	KFDQ_PACKET_VENDOR = 23,
};

/* AMDKFD_IOC_RUNTIME_ENABLE; before the first queue. */
int kfdq_exceptions_enable(struct kfdq_device *dev);

/* From now on, exceptions of the queue are added to *@payload, and the event of @sig is set. */
void kfdq_exceptions_watch(struct kfdq_queue *queue, uint64_t *payload,
			   const struct kfdq_signal *sig);

#endif /* KFDQ_FAULT_H */
