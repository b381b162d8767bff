// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of the guest's time that is the GPU's: while the model runs, and
 * while the driver waits for an answer of the firmware. Under icount the rest
 * is instructions of software, one a nanosecond, so that a benchmark can
 * separate software time from hardware time.
 *
 * The model has a timer and runs in irq_work interrupts, which hardware would not
 * need: an interrupt of either counts as the GPU's from entry to exit.
 * The time outside of the tracepoints of these two is measured once, when the
 * clock starts. At a context switch the model looks for doorbells that rang, which
 * hardware sees by itself: that is the GPU's time, too.
 *
 * The clock starts when the file below is opened for the first time: it takes
 * some microseconds of each switch, which a guest without such measurements
 * saves.
 *
 * debugfs vgpu/clock, one line, all of one moment, nanoseconds:
 *
 *   now        CLOCK_MONOTONIC
 *   gpu        the GPU's time so far, of all GPUs
 *   save       of that, what the model takes to save: from the last wave's stop
 *              to the end of the save, in the GPU's own time
 *   saves      preemptions so far
 *   quiet      CLOCK_MONOTONIC when the last of them was over
 *   quiet_gpu  the GPU's time until then, of the GPU it was on
 *   idle       how long processors had nothing to run, without what of that was the GPU's:
 *              the interrupts of the model, and that they were late
 */
#include <linux/debugfs.h>
#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/tracepoint.h>

#include "vgpu.h"

#define CALIBRATIONS	16

static DEFINE_STATIC_KEY_FALSE(running);
static DEFINE_MUTEX(start_lock);

static bool owes_answer(struct vgpu *vg)
{
	u32 i;

	for (i = 0; i < vg->nr_nodes; i++)
		if (vg->gen->firmware->owes(&vg->nodes[i]))
			return true;
	return false;
}

static u64 preemptions(const struct vgpu *vg)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < vg->nr_nodes; i++)
		sum += vg->nodes[i].gpu.stats.preemptions;
	return sum;
}

/* ---- nothing to run ---- */

/**
 * struct idle - of a processor
 * @since: it has nothing to run since then; 0: it has
 * @ns: how long that was, before
 * @gpu_ns: what the GPU had of it
 */
struct idle {
	u64 since;
	u64 ns;
	u64 gpu_ns;
};

static DEFINE_PER_CPU(struct idle, idles);

static void idle_switched(u64 from, bool to_idle)
{
	struct idle *idle = this_cpu_ptr(&idles);

	if (idle->since)
		idle->ns += from - idle->since;
	idle->since = to_idle ? ktime_get_ns() : 0;
}

/* The GPU had that period. */
static void idle_gpu_had(u64 from, u64 until)
{
	struct idle *idle = this_cpu_ptr(&idles);

	if (idle->since && until > idle->since)
		idle->gpu_ns += until - max(from, idle->since);
}

static u64 all_idle(u64 now)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct idle *idle = per_cpu_ptr(&idles, cpu);
		const u64 since = READ_ONCE(idle->since);

		sum += idle->ns - idle->gpu_ns + (since ? now - since : 0);
	}
	return sum;
}

/* ---- context switches ---- */

/* The lock of a GPU cannot be taken there: a runqueue's is held. */
static DEFINE_PER_CPU(u64, switches_ns);

u64 vgpu_clock_switch(void)
{
	return static_branch_unlikely(&running) ? ktime_get_ns() : 0;
}

void vgpu_clock_switched(u64 from, bool to_idle)
{
	struct vgpu *vg;
	u32 i;

	if (!from)
		return;
	idle_switched(from, to_idle);
	/* While an answer is owed, all time counts. */
	vgpu_for_each(vg, i)
		if (READ_ONCE(vg->clock.owed_since))
			return;
	this_cpu_add(switches_ns, ktime_get_ns() - from);
}

static u64 all_switches(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(switches_ns, cpu);
	return sum;
}

/* ---- runs of the model ---- */

