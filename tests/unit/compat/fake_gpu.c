// SPDX-License-Identifier: MIT
/*
 * The kernel below open() and ioctl(), and the HIP functions the library asks
 * the program for.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/kfd_xsched.h>

#include "../lib/fake_ioctl.h"
#include "fake_gpu.h"

#define CLIENTS	64

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

struct fake_gpu gpu;

/**
 * struct client - an open device
 * @fd: the library's end
 * @peer: ours
 * @holds: queues it holds, a bit each
 * @events: events it asked for
 * @ejected: it was ejected
 */
static struct client {
	int fd;
	int peer;
	uint64_t holds;
	uint32_t events;
	bool ejected;
} clients[CLIENTS];

static uint64_t ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void forget(struct client *c)
{
	close(c->peer);
	*c = (struct client){ 0 };
}

/* Whether the library has closed its end; then the client is no more. */
static bool gone(struct client *c)
{
	struct pollfd look = { .fd = c->peer };

	if (!c->peer)
		return true;
	if (poll(&look, 1, 0) != 1 || !(look.revents & POLLHUP))
		return false;
	forget(c);
	return true;
}

static struct client *find(int fd)
{
	for (size_t i = 0; i < CLIENTS; i++)
		if (!gone(&clients[i]) && clients[i].fd == fd)
			return &clients[i];
	return NULL;
}

void fake_reset(void)
{
	gpu = (struct fake_gpu){
		.caps = KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_UNMAP |
			KFD_XSCHED_CAP_GRACE,
		.lease_ms = 2000,
	};
	ready = 0;
}

unsigned int fake_clients(void)
{
	unsigned int count = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < CLIENTS; i++)
		count += !gone(&clients[i]);
	pthread_mutex_unlock(&lock);
	return count;
}

unsigned int fake_held(uint64_t queue)
{
	unsigned int count = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < CLIENTS; i++)
		count += !gone(&clients[i]) && clients[i].holds >> queue & 1;
	pthread_mutex_unlock(&lock);
	return count;
}

void fake_work(uint64_t queue, bool has_work)
{
	struct timespec now;
	struct kfd_xsched_event event = {
		.type = has_work ? KFD_XSCHED_EVENT_READY :
				   KFD_XSCHED_EVENT_IDLE,
		.pid = getpid(), .id = queue, .gpu_id = FAKE_GPU,
	};

	clock_gettime(CLOCK_MONOTONIC, &now);
	event.time_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	pthread_mutex_lock(&lock);
	ready = has_work ? ready | 1ULL << queue : ready & ~(1ULL << queue);
	for (size_t i = 0; i < CLIENTS; i++)
		if (!gone(&clients[i]) &&
		    clients[i].events & KFD_XSCHED_EVENT_BIT(event.type))
			send(clients[i].peer, &event, sizeof(event),
			     MSG_NOSIGNAL | MSG_DONTWAIT);
	pthread_mutex_unlock(&lock);
}

/* ---- the kernel --------------------------------------------------------- */

int __wrap_open(const char *path, int flags, ...)
{
	int pair[2];

	if (strcmp(path, "/dev/kfd_xsched"))
		return __real_open(path, flags);
	errno = gpu.open_error;
	if (errno || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
				SOCK_NONBLOCK, 0, pair))
		return -1;
	pthread_mutex_lock(&lock);
	/*
	 * The client with that number has closed it, though a poll() in progress, or
	 * a parent, may keep its end open a little longer.
	 */
	for (size_t i = 0; i < CLIENTS; i++)
		if (clients[i].peer && clients[i].fd == pair[0])
			forget(&clients[i]);
	for (size_t i = 0; i < CLIENTS; i++) {
		if (!gone(&clients[i]))
			continue;
		clients[i] = (struct client){ .fd = pair[0], .peer = pair[1] };
		break;
	}
	pthread_mutex_unlock(&lock);
	return pair[0];
}

static int fake_info(struct kfd_xsched_info *info)
{
	info->abi_version = KFD_XSCHED_ABI_VERSION;
	info->node_count = 1;
	if (info->node_capacity)
		*(struct kfd_xsched_node *)(uintptr_t)info->nodes =
			(struct kfd_xsched_node){
				.gpu_id = FAKE_GPU, .caps = gpu.caps,
				.backend = KFD_XSCHED_BACKEND_HWS,
			};
	return 0;
}

