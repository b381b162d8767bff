// SPDX-License-Identifier: MIT
/*
 * HTTP: sessions (lib/session.h) with the real server, places, routes, permissions and scheduler
 * of xschedd. Its connections are no TCP, so who is at the other end is told here. Whatever is
 * sent, what comes back begins as an answer of HTTP does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "facts/names.h"
#include "facts/peer.h"
#include "serve/door.h"
#include "serve/http.h"
#include "session.h"

#define SOCKETS		1024
#define BEGINNING	"HTTP/1.1 "

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int __wrap_peer_of_tcp(struct peer *peer, int fd, int diag);
int __real_door_open(struct door **out, sd_event *event, int fd, unsigned int per_second,
		     door_fn arrives, void *user);
int __wrap_door_open(struct door **out, sd_event *event, int fd, unsigned int per_second,
		     door_fn arrives, void *user);

/** struct entrance - what the server does with connections, as it has told its door */
static struct {
	door_fn arrives;
	void *user;
} entrance;

static const struct user *users[SOCKETS];
static size_t spoken[4];

/* ---- below the daemon ---------------------------------------------------- */

int __wrap_door_open(struct door **out, sd_event *event, int fd, unsigned int per_second,
		     door_fn arrives, void *user)
{
	entrance.arrives = arrives;
	entrance.user = user;
	return __real_door_open(out, event, fd, per_second, arrives, user);
}

/* As the kernel says it. Of a socket that is closed it says nothing. */
int __wrap_peer_of_tcp(struct peer *peer, int fd, int diag)
{
	const struct user *user = fd < 0 || fd >= SOCKETS ? NULL : users[fd];

	(void)diag;
	if (!user || user->end == USER_IS_GONE)
		return -EACCES;
	*peer = (struct peer){
		.uid = user->uid, .account = account_of(names_owner(user->uid), user->cgroup),
	};
	return 0;
}

/* ---- sessions ------------------------------------------------------------ */

static int open_connection(struct daemon *daemon, const struct user *user)
{
	int fds[2];

	(void)daemon;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		return -1;
	if (fds[0] >= SOCKETS)
		abort();
	users[fds[0]] = user;
	entrance.arrives(entrance.user, fds[0]);
	return fds[1];
}

static void heard(unsigned int c, const char *text, size_t size)
{
	const size_t length = strlen(BEGINNING);

	if (!size)
		spoken[c] = 0;
	for (size_t i = 0; i < size && spoken[c] < length; i++, spoken[c]++) {
		if (text[i] == BEGINNING[spoken[c]] || (spoken[c] == 7 && text[i] == '0'))
			continue;
		fprintf(stderr, "not an answer of HTTP: %.*s\n", (int)size, text);
		abort();
	}
}

static const struct session_ops ops = { open_connection, heard };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct config config = { .http_front = true, .http_root = true };
	static struct daemon daemon;
	static struct http *http;

	if (daemon_is_to_start()) {
		daemon_start(&daemon);
		if (http_open(&http, &config, &daemon.host))
			abort();
	}
	daemon_next(data, size);
	session_run(&daemon, &ops, data, size);
	if (daemon_is_to_stop()) {
		http_close(http);
		daemon_stop(&daemon);
	}
	return 0;
}
