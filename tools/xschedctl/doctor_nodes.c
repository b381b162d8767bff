// SPDX-License-Identifier: MIT
/*
 * doctor: the GPUs. KFD's topology lists them; the module reports what can be
 * done with the queues of each.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <amdgpu.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "finding.h"

#define TOPOLOGY	"/sys/class/kfd/kfd/topology/nodes"

static const struct {
	uint32_t bit;
	const char *name;
} caps[] = {
	{ KFD_XSCHED_CAP_SUSPEND, "suspend" },
	{ KFD_XSCHED_CAP_UNMAP, "unmap" },
	{ KFD_XSCHED_CAP_GRACE, "grace" },
	{ KFD_XSCHED_CAP_PRIORITY, "priority" },
	{ KFD_XSCHED_CAP_WAVES, "waves" },
	{ KFD_XSCHED_CAP_CLASS, "class" },
	{ KFD_XSCHED_CAP_TAP, "tap" },
	{ KFD_XSCHED_CAP_PARK, "park" },
};

/* A member of the file "properties" of a node of the topology. */
static uint64_t property(const struct doctor *doctor, const char *node,
			 const char *name)
{
	FILE *file = fopen(root_path(doctor, TOPOLOGY "/%s/properties", node),
			   "re");
	uint64_t value = 0, number;
	char key[64];

	if (!file)
		return 0;
	while (fscanf(file, "%63s %" SCNu64, key, &number) == 2)
		if (!strcmp(key, name))
			value = number;
	fclose(file);
	return value;
}

/* The vendor's name, from libdrm; false: libdrm does not know it. */
static bool marketing_name(const struct doctor *doctor, uint64_t minor,
			   char *name, size_t size)
{
	const char *path = root_path(doctor, "/dev/dri/renderD%" PRIu64,
				     minor);
	uint32_t major_version, minor_version;
	amdgpu_device_handle device;
	const char *known;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (amdgpu_device_initialize(fd, &major_version, &minor_version,
				     &device)) {
		close(fd);
		return false;
	}
	known = amdgpu_get_marketing_name(device);
	if (known)
		snprintf(name, size, "%s", known);
	amdgpu_device_deinitialize(device);
	close(fd);
	return known;
}

static void name_node(const struct doctor *doctor, const char *node,
		      char *name, size_t size)
{
	uint64_t gfx = property(doctor, node, "gfx_target_version");
	uint64_t minor = property(doctor, node, "drm_render_minor");
	char path[512], line[64];

	if (minor && marketing_name(doctor, minor, name, size))
		return;
	snprintf(path, sizeof(path), TOPOLOGY "/%s/name", node);
	root_line(doctor, path, line, sizeof(line));
	snprintf(name, size, "%s, gfx%" PRIu64 "%" PRIu64 "%" PRIx64, line,
		 gfx / 10000, gfx / 100 % 100, gfx % 100);
}

static const char *backend_name(uint32_t backend)
{
	switch (backend) {
	case KFD_XSCHED_BACKEND_HWS:
		return "HWS";
	case KFD_XSCHED_BACKEND_MES:
		return "MES";
	default:
		return "none";
	}
}

/*
 * Firmware of MES of which users have reported that it does not answer to REMOVE_QUEUE, which
 * costs a reset: a hold or a park is that call. What users have not named is not here.
 */
static const struct {
	uint64_t gfx_min;	/* gfx_target_version */
	uint64_t gfx_max;
	long version;		/* 0: any */
	const char *threads;
} bad_mes[] = {
	{ 110500, 110501, 0x83, "legacy-rocm-build 5616 and 5724" },
	{ 110003, 110003, 0, "legacy-rocm-build 6018 and 6658" },
};

static const char *mes_threads(uint64_t gfx, long version)
{
	for (size_t i = 0; i < sizeof(bad_mes) / sizeof(bad_mes[0]); i++)
		if (gfx >= bad_mes[i].gfx_min && gfx <= bad_mes[i].gfx_max &&
		    (!bad_mes[i].version || bad_mes[i].version == version))
			return bad_mes[i].threads;
	return NULL;
}

