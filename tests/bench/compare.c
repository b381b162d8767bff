// SPDX-License-Identifier: MIT
/*
 * xsched-sim's result of the two models against the guest's. They have the model
 * of the GPU in common and nothing else: on one side the real driver, module,
 * daemon and programs, on the other what these cost (sim/xsched-sim/scenario/costs.c).
 * Prints TAP.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "report.h"

/**
 * struct compare - a comparison under way
 * @sim: result of xsched-sim
 * @guest: result of the guest, with one profile or several
 * @profile: the one of the simulation
 * @tolerance: how far figures may be apart
 * @count: tests so far
 * @failed: of them
 */
struct compare {
	json_object *sim;
	json_object *guest;
	const char *profile;
	double tolerance;
	int count;
	int failed;
};

__attribute__((format(printf, 3, 4)))
static void tap(struct compare *c, bool ok, const char *format, ...)
{
	va_list args;

	printf("%s %d - ", ok ? "ok" : "not ok", ++c->count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	c->failed += !ok;
}

/* What a chain of keys leads to, or NULL. */
static json_object *get(json_object *o, const char *const *keys)
{
	for (; o && *keys; keys++)
		if (!json_object_object_get_ex(o, *keys, &o))
			return NULL;
	return o;
}

/* Whether @o has that text there. */
static bool is(json_object *o, const char *key, const char *text)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v) && !strcmp(json_object_get_string(v), text);
}

/* A run in that mode; of several profiles, with that of the simulation. */
static json_object *find_run(const struct compare *c, json_object *doc, const char *mode)
{
	json_object *runs, *run;
	size_t i;

	if (!json_object_object_get_ex(doc, "runs", &runs))
		return NULL;
	for (i = 0; i < json_object_array_length(runs); i++) {
		run = json_object_array_get_idx(runs, i);
		if (is(run, "mode", mode) && (doc == c->sim || is(run, "profile", c->profile)))
			return run;
	}
	return NULL;
}

static double figure(json_object *run, const char *who, const char *key)
{
	const char *const keys[] = { who, key, NULL };
	json_object *v = run ? get(run, keys) : NULL;

	return v ? json_object_get_double(v) : NAN;
}

/* The guest's of high: its sojourn. */
static double guest_figure(json_object *run, const char *who, const char *key)
{
	const char *const keys[] = { "hi", "sojourn", key, NULL };
	json_object *v = run && !strcmp(who, "hi") ? get(run, keys) : NULL;

	return v ? json_object_get_double(v) : figure(run, who, key);
}

static void compare_figure(struct compare *c, const char *mode, const char *who, const char *key)
{
	double sim = figure(find_run(c, c->sim, mode), who, key);
	double guest = guest_figure(find_run(c, c->guest, mode), who, key);
	double apart = fabs(sim - guest) / guest;

	tap(c, apart <= c->tolerance, "%s: %s %s: %.4f simulated, %.4f in the guest, %.2f %% apart",
	    mode, who, key, sim, guest, apart * 100);
}

/* Requests from which on a P99 under HPF is more than one or two of them. */
#define MANY	1000

/* Whether the time of each workgroup, or of each packet, is drawn. */
static bool is_drawn(const struct compare *c)
{
	json_object *params = NULL;

	json_object_object_get_ex(c->sim, "params", &params);
	return figure(params, "profile", "workgroup_spread") > 0 || figure(params, "profile", "packet_jitter_ns") > 0;
}

/*
 * Natively requests queue up behind the other's, in an order that hangs on a nanosecond: their median is that of one
 * order, and where times are drawn the P99 is, too. With a "wake" of 47.0 to 48.6 us, xsched-sim's own P99 of 1000
 * requests is now 32.9 ms, now 35.6, and the mean 9.46 to 9.54 (mi308x-field).
 *
 * Under HPF a request may end while the sampler reads registers to count waves, some 100 us, and the guest's only CPU
 * tells its process after that. Of 100 requests it was two, of which the P99 is one; xsched-sim does not know of it.
 */
