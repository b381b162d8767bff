// SPDX-License-Identifier: MIT
/*
 * As much of HIP as the shapes of XSched's examples need, on raw user queues:
 * where a guest has no ROCm. A stream is a queue of its own, a kernel is one of
 * the software GPU's; the function a shape "launches" is called by the processor
 * once for each dispatch the GPU is seen to have executed.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kfdhip.h"
#include "spin.h"

#define HIP_SUCCESS	0
#define HIP_MEMORY	2
#define HIP_INVALID	1
#define HIP_NOT_READY	600

#define CAPACITY	262144	/* launches a stream can make */
#define IN_FLIGHT	256
#define WAIT_MS		60000

/**
 * struct call - a function a launch stands for
 * @function: function, or NULL
 * @argument: its argument
 */
struct call {
	void (*function)(void *argument);
	void *argument;
};

/**
 * struct ihipStream_t - a stream
 * @queue: its queue
 * @signal: of the last packet of a wait
 * @set: its kernels
 * @calls: what launch number n stands for
 * @called: launches whose function was called
 * @lock: over all of it
 */
struct ihipStream_t {
	struct kfdq_queue *queue;
	struct kfdq_signal *signal;
	struct spin_set set;
	struct call *calls;
	uint64_t called;
	pthread_mutex_t lock;
};

static struct kfdq_device *device;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int hipStreamCreate(hipStream_t *stream);
int hipStreamSynchronize(hipStream_t stream);
int hipStreamQuery(hipStream_t stream);
int hipMalloc(void **memory, size_t size);
int hipHostMalloc(void **memory, size_t size, unsigned int flags);
int hipMemsetAsync(void *memory, int value, size_t size, hipStream_t stream);
int hipFree(void *memory);
int launch(void (*kernel)(void *), void *argument, hipStream_t stream);

static const struct spin_shape small = { .workgroups = 64, .workgroup_size = 64,
					 .workgroup_ns = 20000 };

static int create(struct ihipStream_t *s)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	int ret = device ? 0 : kfdq_open(&device);

	if (!ret)
		ret = kfdq_signal_create(device, &s->signal);
	if (!ret)
		ret = spin_set_init(&s->set, device, CAPACITY, IN_FLIGHT);
	if (!ret)
		ret = kfdq_queue_create(device, &options, &s->queue);
	return ret;
}

int hipStreamCreate(hipStream_t *stream)
{
	struct ihipStream_t *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return HIP_MEMORY;
	s->calls = calloc(CAPACITY, sizeof(*s->calls));
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_lock(&lock);
	ret = s->calls ? create(s) : -ENOMEM;
	pthread_mutex_unlock(&lock);
	*stream = ret ? NULL : s;
	return ret ? HIP_INVALID : HIP_SUCCESS;
}

static uint64_t executed(const struct ihipStream_t *s)
{
	uint64_t done = s->called;

	/* They complete in order. */
	while (done < s->set.used && __atomic_load_n(&s->set.log[done].executed, __ATOMIC_ACQUIRE))
		done++;
	return done;
}

/* Submit one; as with HIP that takes until there is room. */
static int submit(struct ihipStream_t *s, const struct spin_shape *shape,
		  struct kfdq_signal *signal, struct call call)
{
	int ret;

	for (;;) {
		pthread_mutex_lock(&s->lock);
		/* Its arguments are overwritten after so many. */
		ret = s->set.used - executed(s) < IN_FLIGHT - 1 ?
		      spin_submit(&s->set, s->queue, shape, 1, signal) : -EAGAIN;
		if (!ret)
			s->calls[s->set.used - 1] = call;
		pthread_mutex_unlock(&s->lock);
		if (ret != -EAGAIN)
			return ret;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

int launch(void (*kernel)(void *), void *argument, hipStream_t stream)
{
	return submit(stream, &small, NULL, (struct call){ kernel, argument }) ?
	       HIP_INVALID : HIP_SUCCESS;
}

int kfdhip_spin(hipStream_t stream, uint32_t count, uint32_t workgroups, uint64_t workgroup_ns)
{
	const struct spin_shape shape = { .workgroups = workgroups, .workgroup_size = 256,
					  .workgroup_ns = workgroup_ns };
	int ret = 0;

	while (!ret && count--)
		ret = submit(stream, &shape, NULL, (struct call){ 0 });
	return ret;
}

/* Call what the launches stand for that the GPU has executed. */
static void call_all(struct ihipStream_t *s)
{
	uint64_t done;

	pthread_mutex_lock(&s->lock);
	for (done = executed(s); s->called < done; s->called++) {
		const struct call *call = &s->calls[s->called];

		if (call->function)
			call->function(call->argument);
	}
	pthread_mutex_unlock(&s->lock);
}

/* One thread at a time waits for a stream: there is one signal. */
int hipStreamSynchronize(hipStream_t stream)
{
	const struct spin_shape nothing = { .workgroups = 1, .workgroup_size = 64 };
	int ret = submit(stream, &nothing, stream->signal, (struct call){ 0 });

	while (!ret || ret == -EINTR) {
		ret = kfdq_signal_wait(device, stream->signal, WAIT_MS);
		if (ret != -EINTR)
			break;
	}
	call_all(stream);
	return ret ? HIP_INVALID : HIP_SUCCESS;
}

int hipStreamQuery(hipStream_t stream)
{
	bool idle;

	pthread_mutex_lock(&stream->lock);
	idle = executed(stream) == stream->set.used;
	pthread_mutex_unlock(&stream->lock);
	return idle ? HIP_SUCCESS : HIP_NOT_READY;
}

int hipMalloc(void **memory, size_t size)
{
	*memory = malloc(size);
	return *memory ? HIP_SUCCESS : HIP_MEMORY;
}

int hipHostMalloc(void **memory, size_t size, unsigned int flags)
{
	(void)flags;
	return hipMalloc(memory, size);
}

/* What HIP does of it is a kernel. */
int hipMemsetAsync(void *memory, int value, size_t size, hipStream_t stream)
{
	memset(memory, value, size);
	return launch(NULL, NULL, stream);
}

int hipFree(void *memory)
{
	free(memory);
	return HIP_SUCCESS;
}

uint64_t kfdhip_executed(hipStream_t stream)
{
	uint64_t done;

	pthread_mutex_lock(&stream->lock);
	done = executed(stream);
	pthread_mutex_unlock(&stream->lock);
	return done;
}

bool kfdhip_clean(hipStream_t stream)
{
	struct spin_account account;

	pthread_mutex_lock(&stream->lock);
	spin_account(&stream->set, &account);
	pthread_mutex_unlock(&stream->lock);
	return spin_account_clean(&account);
}

uint32_t kfdhip_queue_id(hipStream_t stream)
{
	return kfdq_queue_id(stream->queue);
}
