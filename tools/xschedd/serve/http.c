// SPDX-License-Identifier: MIT
/*
 * HTTP, by libmicrohttpd in the daemon's loop: its epoll descriptor is one of
 * the loop's, and its time-out one of its timers, while a client is connected.
 * It does not listen itself: it gets the connections that have a place. One request
 * is answered in a turn of the loop, while the allowance of its user lasts, as over
 * the control socket: others wait for their turn.
 *
 * A request is made by the owner of the socket at the other end (see
 * facts/peer.h), with the permissions this user has over the control socket. A
 * browser is refused: any web page could act for the user who views it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bucket.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "serve/answer.h"
#include "serve/door.h"
#include "serve/front.h"
#include "serve/http.h"
#include "serve/metrics.h"
#include "serve/visitors.h"

/* libmicrohttpd of RHEL 9 has another name for it. */
#ifndef MHD_HTTP_CONTENT_TOO_LARGE
#define MHD_HTTP_CONTENT_TOO_LARGE	413
#endif

/* Of users and uid 0, and some that had to leave and have not closed yet. */
#define CONNECTIONS	80
#define BACKLOG		128	/* is over in two thirds of a second */
#define PER_SECOND	200
#define MEMORY		(16 * 1024)
#define MS_NS		1000000ULL
#define LATE_NS		(250 * MS_NS)	/* of a time-out */
#define TURN_LATE_NS	1000
/* No request waits longer for the allowance of its user. */
#define TURN_NS		(5000 * MS_NS)

/*
 * All users' requests together, however many users there are: 20 requests, then 50 a second. What
 * takes one part in 100 of the time delays one in 100 of those who use a GPU.
 */
#define USERS_PERMILLE	5
#define USERS_COST_NS	(MS_NS / 10)	/* of a request, at least */
#define USERS_ROOM_NS	(20 * USERS_COST_NS)

static const struct place_limits http_limits[PLACE_POOLS] = {
	[PLACES_OF_USERS] = { .all = 48, .of_account = 16 },
	[PLACES_OF_ROOT] = { .all = 16, .of_account = 16 },
};

/**
 * struct http - the server
 * @host: what requests are about
 * @front: XSched's routes are served
 * @root: uid 0 is an administrator
 * @door: new connections
 * @diag: where the kernel is asked whose they are, see peer_open_diag()
 * @daemon: libmicrohttpd's
 * @source: its epoll descriptor
 * @timer: when to check its time-outs, or @visitors
 * @turn: when the next of the requests that wait may be answered
 * @next: whose turn it is, or NULL: anybody's
 * @answered: a request was, in this turn of the loop
 * @visitors: connections
 * @places: theirs
 * @metrics: those for all who ask
 * @users: what all users' requests may take of the loop's time
 * @connections: number of connections
 * @complaints: messages of libmicrohttpd since the last that was logged
 * @complained_ns: when that was
 */
struct http {
	const struct host *host;
	bool front;
	bool root;
	struct door *door;
	int diag;
	struct MHD_Daemon *daemon;
	sd_event_source *source;
	struct clock_timer *timer;
	struct clock_timer *turn;
	const struct visitor *next;
	bool answered;
	struct visitors visitors;
	struct places places;
	struct metrics metrics;
	struct bucket users;
	unsigned int connections;
	uint64_t complaints;
	uint64_t complained_ns;
};

/* ---- requests ----------------------------------------------------------- */

static const char *http_header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Any other name may be a browser's: DNS can map it to 127.0.0.1. */
static bool http_is_loopback_name(const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t length = strlen(names[i]);

		if (!strncmp(host, names[i], length) &&
		    (!host[length] || host[length] == ':'))
			return true;
	}
	return false;
}

static bool http_from_browser(struct MHD_Connection *connection)
{
	const char *host = http_header(connection, MHD_HTTP_HEADER_HOST);

	return http_header(connection, MHD_HTTP_HEADER_ORIGIN) ||
	       http_header(connection, "Sec-Fetch-Site") ||
	       (host && !http_is_loopback_name(host));
}