static int fake_list(struct kfd_xsched_list *list)
{
	struct kfd_xsched_queue *queues = (void *)(uintptr_t)list->queues;

	list->count = FAKE_QUEUES;
	for (uint32_t i = 0; i < FAKE_QUEUES && i < list->capacity; i++)
		queues[i] = (struct kfd_xsched_queue){
			.id = i + 1, .pid = getpid(), .gpu_id = FAKE_GPU,
			.state = ready >> (i + 1) & 1 ?
				 KFD_XSCHED_QUEUE_READY : 0,
		};
	return 0;
}

/* All or nothing: an entry that is refused says so, and so does the call. */
static int check_entries(struct kfd_xsched_entry *e, uint32_t count)
{
	int error = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (e[i].op == KFD_XSCHED_OP_RESUME || e[i].id != gpu.refused)
			continue;
		error = gpu.refusal;
		e[i].status = -error;
	}
	return error;
}

static int fake_apply(struct client *c, struct kfd_xsched_apply *apply)
{
	struct kfd_xsched_entry *e = (void *)(uintptr_t)apply->entries;
	int error = gpu.apply_error;

	gpu.applies++;
	gpu.apply_error = 0;
	error = error ? error : check_entries(e, apply->count);
	for (uint32_t i = 0; !error && i < apply->count; i++) {
		gpu.last_op = e[i].op;
		gpu.last_value = e[i].value;
		if (e[i].op != KFD_XSCHED_OP_RESUME)
			c->holds |= 1ULL << e[i].id;
		else if (c->holds >> e[i].id & 1)
			c->holds &= ~(1ULL << e[i].id);
		else if (apply->count == 1)
			error = EALREADY;
	}
	return error;
}

static int fake_renew(struct kfd_xsched_renew *renew)
{
	gpu.renewals++;
	renew->lease_ms = gpu.lease_ms;
	return 0;
}

static int fake_call(struct client *c, unsigned long request, void *arg)
{
	if (gpu.ejected)
		for (size_t i = 0; i < CLIENTS; i++) {
			clients[i].ejected = true;
			clients[i].holds = 0;
		}
	gpu.ejected = false;
	if (c->ejected)
		return EOWNERDEAD;
	switch (request) {
	case KFD_XSCHED_INFO:
		return fake_info(arg);
	case KFD_XSCHED_LIST:
		return fake_list(arg);
	case KFD_XSCHED_APPLY:
		return fake_apply(c, arg);
	case KFD_XSCHED_SUBSCRIBE:
		c->events = ((struct kfd_xsched_subscribe *)arg)->events;
		return 0;
	case KFD_XSCHED_RENEW:
		return fake_renew(arg);
	default:
		return ENOTTY;
	}
}

int fake_ioctl(int fd, unsigned long request, void *arg)
{
	struct client *c;
	int error;

	pthread_mutex_lock(&lock);
	c = find(fd);
	error = c ? fake_call(c, request, arg) : -1;
	pthread_mutex_unlock(&lock);
	return error;
}

/* ---- HIP ---------------------------------------------------------------- */

int hipStreamQuery(hipStream_t handle);
int hipStreamSynchronize(hipStream_t handle);
int hipMalloc(void **memory, size_t size);
int hipMemsetAsync(void *memory, int value, size_t size, hipStream_t handle);

hipStream_t fake_stream(struct fake_stream *stream)
{
	return (hipStream_t)stream;
}

static void work_briefly(uint64_t queue)
{
	fake_work(queue, true);
	fake_work(queue, false);
}

int hipStreamQuery(hipStream_t handle)
{
	struct fake_stream *stream = (struct fake_stream *)handle;

	if (!stream->pending)
		return stream->busy ? 600 : 0;
	if (!--stream->pending)
		work_briefly(stream->queue);
	return 600;
}

int hipStreamSynchronize(hipStream_t handle)
{
	return ((struct fake_stream *)handle)->busy ? 1 : 0;
}

int hipMalloc(void **memory, size_t size)
{
	*memory = malloc(size);
	return !*memory;
}

int hipMemsetAsync(void *memory, int value, size_t size, hipStream_t handle)
{
	struct fake_stream *stream = (struct fake_stream *)handle;

	unsigned int n = stream->memsets++;
	bool noticed = n >= stream->missed;

	memset(memory, value, size);
	if (stream->noise && (stream->missed ? !noticed : n % 2))
		work_briefly(stream->noise);
	stream->pending = stream->slow;
	if (noticed && !stream->slow)
		work_briefly(stream->queue);
	return 0;
}
