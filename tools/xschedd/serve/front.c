// SPDX-License-Identifier: MIT
/*
 * The routes of XSched's server (https://github.com/XpuOS/xsched), with its
 * keys and numbers. An XQueue is a user queue here: its handle is the queue's
 * id. Priority and level belong to the process: setting them affects all its
 * queues.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "serve/front.h"
#include "serve/reply.h"
#include "serve/show.h"

#define DEVICE_TYPE_GPU	2ULL	/* kDeviceTypeGPU */

/* XPolicyType */
static const char *const policies[] = {
	[1] = "hpf", [2] = "hhpf", [3] = "chpf", [4] = "up", [5] = "pup",
	[7] = "kedf", [8] = "lax", [9] = "awf", [10] = "cfs", [11] = "mlfq",
};

#define POLICIES (sizeof(policies) / sizeof(policies[0]))

/* HintType; the others have no keys in XSched's protocol. */
enum {
	HINT_PRIORITY = 1,
	HINT_UTILIZATION = 2,
	HINT_TIMESLICE = 3,
	HINT_WINDOW_ACTIVE = 7,
};

/**
 * struct context - a request being answered
 * @host: what it is about
 * @request: request
 * @answer: out
 */
struct context {
	const struct host *host;
	const struct http_request *request;
	struct http_answer *answer;
};

static void front_fail(struct context *c, unsigned int status, const char *message)
{
	answer_error(c->answer, status, message);
}

static void front_bad(struct context *c, const char *message)
{
	front_fail(c, MHD_HTTP_BAD_REQUEST, message);
}

static void front_succeed(struct context *c)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "info",
			       json_object_new_string("success"));
	answer_json(c->answer, MHD_HTTP_OK, object);
}

static unsigned int front_status_of(int error)
{
	switch (error) {
	case EPERM:
		return MHD_HTTP_FORBIDDEN;
	case ENOENT:
		return MHD_HTTP_NOT_FOUND;
	case EINVAL:
	case EOPNOTSUPP:
	case EBUSY:
		return MHD_HTTP_BAD_REQUEST;
	default:
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	}
}

/* Take an answer of the control socket. Returns whether it was done. */
static bool front_take_reply(struct context *c, struct json_object *reply)
{
	int error = reply_error(reply);
	struct json_object *message;

	if (error) {
		json_object_object_get_ex(reply, "message", &message);
		front_fail(c, front_status_of(-error), json_object_get_string(message));
	}
	json_object_put(reply);
	return !error;
}

/* The same checks as on the control socket. Returns whether it was done. */
static bool front_demand(struct context *c, const struct request *request)
{
	return front_take_reply(c, reply_to(c->host, &c->request->peer, request));
}

static void front_demand_hint(struct context *c, pid_t pid, const char *hint,
			      int64_t value)
{
	struct request request = { .command = COMMAND_HINT, .pid = pid,
				   .value = value };

	strcpy(request.hint, hint);
	if (front_demand(c, &request))
		front_succeed(c);
}

/* ---- queues ------------------------------------------------------------- */

static bool front_may_see(const struct context *c, pid_t pid)
{
	const struct task *task = state_task(c->host->sched, pid);
	const struct peer *peer = &c->request->peer;

	return peer_may(peer, task ? &task->process : NULL);
}

static const struct kfd_xsched_queue *front_find_queue(struct context *c,
						       uint64_t handle)
{
	struct xsched_queue_list *list = &c->host->sched->list;

	if (xsched_list_queues(c->host->sched->device, list))
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		if (list->queues[i].id == handle &&
		    front_may_see(c, list->queues[i].pid))
			return &list->queues[i];
	return NULL;
}

/* "/route/HEX": 0 if it is none. */
static uint64_t front_parse_handle(const char *text)
{
	unsigned long long handle;
	char *end;

	if (*text == '-' || *text == '+' || *text == ' ')
		return 0;
	errno = 0;
	handle = strtoull(text, &end, 16);
	return end == text || *end || errno ? 0 : handle;
}

