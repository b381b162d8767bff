// SPDX-License-Identifier: GPL-2.0-only
/*
 * When the model runs, and how it learns of doorbells.
 *
 * The model is driven by events. A timer is set to the next one that anybody can
 * notice. The model then runs in an irq_work (hard irq), not in the timer interrupt:
 * when timers are due again for the third time in one, hrtimer_interrupt() takes
 * that for a hang, and no timer fires for as long as it was busy.
 *
 * The HIQ's doorbell is seen in the driver's own write_kernel_doorbell64(),
 * user doorbells, which are plain memory here, in two ways:
 *
 *   - a sched_switch probe checks the doorbells of the process that leaves
 *     the CPU. A program that has rung and then waits causes such a switch,
 *     at which its ring takes effect;
 *   - while a process that owns mapped queues stays on a CPU, a timer of that
 *     CPU looks every POLL_NS, backing off to POLL_MAX_NS without rings.
 *
 * Error of the simulated time. The model stamps events with the time they
 * happen, so late interrupts do not shift them. What remains:
 *
 *   - from a ring to its detection: for a program that blocks, the few
 *     microseconds of its own instructions until it does; for one that keeps
 *     computing at most POLL_NS, or POLL_MAX_NS for the first ring after
 *     BACK_OFF silent polls. Nothing polls while no such program runs;
 *   - the model's own instructions, about 2 us a run under icount (vgpu/stats
 *     counts them), delay the program or driver they interrupt, unless it
 *     waits for a simulated latency anyway;
 *   - bytes of a copy are moved by the guest's CPU, slower than by most copy
 *     engines. A run is cut off after RUN_MAX_NS and continues when others had
 *     the CPU for as long. Meanwhile the GPU's time lags, and requests to it
 *     take effect in its time: at once, not when it has caught up.
 */
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "vgpu.h"
#include "vgpu_trace.h"

#define POLL_NS		(50 * NSEC_PER_USEC)
#define POLL_MAX_NS	(1000 * NSEC_PER_USEC)
#define BACK_OFF	20	/* silent polls before the period doubles */
#define SIGNAL_POLL_NS	(50 * NSEC_PER_USEC)
#define RUN_MAX_NS	(2 * NSEC_PER_MSEC)
#define RUN_EVENTS	8	/* between two looks at the clock */
#define SOON_NS		(1 * NSEC_PER_USEC)	/* from set_timer() to the next run, at least */

/* Per CPU: watch the doorbells of the running program. */
struct vgpu_cpu {
	struct irq_work kick;
	struct hrtimer poll;
	u32 period;
	u32 silent;
};

static DEFINE_PER_CPU(struct vgpu_cpu, vgpu_cpus);
static struct tracepoint *switch_point;
static bool (*queue_irq_work_on)(struct irq_work *work, int cpu);

static bool is_owner(const struct vgpu *vg, const void *mm)
{
	u32 i, n = READ_ONCE(vg->nr_owners);

	for (i = 0; i < n; i++)
		if (READ_ONCE(vg->owners[i]) == mm)
			return true;
	return false;
}

/* Whether that process has a queue in the hardware of any GPU. */
static bool is_anyones(const void *mm)
{
	const struct vgpu *vg;
	u32 i;

	if (!mm)
		return false;
	vgpu_for_each(vg, i)
		if (is_owner(vg, mm))
			return true;
	return false;
}

static bool rung(const struct vgpu *vg, const void *mm)
{
	u32 i;

	if (!is_owner(vg, mm))
		return false;
	for (i = 0; i < vg->nr_nodes; i++)
		if (vgpu_hqd_rung(&vg->nodes[i], mm))
			return true;
	return false;
}

static bool any_rung(const void *mm)
{
	const struct vgpu *vg;
	u32 i;

	if (!mm)
		return false;
	vgpu_for_each(vg, i)
		if (rung(vg, mm))
			return true;
	return false;
}

/* ---- running the model ---- */

/* When a node acts next by itself. */
static u64 node_next(const struct vgpu_node *node)
{
	return min(sim_next_event(&node->gpu), node->vg->gen->firmware->next(node));
}

/* The same of what anybody notices. The model's other events are made up for then. */
static u64 node_visible(const struct vgpu_node *node)
{
	return min(sim_next_visible(&node->gpu), node->vg->gen->firmware->next(node));
}

