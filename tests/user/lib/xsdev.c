// SPDX-License-Identifier: MIT
/* /dev/kfd_xsched for tests. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "xsdev.h"

int xsdev_open(void)
{
	int fd = open(XSDEV_PATH, O_RDWR | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int xsdev_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

int xsdev_nodes(int fd, struct kfd_xsched_node *nodes, uint32_t capacity)
{
	struct kfd_xsched_info info = {
		.size = sizeof(info),
		.node_capacity = capacity,
		.node_stride = sizeof(*nodes),
		.nodes = (uintptr_t)nodes,
	};
	int ret = xsdev_ioctl(fd, KFD_XSCHED_INFO, &info);

	return ret ? ret : (int)info.node_count;
}

int xsdev_node(int fd, struct kfd_xsched_node *out)
{
	int ret = xsdev_nodes(fd, out, 1);

	return ret > 0 ? 0 : ret ? ret : -ENODEV;
}

unsigned int xsdev_node_count(int fd)
{
	int ret = xsdev_nodes(fd, NULL, 0);

	return ret < 0 ? 0 : (unsigned int)ret;
}

bool xsdev_can(int fd, uint32_t caps)
{
	struct kfd_xsched_node node;

	return !xsdev_node(fd, &node) && (node.caps & caps) == caps;
}

unsigned int xsdev_transactions(int fd, unsigned int queues)
{
	struct kfd_xsched_node node;

	if (!queues || xsdev_node(fd, &node))
		return 0;
	return node.backend == KFD_XSCHED_BACKEND_MES ? queues : 1;
}

int xsdev_apply(int fd, struct kfd_xsched_entry *entries, uint32_t count,
		struct kfd_xsched_node_result *node)
{
	struct kfd_xsched_apply apply = {
		.size = sizeof(apply),
		.count = count,
		.stride = sizeof(*entries),
		.entries = (uintptr_t)entries,
		.node_capacity = node ? 1 : 0,
		.node_stride = sizeof(*node),
		.nodes = (uintptr_t)node,
	};

	if (node)
		memset(node, 0, sizeof(*node));
	return xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply);
}

int xsdev_apply_async(int fd, struct kfd_xsched_entry *entries, uint32_t count, uint64_t cookie)
{
	struct kfd_xsched_apply apply = {
		.size = sizeof(apply),
		.flags = KFD_XSCHED_APPLY_ASYNC,
		.count = count,
		.stride = sizeof(*entries),
		.entries = (uintptr_t)entries,
		.cookie = cookie,
	};

	return xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply);
}

static int apply_one(int fd, uint32_t op, uint32_t target, uint64_t id, int32_t value,
		     struct kfd_xsched_node_result *node)
{
	struct kfd_xsched_entry entry = { .op = op, .target = target, .id = id, .value = value };

	return xsdev_apply(fd, &entry, 1, node);
}

int xsdev_queue_op(int fd, uint32_t op, uint64_t id, int32_t value,
		   struct kfd_xsched_node_result *node)
{
	return apply_one(fd, op, KFD_XSCHED_TARGET_QUEUE, id, value, node);
}

int xsdev_process_op(int fd, uint32_t op, pid_t pid, int32_t value,
		     struct kfd_xsched_node_result *node)
{
	return apply_one(fd, op, KFD_XSCHED_TARGET_PROCESS, (uint64_t)pid, value, node);
}

int xsdev_tenant_op(int fd, uint32_t op, uint64_t id, int32_t value,
		    struct kfd_xsched_node_result *node)
{
	return apply_one(fd, op, KFD_XSCHED_TARGET_TENANT, id, value, node);
}

int xsdev_tenant(int fd, uint32_t op, uint64_t id, pid_t pid)
{
	struct kfd_xsched_tenant tenant = {
		.size = sizeof(tenant),
		.op = op,
		.id = id,
		.process = (uint64_t)pid,
	};
	int ret = xsdev_ioctl(fd, KFD_XSCHED_TENANT, &tenant);

	return ret || op != KFD_XSCHED_TENANT_CREATE ? ret : (int)tenant.id;
}

int xsdev_park(int fd, uint32_t op, pid_t pid, uint32_t idle_ms)
{
	struct kfd_xsched_park park = {
		.size = sizeof(park),
		.op = op,
		.target = KFD_XSCHED_TARGET_PROCESS,
		.id = (uint64_t)pid,
		.idle_ms = idle_ms,
	};

	return xsdev_ioctl(fd, KFD_XSCHED_PARK, &park);
}

int xsdev_list(int fd, struct kfd_xsched_queue *queues, uint32_t capacity)
{
	struct kfd_xsched_list list = {
		.size = sizeof(list),
		.capacity = capacity,
		.stride = sizeof(*queues),
		.queues = (uintptr_t)queues,
	};
	int ret = xsdev_ioctl(fd, KFD_XSCHED_LIST, &list);

	return ret ? ret : (int)list.count;
}

static int find(int fd, pid_t pid, bool any, uint32_t queue_id, struct kfd_xsched_queue *out)
{
	struct kfd_xsched_queue queues[256];
	int n = xsdev_list(fd, queues, 256), i;

	for (i = 0; i < n && i < 256; i++) {
		if (queues[i].pid == pid && (any || queues[i].queue_id == queue_id)) {
			*out = queues[i];
			return 0;
		}
	}
	return n < 0 ? n : -ENOENT;
}

int xsdev_find(int fd, pid_t pid, uint32_t queue_id, struct kfd_xsched_queue *out)
{
	return find(fd, pid, false, queue_id, out);
}

int xsdev_find_first(int fd, pid_t pid, struct kfd_xsched_queue *out)
{
	return find(fd, pid, true, 0, out);
}

int xsdev_subscribe(int fd, uint32_t events, uint32_t sample_us, uint32_t settle_us)
{
	struct kfd_xsched_subscribe subscribe = {
		.size = sizeof(subscribe),
		.events = events,
		.sample_us = sample_us,
		.settle_us = settle_us,
	};

	return xsdev_ioctl(fd, KFD_XSCHED_SUBSCRIBE, &subscribe);
}

int xsdev_wait_event(int fd, uint32_t type, pid_t pid, int timeout_ms,
		     struct kfd_xsched_event *out)
{
	uint64_t deadline = xsdev_now() + (uint64_t)timeout_ms * 1000000;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now;
	ssize_t n;

	for (;;) {
		/* One record at a time: those behind it stay for the next call. */
		n = read(fd, out, sizeof(*out));
		if (n == sizeof(*out) && out->type == type && (!pid || out->pid == pid))
			return 0;
		if (n == sizeof(*out))
			continue;
		if (n >= 0 || errno != EAGAIN)
			return n < 0 ? -errno : -EIO;
		now = xsdev_now();
		if (now >= deadline)
			return -ETIME;
		if (poll(&p, 1, (int)((deadline - now) / 1000000) + 1) < 0 && errno != EINTR)
			return -errno;
	}
}

int xsdev_wait_queues(int fd, unsigned int most, int timeout_ms)
{
	uint64_t deadline = xsdev_now() + (uint64_t)timeout_ms * 1000000;
	int n;

	while ((n = xsdev_list(fd, NULL, 0)) > (int)most) {
		if (xsdev_now() > deadline)
			return -ETIME;
		xsdev_sleep_ms(10);
	}
	return n < 0 ? n : 0;
}

int xsdev_wait_no_queue(int fd, int timeout_ms)
{
	return xsdev_wait_queues(fd, 0, timeout_ms);
}

uint64_t xsdev_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

void xsdev_sleep_ms(unsigned int ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}
