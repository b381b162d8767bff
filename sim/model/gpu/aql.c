// SPDX-License-Identifier: MIT
/* AQL packets and signals; see aql.h for what is known of them. */
#include "gpu/aql.h"

_Static_assert(sizeof(struct sim_aql_packet) == SIM_AQL_BYTES, "packet");

#define TYPE(header)	((header) & 0xff)

/* Bounds of a work-group's size and of a ring, from the HSA specification. */
#define MAX_ITEMS	1024
#define MAX_PACKETS	(1ULL << 31)

const char *sim_aql_check(const struct sim_aql *q, const struct sim_profile *p)
{
	if (!q->ring || q->ring % 256)
		return "ring address";
	if (!q->packets || q->packets & (q->packets - 1) || q->packets > MAX_PACKETS)
		return "ring size";
	if (!q->rptr_va || q->rptr_va % 8)
		return "read index address";
	if (!q->wptr_va || q->wptr_va % 8)
		return "write index address";
	if (!q->sim.save_va || q->sim.save_bytes < sim_save_bytes(p) / p->xccs)
		return "save area";
	return NULL;
}

static bool read_write_index(struct sim_aql *q)
{
	u64 *wptr = sim_ptr(&q->sim, q->wptr_va, sizeof(*wptr), false);

	if (!wptr)
		return false;
	q->write = __atomic_load_n(wptr, __ATOMIC_ACQUIRE);	/* then the packets */
	return true;
}

bool sim_aql_load_read(struct sim_aql *q, u32 rptr_dwords)
{
	u32 behind;

	if (!read_write_index(q))
		return false;
	behind = (u32)(q->write * (SIM_AQL_BYTES / 4)) - rptr_dwords;
	q->read = q->write - behind / (SIM_AQL_BYTES / 4);
	return true;
}

static struct sim_aql_packet *head_packet(struct sim_aql *q)
{
	u64 at = q->read & (q->packets - 1);

	return sim_ptr(&q->sim, q->ring + at * SIM_AQL_BYTES, SIM_AQL_BYTES, true);
}

static enum sim_fetch refuse(struct sim_aql *q, const char *what, u64 value)
{
	if (q->sim.blame)	/* a fault of its memory */
		return SIM_FETCH_FAULT;
	q->sim.gpu->stats.bad_packets++;
	sim_queue_blame(&q->sim, what, value);
	return SIM_FETCH_FAULT;
}

static bool signal_value(struct sim_aql *q, u64 va, s64 *value)
{
	struct sim_aql_signal *s = sim_ptr(&q->sim, va, sizeof(*s), false);

	if (!s)
		return false;
	*value = __atomic_load_n(&s->value, __ATOMIC_ACQUIRE);
	return true;
}

static enum sim_fetch fetch_barrier(struct sim_aql *q,
				    const struct sim_aql_barrier *b, bool all)
{
	u32 i, any = 0, met = 0;
	s64 value;

	for (i = 0; i < SIM_AQL_DEPENDENCIES; i++) {
		if (!b->dependency[i])
			continue;
		if (!signal_value(q, b->dependency[i], &value))
			return SIM_FETCH_FAULT;
		any++;
		met += value == 0;
	}
	if (all ? met == any : met || !any)
		return SIM_FETCH_PACKET;
	return SIM_FETCH_BLOCKED;
}

static enum sim_fetch fetch_barrier_value(struct sim_aql *q,
					  const struct sim_aql_barrier_value *b)
{
	bool met;
	s64 value;

	if (!b->dependency)
		return SIM_FETCH_PACKET;
	if (!signal_value(q, b->dependency, &value))
		return SIM_FETCH_FAULT;
	value &= b->mask;
	switch (b->condition) {
	case SIM_AQL_EQ:
		met = value == b->value;
		break;
	case SIM_AQL_NE:
		met = value != b->value;
		break;
	case SIM_AQL_LT:
		met = value < b->value;
		break;
	case SIM_AQL_GTE:
		met = value >= b->value;
		break;
	default:
		return refuse(q, "barrier condition", b->condition);
	}
	return met ? SIM_FETCH_PACKET : SIM_FETCH_BLOCKED;
}

static enum sim_fetch fetch_vendor(struct sim_aql *q, const struct sim_aql_packet *p)
{
	switch (p->setup & 0xff) {
	case SIM_AQL_PM4_IB:
		return SIM_FETCH_PACKET;
	case SIM_AQL_BARRIER_VALUE:
		return fetch_barrier_value(q, &p->barrier_value);
	}
	return refuse(q, "unknown vendor packet", p->setup);
}

