// SPDX-License-Identifier: MIT
/* What test-torture looks at: LIST, files, the software GPU's errors. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gpustat.h"
#include "sysfile.h"
#include "tap.h"
#include "torture.h"

#define CLIENTS		"/sys/kernel/debug/kfd_xsched/clients"
#define NODE		"/sys/class/kfd_xsched/node%u/%s"
#define QUEUE		"/sys/class/kfd/kfd/proc/%d/queues/%u/xsched/%s"
#define TEXT_BYTES	(1 << 18)

static char text[TEXT_BYTES];
static char accounts[1 << 12];
static long gpu_errors = -1;

/* ---- LIST ---------------------------------------------------------------- */

static void check_listed(const struct kfd_xsched_queue *q, uint64_t before)
{
	const bool held = q->state & KFD_XSCHED_QUEUE_HELD;
	const bool mine = q->state & KFD_XSCHED_QUEUE_MINE;

	if (q->id <= before || held != !!q->holders || (mine && !held))
		torture_violation(TORTURE_LOOKS,
				  "LIST: queue %llu after %llu, state %#x, %u holders",
				  (unsigned long long)q->id, (unsigned long long)before, q->state,
				  q->holders);
	if (!(q->state & (KFD_XSCHED_QUEUE_RESET | KFD_XSCHED_QUEUE_DEMOTED)))
		return;
	torture_worker_lost(q->pid);
	if (torture.harm != TORTURE_WORK_IS_LOST)
		torture_violation(TORTURE_LOOKS, "LIST: queue %llu of process %d, state %#x",
				  (unsigned long long)q->id, q->pid, q->state);
}

int torture_list(int fd)
{
	const int n = xsdev_list(fd, torture.listed, TORTURE_LISTED);
	unsigned int i;

	if (n < 0)
		return n;
	torture.nr_listed = n < TORTURE_LISTED ? (unsigned int)n : TORTURE_LISTED;
	for (i = 0; i < torture.nr_listed; i++)
		check_listed(&torture.listed[i], i ? torture.listed[i - 1].id : 0);
	return 0;
}

const struct kfd_xsched_queue *torture_queue_of(pid_t pid)
{
	const unsigned int n = torture.nr_listed;
	const unsigned int first = n ? torture_below(n) : 0;
	unsigned int i;

	for (i = first; i < first + n; i++)
		if (!pid || torture.listed[i % n].pid == pid)
			return &torture.listed[i % n];
	return NULL;
}

/* ---- files --------------------------------------------------------------- */

static int read_global(void)
{
	static const char *const names[] = {
		"statistics/held", "statistics/clients", "statistics/sampled", "statistics/tapped",
		"statistics/nonsense", "statistics/parked", "account_limits", "demoted",
	};
	const char *name = names[torture_below(sizeof(names) / sizeof(names[0]))];

	torture_did("read %s", name);
	return sysfile_read(text, sizeof(text), SYSFILE_GLOBAL "%s", name);
}

static int read_node(void)
{
	static const char *const names[] = {
		"latency/total", "latency/unmap", "breaker", "statistics/flips",
		"statistics/recent_failures", "statistics/queues", "statistics/parks",
		"statistics/returns", "latency/back",
	};
	const char *name = names[torture_below(sizeof(names) / sizeof(names[0]))];
	const uint32_t gpu_id = torture.gpu_ids[torture_below(torture.nodes)];

	torture_did("read %s of node %u", name, gpu_id);
	return sysfile_read(text, sizeof(text), NODE, gpu_id, name);
}

/* Which may be gone. */
static int read_queue(void)
{
	static const char *const names[] = {
		"priority", "class", "state", "holder", "held_us", "preemptions",
	};
	const char *name = names[torture_below(sizeof(names) / sizeof(names[0]))];
	const struct kfd_xsched_queue *q = torture_queue_of(0);
	int ret;

	torture_did("read %s of a queue", name);
	ret = q ? sysfile_read(text, sizeof(text), QUEUE, q->pid, q->queue_id, name) : 0;
	return ret == -ENOENT || ret == -ENODEV ? 0 : ret;
}

