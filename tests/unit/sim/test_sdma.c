// SPDX-License-Identifier: MIT
/* SDMA by itself: packets, time, turns, interruption inside a packet. */
#include <stdlib.h>

#include "../lib/bounds.h"
#include "gpu/sdma.h"

#define BASE		0x700000000000ULL	/* where the memory is */
#define MEMORY		(24u << 20)
#define PAGES		(MEMORY / 4096)
#define QUEUES		4
#define RING		4096u
#define RINGS		0			/* offsets in the memory: rings, */
#define INDICES		(QUEUES * RING)		/* indices, a page a queue */
#define DATA		(1u << 20)		/* the rest */
#define PACKET_NS	100
#define MAP_NS		10
#define UNMAP_NS	20
#define CHUNK_NS	1000

struct queue {
	struct sim_sdma s;
	u64 wptr;
	const char *fault;
	const char *blame;
	u64 blame_value;
	u32 traps[8];
	u32 nr_traps;
};

struct fixture {
	struct sim_gpu gpu;
	struct sim_profile profile;
	struct queue q[QUEUES];
	u8 memory[MEMORY];
	u8 copy[MEMORY];
	bool absent[PAGES];
	bool read_only[PAGES];
	u64 fault_va;
	bool fault_write;
	u64 preempted_at;
};

static struct fixture *owner_of(struct sim_queue *q)
{
	return q->gpu->owner;
}

static void *memory(struct sim_queue *q, u64 va, u32 bytes, bool write)
{
	struct fixture *f = owner_of(q);
	u64 page = (va - BASE) / 4096;

	assert_true(va % 4096 + bytes <= 4096 && bytes);
	if (va < BASE || page >= PAGES || f->absent[page] || (write && f->read_only[page])) {
		f->fault_va = va;
		f->fault_write = write;
		return NULL;
	}
	return f->memory + (va - BASE);
}

static void interrupt(struct sim_queue *q, u32 context)
{
	struct queue *fq = (struct queue *)q;

	assert_true(fq->nr_traps < 8);
	fq->traps[fq->nr_traps++] = context;
}

static u64 ticks(void *owner, u64 t)
{
	(void)owner;
	return t * 2;
}

static void saved(struct sim_queue *q, u32 image_bytes, u64 state_bytes)
{
	(void)q;
	assert_int_equal(image_bytes, 0);
	assert_int_equal(state_bytes, 0);
}

static void fault(struct sim_queue *q, const char *why)
{
	struct queue *fq = (struct queue *)q;

	fq->fault = why;
	fq->blame = q->blame;
	fq->blame_value = q->blame_value;
}

static void preempted(void *owner, u64 t)
{
	((struct fixture *)owner)->preempted_at = t;
}

