// SPDX-License-Identifier: MIT
/*
 * Questions to the databases of users and groups.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/privileges.h"
#include "facts/config.h"
#include "facts/names.h"
#include "facts/resolver.h"

#define MS_NS		1000000ULL
#define LATE_NS		MS_NS
#define MAX_GROUPS	1024
#define USERS		32
/* Helpers that SIGKILL does not end; with as many there are no answers. */
#define LOST		4

/**
 * struct question - to the helper
 * @kind: what is asked
 * @uid: which user
 */
struct question {
	enum lookup_kind kind;
	uid_t uid;
};

/**
 * struct answer - from the helper; to LOOKUP_NAMES there are many
 * @last: nothing follows
 * @names: those that came before are all
 * @member: to LOOKUP_MEMBER
 * @name: to LOOKUP_NAMES, unless @last
 */
struct answer {
	bool last;
	bool names;
	bool member;
	struct name name;
};

/**
 * struct member - an answer about a user
 * @until_ns: when it is forgotten
 * @uid: user
 * @result: as for a lookup_fn
 */
struct member {
	uint64_t until_ns;
	uid_t uid;
	int result;
};

/**
 * struct resolver - questions and the helper
 * @event: loop
 * @path: of the configuration, or NULL
 * @child: helper
 * @answers: its socket
 * @kick: there is something to do
 * @timer: for the deadlines
 * @lookups: that are open; the helper looks for the first if @busy
 * @busy: the helper looks
 * @orphan: for one that was forgotten
 * @deadline_ns: when the helper is killed, if @busy
 * @lost: helpers that were killed and have not ended
 * @lost_count: number of @lost
 * @members: newest answers, as a ring
 * @next_member: where the next one goes
 */
struct resolver {
	sd_event *event;
	const char *path;
	struct child child;
	sd_event_source *answers;
	sd_event_source *kick;
	struct clock_timer *timer;
	TAILQ_HEAD(, lookup) lookups;
	bool busy;
	bool orphan;
	uint64_t deadline_ns;
	pid_t lost[LOST];
	size_t lost_count;
	struct member members[USERS];
	size_t next_member;
};

/* ---- in the helper ------------------------------------------------------ */

static bool resolver_is_member(uid_t uid)
{
	const struct passwd *passwd = getpwuid(uid);
	const struct group *group = getgrnam(ADMIN_GROUP);
	const gid_t admins = group ? group->gr_gid : 0;
	gid_t groups[MAX_GROUPS];
	int count = MAX_GROUPS;

	if (!group || !passwd ||
	    getgrouplist(passwd->pw_name, passwd->pw_gid, groups, &count) < 0)
		return false;
	for (int i = 0; i < count; i++)
		if (groups[i] == admins)
			return true;
	return false;
}

/* What the daemon will look for when it reads the configuration; its errors are found then. */
static void resolver_find_names(const char *path)
{
	struct config config;
	char error[512];

	names_thaw();
	if (!config_load(&config, path, error, sizeof(error)))
		config_free(&config);
	names_look_up_rest();
}

static bool resolver_say(int fd, const struct answer *answer)
{
	return send(fd, answer, sizeof(*answer), MSG_NOSIGNAL) == sizeof(*answer);
}

static void resolver_say_names(int fd)
{
	struct answer answer = { 0 };
	const struct name *name;

	for (size_t i = 0; (name = names_at(i)); i++) {
		answer.name = *name;
		if (!resolver_say(fd, &answer))
			return;
	}
}

static void resolver_run(int fd, void *context)
{
	const char *path = context;
	struct question question;

	privileges_drop_all();
	while (recv(fd, &question, sizeof(question), 0) == sizeof(question)) {
		struct answer answer = { .last = true };

		if (question.kind == LOOKUP_MEMBER) {
			answer.member = resolver_is_member(question.uid);
		} else {
			resolver_find_names(path);
			resolver_say_names(fd);
			answer.names = true;
		}
		if (!resolver_say(fd, &answer))
			return;
	}
}

/* ---- answers ------------------------------------------------------------ */

