// SPDX-License-Identifier: MIT
/*
 * A scenario of xsched-sim: the file, a trace beside it named "times", and settings of the command
 * line, one a line (parts.h). What is taken must keep to the limits that the simulator relies on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "scenario/scenario.h"

#define SETTINGS_SIZE	512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char settings[SETTINGS_SIZE];

/* Lines of the third part. They stay in use. */
static void take_settings(struct scenario_options *options, const struct parts *parts)
{
	size_t size = parts->count > 2 ? parts->size[2] : 0;
	char *rest = settings, *line;

	if (size >= sizeof(settings))
		size = sizeof(settings) - 1;
	if (size)
		memcpy(settings, parts->text[2], size);
	settings[size] = '\0';
	while ((line = strsep(&rest, "\n")) && options->set_count < SCENARIO_SETTINGS)
		if (*line)
			options->set[options->set_count++] = line;
}

static void claim(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "a scenario was taken without: %s\n", what);
	abort();
}

static void check_process(const struct scenario *scn, const struct scenario_process *p)
{
	claim(p->count && p->queues && p->depth, "a process, a queue and a request");
	claim(p->kernel_kinds && p->kernel_kinds <= SCENARIO_KERNELS, "kinds of kernel");
	claim((u64)scenario_request_kernels(p) * p->depth <= SCENARIO_PACKETS, "room in the ring");
	claim(p->nodes && (scn->nodes == 64 || !(p->nodes >> scn->nodes)), "nodes that exist");
	claim(p->until < (s32)scn->process_count, "an end");
	for (u32 i = 0; i < p->kernel_kinds; i++)
		claim(p->kernels[i].waves && p->kernels[i].workgroups, "work");
}

static void check(const struct scenario *scn)
{
	u64 queues = 0;

	claim(scn->name && scn->profile.name, "names");
	claim(scn->nodes && scn->nodes <= SCENARIO_NODES, "nodes");
	claim(scn->process_count && scn->mode_count, "processes and modes");
	for (u32 i = 0; i < scn->process_count; i++) {
		check_process(scn, &scn->processes[i]);
		queues += (u64)scn->processes[i].count * scn->processes[i].queues;
	}
	claim(queues <= SCENARIO_QUEUES, "a limit of queues");
	for (u32 i = 0; i < scn->mode_count; i++)
		claim(scn->modes[i].option_count <= SCENARIO_OPTIONS, "a limit of options");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scenario_options options = { 0 };
	struct scenario scn;
	struct parts parts;
	char path[128], error[256] = "";

	parts_split(&parts, data, size);
	snprintf(path, sizeof(path), "%s/x.scn", parts_directory());
	parts_put(&parts, 0, "x.scn");
	parts_put(&parts, 1, "times");
	take_settings(&options, &parts);
	if (scenario_load(&scn, path, &options, error, sizeof(error))) {
		check(&scn);
		scenario_free(&scn);
	} else {
		claim(*error && strnlen(error, sizeof(error)) < sizeof(error), "a reason");
	}
	return 0;
}
