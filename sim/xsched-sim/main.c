// SPDX-License-Identifier: MIT
/*
 * xsched-sim: run a scenario in virtual time, on the GPU model of
 * sim/model and with the scheduling engine of libxsched. See xsched-sim(1).
 *
 * Floors, from the top down: each is a directory, and uses those below it.
 *
 *   (here)    the command line
 *   report    figures of the runs, as tables, as JSON, as a trace
 *   world     a run: nodes, processes, and the software between them
 *   scenario  what is to be run: read from a file, and checked
 *
 * Files of a floor do not use each other in circles: in a world, what goes up is
 * struct world_news.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "report/report.h"
#include "scenario/parse.h"
#include "world/memory.h"

#define REPEAT_MAX	1000

/* Exit status; 2 is a wrong command line or scenario. */
enum { STATUS_OK, STATUS_FAILED, STATUS_WRONG };

/**
 * struct arguments - the command line
 * @scenario: file
 * @options: settings that override the file
 * @seed: room for one of them
 * @json: print JSON
 * @cost: print the cost of the simulation
 * @repeat: runs of each mode
 * @check: read the scenario, run nothing
 * @trace: file of the trace, or NULL
 */
struct arguments {
	const char *scenario;
	struct scenario_options options;
	u64 seed;
	bool json;
	bool cost;
	u64 repeat;
	bool check;
	const char *trace;
};

static void usage(FILE *f)
{
	fputs("usage: xsched-sim [OPTION]... SCENARIO\n"
	      "  -j, --json           print JSON instead of tables\n"
	      "  -c, --cost           also print what the simulation itself cost\n"
	      "      --repeat N       with --cost: run each mode N times, take the shortest times\n"
	      "  -n, --check          check the scenario, run nothing\n"
	      "      --load FILE      add the policy of this shared object\n"
	      "      --policy NAME    run one mode only, with this policy, or none\n"
	      "      --profile NAME   instead of the scenario's\n"
	      "      --seed N         instead of the scenario's\n"
	      "      --set NAME=VALUE a parameter of the profile, or a cost of [host]; many times\n"
	      "      --trace FILE     write dispatches, holds and switches for Perfetto\n"
	      "      --list-profiles  print the names of the GPU profiles\n"
	      "      --list-policies  print the names of the policies\n"
	      "      --list-parameters\n"
	      "                       print what --set takes, with the values of each profile\n"
	      "      --version        print the version\n"
	      "  -h, --help           print this\n", f);
}

enum {
	OPT_LOAD = 256, OPT_POLICY, OPT_PROFILE, OPT_SEED, OPT_SET, OPT_REPEAT, OPT_TRACE,
	OPT_PROFILES, OPT_POLICIES, OPT_PARAMETERS, OPT_VERSION,
};

static const struct option long_options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "cost", no_argument, NULL, 'c' },
	{ "check", no_argument, NULL, 'n' },
	{ "load", required_argument, NULL, OPT_LOAD },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "profile", required_argument, NULL, OPT_PROFILE },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "set", required_argument, NULL, OPT_SET },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "list-profiles", no_argument, NULL, OPT_PROFILES },
	{ "list-policies", no_argument, NULL, OPT_POLICIES },
	{ "list-parameters", no_argument, NULL, OPT_PARAMETERS },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int list_profiles(void)
{
	const struct sim_profile *p;
	u32 i;

	for (i = 0; (p = sim_profile_at(i)); i++)
		puts(p->name);
	return STATUS_OK;
}

static int list_policies(void)
{
	const char *name;
	size_t i;

	puts("none");
	for (i = 0; (name = xsched_policy_name(i)); i++)
		puts(name);
	return STATUS_OK;
}

/* A line each: name, then a value for each profile. */
static int list_parameters(void)
{
	const struct sim_parameter *parameter;
	const struct sim_profile *p;
	const char *name;
	uint64_t ns;
	u32 i, j;

	printf("%-28s", "parameter");
	for (j = 0; (p = sim_profile_at(j)); j++)
		printf(" %12s", p->name);
	putchar('\n');
	for (i = 0; (parameter = sim_parameter_at(i)); i++) {
		printf("%-28s", parameter->name);
		for (j = 0; (p = sim_profile_at(j)); j++)
			printf(" %12llu", (unsigned long long)sim_parameter_get(p, parameter));
		putchar('\n');
	}
	for (i = 0; costs_at(&costs_default, i, &name, &ns); i++)
		printf("%-28s %12llu ns\n", name, (unsigned long long)ns);
	return STATUS_OK;
}

static int add_setting(struct scenario_options *o, const char *setting)
{
	if (o->set_count == SCENARIO_SETTINGS) {
		fprintf(stderr, "xsched-sim: more than %d of --set\n", SCENARIO_SETTINGS);
		return STATUS_WRONG;
	}
	o->set[o->set_count++] = setting;
	return -1;
}

/* Returns an exit status, or -1 to go on. */
static int load(const char *path)
{
	int ret = xsched_policy_load(path, NULL);

	if (!ret)
		return -1;
	fprintf(stderr, "xsched-sim: cannot load %s: %s\n", path, strerror(-ret));
	return STATUS_WRONG;
}

