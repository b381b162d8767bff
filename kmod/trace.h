/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints kfd_xsched:*, one for every decision and phase.
 *
 * What they name is stable: a node by the name of its device in
 * /sys/class/kfd_xsched, queues and clients by ids that are never used again,
 * processes by their number in the first pid namespace.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kfd_xsched

#if !defined(KFD_XSCHED_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KFD_XSCHED_TRACE_H

#include <linux/cred.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#include <linux/kfd_xsched.h>

struct xs_armed;
struct xs_client;
struct xs_holder;
struct xs_node;
struct xs_pdd;
struct xs_process;
struct xs_queue;
struct xs_terms;

#ifndef KFD_XSCHED_TRACE_ONCE
#define KFD_XSCHED_TRACE_ONCE

#define XS_TRACE_EJECT							\
	{ KFD_XSCHED_EJECT_WATCHDOG, "watchdog" },			\
	{ KFD_XSCHED_EJECT_ADMIN, "admin" },				\
	{ KFD_XSCHED_EJECT_DISABLED, "disabled" }

#define XS_TRACE_UNPARK							\
	{ XS_UNPARK_RING, "ring" },					\
	{ XS_UNPARK_QUEUE, "queue" },					\
	{ XS_UNPARK_WORK, "work" },					\
	{ XS_UNPARK_OFF, "off" },					\
	{ XS_UNPARK_FAILED, "failed" },					\
	{ XS_UNPARK_BREAKER, "breaker" }

#endif /* KFD_XSCHED_TRACE_ONCE */

/* Clients come and go. */
DECLARE_EVENT_CLASS(kfd_xsched_client,
	TP_PROTO(const struct xs_client *client),
	TP_ARGS(client),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(pid_t, pid)
		__array(char, comm, TASK_COMM_LEN)
	),
	TP_fast_assign(
		__entry->client = client->id;
		__entry->pid = pid_nr(client->pid);
		memcpy(__entry->comm, client->comm, TASK_COMM_LEN);
	),
	TP_printk("client=%llu pid=%d comm=%s",
		  __entry->client, __entry->pid, __entry->comm)
);

DEFINE_EVENT(kfd_xsched_client, client_open,
	TP_PROTO(const struct xs_client *client), TP_ARGS(client));
DEFINE_EVENT(kfd_xsched_client, client_close,
	TP_PROTO(const struct xs_client *client), TP_ARGS(client));
DEFINE_EVENT(kfd_xsched_client, client_renew,
	TP_PROTO(const struct xs_client *client), TP_ARGS(client));

TRACE_EVENT(client_eject,
	TP_PROTO(const struct xs_client *client, u32 reason, u64 silent_ns),
	TP_ARGS(client, reason, silent_ns),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(pid_t, pid)
		__field(u32, reason)
		__field(u64, silent_ns)
	),
	TP_fast_assign(
		__entry->client = client->id;
		__entry->pid = pid_nr(client->pid);
		__entry->reason = reason;
		__entry->silent_ns = silent_ns;
	),
	TP_printk("client=%llu pid=%d reason=%s silent_ns=%llu",
		  __entry->client, __entry->pid,
		  __print_symbolic(__entry->reason, XS_TRACE_EJECT),
		  __entry->silent_ns)
);

/* The watchdog looked at a client whose lease is over. */
TRACE_EVENT(watchdog,
	TP_PROTO(const struct xs_client *client, u64 silent_ns, u64 queue),
	TP_ARGS(client, silent_ns, queue),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, silent_ns)
		__field(u64, queue)
	),
	TP_fast_assign(
		__entry->client = client->id;
		__entry->silent_ns = silent_ns;
		__entry->queue = queue;
	),
	TP_printk("client=%llu silent_ns=%llu ready_queue=%llu",
		  __entry->client, __entry->silent_ns, __entry->queue)
);

TRACE_EVENT(set_enabled,
	TP_PROTO(bool enabled),
	TP_ARGS(enabled),
	TP_STRUCT__entry(__field(bool, enabled)),
	TP_fast_assign(__entry->enabled = enabled;),
	TP_printk("enabled=%d", __entry->enabled)
);

/* Queues come and go, get work and run dry, leave the hardware and return. */
DECLARE_EVENT_CLASS(kfd_xsched_queue,
	TP_PROTO(const struct xs_queue *queue),
	TP_ARGS(queue),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(u64, queue)
		__field(pid_t, pid)
		__field(u32, queue_id)
	),
	TP_fast_assign(
		__entry->gpu_id = queue->pdd->node->desc.gpu_id;
		__entry->queue = queue->id;
		__entry->pid = pid_nr(queue->pdd->process->pid);
		__entry->queue_id = queue->queue_id;
	),
	TP_printk("node%u queue=%llu pid=%d queue_id=%u",
		  __entry->gpu_id, __entry->queue, __entry->pid,
		  __entry->queue_id)
);

