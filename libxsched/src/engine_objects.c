// SPDX-License-Identifier: MIT
/*
 * What the engine knows of: nodes, tenants and their queues.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine_priv.h"

/* A pid as a key: positive, see xsched_engine_queue_add(). */
struct tenant *tenant_find(const struct xsched_engine *engine, int32_t pid)
{
	return xsched_map_find(&engine->tenants, (uint32_t)pid);
}

struct queue *queue_find(const struct xsched_engine *engine, uint64_t id)
{
	return xsched_map_find(&engine->queues, id);
}

/* Grow one array, whose element has @size bytes, to @room elements. */
static int grow(void *array, size_t room, size_t size)
{
	void *grown, *old;

	memcpy(&old, array, sizeof(old));
	grown = realloc(old, room * size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	return 0;
}

/* Room for one more tenant in all that xsched_engine_plan() fills. */
static int reserve_tenant(struct xsched_engine *engine)
{
	size_t room = engine->room ? 2 * engine->room : 16;

	if (engine->tenants.count < engine->room)
		return 0;
	/* An array that has grown already does no harm if the next one fails. */
	if (grow(&engine->order, room, sizeof(*engine->order)) ||
	    grow(&engine->hold, room, sizeof(*engine->hold)) ||
	    grow(&engine->release, room, sizeof(*engine->release)))
		return -ENOMEM;
	engine->room = room;
	return 0;
}

/* Put @item into the first @count elements of the order, which are sorted. */
static void order_insert(struct xsched_engine *engine, size_t count,
			 struct xsched_policy_tenant *item)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (engine->policy->before(engine->order[middle], item))
			low = middle + 1;
		else
			high = middle;
	}
	memmove(&engine->order[low + 1], &engine->order[low],
		(count - low) * sizeof(*engine->order));
	engine->order[low] = item;
}

/* By address: the key it was sorted by may have changed. */
static void order_remove(struct xsched_engine *engine,
			 const struct xsched_policy_tenant *item)
{
	size_t count = engine->tenants.count;

	for (size_t i = 0; i < count; i++) {
		if (engine->order[i] != item)
			continue;
		memmove(&engine->order[i], &engine->order[i + 1],
			(count - i - 1) * sizeof(*engine->order));
		return;
	}
}

void tenant_place(struct xsched_engine *engine, struct tenant *tenant)
{
	order_remove(engine, &tenant->policy);
	order_insert(engine, engine->tenants.count - 1, &tenant->policy);
}

int tenant_add(struct xsched_engine *engine, int32_t pid, struct tenant **out)
{
	struct tenant *tenant;

	if (reserve_tenant(engine) || xsched_map_reserve(&engine->tenants))
		return -ENOMEM;
	tenant = calloc(1, sizeof(*tenant));
	if (!tenant)
		return -ENOMEM;
	tenant->policy.pid = pid;
	tenant->policy.priority = XSCHED_PRIORITY_DEFAULT;
	order_insert(engine, engine->tenants.count, &tenant->policy);
	xsched_map_insert(&engine->tenants, (uint32_t)pid, tenant);
	*out = tenant;
	return 0;
}

void tenant_remove(struct xsched_engine *engine, struct tenant *tenant)
{
	if (engine->gone)
		engine->gone(engine->context, tenant->policy.pid, tenant->user);
	while (tenant->queues)
		queue_remove(engine, tenant->queues);
	order_remove(engine, &tenant->policy);
	xsched_map_remove(&engine->tenants, (uint32_t)tenant->policy.pid);
	free(tenant);
}

static int node_index(struct xsched_engine *engine, uint32_t gpu_id)
{
	for (unsigned int i = 0; i < engine->node_count; i++)
		if (engine->gpu_ids[i] == gpu_id)
			return i;
	if (engine->node_count == XSCHED_ENGINE_NODES)
		return -ENOSPC;
	engine->gpu_ids[engine->node_count] = gpu_id;
	return engine->node_count++;
}

int queue_add(struct xsched_engine *engine, struct tenant *tenant, uint64_t id,
	      uint32_t gpu_id)
{
	int node = node_index(engine, gpu_id);
	struct queue *queue;

	/* KFD's limit is 1024 queues a process; the counters end far above. */
	if (node < 0 || tenant->queue_count == UINT16_MAX)
		return -ENOSPC;
	if (xsched_map_reserve(&engine->queues))
		return -ENOMEM;
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return -ENOMEM;
	queue->id = id;
	queue->tenant = tenant;
	queue->node = node;
	queue->next = tenant->queues;
	queue->link = &tenant->queues;
	if (queue->next)
		queue->next->link = &queue->next;
	tenant->queues = queue;
	tenant->queue_count++;
	tenant->on_node[node]++;
	tenant->policy.nodes |= 1ULL << node;
	xsched_map_insert(&engine->queues, id, queue);
	return 0;
}

void queue_remove(struct xsched_engine *engine, struct queue *queue)
{
	struct tenant *tenant = queue->tenant;

	queue_set_ready(queue, false);
	if (!--tenant->on_node[queue->node])
		tenant->policy.nodes &= ~(1ULL << queue->node);
	tenant->queue_count--;
	*queue->link = queue->next;
	if (queue->next)
		queue->next->link = queue->link;
	xsched_map_remove(&engine->queues, queue->id);
	free(queue);
}

void queue_set_ready(struct queue *queue, bool ready)
{
	struct tenant *tenant = queue->tenant;
	uint64_t bit = 1ULL << queue->node;

	if (queue->ready == ready)
		return;
	queue->ready = ready;
	if (ready) {
		tenant->ready_on_node[queue->node]++;
		tenant->policy.ready |= bit;
	} else if (!--tenant->ready_on_node[queue->node]) {
		tenant->policy.ready &= ~bit;
	}
}