static u32 groups(u32 grid, u32 size)
{
	grid = grid ? grid : 1;
	return size ? (grid - 1) / size + 1 : grid;
}

static enum sim_fetch fetch_dispatch(struct sim_aql *q, struct sim_dispatch *d,
				     const struct sim_aql_packet *p)
{
	const struct sim_aql_dispatch copy = p->dispatch;
	const struct sim_ops *ops = q->sim.gpu->ops;
	u32 lanes = q->sim.gpu->profile->wave_lanes;
	u32 i, items = 1;
	u64 total = 1;

	for (i = 0; i < 3; i++) {
		total *= groups(copy.grid[i], copy.workgroup[i]);
		items *= copy.workgroup[i] ? copy.workgroup[i] : 1;
		if (total > 0xffffffff || items > MAX_ITEMS)
			return refuse(q, "grid too large, dimension", i);
	}
	d->workgroups = total;
	d->waves = (items + lanes - 1) / lanes;
	d->lds_bytes = copy.group_bytes;
	if (!(ops->kernel ? ops->kernel : sim_kernel_synthetic)(&q->sim, &copy, d))
		return refuse(q, "unknown kernel", copy.code);
	if (d->spread > 1000 || d->workgroup_ns > SIM_MAX_WORKGROUP_NS)
		return refuse(q, "kernel takes too long", d->workgroup_ns);
	return SIM_FETCH_PACKET;
}

enum sim_fetch sim_aql_fetch(struct sim_queue *sim, struct sim_dispatch *d)
{
	struct sim_aql *q = sim_aql(sim);
	const struct sim_aql_packet *p;
	u16 header;

	if (q->read >= q->write) {
		if (!read_write_index(q))
			return SIM_FETCH_FAULT;
		if (q->read >= q->write)
			return SIM_FETCH_EMPTY;
	}
	p = head_packet(q);
	if (!p)
		return SIM_FETCH_FAULT;
	header = __atomic_load_n(&p->header, __ATOMIC_ACQUIRE);	/* then the rest */
	if (TYPE(header) == SIM_AQL_INVALID)	/* reserved, not written yet */
		return SIM_FETCH_EMPTY;
	d->barrier = header & SIM_AQL_BARRIER_BIT;
	d->signal = p->signal;
	switch (TYPE(header)) {
	case SIM_AQL_VENDOR:
		return fetch_vendor(q, p);
	case SIM_AQL_DISPATCH:
		return fetch_dispatch(q, d, p);
	case SIM_AQL_BARRIER_AND:
		return fetch_barrier(q, &p->barrier, true);
	case SIM_AQL_BARRIER_OR:
		return fetch_barrier(q, &p->barrier, false);
	}
	return refuse(q, "unknown type", header);
}

bool sim_aql_consume(struct sim_queue *sim)
{
	struct sim_aql *q = sim_aql(sim);
	struct sim_aql_packet *p = head_packet(q);
	u64 *rptr = sim_ptr(sim, q->rptr_va, sizeof(*rptr), true);

	if (!p || !rptr)
		return false;
	__atomic_store_n(&p->header, SIM_AQL_INVALID, __ATOMIC_RELAXED);
	q->read++;
	__atomic_store_n(rptr, q->read, __ATOMIC_RELEASE);	/* after the header */
	return true;
}

static bool send_signal(struct sim_queue *q, const struct sim_dispatch *d, u64 t)
{
	const struct sim_ops *ops = q->gpu->ops;
	struct sim_aql_signal *s;
	u64 *mailbox;

	if (!d->signal)
		return true;
	s = sim_ptr(q, d->signal, sizeof(*s), true);
	if (!s)
		return false;
	s->start = ops->ticks(q->gpu->owner, d->start_ns);
	s->end = ops->ticks(q->gpu->owner, t);
	__atomic_fetch_sub(&s->value, 1, __ATOMIC_SEQ_CST);
	if (!s->mailbox)
		return true;
	mailbox = sim_ptr(q, s->mailbox, sizeof(*mailbox), true);
	if (!mailbox)
		return false;
	__atomic_store_n(mailbox, s->event, __ATOMIC_RELEASE);
	ops->interrupt(q, s->event);
	return true;
}

bool sim_aql_complete(struct sim_queue *q, const struct sim_dispatch *d, u64 t)
{
	const struct sim_ops *ops = q->gpu->ops;

	if (d->workgroups &&
	    !(ops->completed ? ops->completed : sim_kernel_completed)(q, d, t))
		return false;
	return send_signal(q, d, t);
}
