// SPDX-License-Identifier: MIT
/*
 * list: queues straight from the kernel, tenants from the daemon if it runs.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <libxsched.h>
#include <resident_json.h>

#include "ctl.h"
#include "drm.h"

static const struct {
	uint32_t bit;
	const char *name;
} states[] = {
	{ KFD_XSCHED_QUEUE_ACTIVE, "active" },
	{ KFD_XSCHED_QUEUE_HELD, "held" },
	{ KFD_XSCHED_QUEUE_READY, "ready" },
	{ KFD_XSCHED_QUEUE_WATCHED, "watched" },
	{ KFD_XSCHED_QUEUE_TAPPED, "tapped" },
	{ KFD_XSCHED_QUEUE_DEMOTED, "demoted" },
	{ KFD_XSCHED_QUEUE_PARKED, "parked" },
};

#define STATES (sizeof(states) / sizeof(states[0]))

/* Only with --json. */
#define FOR_PROGRAMS (KFD_XSCHED_QUEUE_WATCHED | KFD_XSCHED_QUEUE_TAPPED)

static const char *type_name(uint32_t type)
{
	switch (type) {
	case KFD_XSCHED_QUEUE_COMPUTE:
		return "compute";
	case KFD_XSCHED_QUEUE_SDMA:
		return "sdma";
	default:
		return "unknown";
	}
}

static struct json_object *queue_json(const struct kfd_xsched_queue *q)
{
	struct json_object *object = json_object_new_object();

#define ADD(name, value) json_object_object_add(object, name, value)
	ADD("id", json_object_new_uint64(q->id));
	ADD("pid", json_object_new_int(q->pid));
	ADD("queue_id", json_object_new_int64(q->queue_id));
	ADD("gpu_id", json_object_new_int64(q->gpu_id));
	ADD("type", json_object_new_string(type_name(q->type)));
	for (size_t i = 0; i < STATES; i++)
		ADD(states[i].name,
		    json_object_new_boolean(!!(q->state & states[i].bit)));
	ADD("priority", json_object_new_int64(q->priority));
	ADD("holders", json_object_new_int64(q->holders));
	ADD("preemptions", json_object_new_uint64(q->preemptions));
	ADD("held_ns", json_object_new_uint64(q->held_ns));
	ADD("parked_since_ns", json_object_new_uint64(q->parked_ns));
	ADD("resident", resident_json(q->resident));
	ADD("returns", json_object_new_int64(q->returns));
#undef ADD
	return object;
}

static void print_queue(const struct kfd_xsched_queue *q)
{
	char text[64] = "";

	for (size_t i = 0; i < STATES; i++) {
		if (!(q->state & states[i].bit & ~FOR_PROGRAMS))
			continue;
		if (*text)
			strcat(text, ",");
		strcat(text, states[i].name);
	}
	printf("%5" PRIu64 " %7d %5u %6u %-7s %4u %4u %8" PRIu64
	       " %11.1f  %s\n",
	       (uint64_t)q->id, q->pid, q->queue_id, q->gpu_id,
	       type_name(q->type), q->priority, q->holders,
	       (uint64_t)q->preemptions, q->held_ns / 1e6,
	       *text ? text : "-");
}

static void print_queues(const struct xsched_queue_list *list)
{
	if (!list->count) {
		puts("no queues that you may act on");
		return;
	}
	printf("%5s %7s %5s %6s %-7s %4s %4s %8s %11s  %s\n", "ID", "PID",
	       "QUEUE", "GPU", "TYPE", "PRIO", "HELD", "PREEMPT", "HELD_MS",
	       "STATE");
	for (size_t i = 0; i < list->count; i++)
		print_queue(&list->queues[i]);
}

