// SPDX-License-Identifier: MIT
/* Many hardware queues in a process, and how one waits for them. */
#include <dirent.h>
#include <memory>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "kernels.h"
#include "parts.h"

#define N	 65536
#define STREAMS	 8
#define WAIT_MS	 400

/* Queues of this process by amdkfd's type: 0 is compute, the others copy. */
static void count_queues(int *compute, int *copy)
{
	const std::string dir = "/sys/class/kfd/kfd/proc/" + std::to_string(getpid()) + "/queues";
	DIR *d = opendir(dir.c_str());
	struct dirent *e;
	int type;

	*compute = *copy = 0;
	while (d && (e = readdir(d))) {
		FILE *f = fopen((dir + "/" + e->d_name + "/type").c_str(), "r");

		if (f && fscanf(f, "%d", &type) == 1)
			++*(type ? copy : compute);
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
}

/* A stream with a queue of its own, whatever others there are: it may use half of the CUs. */
static hipStream_t own_queue(void)
{
	hipDeviceProp_t p;
	hipStream_t s;

	HIP(hipGetDeviceProperties(&p, 0));
	std::vector<uint32_t> mask((p.multiProcessorCount + 31) / 32);
	for (int i = 0; i < p.multiProcessorCount / 2; i++)
		mask[i / 32] |= 1u << i % 32;
	HIP(hipExtStreamCreateWithCUMask(&s, mask.size(), mask.data()));
	return s;
}

/**
 * struct lane - a stream with copies both ways and kernels, in a loop
 * @s: the stream
 * @d: what is worked on
 * @host: where it comes from and goes to, pinned
 */
struct lane {
	hipStream_t s;
	device_array<uint32_t> d;
	uint32_t *host;

	explicit lane(int i) : d(N)
	{
		const std::vector<uint32_t> from = numbers(N, i);

		if (i % 4 == 3)
			s = own_queue();
		else
			HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
		HIP(hipHostMalloc((void **)&host, N * 4, hipHostMallocDefault));
		memcpy(host, from.data(), N * 4);
	}
	~lane()
	{
		(void)hipStreamDestroy(s);
		(void)hipHostFree(host);
	}
	lane(const lane &) = delete;
	lane &operator=(const lane &) = delete;

	void go(uint32_t rounds)
	{
		HIP(hipMemcpyAsync(d.at, host, N * 4, hipMemcpyHostToDevice, s));
		launch_iterate(d.at, N, rounds, s);
		HIP(hipMemcpyAsync(host, d.at, N * 4, hipMemcpyDeviceToHost, s));
	}
};

static void many_queues(void)
{
	std::vector<std::unique_ptr<lane>> lanes;
	uint32_t rounds = rounds_of_us(500);
	int i, k, compute, copy, wrong = 0;

	for (k = 0; k < STREAMS; k++)
		lanes.emplace_back(new lane(k));
	for (i = 0; i < 5; i++)
		for (auto &l : lanes)
			l->go(rounds);
	count_queues(&compute, &copy);
	for (k = 0; k < STREAMS; k++) {
		HIP(hipStreamSynchronize(lanes[k]->s));
		wrong += iterated(numbers(N, k), 5 * rounds) !=
			std::vector<uint32_t>(lanes[k]->host, lanes[k]->host + N);
	}
	tap_note("%d compute queues, %d for copies", compute, copy);
	tap_ok(compute >= 4 && copy >= 1, "several compute queues, and some for copies");
	tap_is(wrong, 0, "copies both ways and kernels in %d streams at a time", STREAMS);
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Milliseconds that all threads of the process were on a CPU while it waited for a kernel; -1: it did not wait. */
static double waiting(void (*wait)(hipStream_t s, hipEvent_t e), const char *what)
{
	device_array<uint32_t> d(numbers(N, 1));
	double cpu, wall;
	hipEvent_t e;
	stream s;

	HIP(hipEventCreateWithFlags(&e, hipEventBlockingSync | hipEventDisableTiming));
	launch_iterate(d.at, N, rounds_of_us(WAIT_MS * 1000), s.s);
	HIP(hipEventRecord(e, s.s));
	cpu = cpu_ms();
	wall = now_ms();
	wait(s.s, e);
	cpu = cpu_ms() - cpu;
	wall = now_ms() - wall;
	HIP(hipEventDestroy(e));
	tap_note("%s: %.1f ms of a CPU in %.1f ms", what, cpu, wall);
	if (wall < WAIT_MS / 2 || d.get() != iterated(numbers(N, 1), rounds_of_us(WAIT_MS * 1000)))
		return -1;
	return cpu;
}

static void wait_event(hipStream_t, hipEvent_t e)
{
	HIP(hipEventSynchronize(e));
}

static void wait_stream(hipStream_t s, hipEvent_t)
{
	HIP(hipStreamSynchronize(s));
}

static void wait_device(hipStream_t, hipEvent_t)
{
	HIP(hipDeviceSynchronize());
}

/*
 * ROCr lets one thread sleep while it waits for a signal; others that wait for it spin. If the runtime's own
 * thread is that one, as it may be unless it @must not, there is nothing to test.
 */
static void is_asleep(double cpu, const char *what, bool must)
{
	if (!must && cpu >= WAIT_MS / 4)
		tap_skip("the runtime's own thread waits for the same signal",
			 "%s sleeps with hipDeviceScheduleBlockingSync", what);
	else
		tap_ok(cpu >= 0 && cpu < WAIT_MS / 4, "%s sleeps with hipDeviceScheduleBlockingSync", what);
}

static void waiting_asleep(void)
{
	const bool old = HIP_VERSION < 50300000, newest = HIP_VERSION >= 60000000;

	is_asleep(waiting(wait_event, "hipEventSynchronize"), "hipEventSynchronize", !old);
	is_asleep(waiting(wait_stream, "hipStreamSynchronize"), "hipStreamSynchronize", !old && !newest);
	is_asleep(waiting(wait_device, "hipDeviceSynchronize"), "hipDeviceSynchronize", !old && !newest);
}

static void waiting_awake(void)
{
	tap_ok(waiting(wait_stream, "hipStreamSynchronize") >= 0, "hipStreamSynchronize waits as HIP does by itself");
}

void test_queues(bool asleep)
{
	run_test("many queues", many_queues);
	if (asleep)
		run_test("waiting asleep", waiting_asleep);
	else
		run_test("waiting", waiting_awake);
}
