// SPDX-License-Identifier: MIT
/* SDMA engines: which queue has its turn, and when a packet continues. */
#include "gpu/sdma.h"

u64 sim_sdma_next_event(const struct sim_gpu *gpu)
{
	const struct sim_sdma *s;
	u64 next = SIM_NEVER;
	u32 i;

	for (i = 0; gpu->sdma_queues && i < SIM_MAX_SDMA; i++) {
		s = gpu->sdma[i].active;
		if (s && s->at < next)
			next = s->at;
	}
	return next;
}

/* ---- packets ---- */

static bool ring_dword(struct sim_sdma *s, u64 index, u32 *dword)
{
	u64 va = s->ring + (index & (s->ring_bytes - 1));
	const u32 *p = s->sim.gpu->ops->memory(&s->sim, va, 4, false);

	if (!p)
		return false;
	*dword = __atomic_load_n(p, __ATOMIC_RELAXED);
	return true;
}

/* Look at the write index if the packets known so far are used up. */
static enum sim_fetch look(struct sim_sdma *s, u64 bytes)
{
	u64 *wptr;

	if (s->write - s->read >= bytes)
		return SIM_FETCH_PACKET;
	wptr = sim_ptr(&s->sim, s->wptr_va, 8, false);
	if (!wptr)
		return SIM_FETCH_FAULT;
	s->write = __atomic_load_n(wptr, __ATOMIC_ACQUIRE);	/* then the packets */
	if (s->write - s->read > s->ring_bytes || s->write & 3) {
		sim_queue_blame(&s->sim, "write index", s->write);
		return SIM_FETCH_FAULT;
	}
	return s->write - s->read >= bytes ? SIM_FETCH_PACKET : SIM_FETCH_EMPTY;
}

/* A row of empty NOPs, which pad rings, is one packet up to a page's end. */
static void gather_nops(struct sim_sdma *s)
{
	u64 at = s->read + 4;
	u32 dword;

	while (at < s->write && at & 4095 && ring_dword(s, at, &dword) && !dword)
		at += 4;
	s->dwords = (at - s->read) / 4;
}

static enum sim_fetch fetch(struct sim_sdma *s)
{
	enum sim_fetch r = look(s, 4);
	u32 i;

	if (r != SIM_FETCH_PACKET)
		return r;
	if (!ring_dword(s, s->read, &s->packet[0]))
		return SIM_FETCH_FAULT;
	s->dwords = sim_sdma_packet_dwords(s->sim.gpu->profile, s->packet[0]);
	if (!s->dwords) {
		s->sim.gpu->stats.bad_packets++;
		sim_queue_blame(&s->sim, "unknown packet", s->packet[0]);
		return SIM_FETCH_FAULT;
	}
	r = look(s, s->dwords * 4);
	if (r != SIM_FETCH_PACKET)
		return r;
	if (!s->packet[0])
		gather_nops(s);
	for (i = 1; i < s->dwords && i < SIM_SDMA_DWORDS; i++)
		if (!ring_dword(s, s->read + i * 4, &s->packet[i]))
			return SIM_FETCH_FAULT;
	return SIM_FETCH_PACKET;
}

/* It is executed: the read index moves. */
static void consume(struct sim_gpu *gpu, struct sim_sdma *s)
{
	u64 *rptr = sim_ptr(&s->sim, s->rptr_va, 8, true);

	if (!rptr) {
		sim_queue_fault(gpu, &s->sim, "memory");
		return;
	}
	s->read += s->dwords * 4;
	__atomic_store_n(rptr, s->read, __ATOMIC_RELEASE);	/* after what it did */
	sim_sdma_give_up(s);
	gpu->stats.sdma_packets++;
}

/* ---- moving bytes ---- */

/* Engines that move bytes now. */
static u32 moving(const struct sim_gpu *gpu)
{
	const struct sim_sdma *s;
	u32 i, n = 0;

	for (i = 0; i < SIM_MAX_SDMA; i++) {
		s = gpu->sdma[i].active;
		n += s && s->step == SIM_SDMA_MOVE;
	}
	return n;
}

/* Time to move a chunk on a bus that the engines which move bytes at its beginning share. */
static u64 shared_ns(const struct sim_gpu *gpu, u64 bytes)
{
	u32 own = gpu->profile->sdma_bytes_per_us, n = moving(gpu);
	u32 share = gpu->profile->sdma_bus_bytes_per_us / (n ? n : 1);

	if (!share)
		share = 1;
	return bytes * 1000 / (own < share ? own : share);
}

/* When the bytes up to @end have been moved. */
static u64 moved_at(const struct sim_gpu *gpu, const struct sim_sdma *s, u64 end)
{
	return s->begin + (end - s->begun_at) * 1000 / gpu->profile->sdma_bytes_per_us;
}

static void begin_chunk(const struct sim_gpu *gpu, struct sim_sdma *s)
{
	u64 end = s->done + SIM_SDMA_CHUNK;

	if (end > s->bytes)
		end = s->bytes;
	s->step = SIM_SDMA_MOVE;
	if (gpu->profile->sdma_bus_bytes_per_us)
		s->at += shared_ns(gpu, end - s->done);
	else
		s->at = moved_at(gpu, s, end);
}

