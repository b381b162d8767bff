// SPDX-License-Identifier: MIT
/*
 * What GPUs of another reset domain notice of one whose firmware hangs, answers late or fails, or
 * that is reset or, if it is alone in its domain, removed, while a process on it is held, released,
 * evicted and so on, beside xschedd: nothing. Each combination of a phase and a fault is a case. In
 * a case, probes do on the other GPUs what schedulers and applications do, and how long each took
 * is compared with all phases without a fault, which come first: none takes WAIT_MS more than the
 * longest there, as who waits for the fault would; and of all cases together, nine of ten take
 * SLACK_US more than nine of ten there, at the most. The longest cannot say that: several processes
 * share the guest's CPU, and how they meet is chance. A GPU that is removed ends its processes, so
 * that is compared with cases that end as many. When a case is over, the same probes must get
 * their edges, READY and IDLE, as ever, also if the GPU was reset or removed; and on each GPU that
 * was reset, a process whose queue was lost can create another one.
 *
 *   test-neighbours GPUS [FAULT...]	on the last of them, or of the hive
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "domain.h"
#include "gpufault.h"
#include "lease.h"
#include "must.h"
#include "pci.h"
#include "probes.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"
#include "xsdev.h"

#define MS		1000000ULL
#define HANG_MS		800	/* instead of amdkfd's nine seconds */
#define LATE_MS		300
#define REMOVED_MS	100	/* the call is under way for that long */
#define SLACK_US	1000	/* what does not wait for the firmware is not longer by more */
#define WAIT_MS		50	/* who waits for a hang, a late answer or a removal does so for longer */
#define BOUND_MS	100	/* what does not wait for a reset to end takes less; it took 28 */
#define ROUNDS		20	/* of each probe without a fault */
#define LEASE_MS	75
#define ENDS_MS		24	/* a process takes about 16 to end */
#define ENDS_STEP_MS	2	/* half a jiffy */
#define DONE_MS		30000
#define KFD_MS		20	/* amdkfd's own end of a process, after it */
#define TEXT(x)		#x
#define NUMBER(x)	TEXT(x)

/** enum victim - processes on the GPU with the fault, and one elsewhere */
enum victim {
	VICTIM,		/* what the phase is about: a busy queue and an idle one */
	OTHER,		/* has work, so that there is something to preempt */
	TRIGGER,	/* of an armed switch, on a GPU of another domain */
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
 * struct fault - what that GPU does
 * @name: of it
 * @command: for the file, without the GPU; NULL: none, what the others are compared with
 * @least_ms: the phase's call takes at least that long, or it did not meet the fault
 * @then: what happens to the GPU. A REMOVAL ends the processes that use it.
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
static struct daemon xschedd = { .program = "/bin/xschedd", .name = "neighbours" };

/**
 * struct range - some GPUs
 * @first: number of the first
 * @count: how many
 */
struct range {
	unsigned int first;
	unsigned int count;
};

/*
 * Those that are reset together, of which the last has the faults and each other has a process with
 * work; and those that are not.
 */
static struct range domain, others;
static unsigned int victim;
static struct worker near[WORKER_MAX_GPUS];
static uint32_t gpu_ids[WORKER_MAX_GPUS];

/* The scheduler: a client for each case. What it has read: GPUs that were reset, as a mask. */
static int fd;
static uint32_t resets;
static uint64_t reset_began;
static unsigned int armed_runs;
static uint64_t armed_switch;

/* The phase's call, in a thread of its own. */
static const struct phase *phase;
static bool call_over;
static uint64_t call_ns;

/* Likewise the GPU's removal. */
static pthread_t removal;
static bool removal_began, removal_over;
static int removal_error;

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
	struct kfd_xsched_queue queue;

	return !xsdev_find_first(fd, pid, &queue);
}

static int end_process(void)
{
	kill(victims[VICTIM].pid, SIGKILL);
	while (listed(victims[VICTIM].pid))
		xsdev_sleep_ms(5);
	return 0;
}

/*
 * The ends of several processes take longer than one: amdkfd waits for the readers of all MMU
 * notifiers (SRCU), and then frees them one after another. All at once, at various times.
 */
static unsigned int ends_after_ms;

