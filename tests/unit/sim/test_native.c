// SPDX-License-Identifier: MIT
/* Native kernels: found by their symbol, carried out a workgroup at a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "native/native.h"

#define ITEMS	1024
#define GROUPS	16
#define ROUNDS	1000

/* A code object as a runtime loads it: headers, then symbols, then descriptors. */
struct image {
	u8 elf[4096];
	u8 code[4096];
};

/**
 * struct test - a GPU, and the memory of its process
 * @f: the GPU; last field: its own memory ends where it does
 * @image: code object
 * @bare: code without one
 * @data: what kernels work on
 * @args: of the kernel
 * @layer: of xs_layer(), and its record
 */
struct test {
	struct image image __attribute__((aligned(4096)));
	u8 bare[8192] __attribute__((aligned(4096)));
	u32 data[ITEMS];
	struct {
		u64 data;
		u32 n;
		u32 rounds;
	} args;
	struct {
		u64 data;
		u64 log;
		u64 ticket;
		u32 number;
		u32 rounds;
		struct {
			u64 start;
			u64 end;
			u32 ended;
			u32 executed;
			u32 ticket;
			u32 unused;
		} seen __attribute__((aligned(32)));
		u32 next;
	} layer;
	struct fake *f;
};

static struct test *test;

static void *memory(struct sim_queue *sim, u64 at, u32 bytes, bool write)
{
	const u8 *p = (const u8 *)(uintptr_t)at;
	struct fake *f = test->f;

	(void)sim;
	(void)write;
	assert_true(bytes && at % 4096 + bytes <= 4096);
	/* pages of which there is a part are there */
	if ((p >= (u8 *)test && p + bytes <= (u8 *)(test + 1) + 4096) ||
	    (p >= (u8 *)f && p + bytes <= (u8 *)(f + 1)))
		return (void *)(uintptr_t)at;
	return NULL;
}

static const void *peek(struct sim_queue *sim, u64 at, u32 bytes)
{
	return memory(sim, at, bytes, false);
}

static bool kernel(struct sim_queue *q, const struct sim_aql_dispatch *p,
		   struct sim_dispatch *d)
{
	char name[SIM_NATIVE_NAME];

	return sim_native_kernel(q, p, d, sim_native_find(q, p->code, name));
}

static bool retired(struct sim_queue *q, const struct sim_dispatch *d, u32 first, u32 n, u64 t)
{
	return sim_native_retired(q, d, first, n, t);
}

static bool completed(struct sim_queue *q, const struct sim_dispatch *d, u64 t)
{
	(void)q;
	(void)t;
	return sim_native_is(d);
}

static struct sim_ops ops;

/* The code object's only symbol names the descriptor at the start of its code. */
static void make_image(struct image *m, const char *name)
{
	u64 *at = (u64 *)m->elf;

	memset(m, 0, sizeof(*m));
	memcpy(m->elf, "\177ELF", 4);
	((u16 *)m->elf)[9] = 224;	/* machine */
	at[4] = 64;			/* program headers */
	((u16 *)m->elf)[27] = 56;
	((u16 *)m->elf)[28] = 1;
	((u32 *)m->elf)[16] = 2;	/* PT_DYNAMIC */
	at[8 + 2] = 256;
	at[32] = 4, at[33] = 512;	/* hash, strings, symbols */
	at[34] = 5, at[35] = 600;
	at[36] = 6, at[37] = 1024;
	((u32 *)m->elf)[129] = 2;	/* symbols */
	strcpy((char *)m->elf + 601, name);
	((u32 *)m->elf)[256 + 6] = 1;	/* name of the second */
	at[128 + 3 + 1] = sizeof(m->elf);	/* its value */
}