static const struct sim_ops ops = {
	.memory = memory,
	.interrupt = interrupt,
	.ticks = ticks,
	.saved = saved,
	.fault = fault,
	.preempted = preempted,
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->profile = sim_profile_mi308x;
	f->profile.sdma_engines = 2;
	f->profile.sdma_packet_ns = PACKET_NS;
	f->profile.sdma_bytes_per_us = SIM_SDMA_CHUNK;
	f->profile.map_queue_ns = MAP_NS;
	f->profile.unmap_queue_ns = UNMAP_NS;
	sim_gpu_init(&f->gpu, &f->profile, &ops, f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* ---- a process that writes packets ---- */

static u64 *wptr_of(struct fixture *f, u32 q)
{
	return (u64 *)(f->memory + INDICES + q * 4096 + 8);
}

static u64 rptr_of(struct fixture *f, u32 q)
{
	return *(u64 *)(f->memory + INDICES + q * 4096);
}

static void map(struct fixture *f, u32 i, u32 engine)
{
	struct sim_sdma *s = &f->q[i].s;

	s->sim.type = SIM_QUEUE_SDMA;
	s->engine = engine;
	s->ring = BASE + RINGS + i * RING;
	s->ring_bytes = RING;
	s->rptr_va = BASE + INDICES + i * 4096;
	s->wptr_va = s->rptr_va + 8;
	assert_null(sim_sdma_check(s, &f->profile));
	assert_int_equal(sim_queue_map(&f->gpu, &s->sim, f->gpu.now, 0), f->gpu.now + MAP_NS);
}

static void put(struct fixture *f, u32 i, const u32 *p, u32 dwords)
{
	u32 *ring = (u32 *)(f->memory + RINGS + i * RING);
	struct queue *q = &f->q[i];

	for (; dwords; dwords--, q->wptr += 4)
		ring[q->wptr % RING / 4] = *p++;
	*wptr_of(f, i) = q->wptr;
	if (q->s.sim.gpu)
		sim_queue_ring(&q->s.sim);
}

#define PUT(f, q, ...) do {						\
	const u32 p_[] = { __VA_ARGS__ };				\
	put(f, q, p_, sizeof(p_) / 4);					\
} while (0)

#define LO(offset)	((u32)(BASE + (offset)))
#define HI(offset)	((u32)((BASE + (offset)) >> 32))
#define AT(offset)	LO(offset), HI(offset)

#define NOP		0u
#define COPY(to, from, n)	1u, (u32)(n) - 1, 0u, AT(from), AT(to)
#define FILL_DWORDS(to, v, n)	11u | 2u << 30, AT(to), v, (u32)(n) - 4
#define FILL_BYTES(to, v, n)	11u, AT(to), v, (u32)(n) - 1
#define FENCE(to, v)	5u, AT(to), v
#define TRAP(id)	6u, id
#define POLL(at, fn, ref, mask)						\
	8u | (fn) << 28 | 1u << 31, AT(at), ref, mask, 4u | 0xfffu << 16
#define HDP_FLUSH	8u, 0u, 0x80000000u, 0u, 0u, 0u
#define ATOMIC(at, op, src, cmp)					\
	10u | (u32)(op) << 25, AT(at), (u32)(src), (u32)((u64)(src) >> 32), \
	(u32)(cmp), (u32)((u64)(cmp) >> 32), 0u
#define ADD64		47u
#define TIMESTAMP(at)	13u | 2u << 8, AT(at)

static u32 *dword(struct fixture *f, u32 offset)
{
	return (u32 *)(f->memory + offset);
}

static void run(struct fixture *f)
{
	u32 events = 0;
	u64 t;

	sim_advance(&f->gpu, f->gpu.now);
	while ((t = sim_next_event(&f->gpu)) != SIM_NEVER) {
		assert_true(++events < 100000);	/* it would never end */
		sim_advance(&f->gpu, t);
	}
}

/* Take the first @n queues off; returns how long it took. */
static u64 unmap(struct fixture *f, u32 n)
{
	u64 begin = f->gpu.now, t;
	u32 i;

	for (i = 0; i < n; i++)
		sim_queue_stop(&f->q[i].s.sim);
	f->preempted_at = SIM_NEVER;
	sim_preempt(&f->gpu, begin, 0);
	while (f->preempted_at == SIM_NEVER) {
		t = sim_next_event(&f->gpu);
		assert_true(t != SIM_NEVER);
		sim_advance(&f->gpu, t);
	}
	return f->preempted_at - begin;
}

static void noise(struct fixture *f)
{
	u64 seed = 1;
	u32 i;

	for (i = DATA; i < MEMORY; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		f->memory[i] = seed >> 56;
	}
	memcpy(f->copy, f->memory, MEMORY);
}

/* Nothing of the data differs from the copy. */
static void assert_unchanged(struct fixture *f)
{
	assert_memory_equal(f->memory + DATA, f->copy + DATA, MEMORY - DATA);
}

/* ---- tests ---- */

/* A copy takes a packet's time and that of its bytes, which move by chunks. */
static void test_copy_time(void **state)
{
	struct fixture *f = *state;
	u32 to = DATA + (4 << 20), n = 3 * SIM_SDMA_CHUNK + 16384;
	u64 begin = MAP_NS + PACKET_NS;

	noise(f);
	PUT(f, 0, COPY(to, DATA, n));
	map(f, 0, 0);
	sim_advance(&f->gpu, begin + CHUNK_NS - 1);
	assert_unchanged(f);
	sim_advance(&f->gpu, begin + 2 * CHUNK_NS);
	memcpy(f->copy + to, f->copy + DATA, 2 * SIM_SDMA_CHUNK);
	assert_unchanged(f);
	assert_int_equal(rptr_of(f, 0), 0);
	sim_advance(&f->gpu, begin + 3 * CHUNK_NS + 249);
	assert_int_equal(rptr_of(f, 0), 0);
	sim_advance(&f->gpu, begin + 3 * CHUNK_NS + 250);
	assert_int_equal(rptr_of(f, 0), 28);
	memcpy(f->copy + to, f->copy + DATA, n);
	assert_unchanged(f);
	assert_int_equal(f->gpu.stats.sdma_packets, 1);
	assert_int_equal(f->gpu.stats.sdma_bytes, n);
}

/* Every alignment of both ends, around pages; not a byte beside. */
static void test_copy_unaligned(void **state)
{
	static const u32 sizes[] = { 1, 3, 4095, 4096, 4097, 12289, SIM_SDMA_CHUNK + 1 };
	struct fixture *f = *state;
	u32 i, k, src, dst;

	noise(f);
	map(f, 0, 0);
	for (i = 0; i < 64; i++) {
		for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			src = DATA + 4096 - 4 + i % 8;
			dst = DATA + (2 << 20) + 4096 * k * 17 + 4096 - 4 + i / 8;
			PUT(f, 0, COPY(dst, src, sizes[k]));
			run(f);
			memcpy(f->copy + dst, f->copy + src, sizes[k]);
		}
		assert_unchanged(f);
	}
	assert_null(f->q[0].fault);
}

/* Longer than the 22 bits older engines have for it. */
static void test_copy_large(void **state)
{
	struct fixture *f = *state;
	u32 n = (9 << 20) + 5, to = DATA + (10 << 20) + 3;

	noise(f);
	PUT(f, 0, COPY(to, DATA + 1, n));
	map(f, 0, 1);
	run(f);
	memcpy(f->copy + to, f->copy + DATA + 1, n);
	assert_unchanged(f);
	assert_int_equal(f->gpu.now, MAP_NS + PACKET_NS + (u64)n * 1000 / SIM_SDMA_CHUNK);
}

