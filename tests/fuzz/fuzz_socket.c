// SPDX-License-Identifier: MIT
/*
 * The control socket: sessions (lib/session.h) with the real socket, places, parser, permissions
 * and scheduler of xschedd. Whatever is sent, each line that comes back is JSON.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "parts.h"
#include "serve/control.h"
#include "session.h"

#define LINE		65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of each connection, the line that is coming. */
static char lines[4][LINE];
static size_t used[4];

static const char *socket_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/sock", parts_directory());
	return path;
}

/* If too many wait to be accepted, it fails. */
static int open_connection(struct daemon *daemon, const struct user *user)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	(void)daemon;
	strcpy(address.sun_path, socket_path());
	if (fd < 0)
		abort();
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	user_connects(user);
	return fd;
}

static void check_line(const char *line)
{
	struct json_object *object = json_tokener_parse(line);

	if (!object) {
		fprintf(stderr, "not JSON: %s\n", line);
		abort();
	}
	json_object_put(object);
}

static void heard(unsigned int c, const char *text, size_t size)
{
	const char *end;

	if (!size)
		used[c] = 0;
	for (; size; size -= (size_t)(end + 1 - text), text = end + 1) {
		end = memchr(text, '\n', size);
		if (!end)
			end = text + size - 1;
		if (used[c] + (size_t)(end + 1 - text) >= LINE) {
			used[c] = 0;
			continue;
		}
		memcpy(lines[c] + used[c], text, (size_t)(end + 1 - text));
		used[c] += (size_t)(end + 1 - text);
		if (*end != '\n')
			return;
		lines[c][used[c] - 1] = '\0';
		check_line(lines[c]);
		used[c] = 0;
	}
}

static const struct session_ops ops = { open_connection, heard };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct daemon daemon;
	static struct control *control;

	if (daemon_is_to_start()) {
		daemon_start(&daemon);
		if (control_open(&control, socket_path(), &daemon.host))
			abort();
	}
	daemon_next(data, size);
	session_run(&daemon, &ops, data, size);
	if (daemon_is_to_stop()) {
		control_close(control);
		daemon_stop(&daemon);
	}
	return 0;
}
