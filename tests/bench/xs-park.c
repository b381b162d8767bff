// SPDX-License-Identifier: MIT
/*
 * xs-park: processes without work, in the runlist and parked. Each owns a queue. Two processes
 * more, hi and a neighbour, run short kernels beside them, each while the other has a long one.
 *
 * To be run under icount. In each row:
 *
 * - "hi", "neighbour": from just before it submits a short kernel until it knows that it is over;
 *   neither is to be parked;
 * - "returns": the same of hi, each time after hi itself was parked;
 * - "active" are processes in the runlist; "mapped" are queues on the hardware, without those of
 *   hi and the neighbour; "rotations" are the turns that the firmware took until the returns;
 * - "transactions" are those of kfd_xsched in the whole row, which took "ns".
 *
 * Nanoseconds. What a process without work costs the others is a parameter of the software GPU
 * (idle_process_pm).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "gpustat.h"
#include "hi.h"
#include "sysfile.h"
#include "xsdev.h"

#define SHORT_NS	200000ULL
#define LONG_NS		3000000000ULL	/* longer than a series of samples, or a return */
#define APART_MS	1	/* of two samples: a series is longer than a turn of 10 ms */
#define SETTLED_MS	200	/* after a change: nobody is at work on it any more */
#define IDLE_MS		50
#define LONG_MS		2000	/* longer than any park that would be too short to be worth it */
#define TIMEOUT_MS	60000
#define MAX_QUEUES	66
#define COUNTS		(sizeof(counts) / sizeof(counts[0]))

static const unsigned int counts[] = { 0, 1, 8, 64 };

/**
 * struct runner - a process that runs kernels
 * @pid: its
 * @sock: to it
 */
struct runner {
	pid_t pid;
	int sock;
};

/**
 * struct bench - the run
 * @xs: /dev/kfd_xsched
 * @out: result
 * @samples: of each row
 * @returns: likewise
 * @gpu_id: of the node
 * @hi: a process that runs kernels, which is parked now and then
 * @neighbour: likewise, which is not
 * @fleet: those without work
 */
struct bench {
	int xs;
	FILE *out;
	unsigned int samples;
	unsigned int returns;
	uint32_t gpu_id;
	struct runner hi;
	struct runner neighbour;
	struct fleet fleet;
};

static int fail(const char *what, int ret)
{
	printf("# %s: %s\n", what, strerror(-ret));
	return ret;
}

/* From when on it is parked; 0: never. */
static int say(const struct bench *b, pid_t pid, uint32_t idle_ms)
{
	return xsdev_park(b->xs, KFD_XSCHED_PARK_SET, pid, idle_ms);
}

/* How many queues are in that state, of hi or of all others; or -errno. */
static int count(const struct bench *b, bool of_hi, uint32_t state)
{
	struct kfd_xsched_queue queues[MAX_QUEUES];
	int n = xsdev_list(b->xs, queues, MAX_QUEUES), i, found = 0;

	if (n < 0 || n > MAX_QUEUES)
		return n < 0 ? n : -E2BIG;
	for (i = 0; i < n; i++)
		found += (queues[i].pid == b->hi.pid) == of_hi && queues[i].state & state;
	return found;
}

static int await_parked(const struct bench *b, bool of_hi, int wanted)
{
	int tries;

	for (tries = 0; count(b, of_hi, KFD_XSCHED_QUEUE_PARKED) != wanted; tries++) {
		if (tries == TIMEOUT_MS)
			return -ETIME;
		xsdev_sleep_ms(1);
	}
	return 0;
}

static long transactions(const struct bench *b)
{
	return sysfile_number("/sys/class/kfd_xsched/node%u/statistics/transactions", b->gpu_id);
}

/* ---- what is measured ---------------------------------------------------- */

static int sample(const struct bench *b, const struct runner *r, bool first)
{
	struct hi_answer a;
	int ret = hi_tell(r->sock, SHORT_NS);

	if (!ret)
		ret = hi_hear(r->sock, &a);
	if (!ret)
		fprintf(b->out, "%s%llu", first ? "" : ",", (unsigned long long)(a.end - a.begin));
	return ret;
}

/* A long kernel that was begun before: -ETIME, if it is over already. */
static int end_long(const struct runner *r)
{
	const uint64_t now = xsdev_now();
	struct hi_answer a;
	int ret = hi_hear(r->sock, &a);

	return ret ? ret : a.end < now ? -ETIME : 0;
}

/* Of one of them, while the other has a kernel that does not end meanwhile. */
static int samples(const struct bench *b, const struct runner *r, const struct runner *other,
		   const char *name)
{
	int ret = hi_tell(other->sock, LONG_NS);
	unsigned int i;

	fprintf(b->out, ",\"%s\":[", name);
	for (i = 0; i < b->samples && !ret; i++) {
		xsdev_sleep_ms(APART_MS);
		ret = sample(b, r, !i);
	}
	fprintf(b->out, "]");
	return ret ? ret : end_long(other);
}