/* Fill, by bytes and by dwords in both ways to give the length. */
static void test_fill(void **state)
{
	struct fixture *f = *state;
	u32 at = DATA + 4092, i;

	noise(f);
	PUT(f, 0, FILL_DWORDS(at, 0x01020304u, 10000));
	PUT(f, 0, 11u | 2u << 30, AT(at + 20000), 0x55667788u, 8 - 1);
	PUT(f, 0, FILL_BYTES(at + 30001, 0xffffff5au, 4099));
	map(f, 0, 0);
	run(f);
	for (i = 0; i < 2500; i++)
		memcpy(f->copy + at + i * 4, "\x04\x03\x02\x01", 4);
	memcpy(f->copy + at + 20000, "\x88\x77\x66\x55\x88\x77\x66\x55", 8);
	memset(f->copy + at + 30001, 0x5a, 4099);
	assert_unchanged(f);
	assert_int_equal(rptr_of(f, 0), 60);
}

/* Elements, pitches, slices and offsets of a sub-window. */
static void test_window(void **state)
{
	struct fixture *f = *state;
	u32 src = DATA, dst = DATA + (8 << 20), x, y, z, from, to;
	/* 4-byte elements, 100 x 9 x 5 of them; pitches 300 and 200 */
	const u32 e = 2, sp = 300, ss = 300 * 40, dp = 200, ds = 200 * 20;

	noise(f);
	PUT(f, 0, 1u | 4u << 8 | e << 29, AT(src), 7u | 3u << 16, 2u | (sp - 1) << 13, ss - 1,
	    AT(dst), 11u | 5u << 16, 1u | (dp - 1) << 13, ds - 1,
	    99u | 8u << 16, 4u);
	map(f, 0, 0);
	run(f);
	assert_null(f->q[0].fault);
	for (z = 0; z < 5; z++)
		for (y = 0; y < 9; y++)
			for (x = 0; x < 100; x++) {
				from = src + 4 * (7 + x + (3 + y) * sp + (2 + z) * ss);
				to = dst + 4 * (11 + x + (5 + y) * dp + (1 + z) * ds);
				memcpy(f->copy + to, f->copy + from, 4);
			}
	assert_unchanged(f);
	assert_int_equal(f->gpu.stats.sdma_bytes, 100 * 9 * 5 * 4);
}

/* Fence, trap and time stamp, in order, each when its packet is processed. */
static void test_fence_trap_timestamp(void **state)
{
	struct fixture *f = *state;
	struct queue *q = &f->q[0];

	PUT(f, 0, TIMESTAMP(DATA), FENCE(DATA + 16, 77), TRAP(0x1234567), TIMESTAMP(DATA + 8),
	    HDP_FLUSH);
	map(f, 0, 0);
	sim_advance(&f->gpu, MAP_NS + 2 * PACKET_NS);
	assert_int_equal(*(u64 *)dword(f, DATA), (MAP_NS + PACKET_NS) * 2);
	assert_int_equal(*dword(f, DATA + 16), 77);
	assert_int_equal(q->nr_traps, 0);
	run(f);
	assert_int_equal(q->nr_traps, 1);
	assert_int_equal(q->traps[0], 0x1234567);
	assert_int_equal(*(u64 *)dword(f, DATA + 8), (MAP_NS + 4 * PACKET_NS) * 2);
	assert_int_equal(rptr_of(f, 0), q->wptr);
	assert_null(q->fault);
}

/* A poll waits for memory; other queues of its engine go on meanwhile. */
static void test_poll(void **state)
{
	struct fixture *f = *state;

	*dword(f, DATA) = 0x1206;
	PUT(f, 0, POLL(DATA, 3u, 0x1200u, 0xff00u), FENCE(DATA + 4, 1));
	PUT(f, 0, POLL(DATA, 3u, 0x3400u, 0xff00u), FENCE(DATA + 8, 1));
	map(f, 0, 0);
	map(f, 1, 0);
	run(f);
	assert_int_equal(*dword(f, DATA + 4), 1);
	assert_int_equal(*dword(f, DATA + 8), 0);
	assert_true(f->q[0].s.sim.blocked);
	PUT(f, 1, FENCE(DATA + 12, 1));
	run(f);
	assert_int_equal(*dword(f, DATA + 12), 1);
	assert_int_equal(*dword(f, DATA + 8), 0);
	*dword(f, DATA) = 0x3456;
	run(f);
	assert_int_equal(*dword(f, DATA + 8), 0);	/* the model was not notified */
	assert_true(sim_retry_blocked(&f->gpu));
	run(f);
	assert_int_equal(*dword(f, DATA + 8), 1);
}