static int end_all(void)
{
	unsigned int i;

	xsdev_sleep_ms(ends_after_ms);
	for (i = 0; i < domain.count - 1; i++)
		kill(near[i].pid, SIGKILL);
	kill(victims[OTHER].pid, SIGKILL);
	return end_process();
}

static int arm(void)
{
	int id = worker_start_on(&victims[TRIGGER], 1, others.first);

	if (!id)
		id = xsarm_suspend(fd, victims[TRIGGER].pid, victims[VICTIM].pid);
	armed_switch = id > 0 ? (uint64_t)id : 0;
	return id < 0 ? id : 0;
}

static int run_armed(void)
{
	worker_submit(&victims[TRIGGER], 0, &brief, 1);
	/* What it is about may have gone with the GPU. */
	while (!__atomic_load_n(&armed_runs, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&removal_over, __ATOMIC_ACQUIRE))
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

static const struct phase ends = { "ends", NULL, end_all };
static const struct fault undisturbed = { "none", NULL, 0, NOTHING };
static const struct fault faults[] = {
	{ "hang", "preempt_hang", HANG_MS * 3 / 4, RESET },
	{ "late", "preempt_late " NUMBER(LATE_MS) "000", LATE_MS * 3 / 4, NOTHING },
	{ "failed", "preempt_fail any", 0, NOTHING },
	{ "reset", "reset_save any", 0, RESET },
	{ "removed", "preempt_late " NUMBER(REMOVED_MS) "000", 0, REMOVAL },
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* ---- a case ---- */

/**
 * struct finding - what the probes have found
 * @before: until the reset began; without one: until it was over
 * @reset: from then on
 * @ended: each has ended what it was about, and one thing more
 */
struct finding {
	struct probe_result before[PROBE_KINDS];
	struct probe_result reset[PROBE_KINDS];
	bool ended;
};

/*
 * How long all took without a fault; without one, beside the ends of processes; and beside a fault,
 * until the GPUs are reset for it.
 */
static struct probe_times usual_times[PROBE_KINDS], ends_times[PROBE_KINDS];
static struct probe_times fault_times[PROBE_KINDS];
static bool removes;

static int write_fault(const char *command)
{
	return gpufault("%u.0 %s", victim, command);
}

/* How many faults have happened: all on that GPU. */
static long fired(void)
{
	return gpufault_look("fired", NULL);
}

static void note_reset(const struct kfd_xsched_event *e)
{
	unsigned int i;

	if (!e->data && !reset_began)
		reset_began = e->time_ns;
	for (i = domain.first; e->data && i < domain.first + domain.count; i++)
		resets |= (uint32_t)(gpu_ids[i] == e->gpu_id) << (i - domain.first);
}

/* What the client is told; to read it is a sign of life. */
static void read_events(void)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct kfd_xsched_event e;

	poll(&p, 1, 10);
	while (read(fd, &e, sizeof(e)) == sizeof(e)) {
		if (e.type == KFD_XSCHED_EVENT_NODE_RESET)
			note_reset(&e);
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
	unsigned int i;

	for (i = 0; i < domain.count - 1; i++)
		if (worker_start_on(&near[i], 1, domain.first + i) ||
		    worker_submit(&near[i], 0, &endless, 1))
			return false;
	return !worker_start_on(&victims[VICTIM], 2, victim) &&
		!worker_start_on(&victims[OTHER], 1, victim) &&
		!worker_submit(&victims[VICTIM], 0, &endless, 1) &&
		!worker_submit(&victims[OTHER], 0, &endless, 1);
}

static void open_client(void)
{
	fd = must_open();
	xsdev_subscribe(fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET) |
			KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED), 0, 0);
	resets = 0;
	reset_began = 0;
	armed_runs = 0;
	call_over = false;
	removal_began = false;
	removal_over = false;
	removal_error = 0;
}

/* In a thread of its own: it returns when the processes have ended that use the GPU. */
static void *unplug(void *unused)
{
	removal_error = sysfile_write(pci_last(), PCI_DRIVER "unbind");
	__atomic_store_n(&removal_over, true, __ATOMIC_RELEASE);
	return unused;
}

/*
 * Put the GPU back once amdkfd has forgotten it, with the last process that it knew at the
 * time: then it gets its number again.
 */
