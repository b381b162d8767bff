// SPDX-License-Identifier: MIT
/*
 * Buffers: allocated by KFD at an address chosen here, so that CPU and GPU
 * agree on it without any SVM.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/kfd_ioctl.h>

#include "kfdq_priv.h"

static uint32_t memory_flags(enum kfdq_memory kind, bool writable)
{
	uint32_t flags = (writable ? KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE : 0) |
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;

	switch (kind) {
	case KFDQ_VRAM:
		return flags | KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
	case KFDQ_USERPTR:
		return flags | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
	case KFDQ_GTT:
		break;
	}
	return flags | KFD_IOC_ALLOC_MEM_FLAGS_GTT;
}

static int map_to_gpu(struct kfdq_device *dev, uint64_t handle)
{
	uint32_t ids[] = { dev->gpu_id };
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)ids,
		.n_devices = 1,
	};

	return kfdq_ioctl(dev, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map);
}

int kfdq_map(struct kfdq_device *dev, const struct kfdq_buffer *buf)
{
	return map_to_gpu(dev, buf->handle);
}

static void free_bo(struct kfdq_device *dev, uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = handle };

	kfdq_ioctl(dev, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
}

/* A buffer of the driver replaces the reservation at its address. */
static int map_to_cpu(struct kfdq_device *dev, void *addr, size_t size, uint64_t offset)
{
	void *p = mmap(addr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		       dev->drm, (off_t)offset);

	return p == MAP_FAILED ? -errno : 0;
}

/* @out->addr and @out->size are mapped: there it shall be. */
static int alloc_at(struct kfdq_device *dev, enum kfdq_memory kind, bool writable,
		    struct kfdq_buffer *out)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = { 0 };
	size_t size = out->size;
	int ret;

	args.va_addr = (uintptr_t)out->addr;
	args.size = size;
	args.gpu_id = dev->gpu_id;
	args.flags = memory_flags(kind, writable);
	if (kind == KFDQ_USERPTR) {
		/* fork() would make them copy-on-write, and the GPU lose them. */
		madvise(out->addr, size, MADV_DONTFORK);
		args.mmap_offset = (uintptr_t)out->addr;
	}
	ret = kfdq_ioctl(dev, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args);
	if (ret)
		goto unmap;
	out->handle = args.handle;
	if (kind != KFDQ_USERPTR)
		ret = map_to_cpu(dev, out->addr, size, args.mmap_offset);
	if (!ret)
		ret = map_to_gpu(dev, args.handle);
	if (!ret) {
		if (kind == KFDQ_VRAM)
			memset(out->addr, 0, size);
		return 0;
	}
	free_bo(dev, args.handle);
unmap:
	munmap(out->addr, size);
	memset(out, 0, sizeof(*out));
	return ret;
}

static int map_memory(size_t size, int flags, int fd, uint64_t offset, struct kfdq_buffer *out)
{
	size = kfdq_align(size, KFDQ_PAGE);
	out->addr = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, (off_t)offset);
	if (out->addr == MAP_FAILED) {
		out->addr = NULL;
		return -errno;
	}
	out->size = size;
	return 0;
}

static int alloc(struct kfdq_device *dev, enum kfdq_memory kind, bool writable, size_t size,
		 struct kfdq_buffer *out)
{
	int ret = map_memory(size, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, out);

	return ret ? ret : alloc_at(dev, kind, writable, out);
}

int kfdq_alloc(struct kfdq_device *dev, enum kfdq_memory kind, size_t size,
	       struct kfdq_buffer *out)
{
	return alloc(dev, kind, true, size, out);
}

int kfdq_alloc_read_only(struct kfdq_device *dev, enum kfdq_memory kind, size_t size,
			 struct kfdq_buffer *out)
{
	return alloc(dev, kind, false, size, out);
}

int kfdq_alloc_file(struct kfdq_device *dev, int fd, uint64_t offset, size_t size,
		    struct kfdq_buffer *out)
{
	int ret = map_memory(size, MAP_SHARED, fd, offset, out);

	return ret ? ret : alloc_at(dev, KFDQ_USERPTR, true, out);
}

void kfdq_free(struct kfdq_device *dev, struct kfdq_buffer *buf)
{
	uint32_t ids[] = { dev->gpu_id };
	struct kfd_ioctl_unmap_memory_from_gpu_args unmap = {
		.handle = buf->handle,
		.device_ids_array_ptr = (uintptr_t)ids,
		.n_devices = 1,
	};

	if (!buf->addr)
		return;
	kfdq_ioctl(dev, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap);
	free_bo(dev, buf->handle);
	munmap(buf->addr, buf->size);
	memset(buf, 0, sizeof(*buf));
}
