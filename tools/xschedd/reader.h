/* SPDX-License-Identifier: MIT */
/*
 * Facts about processes, without waiting for them.
 *
 * A helper reads about one process at a time. What cannot wait comes first: if it
 * takes READER_FACTS_MS, the machine is overloaded or the helper is broken, and it is
 * replaced. For the rest, a process can keep it waiting (see process.c). Then, after
 * READER_DEADLINE_MS, which an idle machine needs microseconds of:
 *
 *  - the helper is killed, and another is started. One that the kernel does not
 *    let die is left behind; there are at most READER_LOST of them.
 *  - who asked gets what the kernel has at hand: all but the executable, the
 *    arguments, the environment and CAP_SYS_NICE.
 *  - no other process of that user can keep the helper waiting for
 *    READER_PENALTY_MS: of these, too, only that is read which cannot wait. After
 *    that the rest is tried again, READER_TRIES times in all.
 *
 * Without a helper, who asks gets what process_read_owner() reads.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_READER_H
#define XSCHEDD_READER_H

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "process.h"

#define READER_FACTS_MS		5000
#define READER_DEADLINE_MS	500
#ifndef READER_PENALTY_MS
#define READER_PENALTY_MS	10000
#endif
#define READER_TRIES		3
#define READER_LOST		8

struct reader;
struct reading;

/**
 * typedef reading_fn - takes an answer
 * @reading: what was asked
 * @process: what is known; its texts are lost when this returns
 * @whole: all was read. If not, another answer may follow, much later, unless
 *	reader_forget() says that it is not wanted.
 */
typedef void (*reading_fn)(struct reading *reading, const struct process *process,
			   bool whole);

/**
 * struct reading - a question; zero at first
 * @pid: process
 * @cmdline: its arguments are wanted, too
 * @capability: nothing else is wanted than what cannot wait, and CAP_SYS_NICE: that
 *	is read whatever other processes of the user have done
 * @done: takes answers; from the loop, never from reader_ask()
 * @context: for @done
 * @user: for @done
 * @entry: in a list of the reader, if @listed; the reader's
 * @listed: the reader's
 * @owner: effective user; the reader's
 * @misses: how often the process made the helper wait; the reader's
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

/** reader_free() - end it; no question may be open. Or NULL */
void reader_free(struct reader *reader);

/** reader_ask() - ask; the question stays in use until reader_forget() */
void reader_ask(struct reader *reader, struct reading *reading);

/** reader_forget() - no answer is wanted any more; also if none was asked for */
void reader_forget(struct reader *reader, struct reading *reading);

#endif /* XSCHEDD_READER_H */