static void http_route(struct http *http, struct http_request *request,
		       struct http_answer *answer)
{
	if (!strcmp(request->path, "/metrics")) {
		if (strcmp(request->method, MHD_HTTP_METHOD_GET))
			answer_error(answer, MHD_HTTP_METHOD_NOT_ALLOWED,
				     "only GET");
		else
			metrics_answer(&http->metrics, answer, http->host->sched,
				       &request->peer);
	} else if (http->front) {
		front_answer(http->host, request, answer);
	} else {
		answer_error(answer, MHD_HTTP_NOT_FOUND, "there is only /metrics");
	}
}

static enum MHD_Result http_send_answer(struct MHD_Connection *connection,
					const struct http_answer *answer)
{
	struct MHD_Response *response;
	enum MHD_Result ret;

	if (!answer->text)
		return MHD_NO;
	/* The text is freed with the response. */
	response = MHD_create_response_from_buffer(strlen(answer->text),
						   answer->text,
						   MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(answer->text);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				answer->type);
	ret = MHD_queue_response(connection, answer->status, response);
	MHD_destroy_response(response);
	return ret;
}

/* ---- who it is ---------------------------------------------------------- */

static struct visitor *http_visitor(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;

	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return info ? info->socket_context : NULL;
}

/* Libmicrohttpd handles its request again. */
static void http_resume(struct visitor *visitor)
{
	MHD_resume_connection(visitor->waiting);
	visitor->waiting = NULL;
	visitor->for_turn = false;
}

static void http_on_member(struct lookup *lookup, int result)
{
	struct visitor *visitor = lookup->user;
	struct http *http = visitor->server;

	/* It is kept: the request finds it. */
	(void)result;
	if (!visitor->waiting)
		return;
	http_resume(visitor);
	clock_timer_set(http->timer, 0);
}

/* Whether the user is an administrator, by what the system's databases said in the last seconds. */
static bool http_decide(const struct http *http, struct peer *peer)
{
	int result;

	if (http->root && !peer->uid) {
		peer->admin = true;
		return true;
	}
	if (!resolver_knows_member(http->host->resolver, peer->uid, &result))
		return false;
	peer->admin = result > 0;
	peer->undecided = result < 0;
	return true;
}

/* Without being asked, the databases say nothing. */
static void http_ask_who(struct http *http, struct visitor *visitor)
{
	visitor->lookup = (struct lookup){ .kind = LOOKUP_MEMBER, .uid = visitor->peer.uid,
					   .done = http_on_member, .user = visitor };
	visitor->server = http;
	resolver_ask(http->host->resolver, &visitor->lookup);
}

/* ---- turns --------------------------------------------------------------- */

/* What is left to users. */
static uint64_t http_fill_users(struct http *http, uint64_t now)
{
	return bucket_fill(&http->users, now, USERS_PERMILLE, USERS_ROOM_NS);
}

/* Until they may ask again. */
static uint64_t http_users_wait_ns(struct http *http, uint64_t now)
{
	uint64_t left = http_fill_users(http, now);

	return left < USERS_COST_NS ? (USERS_COST_NS - left) * 1000 / USERS_PERMILLE : 0;
}

/* Until this one may. */
static uint64_t http_account_wait_ns(const struct http *http, const struct visitor *visitor,
				     uint64_t now)
{
	const uint64_t waited = now - visitor->since_ns;
	uint64_t wait_ns;

	if (waited >= TURN_NS)
		return 0;
	wait_ns = allowance_wait(http->host->allowance, &visitor->peer.account, now);
	return wait_ns < TURN_NS - waited ? wait_ns : TURN_NS - waited;
}

/* How long its request has to wait yet. */
static uint64_t http_wait_ns(struct http *http, const struct visitor *visitor, uint64_t now)
{
	uint64_t users_ns, account_ns;

	if (visitor->peer.admin)
		return 0;
	users_ns = http_users_wait_ns(http, now);
	account_ns = http_account_wait_ns(http, visitor, now);
	return account_ns > users_ns ? account_ns : users_ns;
}

static void http_charge(struct http *http, const struct peer *peer, uint64_t now, uint64_t taken)
{
	if (peer->admin)
		return;
	allowance_charge(http->host->allowance, &peer->account, now, taken);
	http_fill_users(http, now);
	bucket_take(&http->users, taken > USERS_COST_NS ? taken : USERS_COST_NS);
}

