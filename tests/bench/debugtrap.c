// SPDX-License-Identifier: MIT
/* The debugger's way to stop queues. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#include "debugtrap.h"

/* From Linux 6.5 on in <linux/kfd_ioctl.h>; older headers lack them. */
enum {
	TRAP_ENABLE = 0,
	TRAP_DISABLE = 1,
	TRAP_SUSPEND_QUEUES = 6,
	TRAP_RESUME_QUEUES = 7,
	TRAP_QUEUE_SNAPSHOT = 13,
};

#define EC_QUEUE_NEW_MASK	(1ULL << 30)
#define QUEUE_FAILED		(3U << 30)	/* KFD_DBG_QUEUE_ERROR_MASK, _INVALID_MASK */

struct trap_args {
	uint32_t pid;
	uint32_t op;
	union {
		struct {
			uint64_t exception_mask;
			uint64_t rinfo;
			uint32_t rinfo_size;
			uint32_t dbg_fd;
		} enable;
		struct {
			uint64_t exception_mask;
			uint64_t queues;
			uint32_t count;
			uint32_t grace;
		} suspend;
		struct {
			uint64_t queues;
			uint32_t count;
			uint32_t pad;
		} resume;
		struct {
			uint64_t exception_mask;
			uint64_t buffer;
			uint32_t count;
			uint32_t entry_size;
		} snapshot;
	};
};

#define IOC_DBG_TRAP		AMDKFD_IOWR(0x26, struct trap_args)
#define SNAPSHOT_BYTES		64
#define RUNTIME_INFO_BYTES	64

static int kfd = -1;
static int events = -1;

static int trap(struct trap_args *args)
{
	int ret = ioctl(kfd, IOC_DBG_TRAP, args);

	return ret < 0 ? -errno : ret;
}

/* Queues the debugger has not seen yet cannot be suspended. */
static int see_queues(const struct fleet_member *m)
{
	void *buffer = calloc(m->queues, SNAPSHOT_BYTES);
	struct trap_args args = {
		.pid = (uint32_t)m->pid,
		.op = TRAP_QUEUE_SNAPSHOT,
		.snapshot = {
			.exception_mask = EC_QUEUE_NEW_MASK,
			.buffer = (uintptr_t)buffer,
			.count = m->queues,
			.entry_size = SNAPSHOT_BYTES,
		},
	};
	int ret = buffer ? trap(&args) : -ENOMEM;

	free(buffer);
	return ret;
}

static int attach(const struct fleet_member *m)
{
	char info[RUNTIME_INFO_BYTES];
	struct trap_args args = {
		.pid = (uint32_t)m->pid,
		.op = TRAP_ENABLE,
		.enable = {
			.rinfo = (uintptr_t)info,
			.rinfo_size = sizeof(info),
			.dbg_fd = (uint32_t)events,
		},
	};
	int ret;

	if (ptrace(PTRACE_SEIZE, m->pid, NULL, NULL))
		return -errno;
	ret = trap(&args);
	return ret ? ret : see_queues(m);
}

int debugtrap_attach(const struct fleet *f)
{
	unsigned int i;
	int ret = 0;

	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	events = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (kfd < 0 || events < 0)
		return -errno;
	for (i = 0; i < f->count && !ret; i++)
		ret = attach(&f->members[i]);
	return ret;
}

/* KFD writes into the array what became of each. */
static int change(const struct fleet_member *m, uint32_t op)
{
	uint32_t ids[m->queues];
	struct trap_args args = { .pid = (uint32_t)m->pid, .op = op };
	unsigned int i;
	int ret;

	memcpy(ids, m->ids, sizeof(ids));
	if (op == TRAP_SUSPEND_QUEUES) {
		/* no grace, as a switch of ours: amdkfd makes it the shortest there is */
		args.suspend.queues = (uintptr_t)ids;
		args.suspend.count = m->queues;
	} else {
		args.resume.queues = (uintptr_t)ids;
		args.resume.count = m->queues;
	}
	ret = trap(&args);
	for (i = 0; i < m->queues && ret >= 0; i++)
		if (ids[i] & QUEUE_FAILED)
			ret = -EIO;
	return ret;
}

static int change_all(const struct fleet *f, uint32_t op)
{
	int total = 0, ret;
	unsigned int i;

	for (i = 0; i < f->count; i++) {
		ret = change(&f->members[i], op);
		if (ret < 0)
			return ret;
		total += ret;
	}
	return total;
}

int debugtrap_suspend(const struct fleet *f)
{
	return change_all(f, TRAP_SUSPEND_QUEUES);
}

int debugtrap_resume(const struct fleet *f)
{
	return change_all(f, TRAP_RESUME_QUEUES);
}

void debugtrap_detach(const struct fleet *f)
{
	struct trap_args args = { .op = TRAP_DISABLE };
	unsigned int i;

	for (i = 0; i < f->count; i++) {
		args.pid = (uint32_t)f->members[i].pid;
		trap(&args);
	}
	if (events >= 0)
		close(events);
	if (kfd >= 0)
		close(kfd);
	kfd = -1;
	events = -1;
}
