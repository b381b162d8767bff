// SPDX-License-Identifier: MIT
/*
 * Several nodes, GPUs or partitions of one: a switch concerns the nodes it
 * names and no other, one call switches all of them, and a process that works
 * on all of them is stopped and released on all of them, also if it comes to one
 * of them as a long call goes on.
 *
 *   test-nodes [NODES]	how many there must be
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define MAX_NODES	8
#define QUEUES		2
#define STILL_MS	100	/* how long we watch a held process do nothing */
#define ROUNDS		12	/* of a queue that comes during a call */
#define DONE_MS		10000

static const struct spin_shape shape = { 64, 256, MS };
static struct kfd_xsched_node nodes[MAX_NODES];
static struct worker workers[MAX_NODES];
static unsigned int count;
static int fd;

static void get_nodes(void)
{
	const int ret = xsdev_nodes(fd, nodes, MAX_NODES);

	tap_ok(ret >= 0, "the nodes are reported");
	count = ret < 0 ? 0 : (unsigned int)ret;
}

static bool distinct(void)
{
	unsigned int i, j;

	for (i = 0; i < count; i++)
		for (j = 0; j < i; j++)
			if (nodes[i].gpu_id == nodes[j].gpu_id)
				return false;
	return true;
}

static void start_workers(void)
{
	unsigned int i, failed = 0;

	for (i = 0; i < count; i++) {
		failed += worker_start_on(&workers[i], QUEUES, i) != 0;
		failed += worker_load_start(&workers[i], &shape, 0) != 0;
	}
	tap_is(failed, 0, "a process with %u queues works on each of %u nodes", QUEUES, count);
}

/* Nodes the queues of a process are on, as a mask over @nodes. */
static uint32_t nodes_of(pid_t pid)
{
	struct kfd_xsched_queue queues[64];
	int n = xsdev_list(fd, queues, 64), i;
	uint32_t mask = 0;
	unsigned int k;

	for (i = 0; i < n && i < 64; i++)
		for (k = 0; k < count; k++)
			if (queues[i].pid == pid && queues[i].gpu_id == nodes[k].gpu_id)
				mask |= 1U << k;
	return mask;
}

static void test_placement(void)
{
	uint32_t seen = 0, mask;
	unsigned int i, single = 0;

	for (i = 0; i < count; i++) {
		mask = nodes_of(workers[i].pid);
		single += mask && !(mask & (mask - 1));
		seen |= mask;
	}
	tap_is(single, count, "each process has its queues on one node");
	tap_is(seen, (1L << count) - 1, "and each node has a process");
}

static void test_alone(unsigned int held)
{
	struct kfd_xsched_node_result r;
	unsigned int i, moving = 0;
	int ret;

	ret = xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, workers[held].pid, 0, &r);
	tap_is(ret, 0, "node %u: its process is suspended", held);
	tap_is(r.flips, QUEUES, "node %u: both queues went off it", held);
	for (i = 0; i < count; i++)
		moving += i != held && worker_load_goes_on(&workers[i]);
	tap_is(moving, count - 1, "node %u: the other nodes work on", held);
	tap_ok(worker_load_still(&workers[held], STILL_MS), "node %u: it does not", held);
	ret = xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, workers[held].pid, 0, NULL);
	tap_is(ret, 0, "node %u: its process is resumed", held);
	tap_ok(worker_load_goes_on(&workers[held]), "node %u: and works again", held);
}

/* One call for all nodes. */
static int apply_all(uint32_t op, struct kfd_xsched_node_result *results, uint32_t *n)
{
	struct kfd_xsched_entry entries[MAX_NODES];
	struct kfd_xsched_apply apply = {
		.size = sizeof(apply),
		.count = count,
		.stride = sizeof(entries[0]),
		.entries = (uintptr_t)entries,
		.node_capacity = MAX_NODES,
		.node_stride = sizeof(*results),
		.nodes = (uintptr_t)results,
	};
	unsigned int i;
	int ret;

	memset(entries, 0, sizeof(entries));
	for (i = 0; i < count; i++) {
		entries[i].op = op;
		entries[i].target = KFD_XSCHED_TARGET_PROCESS;
		entries[i].id = workers[i].pid;
	}
	ret = xsdev_ioctl(fd, KFD_XSCHED_APPLY, &apply);
	*n = apply.node_count;
	return ret;
}

static void test_together(void)
{
	struct kfd_xsched_node_result r[MAX_NODES];
	unsigned int i, resting = 0, moving = 0, good = 0;
	uint32_t n;

	tap_is(apply_all(KFD_XSCHED_OP_SUSPEND, r, &n), 0, "all are suspended by one call");
	tap_is(n, count, "which concerned every node");
	for (i = 0; i < n && i < count; i++)
		good += !r[i].status && r[i].flips == QUEUES &&
			(nodes[0].backend != KFD_XSCHED_BACKEND_HWS || r[i].fw_transactions == 1);
	tap_is(good, count, "and sent one transaction to each");
	for (i = 0; i < count; i++)
		resting += worker_load_still(&workers[i], STILL_MS);
	tap_is(resting, count, "nothing moves");
	tap_is(apply_all(KFD_XSCHED_OP_RESUME, r, &n), 0, "all are resumed");
	for (i = 0; i < count; i++)
		moving += worker_load_goes_on(&workers[i]);
	tap_is(moving, count, "and everything moves");
}

