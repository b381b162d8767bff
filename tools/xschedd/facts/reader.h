/* SPDX-License-Identifier: MIT */
/*
 * Facts about processes, without waiting for them.
 *
 * A helper reads about one process at a time. It has two deadlines. The facts that no
 * process can delay come first (process_read_facts()): if they take READER_FACTS_MS, the
 * machine is overloaded or the helper is broken, and the helper is replaced. A process can
 * delay the rest (see process.c). If that takes READER_DEADLINE_MS, of which an idle
 * machine needs microseconds:
 *
 *  - The helper is killed, and another one is started. The kernel may not let it end; at
 *    most READER_LOST such helpers remain.
 *  - The answer has the facts alone: no executable, arguments, environment and
 *    CAP_SYS_NICE.
 *  - For READER_PENALTY_MS only the facts are read of all processes of that user. After
 *    that the helper tries the rest again, READER_TRIES times in all.
 *
 * Without a helper, the answer has what process_read_owner() reads.
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
#define READER_PENALTY_MS	10000
#define READER_TRIES		3
#define READER_LOST		8

struct reader;
struct reading;

/**
 * typedef reading_fn - takes an answer
 * @reading: what was asked
 * @process: what is known; its strings are not valid when this returns
 * @whole: all was read. If not, another answer may follow, much later, unless
 *	reader_forget() says that it is not wanted.
 */
typedef void (*reading_fn)(struct reading *reading, const struct process *process,
			   bool whole);

/**
 * struct reading - a question; zero at first
 * @pid: process
 * @cmdline: its arguments are wanted, too
 * @capability: only the facts and CAP_SYS_NICE are wanted; a penalty of the user does
 *	not apply
 * @done: takes answers; from the loop, never from reader_ask()
 * @context: for @done
 * @user: for @done
 * @entry: in a list of the reader, if @listed; the reader's
 * @listed: the reader's
 * @owner: its real user; the reader's
 * @misses: how often the answer was not whole; the reader's
 * @not_before_ns: when to read the rest; the reader's
 */
struct reading {
	pid_t pid;
	bool cmdline;
	bool capability;
	reading_fn done;
	void *context;
	void *user;
	TAILQ_ENTRY(reading) entry;
	bool listed;
	uid_t owner;
	unsigned int misses;
	uint64_t not_before_ns;
};

/** reader_new() - start a helper; 0 or a negative errno */
int reader_new(struct reader **out, sd_event *event);

/** reader_free() - end it; no question may be open; @reader may be NULL */
void reader_free(struct reader *reader);

/** reader_ask() - ask; the question stays in use until reader_forget() */
void reader_ask(struct reader *reader, struct reading *reading);

/** reader_forget() - no answer is wanted any more; also if none was asked for */
void reader_forget(struct reader *reader, struct reading *reading);

#endif /* XSCHEDD_READER_H */
