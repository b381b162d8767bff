// SPDX-License-Identifier: MIT
/* The parts: agenda, arrivals, accounts; that a run repeats, and that errors show. */
#include <json-c/json.h>
#include <unistd.h>

#include "bench.h"
#include "scenario/parse.h"

/* ---- agenda ------------------------------------------------------------- */

#define EVENTS	50

struct note {
	struct event event;
	u64 fired_at;
	u32 times;
};

static void note(struct event *event, u64 t)
{
	struct note *n = (struct note *)event;

	n->fired_at = t;
	n->times++;
}

/* Events come in the order of their times, and of their making. */
static void test_agenda(void **state)
{
	static struct note notes[EVENTS];
	struct agenda agenda = { 0 };
	u64 at[EVENTS], last = 0;
	u32 i, turn, seed = 1;

	(void)state;
	for (i = 0; i < EVENTS; i++)
		agenda_make(&agenda, &notes[i].event, note);
	for (turn = 0; turn < 200; turn++) {
		for (i = 0; i < EVENTS; i++) {
			seed = seed * 1103515245 + 12345;
			at[i] = agenda.now + seed / 65536 % 20;
			if (seed >> 30 == 0)
				at[i] = SIM_NEVER;
			agenda_set(&agenda, &notes[i].event, at[i]);
			notes[i].times = 0;
		}
		last = agenda.now;
		while (agenda_next(&agenda) != SIM_NEVER) {
			assert_true(agenda_next(&agenda) >= last);
			last = agenda_next(&agenda);
			agenda_step(&agenda);
		}
		for (i = 0; i < EVENTS; i++) {
			assert_int_equal(notes[i].times, at[i] != SIM_NEVER);
			if (notes[i].times)
				assert_int_equal(notes[i].fired_at, at[i]);
		}
	}
	agenda_free(&agenda);
}

static void test_agenda_ties(void **state)
{
	static struct note a, b;
	struct agenda agenda = { 0 };

	(void)state;
	agenda_make(&agenda, &a.event, note);
	agenda_make(&agenda, &b.event, note);
	agenda_set(&agenda, &b.event, 5);
	agenda_set(&agenda, &a.event, 5);
	agenda_step(&agenda);
	assert_int_equal(a.times, 1);
	assert_int_equal(b.times, 0);
	agenda_set_earlier(&agenda, &b.event, 9);
	assert_int_equal(agenda_next(&agenda), 5);
	agenda_free(&agenda);
}

/* ---- arrivals ----------------------------------------------------------- */

/* The first arrivals of seed 1 at 20 a second, as seen in the guest. */
static void test_arrivals_of_the_guest(void **state)
{
	struct arrival a = { .kind = ARRIVAL_POISSON, .mean_ns = 1e9 / 20, .random = 1 };
	u64 t = 0, last = 0, i;

	(void)state;
	assert_true(arrival_next(&a, &t));
	assert_int_equal(t, 41800276);
	for (i = 1; i < 100000; i++) {
		last = t;
		assert_true(arrival_next(&a, &t));
		assert_true(t >= last);
	}
	assert_near((double)t / 1e9, 100000 / 20.0, 1);
	assert_int_equal(arrival_seed(77, 0), 77);
	assert_int_not_equal(arrival_seed(77, 1), arrival_seed(77, 2));
}

static long read_times(const char *text, struct arrival_trace *trace)
{
	char path[] = "/tmp/xsched-sim-XXXXXX";
	int fd = mkstemp(path);
	long bad;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	bad = arrival_read_trace(trace, path);
	unlink(path);
	return bad;
}

static void test_trace_file(void **state)
{
	struct arrival_trace trace;
	struct arrival a = { .kind = ARRIVAL_TRACE, .trace = &trace };
	u64 t;

	(void)state;
	assert_int_equal(read_times("# times\n0.5\n\n 1.25 # late\n1.25\n", &trace), 0);
	assert_int_equal(trace.count, 3);
	assert_true(arrival_next(&a, &t));
	assert_int_equal(t, 500000000);
	assert_true(arrival_next(&a, &t));
	assert_true(arrival_next(&a, &t));
	assert_int_equal(t, 1250000000);
	assert_false(arrival_next(&a, &t));
	free(trace.ns);
	assert_int_equal(read_times("1\n0.5\n", &trace), 2);
	free(trace.ns);
	assert_int_equal(read_times("1\n2 3\n", &trace), 2);
	free(trace.ns);
	assert_int_equal(read_times("-1\n", &trace), 1);
	free(trace.ns);
	assert_int_equal(arrival_read_trace(&trace, "/nonexistent"), -1);
}

