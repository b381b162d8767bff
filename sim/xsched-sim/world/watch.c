// SPDX-License-Identifier: MIT
/*
 * The module's sampler (kmod/watch/sampler.c, look.c, waves.c): every period it
 * compares the indices of each queue, and if they are equal it asks for a count of
 * the node's waves, which a later look finds. Only looks that could see something
 * new happen here, at the times they would have there; others would have the result
 * of the look before.
 */
#include "world/world.h"

/* As in kmod/model/node.h and node.c, and kmod/watch/waves.c. */
#define WAVES_PERCENT		10
#define WAVES_BURST_NS		20000000
#define WAVES_AGAIN		8
#define WAVES_AGAIN_NS		1000000
#define RESTORE_NS		5000000
#define RESTORE_PER_SEEN	2
#define RESTORE_PER_SAVE	4

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u64 sooner(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* ---- when to look -------------------------------------------------------- */

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
		q->world->news->ready(q, true, t, costs->tap + (q->world->mode->armed ? 0 : costs->react));
	}
	watch_kick(q, t);
}

/* ---- counts of waves ----------------------------------------------------- */

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

/* It sees what there is now. Then counts rest: they take a share of a CPU's time at most. */
static void begin_count(struct node *n, u64 t)
{
	const u64 took = count_ns(n), end = t + took;
	struct user_queue *q;
	u32 i;

	n->counting = (struct wave_count){ .begun_ns = t, .mapped_ns = n->mapped_ns };
	for (i = 0; i < n->count; i++) {
		q = n->queues[i];
		q->watch.counting = q->aql.sim.state != SIM_QUEUE_OFF && q->aql.sim.waves;
	}
	n->rest_ns = later(n->rest_ns + WAVES_BURST_NS, end) - WAVES_BURST_NS +
		took * 100 / WAVES_PERCENT;
	agenda_set(&n->world->agenda, &n->count_event, end);
}

/* Within what time each queue gets a turn; 0: all fit. */
static u64 turn_ns(const struct node *n)
{
	u32 i, listed = 0;

	for (i = 0; i < n->process_count; i++)
		listed += n->processes[i].listed;
	return n->sched.waiting ? listed * n->gpu.profile->process_quantum_ns : 0;
}

static void end_count(struct event *event, u64 t)
{
	struct node *n = container_of(event, struct node, count_event);
	u32 i;

	(void)t;
	if (n->txn != TXN_NONE || n->counting.mapped_ns != n->mapped_ns)
		return;		/* queues came or went meanwhile: it says nothing */
	n->counted = n->counting;
	n->counted.turn_ns = turn_ns(n);
	for (i = 0; i < n->count; i++)
		n->queues[i]->watch.counted = n->queues[i]->watch.counting;
}

/* Whether there is a count that says something of the queue. If not, one is asked for. */
static bool find_count(struct user_queue *q, u64 t)
{
	struct node *n = q->node;

	if (n->counted.begun_ns >= q->watch.count_from_ns) {
		/* the next look wants to know something newer */
		q->watch.count_from_ns = n->counted.begun_ns + 1;
		return true;
	}
	if (n->count_event.at == SIM_NEVER && t >= n->rest_ns && n->txn == TXN_NONE)
		begin_count(n, t);
	return false;
}

/* When the next look may find one, or ask. */
static u64 look_for_count(const struct user_queue *q, u64 t)
{
	const struct node *n = q->node;
	const u64 at = n->count_event.at != SIM_NEVER ? n->count_event.at : n->rest_ns;

	return next_look(q, at > t ? at - 1 : t);
}

/* ---- what a count says --------------------------------------------------- */

/* Whether waves that were saved must have been seen by now. */
static bool must_be_back(const struct user_queue *q)
{
	const struct node *n = q->node;
	const struct wave_count *count = &n->counted;

	if (count->turn_ns)
		return count->begun_ns >= later(q->watch.packets_ns, q->watch.waves_ns) +
			count->turn_ns;
	return q->watch.waves_ns > count->mapped_ns ||
		count->begun_ns >= count->mapped_ns +
		later(n->restore_ns, RESTORE_PER_SAVE * n->save_ns);
}