static struct json_object *front_new_xqueue(const struct sched *sched,
					    const struct kfd_xsched_queue *queue)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "handle", json_object_new_uint64(queue->id));
	json_object_object_add(o, "device",
			       json_object_new_uint64(DEVICE_TYPE_GPU << 32 |
						      queue->gpu_id));
	json_object_object_add(o, "level",
			       json_object_new_int(state_level(sched,
							   state_task(sched, queue->pid))));
	json_object_object_add(o, "pid", json_object_new_int(queue->pid));
	/* Commands are not launched one by one here. */
	json_object_object_add(o, "threshold", json_object_new_int(-1));
	json_object_object_add(o, "batch_size", json_object_new_int(-1));
	json_object_object_add(o, "ready",
			       json_object_new_boolean(!!(queue->state &
							  KFD_XSCHED_QUEUE_READY)));
	json_object_object_add(o, "suspended",
			       json_object_new_boolean(!!(queue->state &
							  KFD_XSCHED_QUEUE_HELD)));
	return o;
}

static struct json_object *front_new_process(const struct sched *sched, pid_t pid)
{
	const struct task *task = state_task(sched, pid);
	const char *cmdline = task && task->process.cmdline ?
			      task->process.cmdline : "";
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "pid", json_object_new_int(pid));
	json_object_object_add(o, "cmdline", show_new_text(cmdline));
	return o;
}

static void front_get_xqueues(struct context *c)
{
	struct sched *sched = c->host->sched;
	struct json_object *reply, *xqueues, *processes;
	struct xsched_tenant tenant;

	if (xsched_list_queues(sched->device, &sched->list)) {
		front_fail(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "cannot list queues");
		return;
	}
	reply = json_object_new_object();
	xqueues = json_object_new_array();
	processes = json_object_new_array();
	for (size_t i = 0; i < sched->list.count; i++)
		if (front_may_see(c, sched->list.queues[i].pid))
			json_object_array_add(xqueues,
				front_new_xqueue(sched, &sched->list.queues[i]));
	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (front_may_see(c, tenant.pid))
			json_object_array_add(processes,
					      front_new_process(sched, tenant.pid));
	}
	json_object_object_add(reply, "xqueues", xqueues);
	json_object_object_add(reply, "processes", processes);
	answer_json(c->answer, MHD_HTTP_OK, reply);
}

static void front_get_xqueue(struct context *c, const char *argument)
{
	const struct kfd_xsched_queue *queue;
	uint64_t handle = front_parse_handle(argument);
	struct json_object *reply;

	if (!handle) {
		front_bad(c, "the handle is not a hexadecimal number");
		return;
	}
	queue = front_find_queue(c, handle);
	if (!queue) {
		front_fail(c, MHD_HTTP_NOT_FOUND, "XQueue not found");
		return;
	}
	reply = json_object_new_object();
	json_object_object_add(reply, "xqueue",
			       front_new_xqueue(c->host->sched, queue));
	json_object_object_add(reply, "process",
			       front_new_process(c->host->sched, queue->pid));
	answer_json(c->answer, MHD_HTTP_OK, reply);
}

/* ---- settings ----------------------------------------------------------- */

/* A number of the query; XSched's client sends -1 for a missing one. */
static bool front_get_number(struct context *c, const char *name, int64_t *out)
{
	const char *text;
	char *end;

	text = MHD_lookup_connection_value(c->request->connection,
					   MHD_GET_ARGUMENT_KIND, name);
	*out = -1;
	if (!text)
		return true;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return end != text && !*end && !errno;
}

static void front_set_level(struct context *c, const struct kfd_xsched_queue *queue,
			    int64_t level)
{
	if (front_take_reply(c, reply_set_level(c->host, &c->request->peer, queue->pid,
						level)))
		front_succeed(c);
}

