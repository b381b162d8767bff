// SPDX-License-Identifier: GPL-2.0-only
/*
 * AQL packets and signals (HSA System Architecture, chapters 2.8 and 2.9). Kernel
 * dispatch and barrier-AND/OR are known; anything else halts the queue.
 */
#include <linux/atomic.h>

#include "vgpu.h"
#include "vgpu_kernel.h"

#define AQL_TYPE(header)	((header) & 0xff)
#define AQL_BARRIER_BIT		BIT(8)
#define AQL_INVALID		1
#define AQL_DISPATCH		2
#define AQL_BARRIER_AND		3
#define AQL_BARRIER_OR		5
#define AQL_DEPENDENCIES	5

/* What sim_dispatch.cookie carries. */
enum { COOKIE_SIGNAL, COOKIE_LOG, COOKIE_TICKET };

struct aql_packet {
	u16 header;
	u16 setup;
	union {
		struct {
			u16 workgroup[3];
			u16 reserved0;
			u32 grid[3];
			u32 private_bytes;
			u32 group_bytes;
			u64 code;
			u64 args;
			u64 reserved1;
		} __packed dispatch;
		struct {
			u32 reserved0;
			u64 dependency[AQL_DEPENDENCIES];
			u64 reserved1;
		} __packed barrier;
	};
	u64 signal;
};

static_assert(sizeof(struct aql_packet) == 64);

/* amd_signal_t, as the packet processor and ROCr know it. */
struct aql_signal {
	s64 kind;
	s64 value;
	u64 mailbox;
	u32 event;
	u32 reserved;
	u64 start;
	u64 end;
};

static struct aql_packet *head_packet(struct vgpu_queue *q)
{
	return vgpu_vm_ptr(q, q->ring + (q->read % q->packets) * 64, 64);
}

static enum sim_fetch refuse(struct vgpu_queue *q, const char *what, u64 value)
{
	q->node->stats.bad_packets++;
	pr_err("AQL packet %llu of pasid %u doorbell %x: %s %llx\n", q->read,
	       q->entry.pasid, q->entry.doorbell, what, value);
	return SIM_FETCH_FAULT;
}

static enum sim_fetch fetch_barrier(struct vgpu_queue *q,
				    const struct aql_packet *p, bool all)
{
	struct aql_signal *s;
	u32 i, any = 0, met = 0;

	for (i = 0; i < AQL_DEPENDENCIES; i++) {
		if (!p->barrier.dependency[i])
			continue;
		s = vgpu_vm_ptr(q, p->barrier.dependency[i], sizeof(*s));
		if (!s)
			return SIM_FETCH_FAULT;
		any++;
		met += READ_ONCE(s->value) == 0;
	}
	if (all ? met == any : met || !any)
		return SIM_FETCH_PACKET;
	return SIM_FETCH_BLOCKED;
}

static u32 groups(u32 grid, u32 size)
{
	return size ? DIV_ROUND_UP(max(grid, 1U), size) : max(grid, 1U);
}

static enum sim_fetch fetch_dispatch(struct vgpu_queue *q, struct sim_dispatch *d,
				     const struct aql_packet *p)
{
	struct vgpu_code code;
	struct vgpu_spin spin;
	u64 total = 1;
	u32 items = 1;
	u32 i;

	if (!vgpu_vm_read(q, p->dispatch.code, &code, sizeof(code)) ||
	    !vgpu_vm_read(q, p->dispatch.args, &spin, sizeof(spin)))
		return SIM_FETCH_FAULT;
	if (code.magic != VGPU_CODE_MAGIC || code.kind != VGPU_CODE_SPIN)
		return refuse(q, "unknown kernel", p->dispatch.code);
	for (i = 0; i < 3; i++) {
		total *= groups(p->dispatch.grid[i], p->dispatch.workgroup[i]);
		items *= max_t(u32, p->dispatch.workgroup[i], 1);
		if (total > U32_MAX || items > 1024)
			return refuse(q, "grid too large, dimension", i);
	}
	d->workgroups = total;
	d->waves = DIV_ROUND_UP(items, 64);
	d->vgprs = code.vgprs;
	d->lds_bytes = max(code.lds_bytes, p->dispatch.group_bytes);
	d->workgroup_ns = spin.workgroup_ns;
	if (spin.log)
		d->cookie[COOKIE_LOG] = spin.log +
			spin.index * sizeof(struct vgpu_log);
	d->cookie[COOKIE_TICKET] = spin.ticket;
	return SIM_FETCH_PACKET;
}

