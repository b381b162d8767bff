// SPDX-License-Identifier: MIT
/*
 * SDMA queues: what their packets do to memory of every kind, and that a copy
 * survives being held, resumed and killed in the middle.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#include "gpustat.h"
#include "kfdq_priv.h"
#include "kfdq_sdma.h"
#include "must.h"
#include "tap.h"
#include "xsdev.h"

#define MIB		(1UL << 20)
#define RING		65536
#define WAIT_MS		20000	/* by then it has happened */
#define RATE		"/sys/module/vgpu/parameters/sdma_mb_s"

static const char *const kind_names[] = { "GTT", "VRAM", "user pages" };

static struct kfdq_device *dev;
static struct kfdq_sdma *queue;
static struct kfdq_signal *signal_;

static struct kfdq_buffer buffer(enum kfdq_memory kind, size_t size)
{
	struct kfdq_buffer b = { 0 };
	int ret = kfdq_alloc(dev, kind, size, &b);

	if (ret)
		tap_bail("no %zu bytes of %s: error %d", size, kind_names[kind], ret);
	return b;
}

static void noise(void *at, size_t bytes, uint32_t seed)
{
	uint32_t *p = at;
	size_t i;

	for (i = 0; i < bytes / 4; i++) {
		seed = seed * 1664525u + 1013904223u;
		p[i] = seed;
	}
}

/* Ring, with a signal after all that was put, and wait for it. */
static int run_for(struct kfdq_sdma *q, int timeout_ms)
{
	int ret;

	kfdq_signal_arm(signal_, 1);
	ret = kfdq_sdma_signal(q, signal_);
	kfdq_sdma_ring(q);
	return ret ? ret : kfdq_signal_wait(dev, signal_, timeout_ms);
}

static int run(struct kfdq_sdma *q)
{
	return run_for(q, WAIT_MS);
}

static void set_rate(const char *mb_s)
{
	FILE *f = fopen(RATE, "we");

	if (!f || fputs(mb_s, f) < 0 || fclose(f))
		tap_bail("cannot set " RATE);
}

/* ---- packets ---- */

/* What is beside the copied bytes must stay as it is. */
static bool copies(enum kfdq_memory from, enum kfdq_memory to, size_t bytes)
{
	struct kfdq_buffer src = buffer(from, bytes + 8192), dst = buffer(to, bytes + 8192);
	char *want = malloc(dst.size);
	unsigned int i;
	int ret = 0;
	bool same;

	noise(src.addr, src.size, 1);
	noise(dst.addr, dst.size, 2);
	memcpy(want, dst.addr, dst.size);
	memcpy(want + 4091, (char *)src.addr + 13, bytes);
	for (i = 1; i < 8 && !ret; i++) {
		memcpy(want + 64 * i, (char *)src.addr + 100 + i, 3 * i);
		ret = kfdq_sdma_copy(queue, (char *)dst.addr + 64 * i,
				     (char *)src.addr + 100 + i, 3 * i);
	}
	if (!ret)
		ret = kfdq_sdma_copy(queue, (char *)dst.addr + 4091, (char *)src.addr + 13, bytes);
	if (!ret)
		ret = run(queue);
	same = !ret && !memcmp(want, dst.addr, dst.size);
	free(want);
	kfdq_free(dev, &src);
	kfdq_free(dev, &dst);
	return same;
}

static void test_copies(void)
{
	static const enum kfdq_memory kinds[] = { KFDQ_GTT, KFDQ_VRAM, KFDQ_USERPTR };
	unsigned int i, j;

	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++)
			tap_ok(copies(kinds[i], kinds[j], 5 * MIB + 77),
			       "5 MiB from %s to %s, unaligned: every byte, and none beside",
			       kind_names[i], kind_names[j]);
	tap_ok(copies(KFDQ_GTT, KFDQ_VRAM, 32 * MIB), "32 MiB from system memory in one packet");
	tap_ok(copies(KFDQ_VRAM, KFDQ_GTT, 32 * MIB), "32 MiB to system memory in one packet");
}

static void test_fill(void)
{
	struct kfdq_buffer b = buffer(KFDQ_VRAM, 6 * MIB);
	uint32_t *p = b.addr;
	size_t i, bad = 0;

	noise(b.addr, b.size, 3);
	kfdq_sdma_fill(queue, p + 1025, 0xa5a5a5a5, 5 * MIB);
	tap_is(run(queue), 0, "5 MiB are filled");
	for (i = 0; i < 5 * MIB / 4; i++)
		bad += p[1025 + i] != 0xa5a5a5a5;
	tap_ok(!bad && p[1024] != 0xa5a5a5a5 && p[1025 + 5 * MIB / 4] != 0xa5a5a5a5,
	       "with the value, from the first to the last dword");
	kfdq_free(dev, &b);
}

