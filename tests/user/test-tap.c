// SPDX-License-Identifier: MIT
/*
 * The doorbell tap as a source of READY: an idle process is not sampled, its next
 * ring is reported, and none is lost, whatever becomes of its mappings.
 *
 *   test-tap [RINGS]    all tests, with so many rings against an agent
 *   test-tap gpus       a process on several GPUs
 *   test-tap --again    for the test itself: after exec
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"

#define TIMEOUT_MS	20000
#define FAST_US		200
#define SLOW_US		KFD_XSCHED_SAMPLE_US_MAX	/* too slow for the sampler to be the source */
#define ACTIVITY	(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |	\
			 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE))

static const struct spin_shape brief = { 1, 64, 300000 };
static int fd;

static uint64_t queue_of(pid_t pid, uint32_t queue_id)
{
	struct kfd_xsched_queue q;

	if (xsdev_find(fd, pid, queue_id, &q))
		tap_bail("queue %u of process %d is not listed", queue_id, pid);
	return q.id;
}

static uint64_t app_queue(const struct app *app, unsigned int queue)
{
	return queue_of(getpid(), kfdq_queue_id(app->queue[queue]));
}

static int subscribe(uint32_t flags, uint32_t sample_us)
{
	struct kfd_xsched_subscribe arg = {
		.size = sizeof(arg),
		.flags = flags,
		.events = ACTIVITY,
		.sample_us = sample_us,
	};

	return xsdev_ioctl(fd, KFD_XSCHED_SUBSCRIBE, &arg);
}

/*
 * The queue is tapped, gets work, and that is reported with the time of the ring, which
 * only its fault can know.
 */
static void expect_seen(struct app *app, unsigned int queue, const char *what)
{
	const uint64_t id = app_queue(app, queue);
	struct kfd_xsched_event e = { 0 };
	uint64_t before, after;
	int tapped, ret;

	tapped = xsarm_wait_tapped(fd, id, true, TIMEOUT_MS);
	xsarm_drain(fd);
	before = xsdev_now();
	app_submit(app, queue, &brief);
	after = xsdev_now();
	ret = xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, getpid(), TIMEOUT_MS, &e);
	tap_ok(!tapped && !ret && e.id == id && e.time_ns >= before && e.time_ns <= after,
	       "%s: tapped, READY with the time of the ring", what);
	tap_note("%s: %d, %d, %lld of %llu ns", what, tapped, ret, (long long)(e.time_ns - before),
		 (unsigned long long)(after - before));
	tap_is(app_wait(app, queue, TIMEOUT_MS), 0, "%s: the dispatch completes", what);
}

static void test_edges(struct app *app)
{
	struct kfd_xsched_queue q;
	struct kfd_xsched_event e;
	char *db = app->dev->doorbells;
	const uint64_t id = app_queue(app, 0);
	long first, next;

	tap_is(subscribe(0, SLOW_US), 0, "subscribe, at one look a second");
	expect_seen(app, 0, "first queue");
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, getpid(), TIMEOUT_MS, &e), 0,
	       "the sampler reports when it is dry");
	tap_is(subscribe(0, FAST_US), 0, "look more often");
	expect_seen(app, 1, "second queue");
	tap_is(xsarm_wait_tapped(fd, id, true, TIMEOUT_MS), 0, "idle again, tapped again");
	xsdev_find(fd, getpid(), kfdq_queue_id(app->queue[0]), &q);
	tap_ok(q.state & KFD_XSCHED_QUEUE_WATCHED && !(q.state & KFD_XSCHED_QUEUE_READY),
	       "the list says that it is watched, and not READY");
	xsarm_drain(fd);
	/* At once, before it is tapped again. */
	first = app_touch(db + APP_SPARE);
	next = app_touch(db + APP_SPARE);
	tap_is(first, 1, "a ring of a tapped process is one fault");
	tap_is(next, 0, "the next is none");
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, getpid(), 100, &e), -ETIME,
	       "a ring without a packet is no READY");
	tap_is(xsarm_wait_tapped(fd, id, true, TIMEOUT_MS), 0, "and it is tapped again");
}

