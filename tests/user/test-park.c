// SPDX-License-Identifier: MIT
/*
 * A process without work leaves the hardware, and its first ring brings it back: with nobody's
 * help, and whatever else happens to it. For a guest whose time is that of its instructions and
 * passes quickly when it is idle: run-guest --icount.
 *
 *   test-park                     all tests
 *   test-park rounds COUNT [SEED] only rounds of work and rest, so many
 *   test-park gpus                a process on several GPUs
 *   test-park --again             for the test itself: after exec
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#include "app.h"
#include "debugged.h"
#include "gpustat.h"
#include "kfdq_sdma.h"
#include "module.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"

#define TIMEOUT_MS	60000
#define IDLE_MS		50	/* from when on it is parked */
#define LONG_MS		1000	/* longer than any park that would be too short to be worth it */
#define SOFTWARE_NS	60000ULL	/* of a return, beside a save and a restore */
#define THREADS		8
#define PROCESSES	20	/* 13 have room on any GPU of gfx9 */
#define ROUNDS		300
#define MIB		(1UL << 20)
#define RATE		"/sys/module/vgpu/parameters/sdma_mb_s"
#define PARKED		KFD_XSCHED_QUEUE_PARKED

static const struct spin_shape brief = { 1, 64, 300000 };
static struct kfd_xsched_node node;
static long mapped_by_nobody;
static int fd;

/* ---- what is asked, and what is seen ------------------------------------------ */

static int want(pid_t pid, uint32_t idle_ms)
{
	return xsdev_park(fd, KFD_XSCHED_PARK_SET, pid, idle_ms);
}

static int take_back(pid_t pid)
{
	return xsdev_park(fd, KFD_XSCHED_PARK_CLEAR, pid, 0);
}

static struct kfd_xsched_queue look(pid_t pid)
{
	struct kfd_xsched_queue q = { 0 };

	if (xsdev_find_first(fd, pid, &q))
		tap_bail("process %d is not listed", (int)pid);
	return q;
}

static bool is_parked(pid_t pid)
{
	return look(pid).state & PARKED;
}

/* Whether it has been parked, or has come back, by then. */
static bool becomes(pid_t pid, bool parked, int timeout_ms)
{
	int i;

	for (i = 0; i < timeout_ms && is_parked(pid) != parked; i++)
		xsdev_sleep_ms(1);
	return is_parked(pid) == parked;
}

/* It is parked, for so long that that was worth it. */
static bool rests(pid_t pid)
{
	if (becomes(pid, true, TIMEOUT_MS))
		xsdev_sleep_ms(LONG_MS);
	if (!is_parked(pid))
		tap_note("state %#x, resident %#x", look(pid).state, look(pid).resident);
	return is_parked(pid);
}

static bool stays_resident(pid_t pid)
{
	return !becomes(pid, true, LONG_MS);
}

static bool runs(struct app *app, unsigned int queue)
{
	return !app_submit(app, queue, &brief) && !app_wait(app, queue, TIMEOUT_MS);
}

static bool works(struct worker *w)
{
	return !worker_submit(w, 0, &brief, 1) && !worker_wait(w, 0, TIMEOUT_MS);
}

static long transactions(void)
{
	return sysfile_number("/sys/class/kfd_xsched/node%u/statistics/transactions", node.gpu_id);
}

static bool is_hws(void)
{
	return node.backend == KFD_XSCHED_BACKEND_HWS;
}

/* ---- one process ------------------------------------------------------------- */

static void test_off(struct app *app)
{
	tap_is(sysfile_number("/sys/class/kfd_xsched/node%u/park_ms", node.gpu_id), 0,
	       "off by default");
	tap_ok(runs(app, 0) && stays_resident(getpid()), "nobody wants it: it is not parked");
	tap_is(look(getpid()).resident, KFD_XSCHED_RESIDENT_OFF, "and that is why");
	tap_is(take_back(getpid()), -EALREADY, "there is nothing to take back");
}