static void test_small_packets(void)
{
	struct kfdq_buffer b = buffer(KFDQ_GTT, 4096);
	struct kfd_ioctl_get_clock_counters_args before = { .gpu_id = kfdq_gpu_id(dev) };
	struct kfd_ioctl_get_clock_counters_args after = before;
	uint64_t *p = b.addr;
	int i;

	p[0] = 5;
	kfdq_sdma_atomic_add(queue, &p[0], -7);
	kfdq_sdma_fence(queue, (uint32_t *)&p[1], 0xfe);
	kfdq_sdma_timestamp(queue, &p[2]);
	kfdq_sdma_hdp_flush(queue);
	kfdq_sdma_timestamp(queue, &p[3]);
	kfdq_ioctl(dev, AMDKFD_IOC_GET_CLOCK_COUNTERS, &before);
	tap_is(run(queue), 0, "the interrupt of a trap wakes the process");
	kfdq_ioctl(dev, AMDKFD_IOC_GET_CLOCK_COUNTERS, &after);
	tap_is((long)p[0], -2, "atomic add of a negative number");
	tap_is((long)p[1], 0xfe, "fence");
	tap_ok(p[2] >= before.gpu_clock_counter && p[3] > p[2] &&
	       p[3] <= after.gpu_clock_counter, "time stamps are those of the GPU's clock");
	/* the interrupt comes just before the engine is done with its packet */
	for (i = 0; i < WAIT_MS && kfdq_sdma_read(queue) != kfdq_sdma_written(queue); i++)
		xsdev_sleep_ms(1);
	tap_ok(kfdq_sdma_read(queue) == kfdq_sdma_written(queue),
	       "the read index is where the packets end");
	kfdq_free(dev, &b);
}

static void test_poll(void)
{
	struct kfdq_buffer b = buffer(KFDQ_GTT, 4096);
	uint32_t *p = b.addr;
	unsigned int i;

	kfdq_sdma_fence(queue, &p[16], 1);
	kfdq_sdma_poll(queue, &p[0], 0x1200, 0xff00);
	kfdq_sdma_fence(queue, &p[17], 1);
	kfdq_sdma_ring(queue);
	for (i = 0; i < WAIT_MS && !__atomic_load_n(&p[16], __ATOMIC_ACQUIRE); i++)
		xsdev_sleep_ms(1);
	xsdev_sleep_ms(20);
	tap_ok(p[16] == 1 && p[17] == 0, "a poll stops its queue");
	__atomic_store_n(&p[0], 0x1234, __ATOMIC_RELEASE);
	tap_is(run(queue), 0, "and lets it go on when the CPU has written the value");
	tap_is(p[17], 1, "what follows is executed");
	kfdq_free(dev, &b);
}

/* Longer than the ring, so that it wraps many times, in turns with another queue. */
static void test_wrap(void)
{
	struct kfdq_buffer b = buffer(KFDQ_GTT, 4096);
	struct kfdq_sdma *other = NULL;
	enum kfdq_sdma_kind kind = KFDQ_SDMA_PCIE;
	uint64_t *p = b.addr, engines;
	unsigned int i, refused = 0, n = 4000;

	if (!kfdq_property(dev, "num_sdma_xgmi_engines", &engines) && engines)
		kind = KFDQ_SDMA_XGMI;
	tap_is(kfdq_sdma_create(dev, kind, 4096, &other), 0, "one more queue, of the %s engines",
	       kind == KFDQ_SDMA_XGMI ? "XGMI" : "PCIe");
	if (!other)
		return;
	for (i = 0; i < n; i++) {
		while (kfdq_sdma_atomic_add(queue, &p[0], 1)) {
			kfdq_sdma_ring(queue);
			refused++;
		}
		while (kfdq_sdma_atomic_add(other, &p[8], 1)) {
			kfdq_sdma_ring(other);
			refused++;
		}
	}
	kfdq_sdma_ring(other);
	tap_is(run(queue), 0, "%u packets in two rings", 2 * n);
	tap_is(run(other), 0, "both end");
	tap_ok(p[0] == n && p[8] == n && refused, "each was executed once");
	tap_is(kfdq_sdma_destroy(other), 0, "the queue is destroyed");
	kfdq_free(dev, &b);
}

/* ---- interruptions ---- */