static void front_post_config(struct context *c, const char *argument)
{
	uint64_t handle = front_parse_handle(argument);
	const struct kfd_xsched_queue *queue;
	int64_t level, threshold, batch_size;

	if (!handle) {
		front_bad(c, "the handle is not a hexadecimal number");
		return;
	}
	if (!front_get_number(c, "level", &level) || level < -1 || level > 3 ||
	    level == 1) {
		front_bad(c, level == 1 ? "level 1 is not there: nothing stands between a program and its queue" :
			  "invalid level");
		return;
	}
	if (!front_get_number(c, "threshold", &threshold) || threshold != -1 ||
	    !front_get_number(c, "batch_size", &batch_size) || batch_size != -1) {
		front_bad(c, "threshold and batch_size are not there: programs launch by themselves");
		return;
	}
	queue = front_find_queue(c, handle);
	if (!queue) {
		front_fail(c, MHD_HTTP_NOT_FOUND, "XQueue not found");
	} else if (level <= 0) {
		struct json_object *reply = json_object_new_object();

		json_object_object_add(reply, "warning",
				       json_object_new_string("no change"));
		answer_json(c->answer, MHD_HTTP_OK, reply);
	} else {
		front_set_level(c, queue, level);
	}
}

static void front_get_policy(struct context *c)
{
	const char *name = xsched_engine_policy(c->host->sched->engine);
	struct json_object *reply = json_object_new_object();
	int number = 0;

	for (size_t i = 0; i < POLICIES; i++)
		if (policies[i] && !strcmp(policies[i], name))
			number = i;
	json_object_object_add(reply, "policy", json_object_new_int(number));
	answer_json(c->answer, MHD_HTTP_OK, reply);
}

static void front_post_policy(struct context *c)
{
	struct request request = { .command = COMMAND_POLICY };
	int64_t number;

	if (!front_get_number(c, "policy", &number) || number <= 0 ||
	    number >= (int64_t)POLICIES || !policies[number]) {
		front_bad(c, "invalid policy");
		return;
	}
	strcpy(request.policy, policies[number]);
	if (front_demand(c, &request))
		front_succeed(c);
}

/* ---- hints -------------------------------------------------------------- */

static bool front_get_member(struct json_object *object, const char *name,
			     int64_t min, int64_t max, int64_t *out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value) ||
	    !json_object_is_type(value, json_type_int))
		return false;
	*out = json_object_get_int64(value);
	return *out >= min && *out <= max;
}

/* The process that "pid" or "handle" names, 0: none, and an error is sent. */
static pid_t front_find_process(struct context *c, struct json_object *object)
{
	const struct kfd_xsched_queue *queue;
	int64_t pid, handle;

	if (front_get_member(object, "pid", 1, INT32_MAX, &pid))
		return pid;
	if (!front_get_member(object, "handle", 1, INT64_MAX, &handle)) {
		front_bad(c, "handle or pid is required");
		return 0;
	}
	queue = front_find_queue(c, handle);
	if (!queue)
		front_fail(c, MHD_HTTP_NOT_FOUND, "XQueue not found");
	return queue ? queue->pid : 0;
}

static void front_hint_value(struct context *c, struct json_object *object,
			     const char *name, int64_t min, int64_t max)
{
	int64_t value;
	pid_t pid;

	if (!front_get_member(object, name, min, max, &value)) {
		front_bad(c, "the value is missing or invalid");
		return;
	}
	pid = front_find_process(c, object);
	if (pid)
		front_demand_hint(c, pid, name, value);
}

/* Set it for all policies that have turns. */
static void front_hint_timeslice(struct context *c, struct json_object *object)
{
	struct request request = {
		.command = COMMAND_POLICY,
		.options = { { .name = "up.slice_us" },
			     { .name = "pup.slice_us" } },
		.option_count = 2,
	};
	int64_t value;

	if (!front_get_member(object, "timeslice", 1, INT64_MAX, &value)) {
		front_bad(c, "the value is missing or invalid");
		return;
	}
	request.options[0].value = value;
	request.options[1].value = value;
	if (front_demand(c, &request))
		front_succeed(c);
}

