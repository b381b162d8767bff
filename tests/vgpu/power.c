// SPDX-License-Identifier: GPL-2.0-only
/*
 * System sleep and runtime PM, driven by the kernel's own: the order of
 * amdgpu_device_suspend() and amdgpu_device_resume(), reduced to the parts that
 * run for real. amdkfd takes its queues off and puts them back, buffers in VRAM
 * move to system memory, and MES starts afresh. A buffer that cannot be moved
 * stays in VRAM, as in a GPU that sleeps with its memory powered.
 *
 * Runtime PM is forbidden until "auto" is written to power/control, as for any
 * PCI device. After that amdkfd's own references decide.
 */
#include <linux/pm_runtime.h>

#include "vgpu.h"
#include "generation.h"

static struct vgpu *vgpu_of_device(struct device *dev)
{
	return vgpu_of(drm_to_adev(dev_get_drvdata(dev)));
}

static int power_down(struct vgpu *vg, bool runtime)
{
	struct amdgpu_device *adev = vg->adev;

	adev->in_suspend = true;
	adev->in_runpm = runtime;
	vgpu_call(amdgpu_amdkfd_suspend, adev, COMPAT_SUSPEND_PROC(!runtime));
	return vgpu_call(amdgpu_ttm_evict_resources, adev, TTM_PL_VRAM);
}

static int power_up(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;
	int r = vg->gen->restart ? vg->gen->restart(vg) : 0;

	if (!r)
		r = vgpu_call(amdgpu_amdkfd_resume, adev, COMPAT_SUSPEND_PROC(!adev->in_runpm));
	adev->in_suspend = false;
	adev->in_runpm = false;
	return r;
}

static int report(const char *what, struct vgpu *vg, int r)
{
	if (r)
		pr_err("%u: %s failed: %d\n", vg->index, what, r);
	return r;
}

static int vgpu_suspend(struct device *dev)
{
	struct vgpu *vg = vgpu_of_device(dev);

	return report("suspend", vg, power_down(vg, false));
}

static int vgpu_resume(struct device *dev)
{
	struct vgpu *vg = vgpu_of_device(dev);

	return report("resume", vg, power_up(vg));
}

static int vgpu_runtime_suspend(struct device *dev)
{
	struct vgpu *vg = vgpu_of_device(dev);

	return report("runtime suspend", vg, power_down(vg, true));
}

static int vgpu_runtime_resume(struct device *dev)
{
	struct vgpu *vg = vgpu_of_device(dev);

	return report("runtime resume", vg, power_up(vg));
}

const struct dev_pm_ops vgpu_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(vgpu_suspend, vgpu_resume)
	RUNTIME_PM_OPS(vgpu_runtime_suspend, vgpu_runtime_resume, NULL)
};

/* A PCI driver is probed with a reference, which it drops, and takes again at the end. */
void vgpu_power_init(struct vgpu *vg)
{
	pm_runtime_put_noidle(vg->adev->dev);
}

void vgpu_power_fini(struct vgpu *vg)
{
	pm_runtime_get_sync(vg->adev->dev);
	pm_runtime_forbid(vg->adev->dev);
}
