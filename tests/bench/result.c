// SPDX-License-Identifier: MIT
/* two-models.json and two-models-raw.json, and the comparison of two of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "report.h"

/* Rounded, so that the file shows what the figures are worth. */
static void add(json_object *o, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4f", value);
	json_object_object_add(o, key, json_object_new_double_s(value, text));
}

static void add_count(json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)value));
}

static void add_text(json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

static json_object *write_sample(const struct sample *sample)
{
	json_object *o = json_object_new_object();

	add(o, "mean_ms", sample->mean);
	add(o, "p50_ms", sample->p50);
	add(o, "p95_ms", sample->p95);
	add(o, "p99_ms", sample->p99);
	return o;
}

static void add_param(json_object *o, const char *key, const struct raw_model *m)
{
	json_object *v;

	if (json_object_object_get_ex(m->doc, key, &v))
		json_object_object_add(o, key, json_object_get(v));
}

static json_object *write_mode(const struct report *r, int mode)
{
	const struct stats_mode *s = &r->stats.modes[mode];
	json_object *run = json_object_new_object(), *o;

	add_text(run, "mode", r->raw.modes[mode].name);
	add_text(run, "profile", r->profile);
	add_param(run, "arrival", &r->raw.modes[mode].hi);
	add_param(run, "seed", &r->raw.modes[mode].hi);
	o = json_object_new_object();
	add_count(o, "n", s->hi_ms.count);
	add(o, "rps", s->hi_rps);
	add(o, "busy", s->hi_busy);
	json_object_object_add(o, "sojourn", write_sample(&s->hi_ms));
	json_object_object_add(o, "service", write_sample(&s->hi_service_ms));
	json_object_object_add(run, "hi", o);
	o = json_object_new_object();
	add(o, "iter_s", s->lo_iter_s);
	add(o, "images_s", s->lo_images_s);
	add(o, "of_alone", s->lo_of_alone);
	add(o, "of_what_is_left", s->lo_of_left);
	json_object_object_add(run, "lo", o);
	o = json_object_new_object();
	add_count(o, "count", s->switch_us.count);
	add(o, "quiet_p50_us", s->quiet_us.p50);
	add(o, "quiet_p95_us", s->quiet_us.p95);
	add(o, "quiet_p99_us", s->quiet_us.p99);
	add(o, "p50_us", s->switch_us.p50);
	add(o, "p95_us", s->switch_us.p95);
	add(o, "p99_us", s->switch_us.p99);
	add(o, "event_to_return_p50_us", s->reaction_us.p50);
	add(o, "event_to_return_p99_us", s->reaction_us.p99);
	json_object_object_add(run, "switch", o);
	o = json_object_new_object();
	add_count(o, "submitted", s->account.submitted);
	add_count(o, "executed", s->account.executed);
	add_count(o, "lost", s->account.lost);
	add_count(o, "duplicated", s->account.duplicated);
	add_count(o, "out_of_order", s->account.out_of_order);
	add_count(o, "wave_saves", s->account.saved);
	json_object_object_add(run, "dispatch", o);
	return run;
}

/* What the model was: everything but its measurements. */
static json_object *model_params(const struct raw_model *m)
{
	static const char *const keys[] = {
		"preset", "images", "source", "stages", "arrival", "rate", "seed",
	};
	json_object *o = json_object_new_object(), *v;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (json_object_object_get_ex(m->doc, keys[i], &v))
			json_object_object_add(o, keys[i], json_object_get(v));
	}
	return o;
}

static json_object *params(const struct raw *raw)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "hi", model_params(&raw->modes[RAW_HPF].hi));
	json_object_object_add(o, "lo", model_params(&raw->modes[RAW_HPF].lo));
	json_object_object_add(o, "profile", json_object_get(raw->profile));
	return o;
}

/* What the programs ran on: versions, the GPU, the kernel. */
static void add_stack(json_object *doc, const struct raw *raw)
{
	json_object *xccs;

	json_object_object_foreach(raw->hip->stack, key, value)
		json_object_object_add(doc, key, json_object_get(value));
	if (json_object_object_get_ex(raw->profile, "xccs", &xccs))
		json_object_object_add(doc, "xccs", json_object_get(xccs));
}