/* The window that was active on that display becomes inactive. */
static void front_hint_window(struct context *c, struct json_object *object)
{
	static struct {
		int64_t display;
		pid_t pid;
	} active[16];
	struct http_answer ignored = { 0 };
	struct context former = { c->host, c->request, &ignored };
	int64_t pid, display;
	size_t slot = 0;

	if (!front_get_member(object, "pid", 1, INT32_MAX, &pid) ||
	    !front_get_member(object, "display", 0, INT64_MAX, &display)) {
		front_bad(c, "pid and display are required");
		return;
	}
	front_demand_hint(c, pid, "window_active", 1);
	if (c->answer->status != MHD_HTTP_OK)
		return;
	while (slot < 15 && active[slot].pid && active[slot].display != display)
		slot++;
	if (active[slot].pid && active[slot].pid != pid) {
		front_demand_hint(&former, active[slot].pid, "window_active", 0);
		free(ignored.text);
	}
	active[slot].display = display;
	active[slot].pid = pid;
}

static void front_take_hint(struct context *c, struct json_object *object)
{
	int64_t type;

	if (!front_get_member(object, "hint_type", 0, INT32_MAX, &type)) {
		front_bad(c, "missing hint type");
		return;
	}
	switch (type) {
	case HINT_PRIORITY:
		front_hint_value(c, object, "priority", PRIORITY_NEVER,
				 XSCHED_PRIORITY_MAX);
		return;
	case HINT_UTILIZATION:
		front_hint_value(c, object, "utilization", 0, 100);
		return;
	case HINT_TIMESLICE:
		front_hint_timeslice(c, object);
		return;
	case HINT_WINDOW_ACTIVE:
		front_hint_window(c, object);
		return;
	default:
		front_bad(c, "invalid hint type");
	}
}

static void front_post_hint(struct context *c)
{
	struct json_tokener *tokener = json_tokener_new_ex(4);
	const struct http_request *request = c->request;
	struct json_object *object = NULL;

	if (tokener) {
		json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
						JSON_TOKENER_VALIDATE_UTF8);
		object = json_tokener_parse_ex(tokener, request->body,
					       request->length);
	}
	if (!tokener ||
	    json_tokener_get_error(tokener) != json_tokener_success ||
	    json_tokener_get_parse_end(tokener) != request->length ||
	    !json_object_is_type(object, json_type_object))
		front_bad(c, "not a JSON object");
	else
		front_take_hint(c, object);
	json_object_put(object);
	json_tokener_free(tokener);
}

/* ---- routes ------------------------------------------------------------- */

static const struct {
	const char *path;
	const char *method;
	void (*plain)(struct context *c);
	void (*with_argument)(struct context *c, const char *argument);
} routes[] = {
	{ "/xqueues", MHD_HTTP_METHOD_GET, front_get_xqueues, NULL },
	{ "/xqueue/", MHD_HTTP_METHOD_GET, NULL, front_get_xqueue },
	{ "/config/", MHD_HTTP_METHOD_POST, NULL, front_post_config },
	{ "/policy", MHD_HTTP_METHOD_GET, front_get_policy, NULL },
	{ "/policy", MHD_HTTP_METHOD_POST, front_post_policy, NULL },
	{ "/hint", MHD_HTTP_METHOD_POST, front_post_hint, NULL },
};

void front_answer(const struct host *host,
		  const struct http_request *request,
		  struct http_answer *answer)
{
	struct context c = { host, request, answer };
	bool known = false;

	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		size_t length = strlen(routes[i].path);

		if (strncmp(request->path, routes[i].path, length) ||
		    (routes[i].plain && request->path[length]))
			continue;
		known = true;
		if (strcmp(request->method, routes[i].method))
			continue;
		if (routes[i].plain)
			routes[i].plain(&c);
		else
			routes[i].with_argument(&c, request->path + length);
		return;
	}
	if (known)
		front_fail(&c, MHD_HTTP_METHOD_NOT_ALLOWED, "not with this method");
	else
		front_fail(&c, MHD_HTTP_NOT_FOUND, "there is no such route");
}
