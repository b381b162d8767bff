// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tenants: sets of processes that a client names as one.
 *
 * A process is a member through the client's rule on it, so it is in one tenant
 * of a client at most, and both go with the process. What the client wants of
 * the tenant is kept for members that are yet to come; those that are there have
 * it in their rules and claims.
 *
 * To come and to go may be switches, and so are batches: membership changes
 * when they succeed.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "apply.h"
#include "armed.h"
#include "batch.h"
#include "client.h"
#include "process.h"
#include "tenant.h"
#include "xsched.h"

struct xs_tenant *xs_tenant_find_locked(struct xs_client *client, u64 id)
{
	lockdep_assert_held(&xs_lock);

	if (!id || id > client->last_tenant)
		return ERR_PTR(-ENOENT);
	return xa_load(&client->tenants, id) ?: ERR_PTR(-ESRCH);
}

void xs_tenant_free_locked(struct xs_tenant *tenant)
{
	struct xs_rule *rule, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(rule, next, &tenant->rules, in_tenant) {
		list_del_init(&rule->in_tenant);
		rule->tenant = NULL;
	}
	list_del(&tenant->in_batch);
	xa_erase(&tenant->client->tenants, tenant->id);
	tenant->client->tenant_count--;
	kfree(tenant);
}

void xs_tenants_free_locked(struct xs_client *client)
{
	struct xs_tenant *tenant;
	unsigned long id;

	lockdep_assert_held(&xs_lock);

	xa_for_each(&client->tenants, id, tenant)
		xs_tenant_free_locked(tenant);
	xa_destroy(&client->tenants);
}

static long create_locked(struct xs_client *client, struct kfd_xsched_tenant *arg)
{
	struct xs_tenant *tenant;
	int ret;

	if (client->tenant_count == KFD_XSCHED_MAX_TENANTS)
		return -ENOSPC;
	tenant = kzalloc(sizeof(*tenant), GFP_KERNEL_ACCOUNT);
	if (!tenant)
		return -ENOMEM;
	tenant->id = client->last_tenant + 1;
	tenant->client = client;
	INIT_LIST_HEAD(&tenant->rules);
	INIT_LIST_HEAD(&tenant->in_batch);
	xs_stake_init(&tenant->stake);
	ret = xa_err(xa_store(&client->tenants, tenant->id, tenant, GFP_KERNEL_ACCOUNT));
	if (ret) {
		kfree(tenant);
		return ret;
	}
	client->last_tenant = tenant->id;
	client->tenant_count++;
	arg->id = tenant->id;
	return 0;
}

static long create(struct xs_client *client, struct kfd_xsched_tenant *arg)
{
	guard(mutex)(&xs_lock);
	return xs_client_check_locked(client) ?: create_locked(client, arg);
}

static int stage_add_locked(struct xs_batch *batch, struct xs_tenant *tenant,
			    u64 process_nr)
{
	struct xs_process *process = xs_process_find_locked(process_nr);
	const struct xs_terms *terms = &tenant->stake.now;
	struct xs_rule *rule;
	int ret;

	if (IS_ERR(process))
		return PTR_ERR(process);
	if (!xs_process_permits_locked(process, xs_terms_raise(terms) ?
				       XS_PERMIT_RAISE : XS_PERMIT_USE))
		return -EPERM;
	rule = xs_process_need_rule_locked(process, batch->client);
	if (!rule)
		return -ENOMEM;
	if (xs_stake_busy(&rule->stake, batch))
		return -EAGAIN;
	if (rule->tenant)
		return rule->tenant == tenant ? -EALREADY : -EEXIST;
	ret = xs_stage_join_locked(batch, rule, terms);
	if (ret)
		return ret;
	rule->tenant = tenant;
	rule->move = XS_MOVE_JOIN;
	list_add_tail(&rule->in_tenant, &tenant->rules);
	return 0;
}

