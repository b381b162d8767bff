// SPDX-License-Identifier: MIT
/*
 * Carry out requests. Who may do what to whom is decided here: the daemon runs
 * as root, so the kernel's own checks do not see the one who asks.
 *
 *  - root and members of the group xsched: everything;
 *  - others: their own processes that did not change credentials. They may not
 *    undo what an administrator suspended, nor raise a priority above both 0
 *    and what rules and nice value give.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <string.h>

#include "reply.h"

static void add(struct json_object *object, const char *name,
		struct json_object *value)
{
	json_object_object_add(object, name, value);
}

/* Three places, not seventeen. */
static struct json_object *new_double(double number)
{
	struct json_object *object = json_object_new_double(number);

	if (object)
		json_object_set_serializer(object,
					   json_object_double_to_json_string,
					   "%.3f", NULL);
	return object;
}

static struct json_object *percentile_us(const struct histogram *histogram,
					 unsigned int percent)
{
	return new_double(histogram_percentile(histogram, percent) / 1e3);
}

static struct json_object *new_u64(uint64_t number)
{
	return json_object_new_uint64(number);
}

struct json_object *reply_error(int error, const char *message)
{
	struct json_object *reply = json_object_new_object();
	const char *name = strerrorname_np(-error);

	add(reply, "ok", json_object_new_boolean(false));
	add(reply, "errno", json_object_new_int(-error));
	add(reply, "error", json_object_new_string(name ? name : "EIO"));
	add(reply, "message", json_object_new_string(message));
	return reply;
}

static struct json_object *reply_ok(void)
{
	struct json_object *reply = json_object_new_object();

	add(reply, "ok", json_object_new_boolean(true));
	return reply;
}

static struct json_object *reply_status(int error)
{
	return error ? reply_error(error, strerror(-error)) : reply_ok();
}

static bool is_own(const struct peer *peer, const struct task *task)
{
	return task && task->process.known && task->process.uid == peer->uid &&
	       !task->process.changed_credentials;
}

static const char *priority_source(const struct task *task)
{
	if (!task)
		return "default";
	if (task->overridden)
		return "request";
	return task->rule ? "rule" : "nice";
}

static struct json_object *describe(const struct xsched_tenant *tenant)
{
	const struct task *task = tenant->user;
	struct json_object *object = json_object_new_object();

	add(object, "pid", json_object_new_int(tenant->pid));
	add(object, "uid", json_object_new_int64(task ? (int64_t)task->process.uid : -1));
	add(object, "exe",
	    json_object_new_string(task ? task->process.exe : ""));
	add(object, "comm",
	    json_object_new_string(task ? task->process.comm : ""));
	add(object, "priority", json_object_new_int(tenant->priority));
	add(object, "priority_from",
	    json_object_new_string(priority_source(task)));
	add(object, "queues", json_object_new_int(tenant->queues));
	add(object, "nodes", json_object_new_int(tenant->nodes));
	add(object, "ready", json_object_new_boolean(tenant->ready));
	add(object, "held",
	    json_object_new_boolean(tenant->state == XSCHED_HELD));
	add(object, "uncertain",
	    json_object_new_boolean(tenant->state == XSCHED_UNCERTAIN));
	add(object, "manual", json_object_new_boolean(tenant->manual));
	add(object, "exempt", json_object_new_boolean(tenant->exempt));
	add(object, "held_ms", new_double(tenant->held_ns / 1e6));
	add(object, "holds", new_u64(tenant->holds));
	add(object, "preemptions", new_u64(tenant->preemptions));
	if (!task)
		return object;
	add(object, "since_ns", new_u64(task->seen_ns));
	add(object, "switch_p50_us", percentile_us(&task->switches, 50));
	add(object, "switch_p99_us", percentile_us(&task->switches, 99));
	return object;
}

static struct json_object *list(struct sched *sched, const struct peer *peer)
{
	struct json_object *tenants = json_object_new_array();
	struct json_object *reply = reply_ok();
	struct xsched_tenant tenant;
	uint64_t now = now_ns();

	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, now, &tenant);
		if (peer->admin || is_own(peer, tenant.user))
			json_object_array_add(tenants, describe(&tenant));
	}
	add(reply, "now_ns", new_u64(now));
	add(reply, "tenants", tenants);
	return reply;
}

static struct json_object *stats(const struct sched *sched)
{
	const struct sched_stats *s = &sched->stats;
	struct json_object *reply = reply_ok();

	add(reply, "policy",
	    json_object_new_string(xsched_engine_policy(sched->engine)));
	add(reply, "tenants",
	    json_object_new_int(xsched_engine_tenants(sched->engine)));
	add(reply, "events", new_u64(s->events));
	add(reply, "lost", new_u64(s->lost));
	add(reply, "applies", new_u64(s->applies));
	add(reply, "failures", new_u64(s->failures));
	add(reply, "retries", new_u64(s->retries));
	add(reply, "call_p50_us", percentile_us(&s->call, 50));
	add(reply, "call_p99_us", percentile_us(&s->call, 99));
	add(reply, "reaction_p50_us", percentile_us(&s->reaction, 50));
	add(reply, "reaction_p99_us", percentile_us(&s->reaction, 99));
	return reply;
}

static struct json_object *policy(struct sched *sched, const struct peer *peer,
				  const struct request *request)
{
	struct json_object *reply;
	int ret = 0;

	if (*request->policy && !peer->admin)
		return reply_error(-EPERM, "not permitted");
	if (*request->policy)
		ret = sched_set_policy(sched, request->policy);
	if (ret == -EOPNOTSUPP)
		return reply_error(ret, "there is no such policy");
	if (ret)
		return reply_status(ret);
	reply = reply_ok();
	add(reply, "policy",
	    json_object_new_string(xsched_engine_policy(sched->engine)));
	return reply;
}

static bool may_set(const struct peer *peer, const struct task *task,
		    int32_t priority)
{
	int32_t limit;

	if (peer->admin)
		return true;
	limit = task->base_priority > 0 ? task->base_priority : 0;
	return priority <= limit;
}

/* Requests about one process. */
static struct json_object *act(struct sched *sched, const struct peer *peer,
			       const struct request *request)
{
	struct xsched_tenant tenant;
	const struct task *task;

	if (xsched_engine_tenant(sched->engine, request->pid, 0, &tenant))
		return reply_error(-ENOENT, "no GPU process of that id");
	task = tenant.user;
	if (!peer->admin && !is_own(peer, task))
		return reply_error(-EPERM, "not permitted");

	switch (request->command) {
	case COMMAND_SUSPEND:
		return reply_status(sched_suspend(sched, request->pid,
						  peer->admin));
	case COMMAND_RESUME:
		if (!peer->admin && task->suspended_by_admin)
			return reply_error(-EPERM,
					   "suspended by an administrator");
		return reply_status(sched_resume(sched, request->pid));
	default:
		if (!may_set(peer, task, request->priority))
			return reply_error(-EPERM,
					   "raising a priority is not permitted");
		return reply_status(sched_set_priority(sched, request->pid,
						       request->priority));
	}
}

struct json_object *reply_to(struct sched *sched, const struct peer *peer,
			     const struct request *request)
{
	switch (request->command) {
	case COMMAND_STATS:
		return stats(sched);
	case COMMAND_LIST:
		return list(sched, peer);
	case COMMAND_POLICY:
		return policy(sched, peer, request);
	default:
		return act(sched, peer, request);
	}
}
