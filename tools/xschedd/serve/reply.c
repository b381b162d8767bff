// SPDX-License-Identifier: MIT
/*
 * Carry out requests. Permissions are checked here: the daemon may do
 * everything, so the kernel cannot check the user who asks.
 *
 *  - Administrators (see facts/peer.h) may do everything.
 *  - Others may control their own processes that did not change credentials. They
 *    may not resume what an administrator suspended, nor raise a priority above
 *    what rules and nice value allow.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sched/request.h"
#include "serve/audit.h"
#include "serve/reply.h"
#include "serve/show.h"

static struct json_object *reply_status(int error)
{
	return error ? protocol_error(error, strerror(-error)) : protocol_ok();
}

/* Who could have been an administrator is told why he is none. */
static struct json_object *reply_denied(const struct peer *peer, const char *message)
{
	return protocol_error(-EPERM, peer->undecided ?
			      "not permitted: it is not known in time whether you are an administrator" :
			      message);
}

static struct json_object *reply_too_high(const struct peer *peer)
{
	return reply_denied(peer,
			    "raising a priority above what rules and nice value allow is not permitted");
}

/* ---- the policy --------------------------------------------------------- */

static struct json_object *reply_set_options(struct sched *sched,
					     const struct request *request)
{
	char message[128];

	for (size_t i = 0; i < request->option_count; i++) {
		const struct request_option *o = &request->options[i];
		int ret = request_set_option(sched, o->name, o->value);

		if (!ret)
			continue;
		snprintf(message, sizeof(message), "option %s: %s", o->name,
			 ret == -ENOENT ? "there is none of that name" :
			 ret == -EINVAL ? "the value is outside its limits" :
			 strerror(-ret));
		return protocol_error(ret, message);
	}
	return NULL;
}

static struct json_object *reply_policy(struct sched *sched, const struct peer *peer,
					const struct request *request)
{
	struct json_object *refusal;
	int ret = 0;

	if ((*request->policy || request->option_count) && !peer->admin)
		return reply_denied(peer, "not permitted");
	if (*request->policy)
		ret = request_set_policy(sched, request->policy);
	if (ret == -EOPNOTSUPP)
		return protocol_error(ret, "there is no such policy");
	if (ret)
		return reply_status(ret);
	refusal = reply_set_options(sched, request);
	return refusal ? refusal : show_policy(sched);
}

/* ---- one process -------------------------------------------------------- */

static struct json_object *reply_set_priority(struct sched *sched,
					      const struct peer *peer,
					      const struct task *task, int32_t wanted,
					      bool request)
{
	if (!peer->admin && wanted > task->rating.limit)
		return reply_too_high(peer);
	return reply_status(request_set_priority(sched, task->process.pid, wanted,
						 request && peer->admin));
}

/* Hints in other units than the engine's. */
static const struct {
	const char *name;
	enum xsched_hint hint;
	int64_t factor;
} units[] = {
	{ "deadline_us", XSCHED_HINT_DEADLINE_NS, 1000 },
	{ "laxity_us", XSCHED_HINT_LAXITY_NS, 1000 },
	{ "period_us", XSCHED_HINT_PERIOD_NS, 1000 },
};

/* Returns enum xsched_hint or a negative errno; changes @value to its unit. */
static int reply_find_hint(const char *name, int64_t *value)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, name))
			continue;
		if (__builtin_mul_overflow(*value, units[i].factor, value))
			return -EINVAL;
		return units[i].hint;
	}
	return xsched_hint_find(name);
}

static struct json_object *reply_hint(struct sched *sched, const struct peer *peer,
				      const struct task *task,
				      const struct request *request)
{
	int64_t value = request->value;
	int which, ret;

	if (!strcmp(request->hint, "priority")) {
		if (value < PRIORITY_NEVER || value > XSCHED_PRIORITY_MAX)
			return protocol_error(-EINVAL,
					      "priority is not within -256..255");
		return reply_set_priority(sched, peer, task, value, false);
	}
	which = reply_find_hint(request->hint, &value);
	if (which == -EOPNOTSUPP)
		return protocol_error(which, "there is no such hint");
	if (which < 0)
		return protocol_error(which, "the value is outside its limits");
	if ((which == XSCHED_HINT_LAX_PRIORITY ||
	     which == XSCHED_HINT_CRIT_PRIORITY) && !peer->admin &&
	    value > task->rating.limit)
		return reply_too_high(peer);
	/* The nice value is known from the kernel. */
	if (which == XSCHED_HINT_NICE && !peer->admin &&
	    value < task->process.nice)
		return reply_denied(peer, "not permitted");
	ret = request_set_hint(sched, request->pid, which, value);
	if (ret == -EINVAL)
		return protocol_error(ret, "the value is outside its limits");
	return reply_status(ret);
}

static struct json_object *reply_resume(struct sched *sched, const struct peer *peer,
					const struct task *task)
{
	if (!peer->admin && task->suspended_by_admin)
		return reply_denied(peer, "suspended by an administrator");
	return reply_status(request_resume(sched, task->process.pid));
}

static struct json_object *reply_level(struct sched *sched, const struct task *task,
				       int level)
{
	int ret = request_set_level(sched, task->process.pid, level);

	return ret == -EOPNOTSUPP ?
	       protocol_error(-EINVAL, "not every GPU has this level") : reply_status(ret);
}

