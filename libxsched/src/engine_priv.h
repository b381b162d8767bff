/* SPDX-License-Identifier: MIT */
/*
 * Inside the engine: its objects, shared by engine.c (what happens and what is
 * decided) and engine_objects.c (what exists).
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHED_ENGINE_PRIV_H
#define XSCHED_ENGINE_PRIV_H

#include <xsched/engine.h>

#include "map.h"
#include "policy.h"

struct tenant;

/**
 * struct queue - a queue the engine knows
 * @id: kfd_xsched_queue.id
 * @tenant: whose it is
 * @next: next queue of the tenant
 * @link: what points to this one, for removal
 * @node: index of its node, below XSCHED_ENGINE_NODES
 * @ready: has work
 * @listed: was in the list being taken over, see xsched_engine_sync_begin()
 */
struct queue {
	uint64_t id;
	struct tenant *tenant;
	struct queue *next;
	struct queue **link;
	unsigned int node;
	bool ready;
	bool listed;
};

/**
 * struct tenant - a process
 * @policy: what the policy sees
 * @queues: its queues
 * @queue_count: number of @queues
 * @on_node: of these, those on each node
 * @ready_on_node: of these, those with work
 * @state: enum xsched_hold_state
 * @counting: @held_since_ns is valid
 * @held_since_ns: when the hold in effect began
 * @held_ns: time held before that
 * @holds: times held
 * @preemptions: times held while it had work
 * @user: pointer of the user of the engine
 */
struct tenant {
	struct xsched_policy_tenant policy;
	struct queue *queues;
	uint32_t queue_count;
	uint16_t on_node[XSCHED_ENGINE_NODES];
	uint16_t ready_on_node[XSCHED_ENGINE_NODES];
	int state;
	bool counting;
	uint64_t held_since_ns;
	uint64_t held_ns;
	uint64_t holds;
	uint64_t preemptions;
	void *user;
};

/**
 * struct xsched_engine - see xsched/engine.h
 * @policy: in effect
 * @gone: told of tenants that go, or NULL
 * @context: for @gone
 * @queues: id to struct queue
 * @tenants: pid to struct tenant
 * @order: @tenants.count tenants, in the order of @policy. They point to
 *	@policy of struct tenant, its first member.
 * @hold: room for a plan
 * @release: room for a plan
 * @room: elements @order, @hold and @release have room for
 * @gpu_ids: gpu_id of each node
 * @node_count: nodes seen so far
 */
struct xsched_engine {
	const struct xsched_policy_ops *policy;
	xsched_gone_fn gone;
	void *context;
	struct xsched_map queues;
	struct xsched_map tenants;
	struct xsched_policy_tenant **order;
	int32_t *hold;
	int32_t *release;
	size_t room;
	uint32_t gpu_ids[XSCHED_ENGINE_NODES];
	unsigned int node_count;
};

static inline struct tenant *tenant_of(struct xsched_policy_tenant *policy)
{
	/* @policy is the first member. */
	return (struct tenant *)policy;
}

/** tenant_find() - by pid, or NULL */
struct tenant *tenant_find(const struct xsched_engine *engine, int32_t pid);

/** tenant_add() - a tenant of default priority; 0 or -ENOMEM */
int tenant_add(struct xsched_engine *engine, int32_t pid, struct tenant **out);

/** tenant_remove() - forget a tenant and its queues */
void tenant_remove(struct xsched_engine *engine, struct tenant *tenant);

/** tenant_place() - put a tenant of the order where it belongs now */
void tenant_place(struct xsched_engine *engine, struct tenant *tenant);

/** queue_find() - by id, or NULL */
struct queue *queue_find(const struct xsched_engine *engine, uint64_t id);

/** queue_add() - an idle queue; 0, -ENOSPC or -ENOMEM */
int queue_add(struct xsched_engine *engine, struct tenant *tenant, uint64_t id,
	      uint32_t gpu_id);

/** queue_remove() - forget a queue */
void queue_remove(struct xsched_engine *engine, struct queue *queue);

/** queue_set_ready() - note whether it has work */
void queue_set_ready(struct queue *queue, bool ready);

#endif /* XSCHED_ENGINE_PRIV_H */
