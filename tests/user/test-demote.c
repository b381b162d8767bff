// SPDX-License-Identifier: MIT
/*
 * A queue does not save its waves, for which all on its GPU have waited: its process falls to the
 * lowest priority, and if that happens to a second process of its user, all that the user has. Only
 * root ends that. The breaker opens when queues of two users do not save, or when the firmware does
 * not answer and no queue is to blame; then it opens for all GPUs that are reset together.
 *
 *   test-demote [GPUS]	how many there are; vgpu's parameter "hive" says which are reset together
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "breaker.h"
#include "demoted.h"
#include "domain.h"
#include "gpufault.h"
#include "gpustat.h"
#include "lease.h"
#include "must.h"
#include "stuck.h"
#include "sysfile.h"
#include "tap.h"
#include "users.h"
#include "worker.h"
#include "xsarm.h"
#include "xsdev.h"

#define MS		1000000ULL
#define ALICE		1000
#define BOB		1001
#define CAROL		1002
#define FW_TIMEOUT_MS	500	/* instead of amdkfd's nine seconds */
#define STILL_MS	300	/* how long we watch nothing happen */
#define DONE_MS		20000	/* when something that happens must have happened */
#define LONG		5	/* times a tenth of a second, which an armed switch sees */
#define ASKED		12

#define LOWEST		KFD_XSCHED_PRIORITY_MIN
#define USUAL		KFD_XSCHED_PRIORITY_NORMAL	/* what a worker asks for */
#define ANY		(-1)
#define DEMOTED		KFD_XSCHED_QUEUE_DEMOTED
#define RESET		KFD_XSCHED_QUEUE_RESET

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape tenth = { 64, 256, 100 * MS };
static const struct worker_ids alice_ids = { ALICE, ALICE, ALICE, true };
static const struct worker_ids bob_ids = { BOB, BOB, BOB, true };
static const struct worker_ids carol_ids = { CAROL, CAROL, CAROL, true };

/* Root's clients: one acts, one arms, one is told of demotions, one of breakers. */
static int fd, armer, told, breakers;
/* Root's process on the first GPU: to hold it preempts that. */
static struct worker other;

/* The nodes, by number. The first @domain of them are reset together. */
static uint32_t gpu_ids[WORKER_MAX_GPUS];
static unsigned int gpus = 1, domain = 1;

/* ---- what is seen -------------------------------------------------------- */

static bool matches(const struct kfd_xsched_queue *q, uint32_t state, int priority)
{
	return (q->state & (DEMOTED | RESET)) == state &&
		(priority == ANY || q->priority == (uint32_t)priority);
}

/* Whether a queue is reset and demoted just as said, and has that priority; now, and in a while. */
static bool queue_is(struct worker *w, unsigned int n, uint32_t state, int priority)
{
	const struct kfd_xsched_queue q = must_list(w, n, fd);

	if (matches(&q, state, priority))
		return true;
	tap_note("queue %u: state %#x, priority %u", n, q.state, q.priority);
	return false;
}

static bool queue_becomes(struct worker *w, unsigned int n, uint32_t state, int priority)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;
	struct kfd_xsched_queue q = must_list(w, n, fd);

	while (!matches(&q, state, priority) && xsdev_now() < until) {
		xsdev_sleep_ms(5);
		q = must_list(w, n, fd);
	}
	return queue_is(w, n, state, priority);
}

/* Whether that is told of a process, before anything else of it. */
static bool hears(const struct worker *w, bool demoted)
{
	struct kfd_xsched_event e;
	int ret = xsdev_wait_event(told, KFD_XSCHED_EVENT_DEMOTED, w->pid, DONE_MS, &e);

	return !ret && e.data == demoted;
}

/* Whether the breakers of GPUs that are reset together are so in a while, and of no other. */
static bool domain_becomes(const char *word)
{
	unsigned int i, good = 0;

	for (i = 0; i < gpus; i++)
		good += i < domain ? breaker_becomes(gpu_ids[i], word) :
				     breaker_is(gpu_ids[i], "closed");
	return good == gpus;
}

static bool domain_is_closed(void)
{
	unsigned int i, good = 0;

	for (i = 0; i < gpus; i++)
		good += breaker_is(gpu_ids[i], "closed");
	return good == gpus;
}

