// SPDX-License-Identifier: MIT
/*
 * Queues: an AQL ring, the indices beside it, the area its waves are saved
 * in, and the doorbell.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kfd_ioctl.h>

#include "kfdq_priv.h"

#define PACKET_INVALID		1
#define PACKET_DISPATCH		2
#define HEADER_BARRIER		(1u << 8)
#define HEADER_FENCE_SYSTEM	((2u << 9) | (2u << 11))	/* acquire, release */
#define SETUP_DIMENSIONS	1
#define EOP_BYTES		4096
#define MASK_BITS		1024	/* KFD takes no more */

/* hsa_kernel_dispatch_packet_t */
struct aql_dispatch {
	uint16_t header;
	uint16_t setup;
	uint16_t workgroup_size[3];
	uint16_t reserved0;
	uint32_t grid_size[3];
	uint32_t private_segment_size;
	uint32_t group_segment_size;
	uint64_t kernel_object;
	uint64_t kernarg_address;
	uint64_t reserved2;
	uint64_t completion_signal;
};

_Static_assert(sizeof(struct aql_dispatch) == 64, "an AQL packet has 64 bytes");

/* Both indices in one page, a cache line apart. */
struct indices {
	uint64_t read;
	uint64_t pad[7];
	uint64_t write;
};

/**
 * struct kfdq_queue - an AQL queue
 * @dev: where it lives
 * @options: as given at creation, then as updated
 * @id: KFD's id
 * @ring: packets
 * @indices: struct indices
 * @eop: end-of-pipe buffer
 * @save: context save area of all XCCs
 * @save_size: of one XCC, as the topology says
 * @control_stack_size: part of it
 * @doorbell: what to ring
 * @written: packets written
 */
struct kfdq_queue {
	struct kfdq_device *dev;
	struct kfdq_queue_options options;
	uint32_t id;
	struct kfdq_buffer ring;
	struct kfdq_buffer indices;
	struct kfdq_buffer eop;
	struct kfdq_buffer save;
	uint32_t save_size;
	uint32_t control_stack_size;
	volatile uint64_t *doorbell;
	uint64_t written;
};

/* What a debugger has of a wave, and what is saved of a CU besides the registers of its lanes. */
#define DEBUG_BYTES_WAVE	32
#define SAVE_HEADER_BYTES	40
#define SGPR_BYTES_CU		0x4000
#define LDS_BYTES_CU		0x10000
#define HWREG_BYTES_CU		0x1000

static uint64_t vgpr_bytes_cu(uint64_t gfx)
{
	if (gfx / 100 * 100 == 90400 || gfx == 90010)
		return 0x80000;
	return gfx == 110000 ? 0x60000 : 0x40000;
}

/*
 * The size for one XCC, and of it the control stack. amdgpu-dkms 6.12 computes them as any amdkfd
 * (kfd_queue_ctx_save_restore_size() in the kernel), but does not report them.
 */
static void save_area_of_xcc(struct kfdq_queue *q, uint64_t gfx, uint64_t cus, uint64_t waves)
{
	uint64_t save, control, cu;

	if (!kfdq_property(q->dev, "cwsr_size", &save) &&
	    !kfdq_property(q->dev, "ctl_stack_size", &control)) {
		q->save_size = (uint32_t)save;
		q->control_stack_size = (uint32_t)control;
		return;
	}
	cu = vgpr_bytes_cu(gfx) + SGPR_BYTES_CU + LDS_BYTES_CU + HWREG_BYTES_CU;
	control = waves * (gfx >= 100100 ? 12 : 8) + 8 + SAVE_HEADER_BYTES;
	q->control_stack_size = (uint32_t)kfdq_align(control, KFDQ_PAGE);
	q->save_size = q->control_stack_size + (uint32_t)kfdq_align(cus * cu, KFDQ_PAGE);
}

/*
 * KFD takes a save area of exactly the size it computes itself: what an XCC needs, and 32 bytes a
 * wave for a debugger, for each XCC.
 */
static int save_area_size(struct kfdq_queue *q, size_t *total)
{
	uint64_t simds, per_cu, arrays, per_engine, xccs, gfx, cus, waves, debug;
	const struct kfdq_device *dev = q->dev;

	if (kfdq_property(dev, "simd_count", &simds) ||
	    kfdq_property(dev, "simd_per_cu", &per_cu) ||
	    kfdq_property(dev, "array_count", &arrays) ||
	    kfdq_property(dev, "simd_arrays_per_engine", &per_engine) ||
	    kfdq_property(dev, "gfx_target_version", &gfx))
		return -ENOENT;
	if (kfdq_property(dev, "num_xcc", &xccs) || !xccs)
		xccs = 1;
	if (!per_cu || !per_engine)
		return -EINVAL;
	cus = simds / per_cu / xccs;
	if (gfx >= 100100) {
		waves = cus * 32;
	} else {
		waves = arrays / per_engine * 512;
		if (cus * 40 < waves)
			waves = cus * 40;
	}
	save_area_of_xcc(q, gfx, cus, waves);
	debug = kfdq_align(waves * DEBUG_BYTES_WAVE, 64);
	*total = kfdq_align((q->save_size + debug) * xccs, KFDQ_PAGE);
	return 0;
}

