// SPDX-License-Identifier: MIT
/*
 * What the kernel has counted of each GPU.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/device.h"
#include "kernel/node_stats.h"

/* Of latency/: below the first power of two there is one bucket, then four for each. */
#define FIRST_NS	256

static uint64_t node_stats_number(uint32_t gpu_id, const char *name)
{
	FILE *file = device_open_file(gpu_id, name);
	uint64_t number = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%" SCNu64, &number) != 1)
		number = 0;
	fclose(file);
	return number;
}

/* Where a bucket ends that begins at @ns. */
static uint64_t node_stats_end(uint64_t ns)
{
	return ns < FIRST_NS ? FIRST_NS : ns + ((1ULL << (63 - __builtin_clzll(ns))) >> 2);
}

static void node_stats_histogram(struct histogram *histogram, uint32_t gpu_id, const char *name)
{
	FILE *file = device_open_file(gpu_id, name);
	uint64_t ns, count;

	if (!file)
		return;
	while (fscanf(file, "%" SCNu64 " %" SCNu64, &ns, &count) == 2)
		histogram_add_range(histogram, ns, node_stats_end(ns), count);
	fclose(file);
}

struct node_stats *node_stats_read(const struct sched *sched, size_t *count)
{
	const struct kfd_xsched_node *nodes;
	struct node_stats *stats;

	*count = 0;
	if (!sched->device)
		return NULL;
	nodes = xsched_nodes(sched->device, count);
	stats = calloc(*count + 1, sizeof(*stats));
	if (!stats)
		*count = 0;
	for (size_t i = 0; i < *count; i++) {
		uint32_t gpu_id = nodes[i].gpu_id;

		stats[i].gpu_id = gpu_id;
		stats[i].switches = node_stats_number(gpu_id, "statistics/switches");
		stats[i].failures = node_stats_number(gpu_id, "statistics/failures");
		stats[i].flips = node_stats_number(gpu_id, "statistics/flips");
		stats[i].parks = node_stats_number(gpu_id, "statistics/parks");
		stats[i].returns = node_stats_number(gpu_id, "statistics/returns");
		node_stats_histogram(&stats[i].total, gpu_id, "latency/total");
		node_stats_histogram(&stats[i].back, gpu_id, "latency/back");
	}
	return stats;
}