/* Whether each of them is reset, which is to be read before the next reset. */
static bool domain_is_reset(void)
{
	unsigned int i, ended = 0;

	for (i = 0; i < domain; i++)
		ended += !gpufault_wait_reset(fd);
	return ended == domain;
}

/* Whether that is told of each of them, once. */
static bool domain_told(bool open)
{
	struct kfd_xsched_event e;
	unsigned int i, k;
	uint32_t seen = 0;

	for (i = 0; i < domain; i++) {
		if (xsdev_wait_event(breakers, KFD_XSCHED_EVENT_NODE_BREAKER, 0, DONE_MS, &e) ||
		    e.data != open)
			return false;
		for (k = 0; k < domain; k++)
			seen |= (uint32_t)(gpu_ids[k] == e.gpu_id) << k;
	}
	return seen == (1U << domain) - 1;
}

/* ---- what is done -------------------------------------------------------- */

static void start(struct worker *w, unsigned int queues, const struct worker_ids *ids)
{
	stuck_keep_apart();
	must_start(w, queues, ids);
}

static void start_on(struct worker *w, unsigned int queues, unsigned int gpu)
{
	stuck_keep_apart();
	if (worker_start_on(w, queues, gpu))
		tap_bail("no worker on GPU %u", gpu);
}

/* What a reset has taken is not there any more. */
static void restart_other(void)
{
	worker_kill(&other);
	start(&other, 1, NULL);
}

static int op(uint32_t operation, const struct worker *w)
{
	return xsdev_process_op(fd, operation, w->pid, 0, NULL);
}

static int hold(const struct worker *w)
{
	return op(KFD_XSCHED_OP_SUSPEND, w);
}

static int release(const struct worker *w)
{
	return op(KFD_XSCHED_OP_RESUME, w);
}

static int set(const struct worker *w, int priority)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_SET_PRIORITY, w->pid, priority, NULL);
}

static bool runs(struct worker *w, unsigned int n)
{
	return !worker_submit(w, n, &tenth, 1) && !worker_wait(w, n, DONE_MS);
}

/* Queue @n, the newest of a process and on the first GPU, runs and will not save. */
static void make_stuck(struct worker *w, unsigned int n)
{
	if (worker_begin(w, n, &endless) || gpufault("preempt_fail %u", stuck_doorbell(w->pid)))
		tap_bail("no queue gets stuck");
}

/* And another process is to be held: what that call returned. */
static int fail(struct worker *w, unsigned int n)
{
	int ret;

	make_stuck(w, n);
	ret = hold(&other);
	release(&other);
	return ret;
}

/* A test ends: what failed in it does not count in the next. */
static void forget(void)
{
	unsigned int i;

	for (i = 0; i < gpus; i++)
		if (breaker_close(gpu_ids[i]))
			tap_bail("the breaker of GPU %u cannot be closed", i);
}

/* A queue of the process is held in the middle of a dispatch, and released. */
static void check_held(struct worker *w, unsigned int n)
{
	const uint64_t id = must_list(w, n, fd).id;

	if (worker_begin(w, n, &tenth))
		tap_bail("nothing runs");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_SUSPEND, id, 0, NULL), 0,
	       "a queue of a demoted process is held");
	tap_is(worker_wait(w, n, STILL_MS), -ETIME, "and does not run");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, id, 0, NULL), 0, "it is released");
	tap_is(worker_wait(w, n, DONE_MS), 0, "and runs to its end");
}

/* ---- a process ----------------------------------------------------------- */

static void test_process(struct worker *w)
{
	int n;

	start(w, 2, NULL);
	tap_is(set(w, ASKED), 0, "a process is given priority %d", ASKED);
	tap_ok(queue_is(w, 0, 0, ASKED), "which is in force");
	tap_is(fail(w, 1), 0,
	       "a queue of it does not save; that the hold of another meets it is no error");
	tap_ok(hears(w, true), "the process is demoted, which is reported");
	tap_ok(queue_becomes(w, 1, RESET | DEMOTED, ANY),
	       "the queue is listed as reset and demoted");
	tap_ok(queue_becomes(w, 0, DEMOTED, LOWEST),
	       "its other queue as demoted, and has the lowest priority");
	n = worker_add_queue(w);
	tap_ok(n == 2 && queue_is(w, 2, DEMOTED, LOWEST), "a new one is born so");
	tap_ok(runs(w, 0) && runs(w, 2), "both run");
	tap_ok(demoted_are(demoted_line(w->pid, 0, 1)),
	       "the file has the process, and nobody else");
	tap_ok(queue_is(&other, 0, 0, USUAL), "the one that was to be held is not demoted");
	tap_ok(domain_is_closed(), "no breaker opens");
	tap_ok(!worker_recreate(w, 1) && queue_is(w, 1, DEMOTED, LOWEST),
	       "another queue in place of the lost one is born demoted");
}

