/* SPDX-License-Identifier: MIT */
/*
 * The trace: one JSON object a line for each switch; xschedd.conf(5) has its
 * fields. Lines are collected, and written when there are many, a second after
 * the first, or when the trace is closed.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_TRACE_H
#define XSCHEDD_TRACE_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include <libxsched.h>

struct trace;

/**
 * struct trace_record - one switch
 * @start_ns: just before the ioctl
 * @event_ns: time of the event that caused it, 0: none
 * @call_ns: until it was done
 * @status: what it came to
 * @flips: queues that went on or off the hardware
 * @apply: its entries and, if it was waited for, results of the nodes
 */
struct trace_record {
	uint64_t start_ns;
	uint64_t event_ns;
	uint64_t call_ns;
	int status;
	uint32_t flips;
	const struct xsched_apply *apply;
};

/** trace_open() - begin to append to @path; 0 or a negative errno */
int trace_open(struct trace **out, sd_event *event, const char *path);

/** trace_write() - add a line; without a trace (NULL) do nothing */
void trace_write(struct trace *trace, const struct trace_record *record);

/** trace_close() - write remaining lines; 0 or a negative errno */
int trace_close(struct trace *trace);

#endif /* XSCHEDD_TRACE_H */
