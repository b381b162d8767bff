// SPDX-License-Identifier: MIT
/* The faults of test-torture, one in an epoch, and the end of what they cause. */
#include <errno.h>
#include <stdio.h>

#include "breaker.h"
#include "demoted.h"
#include "domain.h"
#include "gpufault.h"
#include "sysfile.h"
#include "tap.h"
#include "torture.h"

#define USUAL_TIMEOUT_MS 9000	/* amdkfd's */
#define FW_TIMEOUT_MS	2000	/* in epochs with a fault */
#define SETTLED_MS	5000	/* by then a reset has begun, if there is to be one */
#define RESET_MS	60000
#define HELD_MS		300	/* how long we watch a held queue do nothing */
#define BIT(_e)		KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##_e)

/**
 * struct fault - what the software GPU can do
 * @name: of it
 * @hws: where the firmware is HWS
 * @mes: where it is MES
 * @harm: what may come of it
 * @first: NULL, or a command that is before
 * @command: of vgpu/fault, without the GPU
 * @armed: how often it was
 * @happened: how often it then has
 */
struct fault {
	const char *name;
	bool hws;
	bool mes;
	enum torture_harm harm;
	const char *first;
	const char *command;
	unsigned int armed;
	unsigned int happened;
};

#define NONE	TORTURE_NO_HARM
#define DIES	TORTURE_ONE_DIES
#define LOST	TORTURE_WORK_IS_LOST

static struct fault faults[] = {
	{ "late", true, false, NONE, NULL, "preempt_late 300000 3", 0, 0 },
	{ "hang", true, false, LOST, NULL, "preempt_hang", 0, 0 },
	{ "hang, late reset", true, false, LOST, "reset_late 500000", "preempt_hang", 0, 0 },
	{ "stop", true, false, LOST, NULL, "stop 3", 0, 0 },
	{ "stuck", true, false, LOST, NULL, "preempt_fail any", 0, 0 },
	{ "stuck for good", true, false, LOST, "reset_fail", "preempt_fail any", 0, 0 },
	{ "reset", true, true, LOST, NULL, "reset_save any", 0, 0 },
	{ "kill", true, true, DIES, NULL, "kill_save any", 0, 0 },
	{ "remove fails", false, true, LOST, NULL, "mes_fail 1 remove", 0, 0 },
	{ "add fails", false, true, LOST, NULL, "mes_fail 1 add", 0, 0 },
	{ "remove hangs", false, true, LOST, NULL, "mes_hang remove", 0, 0 },
	{ "add hangs", false, true, LOST, NULL, "mes_hang add", 0, 0 },
};

#define FAULTS	(sizeof(faults) / sizeof(faults[0]))

static const struct spin_shape part = { 64, 256, 200 * TORTURE_MS };

/* That of this epoch, or NULL; how many had happened before; resets that we were told of. */
static struct fault *current;
static long fired_before;
static unsigned int resets_begun, resets_ended;

/* ---- a fault is armed ---------------------------------------------------- */

void torture_faults_begin(void)
{
	if (!domain_parts(torture.nodes))
		tap_bail("%u nodes are not all there are", torture.nodes);
	torture.told = xsdev_open();
	if (torture.told < 0 || xsdev_subscribe(torture.told, BIT(NODE_RESET) | BIT(NODE_BREAKER) |
						BIT(DEMOTED), 0, 0))
		tap_bail("no client is told of resets");
}

/* By the first failure for which nobody is to blame the breaker opens, or never. */
void torture_faults_allow(void)
{
	const unsigned int failures = torture_below(2);
	unsigned int i;

	gpufault_timeout(FW_TIMEOUT_MS);
	for (i = 0; i < torture.nodes; i++)
		breaker_set(torture.gpu_ids[i], failures);
}

/* How many have happened, of any. */
static long fired(void)
{
	const long n = gpufault_look("fired", NULL);

	return n < 0 ? 0 : n;
}

/* One that this firmware knows. */
static struct fault *choose(void)
{
	struct fault *f;

	do {
		f = &faults[torture_below(FAULTS)];
	} while (!(torture.mes ? f->mes : f->hws));
	return f;
}

void torture_strike(void)
{
	const unsigned int parts = domain_parts(torture.nodes);
	const unsigned int node = torture_below(torture.nodes);
	struct fault *f = choose();
	int ret = 0;

	torture_did("fault: %s, node %u", f->name, node);
	fired_before = fired();
	torture.harm = f->harm;
	torture.fault = f->name;
	current = f;
	f->armed++;
	if (f->first)
		ret = gpufault("%u.%u %s", node / parts, node % parts, f->first);
	if (!ret)
		ret = gpufault("%u.%u %s", node / parts, node % parts, f->command);
	torture_got(ret);
	if (ret)
		tap_bail("fault \"%s\" cannot be armed: %d", f->name, ret);
}

