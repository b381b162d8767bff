// SPDX-License-Identifier: MIT
/* The worker of the random test: both sides. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kfdq.h"
#include "random.h"
#include "random_worker.h"

#define BATCH		8	/* dispatches that have a signal in common */
#define BATCHES		2	/* in flight: while one is checked the other runs */
#define SLOTS		(BATCH * BATCHES)
#define MAX_WORKGROUPS	256	/* of 16 waves: the GPU holds 160 */
#define MAX_NS		4000000
#define VGPRS		64
#define LDS_BYTES	16384
#define PATIENCE_MS	60000
#define SPARE_BYTES	65536
#define NO_REQUEST	~0u

/**
 * struct random_shared - what test and worker have in common
 * @ready: 1: it runs, 2: it failed to start; a futex
 * @stop: submit nothing more; a futex
 * @request: kind of eviction asked for, or NO_REQUEST; a futex
 * @result: see there
 */
struct random_shared {
	uint32_t ready;
	uint32_t stop;
	uint32_t request;
	struct random_result result;
};

/* What the GPU writes of a dispatch, beside its log. */
struct counters {
	uint32_t ended[MAX_WORKGROUPS];
};

/**
 * struct job - a queue and its dispatches; number n uses element n % SLOTS
 * @thread: submits and checks them
 * @dev: device
 * @result: where to add up
 * @stop: see struct random_shared
 * @seed: of their sizes
 * @queue: the queue
 * @signals: one a batch
 * @memory: @code, @ticket, @args, @log
 * @counters: registered memory
 * @workgroups: of each dispatch
 * @submitted: dispatches
 * @checked: dispatches
 * @last_end: when the last of them ended
 */
struct job {
	pthread_t thread;
	struct kfdq_device *dev;
	struct random_result *result;
	const uint32_t *stop;
	uint32_t seed;
	struct kfdq_queue *queue;
	struct kfdq_signal *signals[BATCHES];
	struct kfdq_buffer memory;
	struct kfdq_buffer counters;
	struct vgpu_code *code;
	uint64_t *ticket;
	struct vgpu_count *args;
	struct vgpu_log *log;
	uint32_t workgroups[SLOTS];
	uint64_t submitted;
	uint64_t checked;
	uint64_t last_end;
};

/* Limited, so that a waiting thread can check other things. */
static void futex_wait(const uint32_t *word, uint32_t value)
{
	const struct timespec while_ns = { .tv_nsec = 200000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &while_ns, NULL, 0);
}

static void futex_set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, 1 << 20, NULL, NULL, 0);
}

