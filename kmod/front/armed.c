// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armed switches: an APPLY that the kernel runs by itself.
 *
 * A switch has a holder of its own: what it holds and sets are requests of that. So
 * switches of one client may overlap, as holds of several clients do, and undoing one
 * takes nothing from another. Leases are the client's: see watchdog.c.
 *
 * A run is an async batch, as of an APPLY, so that a node that does not answer
 * delays neither the sampler nor other switches. There is one at a time; what the
 * trigger does meanwhile is looked at when it is over. Undoing is a batch that
 * gives back all there is. If it fails the requests are dropped, so that the queues
 * come back as those of a client that closes its file.
 *
 * SET looks at all entries as a run does (arm.c), and the batch of a run is made when
 * the last one ends. So a run on one node needs no memory unless something new came. A
 * run comes under xs_lock, so it takes what memory is free, and does not wait for any.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/account.h"
#include "model/process.h"
#include "model/request.h"
#include "switch/switch.h"
#include "trace.h"
#include "watch/watch.h"

/* Memory for a run: see core.h. */
#define XS_GFP_ARMED	(GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

/* All armed switches. They take turns, in the order they were set. Under xs_lock. */
static LIST_HEAD(armed_all);

/* Number of the last look at them; likewise. */
static u64 armed_look;

/* ---- come and go --------------------------------------------------------- */

static struct xs_tenant *armed_tenant_locked(const struct xs_armed *armed)
{
	struct xs_tenant *tenant =
		xs_tenant_find_locked(armed->holder->tenants, armed->trigger.tenant);

	lockdep_assert_held(&xs_lock);

	return IS_ERR(tenant) ? NULL : tenant;
}

static void armed_count_trigger_locked(struct xs_armed *armed, int change)
{
	struct xs_tenant *tenant = armed_tenant_locked(armed);

	lockdep_assert_held(&xs_lock);

	if (tenant)
		tenant->triggers += change;
	if (armed->trigger.process)
		armed->trigger.process->triggers += change;
	armed->client->interest.armed += change;
}

void xs_armed_add_locked(struct xs_armed *armed)
{
	struct xs_client *client = armed->client;

	lockdep_assert_held(&xs_lock);

	armed->id = ++client->last_armed;
	list_add_tail(&armed->in_client, &client->armed);
	list_add_tail(&armed->in_armed, &armed_all);
	list_add_tail(&armed->holder->in_client, &client->holders);
	xs_interest_add_locked(&client->interest);
	armed_count_trigger_locked(armed, 1);
	trace_arm(armed);
}

static void armed_unlink_locked(struct xs_armed *armed)
{
	lockdep_assert_held(&xs_lock);

	trace_disarm(armed);
	list_del(&armed->in_armed);
	list_del_init(&armed->holder->in_client);
	list_del(&armed->in_client);
	armed_count_trigger_locked(armed, -1);
}

static void armed_free(struct xs_armed *armed)
{
	xs_batch_free(armed->next);
	if (armed->holder)
		xs_holder_put(armed->holder);
	put_cred(armed->cred);
	put_pid_ns(armed->ns);
	kvfree(armed->items);
	kvfree(armed->entries);
	kfree(armed);
}

static LLIST_HEAD(armed_dead);

static void armed_free_dead(struct work_struct *work)
{
	struct xs_armed *armed, *next;

	llist_for_each_entry_safe(armed, next, llist_del_all(&armed_dead), in_dead)
		armed_free(armed);
}

static DECLARE_WORK(armed_free_work, armed_free_dead);