static void set_timer(struct vgpu *vg, u64 now, u64 earliest)
{
	u64 next = SIM_NEVER;
	u32 i;

	for (i = 0; i < vg->nr_nodes; i++) {
		next = min(next, node_visible(&vg->nodes[i]));
		/* a signal that a packet waits for may be set by a CPU */
		if (vg->nodes[i].gpu.blocked)
			next = min(next, now + SIGNAL_POLL_NS);
	}
	next = max3(min(next, vgpu_interrupt_next(vg)), earliest, ktime_get_ns() + SOON_NS);
	if (next == vg->timer_at)
		return;
	vg->timer_at = next;
	if (next == SIM_NEVER)
		hrtimer_try_to_cancel(&vg->timer);
	else
		hrtimer_start(&vg->timer, ns_to_ktime(next),
			      HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Whether it has come up to the present, or was cut off. */
static bool run_node(struct vgpu_node *node, u64 now, u64 deadline)
{
	u32 events = 0;
	u64 t;

	vgpu_hqd_scan_doorbells(node);
	for (;;) {
		t = node_next(node);
		if (t > now)
			break;
		if (++events % RUN_EVENTS == 0 && ktime_get_ns() > deadline)
			return false;
		sim_advance(&node->gpu, max(t, node->gpu.now));
		node->vg->gen->firmware->step(node, node->gpu.now);
	}
	sim_advance(&node->gpu, max(now, node->gpu.now));
	return true;
}

/* Bring the model up to the present. */
void vgpu_engine_run(struct vgpu *vg)
{
	u64 now = ktime_get_ns(), t;
	struct vgpu_stats *s = &vg->nodes[0].stats;
	bool behind = false;
	u32 i;

	lockdep_assert_held(&vg->lock);
	for (i = 0; i < vg->nr_nodes; i++)
		behind |= !run_node(&vg->nodes[i], now, now + RUN_MAX_NS);
	vg->behind = behind;
	vgpu_interrupt_deliver(vg, now);
	t = ktime_get_ns() - now;
	set_timer(vg, now, behind ? now + 2 * t : 0);

	s->runs++;
	s->run_ns += t;
	s->run_max_ns = max(s->run_max_ns, t);
	vgpu_clock_ran(vg, now);
}

/* The time of a node for a request that is made now. */
u64 vgpu_node_time(const struct vgpu_node *node)
{
	return node->vg->behind ? node->gpu.now : ktime_get_ns();
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct vgpu *vg = container_of(timer, struct vgpu, timer);

	vgpu_clock_interrupt();
	irq_work_queue(&vg->due);
	return HRTIMER_NORESTART;
}

static void on_due(struct irq_work *work)
{
	struct vgpu *vg = container_of(work, struct vgpu, due);
	unsigned long flags;
	u32 i;

	/* it is being removed */
	if (READ_ONCE(vgpu_devices[vg->index]) != vg)
		return;
	vgpu_clock_interrupt();
	raw_spin_lock_irqsave(&vg->lock, flags);
	/* it was due earlier, and the interrupt is late */
	vgpu_clock_ran(vg, vg->timer_at);
	vg->timer_at = 0;
	for (i = 0; i < vg->nr_nodes; i++)
		sim_retry_blocked(&vg->nodes[i].gpu);
	vgpu_engine_run(vg);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
}

void vgpu_engine_kick(struct vgpu *vg)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vg->lock, flags);
	vgpu_engine_run(vg);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
}

static void kick_all(void)
{
	struct vgpu *vg;
	u32 i;

	vgpu_for_each(vg, i)
		vgpu_engine_kick(vg);
}

/* ---- doorbells ---- */