static void test_leaves(struct app *app)
{
	const long before = gpustat("mapped");
	struct kfd_xsched_queue q;

	tap_is(want(getpid(), IDLE_MS), 0, "a client wants it");
	tap_ok(rests(getpid()), "it has no work, and is parked");
	tap_is(gpustat("mapped"), before - APP_QUEUES, "its queues are off the hardware");
	q = look(getpid());
	tap_ok(q.parked_ns && !q.resident && !q.holders && !(q.state & KFD_XSCHED_QUEUE_HELD) &&
	       !q.held_ns, "nobody holds it");
	tap_ok(runs(app, 0), "its first dispatch runs");
	tap_is(look(getpid()).returns, q.returns + 1, "which is counted");
	tap_is(gpustat("mapped"), before, "all its queues are back");
	tap_ok(rests(getpid()) && runs(app, 1), "and so on, with the other queue");
	tap_is(take_back(getpid()), 0, "the client wants it no more");
	tap_ok(stays_resident(getpid()), "it stays");
	tap_is(want(getpid(), IDLE_MS), 0, "wanted again");
	tap_ok(rests(getpid()), "parked");
	tap_is(want(getpid(), 0), 0, "never, says the client");
	tap_ok(becomes(getpid(), false, TIMEOUT_MS), "and it is back without a ring");
	want(getpid(), IDLE_MS);
}

static uint64_t time_of_run(struct app *app)
{
	const uint64_t before = xsdev_now();

	return runs(app, 0) ? xsdev_now() - before : UINT64_MAX;
}

/* What a switch of this process takes: its save, and its restore. */
static uint64_t switch_ns(void)
{
	struct kfd_xsched_node_result off = { 0 }, on = { 0 };

	if (xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, getpid(), 0, &off) ||
	    xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, getpid(), 0, &on))
		tap_bail("no switch");
	return off.unmap_ns + on.map_ns;
}

static void test_first_ring(struct app *app)
{
	uint64_t resident, parked, most;

	want(getpid(), 0);
	becomes(getpid(), false, TIMEOUT_MS);
	runs(app, 0);
	most = switch_ns() + SOFTWARE_NS;
	resident = time_of_run(app);
	want(getpid(), IDLE_MS);
	tap_ok(rests(getpid()), "parked, for its first ring");
	parked = time_of_run(app);
	tap_note("a dispatch took %llu ns, %llu ns when it brought the process back; %llu ns more are allowed",
		 (unsigned long long)resident, (unsigned long long)parked, (unsigned long long)most);
	if (is_hws())
		tap_ok(parked <= resident + most, "a return costs a save, a restore, and 60 us");
	else
		tap_skip("on MES each queue is a call", "a return costs a save, a restore, and 60 us");
}

static volatile bool go;

static void *ring(void *at)
{
	while (!go)
		sched_yield();
	*(volatile uint64_t *)at = 0;
	return NULL;
}

/* All at once, and one of them means it. */
static void test_threads(struct app *app)
{
	char *db = app->dev->doorbells;
	pthread_t threads[THREADS];
	unsigned int i;

	tap_ok(rests(getpid()), "parked, with %u threads", THREADS);
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, ring, db + i % 2 * APP_PAGE + APP_SPARE))
			tap_bail("no thread");
	}
	go = true;
	tap_ok(runs(app, 0), "all of them ring at once: the dispatch runs");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void test_mappings(struct app *app)
{
	const long offset = app_doorbell_offset(app);
	char *db = app->dev->doorbells, *second;

	tap_ok(rests(getpid()), "parked, with one mapping of its doorbells");
	second = mmap(NULL, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED, app->dev->kfd, offset);
	tap_ok(second != MAP_FAILED && becomes(getpid(), false, TIMEOUT_MS),
	       "who maps them once more is about to ring: it comes back");
	tap_ok(rests(getpid()), "parked with both");
	*(volatile uint64_t *)(second + APP_SPARE) = 0;
	tap_ok(becomes(getpid(), false, TIMEOUT_MS), "a ring by the second brings it back");
	munmap(second, APP_DOORBELLS);
	tap_ok(rests(getpid()), "parked with the first alone");
	munmap(db, APP_DOORBELLS);
	if (mmap(db, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, app->dev->kfd,
		 offset) != db)
		tap_bail("mmap: error %d", -errno);
	tap_ok(runs(app, 1), "unmapped and mapped anew while parked: the next dispatch runs");
}

