/* SPDX-License-Identifier: MIT */
/*
 * The stream of events to listeners: one JSON object a line; xschedd(8) has the
 * fields. Events are noted as they come and written when nothing else is to be
 * done, so that a switch does not wait for listeners.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_STREAM_H
#define XSCHEDD_STREAM_H

#include "facts/peer.h"
#include "state/state.h"
#include "state/trace.h"

struct stream;

/**
 * struct listener - a listener
 * @next: the next one
 * @peer: its user: only administrators get events of other users' processes
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

/** stream_free() - free a stream without listeners; or NULL */
void stream_free(struct stream *stream);

/** stream_join() - add a listener, which the caller still owns */
void stream_join(struct stream *stream, struct listener *listener);

/** stream_leave() - remove a listener */
void stream_leave(struct stream *stream, struct listener *listener);

/** stream_listeners() - number of listeners; without a stream (NULL) none */
size_t stream_listeners(const struct stream *stream);

/**
 * stream_event() - an event of the device
 * @stream: stream, or NULL
 * @event: event
 * @task: task of its process, or NULL: not known
 */
void stream_event(struct stream *stream, const struct kfd_xsched_event *event,
		  const struct task *task);

/**
 * stream_switch() - a switch
 * @stream: stream, or NULL
 * @record: the switch
 * @sched: has the tasks of the processes
 */
void stream_switch(struct stream *stream, const struct trace_record *record,
		   const struct sched *sched);

#endif /* XSCHEDD_STREAM_H */