#define XS_TRACE_QUEUE_EVENT(_name)					\
DEFINE_EVENT(kfd_xsched_queue, _name,					\
	TP_PROTO(const struct xs_queue *queue), TP_ARGS(queue))

XS_TRACE_QUEUE_EVENT(queue_add);
XS_TRACE_QUEUE_EVENT(queue_del);
XS_TRACE_QUEUE_EVENT(queue_ready);
XS_TRACE_QUEUE_EVENT(queue_idle);
XS_TRACE_QUEUE_EVENT(queue_off);
XS_TRACE_QUEUE_EVENT(queue_on);

/* The priority of a queue that is in effect was confirmed anew. */
TRACE_EVENT(queue_priority,
	TP_PROTO(const struct xs_queue *queue),
	TP_ARGS(queue),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(u64, queue)
		__field(u32, priority)
		__field(u32, prio_class)
		__field(s32, override)
	),
	TP_fast_assign(
		__entry->gpu_id = queue->pdd->node->desc.gpu_id;
		__entry->queue = queue->id;
		__entry->priority = queue->priority;
		__entry->prio_class = queue->prio_class;
		__entry->override = queue->override.priority;
	),
	TP_printk("node%u queue=%llu priority=%u class=%u override=%d",
		  __entry->gpu_id, __entry->queue, __entry->priority,
		  __entry->prio_class, __entry->override)
);

/* What a client, or an armed switch of it, asks of a queue changed, and is in force. */
DECLARE_EVENT_CLASS(kfd_xsched_request,
	TP_PROTO(const struct xs_holder *holder, const struct xs_queue *queue),
	TP_ARGS(holder, queue),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(u64, client)
		__field(u64, queue)
		__field(pid_t, pid)
		__field(u32, queue_id)
	),
	TP_fast_assign(
		__entry->gpu_id = queue->pdd->node->desc.gpu_id;
		__entry->client = holder->id;
		__entry->queue = queue->id;
		__entry->pid = pid_nr(queue->pdd->process->pid);
		__entry->queue_id = queue->queue_id;
	),
	TP_printk("node%u client=%llu queue=%llu pid=%d queue_id=%u",
		  __entry->gpu_id, __entry->client, __entry->queue,
		  __entry->pid, __entry->queue_id)
);

DEFINE_EVENT(kfd_xsched_request, hold,
	TP_PROTO(const struct xs_holder *holder, const struct xs_queue *queue),
	TP_ARGS(holder, queue));
DEFINE_EVENT(kfd_xsched_request, release,
	TP_PROTO(const struct xs_holder *holder, const struct xs_queue *queue),
	TP_ARGS(holder, queue));

TRACE_EVENT(set_priority,
	TP_PROTO(const struct xs_holder *holder, const struct xs_queue *queue,
		 const struct xs_terms *terms),
	TP_ARGS(holder, queue, terms),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(u64, client)
		__field(u64, queue)
		__field(s32, priority)
		__field(u32, prio_class)
	),
	TP_fast_assign(
		__entry->gpu_id = queue->pdd->node->desc.gpu_id;
		__entry->client = holder->id;
		__entry->queue = queue->id;
		__entry->priority = terms->priority;
		__entry->prio_class = terms->prio_class;
	),
	TP_printk("node%u client=%llu queue=%llu priority=%d class=%u",
		  __entry->gpu_id, __entry->client, __entry->queue,
		  __entry->priority, __entry->prio_class)
);

/* A client's APPLY, from its first look at the entries to its answer. */
TRACE_EVENT(apply,
	TP_PROTO(const struct xs_holder *holder, u32 entries, u32 nodes,
		 int status, u64 total_ns),
	TP_ARGS(holder, entries, nodes, status, total_ns),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u32, entries)
		__field(u32, nodes)
		__field(int, status)
		__field(u64, total_ns)
	),
	TP_fast_assign(
		__entry->client = holder->id;
		__entry->entries = entries;
		__entry->nodes = nodes;
		__entry->status = status;
		__entry->total_ns = total_ns;
	),
	TP_printk("client=%llu entries=%u nodes=%u status=%d total_ns=%llu",
		  __entry->client, __entry->entries, __entry->nodes,
		  __entry->status, __entry->total_ns)
);

