/* SPDX-License-Identifier: MIT */
/*
 * A file of Chrome trace events, written as they come.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDCTL_TIMELINE_H
#define XSCHEDCTL_TIMELINE_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The row that shows when a process was held; other rows are queues. */
#define TIMELINE_HELD	0
/** First row for holds on one GPU: above the number of any queue. */
#define TIMELINE_HELD_ON	0x40000000ULL

/**
 * struct timeline_span - a span that has not ended
 * @pid: process
 * @row: queue, TIMELINE_HELD, or TIMELINE_HELD_ON and the GPU
 * @begin_ns: since when
 */
struct timeline_span {
	int pid;
	uint64_t row;
	uint64_t begin_ns;
};

/**
 * struct timeline - begin with one set to zero
 * @file: output
 * @start_ns: time 0 of the trace
 * @any: whether an event was written
 * @open: spans that have not ended
 * @open_count: how many
 * @open_room: elements @open has room for
 * @named: pids and rows that have a name, as spans
 * @named_count: how many
 * @named_room: elements @named has room for
 * @error: negative errno of the first failure, or 0
 */
struct timeline {
	FILE *file;
	uint64_t start_ns;
	int any;
	struct timeline_span *open;
	size_t open_count;
	size_t open_room;
	struct timeline_span *named;
	size_t named_count;
	size_t named_room;
	int error;
};

/** timeline_open() - begin a file, "-" is standard output; 0 or -errno */
int timeline_open(struct timeline *timeline, const char *path);

/** timeline_process() - name a process */
void timeline_process(struct timeline *timeline, int pid, const char *exe,
		      const char *comm);

/** timeline_begin() - a row is busy, or held, from now on, if not already */
void timeline_begin(struct timeline *timeline, int pid, uint64_t row,
		    uint64_t time_ns);

/** timeline_end() - a span ends; ignored if none has begun */
void timeline_end(struct timeline *timeline, int pid, uint64_t row,
		  uint64_t time_ns);

/** timeline_end_process() - all rows of a process end */
void timeline_end_process(struct timeline *timeline, int pid,
			  uint64_t time_ns);

/** timeline_switch() - an event "switch" of the daemon */
void timeline_switch(struct timeline *timeline, struct json_object *event);

/** timeline_mark() - any other event of the daemon, as a moment */
void timeline_mark(struct timeline *timeline, struct json_object *event,
		   uint64_t time_ns);

/**
 * timeline_close() - end what is open, and the file
 * @timeline: timeline
 * @end_ns: when
 *
 * Return: 0, or the negative errno of the first failure of all calls.
 */
int timeline_close(struct timeline *timeline, uint64_t end_ns);

#endif /* XSCHEDCTL_TIMELINE_H */
