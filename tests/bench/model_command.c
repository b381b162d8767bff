// SPDX-License-Identifier: MIT
/* A run of a model, from its command line to its result. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "model.h"

#define NSEC	1e9

static volatile bool stop;

static void on_stop(int signo)
{
	(void)signo;
	stop = true;
}

static void usage(FILE *f)
{
	unsigned int i;

	fputs("options of a model:\n"
	      "  --preset NAME      the model:", f);
	for (i = 0; preset_name(i); i++)
		fprintf(f, " %s", preset_name(i));
	fputs("\n"
	      "  --kernels K --workgroups W --wg-size T --wg-us D\n"
	      "                     a model of K equal kernels instead\n"
	      "  --name NAME        name of the process\n"
	      "  --arrival KIND     closed (default), periodic or poisson\n"
	      "  --rate R           requests a second of an open loop\n"
	      "  --seed N           of the Poisson arrivals\n"
	      "  --requests N       end after N requests\n"
	      "  --seconds S        submit nothing more after S seconds\n"
	      "  --max-requests N   room for requests without --requests\n"
	      "  --start-at S       begin at this CLOCK_MONOTONIC\n"
	      "  --window FROM:LEN  list the dispatches of that time, in seconds after the start\n"
	      "  --output FILE      where the result goes, in JSON\n"
	      "SIGTERM ends it after what is in the queue.\n", f);
}

enum {
	OPT_PRESET = 256, OPT_KERNELS, OPT_WORKGROUPS, OPT_WG_SIZE, OPT_WG_US, OPT_NAME,
	OPT_ARRIVAL, OPT_RATE, OPT_SEED, OPT_REQUESTS, OPT_SECONDS, OPT_MAX, OPT_START,
	OPT_WINDOW, OPT_OUTPUT, OPT_HELP,
};

static const struct option long_options[] = {
	{ "preset", required_argument, NULL, OPT_PRESET },
	{ "kernels", required_argument, NULL, OPT_KERNELS },
	{ "workgroups", required_argument, NULL, OPT_WORKGROUPS },
	{ "wg-size", required_argument, NULL, OPT_WG_SIZE },
	{ "wg-us", required_argument, NULL, OPT_WG_US },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "arrival", required_argument, NULL, OPT_ARRIVAL },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "requests", required_argument, NULL, OPT_REQUESTS },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "max-requests", required_argument, NULL, OPT_MAX },
	{ "start-at", required_argument, NULL, OPT_START },
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static bool parse_arrival(const char *text, enum model_arrival *out)
{
	enum model_arrival a;

	for (a = MODEL_CLOSED; a <= MODEL_POISSON; a++) {
		if (!strcmp(text, model_arrival_name(a))) {
			*out = a;
			return true;
		}
	}
	return false;
}

static bool parse_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && *out >= 0;
}

static bool parse_window(const char *text, struct model_options *o)
{
	double from, len;

	if (sscanf(text, "%lf:%lf", &from, &len) != 2 || from < 0 || len <= 0)
		return false;
	o->window_from_ns = (uint64_t)(from * NSEC);
	o->window_ns = (uint64_t)(len * NSEC);
	return true;
}

/* Options with a text; false if it is not one of them, or is wrong. */
static bool parse_text(int opt, const char *text, struct model_options *o)
{
	switch (opt) {
	case OPT_PRESET:
		o->preset = preset_find(text);
		return o->preset;
	case OPT_NAME:
		o->name = text;
		return true;
	case OPT_ARRIVAL:
		return parse_arrival(text, &o->arrival);
	case OPT_WINDOW:
		return parse_window(text, o);
	case OPT_OUTPUT:
		o->output = text;
		return true;
	}
	return false;
}

/* Options with a number, likewise. */
static bool parse_value(int opt, const char *text, struct model_options *o,
			struct preset_stage *custom)
{
	double v;

	if (!parse_number(text, &v))
		return false;
	switch (opt) {
	case OPT_KERNELS:
		custom->kernels = (uint32_t)v;
		return true;
	case OPT_WORKGROUPS:
		custom->workgroups = (uint32_t)v;
		return true;
	case OPT_WG_SIZE:
		custom->workgroup_size = (uint32_t)v;
		return true;
	case OPT_WG_US:
		custom->workgroup_ns = (uint64_t)(v * 1000);
		return true;
	case OPT_RATE:
		o->rate = v;
		return true;
	case OPT_SEED:
		o->seed = (uint64_t)v;
		return true;
	case OPT_REQUESTS:
		o->requests = (uint64_t)v;
		return true;
	case OPT_SECONDS:
		o->seconds = v;
		return true;
	case OPT_MAX:
		o->max_requests = (uint64_t)v;
		return true;
	case OPT_START:
		o->start_ns = (uint64_t)(v * NSEC);
		return true;
	}
	return false;
}

/* Returns an exit status, or -1 to go on. */
static int parse(int argc, char **argv, struct model_options *o, struct preset *custom)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (opt == OPT_HELP) {
			usage(stdout);
			return 0;
		}
		if (opt == '?' || (!parse_text(opt, optarg, o) &&
				   !parse_value(opt, optarg, o, &custom->stages[0]))) {
			usage(stderr);
			return 2;
		}
	}
	if (custom->stages[0].kernels)
		o->preset = custom;
	if (optind != argc || !o->preset || (o->arrival != MODEL_CLOSED && o->rate <= 0) ||
	    !(o->requests || o->max_requests)) {
		usage(stderr);
		return 2;
	}
	return -1;
}

static void handle_signals(void)
{
	struct sigaction action = { .sa_handler = on_stop };

	/* No SA_RESTART: a sleep until the next arrival must end. */
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

static int write_result(const struct model *m, const struct spin_account *account)
{
	const char *path = m->options->output;
	FILE *f = path ? fopen(path, "we") : stdout;
	int ret = 0;

	if (!f) {
		fprintf(stderr, "%s: %s: %s\n", m->options->name, path, strerror(errno));
		return -EIO;
	}
	model_write(m, account, f);
	if (fflush(f) || ferror(f))
		ret = -EIO;
	if (f != stdout)
		fclose(f);
	return ret;
}

static int run(const struct model_options *o, const struct model_backend *backend)
{
	struct spin_account account;
	struct model m;
	int ret, written;

	ret = model_init(&m, o, backend);
	if (ret) {
		fprintf(stderr, "%s: set-up: %s\n", o->name, strerror(-ret));
		return 1;
	}
	ret = model_run(&m, &stop);
	if (ret)
		fprintf(stderr, "%s: after %llu requests: %s\n", o->name,
			(unsigned long long)m.completed, strerror(-ret));
	spin_account_all(&account, m.log, m.dispatches);
	if (!spin_account_clean(&account) || m.wrong) {
		fprintf(stderr, "%s: not every dispatch executed once and in order\n", o->name);
		ret = -EIO;
	}
	written = write_result(&m, &account);
	model_fini(&m);
	return ret || written ? 1 : 0;
}

int model_command(int argc, char **argv, const struct model_backend *backend)
{
	struct preset custom = {
		.name = "custom", .images = 1, .source = "command line",
		.stages = { { 0, 64, 256, 100000 } },
	};
	struct model_options o = { .name = "xs-model", .seed = 1, .max_requests = 2000 };
	int status;

	optind = 0;	/* there may have been others before */
	status = parse(argc, argv, &o, &custom);
	if (status >= 0)
		return status;
	prctl(PR_SET_NAME, o.name);
	stop = false;
	handle_signals();
	return run(&o, backend);
}
