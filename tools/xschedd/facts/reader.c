// SPDX-License-Identifier: MIT
/*
 * Questions about processes, and the helper that reads the answers.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/log.h"
#include "facts/helper.h"
#include "facts/reader.h"

#define MS_NS		1000000ULL
#define PENALTIES	64
#define LATE_NS		MS_NS

/**
 * struct penalty - a user whose process made the helper wait
 * @uid: user
 * @until_ns: nothing is read that can wait, until then
 */
struct penalty {
	uid_t uid;
	uint64_t until_ns;
};

/**
 * struct reader - questions and the helper
 * @event: loop
 * @helper: helper, if its pid is not 0
 * @answers: its socket
 * @kick: there is something to do
 * @timer: for the deadline, or for the next question that is tried again
 * @questions: that wait for the helper
 * @busy: the helper reads
 * @current: the question that it reads for; NULL: that was forgotten
 * @pid: the process it reads about
 * @owner: user of that process
 * @extent: how much it reads
 * @deadline_ns: when it is killed
 * @waits: it has the facts, so only the process can delay it now
 * @facts: what has come of the answer so far
 * @lost: helpers that were killed and have not ended
 * @lost_count: number of @lost
 * @penalties: newest users, as a ring
 * @next_penalty: where the next one goes
 */
struct reader {
	sd_event *event;
	struct helper helper;
	sd_event_source *answers;
	sd_event_source *kick;
	struct clock_timer *timer;
	TAILQ_HEAD(, reading) questions;
	bool busy;
	struct reading *current;
	pid_t pid;
	uid_t owner;
	enum helper_extent extent;
	uint64_t deadline_ns;
	bool waits;
	struct process facts;
	pid_t lost[READER_LOST];
	size_t lost_count;
	struct penalty penalties[PENALTIES];
	size_t next_penalty;
};

/* ---- users -------------------------------------------------------------- */

static void reader_punish(struct reader *reader, uid_t uid, uint64_t now)
{
	reader->penalties[reader->next_penalty++ % PENALTIES] = (struct penalty){
		.uid = uid, .until_ns = now + READER_PENALTY_MS * MS_NS };
}

static bool reader_is_punished(const struct reader *reader, uid_t uid, uint64_t now)
{
	for (size_t i = 0; i < PENALTIES; i++)
		if (reader->penalties[i].uid == uid &&
		    reader->penalties[i].until_ns > now)
			return true;
	return false;
}

/* ---- the helper --------------------------------------------------------- */

static int reader_on_answer(sd_event_source *source, int fd, uint32_t revents,
			    void *user);

static void reader_bury(struct reader *reader)
{
	for (size_t i = 0; i < reader->lost_count; i++)
		if (helper_ended(reader->lost[i]))
			reader->lost[i--] = reader->lost[--reader->lost_count];
}

static void reader_lose_helper(struct reader *reader)
{
	pid_t pid;

	reader->answers = sd_event_source_disable_unref(reader->answers);
	helper_wipe(&reader->helper);
	pid = helper_kill(&reader->helper);
	if (pid)
		reader->lost[reader->lost_count++] = pid;
	reader_bury(reader);
}

/* Returns whether there is a helper. */
static bool reader_find_helper(struct reader *reader)
{
	int ret;

	reader_bury(reader);
	if (reader->helper.pid)
		return true;
	if (reader->lost_count == READER_LOST)
		return false;
	ret = helper_start(&reader->helper);
	if (ret) {
		log_message(LOG_WARNING, "cannot start a helper to read /proc: %s",
			    strerror(-ret));
		return false;
	}
	ret = sd_event_add_io(reader->event, &reader->answers, reader->helper.fd,
			      EPOLLIN, reader_on_answer, reader);
	if (ret < 0)
		reader_lose_helper(reader);
	return ret >= 0;
}

/* ---- answers ------------------------------------------------------------ */

static void reader_list(struct reader *reader, struct reading *reading)
{
	TAILQ_INSERT_TAIL(&reader->questions, reading, entry);
	reading->listed = true;
}

static void reader_unlist(struct reader *reader, struct reading *reading)
{
	if (reading->listed)
		TAILQ_REMOVE(&reader->questions, reading, entry);
	reading->listed = false;
}

static void reader_set_timer(struct reader *reader)
{
	uint64_t at_ns = reader->busy ? reader->deadline_ns : UINT64_MAX;
	struct reading *reading;

	if (!reader->busy)
		TAILQ_FOREACH(reading, &reader->questions, entry)
			if (reading->not_before_ns < at_ns)
				at_ns = reading->not_before_ns;
	if (at_ns == UINT64_MAX)
		clock_timer_off(reader->timer);
	else
		clock_timer_set(reader->timer, at_ns);
}

/* The facts alone, or the owner alone. The rest is tried again later. */
static void reader_answer_part(struct reader *reader, struct reading *reading,
			       const struct process *facts)
{
	struct process process = *facts;

	if (!process.known)
		process_read_owner(&process, reading->pid);
	reading->misses += reader->waits;
	if (process.known && reading->misses < READER_TRIES) {
		reading->not_before_ns = clock_ns() + READER_PENALTY_MS * MS_NS;
		reader_list(reader, reading);
	}
	reading->done(reading, &process, false);
}

static void reader_finish(struct reader *reader, bool whole)
{
	struct reading *reading = reader->current;

	reader->busy = false;
	reader->current = NULL;
	if (reading && whole)
		reading->done(reading, &reader->helper.page->whole, true);
	else if (reading)
		reader_answer_part(reader, reading, &reader->facts);
	if (whole)
		helper_wipe(&reader->helper);
	sd_event_source_set_enabled(reader->kick, SD_EVENT_ONESHOT);
}