/* Somebody else holds what is parked, or parks what is held: neither needs the firmware. */
static void test_held(struct app *app)
{
	const uint32_t both = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY);
	struct kfd_xsched_event e;
	long before;

	xsdev_subscribe(fd, both, 1000, 0);
	tap_ok(rests(getpid()), "parked, before it is held");
	before = transactions();
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, getpid(), 0, NULL), 0, "held, too");
	tap_is(transactions(), before, "for which nothing is sent");
	xsarm_drain(fd);
	app_submit(app, 0, &brief);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, getpid(), TIMEOUT_MS, &e), 0,
	       "it rings: READY");
	tap_is(app_wait(app, 0, LONG_MS), -ETIME, "but it is held");
	tap_is(transactions(), before, "and nothing was sent");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, getpid(), 0, NULL), 0, "released");
	tap_is(app_wait(app, 0, TIMEOUT_MS), 0, "it runs");
	/* It is seen that it has no work: whoever is held is not looked at. */
	xsdev_sleep_ms(IDLE_MS / 2);
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, getpid(), 0, NULL), 0, "held without work");
	tap_ok(rests(getpid()), "and parked");
	before = transactions();
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, getpid(), 0, NULL), 0, "released");
	tap_ok(is_parked(getpid()) && transactions() == before, "it stays parked");
	tap_ok(runs(app, 0), "until it rings");
	xsdev_subscribe(fd, 0, 0, 0);
}

/* ---- work that is not seen at once --------------------------------------------- */

/* A barrier of the AQL: it waits for the first signal. */
static void put_barrier(struct kfdq_queue *queue, uint8_t type, const struct kfdq_signal *sig)
{
	uint64_t packet[8] = { 0 };
	uint16_t header = type | 1 << 8;

	memcpy(packet, &header, sizeof(header));
	packet[1] = (uintptr_t)sig;
	if (kfdq_queue_submit_raw(queue, packet))
		tap_bail("no barrier");
}

static void test_barriers(struct app *app)
{
	static const struct {
		uint8_t type;
		const char *name;
	} kinds[] = { { 3, "barrier-AND" }, { 5, "barrier-OR" } };
	struct kfdq_signal *sig;
	unsigned int i;

	if (kfdq_signal_create(app->dev, &sig))
		tap_bail("no signal");
	for (i = 0; i < 2; i++) {
		kfdq_signal_arm(sig, 1);
		put_barrier(app->queue[0], kinds[i].type, sig);
		tap_ok(stays_resident(getpid()) && look(getpid()).resident & KFD_XSCHED_RESIDENT_BUSY,
		       "%s waits for another process: it is not parked", kinds[i].name);
		__atomic_store_n(&sig->value, 0, __ATOMIC_RELEASE);
		tap_ok(rests(getpid()), "%s was met: it is", kinds[i].name);
	}
}

/* The packet is taken, but there is no room for its waves. */
static void test_starved(struct app *app)
{
	static const struct spin_shape all = { 4096, 256, 300000000 };
	struct worker w;
	uint64_t ns;

	must_start(&w, 1, NULL);
	if (worker_begin(&w, 0, &all))
		tap_bail("the GPU cannot be filled");
	ns = time_of_run(app);
	tap_ok(ns > IDLE_MS * 1000000ULL && ns < TIMEOUT_MS * 1000000ULL,
	       "another process fills the GPU for longer than the idle time: it waits, and runs");
	worker_kill(&w);
	tap_ok(rests(getpid()) && runs(app, 0), "then it is parked, and comes back");
}

static void test_long_kernel(struct app *app)
{
	static const struct spin_shape lasting = { 4, 64, 2000000000 };
	struct spin_account account;

	tap_is(app_submit(app, 0, &lasting), 0, "a kernel that runs for longer than the idle time");
	if (node.caps & KFD_XSCHED_CAP_WAVES)
		tap_ok(stays_resident(getpid()), "it is not parked");
	tap_is(app_wait(app, 0, TIMEOUT_MS), 0, "it completes");
	spin_account(&app->spin, &account);
	tap_ok(spin_account_clean(&account), "and has executed once, as all before");
}

static void set_rate(const char *mb_s)
{
	if (sysfile_write(mb_s, RATE))
		tap_bail("cannot set " RATE);
}

