/* SPDX-License-Identifier: MIT */
/*
 * Questions to the databases of users and groups (NSS), without waiting for them: a helper
 * without capabilities asks, one question at a time. A question has a deadline, from when it
 * was asked; the helper that misses it is killed, and there is another one.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_RESOLVER_H
#define XSCHEDD_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#define RESOLVER_MEMBER_MS	2000
#define RESOLVER_NAMES_MS	5000
#define RESOLVER_KEEP_MS	10000

struct resolver;
struct lookup;

/** enum lookup_kind - what is asked */
enum lookup_kind {
	LOOKUP_MEMBER,	/* whether a user is a member of xsched-admin */
	LOOKUP_NAMES,	/* all that the configuration names, into names.h */
};

/**
 * typedef lookup_fn - takes the answer
 * @lookup: what was asked
 * @result: for LOOKUP_MEMBER 1: it is a member, 0: it is none; for LOOKUP_NAMES 0; or
 *	-ETIMEDOUT: there was no answer in time; -EIO: the helper has failed
 */
typedef void (*lookup_fn)(struct lookup *lookup, int result);

/**
 * struct lookup - a question; zero at first
 * @kind: what is asked
 * @uid: for LOOKUP_MEMBER: which user
 * @done: takes the answer; from the loop, never from resolver_ask()
 * @user: for @done
 * @entry: in a list of the resolver, if @listed; the resolver's
 * @listed: the resolver's
 * @deadline_ns: the resolver's
 */
struct lookup {
	enum lookup_kind kind;
	uid_t uid;
	lookup_fn done;
	void *user;
	TAILQ_ENTRY(lookup) entry;
	bool listed;
	uint64_t deadline_ns;
};

/** resolver_new() - begin; @path: of the configuration, stays in use; 0 or a negative errno */
int resolver_new(struct resolver **out, sd_event *event, const char *path);

/** resolver_free() - end it; no question may be open; @resolver may be NULL */
void resolver_free(struct resolver *resolver);

/**
 * resolver_knows_member() - an answer of the last seconds
 * @resolver: resolver
 * @uid: which user
 * @result: out: as for a lookup_fn
 *
 * Return: whether there is one. One that did not come in time is kept, too.
 */
bool resolver_knows_member(const struct resolver *resolver, uid_t uid, int *result);

/** resolver_ask() - ask; the question stays in use until it is answered or forgotten */
void resolver_ask(struct resolver *resolver, struct lookup *lookup);

/** resolver_forget() - no answer is wanted any more; also if none was asked for */
void resolver_forget(struct resolver *resolver, struct lookup *lookup);

#endif /* XSCHEDD_RESOLVER_H */