static void print_tenants(struct json_object *tenants)
{
	char program[512];
	int used;

	if (!json_object_array_length(tenants)) {
		puts("\nno tenants");
		return;
	}
	printf("\n%7s %5s %-11s %-5s %-6s %8s %11s  %s\n", "PID", "PRIO",
	       "FROM", "READY", "HELD", "PREEMPT", "HELD_MS", "PROGRAM");
	for (size_t i = 0; i < json_object_array_length(tenants); i++) {
		struct json_object *t = json_object_array_get_idx(tenants, i);

		used = printf("%7.0f %5.0f %-11s %-5s %-6s %8.0f %11.1f  ",
			      get_number(t, "pid"), get_number(t, "priority"),
			      get_string(t, "priority_from"),
			      get_flag(t, "ready") ? "yes" : "no",
			      get_flag(t, "manual") ? "manual" :
			      get_flag(t, "held") ? "yes" : "no",
			      get_number(t, "preemptions"),
			      get_number(t, "held_ms"));
		fit_program(program, sizeof(program), get_string(t, "comm"),
			    get_string(t, "exe"), room_after(used));
		puts(program);
	}
}

/* Tenants of the daemon, or NULL when it does not run. Owned by the caller. */
static struct json_object *ask_tenants(const struct options *options)
{
	struct json_object *reply = NULL, *tenants = NULL;
	int fd = daemon_connect(options);

	if (fd < 0)
		return NULL;
	if (!daemon_ask(fd, request_new("list"), &reply) &&
	    !daemon_error(reply))
		tenants = json_object_get(get_array(reply, "tenants"));
	json_object_put(reply);
	close(fd);
	return tenants;
}

static void print_drm_client(void *context, const struct drm_client *client)
{
	(void)context;
	printf("process %d (%s) has %u queue%s of DRM, which cannot be scheduled\n", client->pid,
	       client->comm, client->queues, client->queues == 1 ? "" : "s");
}

static void add_drm_client(void *context, const struct drm_client *client)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "pid", json_object_new_int(client->pid));
	json_object_object_add(object, "comm", json_object_new_string(client->comm));
	json_object_object_add(object, "queues", json_object_new_int(client->queues));
	json_object_array_add(context, object);
}

/* null: it is not known. */
static struct json_object *drm_json(const struct options *options)
{
	struct json_object *clients = json_object_new_array();

	if (!drm_each_client(options->root, clients, add_drm_client))
		return clients;
	json_object_put(clients);
	return NULL;
}

static void print_both(const struct options *options, const struct xsched_queue_list *list,
		       struct json_object *tenants)
{
	struct json_object *object = json_object_new_object();
	struct json_object *queues = json_object_new_array();

	for (size_t i = 0; i < list->count; i++)
		json_object_array_add(queues, queue_json(&list->queues[i]));
	json_object_object_add(object, "queues", queues);
	json_object_object_add(object, "tenants", json_object_get(tenants));
	json_object_object_add(object, "drm_queues", drm_json(options));
	print_json(object);
	json_object_put(object);
}

static int read_queues(const struct options *options,
		       struct xsched_queue_list *list)
{
	struct xsched_device *device;
	int ret = xsched_open(&device, options->device);

	if (ret) {
		print_failure(options, ret, strerror(-ret));
		complain("%s: %s", options->device, strerror(-ret));
		return status_of(ret) == CTL_NOT_PERMITTED ? CTL_NOT_PERMITTED :
							     CTL_ABSENT;
	}
	ret = xsched_list_queues(device, list);
	xsched_close(device);
	if (ret) {
		print_failure(options, ret, strerror(-ret));
		complain("cannot list queues: %s", strerror(-ret));
	}
	return status_of(ret);
}

int command_list(const struct options *options, char **arguments)
{
	struct xsched_queue_list list = { 0 };
	struct json_object *tenants;
	int status = read_queues(options, &list);

	(void)arguments;
	if (!status) {
		tenants = ask_tenants(options);
		if (options->json) {
			print_both(options, &list, tenants);
		} else {
			print_queues(&list);
			drm_each_client(options->root, NULL, print_drm_client);
			if (tenants)
				print_tenants(tenants);
		}
		json_object_put(tenants);
	}
	xsched_queue_list_free(&list);
	return status;
}
