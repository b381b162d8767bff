// SPDX-License-Identifier: GPL-2.0-only
/* Faults on demand: their effects. See fault.h. */
#include <linux/sched/signal.h>

#include "vgpu.h"
#include "fault.h"
#include "firmware/pm4.h"
#include "mqd.h"

/* How long the firmware waits for a queue before it gives up. Assumed. */
#define GIVE_UP_NS	(1 * NSEC_PER_MSEC)

static void log_fault(const struct vgpu_node *node, const char *what)
{
	pr_info("fault injection, node %u.%u: %s\n", node->vg->index, node->index, what);
}

static struct vgpu_fault *find(struct vgpu_node *node, enum vgpu_fault_kind kind,
			       u32 pasid)
{
	struct vgpu_faults *f = &node->faults;
	u32 i;

	for (i = 0; i < f->nr; i++)
		if (f->armed[i].kind == kind &&
		    (!f->armed[i].pasid || f->armed[i].pasid == pasid))
			return &f->armed[i];
	return NULL;
}

/* It happens now: decrement its count. */
static void fire(struct vgpu_node *node, struct vgpu_fault *fault, const char *what)
{
	struct vgpu_faults *f = &node->faults;

	f->fired[fault->kind]++;
	if (!--fault->count)
		*fault = f->armed[--f->nr];
	if (what)
		log_fault(node, what);
}

int vgpu_fault_arm(struct vgpu_node *node, const struct vgpu_fault *fault)
{
	struct vgpu_faults *f = &node->faults;

	lockdep_assert_held(&node->vg->lock);
	if (fault->kind <= VGPU_FAULT_RESET_FAIL && node->vg->gen->firmware != &vgpu_hws)
		return -EOPNOTSUPP;
	if (f->nr == VGPU_FAULTS)
		return -ENOSPC;
	f->armed[f->nr++] = *fault;
	return 0;
}

void vgpu_fault_clear(struct vgpu_node *node)
{
	node->faults.nr = 0;
	node->faults.partner = NULL;
	vgpu_mes_fault_clear(node);
}

/* ---- the firmware ---- */

bool vgpu_fault_stop(struct vgpu_node *node, u32 opcode)
{
	struct vgpu_fault *hang = find(node, VGPU_FAULT_HANG, 0);
	struct vgpu_fault *stop = find(node, VGPU_FAULT_STOP, 0);

	if (hang && opcode == PM4_QUERY_STATUS) {
		fire(node, hang, "firmware hangs");
		return true;
	}
	if (!stop)
		return false;
	if (stop->arg) {
		stop->arg--;
		return false;
	}
	fire(node, stop, "firmware stops");
	return true;
}

u64 vgpu_fault_late(struct vgpu_node *node)
{
	struct vgpu_fault *late = find(node, VGPU_FAULT_LATE, 0);
	u64 ns = node->faults.gave_up ? GIVE_UP_NS : 0;

	node->faults.gave_up = false;
	if (late) {
		ns += late->arg;
		fire(node, late, NULL);
	}
	return ns;
}

/* As firmware does: the doorbell goes into the HIQ's MQD, where amdkfd looks. */
static void report_stuck(struct vgpu_node *node, u32 doorbell)
{
	u32 xcc;

	for (xcc = 0; xcc < node->xccs; xcc++)
		if (node->hiq.mqd[xcc])
			WRITE_ONCE(node->hiq.mqd[xcc]->queue_doorbell_id0, doorbell);
}

bool vgpu_fault_stuck(struct vgpu_node *node, const struct sim_hws_queue *q)
{
	struct vgpu_faults *f = &node->faults;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		if (f->armed[i].kind != VGPU_FAULT_STUCK ||
		    (f->armed[i].arg && f->armed[i].arg != q->doorbell))
			continue;
		fire(node, &f->armed[i], "a queue does not let itself be preempted");
		f->gave_up = true;
		report_stuck(node, q->doorbell);
		return true;
	}
	return false;
}

bool vgpu_fault_reset_fails(struct vgpu_node *node)
{
	struct vgpu_fault *fault = find(node, VGPU_FAULT_RESET_FAIL, 0);

	if (fault)
		fire(node, fault, "a queue does not let itself be reset");
	return fault;
}

/* ---- while waves are saved ---- */

/* Reset through the driver, as after a failed job; the hardware is already gone. */
static void reset_gpu(struct work_struct *work)
{
	struct vgpu_node *node = container_of(work, struct vgpu_node, faults.reset);
	struct vgpu *vg = node->vg;
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&vg->lock, flags);
	for (i = 0; i < vg->nr_nodes; i++)
		vgpu_node_reset(&vg->nodes[i]);
	vgpu_engine_owners_changed(vg);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
	vgpu_call(amdgpu_amdkfd_gpu_reset, vg->adev);
}

static void kill_process(u32 pasid)
{
	struct kfd_process *p = compat_process_by_pasid(pasid);

	if (!p)
		return;
	send_sig(SIGKILL, p->lead_thread, 1);
	vgpu_calls.kfd_unref_process(p);
}

