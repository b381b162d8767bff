// SPDX-License-Identifier: MIT
/*
 * Holds and shared virtual memory: pages of a process that its GPU uses go and come,
 * for which amdkfd stops all its queues and lets them go again. A queue runs when
 * neither that nor a hold is a reason against it.
 *
 * It takes an amdgpu with CONFIG_HSA_AMD_SVM, and fails on one without.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "held.h"
#include "kfdq_sdma.h"
#include "kfdq_svm.h"
#include "sysfile.h"
#include "tap.h"

#define BYTES		(64UL << 10)
#define TIMES		50
#define ENOUGH		5	/* of them an eviction each: a restore may be late for others */
#define ROUNDS		100
#define PAUSE_US	2000	/* amdkfd lets the queues go again after one millisecond */
#define COPY_MS		20000
#define RING		4096

static const struct spin_shape few = { 64, 256, 2000000 };

/* ---- in the worker ---------------------------------------------------------- */

static void *shared;
static int told;
static struct kfdq_svm_tally tally;
static pthread_t other;
static atomic_bool over;

static int share(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t unused)
{
	(void)queue;
	(void)unused;
	if (!kfdq_svm_supported(dev))
		return -EOPNOTSUPP;
	shared = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -errno;
	memset(shared, 1, BYTES);
	told = kfdq_svm_listen(dev);
	return told < 0 ? told : kfdq_svm_share(dev, shared, BYTES);
}

/* Give the pages away, and take new ones. amdkfd keeps some twenty of its reports. */
static int renew(uint64_t times)
{
	int ret = 0;

	for (; times && !ret; times--) {
		if (madvise(shared, BYTES, MADV_DONTNEED))
			return -errno;
		memset(shared, 2, BYTES);
		usleep(PAUSE_US);
		ret = kfdq_svm_tally(told, &tally);
	}
	return ret;
}

static int disturb(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t times)
{
	(void)dev;
	(void)queue;
	return renew(times);
}

static void *disturb_on(void *unused)
{
	while (!over && !renew(1))
		;
	return unused;
}

static int disturb_meanwhile(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t start)
{
	(void)dev;
	(void)queue;
	over = !start;
	return start ? -pthread_create(&other, NULL, disturb_on, NULL) :
		       -pthread_join(other, NULL);
}

/* How often the queues were stopped for shared memory since last asked. */
static int evictions(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t unused)
{
	const int n = (int)tally.evictions;

	(void)dev;
	(void)queue;
	(void)unused;
	tally.evictions = 0;
	return n;
}

/* What the GPU writes there is what the process reads, whichever pages it has by now. */
static int fill(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t value)
{
	const uint32_t *words = shared;
	struct kfdq_signal *done;
	struct kfdq_sdma *sdma;
	size_t i;
	int ret;

	(void)queue;
	ret = kfdq_signal_create(dev, &done);
	if (ret)
		return ret;
	ret = kfdq_sdma_create(dev, KFDQ_SDMA_PCIE, RING, &sdma);
	if (ret)
		return ret;
	kfdq_signal_arm(done, 1);
	kfdq_sdma_fill(sdma, shared, (uint32_t)value, BYTES);
	kfdq_sdma_signal(sdma, done);
	kfdq_sdma_ring(sdma);
	ret = kfdq_signal_wait(dev, done, COPY_MS);
	for (i = 0; !ret && i < BYTES / sizeof(*words); i++)
		ret = words[i] == value ? 0 : -EIO;
	kfdq_sdma_destroy(sdma);
	return ret;
}

/* ---- the tests ---------------------------------------------------------------- */

static void begin(struct worker *w)
{
	held_begin(w, 1);
	tap_is(worker_call(w, 0, share, 0), 0, "memory is shared with the GPU");
	worker_call(w, 0, evictions, 0);
}

static void test_alone(struct worker *w)
{
	int n;

	tap_is(worker_call(w, 0, fill, 0x11111111), 0, "the GPU writes to it");
	held_start(w);
	tap_is(worker_call(w, 0, disturb, TIMES), 0, "its pages go and come, %d times", TIMES);
	n = worker_call(w, 0, evictions, 0);
	tap_ok(n >= ENOUGH, "for which the queues are stopped (%d times)", n);
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w), "no reason is left, they run to their end");
	tap_is(worker_call(w, 0, fill, 0x22222222), 0, "the GPU writes to the new pages");
}

static void test_held(struct worker *w)
{
	int n;

	tap_is(held_half_way(w), 0, "held half-way");
	tap_is(worker_call(w, 0, disturb, TIMES), 0, "held: pages go and come, %d times", TIMES);
	n = worker_call(w, 0, evictions, 0);
	tap_ok(n >= ENOUGH, "held: the queues are evicted and restored (%d times)", n);
	tap_ok(held_is(w, HELD_MINE) && held_still(w), "held: restored, they are still held");
	tap_is(held_resume(w), 0, "released");
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w), "no reason is left, they run to their end");
	tap_is(worker_call(w, 0, fill, 0x33333333), 0, "the GPU writes to the new pages");
}

/* Holds that come and go while pages do, in whatever order that gives. */
static void test_storm(struct worker *w)
{
	unsigned int i, failed = 0;
	int n;

	tap_is(worker_call(w, 0, disturb_meanwhile, true), 0,
	       "storm: pages go and come all the time");
	worker_load_start(w, &few, 1);
	for (i = 0; i < ROUNDS; i++) {
		failed += held_suspend(w) != 0;
		xsdev_sleep_ms(1 + i % 7);
		failed += held_resume(w) != 0;
		xsdev_sleep_ms(1 + i % 5);
	}
	tap_is(failed, 0, "storm: held and released %d times meanwhile", ROUNDS);
	tap_is(held_suspend(w), 0, "storm: held once more");
	tap_ok(worker_load_still(w, 100), "storm: nothing runs, though pages go and come");
	tap_is(held_resume(w), 0, "storm: released");
	tap_is(worker_load_stop(w), 0, "storm: the load completes");
	tap_is(worker_call(w, 0, disturb_meanwhile, false), 0, "storm: the pages stay");
	n = worker_call(w, 0, evictions, 0);
	tap_ok(n >= ENOUGH, "storm: the queues were stopped for that (%d times)", n);
	tap_ok(held_is(w, HELD_ACTIVE), "storm: no reason is left");
}

/* Dies while held, with pages on their way. */
static void test_killed(void)
{
	struct worker w;

	begin(&w);
	held_half_way(&w);
	worker_call(&w, 0, disturb_meanwhile, true);
	xsdev_sleep_ms(10);
	worker_kill(&w);
	tap_is(xsdev_wait_no_queue(held_fd, HELD_DONE_MS), 0,
	       "killed while held: its queues are gone");
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0,
	       "killed while held: nothing is held");
}

int main(void)
{
	struct worker w;

	held_open(1);
	begin(&w);
	test_alone(&w);
	test_held(&w);
	test_storm(&w);
	held_account(&w, "svm");
	tap_is(worker_stop(&w), 0, "it exits");
	test_killed();
	return tap_done();
}
