// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/kfd_xsched: all there is to know, for reports of bugs.
 *
 *  clients	who there is, what each holds since when; who was ejected and why
 *  state	that, and all nodes, queues and claims
 *
 * A file is written under xs_lock from its first line to its last, so it is the
 * state at one moment. Its format may change at any time.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/xarray.h>

#include <linux/kfd_xsched.h>

#include "activity.h"
#include "armed.h"
#include "claim.h"
#include "client.h"
#include "debugfs.h"
#include "eject.h"
#include "node.h"
#include "place.h"
#include "process.h"
#include "queue.h"
#include "sysfs.h"
#include "tenant.h"
#include "watchdog.h"
#include "xsched.h"

static struct dentry *directory;

static const char *const applied_names[] = {
	[XS_APPLIED_UNKNOWN] = "unknown",
	[XS_APPLIED_FREE] = "free",
	[XS_APPLIED_HELD] = "held",
	[XS_APPLIED_GONE] = "gone",
};

static const char *const activity_names[] = {
	[XS_ACTIVITY_UNKNOWN] = "unknown",
	[XS_ACTIVITY_READY] = "ready",
	[XS_ACTIVITY_DRY] = "dry",
	[XS_ACTIVITY_IDLE] = "idle",
};

/* Milliseconds from one moment to another, or 0 if it is not yet. */
static u64 ms_between(u64 from, u64 to)
{
	return to > from ? (to - from) / NSEC_PER_MSEC : 0;
}

static void show_terms(struct seq_file *m, const char *name, const struct xs_terms *terms)
{
	seq_printf(m, " %s=%s/%d/%u", name, terms->held ? "held" : "free",
		   terms->priority, terms->prio_class);
}

/* In force; what is on its way; by which client, if not of a client's list. */
static void show_stake(struct seq_file *m, const struct xs_stake *stake)
{
	show_terms(m, "now", &stake->now);
	if (stake->batch)
		show_terms(m, "next", &stake->next);
}

/* ---- clients ------------------------------------------------------------- */

static void show_hold(struct seq_file *m, const struct xs_claim *claim,
		      const struct xs_queue *queue, u64 now)
{
	const struct xs_terms *terms = &claim->stake.now;

	seq_printf(m, "  queue %llu: pid=%d queue_id=%u", queue->id,
		   pid_nr(queue->process->pid), queue->queue_id);
	show_stake(m, &claim->stake);
	if (terms->held)
		seq_printf(m, " held_ms=%llu", ms_between(terms->held_ns, now));
	seq_putc(m, '\n');
}

static void show_holds(struct seq_file *m, const struct xs_client *client, u64 now)
{
	const struct xs_claim *claim;
	struct xs_queue *queue = NULL;

	list_for_each_entry(claim, &client->claims, in_client) {
		if (!xs_terms_any(&claim->stake.now) && !claim->stake.batch)
			continue;
		while ((queue = xs_next_governed_locked(claim, queue)))
			show_hold(m, claim, queue, now);
	}
}

static void show_rules(struct seq_file *m, struct xs_client *client)
{
	const struct xs_tenant *tenant;
	const struct xs_rule *rule;
	unsigned long id;

	list_for_each_entry(rule, &client->rules, in_client) {
		seq_printf(m, "  process %d: tenant=%llu", pid_nr(rule->process->pid),
			   rule->tenant ? rule->tenant->id : 0);
		show_stake(m, &rule->stake);
		seq_putc(m, '\n');
	}
	xa_for_each(&client->tenants, id, tenant) {
		seq_printf(m, "  tenant %llu: processes=%zu", tenant->id,
			   list_count_nodes((struct list_head *)&tenant->rules));
		show_stake(m, &tenant->stake);
		seq_putc(m, '\n');
	}
}

static void show_subscription(struct seq_file *m, const struct xs_client *client)
{
	const struct xs_ring *ring = &client->ring;

	scoped_guard(spinlock, &xs_clients_lock)
		seq_printf(m, " events=%#x sample_us=%u settle_us=%u unread=%u lost=%llu",
			   client->events, client->sample_us, client->settle_us,
			   ring->head - ring->tail, ring->lost);
}

static void show_client(struct seq_file *m, struct xs_client *client, u64 now)
{
	struct xs_holders walk = { .client = client };
	struct xs_client *holder;

	seq_printf(m, "client %llu: pid=%d uid=%u comm=%s state=%s", client->id,
		   pid_nr(client->pid), from_kuid(&init_user_ns, client->uid), client->comm,
		   xs_eject_word(client->ejected));
	seq_printf(m, " opened_ms=%llu silent_ms=%llu lease_ms=%llu batches=%u",
		   ms_between(client->opened_ns, now),
		   ms_between(READ_ONCE(client->alive_ns), now),
		   ms_between(now, READ_ONCE(client->lease_ns)), client->batches);
	show_subscription(m, client);
	seq_putc(m, '\n');
	while ((holder = xs_armed_next_holder_locked(&walk))) {
		if (holder != client)
			seq_puts(m, "  an armed switch:\n");
		show_holds(m, holder, now);
		show_rules(m, holder);
	}
	xs_armed_show_locked(m, client);
}