static int stage_leave_locked(struct xs_batch *batch, struct xs_rule *rule)
{
	int ret = xs_stage_leave_locked(batch, rule, &rule->tenant->stake.now);

	if (!ret)
		rule->move = XS_MOVE_LEAVE;
	return ret;
}

static int stage_remove_locked(struct xs_batch *batch, struct xs_tenant *tenant,
			       u64 process_nr)
{
	struct xs_process *process = xs_process_find_locked(process_nr);
	struct xs_rule *rule;

	if (IS_ERR(process))
		return PTR_ERR(process);
	rule = xs_process_rule_locked(process, batch->client);
	if (!rule || rule->tenant != tenant)
		return -ENOENT;
	return stage_leave_locked(batch, rule);
}

static int stage_destroy_locked(struct xs_batch *batch, struct xs_tenant *tenant)
{
	struct xs_rule *rule;
	int ret;

	list_for_each_entry(rule, &tenant->rules, in_tenant) {
		ret = stage_leave_locked(batch, rule);
		if (ret)
			return ret;
	}
	tenant->ends = true;
	return 0;
}

static int stage_locked(struct xs_batch *batch, const struct kfd_xsched_tenant *arg)
{
	struct xs_tenant *tenant = xs_tenant_find_locked(batch->client, arg->id);
	int ret;

	if (IS_ERR(tenant))
		return PTR_ERR(tenant);
	ret = xs_batch_take_tenant_locked(batch, tenant);
	if (ret)
		return ret;
	switch (arg->op) {
	case KFD_XSCHED_TENANT_ADD:
		return stage_add_locked(batch, tenant, arg->process);
	case KFD_XSCHED_TENANT_REMOVE:
		return stage_remove_locked(batch, tenant, arg->process);
	default:
		return stage_destroy_locked(batch, tenant);
	}
}

/* @settled: out, what xs_client_wait_settled() needs to know after -EAGAIN */
static int try_locked(struct xs_batch *batch, const struct kfd_xsched_tenant *arg,
		      u32 *settled)
{
	int ret;

	*settled = batch->client->settled;
	ret = xs_client_check_locked(batch->client) ?: stage_locked(batch, arg);
	if (ret)
		xs_batch_abort_locked(batch);
	else
		xs_batch_start_locked(batch);
	return ret;
}

static int start(struct xs_batch *batch, const struct kfd_xsched_tenant *arg)
{
	u32 settled;
	int ret;

	for (;;) {
		scoped_guard(mutex, &xs_lock)
			ret = try_locked(batch, arg, &settled);
		if (ret != -EAGAIN)
			return ret;
		ret = xs_client_wait_settled(batch->client, settled);
		if (ret)
			return ret;
	}
}

static long change(struct xs_client *client, const struct kfd_xsched_tenant *arg)
{
	struct xs_batch *batch = xs_batch_new(client);
	int ret;

	if (!batch)
		return -ENOMEM;
	ret = start(batch, arg);
	if (!ret) {
		ret = xs_batch_finish(batch);
		scoped_guard(mutex, &xs_lock)
			xs_armed_tenants_changed_locked(client);
	}
	xs_batch_free(batch);
	return ret;
}

static int tenant_check(const struct kfd_xsched_tenant *arg)
{
	const bool one = arg->op == KFD_XSCHED_TENANT_ADD ||
		arg->op == KFD_XSCHED_TENANT_REMOVE;

	if (arg->flags || arg->op < KFD_XSCHED_TENANT_CREATE ||
	    arg->op > KFD_XSCHED_TENANT_DESTROY)
		return -EOPNOTSUPP;
	if (arg->reserved || (arg->process && !one) ||
	    (arg->id && arg->op == KFD_XSCHED_TENANT_CREATE))
		return -EINVAL;
	return 0;
}

long xs_tenant_ioctl(struct xs_client *client, void *argument)
{
	struct kfd_xsched_tenant *arg = argument;
	int ret = tenant_check(arg);

	if (ret)
		return ret;
	return arg->op == KFD_XSCHED_TENANT_CREATE ? create(client, arg) :
						     change(client, arg);
}
