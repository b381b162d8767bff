// SPDX-License-Identifier: MIT
/* Memory goes away while a kernel works: amdkfd evicts the queues, and restores them. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "parts.h"

extern "C" {
#include "../user/lib/gpustat.h"
#include "../user/lib/pressure.h"
}

#define N 65536

/* Another process fills VRAM: memory of the process that allocates is not evicted for it. */
static bool others_fill(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(pressure_once() != 0);
	waitpid(child, &status, 0);
	return !status;
}

/* Others want VRAM while kernels run one after the other. */
static void vram_wanted(void)
{
	std::vector<uint32_t> from = numbers(N, 1);
	device_array<uint32_t> d(from);
	long before = gpustat("saves");
	uint32_t rounds = rounds_of_us(30000);
	int i, failed = 0;
	stream s;

	for (i = 0; i < 20; i++)
		launch_iterate(d.at, N, rounds, s.s);
	for (i = 0; i < 4; i++) {
		usleep(50000);
		failed += !others_fill();
	}
	HIP(hipStreamSynchronize(s.s));
	tap_is(failed, 0, "VRAM is taken away four times");
	tap_ok(gpustat("saves") > before, "which interrupts the kernels");
	tap_ok(d.get() == iterated(from, 20 * rounds), "and changes nothing of their result");
}

#define TOO_LATE	2	/* exit status: parts were written before the fork */
#define TRIES		5	/* in real time (the guest forky-smp), where the host may be too slow for one */

static bool is(const uint32_t *m, const std::vector<uint32_t> &want)
{
	return !memcmp(m, want.data(), N * 4);
}

/* Fork a child that looks at @m now, and once more when @end is closed. */
static pid_t fork_watcher(const uint32_t *m, const std::vector<uint32_t> &from, int *end)
{
	int pipes[2];
	pid_t child;
	char c;

	if (pipe(pipes))
		tap_bail("pipe");
	child = fork();
	if (!child) {
		close(pipes[1]);
		if (!is(m, from))
			_exit(TOO_LATE);
		_exit(read(pipes[0], &c, 1) != 0 || !is(m, from));
	}
	close(pipes[0]);
	*end = pipes[1];
	return child;
}

/* Returns how the child ended, and whether the parent has its result. */
static int fork_while_written(uint32_t *m, uint32_t *seen, bool *right)
{
	const std::vector<uint32_t> from = numbers(N, 2);
	uint32_t rounds = rounds_of_us(600000);
	int status = -1, end, i;
	stream s;
	pid_t child;

	memcpy(m, from.data(), N * 4);
	launch_iterate(seen, N, rounds, s.s);
	(void)hipStreamQuery(s.s);
	usleep(50000);
	child = fork_watcher(m, from, &end);
	for (i = 0; i < N; i += 1024) {	/* the same value: but a page of its own now */
		uint32_t same = m[i];

		__atomic_compare_exchange_n(&m[i], &same, same, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
	HIP(hipStreamSynchronize(s.s));
	*right = is(m, iterated(from, rounds));
	close(end);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A child shares the pages a kernel writes; the first to write gets new ones. */
static void copy_on_write(void)
{
	int status = TOO_LATE, i;
	bool right = true;
	uint32_t *m, *seen;

	m = (uint32_t *)mmap(NULL, N * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	HIP(hipHostRegister(m, N * 4, hipHostRegisterDefault));
	HIP(hipHostGetDevicePointer((void **)&seen, m, 0));
	for (i = 0; i < TRIES && right && status == TOO_LATE; i++)
		status = fork_while_written(m, seen, &right);
	tap_ok(right, "fork while a kernel writes: the parent has its result");
	tap_is(status, 0, "and the child what was there before");
	HIP(hipHostUnregister(m));
	munmap(m, N * 4);
}

void test_pressure(void)
{
	run_test("VRAM wanted", vram_wanted);
	run_test("copy on write", copy_on_write);
}
