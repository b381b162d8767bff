// SPDX-License-Identifier: MIT
/*
 * Calls of HIP, and which hardware queue a stream has.
 *
 * HIP does not report the queue, and puts several streams on one queue when
 * there are many. So the queue is found by trial: while the kernel reports
 * which queues of this process get work, a small memset is sent through the
 * stream; the queue that gets work each time is the stream's. HIP's functions
 * are those of the library that the program has loaded; this library is not
 * linked with it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat.h"

#define HIP_SUCCESS		0
#define HIP_ERROR_NOT_READY	600

#define MS		1000000ULL
#define SAMPLE_US	50
#define ROUNDS		8
#define AGREEING	2		/* rounds that must agree */
#define IDLE_NS		(1000 * MS)	/* how long to wait for an idle stream */
#define ANSWER_NS	(300 * MS)	/* and for the queue to get work */
#define LATER_NS	(2 * MS)	/* others that get work so soon count */
#define CANDIDATES	64
#define MEMSET_BYTES	64
#define MOST_DEVICES	64

static pthread_mutex_t probing = PTHREAD_MUTEX_INITIALIZER;
/* Targets of the memsets, by device; never freed: freeing waits for the GPU. */
static void *targets[MOST_DEVICES];

static void *hip_symbol(const char *name)
{
	static const char *const libraries[] = {
		"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
		"libamdhip64.so",
	};
	const char *own = secure_getenv("XSCHED_HIP_LIB");
	void *symbol = dlsym(RTLD_DEFAULT, name);
	void *library = NULL;

	if (!symbol && own)
		library = dlopen(own, RTLD_LAZY | RTLD_NOLOAD);
	for (size_t i = 0; !symbol && !library && i < 4; i++)
		library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return symbol;
	symbol = dlsym(library, name);
	/* The program's own reference keeps the library loaded. */
	dlclose(library);
	return symbol;
}

bool hip_present(void)
{
	return hip_symbol("hipStreamQuery");
}

int hip_idle(hipStream_t stream)
{
	int (*query)(hipStream_t stream) = hip_symbol("hipStreamQuery");

	if (!query)
		return -EOPNOTSUPP;
	switch (query(stream)) {
	case HIP_SUCCESS:
		return 1;
	case HIP_ERROR_NOT_READY:
		return 0;
	default:
		return -EIO;
	}
}

int hip_wait(hipStream_t stream)
{
	int (*wait)(hipStream_t stream) = hip_symbol("hipStreamSynchronize");

	if (!wait)
		return -EOPNOTSUPP;
	return wait(stream) == HIP_SUCCESS ? 0 : -EIO;
}

