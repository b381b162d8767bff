// SPDX-License-Identifier: MIT
/* The firmware's side of the HIQ; see hws.h. */
#include "firmware/hws.h"
#include "firmware/pm4.h"

static struct sim_queue *map(void *owner, struct sim_sched_entry *e, u64 t)
{
	struct sim_hws *h = owner;
	struct sim_hws_queue *q = sim_hws_queue(e);
	struct sim_queue *sim;

	h->why = "no slot";
	sim = h->ops->map(h->owner, q, t);
	if (!sim)
		sim_hws_refuse(h, &h->stats.bad_queues, h->why, NULL, 0);
	return sim;
}

/* What the firmware takes for a packet. */
static u64 packet_ns(struct sim_hws *h)
{
	return sim_packet_ns(h->sched.gpu);
}

static void applied(void *owner, u64 t)
{
	struct sim_hws *h = owner;

	if (!h->unmapping)
		return;
	h->unmapping = false;
	if (h->hung)
		return;
	h->at = t + packet_ns(h);
	if (h->ops->late)
		h->at += h->ops->late(h->owner);
}

static const struct sim_sched_ops sched_ops = {
	.map = map,
	.applied = applied,
};

void sim_hws_init(struct sim_hws *h, struct sim_gpu *gpu,
		  const struct sim_hws_ops *ops, void *owner)
{
	memset(h, 0, sizeof(*h));
	h->ops = ops;
	h->owner = owner;
	sim_sched_init(&h->sched, gpu, &sched_ops, h, 0);
	sim_hws_reset(h);
}

void sim_hws_reset(struct sim_hws *h)
{
	const struct sim_profile *p = h->sched.gpu->profile;

	sim_sched_reset(&h->sched);
	h->nr_processes = 0;
	h->nr_queues = 0;
	h->loaded = false;
	h->unmapping = false;
	h->hung = false;
	h->resources = false;
	h->rotated = false;
	h->at = SIM_NEVER;
	h->wait_time2 = p->grace_default << PM4_SCH_WAVE_SHIFT;
	h->sched.grace_ns = sim_grace_ns(p, p->grace_default);
}

void sim_hws_load(struct sim_hws *h, u64 ring, u32 dwords, u64 rptr_report)
{
	sim_hws_reset(h);
	h->ring = ring;
	h->dwords = dwords;
	h->rptr = 0;
	h->wptr = 0;
	h->rptr_report = rptr_report;
	h->loaded = true;
}

void sim_hws_unload(struct sim_hws *h)
{
	h->loaded = false;
	h->at = SIM_NEVER;
}

void sim_hws_ring(struct sim_hws *h, u32 wptr, u64 now)
{
	if (!h->loaded || h->hung)
		return;
	h->wptr = wptr & (h->dwords - 1);
	if (h->at == SIM_NEVER && !h->unmapping)
		h->at = now + packet_ns(h);
}

static void bad_packet(struct sim_hws *h, const char *why, const u32 *p, u32 n)
{
	sim_hws_refuse(h, &h->stats.bad_packets, why, p, n);
}

static void changed(struct sim_hws *h)
{
	if (h->ops->changed)
		h->ops->changed(h->owner);
}

/* ---- packets ---- */

static void set_resources(struct sim_hws *h, const u32 *p, u32 n)
{
	const struct sim_profile *profile = h->sched.gpu->profile;
	u64 slots = PM4_RES_QUEUES(p), left = slots;
	u32 count;

	h->stats.set_resources++;
	for (count = 0; left; left &= left - 1)
		count++;
	if (n != PM4_SET_RESOURCES_LEN || PM4_RES_QUEUE_TYPE(p) != PM4_RES_HIQ)
		bad_packet(h, "SET_RESOURCES: not for the HIQ", p, n);
	else if (h->sched.gpu->nr_queues)
		bad_packet(h, "SET_RESOURCES: queues are mapped", p, n);
	else if (!PM4_RES_VMIDS(p) || PM4_RES_VMIDS(p) & 1)
		bad_packet(h, "SET_RESOURCES: VMIDs: none, or the driver's own", p, n);
	else if (!count || count > profile->hqds)
		bad_packet(h, "SET_RESOURCES: slots: none, or more than there are", p, n);
	if (h->hung)
		return;
	h->sched.vmid_mask = PM4_RES_VMIDS(p);
	h->sched.slot_mask[0] = (1ULL << count) - 1;	/* the n-th of them */
	h->resources = true;
}

