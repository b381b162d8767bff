// SPDX-License-Identifier: MIT
/* Checkpoint and restore of a GPU process, as CRIU's plugin for amdgpu does it. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#include "criu.h"

#define PAGE		4096UL
#define MAX_DEVICES	8
#define MAX_BUFFERS	64
#define MAX_PRIVATE	(256UL << 10)
#define MAX_PAGES	4096
#define BUFFERS		(KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT)

/**
 * struct page - a page of memory that is not all zeros
 * @addr: where
 * @content: what
 */
struct page {
	uint64_t addr;
	char content[PAGE];
};

/*
 * The image. It has no mapping of its own, so that none of the restored process's
 * is where this process has one.
 */
static struct kfd_ioctl_criu_args info;
static struct kfd_criu_device_bucket devices[MAX_DEVICES];
static struct kfd_criu_bo_bucket buffers[MAX_BUFFERS];
static char private_data[MAX_PRIVATE];
static struct page pages[MAX_PAGES];
static unsigned int page_count;
static char render_node[64];

/* The first file of a process with such a name: its descriptor, or -ENOENT. */
static int find_file(pid_t pid, const char *pattern, char *name, size_t size)
{
	char path[300];
	struct dirent *e;
	int fd = -ENOENT;
	ssize_t n;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && fd < 0 && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, e->d_name);
		n = isdigit((unsigned char)e->d_name[0]) ? readlink(path, name, size - 1) : -1;
		if (n < 0)
			continue;
		name[n] = '\0';
		if (!fnmatch(pattern, name, FNM_PATHNAME))
			fd = atoi(e->d_name);
	}
	if (dir)
		closedir(dir);
	return fd;
}

static int copy_of_file(pid_t pid, int fd)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0), copy;

	if (process < 0)
		return -errno;
	copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	if (copy < 0)
		copy = -errno;
	close(process);
	return copy;
}

int criu_freeze(pid_t pid)
{
	char name[64];
	int fd;

	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) ||
	    waitpid(pid, NULL, __WALL) != pid)
		return -errno;
	fd = find_file(pid, "/dev/dri/renderD*", render_node, sizeof(render_node));
	if (fd >= 0)
		fd = find_file(pid, "/dev/kfd", name, sizeof(name));
	return fd < 0 ? fd : copy_of_file(pid, fd);
}

void criu_thaw(pid_t pid, int kfd)
{
	close(kfd);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static int criu_op(int kfd, enum kfd_criu_op op, struct kfd_ioctl_criu_args *args)
{
	args->op = op;
	return ioctl(kfd, AMDKFD_IOC_CRIU_OP, args) ? -errno : 0;
}

int criu_process_info(int kfd)
{
	memset(&info, 0, sizeof(info));
	return criu_op(kfd, KFD_CRIU_OP_PROCESS_INFO, &info);
}

int criu_unpause(int kfd)
{
	struct kfd_ioctl_criu_args args = { 0 };

	return criu_op(kfd, KFD_CRIU_OP_UNPAUSE, &args);
}

uint32_t criu_objects(void)
{
	return info.num_objects;
}

static bool is_zero(const char *page)
{
	return !page[0] && !memcmp(page, page + 1, PAGE - 1);
}

/* Keep what is not zero. */
static int save_pages(uint64_t addr, const char *content, uint64_t size)
{
	uint64_t at;

	for (at = 0; at < size; at += PAGE) {
		if (is_zero(content + at))
			continue;
		if (page_count == MAX_PAGES)
			return -ENOSPC;
		pages[page_count].addr = addr + at;
		memcpy(pages[page_count++].content, content + at, PAGE);
	}
	return 0;
}

/* KFD gives a file for each buffer, which would keep it alive. */
static int save_buffer(const struct kfd_criu_bo_bucket *b)
{
	void *content;
	int ret;

	if (!(b->alloc_flags & BUFFERS))
		return -EOPNOTSUPP;
	content = mmap(NULL, b->size, PROT_READ, MAP_SHARED, (int)b->dmabuf_fd, 0);
	if (content == MAP_FAILED)
		return -errno;
	ret = save_pages(b->addr, content, b->size);
	munmap(content, b->size);
	close((int)b->dmabuf_fd);
	return ret;
}

int criu_checkpoint(int kfd)
{
	unsigned int i;
	int ret;

	if (info.num_devices > MAX_DEVICES || info.num_bos > MAX_BUFFERS ||
	    info.priv_data_size > MAX_PRIVATE)
		return -ENOSPC;
	memset(buffers, 0, sizeof(buffers));
	info.devices = (uintptr_t)devices;
	info.bos = (uintptr_t)buffers;
	info.priv_data = (uintptr_t)private_data;
	ret = criu_op(kfd, KFD_CRIU_OP_CHECKPOINT, &info);
	page_count = 0;
	for (i = 0; i < info.num_bos && !ret; i++)
		ret = save_buffer(&buffers[i]);
	return ret;
}

static int map_buffer(int drm, const struct kfd_criu_bo_bucket *b)
{
	void *at = (void *)(uintptr_t)b->addr;
	void *p = mmap(at, b->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, drm,
		       (off_t)b->restored_offset);

	if (p != at)
		return p == MAP_FAILED ? -errno : -EEXIST;
	if (b->alloc_flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM)
		memset(p, 0, b->size);
	close((int)b->dmabuf_fd);
	return 0;
}

int criu_restore(void)
{
	int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	int drm = open(render_node, O_RDWR | O_CLOEXEC);
	unsigned int i;
	int ret;

	if (kfd < 0 || drm < 0)
		return -errno;
	/* Of several GPUs each would have its own. */
	devices[0].drm_fd = (uint32_t)drm;
	ret = criu_op(kfd, KFD_CRIU_OP_RESTORE, &info);
	for (i = 0; i < info.num_bos && !ret; i++)
		ret = map_buffer(drm, &buffers[i]);
	for (i = 0; i < page_count && !ret; i++)
		memcpy((void *)(uintptr_t)pages[i].addr, pages[i].content, PAGE);
	return ret;
}

int criu_resume(pid_t pid)
{
	struct kfd_ioctl_criu_args args = { .pid = (uint32_t)pid };
	int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC), ret;

	if (kfd < 0)
		return -errno;
	ret = criu_op(kfd, KFD_CRIU_OP_RESUME, &args);
	close(kfd);
	return ret;
}
