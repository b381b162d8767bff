// SPDX-License-Identifier: MIT
/*
 * Memory of a worker of test-torture that goes, and comes back, at any time: a thread of the worker
 * does that, as the rest of it may be under load.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"
#include "torture_worker.h"

#define BYTES	65536

/**
 * struct evictor - what the test and such a thread have in common
 * @asked: times that memory is to go; a futex
 * @done: times that it went
 */
struct evictor {
	uint32_t asked;
	uint32_t done;
};

static struct evictor *evictors;

static void futex(uint32_t *word, int op, uint32_t value)
{
	syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/* ---- in the worker ------------------------------------------------------- */

static struct kfdq_buffer memory;

/* It is registered with the GPU: amdkfd evicts the queues of the process, and restores them. */
static void *evict(void *argument)
{
	struct evictor *e = argument;
	uint32_t asked;

	for (;;) {
		asked = __atomic_load_n(&e->asked, __ATOMIC_ACQUIRE);
		if (asked == e->done) {
			futex(&e->asked, FUTEX_WAIT, asked);
			continue;
		}
		madvise(memory.addr, memory.size, MADV_DONTNEED);
		memset(memory.addr, 1, memory.size);
		__atomic_store_n(&e->done, asked, __ATOMIC_RELEASE);
	}
	return NULL;
}

int torture_settle_in(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t n)
{
	pthread_t thread;
	int ret;

	(void)queue;
	torture_clients_forget();
	ret = kfdq_alloc(dev, KFDQ_USERPTR, BYTES, &memory);
	if (ret)
		return ret;
	memset(memory.addr, 1, memory.size);
	return -pthread_create(&thread, NULL, evict, &evictors[n]);
}

/* ---- in the test --------------------------------------------------------- */

void torture_evict_begin(void)
{
	evictors = mmap(NULL, TORTURE_WORKERS * sizeof(*evictors), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (evictors == MAP_FAILED)
		tap_bail("no memory: error %d", -errno);
}

void torture_evict_reset(unsigned int n)
{
	evictors[n] = (struct evictor){ 0 };
}

/* Without waiting for it. */
void torture_evict(void)
{
	const unsigned int n = torture_below(TORTURE_WORKERS);
	struct evictor *e = &evictors[n];

	if (torture_workers[n].state == TORTURE_NONE ||
	    e->asked != __atomic_load_n(&e->done, __ATOMIC_ACQUIRE))
		return;
	torture_did("memory of worker %u is taken away", n);
	__atomic_fetch_add(&e->asked, 1, __ATOMIC_RELEASE);
	futex(&e->asked, FUTEX_WAKE, 1);
	torture_got(0);
}
