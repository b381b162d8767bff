// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols the kernel does not export, and functions of amdgpu and the kernel that are
 * replaced while this module is loaded (ftrace, as livepatch does it).
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <asm/ibt.h>
#include <asm/text-patching.h>

#include "vgpu.h"
#include "fault.h"
#include "amdgpu_reset.h"

static unsigned long (*lookup_name)(const char *name);

int vgpu_symbols_init(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int r = register_kprobe(&probe);

	if (r)
		return r;
	lookup_name = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

void *vgpu_symbol(const char *name)
{
	void *p = (void *)lookup_name(name);

	if (!p)
		pr_err("symbol %s is missing\n", name);
	return p;
}

/* ---- replacements ---- */

/* Call the real one, and notify the model of a HIQ's doorbell. */
static void new_kernel_doorbell64(void __iomem *db, u64 value)
{
	u64 from = ktime_get_ns();
	struct vgpu *vg = vgpu_of_doorbell(db);
	unsigned long flags;
	u32 i;

	if (!vg)
		return;
	raw_spin_lock_irqsave(&vg->lock, flags);
	writeq(value, db);
	for (i = 0; i < vg->nr_nodes; i++)
		vgpu_hiq_ring(&vg->nodes[i], vgpu_node_time(&vg->nodes[i]));
	vgpu_engine_run(vg);
	vgpu_clock_ran(vg, from);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
}

static int new_unmap_hiq(struct amdgpu_device *adev, u32 doorbell_off, u32 inst)
{
	vgpu_hiq_unload(vgpu_node_of_xcc(vgpu_of(adev), inst));
	return 0;
}

static void reset_model(struct vgpu *vg)
{
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&vg->lock, flags);
	vg->nodes[0].stats.resets++;
	for (i = 0; i < vg->nr_nodes; i++) {
		vgpu_fault_clear(&vg->nodes[i]);
		vgpu_node_reset(&vg->nodes[i]);
	}
	vgpu_engine_owners_changed(vg);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
}

static void restart_firmware(struct vgpu *vg)
{
	int r = vg->gen->restart ? vg->gen->restart(vg) : 0;

	if (r)
		pr_err("the scheduler does not start again: %d\n", r);
}

/* The reset of some ASICs, between amdkfd's own pre_reset and post_reset of all of them. */
static void reset_all(struct vgpu *gpus[], u32 n, struct amdgpu_reset_context *ctx)
{
	u32 i;

	for (i = 0; i < n; i++)
		vgpu_call(amdgpu_amdkfd_pre_reset, gpus[i]->adev, ctx);
	/* as amdgpu does: resets that amdkfd has asked for meanwhile are this one */
	for (i = 1; i < n; i++)
		cancel_work(&gpus[i]->adev->kfd.reset_work);
	for (i = 0; i < n; i++)
		reset_model(gpus[i]);
	for (i = 0; i < n; i++)
		restart_firmware(gpus[i]);
	for (i = 0; i < n; i++)
		vgpu_call(amdgpu_amdkfd_post_reset, gpus[i]->adev);
}

/*
 * The semaphore comes first, as in the real function, so that work under way
 * fails at once instead of waiting for its own time-outs. A fault may delay the
 * reset, as another reset does that is before it in the queue of the domain.
 */
static int new_gpu_recover(struct amdgpu_device *adev, struct amdgpu_job *job,
			   struct amdgpu_reset_context *ctx)
{
	struct vgpu *vg = vgpu_of(adev), *gpus[VGPU_DEVICES];
	u32 n;

	fsleep(vgpu_fault_reset_late(vg) / NSEC_PER_USEC);
	n = vgpu_hive_lock(vg, gpus);
	down_write(&adev->reset_domain->sem);
	reset_all(gpus, n, ctx);
	up_write(&adev->reset_domain->sem);
	vgpu_hive_unlock(vg);
	pr_info("reset done, GPUs: %u\n", n);
	return 0;
}

/*
 * udelay(), by which amdgpu waits for MES. At each PAUSE of the real one QEMU leaves the
 * guest, which takes the host much longer than what is waited for. A turn is two
 * instructions: under icount, two cycles.
 */
#define MOST_CYCLES	1000

static void new_delay_tsc(u64 cycles)
{
	u64 now = rdtsc_ordered(), end = now + cycles, turns;

	for (; now < end; now = rdtsc_ordered()) {
		turns = min(end - now, MOST_CYCLES) / 2 + 1;
		asm volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
	}
}

/* ---- ftrace ---- */

struct redirection {
	const char *name;
	void *replacement;
	struct ftrace_ops ops;
	bool installed;
};

static struct redirection redirections[] = {
	{ "write_kernel_doorbell64", new_kernel_doorbell64 },
	{ "amdgpu_amdkfd_unmap_hiq", new_unmap_hiq },
	{ "amdgpu_device_gpu_recover", new_gpu_recover },
	{ "delay_tsc", new_delay_tsc },
	COMPAT_MOVES
};

static void notrace on_entry(unsigned long ip, unsigned long parent,
			     struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	struct redirection *r = container_of(ops, struct redirection, ops);

	ftrace_regs_set_instruction_pointer(regs, (unsigned long)r->replacement);
}

/*
 * Whether the function begins with a call now. ftrace skips a disabled function
 * without an error, and the real one would run: this happened, in some boots,
 * with an amdgpu.ko whose local symbols had been stripped.
 */
static bool in_place(const u8 *code)
{
	/* after ENDBR64, which the module loader may or may not have replaced */
	return code[0] == CALL_INSN_OPCODE ||
		code[ENDBR_INSN_SIZE] == CALL_INSN_OPCODE;
}

static int install(struct redirection *r)
{
	unsigned long addr = (unsigned long)vgpu_symbol(r->name);
	int ret;

	if (!addr)
		return -ENOENT;
	r->ops.func = on_entry;
	r->ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY;
	ret = ftrace_set_filter_ip(&r->ops, addr, 0, 0);
	if (!ret)
		ret = register_ftrace_function(&r->ops);
	r->installed = !ret;
	if (!ret && !in_place((const u8 *)addr))
		ret = -ENXIO;
	if (ret)
		pr_err("cannot redirect %s: %d\n", r->name, ret);
	return ret;
}

int vgpu_redirect_install(void)
{
	int i, r = 0;

	for (i = 0; i < ARRAY_SIZE(redirections) && !r; i++)
		r = install(&redirections[i]);
	if (r)
		vgpu_redirect_remove();
	return r;
}

void vgpu_redirect_remove(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(redirections); i++) {
		if (redirections[i].installed)
			unregister_ftrace_function(&redirections[i].ops);
		redirections[i].installed = false;
	}
}
