// SPDX-License-Identifier: MIT
/*
 * The stream of events to listeners.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "state/stream.h"

/* Events that may wait to be written: as many as the kernel keeps. */
#define ROOM	KFD_XSCHED_EVENT_RING

/**
 * struct note - an event that waits to be written
 * @event: the event
 * @owned: a user may see it, not only administrators
 * @uid: that user
 */
struct note {
	struct kfd_xsched_event event;
	bool owned;
	uid_t uid;
};

/**
 * struct stream - see stream.h
 * @listeners: listeners
 * @source: writes @notes, when nothing else is to be done
 * @count: number of @notes in use
 * @lost: events there was no room for
 * @notes: events that wait
 */
struct stream {
	struct listener *listeners;
	sd_event_source *source;
	size_t count;
	uint64_t lost;
	struct note notes[ROOM];
};

static const char *const names[] = {
	[KFD_XSCHED_EVENT_QUEUE_ADD] = "queue-add",
	[KFD_XSCHED_EVENT_QUEUE_DEL] = "queue-del",
	[KFD_XSCHED_EVENT_PROCESS_EXIT] = "exit",
	[KFD_XSCHED_EVENT_READY] = "ready",
	[KFD_XSCHED_EVENT_IDLE] = "idle",
	[KFD_XSCHED_EVENT_LOST] = "lost",
	[KFD_XSCHED_EVENT_NODE_RESET] = "reset",
	[KFD_XSCHED_EVENT_APPLY_DONE] = "apply-done",
	[KFD_XSCHED_EVENT_EJECTED] = "ejected",
	[KFD_XSCHED_EVENT_ARMED] = "armed",
	[KFD_XSCHED_EVENT_NODE_BREAKER] = "breaker",
	[KFD_XSCHED_EVENT_DEMOTED] = "demoted",
};

static void stream_write_event(FILE *file, const struct kfd_xsched_event *event)
{
	const char *name = event->type < sizeof(names) / sizeof(*names) ?
			   names[event->type] : "other";

	fprintf(file, "{\"event\":\"%s\",\"time_ns\":%" PRIu64, name,
		(uint64_t)event->time_ns);
	switch (event->type) {
	case KFD_XSCHED_EVENT_LOST:
		fprintf(file, ",\"count\":%" PRIu64, (uint64_t)event->data);
		break;
	case KFD_XSCHED_EVENT_NODE_RESET:
		fprintf(file, ",\"node\":%u,\"ended\":%s", event->gpu_id,
			event->data ? "true" : "false");
		break;
	case KFD_XSCHED_EVENT_NODE_BREAKER:
		fprintf(file, ",\"node\":%u,\"open\":%s", event->gpu_id,
			event->data ? "true" : "false");
		break;
	case KFD_XSCHED_EVENT_DEMOTED:
		fprintf(file, ",\"pid\":%d,\"ended\":%s", event->pid,
			event->data ? "false" : "true");
		break;
	case KFD_XSCHED_EVENT_EJECTED:
		fprintf(file, ",\"reason\":\"%s\"",
			xsched_eject_name(event->data));
		break;
	case KFD_XSCHED_EVENT_ARMED:
		fprintf(file, ",\"held\":%s,\"status\":%d,\"after_ns\":%u",
			event->data & KFD_XSCHED_ARMED_READY ? "true" : "false",
			-(int)KFD_XSCHED_ARMED_ERRNO(event->data),
			KFD_XSCHED_ARMED_NS(event->data));
		break;
	default:
		fprintf(file, ",\"pid\":%d,\"queue\":%" PRIu64 ",\"node\":%u",
			event->pid, (uint64_t)event->id, event->gpu_id);
	}
	fputs("}\n", file);
}

/* ---- lines -------------------------------------------------------------- */

/* Whether a user may see events of a process. */
static bool stream_may_hear(const struct peer *peer, bool owned, uid_t uid)
{
	return peer->admin || (owned && peer->uid == uid);
}

static bool stream_is_owned(const struct task *task)
{
	return task && process_is_owned(&task->process);
}

static void stream_hand_out(struct listener *listener, char *text, size_t length)
{
	if (text && length)
		listener->line(listener->user, text, length);
	free(text);
}

/* Write all that waits for one listener, in one piece. */
static void stream_write_notes(struct stream *stream, struct listener *listener)
{
	size_t length = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		return;
	for (size_t i = 0; i < stream->count; i++) {
		const struct note *note = &stream->notes[i];

		if (stream_may_hear(listener->peer, note->owned, note->uid))
			stream_write_event(file, &note->event);
	}
	if (stream->lost)
		fprintf(file, "{\"event\":\"lost\",\"time_ns\":%" PRIu64
			",\"count\":%" PRIu64 "}\n", clock_ns(), stream->lost);
	fclose(file);
	stream_hand_out(listener, text, length);
}

static void stream_flush(struct stream *stream)
{
	struct listener *next;

	if (!stream->count && !stream->lost)
		return;
	for (struct listener *l = stream->listeners; l; l = next) {
		next = l->next;
		stream_write_notes(stream, l);
	}
	stream->count = 0;
	stream->lost = 0;
}

static int stream_on_spare_time(sd_event_source *source, void *user)
{
	(void)source;
	stream_flush(user);
	return 0;
}

/* ---- listeners ---------------------------------------------------------- */

int stream_new(struct stream **out, sd_event *event)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	int ret;

	if (!stream)
		return -ENOMEM;
	ret = sd_event_add_defer(event, &stream->source, stream_on_spare_time, stream);
	if (ret < 0) {
		free(stream);
		return ret;
	}
	sd_event_source_set_enabled(stream->source, SD_EVENT_OFF);
	sd_event_source_set_priority(stream->source, SD_EVENT_PRIORITY_IDLE);
	*out = stream;
	return 0;
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	sd_event_source_disable_unref(stream->source);
	free(stream);
}

