// SPDX-License-Identifier: MIT
/*
 * Bad addresses and bad packets: the process that used one is notified and
 * its queues are evicted; another process does not notice.
 *
 * Each case is a process of its own, as nothing brings its queues back.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpustat.h"
#include "kfdq_fault.h"
#include "kfdq_sdma.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MIB		(1UL << 20)
#define WAIT_MS		20000	/* by then it has happened */
#define QUIET_MS	200	/* what does not come in this time does not come */

/**
 * struct setting - what a case works with
 * @dev: the GPU
 * @queue: a compute queue
 * @sdma: an SDMA queue
 * @set: kernels of @queue
 * @signal: completion of what is well
 * @memory: 1 MiB the GPU may write
 * @read_only: 1 MiB it may not
 * @nothing: 1 MiB it knows nothing of
 */
struct setting {
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	struct kfdq_sdma *sdma;
	struct spin_set set;
	struct kfdq_signal *signal;
	struct kfdq_buffer memory;
	struct kfdq_buffer read_only;
	char *nothing;
};

/**
 * struct outcome - what came of a case
 * @error: a step that failed, 0: none
 * @fault: what was reported to the process
 * @expected: address of the page that should have been reported
 * @told_again: of a second exception
 * @ran_on: a queue of the process still worked
 * @spoiled: memory was changed that must not be
 */
struct outcome {
	int error;
	struct kfdq_fault fault;
	uint64_t expected;
	bool told_again;
	bool ran_on;
	bool spoiled;
};

static const struct spin_shape tiny = { 4, 256, 10000 };

static int set_up(struct setting *s)
{
	static const struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	int ret = kfdq_open(&s->dev);

	if (!ret)
		ret = kfdq_signal_create(s->dev, &s->signal);
	if (!ret)
		ret = kfdq_queue_create(s->dev, &options, &s->queue);
	if (!ret)
		ret = kfdq_sdma_create(s->dev, KFDQ_SDMA_PCIE, 4096, &s->sdma);
	if (!ret)
		ret = spin_set_init(&s->set, s->dev, 16, 8);
	if (!ret)
		ret = kfdq_alloc(s->dev, KFDQ_VRAM, MIB, &s->memory);
	if (!ret)
		ret = kfdq_alloc_read_only(s->dev, KFDQ_GTT, MIB, &s->read_only);
	s->nothing = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return s->nothing == MAP_FAILED ? -ENOMEM : ret;
}

/* ---- cases: each does one thing wrong and returns the address ---- */

static void *dispatch(struct setting *s, struct kfdq_dispatch *d)
{
	int ret = spin_next(&s->set, &tiny, NULL, d);

	return ret ? NULL : d;
}

static void *bad_kernarg(struct setting *s)
{
	struct kfdq_dispatch d;

	if (!dispatch(s, &d))
		return NULL;
	d.kernarg = s->nothing + 4096 + 64;
	kfdq_queue_submit(s->queue, &d, 1);
	return s->nothing + 4096;
}

static void *bad_code(struct setting *s)
{
	struct kfdq_dispatch d;

	if (!dispatch(s, &d))
		return NULL;
	memcpy(s->nothing + 8192, d.code, sizeof(*d.code));
	d.code = (const void *)(s->nothing + 8192);
	kfdq_queue_submit(s->queue, &d, 1);
	return s->nothing + 8192;
}

static void *bad_signal(struct setting *s)
{
	struct kfdq_dispatch d;

	if (!dispatch(s, &d))
		return NULL;
	d.completion = (void *)(s->nothing + 12288 + 256);
	kfdq_queue_submit(s->queue, &d, 1);
	return s->nothing + 12288;
}

static void *read_only_signal(struct setting *s)
{
	struct kfdq_dispatch d;

	if (!dispatch(s, &d))
		return NULL;
	d.completion = (void *)((char *)s->read_only.addr + 4096);
	kfdq_queue_submit(s->queue, &d, 1);
	return (char *)s->read_only.addr + 4096;
}

static void *copy_from_nothing(struct setting *s)
{
	kfdq_sdma_copy(s->sdma, s->memory.addr, s->nothing, 65536);
	kfdq_sdma_ring(s->sdma);
	return s->nothing;
}

/* The first bytes are well: the fault is in the middle of the packet. */
static void *copy_beyond_the_end(struct setting *s)
{
	kfdq_sdma_copy(s->sdma, s->nothing + MIB - 8192, s->memory.addr, 8192);
	kfdq_sdma_ring(s->sdma);
	return s->nothing + MIB - 8192;
}