void vgpu_fault_saving(struct vgpu_node *node)
{
	struct vgpu_fault *fault;
	struct sim_queue *q;
	u32 i, pasid;

	node->faults.partner = NULL;
	for (i = 0; i < node->gpu.nr_queues; i++) {
		q = node->gpu.queues[i];
		if (q->state != SIM_QUEUE_STOPPING || !q->waves)
			continue;
		pasid = vgpu_queue(q)->entry.pasid;
		fault = find(node, VGPU_FAULT_KILL, pasid);
		if (fault) {
			fire(node, fault, "a process is killed while it is saved");
			kill_process(pasid);
		}
		fault = find(node, VGPU_FAULT_RESET, pasid);
		if (fault) {
			fire(node, fault, "the GPU is reset in the middle of a save");
			node->gpu.preempt_at = SIM_NEVER;	/* it never ends */
			schedule_work(&node->faults.reset);
		}
	}
}

/* ---- saved images ---- */

static void flip_bit(struct vgpu_queue *q, u32 image_bytes)
{
	struct vgpu_faults *f = &q->node->faults;
	u64 at;
	u32 bit;
	u8 byte;

	f->seed = f->seed * 1664525 + 1013904223;
	bit = (f->seed >> 4) % (image_bytes * 8);
	at = q->sim.save_va + bit / 8;
	if (!sim_read(&q->sim, at, &byte, 1))
		return;
	byte ^= 1 << bit % 8;
	sim_write(&q->sim, at, &byte, 1);
	pr_info("fault injection: bit %u of %u saved bytes flips\n", bit, image_bytes);
}

static void cut(struct vgpu_queue *q, u32 image_bytes)
{
	static const u64 zero;
	u32 at;

	for (at = ALIGN(image_bytes / 2, 8); at + 8 <= image_bytes; at += 8)
		sim_write(&q->sim, q->sim.save_va + at, &zero, 8);
}

static void swap_images(struct vgpu_queue *a, struct vgpu_queue *b, u32 bytes)
{
	u64 word_a, word_b;
	u32 at;

	bytes = min3(bytes, a->sim.save_bytes, b->sim.save_bytes);
	for (at = 0; at + 8 <= bytes; at += 8) {
		if (!sim_read(&a->sim, a->sim.save_va + at, &word_a, 8) ||
		    !sim_read(&b->sim, b->sim.save_va + at, &word_b, 8))
			return;
		sim_write(&a->sim, a->sim.save_va + at, &word_b, 8);
		sim_write(&b->sim, b->sim.save_va + at, &word_a, 8);
	}
}

/* Two queues of one preemption: the first one waits for the second. */
static void swap_with_next(struct vgpu_queue *q, struct vgpu_fault *fault, u32 image_bytes)
{
	struct vgpu_faults *f = &q->node->faults;

	if (!f->partner) {
		f->partner = q;
		f->partner_bytes = image_bytes;
		return;
	}
	swap_images(f->partner, q, max(f->partner_bytes, image_bytes));
	f->partner = NULL;
	fire(q->node, fault, "two queues get each other's waves");
}

void vgpu_fault_saved(struct vgpu_queue *q, u32 image_bytes)
{
	struct vgpu_node *node = q->node;
	struct vgpu_fault *fault;

	if (!node->faults.nr || !image_bytes)
		return;
	fault = find(node, VGPU_FAULT_SWAP, q->entry.pasid);
	if (fault)
		swap_with_next(q, fault, image_bytes);
	fault = find(node, VGPU_FAULT_CUT, q->entry.pasid);
	if (fault) {
		cut(q, image_bytes);
		fire(node, fault, "half of the saved waves are not there");
	}
	fault = find(node, VGPU_FAULT_STACK, q->entry.pasid);
	if (fault) {
		vgpu_mqd_overflow(q->mqd);
		fire(node, fault, "what the MQD says of saved waves cannot be");
	}
	fault = find(node, VGPU_FAULT_BIT, q->entry.pasid);
	if (fault) {
		flip_bit(q, image_bytes);
		fire(node, fault, NULL);
	}
}

/* ---- registers ---- */

bool vgpu_fault_ones(struct vgpu_node *node)
{
	struct vgpu_fault *ones = find(node, VGPU_FAULT_ONES, 0);

	if (ones)
		fire(node, ones, NULL);
	return ones;
}

/* ---- the reset ---- */

u64 vgpu_fault_reset_late(struct vgpu *vg)
{
	struct vgpu_fault *late;
	unsigned long flags;
	u64 ns = 0;
	u32 i;

	raw_spin_lock_irqsave(&vg->lock, flags);
	for (i = 0; i < vg->nr_nodes; i++) {
		late = find(&vg->nodes[i], VGPU_FAULT_RESET_LATE, 0);
		if (!late)
			continue;
		ns = max(ns, late->arg);
		fire(&vg->nodes[i], late, "the reset waits");
	}
	raw_spin_unlock_irqrestore(&vg->lock, flags);
	return ns;
}

void vgpu_fault_init(struct vgpu_node *node)
{
	INIT_WORK(&node->faults.reset, reset_gpu);
}

void vgpu_fault_fini(struct vgpu_node *node)
{
	cancel_work_sync(&node->faults.reset);
}
