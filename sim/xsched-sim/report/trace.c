// SPDX-License-Identifier: MIT
/* The trace: JSON in Chrome's format, times in microseconds. */
#include <inttypes.h>
#include <stdarg.h>

#include "report/report.h"

/* Rows of a track: number 0 for holds, from 1 for queues. */
#define ROW_HELD	0

__attribute__((format(printf, 2, 3)))
static void put(struct trace *trace, const char *format, ...)
{
	va_list args;

	fputs(trace->comma ? ",\n" : "\n", trace->file);
	trace->comma = true;
	va_start(args, format);
	vfprintf(trace->file, format, args);
	va_end(args);
}

static void span(struct trace *trace, u32 track, u32 row, const char *name, u64 from, u64 to)
{
	put(trace, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f}",
	    track, row, name, (double)from / 1e3, (double)(to - from) / 1e3);
}

static u32 new_track(struct trace *trace, const char *mode, const char *name, u32 number)
{
	u32 track = ++trace->tracks;

	put(trace, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\","
	    "\"args\":{\"name\":\"%s: %s %u\"}}", track, mode, name, number);
	return track;
}

static void add_queue(struct trace *trace, u32 track, u32 row, const struct user_queue *q)
{
	u32 kernels = scenario_request_kernels(q->process->group->scn), k;
	const struct vgpu_log *log;
	char name[48];
	u64 i;

	for (i = 0; i < q->program.submitted; i++) {
		for (k = 0; k < kernels; k++) {
			log = &q->program.requests[i].log[k];
			snprintf(name, sizeof(name), "%" PRIu64 ".%u%s", i, k,
				 log->saved ? " saved" : "");
			if (log->executed)
				span(trace, track, row, name, log->start_ns, log->end_ns);
		}
	}
}

static void add_holds(struct trace *trace, u32 track, const struct world *w, u32 tenant)
{
	const struct hold_span *s;
	u32 i;

	for (i = 0; i < w->daemon.span_count; i++) {
		s = &w->daemon.spans[i];
		if (s->tenant == tenant)
			span(trace, track, ROW_HELD, "held", s->begin,
			     s->end == SIM_NEVER ? w->agenda.now : s->end);
	}
}

static void add_group(struct trace *trace, const struct world *w, const struct group *group)
{
	const struct process *p;
	u32 i, j, track;

	for (i = 0; i < group->scn->count; i++) {
		p = &group->processes[i];
		track = new_track(trace, w->mode->name, group->scn->name, i);
		add_holds(trace, track, w, p->tenant);
		for (j = 0; j < p->count; j++)
			add_queue(trace, track, j + 1, &p->queues[j]);
	}
}

static void add_calls(struct trace *trace, const struct world *w)
{
	u32 i, track = new_track(trace, w->mode->name, "scheduler", 0);
	const struct switch_record *s;

	for (i = 0; i < w->daemon.switch_count; i++) {
		s = &w->daemon.switches[i];
		span(trace, track, 0, s->held ? "hold" : "release", s->begin, s->end);
	}
}

bool trace_open(struct trace *trace, const char *path)
{
	*trace = (struct trace){ .file = fopen(path, "we") };
	if (!trace->file)
		return false;
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", trace->file);
	return true;
}

void trace_add(struct trace *trace, const struct world *w)
{
	u32 i;

	if (!trace->file)
		return;
	for (i = 0; i < w->scn->process_count; i++)
		if (w->groups[i].running)
			add_group(trace, w, &w->groups[i]);
	if (w->daemon.engine)
		add_calls(trace, w);
}

bool trace_close(struct trace *trace)
{
	bool ok;

	if (!trace->file)
		return true;
	fputs("\n]}\n", trace->file);
	ok = !ferror(trace->file);
	return !fclose(trace->file) && ok;
}
