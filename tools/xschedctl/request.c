// SPDX-License-Identifier: MIT
/*
 * Ask the daemon, and explain its errors in words.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

struct json_object *request_new(const char *command)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "cmd", json_object_new_string(command));
	return request;
}

bool parse_number(const char *text, long min, long max, int *out)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || number < min || number > max)
		return false;
	*out = number;
	return true;
}

bool parse_pid(const char *text, int *pid)
{
	if (parse_number(text, 1, INT_MAX, pid))
		return true;
	complain("'%s' is not a process id", text);
	return false;
}

int request_connect(const struct options *options, int *status)
{
	int fd = daemon_connect(options);

	if (fd >= 0)
		return fd;
	print_failure(options, fd, "xschedd does not answer");
	complain("xschedd does not answer at %s: %s", options->socket,
		 strerror(-fd));
	*status = status_of(fd) == CTL_NOT_PERMITTED ? CTL_NOT_PERMITTED :
						       CTL_ABSENT;
	return -1;
}

int request_refused(const struct options *options, struct json_object *reply)
{
	int error = daemon_error(reply);

	if (options->json)
		print_json(reply);
	complain("%s", get_string(reply, "message"));
	return status_of(error);
}

int request_ask(const struct options *options, struct json_object *request,
		struct json_object **reply)
{
	int ret, status, fd = request_connect(options, &status);

	if (fd < 0) {
		json_object_put(request);
		return status;
	}
	ret = daemon_ask(fd, request, reply);
	close(fd);
	if (ret) {
		print_failure(options, ret, strerror(-ret));
		complain("xschedd: %s", strerror(-ret));
		return CTL_FAILURE;
	}
	if (!daemon_error(*reply))
		return CTL_OK;
	status = request_refused(options, *reply);
	json_object_put(*reply);
	return status;
}

int request_demand(const struct options *options, struct json_object *request)
{
	struct json_object *reply;
	int status = request_ask(options, request, &reply);

	if (status)
		return status;
	if (options->json)
		print_json(reply);
	json_object_put(reply);
	return CTL_OK;
}

int request_stream(const struct options *options, struct stream *stream)
{
	struct json_object *reply;
	int ret, status;

	*stream = (struct stream){ 0 };
	stream->fd = request_connect(options, &status);
	if (stream->fd < 0)
		return status;
	ret = stream_begin(stream, request_new("events"), &reply);
	if (ret) {
		print_failure(options, ret, strerror(-ret));
		complain("xschedd: %s", strerror(-ret));
		stream_free(stream);
		return CTL_FAILURE;
	}
	status = CTL_OK;
	if (daemon_error(reply)) {
		status = request_refused(options, reply);
		stream_free(stream);
	}
	json_object_put(reply);
	return status;
}

const char *stream_error(int error)
{
	return error == -ECONNRESET ?
	       "it ended, or cut off a reader that was too slow" :
	       strerror(-error);
}
