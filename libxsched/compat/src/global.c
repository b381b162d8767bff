// SPDX-License-Identifier: MIT
/*
 * xschedd: one line of JSON to its socket, one back. The lines have only
 * numbers and fixed names, so that the program needs no JSON library.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "compat.h"

/* A daemon that does not answer must not hold up the program. */
#define TIMEOUT_S	2
#define REPLY		4096

static int connect_daemon(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval timeout = { .tv_sec = TIMEOUT_S };
	const char *path = socket_path();
	int fd, ret;

	if (strlen(path) >= sizeof(address.sun_path))
		return -EINVAL;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

static int receive(int fd, char *reply)
{
	size_t used = 0;

	while (used < REPLY - 1) {
		ssize_t got = recv(fd, reply + used, REPLY - 1 - used, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got && errno == EAGAIN ? -ETIMEDOUT :
							-ECONNRESET;
		used += got;
		if (reply[used - 1] != '\n')
			continue;
		reply[used] = '\0';
		return 0;
	}
	return -EPROTO;
}

/* Parse an answer: json-c writes no space between these. */
static int judge(const char *reply)
{
	const char *number = strstr(reply, "\"errno\":");
	int error;

	if (strstr(reply, "\"ok\":true"))
		return 0;
	error = number ? atoi(number + strlen("\"errno\":")) : 0;
	return error > 0 ? -error : -EPROTO;
}

static int ask(const char *request)
{
	int ret, fd = connect_daemon();
	size_t length = strlen(request);
	char reply[REPLY];

	if (fd < 0)
		return fd;
	ret = send(fd, request, length, MSG_NOSIGNAL) == (ssize_t)length ?
	      receive(fd, reply) : -ECONNRESET;
	close(fd);
	return ret ? ret : judge(reply);
}

int global_reach(void)
{
	int fd = connect_daemon();

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int global_hint(const char *hint, int64_t value)
{
	char request[256];

	snprintf(request, sizeof(request),
		 "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"%s\",\"value\":%lld}\n",
		 getpid(), hint, (long long)value);
	return ask(request);
}

int global_option(const char *name, int64_t value)
{
	char request[256];

	snprintf(request, sizeof(request),
		 "{\"cmd\":\"policy\",\"options\":{\"%s\":%lld}}\n", name,
		 (long long)value);
	return ask(request);
}