void torture_rearm(void)
{
	unsigned int i;

	for (i = 0; i < torture.nodes && torture.harm == TORTURE_WORK_IS_LOST; i++) {
		torture_did("the breaker of node %u is closed", torture.gpu_ids[i]);
		torture_got(sysfile_write("closed", "/sys/class/kfd_xsched/node%u/breaker",
					  torture.gpu_ids[i]));
	}
}

/* ---- what comes of it ---------------------------------------------------- */

/* Without a fault that does such things, nothing of it is to be. */
static void hear(void *unused, const struct kfd_xsched_event *e)
{
	(void)unused;
	if (e->type == KFD_XSCHED_EVENT_NODE_RESET) {
		resets_begun += !e->data;
		resets_ended += e->data == 1;
	}
	if (torture.harm != TORTURE_WORK_IS_LOST)
		torture_violation(TORTURE_EVENTS, "event %u, process %d, node %u, data %llu",
				  e->type, e->pid, e->gpu_id, (unsigned long long)e->data);
}

static void listen(void)
{
	torture_hear(torture.told, hear, NULL);
}

/* Each reset that began has ended, and no other begins. */
static void wait_resets(void)
{
	const uint64_t until = xsdev_now() + RESET_MS * TORTURE_MS;

	torture_did("resets end");
	xsdev_sleep_ms(SETTLED_MS);
	listen();
	while (resets_begun != resets_ended && xsdev_now() < until) {
		xsdev_sleep_ms(20);
		listen();
	}
	if (resets_begun != resets_ended)
		torture_violation(TORTURE_RECOVERS, "%u resets began, %u ended", resets_begun,
				  resets_ended);
}

static void close_breakers(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < torture.nodes; i++) {
		torture_did("the breaker of node %u is closed for good", torture.gpu_ids[i]);
		ret = breaker_close(torture.gpu_ids[i]);
		torture_got(ret);
		if (ret)
			torture_violation(TORTURE_RECOVERS, "the breaker stays open: %d", ret);
	}
}

/* Who is demoted is to blame, and is listed so until that ends. */
static void pardon(void)
{
	int ret;

	if (torture_list(torture.root))
		torture_violation(TORTURE_RECOVERS, "LIST fails");
	torture_did("demotions end");
	ret = demoted_write("all");
	torture_got(ret);
	if (ret)
		torture_violation(TORTURE_RECOVERS, "demotions do not end: %d", ret);
}

void torture_recover(void)
{
	if (current) {
		current->happened += fired() != fired_before;
		if (gpufault("clear"))
			torture_violation(TORTURE_RECOVERS, "faults cannot be cleared");
	}
	if (torture.harm == TORTURE_WORK_IS_LOST) {
		wait_resets();
		close_breakers();
		pardon();
	}
	if (torture.faulty)
		gpufault_timeout(USUAL_TIMEOUT_MS);
	/* That breakers close, and demotions end, is told, too. */
	listen();
	current = NULL;
	resets_begun = 0;
	resets_ended = 0;
}

/* ---- afterwards ---------------------------------------------------------- */

static int suspend(struct worker *w)
{
	return xsdev_process_op(torture.root, KFD_XSCHED_OP_SUSPEND, w->pid, 0, NULL);
}

static int resume(struct worker *w)
{
	return xsdev_process_op(torture.root, KFD_XSCHED_OP_RESUME, w->pid, 0, NULL);
}

/* What does not work, or NULL. */
static const char *wrong_with(struct worker *w)
{
	if (worker_half_way_in_real_time(w, 1, &part, suspend, resume))
		return "a process is not held half-way";
	if (worker_wait(w, 0, HELD_MS) != -ETIME)
		return "a process that is held runs";
	if (resume(w))
		return "it is not released";
	if (worker_wait(w, 0, TORTURE_DONE_MS))
		return "it does not go on";
	return worker_clean(w) ? NULL : "something was not executed once";
}

void torture_recovered_check(void)
{
	unsigned int node;
	struct worker w;
	const char *wrong;

	for (node = 0; node < torture.nodes; node++) {
		torture_did("node %u works again", node);
		wrong = "no worker starts";
		if (!worker_start_on(&w, 1, node)) {
			wrong = wrong_with(&w);
			worker_kill(&w);
		}
		if (wrong)
			torture_violation(TORTURE_RECOVERS, "after a fault, node %u: %s", node,
					  wrong);
	}
	if (xsdev_wait_no_queue(torture.root, TORTURE_DONE_MS))
		torture_violation(TORTURE_ENDS, "queues are left after a fault");
}

void torture_faults_note(void)
{
	unsigned int i;

	for (i = 0; i < FAULTS; i++)
		if (faults[i].armed)
			tap_note("fault \"%s\": armed %u times, happened %u times", faults[i].name,
				 faults[i].armed, faults[i].happened);
}

unsigned int torture_faults_count(void)
{
	unsigned int i, sum = 0;

	for (i = 0; i < FAULTS; i++)
		sum += faults[i].happened;
	return sum;
}
