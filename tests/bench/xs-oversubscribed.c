// SPDX-License-Identifier: MIT
/*
 * xs-oversubscribed: what processes cost another one that are there and have no work.
 * Each process owns a queue. One of them, hi, runs kernels; the others, the fleet, are
 * idle: all of them are in the runlist, or most of them are held. A GPU with more
 * processes in its runlist than VMIDs is over-subscribed: its firmware takes turns.
 *
 * To be run under icount. Two things are measured in each row, nanoseconds:
 *
 * - samples: from just before hi submits a short kernel until hi knows that it is over;
 * - idle: hi's queue is held in the middle of a kernel, so that its waves are saved, and
 *   released; from the end of that kernel until the event IDLE. null: none came in time.
 *
 * "rotations" are the turns that the firmware took during the samples.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "gpustat.h"
#include "hi.h"
#include "xsarm.h"

#define SHORT_NS	200000ULL
#define LONG_NS		5000000ULL
#define APART_MS	1	/* of two samples: a series is longer than a turn of 10 ms */
#define SETTLED_MS	20	/* after a change: nobody is at work on it any more */
#define HELD_MS		1
#define IDLES		10	/* of a row */
#define SAMPLE_US	100	/* as two-models configures xschedd */
#define SETTLE_US	500
#define IDLE_NS		10000000000ULL
#define SIGN_MS		100	/* a client that waits gives a sign of life this often */
#define TIMEOUT_MS	20000
#define MAX_PROCESSES	100
#define COUNTS		(sizeof(counts) / sizeof(counts[0]))

/**
 * struct count - of processes
 * @processes: how many, hi included
 * @held: of these, in the second row
 */
struct count {
	unsigned int processes;
	unsigned int held;
};

static const struct count counts[] = { { 5, 4 }, { 14, 9 }, { 40, 35 }, { MAX_PROCESSES, 95 } };

/**
 * struct bench - the run
 * @xs: /dev/kfd_xsched
 * @out: result
 * @samples: of each row
 * @sock: to hi
 * @hi: its pid
 * @queue: its queue, as kfd_xsched calls it
 * @fleet: the others
 */
struct bench {
	int xs;
	FILE *out;
	unsigned int samples;
	int sock;
	pid_t hi;
	uint64_t queue;
	struct fleet fleet;
};

static int fail(const char *what, int ret)
{
	printf("# %s: %s\n", what, strerror(-ret));
	return ret;
}

/* ---- the one that measures ----------------------------------------------- */

static int tell(const struct bench *b, uint64_t ns)
{
	return hi_tell(b->sock, ns);
}

static int hear(const struct bench *b, struct hi_answer *a)
{
	return hi_hear(b->sock, a);
}

static int start_hi(struct bench *b)
{
	const unsigned int kernels = 2 * COUNTS * (b->samples + 1 + IDLES);
	struct kfd_xsched_queue queue;

	b->hi = hi_start(kernels, &b->sock);
	if (b->hi < 0)
		return b->hi;
	if (xsdev_list(b->xs, &queue, 1) != 1 || queue.pid != b->hi)
		return -ENOENT;
	b->queue = queue.id;
	return 0;
}

/* SUSPEND or RESUME so many processes of the fleet, in one call. */
static int switch_fleet(const struct bench *b, uint32_t op, unsigned int processes)
{
	struct kfd_xsched_entry entries[MAX_PROCESSES];

	fleet_entries(&b->fleet, processes, op, entries);
	return xsdev_apply(b->xs, entries, processes, NULL);
}

/* Just so many queues are held, and all others are in the runlist; else -EBUSY. */
static int check_queues(const struct bench *b, unsigned int processes, unsigned int held)
{
	struct kfd_xsched_queue queues[MAX_PROCESSES];
	int n = xsdev_list(b->xs, queues, MAX_PROCESSES), i;
	unsigned int off = 0, on = 0;

	if (n != (int)processes)
		return n < 0 ? n : -EBUSY;
	for (i = 0; i < n; i++) {
		off += !!(queues[i].state & KFD_XSCHED_QUEUE_MINE);
		on += !!(queues[i].state & KFD_XSCHED_QUEUE_ACTIVE);
	}
	return off == held && on == processes - held ? 0 : -EBUSY;
}

/* ---- how long a short kernel takes --------------------------------------- */

/* All but the first, which finds caches cold. */
static int samples(const struct bench *b)
{
	struct hi_answer a;
	unsigned int i;
	int ret;

	for (i = 0; i <= b->samples; i++) {
		xsdev_sleep_ms(APART_MS);
		ret = tell(b, SHORT_NS);
		if (!ret)
			ret = hear(b, &a);
		if (ret)
			return ret;
		if (i)
			fprintf(b->out, "%s%llu", i == 1 ? "" : ",",
				(unsigned long long)(a.end - a.begin));
	}
	return 0;
}

static int series(const struct bench *b)
{
	const long before = gpustat("slices");
	int ret;

	fprintf(b->out, ",\"samples\":[");
	ret = samples(b);
	fprintf(b->out, "],\"rotations\":%ld", gpustat("slices") - before);
	return ret ? fail("sample", ret) : 0;
}

/* ---- how long until a queue that was stopped is IDLE --------------------- */

/* Nobody else has work: a wave is hi's. */
static int wait_wave(void)
{
	int tries;

	for (tries = 0; gpustat("resident_waves") <= 0; tries++) {
		if (tries == TIMEOUT_MS)
			return -EBUSY;
		xsdev_sleep_ms(1);
	}
	return 0;
}