static void start_poll(struct vgpu_cpu *c)
{
	c->period = POLL_NS;
	c->silent = 0;
	if (!hrtimer_is_queued(&c->poll))
		hrtimer_start(&c->poll, ns_to_ktime(POLL_NS),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

static enum hrtimer_restart on_poll(struct hrtimer *timer)
{
	struct vgpu_cpu *c = container_of(timer, struct vgpu_cpu, poll);

	vgpu_clock_interrupt();
	if (!is_anyones(current->mm))
		return HRTIMER_NORESTART;
	if (any_rung(current->mm)) {
		c->period = POLL_NS;
		c->silent = 0;
		irq_work_queue(&c->kick);
	} else if (++c->silent >= BACK_OFF) {
		c->period = min_t(u32, c->period * 2, POLL_MAX_NS);
		c->silent = 0;
	}
	hrtimer_forward_now(timer, ns_to_ktime(c->period));
	return HRTIMER_RESTART;
}

static void on_kick(struct irq_work *work)
{
	vgpu_clock_interrupt();
	kick_all();
	if (is_anyones(current->mm))
		start_poll(this_cpu_ptr(&vgpu_cpus));
}

static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	struct vgpu_cpu *c = this_cpu_ptr(&vgpu_cpus);
	const u64 from = vgpu_clock_switch();

	if (any_rung(prev->mm))
		irq_work_queue(&c->kick);
	if (is_anyones(next->mm))
		start_poll(c);
	/* others of its flags may change meanwhile */
	vgpu_clock_switched(from, data_race(is_idle_task(next)));
}

static void add_owner(struct vgpu *vg, const void *mm)
{
	if (!mm || is_owner(vg, mm) || vg->nr_owners == VGPU_OWNERS)
		return;
	WRITE_ONCE(vg->owners[vg->nr_owners], mm);
	WRITE_ONCE(vg->nr_owners, vg->nr_owners + 1);
}

/*
 * Queues were mapped or unmapped: collect their owners. A program that is
 * already running must be polled from now on, on any CPU.
 */
void vgpu_engine_owners_changed(struct vgpu *vg)
{
	const struct sim_gpu *gpu;
	u32 n, i, cpu;

	WRITE_ONCE(vg->nr_owners, 0);
	for (n = 0; n < vg->nr_nodes; n++) {
		gpu = &vg->nodes[n].gpu;
		for (i = 0; i < gpu->nr_queues; i++)
			add_owner(vg, vgpu_queue(gpu->queues[i])->entry.mm);
	}
	if (!vg->nr_owners)
		return;
	for_each_online_cpu(cpu)
		queue_irq_work_on(per_cpu_ptr(&vgpu_cpus.kick, cpu), cpu);
}

/* ---- set up ---- */

static void find_switch_point(struct tracepoint *tp, void *priv)
{
	if (!strcmp(tp->name, "sched_switch"))
		switch_point = tp;
}

static void sim_preempted(void *owner, u64 t)
{
	struct vgpu_node *node = owner;

	trace_quiet(node, t);
	node->vg->gen->firmware->preempted(node, t);
}

static u64 sim_ticks(void *owner, u64 t_ns)
{
	struct vgpu_node *node = owner;

	return div_u64(t_ns * node->profile->ticks_mhz, 1000);
}

static void sim_saving(void *owner, u64 t)
{
	trace_saving(owner, t);
	vgpu_fault_saving(owner);
}

static void sim_first_wave(struct sim_queue *q, u64 t)
{
	trace_first_wave(vgpu_queue(q), t);
}

static const struct sim_ops ops = {
	.memory = vgpu_vm_memory,
	.interrupt = vgpu_interrupt_event,
	.peek = vgpu_vm_peek,
	.ticks = sim_ticks,
	.kernel = vgpu_native_kernel,
	.retired = vgpu_native_retired,
	.completed = vgpu_native_completed,
	.saved = vgpu_hqd_saved,
	.fault = vgpu_hqd_fault,
	.saving = sim_saving,
	.first_wave = sim_first_wave,
	.preempted = sim_preempted,
};

void vgpu_node_init(struct vgpu_node *node)
{
	vgpu_fault_init(node);
	sim_gpu_init(&node->gpu, node->profile, &ops, node);
	node->gpu.time_unknown = vgpu_time_unknown;
	node->vg->gen->firmware->init(node);
}

void vgpu_node_reset(struct vgpu_node *node)
{
	sim_gpu_reset(&node->gpu);
	node->vg->gen->firmware->reset(node);
}

int vgpu_engine_init(void)
{
	struct vgpu_cpu *c;
	u32 cpu;

	queue_irq_work_on = vgpu_symbol("irq_work_queue_on");	/* not exported */
	if (!queue_irq_work_on)
		return -ENOENT;
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(&vgpu_cpus, cpu);
		c->kick = IRQ_WORK_INIT_HARD(on_kick);
		hrtimer_setup(&c->poll, on_poll, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
	for_each_kernel_tracepoint(find_switch_point, NULL);
	return switch_point ? 0 : -ENOENT;
}

int vgpu_engine_start(void)
{
	return tracepoint_probe_register(switch_point, on_switch, NULL);
}

void vgpu_engine_stop(void)
{
	u32 cpu;

	tracepoint_probe_unregister(switch_point, on_switch, NULL);
	tracepoint_synchronize_unregister();
	vgpu_clock_stop();
	for_each_possible_cpu(cpu) {
		irq_work_sync(per_cpu_ptr(&vgpu_cpus.kick, cpu));
		hrtimer_cancel(per_cpu_ptr(&vgpu_cpus.poll, cpu));
	}
}

/* From here on the device is found, and its doorbells are seen. */
int vgpu_engine_add(struct vgpu *vg)
{
	u32 i;

	raw_spin_lock_init(&vg->lock);
	vg->tlb_epoch = 1;
	vg->due = IRQ_WORK_INIT_HARD(on_due);
	hrtimer_setup(&vg->timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	for (i = 0; i < vg->nr_nodes; i++)
		vgpu_node_init(&vg->nodes[i]);
	for (i = 0; i < VGPU_DEVICES; i++) {
		if (vgpu_devices[i])
			continue;
		vg->index = i;
		smp_store_release(&vgpu_devices[i], vg);
		return 0;
	}
	return -ENOSPC;
}

void vgpu_engine_remove(struct vgpu *vg)
{
	WRITE_ONCE(vgpu_devices[vg->index], NULL);
	synchronize_rcu();	/* readers of these run with interrupts disabled */
	hrtimer_cancel(&vg->timer);
	irq_work_sync(&vg->due);
}
