// SPDX-License-Identifier: MIT
/* Processes with queues. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "fleet.h"
#include "gpustat.h"
#include "kfdq_fault.h"
#include "spin.h"
#include "xsdev.h"

#define WORKGROUP_SIZE	256
#define FOREVER_NS	1000000000000ULL
#define RING_PACKETS	64
#define FULL_PERCENT	95
#define SETTLE_TRIES	200	/* ms */

/*
 * KFD takes only whole save areas, tens of MiB a queue. So they overlap in one
 * file: each begins a step after the one before, and the model, which saves
 * little, writes less than a step.
 */
#define SAVE_STEP	65536UL
#define SAVE_MAX	(256UL << 20)

/* Where the next process's first save area begins. */
static uint64_t save_at;

/**
 * struct ready - what a process says when it has its queues
 * @ret: 0 or -errno
 * @waves: that fill the GPU
 */
struct ready {
	int ret;
	uint32_t waves;
};

/* Waves that fill the GPU, as its topology has them. */
static int count_waves(struct kfdq_device *dev, uint32_t *waves, uint32_t *lanes)
{
	uint64_t simds, per_simd, lanes64;

	if (kfdq_property(dev, "simd_count", &simds) ||
	    kfdq_property(dev, "max_waves_per_simd", &per_simd) ||
	    kfdq_property(dev, "wave_front_size", &lanes64))
		return -ENOENT;
	*waves = (uint32_t)(simds * per_simd);
	*lanes = (uint32_t)lanes64;
	return 0;
}

static int add_queue(struct kfdq_device *dev, struct spin_set *set, const struct spin_shape *shape,
		     int save_fd, uint64_t save_offset, uint32_t *id)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	struct kfdq_queue *queue;
	int ret;

	options.packets = RING_PACKETS;
	options.save_fd = save_fd;
	options.save_offset = save_offset;
	ret = kfdq_queue_create(dev, &options, &queue);
	if (ret)
		return ret;
	*id = kfdq_queue_id(queue);
	return shape->workgroups ? spin_submit(set, queue, shape, 1, NULL) : 0;
}

static int own_queues(const struct fleet_member *m, bool busy, int save_fd, uint64_t save_offset,
		      uint32_t *waves)
{
	struct spin_shape shape = {
		.workgroup_size = WORKGROUP_SIZE,
		.workgroup_ns = FOREVER_NS,
	};
	struct kfdq_device *dev;
	uint32_t lanes;
	struct spin_set set;
	unsigned int i;
	int ret;

	ret = kfdq_open(&dev);
	/* As a runtime does: without, no debugger can suspend its queues. */
	if (!ret)
		ret = kfdq_exceptions_enable(dev);
	if (!ret)
		ret = count_waves(dev, waves, &lanes);
	if (!ret)
		ret = spin_set_init(&set, dev, m->queues, m->queues);
	if (!ret && busy)
		shape.workgroups = *waves * lanes / WORKGROUP_SIZE;
	for (i = 0; i < m->queues && !ret; i++)
		ret = add_queue(dev, &set, &shape, save_fd, save_offset + i * SAVE_STEP, &m->ids[i]);
	return ret;
}

/* Does not return. */
static void child(const struct fleet_member *m, int sock, bool busy, int save_fd, uint64_t offset)
{
	struct ready ready = { 0 };
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ready.ret = own_queues(m, busy, save_fd, offset, &ready.waves);
	if (send(sock, &ready, sizeof(ready), MSG_NOSIGNAL) != sizeof(ready) || ready.ret)
		_exit(1);
	while (recv(sock, &c, 1, 0) > 0)
		;
	_exit(0);
}

static int start_member(struct fleet *f, struct fleet_member *m, bool busy)
{
	struct ready ready;

	m->ids = mmap(NULL, m->queues * sizeof(*m->ids), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (m->ids == MAP_FAILED)
		return -errno;
	m->pid = child_fork(&m->sock);
	if (m->pid < 0)
		return m->pid;
	if (!m->pid)
		child(m, m->sock, busy, f->save_fd, save_at);
	f->count++;
	save_at += m->queues * SAVE_STEP;
	if (recv(m->sock, &ready, sizeof(ready), 0) != sizeof(ready))
		return -EPIPE;
	f->waves = ready.waves;
	return ready.ret;
}

int fleet_start(struct fleet *f, unsigned int processes, unsigned int queues, bool busy)
{
	unsigned int i;
	int ret = 0;

	memset(f, 0, sizeof(*f));
	save_at = 0;
	f->members = calloc(processes, sizeof(*f->members));
	f->save_fd = memfd_create("save-areas", MFD_CLOEXEC);
	if (!f->members || f->save_fd < 0 ||
	    ftruncate(f->save_fd, (off_t)(SAVE_MAX + queues * SAVE_STEP)))
		return -ENOMEM;
	for (i = 0; i < processes && !ret; i++) {
		f->members[i].queues = queues / processes + (i < queues % processes);
		ret = start_member(f, &f->members[i], busy);
	}
	return ret;
}

int fleet_settle(const struct fleet *f, bool busy)
{
	long want = busy ? (long)f->waves * FULL_PERCENT / 100 : 0;
	int tries;

	xsdev_sleep_ms(1);
	for (tries = 0; gpustat("resident_waves") < want; tries++) {
		if (tries == SETTLE_TRIES)
			return -ETIME;
		xsdev_sleep_ms(1);
	}
	return 0;
}

void fleet_entries(const struct fleet *f, unsigned int count, uint32_t op,
		   struct kfd_xsched_entry *entries)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		entries[i] = (struct kfd_xsched_entry){
			.op = op,
			.target = KFD_XSCHED_TARGET_PROCESS,
			.id = (uint64_t)f->members[i].pid,
		};
}

void fleet_stop(struct fleet *f)
{
	unsigned int i;

	for (i = 0; i < f->count; i++) {
		/* its siblings have the socket open, too */
		shutdown(f->members[i].sock, SHUT_RDWR);
		close(f->members[i].sock);
		while (waitpid(f->members[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
		munmap(f->members[i].ids, f->members[i].queues * sizeof(uint32_t));
	}
	if (f->save_fd > 0)
		close(f->save_fd);
	free(f->members);
	memset(f, 0, sizeof(*f));
}
