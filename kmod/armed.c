// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armed switches: an APPLY that the kernel runs by itself.
 *
 * A switch has a *holder*, a client without a file that stands for its own: what
 * the switch holds and sets are claims and rules of that. So switches of one
 * client may overlap, as holds of several clients do, and undoing one takes
 * nothing from another. Leases are the client's: see watchdog.c.
 *
 * A run is an async batch, as of an APPLY, so that a node that does not answer
 * delays neither the sampler nor other switches. There is one at a time; what the
 * trigger does meanwhile is looked at when it is over. Undoing is a batch that
 * gives back all there is. If it fails the claims are dropped, so that the queues
 * come back as those of a client that went.
 *
 * SET looks at all entries as a run does (arm.c), so memory for claims is there
 * before it is needed.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "activity.h"
#include "apply.h"
#include "armed.h"
#include "batch.h"
#include "claim.h"
#include "client.h"
#include "event.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "state.h"
#include "tenant.h"
#include "trace.h"
#include "xsched.h"

/* All armed switches, in the order they were set; under xs_lock. */
static LIST_HEAD(all);

static void note_process_locked(struct xs_process *process)
{
	if (!process)
		return;
	xs_process_pin_locked(process);
	process->armed++;
}

static void forget_process_locked(struct xs_process **process)
{
	if (!*process)
		return;
	(*process)->armed--;
	xs_process_unpin_locked(*process);
	*process = NULL;
}

static struct xs_tenant *trigger_tenant_locked(const struct xs_armed *armed)
{
	struct xs_tenant *tenant = xs_tenant_find_locked(armed->client, armed->tenant);

	return IS_ERR(tenant) ? NULL : tenant;
}

static void note_trigger_locked(struct xs_armed *armed, int change)
{
	struct xs_tenant *tenant = trigger_tenant_locked(armed);

	if (tenant)
		tenant->triggers += change;
	if (armed->process)
		armed->process->triggers += change;
}

int xs_armed_add_locked(struct xs_armed *armed)
{
	struct xs_client *client = armed->client;
	const u64 id = client->last_armed + 1;
	int ret;
	u32 i;

	lockdep_assert_held(&xs_lock);

	ret = xa_err(xa_store(&client->armed, id, armed, GFP_KERNEL_ACCOUNT));
	if (ret)
		return ret;
	armed->id = id;
	client->last_armed = id;
	client->armed_count++;
	list_add_tail(&armed->in_armed, &all);
	note_trigger_locked(armed, 1);
	note_process_locked(armed->process);
	for (i = 0; i < armed->count; i++)
		note_process_locked(armed->items[i].target);
	trace_arm(armed);
	return 0;
}

static void unlink_locked(struct xs_armed *armed)
{
	u32 i;

	trace_disarm(armed);
	list_del(&armed->in_armed);
	xa_erase(&armed->client->armed, armed->id);
	armed->client->armed_count--;
	note_trigger_locked(armed, -1);
	forget_process_locked(&armed->process);
	for (i = 0; i < armed->count; i++)
		forget_process_locked(&armed->items[i].target);
}

void xs_armed_free_locked(struct xs_armed *armed)
{
	lockdep_assert_held(&xs_lock);

	/* A run that is on its way ends without it: nobody wants its outcome. */
	if (armed->batch)
		armed->batch->armed = NULL;
	if (armed->id)
		unlink_locked(armed);
	if (armed->holder) {
		xs_client_drop_all_locked(armed->holder);
		xs_client_put(armed->holder);
	}
	put_cred(armed->cred);
	kvfree(armed->items);
	kvfree(armed->entries);
	kfree(armed);
}

void xs_armed_drop_all_locked(struct xs_client *client)
{
	struct xs_armed *armed;
	unsigned long id;

	lockdep_assert_held(&xs_lock);

	xa_for_each(&client->armed, id, armed)
		xs_armed_free_locked(armed);
	xa_destroy(&client->armed);
}

/* ---- triggers ------------------------------------------------------------ */

bool xs_armed_triggered_by_tenant_locked(const struct xs_armed *armed,
					 struct xs_process *process)
{
	const struct xs_rule *rule;

	lockdep_assert_held(&xs_lock);

	rule = xs_process_rule_locked(process, armed->client);
	return rule && rule->tenant && rule->tenant->id == armed->tenant;
}

bool xs_armed_waits_for_locked(const struct xs_process *process)
{
	const struct xs_rule *rule;

	lockdep_assert_held(&xs_lock);

	if (process->triggers)
		return true;
	list_for_each_entry(rule, &process->rules, in_process) {
		if (rule->tenant && rule->tenant->triggers)
			return true;
	}
	return false;
}

static bool is_gone_locked(const struct xs_armed *armed)
{
	if (armed->tenant)
		return !trigger_tenant_locked(armed);
	return armed->process->exited;
}