/* One packet of this size takes seconds; its index is past it when it begins. */
static void test_copies(struct app *app)
{
	struct kfdq_buffer from = { 0 }, to = { 0 };
	struct kfdq_sdma *queue;
	struct kfdq_signal *sig;

	if (kfdq_sdma_create(app->dev, KFDQ_SDMA_PCIE, 65536, &queue) ||
	    kfdq_alloc(app->dev, KFDQ_GTT, 4 * MIB, &from) ||
	    kfdq_alloc(app->dev, KFDQ_VRAM, 4 * MIB, &to) || kfdq_signal_create(app->dev, &sig))
		tap_bail("no copy queue");
	memset(from.addr, 0x5a, from.size);
	runs(app, 0);
	tap_ok(stays_resident(getpid()) && look(getpid()).resident & KFD_XSCHED_RESIDENT_BLIND,
	       "with a copy queue that was never used it stays: its indices are not in memory");
	kfdq_signal_arm(sig, 1);
	kfdq_sdma_signal(queue, sig);
	kfdq_sdma_ring(queue);
	tap_is(kfdq_signal_wait(app->dev, sig, TIMEOUT_MS), 0, "it is used");
	tap_ok(rests(getpid()), "parked, with a copy queue");
	kfdq_signal_arm(sig, 1);
	kfdq_sdma_copy(queue, to.addr, from.addr, to.size);
	kfdq_sdma_signal(queue, sig);
	set_rate("2");
	kfdq_sdma_ring(queue);
	tap_ok(becomes(getpid(), false, TIMEOUT_MS), "its ring brings the process back");
	tap_ok(!kfdq_signal_wait(app->dev, sig, TIMEOUT_MS) && !memcmp(from.addr, to.addr, to.size),
	       "a copy that takes seconds is done, and right");
	set_rate("0");
	kfdq_sdma_destroy(queue);
	kfdq_free(app->dev, &from);
	kfdq_free(app->dev, &to);
	runs(app, 0);
}

/* ---- in a child ---------------------------------------------------------------- */

static bool child_is_parked(struct app *app)
{
	return !want(getpid(), IDLE_MS) && runs(app, 0) && rests(getpid());
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
	execl("/proc/self/exe", "test-park", "--again", NULL);
	return 2;
}

/* The image after exec is another GPU process under the same number, and nobody parks that. */
static int after_exec(void)
{
	struct app app;

	fd = xsdev_open();
	app_open(&app, 16);
	return runs(&app, 0) && !is_parked(getpid()) ? 0 : 3;
}

static int child_forks(struct app *app)
{
	char *db = app->dev->doorbells;
	int status;
	pid_t pid = fork();

	if (!pid) {
		*(volatile uint64_t *)(db + APP_SPARE) = 0;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
		return 4;
	if (!is_parked(getpid()))
		return 5;
	return runs(app, 0) ? 0 : 6;
}

static char stack[65536];

static int rings_once(void *at)
{
	*(volatile uint64_t *)at = 0;
	return 0;
}

/* A process of its own in the same address space. */
static int child_shares(struct app *app)
{
	char *db = app->dev->doorbells;
	pid_t pid = clone(rings_once, stack + sizeof(stack), CLONE_VM | SIGCHLD, db + APP_SPARE);

	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		return 7;
	if (!becomes(getpid(), false, TIMEOUT_MS))
		return 8;
	return runs(app, 0) ? 0 : 9;
}

/* Whoever imports the doorbells can ring them unseen. */
static int child_exports(struct app *app)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args memory = {
		.va_addr = 0x7e0000000000ULL,
		.size = APP_DOORBELLS,
		.gpu_id = kfdq_gpu_id(app->dev),
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT,
	};
	struct kfd_ioctl_export_dmabuf_args export = { 0 };

	if (ioctl(app->dev->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &memory))
		return 10;
	if (!is_parked(getpid()))
		return 11;
	export.handle = memory.handle;
	/* Not all of amdgpu can do that; KFD does not know it before. */
	ioctl(app->dev->kfd, AMDKFD_IOC_EXPORT_DMABUF, &export);
	if (!becomes(getpid(), false, TIMEOUT_MS))
		return 12;
	if (!runs(app, 0) || !stays_resident(getpid()))
		return 13;
	return look(getpid()).resident & KFD_XSCHED_RESIDENT_SHARED ? 0 : 14;
}

static void test_children(void)
{
	tap_is(app_in_child(child_is_parked, child_exits), 0, "exits while it is parked");
	tap_is(app_in_child(child_is_parked, child_killed), -SIGKILL, "killed as it rings");
	tap_is(app_in_child(child_is_parked, child_exec), 0, "after exec, the new image runs");
	tap_is(app_in_child(child_is_parked, child_forks), 0, "a forked child has no doorbells, and the parent stays parked");
	tap_is(app_in_child(child_is_parked, child_shares), 0, "a child in the same address space rings");
	tap_is(app_in_child(child_is_parked, child_exports), 0, "one that exports its doorbells comes back, and stays");
}

