// SPDX-License-Identifier: MIT
/*
 * Talk to xschedd: a JSON object a line, both ways.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "ctl.h"

/* A daemon that waits for the firmware may take a while. */
#define TIMEOUT_S	15
#define REPLY_MAX	(8u << 20)

int daemon_connect(const struct options *options)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval timeout = { .tv_sec = TIMEOUT_S };
	int fd, ret;

	if (strlen(options->socket) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, options->socket);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}

static int send_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		text += sent;
		length -= sent;
	}
	return 0;
}

/* Read up to a newline. Only one answer is ever under way. */
static int receive_line(int fd, char **out)
{
	size_t room = 4096, used = 0;
	char *text = malloc(room);
	int ret = -ENOMEM;

	while (text) {
		ssize_t got = recv(fd, text + used, room - used - 1, 0);

		if (got < 0 && errno == EINTR)
			continue;
		ret = got < 0 ? (errno == EAGAIN ? -ETIMEDOUT : -errno) :
				-ECONNRESET;
		if (got <= 0)
			break;
		used += got;
		if (text[used - 1] == '\n') {
			text[used - 1] = '\0';
			*out = text;
			return 0;
		}
		ret = -EPROTO;
		if (used + 1 == room) {
			char *larger = NULL;

			if (room < REPLY_MAX)
				larger = realloc(text, room *= 2);
			if (!larger)
				break;
			text = larger;
		}
	}
	free(text);
	return ret;
}

int daemon_ask(int fd, struct json_object *request, struct json_object **reply)
{
	const char *text;
	char *line = NULL;
	size_t length;
	int ret;

	text = json_object_to_json_string_length(request,
						 JSON_C_TO_STRING_PLAIN,
						 &length);
	ret = send_all(fd, text, length);
	if (!ret)
		ret = send_all(fd, "\n", 1);
	json_object_put(request);
	if (!ret)
		ret = receive_line(fd, &line);
	if (ret)
		return ret;
	*reply = json_tokener_parse(line);
	free(line);
	if (json_object_is_type(*reply, json_type_object))
		return 0;
	json_object_put(*reply);
	return -EPROTO;
}

const char *get_string(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value) || !value)
		return "";
	return json_object_get_string(value);
}

double get_number(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value))
		return 0;
	return json_object_get_double(value);
}

bool get_flag(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) &&
	       json_object_get_boolean(value);
}

int daemon_error(struct json_object *reply)
{
	int error;

	if (get_flag(reply, "ok"))
		return 0;
	error = get_number(reply, "errno");
	return error > 0 ? -error : -EPROTO;
}