static void resolver_keep(struct resolver *resolver, uid_t uid, int result)
{
	resolver->members[resolver->next_member++ % USERS] = (struct member){
		.until_ns = clock_ns() + RESOLVER_KEEP_MS * MS_NS,
		.uid = uid, .result = result };
}

bool resolver_knows_member(const struct resolver *resolver, uid_t uid, int *result)
{
	for (size_t i = 0; i < USERS; i++) {
		const struct member *member = &resolver->members[i];

		if (member->uid != uid || member->until_ns <= clock_ns())
			continue;
		*result = member->result;
		return true;
	}
	return false;
}

static void resolver_unlist(struct resolver *resolver, struct lookup *lookup)
{
	if (lookup->listed)
		TAILQ_REMOVE(&resolver->lookups, lookup, entry);
	lookup->listed = false;
}

static void resolver_answer(struct resolver *resolver, struct lookup *lookup, int result)
{
	resolver_unlist(resolver, lookup);
	if (lookup->kind == LOOKUP_MEMBER) {
		resolver_keep(resolver, lookup->uid, result);
		if (result < 0)
			log_message(LOG_WARNING, "user %u is taken for no administrator: it is not known in time whether he is in group "
				    ADMIN_GROUP, lookup->uid);
	}
	lookup->done(lookup, result);
}

/* ---- the helper --------------------------------------------------------- */

static void resolver_bury(struct resolver *resolver)
{
	for (size_t i = 0; i < resolver->lost_count; i++)
		if (child_ended(resolver->lost[i]))
			resolver->lost[i--] = resolver->lost[--resolver->lost_count];
}

static void resolver_lose_helper(struct resolver *resolver)
{
	pid_t pid;

	resolver->answers = sd_event_source_disable_unref(resolver->answers);
	pid = child_kill(&resolver->child);
	if (pid)
		resolver->lost[resolver->lost_count++] = pid;
	resolver_bury(resolver);
}

/* The helper is done with what it was asked. */
static void resolver_finish(struct resolver *resolver, int result)
{
	struct lookup *lookup = resolver->orphan ? NULL : TAILQ_FIRST(&resolver->lookups);

	resolver->busy = false;
	resolver->orphan = false;
	sd_event_source_set_enabled(resolver->kick, SD_EVENT_ONESHOT);
	if (lookup)
		resolver_answer(resolver, lookup, result);
}

/* It has failed, or takes too long. */
static void resolver_fail(struct resolver *resolver, int error)
{
	resolver_lose_helper(resolver);
	if (!resolver->busy)
		return;
	log_message(LOG_WARNING, "users and groups cannot be looked up: %s", strerror(-error));
	resolver_finish(resolver, error);
}

static void resolver_take(struct resolver *resolver, const struct answer *answer)
{
	if (!answer->last) {
		if (!names_stage(&answer->name))
			resolver_fail(resolver, -EIO);
		return;
	}
	if (answer->names)
		names_install();
	resolver_finish(resolver, answer->member);
}

static int resolver_on_answer(sd_event_source *source, int fd, uint32_t revents, void *user)
{
	struct resolver *resolver = user;
	struct answer answer;
	ssize_t got = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);

	(void)source;
	(void)revents;
	if (got < 0 && errno == EAGAIN)
		return 0;
	if (got != sizeof(answer) || !resolver->busy)
		resolver_fail(resolver, -EIO);
	else
		resolver_take(resolver, &answer);
	return 0;
}

/* Returns whether there is a helper. */
static bool resolver_find_helper(struct resolver *resolver)
{
	int ret;

	resolver_bury(resolver);
	if (resolver->child.pid)
		return true;
	if (resolver->lost_count == LOST)
		return false;
	ret = child_start(&resolver->child, "xschedd-names", resolver_run,
			  (void *)resolver->path);
	if (!ret)
		ret = sd_event_add_io(resolver->event, &resolver->answers,
				      resolver->child.fd, EPOLLIN, resolver_on_answer,
				      resolver);
	if (ret >= 0)
		return true;
	log_message(LOG_WARNING, "cannot start a helper to look up users: %s",
		    strerror(-ret));
	resolver_lose_helper(resolver);
	return false;
}