/* What is asked for meanwhile is accepted, and comes into force later: see test_end(). */
static void test_not_raised(struct worker *w)
{
	tap_is(set(w, 3), 0, "demoted: another priority can be asked for");
	tap_ok(queue_is(w, 0, DEMOTED, LOWEST), "demoted: but is not in force");
	tap_is(set(w, ASKED), 0, "demoted: so can the former one");
	tap_ok(queue_is(w, 0, DEMOTED, LOWEST), "demoted: nor is that");
	tap_is(set(&other, 3), 0, "another process is given one");
	tap_is(set(&other, KFD_XSCHED_PRIORITY_APP), 0, "and loses it");
}

/* Work that would run the switch, see test_armed(). */
static int work(struct worker *w)
{
	return worker_submit(w, 0, &tenth, LONG) ? : worker_wait(w, 0, DONE_MS);
}

static int test_not_armed(struct worker *w)
{
	const uint64_t before = must_list(&other, 0, fd).preemptions;
	int id = xsarm_suspend(armer, w->pid, other.pid);
	struct kfd_xsched_event e;

	tap_ok(id > 0, "demoted: a switch that it triggers is armed (%d)", id);
	tap_is(work(w), 0, "demoted: it works");
	tap_is(xsdev_wait_event(armer, KFD_XSCHED_EVENT_ARMED, 0, STILL_MS, &e), -ETIME,
	       "demoted: that runs no armed switch");
	tap_is((long)(must_list(&other, 0, fd).preemptions - before), 0,
	       "demoted: and holds nobody");
	return id;
}

static void test_armed(struct worker *w, int id)
{
	const uint64_t before = must_list(&other, 0, fd).preemptions;
	struct kfd_xsched_event e;

	tap_is(work(w), 0, "not any more: it works");
	tap_is(xsarm_wait(armer, id, true, DONE_MS, &e), 0,
	       "not any more: that runs the armed switch");
	tap_is(e.pid, w->pid, "not any more: the event names it");
	tap_is(xsarm_wait(armer, id, false, DONE_MS, &e), 0, "not any more: which is undone");
	tap_is((long)(must_list(&other, 0, fd).preemptions - before), 1,
	       "not any more: it held the other");
	tap_is(xsarm_clear(armer, id), 0, "the switch is cleared");
}

/* User 0 is most containers'. What is given back while it is not in force is gone afterwards. */
static void test_second(struct worker *w, const struct worker *first)
{
	start(w, 2, NULL);
	tap_is(set(w, ASKED), 0, "a second process of root is given a priority");
	tap_is(fail(w, 1), 0, "and a queue of it does not save, either");
	tap_ok(hears(w, true), "it is demoted");
	tap_ok(demoted_has(demoted_line(first->pid, 0, 1)) &&
	       demoted_has(demoted_line(w->pid, 0, 1)), "the file has both");
	tap_ok(!strstr(demoted_text(), "user"), "and not their user");
	tap_ok(queue_is(&other, 0, 0, USUAL), "a third process is not demoted");
	tap_ok(domain_is_closed(), "no breaker opens");
	tap_is(set(w, KFD_XSCHED_PRIORITY_APP), 0,
	       "the priority of a demoted process is given back");
	tap_ok(queue_becomes(w, 0, DEMOTED, LOWEST), "which does not end the demotion");
}

static void test_words(void)
{
	static const char *const bad[] = { "nonsense", "process", "process x", "user", "user x" };
	unsigned int i, wrong = 0;
	int ret;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		wrong += demoted_write("%s", bad[i]) != -EINVAL;
	tap_is(wrong, 0, "what the file does not know is EINVAL");
	tap_is(demoted_write("process %d", (int)other.pid), -ESRCH,
	       "a process that is not demoted is ESRCH");
	tap_is(demoted_write("user %d", ALICE), -ESRCH, "so is such a user");
	users_become(ALICE);
	ret = demoted_write("all");
	users_become(0);
	tap_is(ret, -EACCES, "an ordinary user cannot write it");
}