/* All conditions, with the value below, at and above the reference. */
static void test_poll_functions(void **state)
{
	static const u8 met[7][3] = {
		{ 1, 1, 1 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
		{ 1, 0, 1 }, { 0, 1, 1 }, { 0, 0, 1 },
	};
	struct fixture *f = *state;
	u32 fn, v;

	for (fn = 0; fn < 7; fn++) {
		for (v = 0; v < 3; v++) {
			*dword(f, DATA) = 0x80000000u + v;	/* unsigned */
			*dword(f, DATA + 4) = 0;
			PUT(f, 0, POLL(DATA, fn, 0x80000001u, ~0u), FENCE(DATA + 4, 1));
			if (!f->q[0].s.sim.gpu)
				map(f, 0, 0);
			run(f);
			assert_int_equal(*dword(f, DATA + 4), met[fn][v]);
			*dword(f, DATA) = 0x80000000u + (fn & 1 ? (fn == 5 ? 2 : fn == 3) :
							fn == 6 ? 2 : 0);
			sim_retry_blocked(&f->gpu);
			run(f);
			assert_int_equal(rptr_of(f, 0), f->q[0].wptr);
		}
	}
}

/* What one engine writes lets a queue of another go on, without help. */
static void test_poll_across_engines(void **state)
{
	struct fixture *f = *state;

	PUT(f, 0, POLL(DATA, 3u, 2u, ~0u), FENCE(DATA + 4, 9));
	PUT(f, 1, POLL(DATA + 4, 3u, 9u, ~0u), FENCE(DATA + 8, 9));
	PUT(f, 2, NOP, NOP, ATOMIC(DATA, ADD64, 1, 0), ATOMIC(DATA, ADD64, 1, 0));
	map(f, 0, 0);
	map(f, 1, 1);
	map(f, 2, 1);
	run(f);
	assert_int_equal(*dword(f, DATA + 8), 9);
	assert_int_equal(f->gpu.blocked, 0);
}

/* Atomics on integers of both widths, from values at the edge. */
static void test_atomics(void **state)
{
	static const struct {
		u32 op;
		u64 old, src, cmp, want;
	} cases[] = {
		{ 0x2f, 5, -1ULL, 0, 4 },			/* add: ROCr's decrement */
		{ 0x6f, 1ULL << 32, 1, 0, (1ULL << 32) + 1 },	/* without return */
		{ 0x0f, 0xffffffff, 1, 0, 0 },			/* 32 bit: no carry */
		{ 0x30, 3, 4, 0, -1ULL },
		{ 0x10, 3, 4, 0, 0xffffffff },
		{ 0x27, 1, 2, 0, 2 },
		{ 0x28, 1, 2, 1, 2 },
		{ 0x28, 1, 2, 3, 1 },
		{ 0x08, 0x700000001ULL, 2, 1, 0x700000002ULL },
		{ 0x31, 1, -1ULL, 0, -1ULL },
		{ 0x32, 1, -1ULL, 0, 1 },
		{ 0x33, 1, -1ULL, 0, 1 },
		{ 0x34, 1, -1ULL, 0, -1ULL },
		{ 0x11, 1, 0xffffffff, 0, 0xffffffff },
		{ 0x13, 0xffffffff, 1, 0, 1 },
		{ 0x35, 12, 10, 0, 8 },
		{ 0x36, 12, 10, 0, 14 },
		{ 0x37, 12, 10, 0, 6 },
		{ 0x38, 7, 7, 0, 0 },
		{ 0x38, 6, 7, 0, 7 },
		{ 0x39, 0, 7, 0, 7 },
		{ 0x39, 9, 7, 0, 7 },
		{ 0x39, 3, 7, 0, 2 },
	};
	struct fixture *f = *state;
	u64 *p = (u64 *)dword(f, DATA);
	u32 i;

	map(f, 0, 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*p = cases[i].old;
		PUT(f, 0, ATOMIC(DATA, cases[i].op, cases[i].src, cases[i].cmp));
		run(f);
		assert_int_equal(*p, cases[i].want);
	}
	/* compare and swap in a loop: until memory has the value */
	*p = 1;
	PUT(f, 0, 10u | 0x28u << 25 | 1u << 16, AT(DATA), 7u, 0u, 2u, 0u, 0u);
	run(f);
	assert_int_equal(*p, 1);
	*p = 2;
	sim_retry_blocked(&f->gpu);
	run(f);
	assert_int_equal(*p, 7);
	assert_null(f->q[0].fault);
}

/* NOPs skip what they say, also over the end of the ring. */
static void test_nop_and_wrap(void **state)
{
	struct fixture *f = *state;
	u32 i, k;

	map(f, 0, 0);
	for (i = 0; i < 200; i++) {
		PUT(f, 0, 3u << 16, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef);
		for (k = 0; k < i; k++)
			PUT(f, 0, NOP);
		PUT(f, 0, FENCE(DATA, i), ATOMIC(DATA + 8, ADD64, 1, 0));
		run(f);
		assert_int_equal(*dword(f, DATA), i);
		assert_int_equal(rptr_of(f, 0), f->q[0].wptr);
	}
	assert_true(f->q[0].wptr > 4 * RING);
	assert_int_equal(*dword(f, DATA + 8), 200);
	assert_null(f->q[0].fault);
}

/* A packet that is not all written yet waits for the rest. */
static void test_incomplete_packet(void **state)
{
	struct fixture *f = *state;

	PUT(f, 0, 5u, LO(DATA));
	map(f, 0, 0);
	run(f);
	assert_int_equal(rptr_of(f, 0), 0);
	assert_null(f->q[0].fault);
	PUT(f, 0, HI(DATA), 4u);
	run(f);
	assert_int_equal(*dword(f, DATA), 4);
}

/* What is not known halts its queue and says so; the next queue runs on. */
static void test_unknown(void **state)
{
	static const u32 bad[][13] = {
		{ 0x7f },					/* operation */
		{ 2, AT(DATA), 0, 1 },				/* write */
		{ 4, AT(DATA), 4, AT(DATA) },			/* indirect buffer */
		{ 14, 0, 0 },					/* register write */
		{ 1 | 1 << 8, 3, 0, AT(DATA), AT(DATA + 64) },	/* tiled */
		{ 1 | 1 << 27, 3, 0, AT(DATA), AT(DATA + 64) },	/* broadcast */
		{ 1 | 1 << 18, 3, 0, AT(DATA), AT(DATA + 64) },	/* tmz */
		{ 1, 1U << 30, 0, AT(DATA), AT(DATA + 64) },	/* count */
		{ 1, 3, 1 << 16, AT(DATA), AT(DATA + 64) },	/* byte swap */
		{ 5 | 3 << 16, AT(DATA), 1 },			/* a policy of gfx10 */
		{ 5, AT(DATA + 2), 1 },				/* alignment */
		{ 6, 1 << 28 },
		{ 8 | 7U << 28 | 1U << 31, AT(DATA), 0, ~0U, 0xfff << 16 },
		{ 8 | 3U << 28 | 1U << 31, AT(DATA), 0, ~0U, 0xffe << 16 },
		{ 8 | 3U << 28 | 1U << 31, AT(DATA + 1), 0, ~0U, 0xfff << 16 },
		{ 8 | 3U << 28, AT(DATA), 0, ~0U, 0xfff << 16 },	/* a register */
		{ 10 | 0x22U << 25, AT(DATA), 0, 0, 0, 0, 0 },	/* floating point */
		{ 10 | 0x2fU << 25 | 1 << 16, AT(DATA), 0, 0, 0, 0, 0 },
		{ 10 | 0x2fU << 25, AT(DATA + 4), 0, 0, 0, 0, 0 },
		{ 11 | 1U << 30, AT(DATA), 0, 3 },
		{ 11 | 2U << 30, AT(DATA + 2), 0, 3 },
		{ 11, AT(DATA), 0, 1 << 22 },
		{ 13, AT(DATA) },				/* set the clock */
		{ 13 | 2 << 8, AT(DATA + 4) },
		{ 17 | 1 << 8, 0, 0, 0, 0 },			/* gfx10 */
		{ 1 | 4 << 8 | 5U << 29, AT(DATA), 0, 0, 0, AT(DATA), 0, 0, 0, 0, 0 },
		{ 1 | 4 << 8, AT(DATA), 0, 1 << 11, 0, AT(DATA), 0, 0, 0, 0, 0 },
		{ 1 | 4 << 8, AT(DATA), 0, 0, 0, AT(DATA), 0, 0, 0, 0, 1 << 16 },
	};
	u32 i, n = sizeof(bad) / sizeof(bad[0]);
	struct fixture *f = *state;
	struct queue *q = &f->q[0];

	noise(f);
	for (i = 0; i < n; i++) {
		sim_gpu_reset(&f->gpu);
		memset(f->q, 0, sizeof(f->q));
		put(f, 0, bad[i], 13);
		PUT(f, 1, FENCE(DATA, i));
		map(f, 0, 0);
		map(f, 1, 0);
		run(f);
		assert_non_null(q->fault);
		assert_non_null(q->blame);
		assert_int_equal(q->blame_value, bad[i][0]);
		assert_int_equal(q->s.read, 0);
		assert_int_equal(q->nr_traps, 0);
		memcpy(f->copy + DATA, &i, 4);
		assert_unchanged(f);
		/* it is not looked at again, and can be taken off */
		assert_int_equal(q->s.sim.state, SIM_QUEUE_FAULTED);
		PUT(f, 0, NOP);
		run(f);
		assert_int_equal(f->gpu.stats.bad_packets, i + 1);
		assert_int_equal(unmap(f, 2), 2 * UNMAP_NS);
	}
}

/* Cache control and cache policies are known from gfx10 on. */
static void test_gfx10(void **state)
{
	struct fixture *f = *state;

	f->profile.gfx = SIM_GFX(11, 0, 0);
	PUT(f, 0, 17u | 1u << 8, 0u, 0x8000u << 16, 0u, 0u);
	PUT(f, 0, 5u | 3u << 16, AT(DATA), 6u);
	map(f, 0, 0);
	run(f);
	assert_null(f->q[0].fault);
	assert_int_equal(*dword(f, DATA), 6);
}

/* An address without memory, or that may not be written, halts the queue. */
static void test_memory_faults(void **state)
{
	struct fixture *f = *state;
	u32 i, page = (DATA + (1 << 20)) / 4096, at = page * 4096;
	const u32 bad[][13] = {
		{ COPY(DATA, at - 10000, 20000) },
		{ COPY(at - 10000, DATA + 4096, 20000) },
		{ FILL_DWORDS(at - 10000, 1, 20000) },
		{ FENCE(at, 1) },
		{ ATOMIC(at + 8, ADD64, 1, 0) },
		{ TIMESTAMP(at + 16) },
		{ POLL(at + 4, 3u, 1u, ~0u) },
	};
	static const u32 offset[] = { 0, 0, 0, 0, 8, 16, 4 };
	static const bool writes[] = { 0, 1, 1, 1, 1, 1, 0 };
	u32 k;

	for (k = 0; k < 2; k++) {
		for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			if (k && !writes[i])
				continue;
			noise(f);
			sim_gpu_reset(&f->gpu);
			memset(f->q, 0, sizeof(f->q));
			*(k ? f->read_only + page : f->absent + page) = true;
			put(f, 0, bad[i], 13);
			map(f, 0, 0);
			run(f);
			assert_non_null(f->q[0].fault);
			assert_null(f->q[0].blame);
			assert_int_equal(f->fault_va, BASE + at + offset[i]);
			assert_int_equal(f->fault_write, writes[i]);
			assert_int_equal(f->q[0].s.read, 0);
			/* what came before the bad page has moved */
			if (i == 1)
				memcpy(f->copy + at - 10000, f->copy + DATA + 4096, 10000);
			if (i == 0)
				memcpy(f->copy + DATA, f->copy + at - 10000, 10000);
			if (i < 2)
				assert_unchanged(f);
			f->absent[page] = false;
			f->read_only[page] = false;
		}
	}
}