static void free_buffers(struct kfdq_queue *q)
{
	kfdq_free(q->dev, &q->save);
	kfdq_free(q->dev, &q->eop);
	kfdq_free(q->dev, &q->indices);
	kfdq_free(q->dev, &q->ring);
}

static int alloc_buffers(struct kfdq_queue *q)
{
	size_t save;
	int ret;

	ret = save_area_size(q, &save);
	if (!ret)
		ret = kfdq_alloc(q->dev, KFDQ_GTT, q->options.packets * 64UL, &q->ring);
	if (!ret)
		ret = kfdq_alloc(q->dev, KFDQ_GTT, sizeof(struct indices), &q->indices);
	if (!ret && !q->options.no_eop)
		ret = kfdq_alloc(q->dev, KFDQ_VRAM, EOP_BYTES, &q->eop);
	if (!ret && q->options.save_fd)
		ret = kfdq_alloc_file(q->dev, q->options.save_fd, q->options.save_offset, save,
				      &q->save);
	else if (!ret)
		ret = kfdq_alloc(q->dev, KFDQ_GTT, save, &q->save);
	if (ret)
		free_buffers(q);
	return ret;
}

static int destroy(struct kfdq_queue *q)
{
	struct kfd_ioctl_destroy_queue_args args = { .queue_id = q->id };

	return kfdq_ioctl(q->dev, AMDKFD_IOC_DESTROY_QUEUE, &args);
}

static int create(struct kfdq_queue *q)
{
	struct indices *indices = q->indices.addr;
	struct aql_dispatch *ring = q->ring.addr;
	struct kfd_ioctl_create_queue_args args = {
		.ring_base_address = (uintptr_t)q->ring.addr,
		.ring_size = q->options.packets * 64,
		.gpu_id = q->dev->gpu_id,
		.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = q->options.percentage,
		.queue_priority = q->options.priority,
		.read_pointer_address = (uintptr_t)&indices->read,
		.write_pointer_address = (uintptr_t)&indices->write,
		.eop_buffer_address = (uintptr_t)q->eop.addr,
		.eop_buffer_size = q->eop.size,
		.ctx_save_restore_address = (uintptr_t)q->save.addr,
		.ctx_save_restore_size = q->save_size,
		.ctl_stack_size = q->control_stack_size,
	};
	uint32_t i;
	int ret;

	indices->read = 0;
	indices->write = 0;
	q->written = 0;
	for (i = 0; i < q->options.packets; i++)
		ring[i].header = PACKET_INVALID;
	ret = kfdq_ioctl(q->dev, AMDKFD_IOC_CREATE_QUEUE, &args);
	if (ret)
		return ret;
	q->id = args.queue_id;
	ret = kfdq_doorbell(q->dev, args.doorbell_offset, &q->doorbell);
	if (ret)
		destroy(q);
	return ret;
}

int kfdq_queue_create(struct kfdq_device *dev, const struct kfdq_queue_options *options,
		      struct kfdq_queue **out)
{
	struct kfdq_queue *q;
	int ret;

	/* The ring is a buffer of its own: whole pages, a power of two. */
	if (options->packets < 64 || (options->packets & (options->packets - 1)))
		return -EINVAL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->dev = dev;
	q->options = *options;
	ret = alloc_buffers(q);
	if (!ret) {
		ret = create(q);
		if (ret)
			free_buffers(q);
	}
	if (ret) {
		free(q);
		return ret;
	}
	*out = q;
	return 0;
}

int kfdq_queue_destroy(struct kfdq_queue *q)
{
	int ret = destroy(q);

	free_buffers(q);
	free(q);
	return ret;
}

int kfdq_queue_recreate(struct kfdq_queue *q)
{
	int ret = destroy(q);

	return ret ? ret : create(q);
}

int kfdq_queue_update(struct kfdq_queue *q, uint32_t percentage, uint32_t priority)
{
	struct kfd_ioctl_update_queue_args args = {
		.ring_base_address = (uintptr_t)q->ring.addr,
		.queue_id = q->id,
		.ring_size = q->options.packets * 64,
		.queue_percentage = percentage,
		.queue_priority = priority,
	};
	int ret = kfdq_ioctl(q->dev, AMDKFD_IOC_UPDATE_QUEUE, &args);

	if (!ret) {
		q->options.percentage = percentage;
		q->options.priority = priority;
	}
	return ret;
}

