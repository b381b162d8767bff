// SPDX-License-Identifier: MIT
/*
 * eject: have the kernel drop everything a client holds. It does not need the
 * daemon, which may be the client to eject.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <error_name.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

#define EJECT	"/sys/class/kfd_xsched/global/eject"

static int write_file(const char *path, const char *text)
{
	int ret = 0, fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static int exit_status(int error)
{
	switch (error) {
	case 0:
		return CTL_OK;
	case -ENOENT:
	case -ENODEV:
		return CTL_ABSENT;
	default:
		return status_of(error);
	}
}

static const char *explain(int error)
{
	switch (error) {
	case -ENOENT:
	case -ENODEV:
		return "kfd_xsched is not loaded";
	case -ESRCH:
		return "no such client, or it is ejected already";
	default:
		return strerror(-error);
	}
}

int command_eject(const struct options *options, char **arguments)
{
	bool by_pid = !strcmp(arguments[0], "pid");
	const char *number = arguments[by_pid];
	char path[PATH_MAX], text[32];
	int value, ret;

	if (!number || (!by_pid && arguments[1]) ||
	    !parse_number(number, 1, INT_MAX, &value)) {
		complain("eject takes the number of a client, or 'pid' and a process id");
		return CTL_USAGE;
	}
	snprintf(path, sizeof(path), "%s" EJECT, options->root);
	snprintf(text, sizeof(text), "%s%d\n", by_pid ? "pid " : "", value);
	ret = write_file(path, text);
	if (ret)
		complain("%s: %s", path, explain(ret));
	if (options->json) {
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "ok",
				       json_object_new_boolean(!ret));
		json_object_object_add(object, by_pid ? "pid" : "client",
				       json_object_new_int(value));
		json_object_object_add(object, "errno",
				       json_object_new_int(-ret));
		if (ret) {
			json_object_object_add(object, "error",
				json_object_new_string(error_name(-ret)));
			json_object_object_add(object, "message",
				json_object_new_string(explain(ret)));
		}
		print_json(object);
		json_object_put(object);
	}
	return exit_status(ret);
}