static void add_hip(json_object *doc, const struct raw_hip *hip, const struct stats *stats)
{
	json_object *o = json_object_new_object();

	json_object_object_add(doc, "verified",
			       json_object_new_boolean(stats->words && !stats->wrong));
	add_count(doc, "interrupts", hip->saves[RAW_HPF]);
	add_count(o, "off", hip->off);
	add_count(o, "on", hip->on);
	json_object_object_add(doc, "user_instructions_per_launch", o);
}

static json_object *write_limits(const struct report *r)
{
	json_object *all = json_object_new_array(), *o;
	struct limit_row rows[LIMITS];
	int n = limits_judge(r, rows), i;

	for (i = 0; i < n; i++) {
		o = json_object_new_object();
		add_text(o, "figure", rows[i].figure);
		add_text(o, "what", rows[i].what);
		add_text(o, "must_be", rows[i].least ? "at least" : "at most");
		add(o, "limit", rows[i].limit);
		if (isnan(rows[i].value))
			json_object_object_add(o, "value", NULL);
		else
			add(o, "value", rows[i].value);
		json_object_object_add(o, "ok", json_object_new_boolean(rows[i].ok));
		add_text(o, "why", rows[i].why);
		json_object_array_add(all, o);
	}
	return all;
}

/* High's sojourn, over that of it alone. */
static json_object *write_ratios(const struct stats *stats)
{
	const struct sample *alone = &stats->modes[RAW_ALONE].hi_ms, *native = &stats->modes[RAW_NATIVE].hi_ms;
	const struct sample *hpf = &stats->modes[RAW_HPF].hi_ms;
	json_object *o = json_object_new_object();

	add(o, "native_p50_over_alone", native->p50 / alone->p50);
	add(o, "native_p95_over_alone", native->p95 / alone->p95);
	add(o, "native_p99_over_alone", native->p99 / alone->p99);
	add(o, "hpf_p50_over_alone", hpf->p50 / alone->p50);
	add(o, "hpf_p95_over_alone", hpf->p95 / alone->p95);
	add(o, "hpf_p99_over_alone", hpf->p99 / alone->p99);
	return o;
}

static json_object *write_profile(const struct report *r)
{
	json_object *doc = json_object_new_object(), *o;

	add_text(doc, "profile", r->profile);
	json_object_object_add(doc, "ratios", write_ratios(&r->stats));
	json_object_object_add(doc, "limits", write_limits(r));
	o = json_object_new_object();
	add_count(o, "count", r->stats.kills);
	add(o, "low_runs_again_ms", r->stats.run_again_ms);
	json_object_object_add(doc, "scheduler_killed", o);
	if (r->raw.hip)
		add_hip(doc, r->raw.hip, &r->stats);
	json_object_object_add(doc, "params", params(&r->raw));
	return doc;
}

