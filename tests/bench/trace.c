// SPDX-License-Identifier: MIT
/*
 * xschedd's trace: one JSON object a line for each APPLY (xschedd.conf(5)).
 * Those that took queues on or off the hardware are the switches.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "raw.h"

static uint64_t number(json_object *o, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v) ? (uint64_t)json_object_get_int64(v) : 0;
}

static size_t length(json_object *o, const char *key)
{
	json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_array))
		return 0;
	return json_object_array_length(v);
}

static bool add_switch(struct raw_mode *mode, const struct raw_switch *s)
{
	struct raw_switch *grown;

	grown = realloc(mode->switches, (mode->switch_count + 1) * sizeof(*grown));
	if (!grown)
		return false;
	mode->switches = grown;
	mode->switches[mode->switch_count++] = *s;
	return true;
}

/* Queues that went on or off the hardware, on all nodes. */
static uint64_t flips(json_object *o)
{
	json_object *nodes;
	uint64_t sum = 0;
	size_t i;

	if (!json_object_object_get_ex(o, "nodes", &nodes))
		return 0;
	for (i = 0; i < json_object_array_length(nodes); i++)
		sum += number(json_object_array_get_idx(nodes, i), "flips");
	return sum;
}

static bool read_line(struct raw_mode *mode, const char *line)
{
	json_object *o = json_tokener_parse(line);
	struct raw_switch s;
	bool ok = true;

	if (!o)
		return false;
	if (flips(o)) {
		s.event = number(o, "event_ns");
		s.begin = number(o, "t_ns");
		s.end = s.begin + number(o, "call_ns");
		s.held = length(o, "hold") > 0;
		ok = s.end > s.begin && add_switch(mode, &s);
	}
	json_object_put(o);
	return ok;
}

bool raw_read_trace(struct raw_mode *mode, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	bool ok = true;
	size_t size;
	int n = 0;

	if (!f) {
		fprintf(stderr, "xs-report: %s: %s\n", path, strerror(errno));
		return false;
	}
	while (ok && getline(&line, &size, f) > 0) {
		ok = read_line(mode, line);
		n++;
	}
	if (!ok)
		fprintf(stderr, "xs-report: %s: line %d is not understood\n", path, n);
	free(line);
	fclose(f);
	return ok;
}
