/* SPDX-License-Identifier: MIT */
/*
 * kfdq: own user queues of an AMD GPU through /dev/kfd, and nothing else.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 *
 * What a runtime does beneath its API, as small as it can be: for test and
 * benchmark programs that stand for ordinary applications. Nothing here knows
 * of the scheduler; a process that uses it is what the scheduler schedules.
 *
 * A *device* is /dev/kfd with the render node of one GPU. A *buffer* is
 * memory both sides see at the same address. A *signal* is an amd_signal_t
 * with a KFD event, so that waiting blocks in the kernel until the
 * GPU raises its interrupt. A *queue* is an AQL ring with its doorbell.
 *
 * Functions return 0 or a negative errno and print nothing. Objects belong to
 * one thread at a time. Packets carry the barrier bit: those of one queue
 * execute one after another, in order.
 */
#ifndef KFDQ_H
#define KFDQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu_kernel.h"

struct kfdq_device;
struct kfdq_queue;

/** enum kfdq_memory - where a buffer lives */
enum kfdq_memory {
	KFDQ_GTT,	/* system memory, allocated by the driver */
	KFDQ_VRAM,	/* the GPU's memory, seen by the CPU */
	KFDQ_USERPTR,	/* pages of this process, registered with the GPU */
};

/**
 * struct kfdq_buffer - memory the CPU and the GPU see at the same address
 * @addr: the address, page-aligned; the content begins as zeros
 * @size: bytes, a multiple of the page size
 * @handle: KFD's name for it
 */
struct kfdq_buffer {
	void *addr;
	size_t size;
	uint64_t handle;
};

/**
 * struct kfdq_signal - amd_signal_t: what a packet decrements as it completes
 * @kind: 1, a signal the processor waits for
 * @value: completions still expected
 * @event_mailbox: where the GPU stores @event_id
 * @event_id: of the KFD event the interrupt raises
 * @reserved1: zero
 * @start_ts: written by the GPU
 * @end_ts: written by the GPU
 * @reserved2: zero
 */
struct kfdq_signal {
	int64_t kind;
	int64_t value;
	uint64_t event_mailbox;
	uint32_t event_id;
	uint32_t reserved1;
	uint64_t start_ts;
	uint64_t end_ts;
	uint64_t reserved2[2];
};

/* Signals a device has room for. */
#define KFDQ_MAX_SIGNALS	64

/* Open GPU number @gpu of the topology, from 0: -ENODEV if there is none. */
int kfdq_open_gpu(unsigned int gpu, struct kfdq_device **out);

/* Open the first one. */
int kfdq_open(struct kfdq_device **out);

/*
 * Open the first GPU for a further KFD process of the same address space and pid, with
 * queues, memory and doorbells of its own. The process must have opened it before.
 * -ENOTTY if the driver has no AMDKFD_IOC_CREATE_PROCESS.
 */
int kfdq_open_context(struct kfdq_device **out);

/*
 * Open one more GPU in the same process, which must not be @first's. KFD has one
 * page of event mailboxes for a process, so @first must outlive it.
 */
int kfdq_open_peer(struct kfdq_device *first, unsigned int gpu, struct kfdq_device **out);

/* Close it. Its queues must be destroyed before; buffers go with it. */
void kfdq_close(struct kfdq_device *dev);

/* KFD's id of the GPU node. */
uint32_t kfdq_gpu_id(const struct kfdq_device *dev);

/* A line of the node's "properties" in the topology: -ENOENT if missing. */
int kfdq_property(const struct kfdq_device *dev, const char *name, uint64_t *value);

/* Allocate and map a buffer on both sides. */
int kfdq_alloc(struct kfdq_device *dev, enum kfdq_memory kind, size_t size,
	       struct kfdq_buffer *out);

/* The same for a buffer the GPU may read only. Its content is the CPU's to write. */
int kfdq_alloc_read_only(struct kfdq_device *dev, enum kfdq_memory kind, size_t size,
			 struct kfdq_buffer *out);

/* KFDQ_USERPTR over part of a file in memory, which may be mapped elsewhere, too. */
int kfdq_alloc_file(struct kfdq_device *dev, int fd, uint64_t offset, size_t size,
		    struct kfdq_buffer *out);

/* Unmap and free a buffer; one that was never allocated (all zero) is fine. */
void kfdq_free(struct kfdq_device *dev, struct kfdq_buffer *buf);

/* Take one of the device's signals, with an event of its own: -ENOSPC after KFDQ_MAX_SIGNALS. */
int kfdq_signal_create(struct kfdq_device *dev, struct kfdq_signal **out);