/* How far the noise of @src has come in @dst, which was zero. */
static size_t copied(const struct kfdq_buffer *src, const struct kfdq_buffer *dst, size_t bytes)
{
	const char *s = src->addr, *d = dst->addr;
	size_t i = 0;

	while (i < bytes && !memcmp(s + i, d + i, 4096))
		i += 4096;
	return i;
}

/* Noise has no page of zeros. */
static bool zero(const char *p, size_t bytes)
{
	return !bytes || (!p[0] && !memcmp(p, p + 1, bytes - 1));
}

static int process_op(int fd, uint32_t op)
{
	int ret = xsdev_process_op(fd, op, getpid(), 0, NULL);

	return ret == -EALREADY ? 0 : ret;
}

/* SUSPEND when some of it has been copied. @moved: bytes before that. */
static int copy_and_hold(int fd, struct kfdq_sdma *q, const struct kfdq_buffer *src,
			 const struct kfdq_buffer *dst, long *moved)
{
	const volatile uint32_t *begin = dst->addr;
	int i;

	*moved = gpustat("sdma_bytes");
	kfdq_signal_arm(signal_, 1);
	kfdq_sdma_copy(q, dst->addr, src->addr, src->size);
	kfdq_sdma_signal(q, signal_);
	kfdq_sdma_ring(q);
	for (i = 0; i < WAIT_MS && !begin[4 * MIB / 4]; i++)
		xsdev_sleep_ms(1);
	return process_op(fd, KFD_XSCHED_OP_SUSPEND);
}

/* Slow enough that a process sees the middle of it. */
static void test_hold(int fd)
{
	size_t bytes = 64 * MIB, part;
	struct kfdq_buffer src = buffer(KFDQ_GTT, bytes), dst = buffer(KFDQ_GTT, bytes);
	struct kfdq_sdma *q = NULL;
	long moved;

	noise(src.addr, bytes, 4);
	set_rate("200");
	tap_is(kfdq_sdma_create(dev, KFDQ_SDMA_PCIE, RING, &q), 0,
	       "a queue whose engine copies slowly");
	tap_is(copy_and_hold(fd, q, &src, &dst, &moved), 0, "it is held in the middle of 64 MiB");
	part = copied(&src, &dst, bytes);
	tap_ok(part >= 4 * MIB && part < bytes, "when %zu KiB have been copied", part >> 10);
	tap_ok(zero((char *)dst.addr + part, bytes - part), "and nothing after them");
	xsdev_sleep_ms(500);
	tap_ok(zero((char *)dst.addr + part, bytes - part) &&
	       !memcmp(src.addr, dst.addr, part), "half a second later nothing has changed");
	tap_is(kfdq_signal_wait(dev, signal_, 1), -ETIME, "it has not completed");
	tap_is(kfdq_sdma_read(q), 0, "its read index is at the packet");
	tap_is(process_op(fd, KFD_XSCHED_OP_RESUME), 0, "it is resumed");
	tap_is(kfdq_signal_wait(dev, signal_, WAIT_MS), 0, "it completes");
	tap_ok(!memcmp(src.addr, dst.addr, bytes), "every byte is right");
	tap_is(gpustat("sdma_bytes") - moved, (long)bytes, "and has been moved once");
	tap_is(kfdq_sdma_destroy(q), 0, "destroyed");
	set_rate("0");
	kfdq_free(dev, &src);
	kfdq_free(dev, &dst);
}

/*
 * Each copy takes up what the one before has written, and each is counted: one
 * executed twice, or half, or out of order, shows.
 */
static void test_random_holds(int fd)
{
	enum { ROUNDS = 60, BLOCK = 512 << 10, BLOCKS = 32 };
	struct kfdq_buffer b = buffer(KFDQ_VRAM, BLOCK * (BLOCKS + 1));
	struct kfdq_buffer count = buffer(KFDQ_GTT, 4096);
	struct kfdq_sdma *q = NULL;
	unsigned int i, k, failed = 0, bad = 0;
	char *p = b.addr;

	set_rate("2000");
	failed += kfdq_sdma_create(dev, KFDQ_SDMA_PCIE, RING, &q) != 0;
	for (i = 0; i < ROUNDS && !failed; i++) {
		noise(p, BLOCK, 100 + i);
		for (k = 0; k < BLOCKS; k++) {
			failed += kfdq_sdma_copy(q, p + BLOCK * (k + 1), p + BLOCK * k,
						 BLOCK) != 0;
			failed += kfdq_sdma_atomic_add(q, count.addr, 1) != 0;
		}
		kfdq_signal_arm(signal_, 1);
		failed += kfdq_sdma_signal(q, signal_) != 0;
		kfdq_sdma_ring(q);
		for (k = 0; k < 3; k++) {
			usleep((i * 37 + k * 101) % 700);
			failed += process_op(fd, KFD_XSCHED_OP_SUSPEND) != 0;
			usleep(i * 13 % 300);
			failed += process_op(fd, KFD_XSCHED_OP_RESUME) != 0;
		}
		failed += kfdq_signal_wait(dev, signal_, WAIT_MS) != 0;
		for (k = 0; k < BLOCKS; k++)
			bad += memcmp(p, p + BLOCK * (k + 1), BLOCK) != 0;
	}
	tap_is(failed, 0, "%d chains of %d copies, each held and resumed three times", ROUNDS, BLOCKS);
	tap_is(bad, 0, "every block is right");
	tap_is(*(long *)count.addr, ROUNDS * BLOCKS, "every packet was executed once");
	kfdq_sdma_destroy(q);
	set_rate("0");
	kfdq_free(dev, &b);
	kfdq_free(dev, &count);
}