/* What the GPU has run so far, the period that is under way included. */
static u64 gpu_ns(const struct vgpu_clock *c, u64 now)
{
	return c->ns + (c->owed_since && now > c->owed_since ? now - c->owed_since : 0);
}

/*
 * @tail: remaining time of the interrupt in which the model ran. Returns the end
 * of the time accounted.
 */
static u64 count(struct vgpu_clock *c, u64 from, u64 tail)
{
	bool owes = owes_answer(container_of(c, struct vgpu, clock));
	u64 until = ktime_get_ns() + tail;

	from = min(max(c->owed_since ?: from, c->until), until);
	if (owes) {
		WRITE_ONCE(c->owed_since, from);
		return until;
	}
	WRITE_ONCE(c->owed_since, 0);
	c->ns += until - from;
	c->until = until;
	idle_gpu_had(from, until);
	return until;
}

void vgpu_clock_ran(struct vgpu *vg, u64 from)
{
	struct vgpu_clock *c = &vg->clock;
	u64 now, saves, until;

	lockdep_assert_held(&vg->lock);
	if (!static_branch_unlikely(&running))
		return;
	now = ktime_get_ns();
	saves = preemptions(vg);
	until = count(c, from, 0);
	if (saves == c->saves)
		return;
	c->saves = saves;
	c->quiet = now;
	c->quiet_gpu = gpu_ns(c, until) - (until - now) + all_switches();
}

/* ---- interrupts ---- */

/* The interrupt being handled: its begin, and the end of the model's run in it. */
struct interrupt {
	u64 since;
	u64 until;
	bool model;
};

/* Time of an interrupt before on_entry() and after on_exit() read the clock. */
static u64 head_ns, tail_ns;

static DEFINE_PER_CPU(struct interrupt, interrupts);

/* The tracepoints of the two, at entry and exit. */
static struct tracepoint *entries[2], *exits[2];

void vgpu_clock_interrupt(void)
{
	this_cpu_write(interrupts.model, true);
}

static void on_entry(void *data, int vector)
{
	struct interrupt *in = this_cpu_ptr(&interrupts);

	in->since = ktime_get_ns();
	in->model = false;
}

static void on_exit(void *data, int vector)
{
	struct interrupt *in = this_cpu_ptr(&interrupts);
	unsigned long flags;
	struct vgpu *vg;
	u32 i;

	if (!in->model)
		return;
	vgpu_for_each(vg, i) {
		raw_spin_lock_irqsave(&vg->lock, flags);
		count(&vg->clock, in->since - head_ns, tail_ns);
		raw_spin_unlock_irqrestore(&vg->lock, flags);
	}
	in->until = ktime_get_ns();
}

static void on_calibration(struct irq_work *work)
{
	vgpu_clock_interrupt();
}

/* Interrupts with known begin and end; the shortest of several counts. */
static void calibrate(void)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(on_calibration);
	const struct interrupt *in;
	u64 before, after, pair;
	int i;

	head_ns = U64_MAX;
	tail_ns = U64_MAX;
	for (i = 0; i < CALIBRATIONS; i++) {
		preempt_disable();
		in = this_cpu_ptr(&interrupts);
		local_irq_disable();
		irq_work_queue(&work);
		pair = ktime_get_ns();
		before = ktime_get_ns();
		local_irq_enable();
		after = ktime_get_ns();
		pair = before - pair;
		head_ns = min(head_ns, in->since - min(before + pair, in->since));
		tail_ns = min(tail_ns, after - min(in->until + pair, after));
		preempt_enable();
		irq_work_sync(&work);
	}
}

static void find_points(struct tracepoint *tp, void *priv)
{
	if (!strcmp(tp->name, "local_timer_entry"))
		entries[0] = tp;
	else if (!strcmp(tp->name, "irq_work_entry"))
		entries[1] = tp;
	else if (!strcmp(tp->name, "local_timer_exit"))
		exits[0] = tp;
	else if (!strcmp(tp->name, "irq_work_exit"))
		exits[1] = tp;
}

