// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm/amdgpu_drm.h>

#include "pressure.h"

#define RENDER_NODE	"/dev/dri/renderD128"
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

int pressure_once(void)
{
	int fd = open(RENDER_NODE, O_RDWR | O_CLOEXEC), ret;
	uint64_t size = 0, taken;

	if (fd < 0)
		return -errno;
	ret = vram_size(fd, &size);
	/* what does not fit goes to system memory: no more than there could be room for */
	for (taken = 0; !ret && taken < size; taken += PIECE)
		ret = take_piece(fd);
	close(fd);	/* frees them all */
	return ret;
}
