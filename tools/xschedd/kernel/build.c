// SPDX-License-Identifier: MIT
/*
 * What runs together: the daemon, the kernel, its driver and its module.
 *
 * It is read once: the module cannot be unloaded while it has a client, nor amdgpu
 * while it has the module.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "kernel/build.h"
#include "kernel/device.h"

static bool build_line(char *line, size_t size, const char *module, const char *name)
{
	FILE *file = device_open_module_file(module, name);

	*line = '\0';
	if (!file)
		return false;
	if (!fgets(line, size, file))
		*line = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return *line;
}

/* Not every module has a version; the kernel's configuration decides about the other. */
static void build_module(char *line, size_t size, const char *module)
{
	if (!build_line(line, size, module, "version"))
		build_line(line, size, module, "srcversion");
}

void build_read(struct sched *sched)
{
	struct build *build = &sched->build;
	struct utsname names;

	if (!uname(&names))
		snprintf(build->kernel, sizeof(build->kernel), "%s", names.release);
	build_module(build->driver, sizeof(build->driver), "amdgpu");
	build_module(build->module, sizeof(build->module), "kfd_xsched");
	build->abi = xsched_abi_version(sched->device);
}