static bool http_takes_turn(struct http *http, const struct visitor *visitor)
{
	if (http->answered || (http->next && http->next != visitor) ||
	    http_wait_ns(http, visitor, clock_ns()))
		return false;
	http->answered = true;
	return true;
}

/* It was shut down while its request waited. */
static bool http_is_late(struct MHD_Connection *connection)
{
	const struct visitor *visitor = http_visitor(connection);

	return visitor && !visitor->waited_for;
}

static bool http_must_wait(struct http *http, struct MHD_Connection *connection)
{
	struct visitor *visitor = http_visitor(connection);

	if (!visitor)
		return false;
	if (!visitor->asked)
		visitor_asks(&http->visitors, visitor, clock_ns());
	if (!http_decide(http, &visitor->peer))
		http_ask_who(http, visitor);
	else if (http_takes_turn(http, visitor))
		return false;
	else
		visitor->for_turn = true;
	visitor->waiting = connection;
	return true;
}

static void http_set_turn(struct http *http)
{
	uint64_t now = clock_ns(), first = UINT64_MAX;
	const struct visitor *visitor;

	TAILQ_FOREACH(visitor, &http->visitors.list, entry) {
		uint64_t wait_ns = visitor->for_turn ? http_wait_ns(http, visitor, now) : first;

		if (wait_ns < first)
			first = wait_ns;
	}
	if (first == UINT64_MAX)
		clock_timer_off(http->turn);
	else
		clock_timer_set(http->turn, first ? now + first : 0);
}

/* The one that has waited longest, among those whose user may ask. */
static struct visitor *http_find_next(struct http *http)
{
	uint64_t now = clock_ns();
	struct visitor *visitor;

	TAILQ_FOREACH(visitor, &http->visitors.list, entry)
		if (visitor->for_turn && !http_wait_ns(http, visitor, now))
			break;
	return visitor;
}

/* ---- answers ------------------------------------------------------------ */

static int http_find_peer(const struct http *http, struct http_request *request)
{
	const union MHD_ConnectionInfo *info;
	int ret;

	info = MHD_get_connection_info(request->connection,
				       MHD_CONNECTION_INFO_CONNECTION_FD);
	ret = info ? peer_of_tcp(&request->peer, info->connect_fd, http->diag) : -EACCES;
	if (!ret)
		http_decide(http, &request->peer);
	return ret;
}

static void http_answer_request(struct http *http, struct http_request *request,
				struct http_answer *answer)
{
	uint64_t begin_ns = clock_ns(), now;

	if (http_find_peer(http, request)) {
		answer_error(answer, MHD_HTTP_FORBIDDEN,
			     "the user of this connection is unknown");
		return;
	}
	if (http_from_browser(request->connection))
		answer_error(answer, MHD_HTTP_FORBIDDEN,
			     "not for browsers: no Origin, and Host 127.0.0.1 or localhost");
	else if (request->length > HTTP_BODY)
		answer_error(answer, MHD_HTTP_CONTENT_TOO_LARGE,
			     "the body is too long");
	else
		http_route(http, request, answer);
	now = clock_ns();
	http_charge(http, &request->peer, now, now - begin_ns);
}

/* Called once at first, once for each part of the body, and once at its end. */
static enum MHD_Result http_on_request(void *user, struct MHD_Connection *connection,
				       const char *path, const char *method,
				       const char *version, const char *data,
				       size_t *size, void **context)
{
	struct http_request *request = *context;
	struct http_answer answer = { 0 };

	(void)version;
	if (!request) {
		request = calloc(1, sizeof(*request));
		*context = request;
		return request ? MHD_YES : MHD_NO;
	}
	if (*size) {
		if (request->length + *size <= HTTP_BODY) {
			memcpy(request->body + request->length, data, *size);
			request->length += *size;
		} else {
			request->length = HTTP_BODY + 1;
		}
		*size = 0;
		return MHD_YES;
	}
	if (http_is_late(connection))
		return MHD_NO;
	if (http_must_wait(user, connection)) {
		MHD_suspend_connection(connection);
		return MHD_YES;
	}
	request->connection = connection;
	request->method = method;
	request->path = path;
	http_answer_request(user, request, &answer);
	return http_send_answer(connection, &answer);
}