static void test_end(struct worker *first, struct worker *second)
{
	tap_is(demoted_write("process %d", (int)first->pid), 0,
	       "root ends the demotion of the first");
	tap_ok(hears(first, false), "which is reported");
	tap_ok(queue_becomes(first, 0, 0, ASKED) && queue_becomes(first, 2, 0, ASKED),
	       "the priority that was asked for before is in force again, of the new queue, too");
	tap_ok(demoted_are(demoted_line(second->pid, 0, 1)), "the file has the second alone");
	tap_is(demoted_write("process %d", (int)first->pid), -ESRCH, "it does not end twice");
	tap_is(set(first, 3), 0, "another priority can be set again");
	tap_is(demoted_write("all"), 0, "root ends all");
	tap_ok(hears(second, false), "which is reported");
	tap_ok(queue_becomes(second, 0, 0, USUAL), "what was given back meanwhile is not in force");
	tap_ok(demoted_are(NULL), "the file is empty");
}

static void test_processes(void)
{
	struct worker first, second;
	int id;

	tap_ok(demoted_are(NULL), "nobody is demoted");
	test_process(&first);
	test_not_raised(&first);
	id = test_not_armed(&first);
	test_second(&second, &first);
	test_words();
	test_end(&first, &second);
	test_armed(&first, id);
	worker_kill(&first);
	worker_kill(&second);
	forget();
}

/* ---- users --------------------------------------------------------------- */

/* Twice, but one process. */
static void test_twice(void)
{
	struct worker w;
	int n;

	start(&w, 1, &carol_ids);
	tap_is(fail(&w, 0), 0, "a queue of a user does not save");
	n = worker_add_queue(&w);
	tap_ok(n == 1 && !fail(&w, 1), "nor does another of that process");
	tap_ok(queue_becomes(&w, 1, RESET | DEMOTED, ANY), "which is reset, too");
	tap_ok(demoted_are(demoted_line(w.pid, CAROL, 2)),
	       "that is counted, and does not demote the user");
	tap_ok(domain_is_closed(), "no breaker opens");
	worker_kill(&w);
	forget();
}

/* Of Alice: two that fail, one that is there, one that comes. Bob's; and root's, which is held. */
static struct worker a, b, innocent, late, bobs, held;

static void test_user(void)
{
	start(&a, 1, &alice_ids);
	start(&b, 2, &alice_ids);
	start(&innocent, 1, &alice_ids);
	start(&bobs, 2, &bob_ids);
	start_on(&held, 1, domain - 1);
	tap_is(hold(&held), 0, "a process is held");
	tap_is(fail(&a, 0), 0, "a queue of a user does not save");
	tap_ok(hears(&a, true) && demoted_are(demoted_line(a.pid, ALICE, 1)),
	       "its process is demoted, alone");
	tap_ok(queue_is(&innocent, 0, 0, USUAL) && queue_is(&b, 0, 0, USUAL),
	       "others of the user are not");
	tap_is(fail(&b, 1), 0, "a queue of another process of that user does not save, either");
	tap_ok(hears(&innocent, true), "the user is demoted: a process of his that did nothing is");
	tap_ok(queue_becomes(&innocent, 0, DEMOTED, LOWEST), "with the lowest priority");
	tap_ok(queue_becomes(&b, 0, DEMOTED, LOWEST), "so is the other one's second queue");
	tap_ok(demoted_has("user 1000 2") && demoted_has(demoted_line(a.pid, ALICE, 1)) &&
	       demoted_has(demoted_line(b.pid, ALICE, 1)) && demoted_in_order(),
	       "the file has the user, then both processes that failed");
	start(&late, 1, &alice_ids);
	tap_ok(queue_is(&late, 0, DEMOTED, LOWEST), "a new process of the user is born demoted");
	tap_ok(!set(&late, USUAL) && queue_is(&late, 0, DEMOTED, LOWEST),
	       "and a priority that is set is not in force");
	tap_ok(queue_is(&bobs, 0, 0, USUAL) && queue_is(&other, 0, 0, USUAL),
	       "processes of other users are not demoted");
	tap_ok(domain_is_closed(), "one user's processes open no breaker");
	tap_is(must_list(&held, 0, fd).holders, 1, "what is held stays held");
}