/* ---- what the driver does meanwhile --------------------------------------------- */

static void park_worker(struct worker *w, const char *what)
{
	if (want(w->pid, IDLE_MS) || !works(w) || !rests(w->pid))
		tap_bail("%s: the worker is not parked", what);
}

static void test_evicted(struct worker *w)
{
	park_worker(w, "eviction");
	tap_is(worker_invalidate(w), 0, "evicted and restored while parked");
	xsdev_sleep_ms(LONG_MS);
	tap_ok(is_parked(w->pid), "it stays parked");
	tap_ok(works(w), "and comes back");
}

static void test_debugged(struct worker *w)
{
	tap_is(worker_call(w, 0, debugged_start, 0), 0, "a process debugs itself");
	if (worker_add_queue(w) < 0)
		tap_bail("no queue");
	park_worker(w, "debugger");
	tap_is(worker_call(w, 0, debugged_suspend, 1), 0, "suspended by a debugger while parked");
	tap_is(worker_submit(w, 0, &brief, 1), 0, "it rings");
	tap_is(worker_wait(w, 0, LONG_MS), -ETIME, "and is suspended");
	tap_is(worker_call(w, 0, debugged_suspend, 0), 0, "resumed");
	tap_is(worker_wait(w, 0, TIMEOUT_MS), 0, "it runs");
	tap_is(worker_call(w, 0, debugged_stop, 0), 0, "the debugger leaves");
	park_worker(w, "after the debugger");
	tap_ok(works(w), "parked, and back, as before");
}

/* ---- many ------------------------------------------------------------------------ */

static long turns_in_a_while(void)
{
	const long before = gpustat("slices");

	xsdev_sleep_ms(100);
	return gpustat("slices") - before;
}

static bool all_become(const struct worker *workers, bool parked)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < PROCESSES; i++)
		good &= becomes(workers[i].pid, parked, TIMEOUT_MS);
	return good;
}

/* By the setting of the node, without any client that has said anything. */
static void test_many(void)
{
	static struct worker workers[PROCESSES];
	bool good = true;
	unsigned int i;
	long before;

	for (i = 0; i < PROCESSES; i++) {
		must_start(&workers[i], 1, NULL);
		good &= works(&workers[i]);
	}
	tap_ok(good && (!is_hws() || turns_in_a_while() > 0),
	       "%u processes: more than there are VMIDs for", PROCESSES);
	before = transactions();
	sysfile_set(100, "/sys/class/kfd_xsched/node%u/park_batch_ms", node.gpu_id);
	sysfile_set(IDLE_MS, "/sys/class/kfd_xsched/node%u/park_ms", node.gpu_id);
	tap_ok(all_become(workers, true), "all of them are parked");
	tap_note("%ld transactions", transactions() - before);
	tap_ok(!is_hws() || transactions() - before < PROCESSES, "several at a time");
	tap_is(turns_in_a_while(), 0, "none takes a VMID");
	tap_is(gpustat("mapped"), mapped_by_nobody, "nor a slot");
	xsdev_sleep_ms(LONG_MS);
	tap_ok(works(&workers[0]), "one comes back");
	tap_ok(is_parked(workers[1].pid), "alone");
	sysfile_set(0, "/sys/class/kfd_xsched/node%u/park_ms", node.gpu_id);
	tap_ok(all_become(workers, false), "the setting is taken back: all of them are back");
	for (i = 0; i < PROCESSES; i++)
		worker_stop(&workers[i]);
}

/* Its copy of the descriptor. */
static int forget(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t descriptor)
{
	(void)dev;
	(void)queue;
	return close((int)descriptor) ? -errno : 0;
}

static void test_unload(void)
{
	struct stat device;
	struct worker w;
	int ret;

	must_start(&w, 1, NULL);
	sysfile_set(IDLE_MS, "/sys/class/kfd_xsched/node%u/park_ms", node.gpu_id);
	tap_ok(works(&w) && rests(w.pid), "parked by the setting of the node");
	worker_call(&w, 0, forget, (uint64_t)fd);
	if (stat(XSDEV_PATH, &device))
		tap_bail(XSDEV_PATH ": error %d", -errno);
	close(fd);
	ret = module_unload();
	tap_is(ret, 0, "the module is unloaded while a process is parked");
	tap_ok(works(&w), "it runs");
	if (!ret)
		tap_is(module_load(&device), 0, "loaded again");
	fd = must_open();
	worker_stop(&w);
}

