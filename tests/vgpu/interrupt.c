// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts: entries of the ring as amdkfd's handlers read them (Linux,
 * kfd_int_process_v9.c and _v11.c), handed to amdkfd as amdgpu's dispatcher
 * would. Dwords of an entry:
 *
 *   0     client, source << 8, ring << 16, VMID << 24
 *   3     PASID, node << 16
 *   4, 5  context: event id, address of a fault, ...
 *
 * The node is the die where it happened; with several partitions, amdkfd finds
 * the partition of an interrupt by it (kfd_irq_is_from_node). Dies of an MI300:
 * an AID is 4 n, its two XCCs 4 n + 1 and 4 n + 2. Four SDMA engines belong to
 * an AID.
 *
 * If an interrupt takes time to arrive, entries wait in a queue of their own until then.
 */
#include "vgpu.h"
#include "soc15_int.h"
#include "ivsrcid/vmc/irqsrcs_vmc_1_0.h"

#define IH_DWORDS	VGPU_IH_DWORDS

/* Ring field of a VM fault: its cause, for amdkfd. */
#define FAULT_NOT_PRESENT	0x08
#define FAULT_READ		0x10
#define FAULT_WRITE		0x20

/* Context of a VM fault, second dword, for amdgpu. */
#define FAULT_IS_WRITE		0x20

/* Context of a bad packet: which doorbell, which exception. */
#define BAD_DOORBELL_MASK	0x3ff
#define BAD_CODE_SHIFT		10

/**
 * struct vgpu_ih - how interrupts of a generation are distinguished
 * @node_ids: entries have the die
 * @cp: client of the command processor
 * @sdma_trap: source of a trap packet
 * @fault: source of a VM fault
 * @fault_gfx: client of a fault of the command processor or a wave
 * @fault_sdma: client of a fault of a copy engine
 * @sdma: clients of copy engines
 * @sdmas: how many of them; with @node_ids, of a die
 */
struct vgpu_ih {
	bool node_ids;
	u8 cp;
	u8 sdma_trap;
	u8 fault;
	u8 fault_gfx;
	u8 fault_sdma;
	u8 sdma[8];
	u8 sdmas;
};

const struct vgpu_ih vgpu_ih_gfx942 = {
	.node_ids = true,
	.cp = SOC15_IH_CLIENTID_GRBM_CP,
	.sdma_trap = SOC15_INTSRC_SDMA_TRAP,
	.fault = SOC15_INTSRC_VMC_FAULT,
	.fault_gfx = SOC15_IH_CLIENTID_UTCL2,
	.fault_sdma = SOC15_IH_CLIENTID_VMC,
	.sdma = {
		SOC15_IH_CLIENTID_SDMA0, SOC15_IH_CLIENTID_SDMA1,
		SOC15_IH_CLIENTID_SDMA2, SOC15_IH_CLIENTID_SDMA3,
	},
	.sdmas = 4,
};

const struct vgpu_ih vgpu_ih_gfx90a = {
	.cp = SOC15_IH_CLIENTID_GRBM_CP,
	.sdma_trap = SOC15_INTSRC_SDMA_TRAP,
	.fault = SOC15_INTSRC_VMC_FAULT,
	.fault_gfx = SOC15_IH_CLIENTID_UTCL2,
	.fault_sdma = SOC15_IH_CLIENTID_VMC,
	.sdma = {
		SOC15_IH_CLIENTID_SDMA0, SOC15_IH_CLIENTID_SDMA1,
		SOC15_IH_CLIENTID_SDMA2, SOC15_IH_CLIENTID_SDMA3,
		SOC15_IH_CLIENTID_SDMA4, SOC15_IH_CLIENTID_SDMA5,
		SOC15_IH_CLIENTID_SDMA6, SOC15_IH_CLIENTID_SDMA7,
	},
	.sdmas = 8,
};

const struct vgpu_ih vgpu_ih_gfx11 = {
	.cp = SOC21_IH_CLIENTID_GRBM_CP,
	.sdma_trap = SOC21_INTSRC_SDMA_TRAP,
	.fault = UTCL2_1_0__SRCID__FAULT,
	.fault_gfx = SOC21_IH_CLIENTID_GFX,
	.fault_sdma = SOC21_IH_CLIENTID_GFX,	/* on the same hub */
	.sdma = { SOC21_IH_CLIENTID_GFX, SOC21_IH_CLIENTID_GFX },
	.sdmas = 2,
};

/* The engine of an SDMA queue, counted over the whole GPU. */
static u32 engine_of(const struct vgpu_queue *q)
{
	return q->node->index * q->node->profile->sdma_engines + q->sdma.engine;
}