static void *copy_to_read_only(struct setting *s)
{
	kfdq_sdma_copy(s->sdma, (char *)s->read_only.addr + 8192 + 5, s->memory.addr, 100);
	kfdq_sdma_ring(s->sdma);
	return (char *)s->read_only.addr + 8192;
}

static void *fence_to_read_only(struct setting *s)
{
	kfdq_sdma_fence(s->sdma, (uint32_t *)((char *)s->read_only.addr + 16384 + 8), 1);
	kfdq_sdma_ring(s->sdma);
	return (char *)s->read_only.addr + 16384;
}

/* What the GPU could use a moment ago: its translations must be gone, too. */
static void *freed_memory(struct setting *s)
{
	struct kfdq_buffer b = s->memory;

	kfdq_sdma_fill(s->sdma, b.addr, 7, 4096);
	kfdq_signal_arm(s->signal, 1);
	kfdq_sdma_signal(s->sdma, s->signal);
	kfdq_sdma_ring(s->sdma);
	if (kfdq_signal_wait(s->dev, s->signal, WAIT_MS))
		return NULL;
	kfdq_free(s->dev, &s->memory);
	kfdq_sdma_fence(s->sdma, b.addr, 1);
	kfdq_sdma_ring(s->sdma);
	return b.addr;
}

static const struct fault_case {
	const char *what;
	void *(*provoke)(struct setting *s);
	bool read_only;
} cases[] = {
	{ "kernel arguments without memory", bad_kernarg, false },
	{ "a kernel object without memory", bad_code, false },
	{ "a completion signal without memory", bad_signal, false },
	{ "a completion signal that is read-only", read_only_signal, true },
	{ "a copy from nowhere", copy_from_nothing, false },
	{ "a copy to nowhere", copy_beyond_the_end, false },
	{ "a copy to read-only memory", copy_to_read_only, true },
	{ "a fence in read-only memory", fence_to_read_only, true },
	{ "memory that was freed", freed_memory, false },
};

/* ---- the process of a case ---- */

static bool still_works(struct setting *s)
{
	kfdq_signal_arm(s->signal, 1);
	if (spin_submit(&s->set, s->queue, &tiny, 1, s->signal))
		return true;
	return kfdq_signal_wait(s->dev, s->signal, QUIET_MS) != -ETIME;
}

static bool is_zero(const struct kfdq_buffer *b)
{
	const char *p = b->addr;

	return !p[0] && !memcmp(p, p + 1, b->size - 1);
}

static void run_case(const struct fault_case *c, struct outcome *o)
{
	struct setting s = { 0 };
	struct kfdq_fault again;
	uint32_t event;
	void *at;

	o->error = set_up(&s);
	if (!o->error)
		o->error = kfdq_fault_watch(s.dev, &event);
	if (o->error)
		return;
	at = c->provoke(&s);
	o->expected = (uintptr_t)at;
	o->error = at ? kfdq_fault_wait(s.dev, event, WAIT_MS, &o->fault) : -EIO;
	if (o->fault.gpu_id != kfdq_gpu_id(s.dev))
		o->error = -ENODEV;
	if (o->error)
		return;
	o->ran_on = still_works(&s);
	o->told_again = kfdq_fault_wait(s.dev, event, 10, &again) != -ETIME;
	o->spoiled = !is_zero(&s.read_only);
}

/* ---- packets that are refused ---- */

static const struct packet_case {
	const char *what;
	uint16_t header;
	uint16_t setup;
	uint32_t grid;
	enum kfdq_packet_exception code;
} packet_cases[] = {
	{ "a packet of an unknown type", 6, 0, 0, KFDQ_PACKET_UNSUPPORTED },
	{ "an unknown vendor packet", 0, 99, 0, KFDQ_PACKET_VENDOR },
	{ "a grid beyond all bounds", 2, 3, ~0U, KFDQ_PACKET_DIMENSIONS },
	{ "a kernel that is none", 2, 1, 1, KFDQ_PACKET_CODE },
};

