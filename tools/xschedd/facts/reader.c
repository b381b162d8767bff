// SPDX-License-Identifier: MIT
/*
 * Questions about processes, and the helpers that read the answers.
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

/* That of the facts comes first; those of unknown accounts come last. */
#define WORKERS		(1 + READER_HELPERS)
#define FIRST_UNKNOWN	(WORKERS - READER_UNKNOWN)

/**
 * struct penalty - an account whose process made a helper wait
 * @account: account
 * @until_ns: nothing is read that can wait, until then
 */
struct penalty {
	struct account account;
	uint64_t until_ns;
};

/**
 * struct worker - a helper, and what it does
 * @reader: whose it is
 * @helper: helper, if its pid is not 0
 * @answers: its socket
 * @busy: it reads
 * @current: the question that it reads for; NULL: that was forgotten
 * @pid: the process it reads about
 * @account: of that process
 * @extent: how much it reads
 * @since_ns: since when only the process can delay it, if @waits
 * @deadline_ns: when it is killed
 * @waits: it has the facts
 * @facts: what has come of the answer so far
 */
struct worker {
	struct reader *reader;
	struct helper helper;
	sd_event_source *answers;
	bool busy;
	struct reading *current;
	pid_t pid;
	struct account account;
	enum helper_extent extent;
	uint64_t since_ns;
	uint64_t deadline_ns;
	bool waits;
	struct process facts;
};

/**
 * struct reader - questions and the helpers
 * @event: loop
 * @urgent: GPUs wait for its answers
 * @workers: the first reads facts alone, and all facts
 * @kick: there is something to do
 * @timer: for what is to be done next
 * @questions: that wait for their facts
 * @rests: that have them and wait for the rest
 * @last: account of the last question whose facts were read
 * @lost: helpers that were killed and have not ended
 * @lost_count: number of @lost
 * @penalties: newest accounts, as a ring
 * @next_penalty: where the next one goes
 */
struct reader {
	sd_event *event;
	bool urgent;
	struct worker workers[WORKERS];
	sd_event_source *kick;
	struct clock_timer *timer;
	struct reading_list questions;
	struct reading_list rests;
	struct account last;
	pid_t lost[READER_LOST + WORKERS];
	size_t lost_count;
	struct penalty penalties[PENALTIES];
	size_t next_penalty;
};

/* ---- accounts ----------------------------------------------------------- */

static void reader_punish(struct reader *reader, const struct account *account,
			  uint64_t now)
{
	reader->penalties[reader->next_penalty++ % PENALTIES] = (struct penalty){
		.account = *account, .until_ns = now + READER_PENALTY_MS * MS_NS };
}

static bool reader_is_punished(const struct reader *reader,
			       const struct account *account, uint64_t now)
{
	for (size_t i = 0; i < PENALTIES; i++)
		if (account_is(&reader->penalties[i].account, account) &&
		    reader->penalties[i].until_ns > now)
			return true;
	return false;
}

/* Whether the rest is not to be read now. */
static bool reader_bars(const struct reader *reader, const struct reading *reading,
			uint64_t now)
{
	return !reading->identity && reader_is_punished(reader, &reading->account, now);
}

/* Here each of those that are unknown is one of its own: others must not pay for it. */
static void reader_note(struct reading *reading, const struct process *facts)
{
	reading->account = facts->account.known ? facts->account :
			   (struct account){ .user = facts->uid };
}

/* ---- helpers ------------------------------------------------------------ */

static int reader_on_answer(sd_event_source *source, int fd, uint32_t revents,
			    void *user);

static void reader_bury(struct reader *reader)
{
	for (size_t i = 0; i < reader->lost_count; i++)
		if (child_ended(reader->lost[i]))
			reader->lost[i--] = reader->lost[--reader->lost_count];
}

static void reader_lose_helper(struct worker *worker)
{
	struct reader *reader = worker->reader;
	pid_t pid;

	worker->answers = sd_event_source_disable_unref(worker->answers);
	helper_wipe(&worker->helper);
	pid = helper_kill(&worker->helper);
	if (pid)
		reader->lost[reader->lost_count++] = pid;
	reader_bury(reader);
}

/* Without the first, nothing would be known: it is started in any case, but not without end. */
static bool reader_may_start(const struct worker *worker)
{
	const struct reader *reader = worker->reader;
	const bool first = worker == reader->workers;

	return reader->lost_count < READER_LOST + (size_t)first;
}