static uint32_t look(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void add(uint64_t *total, uint64_t n)
{
	__atomic_fetch_add(total, n, __ATOMIC_RELAXED);
}

/* ---- dispatches ---- */

static void prepare(struct job *j, uint64_t n, struct kfdq_dispatch *out)
{
	uint32_t i = n % SLOTS;
	struct vgpu_count *a = &j->args[i];
	struct counters *c = j->counters.addr;

	j->workgroups[i] = 1 + random_next(&j->seed) % MAX_WORKGROUPS;
	a->spin.workgroup_ns = 1 + random_next(&j->seed) % MAX_NS;
	a->spin.log = (uintptr_t)j->log;
	a->spin.index = i;
	a->spin.ticket = (uintptr_t)j->ticket;
	a->spin.spread = random_next(&j->seed) % 8 ? 0 : random_next(&j->seed) % 500;
	a->counters = (uintptr_t)c[i].ended;
	out->code = j->code;
	out->kernarg = a;
	out->workgroups = j->workgroups[i];
	out->workgroup_size = 1024;
	out->completion = NULL;
}

static int submit_batch(struct job *j)
{
	struct kfdq_dispatch batch[BATCH];
	struct kfdq_signal *signal = j->signals[j->submitted / BATCH % BATCHES];
	uint32_t i;
	int ret;

	for (i = 0; i < BATCH; i++)
		prepare(j, j->submitted + i, &batch[i]);
	batch[BATCH - 1].completion = signal;
	kfdq_signal_arm(signal, 1);
	ret = kfdq_queue_submit(j->queue, batch, BATCH);
	if (!ret)
		j->submitted += BATCH;
	return ret;
}

/* Whether each workgroup has ended once and none that does not exist. */
static void check_workgroups(struct job *j, uint32_t slot)
{
	struct counters *c = (struct counters *)j->counters.addr + slot;
	uint64_t wrong = 0;
	uint32_t i;

	for (i = 0; i < MAX_WORKGROUPS; i++)
		wrong += c->ended[i] != (i < j->workgroups[slot]);
	memset(c, 0, sizeof(*c));
	add(&j->result->workgroups, j->workgroups[slot]);
	if (wrong)
		add(&j->result->wrong_workgroups, wrong);
}

static void check_dispatch(struct job *j, uint64_t n)
{
	struct vgpu_log *log = &j->log[n % SLOTS];

	if (log->executed != 1 || log->ticket != n || log->start_ns < j->last_end ||
	    log->end_ns < log->start_ns)
		add(&j->result->wrong, 1);
	j->last_end = log->end_ns;
	add(&j->result->saved, log->saved);
	add(&j->result->dispatches, 1);
	check_workgroups(j, n % SLOTS);
	memset(log, 0, sizeof(*log));
}

static int check_batch(struct job *j)
{
	struct kfdq_signal *signal = j->signals[j->checked / BATCH % BATCHES];
	uint32_t i;
	int ret;

	do {
		ret = kfdq_signal_wait(j->dev, signal, PATIENCE_MS);
	} while (ret == -EINTR);
	if (ret) {
		add(&j->result->lost, j->submitted - j->checked);
		return ret;
	}
	for (i = 0; i < BATCH; i++)
		check_dispatch(j, j->checked + i);
	j->checked += BATCH;
	return 0;
}

static void *run_job(void *arg)
{
	struct job *j = arg;
	int ret = 0;

	while (!ret && !look(j->stop)) {
		ret = submit_batch(j);
		if (!ret && j->submitted - j->checked == SLOTS)
			ret = check_batch(j);
	}
	while (!ret && j->checked < j->submitted)
		ret = check_batch(j);
	if (ret)
		add(&j->result->failed, 1);
	return NULL;
}

static int init_job(struct job *j, struct kfdq_device *dev, struct random_shared *shared,
		    uint32_t seed)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	size_t args = 256, log = args + SLOTS * sizeof(struct vgpu_count);
	char *base;
	int ret, i;

	j->dev = dev;
	j->result = &shared->result;
	j->stop = &shared->stop;
	j->seed = seed;
	ret = kfdq_alloc(dev, KFDQ_GTT, log + SLOTS * sizeof(struct vgpu_log), &j->memory);
	if (!ret)
		ret = kfdq_alloc(dev, KFDQ_USERPTR, SLOTS * sizeof(struct counters), &j->counters);
	for (i = 0; !ret && i < BATCHES; i++)
		ret = kfdq_signal_create(dev, &j->signals[i]);
	if (!ret)
		ret = kfdq_queue_create(dev, &options, &j->queue);
	if (ret)
		return ret;
	base = j->memory.addr;
	j->code = (struct vgpu_code *)base;
	j->ticket = (uint64_t *)(base + args - sizeof(*j->ticket));
	j->args = (struct vgpu_count *)(base + args);
	j->log = (struct vgpu_log *)(base + log);
	j->code->magic = VGPU_CODE_MAGIC;
	j->code->kind = VGPU_CODE_COUNT;
	j->code->vgprs = VGPRS;
	j->code->lds_bytes = LDS_BYTES;
	return 0;
}

/* ---- evictions ---- */

static int toggle(void *addr, size_t size, int there, int back)
{
	return mprotect(addr, size, there) || mprotect(addr, size, back) ? -errno : 0;
}

/* Away, and back to where the GPU knows it; its content goes with it. */
static int move(void *addr, size_t size)
{
	void *away = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (away == MAP_FAILED ||
	    mremap(addr, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, away) != away ||
	    mremap(away, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, addr) != addr)
		return -errno;
	return 0;
}

