/* SPDX-License-Identifier: MIT */
/*
 * Native kernels: dispatches of real code objects, whose effect on memory is
 * known and performed here.
 *
 * The model does not execute GPU instructions. It recognises a kernel by the
 * symbol of its descriptor, in the code object the runtime has put into GPU
 * memory; or, where a runtime has bare code, by a hash of that code. A function
 * in the table then has the effect of the kernel on memory: one workgroup at a
 * time, when the model retires that workgroup, never earlier. So a dispatch
 * that was saved half-way has done half its work, and one that never ran none.
 *
 * A kernel that is not in the table is refused: its queue halts. If the GPU
 * times such kernels (sim_gpu.time_unknown), it takes a time that depends on
 * its grid and its descriptor (unknown.c), and leaves no result. The table may
 * limit the grid of a kernel: a larger dispatch takes its modelled time, in
 * coarser steps, and leaves no result. Statistics distinguish the two from each
 * other, and from dispatches that are performed.
 */
#ifndef SIM_NATIVE_H
#define SIM_NATIVE_H

#include "gpu/aql.h"

/* Longest symbol of a kernel, with its end; a longer one is cut. */
#define SIM_NATIVE_NAME		256

/* Operands in memory that a kernel may access, with a page of each cached. */
#define SIM_NATIVE_VIEWS	4

/**
 * struct sim_native_call - a workgroup of a native kernel
 * @q: the queue, whose process's memory it works on
 * @args: address of the arguments
 * @grid: work-items, x y z, each at least 1
 * @size: of a workgroup
 * @first: the first work-item of this workgroup
 * @end: one after its last, within the grid
 * @start: GPU clock when the first workgroup of the dispatch began
 * @now: and at the end of this one
 * @groups: workgroups of the dispatch
 * @group: number of this one
 * @count: how many this call is for, @group and what follows; 1, unless sim_native.many
 * @view: pages the kernel is accessing
 */
struct sim_native_call {
	struct sim_queue *q;
	u64 args;
	u32 grid[3];
	u32 size[3];
	u32 first[3];
	u32 end[3];
	u64 start;
	u64 now;
	u32 groups;
	u32 group;
	u32 count;
	struct {
		u64 page;
		u8 *at;
	} view[SIM_NATIVE_VIEWS];
};

/**
 * struct sim_native - a kernel
 * @symbol: of its descriptor; NULL: bare code
 * @code: sim_native_hash() of bare code
 * @vgprs: registers of a lane. Assumed.
 * @cycles: of a workgroup, at the clock of the profile. Assumed.
 * @most: work-items of a dispatch that is performed; a larger one only takes
 *	its time. 0: no limit
 * @rounds: times a workgroup does that; NULL: once. False: fault.
 * @run: carry out one workgroup; false: fault
 * @many: carry out many at once, late (sim_dispatch.late)
 */
struct sim_native {
	const char *symbol;
	u64 code;
	u32 vgprs;
	u32 cycles;
	u32 most;
	bool (*rounds)(struct sim_queue *q, u64 args, u32 *rounds);
	bool (*run)(struct sim_native_call *c);
	bool many;
};

/* The tables, each ended by an entry without @run. */
extern const struct sim_native sim_native_plain[];	/* plain.c */
extern const struct sim_native sim_native_hip[];	/* hip.c */
extern const struct sim_native sim_native_rocr[];	/* rocr.c */

/* native.c */

/* Kernel number @i of all tables, or NULL. */
const struct sim_native *sim_native_at(u32 i);

/*
 * The number of the kernel whose descriptor is at @code, -1: not known. @name
 * is its symbol, or a replacement. Memory that does not exist is no fault.
 */
s32 sim_native_find(struct sim_queue *q, u64 code, char name[SIM_NATIVE_NAME]);

/*
 * Prepare @d for kernel number @i. Below 0: an unknown kernel, which has number
 * -1 - @i for the caller. False: fault.
 */
bool sim_native_kernel(struct sim_queue *q, const struct sim_aql_dispatch *p,
		       struct sim_dispatch *d, s32 i);

/* Whether sim_native_kernel() prepared @d. */
bool sim_native_is(const struct sim_dispatch *d);

/* Whether such a dispatch @d is too large: it only takes its time. */
bool sim_native_timed(const struct sim_dispatch *d);

/*
 * The number of a dispatch's unknown kernel, or -1: it is known. The number was
 * saved with the waves in memory of the process, and may be any.
 */
s32 sim_native_unknown(const struct sim_dispatch *d);

/* ops->retired of such a dispatch. */
bool sim_native_retired(struct sim_queue *q, const struct sim_dispatch *d,
			u32 first, u32 n, u64 t);

/* memory.c: an aligned word at @va, of operand @view; NULL: fault. */
void *sim_native_word(struct sim_native_call *c, u32 view, u64 va, u32 bytes, bool write);

/* How many of @n words of 4 bytes from @va on are in its page. */
u32 sim_native_words_in_page(u64 va, u32 n);

/*
 * The part [@from, @to) of [0, @units) of this workgroup. On hardware,
 * work-items take turns over the whole range; here each workgroup has a part of
 * its own. The result at the end, and the amount missing before, are the same.
 * rocr.c
 */
void sim_native_share(const struct sim_native_call *c, u64 units, u64 *from, u64 *to);

/* memory.c: copy within the memory of the process, in ascending order. */
bool sim_native_copy(struct sim_queue *q, u64 dst, u64 src, u64 bytes);

/* code_object.c: the symbol at @va in its code object. */
bool sim_code_symbol(struct sim_queue *q, u64 va, char name[SIM_NATIVE_NAME]);

/*
 * Registers of a lane and LDS of a workgroup, from the descriptor at @va.
 * False: there is none, or this GPU could not run it.
 */
bool sim_code_costs(struct sim_queue *q, u64 va, u32 *vgprs, u32 *lds_bytes);

/* Hash of bare code after a descriptor at @va; 0: there is none. */
u64 sim_code_hash(struct sim_queue *q, u64 va);

/*
 * unknown.c: costs of an unknown kernel. Grid and LDS are already set. False:
 * no descriptor.
 */
bool sim_unknown_costs(struct sim_queue *q, u64 code, struct sim_dispatch *d);

/* float32.c: a * b + c, rounded once to the nearest, ties to even. */
u32 sim_f32_fma(u32 a, u32 b, u32 c);

#endif /* SIM_NATIVE_H */
