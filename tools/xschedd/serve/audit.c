// SPDX-License-Identifier: MIT
/*
 * Who changed something of another user's process, or tried to.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "serve/audit.h"

#define WINDOW_NS	(AUDIT_WINDOW_S * 1000000000ULL)
#define LATE_NS		1000000000ULL
#define ACCOUNTS	64
#define FIELD_SIZE	96

/**
 * struct refused - what was refused to an account
 * @account: account
 * @since_ns: when its time began; 0: no account
 * @count: messages since then
 * @left_out: requests without one since then
 */
struct refused {
	struct account account;
	uint64_t since_ns;
	unsigned int count;
	uint64_t left_out;
};

/**
 * struct audit - see audit.h
 * @timer: when to say how many were left out
 * @refused: by account
 */
struct audit {
	struct clock_timer *timer;
	struct refused refused[ACCOUNTS];
};

/**
 * struct fields - of a message
 * @list: each, ended by NULL
 * @text: what they consist of
 * @count: number of them
 */
struct fields {
	const char *list[LOG_MORE + 1];
	char text[LOG_MORE][FIELD_SIZE];
	int count;
};

__attribute__((format(printf, 2, 3)))
static void audit_add(struct fields *fields, const char *format, ...)
{
	char *text = fields->text[fields->count];
	va_list args;

	va_start(args, format);
	vsnprintf(text, FIELD_SIZE, format, args);
	va_end(args);
	fields->list[fields->count++] = text;
	fields->list[fields->count] = NULL;
}

/* Clients choose such names: they must not end a line, nor command a terminal. */
static const char *audit_clean(const char *name, char out[32])
{
	text_clean(out, 32, name);
	return *out ? out : "?";
}

static const char *audit_name_account(const struct account *account, char out[64])
{
	if (!account->known)
		return "unknown";
	if (account->share)
		snprintf(out, 64, "%u/%" PRIu64, account->user, account->share);
	else
		snprintf(out, 64, "%u", account->user);
	return out;
}

/* ---- one record --------------------------------------------------------- */

static const char *audit_verb(const struct request *request, char out[32])
{
	switch (request->command) {
	case COMMAND_SUSPEND:
		return "suspend";
	case COMMAND_RESUME:
		return "resume";
	case COMMAND_LEVEL:
		return "level";
	case COMMAND_HINT:
		return audit_clean(request->hint, out);
	default:
		return "priority";
	}
}

static void audit_add_who(struct fields *fields, const struct peer *peer)
{
	char account[64], comm[32];

	audit_add(fields, "XSCHED_BY_UID=%u", peer->uid);
	audit_add(fields, "XSCHED_BY_ACCOUNT=%s",
		  audit_name_account(&peer->account, account));
	if (peer->pid)
		audit_add(fields, "XSCHED_BY_PID=%d", peer->pid);
	if (*peer->comm)
		audit_add(fields, "XSCHED_BY_COMM=%s", audit_clean(peer->comm, comm));
}

static void audit_add_what(struct fields *fields, const struct audit_record *record)
{
	char comm[32], verb[32];

	if (record->known)
		audit_add(fields, "XSCHED_UID=%u", record->uid);
	audit_add(fields, "XSCHED_COMM=%s", audit_clean(record->comm, comm));
	audit_add(fields, "XSCHED_VERB=%s", audit_verb(record->request, verb));
	if (record->has_before)
		audit_add(fields, "XSCHED_BEFORE=%" PRId64, record->before);
	if (record->has_after)
		audit_add(fields, "XSCHED_AFTER=%" PRId64, record->after);
	audit_add(fields, "XSCHED_ERRNO=%d", -record->error);
}

/* " from B to A", as far as that is known. */
static const char *audit_describe(const struct audit_record *record, char out[64])
{
	if (!record->has_before || !record->has_after)
		return "";
	snprintf(out, 64, " from %" PRId64 " to %" PRId64, record->before, record->after);
	return out;
}

