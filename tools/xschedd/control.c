// SPDX-License-Identifier: MIT
/*
 * The control socket: connections, lines in, lines out.
 *
 * A connection is either read from or written to: while an answer waits to be
 * taken, no further request is read, so a client that does not read cannot make
 * the daemon grow.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"
#include "log.h"
#include "reply.h"

#define GROUP		"xsched"
#define MAX_CLIENTS	32
#define MAX_GROUPS	1024

/**
 * struct client - a connection
 * @control: socket it came from
 * @next: next connection
 * @source: its events
 * @peer: who is at the other end
 * @used: bytes in @in
 * @out: answer that waits to be taken, or NULL
 * @out_sent: bytes of @out that were taken
 * @out_length: bytes of @out
 * @in: what was read and is not yet a line
 */
struct client {
	struct control *control;
	struct client *next;
	sd_event_source *source;
	struct peer peer;
	size_t used;
	char *out;
	size_t out_sent;
	size_t out_length;
	char in[PROTOCOL_LINE];
};

/**
 * struct control - the socket
 * @event: loop
 * @sched: what requests are about
 * @source: new connections
 * @clients: connections
 * @count: number of @clients
 * @path: of the socket
 */
struct control {
	sd_event *event;
	struct sched *sched;
	sd_event_source *source;
	struct client *clients;
	unsigned int count;
	char *path;
};

static void hang_up(struct client *client)
{
	struct control *control = client->control;
	struct client **link = &control->clients;

	while (*link != client)
		link = &(*link)->next;
	*link = client->next;
	control->count--;
	/* Closes the descriptor, too. */
	sd_event_source_disable_unref(client->source);
	free(client->out);
	free(client);
}

/* Returns 0, also when some must wait, or a negative errno. */
static int send_some(struct client *client, int fd)
{
	while (client->out_sent < client->out_length) {
		ssize_t sent = send(fd, client->out + client->out_sent,
				    client->out_length - client->out_sent,
				    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EAGAIN)
			return sd_event_source_set_io_events(client->source,
							     EPOLLOUT);
		if (sent < 0)
			return -errno;
		client->out_sent += sent;
	}
	free(client->out);
	client->out = NULL;
	client->out_sent = 0;
	client->out_length = 0;
	return sd_event_source_set_io_events(client->source, EPOLLIN);
}

static int answer(struct client *client, int fd, const char *line,
		  size_t length)
{
	struct json_object *reply;
	struct request request;
	const char *message, *text;
	size_t size;

	if (protocol_parse(&request, line, length, &message))
		reply = reply_error(-EINVAL, message);
	else
		reply = reply_to(client->control->sched, &client->peer,
				 &request);
	text = json_object_to_json_string_length(reply, JSON_C_TO_STRING_PLAIN,
						 &size);
	client->out = text ? malloc(size + 1) : NULL;
	if (client->out) {
		memcpy(client->out, text, size);
		client->out[size] = '\n';
		client->out_length = size + 1;
	}
	json_object_put(reply);
	return client->out ? send_some(client, fd) : -ENOMEM;
}

/* Answer the lines read so far, until an answer has to wait. */
static int answer_lines(struct client *client, int fd)
{
	char *end;
	int ret = 0;

	while (!ret && !client->out &&
	       (end = memchr(client->in, '\n', client->used))) {
		size_t length = end - client->in;

		ret = answer(client, fd, client->in, length);
		client->used -= length + 1;
		memmove(client->in, end + 1, client->used);
	}
	return ret;
}

static int read_some(struct client *client, int fd)
{
	ssize_t got = recv(fd, client->in + client->used,
			   sizeof(client->in) - client->used, MSG_DONTWAIT);

	if (got < 0)
		return errno == EAGAIN ? 0 : -errno;
	if (!got)
		return -ECONNRESET;
	client->used += got;
	return 0;
}

static int on_client(sd_event_source *source, int fd, uint32_t revents,
		     void *user)
{
	struct client *client = user;
	int ret = 0;

	(void)source;
	if (client->out)
		ret = send_some(client, fd);
	else if (revents & (EPOLLIN | EPOLLHUP | EPOLLERR))
		ret = read_some(client, fd);
	if (!ret)
		ret = answer_lines(client, fd);
	/* A full buffer without a line: it will never be a request. */
	if (!ret && !client->out && client->used == sizeof(client->in))
		ret = -EMSGSIZE;
	if (ret < 0)
		hang_up(client);
	return 0;
}

static bool in_group(int fd, gid_t primary)
{
	const struct group *group = getgrnam(GROUP);
	gid_t groups[MAX_GROUPS];
	socklen_t size = sizeof(groups);

	if (!group)
		return false;
	if (primary == group->gr_gid)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size))
		return false;
	for (size_t i = 0; i < size / sizeof(*groups); i++)
		if (groups[i] == group->gr_gid)
			return true;
	return false;
}

static int identify(struct peer *peer, int fd)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size))
		return -errno;
	peer->uid = credentials.uid;
	peer->admin = !credentials.uid || in_group(fd, credentials.gid);
	return 0;
}

/* Takes over @fd on success. */
static int welcome(struct control *control, int fd)
{
	struct client *client;
	int ret;

	if (control->count >= MAX_CLIENTS)
		return -EUSERS;
	client = calloc(1, sizeof(*client));
	if (!client)
		return -ENOMEM;
	ret = identify(&client->peer, fd);
	if (!ret)
		ret = sd_event_add_io(control->event, &client->source, fd,
				      EPOLLIN, on_client, client);
	if (ret < 0) {
		free(client);
		return ret;
	}
	sd_event_source_set_io_fd_own(client->source, true);
	client->control = control;
	client->next = control->clients;
	control->clients = client;
	control->count++;
	return 0;
}

static int on_connect(sd_event_source *source, int fd, uint32_t revents,
		      void *user)
{
	int connection, ret;

	(void)source;
	(void)revents;
	connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (connection < 0)
		return 0;
	ret = welcome(user, connection);
	if (ret < 0) {
		log_message(LOG_WARNING, "control connection refused: %s",
			    strerror(-ret));
		close(connection);
	}
	return 0;
}

/* ---- listening ---------------------------------------------------------- */

static void make_directory(const char *path)
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

/* Remove a socket nobody listens on. */
static int remove_stale(const struct sockaddr_un *address)
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

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, ret;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	make_directory(path);
	ret = remove_stale(&address);
	if (ret)
		return ret;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* Everybody may connect; what they may do is decided per request. */
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    chmod(path, 0666) || listen(fd, MAX_CLIENTS)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}

int control_open(struct control **out, sd_event *event, const char *path,
		 struct sched *sched)
{
	struct control *control = calloc(1, sizeof(*control));
	int fd = -1, ret = -ENOMEM;

	if (!control)
		return ret;
	control->event = event;
	control->sched = sched;
	control->path = strdup(path);
	if (control->path)
		ret = fd = listen_at(path);
	if (ret >= 0)
		ret = sd_event_add_io(event, &control->source, fd, EPOLLIN,
				      on_connect, control);
	if (ret < 0) {
		log_message(LOG_ERR, "%s: %s", path, strerror(-ret));
		if (fd >= 0)
			close(fd);
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
	while (control->clients)
		hang_up(control->clients);
	sd_event_source_disable_unref(control->source);
	unlink(control->path);
	free(control->path);
	free(control);
}
