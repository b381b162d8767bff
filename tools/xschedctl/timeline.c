// SPDX-License-Identifier: MIT
/*
 * Write Chrome trace events: "X" is a slice, "i" a moment, "M" a name. Times
 * are microseconds since the start of the trace.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "timeline.h"

#define SWITCHES	0	/* process of the trace for the switches */

static double us(const struct timeline *t, uint64_t time_ns)
{
	return time_ns > t->start_ns ? (time_ns - t->start_ns) / 1e3 : 0;
}

static void add(struct json_object *object, const char *name,
		struct json_object *value)
{
	json_object_object_add(object, name, value);
}

static struct json_object *new_us(double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", number);
	return json_object_new_double_s(number, text);
}

/* Members of all trace events. */
static struct json_object *new_event(const char *phase, const char *name,
				     int pid, uint64_t row)
{
	struct json_object *event = json_object_new_object();

	add(event, "ph", json_object_new_string(phase));
	add(event, "name", json_object_new_string(name));
	add(event, "pid", json_object_new_int(pid));
	add(event, "tid", json_object_new_uint64(row));
	return event;
}

static void fail(struct timeline *t, int error)
{
	if (!t->error)
		t->error = error;
}

static void write_event(struct timeline *t, struct json_object *event)
{
	const char *text;

	text = json_object_to_json_string_ext(event, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text)
		fail(t, -ENOMEM);
	else if (fprintf(t->file, "%s%s", t->any ? ",\n" : "", text) < 0)
		fail(t, -errno);
	t->any = 1;
	json_object_put(event);
}

static void write_slice(struct timeline *t, struct json_object *event,
			const char *category, uint64_t begin_ns,
			uint64_t end_ns)
{
	double begin = us(t, begin_ns), end = us(t, end_ns);

	add(event, "cat", json_object_new_string(category));
	add(event, "ts", new_us(begin));
	add(event, "dur", new_us(end > begin ? end - begin : 0));
	write_event(t, event);
}

/* ---- names -------------------------------------------------------------- */

static struct timeline_span *find(struct timeline_span *spans, size_t count,
				  int pid, uint64_t row)
{
	for (size_t i = 0; i < count; i++)
		if (spans[i].pid == pid && spans[i].row == row)
			return &spans[i];
	return NULL;
}

static struct timeline_span *append(struct timeline *t,
				    struct timeline_span **spans,
				    size_t *count, size_t *room)
{
	if (*count == *room) {
		size_t wanted = *room ? 2 * *room : 64;
		struct timeline_span *larger;

		larger = realloc(*spans, wanted * sizeof(*larger));
		if (!larger) {
			fail(t, -ENOMEM);
			return NULL;
		}
		*spans = larger;
		*room = wanted;
	}
	return &(*spans)[(*count)++];
}

static void write_name(struct timeline *t, const char *what, int pid,
		       uint64_t row, const char *name)
{
	struct json_object *event = new_event("M", what, pid, row);
	struct json_object *args = json_object_new_object();

	add(args, "name", json_object_new_string(name));
	add(event, "args", args);
	write_event(t, event);
}

/* Name a row once. */
static void name_row(struct timeline *t, int pid, uint64_t row,
		     const char *format)
{
	struct timeline_span *name;
	char text[64];

	if (find(t->named, t->named_count, pid, row))
		return;
	name = append(t, &t->named, &t->named_count, &t->named_room);
	if (!name)
		return;
	*name = (struct timeline_span){ .pid = pid, .row = row };
	snprintf(text, sizeof(text), format, row & ~TIMELINE_HELD_ON);
	write_name(t, "thread_name", pid, row, text);
}

void timeline_process(struct timeline *t, int pid, const char *exe,
		      const char *comm)
{
	const char *slash = strrchr(exe, '/');
	const char *name = *comm ? comm : slash ? slash + 1 : exe;
	char text[128];

	snprintf(text, sizeof(text), "%s", name);
	write_name(t, "process_name", pid, 0, text);
	name_row(t, pid, TIMELINE_HELD, "held");
}

/* ---- spans -------------------------------------------------------------- */

void timeline_begin(struct timeline *t, int pid, uint64_t row,
		    uint64_t time_ns)
{
	struct timeline_span *span;

	if (find(t->open, t->open_count, pid, row))
		return;
	span = append(t, &t->open, &t->open_count, &t->open_room);
	if (!span)
		return;
	*span = (struct timeline_span){
		.pid = pid, .row = row, .begin_ns = time_ns,
	};
	name_row(t, pid, row, row == TIMELINE_HELD ? "held" :
			      row >= TIMELINE_HELD_ON ? "held on GPU %" PRIu64 :
							"queue %" PRIu64);
}

