// SPDX-License-Identifier: MIT
/*
 * The kernels of tests/rocm/kernels.h, with the effect of their source there.
 * Their times are assumed: a cycle for each instruction of a wave, and a few
 * hundred for memory.
 */
#include "native/native.h"

/* Work-items beyond this in x do nothing. */
static u32 end_x(const struct sim_native_call *c, u32 n)
{
	return c->end[0] < n ? c->end[0] : n;
}

struct vector_args {
	u64 a;
	u64 b;
	u64 out;
	u32 n;
};

/* out[i] = a[i] + b[i], in float */
static bool run_vector_add(struct sim_native_call *c)
{
	const u32 *a, *b;
	struct vector_args args;
	u32 *out;
	u64 i;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	for (i = c->first[0]; i < end_x(c, args.n); i++) {
		a = sim_native_word(c, 0, args.a + 4 * i, 4, false);
		b = sim_native_word(c, 1, args.b + 4 * i, 4, false);
		out = sim_native_word(c, 2, args.out + 4 * i, 4, true);
		if (!a || !b || !out)
			return false;
		*out = sim_f32_fma(*a, 0x3f800000, *b);
	}
	return true;
}

struct fill_args {
	u64 out;
	u32 value;
	u32 n;
};

static bool run_fill(struct sim_native_call *c)
{
	struct fill_args args;
	u32 *out;
	u64 i;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	for (i = c->first[0]; i < end_x(c, args.n); i++) {
		out = sim_native_word(c, 0, args.out + 4 * i, 4, true);
		if (!out)
			return false;
		*out = args.value;
	}
	return true;
}

struct unary_args {
	u64 in;
	u64 out;
	u32 n;
};

static bool run_copy(struct sim_native_call *c)
{
	struct unary_args args;
	u32 first = c->first[0];

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	if (first >= end_x(c, args.n))
		return true;
	return sim_native_copy(c->q, args.out + 4ULL * first, args.in + 4ULL * first,
			       4ULL * (end_x(c, args.n) - first));
}

/* The sum of the workgroup's part of n words. */
static bool sum_words(struct sim_native_call *c, u64 in, u32 n, u64 *sum)
{
	const u32 *word;
	u64 i;

	*sum = 0;
	for (i = c->first[0]; i < end_x(c, n); i++) {
		word = sim_native_word(c, 0, in + 4 * i, 4, false);
		if (!word)
			return false;
		*sum += *word;
	}
	return true;
}

/* *out += the sum of all in[i], one atomic addition a workgroup */
static bool run_reduce(struct sim_native_call *c)
{
	struct unary_args args;
	u64 *out, sum;

	if (!sim_read(c->q, c->args, &args, sizeof(args)) || !sum_words(c, args.in, args.n, &sum))
		return false;
	out = sim_native_word(c, 1, args.out, 8, true);
	if (!out)
		return false;
	__atomic_fetch_add(out, sum, __ATOMIC_RELAXED);
	return true;
}

/* One element of the product of two n by n matrices. */
static bool dot(struct sim_native_call *c, const struct vector_args *args, u64 row, u64 col)
{
	const u32 *a, *b;
	u32 *out, sum = 0;
	u64 i;

	for (i = 0; i < args->n; i++) {
		a = sim_native_word(c, 0, args->a + 4 * (row * args->n + i), 4, false);
		b = sim_native_word(c, 1, args->b + 4 * (i * args->n + col), 4, false);
		if (!a || !b)
			return false;
		sum = sim_f32_fma(*a, *b, sum);
	}
	out = sim_native_word(c, 2, args->out + 4 * (row * args->n + col), 4, true);
	if (!out)
		return false;
	*out = sum;
	return true;
}

static bool run_gemm(struct sim_native_call *c)
{
	struct vector_args args;
	u32 x, y;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	for (y = c->first[1]; y < c->end[1] && y < args.n; y++)
		for (x = c->first[0]; x < end_x(c, args.n); x++)
			if (!dot(c, &args, y, x))
				return false;
	return true;
}

static bool gemm_rounds(struct sim_queue *q, u64 va, u32 *rounds)
{
	struct vector_args args;

	if (!sim_read(q, va, &args, sizeof(args)))
		return false;
	*rounds = args.n;
	return true;
}

struct iterate_args {
	u64 data;
	u32 n;
	u32 rounds;
};

/* x = x * a + b */
struct step {
	u32 a;
	u32 b;
};

/* x = x * 1664525 + 1013904223, repeated: by squaring the step. */
static struct step steps_of(u32 rounds)
{
	struct step all = { 1, 0 }, some = { 1664525, 1013904223 };

	for (; rounds; rounds >>= 1) {
		if (rounds & 1) {
			all.a *= some.a;
			all.b = all.b * some.a + some.b;
		}
		some.b = some.b * some.a + some.b;
		some.a *= some.a;
	}
	return all;
}

static bool run_iterate(struct sim_native_call *c)
{
	struct iterate_args args;
	struct step steps;
	u32 *data;
	u64 i;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	steps = steps_of(args.rounds);
	for (i = c->first[0]; i < end_x(c, args.n); i++) {
		data = sim_native_word(c, 0, args.data + 4 * i, 4, true);
		if (!data)
			return false;
		*data = *data * steps.a + steps.b;
	}
	return true;
}

