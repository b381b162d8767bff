// SPDX-License-Identifier: MIT
/* SDMA packets: their formats, and what they do to memory. */
#include "gpu/sdma.h"

/* Header bits 7:0 are the operation, 15:8 the sub-operation. */
enum {
	OP_NOP		= 0,
	OP_COPY_LINEAR	= 1,
	OP_COPY_WINDOW	= 1 | 4 << 8,
	OP_FENCE	= 5,
	OP_TRAP		= 6,
	OP_POLL		= 8,
	OP_ATOMIC	= 10,
	OP_FILL		= 11,
	OP_TIMESTAMP	= 13 | 2 << 8,	/* of the clock all engines share */
	OP_GCR		= 17 | 1 << 8,
};

#define GFX10			SIM_GFX(10, 0, 0)

#define COPY_COUNT_MASK		0x3fffffff	/* from SDMA 4.4 on; 22 bits before */
#define FILL_COUNT_MASK		0x003fffff
#define FILL_SIZE(header)	((header) >> 30)
#define FILL_BYTES		0
#define FILL_DWORDS		2
#define POLL_FUNC(header)	((header) >> 28 & 7)
#define POLL_MEM		(1U << 31)
#define POLL_FOREVER		0xfff
#define NOP_COUNT(header)	((header) >> 16 & 0x3fff)
#define ATOMIC_LOOP		(1U << 16)
#define ATOMIC_OP(header)	((header) >> 25)
#define TRAP_CONTEXT_MASK	0x0fffffff

/* Operations of an atomic: TC_OP of the kernel's vega10_enum.h. */
#define TC_NO_RETURN		0x40
#define TC_64			0x20
enum {
	TC_SWAP = 0x07, TC_CMPSWAP = 0x08, TC_ADD = 0x0f, TC_SUB = 0x10,
	TC_SMIN = 0x11, TC_UMIN = 0x12, TC_SMAX = 0x13, TC_UMAX = 0x14,
	TC_AND = 0x15, TC_OR = 0x16, TC_XOR = 0x17, TC_INC = 0x18, TC_DEC = 0x19,
};

static u64 address(const struct sim_sdma *s, u32 dword)
{
	return (u64)s->packet[dword + 1] << 32 | s->packet[dword];
}

/* The packet is invalid. */
static enum sim_sdma_result refuse(struct sim_sdma *s, const char *what)
{
	s->sim.gpu->stats.bad_packets++;
	sim_queue_blame(&s->sim, what, s->packet[0]);
	return SIM_SDMA_FAULT;
}

/* Target of the packet: an aligned word of memory. */
static void *word(struct sim_sdma *s, u32 bytes, bool write)
{
	return s->sim.gpu->ops->memory(&s->sim, address(s, 1), bytes, write);
}

/* ---- packets that are done at once ---- */

static enum sim_sdma_result run_fence(struct sim_sdma *s)
{
	u32 *p;

	if (s->packet[1] & 3)
		return refuse(s, "fence address");
	p = word(s, 4, true);
	if (!p)
		return SIM_SDMA_FAULT;
	__atomic_store_n(p, s->packet[3], __ATOMIC_RELEASE);
	return SIM_SDMA_DONE;
}

static enum sim_sdma_result run_trap(struct sim_sdma *s)
{
	if (s->packet[1] & ~TRAP_CONTEXT_MASK)
		return refuse(s, "trap context");
	s->sim.gpu->ops->interrupt(&s->sim, s->packet[1]);
	return SIM_SDMA_DONE;
}

static bool poll_met(u32 func, u32 value, u32 reference)
{
	switch (func) {
	case 1:
		return value < reference;
	case 2:
		return value <= reference;
	case 3:
		return value == reference;
	case 4:
		return value != reference;
	case 5:
		return value >= reference;
	case 6:
		return value > reference;
	}
	return true;	/* 0: always */
}

/*
 * For registers, only the form that runtimes use to flush the HDP cache, which
 * has no condition: user queues may not read registers.
 */
