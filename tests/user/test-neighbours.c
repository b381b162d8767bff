// SPDX-License-Identifier: MIT
/*
 * What the other GPUs notice of one whose firmware hangs, answers late or fails, or that
 * is reset (if asked for: removed), while a process on it is held, released, evicted and so on:
 * nothing. Each combination of a phase and a fault is a case. In a case, probes do on the
 * other GPUs what schedulers and applications do, and the longest time that each
 * call took is compared with a bound well below the time the fault lasts. When it is over,
 * the same probes must get their edges, READY and IDLE, as ever, also if the GPU was reset;
 * and on that, a process whose queue was lost can create another one.
 *
 *   test-neighbours GPUS [FAULT...]	on the last of them
 */
#include <errno.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpufault.h"
#include "lease.h"
#include "probes.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"
#include "xsdev.h"

#define MS		1000000ULL
#define PCI_DRIVER	"/sys/bus/pci/drivers/vgpu/"
#define HANG_MS		800	/* instead of amdkfd's nine seconds */
#define LATE_MS		300
#define REMOVED_MS	100	/* the call is under way for that long */
#define BOUND_MS	100	/* what does not wait for the firmware takes less; it took 28 */
#define LEASE_MS	75
#define DONE_MS		30000
#define KFD_MS		20	/* amdkfd's own end of a process, after it */
#define TEXT(x)		#x
#define NUMBER(x)	TEXT(x)

/** enum victim - processes on the GPU with the fault */
enum victim {
	VICTIM,		/* what the phase is about: a busy queue and an idle one */
	OTHER,		/* has work, so that there is something to preempt */
	TRIGGER,	/* of an armed switch, on GPU 0 */
	VICTIMS
};

/**
 * struct phase - what happens to the victim meanwhile
 * @name: of it
 * @prepare: before the fault is armed: 0 or -errno
 * @run: the call that meets the fault
 */
struct phase {
	const char *name;
	int (*prepare)(void);
	int (*run)(void);
};

/**
 * struct fault - what the last GPU does
 * @name: of it
 * @command: for the file, without the GPU
 * @least_ms: the phase's call takes at least that long, or it did not meet the fault
 * @then: what happens to the GPU. With REMOVAL, amdkfd stops all processes of the
 *	system for good, and it may use the GPU's memory after it was freed, when the last
 *	process that used the GPU ends, and that is the guest's end
 */
struct fault {
	const char *name;
	const char *command;
	unsigned int least_ms;
	enum { NOTHING, RESET, REMOVAL } then;
};

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape brief = { 1, 64, 20 * MS };
static struct worker victims[VICTIMS];
static unsigned int gpus;

/* The scheduler: a client for each case. What it has read: */
static int fd;
static unsigned int resets, armed_runs;
static uint64_t armed_switch;

/* The phase's call, in a thread of its own. */
static const struct phase *phase;
static bool call_over;
static uint64_t call_ns;

/* ---- the phases ---- */

static int op(uint32_t operation)
{
	return xsdev_process_op(fd, operation, victims[VICTIM].pid, 0, NULL);
}

static int hold(void)
{
	return op(KFD_XSCHED_OP_SUSPEND);
}

static int release(void)
{
	return op(KFD_XSCHED_OP_RESUME);
}

static int evict(void)
{
	return worker_invalidate(&victims[VICTIM]);
}

static int create(void)
{
	return worker_add_queue(&victims[VICTIM]);
}

/* And creates it anew. */
static int destroy(void)
{
	return worker_recreate(&victims[VICTIM], 1);
}

static bool listed(pid_t pid)
{
	struct kfd_xsched_queue queues[64];
	int n = xsdev_list(fd, queues, 64), i;

	for (i = 0; i < n && i < 64; i++)
		if (queues[i].pid == pid)
			return true;
	return false;
}

static int end_process(void)
{
	kill(victims[VICTIM].pid, SIGKILL);
	while (listed(victims[VICTIM].pid))
		xsdev_sleep_ms(5);
	return 0;
}

static int arm(void)
{
	int id = worker_start_on(&victims[TRIGGER], 1, 0);

	if (!id)
		id = xsarm_suspend(fd, victims[TRIGGER].pid, victims[VICTIM].pid);
	armed_switch = id > 0 ? (uint64_t)id : 0;
	return id < 0 ? id : 0;
}

static int run_armed(void)
{
	worker_submit(&victims[TRIGGER], 0, &brief, 1);
	while (!__atomic_load_n(&armed_runs, __ATOMIC_ACQUIRE))
		xsdev_sleep_ms(5);
	return 0;
}

static const struct phase phases[] = {
	{ "hold", NULL, hold },
	{ "release", hold, release },
	{ "eviction", NULL, evict },
	{ "create", NULL, create },
	{ "destroy", NULL, destroy },
	{ "exit", NULL, end_process },
	{ "armed", arm, run_armed },
};

