// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batches: checked changes on their way to the nodes. See batch.h.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "apply.h"
#include "batch.h"
#include "claim.h"
#include "client.h"
#include "node.h"
#include "place.h"
#include "process.h"
#include "queue.h"
#include "tenant.h"
#include "trace.h"
#include "watchdog.h"
#include "xsched.h"

void xs_batch_init(struct xs_batch *batch, struct xs_client *client)
{
	/* A part is set as a whole when it is made. */
	memset(batch, 0, offsetof(struct xs_batch, first));
	batch->first.node = NULL;
	batch->client = xs_client_get(client);
	batch->start_ns = ktime_get_ns();
	INIT_LIST_HEAD(&batch->parts);
	INIT_LIST_HEAD(&batch->tenants);
	init_completion(&batch->done);
}

struct xs_batch *xs_batch_new(struct xs_client *client)
{
	struct xs_batch *batch = kmalloc(sizeof(*batch), GFP_KERNEL_ACCOUNT);

	if (batch)
		xs_batch_init(batch, client);
	return batch;
}

static void free_part(struct xs_part *part)
{
	struct xs_batch *batch = part->batch;

	list_del(&part->in_batch);
	batch->part_count--;
	if (part == &batch->first)
		batch->first.node = NULL;
	else
		kfree(part);
}

static void free_parts(struct xs_batch *batch)
{
	struct xs_part *part, *next;

	list_for_each_entry_safe(part, next, &batch->parts, in_batch)
		free_part(part);
}

void xs_batch_exit(struct xs_batch *batch)
{
	free_parts(batch);
	xs_client_put(batch->client);
}

void xs_batch_free(struct xs_batch *batch)
{
	if (!batch)
		return;
	xs_batch_exit(batch);
	kfree(batch);
}

static void run_in_worker(struct kthread_work *work);

static void init_part(struct xs_part *part, struct xs_batch *batch, struct xs_node *node)
{
	*part = (struct xs_part){
		.batch = batch,
		.node = xs_node_get(node),
		.grace_us = XS_GRACE_UNSET,
		.result.gpu_id = node->desc.gpu_id,
	};
	kthread_init_work(&part->work, run_in_worker);
	INIT_HLIST_HEAD(&part->claims);
}

struct xs_part *xs_batch_new_part_locked(struct xs_batch *batch, struct xs_node *node)
{
	struct xs_part *part = &batch->first;

	lockdep_assert_held(&xs_lock);

	if (part->node)
		part = kmalloc(sizeof(*part), GFP_KERNEL_ACCOUNT);
	if (!part)
		return NULL;
	init_part(part, batch, node);
	list_add_tail(&part->in_batch, &batch->parts);
	batch->part_count++;
	node->staging = part;
	return part;
}

int xs_batch_take_tenant_locked(struct xs_batch *batch, struct xs_tenant *tenant)
{
	lockdep_assert_held(&xs_lock);

	if (tenant->stake.batch)
		return tenant->stake.batch == batch ? 0 : -EAGAIN;
	tenant->stake.batch = batch;
	tenant->status = 0;
	list_add_tail(&tenant->in_batch, &batch->tenants);
	return 0;
}

void xs_batch_adopt_locked(struct xs_batch *batch, struct xs_claim *claim)
{
	lockdep_assert_held(&xs_lock);

	claim->stake.batch = batch;
	hlist_add_head(&claim->in_batch, &batch->born);
}

static void trace_claim(const struct xs_claim *claim)
{
	const struct xs_terms *now = &claim->stake.now, *next = &claim->stake.next;
	struct xs_queue *queue = NULL;

	while ((queue = xs_next_governed_locked(claim, queue))) {
		if (next->held && !now->held)
			trace_hold(claim->client, queue);
		else if (now->held && !next->held)
			trace_release(claim->client, queue);
		if ((next->priority != now->priority && xs_queue_can_prioritise(queue)) ||
		    next->prio_class != now->prio_class)
			trace_set_priority(claim->client, queue, next);
	}
}

static inline void end_claim_locked(struct xs_claim *claim, bool success, u64 now_ns)
{
	struct xs_stake *stake = &claim->stake;

	if (success && stake->next.held && !stake->now.held)
		stake->next.held_ns = now_ns;
	if (success && (trace_hold_enabled() || trace_release_enabled() ||
			trace_set_priority_enabled()))
		trace_claim(claim);
	xs_stake_end(stake, success);
}