/* Whether nobody holds it, in a while. */
static bool becomes_free(struct worker *w)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;

	while (must_list(w, 0, fd).holders && xsdev_now() < until)
		xsdev_sleep_ms(5);
	return !must_list(w, 0, fd).holders;
}

/* The call that meets the second user's queue may find the breaker open before it is over. */
static void test_second_user(void)
{
	int ret = fail(&bobs, 1);

	tap_ok(!ret || ret == -ESHUTDOWN, "a queue of a second user does not save (%d)", ret);
	tap_ok(queue_becomes(&bobs, 1, RESET | DEMOTED, ANY), "its process is demoted");
	tap_ok(demoted_has(demoted_line(bobs.pid, BOB, 1)) && !strstr(demoted_text(), "user 1001"),
	       "but not its user");
	tap_ok(domain_becomes("open"), "the breaker opens, of all GPUs that are reset together");
	tap_ok(domain_told(true), "which is reported of each");
	tap_ok(becomes_free(&held), "what was held there is released");
	tap_is(hold(&held), -ESHUTDOWN, "nothing can be held there");
	tap_is(breaker_close(gpu_ids[domain - 1]), 0, "root closes it on one of them");
	tap_ok(domain_is_closed(), "so it is closed on all");
	tap_ok(domain_told(false), "which is reported of each");
	tap_ok(!hold(&held) && !release(&held), "and a process is held and released again");
}

static void test_user_ends(void)
{
	tap_is(demoted_write("user %d", ALICE), 0, "root ends the demotion of the user");
	tap_ok(hears(&innocent, false), "which is reported");
	tap_ok(queue_becomes(&innocent, 0, 0, USUAL) && queue_becomes(&late, 0, 0, USUAL),
	       "his processes that did nothing have the priority they asked for");
	tap_is(demoted_write("user %d", ALICE), -ESRCH, "it does not end twice");
	tap_is(demoted_write("all"), 0, "root ends all");
	tap_ok(demoted_are(NULL), "the file is empty");
	tap_ok(queue_becomes(&b, 0, 0, USUAL) && queue_becomes(&bobs, 0, 0, USUAL),
	       "those that failed have their priority, too");
}

static void test_users(void)
{
	struct worker *const all[] = { &a, &b, &innocent, &late, &bobs, &held };
	unsigned int i;

	test_user();
	test_second_user();
	test_user_ends();
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		worker_kill(all[i]);
	forget();
}

/* ---- a whole GPU, and nobody to blame ------------------------------------ */

/* The driver knows the queue, but cannot reset it alone. */
static void test_reset(void)
{
	const long resets = gpustat_of(0, "resets");
	struct worker w;
	int n;

	start(&w, 1, NULL);
	if (gpufault("reset_fail"))
		tap_bail("no reset fails");
	tap_is(fail(&w, 0), -ETIME, "a queue does not save, nor can it be reset: a hold fails");
	tap_ok(domain_is_reset(), "the GPU is reset");
	tap_is(gpustat_of(0, "resets") - resets, 1, "once");
	tap_ok(hears(&w, true) && demoted_are(demoted_line(w.pid, 0, 1)),
	       "the queue's process is demoted, alone");
	tap_ok(queue_becomes(&w, 0, RESET | DEMOTED, ANY) && queue_is(&other, 0, RESET, ANY),
	       "others have lost their queues, but are not");
	tap_ok(domain_is_closed(), "no breaker opens, as the queue is known");
	n = worker_add_queue(&w);
	tap_ok(n == 1 && queue_is(&w, 1, DEMOTED, LOWEST), "a new queue is born demoted");
	check_held(&w, 1);
	tap_is(demoted_write("all"), 0, "root ends it");
	worker_kill(&w);
	restart_other();
	forget();
}

/* The firmware does not answer, and names no queue. */
static void test_hang(void)
{
	struct worker w;

	start(&w, 1, NULL);
	if (worker_begin(&w, 0, &endless))
		tap_bail("nothing runs");
	tap_is(breaker_provoke(fd, &w, 0), -ETIME, "the firmware does not answer");
	tap_ok(domain_becomes("open"), "the first time opens the breaker");
	tap_ok(domain_told(true), "which is reported");
	tap_ok(domain_is_reset(), "the GPU is reset");
	tap_ok(queue_becomes(&w, 0, RESET, ANY) && demoted_are(NULL), "nobody is demoted");
	worker_kill(&w);
	forget();
	tap_ok(domain_told(false), "the breaker is closed");
}