static int setup(void **state)
{
	void *fake;
	u32 i;

	test = aligned_alloc(4096, (sizeof(*test) + 8191) & ~4095UL);
	assert_non_null(test);
	memset(test, 0, sizeof(*test));
	fake_setup(&fake);
	test->f = fake;
	ops = *test->f->gpu.ops;
	ops.memory = memory;
	ops.peek = peek;
	ops.kernel = kernel;
	ops.retired = retired;
	ops.completed = completed;
	test->f->gpu.ops = &ops;
	make_image(&test->image, "xs_iterate.kd");
	for (i = 0; i < ITEMS; i++)
		test->data[i] = i;
	test->args.data = (uintptr_t)test->data;
	test->args.n = ITEMS;
	test->args.rounds = ROUNDS;
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	void *fake = test->f;

	(void)state;
	fake_teardown(&fake);
	free(test);
	return 0;
}

static struct fake_queue *dispatch(const void *code)
{
	struct fake_queue *q = &test->f->q[0];
	struct sim_aql_packet *p = fake_packet(q, SIM_AQL_DISPATCH);

	p->dispatch.workgroup[0] = ITEMS / GROUPS;
	p->dispatch.workgroup[1] = 1;
	p->dispatch.workgroup[2] = 1;
	p->dispatch.grid[0] = ITEMS;
	p->dispatch.grid[1] = 1;
	p->dispatch.grid[2] = 1;
	p->dispatch.code = (uintptr_t)code;
	p->dispatch.args = (uintptr_t)&test->args;
	return q;
}

/* How many elements are as they were, and as they must be after the kernel. */
static void count(u32 *before, u32 *after)
{
	u32 i, k, x;

	*before = 0;
	*after = 0;
	for (i = 0; i < ITEMS; i++) {
		for (x = i, k = 0; k < ROUNDS; k++)
			x = x * 1664525u + 1013904223u;
		*before += test->data[i] == i;
		*after += test->data[i] == x;
	}
}

static void test_result(void **state)
{
	u32 before, after;

	(void)state;
	fake_map(test->f, dispatch(test->image.code), 0);
	fake_run(test->f);
	count(&before, &after);
	assert_int_equal(after, ITEMS);
}

static void test_not_early(void **state)
{
	u32 before, after;
	u64 up;

	(void)state;
	up = fake_map(test->f, dispatch(test->image.code), 0);
	/* 16 cycles a round at 2100 MHz, 2 % less at the earliest */
	sim_advance(&test->f->gpu, up + 100 + ROUNDS * 16 * 10 / 21 * 97 / 100);
	count(&before, &after);
	assert_int_equal(before, ITEMS);
	assert_int_equal(test->f->q[0].aql.read, 1);	/* although it has begun */
}

/* Only some workgroups have room: interrupted, half of the work is done, once. */
static void test_interrupted(void **state)
{
	u32 before, after, i;
	struct fake_queue *q;
	u64 up;

	(void)state;
	q = dispatch(test->image.code);
	q->ring[0].dispatch.group_bytes = 65536;	/* 10 of 16 at a time */
	up = fake_map(test->f, q, 0);
	sim_advance(&test->f->gpu, up + 100 + ROUNDS * 16 * 10 / 21 * 110 / 100);
	for (i = 0; i < 3; i++) {
		fake_unmap(test->f, q, 1, 0);
		count(&before, &after);
		assert_int_equal(after, 10 * ITEMS / GROUPS);
		assert_int_equal(before, 6 * ITEMS / GROUPS);
		assert_true(q->image_bytes);
		fake_map(test->f, q, 0);
	}
	fake_run(test->f);
	count(&before, &after);
	assert_int_equal(after, ITEMS);
}