/* A rule is half of an entry: it follows only if the queues all did. */
static void end_rule_locked(struct xs_rule *rule, bool success)
{
	success &= !rule->status;
	if (rule->move == (success ? XS_MOVE_LEAVE : XS_MOVE_JOIN)) {
		list_del_init(&rule->in_tenant);
		rule->tenant = NULL;
	}
	rule->move = XS_MOVE_NONE;
	xs_stake_end(&rule->stake, success);
	INIT_HLIST_NODE(&rule->in_batch);
	/* What succeeds was told before the queues were switched. */
	if (!success)
		xs_process_sync_rules_locked(rule->process);
}

static void end_tenant_locked(struct xs_tenant *tenant, bool success)
{
	success &= !tenant->status;
	xs_stake_end(&tenant->stake, success);
	list_del_init(&tenant->in_batch);
	if (tenant->ends && success)
		xs_tenant_free_locked(tenant);
	else
		tenant->ends = false;
}

/* What a place got with its first queue is kept if the rule is, else mended. */
static void end_born_locked(struct xs_batch *batch, struct xs_claim *claim)
{
	const struct xs_rule *rule =
		xs_process_rule_locked(claim->place->process, batch->client);
	const bool success = rule && rule->stake.batch == batch && !rule->status;

	end_claim_locked(claim, success, ktime_get_ns());
	hlist_del_init(&claim->in_batch);
	if (success)
		return;
	xs_place_set_pending_locked(claim->place);
	xs_node_kick_locked(claim->place->node);
}

static void end_rules_and_tenants_locked(struct xs_batch *batch, bool success)
{
	struct xs_tenant *tenant, *next_tenant;
	struct hlist_node *next;
	struct xs_rule *rule;

	/* Emptied as a whole, as all of these lists: of hundreds, each by itself would cost. */
	hlist_for_each_entry_safe(rule, next, &batch->rules, in_batch)
		end_rule_locked(rule, success);
	INIT_HLIST_HEAD(&batch->rules);
	list_for_each_entry_safe(tenant, next_tenant, &batch->tenants, in_batch)
		end_tenant_locked(tenant, success);
}

static void unpin_locked(struct xs_batch *batch)
{
	struct xs_item *const end = batch->items + batch->item_count;
	struct xs_item *item;

	for (item = batch->items; item != end; item++) {
		if (item->process)
			xs_process_unpin_locked(item->process);
		item->process = NULL;
	}
}

/* The part will not run. */
static void drop_claims_locked(struct xs_part *part)
{
	struct hlist_node *next;
	struct xs_claim *claim;

	hlist_for_each_entry_safe(claim, next, &part->claims, in_batch) {
		end_claim_locked(claim, false, 0);
		hlist_del_init(&claim->in_batch);
		xs_place_clear_pending_locked(claim->place);
	}
	part->node->staging = NULL;
	xs_node_put(part->node);
}

void xs_batch_abort_locked(struct xs_batch *batch)
{
	struct xs_part *part;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(part, &batch->parts, in_batch)
		drop_claims_locked(part);
	end_rules_and_tenants_locked(batch, false);
	unpin_locked(batch);
	free_parts(batch);
}

/* What its entries asked for was not there: RESUME of what is not held. */
static void drop_idle_parts_locked(struct xs_batch *batch)
{
	struct xs_part *part, *next;

	list_for_each_entry_safe(part, next, &batch->parts, in_batch) {
		if (part->concerned)
			continue;
		drop_claims_locked(part);
		free_part(part);
	}
}

/*
 * The part's node failed: so did the rules on the processes it concerned. Queues that
 * came meanwhile may have been born as the claim would have been.
 */
static void fail_claim_locked(const struct xs_claim *claim, int status)
{
	struct xs_rule *rule =
		xs_process_rule_locked(claim->place->process, claim->client);

	xs_place_set_pending_locked(claim->place);
	if (!rule || rule->stake.batch != claim->stake.batch)
		return;
	if (!rule->status)
		rule->status = status;
	if (rule->tenant && rule->tenant->stake.batch == claim->stake.batch &&
	    !rule->tenant->status)
		rule->tenant->status = status;
}

