// SPDX-License-Identifier: MIT
/*
 * xs-react: how long after a process rings the GPU is there for it. One process
 * is idle; others, the fleet, fill the GPU. The one rings a doorbell, and the
 * others' queues have to go, by a switch that is armed in the kernel, or because
 * xschedd, which must run already, ranks that one higher (by its name, react-hi).
 *
 * To be run under icount. A sample is [edge to quiet, of that the GPU's, of that
 * the save], nanoseconds: from just before the process writes its packet and
 * rings, to the end of the preemption as the software GPU has it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"
#include "fleet.h"
#include "gpuclock.h"
#include "gpustat.h"
#include "kfdq.h"
#include "spin.h"
#include "xsarm.h"

#define HIGH_NAME	"react-hi"
#define HIGH_NS		20000000ULL	/* its kernel is not over before all is measured */
#define MEASURED_MS	15
#define MAX_KERNELS	2
#define WAVE		32		/* lanes: one wave on any GPU */
#define SAMPLE_US	100		/* as two-models configures xschedd */
#define SETTLE_US	500
#define TIMEOUT_MS	5000
#define MAX_PROCESSES	64

/**
 * struct set - queues to take off
 * @queues: how many
 * @processes: number of processes with these
 */
struct set {
	unsigned int queues;
	unsigned int processes;
};

static const struct set sets[] = { { 1, 1 }, { 10, 1 }, { 10, 10 }, { 64, 16 } };

/**
 * struct sample - of one edge, nanoseconds
 * @ret: 0 or -errno
 * @quiet: from the edge until the queues were off the GPU
 * @gpu: of that, the GPU's time
 * @save: of that, what the model took to save
 */
struct sample {
	int ret;
	uint64_t quiet;
	uint64_t gpu;
	uint64_t save;
};

/**
 * struct bench - the run
 * @xs: /dev/kfd_xsched
 * @out: result
 * @armed: the kernel switches by itself, else xschedd
 * @samples: to be taken of each set
 * @sock: the process that rings
 * @high: its pid
 * @queue: its queue, as kfd_xsched calls it
 * @fleet: the others
 */
struct bench {
	int xs;
	FILE *out;
	bool armed;
	unsigned int samples;
	int sock;
	pid_t high;
	uint64_t queue;
	struct fleet fleet;
};

static int fail(const char *what, int ret)
{
	printf("# %s: %s\n", what, strerror(-ret));
	return ret;
}

/* ---- the process that rings ---------------------------------------------- */

/**
 * struct ringer - what it has
 * @dev: GPU
 * @queue: its queue
 * @set: its kernels
 * @done: of the last one
 * @count: kernels at a time
 */
struct ringer {
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	struct spin_set set;
	struct kfdq_signal *done;
	uint32_t count;
};

static struct sample ring(struct ringer *r)
{
	const struct spin_shape shape = {
		.workgroups = 1, .workgroup_size = WAVE, .workgroup_ns = HIGH_NS,
	};
	struct gpuclock before, after;
	struct kfdq_dispatch batch[MAX_KERNELS];
	struct sample s = { 0 };
	uint64_t edge;
	uint32_t i;

	for (i = 0; i < r->count && !s.ret; i++)
		s.ret = spin_next(&r->set, &shape, i + 1 < r->count ? NULL : r->done, &batch[i]);
	if (s.ret)
		return s;
	kfdq_signal_arm(r->done, 1);
	gpuclock_read(&before);
	edge = xsdev_now();
	s.ret = kfdq_queue_submit(r->queue, batch, r->count);
	if (s.ret)
		return s;
	xsdev_sleep_ms(MEASURED_MS);
	gpuclock_read(&after);
	if (after.saves == before.saves || after.quiet < edge || gpustat("resident_waves") > 1)
		s.ret = -EBUSY;
	s.quiet = after.quiet - edge;
	s.gpu = after.quiet_gpu - before.gpu;
	s.save = after.save - before.save;
	return s;
}

/*
 * Where waves cannot be counted, a queue has work only while a packet waits: so
 * there is one more.
 */
static int prepare(struct ringer *r, int xs, unsigned int samples)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	int ret = kfdq_open(&r->dev);

	if (!ret)
		ret = kfdq_queue_create(r->dev, &options, &r->queue);
	if (!ret)
		ret = kfdq_signal_create(r->dev, &r->done);
	r->count = xsdev_can(xs, KFD_XSCHED_CAP_WAVES) ? 1 : MAX_KERNELS;
	return ret ? ret : spin_set_init(&r->set, r->dev, samples * r->count, r->count);
}

/* Rings on each command. Does not return. */
static void ringer_main(int sock, int xs, unsigned int samples)
{
	struct ringer r = { 0 };
	struct sample s = { 0 };
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, HIGH_NAME);
	s.ret = prepare(&r, xs, samples);
	while (send(sock, &s, sizeof(s), MSG_NOSIGNAL) == sizeof(s) && !s.ret &&
	       recv(sock, &c, 1, 0) == 1) {
		s = ring(&r);
		if (!s.ret)
			s.ret = kfdq_signal_wait(r.dev, r.done, TIMEOUT_MS);
	}
	_exit(s.ret != 0);
}

