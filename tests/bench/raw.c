// SPDX-License-Identifier: MIT
/* Read the results of xs-model. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "raw.h"

static uint64_t get_u64(json_object *o, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v) ? (uint64_t)json_object_get_int64(v) : 0;
}

static uint64_t at(json_object *array, size_t i)
{
	return (uint64_t)json_object_get_int64(json_object_array_get_idx(array, i));
}

/* An array of that name in @o, or NULL. */
static json_object *get_array(json_object *o, const char *key)
{
	json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_array))
		return NULL;
	return v;
}

static bool read_requests(struct raw_model *m)
{
	json_object *all = get_array(m->doc, "requests"), *r;
	size_t i;

	if (!all)
		return false;
	m->count = json_object_array_length(all);
	m->requests = calloc(m->count ? m->count : 1, sizeof(*m->requests));
	for (i = 0; i < m->count; i++) {
		r = json_object_array_get_idx(all, i);
		m->requests[i] = (struct raw_request){ at(r, 0), at(r, 1), at(r, 2), at(r, 3), at(r, 4) };
	}
	return true;
}

static bool read_window(struct raw_model *m)
{
	json_object *window, *all, *d;
	size_t i;

	if (!json_object_object_get_ex(m->doc, "window", &window))
		return false;
	all = get_array(window, "dispatches");
	if (!all)
		return false;
	m->window_from = get_u64(window, "from_ns");
	m->window_to = get_u64(window, "to_ns");
	m->dispatch_count = json_object_array_length(all);
	m->dispatches = calloc(m->dispatch_count ? m->dispatch_count : 1, sizeof(*m->dispatches));
	for (i = 0; i < m->dispatch_count; i++) {
		d = json_object_array_get_idx(all, i);
		m->dispatches[i] = (struct raw_dispatch){ at(d, 0), at(d, 1), (uint32_t)at(d, 2) };
	}
	return true;
}

static bool read_account(struct raw_model *m)
{
	json_object *a;

	if (!json_object_object_get_ex(m->doc, "dispatch", &a))
		return false;
	m->account.submitted = get_u64(a, "submitted");
	m->account.executed = get_u64(a, "executed");
	m->account.lost = get_u64(a, "lost");
	m->account.duplicated = get_u64(a, "duplicated");
	m->account.out_of_order = get_u64(a, "out_of_order");
	m->account.saved = get_u64(a, "saved");
	if (json_object_object_get_ex(m->doc, "results", &a)) {
		m->words = get_u64(a, "words");
		m->wrong = get_u64(a, "wrong");
	}
	return true;
}

static bool read_model(struct raw_model *m, const char *dir, const char *mode, const char *who)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s-%s.json", dir, mode, who);
	m->doc = json_object_from_file(path);
	if (!m->doc) {
		fprintf(stderr, "xs-report: %s: %s\n", path, json_util_get_last_err());
		return false;
	}
	m->images = (uint32_t)get_u64(m->doc, "images");
	m->start = get_u64(m->doc, "start_ns");
	m->end = get_u64(m->doc, "end_ns");
	if (!read_requests(m) || !read_window(m) || !read_account(m) || !m->count) {
		fprintf(stderr, "xs-report: %s: not a complete result\n", path);
		return false;
	}
	return true;
}

/* "name value" a line; numbers become numbers. */
static json_object *read_profile(const char *dir)
{
	char path[512], key[64], value[128], *end;
	json_object *o;
	long long v;
	FILE *f;

	snprintf(path, sizeof(path), "%s/profile", dir);
	f = fopen(path, "re");
	if (!f) {
		fprintf(stderr, "xs-report: %s: %s\n", path, strerror(errno));
		return NULL;
	}
	o = json_object_new_object();
	while (fscanf(f, " %63[^ \t=:\n]%*[ \t=:]%127[^\n]", key, value) == 2) {
		v = strtoll(value, &end, 10);
		json_object_object_add(o, key, *end ? json_object_new_string(value)
						    : json_object_new_int64(v));
	}
	fclose(f);
	return o;
}

const char *raw_profile_text(const struct raw *raw, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(raw->profile, key, &v) ? json_object_get_string(v)
								: "unknown";
}

static bool read_killed(struct raw *raw, const char *dir)
{
	json_object *doc, *all;
	char path[512];
	size_t i;

	snprintf(path, sizeof(path), "%s/failopen.json", dir);
	doc = json_object_from_file(path);
	all = doc ? get_array(doc, "run_again_ns") : NULL;
	if (!all) {
		fprintf(stderr, "xs-report: %s: not a result\n", path);
		json_object_put(doc);
		return false;
	}
	raw->killed_count = json_object_array_length(all);
	raw->killed = calloc(raw->killed_count + 1, sizeof(*raw->killed));
	for (i = 0; i < raw->killed_count; i++)
		raw->killed[i] = at(all, i);
	json_object_put(doc);
	return true;
}

bool raw_read(struct raw *raw, const char *dir, bool hip)
{
	static const char *const names[RAW_MODES] = { "alone", "native", "hpf" };
	char path[512];
	int i;

	memset(raw, 0, sizeof(*raw));
	for (i = 0; i < RAW_MODES; i++) {
		raw->modes[i].name = names[i];
		if (!read_model(&raw->modes[i].hi, dir, names[i], "hi") ||
		    !read_model(&raw->modes[i].lo, dir, names[i], "lo"))
			return false;
	}
	snprintf(path, sizeof(path), "%s/hpf-trace", dir);
	if (!raw_read_trace(&raw->modes[RAW_HPF], path) || !read_killed(raw, dir) ||
	    (hip && !raw_read_hip(raw, dir)))
		return false;
	raw->profile = read_profile(dir);
	return raw->profile;
}

static void free_model(struct raw_model *m)
{
	json_object_put(m->doc);
	free(m->requests);
	free(m->dispatches);
}

void raw_free(struct raw *raw)
{
	int i;

	for (i = 0; i < RAW_MODES; i++) {
		free_model(&raw->modes[i].hi);
		free_model(&raw->modes[i].lo);
		free(raw->modes[i].switches);
	}
	free(raw->killed);
	raw_free_hip(raw->hip);
	json_object_put(raw->profile);
}
