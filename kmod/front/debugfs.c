// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/kfd_xsched: all there is to know, for reports of bugs.
 *
 *  clients	all clients, what each holds since when; which were ejected and why
 *  state	that, and all nodes, queues and requests
 *  accounts	what each user has, and how much he may have
 *
 * The first two are written under xs_lock from the first line to the last, so they are
 * the state at one moment. Accounts are not under xs_lock: see model/account.h. All
 * formats may change at any time.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include <linux/kfd_xsched.h>

#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/account.h"
#include "model/queue.h"
#include "model/request.h"
#include "watch/watch.h"

static struct dentry *debugfs_directory;

static const char *const debugfs_applied_names[] = {
	[XS_APPLIED_UNKNOWN] = "unknown",
	[XS_APPLIED_FREE] = "free",
	[XS_APPLIED_HELD] = "held",
	[XS_APPLIED_GONE] = "gone",
};

static const char *const debugfs_activity_names[] = {
	[XS_ACTIVITY_UNKNOWN] = "unknown",
	[XS_ACTIVITY_READY] = "ready",
	[XS_ACTIVITY_DRY] = "dry",
	[XS_ACTIVITY_IDLE] = "idle",
};

static const char *const debugfs_park_names[] = {
	[XS_PARK_RESIDENT] = "resident",
	[XS_PARK_GOING] = "going",
	[XS_PARK_PARKED] = "parked",
};

/* Milliseconds from one moment to another, or 0 if it is not yet. */
static u64 debugfs_ms_between(u64 from, u64 to)
{
	return to > from ? (to - from) / NSEC_PER_MSEC : 0;
}

static void debugfs_show_terms(struct seq_file *m, const char *name, const struct xs_terms *terms)
{
	seq_printf(m, " %s=%s/%d/%u", name, terms->held ? "held" : "free",
		   terms->priority, terms->prio_class);
}

/* Terms in force, and those on their way. */
static void debugfs_show_request(struct seq_file *m, const struct xs_request *request)
{
	debugfs_show_terms(m, "now", &request->now);
	if (request->batch)
		debugfs_show_terms(m, "next", &request->next);
}

/* ---- clients ------------------------------------------------------------- */

static void debugfs_show_on_queue(struct seq_file *m, const struct xs_request *request,
				  const struct xs_queue *queue, u64 now)
{
	const struct xs_terms *terms = &request->now;

	seq_printf(m, "  queue %llu: pid=%d queue_id=%u", queue->id,
		   pid_nr(queue->pdd->process->pid), queue->queue_id);
	debugfs_show_request(m, request);
	if (terms->held)
		seq_printf(m, " held_ms=%llu", debugfs_ms_between(terms->held_ns, now));
	seq_putc(m, '\n');
}

/* A line for each. */
static void debugfs_show_on_queues_locked(struct seq_file *m, const struct xs_request *request,
					  u64 now)
{
	struct xs_queue *queue = NULL;

	lockdep_assert_held(&xs_lock);

	while ((queue = xs_request_next_queue_locked(request, queue)))
		debugfs_show_on_queue(m, request, queue, now);
}

static void debugfs_show_on_process(struct seq_file *m, const struct xs_request *request)
{
	seq_printf(m, "  process %d: tenant=%llu", pid_nr(request->process->pid),
		   request->tenant ? request->tenant->id : 0);
	debugfs_show_request(m, request);
	seq_putc(m, '\n');
}

static void debugfs_show_holder_locked(struct seq_file *m, const struct xs_holder *holder, u64 now)
{
	const struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(request, &holder->requests, in_holder) {
		if (xs_request_is_idle(request))
			continue;
		if (request->on == XS_ON_PROCESS)
			debugfs_show_on_process(m, request);
		else if (!request->children)
			debugfs_show_on_queues_locked(m, request, now);
	}
}

static void debugfs_show_tenants_locked(struct seq_file *m, struct xs_client *client)
{
	const struct xs_tenant *tenant;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	hash_for_each(client->tenants.by_id, i, tenant, by_id) {
		seq_printf(m, "  tenant %llu: processes=%zu", tenant->id,
			   list_count_nodes((struct list_head *)&tenant->members));
		debugfs_show_request(m, &tenant->request);
		seq_putc(m, '\n');
	}
}

static void debugfs_show_subscription(struct seq_file *m, const struct xs_client *client)
{
	const struct xs_ring *ring = &client->ring;

	scoped_guard(spinlock, &xs_clients_lock)
		seq_printf(m, " events=%#x sample_us=%u settle_us=%u unread=%u lost=%llu",
			   client->events, client->interest.sample_us,
			   client->interest.settle_us,
			   ring->head - ring->tail, ring->lost);
}

