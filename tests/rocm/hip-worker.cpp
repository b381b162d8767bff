// SPDX-License-Identifier: MIT
/*
 * A HIP process that carries out commands, one a line, and prints the results.
 *
 *   hip-worker FIFO [asleep | fork CHILDREN]
 *
 * "asleep": it sleeps while it waits for kernels; HIP polls otherwise. With "fork",
 * before HIP is touched: the children are workers, too, with the FIFOs FIFO.0, FIFO.1, ...
 * (and FIFO.0.log, ...); the process itself only waits for them. Commands:
 *
 *   work COUNT US ITEMS SEED    COUNT kernels of US microseconds in a row
 *   loop US ITEMS SEED STOP     the same, ten at a time, until the file STOP is there
 *   request COUNT PERIOD US KERNELS ITEMS SEED
 *                               COUNT times, PERIOD us apart: KERNELS kernels
 *   streams COUNT US            COUNT kernels on several streams that wait for each other
 *   memory ITEMS SEED           every kind of copy and fill
 *   launches COUNT              and "steps N" of each: its instructions in user space
 *   children COUNT              fork so many that compute on the CPU, while a kernel runs
 *   beat US ITEMS SEED STOP FILE
 *                               one after the other, until the file STOP is there; FILE has the
 *                               CLOCK_MONOTONIC of the end of each, in nanoseconds
 *   model OPTION...             a model of tests/bench, with the options of xs-model
 *   skip N                      leave out dispatch N of models, from 1; 0: none
 *   leave US                    exit while a kernel of that length runs
 *   exit                        exit
 *
 * After each it prints "done good|bad ...": what is verified is verified bit by bit.
 */
#include <inttypes.h>
#include <sstream>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "model_hip.h"
#include "steps.h"
#include "worker_streams.h"

static void said(bool good, const std::string &more)
{
	printf("done %s%s\n", good ? "good" : "bad", more.c_str());
}

static bool asleep;

/* Wait for all of @s. HIP 6 does not sleep in hipStreamSynchronize(), whatever the device's flags are. */
static void finish(const stream &s)
{
	if (!asleep) {
		HIP(hipStreamSynchronize(s.s));
		return;
	}
	event done(hipEventBlockingSync);
	HIP(hipEventRecord(done.e, s.s));
	HIP(hipEventSynchronize(done.e));
}

static void work(std::istringstream &in)
{
	uint32_t count, us, items, seed, i;

	in >> count >> us >> items >> seed;
	device_array<uint32_t> d(numbers(items, seed));
	stream s;
	for (i = 0; i < count; i++)
		launch_iterate(d.at, items, rounds_of_us(us), s.s);
	finish(s);
	said(d.get() == iterated(numbers(items, seed), count * rounds_of_us(us)), "");
}

static void loop(std::istringstream &in)
{
	uint32_t us, items, seed, i, n = 0, wrong = 0;
	std::string stop;
	double begin = now_ms();

	in >> us >> items >> seed >> stop;
	std::vector<uint32_t> want = numbers(items, seed);
	device_array<uint32_t> d(want);
	stream s;
	while (access(stop.c_str(), F_OK)) {
		for (i = 0; i < 10; i++)
			launch_iterate(d.at, items, rounds_of_us(us), s.s);
		finish(s);
		want = iterated(want, 10 * rounds_of_us(us));
		wrong += d.get() != want;
		n += 10;
	}
	char text[96];
	snprintf(text, sizeof(text), " kernels %u wrong %u ms %.3f", n, wrong,
		 now_ms() - begin);
	said(!wrong && n, text);
}

static void beat(std::istringstream &in)
{
	uint32_t us, items, seed, n = 0, i;
	std::string stop, times;

	in >> us >> items >> seed >> stop >> times;
	std::vector<uint32_t> want = numbers(items, seed);
	const struct steps once = steps_of(rounds_of_us(us));
	device_array<uint32_t> d(want);
	FILE *f = fopen(times.c_str(), "w");
	stream s;
	for (; f && access(stop.c_str(), F_OK); n++) {
		launch_iterate(d.at, items, rounds_of_us(us), s.s);
		finish(s);
		fprintf(f, "%llu\n", (unsigned long long)model_now());
	}
	for (uint32_t &x : want)
		for (i = 0; i < n; i++)
			x = x * once.a + once.b;
	said(f && !fclose(f) && n && d.get() == want, "");
}

static void wait_until(double ms)
{
	double left = ms - now_ms();

	if (left > 0)
		usleep((useconds_t)(left * 1000));
}

static void request(std::istringstream &in)
{
	uint32_t count, period, us, kernels, items, seed, i, k, wrong = 0;
	double begin;
	char text[64];

	in >> count >> period >> us >> kernels >> items >> seed;
	std::vector<uint32_t> want = numbers(items, seed);
	device_array<uint32_t> d(want);
	stream s;
	begin = now_ms();
	for (i = 0; i < count; i++) {
		wait_until(begin + (double)period * i / 1000);
		for (k = 0; k < kernels; k++)
			launch_iterate(d.at, items, rounds_of_us(us), s.s);
		finish(s);
		want = iterated(want, kernels * rounds_of_us(us));
		wrong += d.get() != want;
	}
	snprintf(text, sizeof(text), " requests %u wrong %u ms %.3f", count, wrong, now_ms() - begin);
	said(!wrong, text);
}