static void plug(const char *name)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;

	while (write_fault("clear") != -ENODEV && xsdev_now() < until)
		xsdev_sleep_ms(10);
	if (sysfile_write(name, PCI_DRIVER "bind"))
		tap_bail("the GPU cannot be put back");
}

/* Whether everything has happened that is to. The GPU is removed once the call met the fault. */
static bool is_over(const struct fault *f, long before)
{
	const bool over = __atomic_load_n(&call_over, __ATOMIC_ACQUIRE);

	if (f->then == REMOVAL && !removal_began && (over || fired() != before)) {
		removal_began = true;
		if (pthread_create(&removal, NULL, unplug, NULL))
			tap_bail("no thread");
	}
	if (f->then == REMOVAL && !__atomic_load_n(&removal_over, __ATOMIC_ACQUIRE))
		return false;
	return over && (f->then != RESET || resets == (1U << domain.count) - 1);
}

/* Let the call meet the fault, until both are over. What went wrong, or NULL. */
static const char *meet(const struct fault *f)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;
	const long before = fired();
	pthread_t thread;

	if (f->command && write_fault(f->command))
		return "the fault cannot be armed";
	if (pthread_create(&thread, NULL, call, NULL))
		return "no thread";
	while (!is_over(f, before)) {
		read_events();
		if (xsdev_now() > until)
			tap_bail("%s, %s: %s", phase->name, f->name,
				 call_over ? "there is no reset or removal" :
				 "the call does not return");
	}
	pthread_join(thread, NULL);
	if (removal_began)
		pthread_join(removal, NULL);
	if (removal_error)
		return "the GPU cannot be removed";
	if (!removal_began && (fired() == before) != !f->command)
		return f->command ? "the fault did not happen" : "a fault happened";
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

/* Some may have ended with their GPU. */
static void clean_up(void)
{
	unsigned int i;

	if (armed_switch)
		xsarm_clear(fd, armed_switch);
	armed_switch = 0;
	kill_victim(&victims[TRIGGER]);
	for (i = 0; i < domain.count - 1; i++)
		kill_victim(&near[i]);
	kill_victim(&victims[OTHER]);
	kill_victim(&victims[VICTIM]);
	close(fd);
}

/* Each probe must have begun something, or it has shown nothing. */
static bool enough(const struct probe_result results[PROBE_KINDS])
{
	unsigned int i, few = 0;

	for (i = 0; i < PROBE_KINDS; i++)
		few += results[i].inside < 1;
	return !few;
}

/* A hang takes long enough to begin something before the reset. */
static bool found_enough(const struct fault *f, const struct finding *found)
{
	return f->then != RESET ? enough(found->before) :
		enough(found->reset) && (!f->least_ms || enough(found->before));
}

static struct probe_times *times_of(const struct fault *f)
{
	if (f->command)
		return fault_times;
	return phase == &ends ? ends_times : usual_times;
}

/*
 * What they find is complete once each has ended what it was about, and one thing more. As long
 * beside ends as beside faults: the same part of all probes meets them.
 */
static void end_probes(const struct fault *f, uint64_t since, struct finding *found)
{
	uint64_t until;

	found->ended = probes_run(f->command || phase == &ends ? 2 : ROUNDS, DONE_MS);
	until = xsdev_now();
	probes_between(since, reset_began ? reset_began : until, found->before, times_of(f));
	if (reset_began)
		probes_between(reset_began, until, found->reset, NULL);
}

static uint32_t state_of(struct worker *w)
{
	struct kfd_xsched_queue q = { 0 };
	int client = xsdev_open();
	uint32_t id = 0;

	worker_queue_id(w, 0, &id);
	xsdev_find(client, w->pid, id, &q);
	close(client);
	return q.state;
}

/* The GPU was reset: what a process had there is lost, but it can be used. By another client. */
static void check_reset(const struct fault *f, struct worker *w, unsigned int gpu)
{
	int fresh;

	tap_ok(state_of(w) & KFD_XSCHED_QUEUE_RESET, "%s, %s: a queue on GPU %u is listed as reset",
	       phase->name, f->name, gpu);
	fresh = worker_add_queue(w);
	tap_ok(fresh > 0 && !worker_submit(w, fresh, &brief, 1) && !worker_wait(w, fresh, DONE_MS),
	       "%s, %s: another one of the same process works", phase->name, f->name);
}