static void test_who_wants(struct app *app)
{
	const uint64_t id = app_queue(app, 0);
	struct kfd_xsched_event e;
	char *db = app->dev->doorbells;
	int other = xsdev_open();

	tap_is(subscribe(KFD_XSCHED_SUBSCRIBE_NO_TAP, FAST_US), 0, "subscribe with NO_TAP");
	tap_ok(!xsarm_wait_tapped(fd, id, false, TIMEOUT_MS) &&
	       xsarm_wait_tapped(fd, id, true, 100) == -ETIME, "it is not tapped");
	app_touch(db + APP_SPARE);
	xsdev_sleep_ms(50);
	tap_is(app_touch(db + APP_SPARE), 0, "rings cost nothing");
	xsarm_drain(fd);
	app_run(app, 0, &brief);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, getpid(), TIMEOUT_MS, &e), 0,
	       "the sampler reports work");
	xsdev_subscribe(other, ACTIVITY, FAST_US, 0);
	tap_is(xsarm_wait_tapped(fd, id, true, 100), -ETIME, "nor for others while one asks so");
	xsdev_subscribe(fd, 0, 0, 0);
	tap_is(xsarm_wait_tapped(fd, id, true, TIMEOUT_MS), 0, "but after that one has gone");
	close(other);
	tap_is(xsarm_wait_tapped(fd, id, false, TIMEOUT_MS), 0, "no subscriber: not tapped");
	app_touch(db + APP_SPARE);
	xsdev_sleep_ms(50);
	tap_is(app_touch(db + APP_SPARE), 0, "rings cost nothing");
	tap_is(subscribe(0, FAST_US), 0, "subscribe again");
	expect_seen(app, 0, "after that");
}

/* It cannot run, and all the same it must be known that it wants to. */
static void test_held(struct app *app)
{
	struct kfd_xsched_event e;

	xsarm_wait_tapped(fd, app_queue(app, 0), true, TIMEOUT_MS);
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, getpid(), 0, NULL), 0,
	       "hold an idle process");
	tap_is(xsarm_wait_tapped(fd, app_queue(app, 0), true, TIMEOUT_MS), 0, "it is tapped");
	xsarm_drain(fd);
	app_submit(app, 0, &brief);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, getpid(), TIMEOUT_MS, &e), 0,
	       "READY when it rings");
	tap_is(app_wait(app, 0, 100), -ETIME, "it does not run");
	xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, getpid(), 0, NULL);
	tap_is(app_wait(app, 0, TIMEOUT_MS), 0, "until it is released");
}

static void test_mappings(struct app *app)
{
	const uint64_t id = app_queue(app, 0);
	const long offset = app_doorbell_offset(app);
	char *db = app->dev->doorbells, *away = db + 64 * APP_PAGE;

	if (mremap(db, APP_DOORBELLS, APP_DOORBELLS, MREMAP_MAYMOVE | MREMAP_FIXED, away) != away ||
	    mremap(away, APP_DOORBELLS, APP_DOORBELLS, MREMAP_MAYMOVE | MREMAP_FIXED, db) != db)
		tap_bail("mremap: error %d", -errno);
	expect_seen(app, 0, "mapping moved there and back");
	xsarm_wait_tapped(fd, id, true, TIMEOUT_MS);
	if (mremap(db, APP_DOORBELLS, APP_DOORBELLS, MREMAP_MAYMOVE | MREMAP_FIXED, away) != away ||
	    mremap(away, APP_DOORBELLS, APP_DOORBELLS, MREMAP_MAYMOVE | MREMAP_FIXED, db) != db)
		tap_bail("mremap: error %d", -errno);
	expect_seen(app, 1, "mapping moved while tapped");
	xsarm_wait_tapped(fd, id, true, TIMEOUT_MS);
	mprotect(db, APP_PAGE, PROT_NONE);
	mprotect(db, APP_PAGE, PROT_READ | PROT_WRITE);
	expect_seen(app, 0, "mapping split and joined while tapped");
	xsarm_wait_tapped(fd, id, true, TIMEOUT_MS);
	munmap(db, APP_DOORBELLS);
	tap_is(xsarm_wait_tapped(fd, id, true, TIMEOUT_MS), 0,
	       "without doorbells it need not be sampled");
	if (mmap(db, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, app->dev->kfd,
		 offset) != db)
		tap_bail("mmap: error %d", -errno);
	/* That is reported as a ring is; this one is to be seen by itself. */
	xsdev_sleep_ms(1000);
	expect_seen(app, 1, "mapped anew");
}

