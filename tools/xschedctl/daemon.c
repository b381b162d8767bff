// SPDX-License-Identifier: MIT
/*
 * Talk to xschedd: a JSON object a line, both ways.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <poll.h>
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

/* Make room for more; an answer longer than REPLY_MAX is an error. */
static int grow(struct stream *stream)
{
	size_t room = stream->room ? 2 * stream->room : 4096;
	char *larger;

	if (stream->used < stream->room)
		return 0;
	if (room > REPLY_MAX)
		return -EPROTO;
	larger = realloc(stream->text, room);
	if (!larger)
		return -ENOMEM;
	stream->text = larger;
	stream->room = room;
	return 0;
}

/* Wait for more, and read it. */
static int receive(struct stream *stream, int timeout_ms)
{
	struct pollfd wait = { .fd = stream->fd, .events = POLLIN };
	ssize_t got;
	int ret = grow(stream);

	if (ret)
		return ret;
	ret = poll(&wait, 1, timeout_ms);
	if (ret <= 0)
		return ret ? -errno : -ETIMEDOUT;
	got = recv(stream->fd, stream->text + stream->used,
		   stream->room - stream->used, MSG_DONTWAIT);
	if (got < 0)
		return errno == EAGAIN ? 0 : -errno;
	stream->used += got;
	return got ? 0 : -ECONNRESET;
}

/* Parse the first line and remove it; NULL: it is not an object. */
static struct json_object *take_line(struct stream *stream, char *end)
{
	struct json_object *object;

	*end = '\0';
	object = json_tokener_parse(stream->text);
	stream->used -= end + 1 - stream->text;
	memmove(stream->text, end + 1, stream->used);
	if (json_object_is_type(object, json_type_object))
		return object;
	json_object_put(object);
	return NULL;
}

int stream_next(struct stream *stream, int timeout_ms,
		struct json_object **object)
{
	const uint64_t until = now_ms() + (timeout_ms < 0 ? 0 : timeout_ms);
	char *end;
	int ret;

	while (!stream->used ||
	       !(end = memchr(stream->text, '\n', stream->used))) {
		const uint64_t now = now_ms();
		int left = until > now ? until - now : 0;

		ret = receive(stream, timeout_ms < 0 ? -1 : left);
		if (ret)
			return ret;
	}
	*object = take_line(stream, end);
	return *object ? 0 : -EPROTO;
}

void stream_free(struct stream *stream)
{
	close(stream->fd);
	free(stream->text);
}

int stream_begin(struct stream *stream, struct json_object *request,
		 struct json_object **reply)
{
	const char *text;
	size_t length;
	int ret;

	text = json_object_to_json_string_length(request,
						 JSON_C_TO_STRING_PLAIN,
						 &length);
	ret = send_all(stream->fd, text, length);
	if (!ret)
		ret = send_all(stream->fd, "\n", 1);
	json_object_put(request);
	return ret ? ret : stream_next(stream, TIMEOUT_S * 1000, reply);
}

int daemon_ask(int fd, struct json_object *request, struct json_object **reply)
{
	struct stream stream = { .fd = fd };
	int ret = stream_begin(&stream, request, reply);

	free(stream.text);
	return ret;
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

uint64_t get_u64(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value))
		return 0;
	return json_object_get_uint64(value);
}

struct json_object *get_array(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value) ||
	    !json_object_is_type(value, json_type_array))
		return NULL;
	return value;
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