/* Set the number of completions to wait for; no packet may be pending on it. */
void kfdq_signal_arm(struct kfdq_signal *sig, int64_t completions);

/*
 * Block until @value is 0 or less: -ETIME after @timeout_ms (negative: never),
 * -EINTR if a signal handler ran (call again to wait on).
 */
int kfdq_signal_wait(struct kfdq_device *dev, struct kfdq_signal *sig, int timeout_ms);

/**
 * struct kfdq_queue_options - properties of a new queue
 * @packets: length of the ring, a power of two
 * @percentage: 0..100; KFD runs a queue with any but 0
 * @priority: KFD priority, 0..15
 * @no_eop: without an end-of-pipe buffer, as HIP creates them on gfx942
 * @save_fd: file in memory its save area is part of; 0: it has one of its own. KFD
 *	wants tens of MiB for each, of which the model uses the first pages.
 * @save_offset: where it begins there
 */
struct kfdq_queue_options {
	uint32_t packets;
	uint32_t percentage;
	uint32_t priority;
	bool no_eop;
	int save_fd;
	uint64_t save_offset;
};

/* What runtimes ask for. */
#define KFDQ_QUEUE_DEFAULTS	{ .packets = 256, .percentage = 100, .priority = 7 }

/* Create an AQL queue with its ring, context save area and doorbell. */
int kfdq_queue_create(struct kfdq_device *dev, const struct kfdq_queue_options *options,
		      struct kfdq_queue **out);

/* Destroy the queue, running or not, and free what belonged to it. */
int kfdq_queue_destroy(struct kfdq_queue *queue);

/*
 * Destroy the queue and create it anew in the same memory: a new id, an empty
 * ring. Cheap enough for tests that do it thousands of times.
 */
int kfdq_queue_recreate(struct kfdq_queue *queue);

/* AMDKFD_IOC_UPDATE_QUEUE: change percentage and priority. */
int kfdq_queue_update(struct kfdq_queue *queue, uint32_t percentage, uint32_t priority);

/* AMDKFD_IOC_SET_CU_MASK: only @count compute units, from number @first of the driver's order. */
int kfdq_queue_set_cus(struct kfdq_queue *queue, uint32_t first, uint32_t count);

/* Where the queue lives. */
struct kfdq_device *kfdq_queue_device(const struct kfdq_queue *queue);

/* KFD's id of the queue, unique in this process. */
uint32_t kfdq_queue_id(const struct kfdq_queue *queue);

/**
 * struct kfdq_dispatch - one kernel launch
 * @code: kernel object, in memory the GPU sees
 * @kernarg: its arguments, likewise
 * @workgroups: how many
 * @workgroup_size: threads of one, 1..1024
 * @completion: decremented as it completes, or NULL
 */
struct kfdq_dispatch {
	const struct vgpu_code *code;
	const void *kernarg;
	uint32_t workgroups;
	uint32_t workgroup_size;
	struct kfdq_signal *completion;
};

/*
 * The two halves of kfdq_queue_submit(): write @count packets, which the GPU does not see yet;
 * ring for so many that were written.
 */
int kfdq_queue_write(struct kfdq_queue *queue, const struct kfdq_dispatch *dispatches,
		     uint32_t count);
void kfdq_queue_ring(struct kfdq_queue *queue, uint32_t count);

/*
 * Write @count packets and ring the doorbell once: -EAGAIN, with nothing
 * written, when they do not all fit in the ring.
 */
int kfdq_queue_submit(struct kfdq_queue *queue, const struct kfdq_dispatch *dispatches,
		      uint32_t count);

/* Write one packet of 64 bytes as it is: -EAGAIN when the ring is full. */
int kfdq_queue_submit_raw(struct kfdq_queue *queue, const void *packet);

/* Whether the GPU has taken every packet from the ring. */
bool kfdq_queue_is_empty(const struct kfdq_queue *queue);

/* Where the queue's waves are saved; begins with what KFD reads of it. */
void *kfdq_queue_save_area(struct kfdq_queue *queue);

/**
 * struct kfdq_addresses - what the queue is made of, as the GPU sees it
 * @ring: packets
 * @read: read index
 * @write: write index
 * @save: save areas of all XCCs
 * @doorbell: offset of its doorbell in the process's range, bytes
 */
struct kfdq_addresses {
	uint64_t ring;
	uint64_t read;
	uint64_t write;
	uint64_t save;
	uint32_t doorbell;
};

void kfdq_queue_addresses(const struct kfdq_queue *queue, struct kfdq_addresses *out);

#endif /* KFDQ_H */
