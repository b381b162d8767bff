/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A driver below that exists in memory only: nodes, processes and queues that
 * behave as amdkfd's do towards the core, count calls, and fail on demand. The core
 * runs on it unchanged, with its real device node.
 */
#ifndef KFD_XSCHED_FAKE_H
#define KFD_XSCHED_FAKE_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <linux/kfd_xsched.h>

#include "backend.h"
#include "front/front.h"

struct kunit;
struct pid;
struct task_struct;

#define FAKE_NODES	3
#define FAKE_PROCESSES	4
#define FAKE_QUEUES	40

#define FAKE_CAPS							\
	(KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_UNMAP |		\
	 KFD_XSCHED_CAP_GRACE | KFD_XSCHED_CAP_PRIORITY |		\
	 KFD_XSCHED_CAP_WAVES | KFD_XSCHED_CAP_CLASS)

#define FAKE_MAX_GRACE_US	120
#define FAKE_APP_PRIORITY	5
#define FAKE_APP_LEVEL		1	/* KFD_XSCHED_CLASS_NORMAL */

/**
 * struct xs_hw_node - a node of the fake
 * @desc: as reported to the core
 * @present: the core knows it
 * @fail: what the next applies return; 0: they work. -ETIME is reported, too
 * @culprit: what is to blame for that, or NULL
 * @fail_half: a failing apply changes the flags all the same
 * @switch_ms: how long a transaction takes
 * @hang: transactions wait until @answer is completed, and then fail
 * @answer: see @hang
 * @entered: completed by each transaction
 * @switching: it is on its way; no waves are to be seen on the whole node
 * @counts: how often waves were counted
 * @count_ms: how long that takes
 * @count_error: what it returns
 * @unmap_ns: how long it says that it took to save waves
 * @mapped_ns: when queues were mapped, as counts say it; U64_MAX: at that moment
 * @turn_ns: as counts say it
 * @applies: calls
 * @transactions: of those, which sent something to the firmware
 * @changes: in all calls
 * @last_grace_us: of the last call
 * @lock: plays the queue manager's lock
 */
struct xs_hw_node {
	struct xs_hw_node_desc desc;
	bool present;
	int fail;
	struct xs_hw_queue *culprit;
	bool fail_half;
	unsigned int switch_ms;
	bool hang;
	struct completion answer;
	struct completion entered;
	bool switching;
	unsigned int counts;
	unsigned int count_ms;
	int count_error;
	u64 unmap_ns;
	u64 mapped_ns;
	u64 turn_ns;
	unsigned int applies;
	unsigned int transactions;
	unsigned int changes;
	u32 last_grace_us;
	struct mutex lock;	/* plays the queue manager's lock */
};

/**
 * struct fake_tap - doorbells of a process on a node
 * @armed: unmapped; the next ring is reported
 * @arms: number of calls to arm it
 * @ret: result of these
 * @shared: others may ring them, too
 */
struct fake_tap {
	bool armed;
	unsigned int arms;
	int ret;
	bool shared;
};

/**
 * struct xs_hw_process - a process of the fake
 * @task: a kernel thread, for a pid and credentials
 * @pid: of it, with a reference
 * @nr: its number
 * @leaderless: the thread is gone, or that of another one in here
 * @exited: its exit was reported to the core
 * @hold_new: new queues are created held
 * @told: how often the core said whether they are to be
 * @was_hold_new: that, when a queue of it was changed last
 * @taps: by node, in the order these were added
 * @lock: plays amdkfd's process mutex
 */
struct xs_hw_process {
	struct task_struct *task;
	struct pid *pid;
	pid_t nr;
	bool leaderless;
	bool exited;
	bool hold_new;
	unsigned int told;
	bool was_hold_new;
	struct fake_tap taps[FAKE_NODES];
	struct mutex lock;	/* plays amdkfd's process mutex */
};