static void run_list(struct sim_hws *h, const u32 *p, u32 n, u64 t)
{
	u64 fetch;

	h->stats.run_list++;
	if (n != PM4_RUN_LIST_LEN || !PM4_LIST_VALID(p) || PM4_LIST_CHAIN(p) ||
	    PM4_LIST_OFFLOAD(p)) {
		bad_packet(h, "RUN_LIST: bits", p, n);
		return;
	}
	if (!h->resources || h->sched.gpu->nr_queues) {
		sim_hws_refuse(h, &h->stats.bad_runlists, h->resources ?
			       "RUN_LIST: queues are mapped" :
			       "RUN_LIST: before SET_RESOURCES", p, n);
		return;
	}
	if (!sim_hws_read_list(h, p))
		return;
	fetch = sim_runlist_ns(h->sched.gpu, h->nr_processes + h->nr_queues);
	h->at += fetch;
	sim_sched_apply(&h->sched, t + fetch, h->sched.grace_ns);
	changed(h);
	if (h->sched.waiting && !h->rotated && !h->hung)
		sim_hws_refuse(h, &h->stats.bad_runlists,
			       "RUN_LIST: over-subscribed, and no chain says so", p, n);
}

static bool selected(const u32 *p, const struct sim_hws_queue *q)
{
	u32 i;

	switch (PM4_UNMAP_SEL(p)) {
	case PM4_SEL_ALL:
		return true;
	case PM4_SEL_DYNAMIC:
		return !q->sched.is_static;
	case PM4_SEL_PASID:
		return sim_hws_process(q)->pasid == PM4_UNMAP_PASID(p);
	}
	for (i = 0; i < PM4_UNMAP_COUNT(p); i++)
		if (PM4_UNMAP_DOORBELL(p, i) == q->doorbell)
			return true;
	return false;
}

static void unmap(struct sim_hws *h, struct sim_sched_entry *e)
{
	if (e->queue && h->ops->stuck && h->ops->stuck(h->owner, sim_hws_queue(e)))
		e->stuck = true;
	sim_sched_remove(&h->sched, e);
}

static void unmap_queues(struct sim_hws *h, const u32 *p, u32 n, u64 t)
{
	struct sim_sched_process *process;
	struct sim_sched_entry *e;

	h->stats.unmap_queues++;
	if (n != PM4_UNMAP_QUEUES_LEN || PM4_UNMAP_ACTION(p) != PM4_UNMAP_PREEMPT ||
	    PM4_UNMAP_ENGINE(p) != PM4_ENGINE_COMPUTE ||
	    PM4_UNMAP_EXT_ENGINE(p) > PM4_EXT_SDMA_0_7 ||
	    (PM4_UNMAP_SEL(p) == PM4_SEL_NAMED &&
	     (!PM4_UNMAP_COUNT(p) || PM4_UNMAP_COUNT(p) > 4))) {
		bad_packet(h, "UNMAP_QUEUES: bits", p, n);
		return;
	}
	for (process = h->sched.processes; process; process = process->next)
		for (e = process->entries; e; e = e->next)
			if (selected(p, sim_hws_queue(e)))
				unmap(h, e);
	h->unmapping = true;
	h->at = SIM_NEVER;
	sim_sched_apply(&h->sched, t, h->sched.grace_ns);
	changed(h);
}

static void query_status(struct sim_hws *h, const u32 *p, u32 n)
{
	u64 *fence = NULL;

	h->stats.query_status++;
	if (n != PM4_QUERY_STATUS_LEN || PM4_QUERY_INTERRUPT(p) ||
	    (PM4_QUERY_COMMAND(p) != PM4_QUERY_FENCE &&
	     PM4_QUERY_COMMAND(p) != PM4_QUERY_FENCE_AFTER_ACK)) {
		bad_packet(h, "QUERY_STATUS: bits", p, n);
		return;
	}
	if (PM4_QUERY_ADDR(p) % 8 == 0)
		fence = h->ops->memory(h->owner, PM4_QUERY_ADDR(p), 8);
	if (!fence) {
		bad_packet(h, "QUERY_STATUS: no memory there", p, n);
		return;
	}
	/* after all earlier writes of the firmware */
	__atomic_store_n(fence, PM4_QUERY_DATA(p), __ATOMIC_RELEASE);
}

