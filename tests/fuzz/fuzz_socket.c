// SPDX-License-Identifier: MIT
/*
 * The control socket: sessions (lib/session.h) with the real connections, parser, permissions and
 * scheduler of xschedd. Whatever is sent, each line that comes back is JSON.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "serve/client.h"
#include "session.h"

#define CLIENTS		16
#define LINE		65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct client *clients[CLIENTS];

/* Of each connection, the line that is coming. */
static char lines[4][LINE];
static size_t used[4];

static void forget(void *context, struct client *client)
{
	(void)context;
	for (size_t i = 0; i < CLIENTS; i++)
		if (clients[i] == client)
			clients[i] = NULL;
}

static bool admit(void *context, const struct peer *peer)
{
	(void)context;
	(void)peer;
	return true;
}

static int open_connection(struct daemon *daemon, const struct peer *peer)
{
	int fds[2];
	size_t i;

	for (i = 0; i < CLIENTS && clients[i]; i++)
		;
	if (i == CLIENTS || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		return -1;
	if (client_new(&clients[i], peer, fds[0], &daemon->host, admit, forget, NULL))
		abort();
	return fds[1];
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

	if (daemon_is_to_start())
		daemon_start(&daemon);
	daemon_next(&daemon, data, size);
	session_run(&daemon, &ops, data, size);
	for (size_t i = 0; i < CLIENTS; i++) {
		if (clients[i])
			client_free(clients[i]);
		clients[i] = NULL;
	}
	if (daemon_is_to_stop())
		daemon_stop(&daemon);
	return 0;
}