/* On each GPU of the domain. Without a reset, only the one with the fault can have lost a queue. */
static void check_afterwards(const struct fault *f)
{
	unsigned int i;

	for (i = 0; i < domain.count - 1; i++) {
		if (f->then == RESET)
			check_reset(f, &near[i], domain.first + i);
		else
			tap_ok(!(state_of(&near[i]) & KFD_XSCHED_QUEUE_RESET),
			       "%s, %s: no queue on GPU %u is lost", phase->name, f->name,
			       domain.first + i);
	}
	if (f->then == RESET)
		check_reset(f, &victims[OTHER], victim);
}

/* What about it shows nothing, or NULL. */
static const char *carry_out(const struct fault *f, struct finding *found)
{
	const char *wrong = NULL, *name = pci_last();
	uint64_t since;

	if (f->then == REMOVAL && domain.count > 1)
		tap_bail("a GPU of a hive is not removed: it would come back as the last one");
	open_client();
	if (!start_victims())
		wrong = "no victims";
	else if (phase->prepare && phase->prepare())
		wrong = "it cannot be prepared";
	else if (!probes_stand_by(DONE_MS))
		wrong = "no process stands by";
	since = xsdev_now();
	probes_go();
	if (!wrong)
		wrong = meet(f);
	end_probes(f, since, found);
	check_afterwards(f);
	clean_up();
	if (f->then == REMOVAL) {
		found->ended &= probes_stop(DONE_MS);
		plug(name);
		probes_start(others.first, others.count, LEASE_MS, &xschedd);
	}
	if (!wrong && !found_enough(f, found))
		wrong = "some probe has begun nothing since then";
	if (!wrong && f->then == NOTHING && reset_began)
		wrong = "a GPU was reset";
	return wrong;
}

/* ---- the verdict ---- */

static void show(const char *what, uint64_t ms, const struct probe_result results[PROBE_KINDS])
{
	char text[PROBE_KINDS * 9] = "";
	unsigned int i;

	for (i = 0; i < PROBE_KINDS; i++)
		snprintf(text + 8 * i, 9, " %7u", results[i].longest_us % 10000000);
	tap_note("| %-9s %-8s %6llu%s", phase->name, what, (unsigned long long)ms, text);
}

static void show_head(void)
{
	char text[PROBE_KINDS * 9] = "";
	unsigned int i;

	for (i = 0; i < PROBE_KINDS; i++)
		snprintf(text + 8 * i, 9, " %7.7s", probe_names[i]);
	tap_note("ms: the call; us: the longest of each kind on GPUs of other domains");
	tap_note("| %-9s %-8s %6s%s", "phase", "fault", "call", text);
}

static bool within(enum probe_kind kind, const struct probe_result *found, uint32_t most_us)
{
	if (!found->error && found->longest_us <= most_us)
		return true;
	tap_note("%s: %u us, not %u, error %d", probe_names[kind], found->longest_us, most_us,
		 found->error);
	return false;
}

/* So many tenths took less without a fault. */
static uint32_t usual_us(enum probe_kind kind, unsigned int tenths, bool beside_ends)
{
	const uint32_t usual = probe_times_most(&usual_times[kind], tenths);
	const uint32_t beside = probe_times_most(&ends_times[kind], tenths);

	return beside_ends && beside > usual ? beside : usual;
}

/* How long one may take. Without a fault that is learned. */
static uint32_t most_us(const struct fault *f, enum probe_kind kind)
{
	return f->command ? usual_us(kind, 10, true) + WAIT_MS * 1000 : UINT32_MAX;
}

static bool good_before(const struct fault *f, const struct finding *found)
{
	unsigned int i, good = 0;

	for (i = 0; i < PROBE_KINDS; i++)
		good += within(i, &found->before[i], most_us(f, i));
	return good == PROBE_KINDS;
}

/*
 * A reset is no business of other domains, but amdkfd stops all processes on all GPUs until it is
 * over, and for another 100 ms (PROCESS_RESTORE_TIME_MS). So their work is late, and with it READY
 * and IDLE. What they call does not wait for that, only for the GPUs to be emptied.
 */
static bool good_reset(const struct finding *found)
{
	unsigned int i, good = 0, calls = 0;

	for (i = 0; i < PROBE_KINDS; i++) {
		if (i == PROBE_READY || i == PROBE_IDLE)
			continue;
		calls++;
		good += within(i, &found->reset[i], BOUND_MS * 1000);
	}
	return good == calls;
}