/* ---- no ring is lost --------------------------------------------------------------- */

/* How long after its last work it is parked. */
static unsigned int time_to_park(struct app *app)
{
	uint64_t before;

	if (!rests(getpid()) || !runs(app, 0))
		tap_bail("it is not parked");
	before = xsdev_now();
	if (!becomes(getpid(), true, TIMEOUT_MS))
		tap_bail("it is not parked again");
	return (unsigned int)((xsdev_now() - before) / 1000);
}

/* Work comes at any time about the park; often enough late, so that parks stay worth it. */
static void test_rounds(struct app *app, unsigned int count, unsigned int seed)
{
	const unsigned int park_us = time_to_park(app);
	const uint32_t before = look(getpid()).returns;
	struct spin_account account;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!runs(app, rand_r(&seed) % APP_QUEUES))
			break;
		usleep(rand_r(&seed) % 3 ? 4 * park_us : (unsigned int)rand_r(&seed) % (2 * park_us));
		if (i && i % 500 == 0)
			tap_note("%u rounds, parked in %u of them", i,
				 look(getpid()).returns - before);
	}
	tap_is(i, count, "work comes at any time, about %u us after the last: no ring is lost", park_us);
	tap_ok(look(getpid()).returns - before > count / 4, "often it was parked");
	spin_account(&app->spin, &account);
	tap_ok(spin_account_clean(&account), "every dispatch executed once and in order");
}

/* ---- several GPUs -------------------------------------------------------------------- */

static void test_gpus(void)
{
	struct worker w;
	unsigned int i;

	if (worker_start_on(&w, 2, WORKER_ALL_GPUS))
		tap_bail("no worker");
	want(w.pid, IDLE_MS);
	for (i = 0; i < 2; i++) {
		tap_ok(!worker_submit(&w, i, &brief, 1) && !worker_wait(&w, i, TIMEOUT_MS) &&
		       rests(w.pid), "no work on any GPU: parked");
		tap_ok(!gpustat_of(0, "mapped") && !gpustat_of(1, "mapped"), "it is off both");
		tap_is(worker_submit(&w, i, &(struct spin_shape){ 1, 64, 3000000000 }, 1), 0,
		       "it rings GPU %u", i);
		tap_ok(becomes(w.pid, false, TIMEOUT_MS) && gpustat_of(!i, "mapped") > 0,
		       "and is back on the other, too");
		tap_ok(stays_resident(w.pid), "where it stays as long as it has work anywhere");
		tap_is(worker_wait(&w, i, TIMEOUT_MS), 0, "the dispatch completes");
	}
	worker_stop(&w);
}

static void test_only_rounds(unsigned int count, unsigned int seed)
{
	struct app app;

	app_open(&app, count + 16);
	want(getpid(), IDLE_MS);
	runs(&app, 0);
	test_rounds(&app, count, seed);
	app_close(&app);
}

static void test_all(void)
{
	struct worker w;
	struct app app;

	app_open(&app, ROUNDS + 256);
	test_off(&app);
	test_leaves(&app);
	test_first_ring(&app);
	test_threads(&app);
	test_mappings(&app);
	test_held(&app);
	test_barriers(&app);
	test_starved(&app);
	test_long_kernel(&app);
	test_copies(&app);
	test_rounds(&app, ROUNDS, 1);
	app_close(&app);
	test_children();
	must_start(&w, 1, NULL);
	test_evicted(&w);
	worker_stop(&w);
	must_start(&w, 0, NULL);
	test_debugged(&w);
	worker_stop(&w);
	test_many();
	test_unload();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--again"))
		return after_exec();
	fd = must_open();
	if (xsdev_node(fd, &node) || !(node.caps & KFD_XSCHED_CAP_PARK))
		tap_bail("the node cannot park");
	sysfile_set(1, "/sys/class/kfd_xsched/node%u/park_batch_ms", node.gpu_id);
	mapped_by_nobody = gpustat("mapped");
	if (argc > 1 && !strcmp(argv[1], "gpus"))
		test_gpus();
	else if (argc > 2 && !strcmp(argv[1], "rounds"))
		test_only_rounds((unsigned int)strtoul(argv[2], NULL, 0),
				 argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 0) : 1);
	else
		test_all();
	tap_is(xsdev_wait_no_queue(fd, TIMEOUT_MS), 0, "no queue is left");
	return tap_done();
}
