// SPDX-License-Identifier: MIT
/*
 * ROCr's bare code for copies and fills, on gfx90a (5.2.3 and later), gfx942
 * (6.1.2 and later) and gfx11 (6.4.3), identified by a hash. Its work-items
 * take turns over the whole range; here each workgroup has its own part. The
 * result at the end, and the amount missing before, are the same. Times are
 * assumed.
 */
#include "native/native.h"

#define CYCLES	4000
#define VGPRS	32

void sim_native_share(const struct sim_native_call *c, u64 units, u64 *from, u64 *to)
{
	u64 groups = (c->grid[0] - 1) / c->size[0] + 1, i = c->first[0] / c->size[0];
	u64 each = units / groups, more = units % groups;

	*from = each * i + (i < more ? i : more);
	*to = *from + each + (i < more);
}

static bool copy_share(struct sim_native_call *c, u64 dst, u64 src, u64 bytes)
{
	u64 from, to;

	sim_native_share(c, bytes, &from, &to);
	return sim_native_copy(c->q, dst + from, src + from, to - from);
}

/* Where each phase begins; phases differ in the bytes moved at a time. */
struct aligned_args {
	u64 phase[4][2];	/* source, destination */
	u64 end[2];
	u64 items;
};

static bool run_copy_aligned(struct sim_native_call *c)
{
	struct aligned_args args;

	if (!sim_read(c->q, c->args, &args, sizeof(args)) || args.end[0] < args.phase[0][0])
		return false;
	return copy_share(c, args.phase[0][1], args.phase[0][0],
			  args.end[0] - args.phase[0][0]);
}

struct misaligned_args {
	u64 phase[2][2];
	u64 end[2];
	u64 items;
};

static bool run_copy_misaligned(struct sim_native_call *c)
{
	struct misaligned_args args;

	if (!sim_read(c->q, c->args, &args, sizeof(args)) || args.end[0] < args.phase[0][0])
		return false;
	return copy_share(c, args.phase[0][1], args.phase[0][0],
			  args.end[0] - args.phase[0][0]);
}

struct fill_args {
	u64 phase[2];
	u64 end;
	u32 value;
	u32 items;
};

static bool run_fill(struct sim_native_call *c)
{
	struct fill_args args;
	u64 from, to;
	u32 *word;

	if (!sim_read(c->q, c->args, &args, sizeof(args)) || args.end < args.phase[0])
		return false;
	for (sim_native_share(c, (args.end - args.phase[0]) / 4, &from, &to); from < to; from++) {
		word = sim_native_word(c, 0, args.phase[0] + 4 * from, 4, true);
		if (!word)
			return false;
		*word = args.value;
	}
	return true;
}

const struct sim_native sim_native_rocr[] = {
	{ NULL, 0x806e316b366f0df5ULL, VGPRS, CYCLES, 0, NULL, run_copy_aligned, false },
	{ NULL, 0xf82927699e61085cULL, VGPRS, CYCLES, 0, NULL, run_copy_misaligned, false },
	{ NULL, 0x83afef5248054f25ULL, VGPRS, CYCLES, 0, NULL, run_fill, false },
	{ NULL, 0xa8e82c77d4f1c2b5ULL, VGPRS, CYCLES, 0, NULL, run_copy_aligned, false },
	{ NULL, 0xed198fe7aa4c359cULL, VGPRS, CYCLES, 0, NULL, run_copy_misaligned, false },
	{ NULL, 0x8429cecb0901d0e5ULL, VGPRS, CYCLES, 0, NULL, run_fill, false },
	{ NULL, 0xc8076fa06a9f3e3bULL, VGPRS, CYCLES, 0, NULL, run_copy_aligned, false },
	{ NULL, 0x6574cc7cc3570611ULL, VGPRS, CYCLES, 0, NULL, run_copy_misaligned, false },
	{ NULL, 0x77bd7bf2e6a1dc4cULL, VGPRS, CYCLES, 0, NULL, run_fill, false },
	{ },
};