/* A word a workgroup, late but before a save, and an account that is complete with the last one only. */
static void test_layer(void **state)
{
	struct fake_queue *q;
	u32 i, k, x;
	u64 up;

	(void)state;
	make_image(&test->image, "xs_layer.kd");
	test->layer.data = (uintptr_t)test->data;
	test->layer.log = (uintptr_t)&test->layer.seen;
	test->layer.ticket = (uintptr_t)&test->layer.next;
	test->layer.number = 77;
	test->layer.rounds = ROUNDS;
	test->layer.seen.start = ~0ULL;
	test->layer.next = 41;
	q = dispatch(test->image.code);
	q->ring[0].dispatch.args = (uintptr_t)&test->layer;
	q->ring[0].dispatch.group_bytes = 65536;	/* 10 of 16 at a time */
	up = fake_map(test->f, q, 0);
	sim_advance(&test->f->gpu, up + 100 + ROUNDS * 16 * 10 / 21 * 110 / 100);
	assert_int_equal(test->layer.seen.ended, 0);	/* late */
	fake_unmap(test->f, q, 1, 0);
	assert_int_equal(test->layer.seen.ended, 10);
	assert_int_equal(test->layer.seen.executed, 0);
	fake_map(test->f, q, 0);
	fake_run(test->f);
	assert_int_equal(test->layer.seen.ended, GROUPS);
	assert_int_equal(test->layer.seen.executed, 1);
	assert_int_equal(test->layer.seen.ticket, 42);
	assert_true(test->layer.seen.start < test->layer.seen.end);
	for (i = 0; i < GROUPS; i++) {
		for (x = i ^ 77, k = 0; k < ROUNDS; k++)
			x = x * 1664525u + 1013904223u;
		assert_int_equal(test->data[i], x);
	}
	assert_int_equal(test->data[GROUPS], GROUPS);
}

/* The kernel of tutorials, on the first half of the data: the second half is the sum. */
static struct fake_queue *vector_add(u32 items)
{
	struct fake_queue *q;
	float one = 1;
	u32 i;

	make_image(&test->image, "_Z10vector_addPKfS0_Pfi.kd");
	for (i = 0; i < ITEMS; i++)
		memcpy(&test->data[i], &one, sizeof(one));
	test->layer.data = (uintptr_t)test->data;
	test->layer.log = (uintptr_t)test->data;
	test->layer.ticket = (uintptr_t)(test->data + ITEMS / 2);
	test->layer.number = ITEMS / 2 - 1;
	q = dispatch(test->image.code);
	q->ring[0].dispatch.args = (uintptr_t)&test->layer;
	q->ring[0].dispatch.grid[0] = items;
	return q;
}

static void test_vector_add(void **state)
{
	const float two = 2, one = 1;

	(void)state;
	fake_map(test->f, vector_add(ITEMS / 2), 0);
	fake_run(test->f);
	assert_memory_equal(&test->data[ITEMS / 2], &two, sizeof(two));
	assert_memory_equal(&test->data[ITEMS - 2], &two, sizeof(two));
	assert_memory_equal(&test->data[ITEMS - 1], &one, sizeof(one));
}

static bool timed(struct fake_queue *q, u32 x, u32 y)
{
	struct sim_aql_dispatch *p = &q->ring[0].dispatch;
	struct sim_dispatch d = { };

	p->grid[0] = x;
	p->grid[1] = y;
	assert_true(kernel(&q->aql.sim, p, &d));
	return sim_native_timed(&d);
}

/* Too large to be carried out: it takes its time, and that is all. */
static void test_timed(void **state)
{
	struct fake_queue *q = vector_add((1 << 20) + 1);
	const float one = 1;
	u64 up;

	(void)state;
	up = fake_map(test->f, q, 0);
	sim_advance(&test->f->gpu, up + 1000);
	assert_int_equal(q->aql.read, 1);
	assert_true(test->f->gpu.queues[0]->waves > 0);
	fake_run(test->f);
	assert_null(q->fault);
	/* sixteen are one to the model */
	assert_int_equal(test->f->gpu.stats.workgroups, (1 << 20) / (ITEMS / GROUPS) / 16 + 1);
	assert_memory_equal(&test->data[ITEMS / 2], &one, sizeof(one));
	assert_true(timed(q, (1 << 20) + 1, 1));
	assert_false(timed(q, 1 << 20, 1));
	assert_true(timed(q, 1 << 20, 2));
}

/* A descriptor, whose code is 256 bytes after it. */
static void make_descriptor(u8 *at, u32 granules, u32 lds_bytes)
{
	u64 entry = 256;

	memcpy(at, &lds_bytes, 4);
	memcpy(at + 16, &entry, 8);
	granules--;
	memcpy(at + 48, &granules, 4);
}