bool result_write(const struct report *reports, int count, const char *commit, const char *path)
{
	json_object *doc = json_object_new_object(), *runs = json_object_new_array();
	json_object *profiles = json_object_new_array();
	int i, mode, ret;

	add_text(doc, "experiment", "two-models");
	add_text(doc, "clock", "icount");
	add_text(doc, "commit", commit);
	add_text(doc, "tenants", reports->raw.hip ? "hip" : "raw");
	if (reports->raw.hip)
		add_stack(doc, &reports->raw);
	for (i = 0; i < count; i++) {
		for (mode = 0; mode < RAW_MODES; mode++)
			json_object_array_add(runs, write_mode(&reports[i], mode));
		json_object_array_add(profiles, write_profile(&reports[i]));
	}
	json_object_object_add(doc, "runs", runs);
	json_object_object_add(doc, "profiles", profiles);
	ret = json_object_to_file_ext(path, doc, JSON_C_TO_STRING_PRETTY |
				      JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (ret)
		fprintf(stderr, "xs-report: %s\n", json_util_get_last_err());
	json_object_put(doc);
	return !ret;
}

/*
 * Two runs of one build are the same instructions on the same model. What moves them apart is QEMU's clock, which is
 * off by nanoseconds once in a while (tests/vm/machine.sh). Numbers that may be further apart for that than the
 * others, and what is known of how far:
 *
 * - tails of a few hundred switches: the sampler meets the load at other moments from then on. P99 of 54.4 and
 *   56.6 us were seen, and a third that was not kept. Medians and counts do not move so: of builds in which code has
 *   moved, medians are 0.7 % apart;
 * - launches: see REPORT_PATHS;
 * - the high priority natively: without a scheduler requests wait in a queue, and a nanosecond decides the order from
 *   then on. One run of seven had another P99, and the same figures of all else. It is another draw of that queue
 *   then, which one of another build is, too: of builds kept, the P99s are up to 19 % apart
 *   (Documentation/records/figures.json).
 */
#define SWITCH_TAILS	0.1
#define NATIVE_QUEUE	0.2

static const struct {
	const char *key;
	double tolerance;
} wider[] = {
	{ "p95_us", SWITCH_TAILS },
	{ "quiet_p95_us", SWITCH_TAILS },
	{ "p99_us", SWITCH_TAILS },
	{ "quiet_p99_us", SWITCH_TAILS },
	{ "event_to_return_p99_us", SWITCH_TAILS },
	{ "user_instructions_per_launch", REPORT_PATHS },
	{ "native_p50_over_alone", NATIVE_QUEUE },
	{ "native_p95_over_alone", NATIVE_QUEUE },
	{ "native_p99_over_alone", NATIVE_QUEUE },
};

static bool is_native(json_object *run)
{
	json_object *mode;

	return json_object_object_get_ex(run, "mode", &mode) &&
	       !strcmp(json_object_get_string(mode), "native");
}

/* Of what is called @key in @o. */
static double tolerance_of(json_object *o, const char *key, double tolerance)
{
	size_t i;

	if (!strcmp(key, "hi") && is_native(o))
		return fmax(tolerance, NATIVE_QUEUE);
	for (i = 0; i < sizeof(wider) / sizeof(wider[0]); i++)
		if (!strcmp(key, wider[i].key))
			return fmax(tolerance, wider[i].tolerance);
	return tolerance;
}

static bool same_number(double a, double b, double tolerance)
{
	double larger = fmax(fabs(a), fabs(b));

	return fabs(a - b) <= tolerance * larger;
}

static bool same(json_object *a, json_object *b, double tolerance, const char *where)
{
	char inside[256];
	json_object *other;
	bool ok = true;
	size_t i;

	if (!json_object_is_type(b, json_object_get_type(a)))
		return false;
	switch (json_object_get_type(a)) {
	case json_type_object: {
		json_object_object_foreach(a, key, value) {
			if (!strcmp(key, "limits"))	/* of figures that are compared */
				continue;
			snprintf(inside, sizeof(inside), "%s.%s", where, key);
			ok &= json_object_object_get_ex(b, key, &other) &&
			      same(value, other, tolerance_of(a, key, tolerance), inside);
		}
		return ok;
	}
	case json_type_array:
		ok = json_object_array_length(a) == json_object_array_length(b);
		for (i = 0; ok && i < json_object_array_length(a); i++) {
			snprintf(inside, sizeof(inside), "%s[%zu]", where, i);
			ok &= same(json_object_array_get_idx(a, i), json_object_array_get_idx(b, i),
				   tolerance, inside);
		}
		return ok;
	case json_type_int:
	case json_type_double:
		ok = same_number(json_object_get_double(a), json_object_get_double(b), tolerance);
		break;
	default:
		return true;
	}
	if (!ok)
		printf("  differs: %s: %g and %g\n", where, json_object_get_double(a),
		       json_object_get_double(b));
	return ok;
}

bool result_same(const char *path_a, const char *path_b, double tolerance)
{
	json_object *a = json_object_from_file(path_a), *b = json_object_from_file(path_b);
	bool ok = a && b && same(a, b, tolerance, "");

	if (!a || !b)
		fprintf(stderr, "xs-report: %s\n", json_util_get_last_err());
	json_object_put(a);
	json_object_put(b);
	return ok;
}
