// SPDX-License-Identifier: MIT
/*
 * xs-park: processes without work, in the runlist and parked. Each owns a queue. One process
 * more, hi, runs short kernels beside them.
 *
 * To be run under icount. In each row:
 *
 * - samples: from just before hi submits a kernel until hi knows that it is over, while hi is
 *   not to be parked;
 * - returns: the same, each time after hi itself was parked;
 * - "mapped" are queues on the hardware, without hi's; "rotations" are the turns that the
 *   firmware took during the samples.
 *
 * Nanoseconds. What an idle queue costs a real GPU beside that, the software GPU does not model.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "gpustat.h"
#include "hi.h"
#include "xsdev.h"

#define SHORT_NS	200000ULL
#define APART_MS	1	/* of two samples: a series is longer than a turn of 10 ms */
#define SETTLED_MS	200	/* after a change: nobody is at work on it any more */
#define IDLE_MS		50
#define LONG_MS		2000	/* longer than any park that would be too short to be worth it */
#define TIMEOUT_MS	60000
#define MAX_QUEUES	65
#define COUNTS		(sizeof(counts) / sizeof(counts[0]))

static const unsigned int counts[] = { 1, 8, 64 };

/**
 * struct bench - the run
 * @xs: /dev/kfd_xsched
 * @out: result
 * @samples: of each row
 * @returns: likewise
 * @sock: to hi
 * @hi: its pid
 * @fleet: those without work
 */
struct bench {
	int xs;
	FILE *out;
	unsigned int samples;
	unsigned int returns;
	int sock;
	pid_t hi;
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
	struct kfd_xsched_park arg = {
		.size = sizeof(arg),
		.op = KFD_XSCHED_PARK_SET,
		.target = KFD_XSCHED_TARGET_PROCESS,
		.id = (uint64_t)pid,
		.idle_ms = idle_ms,
	};

	return xsdev_ioctl(b->xs, KFD_XSCHED_PARK, &arg);
}

/* How many queues of others than hi are parked, or hi's; or -errno. */
static int parked(const struct bench *b, bool of_hi)
{
	struct kfd_xsched_queue queues[MAX_QUEUES];
	int n = xsdev_list(b->xs, queues, MAX_QUEUES), i, count = 0;

	if (n < 0 || n > MAX_QUEUES)
		return n < 0 ? n : -E2BIG;
	for (i = 0; i < n; i++)
		count += (queues[i].pid == b->hi) == of_hi &&
			 queues[i].state & KFD_XSCHED_QUEUE_PARKED;
	return count;
}

static int await_parked(const struct bench *b, bool of_hi, int count)
{
	int tries;

	for (tries = 0; parked(b, of_hi) != count; tries++) {
		if (tries == TIMEOUT_MS)
			return -ETIME;
		xsdev_sleep_ms(1);
	}
	return 0;
}

/* ---- what is measured ---------------------------------------------------- */

static int sample(const struct bench *b, bool first)
{
	struct hi_answer a;
	int ret = hi_tell(b->sock, SHORT_NS);

	if (!ret)
		ret = hi_hear(b->sock, &a);
	if (!ret)
		fprintf(b->out, "%s%llu", first ? "" : ",", (unsigned long long)(a.end - a.begin));
	return ret;
}

static int samples(const struct bench *b)
{
	const long before = gpustat("slices");
	unsigned int i;
	int ret = 0;

	fprintf(b->out, ",\"samples\":[");
	for (i = 0; i < b->samples && !ret; i++) {
		xsdev_sleep_ms(APART_MS);
		ret = sample(b, !i);
	}
	fprintf(b->out, "],\"rotations\":%ld", gpustat("slices") - before);
	return ret;
}

/* Each park of hi lasts, so that the next one comes as soon. */
static int returns(const struct bench *b)
{
	unsigned int i;
	int ret = say(b, b->hi, IDLE_MS);

	fprintf(b->out, ",\"returns\":[");
	for (i = 0; i < b->returns && !ret; i++) {
		ret = await_parked(b, true, 1);
		xsdev_sleep_ms(LONG_MS);
		if (!ret)
			ret = sample(b, !i);
	}
	fprintf(b->out, "]");
	return ret ? ret : say(b, b->hi, 0);
}

static int row(const struct bench *b, unsigned int idle, bool park)
{
	int ret;

	printf("# %u processes without work, %s\n", idle, park ? "parked" : "resident");
	fflush(stdout);
	xsdev_sleep_ms(SETTLED_MS);
	fprintf(b->out, "{\"idle\":%u,\"parked\":%s,\"mapped\":%ld", idle,
		park ? "true" : "false", gpustat("mapped") - 1);
	ret = samples(b);
	if (!ret)
		ret = returns(b);
	fprintf(b->out, "}");
	if (!ret && parked(b, false) != (park ? (int)idle : 0))
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
	if (ret)
		return ret;
	ret = park_fleet(b);
	if (ret)
		return fail("park", ret);
	fputs(",\n", b->out);
	ret = row(b, idle, true);
	if (ret)
		return ret;
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
	if (!xsdev_can(b->xs, KFD_XSCHED_CAP_PARK))
		return -EOPNOTSUPP;
	b->hi = hi_start(2 * COUNTS * (b->samples + b->returns) + 1, &b->sock);
	return b->hi < 0 ? b->hi : say(b, b->hi, 0);
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