/* The same of the queue's own memory, and of a write index out of range. */
static void test_bad_ring(void **state)
{
	struct fixture *f = *state;
	u32 i;

	for (i = 0; i < 5; i++) {
		sim_gpu_reset(&f->gpu);
		memset(f->q, 0, sizeof(f->q));
		PUT(f, 0, FENCE(DATA, 1), FENCE(DATA, 2));
		if (i == 0)
			f->absent[RINGS / 4096] = true;
		else if (i == 1)
			f->absent[INDICES / 4096] = true;
		else if (i == 2)
			f->read_only[INDICES / 4096] = true;
		else
			*wptr_of(f, 0) = i == 3 ? RING + 4 : 2;
		map(f, 0, 0);
		run(f);
		assert_non_null(f->q[0].fault);
		if (i > 2)
			assert_string_equal(f->q[0].blame, "write index");
		f->absent[RINGS / 4096] = false;
		f->absent[INDICES / 4096] = false;
		f->read_only[INDICES / 4096] = false;
	}
}

/* Queues of an engine take turns; engines do not wait for each other. */
static void test_turns(void **state)
{
	struct fixture *f = *state;
	u32 i, k, n = 10;

	for (i = 0; i < 3; i++)
		for (k = 0; k < n; k++)
			PUT(f, i, ATOMIC(DATA + i * 8, ADD64, 1, 0));
	for (k = 0; k < n; k++)
		PUT(f, 3, ATOMIC(DATA + 24, ADD64, 1, 0));
	map(f, 0, 0);
	map(f, 1, 0);
	map(f, 2, 0);
	map(f, 3, 1);
	for (k = 1; k <= n; k++) {
		sim_advance(&f->gpu, MAP_NS + 3 * k * PACKET_NS);
		for (i = 0; i < 3; i++)
			assert_int_equal(*dword(f, DATA + i * 8), k);
		assert_int_equal(*dword(f, DATA + 24), 3 * k < n ? 3 * k : n);
	}
	assert_int_equal(sim_next_event(&f->gpu), SIM_NEVER);
}

