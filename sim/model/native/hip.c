// SPDX-License-Identifier: MIT
/*
 * The kernels of HIP's own runtime (ROCclr) for fills and copies. They do what
 * their source does, in ROCm's device library (amdblit.cl), or, since ROCm 6,
 * for some in the runtime itself (blitcl.cpp); their times are assumed.
 *
 * Since ROCm 6, fill and copy have the same names but other arguments. The
 * arguments show which version it is: is_ranged_fill(), is_ranged_copy().
 */
#include "native/native.h"

#define CYCLES	2000
#define VGPRS	16

struct fill_args {
	u64 buffer[4];	/* of elements of 1, 2, 4 and 8 bytes; one is not 0 */
	u64 pattern;
	u32 elements;
	u32 padding;
	u64 offset;
	u64 width;
	u64 height;
	u64 pitch;
};

#define FILL_BYTES	64	/* of fill_args, without the last two */

static u32 element_shift(const struct fill_args *args)
{
	u32 shift = 3;

	while (shift && !args->buffer[shift])
		shift--;
	return shift;
}

/* Write the pattern at that element. */
static bool put_pattern(struct sim_native_call *c, const struct fill_args *args, u64 at)
{
	u32 shift = element_shift(args);
	u64 va = args->buffer[shift] + (at << shift);

	return sim_native_copy(c->q, va, args->pattern, (u64)args->elements << shift);
}

/* Since ROCm 6: from a pointer to another. */
struct ranged_fill_args {
	u64 buffer;
	u64 pattern;
	u32 elements;
	u32 alignment;	/* bytes of an element */
	u64 end;
	u32 step;	/* of a work-item: all of them together */
};

/* Before, three of the first four words were 0. */
static bool is_ranged_fill(const struct fill_args *args)
{
	return args->buffer[0] && args->buffer[1] && args->buffer[2] && args->buffer[3];
}

/* Write the pattern once, then double it with each copy. */
static bool run_ranged_fill(struct sim_native_call *c)
{
	struct ranged_fill_args args;
	u64 unit, from, to, at, bytes, done, n;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	unit = (u64)args.elements * args.alignment;
	if (!unit || args.end < args.buffer)
		return false;
	sim_native_share(c, (args.end - args.buffer + unit - 1) / unit, &from, &to);
	if (from == to)
		return true;
	at = args.buffer + from * unit;
	bytes = (to - from) * unit;
	if (!sim_native_copy(c->q, at, args.pattern, unit))
		return false;
	for (done = unit; done < bytes; done += n) {
		n = bytes - done < done ? bytes - done : done;
		if (!sim_native_copy(c->q, at + done, at, n))
			return false;
	}
	return true;
}

static bool run_fill(struct sim_native_call *c)
{
	struct fill_args args;
	u64 i;

	if (!sim_read(c->q, c->args, &args, FILL_BYTES))
		return false;
	if (is_ranged_fill(&args))
		return run_ranged_fill(c);
	for (i = c->first[0]; i < c->end[0] && i < args.width; i++)
		if (!put_pattern(c, &args, args.offset + i * args.elements))
			return false;
	return true;
}

static bool run_fill_2d(struct sim_native_call *c)
{
	struct fill_args args;
	u64 x, y;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	for (y = c->first[1]; y < c->end[1] && y < args.height; y++)
		for (x = c->first[0]; x < c->end[0] && x < args.width; x++)
			if (!put_pattern(c, &args, args.offset + y * args.pitch + x))
				return false;
	return true;
}

struct copy_args {
	u64 src;
	u64 dst;
	u64 src_at;
	u64 dst_at;
	u64 size;
	u32 unit;	/* bytes after the last dword, or of an element */
	u32 padding;
};

/* Since ROCm 6: all but the last bytes by elements of 4 or 16, up to a pointer. */
struct ranged_copy_args {
	u64 src;
	u64 dst;
	u64 size;
	u32 remainder;	/* bytes after the last element */
	u32 alignment;	/* bytes of an element */
	u64 end;
	u32 step;	/* of a work-item: all of them together */
};

/* Before, this was an offset, which would hardly have such a value. */
static bool is_ranged_copy(const struct ranged_copy_args *args)
{
	return args->remainder <= args->size && args->end == args->dst + args->size - args->remainder &&
		(args->alignment == 4 || args->alignment == 16);
}

static bool run_ranged_copy(struct sim_native_call *c, const struct ranged_copy_args *args)
{
	u64 whole = args->size - args->remainder, from, to;

	sim_native_share(c, whole / args->alignment, &from, &to);
	from *= args->alignment;
	to *= args->alignment;
	if (!sim_native_copy(c->q, args->dst + from, args->src + from, to - from))
		return false;
	return c->first[0] || sim_native_copy(c->q, args->dst + whole, args->src + whole, args->remainder);
}

