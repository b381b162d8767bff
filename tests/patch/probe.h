/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kfd_probe: a scheduler that only carries out commands of a test.
 *
 * It replaces kfd_xsched.ko, so that a test can check the interface of the patches
 * without the module. Not for production: any
 * root process holds its own queues with it.
 */
#ifndef KFD_PROBE_H
#define KFD_PROBE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <kfd_sched.h>

/**
 * struct probe_queue - a queue that amdkfd has reported
 * @link: in probe_queues
 * @queue: amdkfd's
 * @info: as it was when it was reported
 * @tgid: owner
 * @level: what we asked for last
 */
struct probe_queue {
	struct list_head link;
	struct queue *queue;
	struct kfd_sched_queue_info info;
	pid_t tgid;
	s32 level;
};

/* Most queues of one process a command can be for. */
#define PROBE_MAX_QUEUES	16

/**
 * struct probe_counts - callbacks
 * @doorbells: callbacks of the tap
 * @offset: of the last one
 * @gone_saved: result of kfd_sched_queue_saved() for the last queue that went, in its
 *	callback
 * @changed: queues that their owners changed
 * @lost: preemptions that failed because of a queue that is named
 * @failed: those that failed otherwise
 */
struct probe_counts {
	atomic_t doorbells;
	atomic_t offset;
	atomic_t gone_saved;
	atomic_t changed;
	atomic_t lost;
	atomic_t failed;
};

extern struct probe_counts probe_counts;
extern wait_queue_head_t probe_wait;

/* Waves of the queue, or contexts that are saved of it, or -errno. probe_lock is held. */
int probe_waves_locked(const struct probe_queue *pq);

/* Queues of a process, at most PROBE_MAX_QUEUES; how many. probe_lock is held. */
unsigned int probe_find_locked(pid_t tgid, struct probe_queue **found);

/* Hold or release all queues of a process in one call; 0 or -errno. probe_lock is held. */
int probe_hold_locked(pid_t tgid, bool hold, struct kfd_sched_times *times);

/* As if the page directories of a queue's process had moved since amdkfd looked at them. */
void probe_move(struct queue *queue);

void probe_lock(void);
void probe_unlock(void);

/*
 * The agent treats one process as a scheduler would: while it is idle its
 * queues are held and its tap is armed, a ring releases them.
 */
int probe_agent_start(pid_t tgid, unsigned int gap_us, bool recheck);
int probe_agent_stop(char *result, size_t size);

#endif /* KFD_PROBE_H */
