// SPDX-License-Identifier: MIT
/* Memory goes away while a kernel works: amdkfd evicts the queues, and restores them. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "parts.h"

extern "C" {
#include "../user/gpustat.h"
#include "../user/pressure.h"
}

#define N 65536

/* Another process fills VRAM: nobody's own memory makes room for him. */
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

/* A child shares the pages a kernel writes; who writes first gets others. */
static void copy_on_write(void)
{
	uint32_t rounds = rounds_of_us(300000), *seen;
	std::vector<uint32_t> from = numbers(N, 2);
	int status = -1, pipes[2], i;
	char c = 0;
	stream s;
	pid_t child;
	uint32_t *m = (uint32_t *)mmap(NULL, N * 4, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(m, from.data(), N * 4);
	HIP(hipHostRegister(m, N * 4, hipHostRegisterDefault));
	HIP(hipHostGetDevicePointer((void **)&seen, m, 0));
	if (pipe(pipes))
		tap_bail("pipe");
	launch_iterate(seen, N, rounds, s.s);
	(void)hipStreamQuery(s.s);
	usleep(50000);
	child = fork();
	if (!child) {
		close(pipes[1]);
		i = read(pipes[0], &c, 1);
		_exit(i != 0 || memcmp(m, from.data(), N * 4));
	}
	for (i = 0; i < N; i += 1024)	/* the same value: but a page of its own now */
		*(volatile uint32_t *)&m[i] = m[i];
	HIP(hipStreamSynchronize(s.s));
	tap_ok(!memcmp(m, iterated(from, rounds).data(), N * 4),
	       "fork while a kernel writes: the parent has its result");
	close(pipes[1]);
	waitpid(child, &status, 0);
	close(pipes[0]);
	tap_is(status, 0, "and the child what was there before");
	HIP(hipHostUnregister(m));
	munmap(m, N * 4);
}

void test_pressure(void)
{
	run_test("VRAM wanted", vram_wanted);
	run_test("copy on write", copy_on_write);
}