static void http_on_completed(void *user, struct MHD_Connection *connection,
			      void **context, enum MHD_RequestTerminationCode code)
{
	struct http *http = user;

	(void)code;
	visitor_served(&http->visitors, http_visitor(connection), clock_ns());
	free(*context);
	*context = NULL;
}

/* Whether there is a place for it; another one may have to leave. */
static bool http_find_place(struct http *http, struct visitor *visitor)
{
	struct place *displaced;
	struct visitor *other;

	visitor->place = (struct place){
		.pool = visitor->peer.uid ? PLACES_OF_USERS : PLACES_OF_ROOT,
		.account = visitor->peer.account,
		.owner = visitor,
	};
	if (!places_take(&http->places, &visitor->place, &displaced))
		return false;
	other = displaced ? displaced->owner : NULL;
	if (other)
		shutdown(other->fd, SHUT_RDWR);
	return true;
}

static void http_dismiss(struct http *http, struct visitor *visitor)
{
	if (!visitor)
		return;
	resolver_forget(http->host->resolver, &visitor->lookup);
	places_leave(&http->places, &visitor->place);
	visitor_leaves(&http->visitors, visitor);
}

static void http_on_connection(void *user, struct MHD_Connection *connection,
			       void **context,
			       enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info;
	struct http *http = user;
	struct visitor *visitor;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		http->connections--;
		http_dismiss(http, *context);
		*context = NULL;
	} else {
		http->connections++;
		info = MHD_get_connection_info(connection,
					       MHD_CONNECTION_INFO_CONNECTION_FD);
		visitor = info ? visitors_find(&http->visitors, info->connect_fd) : NULL;
		if (visitor)
			visitor->admitted = true;
		*context = visitor;
	}
	door_shut(http->door, http->connections >= CONNECTIONS);
}

/* ---- the loop ----------------------------------------------------------- */

/* End connections that take too long, also where a request waits. Until the next one, in ns. */
static uint64_t http_hurry(struct http *http)
{
	const uint64_t now = clock_ns();
	struct visitor *late;
	bool resumed = false;
	uint64_t wait_ns;

	while ((late = visitors_hurry(&http->visitors, now, &wait_ns))) {
		if (!late->waiting)
			continue;
		http_resume(late);
		resumed = true;
	}
	return resumed ? 0 : wait_ns;
}

static void http_run(struct http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;
	uint64_t wait_ns;

	http->answered = false;
	MHD_run(http->daemon);
	http_set_turn(http);
	wait_ns = http_hurry(http);
	if (MHD_get_timeout(http->daemon, &ms) == MHD_YES &&
	    ms * MS_NS < wait_ns)
		wait_ns = ms * MS_NS;
	if (wait_ns == UINT64_MAX)
		clock_timer_off(http->timer);
	else
		clock_timer_set(http->timer, clock_ns() + wait_ns);
}

/* NULL: its user is unknown, or there is no place for it. */
static struct visitor *http_receive(struct http *http, int fd)
{
	struct visitor *visitor;
	struct peer peer;

	if (peer_of_tcp(&peer, fd, http->diag))
		return NULL;
	visitor = visitor_comes(&http->visitors, fd, &peer, clock_ns());
	if (!visitor || http_find_place(http, visitor))
		return visitor;
	http_dismiss(http, visitor);
	return NULL;
}

/* libmicrohttpd closes @fd, also if it does not take it. */
static void http_admit(struct http *http, int fd)
{
	const struct sockaddr_in address = { .sin_family = AF_INET };
	struct visitor *visitor;

	MHD_add_connection(http->daemon, fd, (const struct sockaddr *)&address,
			   sizeof(address));
	http_run(http);
	visitor = visitors_find(&http->visitors, fd);
	if (visitor && !visitor->admitted)
		http_dismiss(http, visitor);
}

static void http_on_arrival(void *user, int fd)
{
	struct http *http = user;

	if (http_receive(http, fd))
		http_admit(http, fd);
	else
		close(fd);
}

static int http_on_io(sd_event_source *source, int fd, uint32_t revents, void *user)
{
	(void)source;
	(void)fd;
	(void)revents;
	http_run(user);
	return 0;
}

static void http_on_timer(void *user)
{
	http_run(user);
}

