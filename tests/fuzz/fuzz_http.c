// SPDX-License-Identifier: MIT
/*
 * HTTP: sessions (lib/session.h) with the real server, places, routes, permissions and scheduler
 * of xschedd. Its connections are no TCP, so who is at the other end is told here. Whatever is
 * sent, what comes back begins as an answer of HTTP does.
 */
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "facts/names.h"
#include "facts/peer.h"
#include "serve/http.h"
#include "session.h"

#define SOCKETS		1024
#define BEGINNING	"HTTP/1.1 "

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int __wrap_peer_of_tcp(struct peer *peer, int fd);
struct MHD_Daemon *__real_MHD_start_daemon(unsigned int flags, uint16_t port,
					   MHD_AcceptPolicyCallback accept, void *of_accept,
					   MHD_AccessHandlerCallback answer, void *of_answer, ...);
struct MHD_Daemon *__wrap_MHD_start_daemon(unsigned int flags, uint16_t port,
					   MHD_AcceptPolicyCallback accept, void *of_accept,
					   MHD_AccessHandlerCallback answer, void *of_answer, ...);

/**
 * struct handlers - what the daemon hands to MHD_start_daemon(), in its order
 *
 * The library takes a list of arguments that cannot be passed on: this is what becomes of it.
 */
static struct {
	MHD_LogCallback log;
	void *of_log;
	MHD_RequestCompletedCallback completed;
	void *of_completed;
	MHD_NotifyConnectionCallback connection;
	void *of_connection;
	size_t memory;
	unsigned int connections;
} handlers;

static struct MHD_Daemon *server;
static const struct user *users[SOCKETS];
static size_t spoken[4];

/* ---- below the daemon ---------------------------------------------------- */

static void take_handlers(va_list args)
{
	enum MHD_OPTION option;

	while ((option = va_arg(args, enum MHD_OPTION)) != MHD_OPTION_END) {
		switch (option) {
		case MHD_OPTION_EXTERNAL_LOGGER:
			handlers.log = va_arg(args, MHD_LogCallback);
			handlers.of_log = va_arg(args, void *);
			break;
		case MHD_OPTION_NOTIFY_COMPLETED:
			handlers.completed = va_arg(args, MHD_RequestCompletedCallback);
			handlers.of_completed = va_arg(args, void *);
			break;
		case MHD_OPTION_NOTIFY_CONNECTION:
			handlers.connection = va_arg(args, MHD_NotifyConnectionCallback);
			handlers.of_connection = va_arg(args, void *);
			break;
		case MHD_OPTION_CONNECTION_MEMORY_LIMIT:
			handlers.memory = va_arg(args, size_t);
			break;
		case MHD_OPTION_CONNECTION_LIMIT:
			handlers.connections = va_arg(args, unsigned int);
			break;
		case MHD_OPTION_LISTEN_BACKLOG_SIZE:
		case MHD_OPTION_CONNECTION_TIMEOUT:
			va_arg(args, unsigned int);
			break;
		case MHD_OPTION_SOCK_ADDR:
			va_arg(args, const struct sockaddr *);
			break;
		default:
			fprintf(stderr, "an option of libmicrohttpd that is not known here: %d\n",
				option);
			abort();
		}
	}
}

/* The same server, but that it listens nowhere: connections are handed to it. */
struct MHD_Daemon *__wrap_MHD_start_daemon(unsigned int flags, uint16_t port,
					   MHD_AcceptPolicyCallback accept, void *of_accept,
					   MHD_AccessHandlerCallback answer, void *of_answer, ...)
{
	va_list args;

	va_start(args, of_answer);
	take_handlers(args);
	va_end(args);
	server = __real_MHD_start_daemon(flags | MHD_USE_NO_LISTEN_SOCKET, port, accept, of_accept,
		answer, of_answer,
		MHD_OPTION_EXTERNAL_LOGGER, handlers.log, handlers.of_log,
		MHD_OPTION_CONNECTION_LIMIT, handlers.connections,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, handlers.memory,
		MHD_OPTION_NOTIFY_COMPLETED, handlers.completed, handlers.of_completed,
		MHD_OPTION_NOTIFY_CONNECTION, handlers.connection, handlers.of_connection,
		MHD_OPTION_END);
	return server;
}

/* As the kernel says it. Of a socket that is closed it says nothing. */
int __wrap_peer_of_tcp(struct peer *peer, int fd)
{
	const struct user *user = fd < 0 || fd >= SOCKETS ? NULL : users[fd];

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
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fds[2];

	(void)daemon;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		return -1;
	if (fds[0] >= SOCKETS)
		abort();
	users[fds[0]] = user;
	if (MHD_add_connection(server, fds[0], (const struct sockaddr *)&address,
			       sizeof(address)) != MHD_YES) {
		close(fds[1]);
		return -1;
	}
	/* As when a connection comes by itself: from now on the loop is told of what it sends. */
	MHD_run(server);
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