/* Times of events are those of the kernels between them, at the least: three quarters of @us on the fastest GPU. */
static void streams(std::istringstream &in)
{
	uint32_t count, us;
	char text[64];
	float ms = 0;
	bool good;

	in >> count >> us;
	good = chain_streams(count, us, &ms);
	snprintf(text, sizeof(text), " ms %.3f", ms);
	said(good && ms >= 0.75 * count * us / 1000, text);
}

static void memory(std::istringstream &in)
{
	uint32_t items, seed;

	in >> items >> seed;
	std::vector<uint32_t> from = numbers(items, seed);
	device_array<uint32_t> a(from), b(items);
	bool good;

	HIP(hipMemset(b.at, 0x5a, items * 4));
	good = b.get() == std::vector<uint32_t>(items, 0x5a5a5a5a);
	HIP(hipMemcpy(b.at, a.at, items * 4, hipMemcpyDeviceToDevice));
	good &= b.get() == from;
	said(good, "");
}

static void launches(std::istringstream &in)
{
	std::vector<uint32_t> from = numbers(256, 1);
	uint32_t count, i;

	in >> count;
	device_array<uint32_t> d(from);
	stream s;
	launch_iterate(d.at, 256, 10, s.s);
	HIP(hipStreamSynchronize(s.s));
	for (i = 0; i < count; i++) {
		steps_begin();
		launch_iterate(d.at, 256, 10, s.s);
		printf("steps %" PRIu64 "\n", steps_end());
		HIP(hipStreamSynchronize(s.s));
	}
	said(d.get() == iterated(from, 10 * (count + 1)), "");
}

/* As multiprocessing does: the children never touch the GPU. */
static void children(std::istringstream &in)
{
	uint32_t count, i, good = 0, rounds = rounds_of_us(200000);
	std::vector<uint32_t> from = numbers(4096, 5), want = iterated(from, 1000);
	int status;

	in >> count;
	device_array<uint32_t> d(from);
	stream s;
	launch_iterate(d.at, 4096, rounds, s.s);
	for (i = 0; i < count; i++)
		if (!fork())
			_exit(iterated(from, 1000) != want);
	for (i = 0; i < count; i++)
		good += wait(&status) > 0 && !status;
	HIP(hipStreamSynchronize(s.s));
	said(good == count && d.get() == iterated(from, rounds), "");
}

static void model(std::istringstream &in)
{
	struct model_queue queue = { };
	std::vector<std::string> words = { "model" };
	std::vector<char *> argv;
	int used;
	std::string word;

	queue.priority = MODEL_QUEUE_PRIORITY;
	while (in >> word)
		words.push_back(word);
	for (std::string &w : words)
		argv.push_back(&w[0]);
	argv.push_back(NULL);
	used = model_queue_options((int)words.size() - 1, argv.data() + 1, &queue);
	if (used < 0 || !model_hip_use(&queue)) {
		said(false, " options of its queue");
		return;
	}
	argv[used] = argv[0];
	said(!model_command((int)words.size() - used, argv.data() + used, model_hip()), "");
}

static void skip(std::istringstream &in)
{
	uint64_t n;

	in >> n;
	model_hip_skip(n);
	said(true, "");
}

static void leave(std::istringstream &in)
{
	uint32_t us;

	in >> us;
	device_array<uint32_t> d(numbers(256, 1));
	stream s;
	launch_iterate(d.at, 256, rounds_of_us(us), s.s);
	(void)hipStreamQuery(s.s);
	said(true, "");
	fflush(stdout);
	_exit(0);
}

static const struct {
	const char *name;
	void (*run)(std::istringstream &in);
} commands[] = {
	{ "work", work },
	{ "loop", loop },
	{ "beat", beat },
	{ "request", request },
	{ "streams", streams },
	{ "memory", memory },
	{ "launches", launches },
	{ "children", children },
	{ "model", model },
	{ "skip", skip },
	{ "leave", leave },
};

static void obey(const std::string &line)
{
	std::istringstream in(line);
	std::string name;

	in >> name;
	for (const auto &c : commands) {
		if (name != c.name)
			continue;
		try {
			c.run(in);
		} catch (const hip_failed &) {
			said(false, " HIP");
		}
		return;
	}
	said(false, " unknown command");
}

static int serve(const std::string &fifo)
{
	hipDeviceProp_t p;
	std::string line;

	try {
		/* Before anything else, as in test-hip. */
		if (asleep)
			HIP(hipSetDeviceFlags(hipDeviceScheduleBlockingSync));
		set_up();
		HIP(hipGetDeviceProperties(&p, 0));
		printf("device %s\n", p.gcnArchName);
	} catch (const hip_failed &) {
		said(false, " set up");
		return 1;
	}
	while ((line = wait_for_line(fifo)) != "exit\n")
		obey(line);
	said(true, "");
	return 0;
}

static int fork_workers(const std::string &fifo, int n)
{
	int i, status, failed = 0;

	for (i = 0; i < n; i++) {
		if (fork())
			continue;
		std::string name = fifo + "." + std::to_string(i);
		if (!freopen((name + ".log").c_str(), "w", stdout))
			return 1;
		setvbuf(stdout, NULL, _IOLBF, 0);
		return serve(name);
	}
	for (i = 0; i < n; i++)
		failed += wait(&status) < 0 || status;
	said(!failed, "");
	return failed != 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && !strcmp(argv[2], "fork"))
		return fork_workers(argv[1], atoi(argv[3]));
	asleep = argc == 3 && !strcmp(argv[2], "asleep");
	if (argc != 2 && !asleep)
		tap_bail("usage: hip-worker FIFO [asleep | fork CHILDREN]");
	return serve(argv[1]);
}
