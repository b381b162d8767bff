/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Debian's Linux 6.12 has by now that amdgpu-dkms of that time does not know. Each file of
 * AMD's amdgpu.ko includes it after AMD's own layer for other kernels (scripts/make-dkms).
 */
#ifndef DKMS_LINUX_H
#define DKMS_LINUX_H

#include <linux/pci.h>
#include <drm/drm_exec.h>

/*
 * The last argument is new: which BARs must stay where they are. amdgpu has released those that may
 * move before, so none is named. A call that passes one already stays as it is.
 */
#define DKMS_RESIZE(_dev, _bar, _size, _exclude, ...)	(pci_resize_resource)(_dev, _bar, _size, _exclude)
#define pci_resize_resource(...)			DKMS_RESIZE(__VA_ARGS__, 0, 0)

/* The index is no argument any more, and its callers still have one. */
#undef drm_exec_for_each_locked_object
#define drm_exec_for_each_locked_object(_exec, _index, _obj)				\
	for ((_index) = 0; ((_obj) = drm_exec_obj(_exec, _index)); ++(_index))

#endif /* DKMS_LINUX_H */