u32 xs_batch_flips(const struct xs_batch *batch)
{
	const struct xs_part *part;
	u32 flips = 0;

	list_for_each_entry(part, &batch->parts, in_batch)
		flips += part->result.flips;
	return flips;
}

const struct xs_part *xs_batch_failed(const struct xs_batch *batch)
{
	const struct xs_part *part;

	list_for_each_entry(part, &batch->parts, in_batch) {
		if (part->result.status)
			return part;
	}
	return NULL;
}

/* All parts are done: rules and tenants follow, and the caller can be told. */
static void end_locked(struct xs_batch *batch)
{
	struct xs_item *const end = batch->items + batch->item_count;
	struct hlist_node *next;
	struct xs_claim *claim;
	struct xs_item *item;

	lockdep_assert_held(&xs_lock);

	for (item = batch->items; item != end; item++) {
		if (!item->entry->status)
			xs_item_finish_locked(batch, item);
	}
	hlist_for_each_entry_safe(claim, next, &batch->born, in_batch)
		end_born_locked(batch, claim);
	end_rules_and_tenants_locked(batch, true);
	unpin_locked(batch);
	batch->client->batches--;
	xs_watchdog_touch(batch->client);
	if (batch->ended)
		batch->ended(batch);
	xs_client_settled_locked(batch->client);
}

static bool is_of_gone_queue(const struct xs_claim *claim)
{
	return claim->queue && xs_queue_applied(claim->queue) == XS_APPLIED_GONE;
}

bool xs_part_commit_locked(struct xs_part *part)
{
	struct xs_batch *batch = part->batch;
	const int status = part->result.status;
	const u64 now_ns = ktime_get_ns();
	struct hlist_node *next;
	struct xs_claim *claim;

	lockdep_assert_held(&xs_lock);

	hlist_for_each_entry_safe(claim, next, &part->claims, in_batch) {
		if (status)
			fail_claim_locked(claim, status);
		end_claim_locked(claim, !status && !is_of_gone_queue(claim), now_ns);
		INIT_HLIST_NODE(&claim->in_batch);
	}
	INIT_HLIST_HEAD(&part->claims);
	part->result.total_ns = ktime_get_ns() - batch->start_ns;
	if (--batch->unfinished) {
		xs_client_settled_locked(batch->client);
		return false;
	}
	end_locked(batch);
	return true;
}

/* Whether the batch is over. If not, it may be gone already. */
static bool run(struct xs_part *part)
{
	struct xs_node *node = part->node;
	const bool over = xs_node_switch_part(node, part);

	xs_node_put(node);
	return over;
}

static void run_in_worker(struct kthread_work *work)
{
	struct xs_part *part = container_of(work, struct xs_part, work);
	struct xs_batch *batch = part->batch;

	if (!run(part))
		return;
	if (batch->async)
		xs_batch_free(batch);
	else
		complete(&batch->done);
}

static struct xs_part *last_part(struct xs_batch *batch)
{
	return list_last_entry(&batch->parts, struct xs_part, in_batch);
}

void xs_batch_start_locked(struct xs_batch *batch)
{
	struct xs_rule *rule;
	struct xs_part *part;

	lockdep_assert_held(&xs_lock);

	/* Before the queues: what is created meanwhile must not slip through. */
	hlist_for_each_entry(rule, &batch->rules, in_batch)
		xs_process_sync_rules_locked(rule->process);
	drop_idle_parts_locked(batch);
	batch->client->batches++;
	batch->unfinished = batch->part_count;
	list_for_each_entry(part, &batch->parts, in_batch)
		part->node->staging = NULL;

	if (!batch->unfinished) {
		end_locked(batch);
		if (batch->async)
			xs_batch_free(batch);
		return;
	}
	/* Nodes lose their workers after their queues only, and under xs_lock. */
	list_for_each_entry(part, &batch->parts, in_batch) {
		if (batch->async || part != last_part(batch))
			kthread_queue_work(part->node->worker, &part->work);
	}
}

int xs_batch_finish(struct xs_batch *batch)
{
	const struct xs_part *failed;

	if (batch->part_count && !run(last_part(batch)))
		wait_for_completion(&batch->done);
	failed = xs_batch_failed(batch);
	return failed ? failed->result.status : 0;
}
