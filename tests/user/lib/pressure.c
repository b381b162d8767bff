// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm/amdgpu_drm.h>

#include "pressure.h"
#include "xsdev.h"

#define FIRST_MINOR	128
#define PIECE		(8ULL << 20)
#define PAGE		4096ULL

static int vram_size(int fd, uint64_t *size)
{
	struct drm_amdgpu_info_vram_gtt info = { 0 };
	struct drm_amdgpu_info arg = {
		.return_pointer = (uintptr_t)&info,
		.return_size = sizeof(info),
		.query = AMDGPU_INFO_VRAM_GTT,
	};

	if (ioctl(fd, DRM_IOCTL_AMDGPU_INFO, &arg))
		return -errno;
	*size = info.vram_size;
	return 0;
}

static int take_piece(int fd)
{
	union drm_amdgpu_gem_create arg = {
		.in = {
			.bo_size = PIECE,
			.alignment = PAGE,
			.domains = AMDGPU_GEM_DOMAIN_VRAM,
		},
	};

	return ioctl(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &arg) ? -errno : 0;
}

static int take_timed(int fd, uint64_t least_ns, struct pressure_wait *first)
{
	const uint64_t since = xsdev_now();
	const int ret = take_piece(fd);
	const uint64_t until = xsdev_now();

	if (!first->until && until - since >= least_ns)
		*first = (struct pressure_wait){ since, until };
	return ret;
}

int pressure_on(unsigned int minor, uint64_t least_ns, struct pressure_wait *first)
{
	uint64_t size = 0, taken;
	char path[32];
	int fd, ret;

	*first = (struct pressure_wait){ 0 };
	snprintf(path, sizeof(path), "/dev/dri/renderD%u", minor);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = vram_size(fd, &size);
	/* what does not fit goes to system memory: no more than there could be room for */
	for (taken = 0; !ret && taken < size; taken += PIECE)
		ret = take_timed(fd, least_ns, first);
	close(fd);	/* frees them all */
	return ret;
}

int pressure_once(void)
{
	struct pressure_wait first;

	return pressure_on(FIRST_MINOR, 0, &first);
}