int kfdq_queue_set_cus(struct kfdq_queue *q, uint32_t first, uint32_t count)
{
	uint32_t mask[MASK_BITS / 32] = { 0 }, i;
	struct kfd_ioctl_set_cu_mask_args args = {
		.queue_id = q->id,
		.num_cu_mask = MASK_BITS,
		.cu_mask_ptr = (uintptr_t)mask,
	};

	if (!count || first >= MASK_BITS || count > MASK_BITS - first)
		return -EINVAL;
	for (i = first; i < first + count; i++)
		mask[i / 32] |= 1U << i % 32;
	return kfdq_ioctl(q->dev, AMDKFD_IOC_SET_CU_MASK, &args);
}

struct kfdq_device *kfdq_queue_device(const struct kfdq_queue *q)
{
	return q->dev;
}

uint32_t kfdq_queue_id(const struct kfdq_queue *q)
{
	return q->id;
}

static void write_packet(struct aql_dispatch *packet, const struct kfdq_dispatch *d)
{
	packet->setup = SETUP_DIMENSIONS;
	packet->workgroup_size[0] = (uint16_t)d->workgroup_size;
	packet->workgroup_size[1] = 1;
	packet->workgroup_size[2] = 1;
	packet->reserved0 = 0;
	packet->grid_size[0] = d->workgroups * d->workgroup_size;
	packet->grid_size[1] = 1;
	packet->grid_size[2] = 1;
	packet->private_segment_size = 0;
	packet->group_segment_size = d->code->lds_bytes;
	packet->kernel_object = (uintptr_t)d->code;
	packet->kernarg_address = (uintptr_t)d->kernarg;
	packet->reserved2 = 0;
	packet->completion_signal = (uintptr_t)d->completion;
	/* The header makes the packet valid: last, and visible after the rest. */
	__atomic_store_n(&packet->header, PACKET_DISPATCH | HEADER_BARRIER | HEADER_FENCE_SYSTEM,
			 __ATOMIC_RELEASE);
}

void kfdq_queue_ring(struct kfdq_queue *q, uint32_t count)
{
	struct indices *indices = q->indices.addr;

	q->written += count;
	__atomic_store_n(&indices->write, q->written, __ATOMIC_RELEASE);
	/* The value of a doorbell is the index of the last packet. */
	*q->doorbell = q->written - 1;
}

int kfdq_queue_submit_raw(struct kfdq_queue *q, const void *packet)
{
	struct indices *indices = q->indices.addr;
	struct aql_dispatch *slot = q->ring.addr;
	uint64_t read = __atomic_load_n(&indices->read, __ATOMIC_ACQUIRE);

	if (q->written + 1 - read > q->options.packets)
		return -EAGAIN;
	slot += q->written & (q->options.packets - 1);
	memcpy(&slot->setup, (const char *)packet + 2, sizeof(*slot) - 2);
	__atomic_store_n(&slot->header, *(const uint16_t *)packet, __ATOMIC_RELEASE);
	kfdq_queue_ring(q, 1);
	return 0;
}

bool kfdq_queue_is_empty(const struct kfdq_queue *q)
{
	const struct indices *indices = q->indices.addr;

	return __atomic_load_n(&indices->read, __ATOMIC_ACQUIRE) == q->written;
}

void *kfdq_queue_save_area(struct kfdq_queue *q)
{
	return q->save.addr;
}

void kfdq_queue_addresses(const struct kfdq_queue *q, struct kfdq_addresses *out)
{
	struct indices *indices = q->indices.addr;

	out->ring = (uintptr_t)q->ring.addr;
	out->read = (uintptr_t)&indices->read;
	out->write = (uintptr_t)&indices->write;
	out->save = (uintptr_t)q->save.addr;
	out->doorbell = (uint32_t)((char *)q->doorbell - (char *)q->dev->doorbells);
}

int kfdq_queue_write(struct kfdq_queue *q, const struct kfdq_dispatch *dispatches, uint32_t count)
{
	struct indices *indices = q->indices.addr;
	struct aql_dispatch *slots = q->ring.addr;
	uint32_t mask = q->options.packets - 1, i;
	uint64_t read = __atomic_load_n(&indices->read, __ATOMIC_ACQUIRE);

	if (q->written + count - read > q->options.packets)
		return -EAGAIN;
	for (i = 0; i < count; i++)
		write_packet(&slots[(q->written + i) & mask], &dispatches[i]);
	return 0;
}

int kfdq_queue_submit(struct kfdq_queue *q, const struct kfdq_dispatch *dispatches, uint32_t count)
{
	int ret = kfdq_queue_write(q, dispatches, count);

	if (!ret)
		kfdq_queue_ring(q, count);
	return ret;
}