static void audit_write(const struct audit_record *record)
{
	const struct peer *peer = record->peer;
	struct fields fields = { .count = 0 };
	char by[32], verb[32], comm[32], change[64];
	const struct log_fields about = { .id = LOG_AUDIT, .pid = record->request->pid,
					  .more = fields.list };

	audit_add_who(&fields, peer);
	audit_add_what(&fields, record);
	log_event(LOG_NOTICE, &about,
		  "user %u (process %d, %s) asked for %s of process %d (%s) of user %d%s: %s",
		  peer->uid, peer->pid, audit_clean(peer->comm, by),
		  audit_verb(record->request, verb), record->request->pid,
		  audit_clean(record->comm, comm), record->known ? (int)record->uid : -1,
		  audit_describe(record, change),
		  record->error ? strerror(-record->error) : "done");
}

/* ---- refusals ----------------------------------------------------------- */

/* The time of an account is over. */
static void audit_close(struct refused *refused)
{
	struct fields fields = { .count = 0 };
	const struct log_fields about = { .id = LOG_AUDIT_LEFT_OUT, .more = fields.list };
	char account[64];
	const char *name = audit_name_account(&refused->account, account);

	if (refused->left_out) {
		audit_add(&fields, "XSCHED_BY_ACCOUNT=%s", name);
		audit_add(&fields, "XSCHED_LEFT_OUT=%" PRIu64, refused->left_out);
		log_event(LOG_NOTICE, &about,
			  "%" PRIu64 " more requests about others' processes were refused to account %s",
			  refused->left_out, name);
	}
	*refused = (struct refused){ 0 };
}

static void audit_on_timer(void *user)
{
	uint64_t now = clock_ns(), next_ns = UINT64_MAX;
	struct audit *audit = user;

	for (size_t i = 0; i < ACCOUNTS; i++) {
		struct refused *refused = &audit->refused[i];

		if (!refused->since_ns)
			continue;
		if (now - refused->since_ns >= WINDOW_NS)
			audit_close(refused);
		else if (refused->since_ns + WINDOW_NS < next_ns)
			next_ns = refused->since_ns + WINDOW_NS;
	}
	if (next_ns != UINT64_MAX)
		clock_timer_set(audit->timer, next_ns);
}

/* That of an account; a new one takes the place of the oldest. */
static struct refused *audit_find(struct audit *audit, const struct account *account)
{
	struct refused *oldest = audit->refused;

	for (size_t i = 0; i < ACCOUNTS; i++) {
		struct refused *refused = &audit->refused[i];

		if (refused->since_ns && account_is(&refused->account, account))
			return refused;
		if (refused->since_ns < oldest->since_ns)
			oldest = refused;
	}
	audit_close(oldest);
	*oldest = (struct refused){ .account = *account, .since_ns = clock_ns() };
	if (!clock_timer_is_on(audit->timer))
		clock_timer_set(audit->timer, oldest->since_ns + WINDOW_NS);
	return oldest;
}

static bool audit_leaves_out(struct audit *audit, const struct account *account)
{
	struct refused *refused = audit_find(audit, account);

	if (refused->count++ < AUDIT_REFUSED)
		return false;
	refused->left_out++;
	return true;
}

/* ---- all of it ---------------------------------------------------------- */

void audit_begin(struct audit_record *record, const struct process *process)
{
	record->known = process->known;
	record->uid = process->uid;
	memcpy(record->comm, process->comm, sizeof(record->comm));
}

void audit_end(struct audit *audit, const struct audit_record *record)
{
	if (record->known && record->uid == record->peer->uid)
		return;
	if (record->error == -EPERM &&
	    audit_leaves_out(audit, &record->peer->account))
		return;
	audit_write(record);
}

int audit_new(struct audit **out, sd_event *event)
{
	struct audit *audit = calloc(1, sizeof(*audit));
	int ret;

	if (!audit)
		return -ENOMEM;
	ret = clock_timer_new(&audit->timer, event, LATE_NS, audit_on_timer, audit);
	if (ret)
		free(audit);
	else
		*out = audit;
	return ret;
}

void audit_free(struct audit *audit)
{
	if (!audit)
		return;
	for (size_t i = 0; i < ACCOUNTS; i++)
		audit_close(&audit->refused[i]);
	clock_timer_free(audit->timer);
	free(audit);
}
