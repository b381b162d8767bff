// SPDX-License-Identifier: MIT
/* Keys of [process NAME]: a group of equal processes, what they run and when. */
#include <stdlib.h>
#include <string.h>

#include "scenario/keys.h"
#include "scenario/parse.h"

static struct scenario_process *process(struct reader *r)
{
	return &r->scn->processes[r->process];
}

static bool p_count(struct reader *r, const char *value)
{
	return keys_u32(r, &process(r)->count, value, 1, SCENARIO_PROCESSES);
}

static bool p_priority(struct reader *r, const char *value)
{
	int64_t v;

	/* the engine's range; scenario_check() compiles against its header */
	if (!parse_signed(value, -255, 255, &v))
		return reader_fail(r, "'%s' is not a priority of -255..255", value);
	process(r)->priority = (s32)v;
	return true;
}

static bool p_kfd_priority(struct reader *r, const char *value)
{
	return keys_u32(r, &process(r)->kfd_priority, value, 0, 15);
}

static bool p_queues(struct reader *r, const char *value)
{
	return keys_u32(r, &process(r)->queues, value, 1, 1024);
}

static bool p_nodes(struct reader *r, const char *value)
{
	if (!parse_set(value, SCENARIO_NODES, &process(r)->nodes))
		return reader_fail(r, "'%s' is not a list of nodes, like 0-3,5 or all", value);
	return true;
}

static bool p_spread(struct reader *r, const char *value)
{
	static const char *const choices[] = { "processes", "queues", NULL };
	int i = keys_choose(r, value, choices);

	process(r)->placement = i == 1 ? PLACE_QUEUE : PLACE_PROCESS;
	return i >= 0;
}

static bool p_tenant(struct reader *r, const char *value)
{
	return keys_text(r, &process(r)->tenant, value);
}

/* "12 of 96 workgroups, 4 waves, 118.5 us [, 20 per mille]" */
static bool p_kernels(struct reader *r, const char *value)
{
	struct scenario_process *p = process(r);
	struct scenario_kernel k = { 0 };
	char unit[3] = "", time[64];
	double length;
	int used = 0;

	if (p->kernel_kinds == SCENARIO_KERNELS)
		return reader_fail(r, "more than %u kinds of kernel", SCENARIO_KERNELS);
	if (sscanf(value, "%u of %u workgroups, %u waves, %lf %2[a-z]%n", &k.count, &k.workgroups,
		   &k.waves, &length, unit, &used) != 5)
		return reader_fail(r, "'%s' is not like 12 of 96 workgroups, 4 waves, 118.5 us",
				   value);
	snprintf(time, sizeof(time), "%.6f%s", length, unit);
	if (!parse_time(time, &k.workgroup_ns) || !k.workgroup_ns)
		return reader_fail(r, "'%g %s' is not a time above 0", length, unit);
	value += used;
	used = 0;
	if (*value && (sscanf(value, ", %u per mille%n", &k.spread, &used) != 1 || value[used]))
		return reader_fail(r, "'%s' is not understood", value);
	if (!k.count || !k.workgroups || k.workgroups > 1 << 24 || !k.waves || k.waves > 16 ||
	    k.count > SCENARIO_PACKETS || k.spread >= 1000)
		return reader_fail(r, "no such kernel");
	p->kernels[p->kernel_kinds++] = k;
	return true;
}

static bool p_vgprs(struct reader *r, const char *value)
{
	return keys_u32(r, &process(r)->vgprs, value, 1, 512);
}

static bool p_lds(struct reader *r, const char *value)
{
	return keys_u32(r, &process(r)->lds, value, 0, 1 << 20);
}

static bool p_barrier(struct reader *r, const char *value)
{
	return keys_yes(r, &process(r)->barrier, value);
}

static bool p_images(struct reader *r, const char *value)
{
	return keys_u32(r, &process(r)->images, value, 1, 1 << 20);
}

static bool p_model(struct reader *r, const char *value)
{
	return keys_text(r, &process(r)->model, value);
}

static bool p_source(struct reader *r, const char *value)
{
	return keys_text(r, &process(r)->source, value);
}

static bool p_depth(struct reader *r, const char *value)
{
	return keys_u32(r, &process(r)->depth, value, 1, 64);
}

static bool read_trace(struct reader *r, const char *path)
{
	struct scenario_process *p = process(r);
	const char *slash = strrchr(r->scn->path, '/');
	char full[4096];
	long bad;

	/* beside the scenario, unless it is absolute */
	if (*path == '/' || !slash)
		snprintf(full, sizeof(full), "%s", path);
	else
		snprintf(full, sizeof(full), "%.*s/%s", (int)(slash - r->scn->path), r->scn->path,
			 path);
	bad = arrival_read_trace(&p->trace, full);
	if (bad < 0)
		return reader_fail(r, "cannot read %s", full);
	if (bad)
		return reader_fail(r, "%s:%ld: not a time in seconds, or before the one above",
				   full, bad);
	if (!p->trace.count)
		return reader_fail(r, "%s: no times", full);
	return true;
}