/**
 * struct xs_hw_queue - a queue of the fake
 * @desc: as reported to the core; but the application may change its priority
 * @present: the core knows it
 * @held: held by the core
 * @override: priority override
 * @level: class override, counted from 0
 * @reasons: KFD_XSCHED_QUEUE_* it does not run for, beside @held
 * @ret: what changes of it are answered with
 * @waves: waves in flight while not held
 * @saved: contexts with waves that were saved of it, or -errno
 * @asked: how often somebody asked for that
 * @asked_ns: when first, since a test set it to 0; CLOCK_MONOTONIC
 * @ask_ms: how long the answer takes
 */
struct xs_hw_queue {
	struct xs_hw_queue_desc desc;
	bool present;
	bool held;
	s32 override;
	s32 level;
	u32 reasons;
	int ret;
	int waves;
	int saved;
	unsigned int asked;
	u64 asked_ns;
	unsigned int ask_ms;
};

extern const struct xs_backend_ops fake_backend;

/* What the next start does, if not NULL: as the driver replays, or fails. */
extern int (*fake_on_start)(void);

/* The same when it stops: after this it reports nothing. */
extern void (*fake_on_stop)(void);

/* The same when doorbells are about to be taken away: it may bring work. */
extern void (*fake_on_tap)(void);

/* The process rings a doorbell there. */
void fake_ring(struct xs_hw_process *process, struct xs_hw_node *node);

/* Its doorbells there. */
struct fake_tap *fake_tap_of(struct xs_hw_process *process, const struct xs_hw_node *node);

/* Forget everything. */
void fake_reset(void);

/* @with: a node that is reset together with it, or NULL. */
struct xs_hw_node *fake_node_add(struct kunit *test, u32 gpu_id, u32 caps);
struct xs_hw_node *fake_node_add_with(struct kunit *test, u32 gpu_id, u32 caps,
				      const struct xs_hw_node *with);
void fake_node_remove(struct xs_hw_node *node);

/* A process of that user. It has no queue, so the core does not know it yet. */
struct xs_hw_process *fake_process_add(struct kunit *test, unsigned int uid);

/* One more address space of the process: the driver has a handle for each. */
struct xs_hw_process *fake_space_add(struct kunit *test, struct xs_hw_process *process);

/* A process with a number that was another's. */
struct xs_hw_process *fake_process_add_again(struct kunit *test, unsigned int uid, pid_t nr);

/* Its leader exits and is reaped, while somebody else keeps its address space. */
void fake_leader_exit(struct xs_hw_process *process);

/* Its address space goes; queues that are left are removed. */
void fake_process_exit(struct xs_hw_process *process);

/* A compute queue, perhaps born held. */
struct xs_hw_queue *fake_queue_add(struct kunit *test, struct xs_hw_process *process,
				   struct xs_hw_node *node);

/* The same, of a type, with indices to sample. */
struct xs_hw_queue *fake_queue_add_desc(struct kunit *test,
					const struct xs_hw_queue_desc *desc);
void fake_queue_remove(struct xs_hw_queue *queue);

/* Its owner changes it. */
void fake_queue_change(struct xs_hw_queue *queue);

/* It does not save its waves, and is reset: somebody else's preemption finds that out. */
void fake_queue_lose(struct xs_hw_queue *queue);

/* Whether any queue is held, or any process's new queues are. */
bool fake_any_hold(void);

/* The same, or any queue is overridden. */
bool fake_anything_held(void);

/* Remove all queues, processes and nodes. */
void fake_remove_all(void);

/*
 * The node stops answering; until it does, with that error, or 0; or it answers the
 * transaction that is on its way, and what comes then, as a retry, hangs.
 */
void fake_hang(struct xs_hw_node *node);
void fake_answer(struct xs_hw_node *node, int error);
void fake_answer_one(struct xs_hw_node *node, int error);

/* Calls and transactions of all nodes. */
unsigned int fake_applies(void);
unsigned int fake_transactions(void);

#endif /* KFD_XSCHED_FAKE_H */