static void write_data(struct sim_hws *h, const u32 *p, u32 n)
{
	h->stats.write_data++;
	if (n != PM4_WRITE_DATA_LEN || PM4_WRITE_DST(p) != PM4_WRITE_TO_REG ||
	    PM4_WRITE_REG(p) != PM4_REG_IQ_WAIT_TIME2) {
		bad_packet(h, "WRITE_DATA: not to CP_IQ_WAIT_TIME2", p, n);
		return;
	}
	h->wait_time2 = PM4_WRITE_VALUE(p);
	h->sched.grace_ns = sim_grace_ns(h->sched.gpu->profile,
					 PM4_SCH_WAVE(h->wait_time2));
}

static void packet(struct sim_hws *h, const u32 *p, u32 n, u64 t)
{
	switch (pm4_opcode(p[0])) {
	case PM4_SET_RESOURCES:
		set_resources(h, p, n);
		break;
	case PM4_RUN_LIST:
		run_list(h, p, n, t);
		break;
	case PM4_UNMAP_QUEUES:
		unmap_queues(h, p, n, t);
		break;
	case PM4_QUERY_STATUS:
		query_status(h, p, n);
		break;
	case PM4_WRITE_DATA:
		write_data(h, p, n);
		break;
	default:
		bad_packet(h, "unknown packet", p, n);
	}
}

/* ---- the ring ---- */

static bool ring_dwords(struct sim_hws *h, u32 at, u32 *to, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (!sim_hws_read(h, h->ring + ((at + i) & (h->dwords - 1)) * 4ULL,
				  &to[i], 1))
			return false;
	return true;
}

/* The packet at the read pointer, which moves on; 0: none, or refused. */
static u32 next_packet(struct sim_hws *h, u32 *p)
{
	u32 n, left;

	while (h->rptr != h->wptr) {
		left = (h->wptr - h->rptr) & (h->dwords - 1);
		if (!ring_dwords(h, h->rptr, p, 1)) {
			bad_packet(h, "the HIQ has no memory", NULL, 0);
			return 0;
		}
		n = pm4_len(p[0]);
		if (pm4_type(p[0]) != 3 || n > left ||
		    (n > PM4_MAX_LEN && pm4_opcode(p[0]) != PM4_NOP)) {
			bad_packet(h, "not a packet", p, 1);
			return 0;
		}
		if (pm4_opcode(p[0]) == PM4_NOP) {	/* filler at the wrap */
			h->rptr = (h->rptr + n) & (h->dwords - 1);
			continue;
		}
		if (!ring_dwords(h, h->rptr, p, n)) {
			bad_packet(h, "the HIQ has no memory", NULL, 0);
			return 0;
		}
		h->rptr = (h->rptr + n) & (h->dwords - 1);
		return n;
	}
	return 0;
}

bool sim_hws_owes(struct sim_hws *h)
{
	u32 left = h->loaded ? (h->wptr - h->rptr) & (h->dwords - 1) : 0, header, n;

	for (; left && ring_dwords(h, h->wptr - left, &header, 1); left -= n) {
		if (pm4_opcode(header) == PM4_QUERY_STATUS)
			return true;
		n = pm4_len(header);
		if (n > left)
			return false;
	}
	return false;
}

static void report_rptr(struct sim_hws *h)
{
	u32 *p = h->rptr_report ? h->ops->memory(h->owner, h->rptr_report, 4) : NULL;

	if (p)
		__atomic_store_n(p, h->rptr, __ATOMIC_RELEASE);
}

u64 sim_hws_next_event(const struct sim_hws *h)
{
	u64 quantum;

	if (h->hung || sim_sched_busy(&h->sched))
		return SIM_NEVER;
	quantum = sim_sched_next_event(&h->sched);
	return h->at < quantum ? h->at : quantum;
}

void sim_hws_step(struct sim_hws *h, u64 t)
{
	u32 p[PM4_MAX_LEN], n;

	if (sim_hws_next_event(h) > t)
		return;
	if (h->at > t) {
		sim_sched_step(&h->sched, t);
		return;
	}
	h->at = SIM_NEVER;
	n = next_packet(h, p);
	if (!n)
		return;
	if (h->ops->stop && h->ops->stop(h->owner, p)) {
		h->hung = true;
		return;
	}
	h->at = t + packet_ns(h);
	packet(h, p, n, t);
	report_rptr(h);
}

void sim_hws_preempted(struct sim_hws *h, u64 t)
{
	sim_sched_preempted(&h->sched, t);
	changed(h);
}