/* amdgpu has it in /sys, beside the render node's device. */
static void report_mes(struct doctor *doctor, const char *node, uint32_t gpu_id)
{
	const uint64_t minor = property(doctor, node, "drm_render_minor");
	char path[128], line[64], *end;
	const char *threads;
	long version;

	snprintf(path, sizeof(path),
		 "/sys/class/drm/renderD%" PRIu64 "/device/fw_version/mes_fw_version", minor);
	root_line(doctor, path, line, sizeof(line));
	version = strtol(line, &end, 0);
	if (end == line) {
		finding(doctor, "mes", SKIPPED, "", "GPU %u: %s cannot be read", gpu_id, path);
		return;
	}
	threads = mes_threads(property(doctor, node, "gfx_target_version"), version);
	if (threads)
		finding(doctor, "mes", NOTE,
			"try another linux-firmware before you hold or park much on it",
			"GPU %u: MES 0x%lx: on such GPUs it did not answer to REMOVE_QUEUE, see %s",
			gpu_id, version, threads);
	else
		finding(doctor, "mes", FINE, "", "GPU %u: MES 0x%lx", gpu_id, version);
}

static const struct kfd_xsched_node *
find(const struct kfd_xsched_node *nodes, size_t count, uint32_t gpu_id)
{
	for (size_t i = 0; i < count; i++)
		if (nodes[i].gpu_id == gpu_id)
			return &nodes[i];
	return NULL;
}

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void report(struct doctor *doctor, const char *node, uint32_t gpu_id,
		   const struct kfd_xsched_node *known)
{
	char name[128], able[128] = "";
	uint64_t firmware = property(doctor, node, "fw_version");

	name_node(doctor, node, name, sizeof(name));
	if (!known) {
		finding(doctor, "gpu", PROBLEM,
			"see dmesg; a GPU that is being reset comes back by itself",
			"GPU %u (%s) is not known to kfd_xsched", gpu_id,
			name);
		return;
	}
	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		if (!(known->caps & caps[i].bit))
			continue;
		strcat(able, " ");
		strcat(able, caps[i].name);
	}
	if (known->shut_ns)
		finding(doctor, "gpu", PROBLEM,
			"find the cause in dmesg, then: echo closed >/sys/class/kfd_xsched/node<gpu_id>/breaker",
			"GPU %u (%s): its breaker opened %" PRIu64 " s ago (%u preemptions failed of late): nothing is held on it, nor on GPUs that are reset with it",
			gpu_id, name, (monotonic_ns() - (uint64_t)known->shut_ns) / 1000000000,
			known->failures);
	else if (known->backend == KFD_XSCHED_BACKEND_NONE || !*able)
		finding(doctor, "gpu", PROBLEM,
			"let the firmware schedule: load amdgpu with sched_policy=0",
			"GPU %u (%s): no queue can be held there", gpu_id,
			name);
	else
		finding(doctor, "gpu", FINE, "",
			"GPU %u (%s): %s, firmware %" PRIu64 ", can:%s",
			gpu_id, name, backend_name(known->backend), firmware,
			able);
}

/* Each node of the topology that is a GPU; nodes of CPUs have gpu_id 0. */
static void walk(struct doctor *doctor, const struct kfd_xsched_node *nodes,
		 size_t count)
{
	DIR *directory = opendir(root_path(doctor, TOPOLOGY));
	struct dirent *entry;
	unsigned int gpus = 0;

	while (directory && (entry = readdir(directory))) {
		const struct kfd_xsched_node *known;
		char path[512];
		long gpu_id;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), TOPOLOGY "/%s/gpu_id",
			 entry->d_name);
		gpu_id = root_number(doctor, path, 0);
		if (!gpu_id)
			continue;
		gpus++;
		known = find(nodes, count, gpu_id);
		report(doctor, entry->d_name, gpu_id, known);
		if (known && known->backend == KFD_XSCHED_BACKEND_MES)
			report_mes(doctor, entry->d_name, gpu_id);
	}
	if (directory)
		closedir(directory);
	if (!gpus)
		finding(doctor, "gpu", PROBLEM,
			"see dmesg for why amdgpu did not take the GPU",
			"KFD has no GPU");
}

void check_nodes(struct doctor *doctor)
{
	const struct kfd_xsched_node *nodes;
	struct xsched_device *device;
	size_t count;
	int ret = xsched_open(&device, doctor->options->device);

	if (ret) {
		finding(doctor, "gpu", SKIPPED, "",
			"the device cannot be opened: %s", strerror(-ret));
		return;
	}
	finding(doctor, "abi", FINE, "", "version %u",
		xsched_abi_version(device));
	nodes = xsched_nodes(device, &count);
	walk(doctor, nodes, count);
	xsched_close(device);
}
