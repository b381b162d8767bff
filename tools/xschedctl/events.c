// SPDX-License-Identifier: MIT
/*
 * events: the events that the daemon reads from the kernel, and the switches it
 * makes, as they happen.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl.h"

#define DEFAULT_MS	1000

static void print_pids(struct json_object *event, const char *name)
{
	struct json_object *pids = get_array(event, name);
	size_t count = pids ? json_object_array_length(pids) : 0;

	if (!count)
		return;
	printf("  %s", name);
	for (size_t i = 0; i < count; i++)
		printf("%c%d", i ? ',' : ' ',
		       json_object_get_int(json_object_array_get_idx(pids, i)));
}

static void print_queues(struct json_object *event, const char *name)
{
	struct json_object *queues = get_array(event, name);
	size_t count = queues ? json_object_array_length(queues) : 0;

	if (!count)
		return;
	printf("  %s", name);
	for (size_t i = 0; i < count; i++)
		printf("%c%" PRIu64, i ? ',' : ' ',
		       get_u64(json_object_array_get_idx(queues, i), "queue"));
}

static void print_switch(struct json_object *event)
{
	double begin = get_number(event, "begin_ns");
	double cause = get_number(event, "cause_ns");
	int error = get_number(event, "status");

	print_pids(event, "hold");
	print_pids(event, "release");
	print_queues(event, "hold_queues");
	print_queues(event, "release_queues");
	printf("  %.1f us", (get_number(event, "end_ns") - begin) / 1e3);
	if (cause > 0 && cause <= begin)
		printf(", %.1f us after its cause", (begin - cause) / 1e3);
	if (error)
		printf("  FAILED: %s", strerror(error < 0 ? -error : error));
}

static void print_members(struct json_object *event)
{
	static const char *const numbers[] = { "pid", "queue", "node", "count" };
	int error = get_number(event, "status");
	struct json_object *value;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (get_number(event, numbers[i]))
			printf("  %s %.0f", numbers[i],
			       get_number(event, numbers[i]));
	if (json_object_object_get_ex(event, "ended", &value))
		printf("  %s", json_object_get_boolean(value) ? "ended" :
								"begins");
	if (json_object_object_get_ex(event, "reason", &value))
		printf("  %s", json_object_get_string(value));
	if (!json_object_object_get_ex(event, "held", &value))
		return;
	printf("  %s", json_object_get_boolean(value) ? "held" : "released");
	printf("  %.1f us after its cause", get_number(event, "after_ns") / 1e3);
	if (error)
		printf("  FAILED: %s", strerror(-error));
}

static void print_event(struct json_object *event)
{
	const char *name = get_string(event, "event");
	bool is_switch = !strcmp(name, "switch");

	printf("%16.6f  %-9s",
	       get_number(event, is_switch ? "begin_ns" : "time_ns") / 1e9,
	       name);
	if (is_switch) {
		print_switch(event);
	} else {
		print_members(event);
	}
	putchar('\n');
	fflush(stdout);
}

static int show_stream(const struct options *options, struct stream *stream)
{
	const uint64_t until = now_ms() +
			       (options->time_ms ? options->time_ms :
						   DEFAULT_MS);
	unsigned int seen = 0;

	while (!interrupted() && (!options->count || seen < options->count)) {
		const uint64_t now = now_ms();
		struct json_object *event;
		int ret;

		if (!options->follow && now >= until)
			break;
		ret = stream_next(stream, options->follow ? -1 : (int)(until - now),
				  &event);
		if (ret == -ETIMEDOUT || ret == -EINTR)
			continue;
		if (ret)
			return ret;
		if (options->json)
			print_json(event);
		else
			print_event(event);
		json_object_put(event);
		seen++;
	}
	return 0;
}

int command_events(const struct options *options, char **arguments)
{
	struct stream stream;
	int ret, status;

	(void)arguments;
	catch_interrupt();
	status = request_stream(options, &stream);
	if (status)
		return status;
	ret = show_stream(options, &stream);
	stream_free(&stream);
	if (!ret)
		return CTL_OK;
	complain("xschedd: %s", stream_error(ret));
	return CTL_FAILURE;
}