/* A chunk in progress is ended, the rest comes when the queue is back. */
static void test_interrupted_copy(void **state)
{
	struct fixture *f = *state;
	u32 to = DATA + (8 << 20), n = 10 * SIM_SDMA_CHUNK, i;
	u64 begin = MAP_NS + PACKET_NS, took;
	struct sim_sdma *s = &f->q[0].s;

	noise(f);
	PUT(f, 0, COPY(to, DATA, n), FENCE(DATA + (20 << 20), 1));
	map(f, 0, 0);
	sim_advance(&f->gpu, begin + 3 * CHUNK_NS + 300);
	took = unmap(f, 1);
	assert_int_equal(took, CHUNK_NS - 300);
	assert_int_equal(s->midcmd_cntl, SIM_SDMA_MIDCMD_VALID);
	assert_int_equal(s->midcmd[1], 4 * SIM_SDMA_CHUNK);
	assert_int_equal(s->read, 0);
	memcpy(f->copy + to, f->copy + DATA, 4 * SIM_SDMA_CHUNK);
	assert_unchanged(f);
	sim_advance(&f->gpu, f->gpu.now + 1000000);
	assert_unchanged(f);
	/* twice more: before the packet went on, and inside it */
	map(f, 0, 0);
	assert_int_equal(unmap(f, 1), UNMAP_NS);
	assert_int_equal(s->midcmd[1], 4 * SIM_SDMA_CHUNK);
	map(f, 0, 1);
	sim_advance(&f->gpu, f->gpu.now + MAP_NS + PACKET_NS / 2);
	assert_int_equal(unmap(f, 1), UNMAP_NS);
	map(f, 0, 0);
	sim_advance(&f->gpu, f->gpu.now + begin + CHUNK_NS - 1);
	assert_int_equal(unmap(f, 1), UNMAP_NS);
	assert_int_equal(s->midcmd[1], 5 * SIM_SDMA_CHUNK);
	i = f->gpu.stats.sdma_bytes;
	assert_int_equal(i, 5 * SIM_SDMA_CHUNK);
	map(f, 0, 0);
	took = f->gpu.now;
	run(f);
	assert_int_equal(f->gpu.now - took, begin + 5 * CHUNK_NS + PACKET_NS);
	assert_int_equal(f->gpu.stats.sdma_bytes, n);
	assert_int_equal(s->midcmd_cntl, 0);
	memcpy(f->copy + to, f->copy + DATA, n);
	*(u32 *)(f->copy + DATA + (20 << 20)) = 1;
	assert_unchanged(f);
}

