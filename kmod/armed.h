/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Armed switches: an APPLY that the kernel runs by itself. See armed.c.
 */
#ifndef KFD_XSCHED_ARMED_H
#define KFD_XSCHED_ARMED_H

#include <linux/list.h>
#include <linux/types.h>

#include <linux/kfd_xsched.h>

struct cred;
struct seq_file;
struct xs_batch;
struct xs_client;
struct xs_item;
struct xs_process;
struct xs_queue;

/**
 * struct xs_armed - an armed switch; under xs_lock
 * @id: its name towards the client, never used again
 * @client: whose; in xs_client.armed by @id
 * @holder: stands for the client in what the switch holds and sets; a reference
 * @cred: of who set it; each run is checked with them
 * @in_armed: in the list of all
 * @process: trigger, pinned, or NULL
 * @tenant: trigger, by id, or 0
 * @count: elements of @items and @entries
 * @items: targets; processes are pinned until they exit
 * @entries: what is asked for
 * @active: what was run last was for READY
 * @stale: a tenant has changed since
 * @batch: the run on its way, or NULL
 * @edge_ns: of the last run
 * @error: of its entries, 0 or -errno
 * @runs: how many
 * @reached: for a search
 */
struct xs_armed {
	u64 id;
	struct xs_client *client;
	struct xs_client *holder;
	const struct cred *cred;
	struct list_head in_armed;
	struct xs_process *process;
	u64 tenant;
	u32 count;
	struct xs_item *items;
	struct kfd_xsched_entry *entries;
	bool active;
	bool stale;
	struct xs_batch *batch;
	u64 edge_ns;
	int error;
	u64 runs;
	bool reached;
};

/* Take it up, with a number and what is to be known of its processes. 0 or -ENOMEM. */
int xs_armed_add_locked(struct xs_armed *armed);

/*
 * Drop it, and what it holds, which is pending then. With what it is not yet, if
 * it was never added.
 */
void xs_armed_free_locked(struct xs_armed *armed);

/* Stage its entries for its holder; statuses are in its items. 0 or -errno. */
int xs_armed_stage_locked(struct xs_armed *armed, struct xs_batch *batch);

/* Run it, or undo it, if that is due. It may be gone then. */
void xs_armed_update_locked(struct xs_armed *armed);

/* Processes became READY or IDLE: run what is armed for that. */
void xs_armed_look(void);

/* Processes came to or left tenants of the client, or tenants went. */
void xs_armed_tenants_changed_locked(struct xs_client *client);

/* The process is exited, and so are switches it triggers. It is not freed here. */
void xs_armed_process_exited_locked(struct xs_process *process);

/* Whether it is in the tenant that triggers the switch. */
bool xs_armed_triggered_by_tenant_locked(const struct xs_armed *armed,
					 struct xs_process *process);

/* Whether the process triggers the switch. */
static inline bool xs_armed_triggers_locked(const struct xs_armed *armed,
					    struct xs_process *process)
{
	return armed->tenant ? xs_armed_triggered_by_tenant_locked(armed, process) :
			       armed->process == process;
}

/* Whether a switch of any client waits for the process, itself or its tenant. */
bool xs_armed_waits_for_locked(const struct xs_process *process);

/* Drop all of a client, and what they hold. Switch what is pending afterwards. */
void xs_armed_drop_all_locked(struct xs_client *client);

/* Whether the queue is held by the client or a switch of it. */
bool xs_armed_or_client_holds_locked(const struct xs_queue *queue,
				     const struct xs_client *client);

/**
 * struct xs_holders - a walk over a client and who holds for its switches
 * @client: of whom
 * @begun: the client itself was returned
 * @at: id of the switch that was last
 */
struct xs_holders {
	struct xs_client *client;
	bool begun;
	unsigned long at;
};

/* The next of them, the client first, or NULL. */
struct xs_client *xs_armed_next_holder_locked(struct xs_holders *walk);

/* Their lines of a dump. */
void xs_armed_show_locked(struct seq_file *m, struct xs_client *client);

/* KFD_XSCHED_ARM */
long xs_armed_ioctl(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_ARMED_H */