static void show_ejections(struct seq_file *m, u64 now)
{
	const struct xs_ejection *ejection;
	unsigned int i;

	for (i = 0; (ejection = xs_ejection_locked(i)); i++)
		seq_printf(m, "ejected %llu: pid=%d uid=%u comm=%s reason=%s ago_ms=%llu silent_ms=%llu held=%u\n",
			   ejection->client, pid_nr(ejection->pid),
			   from_kuid(&init_user_ns, ejection->uid), ejection->comm,
			   xs_eject_word(ejection->reason),
			   ms_between(ejection->time_ns, now),
			   ms_between(0, ejection->silent_ns), ejection->held);
}

static void show_clients_locked(struct seq_file *m)
{
	const u64 now = ktime_get_ns();
	struct xs_client *client;
	u64 at = 0;

	while ((client = xs_client_next(at))) {
		show_client(m, client, now);
		at = client->id;
		xs_client_put(client);
	}
	show_ejections(m, now);
}

static int clients_show(struct seq_file *m, void *unused)
{
	guard(mutex)(&xs_lock);
	show_clients_locked(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(clients);

/* ---- all ----------------------------------------------------------------- */

static void show_claims(struct seq_file *m, const struct xs_queue *queue)
{
	struct xs_claim *claim = NULL;

	while ((claim = xs_next_claim_locked(queue, claim))) {
		seq_printf(m, "    claim %llu:", claim->client->id);
		show_stake(m, &claim->stake);
		seq_putc(m, '\n');
	}
}

static void show_queue(struct seq_file *m, struct xs_queue *queue, u64 now)
{
	const struct xs_process *process = queue->process;
	const enum xs_activity activity = READ_ONCE(queue->watch.activity);
	const struct xs_standing standing = xs_queue_standing_locked(queue);

	seq_printf(m, "  queue %llu: pid=%d queue_id=%u type=%s applied=%s state=%#x holders=%u",
		   queue->id, pid_nr(process->pid), queue->queue_id,
		   queue->type == KFD_XSCHED_QUEUE_SDMA ? "sdma" : "compute",
		   applied_names[standing.applied], xs_queue_state_locked(queue, NULL),
		   xs_queue_holders_locked(queue));
	seq_printf(m, " priority=%u class=%u override=%d/%u pending=%d in_flight=%d",
		   xs_queue_priority_locked(queue), queue->prio_class, queue->override.priority,
		   queue->override.prio_class, !hlist_unhashed(&queue->place->in_pending),
		   xs_queue_in_flight_locked(queue));
	seq_printf(m, " activity=%s has_run=%d preemptions=%llu held_ms=%llu held_since_ms=%llu exited=%d hold_new=%d\n",
		   activity_names[activity], standing.has_run, standing.preemptions,
		   standing.held_ns / NSEC_PER_MSEC,
		   standing.held_since ? ms_between(standing.held_since, now) : 0,
		   process->exited, process->hold_new);
	show_claims(m, queue);
}

static void show_node(struct seq_file *m, struct xs_node *node, u64 now)
{
	const struct xs_hw_node_desc *desc = &node->desc;
	const struct xs_stats *stats = &node->stats;
	struct xs_queue *queue;

	seq_printf(m, "node %u: backend=%s caps=%#x max_grace_us=%u default_grace_us=%u queues=%u",
		   desc->gpu_id, xs_backend_name(desc->backend), desc->caps,
		   desc->max_grace_us, READ_ONCE(node->default_grace_us),
		   node->queue_count);
	seq_printf(m, " switching=%d pending=%zu in_flight=%u",
		   atomic_read(&node->switching) & 1, hlist_count_nodes(&node->pending),
		   node->load.queues);
	seq_printf(m, " switches=%llu failures=%llu transactions=%llu flips=%llu\n",
		   READ_ONCE(stats->switches), READ_ONCE(stats->failures),
		   READ_ONCE(stats->transactions), READ_ONCE(stats->flips));
	list_for_each_entry(queue, &node->queues, in_node)
		show_queue(m, queue, now);
}

/* What is looked at now and then, and what tells by itself. */
static void show_activity(struct seq_file *m)
{
	const struct xs_activity_counts counts = xs_activity_counts();

	seq_printf(m, "activity: sampled=%u tapped=%u rings=%llu\n", counts.sampled,
		   counts.tapped, counts.rings);
}

static int state_show(struct seq_file *m, void *unused)
{
	const u64 now = ktime_get_ns();
	struct xs_node *node = NULL;

	guard(mutex)(&xs_lock);
	seq_printf(m, "abi=%d enabled=%d watchdog_ms=%u armed=%d sample_period_us=%u held=%u\n",
		   KFD_XSCHED_ABI_VERSION, xs_enabled(), xs_watchdog_ms(),
		   xs_watchdog_armed(), xs_sample_period_us(), xs_watchdog_count());
	show_activity(m);
	while ((node = xs_node_next_locked(node)))
		show_node(m, node, now);
	show_client(m, &xs_sysfs_client, now);
	show_clients_locked(m);
	seq_puts(m, "end\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

/* Without debugfs there are no files, and nothing else is different. */
void xs_debugfs_init(void)
{
	directory = debugfs_create_dir("kfd_xsched", NULL);
	debugfs_create_file("clients", 0400, directory, NULL, &clients_fops);
	debugfs_create_file("state", 0400, directory, NULL, &state_fops);
}

void xs_debugfs_exit(void)
{
	debugfs_remove(directory);
	directory = NULL;
}
