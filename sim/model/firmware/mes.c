// SPDX-License-Identifier: MIT
/* MES: the driver's calls, what they cost, and their order in time. */
#include "firmware/mes.h"

const char *sim_mes_reason(enum sim_mes_status status)
{
	static const char *const reasons[] = {
		[SIM_MES_OK] = "ok",
		[SIM_MES_FULL] = "too many queues",
		[SIM_MES_DUPLICATE] = "doorbell in use",
		[SIM_MES_UNKNOWN] = "no such queue or gang",
		[SIM_MES_BAD_MQD] = "bad MQD",
		[SIM_MES_BAD_DOORBELL] = "bad doorbell",
		[SIM_MES_BAD_TYPE] = "bad queue type",
		[SIM_MES_BAD_PRIORITY] = "bad priority level",
		[SIM_MES_BAD_GANG] = "bad gang",
		[SIM_MES_BAD_CALL] = "bad call",
		[SIM_MES_INJECTED] = "injected fault",
	};

	return reasons[status];
}

u32 sim_mes_launch_priority(u32 level, u32 pipe)
{
	return level * SIM_PIPE_PRIORITIES + pipe;
}

static struct sim_mes_queue *to_queue(struct sim_sched_entry *e)
{
	/* the entry is the first field */
	return (struct sim_mes_queue *)e;
}

/* ---- the list ---- */

static struct sim_mes_queue *find_doorbell(const struct sim_mes *mes, u32 doorbell)
{
	u32 i;

	for (i = 0; i < mes->nr_queues; i++)
		if (mes->queues[i]->doorbell == doorbell)
			return mes->queues[i];
	return NULL;
}

static struct sim_mes_process *find_process(struct sim_mes *mes, u64 key, u32 level)
{
	struct sim_mes_process *p, *unused = NULL;
	u32 i;

	for (i = 0; i < SIM_MES_PROCESSES; i++) {
		p = &mes->processes[i];
		if (p->queues && p->sched.key == key && p->sched.level == level)
			return p;
		if (!p->queues && !unused)
			unused = p;
	}
	return unused;
}

static void set_held(struct sim_mes_queue *q)
{
	q->entry.held = q->suspended || q->parked;
}

static void forget(struct sim_mes *mes, struct sim_mes_queue *q)
{
	u32 i;

	for (i = 0; mes->queues[i] != q; i++)
		;
	mes->queues[i] = mes->queues[--mes->nr_queues];
	find_process(mes, q->process, q->level)->queues--;
	mes->ops->gone(mes->owner, q);
}

/* ---- what a call changes ---- */

static enum sim_mes_status check_add(struct sim_mes *mes, struct sim_mes_queue *q)
{
	u32 i;

	if (q->entry.pool >= SIM_POOLS || !mes->sched.slot_mask[q->entry.pool])
		return SIM_MES_BAD_TYPE;
	if (q->level >= SIM_MES_LEVELS)
		return SIM_MES_BAD_PRIORITY;
	if (!q->process || !q->gang)
		return SIM_MES_BAD_GANG;
	for (i = 0; i < mes->nr_queues; i++)
		if (mes->queues[i]->gang == q->gang &&
		    (mes->queues[i]->process != q->process ||
		     mes->queues[i]->level != q->level))
			return SIM_MES_BAD_GANG;
	if (find_doorbell(mes, q->doorbell))
		return SIM_MES_DUPLICATE;
	if (mes->nr_queues == SIM_MES_QUEUES ||
	    !find_process(mes, q->process, q->level))
		return SIM_MES_FULL;
	return mes->ops->check(mes->owner, q);
}

static enum sim_mes_status add(struct sim_mes *mes)
{
	struct sim_mes_queue *q = mes->call.add;
	enum sim_mes_status status = check_add(mes, q);
	struct sim_mes_process *p;

	if (status != SIM_MES_OK)
		return status;
	q->suspended = false;
	q->parked = false;
	set_held(q);
	q->entry.is_static = false;
	q->entry.rank = q->priority;
	q->entry.quantum_ns = q->gang_quantum_ns;
	p = find_process(mes, q->process, q->level);
	if (!p->queues) {
		memset(p, 0, sizeof(*p));
		p->sched.key = q->process;
		p->sched.level = q->level;
		p->sched.quantum_ns = q->process_quantum_ns;
		sim_sched_add_process(&mes->sched, &p->sched);
	}
	p->queues++;
	sim_sched_add(&mes->sched, &p->sched, &q->entry);
	mes->queues[mes->nr_queues++] = q;
	return SIM_MES_OK;
}

static enum sim_mes_status remove_queue(struct sim_mes *mes)
{
	struct sim_mes_queue *q = find_doorbell(mes, mes->call.doorbell);