/* With whole packets a preemption waits for the last byte of each, and nothing is left over. */
static void test_whole_packets(void **state)
{
	struct fixture *f = *state;
	u32 to = DATA + (2 << 20), n = 10 * SIM_SDMA_CHUNK;

	f->profile.sdma_whole_packets = 1;
	noise(f);
	PUT(f, 0, COPY(to, DATA, n));
	PUT(f, 1, COPY(to + n, DATA + n, 2 * SIM_SDMA_CHUNK));
	PUT(f, 1, COPY(to + 2 * n, DATA, n));
	map(f, 0, 0);
	map(f, 1, 1);
	sim_advance(&f->gpu, MAP_NS + PACKET_NS + CHUNK_NS / 2);
	assert_int_equal(unmap(f, 2), 9 * CHUNK_NS + CHUNK_NS / 2);
	assert_int_equal(f->gpu.stats.save_ns, 9 * CHUNK_NS + CHUNK_NS / 2);
	assert_int_equal(f->gpu.stats.save_max_ns, 9 * CHUNK_NS + CHUNK_NS / 2);
	assert_int_equal(rptr_of(f, 0), 28);
	assert_int_equal(rptr_of(f, 1), 28);	/* its second packet has not begun */
	assert_int_equal(f->q[0].s.midcmd_cntl, 0);
	memcpy(f->copy + to, f->copy + DATA, n);
	memcpy(f->copy + to + n, f->copy + DATA + n, 2 * SIM_SDMA_CHUNK);
	assert_unchanged(f);
}

/* Two engines on one bus take twice the time, one alone what it takes by itself. */
static void test_shared_bus(void **state)
{
	struct fixture *f = *state;
	u32 to = DATA + (2 << 20), n = 8 * SIM_SDMA_CHUNK;
	u64 alone, begin;

	f->profile.sdma_bus_bytes_per_us = f->profile.sdma_bytes_per_us;
	noise(f);
	map(f, 0, 0);
	map(f, 1, 1);
	sim_advance(&f->gpu, 10 * MAP_NS);
	begin = f->gpu.now;
	PUT(f, 0, COPY(to, DATA, n));
	run(f);
	alone = f->gpu.now - begin;
	assert_int_equal(alone, PACKET_NS + 8 * CHUNK_NS);
	begin = f->gpu.now;
	PUT(f, 0, COPY(to, DATA, n));
	PUT(f, 1, COPY(to + n, DATA + n, n));
	run(f);
	/* the first chunk of the one that was first, and the last of the other, may be faster */
	assert_in_range(f->gpu.now - begin, PACKET_NS + 14 * CHUNK_NS, PACKET_NS + 16 * CHUNK_NS);
	memcpy(f->copy + to, f->copy + DATA, n);
	memcpy(f->copy + to + n, f->copy + DATA + n, n);
	assert_unchanged(f);
}

/* The state of an interrupted packet that does not fit it halts the queue. */
static void test_bad_midcmd(void **state)
{
	struct fixture *f = *state;
	struct sim_sdma *s = &f->q[0].s;
	u32 good[SIM_SDMA_MIDCMD], i;

	PUT(f, 0, COPY(DATA + (8 << 20), DATA, 4 * SIM_SDMA_CHUNK));
	map(f, 0, 0);
	sim_advance(&f->gpu, MAP_NS + PACKET_NS + CHUNK_NS);
	unmap(f, 1);
	memcpy(good, s->midcmd, sizeof(good));
	for (i = 0; i < 5; i++) {
		memcpy(s->midcmd, good, sizeof(good));
		s->midcmd_cntl = SIM_SDMA_MIDCMD_VALID;
		s->midcmd[i] ^= 0x80000000;
		f->q[0].fault = NULL;
		s->sim.halted = false;
		map(f, 0, 0);
		run(f);
		assert_string_equal(f->q[0].fault, "interrupted packet");
		assert_true(s->sim.halted);
		unmap(f, 1);
	}
	map(f, 0, 0);	/* halted: it stays so */
	run(f);
	assert_int_equal(s->read, 0);
	unmap(f, 1);
	memcpy(s->midcmd, good, sizeof(good));
	s->midcmd_cntl = SIM_SDMA_MIDCMD_VALID;
	f->q[0].fault = NULL;
	s->sim.halted = false;
	map(f, 0, 0);
	run(f);
	assert_null(f->q[0].fault);
	assert_int_equal(rptr_of(f, 0), 28);
}

