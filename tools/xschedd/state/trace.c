// SPDX-License-Identifier: MIT
/*
 * The trace.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "state/trace.h"

#define BUFFER_SIZE	(64 * 1024)
#define FLUSH_NS	1000000000ULL
#define LATE_NS		250000000ULL

/**
 * struct trace - see trace.h
 * @file: where lines are written
 * @timer: runs while @file has lines to write
 */
struct trace {
	FILE *file;
	struct clock_timer *timer;
};

static void trace_on_timer(void *user)
{
	struct trace *trace = user;

	if (fflush(trace->file)) {
		log_message(LOG_WARNING, "cannot write the trace: %m");
		clearerr(trace->file);
	}
}

int trace_open(struct trace **out, sd_event *event, const char *path)
{
	struct trace *trace = calloc(1, sizeof(*trace));
	int ret;

	if (!trace)
		return -ENOMEM;
	trace->file = fopen(path, "ae");
	if (!trace->file) {
		ret = -errno;
		free(trace);
		return ret;
	}
	setvbuf(trace->file, NULL, _IOFBF, BUFFER_SIZE);
	ret = clock_timer_new(&trace->timer, event, LATE_NS, trace_on_timer,
			      trace);
	if (ret) {
		fclose(trace->file);
		free(trace);
		return ret;
	}
	/* Events of GPUs come first. */
	clock_timer_yield(trace->timer);
	*out = trace;
	return 0;
}

/* The ids of entries of one kind that resume, or of those that hold. */
static void trace_write_ids(FILE *file, const struct xsched_apply *apply,
			      uint32_t target, bool resume)
{
	const struct kfd_xsched_entry *entries = xsched_apply_entries(apply);
	size_t count = 0;

	for (size_t i = 0; i < xsched_apply_count(apply); i++) {
		if (entries[i].target != target ||
		    (entries[i].op == KFD_XSCHED_OP_RESUME) != resume)
			continue;
		fprintf(file, "%s%" PRIu64, count++ ? "," : "",
			(uint64_t)entries[i].id);
	}
}

static bool trace_has_queues(const struct xsched_apply *apply)
{
	const struct kfd_xsched_entry *entries = xsched_apply_entries(apply);

	for (size_t i = 0; i < xsched_apply_count(apply); i++)
		if (entries[i].target == KFD_XSCHED_TARGET_QUEUE)
			return true;
	return false;
}

static void trace_write_nodes(FILE *file, const struct xsched_apply *apply)
{
	const struct kfd_xsched_node_result *nodes;
	size_t count;

	nodes = xsched_apply_nodes(apply, &count);
	for (size_t i = 0; i < count; i++)
		fprintf(file,
			"%s{\"gpu_id\":%u,\"lock_ns\":%" PRIu64
			",\"unmap_ns\":%" PRIu64 ",\"map_ns\":%" PRIu64
			",\"total_ns\":%" PRIu64 ",\"flips\":%u"
			",\"fw_transactions\":%u,\"status\":%d}",
			i ? "," : "", nodes[i].gpu_id,
			(uint64_t)nodes[i].lock_ns, (uint64_t)nodes[i].unmap_ns,
			(uint64_t)nodes[i].map_ns, (uint64_t)nodes[i].total_ns,
			nodes[i].flips, nodes[i].fw_transactions,
			nodes[i].status);
}

void trace_write(struct trace *trace, const struct trace_record *record)
{
	if (!trace)
		return;
	fprintf(trace->file,
		"{\"t_ns\":%" PRIu64 ",\"event_ns\":%" PRIu64 ",\"hold\":[",
		record->start_ns, record->event_ns);
	trace_write_ids(trace->file, record->apply, KFD_XSCHED_TARGET_PROCESS, false);
	fputs("],\"release\":[", trace->file);
	trace_write_ids(trace->file, record->apply, KFD_XSCHED_TARGET_PROCESS, true);
	if (trace_has_queues(record->apply)) {
		fputs("],\"hold_queues\":[", trace->file);
		trace_write_ids(trace->file, record->apply, KFD_XSCHED_TARGET_QUEUE,
				false);
		fputs("],\"release_queues\":[", trace->file);
		trace_write_ids(trace->file, record->apply, KFD_XSCHED_TARGET_QUEUE,
				true);
	}
	fprintf(trace->file, "],\"call_ns\":%" PRIu64 ",\"nodes\":[",
		record->call_ns);
	trace_write_nodes(trace->file, record->apply);
	fprintf(trace->file, "],\"flips\":%u,\"status\":%d}\n", record->flips,
		record->status);
	if (!clock_timer_is_on(trace->timer))
		clock_timer_set(trace->timer, clock_ns() + FLUSH_NS);
}

int trace_close(struct trace *trace)
{
	int ret = 0;

	if (!trace)
		return 0;
	clock_timer_free(trace->timer);
	if (fclose(trace->file))
		ret = -errno;
	free(trace);
	return ret;
}