static enum sim_sdma_result run_poll(struct sim_sdma *s)
{
	u32 func = POLL_FUNC(s->packet[0]);
	u32 *p;

	if (func == 7)
		return refuse(s, "poll function");
	if (!(s->packet[0] & POLL_MEM))
		return func ? refuse(s, "poll of a register") : SIM_SDMA_DONE;
	if (s->packet[5] >> 16 != POLL_FOREVER)
		return refuse(s, "poll with a limit");
	if (s->packet[1] & 3)
		return refuse(s, "poll address");
	p = word(s, 4, false);
	if (!p)
		return SIM_SDMA_FAULT;
	return poll_met(func, __atomic_load_n(p, __ATOMIC_ACQUIRE) & s->packet[4],
			s->packet[3]) ? SIM_SDMA_DONE : SIM_SDMA_BLOCKED;
}

static enum sim_sdma_result run_timestamp(struct sim_sdma *s)
{
	struct sim_gpu *gpu = s->sim.gpu;
	u64 *p;

	if (s->packet[1] & 7)
		return refuse(s, "time stamp address");
	p = word(s, 8, true);
	if (!p)
		return SIM_SDMA_FAULT;
	__atomic_store_n(p, gpu->ops->ticks(gpu->owner, s->at), __ATOMIC_RELEASE);
	return SIM_SDMA_DONE;
}

/* ---- atomics ---- */

static bool less(u64 a, u64 b, bool wide)
{
	return wide ? (s64)a < (s64)b : (s32)a < (s32)b;
}

/* New value of memory with value @old. Operands have the same width. */
static u64 atomic_result(u32 op, u64 old, u64 src, u64 cmp, bool wide)
{
	switch (op) {
	case TC_SWAP:
		return src;
	case TC_CMPSWAP:
		return old == cmp ? src : old;
	case TC_ADD:
		return old + src;
	case TC_SUB:
		return old - src;
	case TC_SMIN:
		return less(src, old, wide) ? src : old;
	case TC_UMIN:
		return src < old ? src : old;
	case TC_SMAX:
		return less(old, src, wide) ? src : old;
	case TC_UMAX:
		return src > old ? src : old;
	case TC_AND:
		return old & src;
	case TC_OR:
		return old | src;
	case TC_XOR:
		return old ^ src;
	case TC_INC:
		return old >= src ? 0 : old + 1;
	case TC_DEC:
		return !old || old > src ? src : old - 1;
	}
	return old;
}

