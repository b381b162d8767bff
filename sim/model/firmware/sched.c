// SPDX-License-Identifier: MIT
/* The list, and which queues are in hardware slots: see sched.h for the rules. */
#include "firmware/sched.h"

static u32 bits(u64 mask)
{
	u32 n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

static u32 lowest_bit(u64 mask)
{
	return __builtin_ctzll(mask);
}

void sim_sched_init(struct sim_sched *s, struct sim_gpu *gpu,
		    const struct sim_sched_ops *ops, void *owner, u32 first_vmid)
{
	const struct sim_profile *p = gpu->profile;
	u32 i;

	memset(s, 0, sizeof(*s));
	s->gpu = gpu;
	s->ops = ops;
	s->owner = owner;
	s->vmid_mask = ((1U << p->vmids) - 1) << first_vmid & ((1U << SIM_MAX_VMIDS) - 1);
	s->slot_mask[0] = (1ULL << p->hqds) - 1;
	for (i = 0; i < p->sdma_engines && i < SIM_MAX_SDMA; i++)
		s->slot_mask[1 + i] = (1ULL << p->sdma_queues) - 1;
	s->grace_ns = sim_grace_ns(p, p->grace_default);
	sim_sched_reset(s);
}

void sim_sched_reset(struct sim_sched *s)
{
	s->processes = NULL;
	s->last = NULL;
	memset(s->used, 0, sizeof(s->used));
	memset(s->vmid_uses, 0, sizeof(s->vmid_uses));
	s->applying = false;
	s->moving = false;
	s->waiting = false;
	s->ready_at = 0;
	s->process_at = SIM_NEVER;
	s->queue_at = SIM_NEVER;
}

/* ---- the list ---- */

static void insert_process(struct sim_sched *s, struct sim_sched_process *p)
{
	struct sim_sched_process **at = &s->processes;

	if (s->last && s->last->level >= p->level)
		at = &s->last->next;
	while (*at && (*at)->level >= p->level)
		at = &(*at)->next;
	p->next = *at;
	*at = p;
	if (!p->next)
		s->last = p;
}

static void unlink_process(struct sim_sched *s, struct sim_sched_process *p)
{
	struct sim_sched_process **at = &s->processes, *before = NULL;

	while (*at != p) {
		before = *at;
		at = &before->next;
	}
	*at = p->next;
	if (s->last == p)
		s->last = before;
}

static void insert_entry(struct sim_sched_process *p, struct sim_sched_entry *e)
{
	struct sim_sched_entry **at = &p->entries;

	if (p->last && p->last->rank >= e->rank)
		at = &p->last->next;
	while (*at && (*at)->rank >= e->rank)
		at = &(*at)->next;
	e->next = *at;
	*at = e;
	if (!e->next)
		p->last = e;
}

static void unlink_entry(struct sim_sched_entry *e)
{
	struct sim_sched_entry **at = &e->process->entries, *before = NULL;

	while (*at != e) {
		before = *at;
		at = &before->next;
	}
	*at = e->next;
	if (e->process->last == e)
		e->process->last = before;
}

void sim_sched_add_process(struct sim_sched *s, struct sim_sched_process *p)
{
	p->entries = NULL;
	p->last = NULL;
	p->vmid = -1;
	p->whole = false;
	p->partial = false;
	insert_process(s, p);
}

void sim_sched_add(struct sim_sched *s, struct sim_sched_process *p,
		   struct sim_sched_entry *e)
{
	(void)s;
	e->process = p;
	e->queue = NULL;
	e->wanted = false;
	e->refused = false;
	e->stuck = false;
	e->leaving = false;
	insert_entry(p, e);
}

void sim_sched_remove(struct sim_sched *s, struct sim_sched_entry *e)
{
	(void)s;
	e->leaving = true;
}

void sim_sched_remove_process(struct sim_sched *s, struct sim_sched_process *p)
{
	if (!p->entries)
		unlink_process(s, p);
}

void sim_sched_set_level(struct sim_sched *s, struct sim_sched_process *p, u32 level)
{
	unlink_process(s, p);
	p->level = level;
	insert_process(s, p);
}

void sim_sched_set_rank(struct sim_sched *s, struct sim_sched_entry *e, u32 rank)
{
	(void)s;
	unlink_entry(e);
	e->rank = rank;
	insert_entry(e->process, e);
}

/* ---- the window ---- */

/* Resources left while the window is formed. */
struct room {
	u64 key[SIM_MAX_VMIDS];
	u32 keys;
	u32 max_keys;
	u32 slots[SIM_POOLS];
};

static bool may_run(const struct sim_sched_entry *e)
{
	if (e->stuck)
		return true;
	return !e->held && !e->leaving && !e->refused;
}

static bool has_vmid(const struct room *room, u64 key)
{
	u32 i;

	for (i = 0; i < room->keys; i++)
		if (room->key[i] == key)
			return true;
	return false;
}

/* Give the process what it can get; returns whether it wants more. */
static bool plan_process(struct sim_sched_process *p, struct room *room)
{
	struct sim_sched_entry *e;
	bool known = has_vmid(room, p->key);
	u32 got = 0, missing = 0;

	for (e = p->entries; e; e = e->next) {
		e->wanted = may_run(e) && room->slots[e->pool] &&
			(known || room->keys < room->max_keys);
		room->slots[e->pool] -= e->wanted;
		got += e->wanted;
		missing += may_run(e) && !e->wanted;
	}
	if (got && !known)
		room->key[room->keys++] = p->key;
	p->whole = got && !missing;
	p->partial = got && missing;
	return missing;
}

static void plan(struct sim_sched *s)
{
	struct sim_sched_process *p;
	struct room room = { .max_keys = bits(s->vmid_mask) };
	u32 i;

	if (s->max_processes && s->max_processes < room.max_keys)
		room.max_keys = s->max_processes;
	for (i = 0; i < SIM_POOLS; i++)
		room.slots[i] = bits(s->slot_mask[i]);
	s->waiting = false;
	for (p = s->processes; p; p = p->next)
		s->waiting |= plan_process(p, &room);
}

/* Stop queues that are in a slot, but not in the window. */
static bool stop_leaving(struct sim_sched *s)
{
	struct sim_sched_process *p;
	struct sim_sched_entry *e;
	bool any = false;

	for (p = s->processes; p; p = p->next) {
		for (e = p->entries; e; e = e->next) {
			if (!e->queue || e->wanted)
				continue;
			sim_queue_stop(e->queue);
			any = true;
		}
	}
	return any;
}

static void put_slot(struct sim_sched *s, struct sim_sched_entry *e)
{
	s->used[e->pool] &= ~(1ULL << e->slot);
	e->queue = NULL;
}

static void put_vmid(struct sim_sched *s, struct sim_sched_process *p)
{
	const struct sim_sched_entry *e;

	for (e = p->entries; e; e = e->next)
		if (e->queue)
			return;
	if (p->vmid >= 0)
		s->vmid_uses[p->vmid]--;
	p->vmid = -1;
}

/* Finish queues that left their slots, and those that left the list. */
static void let_go(struct sim_sched *s, struct sim_sched_process *p, u64 t)
{
	struct sim_sched_entry *e, *next;

	for (e = p->entries; e; e = e->next) {
		if (!e->queue || e->wanted)
			continue;
		put_slot(s, e);
		s->stats.unmaps++;
		if (s->ops->unmapped)
			s->ops->unmapped(s->owner, e, t);
	}
	put_vmid(s, p);
	for (e = p->entries; e; e = next) {
		next = e->next;
		if (!e->leaving || e->queue)
			continue;
		unlink_entry(e);
		if (!p->entries)
			unlink_process(s, p);
		if (s->ops->forgotten)
			s->ops->forgotten(s->owner, e);
	}
}

void sim_sched_drop(struct sim_sched *s, struct sim_queue *q, u64 t)
{
	struct sim_sched_process *p;
	struct sim_sched_entry *e;

	sim_queue_drop(s->gpu, q);
	for (p = s->processes; p; p = p->next) {
		for (e = p->entries; e && e->queue != q; e = e->next)
			;
		if (!e)
			continue;
		e->stuck = false;
		e->wanted = false;
		let_go(s, p, t);
		return;
	}
}

static void get_vmid(struct sim_sched *s, struct sim_sched_process *p)
{
	u32 i, free = SIM_MAX_VMIDS;

	if (p->vmid >= 0)
		return;
	for (i = SIM_MAX_VMIDS; i-- > 0;) {
		if (!(s->vmid_mask >> i & 1))
			continue;
		if (!s->vmid_uses[i])
			free = i;
		else if (s->vmid_key[i] == p->key)
			break;
	}
	if (i >= SIM_MAX_VMIDS)		/* the loop ran out: none has this key */
		i = free;
	s->vmid_key[i] = p->key;
	s->vmid_uses[i]++;
	p->vmid = i;
}

/* Load one queue after the other; returns when the last one is loaded. */
static u64 map_process(struct sim_sched *s, struct sim_sched_process *p, u64 t)
{
	struct sim_sched_entry *e;

	for (e = p->entries; e; e = e->next) {
		if (!e->wanted || e->queue)
			continue;
		get_vmid(s, p);
		e->slot = lowest_bit(s->slot_mask[e->pool] & ~s->used[e->pool]);
		e->queue = s->ops->map(s->owner, e, t);
		if (!e->queue) {
			e->refused = true;
			e->wanted = false;
			s->stats.refused++;
			put_vmid(s, p);
			continue;
		}
		s->used[e->pool] |= 1ULL << e->slot;
		s->stats.maps++;
		t = e->queue->ready_at;
	}
	return t;
}

static u64 lesser(u64 a, u64 b)
{
	return a < b ? a : b;
}

static u64 process_quantum(const struct sim_sched *s)
{
	const struct sim_sched_process *p;
	u64 q, least = SIM_NEVER;

	for (p = s->processes; p; p = p->next) {
		q = p->quantum_ns ? p->quantum_ns : s->gpu->profile->process_quantum_ns;
		if (p->whole || p->partial)
			least = lesser(least, q);
	}
	return least;
}

static u64 queue_quantum(const struct sim_sched *s)
{
	const struct sim_sched_process *p;
	const struct sim_sched_entry *e;
	u64 q, least = SIM_NEVER;

	for (p = s->processes; p; p = p->next) {
		if (!p->partial)
			continue;
		for (e = p->entries; e; e = e->next) {
			q = e->quantum_ns ? e->quantum_ns :
				s->gpu->profile->queue_quantum_ns;
			if (e->wanted)
				least = lesser(least, q);
		}
	}
	return least;
}

static u64 end_of(u64 begin, u64 quantum)
{
	return quantum == SIM_NEVER ? SIM_NEVER : begin + quantum;
}

/* A running quantum continues unless it is no longer needed. */
static void set_timers(struct sim_sched *s)
{
	u64 quantum = s->waiting ? process_quantum(s) : SIM_NEVER;

	if (quantum == SIM_NEVER || s->process_at == SIM_NEVER)
		s->process_at = end_of(s->ready_at, quantum);
	quantum = s->waiting ? queue_quantum(s) : SIM_NEVER;
	if (quantum == SIM_NEVER || s->queue_at == SIM_NEVER)
		s->queue_at = end_of(s->ready_at, quantum);
}

/* All queues that must leave have left their slots. */
static void finish(struct sim_sched *s, u64 t)
{
	struct sim_sched_process *p, *next;
	bool applied = s->applying;

	for (p = s->processes; p; p = next) {
		next = p->next;
		let_go(s, p, t);
	}
	s->ready_at = t;
	for (p = s->processes; p; p = p->next)
		s->ready_at = map_process(s, p, s->ready_at);
	set_timers(s);
	s->applying = false;
	if (applied)
		s->ops->applied(s->owner, t);
}

/* Make the slots agree with the list. Returns whether anything has to leave. */
static bool change(struct sim_sched *s, u64 t, u64 grace_ns)
{
	plan(s);
	if (!stop_leaving(s)) {
		finish(s, t);
		return false;
	}
	s->moving = true;
	sim_preempt(s->gpu, t, grace_ns);
	return true;
}

bool sim_sched_busy(const struct sim_sched *s)
{
	return s->moving || s->gpu->preempt != SIM_PREEMPT_NONE;
}

void sim_sched_apply(struct sim_sched *s, u64 at, u64 grace_ns)
{
	s->applying = true;
	change(s, at, grace_ns);
}

void sim_sched_preempted(struct sim_sched *s, u64 t)
{
	if (!s->moving)
		return;
	s->moving = false;
	finish(s, t);
}

/* ---- quanta ---- */

u64 sim_sched_next_event(const struct sim_sched *s)
{
	if (sim_sched_busy(s))
		return SIM_NEVER;
	return lesser(s->process_at, s->queue_at);
}

/* In each level: first processes that had nothing, then those that had a part. */
static void turn_processes(struct sim_sched *s)
{
	struct sim_sched_process *p, *next, *had[2] = { NULL, NULL };
	struct sim_sched_process **tail[2] = { &had[0], &had[1] };
	u32 i;

	for (p = s->processes; p; p = next) {
		next = p->next;
		if (!p->whole && !p->partial)
			continue;
		unlink_process(s, p);
		p->next = NULL;
		*tail[p->whole] = p;
		tail[p->whole] = &p->next;
	}
	for (i = 0; i < 2; i++) {
		for (p = had[i]; p; p = next) {
			next = p->next;
			insert_process(s, p);
		}
	}
}

static void turn_queues(struct sim_sched_process *p)
{
	struct sim_sched_entry *e, *next, *served = NULL, **tail = &served;

	for (e = p->entries; e; e = next) {
		next = e->next;
		if (!e->queue)
			continue;
		unlink_entry(e);
		e->next = NULL;
		*tail = e;
		tail = &e->next;
	}
	for (e = served; e; e = next) {
		next = e->next;
		insert_entry(p, e);
	}
}

void sim_sched_step(struct sim_sched *s, u64 t)
{
	struct sim_sched_process *p;

	if (sim_sched_next_event(s) > t)
		return;
	if (s->process_at <= t) {
		s->process_at = SIM_NEVER;
		turn_processes(s);
		s->stats.process_turns += change(s, t, s->grace_ns);
		return;
	}
	s->queue_at = SIM_NEVER;
	for (p = s->processes; p; p = p->next)
		if (p->partial)
			turn_queues(p);
	s->stats.queue_turns += change(s, t, s->grace_ns);
}