static void judge(const struct fault *f, const struct finding *found)
{
	show(f->name, call_ns / MS, found->before);
	tap_ok(found->ended && good_before(f, found), "%s, %s: %s", phase->name, f->name,
	       f->command ? "nothing on another domain's GPU waits" : "all goes on");
	if (f->then != RESET)
		return;
	show("+ reset", 0, found->reset);
	tap_ok(good_reset(found), "%s, %s: nor does a call there wait for the reset", phase->name,
	       f->name);
}

/* All cases together: in some, only one exit or two can begin. */
static void judge_times(void)
{
	unsigned int i, good = 0;
	uint32_t usual, most;

	for (i = 0; i < PROBE_KINDS; i++) {
		usual = usual_us(i, 9, removes);
		most = probe_times_most(&fault_times[i], 9);
		tap_note("| %s: nine of ten took %u us; beside faults %u us, of %u", probe_names[i],
			 usual, most, fault_times[i].count);
		good += fault_times[i].count && most <= usual + SLACK_US;
	}
	tap_ok(good == PROBE_KINDS, "nine of ten on another domain's GPU are not longer");
}

/* The probes run when it begins; and when it ends, these or (REMOVAL) others. */
static void test_case(const struct phase *p, const struct fault *f)
{
	struct finding found = { 0 };
	const char *wrong;

	phase = p;
	removes |= f->then == REMOVAL;
	wrong = carry_out(f, &found);
	if (wrong)
		tap_note("%s, %s: %s", p->name, f->name, wrong);
	if (!tap_ok(probes_run(2, DONE_MS), "%s, %s: then the other GPUs are as ever", p->name,
		    f->name))
		tap_bail("nothing can be shown any more");
	tap_ok(!wrong, "%s, %s: it happened", p->name, f->name);
	judge(f, &found);
}

static bool wanted(const struct fault *f, int argc, char **argv)
{
	int i;

	for (i = 2; i < argc; i++)
		if (!strcmp(argv[i], f->name))
			return true;
	return argc <= 2 && (f->then != REMOVAL || domain.count == 1);
}

/* In a hive, its last GPU; else the last of all. */
static void choose(unsigned int gpus)
{
	int client = must_open();

	if (gpus < 2 || gpus > WORKER_MAX_QUEUES)
		tap_bail("usage: test-neighbours GPUS [FAULT...], from 2 GPUs on");
	domain = (struct range){ .count = domain_find(client, gpus, gpu_ids) };
	close(client);
	if (domain.count == gpus)
		tap_bail("there is one domain only");
	if (domain.count == 1)
		domain.first = gpus - 1;
	others.first = domain.first ? 0 : domain.count;
	others.count = gpus - domain.count;
	victim = domain.first + domain.count - 1;
}

static void start(void)
{
	gpufault_timeout(HANG_MS);
	if (lease_set(LEASE_MS))
		tap_bail("the lease cannot be set");
	daemon_configure(&xschedd, "");
	daemon_start(&xschedd);
	if (!tap_ok(daemon_counts(&xschedd, "ejections", 0, DONE_MS), "xschedd runs"))
		tap_bail("nothing can be shown");
	probes_start(others.first, others.count, LEASE_MS, &xschedd);
	if (!tap_ok(probes_run(2, DONE_MS), "the other GPUs work"))
		tap_bail("nothing can be shown");
}

int main(int argc, char **argv)
{
	unsigned int i, k;

	choose(argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 0);
	start();
	show_head();
	for (k = 0; k < COUNT(phases); k++)
		test_case(&phases[k], &undisturbed);
	for (ends_after_ms = 0; ends_after_ms < ENDS_MS; ends_after_ms += ENDS_STEP_MS)
		test_case(&ends, &undisturbed);
	for (k = 0; k < COUNT(phases); k++)
		for (i = 0; i < COUNT(faults); i++)
			if (wanted(&faults[i], argc, argv))
				test_case(&phases[k], &faults[i]);
	judge_times();
	probes_stop(DONE_MS);
	tap_is(daemon_count(&xschedd, "ejections"), 0, "xschedd was never ejected");
	tap_is(daemon_stop(&xschedd), 0, "and ends in order");
	return tap_done();
}