enum sim_fetch vgpu_aql_fetch(struct sim_queue *sim, struct sim_dispatch *d)
{
	struct vgpu_queue *q = vgpu_queue(sim);
	const struct aql_packet *p;
	u64 *wptr;
	u16 header;

	if (q->read >= q->write) {
		wptr = vgpu_vm_ptr(q, q->entry.wptr, sizeof(*wptr));
		if (!wptr)
			return SIM_FETCH_FAULT;
		q->write = smp_load_acquire(wptr);	/* then the packets */
		if (q->read >= q->write)
			return SIM_FETCH_EMPTY;
	}
	p = head_packet(q);
	if (!p)
		return SIM_FETCH_FAULT;
	header = smp_load_acquire(&p->header);	/* then the rest of it */
	if (AQL_TYPE(header) == AQL_INVALID)	/* reserved, not written yet */
		return SIM_FETCH_EMPTY;
	d->barrier = header & AQL_BARRIER_BIT;
	d->cookie[COOKIE_SIGNAL] = p->signal;
	switch (AQL_TYPE(header)) {
	case AQL_DISPATCH:
		return fetch_dispatch(q, d, p);
	case AQL_BARRIER_AND:
		return fetch_barrier(q, p, true);
	case AQL_BARRIER_OR:
		return fetch_barrier(q, p, false);
	}
	return refuse(q, "unknown type", header);
}

bool vgpu_aql_consume(struct sim_queue *sim)
{
	struct vgpu_queue *q = vgpu_queue(sim);
	struct aql_packet *p = head_packet(q);
	u64 *rptr = vgpu_vm_ptr(q, q->rptr, sizeof(*rptr));

	if (!p || !rptr)
		return false;
	WRITE_ONCE(p->header, AQL_INVALID);
	q->read++;
	smp_store_release(rptr, q->read);	/* after the header */
	return true;
}

static bool write_log(struct vgpu_queue *q, const struct sim_dispatch *d, u64 t)
{
	struct vgpu_log log;
	atomic64_t *ticket;
	u64 va = d->cookie[COOKIE_LOG];

	if (!va)
		return true;
	if (!vgpu_vm_read(q, va, &log, sizeof(log)))
		return false;
	if (d->cookie[COOKIE_TICKET]) {
		ticket = vgpu_vm_ptr(q, d->cookie[COOKIE_TICKET] & ~7ULL, 8);
		if (!ticket)
			return false;
		log.ticket = atomic64_fetch_inc(ticket);
	}
	log.executed++;
	log.saved = d->saves;
	log.start_ns = d->start_ns;
	log.end_ns = t;
	return vgpu_vm_write(q, va, &log, sizeof(log));
}

static bool send_signal(struct vgpu_queue *q, const struct sim_dispatch *d, u64 t)
{
	struct aql_signal *s;
	u64 *mailbox;

	if (!d->cookie[COOKIE_SIGNAL])
		return true;
	s = vgpu_vm_ptr(q, d->cookie[COOKIE_SIGNAL], sizeof(*s));
	if (!s)
		return false;
	s->start = d->start_ns / 10;	/* GPU clock: 100 MHz */
	s->end = t / 10;
	atomic64_dec((atomic64_t *)&s->value);
	if (!s->mailbox)
		return true;
	mailbox = vgpu_vm_ptr(q, s->mailbox, sizeof(*mailbox));
	if (!mailbox)
		return false;
	WRITE_ONCE(*mailbox, s->event);
	vgpu_interrupt(q->node, q->entry.pasid, s->event);
	return true;
}

bool vgpu_aql_complete(struct sim_queue *sim, const struct sim_dispatch *d, u64 t)
{
	struct vgpu_queue *q = vgpu_queue(sim);

	return write_log(q, d, t) && send_signal(q, d, t);
}