/* The state in its MQD must be of this packet. */
static bool restore_midcmd(struct sim_sdma *s)
{
	const u32 *m = s->midcmd;
	u64 done = (u64)m[2] << 32 | m[1], bytes = (u64)m[4] << 32 | m[3];

	if (!(s->midcmd_cntl & SIM_SDMA_MIDCMD_VALID))
		return true;
	s->midcmd_cntl = 0;
	if (bytes != s->bytes || done >= bytes)
		return false;
	s->done = done;
	return true;
}

static void save_midcmd(struct sim_sdma *s)
{
	memset(s->midcmd, 0, sizeof(s->midcmd));
	s->midcmd[0] = s->packet[0];
	s->midcmd[1] = (u32)s->done;
	s->midcmd[2] = (u32)(s->done >> 32);
	s->midcmd[3] = (u32)s->bytes;
	s->midcmd[4] = (u32)(s->bytes >> 32);
	s->midcmd_cntl = SIM_SDMA_MIDCMD_VALID;
}

static void begin_move(struct sim_gpu *gpu, struct sim_sdma *s)
{
	s->done = 0;
	if (!restore_midcmd(s)) {
		sim_queue_fault(gpu, &s->sim, "interrupted packet");
		return;
	}
	s->begin = s->at;
	s->begun_at = s->done;
	begin_chunk(gpu, s);
}

/* ---- turns ---- */

/* A chunk's time has passed. */
static void end_chunk(struct sim_gpu *gpu, struct sim_sdma *s)
{
	u64 before = s->done;

	if (!sim_sdma_packet_move(s, SIM_SDMA_CHUNK)) {
		sim_queue_fault(gpu, &s->sim, "memory");
		return;
	}
	gpu->stats.sdma_bytes += s->done - before;
	if (s->done == s->bytes) {
		consume(gpu, s);
	} else if (s->sim.state == SIM_QUEUE_STOPPING && !gpu->profile->sdma_whole_packets) {
		save_midcmd(s);
		sim_sdma_give_up(s);
	} else {
		begin_chunk(gpu, s);
	}
}

/* The time of the step has passed. Returns whether memory has changed. */
static bool end_step(struct sim_gpu *gpu, struct sim_sdma *s)
{
	if (s->step == SIM_SDMA_MOVE) {
		end_chunk(gpu, s);
		return true;
	}
	if (s->midcmd_cntl & SIM_SDMA_MIDCMD_VALID && s->midcmd[0] != s->packet[0]) {
		sim_queue_fault(gpu, &s->sim, "interrupted packet");
		return false;
	}
	switch (sim_sdma_packet_run(s)) {
	case SIM_SDMA_DONE:
		consume(gpu, s);
		return true;
	case SIM_SDMA_MOVES:
		begin_move(gpu, s);
		return false;
	case SIM_SDMA_BLOCKED:
		sim_queue_block(&s->sim);
		sim_sdma_give_up(s);
		return false;
	case SIM_SDMA_FAULT:
		break;
	}
	sim_queue_fault(gpu, &s->sim, "packet");
	return false;
}

/* The queue that has waited longest since its last turn. */
static struct sim_sdma *longest_wait(const struct sim_sdma_engine *e)
{
	struct sim_sdma *s, *best = NULL;

	for (s = e->first; s; s = s->next)
		if (s->sim.state == SIM_QUEUE_ON && s->sim.rung && !s->sim.blocked &&
		    (!best || s->served < best->served))
			best = s;
	return best;
}

static void next_turn(struct sim_gpu *gpu, struct sim_sdma_engine *e, u64 t)
{
	struct sim_sdma *s;

	while (!e->active && (s = longest_wait(e))) {
		s->served = ++e->turns;
		switch (fetch(s)) {
		case SIM_FETCH_PACKET:
			e->active = s;
			s->step = SIM_SDMA_FETCH;
			s->at = t + gpu->profile->sdma_packet_ns;
			break;
		case SIM_FETCH_EMPTY:
			s->sim.rung = false;
			break;
		default:
			sim_queue_fault(gpu, &s->sim, "packet");
		}
	}
}

/* Returns whether queues that waited for memory may go on. */
static bool step_engine(struct sim_gpu *gpu, struct sim_sdma_engine *e, u64 t)
{
	bool changed = false;

	for (;;) {
		if (!e->active)
			next_turn(gpu, e, t);
		if (!e->active || e->active->at > t)
			return changed && sim_retry_blocked(gpu);
		changed |= end_step(gpu, e->active);
	}
}

void sim_sdma_step(struct sim_gpu *gpu, u64 t)
{
	bool again;
	u32 i;

	do {
		again = false;
		for (i = 0; gpu->sdma_queues && i < SIM_MAX_SDMA; i++)
			if (gpu->sdma[i].first)
				again |= step_engine(gpu, &gpu->sdma[i], t);
	} while (again);
}