static const struct fault faults[] = {
	{ "hang", "preempt_hang", HANG_MS * 3 / 4, RESET },
	{ "late", "preempt_late " NUMBER(LATE_MS) "000", LATE_MS * 3 / 4, NOTHING },
	{ "failed", "preempt_fail any", 0, NOTHING },
	{ "reset", "reset_save any", 0, RESET },
	{ "removed", "preempt_late " NUMBER(REMOVED_MS) "000", 0, REMOVAL },
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* ---- a case ---- */

static int write_fault(const char *command)
{
	return gpufault("%u.0 %s", gpus - 1, command);
}

/* How many faults have happened: all on the last GPU. */
static long fired(void)
{
	return gpufault_look("fired", NULL);
}

/* What the client is told; to read it is a sign of life. */
static void read_events(void)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct kfd_xsched_event e;

	poll(&p, 1, 10);
	while (read(fd, &e, sizeof(e)) == sizeof(e)) {
		resets += e.type == KFD_XSCHED_EVENT_NODE_RESET && e.data == 1;
		if (e.type == KFD_XSCHED_EVENT_ARMED)
			__atomic_fetch_add(&armed_runs, 1, __ATOMIC_RELEASE);
	}
}

static void *call(void *unused)
{
	const uint64_t since = xsdev_now();

	phase->run();
	call_ns = xsdev_now() - since;
	__atomic_store_n(&call_over, true, __ATOMIC_RELEASE);
	return unused;
}

static bool start_victims(void)
{
	return !worker_start_on(&victims[VICTIM], 2, gpus - 1) &&
		!worker_start_on(&victims[OTHER], 1, gpus - 1) &&
		!worker_submit(&victims[VICTIM], 0, &endless, 1) &&
		!worker_submit(&victims[OTHER], 0, &endless, 1);
}

static void open_client(void)
{
	fd = xsdev_open();
	if (fd < 0)
		tap_bail(XSDEV_PATH ": error %d", fd);
	xsdev_subscribe(fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET) |
			KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED), 0, 0);
	resets = 0;
	armed_runs = 0;
	call_over = false;
}

/* The last GPU's name on its bus. */
static const char *pci_name(void)
{
	static char name[32];
	glob_t found;

	if (glob(PCI_DRIVER "0000:*", 0, NULL, &found))
		tap_bail("there is no GPU");
	snprintf(name, sizeof(name), "%s", found.gl_pathv[found.gl_pathc - 1] + strlen(PCI_DRIVER));
	globfree(&found);
	return name;
}

/* Put the GPU back once nobody uses it any more. */
static void plug(const char *name)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;

	while (write_fault("clear") != -ENODEV && xsdev_now() < until)
		xsdev_sleep_ms(10);
	xsdev_sleep_ms(5 * KFD_MS);
	if (sysfile_write(name, PCI_DRIVER "bind") || gpufault("unlock"))
		tap_bail("the GPU cannot be put back");
}

/* Whether everything has happened that is to. The GPU is removed once the call met the fault. */
static bool is_over(const struct fault *f, long before, bool *removed)
{
	const bool over = __atomic_load_n(&call_over, __ATOMIC_ACQUIRE);

	if (f->then == REMOVAL && !*removed && (over || fired() != before)) {
		*removed = true;
		sysfile_write(pci_name(), PCI_DRIVER "unbind");
	}
	return over && (f->then != RESET || resets);
}

/* Let the call meet the fault, until both are over. What went wrong, or NULL. */
static const char *meet(const struct fault *f)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;
	const long before = fired();
	bool removed = false;
	pthread_t thread;

	if (write_fault(f->command))
		return "the fault cannot be armed";
	probes_window();
	if (pthread_create(&thread, NULL, call, NULL))
		return "no thread";
	while (!is_over(f, before, &removed)) {
		read_events();
		if (xsdev_now() > until)
			tap_bail("%s, %s: %s", phase->name, f->name,
				 call_over ? "there is no reset" : "the call does not return");
	}
	pthread_join(thread, NULL);
	if (!removed && fired() == before)
		return "the fault did not happen";
	write_fault("clear");
	return call_ns < f->least_ms * MS ? "the call did not meet the fault" : NULL;
}

/* Kill it, and wait until amdkfd has forgotten it. */
static void kill_victim(struct worker *w)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;
	const pid_t pid = w->pid;

	if (!pid)
		return;
	worker_kill(w);
	while (listed(pid) && xsdev_now() < until)
		xsdev_sleep_ms(5);
	if (listed(pid))
		tap_note("%s: some queue is not gone", phase->name);
	xsdev_sleep_ms(KFD_MS);
}

/* Those on the last GPU last: amdkfd looks for it when others end, also if it is gone. */
static void clean_up(void)
{
	if (armed_switch)
		xsarm_clear(fd, armed_switch);
	armed_switch = 0;
	kill_victim(&victims[TRIGGER]);
	kill_victim(&victims[OTHER]);
	kill_victim(&victims[VICTIM]);
	close(fd);
}

/* Since the fault was armed, each probe must have begun something, or it has shown nothing. */
static bool enough(const struct probe_result results[PROBE_KINDS])
{
	unsigned int i, few = 0;

	for (i = 0; i < PROBE_KINDS; i++)
		few += results[i].inside < 1;
	return !few;
}

