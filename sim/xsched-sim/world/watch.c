// SPDX-License-Identifier: MIT
/*
 * The module's sampler (kmod/watch/sampler.c, look.c): every period it compares
 * the indices of each queue, and if they are equal it looks for waves. Only
 * looks that could see something new happen here, at the times they would have
 * there; others would have the result of the look before.
 */
#include "world/world.h"

/* When the sampler comes to this queue for the first time after @t. */
static u64 next_look(const struct user_queue *q, u64 t)
{
	const struct world *w = q->world;
	u64 offset = q->id * w->scn->costs.sample_queue;
	u64 turns;

	if (t < offset)
		return offset;
	turns = (t - offset) / w->sample_ns + 1;
	return turns * w->sample_ns + offset;
}

void watch_kick(struct user_queue *q, u64 t)
{
	if (q->world->daemon.engine)
		agenda_set_earlier(&q->world->agenda, &q->watch.event, next_look(q, t));
}

/*
 * A program has written packets. The first ring of an idle queue is seen at once; armed, the
 * kernel itself reacts.
 */
void watch_written(struct user_queue *q, u64 t)
{
	const struct costs *costs = &q->world->scn->costs;

	if (q->world->daemon.engine && q->watch.activity == ACTIVITY_IDLE) {
		q->watch.activity = ACTIVITY_READY;
		daemon_tell(q->world, q, true, t, costs->tap + (q->world->mode->armed ? 0 : costs->react));
	}
	watch_kick(q, t);
}

static void become(struct user_queue *q, enum activity next, u64 t)
{
	struct watch *watch = &q->watch;
	bool was_ready = watch->activity != ACTIVITY_IDLE;
	bool is_ready = next != ACTIVITY_IDLE;

	if (next == ACTIVITY_DRY)
		watch->dry_ns = t;
	watch->activity = next;
	if (was_ready != is_ready)
		daemon_tell(q->world, q, is_ready, t, q->world->scn->costs.react);
}

/* When the next look at a queue without packets can see something else. */
static u64 look_at_dry(struct user_queue *q, u64 t)
{
	const struct node *n = q->node;
	struct watch *watch = &q->watch;
	u64 settled = watch->dry_ns + q->world->scn->costs.settle;
	bool visible;

	if (watch->activity == ACTIVITY_IDLE || q->held)
		return SIM_NEVER;	/* until packets are written, or it is released */
	if (watch->activity == ACTIVITY_DRY && t < settled)
		return next_look(q, settled - 1);
	if (t >= n->quiet_from && t < n->quiet_to) {
		watch->activity = ACTIVITY_READY;
		return n->quiet_to == SIM_NEVER ? SIM_NEVER : next_look(q, n->quiet_to - 1);
	}
	/* waves of a queue that is not in a slot cannot be counted */
	visible = q->aql.sim.state != SIM_QUEUE_OFF && q->aql.sim.waves;
	if (visible) {
		watch->activity = ACTIVITY_READY;
		return SIM_NEVER;	/* until they have ended */
	}
	if (watch->activity == ACTIVITY_DRY) {
		become(q, ACTIVITY_IDLE, t);
		return SIM_NEVER;
	}
	become(q, ACTIVITY_DRY, t);
	return next_look(q, t + q->world->scn->costs.settle - 1);
}

/*
 * What it takes to count the waves of a node: registers of every queue in a slot, on
 * each XCC. A queue's waves are on all of them.
 */
static u64 count_ns(const struct node *n)
{
	const struct sim_profile *p = n->gpu.profile;
	u32 i, busy = 0;

	for (i = 0; i < n->gpu.nr_queues; i++)
		busy += sim_busy_engines(p, n->gpu.queues[i]->waves / p->xccs);
	return (u64)p->xccs * sim_count_accesses(p, n->gpu.nr_queues, busy) * p->register_ns;
}

/* Whether the look has to count waves, and they could be seen. */
static bool counts(const struct user_queue *q, u64 t)
{
	const struct node *n = q->node;
	const struct watch *watch = &q->watch;

	if (watch->activity == ACTIVITY_IDLE || q->held || (t >= n->quiet_from && t < n->quiet_to))
		return false;
	return watch->activity == ACTIVITY_READY ||
		t >= watch->dry_ns + q->world->scn->costs.settle;
}

/* Returns whether the look goes on later: the sampler is busy, or counts waves of this queue. */
static bool later(struct user_queue *q, bool packets, u64 t)
{
	struct watch *watch = &q->watch;
	struct world *w = q->world;

	if (t < w->sampler_ns) {
		agenda_set(&w->agenda, &watch->event, w->sampler_ns);
		return true;
	}
	if (watch->counted_ns) {
		watch->counted_ns = 0;
		return false;
	}
	if (packets || !w->scn->profile.register_ns || !counts(q, t))
		return false;
	w->sampler_ns = t + count_ns(q->node);
	watch->counted_ns = w->sampler_ns;
	agenda_set(&w->agenda, &watch->event, w->sampler_ns);
	return true;
}

static void look(struct event *event, u64 t)
{
	struct watch *watch = container_of(event, struct watch, event);
	struct user_queue *q = container_of(watch, struct user_queue, watch);
	bool written = q->indices[WRITE_INDEX] != watch->written;
	bool waiting = q->indices[WRITE_INDEX] != q->indices[READ_INDEX];
	u64 next;

	if (later(q, written || waiting, t))
		return;
	watch->written = q->indices[WRITE_INDEX];
	if (written || waiting) {
		become(q, ACTIVITY_READY, t);
		/* nothing else announces what the next look may find */
		next = waiting ? SIM_NEVER : next_look(q, t);
	} else {
		next = look_at_dry(q, t);
	}
	if (next != SIM_NEVER)
		agenda_set_earlier(&q->world->agenda, event, next);
}

void watch_init(struct user_queue *q)
{
	agenda_make(&q->world->agenda, &q->watch.event, look);
}
