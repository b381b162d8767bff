/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that have user queues, and the permission to touch them.
 */
#ifndef KFD_XSCHED_PROCESS_H
#define KFD_XSCHED_PROCESS_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "backend.h"
#include "core.h"
#include "model/park.h"
#include "model/request.h"

struct cred;
struct file;
struct mm_struct;
struct pid;
struct pid_namespace;
struct xs_birth;

/**
 * struct xs_owner - credentials of a process at one moment
 * @cred: with a reference
 * @dumpable: it had not changed them so that it became undumpable
 */
struct xs_owner {
	const struct cred *cred;
	bool dumpable;
};

/**
 * struct xs_space - an address space of a process; under xs_lock
 * @hw: the driver's handle; NULL once it is gone
 * @refs: one until it is gone, and one of each of its pdds
 * @process: whose it is, with a reference
 * @mm: it, grabbed
 * @in_process: in xs_process.spaces
 * @by_hw: in the table by @hw
 *
 * The driver may have several of one process: AMDKFD_IOC_CREATE_PROCESS makes more in one
 * mm. After an execve(), a child by clone(CLONE_VM) may still use the former one.
 */
struct xs_space {
	struct xs_hw_process *hw;
	unsigned int refs;
	struct xs_process *process;
	struct mm_struct *mm;
	struct list_head in_process;
	struct hlist_node by_hw;
};

/**
 * struct xs_number - the number of a process in a pid namespace that sees it
 * @by_nr: in the table of all, by @nr
 * @process: which process
 * @ns: that namespace; the process has a reference
 * @nr: the number
 */
struct xs_number {
	struct hlist_node by_nr;
	struct xs_process *process;
	const struct pid_namespace *ns;
	pid_t nr;
};

/**
 * struct xs_review - what is known of what interests ask for of a process; under xs_lock
 * @in_list: in a list of watch/interest.c, if it has queues to look at
 * @began: what interests there were then; 0: the process has changed since
 * @queue: whose owner they are to be asked about next; NULL: the review is not begun
 * @all: one of those asked so far may see it, or it is a trigger
 * @sample_us: the shortest period of all that were asked
 * @settle_us: the longest settle time of those that may see it
 * @no_tap: one of these wants its doorbells left alone
 */
struct xs_review {
	struct list_head in_list;
	u64 began;
	const struct xs_queue *queue;
	bool all;
	u32 sample_us;
	u32 settle_us;
	bool no_tap;
};

/**
 * struct xs_process - a process that has user queues, or had; under xs_lock unless
 *	said otherwise
 * @refs: one of each of its spaces, of each item of a batch that names it, and of each
 *	armed switch that does
 * @id: its name for user space, never used again: that of its first queue
 * @pid: its thread group leader, with a reference; it may be gone
 * @owner: credentials at its first queue; they decide which clients get the event of
 *	its end, and, once the leader is gone, who may hold it
 * @in_processes: in xs_processes until it exits
 * @spaces: by xs_space.in_process; also those that are gone and have queues still
 * @live: how many of @spaces are not gone
 * @pdds: by xs_pdd.in_process
 * @requests: on the process, by xs_request.in_target
 * @sum: what they ask for together
 * @exited: its address spaces are gone
 * @hold_new: what the driver was last asked for: are new queues born held?
 * @born_held: @hold_new was ever set: what a new queue is born as is unknown
 * @failures: how many of its queues did not save their waves: see model/demotion.h
 * @user_demoted: its user is demoted
 * @park: whether it is parked, and when
 * @triggers: armed switches it triggers by itself
 * @mark: for a search
 * @sampled_pdds: how many of @pdds have queues to look at
 * @review: which interests may see it, if there are any
 * @watched: an interest or an armed switch asks for it; changed under sampler.lock, too
 * @settle_ns: how long it has no work before it is IDLE; sampler.lock
 * @no_tap: its doorbells are left alone; sampler.lock
 * @ready: queues that are READY; written under sampler.lock
 * @edge_ns: when that last came from 0 or went to 0; likewise
 * @numbers: of @pid, one for each pid namespace that sees it, the first one first
 */
