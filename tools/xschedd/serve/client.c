// SPDX-License-Identifier: MIT
/*
 * A connection of the control socket.
 *
 * It is either read from or written to: while an answer waits to be taken, no
 * further request is read, so a client that does not read cannot make the
 * daemon grow. It answers one request in a turn of the loop, while the allowance
 * of its user lasts: GPU events come first. A client that listens to events is
 * disconnected when too many wait, and any client when a request or an answer is
 * incomplete for too long.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "serve/client.h"
#include "serve/reply.h"
#include "state/stream.h"

/* How long a request may be incomplete, or an answer not taken. */
#define PATIENCE_NS	10000000000ULL
#define LATE_NS		1000000000ULL
/* How late the next request may be answered. */
#define TURN_LATE_NS	1000
/* Bytes that may wait for a client that listens. */
#define STREAM_MAX	(1u << 20)

/**
 * struct client - a connection
 * @host: what requests are about
 * @known: called when it is known who has connected
 * @gone: called as it ends
 * @context: handed to @known and @gone
 * @entry: in a list of its owner
 * @place: its place
 * @fresh: it is not known yet who has connected
 * @source: its events
 * @patience: runs while something is half-way
 * @turn: the next request that was read is answered when this expires
 * @peer: user at the other end
 * @listener: to the stream of events
 * @listening: it subscribed to the stream
 * @reading: a question about a process, for an answer
 * @lookup: a question about names, for an answer
 * @asking: the answer waits for one of these
 * @over: the connection is to be closed
 * @out: what waits to be taken
 * @out_sent: bytes of @out that were taken
 * @out_length: bytes of @out
 * @out_room: bytes @out has room for
 * @used: bytes in @in
 * @in: what was read and is not yet a line
 */
struct client {
	const struct host *host;
	client_known_fn known;
	client_gone_fn gone;
	void *context;
	struct client_entry entry;
	struct place place;
	bool fresh;
	sd_event_source *source;
	struct clock_timer *patience;
	struct clock_timer *turn;
	struct peer peer;
	struct listener listener;
	bool listening;
	struct reading reading;
	struct lookup lookup;
	bool asking;
	bool over;
	char *out;
	size_t out_sent;
	size_t out_length;
	size_t out_room;
	size_t used;
	char in[PROTOCOL_LINE];
};

static void client_hang_up(struct client *client)
{
	client->gone(client->context, client);
	client_free(client);
}

/* ---- out ---------------------------------------------------------------- */

static int client_append(struct client *client, const char *text, size_t length)
{
	size_t needed = client->out_length + length;
	char *larger;

	if (needed > client->out_room) {
		larger = realloc(client->out, needed * 2);
		if (!larger)
			return -ENOMEM;
		client->out = larger;
		client->out_room = needed * 2;
	}
	memcpy(client->out + client->out_length, text, length);
	client->out_length = needed;
	return 0;
}

static void client_drop_out(struct client *client)
{
	free(client->out);
	client->out = NULL;
	client->out_sent = 0;
	client->out_length = 0;
	client->out_room = 0;
}

/* Returns 0, also when some bytes must wait, or a negative errno. */
static int client_send_some(struct client *client)
{
	int fd = sd_event_source_get_io_fd(client->source);

	while (client->out_sent < client->out_length) {
		ssize_t sent = send(fd, client->out + client->out_sent,
				    client->out_length - client->out_sent,
				    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0)
			return errno == EAGAIN ? 0 : -errno;
		client->out_sent += sent;
	}
	client_drop_out(client);
	return 0;
}

static bool client_has_next(const struct client *client)
{
	return !client->out && !client->listening && !client->asking &&
	       memchr(client->in, '\n', client->used);
}

/* When it may ask again, 0: now. */
static uint64_t client_wait_ns(struct client *client, uint64_t now)
{
	return client->peer.admin ? 0 :
	       allowance_wait(client->host->allowance, &client->peer.account, now);
}

static void client_charge(struct client *client, uint64_t begin_ns)
{
	uint64_t now = clock_ns();

	if (!client->peer.admin)
		allowance_charge(client->host->allowance, &client->peer.account, now,
				 now - begin_ns);
}

static void client_set_turn(struct client *client, bool next)
{
	uint64_t now = clock_ns(), wait_ns;

	if (!next) {
		clock_timer_off(client->turn);
		return;
	}
	wait_ns = client_wait_ns(client, now);
	clock_timer_set(client->turn, wait_ns ? now + wait_ns : 0);
}