/* Requests come when the file says, from the start of their program on. */
static void test_trace_arrivals(void **state)
{
	char path[] = "/tmp/xsched-sim-XXXXXX", text[512];
	const struct program *p;
	struct mode_figures *f;
	struct bench b;
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, "0.1\n0.2\n0.25\n", 13), 13);
	close(fd);
	snprintf(text, sizeof(text), "[scenario]\nname=t\nprofile=mi308x\npolicy=none\n"
		 "[process p]\nkernels=1 of 64 workgroups, 4 waves, 10 us\nstart=50ms\n"
		 "arrival = trace %s\n", path);
	assert_null(bench_text(&b, text));
	f = bench_run(&b, "none");
	assert_int_equal(f->groups[0].latency_ms.count, 3);
	p = &bench_world(&b, "none")->queues[0]->program;
	assert_int_equal(p->requests[2].arrival, 300000000);
	bench_free(&b);
	unlink(path);
}

/* ---- runs --------------------------------------------------------------- */

static const char small[] =
	"[scenario]\nname=t\nprofile=mi308x\npolicy=hpf\nduration=300ms\n"
	"[process hi]\ncount=2\npriority=5\n"
	"kernels=3 of 200 workgroups, 4 waves, 90 us, 50 per mille\n"
	"arrival=poisson 60\n"
	"[process lo]\nqueues=3\nkernels=4 of 900 workgroups, 4 waves, 700 us, 50 per mille\n"
	"[process wide]\nkernels=4 of 90 workgroups, 2 waves, 200 us\nbarrier=no\ndepth=4\n";

static char *run_to_json(const char *text, const char *mode)
{
	struct report r = { 0 };
	struct bench b;
	size_t size;
	char *json;
	FILE *f = open_memstream(&json, &size);

	assert_null(bench_text(&b, text));
	bench_run(&b, mode);
	r.scn = &b.scn;
	r.modes = b.figures;
	report_json(&r, f);
	fclose(f);
	bench_free(&b);
	return json;
}

/* The same seed, the same run, in every figure; another seed, another run. */
static void test_deterministic(void **state)
{
	char other[1024], *a = run_to_json(small, "hpf"), *b = run_to_json(small, "hpf"), *c;

	(void)state;
	assert_string_equal(a, b);
	snprintf(other, sizeof(other), "[scenario]\nseed=2\n%s", small + strlen("[scenario]\n"));
	c = run_to_json(other, "hpf");
	assert_string_not_equal(a, c);
	free(a);
	free(b);
	free(c);
}

/* A queue that waits between its requests: none comes before that time, and little later. */
static void test_wait(void **state)
{
	static const char text[] =
		"[scenario]\nname=t\nprofile=mi308x\npolicy=none\n"
		"[process p]\nkernels=1 of 64 workgroups, 4 waves, 100 us\n"
		"wait=3 ms\nrequests=20\n";
	const struct program *program;
	struct bench b;
	u64 gap, i;

	(void)state;
	assert_null(bench_text(&b, text));
	bench_run(&b, "none");
	program = &bench_world(&b, "none")->groups[0].processes[0].queues[0].program;
	assert_int_equal(program->completed, 20);
	for (i = 1; i < program->completed; i++) {
		gap = program->requests[i].submitted - program->requests[i - 1].done;
		assert_in_range(gap, 3000000, 3000000 + 200000);
	}
	bench_free(&b);
}

/* An account must notice what is wrong: here it is made wrong. */
static void test_account_notices(void **state)
{
	struct mode_figures *f, again;
	struct vgpu_log *log;
	struct bench b;

	(void)state;
	assert_null(bench_text(&b, small));
	f = bench_run(&b, "hpf");
	assert_true(f->account.saved > 0);
	log = &bench_world(&b, "hpf")->groups[1].processes[0].queues[0].program.requests[1].log[1];
	figures_init(&again, &b.scn, f->mode);
	log->executed++;
	figures_add(&again, bench_world(&b, "hpf"));
	assert_int_equal(again.account.duplicated, 1);
	assert_false(spin_account_clean(&again.account));
	figures_free(&again);
	figures_init(&again, &b.scn, f->mode);
	log->executed = 0;
	figures_add(&again, bench_world(&b, "hpf"));
	assert_int_equal(again.account.lost, 1);
	assert_false(spin_account_clean(&again.account));
	figures_free(&again);
	figures_init(&again, &b.scn, f->mode);
	log->executed = 1;
	log->ticket = 0;
	figures_add(&again, bench_world(&b, "hpf"));
	assert_int_equal(again.account.out_of_order, 1);
	assert_false(spin_account_clean(&again.account));
	figures_free(&again);
	bench_free(&b);
}