static int evict(enum random_eviction kind, struct job *jobs, const struct kfdq_buffer *spare)
{
	const int rw = PROT_READ | PROT_WRITE;
	const struct kfdq_buffer *used = &jobs[0].counters;

	switch (kind) {
	case RANDOM_MPROTECT_USED:
		/* its pages stay, and may be written all the time */
		return toggle(used->addr, used->size, rw | PROT_EXEC, rw);
	case RANDOM_DONTNEED:
		if (madvise(spare->addr, spare->size, MADV_DONTNEED))
			return -errno;
		memset(spare->addr, 1, spare->size);
		return 0;
	case RANDOM_MPROTECT:
		return toggle(spare->addr, spare->size, PROT_READ, rw);
	case RANDOM_MREMAP:
		return move(spare->addr, spare->size);
	default:
		return -EINVAL;
	}
}

static void serve(struct random_shared *shared, struct job *jobs, const struct kfdq_buffer *spare)
{
	uint32_t kind;

	while (!look(&shared->stop)) {
		kind = look(&shared->request);
		if (kind == NO_REQUEST) {
			futex_wait(&shared->request, NO_REQUEST);
			continue;
		}
		if (kind >= RANDOM_EVICTIONS)
			break;
		if (evict(kind, jobs, spare))
			add(&shared->result.failed, 1);
		add(&shared->result.evictions[kind], 1);
		futex_set(&shared->request, NO_REQUEST);
	}
}

/* ---- the process ---- */

static int worker(struct random_shared *shared, uint32_t seed)
{
	struct job jobs[RANDOM_QUEUES] = { 0 };
	struct kfdq_buffer spare = { 0 };
	struct kfdq_device *dev;
	unsigned int i;
	int ret;

	ret = kfdq_open(&dev);
	if (!ret)
		ret = kfdq_alloc(dev, KFDQ_USERPTR, SPARE_BYTES, &spare);
	if (!ret)
		memset(spare.addr, 1, spare.size);
	for (i = 0; !ret && i < RANDOM_QUEUES; i++)
		ret = init_job(&jobs[i], dev, shared, seed + i);
	for (i = 0; !ret && i < RANDOM_QUEUES; i++)
		ret = -pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]);
	futex_set(&shared->ready, ret ? 2 : 1);
	if (ret)
		return 1;
	serve(shared, jobs, &spare);
	for (i = 0; i < RANDOM_QUEUES; i++)
		pthread_join(jobs[i].thread, NULL);
	return 0;
}

int random_worker_start(struct random_worker *w, uint32_t seed)
{
	w->shared = mmap(NULL, sizeof(*w->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->shared == MAP_FAILED)
		return -errno;
	w->shared->request = NO_REQUEST;
	w->pid = fork();
	if (w->pid < 0)
		return -errno;
	if (!w->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(worker(w->shared, seed));
	}
	while (!look(&w->shared->ready) && !waitpid(w->pid, NULL, WNOHANG))
		futex_wait(&w->shared->ready, 0);
	return look(&w->shared->ready) == 1 ? 0 : -EIO;
}

int random_worker_evict(struct random_worker *w, enum random_eviction kind)
{
	if (look(&w->shared->request) != NO_REQUEST)
		return -EAGAIN;
	futex_set(&w->shared->request, kind);
	return 0;
}

uint64_t random_worker_evictions(const struct random_worker *w)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < RANDOM_EVICTIONS; i++)
		sum += __atomic_load_n(&w->shared->result.evictions[i], __ATOMIC_RELAXED);
	return sum;
}

int random_worker_stop(struct random_worker *w, struct random_result *out)
{
	int status;

	futex_set(&w->shared->stop, 1);
	futex_set(&w->shared->request, RANDOM_EVICTIONS);	/* wakes it up */
	while (waitpid(w->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	*out = w->shared->result;
	munmap(w->shared, sizeof(*w->shared));
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}