/* The GPU is to time what it does not know; the image's kernel is of that sort. */
static void setup_unknown(u32 granules, u32 lds_bytes)
{
	make_image(&test->image, "gemm.kd");
	make_descriptor(test->image.code, granules, lds_bytes);
	test->f->gpu.time_unknown = 1;
}

/* What the model makes of a dispatch of @groups workgroups; ~0: it refuses it. */
static u64 unknown_ns(u32 groups, u32 packet_lds, struct sim_dispatch *d)
{
	struct sim_aql_dispatch p = {
		.code = (uintptr_t)test->image.code, .group_bytes = packet_lds,
	};
	struct sim_queue *sim = &test->f->q[0].aql.sim;

	*d = (struct sim_dispatch){
		.workgroups = groups, .waves = 4, .lds_bytes = packet_lds,
	};
	sim->gpu = &test->f->gpu;
	return kernel(sim, &p, d) ? d->workgroup_ns : ~0ULL;
}

/* By hand, of the rule in unknown.c. */
static void test_unknown_costs(void **state)
{
	const u64 each = 4 * 1000;	/* cycles of an instruction, ns of 1000 cycles */
	struct sim_dispatch d;

	(void)state;
	setup_unknown(4, 0);	/* 32 registers */
	/* 10 CUs of 4 SIMDs: a workgroup of 4 waves has them for itself */
	assert_int_equal(unknown_ns(10, 0, &d), (1000 + 64 * 32) * each / 2100);
	assert_int_equal(d.vgprs, 32);
	assert_int_equal(d.lds_bytes, 0);
	assert_true(sim_native_is(&d));
	assert_int_equal(sim_native_unknown(&d), 0);
	assert_false(sim_native_timed(&d));
	/* two a CU take twice as long, 8 fill it, and more do not make it slower */
	assert_int_equal(unknown_ns(20, 0, &d), (1000 + 64 * 32) * 2 * each / 2100);
	assert_int_equal(unknown_ns(80, 0, &d), (1000 + 64 * 32) * 8 * each / 2100);
	assert_int_equal(unknown_ns(8000, 0, &d), (1000 + 64 * 32) * 8 * each / 2100);
	assert_int_equal(d.spread, 20);
	unknown_ns(1000000, 0, &d);
	assert_int_equal(d.spread, 0);
	/* 256 registers: two waves a SIMD, and more to do for each */
	make_descriptor(test->image.code, 32, 0);
	assert_int_equal(unknown_ns(80, 0, &d), (1000 + 64 * 256) * 2 * each / 2100);
	/* LDS for one workgroup a CU: the descriptor's, or the packet's if that is more */
	make_descriptor(test->image.code, 4, 40960);
	assert_int_equal(unknown_ns(80, 100, &d), (1000 + 64 * 32 + 640) * each / 2100);
	assert_int_equal(d.lds_bytes, 40960);
	unknown_ns(80, 65536, &d);
	assert_int_equal(d.lds_bytes, 65536);
	/* and so many times that */
	make_descriptor(test->image.code, 4, 0);
	test->f->gpu.time_unknown = 50;
	assert_int_equal(unknown_ns(10, 0, &d), (1000 + 64 * 32) * each / 2100 * 50);
}

/* wave32 and wave64 count registers in other granules, and fewer are there. */
static void test_unknown_gfx11(void **state)
{
	u16 wave32 = 1 << 10;
	struct sim_dispatch d;

	(void)state;
	setup_unknown(20, 0);
	test->f->profile = sim_profile_gfx11;
	unknown_ns(1, 0, &d);
	assert_int_equal(d.vgprs, 80);
	memcpy(test->image.code + 56, &wave32, 2);
	unknown_ns(1, 0, &d);
	assert_int_equal(d.vgprs, 160);
	make_descriptor(test->image.code, 33, 0);
	assert_true(unknown_ns(1, 0, &d) == ~0ULL);
}