static void compare_figures(struct compare *c, const char *mode)
{
	bool hpf = !strcmp(mode, "hpf"), native = !strcmp(mode, "native");

	compare_figure(c, mode, "hi", native ? "mean_ms" : "p50_ms");
	if (hpf)
		compare_figure(c, mode, "hi", "p95_ms");
	if (hpf ? figure(find_run(c, c->guest, mode), "hi", "n") >= MANY : !native || !is_drawn(c))
		compare_figure(c, mode, "hi", "p99_ms");
	compare_figure(c, mode, "lo", "iter_s");
}

/* Every dispatch once, on both sides. */
static void check_dispatches(struct compare *c, json_object *doc, const char *where,
			     const char *mode)
{
	json_object *run = find_run(c, doc, mode);
	double submitted = figure(run, "dispatch", "submitted");
	double executed = figure(run, "dispatch", "executed");
	double wrong = figure(run, "dispatch", "lost") + figure(run, "dispatch", "duplicated") +
		figure(run, "dispatch", "out_of_order");

	tap(c, submitted > 0 && submitted == executed && wrong == 0,
	    "%s: %s: %.0f dispatches, each executed once", mode, where, submitted);
}

/* What the guest says of that profile. */
static json_object *guest_profile(const struct compare *c)
{
	json_object *all;
	size_t i;

	if (!json_object_object_get_ex(c->guest, "profiles", &all))
		return NULL;
	for (i = 0; i < json_object_array_length(all); i++)
		if (is(json_object_array_get_idx(all, i), "profile", c->profile))
			return json_object_array_get_idx(all, i);
	return NULL;
}

/* The same kernels, arrivals and GPU: otherwise there is nothing to compare. */
static void compare_param(struct compare *c, const char *who, const char *key)
{
	const char *const keys[] = { "params", who, key, NULL };
	json_object *sim = get(c->sim, keys), *guest = get(guest_profile(c), keys);

	tap(c, sim && guest && json_object_equal(sim, guest), "the same %s of %s", key, who);
}

static void compare_number(struct compare *c, const char *who, const char *key)
{
	const char *const keys[] = { "params", who, key, NULL };
	json_object *sim = get(c->sim, keys), *guest = get(guest_profile(c), keys);

	tap(c, sim && guest && json_object_get_double(sim) == json_object_get_double(guest),
	    "the same %s of %s", key, who);
}

/* Every parameter the guest printed that the simulation printed, too. */
static void compare_profile(struct compare *c)
{
	static const char *const keys[] = { "params", "profile", NULL };
	json_object *sim = get(c->sim, keys), *guest = get(guest_profile(c), keys), *other;
	int same = 0, different = 0;

	if (sim && guest) {
		json_object_object_foreach(guest, key, value) {
			if (!json_object_object_get_ex(sim, key, &other))
				continue;
			if (json_object_equal(value, other)) {
				same++;
			} else {
				printf("# %s differs\n", key);
				different++;
			}
		}
	}
	tap(c, same >= 10 && !different, "the same profile: %d parameters", same);
}

static void compare_all(struct compare *c, char **modes, int count)
{
	int i;

	compare_param(c, "hi", "stages");
	compare_param(c, "lo", "stages");
	compare_param(c, "hi", "arrival");
	compare_param(c, "lo", "arrival");
	compare_number(c, "hi", "rate");
	compare_number(c, "hi", "seed");
	compare_number(c, "lo", "images");
	compare_profile(c);
	for (i = 0; i < count; i++) {
		compare_figures(c, modes[i]);
		check_dispatches(c, c->sim, "simulated", modes[i]);
		check_dispatches(c, c->guest, "guest", modes[i]);
	}
}

bool compare_results(const char *sim_path, const char *guest_path, char **modes, int count, double tolerance)
{
	struct compare c = {
		.sim = json_object_from_file(sim_path),
		.guest = json_object_from_file(guest_path),
		.tolerance = tolerance,
	};
	static const char *const name[] = { "params", "profile", "name", NULL };
	json_object *profile = c.sim ? get(c.sim, name) : NULL;
	bool ok = profile && c.guest;

	if (ok) {
		c.profile = json_object_get_string(profile);
		compare_all(&c, modes, count);
		printf("1..%d\n", c.count);
	} else {
		printf("Bail out! %s\n", c.sim && !profile ? "no profile is named" : json_util_get_last_err());
	}
	json_object_put(c.sim);
	json_object_put(c.guest);
	return ok && !c.failed;
}
