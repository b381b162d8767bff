// SPDX-License-Identifier: MIT
/*
 * xs-switch: what a switch takes. For sets of queues in several processes, each
 * with a GPU that is full of their waves and with one that is empty: SUSPEND by
 * kfd_xsched, amdkfd's own unmap and map of the same set (kfd_baseline.ko), and
 * the debugger's suspend, one call a process. One more process owns a queue that
 * stays, as the one does for which a scheduler makes room.
 *
 * To be run under icount. Writes what it measured, sample by sample;
 * scripts/bench/switch makes figures of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"
#include "debugtrap.h"
#include "fleet.h"
#include "gpuclock.h"
#include "gpustat.h"
#include "kfdq.h"
#include "xsdev.h"

#define BASELINE	"/sys/kernel/debug/kfd_baseline"
#define GONE_TRIES	1000	/* 10 ms */
#define MAX_PROCESSES	64
#define EMPTY_TRIES	10	/* a tick of the kernel's may fall into one */
#define EMPTY_NS	200

/**
 * struct set - what is switched
 * @queues: how many
 * @processes: they are in
 * @quick: also part of the short run
 */
struct set {
	unsigned int queues;
	unsigned int processes;
	bool quick;
};

/* amdkfd gives a process 127 queues of a GPU, or 255. */
static const struct set sets[] = {
	{ 1, 1, true }, { 10, 1, true }, { 10, 10, true }, { 64, 16, true },
	{ 64, 1, false }, { 64, 10, false }, { 64, 64, false },
	{ 512, 10, false }, { 512, 64, false },
};

/**
 * struct sample - of one switch, nanoseconds
 * @total: as the caller waited
 * @software: of that, instructions that are not the GPU's
 * @transactions: of the firmware
 * @lock: phases of a switch of ours
 * @unmap: likewise
 * @map: likewise
 * @save: what the model took to save
 * @quiet: from the call until the last queue was off the GPU; 0: not known
 */
struct sample {
	uint64_t total;
	uint64_t software;
	uint64_t transactions;
	uint64_t lock;
	uint64_t unmap;
	uint64_t map;
	uint64_t save;
	uint64_t quiet;
};

/**
 * struct bench - the run
 * @xs: /dev/kfd_xsched
 * @out: result
 * @fleet: owners of the set
 * @busy: the GPU is full
 * @mes: so is the firmware called
 */
struct bench {
	int xs;
	FILE *out;
	struct fleet fleet;
	bool busy;
	bool mes;
};

static int fail(const char *what, int ret)
{
	printf("# %s: %s\n", what, strerror(-ret));
	return ret;
}

static int sample_switch(const struct bench *b, struct sample *s)
{
	struct kfd_xsched_entry suspend[MAX_PROCESSES], resume[MAX_PROCESSES];
	const unsigned int n = b->fleet.count;
	struct kfd_xsched_node_result node;
	struct gpuclock_period period;
	struct gpuclock clock;
	uint64_t begin;
	int ret;

	fleet_entries(&b->fleet, n, KFD_XSCHED_OP_SUSPEND, suspend);
	fleet_entries(&b->fleet, n, KFD_XSCHED_OP_RESUME, resume);
	gpuclock_read(&clock);
	begin = xsdev_now();
	ret = xsdev_apply(b->xs, suspend, n, &node);
	s->total = xsdev_now() - begin;
	gpuclock_since(&clock, &period);
	if (ret)
		return ret;
	if (gpustat("resident_waves") || !period.saves)
		return -EBUSY;
	s->software = period.software;
	s->save = period.save;
	s->quiet = period.quiet - begin;
	s->transactions = node.fw_transactions;
	s->lock = node.lock_ns;
	s->unmap = node.unmap_ns;
	s->map = node.map_ns;
	return xsdev_apply(b->xs, resume, n, &node);
}

