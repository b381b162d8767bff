// SPDX-License-Identifier: MIT
/*
 * The device: /dev/kfd, its topology, and the render node whose address space
 * the queues use.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#include "kfdq_priv.h"

#define TOPOLOGY	"/sys/class/kfd/kfd/topology/nodes"
#define MAX_NODES	128
#define DOORBELLS	8192UL	/* 1024 of 8 bytes a process */

/* Linux 7 has it, with version 1.19 of this interface; headers of 6.12 lack it. */
#define FIRST_WITH_CONTEXTS	19
#ifndef AMDKFD_IOC_CREATE_PROCESS
#define AMDKFD_IOC_CREATE_PROCESS	AMDKFD_IO(0x27)
#endif

int kfdq_ioctl(const struct kfdq_device *dev, unsigned long request, void *arg)
{
	while (ioctl(dev->kfd, request, arg) < 0) {
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
	return 0;
}

/* Nodes without a GPU have an id of zero: pass over @gpu of the others. */
static int find_gpu(struct kfdq_device *dev, unsigned int gpu)
{
	char path[128];
	FILE *f;
	int node, n;

	for (node = 0; node < MAX_NODES; node++) {
		snprintf(path, sizeof(path), TOPOLOGY "/%d/gpu_id", node);
		f = fopen(path, "re");
		if (!f)
			return -ENODEV;
		n = fscanf(f, "%u", &dev->gpu_id);
		fclose(f);
		if (n == 1 && dev->gpu_id && !gpu--) {
			dev->node = node;
			return 0;
		}
	}
	return -ENODEV;
}

int kfdq_property(const struct kfdq_device *dev, const char *name, uint64_t *value)
{
	char path[128], key[64];
	unsigned long long v;
	int ret = -ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), TOPOLOGY "/%d/properties", dev->node);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fscanf(f, "%63s %llu", key, &v) == 2) {
		if (strcmp(key, name))
			continue;
		*value = v;
		ret = 0;
		break;
	}
	fclose(f);
	return ret;
}

static int open_render_node(struct kfdq_device *dev)
{
	struct kfd_ioctl_acquire_vm_args acquire = { 0 };
	char path[64];
	uint64_t minor;
	int ret;

	ret = kfdq_property(dev, "drm_render_minor", &minor);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/dev/dri/renderD%u", (unsigned int)minor);
	dev->drm = open(path, O_RDWR | O_CLOEXEC);
	if (dev->drm < 0)
		return -errno;
	acquire.drm_fd = dev->drm;
	acquire.gpu_id = dev->gpu_id;
	return kfdq_ioctl(dev, AMDKFD_IOC_ACQUIRE_VM, &acquire);
}

/* Older drivers have other numbers, or none, for it. */
static int create_context(const struct kfdq_device *dev)
{
	struct kfd_ioctl_get_version_args version = { 0 };
	int ret = kfdq_ioctl(dev, AMDKFD_IOC_GET_VERSION, &version);

	if (ret)
		return ret;
	if (version.major_version == 1 && version.minor_version < FIRST_WITH_CONTEXTS)
		return -ENOTTY;
	return kfdq_ioctl(dev, AMDKFD_IOC_CREATE_PROCESS, NULL);
}

static int open_device(unsigned int gpu, bool context, struct kfdq_device **out)
{
	struct kfdq_device *dev = calloc(1, sizeof(*dev));
	int ret;

	if (!dev)
		return -ENOMEM;
	dev->drm = -1;
	dev->kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	ret = dev->kfd < 0 ? -errno : find_gpu(dev, gpu);
	if (!ret && context)
		ret = create_context(dev);
	if (!ret)
		ret = open_render_node(dev);
	if (ret) {
		kfdq_close(dev);
		return ret;
	}
	*out = dev;
	return 0;
}

int kfdq_open_gpu(unsigned int gpu, struct kfdq_device **out)
{
	return open_device(gpu, false, out);
}

int kfdq_open(struct kfdq_device **out)
{
	return open_device(0, false, out);
}

int kfdq_open_context(struct kfdq_device **out)
{
	return open_device(0, true, out);
}

int kfdq_open_peer(struct kfdq_device *first, unsigned int gpu, struct kfdq_device **out)
{
	int ret = kfdq_open_gpu(gpu, out);

	if (!ret)
		(*out)->first = first;
	return ret;
}

void kfdq_close(struct kfdq_device *dev)
{
	if (!dev)
		return;
	if (dev->doorbells)
		munmap(dev->doorbells, dev->doorbells_size);
	kfdq_free(dev, &dev->signals);
	/* The event page stays KFD's until the process ends. */
	if (dev->drm >= 0)
		close(dev->drm);
	if (dev->kfd >= 0)
		close(dev->kfd);
	free(dev);
}

int kfdq_doorbell(struct kfdq_device *dev, uint64_t offset, volatile uint64_t **out)
{
	void *p;

	if (!dev->doorbells) {
		p = mmap(NULL, DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED, dev->kfd,
			 (off_t)(offset & ~(DOORBELLS - 1)));
		if (p == MAP_FAILED)
			return -errno;
		dev->doorbells = p;
		dev->doorbells_size = DOORBELLS;
	}
	*out = (volatile uint64_t *)((char *)dev->doorbells + (offset & (DOORBELLS - 1)));
	return 0;
}

uint32_t kfdq_gpu_id(const struct kfdq_device *dev)
{
	return dev->gpu_id;
}