/* Adds a process to the trigger's state. */
static void add_ready(const struct xs_process *process, bool *ready, u64 *first,
		      u64 *last)
{
	const u64 edge = READ_ONCE(process->edge_ns);

	*last = max(*last, edge);
	if (!READ_ONCE(process->ready))
		return;
	*ready = true;
	*first = min_not_zero(*first, edge);
}

/* Whether it is READY, and since when it is what it is. */
static bool is_ready_locked(const struct xs_armed *armed, u64 *edge_ns)
{
	const struct xs_tenant *tenant = trigger_tenant_locked(armed);
	const struct xs_rule *rule;
	u64 first = 0, last = 0;
	bool ready = false;

	if (!armed->tenant)
		add_ready(armed->process, &ready, &first, &last);
	else
		list_for_each_entry(rule, &tenant->rules, in_tenant)
			add_ready(rule->process, &ready, &first, &last);
	*edge_ns = ready ? first : last;
	return ready;
}

/* ---- runs ---------------------------------------------------------------- */

static void tell(const struct xs_armed *armed, u32 error, u32 flips, u32 gpu_id)
{
	const u64 now = ktime_get_ns();
	const u64 took = armed->edge_ns && now > armed->edge_ns ?
		min_t(u64, now - armed->edge_ns, U32_MAX) : 0;
	const struct kfd_xsched_event event = {
		.type = KFD_XSCHED_EVENT_ARMED,
		.time_ns = now,
		.id = armed->id,
		.gpu_id = gpu_id,
		.queue_id = flips,
		.data = took << 32 | (armed->active ? KFD_XSCHED_ARMED_READY : 0) | error,
	};

	trace_armed_done(armed, error, flips, took);
	xs_event_armed(armed->client, armed->process ? armed->process->pid : NULL,
		       &event);
}

/* What it could not give back is given back as that of a client that went. */
static void fail_open_locked(struct xs_armed *armed)
{
	xs_client_drop_all_locked(armed->holder);
	xs_nodes_kick_locked();
}

static void run_ended(struct xs_batch *batch)
{
	const struct xs_part *failed = xs_batch_failed(batch);
	struct xs_armed *armed = batch->armed;
	int error;

	lockdep_assert_held(&xs_lock);

	if (!armed)
		return;
	armed->batch = NULL;
	error = failed ? failed->result.status : armed->error;
	if (failed && !armed->active)
		fail_open_locked(armed);
	tell(armed, -error, xs_batch_flips(batch),
	     failed ? failed->result.gpu_id : 0);
	xs_armed_update_locked(armed);
}

/* Stage all entries but those that have failed: 0, or one more has. */
static int try_entries_locked(struct xs_armed *armed, struct xs_batch *batch)
{
	u32 i;

	for (i = 0; i < armed->count; i++) {
		struct xs_item *item = &armed->items[i];
		s32 *status = &item->entry->status;

		if (*status)
			continue;
		*status = xs_item_stage_locked(batch, item);
		if (*status && !xs_status_is_benign(*status))
			return *status;
	}
	return 0;
}

int xs_armed_stage_locked(struct xs_armed *armed, struct xs_batch *batch)
{
	u32 i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < armed->count; i++)
		armed->entries[i].status = 0;
	return try_entries_locked(armed, batch);
}

/*
 * Those in force that are asked for again stay in force, which costs nothing; what
 * is not, because a tenant changed, is given back. @anew: nothing is in force.
 */
static int stage_run_locked(struct xs_armed *armed, struct xs_batch *batch, bool anew)
{
	int ret = anew ? 0 : xs_stage_give_back_locked(batch);

	ret = ret ?: xs_armed_stage_locked(armed, batch);
	armed->error = 0;
	while (ret) {
		if (!armed->error)
			armed->error = ret;
		xs_batch_abort_locked(batch);
		ret = anew ? 0 : xs_stage_give_back_locked(batch);
		if (ret)
			return ret;
		ret = try_entries_locked(armed, batch);
	}
	return 0;
}

static int stage_locked(struct xs_armed *armed, struct xs_batch *batch, bool anew)
{
	const struct cred *old;
	int ret;

	if (!armed->active) {
		armed->error = 0;
		return xs_stage_give_back_locked(batch);
	}
	old = override_creds(armed->cred);
	ret = stage_run_locked(armed, batch, anew);
	revert_creds(old);
	return ret;
}

static void run_locked(struct xs_armed *armed, bool anew)
{
	struct xs_batch *batch = xs_batch_new(armed->holder);
	int ret = batch ? 0 : -ENOMEM;

	armed->runs++;
	trace_armed_run(armed);
	if (batch) {
		batch->armed = armed;
		ret = stage_locked(armed, batch, anew);
	}
	if (ret) {
		if (batch)
			xs_batch_abort_locked(batch);
		xs_batch_free(batch);
		fail_open_locked(armed);
		tell(armed, -ret, 0, 0);
		return;
	}
	batch->async = true;
	batch->ended = run_ended;
	armed->batch = batch;
	xs_batch_start_locked(batch);
}

