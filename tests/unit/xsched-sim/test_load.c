// SPDX-License-Identifier: MIT
/* Scenario files that are wrong: refused, with the line and the reason. */
#include "bench.h"

#define SCENARIO	"[scenario]\nname = t\nprofile = mi308x\n"	/* lines 1..3 */
#define POLICY		"policy = none\nduration = 1 s\n"		/* lines 4, 5 */
#define PROCESS		"[process p]\nkernels = 1 of 64 workgroups, 4 waves, 10 us\n"	/* 6, 7 */
#define GOOD		SCENARIO POLICY PROCESS

/* Each: a text, and how the message about it begins, after the name of the file. */
static const struct {
	const char *text;
	const char *says;
} wrong[] = {
	{ "name = t\n", "1: 'name' stands before the first section" },
	{ SCENARIO "nonsense\n", "4: neither a section nor" },
	{ SCENARIO "colour = red\n", "4: unknown key 'colour' in [scenario]" },
	{ SCENARIO "name = u\n", "4: 'name' is given twice" },
	{ "[scenario]\nprofile = mi999\n", "2: there is no profile 'mi999'" },
	{ SCENARIO "policy = fifo\n", "4: there is no policy 'fifo'" },
	{ SCENARIO "gpus = 0\n", "4: '0' is not a number of 1..64" },
	{ SCENARIO "gpus = 65\n", "4: '65' is not a number of 1..64" },
	{ SCENARIO "gpus = 2x\n", "4: '2x' is not a number" },
	{ SCENARIO "gpus = -1\n", "4: '-1' is not a number" },
	{ SCENARIO "seed = -1\n", "4: '-1' is not a whole number" },
	{ SCENARIO "duration = 10\n", "4: '10' is not a time" },
	{ SCENARIO "duration = 10 parsecs\n", "4: '10 parsecs' is not a time" },
	{ SCENARIO "duration = nan s\n", "4: 'nan s' is not a time" },
	{ SCENARIO "duration = 1e99 s\n", "4: '1e99 s' is not a time" },
	{ "[scenario\nname = t\n", "1: not a section" },
	{ "[scene]\nname = t\n", "1: not a section" },
	/* What inih, but not we, once took for a section. */
	{ "\f[scene=x]\nname = t\n", "1: not a section" },
	{ "\xef\xbb\xbf[scene=x]\nname = t\n", "1: not a section" },
	{ GOOD "[process]\n", "8: not a section" },
	{ GOOD "[process dispatch]\n", "8: 'dispatch' has another meaning" },
	{ GOOD "[process a/b]\n", "8: 'a/b' is not a name" },
	{ GOOD PROCESS, "8: [process p] is given twice" },
	{ GOOD "[mode m]\npolicy = none\n", "8: either [mode] sections or policy" },
	{ GOOD "[host]\nwarp = 9 us\n", "9: unknown key 'warp' in [host]" },
	{ GOOD "[host]\nsample = 0 us\n", "1: [host] sample must not be 0" },
	{ SCENARIO "[mode m]\nhold = sometimes\n", "5: 'sometimes' is not known here" },
	{ "[scenario]\nname = t\n" PROCESS, "1: [scenario] needs a profile" },
	{ "[scenario]\nprofile = mi308x\n" PROCESS, "1: [scenario] needs a name" },
	{ SCENARIO POLICY, "1: there is no [process NAME]" },
	{ SCENARIO "duration = 1 s\n" PROCESS, "1: there is neither a [mode NAME] nor a policy" },
	{ SCENARIO "partitions = 3\n" POLICY PROCESS, "3: mi308x cannot be divided into 3" },
	{ SCENARIO "gpus = 33\npartitions = 2\n" POLICY PROCESS,
	  "3: 33 GPUs of 2 partitions are more" },
	{ "[scenario]\nname = t\nprofile = gfx11\n" POLICY PROCESS,
	  "3: gfx11 is scheduled by MES" },
	{ SCENARIO "policy = none\n" PROCESS, "5: [process p] never ends" },
	{ SCENARIO POLICY "[process p]\n", "6: [process p] has no kernels" },
	{ SCENARIO POLICY "[process p]\nkernels = 1 of 64\n", "7: '1 of 64' is not like" },
	{ SCENARIO POLICY "[process p]\nkernels = 0 of 64 workgroups, 4 waves, 10 us\n",
	  "7: no such kernel" },
	{ SCENARIO POLICY "[process p]\nkernels = 1 of 64 workgroups, 17 waves, 10 us\n",
	  "7: no such kernel" },
	{ SCENARIO POLICY "[process p]\nkernels = 1 of 64 workgroups, 4 waves, 0 us\n",
	  "7: '0 us' is not a time above 0" },
	{ SCENARIO POLICY "[process p]\nkernels = 1 of 64 workgroups, 4 waves, 10 us, big\n",
	  "7: ', big' is not understood" },
	{ SCENARIO POLICY "[process p]\nkernels = 1 of 16777216 workgroups, 16 waves, 10 us\n",
	  "6: [process p]: a grid of 16777216 workgroups is too large" },
	{ SCENARIO POLICY "[process p]\nkernels = 4000 of 64 workgroups, 4 waves, 10 us\n",
	  "6: [process p]: 2 requests of 4000 kernels do not fit" },
	{ GOOD "lds = 70000\n", "6: [process p]: a workgroup does not fit" },
	{ GOOD "vgprs = 513\n", "8: '513' is not a number of 1..512" },
	{ GOOD "vgprs = 512\n", NULL },
	{ GOOD "count = 0\n", "8: '0' is not a number" },
	{ GOOD "queues = 1025\n", "8: '1025' is not a number of 1..1024" },
	{ GOOD "count = 4096\nqueues = 5\n", "1: 4096 processes with 20480 queues are more" },
	{ GOOD "priority = 256\n", "8: '256' is not a priority" },
	{ GOOD "priority = -256\n", "8: '-256' is not a priority" },
	{ GOOD "kfd_priority = 16\n", "8: '16' is not a number of 0..15" },
	{ GOOD "nodes = 1\n", "6: [process p] is on a node that does not exist" },
	{ GOOD "nodes = 0-\n", "8: '0-' is not a list of nodes" },
	{ GOOD "nodes = 64\n", "8: '64' is not a list of nodes" },
	{ GOOD "nodes = 3-1\n", "8: '3-1' is not a list of nodes" },
	{ GOOD "arrival = poisson\n", "8: 'poisson' is none of" },
	{ GOOD "arrival = poisson 0\n", "8: 'poisson 0' is none of" },
	{ GOOD "arrival = poisson inf\n", "8: 'poisson inf' is none of" },
	{ GOOD "arrival = closed 3\n", "8: 'closed 3' is none of" },
	{ GOOD "arrival = trace /nonexistent\n", "8: cannot read /nonexistent" },
	{ GOOD "depth = 65\n", "8: '65' is not a number" },
	{ GOOD "wait = 5\n", "8: '5' is not a time" },
	{ GOOD "wait = 5 us\ndepth = 1\n", NULL },
	{ GOOD "wait = 5 us\ndepth = 2\n", "6: [process p] waits between requests" },
	{ GOOD "wait = 5 us\narrival = periodic 5\n", "6: [process p] waits between requests" },
	{ GOOD "barrier = maybe\n", "8: 'maybe' is neither yes nor no" },
	{ GOOD "until = q\n", "6: [process p] ends with 'q', which does not exist" },
	{ GOOD "until = p\n", "6: [process p] waits for itself" },
	{ GOOD "tenant = t\n[process q]\ntenant = t\npriority = 1\n"
	  "kernels = 1 of 64 workgroups, 4 waves, 10 us\n",
	  "6: [process p]: tenant t has two priorities" },
	{ SCENARIO "duration = 1 s\n" PROCESS "[mode m]\n", "7: [mode m] has no policy" },
	{ SCENARIO "duration = 1 s\n" PROCESS "[mode m]\npolicy = none\nhold = unmap\n",
	  "7: [mode m] has no policy that could hold" },
	{ SCENARIO "duration = 1 s\n" PROCESS "[mode m]\npolicy = none\nswitch = armed\n",
	  "7: [mode m] has no policy that could hold" },
	{ SCENARIO "duration = 1 s\n" PROCESS "[mode m]\npolicy = hpf\ngrace = 5 us\n",
	  "7: [mode m]: a grace is for hold = unmap" },
	{ SCENARIO "duration = 1 s\n" PROCESS
	  "[mode m]\npolicy = hpf\nhold = unmap\ngrace = 1 ms\n",
	  "7: [mode m]: the longest grace of mi308x is 121 us" },
	{ SCENARIO "duration = 1 s\n" PROCESS
	  "[mode m]\npolicy = hpf\nhold = unmap\ngrace = 1 ns\n",
	  "10: a grace is whole microseconds" },
	{ SCENARIO PROCESS "requests = 5\n[process q]\nuntil = p\n"
	  "kernels = 1 of 64 workgroups, 4 waves, 10 us\n[mode m]\npolicy = none\napart = yes\n",
	  "7: [process q] never ends in [mode m]" },
};

