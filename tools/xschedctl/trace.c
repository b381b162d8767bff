// SPDX-License-Identifier: MIT
/*
 * trace: queues and switches over a time span, as Chrome's trace events, which
 * Perfetto and chrome://tracing show.
 *
 * A GPU process is a process of the trace. Its thread 0 shows when it was held.
 * A thread for each GPU shows when it was held on that GPU only, and a thread
 * for each queue shows when the queue had work. The switches are a process of
 * their own (0) with a thread for each GPU; the phases of a switch are nested
 * in it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxsched.h>

#include "ctl.h"
#include "timeline.h"

#define DEFAULT_MS	5000
#define DEFAULT_FILE	"xsched-trace.json"

/**
 * struct recording - what was seen so far
 * @timeline: output
 * @events: events
 * @switches: of these, switches that succeeded
 * @failures: switches that did not
 * @end_ns: time of the latest
 */
struct recording {
	struct timeline timeline;
	uint64_t events;
	uint64_t switches;
	uint64_t failures;
	uint64_t end_ns;
};

static void record_pids(struct recording *r, struct json_object *event,
			const char *name, uint64_t time_ns)
{
	struct json_object *pids = get_array(event, name);
	bool hold = !strcmp(name, "hold");

	for (size_t i = 0; pids && i < json_object_array_length(pids); i++) {
		struct json_object *pid = json_object_array_get_idx(pids, i);

		if (hold)
			timeline_begin(&r->timeline, json_object_get_int(pid),
				       TIMELINE_HELD, time_ns);
		else
			timeline_end(&r->timeline, json_object_get_int(pid),
				     TIMELINE_HELD, time_ns);
	}
}

/* Held on single GPUs: a row for each. */
static void record_queues(struct recording *r, struct json_object *event,
			  const char *name, uint64_t time_ns)
{
	struct json_object *queues = get_array(event, name);
	bool hold = !strcmp(name, "hold_queues");

	for (size_t i = 0; queues && i < json_object_array_length(queues); i++) {
		struct json_object *q = json_object_array_get_idx(queues, i);
		uint64_t row = TIMELINE_HELD_ON + get_u64(q, "node");

		if (hold)
			timeline_begin(&r->timeline, get_number(q, "pid"), row,
				       time_ns);
		else
			timeline_end(&r->timeline, get_number(q, "pid"), row,
				     time_ns);
	}
}

static void record_switch(struct recording *r, struct json_object *event)
{
	uint64_t end_ns = get_u64(event, "end_ns");

	if (get_number(event, "status")) {
		r->failures++;
	} else {
		r->switches++;
		record_pids(r, event, "hold", end_ns);
		record_pids(r, event, "release", end_ns);
		record_queues(r, event, "hold_queues", end_ns);
		record_queues(r, event, "release_queues", end_ns);
	}
	timeline_switch(&r->timeline, event);
	if (end_ns > r->end_ns)
		r->end_ns = end_ns;
}

static void record(struct recording *r, struct json_object *event)
{
	const char *name = get_string(event, "event");
	uint64_t time_ns = get_u64(event, "time_ns");
	uint64_t queue = get_u64(event, "queue");
	int pid = get_number(event, "pid");

	r->events++;
	if (!strcmp(name, "switch")) {
		record_switch(r, event);
		return;
	}
	if (time_ns > r->end_ns)
		r->end_ns = time_ns;
	if (!strcmp(name, "ready"))
		timeline_begin(&r->timeline, pid, queue, time_ns);
	else if (!strcmp(name, "idle") || !strcmp(name, "queue-del"))
		timeline_end(&r->timeline, pid, queue, time_ns);
	else if (!strcmp(name, "exit"))
		timeline_end_process(&r->timeline, pid, time_ns);
	else
		timeline_mark(&r->timeline, event, time_ns);
}

/* The state when the recording begins: tenants held, and queues with work. */
static void record_start(struct recording *r, const struct options *options,
			 struct json_object *reply)
{
	struct json_object *tenants = get_array(reply, "tenants");
	struct xsched_queue_list list = { 0 };
	struct xsched_device *device;
	uint64_t now = get_u64(reply, "now_ns");