static bool iterate_rounds(struct sim_queue *q, u64 va, u32 *rounds)
{
	struct iterate_args args;

	if (!sim_read(q, va, &args, sizeof(args)))
		return false;
	*rounds = args.rounds;
	return true;
}

struct grid_sum_args {
	u64 in;
	u64 part;
	u64 out;
	u64 ended;
	u32 n;
	u32 rounds;
};

/* The part after the barrier, for all workgroups. */
static bool add_parts(struct sim_native_call *c, const struct grid_sum_args *args)
{
	u32 *word, i, sum = 0;

	for (i = 0; i < c->groups; i++) {
		word = sim_native_word(c, 1, args->part + 4ULL * i, 4, false);
		if (!word)
			return false;
		sum += *word;
	}
	for (i = 0; i < c->groups; i++) {
		word = sim_native_word(c, 2, args->out + 4ULL * i, 4, true);
		if (!word)
			return false;
		*word = sum + i;
	}
	return true;
}

/* A workgroup ends here at the barrier; the last to reach it does the rest for all. */
static bool run_grid_sum(struct sim_native_call *c)
{
	struct grid_sum_args args;
	u32 *part, *ended;
	u64 sum;

	if (!sim_read(c->q, c->args, &args, sizeof(args)) || !sum_words(c, args.in, args.n, &sum))
		return false;
	part = sim_native_word(c, 1, args.part + 4ULL * c->group, 4, true);
	ended = sim_native_word(c, 3, args.ended, 4, true);
	if (!part || !ended)
		return false;
	*part += (u32)sum;
	return ++*ended % c->groups || add_parts(c, &args);
}

static bool grid_sum_rounds(struct sim_queue *q, u64 va, u32 *rounds)
{
	struct grid_sum_args args;

	if (!sim_read(q, va, &args, sizeof(args)))
		return false;
	*rounds = args.rounds;
	return true;
}

/* As in xs_layer() of tests/rocm/kernels.h. */
struct layer_log {
	u64 start;
	u64 end;
	u32 ended;
	u32 executed;
	u32 ticket;
	u32 unused;
};

struct layer_args {
	u64 data;
	u64 log;
	u64 ticket;
	u32 number;
	u32 rounds;
};

static void apply_step(u32 *data, u32 n, u32 number, const struct step *step)
{
	u32 i;

	for (i = 0; i < n; i++)
		data[i] = (data[i] ^ number) * step->a + step->b;
}

/* The last workgroup to end records that, and its place. */
static bool note_layer(struct sim_native_call *c, const struct layer_args *args)
{
	struct layer_log *log = sim_native_word(c, 1, args->log, sizeof(*log), true);
	u32 *ticket;

	if (!log)
		return false;
	log->start = c->start < log->start ? c->start : log->start;
	log->end = c->now > log->end ? c->now : log->end;
	log->ended += c->count;
	if (log->ended % c->groups)
		return true;
	ticket = sim_native_word(c, 2, args->ticket, 4, true);
	if (!ticket)
		return false;
	log->ticket = ++*ticket;
	log->executed++;
	return true;
}

/* A word of each workgroup, up to the end of a page at a time. */
static bool run_layer(struct sim_native_call *c)
{
	struct layer_args args;
	struct step steps;
	u32 *data, left, n;
	u64 va;

	if (!sim_read(c->q, c->args, &args, sizeof(args)))
		return false;
	steps = steps_of(args.rounds);
	va = args.data + 4ULL * c->group;
	for (left = c->count; left; left -= n, va += 4ULL * n) {
		n = sim_native_words_in_page(va, left);
		data = sim_native_word(c, 0, va, 4, true);
		if (!data)
			return false;
		apply_step(data, n, args.number, &steps);
	}
	return note_layer(c, &args);
}

static bool layer_rounds(struct sim_queue *q, u64 va, u32 *rounds)
{
	struct layer_args args;

	if (!sim_read(q, va, &args, sizeof(args)))
		return false;
	*rounds = args.rounds;
	return true;
}

const struct sim_native sim_native_plain[] = {
	{ "xs_vector_add.kd", 0, 8, 2000, 0, NULL, run_vector_add, false },
	/*
	 * vector_add(const float *, const float *, float *, int) of tutorials and XSched's
	 * examples; 100 of 2^25 items take 66 ms on a MI250, as in XSched's documentation.
	 */
	{ "_Z10vector_addPKfS0_Pfi.kd", 0, 8, 7100, 1 << 20, NULL, run_vector_add, false },
	{ "xs_fill.kd", 0, 8, 1000, 0, NULL, run_fill, false },
	{ "xs_copy.kd", 0, 8, 2000, 0, NULL, run_copy, false },
	{ "xs_reduce.kd", 0, 16, 4000, 0, NULL, run_reduce, false },
	{ "xs_gemm.kd", 0, 32, 200, 0, gemm_rounds, run_gemm, false },
	{ "xs_iterate.kd", 0, 8, 16, 0, iterate_rounds, run_iterate, false },
	{ "xs_grid_sum.kd", 0, 16, 16, 0, grid_sum_rounds, run_grid_sum, false },
	{ "xs_layer.kd", 0, 64, 16, 0, layer_rounds, run_layer, true },
	{ },
};
