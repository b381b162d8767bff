// SPDX-License-Identifier: MIT
/* A kernel for the daemon in the fuzzer's own process. */
#include "fuzz_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/kfd_xsched.h>

#include "fake_ioctl.h"
#include "fake_time.h"
#include "parts.h"

#define GPU		100
#define OTHER_GPU	200
#define LEASE_MS	2000

FILE *__wrap_device_open_file(uint32_t gpu_id, const char *name);
FILE *__wrap_device_open_module_file(const char *module, const char *name);

/**
 * struct queue - one that LIST reports
 * @id: its id
 * @pid: its process
 * @gpu_id: where it is
 * @held: by the daemon
 */
static struct queue {
	uint64_t id;
	int32_t pid;
	uint32_t gpu_id;
	bool held;
} queues[] = {
	{ 1, 101, GPU, false }, { 2, 101, GPU, false }, { 3, 102, GPU, false },
	{ 4, 102, OTHER_GPU, false }, { 5, 103, GPU, false }, { 6, 104, OTHER_GPU, false },
	{ 7, 105, GPU, false },
};

#define QUEUES	(sizeof(queues) / sizeof(queues[0]))

static int device = -1;
static uint8_t next_error;
static uint64_t switches;
static uint64_t last_armed;

/* ---- the device ---------------------------------------------------------- */

const char *kernel_device(void)
{
	static char path[128];

	if (*path)
		return path;
	snprintf(path, sizeof(path), "%s/dev", parts_directory());
	if (mkfifo(path, 0600)) {
		perror(path);
		abort();
	}
	device = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (device < 0)
		abort();
	return path;
}

void kernel_reset(void)
{
	struct kfd_xsched_event events[64];

	while (read(device, events, sizeof(events)) > 0)
		;
	for (size_t i = 0; i < QUEUES; i++)
		queues[i].held = false;
	next_error = 0;
	switches = 0;
	last_armed = 0;
}

void kernel_fail(uint8_t error)
{
	next_error = error;
}

static int take_error(void)
{
	int error = next_error;

	next_error = 0;
	return error;
}

void kernel_event(uint8_t type, uint8_t process, uint8_t queue, uint8_t data)
{
	const uint8_t which = process % (KERNEL_PIDS + 1);
	struct kfd_xsched_event event = {
		.type = type % (KFD_XSCHED_EVENT_DEMOTED + 2),
		.pid = which == KERNEL_PIDS ? 0 : KERNEL_FIRST_PID + which,
		.time_ns = fake_time()->now_ns,
		.id = queue % 16,
		.gpu_id = queue & 16 ? OTHER_GPU : GPU,
		.queue_id = queue,
		.data = data,
	};

	if (event.type == KFD_XSCHED_EVENT_ARMED)
		event.data |= data & 1 ? KFD_XSCHED_ARMED_READY : 0;
	if (write(device, &event, sizeof(event)) != sizeof(event))
		return;
}

/* ---- ioctls -------------------------------------------------------------- */

static int do_info(struct kfd_xsched_info *info)
{
	static const uint32_t gpu_ids[] = { GPU, OTHER_GPU };
	struct kfd_xsched_node *nodes = (void *)(uintptr_t)info->nodes;

	info->abi_version = KFD_XSCHED_ABI_VERSION;
	info->node_count = 2;
	for (uint32_t i = 0; i < 2 && i < info->node_capacity; i++)
		nodes[i] = (struct kfd_xsched_node){
			.gpu_id = gpu_ids[i],
			.backend = KFD_XSCHED_BACKEND_HWS,
			.caps = KFD_XSCHED_CAP_SUSPEND | (i ? 0 : KFD_XSCHED_CAP_UNMAP),
			.max_grace_us = i ? 0 : 100,
		};
	return 0;
}