/* ---- questions ---------------------------------------------------------- */

static void resolver_begin(struct resolver *resolver)
{
	const struct lookup *lookup = TAILQ_FIRST(&resolver->lookups);
	struct question question;

	if (resolver->busy || !lookup || !resolver_find_helper(resolver))
		return;
	question = (struct question){ .kind = lookup->kind, .uid = lookup->uid };
	resolver->busy = true;
	resolver->deadline_ns = lookup->deadline_ns;
	names_unstage();
	if (send(resolver->child.fd, &question, sizeof(question),
		 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		resolver_fail(resolver, -EIO);
}

/* The one that is due first; NULL: there is none. */
static struct lookup *resolver_next_due(struct resolver *resolver)
{
	struct lookup *lookup, *next = NULL;

	TAILQ_FOREACH(lookup, &resolver->lookups, entry)
		if (!next || lookup->deadline_ns < next->deadline_ns)
			next = lookup;
	return next;
}

static void resolver_set_timer(struct resolver *resolver, const struct lookup *due)
{
	uint64_t at_ns = due ? due->deadline_ns : UINT64_MAX;

	if (resolver->busy && resolver->deadline_ns < at_ns)
		at_ns = resolver->deadline_ns;
	if (at_ns == UINT64_MAX)
		clock_timer_off(resolver->timer);
	else
		clock_timer_set(resolver->timer, at_ns);
}

static void resolver_go_on(struct resolver *resolver)
{
	const uint64_t now = clock_ns();
	struct lookup *due;

	if (resolver->busy && resolver->deadline_ns <= now)
		resolver_fail(resolver, -ETIMEDOUT);
	while ((due = resolver_next_due(resolver)) && due->deadline_ns <= now)
		resolver_answer(resolver, due, -ETIMEDOUT);
	resolver_begin(resolver);
	resolver_set_timer(resolver, due);
}

static int resolver_on_kick(sd_event_source *source, void *user)
{
	(void)source;
	resolver_go_on(user);
	return 0;
}

static void resolver_on_timer(void *user)
{
	resolver_go_on(user);
}

void resolver_ask(struct resolver *resolver, struct lookup *lookup)
{
	const uint64_t ms = lookup->kind == LOOKUP_MEMBER ? RESOLVER_MEMBER_MS :
							    RESOLVER_NAMES_MS;

	lookup->deadline_ns = clock_ns() + ms * MS_NS;
	TAILQ_INSERT_TAIL(&resolver->lookups, lookup, entry);
	lookup->listed = true;
	sd_event_source_set_enabled(resolver->kick, SD_EVENT_ONESHOT);
}

/* The helper may go on with it, for as long as it takes: then the next has to wait. */
void resolver_forget(struct resolver *resolver, struct lookup *lookup)
{
	if (lookup->listed && resolver->busy && !resolver->orphan &&
	    lookup == TAILQ_FIRST(&resolver->lookups))
		resolver->orphan = true;
	resolver_unlist(resolver, lookup);
}

/* ---- life --------------------------------------------------------------- */

int resolver_new(struct resolver **out, sd_event *event, const char *path)
{
	struct resolver *resolver = calloc(1, sizeof(*resolver));
	int ret;

	if (!resolver)
		return -ENOMEM;
	resolver->event = event;
	resolver->path = path;
	TAILQ_INIT(&resolver->lookups);
	ret = sd_event_add_defer(event, &resolver->kick, resolver_on_kick, resolver);
	if (ret >= 0)
		ret = sd_event_source_set_enabled(resolver->kick, SD_EVENT_OFF);
	if (ret >= 0)
		ret = clock_timer_new(&resolver->timer, event, LATE_NS,
				      resolver_on_timer, resolver);
	if (ret < 0) {
		resolver_free(resolver);
		return ret;
	}
	*out = resolver;
	return 0;
}

void resolver_free(struct resolver *resolver)
{
	if (!resolver)
		return;
	resolver_lose_helper(resolver);
	sd_event_source_disable_unref(resolver->kick);
	clock_timer_free(resolver->timer);
	free(resolver);
}