/* What the probes found is complete once each has ended what it was about, and one thing more. */
static bool end_probes(const struct fault *f, struct probe_result results[PROBE_KINDS])
{
	const bool ended = f->then == REMOVAL ? probes_stop(DONE_MS) : probes_run(2, DONE_MS);

	probes_read(results);
	return ended;
}

/* The GPU was reset: what a process had there is lost, but it can be used. By another client. */
static void check_afterwards(const struct fault *f)
{
	struct worker *w = &victims[OTHER];
	struct kfd_xsched_queue lost = { 0 };
	int client = xsdev_open(), fresh;
	uint32_t id = 0;

	worker_queue_id(w, 0, &id);
	xsdev_find(client, w->pid, id, &lost);
	close(client);
	tap_ok(lost.state & KFD_XSCHED_QUEUE_RESET, "%s, %s: a queue there is listed as reset",
	       phase->name, f->name);
	fresh = worker_add_queue(w);
	tap_ok(fresh > 0 && !worker_submit(w, fresh, &brief, 1) && !worker_wait(w, fresh, DONE_MS),
	       "%s, %s: another one of the same process works", phase->name, f->name);
}

/* What about it shows nothing, or NULL. */
static const char *carry_out(const struct fault *f, struct probe_result results[PROBE_KINDS],
			     bool *ended)
{
	const char *wrong = NULL, *name = pci_name();

	open_client();
	if (!start_victims())
		wrong = "no victims";
	else if (phase->prepare && phase->prepare())
		wrong = "it cannot be prepared";
	if (!wrong)
		wrong = meet(f);
	*ended = end_probes(f, results);
	if (f->then == RESET)
		check_afterwards(f);
	clean_up();
	if (f->then == REMOVAL) {
		plug(name);
		probes_start(gpus - 1, LEASE_MS);
	}
	if (!wrong && !enough(results))
		wrong = "some probe has begun nothing since then";
	return wrong;
}

static void show(const struct fault *f, const struct probe_result results[PROBE_KINDS])
{
	char text[PROBE_KINDS * 8] = "";
	unsigned int i;

	for (i = 0; i < PROBE_KINDS; i++)
		snprintf(text + 7 * i, 8, " %6u", results[i].longest_us / 1000 % 1000000);
	tap_note("| %-9s %-8s %6llu%s", phase->name, f->name, (unsigned long long)(call_ns / MS),
		 text);
}

static void show_head(void)
{
	char text[PROBE_KINDS * 8] = "";
	unsigned int i;

	for (i = 0; i < PROBE_KINDS; i++)
		snprintf(text + 7 * i, 8, " %6.6s", probe_names[i]);
	tap_note("milliseconds: the call, and the longest of each kind on the other GPUs");
	tap_note("| %-9s %-8s %6s%s", "phase", "fault", "call", text);
}

static void judge(const struct fault *f, const struct probe_result results[PROBE_KINDS], bool ended)
{
	unsigned int i, bad = 0;

	for (i = 0; i < PROBE_KINDS; i++) {
		if (!results[i].error && results[i].longest_us < BOUND_MS * 1000)
			continue;
		bad++;
		tap_note("%s: %u ms, error %d", probe_names[i], results[i].longest_us / 1000,
			 results[i].error);
	}
	tap_ok(ended && !bad, "%s, %s: no call on another GPU waits", phase->name, f->name);
}

/* The probes run when it begins; and when it ends, these or others. */
static void test_case(const struct phase *p, const struct fault *f)
{
	struct probe_result results[PROBE_KINDS];
	const char *wrong;
	bool ended;

	phase = p;
	wrong = carry_out(f, results, &ended);
	if (wrong)
		tap_note("%s, %s: %s", p->name, f->name, wrong);
	if (!tap_ok(probes_run(2, DONE_MS), "%s, %s: then the other GPUs are as ever", p->name, f->name))
		tap_bail("nothing can be shown any more");
	tap_ok(!wrong, "%s, %s: it happened", p->name, f->name);
	show(f, results);
	judge(f, results, ended);
}

/* A removal only by name: see struct fault. */
static bool wanted(const struct fault *f, int argc, char **argv)
{
	int i;

	for (i = 2; i < argc; i++)
		if (!strcmp(argv[i], f->name))
			return true;
	return argc <= 2 && f->then != REMOVAL;
}

int main(int argc, char **argv)
{
	unsigned int i, k;

	gpus = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 0;
	if (gpus < 2)
		tap_bail("usage: test-neighbours GPUS [FAULT...], from 2 GPUs on");
	gpufault_timeout(HANG_MS);
	if (lease_set(LEASE_MS))
		tap_bail("the lease cannot be set");
	probes_start(gpus - 1, LEASE_MS);
	if (!tap_ok(probes_run(2, DONE_MS), "the other GPUs work"))
		tap_bail("nothing can be shown");
	show_head();
	for (i = 0; i < COUNT(faults); i++)
		for (k = 0; k < COUNT(phases) && wanted(&faults[i], argc, argv); k++)
			test_case(&phases[k], &faults[i]);
	probes_stop(DONE_MS);
	return tap_done();
}
