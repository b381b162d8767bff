// SPDX-License-Identifier: MIT
/* SDMA queues: a ring of packets, its indices in bytes, and the doorbell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kfd_ioctl.h>

#include "kfdq_priv.h"
#include "kfdq_sdma.h"

#define OP_COPY		1u
#define OP_FENCE	5u
#define OP_TRAP		6u
#define OP_POLL		8u
#define OP_ATOMIC	10u
#define OP_FILL		11u
#define OP_TIMESTAMP	(13u | 2u << 8)
#define FILL_DWORDS	(2u << 30)
#define POLL_MEMORY	(1u << 31)
#define POLL_EQUAL	(3u << 28)
#define POLL_FOREVER	(0xfffu << 16 | 4u)
#define ATOMIC_ADD64	(0x2fu << 25)

/* Firmware may keep a counter after the read index: leave that free. */
struct indices {
	uint64_t read;
	uint64_t pad[7];
	uint64_t write;
};

/**
 * struct kfdq_sdma - an SDMA queue
 * @dev: where it lives
 * @id: KFD's id
 * @bytes: size of the ring
 * @ring: packets
 * @indices: struct indices
 * @doorbell: what to ring
 * @written: bytes put into the ring
 */
struct kfdq_sdma {
	struct kfdq_device *dev;
	uint32_t id;
	uint32_t bytes;
	struct kfdq_buffer ring;
	struct kfdq_buffer indices;
	volatile uint64_t *doorbell;
	uint64_t written;
};

static int destroy(struct kfdq_sdma *q)
{
	struct kfd_ioctl_destroy_queue_args args = { .queue_id = q->id };

	return kfdq_ioctl(q->dev, AMDKFD_IOC_DESTROY_QUEUE, &args);
}

static int create(struct kfdq_sdma *q, enum kfdq_sdma_kind kind)
{
	struct indices *indices = q->indices.addr;
	struct kfd_ioctl_create_queue_args args = {
		.ring_base_address = (uintptr_t)q->ring.addr,
		.ring_size = q->bytes,
		.gpu_id = q->dev->gpu_id,
		.queue_type = kind == KFDQ_SDMA_XGMI ? KFD_IOC_QUEUE_TYPE_SDMA_XGMI :
			      KFD_IOC_QUEUE_TYPE_SDMA,
		.queue_percentage = 100,
		.queue_priority = 7,
		.read_pointer_address = (uintptr_t)&indices->read,
		.write_pointer_address = (uintptr_t)&indices->write,
	};
	int ret = kfdq_ioctl(q->dev, AMDKFD_IOC_CREATE_QUEUE, &args);

	if (ret)
		return ret;
	q->id = args.queue_id;
	ret = kfdq_doorbell(q->dev, args.doorbell_offset, &q->doorbell);
	if (ret)
		destroy(q);
	return ret;
}

static void free_all(struct kfdq_sdma *q)
{
	kfdq_free(q->dev, &q->indices);
	kfdq_free(q->dev, &q->ring);
	free(q);
}

int kfdq_sdma_create(struct kfdq_device *dev, enum kfdq_sdma_kind kind, uint32_t bytes,
		     struct kfdq_sdma **out)
{
	struct kfdq_sdma *q;
	int ret;

	if (bytes < KFDQ_PAGE || (bytes & (bytes - 1)))
		return -EINVAL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->dev = dev;
	q->bytes = bytes;
	ret = kfdq_alloc(dev, KFDQ_GTT, bytes, &q->ring);
	if (!ret)
		ret = kfdq_alloc(dev, KFDQ_GTT, sizeof(struct indices), &q->indices);
	if (!ret)
		ret = create(q, kind);
	if (ret) {
		free_all(q);
		return ret;
	}
	*out = q;
	return 0;
}

int kfdq_sdma_destroy(struct kfdq_sdma *q)
{
	int ret = destroy(q);

	free_all(q);
	return ret;
}

uint32_t kfdq_sdma_id(const struct kfdq_sdma *q)
{
	return q->id;
}

uint64_t kfdq_sdma_written(const struct kfdq_sdma *q)
{
	return q->written;
}

uint64_t kfdq_sdma_read(const struct kfdq_sdma *q)
{
	const struct indices *indices = q->indices.addr;

	return __atomic_load_n(&indices->read, __ATOMIC_ACQUIRE);
}

