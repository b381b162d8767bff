// SPDX-License-Identifier: MIT
/*
 * Runlists: a buffer of MAP_PROCESS packets, each followed by the MAP_QUEUES
 * packets of its queues. It may continue in another buffer; one that leads back
 * to its beginning is over-subscribed, and the driver knows it.
 */
#include "firmware/hws.h"
#include "firmware/pm4.h"

/**
 * struct reader - state while a runlist is read
 * @h: firmware that reads it
 * @start: where it begins
 * @addr: of the buffer that is read now
 * @dwords: its length
 * @hops: buffers before it
 * @rotated: it leads back to its beginning
 * @process: MAP_QUEUES belong to this one
 * @gws: @process has a share of the global wave sync
 */
struct reader {
	struct sim_hws *h;
	u64 start;
	u64 addr;
	u32 dwords;
	u32 hops;
	bool rotated;
	struct sim_hws_process *process;
	bool gws;
};

static bool bad_packet(struct reader *r, const char *why, const u32 *p, u32 n)
{
	sim_hws_refuse(r->h, &r->h->stats.bad_packets, why, p, n);
	return false;
}

static bool bad_list(struct reader *r, const char *why, const u32 *p, u32 n)
{
	sim_hws_refuse(r->h, &r->h->stats.bad_runlists, why, p, n);
	return false;
}

static u32 map_process_len(const struct sim_profile *p)
{
	return p->gfx >= SIM_GFX(9, 4, 2) ? PM4_MAP_PROCESS_LEN_9_4 : PM4_MAP_PROCESS_LEN;
}

static bool map_process(struct reader *r, const u32 *p, u32 n)
{
	struct sim_hws *h = r->h;
	struct sim_hws_process *process = &h->processes[h->nr_processes];

	h->stats.map_process++;
	if (n != map_process_len(h->sched.gpu->profile))
		return bad_packet(r, "MAP_PROCESS: length", p, n);
	if (PM4_PROC_DEBUG(p) || p[10])
		return bad_packet(r, "MAP_PROCESS: reserved or debug bits", p, n);
	if (!PM4_PROC_PASID(p) || !PM4_PROC_PD(p))
		return bad_packet(r, "MAP_PROCESS: no address space", p, n);
	if (h->nr_processes == SIM_HWS_PROCESSES)
		return bad_list(r, "RUN_LIST: too many processes", p, n);
	memset(process, 0, sizeof(*process));
	process->pasid = PM4_PROC_PASID(p);
	process->pd = PM4_PROC_PD(p);
	process->sched.key = process->pasid;
	process->sched.quantum_ns = PM4_PROC_QUANTUM_MS(p) * 1000000ULL;
	sim_sched_add_process(&h->sched, &process->sched);
	h->nr_processes++;
	r->process = process;
	r->gws = PM4_PROC_GWS(p);
	if (h->ops->process)
		h->ops->process(h->owner, process);
	return true;
}

/* The pool of slots a MAP_QUEUES packet means, or SIM_POOLS. */
static u32 pool_of(const u32 *p)
{
	u32 engine = PM4_MAP_ENGINE(p);

	switch (PM4_MAP_EXT_ENGINE(p)) {
	case PM4_EXT_LEGACY:
		if (engine == PM4_ENGINE_COMPUTE)
			return 0;
		if (engine == PM4_ENGINE_SDMA0 || engine == PM4_ENGINE_SDMA1)
			return 1 + engine - PM4_ENGINE_SDMA0;
		break;
	case PM4_EXT_SDMA_0_7:
		return 1 + engine;
	case PM4_EXT_SDMA_8_15:
		return 1 + 8 + engine;
	}
	return SIM_POOLS;
}

/* Note that number; returns whether it, or one of the same hash, was seen. */
static bool seen(struct sim_hws *h, u64 number)
{
	u32 hash = number * 0x9e3779b97f4a7c15ULL >> 32;
	u32 bit = hash % SIM_HWS_SEEN;
	bool before = h->seen[bit / 64] >> bit % 64 & 1;

	h->seen[bit / 64] |= 1ULL << bit % 64;
	return before;
}

/* Lists are long, and the driver waits: search only if it may be there. */
static bool known_queue(struct sim_hws *h, u64 mqd, u32 doorbell)
{
	bool maybe = seen(h, mqd);
	u32 i;

	maybe |= seen(h, ~(u64)doorbell);
	for (i = 0; maybe && i < h->nr_queues; i++)
		if (h->queues[i].mqd == mqd || h->queues[i].doorbell == doorbell)
			return true;
	return false;
}