static void reader_miss(struct reader *reader, uint64_t now)
{
	if (reader->waits) {
		log_event(LOG_NOTICE, &(struct log_fields){ .pid = reader->pid },
			  "process %d of user %u keeps its reader waiting: its executable and environment stay unknown",
			  reader->pid, reader->owner);
		reader_punish(reader, reader->owner, now);
	} else {
		log_message(LOG_WARNING, "the helper that reads /proc does not answer");
	}
	reader_lose_helper(reader);
	reader_finish(reader, false);
}

/* False: there is none yet. */
static bool reader_take_answer(struct reader *reader)
{
	switch (helper_read(&reader->helper)) {
	case -EAGAIN:
		return false;
	case HELPER_FACTS:
		reader->facts = reader->helper.page->facts;
		if (reader->extent == HELPER_READ_FACTS) {
			reader_finish(reader, false);
			return true;
		}
		reader->waits = true;
		reader->deadline_ns = clock_ns() + READER_DEADLINE_MS * MS_NS;
		reader_set_timer(reader);
		return true;
	case HELPER_WHOLE:
		reader_finish(reader, true);
		return true;
	default:
		reader_lose_helper(reader);
		if (reader->busy)
			reader_finish(reader, false);
		return true;
	}
}

static int reader_on_answer(sd_event_source *source, int fd, uint32_t revents,
			    void *user)
{
	(void)source;
	(void)fd;
	(void)revents;
	reader_take_answer(user);
	return 0;
}

/* ---- questions ---------------------------------------------------------- */

/* The next one; if there is one, of another user than the last. */
static struct reading *reader_next(struct reader *reader, uint64_t now)
{
	struct reading *reading, *first = NULL;

	TAILQ_FOREACH(reading, &reader->questions, entry) {
		if (reading->not_before_ns > now)
			continue;
		if (reading->owner != reader->owner)
			return reading;
		if (!first)
			first = reading;
	}
	return first;
}

static enum helper_extent reader_extent(const struct reader *reader,
					const struct reading *reading, uint64_t now)
{
	if (reading->capability)
		return HELPER_READ_CAPABILITY;
	return reader_is_punished(reader, reading->owner, now) ? HELPER_READ_FACTS :
								 HELPER_READ_REST;
}

static void reader_begin(struct reader *reader, struct reading *reading, uint64_t now)
{
	reader_unlist(reader, reading);
	reader->owner = reading->owner;
	reader->pid = reading->pid;
	reader->extent = reader_extent(reader, reading, now);
	reader->facts = (struct process){ .pid = reading->pid };
	reader->waits = false;
	if (!reader_find_helper(reader)) {
		reader_answer_part(reader, reading, &reader->facts);
		return;
	}
	reader->busy = true;
	reader->current = reading;
	reader->deadline_ns = now + READER_FACTS_MS * MS_NS;
	if (helper_ask(&reader->helper, reading->pid, reader->extent,
		       reading->cmdline)) {
		reader_lose_helper(reader);
		reader_finish(reader, false);
	}
}

/* If it was the daemon that stood still, the answer is there by now. */
static void reader_check_deadline(struct reader *reader)
{
	while (reader->busy && clock_ns() >= reader->deadline_ns) {
		if (!reader_take_answer(reader))
			reader_miss(reader, clock_ns());
	}
}

static void reader_go_on(struct reader *reader)
{
	struct reading *reading;
	uint64_t now;

	reader_check_deadline(reader);
	now = clock_ns();
	while (!reader->busy && (reading = reader_next(reader, now)))
		reader_begin(reader, reading, now);
	reader_set_timer(reader);
}

static int reader_on_kick(sd_event_source *source, void *user)
{
	(void)source;
	reader_go_on(user);
	return 0;
}

static void reader_on_timer(void *user)
{
	reader_go_on(user);
}

void reader_ask(struct reader *reader, struct reading *reading)
{
	struct process process;

	process_read_owner(&process, reading->pid);
	reading->owner = process.uid;
	reading->misses = 0;
	reading->not_before_ns = 0;
	reader_list(reader, reading);
	sd_event_source_set_enabled(reader->kick, SD_EVENT_ONESHOT);
}

void reader_forget(struct reader *reader, struct reading *reading)
{
	reader_unlist(reader, reading);
	if (reader->current == reading)
		reader->current = NULL;
}

/* ---- life --------------------------------------------------------------- */

int reader_new(struct reader **out, sd_event *event)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader)
		return -ENOMEM;
	reader->event = event;
	TAILQ_INIT(&reader->questions);
	ret = sd_event_add_defer(event, &reader->kick, reader_on_kick, reader);
	if (ret >= 0)
		ret = sd_event_source_set_enabled(reader->kick, SD_EVENT_OFF);
	if (ret >= 0)
		ret = clock_timer_new(&reader->timer, event, LATE_NS,
				      reader_on_timer, reader);
	if (ret < 0) {
		reader_free(reader);
		return ret;
	}
	/* Without a helper, the owners of processes are known. */
	reader_find_helper(reader);
	*out = reader;
	return 0;
}

void reader_free(struct reader *reader)
{
	if (!reader)
		return;
	reader_lose_helper(reader);
	sd_event_source_disable_unref(reader->kick);
	clock_timer_free(reader->timer);
	free(reader);
}
