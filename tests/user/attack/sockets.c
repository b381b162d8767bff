// SPDX-License-Identifier: MIT
/* Attacks on xschedd: its control socket, its HTTP port, and what is another's through either. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "attack.h"
#include "attack_test.h"
#include "tap.h"

#define MOST		1000
#define ENOUGH		100	/* more than there are places for anybody */
#define PATIENCE_MS	2000
#define SOCKET		"/tmp/" ATTACK_DAEMON ".sock"

static int fds[MOST];

static int connected(int family, const struct sockaddr *address, socklen_t size)
{
	const struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (fd < 0 || !connect(fd, address, size))
		return fd;
	close(fd);
	return -errno;
}

static int connect_socket(void)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = SOCKET };

	return connected(AF_UNIX, (const struct sockaddr *)&address, sizeof(address));
}

static int connect_http(void)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(ATTACK_HTTP),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	return connected(AF_INET, (const struct sockaddr *)&address, sizeof(address));
}

/* What comes back, as a string: its length, 0 or -errno. */
static int ask(int fd, const char *request, char *answer, size_t size)
{
	ssize_t got;

	if (send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
		return -errno;
	got = recv(fd, answer, size - 1, 0);
	answer[got > 0 ? got : 0] = '\0';
	return got < 0 ? -errno : (int)got;
}

/* One of each of his ids, where he has several. */
static void by_all_ids(struct attacker *a)
{
	uid_t id;

	if (a->as != AS_NAMESPACE && a->as != AS_CONTAINER)
		return;
	for (id = 1; id < ATTACK_SUB_UIDS; id++)
		if (!attack_fork()) {
			ATTACK_NEEDS(a, !setresuid(id, id, id));
			return;
		}
}

const char *attack_ask_by_http(void)
{
	static char answer[1 << 16];
	const int fd = connect_http();
	const int ret = fd < 0 ? fd :
		ask(fd, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", answer, sizeof(answer));

	close(fd);
	if (ret > 0 && strstr(answer, " 200 "))
		return NULL;
	tap_note("%s: %d, %.32s", fd < 0 ? "connect" : "answer", ret, answer);
	return "root gets no answer by HTTP";
}

/* ---- connections --------------------------------------------------------- */

/* Keep all that one can get, and try again for those that are ended. */
static void fill(struct attacker *a, int (*open_one)(void))
{
	unsigned int i;
	char byte;

	by_all_ids(a);
	for (i = 0; i < MOST; i++)
		fds[i] = -1;
	for (;;) {
		for (i = 0; i < MOST; i++) {
			if (fds[i] >= 0 && recv(fds[i], &byte, 1, MSG_DONTWAIT) < 0 &&
			    errno == EAGAIN)
				continue;
			close(fds[i]);
			fds[i] = open_one();
			attack_note(a, fds[i]);
			if (i >= ENOUGH || fds[i] < 0)
				attack_ready(a);
			if (fds[i] < 0)
				break;
		}
		usleep(1000);
	}
}

static void fill_socket(struct attacker *a)
{
	fill(a, connect_socket);
}

static void fill_http(struct attacker *a)
{
	fill(a, connect_http);
}

/* ---- requests ------------------------------------------------------------ */

static void flood(struct attacker *a, int (*open_one)(void), const char *request)
{
	char answer[4096];
	int fd, ret;

	by_all_ids(a);
	for (attack_ready(a);; close(fd)) {
		fd = open_one();
		do {
			ret = ask(fd, request, answer, sizeof(answer));
			attack_note(a, ret);
		} while (ret > 0);
		usleep(100);
	}
}

static void flood_socket(struct attacker *a)
{
	flood(a, connect_socket, "{\"cmd\":\"list\"}\n");
}

static void flood_http(struct attacker *a)
{
	flood(a, connect_http, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

static void send_garbage(struct attacker *a)
{
	char bytes[512], answer[512];
	unsigned int i;
	int fd;

	for (attack_ready(a);; close(fd)) {
		fd = connect_socket();
		for (i = 0; i < sizeof(bytes) - 1; i++)
			bytes[i] = (char)(1 + rand() % 255);
		bytes[rand() % sizeof(bytes)] = '\n';
		bytes[sizeof(bytes) - 1] = '\0';
		attack_note(a, ask(fd, bytes, answer, sizeof(answer)));
	}
}

/* Ask for all events and lists, and read none of it. */
static void be_deaf(struct attacker *a)
{
	static const char requests[] = "{\"cmd\":\"events\"}\n{\"cmd\":\"list\"}\n";
	unsigned int i;

	for (attack_ready(a);; usleep(1000)) {
		for (i = 0; i < 8; i++) {
			if (fds[i] <= 0)
				fds[i] = connect_socket();
			if (send(fds[i], requests, sizeof(requests) - 1,
				 MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN) {
				close(fds[i]);
				fds[i] = 0;
			}
			attack_note(a, 0);
		}
	}
}

/* Begin a request, and never end it. */
static void be_slow(struct attacker *a)
{
	unsigned int i;

	for (attack_ready(a);; usleep(5000)) {
		for (i = 0; i < 64; i++) {
			if (fds[i] <= 0)
				fds[i] = connect_http();
			if (send(fds[i], "GET ", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
			    errno != EAGAIN) {
				close(fds[i]);
				fds[i] = 0;
			}
			attack_note(a, 0);
		}
	}
}

/* ---- what is another's --------------------------------------------------- */

static void reach_others(struct attacker *a)
{
	static const char *const requests[] = {
		"{\"cmd\":\"suspend\",\"pid\":%d}\n",
		"{\"cmd\":\"resume\",\"pid\":%d}\n",
		"{\"cmd\":\"priority\",\"pid\":%d,\"priority\":-200}\n",
		"{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"priority\",\"value\":-200}\n",
		"{\"cmd\":\"policy\",\"policy\":\"up\"}\n",
		"{\"cmd\":\"reload\"}\n",
	};
	char request[128], answer[4096];
	unsigned int i;
	int fd, ret;

	for (attack_ready(a), i = 0;; i = (i + 1) % (sizeof(requests) / sizeof(requests[0]))) {
		fd = connect_socket();
		snprintf(request, sizeof(request), requests[i], (int)a->high);
		ret = ask(fd, request, answer, sizeof(answer));
		if (ret > 0)
			attack_note(a, strstr(answer, "\"ok\":true") ? 0 : -EPERM);
		close(fd);
		/* What was suspended is resumed by then. */
		if (i)
			attack_rest_if_done(a);
		usleep(1000);
	}
}

static const char *root_is_answered(const struct attack_state *state)
{
	(void)state;
	return attack_ask_daemon();
}

static const char *root_is_answered_by_http(const struct attack_state *state)
{
	(void)state;
	return attack_ask_by_http();
}

const struct attack attacks_on_daemon[] = {
	{ "all connections of the control socket", "socket: load", AS_ALL | AS_NAMESPACE,
	  .run = fill_socket, .judge = root_is_answered },
	{ "requests to the control socket in a loop", "socket: load", AS_ALL | AS_NAMESPACE,
	  .run = flood_socket, .judge = root_is_answered },
	{ "bytes that are no request", "socket: load", AS_USER, .run = send_garbage,
	  .judge = root_is_answered },
	{ "listeners that do not read", "socket: load", AS_USER | AS_CONTAINER, .run = be_deaf,
	  .judge = root_is_answered },
	{ "another's process, by the control socket", "socket: users", AS_ALL, .run = reach_others,
	  .answer = EPERM, .never_done = true, .judge = root_is_answered },
	{ "all connections by HTTP", "HTTP", AS_USER | AS_NAMESPACE, .run = fill_http,
	  .judge = root_is_answered_by_http },
	{ "requests by HTTP in a loop", "HTTP", AS_USER | AS_NAMESPACE, .run = flood_http,
	  .judge = root_is_answered_by_http },
	{ "requests by HTTP that never end", "HTTP", AS_USER, .run = be_slow,
	  .judge = root_is_answered_by_http },
	{ NULL },
};