/* Returns whether there is a helper. */
static bool reader_find_helper(struct worker *worker)
{
	int ret;

	reader_bury(worker->reader);
	if (worker->helper.child.pid)
		return true;
	if (!reader_may_start(worker))
		return false;
	ret = helper_start(&worker->helper, worker->reader->urgent);
	if (ret) {
		log_message(LOG_WARNING, "cannot start a helper to read /proc: %s",
			    strerror(-ret));
		return false;
	}
	ret = sd_event_add_io(worker->reader->event, &worker->answers, worker->helper.child.fd,
			      EPOLLIN, reader_on_answer, worker);
	if (ret < 0)
		reader_lose_helper(worker);
	return ret >= 0;
}

static bool reader_is_idle(const struct worker *worker)
{
	return worker->helper.child.pid && !worker->busy;
}

/* Of the helpers that read the rest one of each kind stays, for the next question. */
static void reader_retire(struct worker *worker)
{
	struct reader *reader = worker->reader;
	const bool unknown = worker >= &reader->workers[FIRST_UNKNOWN];

	if (worker == reader->workers)
		return;
	for (int i = unknown ? FIRST_UNKNOWN : 1; i < (unknown ? WORKERS : FIRST_UNKNOWN); i++)
		if (&reader->workers[i] != worker && reader_is_idle(&reader->workers[i]))
			reader_lose_helper(worker);
}

/* ---- answers ------------------------------------------------------------ */

static void reader_list(struct reading *reading, struct reading_list *list)
{
	TAILQ_INSERT_TAIL(list, reading, entry);
	reading->list = list;
}

static void reader_unlist(struct reading *reading)
{
	if (reading->list)
		TAILQ_REMOVE(reading->list, reading, entry);
	reading->list = NULL;
}

/* The facts alone, or the owner alone. The rest is tried again later. */
static void reader_answer_part(struct reader *reader, struct reading *reading,
			       const struct process *facts, bool missed)
{
	struct process process = *facts;

	if (!process.known)
		process_read_owner(&process, reading->pid);
	reading->misses += missed;
	if (process.known && reading->misses < READER_TRIES) {
		reading->not_before_ns = clock_ns() + READER_PENALTY_MS * MS_NS;
		reader_list(reading, &reader->questions);
	}
	reading->done(reading, &process, READING_WITHHELD);
}

/* Its facts are read again, and then they are all that it gets for now. */
static void reader_bar(struct reader *reader, struct reading *reading)
{
	reading->barred = true;
	reader_list(reading, &reader->questions);
}

/* More is to be read: it waits for a helper that may wait. */
static void reader_answer_facts(struct reader *reader, struct reading *reading,
				const struct process *facts)
{
	const bool told = reading->told;

	reading->told = true;
	reader_list(reading, &reader->rests);
	if (!told)
		reading->done(reading, facts, READING_FACTS);
}

static void reader_take_facts(struct reader *reader, struct reading *reading,
			      const struct process *facts)
{
	const bool barred = reading->barred;

	reader_note(reading, facts);
	reader->last = reading->account;
	reading->barred = false;
	/* A process that is gone has no more. */
	if (!facts->known || (reading->identity && facts->identified))
		reading->done(reading, facts, READING_WHOLE);
	else if (barred || reader_bars(reader, reading, clock_ns()))
		reader_answer_part(reader, reading, facts, false);
	else
		reader_answer_facts(reader, reading, facts);
}

/* It is known who it is, or nobody can say. */
static void reader_take_identity(struct reader *reader, struct reading *reading,
				 const struct process *process)
{
	reader_note(reading, process);
	if (reading->identity)
		reading->done(reading, process, READING_WHOLE);
	else if (process->account.known)
		reader_list(reading, &reader->rests);
	else
		reader_answer_part(reader, reading, process, true);
}

static void reader_deliver(struct worker *worker, struct reading *reading, bool whole)
{
	struct reader *reader = worker->reader;

	if (!whole && (worker->waits || worker->extent == HELPER_READ_FACTS))
		reader_answer_part(reader, reading, &worker->facts, worker->waits);
	else if (!whole)
		reader_bar(reader, reading);
	else if (worker->extent == HELPER_READ_FACTS)
		reader_take_facts(reader, reading, &worker->facts);
	else if (worker->extent == HELPER_IDENTIFY)
		reader_take_identity(reader, reading, &worker->helper.page->whole);
	else
		reading->done(reading, &worker->helper.page->whole, READING_WHOLE);
}

static void reader_finish(struct worker *worker, bool whole)
{
	struct reading *reading = worker->current;

	worker->busy = false;
	worker->current = NULL;
	if (reading)
		reader_deliver(worker, reading, whole);
	if (whole)
		helper_wipe(&worker->helper);
	reader_retire(worker);
	sd_event_source_set_enabled(worker->reader->kick, SD_EVENT_ONESHOT);
}