static void run_packet(const struct packet_case *c, struct outcome *o)
{
	static const struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	uint32_t packet[16] = { c->header | (uint32_t)c->setup << 16, 1 | 1 << 16, 1 };
	struct kfdq_buffer memory;
	struct kfdq_device *dev;
	struct kfdq_signal *sig;
	struct kfdq_queue *q;
	uint64_t *payload;
	int i;

	o->error = kfdq_open(&dev);
	if (!o->error)
		o->error = kfdq_exceptions_enable(dev);
	if (!o->error)
		o->error = kfdq_signal_create(dev, &sig);
	if (!o->error)
		o->error = kfdq_alloc(dev, KFDQ_GTT, 4096, &memory);
	if (!o->error)
		o->error = kfdq_queue_create(dev, &options, &q);
	if (o->error)
		return;
	payload = memory.addr;
	kfdq_exceptions_watch(q, payload, sig);
	kfdq_signal_arm(sig, 1);
	packet[3] = c->grid;
	packet[4] = c->grid;
	packet[5] = c->grid;
	packet[8] = (uint32_t)(uintptr_t)(payload + 64);
	packet[9] = (uint32_t)((uintptr_t)(payload + 64) >> 32);
	packet[10] = packet[8];
	packet[11] = packet[9];
	kfdq_queue_submit_raw(q, packet);
	for (i = 0; i < WAIT_MS && !*(volatile uint64_t *)payload; i++)
		xsdev_sleep_ms(1);
	o->ran_on = kfdq_signal_wait(dev, sig, QUIET_MS) != -ETIME;
	o->expected = 1ULL << (c->code - 1);
	o->fault.va = *payload;
}

/* ---- */

/* In a process of its own; the outcome comes back through shared memory. */
static struct outcome apart(const struct fault_case *c, const struct packet_case *p)
{
	struct outcome *o = mmap(NULL, sizeof(*o), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0), copy;
	int status = -1;
	pid_t pid;

	if (o == MAP_FAILED)
		tap_bail("mmap");
	o->error = -EPIPE;
	pid = fork();
	if (!pid) {
		o->error = 0;
		if (c)
			run_case(c, o);
		else
			run_packet(p, o);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		o->error = -EPIPE;
	copy = *o;
	munmap(o, sizeof(*o));
	return copy;
}

static void test_faults(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome o = apart(&cases[i], NULL);

		gpustat_expect("vm_faults", 1);
		gpustat_expect("queue_faults", 1);
		tap_is(o.error, 0, "%s: the process is notified", cases[i].what);
		tap_ok(o.fault.va == o.expected && o.fault.read_only == cases[i].read_only &&
		       o.fault.not_present == !cases[i].read_only,
		       "%s: of that address, and why", cases[i].what);
		tap_note("address %llx, expected %llx", (unsigned long long)o.fault.va,
			 (unsigned long long)o.expected);
		tap_ok(!o.ran_on && !o.told_again && !o.spoiled,
		       "%s: its queues are evicted, once, and nothing was written", cases[i].what);
	}
}

static void test_packets(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(packet_cases) / sizeof(packet_cases[0]); i++) {
		struct outcome o = apart(NULL, &packet_cases[i]);

		gpustat_expect("bad_packets", 1);
		gpustat_expect("queue_faults", 1);
		tap_is(o.error, 0, "%s is submitted", packet_cases[i].what);
		tap_ok(!o.ran_on && o.fault.va == o.expected,
		       "the runtime is notified of what is wrong with it");
		tap_note("payload %llx, expected %llx", (unsigned long long)o.fault.va,
			 (unsigned long long)o.expected);
	}
}

int main(void)
{
	static const struct spin_shape load = { 64, 256, 1000000 };
	long vm_faults = gpustat("vm_faults");
	struct spin_account a;
	struct worker w;
	uint32_t rounds;
	int ret;

	ret = worker_start(&w, 2, NULL);
	if (ret)
		tap_bail("no worker: error %d", ret);
	tap_is(worker_load_start(&w, &load, 7), 0, "another process works all the time");
	test_faults();
	tap_is(gpustat("vm_faults") - vm_faults, sizeof(cases) / sizeof(cases[0]),
	       "the GPU has met each bad address once");
	test_packets();
	rounds = worker_load_rounds(&w);
	tap_is(worker_load_progress(&w, rounds, WAIT_MS), 0, "the other process still works");
	tap_is(worker_load_stop(&w), 0, "all it submitted has completed");
	tap_is(worker_account(&w, &a), 0, "account");
	tap_ok(a.submitted > 100 && spin_account_clean(&a), "each of its dispatches executed once");
	tap_note("%llu dispatches", (unsigned long long)a.submitted);
	worker_stop(&w);
	return tap_done();
}