/* Its memory is freed later: the allocator may take long. */
u32 xs_armed_free_locked(struct xs_armed *armed)
{
	u32 held = 0, i;

	lockdep_assert_held(&xs_lock);

	/* A run that goes on ends without it: nobody wants its outcome. */
	if (armed->batch) {
		armed->batch->armed = NULL;
		armed->batch->trigger = NULL;
	}
	if (armed->id)
		armed_unlink_locked(armed);
	if (armed->holder)
		held = xs_holder_drop_all_locked(armed->holder);
	if (armed->trigger.process)
		xs_process_put_locked(armed->trigger.process);
	for (i = 0; armed->items && i < armed->count; i++) {
		if (armed->items[i].named)
			xs_process_put_locked(armed->items[i].named);
	}
	if (armed->charged) {
		xs_account_uncharge(armed->client->account, XS_QUOTA_ARMED, 1);
		xs_account_uncharge(armed->client->account, XS_QUOTA_ARMED_ENTRIES, armed->count);
	}
	llist_add(&armed->in_dead, &armed_dead);
	queue_work(system_unbound_wq, &armed_free_work);
	return held;
}

bool xs_armed_drop_one_locked(struct xs_client *client, u32 *held)
{
	struct xs_armed *armed = list_first_entry_or_null(&client->armed, struct xs_armed,
							  in_client);

	lockdep_assert_held(&xs_lock);

	if (!armed)
		return false;
	*held += xs_armed_free_locked(armed);
	return true;
}

/* ---- triggers ------------------------------------------------------------ */

static bool armed_is_gone_locked(const struct xs_armed *armed)
{
	lockdep_assert_held(&xs_lock);

	if (armed->trigger.tenant)
		return !armed_tenant_locked(armed);
	return armed->trigger.process->exited;
}

/* Adds a process to the trigger's state. Work of one that is demoted moves nobody. */
static void armed_add_ready(const struct xs_process *process, bool *ready, u64 *first,
			    u64 *last)
{
	const u64 edge = READ_ONCE(process->edge_ns);

	*last = max(*last, edge);
	if (!READ_ONCE(process->ready) || xs_process_is_demoted(process))
		return;
	*ready = true;
	*first = min_not_zero(*first, edge);
}

/* Whether its trigger is READY, and since when it is what it is. */
static bool armed_is_ready_locked(const struct xs_armed *armed, u64 *edge_ns)
{
	const struct xs_tenant *tenant = armed_tenant_locked(armed);
	const struct xs_request *member;
	u64 first = 0, last = 0;
	bool ready = false;

	lockdep_assert_held(&xs_lock);

	if (!armed->trigger.tenant)
		armed_add_ready(armed->trigger.process, &ready, &first, &last);
	else
		list_for_each_entry(member, &tenant->members, in_tenant)
			armed_add_ready(member->process, &ready, &first, &last);
	*edge_ns = ready ? first : last;
	return ready;
}

/* ---- runs ---------------------------------------------------------------- */

static void armed_tell(const struct xs_armed *armed, u32 error, u32 flips, u32 gpu_id)
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
	xs_event_armed(armed->client,
		       armed->trigger.process ? armed->trigger.process->pid : NULL, &event);
}

/* What it could not give back is given back as that of a client that closes its file. */
static void armed_fail_open_locked(struct xs_armed *armed)
{
	lockdep_assert_held(&xs_lock);

	xs_holder_drop_all_locked(armed->holder);
	xs_transact_kick_all_locked();
}

void xs_armed_over_locked(struct xs_batch *batch)
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
		armed_fail_open_locked(armed);
	armed_tell(armed, -error, xs_batch_flips(batch), failed ? failed->result.gpu_id : 0);
	armed->next = xs_armed_new_batch(armed, XS_GFP_ARMED);
	xs_armed_update_locked(armed);
}

/* Stage all entries but those that have failed: 0, or one more has. */
static int armed_try_entries_locked(struct xs_armed *armed, struct xs_batch *batch)
{
	u32 i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < armed->count; i++) {
		struct xs_item *item = &armed->items[i];
		s32 *status = &item->entry->status;

		if (*status)
			continue;
		*status = xs_stage_item_locked(batch, item);
		if (*status && !xs_apply_is_benign(*status))
			return *status;
	}
	return 0;
}

static int armed_stage_all_locked(struct xs_armed *armed, struct xs_batch *batch)
{
	u32 i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < armed->count; i++)
		armed->entries[i].status = 0;
	return armed_try_entries_locked(armed, batch);
}