static void reader_miss(struct worker *worker, uint64_t now)
{
	if (worker->waits) {
		log_event(LOG_NOTICE, &(struct log_fields){ .pid = worker->pid },
			  "process %d of user %u keeps its reader waiting: its executable and environment stay unknown",
			  worker->pid, worker->facts.uid);
		reader_punish(worker->reader, &worker->account, now);
	} else {
		log_message(LOG_WARNING, "the helper that reads /proc does not answer");
	}
	reader_lose_helper(worker);
	reader_finish(worker, false);
}

static void reader_heard_facts(struct worker *worker)
{
	worker->facts = worker->helper.page->facts;
	if (worker->extent == HELPER_READ_FACTS) {
		reader_finish(worker, true);
		return;
	}
	worker->waits = true;
	worker->since_ns = clock_ns();
	worker->deadline_ns = worker->since_ns + READER_DEADLINE_MS * MS_NS;
	sd_event_source_set_enabled(worker->reader->kick, SD_EVENT_ONESHOT);
}

/* False: there is none yet. */
static bool reader_take_answer(struct worker *worker)
{
	switch (helper_read(&worker->helper)) {
	case -EAGAIN:
		return false;
	case HELPER_FACTS:
		reader_heard_facts(worker);
		return true;
	case HELPER_WHOLE:
		reader_finish(worker, true);
		return true;
	default:
		reader_lose_helper(worker);
		if (worker->busy)
			reader_finish(worker, false);
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

static void reader_begin(struct worker *worker, struct reading *reading,
			 enum helper_extent extent, uint64_t now)
{
	reader_unlist(reading);
	worker->account = reading->account;
	worker->pid = reading->pid;
	worker->extent = extent;
	worker->facts = (struct process){ .pid = reading->pid };
	worker->waits = false;
	if (!reader_find_helper(worker)) {
		reader_answer_part(worker->reader, reading, &worker->facts, false);
		return;
	}
	worker->busy = true;
	worker->current = reading;
	worker->deadline_ns = now + READER_FACTS_MS * MS_NS;
	if (helper_ask(&worker->helper, reading->pid, extent, reading->cmdline)) {
		reader_lose_helper(worker);
		reader_finish(worker, false);
	}
}

/* The next one for its facts; if there is one, of another user than the last. */
static struct reading *reader_next_question(struct reader *reader, uint64_t now)
{
	struct reading *reading, *first = NULL;

	TAILQ_FOREACH(reading, &reader->questions, entry) {
		if (reading->not_before_ns > now)
			continue;
		if (!account_same_user(&reading->account, &reader->last))
			return reading;
		if (!first)
			first = reading;
	}
	return first;
}

/* The worker that reads of this account; NULL: none does. */
static struct worker *reader_find_own(struct reader *reader, const struct account *account)
{
	for (int i = 1; i < WORKERS; i++)
		if (reader->workers[i].busy &&
		    account_is(&reader->workers[i].account, account))
			return &reader->workers[i];
	return NULL;
}

/* Whether its process alone has kept a worker waiting for so long; if not, until when. */
static bool reader_has_waited(const struct worker *worker, uint64_t ms, uint64_t now,
			      uint64_t *next_ns)
{
	uint64_t at_ns = worker->since_ns + ms * MS_NS;

	if (worker->waits && at_ns > now && at_ns < *next_ns)
		*next_ns = at_ns;
	return worker->waits && at_ns <= now;
}

/*
 * One that is free: first one with a helper, then none as long as those that read may soon be
 * done, then one without. Else the one that its process has delayed longest.
 */
static struct worker *reader_find_worker(struct reader *reader, bool known, uint64_t now,
					 uint64_t *next_ns)
{
	const int begin = known ? 1 : FIRST_UNKNOWN, end = known ? FIRST_UNKNOWN : WORKERS;
	struct worker *quick = NULL, *free = NULL, *longest = NULL;

	for (int i = begin; i < end; i++) {
		struct worker *worker = &reader->workers[i];

		if (reader_is_idle(worker))
			return worker;
		if (!worker->busy)
			free = worker;
		else if (!reader_has_waited(worker, READER_START_MS, now, next_ns))
			quick = worker;
		else if (!longest || worker->since_ns < longest->since_ns)
			longest = worker;
	}
	return quick ? quick : free ? free : longest;
}

/* Whether a worker is free for another, or is now. */
static bool reader_gives_way(struct worker *worker, uint64_t now, uint64_t *next_ns)
{
	if (!reader_has_waited(worker, READER_SLICE_MS, now, next_ns))
		return false;
	/* It may just have come. */
	if (!reader_take_answer(worker))
		reader_miss(worker, now);
	return !worker->busy;
}

/* Go on with one question about which more is to be read. Returns whether anything was done. */
static bool reader_begin_rest(struct reader *reader, struct reading *reading, uint64_t now,
			      uint64_t *next_ns)
{
	const bool known = reading->account.known;
	struct worker *worker = reading->identity ? NULL :
				reader_find_own(reader, &reading->account);

	/* Its own account delays it, unless another may have the same user. */
	if (worker && known)
		return false;
	if (!worker)
		worker = reader_find_worker(reader, known, now, next_ns);
	if (worker->busy)
		return reader_gives_way(worker, now, next_ns);
	if (!reader_bars(reader, reading, now) && reader_find_helper(worker)) {
		reader_begin(worker, reading, known && !reading->identity ?
			     HELPER_READ_REST : HELPER_IDENTIFY, now);
	} else {
		reader_unlist(reading);
		reader_bar(reader, reading);
		sd_event_source_set_enabled(reader->kick, SD_EVENT_ONESHOT);
	}
	return true;
}

static bool reader_begin_rests(struct reader *reader, uint64_t now, uint64_t *next_ns)
{
	struct reading *reading;

	TAILQ_FOREACH(reading, &reader->rests, entry)
		if (reader_begin_rest(reader, reading, now, next_ns))
			return true;
	return false;
}

/* If it was the daemon that stood still, the answers are there by now. */
static void reader_check_deadlines(struct reader *reader)
{
	for (int i = 0; i < WORKERS; i++) {
		struct worker *worker = &reader->workers[i];

		while (worker->busy && clock_ns() >= worker->deadline_ns)
			if (!reader_take_answer(worker))
				reader_miss(worker, clock_ns());
	}
}

static void reader_set_timer(struct reader *reader, uint64_t next_ns)
{
	struct reading *reading;

	for (int i = 0; i < WORKERS; i++)
		if (reader->workers[i].busy && reader->workers[i].deadline_ns < next_ns)
			next_ns = reader->workers[i].deadline_ns;
	if (!reader->workers->busy)
		TAILQ_FOREACH(reading, &reader->questions, entry)
			if (reading->not_before_ns < next_ns)
				next_ns = reading->not_before_ns;
	if (next_ns == UINT64_MAX)
		clock_timer_off(reader->timer);
	else
		clock_timer_set(reader->timer, next_ns);
}

static void reader_go_on(struct reader *reader)
{
	struct worker *first = reader->workers;
	uint64_t next_ns = UINT64_MAX, now;
	struct reading *reading;

	reader_check_deadlines(reader);
	now = clock_ns();
	while (!first->busy && (reading = reader_next_question(reader, now)))
		reader_begin(first, reading, HELPER_READ_FACTS, now);
	while (reader_begin_rests(reader, now, &next_ns))
		;
	reader_set_timer(reader, next_ns);
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

	/* Who asks for an identity knows whose it is: nothing is read in the loop for a connection. */
	if (!reading->identity) {
		process_read_owner(&process, reading->pid);
		reader_note(reading, &process);
	}
	reading->told = false;
	reading->barred = false;
	reading->misses = 0;
	reading->not_before_ns = 0;
	reader_list(reading, &reader->questions);
	sd_event_source_set_enabled(reader->kick, SD_EVENT_ONESHOT);
}

void reader_forget(struct reader *reader, struct reading *reading)
{
	reader_unlist(reading);
	for (int i = 0; i < WORKERS; i++)
		if (reader->workers[i].current == reading)
			reader->workers[i].current = NULL;
}

/* ---- life --------------------------------------------------------------- */

int reader_new(struct reader **out, sd_event *event, bool urgent)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader)
		return -ENOMEM;
	reader->event = event;
	reader->urgent = urgent;
	for (int i = 0; i < WORKERS; i++)
		reader->workers[i].reader = reader;
	TAILQ_INIT(&reader->questions);
	TAILQ_INIT(&reader->rests);
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
	reader_find_helper(reader->workers);
	*out = reader;
	return 0;
}

void reader_free(struct reader *reader)
{
	if (!reader)
		return;
	for (int i = 0; i < WORKERS; i++)
		reader_lose_helper(&reader->workers[i]);
	sd_event_source_disable_unref(reader->kick);
	clock_timer_free(reader->timer);
	free(reader);
}
