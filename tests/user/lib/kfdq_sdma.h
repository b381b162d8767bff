/* SPDX-License-Identifier: MIT */
/*
 * SDMA queues of kfdq: rings of packets for the GPU's copy engines.
 *
 * Packets are put into the ring one after another, and nothing happens until
 * kfdq_sdma_ring(). One that does not fit is refused with -EAGAIN, and the ring
 * is as before: ring, wait for the read index, try again. Formats are those of
 * Linux' vega10_sdma_pkt_open.h.
 */
#ifndef KFDQ_SDMA_H
#define KFDQ_SDMA_H

#include "kfdq.h"

struct kfdq_sdma;

/** enum kfdq_sdma_kind - which engines serve a queue */
enum kfdq_sdma_kind {
	KFDQ_SDMA_PCIE,		/* those KFD keeps for transfers to the host */
	KFDQ_SDMA_XGMI,		/* the others */
};

/* Most bytes of one copy or fill packet; longer ones become several. */
#define KFDQ_SDMA_MAX_COPY	(1UL << 30)
#define KFDQ_SDMA_MAX_FILL	(1UL << 22)

/* Create a queue with a ring of @bytes, a power of two of at least a page. */
int kfdq_sdma_create(struct kfdq_device *dev, enum kfdq_sdma_kind kind, uint32_t bytes,
		     struct kfdq_sdma **out);

/* Destroy the queue, running or not, and free what belonged to it. */
int kfdq_sdma_destroy(struct kfdq_sdma *queue);

/* KFD's id of the queue, unique in this process. */
uint32_t kfdq_sdma_id(const struct kfdq_sdma *queue);

/* Bytes put into the ring so far, and how far the engine is. */
uint64_t kfdq_sdma_written(const struct kfdq_sdma *queue);
uint64_t kfdq_sdma_read(const struct kfdq_sdma *queue);

/* Any packet: @count dwords. */
int kfdq_sdma_put(struct kfdq_sdma *queue, const uint32_t *dwords, uint32_t count);

/* Ring the doorbell for all packets put so far. */
void kfdq_sdma_ring(struct kfdq_sdma *queue);

int kfdq_sdma_copy(struct kfdq_sdma *queue, void *to, const void *from, size_t bytes);

/* @bytes and @to are multiples of 4. */
int kfdq_sdma_fill(struct kfdq_sdma *queue, void *to, uint32_t value, size_t bytes);

/* Write @value once all earlier packets are done. */
int kfdq_sdma_fence(struct kfdq_sdma *queue, uint32_t *at, uint32_t value);

/* Wait until (*@at & @mask) == @value. */
int kfdq_sdma_poll(struct kfdq_sdma *queue, const uint32_t *at, uint32_t value, uint32_t mask);

int kfdq_sdma_atomic_add(struct kfdq_sdma *queue, uint64_t *at, int64_t value);

/* GPU clock. */
int kfdq_sdma_timestamp(struct kfdq_sdma *queue, uint64_t *at);

/* The packet runtimes use to make the CPU's view of VRAM current. */
int kfdq_sdma_hdp_flush(struct kfdq_sdma *queue);

/* Complete a signal, as runtimes do: decrement, mailbox, interrupt. */
int kfdq_sdma_signal(struct kfdq_sdma *queue, struct kfdq_signal *sig);

#endif /* KFDQ_SDMA_H */