/* ---- the one that measures ----------------------------------------------- */

static int answer(const struct bench *b, struct sample *s)
{
	if (recv(b->sock, s, sizeof(*s), 0) != sizeof(*s))
		return -EPIPE;
	return s->ret;
}

static int start_ringer(struct bench *b, unsigned int samples)
{
	struct kfd_xsched_queue queue;
	struct sample s;
	int ret;

	b->high = child_fork(&b->sock);
	if (b->high < 0)
		return b->high;
	if (!b->high)
		ringer_main(b->sock, b->xs, samples);
	ret = answer(b, &s);
	if (ret)
		return ret;
	if (xsdev_list(b->xs, &queue, 1) != 1 || queue.pid != b->high)
		return -ENOENT;
	b->queue = queue.id;
	return 0;
}

/* Arm: when that one rings, hold the fleet. */
static int arm(const struct bench *b)
{
	struct kfd_xsched_entry entries[MAX_PROCESSES];

	fleet_entries(&b->fleet, b->fleet.count, KFD_XSCHED_OP_SUSPEND, entries);
	return xsarm_set(b->xs, KFD_XSCHED_TARGET_PROCESS, (uint64_t)b->high, entries,
			 b->fleet.count);
}

static int take(const struct bench *b, struct sample *s)
{
	int ret = fleet_settle(&b->fleet, true);

	if (!ret)
		ret = xsarm_wait_tapped(b->xs, b->queue, true, TIMEOUT_MS);
	if (ret)
		return ret;
	xsarm_drain(b->xs);
	if (send(b->sock, "r", 1, MSG_NOSIGNAL) != 1)
		return -EPIPE;
	return answer(b, s);
}

/* All but the first, which finds caches cold. */
static int series(const struct bench *b)
{
	struct sample s;
	unsigned int i;
	int ret;

	for (i = 0; i <= b->samples; i++) {
		ret = take(b, &s);
		if (ret)
			return fail("sample", ret);
		if (!i)
			continue;
		fprintf(b->out, "%s[%llu,%llu,%llu]", i == 1 ? "" : ",",
			(unsigned long long)s.quiet, (unsigned long long)s.gpu,
			(unsigned long long)s.save);
	}
	return 0;
}

/* amdkfd removes the queues of a process that ended a little later. */
static int wait_gone(const struct bench *b)
{
	int tries;

	for (tries = 0; xsdev_list(b->xs, NULL, 0) > 1; tries++) {
		if (tries == TIMEOUT_MS)
			return fail("queues stay", -ETIME);
		xsdev_sleep_ms(1);
	}
	return 0;
}

static int measure(struct bench *b, const struct set *set)
{
	int armed = 0, ret;

	printf("# %u queues in %u processes\n", set->queues, set->processes);
	fflush(stdout);
	ret = fleet_start(&b->fleet, set->processes, set->queues, true);
	if (ret)
		return fail("fleet", ret);
	fprintf(b->out, "{\"path\":\"%s\",\"queues\":%u,\"processes\":%u,\"samples\":[",
		b->armed ? "armed" : "daemon", set->queues, set->processes);
	if (b->armed)
		armed = arm(b);
	ret = armed < 0 ? fail("arm", armed) : series(b);
	fprintf(b->out, "]}");
	if (armed > 0)
		xsarm_clear(b->xs, (uint64_t)armed);
	fleet_stop(&b->fleet);
	return ret ? ret : wait_gone(b);
}

static int open_all(struct bench *b, const char *path)
{
	const size_t count = sizeof(sets) / sizeof(sets[0]);
	int ret = gpuclock_open();

	b->xs = xsdev_open();
	b->out = fopen(path, "we");
	if (ret || b->xs < 0 || !b->out)
		return ret ? ret : b->xs < 0 ? b->xs : -errno;
	if (b->armed)
		ret = xsdev_subscribe(b->xs, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED) |
				      KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY),
				      SAMPLE_US, SETTLE_US);
	return ret ? ret : start_ringer(b, (unsigned int)count * (b->samples + 1));
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	size_t i;
	int ret;

	if (argc != 4 || (strcmp(argv[2], "armed") && strcmp(argv[2], "daemon"))) {
		fputs("usage: xs-react OUT.json armed|daemon SAMPLES\n", stderr);
		return 2;
	}
	b.armed = !strcmp(argv[2], "armed");
	b.samples = (unsigned int)atoi(argv[3]);
	ret = open_all(&b, argv[1]);
	if (ret)
		return fail("start", ret) != 0;
	fprintf(b.out, "[");
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]) && !ret; i++) {
		fputs(i ? ",\n" : "", b.out);
		ret = measure(&b, &sets[i]);
	}
	fprintf(b.out, "]\n");
	if (fclose(b.out))
		ret = -errno;
	return ret != 0;
}