/* No hold, no client: amdkfd preempts, because a process creates a queue. */
static void test_stock(void)
{
	const long resets = gpustat_of(0, "resets");
	struct worker w;

	start(&w, 1, NULL);
	make_stuck(&w, 0);
	tap_ok(worker_add_queue(&other) > 0,
	       "a process creates a queue, while another does not save");
	tap_ok(hears(&w, true) && demoted_are(demoted_line(w.pid, 0, 1)),
	       "that one's process is demoted");
	tap_ok(queue_becomes(&w, 0, RESET | DEMOTED, ANY), "its queue is reset");
	tap_is(gpustat_of(0, "resets") - resets, 0, "the GPU is not");
	tap_ok(domain_is_closed(), "no breaker opens");
	worker_kill(&w);
	tap_ok(demoted_are(NULL), "with its end the demotion has ended");
	forget();
}

/* ---- several GPUs -------------------------------------------------------- */

/* A process with a queue on each GPU and one more, which is on the first again. */
static void test_nodes(void)
{
	unsigned int i, good = 0;
	struct worker w;
	int n;

	start_on(&w, gpus + 1, WORKER_ALL_GPUS);
	tap_is(fail(&w, gpus), 0, "a queue of a process on all GPUs does not save");
	tap_ok(hears(&w, true), "the process is demoted");
	for (i = 0; i < gpus; i++)
		good += queue_becomes(&w, i, DEMOTED, LOWEST);
	tap_is(good, gpus, "with its queues on each GPU");
	n = worker_add_queue(&w);
	tap_ok(n > 0 && must_list(&w, n, fd).gpu_id == gpu_ids[1] &&
	       queue_is(&w, n, DEMOTED, LOWEST),
	       "a new one on another GPU is born so");
	check_held(&w, 1);
	tap_is(demoted_write("process %d", (int)w.pid), 0, "root ends it");
	for (i = 0, good = 0; i < gpus; i++)
		good += queue_becomes(&w, i, 0, USUAL);
	tap_is(good, gpus, "on each GPU");
	worker_kill(&w);
	forget();
}

/* Of its GPU. */
static long resets_of(unsigned int node)
{
	return gpustat_of(node / domain_parts(gpus), "resets");
}

static bool resets_are(const long before[WORKER_MAX_GPUS])
{
	unsigned int i, good = 0;

	for (i = 0; i < gpus; i++)
		good += resets_of(i) - before[i] == (i < domain);
	return good == gpus;
}

/* The second GPU hangs: the first is reset with it, and its breaker opens. Not so the last. */
static void test_domain(void)
{
	long before[WORKER_MAX_GPUS];
	struct worker w, near, far;
	unsigned int i;
	int n;

	for (i = 0; i < gpus; i++)
		before[i] = resets_of(i);
	start_on(&w, 1, 1);
	start_on(&near, 1, 0);
	start_on(&far, 1, gpus - 1);
	tap_is(hold(&near), 0, "a process on the first GPU is held");
	tap_is(breaker_provoke(fd, &w, 1), -ETIME, "the firmware of the second does not answer");
	tap_ok(domain_becomes("open"),
	       "breakers open, of all GPUs that are reset together, and of no other");
	tap_ok(domain_told(true), "which is reported of each");
	tap_ok(becomes_free(&near), "what was held on the first is released");
	tap_ok(domain_is_reset() && resets_are(before), "each of them is reset, and no other");
	n = worker_add_queue(&near);
	tap_ok(n == 1 && runs(&near, 1), "a new queue on the first runs");
	tap_is(hold(&near), -ESHUTDOWN, "and cannot be held");
	tap_ok(!hold(&far) && !release(&far), "on the last GPU a process is held and released");
	tap_is(breaker_close(gpu_ids[0]), 0, "root closes the breaker of the first");
	tap_ok(domain_is_closed() && domain_told(false), "so it is closed on all");
	tap_ok(!hold(&near) && !release(&near), "where a process is held and released again");
	tap_ok(demoted_are(NULL), "nobody is demoted");
	worker_kill(&w);
	worker_kill(&near);
	worker_kill(&far);
	restart_other();
	forget();
}

