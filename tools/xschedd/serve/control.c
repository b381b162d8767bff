// SPDX-License-Identifier: MIT
/*
 * The control socket.
 *
 * Every user may connect, but cannot keep others from connecting: each user has
 * a limit, and some places are reserved for administrators.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "serve/client.h"
#include "serve/control.h"

#define MAX_CLIENTS	128
#define MAX_OF_USER	32	/* of one user, unless an administrator */
#define MAX_OF_USERS	96	/* of all these together */
#define BACKLOG		128

/* Connections accepted in a second; others wait, since GPUs come first. */
#define BURST		2000
#define SECOND_NS	1000000000ULL
/* How late the next second may begin. */
#define LATE_NS		1000

/**
 * struct control - the socket
 * @host: what requests are about
 * @source: new connections
 * @rest: until then none are accepted
 * @second_ns: when the second began in which @accepted were
 * @accepted: connections of that second
 * @clients: connections
 * @count: number of @clients
 * @refused: connections refused since the last message about it
 * @refused_ns: when that was
 * @path: of the socket
 */
struct control {
	const struct host *host;
	sd_event_source *source;
	struct clock_timer *rest;
	uint64_t second_ns;
	unsigned int accepted;
	struct client *clients[MAX_CLIENTS];
	unsigned int count;
	uint64_t refused;
	uint64_t refused_ns;
	char *path;
};

static void control_on_gone(void *context, struct client *client)
{
	struct control *control = context;

	for (unsigned int i = 0; i < control->count; i++) {
		if (control->clients[i] != client)
			continue;
		control->clients[i] = control->clients[--control->count];
		return;
	}
}

/* Connections of all users who are not administrators, and of one. */
static void control_count(const struct control *control, const struct peer *peer,
			  unsigned int *users, unsigned int *same)
{
	*users = 0;
	*same = 0;
	for (unsigned int i = 0; i < control->count; i++) {
		const struct peer *other = client_peer(control->clients[i]);

		if (other->admin || other->unproved)
			continue;
		*users += 1;
		*same += other->uid == peer->uid;
	}
}

static bool control_has_room(const struct control *control, const struct peer *peer)
{
	unsigned int users, same;

	if (peer->admin || peer->unproved)
		return control->count < MAX_CLIENTS;
	control_count(control, peer, &users, &same);
	return users < MAX_OF_USERS && same < MAX_OF_USER;
}

/* Send the reason, if that does not block. Log it, but not each time. */
static void control_refuse(struct control *control, int fd, int error)
{
	static const char busy[] =
		"{\"ok\":false,\"errno\":87,\"error\":\"EUSERS\",\"message\":\"too many connections\"}\n";
	uint64_t now = clock_ns();

	if (error == -EUSERS)
		send(fd, busy, sizeof(busy) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	close(fd);
	control->refused++;
	if (control->refused_ns && now - control->refused_ns < SECOND_NS)
		return;
	log_message(LOG_WARNING, "control connections refused: %llu: %s",
		    (unsigned long long)control->refused, strerror(-error));
	control->refused = 0;
	control->refused_ns = now;
}

/* It has its place already. */
static bool control_on_admit(void *context, const struct peer *peer)
{
	const struct control *control = context;
	unsigned int users, same;

	control_count(control, peer, &users, &same);
	return users <= MAX_OF_USERS && same <= MAX_OF_USER;
}

/* Takes over @fd on success. */
static int control_welcome(struct control *control, int fd)
{
	struct peer peer;
	int ret = peer_of_unix(&peer, fd);

	if (ret)
		return ret;
	if (!control_has_room(control, &peer))
		return -EUSERS;
	ret = client_new(&control->clients[control->count], &peer, fd,
			 control->host, control_on_admit, control_on_gone,
			 control);
	if (!ret)
		control->count++;
	return ret;
}

/* Whether one more may be accepted; if not, it waits for the next second. */
static bool control_count_accepted(struct control *control)
{
	uint64_t now = clock_ns();

	if (now - control->second_ns >= SECOND_NS) {
		control->second_ns = now;
		control->accepted = 0;
	}
	if (control->accepted++ < BURST)
		return true;
	sd_event_source_set_enabled(control->source, SD_EVENT_OFF);
	clock_timer_set(control->rest, control->second_ns + SECOND_NS);
	return false;
}

static void control_on_rested(void *user)
{
	struct control *control = user;

	sd_event_source_set_enabled(control->source, SD_EVENT_ON);
}

static int control_on_connect(sd_event_source *source, int fd, uint32_t revents,
			      void *user)
{
	struct control *control = user;
	int connection, ret;

	(void)source;
	(void)revents;
	if (!control_count_accepted(control))
		return 0;
	connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (connection < 0)
		return 0;
	ret = control_welcome(control, connection);
	if (ret < 0)
		control_refuse(control, connection, ret);
	return 0;
}

/* ---- listening ---------------------------------------------------------- */

static void control_make_directory(const char *path)
{
	char directory[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	char *slash;

	strcpy(directory, path);
	slash = strrchr(directory, '/');
	if (!slash || slash == directory)
		return;
	*slash = '\0';
	/* If this fails, bind() says why. */
	mkdir(directory, 0755);
}

/* Remove a socket on which no process listens. */
static int control_remove_stale(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat status;
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		ret = -EADDRINUSE;
	else if (errno == ECONNREFUSED && !stat(address->sun_path, &status) &&
		 S_ISSOCK(status.st_mode))
		unlink(address->sun_path);
	close(fd);
	return ret;
}

/*
 * Every user may connect; permissions are checked per request. The socket has its
 * mode from the beginning: a chmod() of the path could be of another file.
 */
static int control_bind(int fd, const struct sockaddr_un *address)
{
	mode_t mask;
	int ret;

	if (fchmod(fd, 0666))
		return -1;
	mask = umask(0);
	ret = bind(fd, (const struct sockaddr *)address, sizeof(*address));
	umask(mask);
	return ret;
}

static int control_listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, ret;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	control_make_directory(path);
	ret = control_remove_stale(&address);
	if (ret)
		return ret;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (control_bind(fd, &address) || listen(fd, BACKLOG)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}

int control_open(struct control **out, const char *path,
		 const struct host *host)
{
	struct control *control = calloc(1, sizeof(*control));
	int fd = -1, ret = -ENOMEM;

	if (!control)
		return ret;
	control->host = host;
	control->path = strdup(path);
	if (control->path)
		ret = clock_timer_new(&control->rest, host->event, LATE_NS,
				      control_on_rested, control);
	if (!ret)
		ret = fd = control_listen_at(path);
	if (ret >= 0)
		ret = sd_event_add_io(host->event, &control->source, fd,
				      EPOLLIN, control_on_connect, control);
	if (ret < 0) {
		log_message(LOG_ERR, "%s: %s", path, strerror(-ret));
		if (fd >= 0)
			close(fd);
		clock_timer_free(control->rest);
		free(control->path);
		free(control);
		return ret;
	}
	sd_event_source_set_io_fd_own(control->source, true);
	*out = control;
	return 0;
}

void control_close(struct control *control)
{
	if (!control)
		return;
	while (control->count)
		client_free(control->clients[--control->count]);
	sd_event_source_disable_unref(control->source);
	clock_timer_free(control->rest);
	unlink(control->path);
	free(control->path);
	free(control);
}
