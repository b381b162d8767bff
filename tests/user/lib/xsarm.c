// SPDX-License-Identifier: MIT
/* KFD_XSCHED_ARM for tests, and what a tap is known by. */
#include <errno.h>
#include <unistd.h>

#include "xsarm.h"

int xsarm_set(int fd, uint32_t trigger, uint64_t trigger_id,
	      struct kfd_xsched_entry *entries, uint32_t count)
{
	struct kfd_xsched_arm arg = {
		.size = sizeof(arg),
		.op = KFD_XSCHED_ARM_SET,
		.trigger = trigger,
		.trigger_id = trigger_id,
		.count = count,
		.stride = sizeof(*entries),
		.entries = (uintptr_t)entries,
	};
	int ret = xsdev_ioctl(fd, KFD_XSCHED_ARM, &arg);

	return ret ? ret : (int)arg.id;
}

int xsarm_suspend(int fd, pid_t trigger, pid_t target)
{
	struct kfd_xsched_entry entry = XSARM_ENTRY(SUSPEND, PROCESS, target, 0);

	return xsarm_set(fd, KFD_XSCHED_TARGET_PROCESS, (uint64_t)trigger, &entry, 1);
}

static int clear(int fd, uint64_t id, uint32_t flags)
{
	struct kfd_xsched_arm arg = {
		.size = sizeof(arg),
		.flags = flags,
		.op = KFD_XSCHED_ARM_CLEAR,
		.id = id,
	};

	return xsdev_ioctl(fd, KFD_XSCHED_ARM, &arg);
}

int xsarm_clear(int fd, uint64_t id)
{
	return clear(fd, id, 0);
}

int xsarm_clear_async(int fd, uint64_t id)
{
	return clear(fd, id, KFD_XSCHED_ARM_ASYNC);
}

int xsarm_wait(int fd, uint64_t id, bool ready, int timeout_ms, struct kfd_xsched_event *out)
{
	const uint64_t deadline = xsdev_now() + (uint64_t)timeout_ms * 1000000;
	uint64_t now;
	int ret;

	while ((now = xsdev_now()) < deadline) {
		ret = xsdev_wait_event(fd, KFD_XSCHED_EVENT_ARMED, 0,
				       (int)((deadline - now) / 1000000) + 1, out);
		if (ret)
			return ret;
		if (out->id == id && !!(out->data & KFD_XSCHED_ARMED_READY) == ready)
			return 0;
	}
	return -ETIME;
}

static int is_tapped(int fd, uint64_t queue)
{
	struct kfd_xsched_queue queues[64];
	int n = xsdev_list(fd, queues, 64), i;

	for (i = 0; i < n && i < 64; i++) {
		if (queues[i].id == queue)
			return !!(queues[i].state & KFD_XSCHED_QUEUE_TAPPED);
	}
	return n < 0 ? n : -ENOENT;
}

int xsarm_wait_tapped(int fd, uint64_t queue, bool tapped, int timeout_ms)
{
	int ret;

	while ((ret = is_tapped(fd, queue)) != tapped) {
		if (ret < 0 || timeout_ms-- <= 0)
			return ret < 0 ? ret : -ETIME;
		xsdev_sleep_ms(1);
	}
	return 0;
}

void xsarm_drain(int fd)
{
	struct kfd_xsched_event events[64];

	while (read(fd, events, sizeof(events)) > 0)
		;
}
