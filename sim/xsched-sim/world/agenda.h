/* SPDX-License-Identifier: MIT */
/* The agenda: a heap of events in virtual time. */
#ifndef XSIM_AGENDA_H
#define XSIM_AGENDA_H

#include "model.h"

struct event;

typedef void (*event_fn)(struct event *event, u64 t);

/**
 * struct event - something that happens at most once at a time; embed it
 * @fire: called when it happens
 * @at: when, SIM_NEVER: it does not
 * @order: order at the same time: the event made first comes first
 * @place: index in the heap, while it is there
 */
struct event {
	event_fn fire;
	u64 at;
	u32 order;
	u32 place;
};

/**
 * struct agenda - all events
 * @heap: events that will happen
 * @count: how many
 * @made: events made so far: @heap has room for all of them
 * @now: time of the one that happens, or happened last
 * @fired: how many have happened
 */
struct agenda {
	struct event **heap;
	u32 count;
	u32 made;
	u64 now;
	u64 fired;
};

/* Make an event, which does not happen yet. Exits when memory is out. */
void agenda_make(struct agenda *agenda, struct event *event, event_fn fire);

/* Set when it happens, not before now; SIM_NEVER: not at all. */
void agenda_set(struct agenda *agenda, struct event *event, u64 at);

/* The same unless it happens earlier already. */
void agenda_set_earlier(struct agenda *agenda, struct event *event, u64 at);

/* Time of the next event, or SIM_NEVER. */
u64 agenda_next(const struct agenda *agenda);

/* Let it happen. There must be one. */
void agenda_step(struct agenda *agenda);

void agenda_free(struct agenda *agenda);

#endif /* XSIM_AGENDA_H */