void stream_join(struct stream *stream, struct listener *listener)
{
	/* It gets no event from before it joined. */
	stream_flush(stream);
	listener->next = stream->listeners;
	stream->listeners = listener;
}

void stream_leave(struct stream *stream, struct listener *listener)
{
	struct listener **link = &stream->listeners;

	while (*link && *link != listener)
		link = &(*link)->next;
	if (*link)
		*link = listener->next;
}

size_t stream_listeners(const struct stream *stream)
{
	size_t count = 0;

	if (!stream)
		return 0;
	for (const struct listener *l = stream->listeners; l; l = l->next)
		count++;
	return count;
}

/* ---- events ------------------------------------------------------------- */

void stream_event(struct stream *stream, const struct kfd_xsched_event *event,
		  const struct task *task)
{
	struct note *note;

	if (!stream || !stream->listeners)
		return;
	if (stream->count == ROOM) {
		stream->lost++;
		return;
	}
	note = &stream->notes[stream->count++];
	*note = (struct note){ .event = *event, .owned = stream_is_owned(task) };
	if (note->owned)
		note->uid = task->process.uid;
	sd_event_source_set_enabled(stream->source, SD_EVENT_ONESHOT);
}

/**
 * struct kind - entries that go into one array of a switch
 * @name: of the array
 * @target: enum kfd_xsched_target
 * @resume: they release
 * @always: the array is present also if it is empty
 */
struct kind {
	const char *name;
	uint32_t target;
	bool resume;
	bool always;
};

static const struct kind kinds[] = {
	{ "hold", KFD_XSCHED_TARGET_PROCESS, false, true },
	{ "release", KFD_XSCHED_TARGET_PROCESS, true, true },
	{ "hold_queues", KFD_XSCHED_TARGET_QUEUE, false, false },
	{ "release_queues", KFD_XSCHED_TARGET_QUEUE, true, false },
};

static void stream_write_entry(FILE *file, const struct kfd_xsched_entry *entry,
			       pid_t pid, uint32_t gpu_id)
{
	if (entry->target == KFD_XSCHED_TARGET_QUEUE)
		fprintf(file, "{\"pid\":%d,\"queue\":%" PRIu64 ",\"node\":%u}",
			pid, (uint64_t)entry->id, gpu_id);
	else
		fprintf(file, "%d", pid);
}

/* Add the entries of one kind that a peer may see. Returns how many. */
static size_t stream_write_entries(FILE *file, const struct trace_record *record,
				   const struct peer *peer, const struct sched *sched,
				   const struct kind *kind)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(record->apply);
	size_t count = 0;

	if (kind->always)
		fprintf(file, ",\"%s\":[", kind->name);
	for (size_t i = 0; i < xsched_apply_count(record->apply); i++) {
		const struct task *task;
		uint32_t gpu_id = 0;
		pid_t pid;

		if (e[i].target != kind->target ||
		    (e[i].op == KFD_XSCHED_OP_RESUME) != kind->resume)
			continue;
		pid = state_entry_process(sched, &e[i], &gpu_id);
		task = state_task(sched, pid);
		if (!pid || !stream_may_hear(peer, stream_is_owned(task),
					     task ? task->process.uid : 0))
			continue;
		if (!count && !kind->always)
			fprintf(file, ",\"%s\":[", kind->name);
		fputs(count++ ? "," : "", file);
		stream_write_entry(file, &e[i], pid, gpu_id);
	}
	fputs(count || kind->always ? "]" : "", file);
	return count;
}

static void stream_write_nodes(FILE *file, const struct xsched_apply *apply)
{
	const struct kfd_xsched_node_result *n;
	size_t count;

	n = xsched_apply_nodes(apply, &count);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%s{\"gpu_id\":%u,\"status\":%d,\"lock_ns\":%" PRIu64
			",\"unmap_ns\":%" PRIu64 ",\"map_ns\":%" PRIu64
			",\"total_ns\":%" PRIu64 ",\"flips\":%u}",
			i ? "," : "", n[i].gpu_id, n[i].status,
			(uint64_t)n[i].lock_ns, (uint64_t)n[i].unmap_ns,
			(uint64_t)n[i].map_ns, (uint64_t)n[i].total_ns,
			n[i].flips);
}

static void stream_write_switch(struct listener *listener,
				const struct trace_record *record,
				const struct sched *sched)
{
	size_t length = 0, entries = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		return;
	fprintf(file, "{\"event\":\"switch\",\"begin_ns\":%" PRIu64
		",\"end_ns\":%" PRIu64 ",\"cause_ns\":%" PRIu64,
		record->start_ns, record->start_ns + record->call_ns,
		record->event_ns);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		entries += stream_write_entries(file, record, listener->peer, sched,
						&kinds[i]);
	fputs(",\"nodes\":[", file);
	stream_write_nodes(file, record->apply);
	fprintf(file, "],\"flips\":%u,\"status\":%d}\n", record->flips,
		record->status);
	fclose(file);
	stream_hand_out(listener, text, entries || listener->peer->admin ? length : 0);
}

void stream_switch(struct stream *stream, const struct trace_record *record,
		   const struct sched *sched)
{
	struct listener *next;

	if (!stream || !stream->listeners)
		return;
	/* Earlier events first. */
	stream_flush(stream);
	for (struct listener *l = stream->listeners; l; l = next) {
		next = l->next;
		stream_write_switch(l, record, sched);
	}
}