/* "off" or "on" to kfd_baseline.ko, and what it says of it. */
static int baseline(const struct bench *b, const char *word, struct sample *s)
{
	unsigned long long unmap, map, gpu;
	unsigned int queues, i;
	char text[1024];
	ssize_t n;
	int fd, at;

	at = snprintf(text, sizeof(text), "%s", word);
	for (i = 0; i < b->fleet.count; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, " %d", b->fleet.members[i].pid);
	fd = open(BASELINE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, text, (size_t)at);
	close(fd);
	if (n != at)
		return n < 0 ? -errno : -EIO;
	fd = open(BASELINE, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	text[n] = 0;
	if (sscanf(text, "%u %llu %llu %llu", &queues, &unmap, &map, &gpu) != 4 || !queues)
		return -EIO;
	s->unmap = unmap;
	s->map = map;
	s->total = unmap + map;
	s->software = s->total - gpu;
	return 0;
}

static int sample_baseline(const struct bench *b, struct sample *s)
{
	struct gpuclock_period period;
	struct gpuclock clock;
	struct sample unused;
	int ret;

	gpuclock_read(&clock);
	ret = baseline(b, "off", s);
	gpuclock_since(&clock, &period);
	if (ret)
		return ret;
	if (gpustat("resident_waves"))
		return -EBUSY;
	s->save = period.save;
	return baseline(b, "on", &unused);
}

static int sample_trap(const struct bench *b, struct sample *s)
{
	const char *counter = b->mes ? "mes_remove" : "unmap_queues";
	long before = gpustat(counter);
	struct gpuclock_period period;
	struct gpuclock clock;
	uint64_t begin;
	int ret;

	gpuclock_read(&clock);
	begin = xsdev_now();
	ret = debugtrap_suspend(&b->fleet);
	s->total = xsdev_now() - begin;
	gpuclock_since(&clock, &period);
	if (ret <= 0)
		return ret ? ret : -EIO;
	if (gpustat("resident_waves"))
		return -EBUSY;
	s->software = period.software;
	s->save = period.save;
	s->quiet = period.quiet - begin;
	s->transactions = (uint64_t)(gpustat(counter) - before);
	ret = debugtrap_resume(&b->fleet);
	return ret < 0 ? ret : 0;
}

static void print_sample(FILE *f, const struct sample *s)
{
	fprintf(f, "[%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu]", (unsigned long long)s->total,
		(unsigned long long)s->software, (unsigned long long)s->transactions,
		(unsigned long long)s->lock, (unsigned long long)s->unmap,
		(unsigned long long)s->map, (unsigned long long)s->save,
		(unsigned long long)s->quiet);
}

/* One array of samples, after the first, which finds caches cold. */
static int series(const struct bench *b, const char *name, unsigned int count,
		  int (*take)(const struct bench *b, struct sample *s))
{
	struct sample s;
	unsigned int i;
	int ret = 0;

	fprintf(b->out, ",\"%s\":[", name);
	for (i = 0; i <= count && !ret; i++) {
		memset(&s, 0, sizeof(s));
		ret = fleet_settle(&b->fleet, b->busy);
		if (!ret)
			ret = take(b, &s);
		if (!i)
			continue;
		fputs(i == 1 ? "" : ",", b->out);
		print_sample(b->out, &s);
	}
	fputs("]", b->out);
	return ret ? fail(name, ret) : 0;
}

/* A period in which nothing is done must come out as one: else all figures are too high. */
static int check_clock(void)
{
	struct gpuclock_period period;
	struct gpuclock clock;
	int i;

	for (i = 0; i < EMPTY_TRIES; i++) {
		gpuclock_read(&clock);
		gpuclock_since(&clock, &period);
		if (period.software < EMPTY_NS)
			return 0;
	}
	printf("# nothing took %llu instructions\n", (unsigned long long)period.software);
	return -ERANGE;
}

/* amdkfd removes the queues of a process that ended a little later. */
static int wait_gone(const struct bench *b)
{
	int tries;

	for (tries = 0; xsdev_list(b->xs, NULL, 0) > 1; tries++) {
		if (tries == GONE_TRIES)
			return fail("queues stay", -ETIME);
		xsdev_sleep_ms(10);
	}
	return 0;
}

static int measure(struct bench *b, const struct set *set, unsigned int samples)
{
	unsigned int n = set->queues > 64 ? (samples + 3) / 4 : samples;
	int ret;

	ret = fleet_start(&b->fleet, set->processes, set->queues, b->busy);
	if (ret)
		return fail("fleet", ret);
	fprintf(b->out, "{\"queues\":%u,\"processes\":%u,\"occupancy\":\"%s\"", set->queues,
		set->processes, b->busy ? "full" : "idle");
	ret = series(b, "switch", n, sample_switch);
	if (!ret)
		ret = check_clock();
	if (!ret)
		ret = series(b, "baseline", n, sample_baseline);
	if (!ret) {
		ret = debugtrap_attach(&b->fleet);
		if (ret)
			fail("debugger", ret);
	}
	if (!ret)
		ret = series(b, "debug_trap", n, sample_trap);
	debugtrap_detach(&b->fleet);
	fprintf(b->out, "}");
	fleet_stop(&b->fleet);
	return ret ? ret : wait_gone(b);
}

static int run(struct bench *b, bool quick, unsigned int samples)
{
	const struct set *set;
	const char *comma = "";
	unsigned int i;
	int ret;

	for (i = 0; i < 2 * sizeof(sets) / sizeof(sets[0]); i++) {
		set = &sets[i / 2];
		b->busy = i % 2 == 0;
		if (quick && !set->quick)
			continue;
		printf("# %u queues in %u processes, %s\n", set->queues, set->processes,
		       b->busy ? "full" : "idle");
		fflush(stdout);
		fputs(comma, b->out);
		comma = ",\n";
		ret = measure(b, set, samples);
		if (ret)
			return ret;
	}
	return 0;
}

/* The queue that stays. Does not return, but ends with its parent. */
static void owner_main(int sock)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	int ret = kfdq_open(&dev);

	if (!ret)
		ret = kfdq_queue_create(dev, &options, &queue);
	if (send(sock, &ret, sizeof(ret), MSG_NOSIGNAL) == sizeof(ret) && !ret)
		while (recv(sock, &ret, sizeof(ret), 0) > 0)
			;
	_exit(ret != 0);
}