static void nap(uint64_t ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

static int wait_idle(hipStream_t stream)
{
	const uint64_t until = clock_ns() + IDLE_NS;
	int idle;

	while (!(idle = hip_idle(stream))) {
		if (clock_ns() > until)
			return -EBUSY;
		nap(MS / 4);
	}
	return idle < 0 ? idle : 0;
}

static int send_memset(hipStream_t stream)
{
	/* Not pinned host memory, which the runtime fills with the CPU. */
	int (*allocate)(void **memory, size_t size) = hip_symbol("hipMalloc");
	int (*set)(void *memory, int value, size_t size, hipStream_t stream) =
		hip_symbol("hipMemsetAsync");

	int (*current)(int *device) = hip_symbol("hipGetDevice");
	int device = 0;

	if (!allocate || !set || (current && current(&device)) ||
	    device < 0 || device >= MOST_DEVICES)
		return -EOPNOTSUPP;
	if (!targets[device] && allocate(&targets[device], MEMSET_BYTES)) {
		targets[device] = NULL;
		return -ENOMEM;
	}
	return set(targets[device], 0, MEMSET_BYTES, stream) ? -EIO : 0;
}

/**
 * struct probe - a search
 * @device: client that is notified which queues get work
 * @ids: queues that got work in this round
 * @count: how many
 */
struct probe {
	struct xsched_device *device;
	uint64_t ids[CANDIDATES];
	size_t count;
};

static void note_event(struct probe *probe, const struct kfd_xsched_event *e)
{
	if (e->type != KFD_XSCHED_EVENT_READY || e->pid != getpid() ||
	    probe->count == CANDIDATES)
		return;
	for (size_t i = 0; i < probe->count; i++)
		if (probe->ids[i] == e->id)
			return;
	probe->ids[probe->count++] = e->id;
}

/* Read the events there are; 0 or -errno. */
static int take_events(struct probe *probe)
{
	struct kfd_xsched_event events[64];
	int got;

	while ((got = xsched_read_events(probe->device, events, 64)) > 0)
		for (int i = 0; i < got; i++)
			note_event(probe, &events[i]);
	return !got || got == -EAGAIN || got == -EINTR ? 0 : got;
}

/*
 * One round: send a memset, and see which queues get work. On a busy processor,
 * other queues may come first: so the memset must be done, too.
 */
static int listen_once(struct probe *probe, hipStream_t stream)
{
	struct pollfd wait = { .fd = xsched_fd(probe->device),
			       .events = POLLIN };
	int ret = take_events(probe);
	bool heard = false;
	uint64_t until;

	probe->count = 0;
	if (!ret)
		ret = send_memset(stream);
	until = clock_ns() + ANSWER_NS;
	while (!ret && clock_ns() < until) {
		poll(&wait, 1, 1);
		ret = take_events(probe);
		if (heard || hip_idle(stream) != 1 || !probe->count)
			continue;
		heard = true;
		until = clock_ns() + LATER_NS;
	}
	return ret;
}

/* Keep those of @ids that the last round had, too. */
static size_t intersect(uint64_t *ids, size_t count, const struct probe *probe)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < probe->count; j++)
			if (ids[i] == probe->ids[j])
				ids[kept++] = ids[i];
	return kept;
}

static int search(struct probe *probe, hipStream_t stream, uint64_t *id)
{
	uint64_t ids[CANDIDATES] = { 0 };
	size_t count = 0;
	int agreed = 0;

	for (int round = 0; round < ROUNDS; round++) {
		int ret = wait_idle(stream);

		/* Time for the kernel to see that it is idle, too. */
		nap(MS);
		if (!ret)
			ret = listen_once(probe, stream);
		if (ret)
			return ret;
		if (!probe->count)
			continue;
		if (agreed)
			count = intersect(ids, count, probe);
		/* Rounds that contradict each other are void. */
		if (!agreed || !count) {
			agreed = 0;
			count = probe->count;
			memcpy(ids, probe->ids, sizeof(ids));
		}
		agreed++;
		if (count == 1 && agreed >= AGREEING) {
			*id = ids[0];
			/* Let the memsets end: they are not the program's. */
			wait_idle(stream);
			return 0;
		}
	}
	return -EOPNOTSUPP;
}

static int describe(struct xsched_device *device, struct hip_queue *queue)
{
	struct xsched_queue_list list = { 0 };
	const struct kfd_xsched_node *nodes;
	int ret = xsched_list_queues(device, &list);
	size_t count;

	queue->caps = 0;
	for (size_t i = 0; !ret && i < list.count; i++)
		if (list.queues[i].id == queue->id)
			queue->gpu_id = list.queues[i].gpu_id;
	xsched_queue_list_free(&list);
	nodes = xsched_nodes(device, &count);
	for (size_t i = 0; i < count; i++)
		if (nodes[i].gpu_id == queue->gpu_id)
			queue->caps = nodes[i].caps;
	return ret;
}

int hip_find_queue(hipStream_t stream, struct hip_queue *queue)
{
	struct probe probe = { 0 };
	int ret;

	*queue = (struct hip_queue){ 0 };
	ret = xsched_open(&probe.device, device_path());
	if (ret)
		return ret;
	pthread_mutex_lock(&probing);
	ret = xsched_subscribe(probe.device,
			       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |
			       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE),
			       SAMPLE_US, 0);
	if (!ret)
		ret = search(&probe, stream, &queue->id);
	if (!ret)
		ret = describe(probe.device, queue);
	pthread_mutex_unlock(&probing);
	xsched_close(probe.device);
	return ret;
}