static int both(const struct bench *b)
{
	const long before = gpustat("slices");
	int ret = samples(b, &b->hi, &b->neighbour, "hi");

	if (!ret)
		ret = samples(b, &b->neighbour, &b->hi, "neighbour");
	fprintf(b->out, ",\"rotations\":%ld", gpustat("slices") - before);
	return ret;
}

/* The neighbour's kernel is interrupted for that. */
static int return_once(const struct bench *b, bool first)
{
	int ret = hi_tell(b->neighbour.sock, LONG_NS);

	if (!ret)
		ret = await_parked(b, true, 1);
	xsdev_sleep_ms(LONG_MS);
	if (!ret)
		ret = sample(b, &b->hi, first);
	return ret ? ret : end_long(&b->neighbour);
}

/* Each park of hi lasts, so that the next one comes as soon. */
static int returns(const struct bench *b)
{
	unsigned int i;
	int ret = say(b, b->hi.pid, IDLE_MS);

	fprintf(b->out, ",\"returns\":[");
	for (i = 0; i < b->returns && !ret; i++)
		ret = return_once(b, !i);
	fprintf(b->out, "]");
	return ret ? ret : say(b, b->hi.pid, 0);
}

static int row(const struct bench *b, unsigned int idle, bool park)
{
	const uint64_t begin = xsdev_now();
	const long before = transactions(b);
	int ret;

	printf("# %u processes without work, %s\n", idle, park ? "parked" : "resident");
	fflush(stdout);
	xsdev_sleep_ms(SETTLED_MS);
	fprintf(b->out, "{\"idle\":%u,\"parked\":%s,\"active\":%d,\"mapped\":%ld", idle,
		park ? "true" : "false",
		count(b, false, KFD_XSCHED_QUEUE_ACTIVE) + count(b, true, KFD_XSCHED_QUEUE_ACTIVE),
		gpustat("mapped") - 2);
	ret = both(b);
	if (!ret)
		ret = returns(b);
	fprintf(b->out, ",\"transactions\":%ld,\"ns\":%llu}", transactions(b) - before,
		(unsigned long long)(xsdev_now() - begin));
	if (!ret && count(b, false, KFD_XSCHED_QUEUE_PARKED) != (park ? (int)idle : 0))
		ret = -EBUSY;
	return ret ? fail("row", ret) : 0;
}

/* ---- rows ---------------------------------------------------------------- */

static int park_fleet(const struct bench *b)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < b->fleet.count && !ret; i++)
		ret = say(b, b->fleet.members[i].pid, IDLE_MS);
	return ret ? ret : await_parked(b, false, (int)b->fleet.count);
}

static int measure(struct bench *b, unsigned int idle)
{
	int ret = fleet_start(&b->fleet, idle, idle, false);

	if (ret)
		return fail("fleet", ret);
	ret = row(b, idle, false);
	if (!ret && idle) {
		ret = park_fleet(b);
		fputs(",\n", b->out);
		ret = ret ? fail("park", ret) : row(b, idle, true);
	}
	fleet_stop(&b->fleet);
	if (!ret)
		ret = xsdev_wait_queues(b->xs, 2, TIMEOUT_MS);
	return ret ? fail("queues stay", ret) : 0;
}

static int start(const struct bench *b, struct runner *r)
{
	/* One short or long kernel for each sample of either and each return, in each row. */
	r->pid = hi_start(2 * COUNTS * (b->samples + b->returns + 2), &r->sock);
	return r->pid < 0 ? r->pid : say(b, r->pid, 0);
}

static int open_all(struct bench *b, const char *path)
{
	struct kfd_xsched_node node;
	int ret;

	b->xs = xsdev_open();
	b->out = fopen(path, "we");
	if (b->xs < 0 || !b->out)
		return b->xs < 0 ? b->xs : -errno;
	if (!xsdev_can(b->xs, KFD_XSCHED_CAP_PARK))
		return -EOPNOTSUPP;
	ret = xsdev_node(b->xs, &node);
	if (ret)
		return ret;
	b->gpu_id = node.gpu_id;
	ret = start(b, &b->hi);
	return ret ? ret : start(b, &b->neighbour);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	size_t i;
	int ret;

	if (argc != 4 || atoi(argv[2]) <= 0 || atoi(argv[3]) <= 0) {
		fputs("usage: xs-park OUT.json SAMPLES RETURNS\n", stderr);
		return 2;
	}
	b.samples = (unsigned int)atoi(argv[2]);
	b.returns = (unsigned int)atoi(argv[3]);
	ret = open_all(&b, argv[1]);
	if (ret)
		return fail("start", ret) != 0;
	fprintf(b.out, "[");
	for (i = 0; i < COUNTS && !ret; i++) {
		fputs(i ? ",\n" : "", b.out);
		ret = measure(&b, counts[i]);
	}
	fprintf(b.out, "]\n");
	if (fclose(b.out))
		ret = -errno;
	return ret != 0;
}
