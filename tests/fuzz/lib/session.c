// SPDX-License-Identifier: MIT
/* An input as a session. */
#include "session.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake_time.h"
#include "fuzz_kernel.h"

#define CONNECTIONS	4
#define ROOM		16384
#define LONG		255
#define PATIENCE_NS	(11 * SECOND)	/* longer than the daemon has with any client */

static const struct peer users[] = {
	{ .uid = 0, .admin = true, .pid = KERNEL_FIRST_PID },
	{ .uid = 1000, .pid = KERNEL_FIRST_PID + 1 },
	{ .uid = 1001, .pid = KERNEL_FIRST_PID + 3 },
	{ .uid = 0, .unproved = true, .pid = KERNEL_FIRST_PID },
};

/**
 * struct session - one
 * @daemon: whom clients talk to
 * @ops: how
 * @fds: our end of each connection, or -1
 * @deaf: its client does not read
 * @user: of a connection that is opened next
 * @at: the connection that is sent over
 * @data: what is left of the input
 * @size: its length
 */
struct session {
	struct daemon *daemon;
	const struct session_ops *ops;
	int fds[CONNECTIONS];
	bool deaf[CONNECTIONS];
	unsigned int user;
	unsigned int at;
	const uint8_t *data;
	size_t size;
};

static uint8_t take(struct session *s)
{
	if (!s->size)
		return 0;
	s->size--;
	return *s->data++;
}

static void hang_up(struct session *s, unsigned int i)
{
	if (s->fds[i] < 0)
		return;
	close(s->fds[i]);
	s->fds[i] = -1;
	s->deaf[i] = false;
	s->ops->heard(i, "", 0);
}

static void hear(struct session *s, unsigned int i)
{
	static char text[ROOM];
	ssize_t got;

	if (s->fds[i] < 0 || s->deaf[i])
		return;
	while ((got = recv(s->fds[i], text, sizeof(text), MSG_DONTWAIT)) > 0)
		s->ops->heard(i, text, (size_t)got);
	if (!got || errno != EAGAIN)
		hang_up(s, i);
}

/* What is to be done is done, and all answers are there. */
static void go_on(struct session *s, uint64_t ns)
{
	daemon_run(s->daemon, ns);
	for (unsigned int i = 0; i < CONNECTIONS; i++)
		hear(s, i);
}

static void say(struct session *s, const uint8_t *text, size_t size)
{
	ssize_t sent;

	if (s->fds[s->at] < 0)
		s->fds[s->at] = s->ops->open(s->daemon, &users[s->user]);
	while (size && s->fds[s->at] >= 0) {
		sent = send(s->fds[s->at], text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && errno == EAGAIN) {
			go_on(s, 0);
			/* It reads no more before it has been heard. */
			sent = send(s->fds[s->at], text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		}
		if (sent < 0)
			return;
		text += sent;
		size -= (size_t)sent;
	}
}

static void report_event(struct session *s)
{
	const uint8_t type = take(s), process = take(s), queue = take(s);

	kernel_event(type, process, queue, take(s));
}

static void choose(struct session *s)
{
	const uint8_t n = take(s);

	s->at = n % CONNECTIONS;
	s->user = n / CONNECTIONS % (sizeof(users) / sizeof(users[0]));
}

static void let_time_pass(struct session *s)
{
	const uint8_t n = take(s);

	go_on(s, n == LONG ? PATIENCE_NS : n * MS);
}

static void obey(struct session *s, uint8_t order)
{
	switch (order) {
	case 1:
		report_event(s);
		return;
	case 2:
		let_time_pass(s);
		return;
	case 3:
		choose(s);
		return;
	case 4:
		go_on(s, 0);
		return;
	case 5:
		hang_up(s, s->at);
		return;
	case 6:
		kernel_fail(take(s));
		return;
	case 7:
		s->deaf[s->at] = !s->deaf[s->at];
		return;
	case 8:
		hang_up(s, s->at);
		choose(s);
		return;
	}
}

void session_run(struct daemon *daemon, const struct session_ops *ops, const uint8_t *data,
		 size_t size)
{
	struct session s = { .daemon = daemon, .ops = ops, .data = data, .size = size };

	for (unsigned int i = 0; i < CONNECTIONS; i++)
		s.fds[i] = -1;
	while (s.size) {
		size_t length = 0;

		while (length < s.size && s.data[length] > 8)
			length++;
		if (length)
			say(&s, s.data, length);
		s.data += length;
		s.size -= length;
		if (s.size)
			obey(&s, take(&s));
	}
	go_on(&s, MS);
	for (unsigned int i = 0; i < CONNECTIONS; i++)
		hang_up(&s, i);
	daemon_run(daemon, 0);
}