/* Set what to wait for, and whether other sources get their turn. */
static void client_set_events(struct client *client)
{
	bool next = client_has_next(client);
	bool half_way = client->out || (client->used && !next && !client->asking);
	uint32_t events = client->out ? EPOLLOUT : EPOLLIN;

	if (client->listening)
		events |= EPOLLIN;
	/* Only whether it is still there. */
	if (client->asking || next)
		events = 0;
	client_set_turn(client, next);
	sd_event_source_set_io_events(client->source, events);
	if (half_way == clock_timer_is_on(client->patience))
		return;
	if (half_way)
		clock_timer_set(client->patience, clock_ns() + PATIENCE_NS);
	else
		clock_timer_off(client->patience);
}

static void client_cut_off(struct client *client, const char *reason)
{
	log_message(LOG_INFO, "control connection of user %u cut off: %s",
		    client->peer.uid, reason);
	client_hang_up(client);
}

static void client_on_impatience(void *user)
{
	struct client *client = user;

	client_cut_off(client, client->out ? "it does not read" :
		       "it sent half a request and then nothing");
}

/* A line for a client that listens. The scheduler calls this: do not close. */
static void client_on_line(void *user, const char *text, size_t length)
{
	struct client *client = user;

	if (client->over)
		return;
	if (client->out_length - client->out_sent + length > STREAM_MAX ||
	    client_append(client, text, length) || client_send_some(client)) {
		client->over = true;
		client_drop_out(client);
		/* The loop closes it. */
		shutdown(sd_event_source_get_io_fd(client->source), SHUT_RDWR);
		return;
	}
	client_set_events(client);
}

static void client_listen_to_events(struct client *client)
{
	client->listening = true;
	client->listener = (struct listener){
		.peer = &client->peer,
		.line = client_on_line,
		.user = client,
	};
	stream_join(client->host->sched->stream, &client->listener);
}

/* ---- in ----------------------------------------------------------------- */

/* Send an answer, and free it. */
static int client_send(struct client *client, struct json_object *reply)
{
	const char *text;
	size_t size;
	int ret;

	text = json_object_to_json_string_length(reply, JSON_C_TO_STRING_PLAIN,
						 &size);
	ret = text ? client_append(client, text, size) : -ENOMEM;
	if (!ret)
		ret = client_append(client, "\n", 1);
	json_object_put(reply);
	return ret ? ret : client_send_some(client);
}

/* Send an answer for which something was asked. */
static void client_answer_late(struct client *client, struct json_object *reply,
			       uint64_t begin_ns)
{
	int ret;

	client->asking = false;
	ret = client_send(client, reply);
	client_charge(client, begin_ns);
	if (ret < 0)
		client_hang_up(client);
	else
		client_set_events(client);
}

static void client_on_facts(struct reading *reading, const struct process *process,
			    enum reading_state state)
{
	struct client *client = reading->user;
	uint64_t begin_ns = clock_ns();

	/* A part is enough, when there is no more for now. */
	if (state == READING_FACTS)
		return;
	reader_forget(client->host->reader, reading);
	client_answer_late(client, reply_with_facts(client->host->sched, &client->peer,
						    process), begin_ns);
}

static void client_on_names(struct lookup *lookup, int result)
{
	struct client *client = lookup->user;
	uint64_t begin_ns = clock_ns();

	client_answer_late(client, reply_with_names(client->host, &client->peer, result),
			   begin_ns);
}

/* The databases of users may be slow. */
static void client_look_up_names(struct client *client)
{
	client->asking = true;
	client->lookup = (struct lookup){ .kind = LOOKUP_NAMES, .done = client_on_names,
					  .user = client };
	resolver_ask(client->host->resolver, &client->lookup);
}

static void client_ask(struct client *client, pid_t pid)
{
	client->asking = true;
	client->reading = (struct reading){ .pid = pid, .cmdline = true,
					    .done = client_on_facts,
					    .user = client };
	reader_ask(client->host->reader, &client->reading);
}

static int client_answer(struct client *client, const char *line, size_t length)
{
	struct request request = { 0 };
	struct json_object *reply;
	const char *message;
	int ret;

	if (protocol_parse(&request, line, length, &message))
		return client_send(client, protocol_error(-EINVAL, message));
	reply = reply_to(client->host, &client->peer, &request);
	if (!reply && request.command == COMMAND_RULES) {
		client_ask(client, request.pid);
		return 0;
	}
	if (!reply && request.command == COMMAND_RELOAD) {
		client_look_up_names(client);
		return 0;
	}
	if (!reply)
		return -ENOMEM;
	ret = client_send(client, reply);
	if (!ret && request.command == COMMAND_EVENTS)
		client_listen_to_events(client);
	return ret;
}

/* Answer the first line, if it may be. */
static int client_answer_line(struct client *client)
{
	uint64_t begin_ns = clock_ns();
	size_t length;
	char *end;
	int ret;

	if (!client_has_next(client) || client_wait_ns(client, begin_ns))
		return 0;
	end = memchr(client->in, '\n', client->used);
	length = end - client->in;
	ret = client_answer(client, client->in, length);
	client->used -= length + 1;
	memmove(client->in, end + 1, client->used);
	client_charge(client, begin_ns);
	return ret;
}

