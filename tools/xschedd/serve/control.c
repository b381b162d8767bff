// SPDX-License-Identifier: MIT
/*
 * The control socket.
 *
 * Every user may connect, but cannot keep others from connecting, see base/places.h. Who it
 * is that has connected is read first, which nobody can make long (facts/reader.h); until
 * then it waits in one of a few other places, and when these are taken, the next ones wait
 * to be accepted.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "serve/client.h"
#include "serve/control.h"
#include "serve/door.h"

#define MAX_NEW		16	/* of which it is not known yet who they are */
/* More than that wait in connect(): one cannot be far behind so many of another. */
#define BACKLOG		16

static const struct place_limits control_limits[PLACE_POOLS] = {
	[PLACES_OF_USERS] = { .all = 96, .of_account = 32 },
	[PLACES_OF_ADMINS] = { .all = 32, .of_account = 16 },
	/* All their cgroups are root's. */
	[PLACES_OF_ROOT] = { .all = 32, .of_account = 32 * ACCOUNT_SHARES },
};

#define PER_SECOND	200
#define SECOND_NS	1000000000ULL

/**
 * struct control - the socket
 * @host: what requests are about
 * @door: new connections
 * @clients: connections, the newest last
 * @places: theirs, but for those of @fresh
 * @fresh: number of those of which it is not known yet who they are
 * @refused: connections refused since the last message about it
 * @refused_ns: when that was
 * @path: of the socket
 */
struct control {
	const struct host *host;
	struct door *door;
	struct client_list clients;
	struct places places;
	unsigned int fresh;
	uint64_t refused;
	uint64_t refused_ns;
	char *path;
};

/* Accept connections while there is a place for them. */
static void control_listen(struct control *control)
{
	door_shut(control->door, control->fresh >= MAX_NEW);
}

static void control_on_gone(void *context, struct client *client)
{
	struct control *control = context;

	TAILQ_REMOVE(&control->clients, client_entry(client), entry);
	places_leave(&control->places, client_place(client));
	if (client_is_new(client))
		control->fresh--;
	control_listen(control);
}

/* Log refusals, but not each. */
static void control_count_refused(struct control *control, int error)
{
	uint64_t now = clock_ns();

	control->refused++;
	if (control->refused_ns && now - control->refused_ns < SECOND_NS)
		return;
	log_message(LOG_WARNING, "control connections refused: %llu: %s",
		    (unsigned long long)control->refused, strerror(-error));
	control->refused = 0;
	control->refused_ns = now;
}

/* It is known now who it is. Returns whether it may stay. */
static bool control_on_known(void *context, struct client *client)
{
	struct control *control = context;
	struct place *displaced;

	control->fresh--;
	control_listen(control);
	if (!places_take(&control->places, client_place(client), &displaced)) {
		control_count_refused(control, -EUSERS);
		return false;
	}
	if (displaced) {
		control_count_refused(control, -EUSERS);
		client_refuse(displaced->owner);
	}
	return true;
}

/* Takes over @fd on success. */
static int control_welcome(struct control *control, int fd)
{
	struct client *client;
	struct peer peer;
	int ret = peer_of_unix(&peer, fd);

	if (!ret)
		ret = client_new(&client, &peer, fd, control->host, control_on_known,
				 control_on_gone, control);
	if (ret)
		return ret;
	TAILQ_INSERT_TAIL(&control->clients, client_entry(client), entry);
	control->fresh++;
	control_listen(control);
	return 0;
}

static void control_on_arrival(void *user, int fd)
{
	struct control *control = user;
	int ret = control_welcome(control, fd);

	if (ret < 0) {
		close(fd);
		control_count_refused(control, ret);
	}
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
	TAILQ_INIT(&control->clients);
	places_init(&control->places, control_limits);
	control->path = strdup(path);
	if (control->path)
		ret = fd = control_listen_at(path);
	if (ret >= 0)
		ret = door_open(&control->door, host->event, fd, PER_SECOND,
				control_on_arrival, control);
	if (ret < 0) {
		log_message(LOG_ERR, "%s: %s", path, strerror(-ret));
		if (fd >= 0)
			close(fd);
		free(control->path);
		free(control);
		return ret;
	}
	*out = control;
	return 0;
}

void control_close(struct control *control)
{
	struct client_entry *first;

	if (!control)
		return;
	while ((first = TAILQ_FIRST(&control->clients))) {
		TAILQ_REMOVE(&control->clients, first, entry);
		client_free(first->client);
	}
	door_close(control->door);
	unlink(control->path);
	free(control->path);
	free(control);
}