/* The die of an event of the queue. */
static u32 die_of(const struct vgpu_queue *q)
{
	u32 engines = q->node->vg->profile->sdma_engines, xcc = q->node->first_xcc;

	if (!q->node->vg->gen->ih->node_ids)
		return 0;
	if (q->sim.type == SIM_QUEUE_COMPUTE)
		return 4 * (xcc / 2) + (xcc % 2 ? 2 : 1);
	/* engines are spread evenly over the dies the XCCs are on */
	xcc = engine_of(q) * q->node->vg->profile->xccs / engines;
	return 4 * (xcc / 2);
}

static void deliver_first(struct vgpu *vg)
{
	struct vgpu_interrupts *in = &vg->interrupts;
	struct vgpu_interrupt *first = &in->waiting[in->first % VGPU_INTERRUPTS];

	in->first++;
	if (vg->adev->kfd.dev)
		vgpu_calls.kgd2kfd_interrupt(vg->adev->kfd.dev, first->entry);
}

static void delay(struct vgpu *vg, const u32 *entry, u64 at)
{
	struct vgpu_interrupts *in = &vg->interrupts;
	struct vgpu_interrupt *last;

	if (in->last - in->first == VGPU_INTERRUPTS)
		deliver_first(vg);
	last = &in->waiting[in->last++ % VGPU_INTERRUPTS];
	last->at = at;
	memcpy(last->entry, entry, sizeof(last->entry));
}

u64 vgpu_interrupt_next(const struct vgpu *vg)
{
	const struct vgpu_interrupts *in = &vg->interrupts;

	return in->first == in->last ? SIM_NEVER : in->waiting[in->first % VGPU_INTERRUPTS].at;
}

void vgpu_interrupt_deliver(struct vgpu *vg, u64 now)
{
	while (vgpu_interrupt_next(vg) <= now)
		deliver_first(vg);
}

static void raise(struct vgpu_queue *q, u32 client, u32 source, u32 ring,
		  u32 context0, u32 context1)
{
	struct kfd_dev *kfd = q->node->vg->adev->kfd.dev;
	u32 entry[IH_DWORDS] = {
		[0] = client | source << 8 | ring << 16 | q->entry.vmid << 24,
		[3] = q->entry.pasid | die_of(q) << 16,
		[4] = context0,
		[5] = context1,
	};

	q->node->stats.interrupts++;
	if (q->node->profile->interrupt_ns)
		delay(q->node->vg, entry, q->node->gpu.now + q->node->profile->interrupt_ns);
	else
		vgpu_calls.kgd2kfd_interrupt(kfd, entry);
}

/* ops->interrupt: end of pipe, or a trap packet. */
void vgpu_interrupt_event(struct sim_queue *sim, u32 context)
{
	struct vgpu_queue *q = vgpu_queue(sim);
	const struct vgpu_ih *ih = q->node->vg->gen->ih;

	if (sim->type == SIM_QUEUE_SDMA)
		raise(q, ih->sdma[engine_of(q) % ih->sdmas], ih->sdma_trap, 0, context, 0);
	else
		raise(q, ih->cp, SOC15_INTSRC_CP_END_OF_PIPE, 0, context, 0);
}

/* The queue has used an address it must not; @present: in this way. */
void vgpu_interrupt_fault(struct vgpu_queue *q, u64 va, bool write, bool present)
{
	const struct vgpu_ih *ih = q->node->vg->gen->ih;
	u32 client = q->sim.type == SIM_QUEUE_SDMA ? ih->fault_sdma : ih->fault_gfx;
	u32 why = FAULT_NOT_PRESENT;

	if (present)
		why = write ? FAULT_WRITE : FAULT_READ;
	raise(q, client, ih->fault, why, lower_32_bits(va >> PAGE_SHIFT),
	      (upper_32_bits(va >> PAGE_SHIFT) & 0xf) | (write ? FAULT_IS_WRITE : 0));
}

/* Reasons of the model to refuse packets, and their codes in the interface. */
static u32 exception_code(const char *blame)
{
	static const struct {
		const char *blame;
		u32 code;
	} codes[] = {
		{ "grid too large, dimension", EC_QUEUE_PACKET_DISPATCH_DIM_INVALID },
		{ "unknown kernel", EC_QUEUE_PACKET_DISPATCH_CODE_INVALID },
		{ "unknown vendor packet", EC_QUEUE_PACKET_VENDOR_UNSUPPORTED },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(codes); i++)
		if (!strcmp(codes[i].blame, blame))
			return codes[i].code;
	return EC_QUEUE_PACKET_UNSUPPORTED;
}

/* The packet processor refuses a packet. Copy engines have no such interrupt. */
void vgpu_interrupt_bad_packet(struct vgpu_queue *q)
{
	u32 doorbell = q->entry.doorbell / 2 & BAD_DOORBELL_MASK;

	raise(q, q->node->vg->gen->ih->cp, SOC15_INTSRC_CP_BAD_OPCODE, 0,
	      doorbell | exception_code(q->sim.blame) << BAD_CODE_SHIFT, 0);
}
