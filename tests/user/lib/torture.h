/* SPDX-License-Identifier: MIT */
/*
 * The parts of test-torture: what they have in common; looks; clients of the scheduler, and their
 * switches; workers; faults. An operation is a function that chooses whom it concerns by the
 * generator. It says what it is about to do, and what became of that: torture_did(), torture_got().
 * What must not be is a violation, which ends the epoch: torture_violation().
 */
#ifndef TORTURE_H
#define TORTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker.h"
#include "xsdev.h"

#define TORTURE_WORKERS		6
#define TORTURE_CLIENTS		4
#define TORTURE_LISTED		256
#define TORTURE_ALICE		1000	/* an ordinary user */
#define TORTURE_DONE_MS		20000	/* what is to happen has happened by then */
#define TORTURE_MS		1000000ULL

/* ---- what all have in common: torture.c ---------------------------------- */

/** enum torture_claim - what must be so, all the time or at the end of each epoch */
enum torture_claim {
	TORTURE_CALLS,		/* calls fail as is documented, or not at all */
	TORTURE_HOLDS,		/* what a call has held is held when it returns */
	TORTURE_LOOKS,		/* LIST and files make sense */
	TORTURE_EVENTS,		/* so do events, and each ASYNC call has its own */
	TORTURE_WORKS,		/* a worker does what it is asked */
	TORTURE_FREE,		/* without clients nothing is held */
	TORTURE_GIVEN_BACK,	/* nor is anything overridden */
	TORTURE_GOES_ON,	/* whoever lives goes on */
	TORTURE_ONCE,		/* every dispatch is executed once, in order */
	TORTURE_ENDS,		/* no queue is left */
	TORTURE_ACCOUNTS,	/* nor is anything on an account */
	TORTURE_RECOVERS,	/* after a fault the GPU works */
	TORTURE_GPU,		/* it met no error */
	TORTURE_CLAIMS,
};

/** enum torture_harm - what the fault of an epoch may do, once it is armed */
enum torture_harm {
	TORTURE_NO_HARM,	/* there is none, or all only takes longer */
	TORTURE_ONE_DIES,	/* a worker is killed */
	TORTURE_WORK_IS_LOST,	/* calls fail, too */
};

/**
 * struct torture - the run and its epoch
 * @seed: it began with
 * @began_ns: when
 * @epoch: number of the epoch
 * @faulty: it is to have a fault
 * @fault: its name, once it is armed; else NULL
 * @harm: see there
 * @short_lease: clients that are silent in it may be ejected
 * @over: something was violated in it
 * @violations: so far
 * @broken: of each claim
 * @succeeded: some call did since this was set to false
 * @root: a client that looks, and asks for something after a fault only
 * @told: one that is told of resets, breakers and demotions
 * @nodes: how many there are
 * @gpu_ids: of each
 * @caps: that all have, KFD_XSCHED_CAP_*
 * @max_grace_us: the longest grace that all allow
 * @mes: their firmware is MES, not HWS
 * @listed: queues, as the last LIST has found them
 * @nr_listed: how many
 */
struct torture {
	uint32_t seed;
	uint64_t began_ns;
	uint32_t epoch;
	bool faulty;
	const char *fault;
	enum torture_harm harm;
	bool short_lease;
	bool over;
	unsigned int violations;
	unsigned int broken[TORTURE_CLAIMS];
	bool succeeded;
	int root;
	int told;
	unsigned int nodes;
	uint32_t gpu_ids[WORKER_MAX_GPUS];
	uint32_t caps;
	uint32_t max_grace_us;
	bool mes;
	struct kfd_xsched_queue listed[TORTURE_LISTED];
	unsigned int nr_listed;
};

extern struct torture torture;

/* The generator begins an epoch, independent of what was before. */
void torture_begin_epoch(uint32_t epoch);

/* The next number of it, below @n, which is not 0. */
uint32_t torture_below(uint32_t n);

/* Something is about to be done; and what it returned: 0 or more, or -errno. */
void torture_did(const char *format, ...) __attribute__((format(printf, 1, 2)));
void torture_got(int ret);

/* What was done last. */
const char *torture_last(void);