/* Packets never wrap: NOPs, which are zeros, fill the end of the ring. */
int kfdq_sdma_put(struct kfdq_sdma *q, const uint32_t *dwords, uint32_t count)
{
	uint32_t at = q->written & (q->bytes - 1), bytes = count * 4, pad = 0;
	char *ring = q->ring.addr;

	if (bytes > q->bytes - at)
		pad = q->bytes - at;
	if (q->written + pad + bytes - kfdq_sdma_read(q) > q->bytes)
		return -EAGAIN;
	if (pad) {
		memset(ring + at, 0, pad);
		q->written += pad;
		at = 0;
	}
	memcpy(ring + at, dwords, bytes);
	q->written += bytes;
	return 0;
}

void kfdq_sdma_ring(struct kfdq_sdma *q)
{
	struct indices *indices = q->indices.addr;

	__atomic_store_n(&indices->write, q->written, __ATOMIC_RELEASE);
	*q->doorbell = q->written;
}

static uint32_t low(const volatile void *p)
{
	return (uint32_t)(uintptr_t)p;
}

static uint32_t high(const volatile void *p)
{
	return (uint32_t)((uint64_t)(uintptr_t)p >> 32);
}

#define PUT(q, ...) ({							\
	const uint32_t packet_[] = { __VA_ARGS__ };			\
	kfdq_sdma_put(q, packet_, sizeof(packet_) / 4);			\
})

/* Of several packets, take back those before the one that did not fit. */
static int all_or_none(struct kfdq_sdma *q, uint64_t before, int ret)
{
	if (ret)
		q->written = before;
	return ret;
}

int kfdq_sdma_copy(struct kfdq_sdma *q, void *to, const void *from, size_t bytes)
{
	uint64_t before = q->written;
	const char *src = from;
	char *dst = to;
	int ret = 0;
	size_t n;

	for (; bytes && !ret; bytes -= n, src += n, dst += n) {
		n = bytes < KFDQ_SDMA_MAX_COPY ? bytes : KFDQ_SDMA_MAX_COPY;
		ret = PUT(q, OP_COPY, (uint32_t)n - 1, 0, low(src), high(src), low(dst), high(dst));
	}
	return all_or_none(q, before, ret);
}

int kfdq_sdma_fill(struct kfdq_sdma *q, void *to, uint32_t value, size_t bytes)
{
	uint64_t before = q->written;
	char *dst = to;
	int ret = 0;
	size_t n;

	for (; bytes && !ret; bytes -= n, dst += n) {
		n = bytes < KFDQ_SDMA_MAX_FILL ? bytes : KFDQ_SDMA_MAX_FILL;
		ret = PUT(q, OP_FILL | FILL_DWORDS, low(dst), high(dst), value, (uint32_t)n - 4);
	}
	return all_or_none(q, before, ret);
}

int kfdq_sdma_fence(struct kfdq_sdma *q, uint32_t *at, uint32_t value)
{
	return PUT(q, OP_FENCE, low(at), high(at), value);
}

int kfdq_sdma_poll(struct kfdq_sdma *q, const uint32_t *at, uint32_t value, uint32_t mask)
{
	return PUT(q, OP_POLL | POLL_MEMORY | POLL_EQUAL, low(at), high(at), value, mask,
		   POLL_FOREVER);
}

int kfdq_sdma_atomic_add(struct kfdq_sdma *q, uint64_t *at, int64_t value)
{
	return PUT(q, OP_ATOMIC | ATOMIC_ADD64, low(at), high(at), (uint32_t)value,
		   (uint32_t)((uint64_t)value >> 32), 0, 0, 0);
}

int kfdq_sdma_timestamp(struct kfdq_sdma *q, uint64_t *at)
{
	return PUT(q, OP_TIMESTAMP, low(at), high(at));
}

int kfdq_sdma_hdp_flush(struct kfdq_sdma *q)
{
	return PUT(q, OP_POLL, 0, 0x80000000, 0, 0, 0);
}

int kfdq_sdma_signal(struct kfdq_sdma *q, struct kfdq_signal *sig)
{
	uint64_t before = q->written;
	int ret = kfdq_sdma_atomic_add(q, (uint64_t *)&sig->value, -1);

	if (!ret)
		ret = kfdq_sdma_fence(q, (uint32_t *)(uintptr_t)sig->event_mailbox,
				      sig->event_id);
	if (!ret)
		ret = PUT(q, OP_TRAP, sig->event_id);
	return all_or_none(q, before, ret);
}
