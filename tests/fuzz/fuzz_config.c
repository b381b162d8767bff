// SPDX-License-Identifier: MIT
/*
 * The configuration of xschedd: the file, and two drop-ins of it (parts.h). What is taken then
 * rates some processes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "facts/config.h"
#include "facts/names.h"
#include "facts/rating.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char trainer_environ[] = "JOB=night-1\0XSCHED_AUTO_XQUEUE_PRIORITY=-9\0HOME=/\0";
static char trainer_cmdline[] = "python3 /opt/train/run.py --epochs 3";

/* One of which all is known, one of a container, one that could not be read. */
static const struct process processes[] = {
	{ .pid = 101, .known = true, .uid = 1000, .gid = 1000, .groups = { 44, 1000 },
	  .group_count = 2, .nice = 5, .exe = "/usr/bin/python3.13", .comm = "python3",
	  .cgroup = "/user.slice/user-1000.slice/user@1000.service/app.slice/train.service",
	  .root_cgroup = "/user.slice/user-1000.slice", .unit = "user@1000.service",
	  .user_unit = "train.service", .cmdline = trainer_cmdline, .environ = trainer_environ },
	{ .pid = 102, .known = true, .exe = "/srv/serve", .comm = "serve", .nice = -20,
	  .cgroup = "/system.slice/docker-0123456789abcdef.scope",
	  .root_cgroup = "/system.slice/docker-0123456789abcdef.scope",
	  .unit = "inference-1.service", .container = "0123456789abcdef" },
	{ .pid = 103 },
};

/* It must be a line, with the file it is of; whoever reads the log relies on that. */
static void check_error(const char *error, size_t room)
{
	const size_t length = strnlen(error, room);

	if (length && length < room &&
	    !strncmp(error, parts_directory(), strlen(parts_directory())))
		return;
	fprintf(stderr, "what is wrong is not said: '%.*s'\n", (int)length, error);
	abort();
}

static void use(const struct config *config)
{
	struct rating rating;
	const char *doubt;

	for (size_t i = 0; (doubt = config_doubt(config, i)); i++)
		if (!strstr(doubt, parts_directory()))
			abort();
	config_wants_cmdline(config);
	for (size_t i = 0; i < sizeof(processes) / sizeof(processes[0]); i++) {
		rating_of(&rating, &processes[i], config);
		if (rating.rule && rating.rule_index >= config->rule_count)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[128], drop_ins[160];
	struct config config;
	struct parts parts;
	char error[256] = "";

	if (!*path) {
		snprintf(path, sizeof(path), "%s/x.conf", parts_directory());
		snprintf(drop_ins, sizeof(drop_ins), "%s.d", path);
		mkdir(drop_ins, 0700);
	}
	parts_split(&parts, data, size);
	parts_put(&parts, 0, "x.conf");
	parts_put(&parts, 1, "x.conf.d/10-a.conf");
	parts_put(&parts, 2, "x.conf.d/20-b.conf");
	names_thaw();
	if (config_load(&config, path, error, sizeof(error))) {
		check_error(error, sizeof(error));
		return 0;
	}
	use(&config);
	config_free(&config);
	return 0;
}