	if (!q || (mes->call.gang && q->gang != mes->call.gang))
		return SIM_MES_UNKNOWN;
	sim_sched_remove(&mes->sched, &q->entry);
	return SIM_MES_OK;
}

static enum sim_mes_status suspend(struct sim_mes *mes, bool suspended)
{
	bool found = mes->call.all;
	u32 i;

	for (i = 0; i < mes->nr_queues; i++) {
		if (!mes->call.all && mes->queues[i]->gang != mes->call.gang)
			continue;
		mes->queues[i]->suspended = suspended;
		set_held(mes->queues[i]);
		found = true;
	}
	return found ? SIM_MES_OK : SIM_MES_UNKNOWN;
}

static bool concerns(const struct sim_mes_fault *f, const struct sim_mes_call *call)
{
	u32 doorbell = call->op == SIM_MES_ADD ? call->add->doorbell : call->doorbell;

	return (f->op == SIM_MES_OPS || f->op == call->op) &&
		(!f->doorbell || f->doorbell == doorbell);
}

static enum sim_mes_status change(struct sim_mes *mes)
{
	if (mes->fault.fail && concerns(&mes->fault, &mes->call)) {
		mes->fault.fail--;
		return SIM_MES_INJECTED;
	}
	switch (mes->call.op) {
	case SIM_MES_ADD:
		return add(mes);
	case SIM_MES_REMOVE:
		return remove_queue(mes);
	case SIM_MES_SUSPEND:
		return suspend(mes, true);
	case SIM_MES_RESUME:
		return suspend(mes, false);
	case SIM_MES_OTHER:
		return SIM_MES_OK;
	default:
		return SIM_MES_BAD_CALL;
	}
}

/* ---- parking ---- */

static bool has_work(struct sim_mes *mes, struct sim_mes_queue *q)
{
	if (!q->entry.queue)
		return mes->ops->work(mes->owner, q);
	return sim_queue_busy(q->entry.queue);
}

/* It has no slot, and would be among the next to get one. */
static bool waits(const struct sim_mes_queue *q)
{
	return !q->entry.queue && !q->entry.held;
}

/*
 * Unpark queues that have got work. If a queue with work has no slot although
 * it could run, park queues without work. Returns whether anything changed.
 */
static bool park(struct sim_mes *mes)
{
	bool contended = false, changed = false;
	struct sim_mes_queue *q;
	u32 i;

	for (i = 0; i < mes->nr_queues; i++) {
		q = mes->queues[i];
		if (q->parked && has_work(mes, q)) {
			q->parked = false;
			set_held(q);
			changed = true;
		}
		contended |= waits(q) && has_work(mes, q);
	}
	for (i = 0; contended && i < mes->nr_queues; i++) {
		q = mes->queues[i];
		if (q->entry.held || has_work(mes, q))
			continue;
		q->parked = true;
		set_held(q);
		mes->stats.parked++;
		changed = true;
	}
	return changed;
}

/* Look for work only while a queue has no slot. */
static u64 next_tick(const struct sim_mes *mes, u64 t)
{
	const struct sim_mes_queue *q;
	u32 i;

	for (i = 0; i < mes->nr_queues; i++) {
		q = mes->queues[i];
		if (!q->entry.queue && !q->suspended)
			return t + mes->sched.gpu->profile->queue_quantum_ns;
	}
	return SIM_NEVER;
}

/* ---- time ---- */

static void look_at_call(struct sim_mes *mes, u64 t)
{
	mes->state = SIM_MES_CALL;
	mes->begun = false;
	mes->at = t + sim_packet_ns(mes->sched.gpu);
}

bool sim_mes_ready(const struct sim_mes *mes)
{
	return !mes->pending;
}

void sim_mes_call(struct sim_mes *mes, const struct sim_mes_call *call, u64 t)
{
	mes->call = *call;
	mes->call_at = t;
	mes->pending = true;
	mes->begun = false;
	if (mes->state == SIM_MES_IDLE)
		look_at_call(mes, t);
}

static void answer(struct sim_mes *mes, enum sim_mes_status status, u64 t)
{
	u64 took = t - mes->call_at;

	mes->pending = false;
	if (status == SIM_MES_OK)
		mes->stats.calls[mes->call.op]++;
	else
		mes->stats.errors++;
	mes->stats.call_ns += took;
	if (took > mes->stats.call_max_ns)
		mes->stats.call_max_ns = took;
	mes->ops->answer(mes->owner, status, t);
}

/* The firmware is free for a call that came meanwhile, or the next. */
static void go_on(struct sim_mes *mes, u64 t)
{
	mes->at = SIM_NEVER;
	mes->state = SIM_MES_IDLE;
	mes->tick_at = next_tick(mes, t);
	if (mes->pending)
		look_at_call(mes, t);
}

