/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tenants: sets of processes that a client names as one.
 */
#ifndef KFD_XSCHED_TENANT_H
#define KFD_XSCHED_TENANT_H

#include <linux/list.h>
#include <linux/types.h>

#include "state.h"

struct xs_client;

/**
 * struct xs_tenant - a set of processes of one client
 * @id: its name towards the client, never used again
 * @client: whose; in xs_client.tenants by @id
 * @rules: of its members, by xs_rule.in_tenant
 * @stake: what the client wants of members that are yet to come
 * @in_batch: in xs_batch.tenants, or empty
 * @status: 0 or the error of the first node that failed the batch for a member
 * @triggers: armed switches it triggers
 * @ends: the batch removes all members, and the tenant with the last
 */
struct xs_tenant {
	u64 id;
	struct xs_client *client;
	struct list_head rules;
	struct xs_stake stake;
	struct list_head in_batch;
	int status;
	u32 triggers;
	bool ends;
};

/* The tenant of that id: ERR_PTR(-ENOENT) never was, ERR_PTR(-ESRCH) gone. */
struct xs_tenant *xs_tenant_find_locked(struct xs_client *client, u64 id);

/* Unlink and free it. Its members stay what they are. */
void xs_tenant_free_locked(struct xs_tenant *tenant);

/* All of a client. */
void xs_tenants_free_locked(struct xs_client *client);

/* KFD_XSCHED_TENANT */
long xs_tenant_ioctl(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_TENANT_H */
