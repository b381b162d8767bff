// SPDX-License-Identifier: MIT
/*
 * xschedctl: options, and the choice of the command.
 *
 * A file uses files of its own floor and of those below, and no files use each
 * other in a circle; scripts/check/structure has the files of each floor, and
 * proves it. From the top down:
 *
 *	main		this file
 *	commands	a function for each command, or for several that are alike
 *	parts		the checks of doctor, the data of top, the file of trace
 *	daemon		the connection to xschedd: requests and answers
 *	base		messages, JSON on standard output, time, the terminal
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxsched.h>

#include "ctl.h"

static const char usage[] =
	"usage: xschedctl [OPTION]... COMMAND [ARGUMENT]...\n"
	"\n"
	"With the kernel alone:\n"
	"  list               queues; and tenants, if xschedd runs\n"
	"  eject CLIENT       drop all that a client of the kernel module holds\n"
	"  eject pid PID      the same for all clients of a process\n"
	"  doctor             look for problems, and say how to solve them\n"
	"\n"
	"Asking xschedd:\n"
	"  top                tenants, updated every few seconds\n"
	"  suspend PID        hold a process until it is resumed\n"
	"  resume PID         undo suspend\n"
	"  priority PID N     priority of a process, -255..255, bigger is higher\n"
	"  policy [NAME] [OPTION=N]...  show or change the policy\n"
	"  rules test PID     which rule gives a process its priority, and why\n"
	"  stats              counters\n"
	"  events             what happens, as it happens\n"
	"  trace              record queues and switches for Perfetto\n"
	"\n"
	"  -j, --json         print JSON\n"
	"  -f, --follow       events: until interrupted\n"
	"  -t, --time S       events, trace: how long, 0.1..3600 (1; trace: 5)\n"
	"  -o, --output FILE  trace: write there (xsched-trace.json), -: standard output\n"
	"  -b, --batch        top: plain text, no screen\n"
	"  -n, --count N      top, events: stop after N\n"
	"  -d, --delay S      top: seconds between, 0.1..3600 (2)\n"
	"      --device PATH  device node (" XSCHED_DEVICE_PATH ")\n"
	"      --socket PATH  socket of xschedd (/run/xsched/xschedd.sock)\n"
	"      --root DIR     doctor, eject: /sys, /proc and so on are below DIR\n"
	"      --version      print the version and exit\n"
	"  -h, --help         print this and exit\n"
	"\n"
	"exit status: 0 success, 1 failure, 2 usage, 3 no device or no daemon,\n"
	"4 not permitted\n";

#define MAX_ARGUMENTS	16

static const struct command {
	const char *name;
	int least;
	int most;
	int (*run)(const struct options *options, char **arguments);
} commands[] = {
	{ "list", 0, 0, command_list },
	{ "top", 0, 0, command_top },
	{ "suspend", 1, 1, command_suspend },
	{ "resume", 1, 1, command_resume },
	{ "priority", 2, 2, command_priority },
	{ "policy", 0, MAX_ARGUMENTS - 1, command_policy },
	{ "rules", 2, 2, command_rules },
	{ "stats", 0, 0, command_stats },
	{ "events", 0, 0, command_events },
	{ "trace", 0, 0, command_trace },
	{ "eject", 1, 2, command_eject },
	{ "doctor", 0, 0, command_doctor },
};

static int run(const struct options *options, int count, char **arguments)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const struct command *c = &commands[i];

		if (strcmp(c->name, arguments[0]))
			continue;
		if (count - 1 >= c->least && count - 1 <= c->most)
			return c->run(options, arguments + 1);
		complain("%s takes %d argument%s", c->name,
			 count - 1 < c->least ? c->least : c->most,
			 c->most == 1 ? "" : "s");
		return CTL_USAGE;
	}
	complain("there is no command '%s'", arguments[0]);
	return CTL_USAGE;
}

static bool parse_count(const char *text, unsigned int *count)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !number ||
	    number > 1000000000)
		return false;
	*count = number;
	return true;
}

static bool parse_seconds(const char *text, unsigned int *ms)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.1 && seconds <= 3600))
		return false;
	*ms = seconds * 1000;
	return true;
}

/* Returns an exit status to end with, or -1 to go on. */
static int take_option(struct options *options, int option, const char *value)
{
	switch (option) {
	case 'j':
		options->json = true;
		return -1;
	case 'b':
		options->batch = true;
		return -1;
	case 'n':
		if (parse_count(value, &options->count))
			return -1;
		break;
	case 'd':
		if (parse_seconds(value, &options->delay_ms))
			return -1;
		break;
	case 't':
		if (parse_seconds(value, &options->time_ms))
			return -1;
		break;
	case 'f':
		options->follow = true;
		return -1;
	case 'o':
		options->output = value;
		return -1;
	case 'R':
		options->root = value;
		return -1;
	case 'D':
		options->device = value;
		return -1;
	case 'S':
		options->socket = value;
		return -1;
	case 'V':
		printf("xschedctl %s\n", xsched_version());
		return CTL_OK;
	case 'h':
		fputs(usage, stdout);
		return CTL_OK;
	default:
		/* getopt has printed the error. */
		return CTL_USAGE;
	}
	complain("'%s' is no value for -%c", value, option);
	return CTL_USAGE;
}

/*
 * A negative priority is no option: take the first such argument out before
 * getopt sees it. It can only be the last argument of its command.
 */
static char *take_negative(int *count, char **arguments)
{
	for (int i = 1; i < *count; i++) {
		char *argument = arguments[i];

		if (argument[0] != '-' || argument[1] < '0' ||
		    argument[1] > '9')
			continue;
		memmove(&arguments[i], &arguments[i + 1],
			(*count - i) * sizeof(*arguments));
		(*count)--;
		return argument;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "batch", no_argument, NULL, 'b' },
		{ "count", required_argument, NULL, 'n' },
		{ "delay", required_argument, NULL, 'd' },
		{ "time", required_argument, NULL, 't' },
		{ "follow", no_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "root", required_argument, NULL, 'R' },
		{ "device", required_argument, NULL, 'D' },
		{ "socket", required_argument, NULL, 'S' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options options = {
		.device = XSCHED_DEVICE_PATH,
		.socket = "/run/xsched/xschedd.sock",
		.root = "",
		.delay_ms = 2000,
	};
	char *arguments[MAX_ARGUMENTS + 1];
	char *negative;
	int option, status, count = 0;

	negative = take_negative(&argc, argv);
	while ((option = getopt_long(argc, argv, "jbn:d:t:fo:h", long_options,
				     NULL)) != -1) {
		status = take_option(&options, option, optarg);
		if (status >= 0)
			return status;
	}
	while (optind < argc && count < MAX_ARGUMENTS)
		arguments[count++] = argv[optind++];
	if (negative && count < MAX_ARGUMENTS)
		arguments[count++] = negative;
	arguments[count] = NULL;
	if (!count) {
		fputs(usage, stderr);
		return CTL_USAGE;
	}
	return run(&options, count, arguments);
}