/* One option. Returns an exit status, or -1 to go on. */
static int take(int opt, struct arguments *a)
{
	switch (opt) {
	case 'j':
		a->json = true;
		return -1;
	case 'c':
		a->cost = true;
		return -1;
	case 'n':
		a->check = true;
		return -1;
	case OPT_LOAD:
		return load(optarg);
	case OPT_POLICY:
		a->options.policy = optarg;
		return -1;
	case OPT_PROFILE:
		a->options.profile = optarg;
		return -1;
	case OPT_SET:
		return add_setting(&a->options, optarg);
	case OPT_SEED:
		if (!parse_whole(optarg, 0, UINT64_MAX, &a->seed)) {
			fprintf(stderr, "xsched-sim: '%s' is not a seed\n", optarg);
			return STATUS_WRONG;
		}
		a->options.seed = &a->seed;
		return -1;
	case OPT_REPEAT:
		if (!parse_whole(optarg, 1, REPEAT_MAX, &a->repeat)) {
			fprintf(stderr, "xsched-sim: --repeat: '%s' is not a number of 1..%d\n",
				optarg, REPEAT_MAX);
			return STATUS_WRONG;
		}
		return -1;
	case OPT_TRACE:
		a->trace = optarg;
		return -1;
	case OPT_PROFILES:
		return list_profiles();
	case OPT_POLICIES:
		return list_policies();
	case OPT_PARAMETERS:
		return list_parameters();
	case OPT_VERSION:
		puts("xsched-sim " XSCHED_VERSION);
		return STATUS_OK;
	case 'h':
		usage(stdout);
		return STATUS_OK;
	}
	usage(stderr);
	return STATUS_WRONG;
}

static int parse(int argc, char **argv, struct arguments *a)
{
	int opt, status;

	while ((opt = getopt_long(argc, argv, "jcnh", long_options, NULL)) != -1) {
		status = take(opt, a);
		if (status >= 0)
			return status;
	}
	if (optind + 1 != argc) {
		usage(stderr);
		return STATUS_WRONG;
	}
	if (a->repeat > 1 && !a->cost) {
		fputs("xsched-sim: --repeat is of use with --cost only\n", stderr);
		return STATUS_WRONG;
	}
	a->scenario = argv[optind];
	return -1;
}

/* One run of a mode; @only as in world_run(). @again: it was run before. */
static bool run_once(struct mode_figures *f, const struct scenario *scn, s32 only, bool again,
		     struct trace *trace)
{
	struct world *w = memory_new(1, sizeof(*w));
	bool ok = world_run(w, scn, f->mode, only);

	if (ok && again) {
		ok = figures_again(f, w);
		if (!ok)
			world_fail(w, "a repeated run had other results");
	} else if (ok) {
		figures_add(f, w);
		trace_add(trace, w);
	}
	if (!ok)
		fprintf(stderr, "xsched-sim: %s, mode %s: %s\n", scn->name, f->mode->name,
			w->error);
	world_free(w);
	free(w);
	return ok;
}

static bool run_mode(struct mode_figures *f, const struct scenario *scn, u64 repeat,
		     struct trace *trace)
{
	bool ok = true;
	u64 i;

	/* with groups apart there is nothing to decide */
	for (i = 0; ok && !f->mode->apart && i < repeat; i++)
		ok = run_once(f, scn, -1, i, trace);
	for (i = 0; ok && f->mode->apart && i < scn->process_count; i++)
		ok = run_once(f, scn, (s32)i, false, trace);
	figures_end(f);
	return ok;
}

static bool all_clean(const struct report *r)
{
	bool ok = true;
	u32 i;

	for (i = 0; i < r->scn->mode_count; i++) {
		if (spin_account_clean(&r->modes[i].account))
			continue;
		fprintf(stderr, "xsched-sim: mode %s: not every dispatch executed once, in order\n",
			r->modes[i].mode->name);
		ok = false;
	}
	return ok;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool run(struct report *r, struct trace *trace, u64 repeat, bool json)
{
	double begin = now();
	struct rusage usage;
	bool ok = true;
	u32 i;

	for (i = 0; ok && i < r->scn->mode_count; i++)
		ok = run_mode(&r->modes[i], r->scn, repeat, trace);
	if (!ok)
		return false;
	r->wall_s = now() - begin;
	getrusage(RUSAGE_SELF, &usage);
	r->rss_mib = (double)usage.ru_maxrss / 1024;
	if (json)
		report_json(r, stdout);
	else
		report_table(r, stdout);
	return all_clean(r);
}

static int simulate(const struct arguments *a, const struct scenario *scn)
{
	struct report r = { .scn = scn, .cost = a->cost };
	struct trace trace = { 0 };
	bool ok;
	u32 i;

	if (a->trace && !trace_open(&trace, a->trace)) {
		fprintf(stderr, "xsched-sim: %s: %s\n", a->trace, strerror(errno));
		return STATUS_FAILED;
	}
	r.modes = memory_new(scn->mode_count, sizeof(*r.modes));
	for (i = 0; i < scn->mode_count; i++)
		figures_init(&r.modes[i], scn, &scn->modes[i]);
	ok = run(&r, &trace, a->repeat, a->json);
	for (i = 0; i < scn->mode_count; i++)
		figures_free(&r.modes[i]);
	free(r.modes);
	if (!trace_close(&trace)) {
		fprintf(stderr, "xsched-sim: %s: cannot write\n", a->trace);
		ok = false;
	}
	if (fflush(stdout) || ferror(stdout))
		ok = false;
	return ok ? STATUS_OK : STATUS_FAILED;
}

int main(int argc, char **argv)
{
	struct arguments a = { .repeat = 1 };
	struct scenario scn;
	char error[512];
	int status;

	status = parse(argc, argv, &a);
	if (status >= 0)
		return status;
	if (!scenario_load(&scn, a.scenario, &a.options, error, sizeof(error))) {
		fprintf(stderr, "xsched-sim: %s\n", error);
		return STATUS_WRONG;
	}
	status = a.check ? STATUS_OK : simulate(&a, &scn);
	scenario_free(&scn);
	return status;
}