/*
 * Those in force that are asked for again stay in force, which costs nothing; what
 * is not, because a tenant changed, is given back. @anew: nothing is in force.
 */
static int armed_stage_run_locked(struct xs_armed *armed, struct xs_batch *batch,
				  bool anew)
{
	int ret = anew ? 0 : xs_stage_give_back_locked(batch);

	lockdep_assert_held(&xs_lock);

	ret = ret ?: armed_stage_all_locked(armed, batch);
	armed->error = 0;
	while (ret) {
		if (!armed->error)
			armed->error = ret;
		xs_batch_abort_locked(batch);
		ret = anew ? 0 : xs_stage_give_back_locked(batch);
		if (ret)
			return ret;
		ret = armed_try_entries_locked(armed, batch);
	}
	return 0;
}

static int armed_stage_locked(struct xs_armed *armed, struct xs_batch *batch, bool anew)
{
	const struct cred *old;
	int ret;

	lockdep_assert_held(&xs_lock);

	/* Once clients are disabled, its client is about to be ejected. */
	if (!armed->active || !xs_enabled()) {
		armed->error = 0;
		return xs_stage_give_back_locked(batch);
	}
	old = override_creds(armed->cred);
	ret = armed_stage_run_locked(armed, batch, anew);
	revert_creds(old);
	return ret;
}

struct xs_batch *xs_armed_new_batch(struct xs_armed *armed, gfp_t gfp)
{
	struct xs_batch *batch = xs_batch_new(armed->holder, gfp);

	if (!batch)
		return NULL;
	batch->ns = armed->ns;
	batch->async = true;
	batch->armed = armed;
	batch->trigger = &armed->trigger;
	return batch;
}

static struct xs_batch *armed_take_batch_locked(struct xs_armed *armed)
{
	struct xs_batch *batch = armed->next ?: xs_armed_new_batch(armed, XS_GFP_ARMED);

	lockdep_assert_held(&xs_lock);

	armed->next = NULL;
	if (batch) {
		batch->start_ns = ktime_get_ns();
		batch->steps_left = armed->holder->steps;
		batch->supply.gfp = XS_GFP_ARMED;
	}
	return batch;
}

static void armed_run_locked(struct xs_armed *armed, bool anew)
{
	struct xs_batch *batch = armed_take_batch_locked(armed);
	int ret = -ENOMEM;

	lockdep_assert_held(&xs_lock);

	armed->runs++;
	trace_armed_run(armed);
	if (batch)
		ret = armed_stage_locked(armed, batch, anew);
	if (!ret) {
		armed->batch = batch;
		xs_batch_start_locked(batch);
		return;
	}
	if (batch)
		xs_batch_abort_locked(batch);
	armed->next = batch;
	armed_fail_open_locked(armed);
	armed_tell(armed, -ret, 0, 0);
}

/* It is undone with its trigger. What is watched may change then. */
static void armed_end_locked(struct xs_armed *armed)
{
	lockdep_assert_held(&xs_lock);

	armed->active = false;
	armed_tell(armed, ESRCH, 0, 0);
	xs_armed_free_locked(armed);
	xs_sampler_configure_locked(NULL);
	xs_transact_kick_all_locked();
}

bool xs_armed_update_locked(struct xs_armed *armed)
{
	bool ready, anew;
	u64 edge_ns;

	lockdep_assert_held(&xs_lock);

	if (armed_is_gone_locked(armed)) {
		armed_end_locked(armed);
		return true;
	}
	if (armed->batch)
		return false;
	ready = armed_is_ready_locked(armed, &edge_ns);
	if (ready == armed->active && !armed->stale)
		return false;
	/* An undoing that failed has dropped all. */
	anew = !armed->active;
	armed->active = ready;
	armed->stale = false;
	armed->edge_ns = edge_ns;
	armed_run_locked(armed, anew);
	return true;
}

/* ---- looks at all of them ------------------------------------------------- */

/* One that the look has not seen, or NULL. */
static struct xs_armed *armed_next_locked(void)
{
	struct xs_armed *armed = list_first_entry_or_null(&armed_all, struct xs_armed, in_armed);

