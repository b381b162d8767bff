// SPDX-License-Identifier: MIT
/* An input as a session. */
#include "session.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"
#include "facts.h"
#include "fake_time.h"

#define CONNECTIONS	4
#define ROOM		16384
#define LONG		255
#define CROWD		160
#define CROWD_AT_ONCE	64
#define CROWD_LEAVES	128
#define PATIENCE_NS	(11 * SECOND)	/* longer than the daemon has with any client */

/**
 * struct session - one
 * @daemon: whom clients talk to
 * @ops: how
 * @fds: our end of each connection, or -1
 * @deaf: its client does not read
 * @user: of a connection that is opened next
 * @crowd: our ends of connections over which nothing is said
 * @crowd_count: how many
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
	int crowd[CROWD];
	size_t crowd_count;
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
		s->fds[s->at] = s->ops->open(s->daemon, user_number(s->user));
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
	s->user = n / CONNECTIONS;
}

static void let_time_pass(struct session *s)
{
	const uint8_t n = take(s);

	go_on(s, n == LONG ? PATIENCE_NS : n * MS);
}

static void disperse(struct session *s)
{
	while (s->crowd_count)
		close(s->crowd[--s->crowd_count]);
}

static void gather(struct session *s)
{
	const uint8_t n = take(s);

	if (n & CROWD_LEAVES)
		disperse(s);
	for (int i = 0; i <= n % CROWD_AT_ONCE && s->crowd_count < CROWD; i++) {
		int fd = s->ops->open(s->daemon, user_number(s->user));

		if (fd >= 0)
			s->crowd[s->crowd_count++] = fd;
	}
	go_on(s, 0);
}

/* As between two inputs: nobody is connected, and a good while passes. */
static void begin_again(struct session *s)
{
	for (unsigned int i = 0; i < CONNECTIONS; i++)
		hang_up(s, i);
	disperse(s);
	daemon_run(s->daemon, 0);
	daemon_pause(s->daemon);
	s->at = 0;
	s->user = 0;
}

static void rest(struct session *s)
{
	(void)s;
}

static void run(struct session *s)
{
	go_on(s, 0);
}

static void hang_up_this(struct session *s)
{
	hang_up(s, s->at);
}

static void refuse_next(struct session *s)
{
	kernel_fail(take(s));
}

static void turn_deaf(struct session *s)
{
	s->deaf[s->at] = !s->deaf[s->at];
}

static void choose_new(struct session *s)
{
	hang_up(s, s->at);
	choose(s);
}

static void change_names(struct session *s)
{
	children_are(CHILDREN_FOR_NAMES, take(s));
}

static void change_proc(struct session *s)
{
	children_are(CHILDREN_FOR_PROC, take(s));
}

static void withhold(struct session *s)
{
	facts_withhold(take(s));
}

/* What session.h describes. */
static void (*const orders[])(struct session *s) = {
	[0] = rest,
	[1] = report_event,
	[2] = let_time_pass,
	[3] = choose,
	[4] = run,
	[5] = hang_up_this,
	[6] = refuse_next,
	[7] = turn_deaf,
	[8] = choose_new,
	[14] = begin_again,
	[15] = gather,
	[16] = change_names,
	[17] = change_proc,
	[18] = withhold,
};

static bool is_order(uint8_t byte)
{
	return byte < sizeof(orders) / sizeof(*orders) && orders[byte];
}

/* How much comes before the next order. */
static size_t count_text(const struct session *s)
{
	size_t length = 0;

	while (length < s->size && !is_order(s->data[length]))
		length++;
	return length;
}

void session_run(struct daemon *daemon, const struct session_ops *ops, const uint8_t *data,
		 size_t size)
{
	struct session s = { .daemon = daemon, .ops = ops, .data = data, .size = size };

	for (unsigned int i = 0; i < CONNECTIONS; i++)
		s.fds[i] = -1;
	while (s.size) {
		size_t length = count_text(&s);

		if (length)
			say(&s, s.data, length);
		s.data += length;
		s.size -= length;
		if (s.size)
			orders[take(&s)](&s);
	}
	go_on(&s, MS);
	begin_again(&s);
}