/* "closed", "poisson RATE", "periodic RATE", "trace FILE" */
static bool p_arrival(struct reader *r, const char *value)
{
	struct scenario_process *p = process(r);
	const char *rest = value + strcspn(value, " ");
	size_t length = (size_t)(rest - value);
	int k;

	rest += strspn(rest, " ");
	for (k = ARRIVAL_CLOSED; k <= ARRIVAL_TRACE; k++) {
		const char *name = arrival_name(k);

		if (strlen(name) != length || strncmp(name, value, length))
			continue;
		p->arrival = k;
		if (k == ARRIVAL_TRACE && *rest)
			return read_trace(r, rest);
		if (k == ARRIVAL_CLOSED ? !*rest : parse_positive(rest, &p->rate))
			return true;
	}
	return reader_fail(r, "'%s' is none of: closed, poisson RATE, periodic RATE, trace FILE",
			   value);
}

static bool p_wait(struct reader *r, const char *value)
{
	return keys_time(r, &process(r)->wait, value);
}

static bool p_seed(struct reader *r, const char *value)
{
	process(r)->has_seed = true;
	return keys_u64(r, &process(r)->seed, value, 0);
}

static bool p_requests(struct reader *r, const char *value)
{
	return keys_u64(r, &process(r)->requests, value, 1);
}

static bool p_duration(struct reader *r, const char *value)
{
	return keys_time(r, &process(r)->duration, value);
}

static bool p_start(struct reader *r, const char *value)
{
	return keys_time(r, &process(r)->start, value);
}

static bool p_until(struct reader *r, const char *value)
{
	return keys_text(r, &process(r)->until_name, value);
}

/* ---- hints to the engine ------------------------------------------------ */

static bool set_hint(struct reader *r, enum xsched_hint hint, const char *value, int64_t min,
		     int64_t max)
{
	if (!parse_signed(value, min, max, &process(r)->hints[hint]))
		return reader_fail(r, "'%s' is not a number of %lld..%lld", value, (long long)min,
				   (long long)max);
	return true;
}

static bool set_time_hint(struct reader *r, enum xsched_hint hint, const char *value, u64 unit)
{
	u64 ns;

	if (!keys_time(r, &ns, value))
		return false;
	process(r)->hints[hint] = (int64_t)(ns / unit);
	return true;
}

static bool p_nice(struct reader *r, const char *value)
{
	return set_hint(r, XSCHED_HINT_NICE, value, -20, 19);
}

static bool p_share(struct reader *r, const char *value)
{
	return set_hint(r, XSCHED_HINT_UTILIZATION, value, 0, 100);
}

static bool p_timeslice(struct reader *r, const char *value)
{
	return set_time_hint(r, XSCHED_HINT_TIMESLICE_US, value, 1000);
}

static bool p_deadline(struct reader *r, const char *value)
{
	return set_time_hint(r, XSCHED_HINT_DEADLINE_NS, value, 1);
}

static bool p_window(struct reader *r, const char *value)
{
	bool active;

	if (!keys_yes(r, &active, value))
		return false;
	process(r)->hints[XSCHED_HINT_WINDOW_ACTIVE] = active;
	return true;
}

/* "learned", or a time */
static bool p_period(struct reader *r, const char *value)
{
	if (strcmp(value, "learned"))
		return set_time_hint(r, XSCHED_HINT_PERIOD_NS, value, 1);
	process(r)->hints[XSCHED_HINT_PERIOD_NS] = 0;
	return true;
}

/* "5 ms, lax -10, critical 20" */
static bool p_laxity(struct reader *r, const char *value)
{
	int64_t *hints = process(r)->hints;
	char time[64] = "";
	int lax, critical, used = 0;

	if (sscanf(value, "%63[^,], lax %d, critical %d%n", time, &lax, &critical, &used) != 3 ||
	    value[used] || lax < -255 || lax > 255 || critical < -255 || critical > 255)
		return reader_fail(r, "'%s' is not like 5 ms, lax -10, critical 20", value);
	hints[XSCHED_HINT_LAX_PRIORITY] = lax;
	hints[XSCHED_HINT_CRIT_PRIORITY] = critical;
	return set_time_hint(r, XSCHED_HINT_LAXITY_NS, time, 1);
}

const struct key keys_process[] = {
	{ "count", p_count, false },
	{ "priority", p_priority, false },
	{ "kfd_priority", p_kfd_priority, false },
	{ "queues", p_queues, false },
	{ "nodes", p_nodes, false },
	{ "spread", p_spread, false },
	{ "tenant", p_tenant, false },
	{ "kernels", p_kernels, true },
	{ "vgprs", p_vgprs, false },
	{ "lds", p_lds, false },
	{ "barrier", p_barrier, false },
	{ "images", p_images, false },
	{ "model", p_model, false },
	{ "source", p_source, false },
	{ "depth", p_depth, false },
	{ "arrival", p_arrival, false },
	{ "wait", p_wait, false },
	{ "seed", p_seed, false },
	{ "requests", p_requests, false },
	{ "duration", p_duration, false },
	{ "start", p_start, false },
	{ "until", p_until, false },
	{ "nice", p_nice, false },
	{ "share", p_share, false },
	{ "timeslice", p_timeslice, false },
	{ "deadline", p_deadline, false },
	{ "laxity", p_laxity, false },
	{ "window", p_window, false },
	{ "period", p_period, false },
	{ NULL, NULL, false },
};