static void debugfs_show_client_locked(struct seq_file *m, struct xs_client *client, u64 now)
{
	const struct xs_holder *holder;

	lockdep_assert_held(&xs_lock);

	seq_printf(m, "client %llu: pid=%d uid=%u comm=%s state=%s", client->id,
		   pid_nr(client->pid), from_kuid(&init_user_ns, client->uid), client->comm,
		   xs_eject_word(client->ejected));
	seq_printf(m, " opened_ms=%llu silent_ms=%llu lease_ms=%llu batches=%u",
		   debugfs_ms_between(client->opened_ns, now),
		   debugfs_ms_between(READ_ONCE(client->alive_ns), now),
		   debugfs_ms_between(now, READ_ONCE(client->lease_ns)), client->holder.batches);
	debugfs_show_subscription(m, client);
	seq_putc(m, '\n');
	list_for_each_entry(holder, &client->holders, in_client) {
		if (holder != &client->holder)
			seq_puts(m, "  an armed switch:\n");
		debugfs_show_holder_locked(m, holder, now);
	}
	debugfs_show_tenants_locked(m, client);
	xs_armed_show_locked(m, client);
}

static void debugfs_show_ejections_locked(struct seq_file *m, u64 now)
{
	const struct xs_ejection *ejection;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; (ejection = xs_ejection_locked(i)); i++)
		seq_printf(m, "ejected %llu: pid=%d uid=%u comm=%s reason=%s ago_ms=%llu silent_ms=%llu held=%u\n",
			   ejection->client, pid_nr(ejection->pid),
			   from_kuid(&init_user_ns, ejection->uid), ejection->comm,
			   xs_eject_word(ejection->reason),
			   debugfs_ms_between(ejection->time_ns, now),
			   debugfs_ms_between(0, ejection->silent_ns), ejection->held);
}

static void debugfs_show_clients_locked(struct seq_file *m)
{
	const u64 now = ktime_get_ns();
	struct xs_client *client;
	u64 at = 0;

	lockdep_assert_held(&xs_lock);

	while ((client = xs_client_next(at))) {
		debugfs_show_client_locked(m, client, now);
		at = client->id;
		xs_client_put(client);
	}
	debugfs_show_ejections_locked(m, now);
}

