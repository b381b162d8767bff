/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between updated kernels of Debian, 6.1 and 6.12, and those that an amdgpu-dkms was
 * written for. Each file of AMD's amdgpu.ko includes this after AMD's own layer for other kernels
 * (scripts/build/amdgpu-dkms).
 */
#ifndef DKMS_LINUX_H
#define DKMS_LINUX_H

#include <linux/pci.h>
#include <linux/version.h>
#include <drm/drm_exec.h>

/*
 * The last argument is new: which BARs must stay where they are. amdgpu has released those that may
 * move before, so none is named. A call that passes one already stays as it is.
 */
#define DKMS_RESIZE(_dev, _bar, _size, _exclude, ...)	(pci_resize_resource)(_dev, _bar, _size, _exclude)
#define pci_resize_resource(...)			DKMS_RESIZE(__VA_ARGS__, 0, 0)

/*
 * The kernel's macro has no index any more, and AMD's calls still pass one. Before 6.12, AMD's layer
 * has its own macro.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#undef drm_exec_for_each_locked_object
#define drm_exec_for_each_locked_object(_exec, _index, _obj)				\
	for ((_index) = 0; ((_obj) = drm_exec_obj(_exec, _index)); ++(_index))
#endif

#endif /* DKMS_LINUX_H */