/* A reset leaves no engine at work. */
static void test_reset(void **state)
{
	struct fixture *f = *state;

	noise(f);
	PUT(f, 0, COPY(DATA + (8 << 20), DATA, 4 * SIM_SDMA_CHUNK));
	map(f, 0, 0);
	sim_advance(&f->gpu, MAP_NS + PACKET_NS);
	sim_gpu_reset(&f->gpu);
	assert_int_equal(sim_next_event(&f->gpu), SIM_NEVER);
	run(f);
	assert_unchanged(f);
	map(f, 0, 0);
	run(f);
	assert_int_equal(rptr_of(f, 0), 28);
}

/* Stopped again and again at random, packets still execute once and in order. */
static void test_exactly_once(void **state)
{
	struct fixture *f = *state;
	u32 i, n, k[3] = { 0 }, inside = 0, slot, room, done;
	u64 seed = 7;

	noise(f);
	for (n = 0; n < 20000; n++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		i = (seed >> 40) % 3;
		/* block k of the queue is written from block k - 1: order shows */
		room = f->q[i].wptr - rptr_of(f, i) + 64 < RING;
		if (room && k[i] < 40) {
			slot = DATA + i * (7 << 20) + k[i] * 150000;
			PUT(f, i, COPY(slot + 150000 + 1, slot + 1, 149999),
			    ATOMIC(DATA + (22 << 20) + i * 8, ADD64, 1, 0));
			memcpy(f->copy + slot + 150001, f->copy + slot + 1, 149999);
			k[i]++;
		}
		if (f->gpu.nr_queues) {
			sim_advance(&f->gpu, f->gpu.now + (seed >> 33) % 3000);
			unmap(f, 3);
			for (i = 0; i < 3; i++)
				inside += f->q[i].s.midcmd_cntl;
		} else {
			for (i = 0; i < 3; i++)
				map(f, i, (seed >> (50 + i)) & 1);
		}
		done = 0;
		for (i = 0; i < 3; i++)
			done += k[i] == 40 && rptr_of(f, i) == f->q[i].wptr;
		if (done == 3)
			break;
	}
	assert_int_equal(done, 3);
	assert_true(inside > 100);
	for (i = 0; i < 3; i++) {
		assert_null(f->q[i].fault);
		*(u64 *)(f->copy + DATA + (22 << 20) + i * 8) += 40;
	}
	assert_unchanged(f);
	assert_int_equal(f->gpu.stats.sdma_packets, 3 * 80);
	assert_int_equal(f->gpu.stats.sdma_bytes, 3 * 40 * 149999);
}

/* One late call gives the times of many. */
static void test_late_caller(void **state)
{
	struct fixture *f = *state;
	u32 i;

	map(f, 0, 0);
	for (i = 0; i < 10; i++)
		PUT(f, 0, COPY(DATA + (8 << 20), DATA, SIM_SDMA_CHUNK * 3 / 2),
		    TIMESTAMP(DATA + (20 << 20) + i * 8));
	sim_advance(&f->gpu, 1000000);
	for (i = 0; i < 10; i++)
		assert_int_equal(*(u64 *)dword(f, DATA + (20 << 20) + i * 8) / 2,
				 MAP_NS + (i + 1) * (2 * PACKET_NS + CHUNK_NS * 3 / 2));
}

/* What cannot be a queue of this GPU is refused before it is mapped. */
static void test_check(void **state)
{
	struct fixture *f = *state;
	struct sim_sdma good = {
		.ring = BASE, .ring_bytes = RING, .rptr_va = BASE, .wptr_va = BASE + 8,
	};
	struct sim_sdma s = good;

	assert_null(sim_sdma_check(&s, &f->profile));
	s.engine = 2;
	assert_string_equal(sim_sdma_check(&s, &f->profile), "engine");
	s = good;
	s.ring += 4;
	assert_string_equal(sim_sdma_check(&s, &f->profile), "ring address");
	s = good;
	s.ring_bytes -= 4;
	assert_string_equal(sim_sdma_check(&s, &f->profile), "ring size");
	s = good;
	s.rptr_va = 0;
	assert_string_equal(sim_sdma_check(&s, &f->profile), "read index address");
	s = good;
	s.wptr_va += 4;
	assert_string_equal(sim_sdma_check(&s, &f->profile), "write index address");
	s = good;
	s.read = 2;
	assert_string_equal(sim_sdma_check(&s, &f->profile), "read index");
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_copy_time),
		TEST(test_copy_unaligned),
		TEST(test_copy_large),
		TEST(test_fill),
		TEST(test_window),
		TEST(test_fence_trap_timestamp),
		TEST(test_poll),
		TEST(test_poll_functions),
		TEST(test_poll_across_engines),
		TEST(test_atomics),
		TEST(test_nop_and_wrap),
		TEST(test_incomplete_packet),
		TEST(test_unknown),
		TEST(test_gfx10),
		TEST(test_memory_faults),
		TEST(test_bad_ring),
		TEST(test_turns),
		TEST(test_interrupted_copy),
		TEST(test_whole_packets),
		TEST(test_shared_bus),
		TEST(test_bad_midcmd),
		TEST(test_reset),
		TEST(test_exactly_once),
		TEST(test_late_caller),
		TEST(test_check),
	};

	return RUN(tests);
}