static struct json_object *reply_change(struct sched *sched, const struct peer *peer,
					const struct task *task,
					const struct request *request)
{
	if (!peer_may(peer, &task->process))
		return reply_denied(peer, "not permitted: another user's process");
	switch (request->command) {
	case COMMAND_SUSPEND:
		return reply_status(request_suspend(sched, request->pid, peer->admin));
	case COMMAND_RESUME:
		return reply_resume(sched, peer, task);
	case COMMAND_HINT:
		return reply_hint(sched, peer, task, request);
	case COMMAND_LEVEL:
		return reply_level(sched, task, request->value);
	default:
		return reply_set_priority(sched, peer, task, request->priority, true);
	}
}

/* A hint, in the engine's unit; false: it has none. */
static bool reply_hint_value(const struct sched *sched, const struct request *request,
			     int64_t *value)
{
	int64_t unit = 1;
	int which = reply_find_hint(request->hint, &unit);

	return which >= 0 && !xsched_engine_hint(sched->engine, request->pid, which, value) &&
	       *value != XSCHED_HINT_UNSET;
}

/* What a request is about, as it is now; false: that is not known. */
static bool reply_value(const struct sched *sched, const struct request *request,
			int64_t *value)
{
	const struct task *task = state_task(sched, request->pid);

	if (!task)
		return false;
	switch (request->command) {
	case COMMAND_SUSPEND:
	case COMMAND_RESUME:
		*value = task->suspended;
		return true;
	case COMMAND_LEVEL:
		*value = state_level(sched, task);
		return true;
	case COMMAND_HINT:
		if (strcmp(request->hint, "priority"))
			return reply_hint_value(sched, request, value);
		break;
	default:
		break;
	}
	*value = state_task_priority(task);
	return true;
}

int reply_error(struct json_object *reply)
{
	struct json_object *value;

	return json_object_object_get_ex(reply, "errno", &value) ?
	       -json_object_get_int(value) : 0;
}

/* Change something of a process, with a record if that is another user's. */
static struct json_object *reply_act(const struct host *host, const struct peer *peer,
				     const struct request *request)
{
	struct audit_record record = { .peer = peer, .request = request };
	struct sched *sched = host->sched;
	struct xsched_tenant tenant;
	struct json_object *reply;

	if (xsched_engine_tenant(sched->engine, request->pid, 0, &tenant))
		return protocol_error(-ENOENT, "no GPU process of that id");
	if (!tenant.user)
		return protocol_error(-ENOMEM, "not enough memory to find the process");
	audit_begin(&record, &((const struct task *)tenant.user)->process);
	record.has_before = reply_value(sched, request, &record.before);
	reply = reply_change(sched, peer, tenant.user, request);
	record.has_after = reply_value(sched, request, &record.after);
	record.error = reply_error(reply);
	audit_end(host->audit, &record);
	return reply;
}

struct json_object *reply_set_level(const struct host *host, const struct peer *peer,
				    pid_t pid, int level)
{
	const struct request request = { .command = COMMAND_LEVEL, .pid = pid,
					 .value = level };

	return reply_act(host, peer, &request);
}

/* ---- others ------------------------------------------------------------- */

/* For any process, not only those that use a GPU. NULL: the user may ask. */
static struct json_object *reply_refusal(const struct peer *peer,
					 const struct process *process)
{
	if (!process->known)
		return protocol_error(-ESRCH, "no process of that id");
	if (!peer_may(peer, process))
		return reply_denied(peer, "not permitted: another user's process");
	return NULL;
}

/* Whose it is comes first: nothing else is read of another user's process. */
static struct json_object *reply_rules(const struct peer *peer, pid_t pid)
{
	struct process process;

	process_read_owner(&process, pid);
	return reply_refusal(peer, &process);
}

struct json_object *reply_with_facts(const struct sched *sched,
				     const struct peer *peer,
				     const struct process *process)
{
	struct json_object *refusal = reply_refusal(peer, process);

	return refusal ? refusal : show_rating(sched, process);
}

struct json_object *reply_with_names(const struct host *host, const struct peer *peer,
				     int result)
{
	char error[512] = "";
	int ret;

	if (!peer->admin)
		return reply_denied(peer, "not permitted");
	if (result)
		return protocol_error(result, "users and groups were not found in time: the former configuration stays");
	ret = host->reload(host->user, error, sizeof(error));
	return ret ? protocol_error(ret, error) : protocol_ok();
}

struct json_object *reply_to(const struct host *host,
			     const struct peer *peer,
			     const struct request *request)
{
	struct sched *sched = host->sched;

	switch (request->command) {
	case COMMAND_STATS:
		return show_stats(sched);
	case COMMAND_LIST:
		return show_list(sched, peer);
	case COMMAND_POLICY:
		return reply_policy(sched, peer, request);
	case COMMAND_EVENTS:
		return protocol_ok();
	case COMMAND_RULES:
		return reply_rules(peer, request->pid);
	case COMMAND_RELOAD:
		return peer->admin ? NULL : reply_denied(peer, "not permitted");
	default:
		return reply_act(host, peer, request);
	}
}