/* ---- ends ---- */

static void test_unknown(void)
{
	static const uint32_t write_register[] = { 14 | 0xfu << 28, 0x10, 0 };
	long bad = gpustat("bad_packets");
	struct kfdq_buffer b = buffer(KFDQ_GTT, 4096);
	uint32_t *p = b.addr;
	struct kfdq_sdma *q = NULL;
	unsigned int i;

	gpustat_expect("bad_packets", 1);
	gpustat_expect("queue_faults", 1);
	tap_is(kfdq_sdma_create(dev, KFDQ_SDMA_PCIE, 4096, &q), 0, "one more queue");
	kfdq_sdma_fence(q, &p[0], 1);
	kfdq_sdma_put(q, write_register, 3);
	kfdq_sdma_fence(q, &p[1], 1);
	tap_is(run_for(q, 300), -ETIME, "a packet nobody knows halts its queue");
	for (i = 0; i < WAIT_MS && gpustat("bad_packets") == bad; i++)
		xsdev_sleep_ms(1);
	tap_ok(p[0] == 1 && p[1] == 0 && kfdq_sdma_read(q) == 16, "at that packet");
	tap_is(gpustat("bad_packets"), bad + 1, "the GPU has counted it");
	tap_is(run(queue), 0, "the queue beside it works");
	tap_is(kfdq_sdma_destroy(q), 0, "the halted one is destroyed");
	kfdq_free(dev, &b);
}

/* In a process of its own: a long copy, and "ready" on the pipe. */
static void copy_until_killed(int ready)
{
	struct kfdq_buffer src, dst;
	struct kfdq_sdma *q;
	int i;

	if (kfdq_open(&dev) || kfdq_alloc(dev, KFDQ_VRAM, 8 * MIB, &src) ||
	    kfdq_alloc(dev, KFDQ_GTT, 8 * MIB, &dst) ||
	    kfdq_sdma_create(dev, KFDQ_SDMA_PCIE, RING, &q))
		_exit(1);
	noise(src.addr, src.size, 5);
	for (i = 0; i < 100; i++)
		kfdq_sdma_copy(q, dst.addr, src.addr, src.size);
	kfdq_sdma_ring(q);
	while (!*(volatile uint32_t *)((char *)dst.addr + MIB))
		usleep(100);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void test_kill(int fd)
{
	int ready[2], i, failed = 0, status;
	pid_t pid;
	char c;

	set_rate("50");
	for (i = 0; i < 3; i++) {
		if (pipe(ready))
			tap_bail("pipe");
		pid = fork();
		if (!pid)
			copy_until_killed(ready[1]);
		close(ready[1]);
		failed += read(ready[0], &c, 1) != 1;
		close(ready[0]);
		kill(pid, SIGKILL);
		failed += waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status);
	}
	tap_is(failed, 0, "three processes are killed, each in the middle of a copy");
	set_rate("0");
	tap_is(xsdev_wait_no_queue(fd, WAIT_MS), 0, "nothing of them is left");
}

int main(void)
{
	int fd = must_open(), ret;

	/* first, as their processes must not inherit ours */
	test_kill(fd);
	ret = kfdq_open(&dev);
	if (!ret)
		ret = kfdq_signal_create(dev, &signal_);
	if (!ret)
		ret = kfdq_sdma_create(dev, KFDQ_SDMA_PCIE, RING, &queue);
	if (ret)
		tap_bail("no SDMA queue: error %d", ret);
	test_copies();
	test_fill();
	test_small_packets();
	test_poll();
	test_wrap();
	test_hold(fd);
	test_random_holds(fd);
	test_unknown();
	tap_is(kfdq_sdma_destroy(queue), 0, "the queue is destroyed");
	kfdq_close(dev);
	return tap_done();
}
