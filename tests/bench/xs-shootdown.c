// SPDX-License-Identifier: MIT
/*
 * xs-shootdown: what a doorbell tap costs the CPUs on which its process runs. To take doorbells
 * away, the kernel interrupts each of them (a TLB shootdown). A process with one queue and
 * threads that never sleep, on as many CPUs as there are, rings and is tapped again, and the
 * kernel's own counters tell how many CPUs were interrupted; then the same with a subscription
 * that does not want taps.
 *
 * For a guest of many CPUs: run-guest --cpus N shootdowns. Interrupts are counted, not timed.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kfdq.h"
#include "spin.h"
#include "xsarm.h"

#define ACTIVITY	(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |	\
			 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE))
#define SAMPLE_US	1000
#define TIMEOUT_MS	60000
#define UNTAPPED_MS	200
#define MAX_THREADS	1024

/**
 * struct bench - the run
 * @xs: /dev/kfd_xsched
 * @rings: to be made of each kind
 * @dev: GPU
 * @queue: its queue
 * @set: its kernels
 * @done: of the last one
 * @id: the queue, as kfd_xsched calls it
 */
struct bench {
	int xs;
	unsigned int rings;
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	struct spin_set set;
	struct kfdq_signal *done;
	uint64_t id;
};

static const struct spin_shape brief = { .workgroups = 1, .workgroup_size = 32, .workgroup_ns = 1000 };
static pthread_t threads[MAX_THREADS];
static atomic_bool stop;
static atomic_uint running;

static int fail(const char *what, int ret)
{
	printf("# %s: %s\n", what, strerror(-ret));
	return ret;
}

/* Of all CPUs: a line "TLB: COUNT... TLB shootdowns". */
static long shootdowns(void)
{
	FILE *f = fopen("/proc/interrupts", "re");
	char line[8192], *at, *end;
	long sum = -1, n;

	while (f && sum < 0 && fgets(line, sizeof(line), f)) {
		at = strstr(line, "TLB:");
		if (!at)
			continue;
		sum = 0;
		for (at += strlen("TLB:"); (n = strtol(at, &end, 10), end != at); at = end)
			sum += n;
	}
	if (f)
		fclose(f);
	return sum;
}

/* Never sleeps. */
static void *turn(void *cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	atomic_fetch_add(&running, 1);
	while (!stop)
		;
	return NULL;
}

static int start_threads(unsigned int count)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i;

	stop = false;
	running = 1;
	/* This thread is one of them. */
	for (i = 1; i < count; i++) {
		const size_t cpu = i % (size_t)cpus;
		const int err = pthread_create(&threads[i], NULL, turn, (void *)cpu);

		if (err)
			return -err;
	}
	/* Where it runs, and not before, its CPU has the address space. */
	for (i = 0; running < count && i < TIMEOUT_MS; i++)
		xsdev_sleep_ms(1);
	return running < count ? -ETIME : 0;
}

static void stop_threads(unsigned int count)
{
	unsigned int i;

	stop = true;
	for (i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
}

static int ring(struct bench *b)
{
	struct kfdq_dispatch dispatch;
	int ret = spin_next(&b->set, &brief, b->done, &dispatch);

	if (ret)
		return ret;
	kfdq_signal_arm(b->done, 1);
	ret = kfdq_queue_submit(b->queue, &dispatch, 1);
	return ret ? ret : kfdq_signal_wait(b->dev, b->done, TIMEOUT_MS);
}

static int wait_still(const struct bench *b, bool tapped)
{
	if (tapped)
		return xsarm_wait_tapped(b->xs, b->id, true, TIMEOUT_MS);
	xsdev_sleep_ms(UNTAPPED_MS);
	return 0;
}

/* Until that ring was seen, the queue is still tapped for the one before. */
static int ring_and_wait(struct bench *b, bool tapped)
{
	struct kfd_xsched_event e;
	int ret = ring(b);

	if (!ret && tapped)
		ret = xsdev_wait_event(b->xs, KFD_XSCHED_EVENT_READY, getpid(), TIMEOUT_MS, &e);
	return ret ? ret : wait_still(b, tapped);
}

/* Shootdowns while it rings and is still again: so many, or -errno. */
static long count(struct bench *b, bool tapped)
{
	struct kfd_xsched_subscribe subscribe = {
		.size = sizeof(subscribe),
		.events = ACTIVITY,
		.sample_us = SAMPLE_US,
		.flags = tapped ? 0 : KFD_XSCHED_SUBSCRIBE_NO_TAP,
	};
	long before;
	unsigned int i;
	int ret = xsdev_ioctl(b->xs, KFD_XSCHED_SUBSCRIBE, &subscribe);

	if (!ret)
		ret = wait_still(b, tapped);
	before = shootdowns();
	for (i = 0; i < b->rings && !ret; i++) {
		xsarm_drain(b->xs);
		ret = ring_and_wait(b, tapped);
	}
	return ret ? fail(tapped ? "tapped" : "not tapped", ret) : shootdowns() - before;
}

static int measure(struct bench *b, FILE *out, unsigned int nr_threads)
{
	long with, without;
	int ret;

	printf("# %u threads\n", nr_threads);
	fflush(stdout);
	ret = start_threads(nr_threads);
	if (ret)
		return fail("threads", ret);
	without = count(b, false);
	with = without < 0 ? without : count(b, true);
	stop_threads(nr_threads);
	if (with < 0)
		return (int)with;
	fprintf(out, "{\"threads\":%u,\"cpus\":%ld,\"rings\":%u,\"tapped\":%ld,\"untapped\":%ld}",
		nr_threads, sysconf(_SC_NPROCESSORS_ONLN), b->rings, with, without);
	return 0;
}

static int open_all(struct bench *b, unsigned int samples)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	struct kfd_xsched_queue queue;
	int ret = kfdq_open(&b->dev);

	b->xs = xsdev_open();
	if (b->xs < 0)
		return b->xs;
	if (!ret)
		ret = kfdq_queue_create(b->dev, &options, &b->queue);
	if (!ret)
		ret = kfdq_signal_create(b->dev, &b->done);
	if (!ret)
		ret = spin_set_init(&b->set, b->dev, samples, 1);
	if (!ret)
		ret = xsdev_find_first(b->xs, getpid(), &queue);
	b->id = ret ? 0 : queue.id;
	return ret;
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	FILE *out;
	int i, ret;

	if (argc < 4) {
		fputs("usage: xs-shootdown OUT.json RINGS THREADS...\n", stderr);
		return 2;
	}
	b.rings = (unsigned int)atoi(argv[2]);
	out = fopen(argv[1], "we");
	ret = out ? open_all(&b, 2 * b.rings * (unsigned int)(argc - 3)) : -errno;
	if (ret)
		return fail("start", ret) != 0;
	fputs("[", out);
	for (i = 3; i < argc && !ret; i++) {
		const unsigned int nr_threads = (unsigned int)atoi(argv[i]);

		fputs(i > 3 ? ",\n" : "", out);
		ret = nr_threads && nr_threads <= MAX_THREADS ? measure(&b, out, nr_threads) :
			fail("threads", -EINVAL);
	}
	fputs("]\n", out);
	if (fclose(out))
		ret = -errno;
	return ret != 0;
}
