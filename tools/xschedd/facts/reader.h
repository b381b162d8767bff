/* SPDX-License-Identifier: MIT */
/*
 * Facts about processes, without waiting for them.
 *
 * A helper reads the facts that no process can delay (process_read_facts()), about one
 * process after the other. If that takes READER_FACTS_MS, the machine is overloaded or the
 * helper is broken, and it is replaced. So what others do delays them by the time it takes
 * to read as many processes, some 100 us each, and no more.
 *
 * A process can delay the rest (see process.c). Up to READER_HELPERS others read that, each
 * for another account; READER_UNKNOWN of them are for processes whose account is not known
 * yet. There is one more as soon as those that read are kept waiting for READER_START_MS.
 * One that is kept waiting for READER_SLICE_MS gives way to an account that waits for a
 * helper; and in any case after READER_DEADLINE_MS, of which an idle machine needs
 * microseconds. Then:
 *
 *  - It is killed. The kernel may not let it end; at most READER_LOST such helpers remain,
 *    and with as many no other is started to read the rest.
 *  - The answer has the facts alone: no executable, arguments, environment and
 *    CAP_SYS_NICE, and no account if the process is in another user namespace.
 *  - For READER_PENALTY_MS only the facts are read of all processes of that account. After
 *    that the rest is tried again, READER_TRIES times in all.
 *
 * So the rest of an account's first process is there, or withheld by itself, after
 * READER_SLICE_MS for each READER_HELPERS - READER_UNKNOWN other accounts that keep helpers
 * waiting, each of which can do that once in READER_PENALTY_MS.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_READER_H
#define XSCHEDD_READER_H

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "facts/process.h"

#define READER_FACTS_MS		5000
#define READER_DEADLINE_MS	500
#define READER_START_MS		2
#define READER_SLICE_MS		20
#define READER_PENALTY_MS	10000
#define READER_TRIES		3
#define READER_HELPERS		8
#define READER_UNKNOWN		2
#define READER_LOST		8

struct reader;
struct reading;

/** enum reading_state - what has come, and what may follow */
enum reading_state {
	READING_FACTS,		/* the facts; the rest is being read */
	READING_WITHHELD,	/* no more than that for now; another try may follow, much later */
	READING_WHOLE,		/* all that was asked for; nothing follows */
};

/**
 * typedef reading_fn - takes an answer
 * @reading: what was asked
 * @process: what is known; its strings are not valid when this returns
 * @state: what may follow, unless reader_forget() says that it is not wanted
 */
typedef void (*reading_fn)(struct reading *reading, const struct process *process,
			   enum reading_state state);

/**
 * struct reading - a question; zero at first
 * @pid: process
 * @cmdline: its arguments are wanted, too
 * @identity: only the facts and who it is are wanted; a penalty of the account does
 *	not apply. Whose process it is, @account.user, is known to who asks
 * @done: takes answers; from the loop, never from reader_ask()
 * @context: for @done
 * @user: for @done
 * @entry: in a list of the reader, if @list; the reader's
 * @list: likewise
 * @told: the facts were handed to @done; the reader's
 * @barred: the rest is not to be read now; the reader's
 * @account: its account, else one of its user that no other has; the reader's, but for
 *	@identity
 * @misses: how often the rest was withheld; the reader's
 * @not_before_ns: when to go on; the reader's
 */
struct reading {
	pid_t pid;
	bool cmdline;
	bool identity;
	reading_fn done;
	void *context;
	void *user;
	TAILQ_ENTRY(reading) entry;
	struct reading_list *list;
	bool told;
	bool barred;
	struct account account;
	unsigned int misses;
	uint64_t not_before_ns;
};

TAILQ_HEAD(reading_list, reading);

/**
 * reader_new() - start a helper
 * @out: the reader
 * @event: loop
 * @urgent: GPUs wait for its answers, see helper_start()
 *
 * Return: 0 or a negative errno.
 */
int reader_new(struct reader **out, sd_event *event, bool urgent);

/** reader_free() - end it; no question may be open; @reader may be NULL */
void reader_free(struct reader *reader);

/** reader_ask() - ask; the question stays in use until reader_forget() */
void reader_ask(struct reader *reader, struct reading *reading);

/** reader_forget() - no answer is wanted any more; also if none was asked for */
void reader_forget(struct reader *reader, struct reading *reading);

#endif /* XSCHEDD_READER_H */