static bool ends_with(const char *end)
{
	const size_t size = strlen(text), tail = strlen(end);

	return size >= tail && !strcmp(text + size - tail, end);
}

static int read_state(void)
{
	int ret;

	torture_did("read state");
	ret = sysfile_read(text, sizeof(text), SYSFILE_STATE);
	return ret >= 0 && !ends_with("\nend\n") ? -EPROTO : ret;
}

static int read_debug(const char *path)
{
	torture_did("read %s", path);
	return sysfile_read(text, sizeof(text), "%s", path);
}

void torture_files(void)
{
	const uint32_t kind = torture_below(6);
	int ret;

	if (kind == 0)
		ret = read_state();
	else if (kind == 1)
		ret = read_debug(torture_below(2) ? CLIENTS : SYSFILE_ACCOUNTS);
	else if (kind == 2)
		ret = read_global();
	else if (kind == 3)
		ret = read_node();
	else
		ret = read_queue();
	torture_got(ret);
	if (ret < 0)
		torture_violation(TORTURE_LOOKS, "a file cannot be read: error %d", ret);
}

/* ---- accounts ------------------------------------------------------------ */

void torture_accounts_begin(void)
{
	if (sysfile_read(accounts, sizeof(accounts), SYSFILE_ACCOUNTS) < 0)
		accounts[0] = '\0';
}

static bool accounts_are_as_before(void)
{
	return sysfile_read(text, sizeof(text), SYSFILE_ACCOUNTS) >= 0 && !strcmp(text, accounts);
}

/* A client goes a little after its file: with its last call. */
void torture_accounts_check(void)
{
	const uint64_t until = xsdev_now() + TORTURE_DONE_MS * TORTURE_MS;

	torture_did("accounts become those of nobody");
	while (!accounts_are_as_before() && xsdev_now() < until)
		xsdev_sleep_ms(10);
	if (!accounts_are_as_before())
		torture_violation(TORTURE_ACCOUNTS, "accounts: %.100s", text);
}

/* ---- the GPU ------------------------------------------------------------- */

/* As the runner does after all tests (tests/guest/all): it expects none of us. */
void torture_gpu_check(void)
{
	const long sum = gpustat_errors();

	if (gpu_errors >= 0 && sum != gpu_errors)
		torture_violation(TORTURE_GPU, "the software GPU met %ld errors", sum - gpu_errors);
	gpu_errors = sum;
}

/* ---- nothing is held ----------------------------------------------------- */

/* The first queue that somebody holds, or NULL. */
static const struct kfd_xsched_queue *first_held(void)
{
	unsigned int i;

	for (i = 0; i < torture.nr_listed; i++)
		if (torture.listed[i].holders)
			return &torture.listed[i];
	return NULL;
}

/* What that is in a while, in which it should become 0. */
static long left_of(const char *statistic)
{
	const uint64_t until = xsdev_now() + TORTURE_DONE_MS * TORTURE_MS;
	long left;

	torture_did("no process is %s any more", statistic);
	while ((left = sysfile_number(SYSFILE_GLOBAL "statistics/%s", statistic)) &&
	       xsdev_now() < until)
		xsdev_sleep_ms(10);
	return left;
}

void torture_free_check(void)
{
	const long held = left_of("held"), parked = left_of("parked");
	const int ret = torture_list(torture.root);
	const struct kfd_xsched_queue *q = first_held();

	if (held || parked || ret || q)
		torture_violation(TORTURE_FREE, "%ld are held, %ld parked; LIST: %d, queue %llu is",
				  held, parked, ret, q ? (unsigned long long)q->id : 0);
}

void torture_parks_note(void)
{
	long parks = 0, returns = 0;
	unsigned int i;

	for (i = 0; i < torture.nodes; i++) {
		parks += sysfile_number(NODE, torture.gpu_ids[i], "statistics/parks");
		returns += sysfile_number(NODE, torture.gpu_ids[i], "statistics/returns");
	}
	tap_note("%ld parks, %ld returns", parks, returns);
}