static void client_on_turn(void *user)
{
	struct client *client = user;

	if (client_answer_line(client) < 0)
		client_hang_up(client);
	else
		client_set_events(client);
}

static int client_read_some(struct client *client, int fd)
{
	ssize_t got = recv(fd, client->in + client->used,
			   sizeof(client->in) - client->used, MSG_DONTWAIT);

	if (got < 0)
		return errno == EAGAIN ? 0 : -errno;
	if (!got)
		return -ECONNRESET;
	/* A client that listens sends no more requests. */
	if (!client->listening)
		client->used += got;
	return 0;
}

static int client_on_socket(sd_event_source *source, int fd, uint32_t revents,
			    void *user)
{
	struct client *client = user;
	int ret = 0;

	(void)source;
	if (client->over) {
		client_cut_off(client, "it does not read");
		return 0;
	}
	if (client->out)
		ret = client_send_some(client);
	if (!ret && (!client->out || client->listening) &&
	    revents & (EPOLLIN | EPOLLHUP | EPOLLERR))
		ret = client_read_some(client, fd);
	if (!ret)
		ret = client_answer_line(client);
	if (client->listening)
		client->used = 0;
	/* A full buffer without a line can never become a request. */
	if (!ret && !client->out && !client_has_next(client) && client->used == sizeof(client->in))
		ret = -EMSGSIZE;
	if (ret < 0)
		client_hang_up(client);
	else
		client_set_events(client);
	return 0;
}

/* ---- who it is ---------------------------------------------------------- */

void client_refuse(struct client *client)
{
	struct json_object *reply = protocol_error(-EUSERS, "too many connections");

	if (reply)
		client_send(client, reply);
	client_hang_up(client);
}

static enum place_pool client_pool(const struct peer *peer)
{
	if (peer->root)
		return PLACES_OF_ROOT;
	return peer->admin ? PLACES_OF_ADMINS : PLACES_OF_USERS;
}

static void client_on_identity(struct reading *reading, const struct process *process,
			       enum reading_state state)
{
	struct client *client = reading->user;

	if (state == READING_FACTS)
		return;
	reader_forget(client->host->reader, reading);
	client->asking = false;
	peer_identify(&client->peer, sd_event_source_get_io_fd(client->source), process);
	client->place.pool = client_pool(&client->peer);
	client->place.account = client->peer.account;
	client->fresh = false;
	if (client->known(client->context, client))
		client_set_events(client);
	else
		client_refuse(client);
}

/* No request is read before it is known who it is. */
static void client_identify(struct client *client)
{
	client->fresh = true;
	client->asking = true;
	client->reading = (struct reading){ .pid = client->peer.pid,
					    .identity = true,
					    .account = { .user = client->peer.uid },
					    .done = client_on_identity,
					    .user = client };
	reader_ask(client->host->reader, &client->reading);
	client_set_events(client);
}

/* ---- life --------------------------------------------------------------- */

int client_new(struct client **out, const struct peer *peer, int fd,
	       const struct host *host, client_known_fn known,
	       client_gone_fn gone, void *context)
{
	struct client *client = calloc(1, sizeof(*client));
	int ret;

	if (!client)
		return -ENOMEM;
	client->host = host;
	client->known = known;
	client->gone = gone;
	client->context = context;
	client->entry.client = client;
	client->place.owner = client;
	client->peer = *peer;
	ret = clock_timer_new(&client->patience, host->event, LATE_NS,
			      client_on_impatience, client);
	if (!ret)
		ret = clock_timer_new(&client->turn, host->event, TURN_LATE_NS,
				      client_on_turn, client);
	if (!ret)
		ret = sd_event_add_io(host->event, &client->source, fd, EPOLLIN,
				      client_on_socket, client);
	if (ret < 0) {
		client_free(client);
		return ret;
	}
	sd_event_source_set_io_fd_own(client->source, true);
	client_identify(client);
	*out = client;
	return 0;
}

void client_free(struct client *client)
{
	if (client->listening)
		stream_leave(client->host->sched->stream, &client->listener);
	if (client->asking)
		reader_forget(client->host->reader, &client->reading);
	resolver_forget(client->host->resolver, &client->lookup);
	/* Closes the descriptor, too. */
	sd_event_source_disable_unref(client->source);
	clock_timer_free(client->patience);
	clock_timer_free(client->turn);
	free(client->out);
	free(client);
}

bool client_is_new(const struct client *client)
{
	return client->fresh;
}

struct client_entry *client_entry(struct client *client)
{
	return &client->entry;
}

struct place *client_place(struct client *client)
{
	return &client->place;
}