/* What is no descriptor, or is not to be timed. */
static void test_unknown_refused(void **state)
{
	u64 far = 1ULL << 40, odd = 260;
	struct sim_dispatch d;

	(void)state;
	setup_unknown(4, 0);
	assert_true(unknown_ns(1, 0, &d) != ~0ULL);
	test->f->gpu.time_unknown = 0;
	assert_true(unknown_ns(1, 0, &d) == ~0ULL);
	test->f->gpu.time_unknown = 1;
	memcpy(test->image.code + 16, &far, 8);
	assert_true(unknown_ns(1, 0, &d) == ~0ULL);
	memcpy(test->image.code + 16, &odd, 8);
	assert_true(unknown_ns(1, 0, &d) == ~0ULL);
	memset(test->image.code + 16, 0, 8);
	assert_true(unknown_ns(1, 0, &d) == ~0ULL);
}

/* The caller's number of an unknown kernel goes with its dispatch, and no other has one. */
static void test_unknown_number(void **state)
{
	struct sim_aql_dispatch p = { .code = (uintptr_t)test->image.code };
	struct sim_queue *sim = &test->f->q[0].aql.sim;
	struct sim_dispatch d = { .workgroups = 1, .waves = 1 };

	(void)state;
	setup_unknown(4, 0);
	sim->gpu = &test->f->gpu;
	assert_true(sim_native_kernel(sim, &p, &d, -1 - 511));
	assert_int_equal(sim_native_unknown(&d), 511);
	assert_true(sim_native_retired(sim, &d, 0, 1, 0));
	assert_true(sim_native_kernel(sim, &p, &d, 0));
	assert_int_equal(sim_native_unknown(&d), -1);
}

/* One that is known is carried out in this mode, too. */
static void test_unknown_others(void **state)
{
	u32 before, after;

	(void)state;
	make_descriptor(test->image.code, 4, 0);
	test->f->gpu.time_unknown = 1;
	fake_map(test->f, dispatch(test->image.code), 0);
	fake_run(test->f);
	count(&before, &after);
	assert_int_equal(after, ITEMS);
}

/* Saved and restored in its middle as others are, completed once, without a trace in memory. */
static void test_unknown_interrupted(void **state)
{
	struct sim_aql_signal *signal;
	struct fake_queue *q;
	u32 before, after, i;
	u64 up;

	(void)state;
	setup_unknown(4, 40960);	/* 10 of 16 at a time */
	q = dispatch(test->image.code);
	signal = &test->f->signal[0];
	signal->value = 1;
	q->ring[0].signal = (uintptr_t)signal;
	up = fake_map(test->f, q, 0);
	sim_advance(&test->f->gpu, up + 100 + (1000 + 64 * 32 + 2560) * 4000 / 2100 / 2);
	for (i = 0; i < 3; i++) {
		assert_int_equal(test->f->gpu.queues[0]->waves, 10);
		fake_unmap(test->f, q, 1, 0);
		assert_true(q->image_bytes);
		/* registers, state and LDS of ten */
		assert_int_equal(q->state_bytes, 10 * (32 * 4 * 64 + 640 + 40960));
		sim_advance(&test->f->gpu, fake_map(test->f, q, 0) + 10);
	}
	assert_int_equal(signal->value, 1);
	fake_run(test->f);
	assert_null(q->fault);
	assert_int_equal(signal->value, 0);
	assert_int_equal(test->f->gpu.stats.dispatches, 1);
	assert_int_equal(test->f->gpu.stats.workgroups, GROUPS);
	assert_int_equal(test->f->gpu.stats.saves, 3);
	count(&before, &after);
	assert_int_equal(before, ITEMS);
}

static void refused(const void *code)
{
	struct fake_queue *q = dispatch(code);
	u32 before, after;

	fake_map(test->f, q, 0);
	fake_run(test->f);
	assert_non_null(q->fault);
	count(&before, &after);
	assert_int_equal(before, ITEMS);
}

static void test_unknown(void **state)
{
	(void)state;
	make_image(&test->image, "xs_iteratf.kd");
	refused(test->image.code);
}