/* An application that uses all GPUs: its queues are one thing to hold. */
static void test_wide(void)
{
	struct worker wide;

	if (worker_start_on(&wide, count, WORKER_ALL_GPUS))
		tap_bail("no process on all nodes");
	tap_is(nodes_of(wide.pid), (1L << count) - 1, "one process has a queue on every node");
	worker_load_start(&wide, &shape, 0);
	tap_ok(worker_load_goes_on(&wide), "it works");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, wide.pid, 0, NULL), 0, "it is suspended");
	tap_ok(worker_load_still(&wide, STILL_MS), "and rests on all of them");
	tap_ok(worker_load_goes_on(&workers[0]), "unlike the others");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, wide.pid, 0, NULL), 0, "it is resumed");
	tap_ok(worker_load_goes_on(&wide), "and works");
	tap_is(worker_load_stop(&wide), 0, "all it submitted completed");
	worker_stop(&wide);
}

/* ---- a process comes to a node as a call goes on --------------------------------- */

/**
 * struct newcomer - the second queue of a process, on its second node
 * @w: the process
 * @after_us: when it is created
 * @number: of the queue, or -errno
 * @came_ns: when it was there
 */
struct newcomer {
	struct worker w;
	unsigned int after_us;
	int number;
	uint64_t came_ns;
};

static void *come(void *arg)
{
	struct newcomer *n = arg;

	usleep(n->after_us);
	n->number = worker_add_queue(&n->w);
	n->came_ns = xsdev_now();
	return NULL;
}

/* As long a call as there may be: it names the process first, and then another one. */
static int hold_for_long(int client, pid_t pid, uint64_t *took_ns)
{
	static struct kfd_xsched_entry entries[KFD_XSCHED_MAX_ENTRIES];
	const uint64_t begin = xsdev_now();
	unsigned int i;
	int ret;

	for (i = 0; i < KFD_XSCHED_MAX_ENTRIES; i++)
		entries[i] = (struct kfd_xsched_entry){
			.op = KFD_XSCHED_OP_SUSPEND,
			.target = KFD_XSCHED_TARGET_PROCESS,
			.id = (uint64_t)(i ? workers[0].pid : pid),
		};
	ret = xsdev_apply(client, entries, KFD_XSCHED_MAX_ENTRIES, NULL);
	*took_ns = xsdev_now() - begin;
	return ret;
}

/* Before who makes the call, who never sleeps. */
static void start_newcomer(struct newcomer *n, pthread_t *thread)
{
	const struct sched_param first = { .sched_priority = 1 };
	pthread_attr_t attr;

	if (worker_start_on(&n->w, 1, WORKER_ALL_GPUS) ||
	    sched_setscheduler(n->w.pid, SCHED_FIFO, &first))
		tap_bail("no process on one of several nodes");
	/* Real-time from its first instruction: made so later, it may have ended by then. */
	if (pthread_attr_init(&attr) ||
	    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) ||
	    pthread_attr_setschedpolicy(&attr, SCHED_FIFO) ||
	    pthread_attr_setschedparam(&attr, &first) ||
	    pthread_create(thread, &attr, come, n))
		tap_bail("no thread");
	pthread_attr_destroy(&attr);
}

/* Whether what it comes with rests until it is released. @meanwhile: it came during the call */
static bool comes_held(unsigned int after_us, uint64_t *took_ns, bool *meanwhile)
{
	struct newcomer n = { .after_us = after_us };
	const int client = xsdev_open();
	uint64_t returned;
	pthread_t thread;
	bool rests;
	int ret;

	start_newcomer(&n, &thread);
	ret = hold_for_long(client, n.w.pid, took_ns);
	returned = xsdev_now();
	pthread_join(thread, NULL);
	*meanwhile = n.came_ns < returned;
	if (ret || n.number != 1 || worker_submit(&n.w, 1, &shape, 1))
		tap_bail("after %u us: the call %d, the queue %d", after_us, ret, n.number);
	rests = worker_wait(&n.w, 1, STILL_MS) == -ETIME;
	close(client);
	if (worker_wait(&n.w, 1, DONE_MS) || worker_stop(&n.w))
		tap_bail("after %u us: it is not released", after_us);
	return rests;
}

static void test_comes_meanwhile(void)
{
	unsigned int i, held = 0, during = 0;
	uint64_t took_ns = 0;
	bool meanwhile;

	for (i = 0; i < ROUNDS; i++) {
		held += comes_held((unsigned int)(took_ns / 1000 * i / ROUNDS), &took_ns,
				   &meanwhile);
		during += meanwhile;
	}
	tap_note("the last call took %llu us", (unsigned long long)took_ns / 1000);
	tap_ok(during > ROUNDS / 4, "a process comes to a node as a call goes on, %u of %u times",
	       during, ROUNDS);
	tap_is(held, ROUNDS, "and is held there once that has returned");
}

static void stop_workers(void)
{
	struct spin_account a;
	unsigned int i, clean = 0;

	for (i = 0; i < count; i++) {
		if (worker_load_stop(&workers[i]))
			continue;
		worker_account(&workers[i], &a);
		clean += spin_account_clean(&a) && a.executed > 0;
		worker_stop(&workers[i]);
	}
	tap_is(clean, count, "on each node every dispatch executed once and in order");
}

int main(int argc, char **argv)
{
	unsigned int i;

	fd = must_open();
	get_nodes();
	if (argc > 1)
		tap_is(count, strtol(argv[1], NULL, 0), "so many nodes");
	if (count < 2 || count > MAX_NODES) {
		tap_note("%u nodes: nothing to show", count);
		return tap_done();
	}
	tap_ok(distinct(), "each has an id of its own");
	start_workers();
	test_placement();
	for (i = 0; i < count; i++)
		test_alone(i);
	test_together();
	test_wide();
	test_comes_meanwhile();
	stop_workers();
	return tap_done();
}