static void http_on_turn(void *user)
{
	struct http *http = user;
	struct visitor *next = http_find_next(http);

	if (next)
		http_resume(next);
	http->next = next;
	http_run(http);
	http->next = NULL;
}

/* Most are about what other programs do, in their words: do not log each, nor any character. */
static void http_on_complaint(void *user, const char *format, va_list args)
{
	struct http *http = user;
	uint64_t now = clock_ns();
	char text[256];

	http->complaints++;
	if (http->complained_ns && now - http->complained_ns < 1000000000ULL)
		return;
	vsnprintf(text, sizeof(text), format, args);
	text[strcspn(text, "\n")] = '\0';
	text_clean(text, sizeof(text), text);
	log_message(LOG_DEBUG, "http: %llu times, the last: %s",
		    (unsigned long long)http->complaints, text);
	http->complaints = 0;
	http->complained_ns = now;
}

static int http_add_sources(struct http *http)
{
	const union MHD_DaemonInfo *info;
	int ret;

	info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return -EIO;
	ret = sd_event_add_io(http->host->event, &http->source, info->epoll_fd,
			      EPOLLIN, http_on_io, http);
	if (ret < 0)
		return ret;
	ret = clock_timer_new(&http->timer, http->host->event, LATE_NS, http_on_timer, http);
	if (!ret)
		ret = clock_timer_new(&http->turn, http->host->event, TURN_LATE_NS, http_on_turn,
				      http);
	return ret;
}

static int http_start(struct http *http)
{
	http->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG |
				       MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0,
		NULL, NULL, http_on_request, http,
		MHD_OPTION_EXTERNAL_LOGGER, http_on_complaint, http,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)HTTP_PATIENCE_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
		MHD_OPTION_NOTIFY_COMPLETED, http_on_completed, http,
		MHD_OPTION_NOTIFY_CONNECTION, http_on_connection, http,
		MHD_OPTION_END);
	return http->daemon ? 0 : -EIO;
}

/* On 127.0.0.1 alone. Returns a descriptor or a negative errno. */
static int http_listen_at(uint16_t port)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) ||
	    listen(fd, BACKLOG)) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	return fd;
}

static int http_open_door(struct http *http, uint16_t port)
{
	int fd = http_listen_at(port), ret;

	if (fd < 0)
		return fd;
	ret = door_open(&http->door, http->host->event, fd, PER_SECOND, http_on_arrival, http);
	if (ret)
		close(fd);
	return ret;
}

static int http_start_parts(struct http *http, uint16_t port)
{
	int ret;

	http->diag = peer_open_diag();
	if (http->diag < 0)
		return http->diag;
	ret = http_start(http);
	if (!ret)
		ret = http_add_sources(http);
	if (!ret)
		ret = http_open_door(http, port);
	return ret;
}

int http_open(struct http **out, const struct config *config,
	      const struct host *host)
{
	uint16_t port = config->http_port;
	struct http *http = calloc(1, sizeof(*http));
	int ret;

	if (!http)
		return -ENOMEM;
	http->host = host;
	http->front = config->http_front;
	http->root = config->http_root;
	visitors_init(&http->visitors);
	places_init(&http->places, http_limits);
	ret = http_start_parts(http, port);
	if (ret) {
		log_message(LOG_ERR, "http_port=%u: %s", port, strerror(-ret));
		http_close(http);
		return ret;
	}
	if (!peer_sees_listener(http->diag, port))
		log_message(LOG_WARNING,
			    "http_port=%u: nobody is let in, as the kernel does not tell whose a connection is: load tcp_diag",
			    port);
	*out = http;
	return 0;
}

/* The library cannot end while a request waits. */
static void http_resume_all(struct http *http)
{
	struct visitor *visitor;

	TAILQ_FOREACH(visitor, &http->visitors.list, entry) {
		if (!visitor->waiting)
			continue;
		resolver_forget(http->host->resolver, &visitor->lookup);
		http_resume(visitor);
	}
}

void http_close(struct http *http)
{
	if (!http)
		return;
	http_resume_all(http);
	sd_event_source_disable_unref(http->source);
	clock_timer_free(http->timer);
	clock_timer_free(http->turn);
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	door_close(http->door);
	if (http->diag >= 0)
		close(http->diag);
	metrics_free(&http->metrics);
	free(http);
}