static int debugfs_clients_show(struct seq_file *m, void *unused)
{
	guard(rt_mutex)(&xs_lock);
	debugfs_show_clients_locked(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(debugfs_clients);

/* ---- all ----------------------------------------------------------------- */

/* But for one that leaves it to those on each queue, or stays for the next switch. */
static void debugfs_show_requests_locked(struct seq_file *m, const struct hlist_head *requests)
{
	const struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	hlist_for_each_entry(request, requests, in_target) {
		if (request->children || xs_request_is_idle(request))
			continue;
		seq_printf(m, "    request %llu:", request->holder->id);
		debugfs_show_request(m, request);
		seq_putc(m, '\n');
	}
}

/* A line below each queue of the process. */
static void debugfs_show_park_locked(struct seq_file *m, const struct xs_process *process, u64 now)
{
	const struct xs_park *park = &process->park;

	lockdep_assert_held(&xs_lock);

	seq_printf(m, "    park: state=%s resident=%#x park_ms=%u shift=%u returns=%u quiet_ms=%llu parked_ms=%llu\n",
		   debugfs_park_names[park->state], xs_park_resident_locked(process),
		   xs_process_park_ms_locked(process), park->shift, park->returns,
		   park->quiet_ns ? debugfs_ms_between(park->quiet_ns, now) : 0,
		   park->since_ns ? debugfs_ms_between(park->since_ns, now) : 0);
}

static void debugfs_show_queue_locked(struct seq_file *m, const struct xs_queue *queue, u64 now)
{
	const struct xs_process *process = queue->pdd->process;
	const enum xs_activity activity = READ_ONCE(queue->watch.activity);

	lockdep_assert_held(&xs_lock);

	seq_printf(m, "  queue %llu: pid=%d queue_id=%u type=%s applied=%s state=%#x holders=%u",
		   queue->id, pid_nr(process->pid), queue->queue_id,
		   queue->type == KFD_XSCHED_QUEUE_SDMA ? "sdma" : "compute",
		   debugfs_applied_names[queue->applied], xs_list_state_locked(queue, NULL),
		   xs_queue_holders_locked(queue));
	seq_printf(m, " priority=%u class=%u override=%d/%u pending=%d in_flight=%d",
		   xs_queue_priority_locked(queue), queue->prio_class, queue->override.priority,
		   queue->override.prio_class, !list_empty(&queue->pdd->in_pending),
		   queue->pinned);
	seq_printf(m, " activity=%s has_run=%d preemptions=%llu held_ms=%llu held_since_ms=%llu exited=%d hold_new=%d failures=%u user_demoted=%d\n",
		   debugfs_activity_names[activity], queue->has_run, queue->preemptions,
		   queue->held_ns / NSEC_PER_MSEC,
		   queue->held_since ? debugfs_ms_between(queue->held_since, now) : 0,
		   process->exited, process->hold_new, process->failures,
		   process->user_demoted);
	debugfs_show_park_locked(m, process, now);
	debugfs_show_requests_locked(m, &queue->pdd->requests);
	debugfs_show_requests_locked(m, &queue->requests);
}

static void debugfs_show_node_locked(struct seq_file *m, struct xs_node *node, u64 now)
{
	const struct xs_hw_node_desc *desc = &node->desc;
	const struct xs_stats *stats = &node->stats;
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	seq_printf(m, "node %u: backend=%s caps=%#x max_grace_us=%u default_grace_us=%u queues=%u",
		   desc->gpu_id, xs_sysfs_backend_name(desc->backend), xs_node_caps(node),
		   desc->max_grace_us, READ_ONCE(node->default_grace_us),
		   node->queue_count);
	seq_printf(m, " pending=%zu in_flight=%u counts=%llu restore_us=%llu",
		   list_count_nodes(&node->pending), node->in_flight, xs_waves_counts(node),
		   xs_node_restore_ns(node, 0) / NSEC_PER_USEC);
	seq_printf(m, " parking=%zu parks=%llu returns=%llu return_us=%llu",
		   list_count_nodes(&node->parking), node->parks, node->returns,
		   xs_node_return_cost_ns(node) / NSEC_PER_USEC);
	seq_printf(m, " breaker=%s failures_recent=%u openings=%llu failing=%d",
		   xs_node_is_shut(node) ? "open" : "closed",
		   xs_breaker_recent(&node->domain->breaker, now),
		   node->domain->breaker.openings,
		   node->failing);
	seq_printf(m, " switches=%llu failures=%llu transactions=%llu flips=%llu\n",
		   READ_ONCE(stats->switches), READ_ONCE(stats->failures),
		   READ_ONCE(stats->transactions), READ_ONCE(stats->flips));
	list_for_each_entry(queue, &node->queues, in_node)
		debugfs_show_queue_locked(m, queue, now);
}

/* How many are sampled, and how many will ring. */
static void debugfs_show_activity(struct seq_file *m)
{
	const struct xs_sampler_counts counts = xs_sampler_counts();

	seq_printf(m, "activity: sampled=%u tapped=%u rings=%llu\n", counts.sampled,
		   counts.tapped, counts.rings);
}

static int debugfs_state_show(struct seq_file *m, void *unused)
{
	const u64 now = ktime_get_ns();
	struct xs_node *node = NULL;

	guard(rt_mutex)(&xs_lock);
	seq_printf(m, "abi=%d enabled=%d watchdog_ms=%u armed=%d sample_period_us=%u held=%u\n",
		   KFD_XSCHED_ABI_VERSION, xs_enabled(), xs_watchdog_ms(),
		   xs_watchdog_armed(), xs_interest_period_us(), xs_watchdog_count());
	debugfs_show_activity(m);
	while ((node = xs_node_next_locked(node)))
		debugfs_show_node_locked(m, node, now);
	seq_puts(m, "sysfs:\n");
	debugfs_show_holder_locked(m, &xs_sysfs_holder, now);
	debugfs_show_clients_locked(m);
	seq_puts(m, "end\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(debugfs_state);

DEFINE_SEQ_ATTRIBUTE(xs_accounts);

/* Without debugfs there are no files, and nothing else is different. */
void xs_debugfs_init(void)
{
	debugfs_directory = debugfs_create_dir("kfd_xsched", NULL);
	debugfs_create_file("accounts", 0400, debugfs_directory, NULL, &xs_accounts_fops);
	debugfs_create_file("clients", 0400, debugfs_directory, NULL, &debugfs_clients_fops);
	debugfs_create_file("state", 0400, debugfs_directory, NULL, &debugfs_state_fops);
}

void xs_debugfs_exit(void)
{
	debugfs_remove(debugfs_directory);
	debugfs_directory = NULL;
}
