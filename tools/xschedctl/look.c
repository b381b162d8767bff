// SPDX-License-Identifier: MIT
/*
 * Tenants at one time, and changes since another.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "look.h"

static int ask(int fd, const char *command, struct json_object **reply)
{
	int ret = daemon_ask(fd, request_new(command), reply);

	return ret ? ret : daemon_error(*reply);
}

struct json_object *look_tenant(const struct look *look, size_t index)
{
	return json_object_array_get_idx(look->tenants, index);
}

static struct json_object *find(const struct look *look, double pid)
{
	for (size_t i = 0; i < look->count; i++)
		if (get_number(look_tenant(look, i), "pid") == pid)
			return look_tenant(look, i);
	return NULL;
}

static double held_percent(struct json_object *tenant, const struct look *now,
			   const struct look *before)
{
	struct json_object *former = find(before, get_number(tenant, "pid"));
	double held = get_number(tenant, "held_ms") * 1e6;
	double since = get_number(tenant, "since_ns");

	/* The same process, not another one with its pid. */
	if (former && get_number(former, "since_ns") == since) {
		held -= get_number(former, "held_ms") * 1e6;
		since = before->now_ns;
	}
	if (now->now_ns <= since)
		return 0;
	held = 100 * held / (now->now_ns - since);
	return held > 100 ? 100 : held;
}

/* One decimal place, not seventeen. */
static struct json_object *new_percent(double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f", number);
	return json_object_new_double_s(number, text);
}

int look_take(struct look *look, int fd, const struct look *before)
{
	int ret = ask(fd, "list", &look->reply);

	if (ret)
		return ret;
	ret = ask(fd, "stats", &look->stats);
	if (ret)
		return ret;
	look->tenants = get_array(look->reply, "tenants");
	if (!look->tenants)
		return -EPROTO;
	look->count = json_object_array_length(look->tenants);
	look->now_ns = get_number(look->reply, "now_ns");
	for (size_t i = 0; i < look->count; i++) {
		struct json_object *t = look_tenant(look, i);

		json_object_object_add(t, "held_percent",
				       new_percent(held_percent(t, look,
								before)));
	}
	return 0;
}

void look_free(struct look *look)
{
	json_object_put(look->reply);
	json_object_put(look->stats);
	*look = (struct look){ 0 };
}

size_t look_held(const struct look *look)
{
	size_t held = 0;

	for (size_t i = 0; i < look->count; i++)
		held += get_flag(look_tenant(look, i), "held");
	return held;
}

bool look_parked(const struct look *look)
{
	for (size_t i = 0; i < look->count; i++)
		if (get_flag(look_tenant(look, i), "parked"))
			return true;
	return false;
}

static bool is_partly_held(struct json_object *tenant)
{
	double nodes = get_number(tenant, "held_nodes");

	return nodes && nodes < get_number(tenant, "nodes");
}

const char *look_state(struct json_object *tenant)
{
	if (get_flag(tenant, "exempt"))
		return "exempt";
	if (get_flag(tenant, "uncertain"))
		return "unsure";
	if (get_flag(tenant, "switching"))
		return "pending";
	if (get_flag(tenant, "held") && get_flag(tenant, "manual"))
		return "manual";
	if (get_flag(tenant, "demoted"))
		return "demoted";
	if (get_flag(tenant, "held"))
		return is_partly_held(tenant) ? "partly" : "held";
	if (get_flag(tenant, "parked"))
		return "parked";
	return get_flag(tenant, "ready") ? "running" : "idle";
}

/* ---- order -------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *member;
	int sign;
} orders[] = {
	[LOOK_PRIORITY] = { "priority", "priority", -1 },
	[LOOK_HELD] = { "held %", "held_percent", -1 },
	[LOOK_PREEMPTIONS] = { "preemptions", "preemptions", -1 },
	[LOOK_PID] = { "pid", "pid", 1 },
};

const char *look_order_name(enum look_order order)
{
	return orders[order].name;
}

static int compare_by(const void *a, const void *b, enum look_order order)
{
	struct json_object *const *one = a, *const *other = b;
	double left = get_number(*one, orders[order].member);
	double right = get_number(*other, orders[order].member);

	if (left != right)
		return left < right ? -orders[order].sign : orders[order].sign;
	/* Equal rows keep their order. */
	return get_number(*one, "pid") < get_number(*other, "pid") ? -1 : 1;
}

/* json-c passes no context, so each order has a function of its own. */
static int by_priority(const void *a, const void *b)
{
	return compare_by(a, b, LOOK_PRIORITY);
}

static int by_held(const void *a, const void *b)
{
	return compare_by(a, b, LOOK_HELD);
}

static int by_preemptions(const void *a, const void *b)
{
	return compare_by(a, b, LOOK_PREEMPTIONS);
}

static int by_pid(const void *a, const void *b)
{
	return compare_by(a, b, LOOK_PID);
}

void look_sort(struct look *look, enum look_order order)
{
	static int (*const compare[])(const void *a, const void *b) = {
		[LOOK_PRIORITY] = by_priority,
		[LOOK_HELD] = by_held,
		[LOOK_PREEMPTIONS] = by_preemptions,
		[LOOK_PID] = by_pid,
	};

	json_object_array_sort(look->tenants, compare[order]);
}