	r->timeline.start_ns = r->end_ns = now;
	for (size_t i = 0; tenants && i < json_object_array_length(tenants);
	     i++) {
		struct json_object *t = json_object_array_get_idx(tenants, i);
		int pid = get_number(t, "pid");

		timeline_process(&r->timeline, pid, get_string(t, "exe"),
				 get_string(t, "comm"));
		if (get_flag(t, "held"))
			timeline_begin(&r->timeline, pid, TIMELINE_HELD, now);
	}
	/* Without access to the device, queues appear with their first event. */
	if (xsched_open(&device, options->device))
		return;
	if (!xsched_list_queues(device, &list))
		for (size_t i = 0; i < list.count; i++)
			if (list.queues[i].state & KFD_XSCHED_QUEUE_READY)
				timeline_begin(&r->timeline,
					       list.queues[i].pid,
					       list.queues[i].id, now);
	xsched_queue_list_free(&list);
	xsched_close(device);
}

static int follow(const struct options *options, struct recording *r,
		  struct stream *stream)
{
	const uint64_t until = now_ms() +
			       (options->time_ms ? options->time_ms :
						   DEFAULT_MS);

	while (!interrupted()) {
		const uint64_t now = now_ms();
		struct json_object *event;
		int ret;

		if (now >= until)
			break;
		ret = stream_next(stream, until - now, &event);
		if (ret == -ETIMEDOUT || ret == -EINTR)
			continue;
		if (ret)
			return ret;
		record(r, event);
		json_object_put(event);
	}
	return 0;
}

static void summarise(const struct options *options,
		      const struct recording *r, const char *path)
{
	double seconds = (r->end_ns - r->timeline.start_ns) / 1e9;
	struct json_object *object;

	if (!options->json) {
		fprintf(stderr,
			"%s: %.3f s, %llu events, %llu switches, %llu failed\n",
			path, seconds, (unsigned long long)r->events,
			(unsigned long long)r->switches,
			(unsigned long long)r->failures);
		return;
	}
	object = json_object_new_object();
	json_object_object_add(object, "file", json_object_new_string(path));
	json_object_object_add(object, "seconds",
			       json_object_new_double(seconds));
	json_object_object_add(object, "events",
			       json_object_new_uint64(r->events));
	json_object_object_add(object, "switches",
			       json_object_new_uint64(r->switches));
	json_object_object_add(object, "failures",
			       json_object_new_uint64(r->failures));
	print_json(object);
	json_object_put(object);
}

/* Subscribe first, then take the state, so that no event is missed. */
static int run(const struct options *options, struct recording *r,
	       struct stream *stream)
{
	struct json_object *reply;
	int ret, status;

	status = request_ask(options, request_new("list"), &reply);
	if (status)
		return status;
	record_start(r, options, reply);
	json_object_put(reply);
	ret = follow(options, r, stream);
	if (!ret)
		return CTL_OK;
	complain("xschedd: %s; the trace ends here", stream_error(ret));
	return CTL_FAILURE;
}

int command_trace(const struct options *options, char **arguments)
{
	const char *path = options->output ? options->output : DEFAULT_FILE;
	struct recording r = { 0 };
	struct stream stream;
	int ret, status;

	(void)arguments;
	if (options->json && !strcmp(path, "-")) {
		complain("--json and the trace cannot both go to standard output");
		return CTL_USAGE;
	}
	catch_interrupt();
	status = request_stream(options, &stream);
	if (status)
		return status;
	ret = timeline_open(&r.timeline, path);
	if (ret) {
		complain("%s: %s", path, strerror(-ret));
		stream_free(&stream);
		return CTL_FAILURE;
	}
	status = run(options, &r, &stream);
	stream_free(&stream);
	ret = timeline_close(&r.timeline, r.end_ns);
	if (ret) {
		complain("%s: %s", path, strerror(-ret));
		return CTL_FAILURE;
	}
	summarise(options, &r, path);
	return status;
}
