/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tenants: processes that a client names as one; and triggers, which may be one.
 */
#ifndef KFD_XSCHED_TENANT_H
#define KFD_XSCHED_TENANT_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/types.h>

#include "model/request.h"

struct xs_account;
struct xs_process;

/**
 * struct xs_tenants - the tenants of a client
 * @by_id: all there are, by xs_tenant.by_id
 * @account: on which they are; NULL: no limits
 * @count: how many
 * @last: the highest id ever
 */
struct xs_tenants {
	DECLARE_HASHTABLE(by_id, 6);
	struct xs_account *account;
	u32 count;
	u64 last;
};

/**
 * struct xs_tenant - processes that a client names as one; under xs_lock
 * @id: its name for the client, never used again
 * @by_id: in xs_tenants.by_id
 * @tenants: whose it is
 * @members: requests of the client on its processes, by xs_request.in_tenant
 * @request: what the client asks of processes that are yet to join
 * @triggers: armed switches it triggers
 * @mark: for a search
 * @ends: the batch removes all members, and then the tenant
 */
struct xs_tenant {
	u64 id;
	struct hlist_node by_id;
	struct xs_tenants *tenants;
	struct list_head members;
	struct xs_request request;
	u32 triggers;
	u64 mark;
	bool ends;
};

/**
 * struct xs_trigger - whose work sets off an armed switch
 * @holder: the client that armed it
 * @process: a process, with a reference, or NULL
 * @tenant: id of a tenant, or 0
 */
struct xs_trigger {
	struct xs_holder *holder;
	struct xs_process *process;
	u64 tenant;
};

/* ---- tenants ------------------------------------------------------------- */

/* None. @account: kept until none is left. */
void xs_tenants_init(struct xs_tenants *tenants, struct xs_account *account);

/*
 * Add a tenant, all zero, to those of the holder, without members; to their end it is on
 * their account. 0, or -EDQUOT: it is the caller's still.
 */
int xs_tenant_add_locked(struct xs_tenant *tenant, struct xs_holder *holder);

/* The tenant of that id: ERR_PTR(-ENOENT) never was, ERR_PTR(-ESRCH) is gone. */
struct xs_tenant *xs_tenant_find_locked(const struct xs_tenants *tenants, u64 id);

/* Unlink and free it, or one of them if there is any. Its members stay what they are. */
void xs_tenant_free_locked(struct xs_tenant *tenant);
bool xs_tenants_free_one_locked(struct xs_tenants *tenants);

/* ---- triggers ------------------------------------------------------------ */

/* Whether work of the process sets it off. */
bool xs_trigger_is_locked(const struct xs_trigger *trigger, const struct xs_process *process);

/* Whether work of the process sets off an armed switch of any client. */
bool xs_trigger_any_locked(const struct xs_process *process);

#endif /* KFD_XSCHED_TENANT_H */