/* It is undone with its trigger. */
static void end_locked(struct xs_armed *armed)
{
	armed->active = false;
	tell(armed, ESRCH, 0, 0);
	xs_armed_free_locked(armed);
	xs_nodes_kick_locked();
	xs_activity_configure_locked(NULL);
}

void xs_armed_update_locked(struct xs_armed *armed)
{
	bool ready, anew;
	u64 edge_ns;

	lockdep_assert_held(&xs_lock);

	if (is_gone_locked(armed)) {
		end_locked(armed);
		return;
	}
	if (armed->batch)
		return;
	ready = is_ready_locked(armed, &edge_ns);
	if (ready == armed->active && !armed->stale)
		return;
	/* An undoing that failed has dropped all. */
	anew = !armed->active;
	armed->active = ready;
	armed->stale = false;
	armed->edge_ns = edge_ns;
	run_locked(armed, anew);
}

void xs_armed_look(void)
{
	struct xs_armed *armed, *next;

	guard(mutex)(&xs_lock);
	list_for_each_entry_safe(armed, next, &all, in_armed)
		xs_armed_update_locked(armed);
}

/* A switch that is not in force will find the members there are. */
void xs_armed_tenants_changed_locked(struct xs_client *client)
{
	struct xs_armed *armed;
	unsigned long id;

	lockdep_assert_held(&xs_lock);

	if (client->armed_count)
		xs_activity_follow_locked();
	xa_for_each(&client->armed, id, armed) {
		armed->stale = armed->active;
		xs_armed_update_locked(armed);
	}
}

void xs_armed_process_exited_locked(struct xs_process *process)
{
	struct xs_armed *armed, *next;
	u32 i;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(armed, next, &all, in_armed) {
		for (i = 0; i < armed->count; i++) {
			if (armed->items[i].target == process)
				forget_process_locked(&armed->items[i].target);
		}
		if (armed->process == process)
			end_locked(armed);
	}
}

/* ---- for others ---------------------------------------------------------- */

struct xs_client *xs_armed_next_holder_locked(struct xs_holders *walk)
{
	const struct xs_armed *armed;

	lockdep_assert_held(&xs_lock);

	if (!walk->begun) {
		walk->begun = true;
		return walk->client;
	}
	/* Ids begin with 1. */
	armed = xa_find_after(&walk->client->armed, &walk->at, ULONG_MAX, XA_PRESENT);
	return armed ? armed->holder : NULL;
}

bool xs_armed_or_client_holds_locked(const struct xs_queue *queue,
				     const struct xs_client *client)
{
	struct xs_claim *claim = NULL;

	lockdep_assert_held(&xs_lock);

	while ((claim = xs_next_claim_locked(queue, claim))) {
		if (claim->stake.now.held &&
		    (claim->client == client || claim->client->owner == client))
			return true;
	}
	return false;
}

static const char *const op_names[] = {
	[KFD_XSCHED_OP_SUSPEND] = "suspend",
	[KFD_XSCHED_OP_UNMAP] = "unmap",
	[KFD_XSCHED_OP_SET_PRIORITY] = "set_priority",
};

static const char *const target_names[] = {
	[KFD_XSCHED_TARGET_QUEUE] = "queue",
	[KFD_XSCHED_TARGET_PROCESS] = "process",
	[KFD_XSCHED_TARGET_TENANT] = "tenant",
};

/* A process by its pid here, not by what its client calls it; 0: it is gone. */
static void show_item(struct seq_file *m, const struct xs_item *item)
{
	const struct kfd_xsched_entry *entry = item->entry;
	u64 id = entry->id;

	if (entry->target == KFD_XSCHED_TARGET_PROCESS)
		id = item->target ? pid_nr(item->target->pid) : 0;
	seq_printf(m, "    asks: %s %s=%llu value=%d class=%u status=%d\n",
		   op_names[entry->op], target_names[entry->target], id, entry->value,
		   entry->prio_class, entry->status);
}

static void show_locked(struct seq_file *m, const struct xs_armed *armed)
{
	const u64 now = ktime_get_ns();
	u32 i;

	seq_printf(m, "  armed %llu: process=%d tenant=%llu entries=%u active=%d running=%d runs=%llu error=%d since_ms=%llu\n",
		   armed->id, armed->process ? pid_nr(armed->process->pid) : 0,
		   armed->tenant, armed->count, armed->active, !!armed->batch,
		   armed->runs, armed->error,
		   armed->runs ? (now - armed->edge_ns) / NSEC_PER_MSEC : 0);
	for (i = 0; i < armed->count; i++)
		show_item(m, &armed->items[i]);
}

void xs_armed_show_locked(struct seq_file *m, struct xs_client *client)
{
	const struct xs_armed *armed;
	unsigned long id;

	lockdep_assert_held(&xs_lock);

	xa_for_each(&client->armed, id, armed)
		show_locked(m, armed);
}
