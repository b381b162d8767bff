// SPDX-License-Identifier: MIT
/* What the guest knows of HIP programs, from outside of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "raw.h"

static bool read_saves(struct raw *raw, json_object *doc)
{
	json_object *saves, *v;
	int i;

	if (!json_object_object_get_ex(doc, "saves", &saves))
		return false;
	for (i = 0; i < RAW_MODES; i++) {
		if (!json_object_object_get_ex(saves, raw->modes[i].name, &v))
			return false;
		raw->hip->saves[i] = (uint64_t)json_object_get_int64(v);
		/* the programs themselves know nothing of it */
		raw->modes[i].lo.account.saved = raw->hip->saves[i];
	}
	return true;
}

static int64_t steps_at(json_object *all, size_t i)
{
	return json_object_get_int64(json_object_array_get_idx(all, i));
}

static int compare_steps(const void *a, const void *b)
{
	int64_t x = json_object_get_int64(*(json_object *const *)a);
	int64_t y = json_object_get_int64(*(json_object *const *)b);

	return (x > y) - (x < y);
}

/* The launches of that key, from the least instructions to the most; NULL if they are not there. */
static json_object *read_steps(json_object *doc, const char *key)
{
	json_object *steps, *all;

	if (!json_object_object_get_ex(doc, "steps", &steps) ||
	    !json_object_object_get_ex(steps, key, &all) ||
	    !json_object_is_type(all, json_type_array) || !json_object_array_length(all))
		return NULL;
	json_object_array_sort(all, compare_steps);
	return steps_at(all, 0) > 0 ? all : NULL;
}

static uint64_t median(json_object *all)
{
	return (uint64_t)steps_at(all, json_object_array_length(all) / 2);
}

static bool read_launches(struct raw_hip *hip, json_object *doc)
{
	json_object *off = read_steps(doc, "off"), *on = read_steps(doc, "on");

	if (!off || !on)
		return false;
	hip->off = median(off);
	hip->on = median(on);
	return true;
}

static const char *text_of(json_object *o, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v) ? json_object_get_string(v) : "?";
}

const char *raw_hip_text(const struct raw_hip *hip, const char *key)
{
	return text_of(hip->stack, key);
}

const char *raw_hip_version(const struct raw_hip *hip, const char *key)
{
	json_object *rocm;

	return json_object_object_get_ex(hip->stack, "rocm", &rocm) ? text_of(rocm, key) : "?";
}

void raw_free_hip(struct raw_hip *hip)
{
	if (hip)
		json_object_put(hip->stack);
	free(hip);
}

/* All that a result must name. */
static bool read_stack(struct raw_hip *hip, json_object *doc)
{
	static const char *const texts[] = { "gfx", "kernel", NULL };
	static const char *const versions[] = { "hip", "rocr", "hipcc", NULL };
	json_object *stack;
	int i;

	if (!json_object_object_get_ex(doc, "stack", &stack))
		return false;
	hip->stack = json_object_get(stack);
	for (i = 0; texts[i]; i++)
		if (!strcmp(raw_hip_text(hip, texts[i]), "?"))
			return false;
	for (i = 0; versions[i]; i++)
		if (!strcmp(raw_hip_version(hip, versions[i]), "?"))
			return false;
	return true;
}

bool raw_read_hip(struct raw *raw, const char *dir)
{
	json_object *doc;
	char path[512];
	bool ok;

	snprintf(path, sizeof(path), "%s/hip.json", dir);
	doc = json_object_from_file(path);
	raw->hip = calloc(1, sizeof(*raw->hip));
	ok = doc && raw->hip && read_stack(raw->hip, doc) && read_saves(raw, doc) &&
	     read_launches(raw->hip, doc);
	if (!ok)
		fprintf(stderr, "xs-report: %s: not a result\n", path);
	json_object_put(doc);
	return ok;
}