struct xs_process {
	unsigned int refs;
	u64 id;
	struct pid *pid;
	struct xs_owner owner;
	struct list_head in_processes;
	struct list_head spaces;
	u32 live;
	struct list_head pdds;
	struct hlist_head requests;
	struct xs_sum sum;
	bool exited;
	bool hold_new;
	bool born_held;
	u32 failures;
	bool user_demoted;
	struct xs_park park;
	u32 triggers;
	u64 mark;
	u32 sampled_pdds;
	struct xs_review review;
	bool watched;
	u64 settle_ns;
	bool no_tap;
	u32 ready;
	u64 edge_ns;
	struct xs_number numbers[];
};

/*
 * The number of a queue that is about to come, which is never used again; a process has that of
 * its first queue. And the last one that was given out. Without a lock.
 */
u64 xs_id_new(void);
u64 xs_id_last(void);

/*
 * All zero, for a process of that leader, with room for it in the table by id. NULL: no
 * memory. And give back what was not used; @process may be NULL. Without a lock.
 */
struct xs_process *xs_process_alloc(const struct pid *pid, u64 id);
void xs_process_dealloc(struct xs_process *process, u64 id);

/* The user to whom it counts: xs_user_of() its @owner. */
kuid_t xs_process_user(const struct xs_process *process);

/* Whether it has the lowest priority, whatever is asked for. */
static inline bool xs_process_is_demoted(const struct xs_process *process)
{
	return process->failures || process->user_demoted;
}

/* All that have not exited, by xs_process.in_processes; under xs_lock. */
extern struct list_head xs_processes;

/*
 * The process of that thread group id in a pid namespace. Its leader may be gone, if its
 * address space is not: so there may be several, of which the one with a leader comes first.
 * ERR_PTR(-ENOENT): there is none and never was; ERR_PTR(-ESRCH): it is gone. The module
 * remembers only the last processes that are gone, and forgets them when their number is in
 * use again.
 */
struct xs_process *xs_process_find_locked(u64 nr, const struct pid_namespace *ns);

/*
 * The same of KFD_XSCHED_TARGET_PROCESS; or the process of that id, if @target is
 * KFD_XSCHED_TARGET_PROCESS_ID.
 */
struct xs_process *xs_process_named_locked(u32 target, u64 id, const struct pid_namespace *ns);

/*
 * One more that has that number, which is not @first; the next after @process, if that is not
 * NULL; or NULL.
 */
struct xs_process *xs_process_also_locked(u64 nr, const struct pid_namespace *ns,
					  const struct xs_process *first,
					  const struct xs_process *process);

/* The process with the lowest id above that, or NULL; also one that has exited. */
struct xs_process *xs_process_above_locked(u64 id);

/* The space of a driver's handle, or NULL. */
struct xs_space *xs_space_find_hw_locked(const struct xs_hw_process *hw);

/* A new one, for its first queue, perhaps of a new process. */
struct xs_space *xs_space_new_locked(const struct xs_hw_queue_desc *desc,
				     struct xs_birth *birth);

/*
 * The space is gone: forget the driver's handle. With its last space the process exits.
 * The caller has a reference to the process.
 */
void xs_space_exit_locked(struct xs_space *space);

struct xs_space *xs_space_get_locked(struct xs_space *space);
void xs_space_put_locked(struct xs_space *space);

struct xs_process *xs_process_get_locked(struct xs_process *process);
void xs_process_put_locked(struct xs_process *process);

/* When the driver reports nothing any more: forget all, as if they had exited. */
void xs_processes_free_locked(void);

/* The credentials the process of a space has now. */
struct xs_owner xs_owner_get(const struct xs_space *space);
void xs_owner_put(struct xs_owner *owner);

/* Whether the opener of the file may know of a process with these credentials. Never changes. */
bool xs_owner_shows(const struct xs_owner *owner, const struct file *file);

/**
 * enum xs_permit - what a caller wants to do to a process
 * @XS_PERMIT_LIST: to see it; a refusal is no offence
 * @XS_PERMIT_USE: to hold, release or lower it
 * @XS_PERMIT_RAISE: to raise it above the default
 */
enum xs_permit {
	XS_PERMIT_LIST,
	XS_PERMIT_USE,
	XS_PERMIT_RAISE,
};

/* Whether the caller may do that to the process as it is now. */
bool xs_process_permits_locked(const struct xs_process *process, enum xs_permit what);

/* Have the trace tell of what was answered, if the process is another user's. Not for LIST. */
void xs_process_trace_change(const struct xs_process *process, enum xs_permit what, bool permitted);

#endif /* KFD_XSCHED_PROCESS_H */