static void apply(struct sim_mes *mes, u64 t)
{
	mes->state = SIM_MES_APPLY;
	mes->at = SIM_NEVER;
	mes->maps = mes->sched.stats.maps;
	sim_sched_apply(&mes->sched, t, 0);
}

static void execute(struct sim_mes *mes, u64 t)
{
	enum sim_mes_status status;

	if (mes->fault.hang && concerns(&mes->fault, &mes->call)) {
		mes->fault.hang = false;
		mes->state = SIM_MES_HUNG;
		mes->at = SIM_NEVER;
		return;
	}
	mes->begun = true;
	status = change(mes);
	if (status == SIM_MES_OK) {
		apply(mes, t);
		return;
	}
	if (mes->call.op == SIM_MES_ADD)
		mes->ops->gone(mes->owner, mes->call.add);
	answer(mes, status, t);
	go_on(mes, t);
}

u64 sim_mes_next_event(const struct sim_mes *mes)
{
	u64 at = sim_sched_next_event(&mes->sched);
	u64 own = mes->state == SIM_MES_IDLE ? mes->tick_at : mes->at;

	if (mes->state == SIM_MES_HUNG)
		return SIM_NEVER;
	if (sim_sched_busy(&mes->sched))
		return at;
	return own < at ? own : at;
}

void sim_mes_step(struct sim_mes *mes, u64 t)
{
	if (mes->state == SIM_MES_HUNG)
		return;
	sim_sched_step(&mes->sched, t);
	if (sim_sched_busy(&mes->sched))
		return;
	if (mes->state == SIM_MES_IDLE && mes->tick_at <= t) {
		mes->tick_at = next_tick(mes, t);
		if (park(mes))
			apply(mes, t);
	} else if (mes->state == SIM_MES_CALL && mes->at <= t) {
		execute(mes, t);
	} else if (mes->state == SIM_MES_LOAD && mes->at <= t) {
		if (mes->pending && mes->begun)
			answer(mes, SIM_MES_OK, t);
		go_on(mes, t);
	}
}

void sim_mes_preempted(struct sim_mes *mes, u64 t)
{
	sim_sched_preempted(&mes->sched, t);
}

/* ---- the list's surroundings ---- */

static struct sim_queue *on_map(void *owner, struct sim_sched_entry *e, u64 t)
{
	struct sim_mes *mes = owner;
	struct sim_queue *q;

	if (t < mes->restored_at)
		t = mes->restored_at;
	q = mes->ops->map(mes->owner, to_queue(e), t);
	if (q)
		mes->restored_at = q->ready_at;
	return q;
}

static void on_unmapped(void *owner, struct sim_sched_entry *e, u64 t)
{
	struct sim_mes *mes = owner;

	if (mes->ops->unmapped)
		mes->ops->unmapped(mes->owner, to_queue(e), t);
}

static void on_forgotten(void *owner, struct sim_sched_entry *e)
{
	forget(owner, to_queue(e));
}

static void on_applied(void *owner, u64 t)
{
	struct sim_mes *mes = owner;
	u64 loads = mes->sched.stats.maps - mes->maps;

	/* a queue that gets the slot of a removed one is no part of that call */
	if (mes->pending && mes->begun && mes->call.op == SIM_MES_REMOVE)
		answer(mes, SIM_MES_OK, t);
	mes->state = SIM_MES_LOAD;
	mes->at = t + loads * mes->sched.gpu->profile->map_queue_ns;
}

static const struct sim_sched_ops sched_ops = {
	.map = on_map,
	.unmapped = on_unmapped,
	.forgotten = on_forgotten,
	.applied = on_applied,
};

void sim_mes_init(struct sim_mes *mes, struct sim_gpu *gpu,
		  const struct sim_mes_ops *ops, void *owner, u32 first_vmid)
{
	memset(mes, 0, sizeof(*mes));
	mes->ops = ops;
	mes->owner = owner;
	mes->at = SIM_NEVER;
	mes->tick_at = SIM_NEVER;
	mes->fault.op = SIM_MES_OPS;
	sim_sched_init(&mes->sched, gpu, &sched_ops, mes, first_vmid);
	mes->sched.grace_ns = 0;
}

void sim_mes_reset(struct sim_mes *mes)
{
	sim_sched_reset(&mes->sched);
	while (mes->nr_queues)
		mes->ops->gone(mes->owner, mes->queues[--mes->nr_queues]);
	memset(mes->processes, 0, sizeof(mes->processes));
	if (mes->pending && !mes->begun && mes->call.op == SIM_MES_ADD)
		mes->ops->gone(mes->owner, mes->call.add);
	mes->pending = false;
	mes->restored_at = 0;
	mes->state = SIM_MES_IDLE;
	mes->at = SIM_NEVER;
	mes->tick_at = SIM_NEVER;
}