/*
 * Not this process: while one that owns queues runs, the software GPU interrupts it
 * every few microseconds to look at its doorbells, which is none of what is measured.
 */
static int start_owner(void)
{
	int sock, ret;
	const pid_t pid = child_fork(&sock);

	if (pid < 0)
		return pid;
	if (!pid)
		owner_main(sock);
	return recv(sock, &ret, sizeof(ret), 0) == sizeof(ret) ? ret : -EPIPE;
}

int main(int argc, char **argv)
{
	bool quick = argc == 4 && !strcmp(argv[3], "quick");
	struct kfd_xsched_node node;
	struct bench b = { 0 };
	int ret;

	if (argc != 3 && !quick) {
		fputs("usage: xs-switch OUT.json SAMPLES [quick]\n", stderr);
		return 2;
	}
	b.xs = xsdev_open();
	b.out = fopen(argv[1], "we");
	if (b.xs < 0 || !b.out)
		return fail("open", b.xs < 0 ? b.xs : -errno) != 0;
	ret = gpuclock_open();
	if (!ret)
		ret = xsdev_node(b.xs, &node);
	if (!ret)
		ret = start_owner();
	if (ret)
		return fail("GPU", ret) != 0;
	b.mes = node.backend == KFD_XSCHED_BACKEND_MES;
	fprintf(b.out, "{\"backend\":\"%s\",\"rows\":[\n", b.mes ? "mes" : "hws");
	ret = run(&b, quick, (unsigned int)atoi(argv[2]));
	fprintf(b.out, "]}\n");
	if (fclose(b.out))
		ret = -errno;
	return ret != 0;
}
