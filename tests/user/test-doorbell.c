// SPDX-License-Identifier: MIT
/*
 * The doorbell tap of the patched amdkfd: no ring is lost, whatever becomes of
 * the mapping. Needs kfd_probe.ko (tests/patch) in place of the scheduler.
 *
 *   test-doorbell [RINGS]     all tests, with so many rings against the agent
 *   test-doorbell --after-exec, --left   for the test itself
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "gpufault.h"
#include "gpustat.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"

#define PROBE		"/sys/kernel/debug/kfd_probe/"
#define MS		1000000ULL
#define CACHE_UC_MINUS	0x10	/* the PTE's PCD bit alone */

/* Longer than it takes to hold a queue, so that work which was not seen gets stuck. */
static const struct spin_shape brief = { 1, 64, 300000 };
/* More than two seconds: it is looked at, and stopped, half-way. */
static const struct spin_shape lengthy = { 16384, 256, 100 * MS };
static const struct spin_shape endless = { 64, 256, 60000 * MS };

/* Give the probe a command: 0 or -errno. */
static int probe(const char *format, ...)
{
	char text[64];
	va_list args;
	int fd, ret = 0;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fd = open(PROBE "run", O_WRONLY);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Number after "@key=" in the result of the last command, or -1. */
static long result(const char *key)
{
	char text[2048] = "", *at;
	int fd = open(PROBE "result", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	at = n > 0 ? strstr(text, key) : NULL;
	return at ? strtol(at + strlen(key) + 1, NULL, 0) : -1;
}

static long rings_seen(void)
{
	probe("counts");
	return result("doorbells");
}

/* How often @text is in it. */
static unsigned int result_count(const char *text)
{
	static char all[2048];

	return sysfile_read(all, sizeof(all), PROBE "result") < 0 ? 0 : sysfile_count(all, text);
}

/* Arm, ring at @at, and expect one callback. */
static void expect_ring(volatile void *at, const char *what)
{
	long faults, seen;
	int ret;

	rings_seen();
	ret = probe("arm");
	faults = app_touch(at);
	seen = rings_seen();
	tap_ok(!ret && seen == 1 && faults == 1, "%s: armed (%d), a ring faults (%ld) and is reported (%ld)",
	       what, ret, faults, seen);
	faults = app_touch(at);
	seen = rings_seen();
	tap_ok(!seen && !faults, "%s: the next ring costs nothing (%ld faults, %ld reports)", what,
	       faults, seen);
}

static void test_simple(struct app *app)
{
	char *db = app->dev->doorbells;

	/* The runtime has just rung: pages are in. */
	tap_is(app_touch(db + APP_SPARE), 0, "an untapped process has no fault");
	expect_ring(db + APP_SPARE, "first page");
	tap_is(result("offset"), APP_SPARE, "the report has its place");
	tap_is(app_touch(db + APP_PAGE + APP_SPARE), 1, "the other page takes a fault of its own");
	tap_is(rings_seen(), 0, "which is not reported");
	expect_ring(db + APP_PAGE + APP_SPARE, "second page");

	probe("arm");
	tap_is(probe("disarm"), 0, "disarm");
	tap_is(result("armed"), 1, "it had been armed");
	tap_is(app_touch(db + APP_SPARE), 1, "then a ring faults once");
	tap_is(rings_seen(), 0, "and is not reported");
	probe("disarm");
	tap_is(result("armed"), 0, "disarming twice says so");

	probe("arm");
	tap_is(probe("arm"), 0, "arming twice is fine");
	(void)*(volatile uint64_t *)(db + APP_SPARE);
	tap_is(rings_seen(), 1, "a read is reported like a ring");
	tap_is(app_run(app, 0, &brief), 0, "the queue works");
}

static void test_cache(struct app *app)
{
	unsigned long db = (unsigned long)app->dev->doorbells;

	tap_is(probe("pte %lu", db), 0, "page table entry");
	tap_ok(result("present") == 1 && result("cache") == CACHE_UC_MINUS,
	       "the mapping is uncached before (%#lx)", result("cache"));
	probe("arm");
	probe("pte %lu", db);
	tap_is(result("present"), 0, "armed, the page is out");
	(void)*(volatile uint64_t *)db;
	probe("pte %lu", db);
	tap_ok(result("present") == 1 && result("cache") == CACHE_UC_MINUS && result("write") == 1,
	       "a page that came back is uncached and writable (%#lx)", result("cache"));
	rings_seen();
}

static void test_mappings(struct app *app)
{
	char *db = app->dev->doorbells, *moved, *second;
	off_t offset = app_doorbell_offset(app);

	moved = mremap(db, APP_DOORBELLS, APP_DOORBELLS, MREMAP_MAYMOVE | MREMAP_FIXED,
		       db + 64 * APP_PAGE);
	tap_ok(moved == db + 64 * APP_PAGE, "mremap");
	tap_is(app_touch(moved + APP_SPARE), 0, "moved while in: no fault");
	expect_ring(moved + APP_SPARE, "moved");
	rings_seen();
	probe("arm");
	db = mremap(moved, APP_DOORBELLS, APP_DOORBELLS, MREMAP_MAYMOVE | MREMAP_FIXED, db);
	app_touch(db + APP_SPARE);
	tap_is(rings_seen(), 1, "moved while out: reported");

	tap_ok(mremap(db, APP_DOORBELLS, 2 * APP_DOORBELLS, MREMAP_MAYMOVE) == MAP_FAILED,
	       "it cannot grow");
	tap_ok(madvise(db, APP_DOORBELLS, MADV_DOFORK) && errno == EINVAL,
	       "a child cannot be made to inherit it");

	mprotect(db, APP_PAGE, PROT_NONE);
	probe("arm");
	mprotect(db, APP_PAGE, PROT_READ | PROT_WRITE);
	app_touch(db + APP_SPARE);
	tap_is(rings_seen(), 1, "split and protected while out: reported");
	app_touch(db + APP_PAGE + APP_SPARE);
	tap_is(rings_seen(), 0, "the other half comes back silently");

	second = mmap(NULL, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED, app->dev->kfd, offset);
	tap_ok(second != MAP_FAILED, "a second mapping");
	tap_is(rings_seen(), 1, "mapping doorbells is reported: they can be rung");
	probe("arm");
	app_touch(second + APP_SPARE);
	tap_is(rings_seen(), 1, "a ring at the second mapping is reported");
	tap_is(app_touch(db + APP_SPARE), 1, "the first one comes back with a fault");
	tap_is(rings_seen(), 0, "silently");
	probe("arm");
	munmap(second, APP_PAGE);
	app_touch(second + APP_PAGE + APP_SPARE);
	tap_is(rings_seen(), 1, "half of it unmapped while out: the other half is reported");
	munmap(second + APP_PAGE, APP_PAGE);
	expect_ring(db + APP_SPARE, "after the second mapping went");

	munmap(db, APP_DOORBELLS);
	tap_is(probe("arm"), 0, "nothing mapped: armed all the same");
	rings_seen();
	second = mmap(db, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		      app->dev->kfd, offset);
	tap_ok(second == db && rings_seen() == 1, "mapped anew: reported");
	probe("disarm");
	tap_is(result("armed"), 0, "and not armed any more");
	tap_is(app_touch(db + APP_SPARE), 1, "a new mapping has no pages until it is rung");
	tap_is(rings_seen(), 0, "which is not reported");
	expect_ring(db + APP_SPARE, "mapped anew");
	tap_is(app_run(app, 1, &brief), 0, "the queue works");
}

/* A private mapping after a shared one, and the queue still works. */
static int child_private(struct app *app)
{
	if (probe("arm"))
		return 1;
	if (mmap(NULL, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_PRIVATE, app->dev->kfd,
		 app_doorbell_offset(app)) == MAP_FAILED)
		return 2;
	if (probe("arm") != -EOPNOTSUPP)
		return 3;
	return app_run(app, 0, &brief) ? 4 : 0;
}

/*
 * KFD looks at the upper bits of an offset alone, so these doorbells can be mapped
 * as those after them: the pages must not become those of another process.
 */
static int child_shifted(struct app *app)
{
	volatile uint64_t *db = app->dev->doorbells, *shifted;

	shifted = mmap(NULL, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED, app->dev->kfd,
		       app_doorbell_offset(app) + (off_t)APP_DOORBELLS);
	if (shifted == MAP_FAILED)
		return 1;
	if (probe("arm") != -EOPNOTSUPP)
		return 2;
	/* Mapped at once, and so by KFD itself: a fault would be ours. */
	if (app_touch(shifted + APP_SPARE / 8))
		return 3;
	app_touch(db + APP_SPARE / 8);
	return app_run(app, 0, &brief) ? 4 : 0;
}

static int strangers_file;

/* With a file that its parent has opened, a process can map no doorbells. */
static int child_stranger(struct app *app)
{
	void *at = mmap(NULL, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED, strangers_file,
			app_doorbell_offset(app));

	if (at != MAP_FAILED || errno != EBADF)
		return 1;
	if (probe("arm"))
		return 2;
	return app_run(app, 0, &brief) ? 3 : 0;
}

static int child_exec(struct app *app)
{
	(void)app;
	if (probe("arm"))
		return 1;
	execl("/proc/self/exe", "test-doorbell", "--after-exec", NULL);
	return 2;
}

/* The image after exec, as the same process: its tap is a new one. */
static int after_exec(void)
{
	struct app app;
	int tries = 500, ret;

	app_open(&app, 16);
	/* The probe knows processes by pid, so the queues of the old one must have gone. */
	while ((ret = probe("arm")) && --tries)
		usleep(10000);
	if (ret)
		return 3;
	return app_run(&app, 0, &brief) ? 4 : 0;
}

static int child_killed(struct app *app)
{
	spin_submit(&app->spin, app->queue[0], &lengthy, 1, NULL);
	probe("arm");
	kill(getpid(), SIGKILL);
	return 1;
}

static int child_exits(struct app *app)
{
	(void)app;
	return probe("arm") ? 1 : 0;
}

/* Hold it in the middle of a kernel, as its saved contexts show. */
static bool hold_in_kernel(struct app *app)
{
	spin_submit(&app->spin, app->queue[0], &lengthy, 1, app->done[0]);
	usleep(5000);
	return !probe("hold") && !probe("info") && result("waves") > 0;
}

/* Destroyed with saved contexts: nobody looks for them in memory that is freed. */
static int child_destroys(struct app *app)
{
	if (!hold_in_kernel(app))
		return 2;
	if (kfdq_queue_destroy(app->queue[0]))
		return 3;
	app->queue[0] = NULL;
	return probe("counts") || result("gone_saved") ? 4 : 0;
}

/* What the firmware left of it cannot be: the scheduler is told. It exits, and is not restored. */
static int child_overflows(struct app *app)
{
	if (gpufault("corrupt_stack any"))
		return 2;
	spin_submit(&app->spin, app->queue[0], &lengthy, 1, app->done[0]);
	usleep(5000);
	if (probe("hold") || probe("info"))
		return 3;
	return result("waves") == -EIO ? 0 : 4;
}

/*
 * Both queues are held, a third one is stuck in its slot: the unmap that is to release the
 * two resets it. Then none of the process may go on the hardware: not what was off it, nor
 * what was reset.
 */
static int child_reset(struct app *app)
{
	static const struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	struct kfdq_queue *stuck;

	if (probe("hold") || kfdq_queue_create(app->dev, &options, &stuck))
		return 1;
	spin_submit(&app->spin, stuck, &endless, 1, NULL);
	usleep(20000);
	if (gpufault("preempt_fail any"))
		return 2;
	if (probe("release") != -EACCES)
		return 3;
	if (result("flips") || result("transactions") != 1)
		return 4;
	/* All three, of which none is active: what was released is not held any more. */
	if (probe("info") || result_count("reasons=0x10 ") != APP_QUEUES + 1)
		return 5;
	/* The scheduler was told which queue it was; perhaps once for each XCC. */
	if (probe("counts") || result("lost") < 1 || result("failed"))
		return 6;
	app_submit(app, 0, &brief);
	return app_wait(app, 0, 300) == -ETIME ? 0 : 7;
}

static void test_fork(struct app *app)
{
	char *db = app->dev->doorbells;
	int status;
	pid_t pid;

	rings_seen();
	probe("arm");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		*(volatile uint64_t *)(db + APP_SPARE) = 0;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
	       "a forked child has no doorbells (status %#x)", status);
	tap_is(rings_seen(), 0, "and its try is not reported");
	app_touch(db + APP_SPARE);
	tap_is(rings_seen(), 1, "the parent's ring is reported");
}

/* Why a queue does not run, and what is in effect. */
static void test_info(struct app *app)
{
	int tries = 300;
	long waves;
	bool mes;

	tap_is(probe("info"), 0, "info");
	/* A fork evicts, for a moment, a process that has user memory registered. */
	while (result("reasons") == 2 && --tries) {
		usleep(10000);
		probe("info");
	}
	tap_is(result("reasons"), 0, "no reason: it runs");
	tap_ok(result("priority") == 7 && result("effective") == 7 && result("level") == 1,
	       "priority and level are what they are without us");
	spin_submit(&app->spin, app->queue[0], &lengthy, 1, app->done[0]);
	for (tries = 0, waves = 0; tries < 100 && waves <= 0; tries++) {
		usleep(1000);
		probe("info");
		waves = result("waves");
	}
	mes = waves == -EOPNOTSUPP;
	if (mes)
		tap_skip("this GPU does not count them", "waves in flight");
	else
		tap_ok(waves > 0, "waves in flight (%ld)", waves);
	tap_is(probe("hold"), 0, "hold");
	tap_ok(result("transactions") == (mes ? APP_QUEUES : 1) && result("flips") == APP_QUEUES,
	       "in one transaction, or on MES in one for each queue");
	probe("info");
	waves = result("waves");
	tap_is(result("reasons"), 1, "held");
	tap_is(result("flips"), 0, "a change that changes nothing says what is in effect");
	tap_ok(waves > 0, "a held queue stopped in a kernel has contexts saved (%ld)", waves);
	probe("counts");
	tap_is(kfdq_queue_update(app->queue[0], 0, 9), 0, "percentage 0, priority 9");
	probe("counts");
	tap_is(result("changed"), 1, "which is reported");
	probe("info");
	tap_ok(result("reasons") == 9 && result("priority") == 9, "held and disabled");
	tap_is(probe("release"), 0, "release");
	probe("info");
	tap_is(result("reasons"), 8, "disabled");
	kfdq_queue_update(app->queue[0], 100, 9);
	tap_is(probe("priority 12"), 0, "priority 12");
	probe("info");
	tap_ok(result("reasons") == 0 && result("priority") == 9 && result("effective") == 12,
	       "the application's 9, in effect 12");
	tap_is(probe("priority 16"), -EINVAL, "there is no priority 16");
	tap_is(probe("priority -1"), 0, "give it back");
	probe("info");
	tap_is(result("effective"), 9, "in effect 9");
	tap_is(kfdq_signal_wait(app->dev, app->done[0], 20000), 0, "the kernel ends");
	probe("info");
	if (mes)
		tap_skip("this GPU does not count them", "no waves are left");
	else
		tap_is(result("waves"), 0, "no waves are left");
}

/* What the last chain did: how many went on or off, and how many were refused. */
static bool chain_is(long flips, long bad)
{
	return result("flips") == flips && result("flipped") == flips && result("bad") == bad;
}

/* Changes of several queues: what is wrong with one of them does not stop the others. */
static void test_chain(void)
{
	tap_is(probe("chain 1 %d", APP_QUEUES + 1), 0, "hold all queues, the first of them twice");
	tap_ok(chain_is(APP_QUEUES, 1) && result("last") == -EINVAL,
	       "all are held, and the second naming is refused");
	probe("info");
	tap_is(result("reasons"), 1, "the first queue is held");
	tap_is(probe("chain 0 1"), 0, "release one queue of many");
	tap_ok(chain_is(1, 0), "the others are not changed");
	tap_is(probe("chain 0 %d", APP_QUEUES), 0, "release all");
	tap_ok(chain_is(APP_QUEUES - 1, 0), "counted are those that were still held");
	tap_is(probe("chain 0 0"), 0, "no change at all");
	tap_ok(chain_is(0, 0), "does nothing");
}

/* How many runlists it takes to evict this process, which is held, and to restore it. */
static long runlists_of_eviction(const struct kfdq_buffer *registered)
{
	const long before = gpustat("run_list");
	int tries = 300;

	memset(registered->addr, 1, registered->size);
	madvise(registered->addr, registered->size, MADV_DONTNEED);
	do {
		usleep(10000);
		probe("info");
	} while (result("reasons") != 1 && --tries);
	return tries ? gpustat("run_list") - before : -1;
}

/* Nothing of it runs; but the firmware may read the runlist again, and look for its pages. */
static void test_page_directory(struct app *app)
{
	struct kfdq_buffer registered;
	struct worker other;

	/* Without a queue that may run there is no runlist. */
	tap_is(worker_start(&other, 1, NULL), 0, "another process has a queue");
	tap_is(kfdq_alloc(app->dev, KFDQ_USERPTR, 65536, &registered), 0, "register memory");
	tap_is(probe("hold"), 0, "hold all queues");
	tap_is(runlists_of_eviction(&registered), 0, "an eviction leaves the runlist alone");
	tap_is(probe("move"), 0, "its page directory moves");
	tap_is(runlists_of_eviction(&registered), 1, "the restore sends a runlist");
	tap_is(runlists_of_eviction(&registered), 0, "and the next one does not");
	tap_is(probe("release"), 0, "release all");
	kfdq_free(app->dev, &registered);
	tap_is(app_run(app, 0, &brief), 0, "the queue works");
	worker_stop(&other);
}

/* How many of @count dispatches completed before one did not; a held one waits for long. */
static unsigned int ring_against_agent(struct app *app, unsigned int count)
{
	unsigned int i, seed = 1;

	for (i = 0; i < count; i++) {
		if (app_run(app, rand_r(&seed) % APP_QUEUES, &brief))
			break;
		if (rand_r(&seed) % 4 == 0)
			usleep(rand_r(&seed) % 1000);
	}
	return i;
}

static void test_rings(struct app *app, unsigned int count)
{
	unsigned int done;

	if (probe("agent 300 1"))
		tap_bail("no agent");
	done = ring_against_agent(app, count);
	if (probe("stop"))
		tap_bail("the agent does not stop");
	tap_note("holds %ld, releases %ld, seen by the second look %ld", result("holds"), result("releases"),
		 result("late"));
	tap_is(done, count, "the agent holds this process while it is idle: no ring is lost");
	tap_ok(result("holds") > count / 20, "the agent held it often");
	tap_is(result("errors"), 0, "without an error");

	tap_is(probe("agent 300 0"), 0, "control: an agent that does not look again");
	done = ring_against_agent(app, count);
	tap_ok(done < count, "loses a ring");
	tap_note("number %u", done);
	tap_is(probe("stop"), 0, "agent stops, queues are released");
	for (done = 0; done < APP_QUEUES; done++)
		tap_is(kfdq_signal_wait(app->dev, app->done[done], 20000), 0,
		       "queue %u: the work that was stuck completes", done);
}

/* For the guest script: held and armed, wait until the scheduler has gone. */
static int left_behind(void)
{
	struct app app;
	int tries = 1000;

	app_open(&app, 16);
	if (probe("hold") || probe("arm"))
		return 1;
	printf("ready\n");
	fflush(stdout);
	while (!access(PROBE "run", F_OK) && --tries)
		usleep(10000);
	if (!tries)
		return 2;
	return app_run(&app, 0, &brief) || app_run(&app, 1, &brief) ? 3 : 0;
}

int main(int argc, char **argv)
{
	unsigned int rings = 2000;
	struct app app;

	if (argc > 1 && !strcmp(argv[1], "--after-exec"))
		return after_exec();
	if (argc > 1 && !strcmp(argv[1], "--left"))
		return left_behind();
	if (argc > 1)
		rings = (unsigned int)strtoul(argv[1], NULL, 0);
	if (access(PROBE "run", F_OK))
		tap_bail("kfd_probe.ko is not loaded");

	/* Alone: amdkfd knows what hangs by the address of its ring, which others may have. */
	tap_is(app_in_child(NULL, child_reset), 0, "reset by the unmap of a switch: none of its process runs");
	app_open(&app, 2 * rings + 64);
	app_run(&app, 0, &brief);
	test_simple(&app);
	test_cache(&app);
	test_mappings(&app);
	test_fork(&app);
	test_info(&app);
	test_chain();
	test_page_directory(&app);
	tap_is(app_in_child(NULL, child_private), 0, "a private mapping: not tapped any more, and works");
	tap_is(app_in_child(NULL, child_shifted), 0, "a mapping at another offset: not tapped any more, and works");
	strangers_file = app.dev->kfd;
	tap_is(app_in_child(NULL, child_stranger), 0, "another process's file maps no doorbells");
	tap_is(app_in_child(NULL, child_exec), 0, "after exec the new image is tapped, and works");
	tap_is(app_in_child(NULL, child_killed), -SIGKILL, "killed with an armed tap and a busy queue");
	tap_is(app_in_child(NULL, child_exits), 0, "exit with an armed tap");
	tap_is(app_in_child(NULL, child_destroys), 0, "destroyed in a kernel, held: nobody looks at its MQD any more");
	tap_is(app_in_child(NULL, child_overflows), 0, "held, with a saved context that cannot be: an error");
	test_rings(&app, rings);
	app_close(&app);
	return tap_done();
}