/* The first time that they are seen after they were away shows how long a restore takes. */
static void waves_are_seen(struct user_queue *q)
{
	struct node *n = q->node;
	const u64 seen = n->counted.begun_ns - n->counted.mapped_ns;

	if (q->watch.away && !n->counted.turn_ns)
		n->restore_ns = later(n->restore_ns - n->restore_ns / 8, RESTORE_PER_SEEN * seen);
	q->watch.away = false;
	q->watch.waves_ns = n->counted.begun_ns;
	/* what has run for long will run on */
	q->watch.count_from_ns = n->counted.begun_ns + 1 +
		sooner((n->counted.begun_ns - q->watch.packets_ns) / WAVES_AGAIN, WAVES_AGAIN_NS);
}

/* ---- looks --------------------------------------------------------------- */

static void become(struct user_queue *q, enum activity next, u64 t)
{
	struct watch *watch = &q->watch;
	bool was_ready = watch->activity != ACTIVITY_IDLE;
	bool is_ready = next != ACTIVITY_IDLE;

	if (next == ACTIVITY_DRY)
		watch->dry_ns = t;
	watch->activity = next;
	if (was_ready != is_ready)
		q->world->news->ready(q, is_ready, t, q->world->scn->costs.react);
}

static void run_dry(struct user_queue *q, u64 t)
{
	bool settled = q->watch.activity == ACTIVITY_DRY || !q->world->scn->costs.settle;

	become(q, settled ? ACTIVITY_IDLE : ACTIVITY_DRY, t);
}

/* Waves that may be saved leave the queue as it is. */
static void take_count(struct user_queue *q, u64 t)
{
	struct watch *watch = &q->watch;

	if (watch->counted) {
		waves_are_seen(q);
		become(q, ACTIVITY_READY, t);
		return;
	}
	watch->away = q->image_bytes &&
		(!must_be_back(q) || q->node->counted.mapped_ns != q->node->mapped_ns);
	if (!watch->away)
		run_dry(q, t);
}

/* Returns when the next look at a queue without packets can see something else. */
static u64 look_at_waves(struct user_queue *q, u64 t)
{
	struct watch *watch = &q->watch;
	u64 settled = watch->dry_ns + q->world->scn->costs.settle;
	u64 still = watch->packets_ns + q->world->scn->costs.settle / 2;

	if (watch->activity == ACTIVITY_IDLE)
		return SIM_NEVER;	/* until packets are written */
	if (q->held && q->image_bytes) {
		become(q, ACTIVITY_READY, t);
		return SIM_NEVER;	/* until it is released */
	}
	if (watch->activity == ACTIVITY_DRY && t < settled)
		return next_look(q, settled - 1);
	if (t < still)
		return next_look(q, still - 1);
	if (q->held)
		run_dry(q, t);
	else if (find_count(q, t))
		take_count(q, t);
	else
		return look_for_count(q, t);
	return next_look(q, t);
}

static void look(struct event *event, u64 t)
{
	struct watch *watch = container_of(event, struct watch, event);
	struct user_queue *q = container_of(watch, struct user_queue, watch);
	u64 read = q->indices[READ_INDEX], write = q->indices[WRITE_INDEX], next;
	bool packets = read != write || write != watch->written;

	if (packets || read != watch->consumed) {
		/* what is consumed by now may have no waves yet */
		watch->count_from_ns = t;
		watch->packets_ns = t;
	}
	if (read != watch->consumed) {
		/* so what was saved before is back, or has ended */
		watch->away = false;
		watch->waves_ns = later(watch->waves_ns, t - q->world->sample_ns);
	}
	watch->consumed = read;
	watch->written = write;
	if (packets) {
		become(q, ACTIVITY_READY, t);
		/* others in between would see the same, until one is consumed */
		next = read != write ? SIM_NEVER : next_look(q, t);
	} else {
		next = look_at_waves(q, t);
	}
	if (next != SIM_NEVER)
		agenda_set_earlier(&q->world->agenda, event, next);
}

void watch_init(struct user_queue *q)
{
	agenda_make(&q->world->agenda, &q->watch.event, look);
}

void watch_init_node(struct node *n)
{
	n->restore_ns = RESTORE_NS;
	agenda_make(&n->world->agenda, &n->count_event, end_count);
}
