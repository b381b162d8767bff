/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints vgpu:*, of what firmware and GPU do for a preemption.
 *
 * @at is when it happens in the GPU's own time, which is CLOCK_MONOTONIC: the model may run a
 * little later than that, and the event with it.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vgpu

#if !defined(VGPU_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define VGPU_TRACE_H

#include <linux/tracepoint.h>

#include "vgpu.h"

DECLARE_EVENT_CLASS(vgpu_moment,
	TP_PROTO(const struct vgpu_node *node, u64 at),
	TP_ARGS(node, at),
	TP_STRUCT__entry(
		__field(u32, gpu)
		__field(u32, node)
		__field(u64, at)
	),
	TP_fast_assign(
		__entry->gpu = node->vg->index;
		__entry->node = node->index;
		__entry->at = at;
	),
	TP_printk("%u.%u at=%llu", __entry->gpu, __entry->node, __entry->at)
);

/* The driver has rung for the firmware that reads runlists. */
DEFINE_EVENT(vgpu_moment, hiq_ring,
	TP_PROTO(const struct vgpu_node *node, u64 at), TP_ARGS(node, at));

/* The grace of a preemption is over: the waves that are left stop, and are saved. */
DEFINE_EVENT(vgpu_moment, saving,
	TP_PROTO(const struct vgpu_node *node, u64 at), TP_ARGS(node, at));

/* All queues that had to leave are off the hardware. */
DEFINE_EVENT(vgpu_moment, quiet,
	TP_PROTO(const struct vgpu_node *node, u64 at), TP_ARGS(node, at));

/* The firmware executes a packet of the driver's. */
TRACE_EVENT(hiq_packet,
	TP_PROTO(const struct vgpu_node *node, u32 opcode, u64 at),
	TP_ARGS(node, opcode, at),
	TP_STRUCT__entry(
		__field(u32, gpu)
		__field(u32, node)
		__field(u32, opcode)
		__field(u64, at)
	),
	TP_fast_assign(
		__entry->gpu = node->vg->index;
		__entry->node = node->index;
		__entry->opcode = opcode;
		__entry->at = at;
	),
	TP_printk("%u.%u opcode=%x at=%llu", __entry->gpu, __entry->node, __entry->opcode,
		  __entry->at)
);

/* The first waves of a queue since it was mapped begin, or go on. */
TRACE_EVENT(first_wave,
	TP_PROTO(const struct vgpu_queue *queue, u64 at),
	TP_ARGS(queue, at),
	TP_STRUCT__entry(
		__field(u32, gpu)
		__field(u32, node)
		__field(u32, doorbell)
		__field(u64, at)
	),
	TP_fast_assign(
		__entry->gpu = queue->node->vg->index;
		__entry->node = queue->node->index;
		__entry->doorbell = queue->entry.doorbell;
		__entry->at = at;
	),
	TP_printk("%u.%u doorbell=%x at=%llu", __entry->gpu, __entry->node, __entry->doorbell,
		  __entry->at)
);

#endif /* VGPU_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE vgpu_trace
#include <trace/define_trace.h>