static int do_list(struct kfd_xsched_list *list)
{
	struct kfd_xsched_queue *to = (void *)(uintptr_t)list->queues;

	list->count = QUEUES;
	for (uint32_t i = 0; i < QUEUES && i < list->capacity; i++)
		to[i] = (struct kfd_xsched_queue){
			.id = queues[i].id, .pid = queues[i].pid, .gpu_id = queues[i].gpu_id,
			.state = KFD_XSCHED_QUEUE_WATCHED |
				 (i & 1 ? KFD_XSCHED_QUEUE_READY : 0) |
				 (queues[i].held ? KFD_XSCHED_QUEUE_HELD : 0),
			.priority = KFD_XSCHED_PRIORITY_NORMAL,
			.holders = queues[i].held,
			.process = queues[i].pid,
		};
	return 0;
}

static bool concerns(const struct kfd_xsched_entry *entry, const struct queue *queue)
{
	return entry->id == (entry->target == KFD_XSCHED_TARGET_QUEUE ? queue->id :
			     (uint64_t)queue->pid);
}

static void change(const struct kfd_xsched_entry *entry)
{
	for (size_t i = 0; i < QUEUES; i++)
		if (concerns(entry, &queues[i]))
			queues[i].held = entry->op != KFD_XSCHED_OP_RESUME;
}

/* What an ASYNC call came to is an event; what any came to is on its first node. */
static int do_apply(int fd, struct kfd_xsched_apply *apply)
{
	struct kfd_xsched_entry *entries = (void *)(uintptr_t)apply->entries;
	struct kfd_xsched_node_result *node = (void *)(uintptr_t)apply->nodes;
	struct kfd_xsched_event done = {
		.type = KFD_XSCHED_EVENT_APPLY_DONE, .id = apply->cookie, .gpu_id = GPU,
		.queue_id = apply->count,
	};
	int error = take_error();

	fake_time()->now_ns += APPLY_NS;
	switches++;
	for (uint32_t i = 0; i < apply->count; i++) {
		entries[i].status = -error;
		if (!error)
			change(&entries[i]);
	}
	if (error)
		return error;
	if (apply->flags & KFD_XSCHED_APPLY_ASYNC) {
		done.time_ns = fake_time()->now_ns;
		return write(fd, &done, sizeof(done)) == sizeof(done) ? 0 : EAGAIN;
	}
	apply->node_count = 1;
	if (apply->node_capacity)
		*node = (struct kfd_xsched_node_result){
			.gpu_id = GPU, .flips = apply->count, .fw_transactions = 1,
			.total_ns = APPLY_NS,
		};
	return 0;
}

static int do_arm(struct kfd_xsched_arm *arm)
{
	int error = arm->op == KFD_XSCHED_ARM_SET ? take_error() : 0;

	if (!error && arm->op == KFD_XSCHED_ARM_SET)
		arm->id = ++last_armed;
	return error;
}

static int do_renew(struct kfd_xsched_renew *renew)
{
	renew->lease_ms = LEASE_MS;
	renew->client = 1;
	renew->ejected = KFD_XSCHED_EJECT_NONE;
	return 0;
}

int fake_ioctl(int fd, unsigned long request, void *arg)
{
	switch (request) {
	case KFD_XSCHED_INFO:
		return do_info(arg);
	case KFD_XSCHED_LIST:
		return do_list(arg);
	case KFD_XSCHED_APPLY:
		return do_apply(fd, arg);
	case KFD_XSCHED_ARM:
		return do_arm(arg);
	case KFD_XSCHED_PARK:
		return take_error();
	case KFD_XSCHED_SUBSCRIBE:
		return 0;
	case KFD_XSCHED_RENEW:
		return do_renew(arg);
	default:
		return -1;
	}
}

/* ---- files --------------------------------------------------------------- */

FILE *__wrap_device_open_file(uint32_t gpu_id, const char *name)
{
	static char text[64];

	(void)gpu_id;
	if (!strcmp(name, "latency/total"))
		snprintf(text, sizeof(text), "28672 %llu\n262144 1\n",
			 (unsigned long long)switches);
	else
		snprintf(text, sizeof(text), "%llu\n", (unsigned long long)switches);
	return fmemopen(text, strlen(text), "r");
}

FILE *__wrap_device_open_module_file(const char *module, const char *name)
{
	static char text[] = "0123456789ABCDEF0123456\n";

	(void)module;
	return strcmp(name, "srcversion") ? NULL : fmemopen(text, strlen(text), "r");
}