/* A kernel the model refuses ends the run, and says so. */
static void test_fault_fails(void **state)
{
	struct world *w;
	struct bench b;

	(void)state;
	assert_null(bench_text(&b, small));
	b.scn.processes[0].vgprs = 100000;
	w = bench_world(&b, "hpf");
	assert_false(world_run(w, &b.scn, &b.scn.modes[0], -1));
	assert_non_null(strstr(w->error, "halted"));
	bench_free(&b);
}

/* A run that can never end is detected: one that ends with another may starve it. */
static void test_stuck_is_noticed(void **state)
{
	static const char text[] =
		"[scenario]\nname=t\nprofile=mi308x\npolicy=hpf\n"
		"[process low]\nkernels=1 of 64 workgroups, 4 waves, 10 ms\nrequests=2\n"
		"[process high]\npriority=1\nuntil=low\n"
		"kernels=1 of 64 workgroups, 4 waves, 10 ms\n";
	struct world *w;
	struct bench b;

	(void)state;
	assert_null(bench_text(&b, text));
	w = bench_world(&b, "hpf");
	assert_false(world_run(w, &b.scn, &b.scn.modes[0], -1));
	assert_non_null(strstr(w->error, "have not ended"));
	bench_free(&b);
}

/* All processes of a tenant are held together. */
static void test_tenant(void **state)
{
	static const char text[] =
		"[scenario]\nname=t\nprofile=mi308x\npolicy=hpf\nduration=200ms\n"
		"[process hi]\npriority=5\nkernels=3 of 200 workgroups, 4 waves, 90 us\n"
		"arrival=periodic 50\n"
		"[process a]\ntenant=team\nkernels=4 of 900 workgroups, 4 waves, 700 us\n"
		"[process b]\ntenant=team\ncount=2\nkernels=4 of 900 workgroups, 4 waves, 700 us\n";
	struct mode_figures *f;
	struct bench b;

	(void)state;
	assert_null(bench_text(&b, text));
	f = bench_run(&b, "hpf");
	assert_int_equal(bench_world(&b, "hpf")->tenant_count, 2);
	/* three queues go at a time; the first four times of each request */
	assert_int_equal(f->flips % 3, 0);
	assert_true(f->groups[1].holds >= 8);
	bench_free(&b);
}

/* The trace is JSON, with an event for each dispatch at least. */
static void test_trace(void **state)
{
	char path[] = "/tmp/xsched-sim-XXXXXX";
	json_object *doc, *events;
	struct mode_figures *f;
	struct trace trace;
	struct bench b;

	(void)state;
	close(mkstemp(path));
	assert_null(bench_text(&b, small));
	f = bench_run(&b, "hpf");
	assert_true(trace_open(&trace, path));
	trace_add(&trace, bench_world(&b, "hpf"));
	assert_true(trace_close(&trace));
	doc = json_object_from_file(path);
	assert_non_null(doc);
	assert_true(json_object_object_get_ex(doc, "traceEvents", &events));
	assert_true(json_object_array_length(events) > f->account.submitted + f->calls);
	json_object_put(doc);
	bench_free(&b);
	unlink(path);
}

static void test_values(void **state)
{
	u64 v;
	double d;

	(void)state;
	assert_true(parse_time("1.5ms", &v) && v == 1500000);
	assert_true(parse_time("7 ns", &v) && v == 7);
	assert_false(parse_time("7", &v) || parse_time("-7 ns", &v) || parse_time("ms", &v) ||
		     parse_time("7 ns x", &v) || parse_time("0x7p3 h", &v));
	assert_true(parse_set("all", 64, &v) && v == UINT64_MAX);
	assert_true(parse_set("63", 64, &v) && v == 1ULL << 63);
	assert_false(parse_set("", 4, &v) || parse_set("1,", 4, &v) || parse_set("4", 4, &v) ||
		     parse_set("1;2", 4, &v) || parse_set("99999999999", 4, &v));
	assert_false(parse_positive("nan", &d) || parse_positive("-1", &d) ||
		     parse_positive("0", &d) || parse_positive("1x", &d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agenda),
		cmocka_unit_test(test_agenda_ties),
		cmocka_unit_test(test_arrivals_of_the_guest),
		cmocka_unit_test(test_trace_file),
		cmocka_unit_test(test_trace_arrivals),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_account_notices),
		cmocka_unit_test(test_fault_fails),
		cmocka_unit_test(test_stuck_is_noticed),
		cmocka_unit_test(test_tenant),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_values),
	};

	return RUN(tests);
}