static void test_fork(struct app *app)
{
	char *db = app->dev->doorbells;
	int status;
	pid_t pid;

	xsarm_wait_tapped(fd, app_queue(app, 0), true, TIMEOUT_MS);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		*(volatile uint64_t *)(db + APP_SPARE) = 0;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
	       "a forked child has no doorbells (status %#x)", status);
	expect_seen(app, 0, "parent after a fork");
}

/* ---- processes that go --------------------------------------------------- */

static bool child_is_tapped(struct app *app)
{
	return !app_run(app, 0, &brief) &&
	       !xsarm_wait_tapped(fd, app_queue(app, 0), true, TIMEOUT_MS);
}

static int child_exits(struct app *app)
{
	(void)app;
	return 0;
}

static int child_killed(struct app *app)
{
	app_submit(app, 0, &brief);
	kill(getpid(), SIGKILL);
	return 1;
}

static int child_exec(struct app *app)
{
	(void)app;
	execl("/proc/self/exe", "test-tap", "--again", NULL);
	return 2;
}

/* Doorbells that are mapped private, too, cannot be taken away: it is sampled. */
static int child_private(struct app *app)
{
	struct kfd_xsched_event e;

	if (mmap(NULL, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_PRIVATE, app->dev->kfd,
		 app_doorbell_offset(app)) == MAP_FAILED)
		return 1;
	if (xsarm_wait_tapped(fd, app_queue(app, 0), false, TIMEOUT_MS))
		return 2;
	xsdev_sleep_ms(50);
	if (xsarm_wait_tapped(fd, app_queue(app, 0), true, 100) != -ETIME)
		return 3;
	xsarm_drain(fd);
	if (app_run(app, 0, &brief))
		return 4;
	return xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, getpid(), TIMEOUT_MS, &e) ? 5 : 0;
}

/* The image after exec is another GPU process under the same number. */
static int after_exec(void)
{
	struct app app;

	fd = xsdev_open();
	subscribe(0, FAST_US);
	app_open(&app, 16);
	xsarm_drain(fd);
	if (app_run(&app, 0, &brief))
		return 3;
	return xsarm_wait_tapped(fd, app_queue(&app, 0), true, TIMEOUT_MS) ? 4 : 0;
}

/* ---- no ring is lost ----------------------------------------------------- */

/* Holds the process while it is idle, until it is killed. */
static void agent(pid_t app, uint32_t settle_us)
{
	struct pollfd come = { .fd = xsdev_open(), .events = POLLIN };
	const int dev = come.fd;
	struct kfd_xsched_event e;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	xsdev_subscribe(dev, ACTIVITY, KFD_XSCHED_SAMPLE_US_MIN, settle_us);
	for (;;) {
		poll(&come, 1, -1);
		while (read(dev, &e, sizeof(e)) == sizeof(e) && e.pid == app)
			xsdev_queue_op(dev, e.type == KFD_XSCHED_EVENT_IDLE ?
				       KFD_XSCHED_OP_SUSPEND : KFD_XSCHED_OP_RESUME, e.id, 0, NULL);
	}
}