/* ---- MES ----------------------------------------------------------------- */

static int set_class(const struct worker *w, uint32_t prio_class)
{
	struct kfd_xsched_entry e = XSARM_ENTRY(SET_PRIORITY, PROCESS, w->pid,
						KFD_XSCHED_PRIORITY_KEEP);

	e.prio_class = prio_class;
	return xsdev_apply(fd, &e, 1, NULL);
}

static bool class_becomes(struct worker *w, unsigned int n, uint32_t prio_class)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;

	while (must_list(w, n, fd).prio_class != prio_class && xsdev_now() < until)
		xsdev_sleep_ms(5);
	return must_list(w, n, fd).prio_class == prio_class;
}

/* MES cannot remove a queue, which the call names: the GPU is reset. */
static void test_mes(void)
{
	struct worker w;
	int n;

	start(&w, 1, NULL);
	tap_ok(!set_class(&w, KFD_XSCHED_CLASS_HIGH) && class_becomes(&w, 0, KFD_XSCHED_CLASS_HIGH),
	       "a process has class HIGH");
	if (worker_begin(&w, 0, &endless) || gpufault("mes_fail 1 remove"))
		tap_bail("no call fails");
	tap_is(hold(&w), -ETIME, "its queue cannot be removed");
	tap_ok(domain_is_reset(), "the GPU is reset");
	tap_ok(hears(&w, true) && demoted_are(demoted_line(w.pid, 0, 1)), "the process is demoted");
	tap_ok(queue_becomes(&w, 0, RESET | DEMOTED, ANY),
	       "the queue is listed as reset and demoted");
	tap_ok(domain_is_closed(), "no breaker opens, as the queue is known");
	n = worker_add_queue(&w);
	tap_ok(n == 1 && queue_is(&w, 1, DEMOTED, LOWEST) &&
	       must_list(&w, 1, fd).prio_class == KFD_XSCHED_CLASS_LOW,
	       "a new queue has the lowest priority, and class LOW");
	tap_ok(!set_class(&w, KFD_XSCHED_CLASS_HIGH) &&
	       must_list(&w, 1, fd).prio_class == KFD_XSCHED_CLASS_LOW,
	       "a class that is set is not in force");
	check_held(&w, 1);
	tap_is(demoted_write("process %d", (int)w.pid), 0, "root ends it");
	tap_ok(hears(&w, false) && class_becomes(&w, 1, KFD_XSCHED_CLASS_HIGH) &&
	       queue_is(&w, 1, 0, USUAL), "the class that was asked for before is in force again");
	worker_kill(&w);
	forget();
}

/* ---- main ---------------------------------------------------------------- */

static int open_told(uint32_t events)
{
	int client = xsdev_open();

	if (client < 0 || xsdev_subscribe(client, events, 0, 0))
		tap_bail("no client");
	return client;
}

static void test_hws(void)
{
	test_processes();
	test_twice();
	test_users();
	test_reset();
	test_stock();
	test_hang();
	restart_other();
	if (gpus > 1)
		test_nodes();
	else
		tap_skip("there is one GPU", "a process on several");
	if (domain > 1 && domain < gpus)
		test_domain();
	else
		tap_skip("each node is reset alone, or all are together", "nodes that are reset together");
}

int main(int argc, char **argv)
{
	unsigned int i;

	gpus = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 1;
	if (!gpus || gpus > WORKER_MAX_QUEUES - 2)
		tap_bail("usage: test-demote [GPUS]");
	fd = gpufault_open();
	armer = open_told(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED));
	told = open_told(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_DEMOTED));
	breakers = open_told(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_BREAKER));
	if (lease_set(LEASE_PATIENT_MS))
		tap_bail("the lease cannot be set");
	gpufault_timeout(FW_TIMEOUT_MS);
	domain = domain_find(fd, gpus, gpu_ids);
	for (i = 0; i < gpus; i++)
		breaker_set(gpu_ids[i], 1);
	if (xsdev_transactions(fd, 2) != 1) {
		test_mes();
		test_hang();
		return tap_done();
	}
	users_admit(true);
	start(&other, 1, NULL);
	test_hws();
	worker_stop(&other);
	users_admit(false);
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "nothing is held in the end");
	return tap_done();
}
