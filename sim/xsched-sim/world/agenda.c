// SPDX-License-Identifier: MIT
/* A binary heap whose elements store their place, so that an event can be moved. */
#include <stdlib.h>

#include "world/agenda.h"
#include "world/memory.h"

static bool before(const struct event *a, const struct event *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void put(struct agenda *agenda, u32 place, struct event *e)
{
	agenda->heap[place] = e;
	e->place = place;
}

static void up(struct agenda *agenda, u32 i, struct event *e)
{
	while (i && before(e, agenda->heap[(i - 1) / 2])) {
		put(agenda, i, agenda->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	put(agenda, i, e);
}

static void down(struct agenda *agenda, u32 i, struct event *e)
{
	u32 child;

	while ((child = 2 * i + 1) < agenda->count) {
		if (child + 1 < agenda->count &&
		    before(agenda->heap[child + 1], agenda->heap[child]))
			child++;
		if (!before(agenda->heap[child], e))
			break;
		put(agenda, i, agenda->heap[child]);
		i = child;
	}
	put(agenda, i, e);
}

void agenda_make(struct agenda *agenda, struct event *event, event_fn fire)
{
	*event = (struct event){ .fire = fire, .at = SIM_NEVER, .order = agenda->made };
	if (!(agenda->made & (agenda->made - 1)))
		agenda->heap = memory_grow(agenda->heap, 2 * (agenda->made + 1),
					   sizeof(*agenda->heap));
	agenda->made++;
}

static void take_out(struct agenda *agenda, struct event *event)
{
	struct event *last = agenda->heap[--agenda->count];
	u32 place = event->place;

	event->at = SIM_NEVER;
	if (last == event)
		return;
	if (place && before(last, agenda->heap[(place - 1) / 2]))
		up(agenda, place, last);
	else
		down(agenda, place, last);
}

void agenda_set(struct agenda *agenda, struct event *event, u64 at)
{
	bool earlier = at < event->at;

	if (at == event->at)
		return;
	if (at == SIM_NEVER) {
		take_out(agenda, event);
		return;
	}
	if (at < agenda->now)
		at = agenda->now;
	if (event->at == SIM_NEVER) {
		event->at = at;
		up(agenda, agenda->count++, event);
		return;
	}
	event->at = at;
	if (earlier)
		up(agenda, event->place, event);
	else
		down(agenda, event->place, event);
}

void agenda_set_earlier(struct agenda *agenda, struct event *event, u64 at)
{
	if (at < event->at)
		agenda_set(agenda, event, at);
}

u64 agenda_next(const struct agenda *agenda)
{
	return agenda->count ? agenda->heap[0]->at : SIM_NEVER;
}

void agenda_step(struct agenda *agenda)
{
	struct event *event = agenda->heap[0];

	agenda->now = event->at;
	agenda->fired++;
	take_out(agenda, event);
	event->fire(event, agenda->now);
}

void agenda_free(struct agenda *agenda)
{
	free(agenda->heap);
	*agenda = (struct agenda){ 0 };
}
