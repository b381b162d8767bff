// SPDX-License-Identifier: MIT
/*
 * KFD's debug interface, as far as it stops and starts queues. KFD does not
 * suspend a queue its debugger has not heard of, so a snapshot comes first.
 */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#include "kfdq_debug.h"
#include "kfdq_fault.h"
#include "kfdq_priv.h"

/* From Linux 6.5 on in <linux/kfd_ioctl.h>; older headers lack them. */
enum operation {
	OP_ENABLE = 0,
	OP_DISABLE = 1,
	OP_SUSPEND_QUEUES = 6,
	OP_RESUME_QUEUES = 7,
	OP_QUEUE_SNAPSHOT = 13,
};

/**
 * struct debug - argument of AMDKFD_IOC_DBG_TRAP
 * @pid: the process to debug
 * @op: enum operation
 * @enable: of OP_ENABLE: where KFD describes the runtime, and the file it signals
 * @queues: of OP_SUSPEND_QUEUES and, without @exceptions, of OP_RESUME_QUEUES
 * @resume: of OP_RESUME_QUEUES
 * @snapshot: of OP_QUEUE_SNAPSHOT: @exceptions are cleared
 */
struct debug {
	uint32_t pid;
	uint32_t op;
	union {
		struct {
			uint64_t exceptions;
			uint64_t runtime_info;
			uint32_t runtime_info_size;
			uint32_t file;
		} enable;
		struct {
			uint64_t exceptions;
			uint64_t ids;
			uint32_t count;
			uint32_t grace;
		} queues;
		struct {
			uint64_t ids;
			uint32_t count;
			uint32_t pad;
		} resume;
		struct {
			uint64_t exceptions;
			uint64_t entries;
			uint32_t count;
			uint32_t entry_size;
		} snapshot;
	};
};

#define IOC_DEBUG		AMDKFD_IOWR(0x26, struct debug)
#define QUEUE_NEW		(1ULL << 30)	/* KFD_EC_MASK(EC_QUEUE_NEW) */
#define ID_REFUSED		0xc0000000u	/* error or unknown, in an id that comes back */
#define MAX_QUEUES		16
#define ENTRY_WORDS		8		/* of a snapshot */

int kfdq_debug_start(struct kfdq_device *dev)
{
	struct debug args = { .pid = (uint32_t)getpid(), .op = OP_ENABLE };
	uint64_t runtime_info[4];
	int ret = kfdq_exceptions_enable(dev);

	if (ret)
		return ret;
	args.enable.file = (uint32_t)eventfd(0, EFD_CLOEXEC);
	args.enable.runtime_info = (uintptr_t)runtime_info;
	args.enable.runtime_info_size = sizeof(runtime_info);
	return kfdq_ioctl(dev, IOC_DEBUG, &args);
}

static int know_queues(struct kfdq_device *dev)
{
	uint64_t entries[MAX_QUEUES][ENTRY_WORDS];
	struct debug args = {
		.pid = (uint32_t)getpid(),
		.op = OP_QUEUE_SNAPSHOT,
		.snapshot = {
			.exceptions = QUEUE_NEW,
			.entries = (uintptr_t)entries,
			.count = MAX_QUEUES,
			.entry_size = sizeof(entries[0]),
		},
	};

	return kfdq_ioctl(dev, IOC_DEBUG, &args);
}

/* KFD returns how many queues it stopped or started, and marks ids it could not. */
static int act(struct kfdq_device *dev, struct debug *args, uint32_t *id)
{
	int ret = kfdq_ioctl(dev, IOC_DEBUG, args);

	return !ret && *id & ID_REFUSED ? -EIO : ret;
}

int kfdq_debug_suspend(struct kfdq_device *dev, struct kfdq_queue *queue)
{
	uint32_t id = kfdq_queue_id(queue);
	struct debug args = {
		.pid = (uint32_t)getpid(),
		.op = OP_SUSPEND_QUEUES,
		.queues = { .ids = (uintptr_t)&id, .count = 1 },
	};
	int ret = know_queues(dev);

	return ret ? ret : act(dev, &args, &id);
}

int kfdq_debug_resume(struct kfdq_device *dev, struct kfdq_queue *queue)
{
	uint32_t id = kfdq_queue_id(queue);
	struct debug args = {
		.pid = (uint32_t)getpid(),
		.op = OP_RESUME_QUEUES,
		.resume = { .ids = (uintptr_t)&id, .count = 1 },
	};

	return act(dev, &args, &id);
}

int kfdq_debug_stop(struct kfdq_device *dev)
{
	struct debug args = { .pid = (uint32_t)getpid(), .op = OP_DISABLE };

	return kfdq_ioctl(dev, IOC_DEBUG, &args);
}