static bool map_queues(struct reader *r, const u32 *p, u32 n)
{
	struct sim_hws *h = r->h;
	struct sim_hws_queue *q = &h->queues[h->nr_queues];
	u32 pool = pool_of(p);

	h->stats.map_queues++;
	if (n != PM4_MAP_QUEUES_LEN || !r->process)
		return bad_packet(r, "MAP_QUEUES: length, or no MAP_PROCESS before", p, n);
	if (PM4_MAP_COUNT(p) != 1 || PM4_MAP_QUEUE_SEL(p) != PM4_SLOTS_OF_HWS)
		return bad_packet(r, "MAP_QUEUES: not one queue in a slot of our choice", p, n);
	/* GWS has no other effect here: known kernels carry out barriers of a grid */
	if (PM4_MAP_GWS(p) && !r->gws)
		return bad_packet(r, "MAP_QUEUES: GWS of a process without", p, n);
	if (PM4_MAP_TYPE(p) != PM4_QUEUE_NORMAL && PM4_MAP_TYPE(p) != PM4_QUEUE_STATIC)
		return bad_packet(r, "MAP_QUEUES: type of queue", p, n);
	if (pool >= SIM_POOLS || !h->sched.slot_mask[pool])
		return bad_packet(r, "MAP_QUEUES: there is no such engine", p, n);
	if (h->nr_queues == SIM_HWS_QUEUES)
		return bad_list(r, "RUN_LIST: too many queues", p, n);
	if (known_queue(h, PM4_MAP_MQD(p), PM4_MAP_DOORBELL(p)))
		return bad_list(r, "RUN_LIST: a queue twice", p, n);
	memset(q, 0, sizeof(*q));
	q->mqd = PM4_MAP_MQD(p);
	q->wptr_va = PM4_MAP_WPTR(p);
	q->doorbell = PM4_MAP_DOORBELL(p);
	q->sched.pool = pool;
	h->stats.map_gws += PM4_MAP_GWS(p);
	q->sched.is_static = PM4_MAP_TYPE(p) == PM4_QUEUE_STATIC;
	sim_sched_add(&h->sched, &r->process->sched, &q->sched);
	h->nr_queues++;
	if (h->ops->queue)
		h->ops->queue(h->owner, q);
	return true;
}

/* At the end of a buffer: the buffer that follows. */
static bool chain(struct reader *r, const u32 *p, u32 n, bool last)
{
	if (n != PM4_RUN_LIST_LEN || !PM4_LIST_CHAIN(p) || !PM4_LIST_VALID(p) || !last)
		return bad_packet(r, "RUN_LIST: not a chain at the end of the list", p, n);
	if (PM4_LIST_ADDR(p) == r->start) {
		r->rotated = true;
		return true;
	}
	if (++r->hops > SIM_HWS_CHAIN)
		return bad_list(r, "RUN_LIST: chain does not end", p, n);
	r->addr = PM4_LIST_ADDR(p);
	r->dwords = PM4_LIST_DWORDS(p);
	return true;
}

static bool list_packet(struct reader *r, const u32 *p, u32 n, bool last)
{
	switch (pm4_opcode(p[0])) {
	case PM4_MAP_PROCESS:
		return map_process(r, p, n);
	case PM4_MAP_QUEUES:
		return map_queues(r, p, n);
	case PM4_RUN_LIST:
		return chain(r, p, n, last);
	case PM4_NOP:
		return true;
	}
	return bad_packet(r, "RUN_LIST: unknown packet", p, n);
}

/* Read one buffer. False: refused. */
static bool read_buffer(struct reader *r)
{
	u64 addr = r->addr;
	u32 end = r->dwords, i, n, p[PM4_MAX_LEN];

	r->dwords = 0;		/* unless a chain says otherwise */
	for (i = 0; i < end; i += n) {
		if (!sim_hws_read(r->h, addr + i * 4ULL, p, 1))
			return bad_list(r, "RUN_LIST: no memory there", NULL, 0);
		n = pm4_len(p[0]);
		if (pm4_type(p[0]) != 3 || n > PM4_MAX_LEN || n > end - i)
			return bad_packet(r, "RUN_LIST: not a packet", p, 1);
		if (!sim_hws_read(r->h, addr + i * 4ULL, p, n))
			return bad_list(r, "RUN_LIST: no memory there", NULL, 0);
		if (!list_packet(r, p, n, i + n == end))
			return false;
	}
	return true;
}

bool sim_hws_read_list(struct sim_hws *h, const u32 *p)
{
	struct reader r = {
		.h = h,
		.start = PM4_LIST_ADDR(p),
		.addr = PM4_LIST_ADDR(p),
		.dwords = PM4_LIST_DWORDS(p),
	};

	h->nr_processes = 0;
	h->nr_queues = 0;
	memset(h->seen, 0, sizeof(h->seen));
	sim_sched_reset(&h->sched);
	h->sched.max_processes = PM4_LIST_PROCESSES(p);
	do {
		if (!read_buffer(&r))
			return false;
	} while (r.dwords);
	if (h->nr_queues && !PM4_LIST_PROCESSES(p))
		return bad_list(&r, "RUN_LIST: no process at a time", p, PM4_RUN_LIST_LEN);
	h->rotated = r.rotated;
	return true;
}