static void test_wrong(void **state)
{
	const char *why;
	struct bench b;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		why = bench_text(&b, wrong[i].text);
		if (!why)
			bench_free(&b);
		if (!why != !wrong[i].says)
			fail_msg("%s\n%s", wrong[i].text, why ? why : "was accepted");
		if (why && strncmp(why, wrong[i].says, strlen(wrong[i].says)))
			fail_msg("%s\nwanted: %s\nsaid: %s", wrong[i].text, wrong[i].says, why);
	}
}

/* What was not given has the value the manual says. */
static void test_defaults(void **state)
{
	const struct scenario_process *p;
	struct bench b;

	(void)state;
	assert_null(bench_text(&b, GOOD));
	p = &b.scn.processes[0];
	assert_int_equal(p->count, 1);
	assert_int_equal(p->queues, 1);
	assert_int_equal(p->depth, 2);
	assert_int_equal(p->kfd_priority, 7);
	assert_int_equal(p->nodes, 1);
	assert_int_equal(p->duration, 1000000000);
	assert_int_equal(p->until, -1);
	assert_true(p->barrier);
	assert_int_equal(b.scn.mode_count, 1);
	assert_null(b.scn.modes[0].policy);
	bench_free(&b);
}

/* All keys there are. */
static void test_everything(void **state)
{
	static const char text[] =
		"; comment\n# comment\n\n[scenario]\nname=t\nprofile=mi308x\ngpus=2\npartitions=4\n"
		"seed=7\nduration=2s\n[host]\nsample=50us\nwake = 1.5 us\n"
		"[mode a]\npolicy=none\napart=yes\n[mode b]\npolicy=hpf\nswitch=armed\nhold=unmap\n"
		"grace=100us\n[process x]\ncount=3\npriority=-5\nkfd_priority=15\nqueues=4\n"
		"nodes=0-2, 5\nspread=queues\ntenant=team\n"
		"kernels=2 of 10 workgroups, 1 waves, 1.5 ms, 20 per mille ; inline\n"
		"kernels=1 of 5 workgroups, 2 waves, 3 us\nvgprs=128\nlds=0\nbarrier=no\n"
		"images=8\nmodel=m\nsource=s\ndepth=3\narrival=periodic 2.5\nseed=9\nrequests=10\n"
		"duration=1s\nstart=10ms\n[process y]\npriority=-6\n"
		"kernels=1 of 5 workgroups, 2 waves, 3 us\nwait=2ms\n"
		"until=x\n";
	const struct scenario_process *p;
	struct bench b;

	(void)state;
	assert_null(bench_text(&b, text));
	p = &b.scn.processes[0];
	assert_int_equal(b.scn.nodes, 8);
	assert_int_equal(b.scn.profile.xccs, 1);
	assert_int_equal(b.scn.costs.wake, 1500);
	assert_true(b.scn.modes[0].apart);
	assert_true(b.scn.modes[1].armed && b.scn.modes[1].unmap);
	assert_int_equal(b.scn.modes[1].grace_us, 100);
	assert_int_equal(p->nodes, 0x27);
	assert_int_equal(p->kernels[0].workgroup_ns, 1500000);
	assert_int_equal(p->kernels[0].spread, 20);
	assert_int_equal(scenario_request_kernels(p), 3);
	assert_int_equal(p->lds, 0);
	assert_int_equal(p->start, 10000000);
	assert_int_equal(b.scn.processes[1].until, 0);
	assert_int_equal(b.scn.processes[1].wait, 2000000);
	assert_int_equal(b.scn.processes[1].depth, 1);
	assert_int_equal(b.scn.processes[1].duration, 2000000000);
	bench_run(&b, "b");
	bench_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_everything),
	};

	return RUN(tests);
}