static void remove_probes(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (entries[i])
			tracepoint_probe_unregister(entries[i], on_entry, NULL);
		if (exits[i])
			tracepoint_probe_unregister(exits[i], on_exit, NULL);
	}
	tracepoint_synchronize_unregister();
}

static int add_probes(void)
{
	int i, ret = 0;

	for_each_kernel_tracepoint(find_points, NULL);
	for (i = 0; i < 2 && !ret; i++) {
		if (!entries[i] || !exits[i])
			ret = -ENOENT;
		if (!ret)
			ret = tracepoint_probe_register(entries[i], on_entry, NULL);
		if (!ret)
			ret = tracepoint_probe_register(exits[i], on_exit, NULL);
	}
	if (ret)
		remove_probes();
	else
		calibrate();
	return ret;
}

/* Earlier time does not count. */
static void begin(void)
{
	struct vgpu *vg;
	u32 i;

	vgpu_for_each(vg, i) {
		raw_spin_lock_irq(&vg->lock);
		vg->clock.until = ktime_get_ns();
		vg->clock.saves = preemptions(vg);
		raw_spin_unlock_irq(&vg->lock);
	}
}

/* ---- start and stop ---- */

static int start(void)
{
	int ret;

	mutex_lock(&start_lock);
	ret = static_key_enabled(&running) ? 0 : add_probes();
	if (!ret && !static_key_enabled(&running)) {
		begin();
		static_branch_enable(&running);
	}
	mutex_unlock(&start_lock);
	return ret;
}

void vgpu_clock_stop(void)
{
	if (!static_key_enabled(&running))
		return;
	static_branch_disable(&running);
	remove_probes();
}

/* ---- what is shown ---- */

/* Add the values of one GPU. */
struct reading {
	u64 now;
	u64 gpu;
	u64 save;
	u64 saves;
	u64 quiet;
	u64 quiet_gpu;
	u64 idle;
};

static void add_device(struct reading *r, struct vgpu *vg)
{
	const struct vgpu_clock *c = &vg->clock;
	u32 i;

	raw_spin_lock(&vg->lock);
	r->gpu += gpu_ns(c, r->now);
	r->saves += preemptions(vg);
	for (i = 0; i < vg->nr_nodes; i++)
		r->save += vg->nodes[i].gpu.stats.save_ns;
	if (c->quiet > r->quiet) {
		r->quiet = c->quiet;
		r->quiet_gpu = c->quiet_gpu;
	}
	raw_spin_unlock(&vg->lock);
}

/* Read both clocks at one moment, without interruption. */
static void read_clock(struct reading *r)
{
	struct vgpu *vg;
	u32 i;

	memset(r, 0, sizeof(*r));
	local_irq_disable();
	r->now = ktime_get_ns();
	vgpu_for_each(vg, i)
		add_device(r, vg);
	r->gpu += all_switches();
	r->idle = all_idle(r->now);
	local_irq_enable();
}

/* For kfd_baseline.ko, which finds it by name. */
u64 vgpu_clock_gpu(void)
{
	struct reading r;

	read_clock(&r);
	return r.gpu;
}

static int clock_show(struct seq_file *m, void *unused)
{
	struct reading r;

	read_clock(&r);
	seq_printf(m, "%llu %llu %llu %llu %llu %llu %llu\n", r.now, r.gpu, r.save, r.saves, r.quiet,
		   r.quiet_gpu, r.idle);
	return 0;
}

static int clock_open(struct inode *inode, struct file *file)
{
	int ret = start();

	return ret ? ret : single_open(file, clock_show, inode->i_private);
}

static const struct file_operations clock_fops = {
	.owner = THIS_MODULE,
	.open = clock_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

void vgpu_clock_init(struct dentry *dir)
{
	debugfs_create_file("clock", 0444, dir, NULL, &clock_fops);
}
