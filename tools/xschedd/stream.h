/* SPDX-License-Identifier: MIT */
/*
 * What happens, told to who listens: one JSON object a line; xschedd(8) has the
 * fields. Events are noted as they come and written when nothing else is to be
 * done, so that a switch does not wait for those who watch.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_STREAM_H
#define XSCHEDD_STREAM_H

#include "peer.h"
#include "state.h"
#include "trace.h"

struct stream;

/**
 * struct listener - somebody who listens
 * @next: the next one
 * @peer: who that is: others than administrators hear of their own processes
 * @line: takes a line with its newline; may call stream_leave() for its own
 * @user: handed to @line
 */
struct listener {
	struct listener *next;
	const struct peer *peer;
	void (*line)(void *user, const char *text, size_t length);
	void *user;
};

/** stream_new() - 0 or a negative errno */
int stream_new(struct stream **out, sd_event *event);

/** stream_free() - nobody may listen any more; or NULL */
void stream_free(struct stream *stream);

/** stream_join() - listen; @listener stays the caller's */
void stream_join(struct stream *stream, struct listener *listener);

/** stream_leave() - do not listen any more */
void stream_leave(struct stream *stream, struct listener *listener);

/** stream_listeners() - how many listen; without a stream (NULL) none */
size_t stream_listeners(const struct stream *stream);

/**
 * stream_event() - an event of the device
 * @stream: stream, or NULL
 * @event: event
 * @task: whose it is, as far as is known
 */
void stream_event(struct stream *stream, const struct kfd_xsched_event *event,
		  const struct task *task);

/**
 * stream_switch() - a switch
 * @stream: stream, or NULL
 * @record: what was done
 * @sched: knows whose processes they are
 */
void stream_switch(struct stream *stream, const struct trace_record *record,
		   const struct sched *sched);

#endif /* XSCHEDD_STREAM_H */
