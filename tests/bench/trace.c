// SPDX-License-Identifier: MIT
/*
 * xschedd's trace: one JSON object a line for each APPLY (xschedd.conf(5)).
 * Those that took queues on or off the hardware are the switches.
 *
 * Until the GPU was quiet: amdkfd measures how long it then takes to write the new runlist, which is the
 * last thing before it returns. All of a call but that is what it took until its queues were off the GPU,
 * at most: the way back from the kernel is in it.
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

/*
 * Queues that went on or off the hardware, on all nodes; and of the nodes they are on, what the one that was quiet
 * last took after that. Of a switch that was not waited for, nothing is known of the nodes.
 */
static uint64_t flips(json_object *o, uint64_t *map)
{
	uint64_t sum = 0, n;
	json_object *nodes, *node;
	size_t i;

	if (!json_object_object_get_ex(o, "nodes", &nodes))
		return 0;
	if (!json_object_array_length(nodes))
		return number(o, "flips");
	for (i = 0; i < json_object_array_length(nodes); i++) {
		node = json_object_array_get_idx(nodes, i);
		n = number(node, "flips");
		if (n && (!sum || number(node, "map_ns") < *map))
			*map = number(node, "map_ns");
		sum += n;
	}
	return sum;
}

static bool read_line(struct raw_mode *mode, const char *line)
{
	json_object *o = json_tokener_parse(line);
	struct raw_switch s;
	uint64_t map = 0;
	bool ok = true;

	if (!o)
		return false;
	if (flips(o, &map)) {
		s.event = number(o, "event_ns");
		s.begin = number(o, "t_ns");
		s.end = s.begin + number(o, "call_ns");
		s.quiet = s.end - map;
		s.held = length(o, "hold") > 0;
		ok = s.end > s.begin && s.quiet > s.begin && add_switch(mode, &s);
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