/* Hold hi's queue when its kernel runs, for a moment. -EBUSY: no wave had to be saved. */
static int stop(const struct bench *b)
{
	const long before = gpustat("saves");
	int ret, resumed;

	ret = tell(b, LONG_NS);
	if (!ret)
		ret = wait_wave();
	if (!ret)
		ret = xsdev_queue_op(b->xs, KFD_XSCHED_OP_SUSPEND, b->queue, 0, NULL);
	if (ret)
		return ret;
	xsdev_sleep_ms(HELD_MS);
	if (gpustat("saves") == before || gpustat("resident_waves"))
		ret = -EBUSY;
	resumed = xsdev_queue_op(b->xs, KFD_XSCHED_OP_RESUME, b->queue, 0, NULL);
	return ret ? ret : resumed;
}

/*
 * From the end of that kernel until IDLE; 0: none came in time. -EPROTO: it came while
 * the kernel ran, or waited to. One from before the kernel means nothing.
 */
static int wait_idle(const struct bench *b, const struct hi_answer *kernel, uint64_t *ns)
{
	struct kfd_xsched_event e;
	int ret;

	*ns = 0;
	do {
		ret = xsdev_wait_event(b->xs, KFD_XSCHED_EVENT_IDLE, b->hi, SIGN_MS, &e);
		if (ret && ret != -ETIME)
			return ret;
		if (ret || e.time_ns < kernel->begin)
			continue;
		if (e.time_ns <= kernel->end)
			return -EPROTO;
		*ns = e.time_ns - kernel->end;
		return 0;
	} while (xsdev_now() < kernel->end + IDLE_NS);
	return 0;
}

static int become_idle(const struct bench *b, uint64_t *ns)
{
	struct hi_answer kernel;
	int ret = stop(b);

	if (!ret)
		ret = hear(b, &kernel);
	if (ret)
		return fail("stop", ret);
	ret = wait_idle(b, &kernel, ns);
	return ret ? fail(ret == -EPROTO ? "IDLE while its kernel ran" : "IDLE", ret) : 0;
}

/* Until one does not come: that is the row's result, and all others would be waited for, too. */
static int idles(const struct bench *b)
{
	uint64_t ns = 1;
	int ret = 0, i;

	for (i = 0; i < IDLES && ns && !ret; i++) {
		ret = become_idle(b, &ns);
		fputs(i ? "," : "", b->out);
		if (!ret && ns)
			fprintf(b->out, "%llu", (unsigned long long)ns);
		else
			fputs("null", b->out);
	}
	if (!ret && !ns)
		fail("IDLE did not come", -ETIME);
	return ret;
}

static int watched(const struct bench *b)
{
	int ret = xsdev_subscribe(b->xs, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE), SAMPLE_US,
				  SETTLE_US);

	if (ret)
		return fail("subscribe", ret);
	xsdev_sleep_ms(SETTLED_MS);
	xsarm_drain(b->xs);
	fprintf(b->out, ",\"idle\":[");
	ret = idles(b);
	fprintf(b->out, "]");
	xsdev_subscribe(b->xs, 0, 0, 0);
	xsarm_drain(b->xs);
	return ret;
}

/* ---- rows ---------------------------------------------------------------- */

static int row(const struct bench *b, unsigned int processes, unsigned int held)
{
	int ret;

	printf("# %u processes, %u of them held\n", processes, held);
	fflush(stdout);
	xsdev_sleep_ms(SETTLED_MS);
	fprintf(b->out, "{\"processes\":%u,\"held\":%u", processes, held);
	ret = series(b);
	if (!ret)
		ret = watched(b);
	fprintf(b->out, "}");
	if (ret)
		return ret;
	ret = check_queues(b, processes, held);
	return ret ? fail("queues", ret) : 0;
}

/* A row with none held, and one with most of them. */
static int measure(struct bench *b, const struct count *c)
{
	int ret;

	printf("# %u processes: starting\n", c->processes);
	fflush(stdout);
	ret = fleet_start(&b->fleet, c->processes - 1, c->processes - 1, false);
	if (ret)
		return fail("fleet", ret);
	ret = row(b, c->processes, 0);
	if (ret)
		return ret;
	ret = switch_fleet(b, KFD_XSCHED_OP_SUSPEND, c->held);
	if (ret)
		return fail("SUSPEND", ret);
	fputs(",\n", b->out);
	ret = row(b, c->processes, c->held);
	if (ret)
		return ret;
	ret = switch_fleet(b, KFD_XSCHED_OP_RESUME, c->held);
	if (ret)
		return fail("RESUME", ret);
	fleet_stop(&b->fleet);
	ret = xsdev_wait_queues(b->xs, 1, TIMEOUT_MS);
	return ret ? fail("queues stay", ret) : 0;
}

static int open_all(struct bench *b, const char *path)
{
	b->xs = xsdev_open();
	b->out = fopen(path, "we");
	if (b->xs < 0 || !b->out)
		return b->xs < 0 ? b->xs : -errno;
	if (!xsdev_can(b->xs, KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_WAVES))
		return -EOPNOTSUPP;
	return start_hi(b);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	size_t i;
	int ret;

	if (argc != 3 || atoi(argv[2]) <= 0) {
		fputs("usage: xs-oversubscribed OUT.json SAMPLES\n", stderr);
		return 2;
	}
	b.samples = (unsigned int)atoi(argv[2]);
	ret = open_all(&b, argv[1]);
	if (ret)
		return fail("start", ret) != 0;
	fprintf(b.out, "[");
	for (i = 0; i < COUNTS && !ret; i++) {
		fputs(i ? ",\n" : "", b.out);
		ret = measure(&b, &counts[i]);
	}
	fprintf(b.out, "]\n");
	if (fclose(b.out))
		ret = -errno;
	return ret != 0;
}