/* That is not as it should be: say what, and what was done last. */
void torture_violation(enum torture_claim claim, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether a call may return that; @documented: it may without a fault, too. */
bool torture_may(int ret, bool documented);

/* Hear of all events that there are for an open file: 0, or -errno. */
int torture_hear(int fd, void (*hear)(void *argument, const struct kfd_xsched_event *e),
		 void *argument);

/* End the test, and say what it does, if nothing is done for minutes. */
void torture_watch(void);

/* ---- looks: torture_look.c ------------------------------------------------ */

/* LIST through that client into torture.listed: 0 or -errno. It must make sense. */
int torture_list(int fd);

/* A queue of that process, or (0) any, as it was listed; NULL: there was none. */
const struct kfd_xsched_queue *torture_queue_of(pid_t pid);

/* An operation: read a file of the scheduler in /sys or debugfs. */
void torture_files(void);

/* What the accounts are without us; and whether they are so again. */
void torture_accounts_begin(void);
void torture_accounts_check(void);

/* Whether the GPU has met errors since the last call. */
void torture_gpu_check(void);

/* Say how often processes were parked, and have come back. */
void torture_parks_note(void);

/* No client is open: nothing is held, nor parked, and in a while. */
void torture_free_check(void);

/* ---- clients: torture_client.c -------------------------------------------- */

#define TORTURE_HOLDS_EACH	2
#define TORTURE_TENANTS_EACH	3
#define TORTURE_ARMED_EACH	2

/**
 * struct torture_client - an open file of the scheduler
 * @index: number among these clients
 * @fd: -1: closed
 * @number: by which administrators know it
 * @limited: it was opened by an ordinary user, and has limits
 * @ejected: by us
 * @outstanding: ASYNC calls whose event was not read
 * @cookie: of the last ASYNC call
 * @holds: what it holds, as far as it knows: entries that did it
 * @nr_holds: how many
 * @tenants: those that there are
 * @nr_tenants: how many
 * @last_tenant: the last that was made
 * @armed: switches
 * @nr_armed: how many
 */
struct torture_client {
	unsigned int index;
	int fd;
	uint64_t number;
	bool limited;
	bool ejected;
	unsigned int outstanding;
	uint64_t cookie;
	struct kfd_xsched_entry holds[TORTURE_HOLDS_EACH];
	unsigned int nr_holds;
	uint64_t tenants[TORTURE_TENANTS_EACH];
	unsigned int nr_tenants;
	uint64_t last_tenant;
	uint64_t armed[TORTURE_ARMED_EACH];
	unsigned int nr_armed;
};

/* One of them, opened if need be; NULL: that failed. */
struct torture_client *torture_client_any(void);

/*
 * A call of it has returned that; @documented: which may be. Whether it succeeded. An ejected one
 * is closed.
 */
bool torture_client_got(struct torture_client *c, int ret, bool documented);

/* A tenant of it, which may be gone; 0: it never had one. */
uint64_t torture_client_tenant(const struct torture_client *c);

/* Operations. */
void torture_tenant(void);
void torture_arm(void);
void torture_clear(void);
void torture_subscribe(void);
void torture_read(void);
void torture_renew(void);
void torture_look(void);
void torture_eject(void);
void torture_die(void);

/* Before the first epoch; at the end of each: all ASYNC calls end, and all clients are closed. */
void torture_clients_begin(void);
void torture_clients_answered(void);
void torture_clients_close(void);

/* In a worker: what it has of them is closed. */
void torture_clients_forget(void);

/* ---- switches of clients: torture_switch.c -------------------------------- */

/* Operations. */
void torture_hold(void);
void torture_resume(void);
void torture_priority(void);
void torture_park(void);
void torture_several(void);

/* ---- workers: torture_worker.c -------------------------------------------- */

/* The process of worker number @n, or that it had; and whether such a process lives. */
pid_t torture_worker_pid(unsigned int n);
bool torture_worker_lives(pid_t pid);

/* A queue of that process was reset, or does not save: it is not to be counted on. */
void torture_worker_lost(pid_t pid);

/* Operations. */
void torture_load(void);
void torture_ask(void);
void torture_evict(void);
void torture_restart(void);
void torture_pressure(void);

/* Before the first epoch. */
void torture_workers_begin(void);

/* An epoch begins: all are there, most of them under load; from time to time: loads end. */
void torture_workers_start(void);
void torture_workers_look(void);

/* It ends, and nothing is held: loads go on; they end; all is as it should be; workers end. */
void torture_workers_go_on(void);
void torture_workers_settle(void);
void torture_workers_check(void);
void torture_workers_stop(void);

/* ---- faults: torture_fault.c ---------------------------------------------- */

/* Before the first epoch. */
void torture_faults_begin(void);

/* An epoch that is to have a fault begins. */
void torture_faults_allow(void);

/* A fault is armed. */
void torture_strike(void);

/* An operation, which does nothing without a fault: an administrator closes breakers. */
void torture_rearm(void);

/*
 * No client is open: the fault is over, breakers are closed. Workers that lost something are known
 * after that. Without a fault, nothing of the kind has happened.
 */
void torture_recover(void);

/* After a fault, when the workers have ended: a process is held, released, and runs. */
void torture_recovered_check(void);

/* How many faults have happened, by name. */
void torture_faults_note(void);
unsigned int torture_faults_count(void);

#endif /* TORTURE_H */
