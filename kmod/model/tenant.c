// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tenants and triggers. See tenant.h.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/slab.h>

#include "core.h"
#include "model/account.h"
#include "model/process.h"
#include "model/tenant.h"

/* ---- tenants ------------------------------------------------------------- */

void xs_tenants_init(struct xs_tenants *tenants, struct xs_account *account)
{
	*tenants = (struct xs_tenants){ .account = account };
}

int xs_tenant_add_locked(struct xs_tenant *tenant, struct xs_holder *holder)
{
	struct xs_tenants *tenants = holder->tenants;
	int ret = xs_account_charge(tenants->account, XS_QUOTA_TENANTS, 1);

	lockdep_assert_held(&xs_lock);

	if (ret)
		return ret;
	tenant->id = ++tenants->last;
	tenant->tenants = tenants;
	INIT_LIST_HEAD(&tenant->members);
	xs_request_blank(&tenant->request);
	tenant->request.on = XS_ON_TENANT;
	tenant->request.holder = holder;
	tenant->request.tenant = tenant;
	hash_add(tenants->by_id, &tenant->by_id, tenant->id);
	tenants->count++;
	return 0;
}

struct xs_tenant *xs_tenant_find_locked(const struct xs_tenants *tenants, u64 id)
{
	struct xs_tenant *tenant;

	lockdep_assert_held(&xs_lock);

	if (!tenants || !id || id > tenants->last)
		return ERR_PTR(-ENOENT);
	hash_for_each_possible(tenants->by_id, tenant, by_id, id) {
		if (tenant->id == id)
			return tenant;
	}
	return ERR_PTR(-ESRCH);
}

void xs_tenant_free_locked(struct xs_tenant *tenant)
{
	struct xs_request *member, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(member, next, &tenant->members, in_tenant) {
		list_del_init(&member->in_tenant);
		member->tenant = NULL;
	}
	list_del(&tenant->request.in_batch);
	hash_del(&tenant->by_id);
	tenant->tenants->count--;
	xs_account_uncharge(tenant->tenants->account, XS_QUOTA_TENANTS, 1);
	kfree(tenant);
}

bool xs_tenants_free_one_locked(struct xs_tenants *tenants)
{
	struct xs_tenant *tenant;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	hash_for_each(tenants->by_id, i, tenant, by_id) {
		xs_tenant_free_locked(tenant);
		return true;
	}
	return false;
}

/* ---- triggers ------------------------------------------------------------ */

bool xs_trigger_is_locked(const struct xs_trigger *trigger, const struct xs_process *process)
{
	const struct xs_request *member;

	lockdep_assert_held(&xs_lock);

	if (!trigger->tenant)
		return trigger->process == process;
	member = xs_request_find(&process->requests, trigger->holder);
	return member && member->tenant && member->tenant->id == trigger->tenant;
}

bool xs_trigger_any_locked(const struct xs_process *process)
{
	const struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	if (process->triggers)
		return true;
	hlist_for_each_entry(request, &process->requests, in_target) {
		if (request->tenant && request->tenant->triggers)
			return true;
	}
	return false;
}