	lockdep_assert_held(&xs_lock);

	if (!armed || armed->look == armed_look)
		return NULL;
	armed->look = armed_look;
	list_move_tail(&armed->in_armed, &armed_all);
	return armed;
}

/* Others want xs_lock, too: a run is enough for now. Returns whether there is more. */
static bool armed_look_some_locked(void)
{
	struct xs_armed *armed;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < XS_SLICE; i++) {
		armed = armed_next_locked();
		if (!armed)
			return false;
		if (xs_armed_update_locked(armed))
			return true;
	}
	return true;
}

/* If others look, too, all are seen once more. */
void xs_armed_look(void)
{
	bool more;

	scoped_guard(rt_mutex, &xs_lock) {
		armed_look++;
		more = armed_look_some_locked();
	}
	/* Who rang while it was parked does not wait for all of them. */
	xs_park_woken();
	while (more) {
		scoped_guard(rt_mutex, &xs_lock)
			more = armed_look_some_locked();
	}
}

static void armed_look_work(struct work_struct *work)
{
	xs_armed_look();
}

static DECLARE_WORK(armed_look_later, armed_look_work);

void xs_armed_look_later(void)
{
	queue_work(system_unbound_wq, &armed_look_later);
}

void xs_armed_tenants_changed_locked(struct xs_client *client)
{
	struct xs_armed *armed;

	lockdep_assert_held(&xs_lock);

	if (!client->interest.armed)
		return;
	xs_sampler_configure_locked(NULL);
	/* One that is not in force will find the members there are. */
	list_for_each_entry(armed, &client->armed, in_client)
		armed->stale = armed->active;
	xs_armed_look_later();
}

void xs_armed_process_exited_locked(const struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	if (process->triggers)
		xs_armed_look_later();
}

void xs_armed_exit(void)
{
	flush_work(&armed_look_later);
	flush_work(&armed_free_work);
}

/* ---- a dump -------------------------------------------------------------- */

static const char *const armed_op_names[] = {
	[KFD_XSCHED_OP_SUSPEND] = "suspend",
	[KFD_XSCHED_OP_UNMAP] = "unmap",
	[KFD_XSCHED_OP_SET_PRIORITY] = "set_priority",
};

static const char *const armed_target_names[] = {
	[KFD_XSCHED_TARGET_QUEUE] = "queue",
	[KFD_XSCHED_TARGET_PROCESS] = "process",
	[KFD_XSCHED_TARGET_TENANT] = "tenant",
	[KFD_XSCHED_TARGET_PROCESS_ID] = "process",
};

/* A process by its pid here, not by what its client calls it; 0: it is gone. */
static void armed_show_item(struct seq_file *m, const struct xs_item *item)
{
	const struct kfd_xsched_entry *entry = item->entry;
	u64 id = entry->id;

	if (item->named)
		id = item->named->exited ? 0 : pid_nr(item->named->pid);
	seq_printf(m, "    asks: %s %s=%llu value=%d class=%u status=%d\n",
		   armed_op_names[entry->op], armed_target_names[entry->target], id, entry->value,
		   entry->prio_class, entry->status);
}

static void armed_show(struct seq_file *m, const struct xs_armed *armed)
{
	const u64 now = ktime_get_ns();
	u32 i;

	seq_printf(m, "  armed %llu: process=%d tenant=%llu entries=%u active=%d running=%d runs=%llu error=%d since_ms=%llu\n",
		   armed->id,
		   armed->trigger.process ? pid_nr(armed->trigger.process->pid) : 0,
		   armed->trigger.tenant, armed->count, armed->active, !!armed->batch,
		   armed->runs, armed->error,
		   armed->runs ? (now - armed->edge_ns) / NSEC_PER_MSEC : 0);
	for (i = 0; i < armed->count; i++)
		armed_show_item(m, &armed->items[i]);
}

void xs_armed_show_locked(struct seq_file *m, struct xs_client *client)
{
	const struct xs_armed *armed;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(armed, &client->armed, in_client)
		armed_show(m, armed);
}