static void test_rings(struct app *app, unsigned int count)
{
	/* Where waves are not counted, IDLE comes with the last packet: its kernel is to end first. */
	const uint32_t settle_us = xsdev_can(fd, KFD_XSCHED_CAP_WAVES) ? 0 : 5000;
	struct spin_account account;
	unsigned int i, seed = 1;
	pid_t pid, self = getpid();

	fflush(stdout);
	pid = fork();
	if (!pid) {
		agent(self, settle_us);
		_exit(0);
	}
	for (i = 0; i < count; i++) {
		if (app_run(app, rand_r(&seed) % APP_QUEUES, &brief))
			break;
		if (rand_r(&seed) % 4 == 0)
			usleep((unsigned int)rand_r(&seed) % (2000 + 2 * settle_us));
	}
	tap_is(i, count, "an agent holds every queue while it is idle: no ring is lost");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	spin_account(&app->spin, &account);
	tap_ok(spin_account_clean(&account), "every dispatch executed once and in order");
}

/* ---- several GPUs -------------------------------------------------------- */

static void test_gpus(void)
{
	struct kfd_xsched_event e = { 0 };
	uint64_t ids[2];
	struct worker w;
	unsigned int i;
	uint32_t id;

	subscribe(0, FAST_US);
	if (worker_start_on(&w, 2, WORKER_ALL_GPUS))
		tap_bail("no worker");
	for (i = 0; i < 2; i++) {
		worker_queue_id(&w, i, &id);
		ids[i] = queue_of(w.pid, id);
		tap_is(xsarm_wait_tapped(fd, ids[i], true, TIMEOUT_MS), 0, "tapped on GPU %u", i);
	}
	for (i = 0; i < 2; i++) {
		xsarm_drain(fd);
		worker_submit(&w, i, &(struct spin_shape){ 1, 64, 3000000000 }, 1);
		tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w.pid, TIMEOUT_MS, &e), 0,
		       "a ring on GPU %u is seen", i);
		tap_ok(e.id == ids[i], "as one of that queue");
		tap_is(xsarm_wait_tapped(fd, ids[i], false, 0), 0, "it is not tapped there any more");
		tap_is(xsarm_wait_tapped(fd, ids[!i], true, 0), 0, "but still on the other");
		worker_wait(&w, i, TIMEOUT_MS);
		tap_is(xsarm_wait_tapped(fd, ids[i], true, TIMEOUT_MS), 0, "tapped again");
	}
	worker_stop(&w);
}

int main(int argc, char **argv)
{
	unsigned int rings = 1500;
	struct app app;

	if (argc > 1 && !strcmp(argv[1], "--again"))
		return after_exec();
	fd = must_open();
	if (!xsdev_can(fd, KFD_XSCHED_CAP_TAP))
		tap_bail("the node has no tap");
	if (argc > 1 && !strcmp(argv[1], "gpus")) {
		test_gpus();
		return tap_done();
	}
	if (argc > 1)
		rings = (unsigned int)strtoul(argv[1], NULL, 0);

	app_open(&app, rings + 64);
	test_edges(&app);
	test_who_wants(&app);
	test_held(&app);
	test_mappings(&app);
	test_fork(&app);
	tap_is(app_in_child(child_is_tapped, child_private), 0, "mapped private, too: sampled");
	tap_is(app_in_child(child_is_tapped, child_exec), 0, "after exec the new image is tapped");
	tap_is(app_in_child(child_is_tapped, child_killed), -SIGKILL, "killed as it rings");
	tap_is(app_in_child(child_is_tapped, child_exits), 0, "exits while it is tapped");
	test_rings(&app, rings);
	app_close(&app);
	tap_is(xsdev_wait_no_queue(fd, TIMEOUT_MS), 0, "no queue is left");
	return tap_done();
}