static void close_span(struct timeline *t, struct timeline_span *span,
		       uint64_t time_ns)
{
	bool held = span->row == TIMELINE_HELD || span->row >= TIMELINE_HELD_ON;

	write_slice(t, new_event("X", held ? "held" : "ready", span->pid,
				 span->row),
		    held ? "hold" : "queue", span->begin_ns, time_ns);
	*span = t->open[--t->open_count];
}

void timeline_end(struct timeline *t, int pid, uint64_t row, uint64_t time_ns)
{
	struct timeline_span *span = find(t->open, t->open_count, pid, row);

	if (span)
		close_span(t, span, time_ns);
}

void timeline_end_process(struct timeline *t, int pid, uint64_t time_ns)
{
	for (size_t i = t->open_count; i--;)
		if (t->open[i].pid == pid)
			close_span(t, &t->open[i], time_ns);
}

/* ---- switches ----------------------------------------------------------- */

/* The phases of a node, one after another, within its switch. */
static void write_phases(struct timeline *t, struct json_object *node,
			 uint64_t gpu, uint64_t begin_ns)
{
	static const char *const phases[] = { "lock", "unmap", "map" };

	for (size_t i = 0; i < 3; i++) {
		char member[16];
		uint64_t ns;

		snprintf(member, sizeof(member), "%s_ns", phases[i]);
		ns = get_u64(node, member);
		if (!ns)
			continue;
		write_slice(t, new_event("X", phases[i], SWITCHES, gpu),
			    "phase", begin_ns, begin_ns + ns);
		begin_ns += ns;
	}
}

static void write_switch(struct timeline *t, struct json_object *event,
			 struct json_object *node, uint64_t gpu)
{
	static const char *const members[] = { "hold", "release", "hold_queues",
					       "release_queues", "status",
					       "flips" };
	uint64_t begin_ns = get_u64(event, "begin_ns");
	struct json_object *args = json_object_new_object();
	struct json_object *slice, *value;

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (json_object_object_get_ex(event, members[i], &value))
			add(args, members[i], json_object_get(value));
	if (node)
		add(args, "node", json_object_get(node));
	name_row(t, SWITCHES, gpu, node ? "GPU %" PRIu64 : "GPUs");
	slice = new_event("X", get_number(event, "status") ? "failed switch" :
							     "switch",
			  SWITCHES, gpu);
	add(slice, "args", args);
	write_slice(t, slice, "switch", begin_ns, get_u64(event, "end_ns"));
	if (node)
		write_phases(t, node, gpu, begin_ns);
}

void timeline_switch(struct timeline *t, struct json_object *event)
{
	struct json_object *nodes = get_array(event, "nodes");
	size_t count = nodes ? json_object_array_length(nodes) : 0;

	for (size_t i = 0; i < count; i++) {
		struct json_object *node = json_object_array_get_idx(nodes, i);

		write_switch(t, event, node, get_u64(node, "gpu_id"));
	}
	if (!count)
		write_switch(t, event, NULL, 0);
}

void timeline_mark(struct timeline *t, struct json_object *event,
		   uint64_t time_ns)
{
	struct json_object *mark;

	mark = new_event("i", get_string(event, "event"),
			 get_number(event, "pid"), get_u64(event, "queue"));
	add(mark, "cat", json_object_new_string("event"));
	add(mark, "ts", new_us(us(t, time_ns)));
	add(mark, "s", json_object_new_string(get_number(event, "pid") ?
					      "p" : "g"));
	write_event(t, mark);
}

/* ---- the file ----------------------------------------------------------- */

int timeline_open(struct timeline *t, const char *path)
{
	t->file = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!t->file)
		return -errno;
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", t->file);
	write_name(t, "process_name", SWITCHES, 0, "switches");
	return 0;
}

int timeline_close(struct timeline *t, uint64_t end_ns)
{
	while (t->open_count)
		close_span(t, &t->open[t->open_count - 1], end_ns);
	if (fputs("\n]}\n", t->file) < 0)
		fail(t, -errno);
	if (t->file == stdout ? fflush(stdout) : fclose(t->file))
		fail(t, -errno);
	free(t->open);
	free(t->named);
	return t->error;
}