/* Work-items [first, end) of a copy of @size. */
static u64 copy_items(const struct sim_native_call *c, u64 size)
{
	u64 end = c->end[0] < size ? c->end[0] : size;

	return end > c->first[0] ? end - c->first[0] : 0;
}

/*
 * With 8: a byte each. Otherwise a dword each, but the last work-item, which
 * copies so many bytes.
 */
static bool run_copy(struct sim_native_call *c)
{
	struct ranged_copy_args ranged;
	struct copy_args args;
	u64 at, bytes, n;

	if (!sim_read(c->q, c->args, &ranged, sizeof(ranged)))
		return false;
	if (is_ranged_copy(&ranged))
		return run_ranged_copy(c, &ranged);
	memcpy(&args, &ranged, sizeof(args));
	n = copy_items(c, args.size);
	if (!n)
		return true;
	at = c->first[0];
	bytes = n;
	if (args.unit != 8) {
		bytes = 4 * n;
		if (at + n == args.size)
			bytes += args.unit - 4ULL;
		at *= 4;
	}
	return sim_native_copy(c->q, args.dst + args.dst_at + at,
			       args.src + args.src_at + at, bytes);
}

static bool run_copy_aligned(struct sim_native_call *c)
{
	struct copy_args args;
	u64 unit;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	unit = args.unit == 16 ? 16 : 4;
	return sim_native_copy(c->q, args.dst + (args.dst_at + c->first[0]) * unit,
			       args.src + (args.src_at + c->first[0]) * unit,
			       copy_items(c, args.size) * unit);
}

struct rect_args {
	u64 src;
	u64 dst;
	u64 padding[2];	/* vectors are aligned to their size */
	u64 src_rect[4];	/* pitch of rows, of slices, offset */
	u64 dst_rect[4];
	u64 size[4];	/* width, rows, slices, bytes of an element */
};

static bool copy_rect(struct sim_native_call *c, u64 aligned)
{
	struct rect_args args;
	u64 unit, y, z, src, dst;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	unit = !aligned ? 1 : args.size[3] == 16 ? 16 : 4;
	for (z = c->first[2]; z < c->end[2] && z < args.size[2]; z++) {
		for (y = c->first[1]; y < c->end[1] && y < args.size[1]; y++) {
			src = c->first[0] + args.src_rect[2] + y * args.src_rect[0] +
				z * args.src_rect[1];
			dst = c->first[0] + args.dst_rect[2] + y * args.dst_rect[0] +
				z * args.dst_rect[1];
			if (!sim_native_copy(c->q, args.dst + dst * unit,
					     args.src + src * unit,
					     copy_items(c, args.size[0]) * unit))
				return false;
		}
	}
	return true;
}

static bool run_copy_rect(struct sim_native_call *c)
{
	return copy_rect(c, false);
}

static bool run_copy_rect_aligned(struct sim_native_call *c)
{
	return copy_rect(c, true);
}

struct write_args {
	u64 word;
	u64 wide;
	u64 value;
};

/* hipStreamWriteValue32 and 64 */
static bool run_write(struct sim_native_call *c)
{
	struct write_args args;
	void *p;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	p = sim_native_word(c, 0, args.word ? args.word : args.wide, args.word ? 4 : 8, true);
	if (!p)
		return false;
	if (args.word)
		__atomic_store_n((u32 *)p, (u32)args.value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((u64 *)p, args.value, __ATOMIC_RELEASE);
	return true;
}

struct gws_args {
	u32 others;
};

/*
 * HIP 5.7 runs this before a cooperative kernel: it sets how many more
 * workgroups the barriers wait for. That is not in memory; here kernels with
 * such barriers implement them by themselves.
 */
static bool run_gws_init(struct sim_native_call *c)
{
	struct gws_args args;

	return sim_read(c->q, c->args, &args, sizeof(args));
}

const struct sim_native sim_native_hip[] = {
	{ "__amd_rocclr_fillBufferAligned.kd", 0, VGPRS, CYCLES, 0, NULL, run_fill, false },
	{ "__amd_rocclr_fillBufferAligned2D.kd", 0, VGPRS, CYCLES, 0, NULL, run_fill_2d, false },
	{ "__amd_rocclr_copyBuffer.kd", 0, VGPRS, CYCLES, 0, NULL, run_copy, false },
	{ "__amd_rocclr_copyBufferAligned.kd", 0, VGPRS, CYCLES, 0, NULL, run_copy_aligned, false },
	{ "__amd_rocclr_copyBufferRect.kd", 0, VGPRS, CYCLES, 0, NULL, run_copy_rect, false },
	{ "__amd_rocclr_copyBufferRectAligned.kd", 0, VGPRS, CYCLES, 0, NULL,
	  run_copy_rect_aligned, false },
	{ "__amd_rocclr_streamOpsWrite.kd", 0, VGPRS, CYCLES, 0, NULL, run_write, false },
	{ "__amd_rocclr_gwsInit.kd", 0, VGPRS, CYCLES, 0, NULL, run_gws_init, false },
	{ },
};