static u64 atomic64(u64 *p, u32 op, u64 src, u64 cmp)
{
	u64 old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(p, &old,
					    atomic_result(op, old, src, cmp, true),
					    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return old;
}

static u64 atomic32(u32 *p, u32 op, u32 src, u32 cmp)
{
	u32 old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(p, &old,
					    (u32)atomic_result(op, old, src, cmp, false),
					    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return old;
}

static bool known_atomic(u32 op)
{
	return op == TC_SWAP || op == TC_CMPSWAP || (op >= TC_ADD && op <= TC_DEC);
}

static enum sim_sdma_result run_atomic(struct sim_sdma *s)
{
	u32 code = ATOMIC_OP(s->packet[0]), op = code & ~(TC_NO_RETURN | TC_64);
	u64 src = address(s, 3), cmp = address(s, 5), old;
	bool loop = s->packet[0] & ATOMIC_LOOP, wide = code & TC_64;
	void *p;

	if (!known_atomic(op) || (loop && op != TC_CMPSWAP))
		return refuse(s, "atomic operation");
	if (s->packet[1] & (wide ? 7 : 3))
		return refuse(s, "atomic address");
	p = word(s, wide ? 8 : 4, true);
	if (!p)
		return SIM_SDMA_FAULT;
	if (wide)
		old = atomic64(p, op, src, cmp);
	else
		old = atomic32(p, op, (u32)src, (u32)cmp);
	if (loop && old != (wide ? cmp : (u32)cmp))
		return SIM_SDMA_BLOCKED;
	return SIM_SDMA_DONE;
}

/* ---- packets that move bytes ---- */

static enum sim_sdma_result run_copy(struct sim_sdma *s)
{
	if (s->packet[1] & ~COPY_COUNT_MASK || s->packet[2])
		return refuse(s, "copy parameter");
	s->bytes = (u64)s->packet[1] + 1;
	return SIM_SDMA_MOVES;
}

/* Fields of a sub-window copy; lengths and offsets in bytes. */
struct window {
	u64 row;
	u32 rows;
	u32 slices;
	u64 src_at;
	u64 src_pitch;
	u64 src_slice;
	u64 dst_at;
	u64 dst_pitch;
	u64 dst_slice;
};

/* Where one side begins, from its six dwords at @p. */
static u64 window_side(const u32 *p, u32 element, u64 *pitch, u64 *slice)
{
	u64 x = p[2] & 0x3fff, y = p[2] >> 16 & 0x3fff, z = p[3] & 0x1fff;

	*pitch = (u64)((p[3] >> 13) + 1) << element;
	*slice = (u64)((p[4] & 0x0fffffff) + 1) << element;
	return ((u64)p[1] << 32 | p[0]) + (x << element) + y * *pitch + z * *slice;
}

static void window(const struct sim_sdma *s, struct window *w)
{
	u32 element = s->packet[0] >> 29;

	w->row = (u64)((s->packet[11] & 0x3fff) + 1) << element;
	w->rows = (s->packet[11] >> 16 & 0x3fff) + 1;
	w->slices = (s->packet[12] & 0x1fff) + 1;
	w->src_at = window_side(&s->packet[1], element, &w->src_pitch, &w->src_slice);
	w->dst_at = window_side(&s->packet[6], element, &w->dst_pitch, &w->dst_slice);
}

static enum sim_sdma_result run_window(struct sim_sdma *s)
{
	/* slice numbers have two bits less before gfx10 */
	u32 wide = s->sim.gpu->profile->gfx >= GFX10 ? 0 : 0x1800;
	struct window w;

	/* elements of 1 to 16 bytes; nothing in the gaps, no byte swap */
	if (s->packet[0] >> 29 > 4 || (s->packet[1] | s->packet[6]) & 3 ||
	    (s->packet[3] | s->packet[8]) & 0xc000c000 ||
	    (s->packet[4] | s->packet[9] | s->packet[12]) & wide ||
	    (s->packet[5] | s->packet[10]) & 0xf0000000 ||
	    s->packet[11] & 0xc000c000 || s->packet[12] & ~0x1fffU)
		return refuse(s, "window parameter");
	window(s, &w);
	s->bytes = w.row * w.rows * w.slices;
	return SIM_SDMA_MOVES;
}

static enum sim_sdma_result run_fill(struct sim_sdma *s)
{
	u32 size = FILL_SIZE(s->packet[0]), count = s->packet[4];

	if (count & ~FILL_COUNT_MASK ||
	    (size == FILL_DWORDS && s->packet[1] & 3) ||
	    (size != FILL_DWORDS && size != FILL_BYTES))
		return refuse(s, "fill parameter");
	/* dwords: runtimes give the offset of the last one, drivers of its end */
	s->bytes = size == FILL_DWORDS ? (count & ~3U) + 4 : count + 1;
	return SIM_SDMA_MOVES;
}

static u64 lesser(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Source and destination of the bytes from @done on; returns how many. */
static u64 piece(const struct sim_sdma *s, u64 *src, u64 *dst)
{
	struct window w;
	u64 row, in_row;

	if (s->dwords == 7) {
		*src = address(s, 3) + s->done;
		*dst = address(s, 5) + s->done;
		return s->bytes - s->done;
	}
	window(s, &w);
	row = s->done / w.row;
	in_row = s->done % w.row;
	*src = w.src_at + row / w.rows * w.src_slice + row % w.rows * w.src_pitch + in_row;
	*dst = w.dst_at + row / w.rows * w.dst_slice + row % w.rows * w.dst_pitch + in_row;
	return w.row - in_row;
}

static u64 in_page(u64 va)
{
	return 4096 - (va & 4095);
}

/* Returns the bytes copied, 0: fault. */
static u64 copy_piece(struct sim_sdma *s, u64 bytes)
{
	const struct sim_ops *ops = s->sim.gpu->ops;
	u64 src, dst, n = lesser(bytes, piece(s, &src, &dst));
	const void *from;
	void *to;

	n = lesser(n, lesser(in_page(src), in_page(dst)));
	from = ops->memory(&s->sim, src, n, false);
	to = from ? ops->memory(&s->sim, dst, n, true) : NULL;
	if (!to)
		return 0;
	if ((const u8 *)from + n <= (u8 *)to || (u8 *)to + n <= (const u8 *)from)
		memcpy(to, from, n);
	else
		memmove(to, from, n);
	return n;
}

static u64 fill_piece(struct sim_sdma *s, u64 bytes)
{
	u64 dst = address(s, 1) + s->done, n = lesser(bytes, in_page(dst)), i;
	void *to = s->sim.gpu->ops->memory(&s->sim, dst, n, true);
	u32 *dword = to;

	if (!to)
		return 0;
	if (FILL_SIZE(s->packet[0]) == FILL_BYTES) {
		memset(to, (u8)s->packet[3], n);
		return n;
	}
	for (i = 0; i < n / 4; i++)
		dword[i] = s->packet[3];
	return n;
}

bool sim_sdma_packet_move(struct sim_sdma *s, u64 bytes)
{
	u64 n;

	for (bytes = lesser(bytes, s->bytes - s->done); bytes; bytes -= n) {
		n = (s->packet[0] & 0xff) == OP_FILL ? fill_piece(s, bytes) :
			copy_piece(s, bytes);
		if (!n)
			return false;
		s->done += n;
	}
	return true;
}

/* ---- formats ---- */

/*
 * Packets by the low half of their header: length, which other bits of the
 * header are used (before gfx10, and from gfx10 on), and the function, if any.
 */
static const struct format {
	u32 op;
	u32 dwords;
	u32 bits;
	u32 bits_gfx10;
	u32 gfx;
	enum sim_sdma_result (*run)(struct sim_sdma *s);
} formats[] = {
	{ OP_NOP, 1, 0x3fff0000, 0x3fff0000, 0, NULL },
	{ OP_COPY_LINEAR, 7, 0, 0, 0, run_copy },
	{ OP_COPY_WINDOW, 13, 0xe0000000, 0xe0000000, 0, run_window },
	/* gfx10: cache policy, of which there is none here */
	{ OP_FENCE, 4, 0, 0x03df0000, 0, run_fence },
	{ OP_TRAP, 2, 0, 0, 0, run_trap },
	{ OP_POLL, 6, 0xf0000000, 0xf0000000, 0, run_poll },
	{ OP_ATOMIC, 8, 0xfe010000, 0xfe010000, 0, run_atomic },
	{ OP_FILL, 5, 0xc0000000, 0xc0000000, 0, run_fill },
	{ OP_TIMESTAMP, 3, 0, 0, 0, run_timestamp },
	/* cache control: there are no caches */
	{ OP_GCR, 5, 0, 0, GFX10, NULL },
};

static const struct format *find_format(const struct sim_profile *p, u32 header)
{
	bool gfx10 = p->gfx >= GFX10;
	const struct format *f;
	u32 i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		f = &formats[i];
		if (f->op != (header & 0xffff))
			continue;
		if (header >> 16 << 16 & ~(gfx10 ? f->bits_gfx10 : f->bits) ||
		    p->gfx < f->gfx)
			return NULL;
		return f;
	}
	return NULL;
}

u32 sim_sdma_packet_dwords(const struct sim_profile *p, u32 header)
{
	const struct format *f = find_format(p, header);

	if (!f)
		return 0;
	return f->op == OP_NOP ? 1 + NOP_COUNT(header) : f->dwords;
}

enum sim_sdma_result sim_sdma_packet_run(struct sim_sdma *s)
{
	const struct format *f = find_format(s->sim.gpu->profile, s->packet[0]);

	return f->run ? f->run(s) : SIM_SDMA_DONE;
}