/* One node's transaction. @changes: queues that are to change. */
TRACE_EVENT(switch_begin,
	TP_PROTO(const struct xs_node *node, u32 changes, u32 grace_us),
	TP_ARGS(node, changes, grace_us),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(u32, changes)
		__field(u32, grace_us)
	),
	TP_fast_assign(
		__entry->gpu_id = node->desc.gpu_id;
		__entry->changes = changes;
		__entry->grace_us = grace_us;
	),
	TP_printk("node%u changes=%u grace_us=%u", __entry->gpu_id,
		  __entry->changes, __entry->grace_us)
);

TRACE_EVENT(switch_end,
	TP_PROTO(const struct kfd_xsched_node_result *result),
	TP_ARGS(result),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(s32, status)
		__field(u32, flips)
		__field(u32, fw_transactions)
		__field(u64, lock_ns)
		__field(u64, unmap_ns)
		__field(u64, map_ns)
		__field(u64, total_ns)
	),
	TP_fast_assign(
		__entry->gpu_id = result->gpu_id;
		__entry->status = result->status;
		__entry->flips = result->flips;
		__entry->fw_transactions = result->fw_transactions;
		__entry->lock_ns = result->lock_ns;
		__entry->unmap_ns = result->unmap_ns;
		__entry->map_ns = result->map_ns;
		__entry->total_ns = result->total_ns;
	),
	TP_printk("node%u status=%d flips=%u fw_transactions=%u lock_ns=%llu unmap_ns=%llu map_ns=%llu total_ns=%llu",
		  __entry->gpu_id, __entry->status, __entry->flips,
		  __entry->fw_transactions, __entry->lock_ns,
		  __entry->unmap_ns, __entry->map_ns, __entry->total_ns)
);

/* A process that was tapped on a node rang, or mapped its doorbells: in its fault. */
TRACE_EVENT(doorbell,
	TP_PROTO(const struct xs_pdd *pdd),
	TP_ARGS(pdd),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(bool, tapped)
	),
	TP_fast_assign(
		__entry->gpu_id = pdd->node->desc.gpu_id;
		__entry->pid = pid_nr(pdd->process->pid);
		__entry->tapped = READ_ONCE(pdd->watch.tapped);
	),
	TP_printk("node%u pid=%d tapped=%d", __entry->gpu_id, __entry->pid,
		  __entry->tapped)
);

/* A process is not sampled on a node any more, because it is tapped; or again. */
TRACE_EVENT(tap,
	TP_PROTO(const struct xs_pdd *pdd, bool on),
	TP_ARGS(pdd, on),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(bool, on)
	),
	TP_fast_assign(
		__entry->gpu_id = pdd->node->desc.gpu_id;
		__entry->pid = pid_nr(pdd->process->pid);
		__entry->on = on;
	),
	TP_printk("node%u pid=%d on=%d", __entry->gpu_id, __entry->pid, __entry->on)
);

/* Armed switches come and go, begin to run or to be undone, and have done so. */
DECLARE_EVENT_CLASS(kfd_xsched_armed,
	TP_PROTO(const struct xs_armed *armed),
	TP_ARGS(armed),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, armed)
		__field(pid_t, pid)
		__field(u64, tenant)
		__field(bool, ready)
		__field(u64, edge_ns)
	),
	TP_fast_assign(
		__entry->client = armed->client->id;
		__entry->armed = armed->id;
		__entry->pid = armed->trigger.process ?
			pid_nr(armed->trigger.process->pid) : 0;
		__entry->tenant = armed->trigger.tenant;
		__entry->ready = armed->active;
		__entry->edge_ns = armed->edge_ns;
	),
	TP_printk("client=%llu armed=%llu pid=%d tenant=%llu ready=%d edge_ns=%llu",
		  __entry->client, __entry->armed, __entry->pid, __entry->tenant,
		  __entry->ready, __entry->edge_ns)
);

#define XS_TRACE_ARMED_EVENT(_name)					\
DEFINE_EVENT(kfd_xsched_armed, _name,					\
	TP_PROTO(const struct xs_armed *armed), TP_ARGS(armed))

XS_TRACE_ARMED_EVENT(arm);
XS_TRACE_ARMED_EVENT(disarm);
XS_TRACE_ARMED_EVENT(armed_run);

TRACE_EVENT(armed_done,
	TP_PROTO(const struct xs_armed *armed, u32 error, u32 flips, u64 took_ns),
	TP_ARGS(armed, error, flips, took_ns),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, armed)
		__field(bool, ready)
		__field(u32, error)
		__field(u32, flips)
		__field(u64, took_ns)
	),
	TP_fast_assign(
		__entry->client = armed->client->id;
		__entry->armed = armed->id;
		__entry->ready = armed->active;
		__entry->error = error;
		__entry->flips = flips;
		__entry->took_ns = took_ns;
	),
	TP_printk("client=%llu armed=%llu ready=%d error=%u flips=%u took_ns=%llu",
		  __entry->client, __entry->armed, __entry->ready, __entry->error,
		  __entry->flips, __entry->took_ns)
);

