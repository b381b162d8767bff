/* SPDX-License-Identifier: MIT */
/*
 * What the kernel has counted of each GPU, in /sys: it alone knows what a switch cost
 * there that nobody waited for.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_NODE_STATS_H
#define XSCHEDD_NODE_STATS_H

#include "state/state.h"

/**
 * struct node_stats - of a GPU, since the kernel knows it, of all clients together
 * @gpu_id: which
 * @switches: switches that had something to do there
 * @failures: of these, those it failed
 * @flips: queues that went on or off its hardware
 * @parks: processes without work that were to leave it
 * @returns: of these, those that came back
 * @total: durations of its part of a switch
 * @back: from the ring of such a process until it is back
 */
struct node_stats {
	uint32_t gpu_id;
	uint64_t switches;
	uint64_t failures;
	uint64_t flips;
	uint64_t parks;
	uint64_t returns;
	struct histogram total;
	struct histogram back;
};

/**
 * node_stats_read() - read about all GPUs
 * @sched: scheduler
 * @count: out, how many
 *
 * What cannot be read is zero.
 *
 * Return: an array to be freed, or NULL.
 */
struct node_stats *node_stats_read(const struct sched *sched, size_t *count);

#endif /* XSCHEDD_NODE_STATS_H */
