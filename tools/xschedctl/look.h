/* SPDX-License-Identifier: MIT */
/*
 * Answers of the daemon at one time, for top.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDCTL_LOOK_H
#define XSCHEDCTL_LOOK_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/** enum look_order - order of the tenants */
enum look_order {
	LOOK_PRIORITY,
	LOOK_HELD,
	LOOK_PREEMPTIONS,
	LOOK_PID,
	LOOK_ORDERS,
};

/**
 * struct look - begin with one set to zero
 * @reply: answer to "list", or NULL
 * @stats: answer to "stats", or NULL
 * @tenants: of @reply
 * @count: number of @tenants
 * @now_ns: when
 */
struct look {
	struct json_object *reply;
	struct json_object *stats;
	struct json_object *tenants;
	size_t count;
	double now_ns;
};

/**
 * look_take() - ask the daemon
 * @look: out; to be freed with look_free(), also after a failure
 * @fd: connection
 * @before: the look before, or one set to zero. Each tenant gets a member
 *	"held_percent", of the time since then; for a new tenant, since it
 *	appeared.
 *
 * Return: 0 or a negative errno.
 */
int look_take(struct look *look, int fd, const struct look *before);

/** look_sort() - change the order of the tenants */
void look_sort(struct look *look, enum look_order order);

/** look_order_name() - in words */
const char *look_order_name(enum look_order order);

/** look_tenant() - a tenant by its index */
struct json_object *look_tenant(const struct look *look, size_t index);

/** look_state() - what a tenant does, in a word */
const char *look_state(struct json_object *tenant);

/** look_held() - number of tenants that are held */
size_t look_held(const struct look *look);

/** look_parked() - whether a tenant is parked */
bool look_parked(const struct look *look);

/** look_free() - free its memory */
void look_free(struct look *look);

#endif /* XSCHEDCTL_LOOK_H */