static void test_no_symbol(void **state)
{
	(void)state;
	refused(test->image.code + 64);
}

static void test_no_code_object(void **state)
{
	(void)state;
	memset(test->image.elf, 0, 4);
	refused(test->image.code);
}

static void test_broken_code_object(void **state)
{
	u64 *at = (u64 *)test->image.elf;

	(void)state;
	at[10] = 1ULL << 60;	/* the dynamic section is nowhere */
	refused(test->image.code);
}

static void test_bare_code(void **state)
{
	struct sim_queue *sim = &test->f->q[0].aql.sim;
	char name[SIM_NATIVE_NAME];

	(void)state;
	sim->gpu = &test->f->gpu;
	assert_int_equal(sim_native_find(sim, (uintptr_t)test->bare, name), -1);
	assert_memory_equal(name, "code ", 5);
	assert_int_equal(sim_code_hash(sim, (uintptr_t)test->bare + 8), 0);
}

/* What a process may write where its waves are saved. */
static void test_cookies(void **state)
{
	struct sim_queue *sim = &test->f->q[0].aql.sim;
	struct sim_dispatch d = { .cookie[5] = 1000 };

	(void)state;
	sim->gpu = &test->f->gpu;
	assert_false(sim_native_retired(sim, &d, 0, 1, 0));
	d.cookie[5] = ~0ULL;
	assert_false(sim_native_retired(sim, &d, 0, 1, 0));
	assert_int_equal(sim_native_unknown(&d), -1);
	d.cookie[5] = 1;	/* no grid */
	assert_false(sim_native_retired(sim, &d, 0, 1, 0));
	d.cookie[1] = 1ULL << 32 | 1;
	d.cookie[2] = 1;
	d.cookie[3] = 1ULL << 32 | 1 << 16 | 2000;	/* too large */
	assert_false(sim_native_retired(sim, &d, 0, 1, 0));
}

static u32 bits(float f)
{
	u32 u;

	memcpy(&u, &f, 4);
	return u;
}

static float number(u32 u)
{
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static void compare(u32 a, u32 b, u32 c)
{
	float want = fmaf(number(a), number(b), number(c));
	u32 got = sim_f32_fma(a, b, c);

	if (isnan(want) ? got != 0x7fc00000 : got != bits(want))
		fail_msg("%08x * %08x + %08x is %08x, not %08x", a, b, c, got, bits(want));
}

static void test_fma(void **state)
{
	static const u32 odd[] = {
		0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0xffffff, 0x33800000, 0x34000000,
		0x3f7fffff, 0x3f800000, 0x3f800001, 0x40490fdb, 0x4b000000, 0x4b7fffff,
		0x5f000000, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7fc00000,
	};
	const u32 n = sizeof(odd) / sizeof(odd[0]);
	u64 seed = 1;
	u32 a, b, c, i;

	(void)state;
	for (i = 0; i < n * n * n * 8; i++) {
		a = odd[i / 8 % n] ^ (i & 1) << 31;
		b = odd[i / 8 / n % n] ^ (i & 2) << 30;
		c = odd[i / 8 / n / n] ^ (i & 4) << 29;
		compare(a, b, c);
	}
	for (i = 0; i < 1000000; i++) {
		a = fake_random(&seed, ~0U);
		b = fake_random(&seed, ~0U);
		c = fake_random(&seed, ~0U);
		compare(a, b, c);
		/* of about the same size, so that they cancel or tie */
		c = bits(-number(a) * number(b)) ^ fake_random(&seed, 8);
		compare(a, b, c);
		compare(a, 0x3f800000, c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_result, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_early, setup, teardown),
		cmocka_unit_test_setup_teardown(test_interrupted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_layer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_vector_add, setup, teardown),
		cmocka_unit_test_setup_teardown(test_timed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_costs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_gfx11, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_number, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_interrupted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_symbol, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_code_object, setup, teardown),
		cmocka_unit_test_setup_teardown(test_broken_code_object, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bare_code, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cookies, setup, teardown),
		cmocka_unit_test(test_fma),
	};

	return RUN(tests);
}