/* Nodes come and go, and have something left to be tried again. */
DECLARE_EVENT_CLASS(kfd_xsched_node,
	TP_PROTO(u32 gpu_id),
	TP_ARGS(gpu_id),
	TP_STRUCT__entry(__field(u32, gpu_id)),
	TP_fast_assign(__entry->gpu_id = gpu_id;),
	TP_printk("node%u", __entry->gpu_id)
);

#define XS_TRACE_NODE_EVENT(_name)					\
DEFINE_EVENT(kfd_xsched_node, _name, TP_PROTO(u32 gpu_id), TP_ARGS(gpu_id))

XS_TRACE_NODE_EVENT(node_add);
XS_TRACE_NODE_EVENT(node_del);
XS_TRACE_NODE_EVENT(node_retry);

TRACE_EVENT(node_reset,
	TP_PROTO(u32 gpu_id, bool done),
	TP_ARGS(gpu_id, done),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(bool, done)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->done = done;
	),
	TP_printk("node%u done=%d", __entry->gpu_id, __entry->done)
);

TRACE_EVENT(node_breaker,
	TP_PROTO(u32 gpu_id, bool open),
	TP_ARGS(gpu_id, open),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(bool, open)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->open = open;
	),
	TP_printk("node%u open=%d", __entry->gpu_id, __entry->open)
);

/*
 * Somebody asks for a change of what runs as another user, and may, or may not (@permitted). What
 * became of it follows: apply, hold, release, set_priority.
 */
TRACE_EVENT(other_user,
	TP_PROTO(const struct xs_process *process, const struct cred *cred, bool raise,
		 bool permitted),
	TP_ARGS(process, cred, raise, permitted),
	TP_STRUCT__entry(
		__field(pid_t, by_pid)
		__field(u32, by_uid)
		__field(pid_t, pid)
		__field(u32, uid)
		__field(bool, raise)
		__field(bool, permitted)
	),
	TP_fast_assign(
		__entry->by_pid = task_tgid_nr(current);
		__entry->by_uid = __kuid_val(current_euid());
		__entry->pid = pid_nr(process->pid);
		__entry->uid = __kuid_val(cred->euid);
		__entry->raise = raise;
		__entry->permitted = permitted;
	),
	TP_printk("by_pid=%d by_uid=%u pid=%d uid=%u raise=%d permitted=%d",
		  __entry->by_pid, __entry->by_uid, __entry->pid, __entry->uid,
		  __entry->raise, __entry->permitted)
);

TRACE_EVENT(process_demoted,
	TP_PROTO(const struct xs_process *process),
	TP_ARGS(process),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(u32, uid)
		__field(u32, failures)
		__field(bool, with_user)
	),
	TP_fast_assign(
		__entry->pid = pid_nr(process->pid);
		__entry->uid = __kuid_val(xs_process_user(process));
		__entry->failures = process->failures;
		__entry->with_user = process->user_demoted;
	),
	TP_printk("pid=%d uid=%u failures=%u with_user=%d", __entry->pid, __entry->uid,
		  __entry->failures, __entry->with_user)
);

/* A process has left the hardware of all its nodes: it has had no work for @idle_ns. */
TRACE_EVENT(park,
	TP_PROTO(const struct xs_process *process, u64 idle_ns),
	TP_ARGS(process, idle_ns),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(u64, idle_ns)
		__field(u64, took_ns)
	),
	TP_fast_assign(
		__entry->pid = pid_nr(process->pid);
		__entry->idle_ns = idle_ns;
		__entry->took_ns = ktime_get_ns() - process->park.since_ns;
	),
	TP_printk("pid=%d idle_ns=%llu took_ns=%llu", __entry->pid, __entry->idle_ns,
		  __entry->took_ns)
);

/* It comes back, or was about to leave. */
TRACE_EVENT(unpark,
	TP_PROTO(const struct xs_process *process, u32 why, u64 lasted_ns),
	TP_ARGS(process, why, lasted_ns),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(u32, why)
		__field(u64, lasted_ns)
		__field(u32, shift)
	),
	TP_fast_assign(
		__entry->pid = pid_nr(process->pid);
		__entry->why = why;
		__entry->lasted_ns = lasted_ns;
		__entry->shift = process->park.shift;
	),
	TP_printk("pid=%d why=%s lasted_ns=%llu shift=%u", __entry->pid,
		  __print_symbolic(__entry->why, XS_TRACE_UNPARK), __entry->lasted_ns,
		  __entry->shift)
);

#endif /* KFD_XSCHED_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
