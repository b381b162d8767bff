// SPDX-License-Identifier: GPL-2.0-only
/*
 * TENANT: processes that a client names as one.
 *
 * A process is a member through the client's request on it, so it is in one tenant
 * of a client at most, and both go with the process. What the client asks for of the
 * tenant is kept for processes that are yet to join; those that have joined have it in
 * their own requests.
 *
 * To join and to leave may be a switch, and so each is a batch: membership changes
 * when that succeeds.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/process.h"
#include "model/request.h"
#include "switch/switch.h"

static long tenant_create(struct xs_client *client, struct kfd_xsched_tenant *arg)
{
	struct xs_tenant *tenant __free(kfree) = kzalloc(sizeof(*tenant), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!tenant)
		return -ENOMEM;
	guard(rt_mutex)(&xs_lock);
	ret = xs_client_check_locked(client);
	if (ret)
		return ret;
	if (client->tenants.count == KFD_XSCHED_MAX_TENANTS)
		return -ENOSPC;
	ret = xs_tenant_add_locked(tenant, &client->holder);
	if (!ret)
		arg->id = no_free_ptr(tenant)->id;
	return ret;
}

static int tenant_stage_member_locked(struct xs_batch *batch, struct xs_tenant *tenant,
				      struct xs_process *process)
{
	const struct xs_terms *terms = &tenant->request.now;
	struct xs_request *request;
	int ret;

	lockdep_assert_held(&xs_lock);

	if (!xs_stage_permits_locked(batch, process, terms->priority, terms->prio_class))
		return -EPERM;
	request = xs_request_on_process_locked(process, batch->holder, &batch->supply, false);
	if (IS_ERR(request))
		return PTR_ERR(request);
	if (xs_request_busy(request, batch))
		return -EAGAIN;
	if (request->tenant)
		return request->tenant == tenant ? -EALREADY : -EEXIST;
	ret = xs_stage_join_locked(batch, request, terms);
	if (ret)
		return ret;
	request->tenant = tenant;
	request->move = XS_MOVE_JOIN;
	list_add_tail(&request->in_tenant, &tenant->members);
	return 0;
}

static int tenant_stage_leave_locked(struct xs_batch *batch, struct xs_request *member)
{
	int ret = xs_stage_leave_locked(batch, member, &member->tenant->request.now);

	lockdep_assert_held(&xs_lock);

	if (!ret)
		member->move = XS_MOVE_LEAVE;
	return ret;
}

static int tenant_stage_no_member_locked(struct xs_batch *batch, struct xs_tenant *tenant,
					 struct xs_process *process)
{
	struct xs_request *member = xs_request_find(&process->requests, batch->holder);

	lockdep_assert_held(&xs_lock);

	if (!member || member->tenant != tenant)
		return -ENOENT;
	return tenant_stage_leave_locked(batch, member);
}

/*
 * Who has the number, and who had it before, as an entry on the process does: see
 * switch/stage.c. What is so already of a former one, or may not be, is no matter.
 */
static int tenant_stage_processes_locked(struct xs_batch *batch, struct xs_tenant *tenant, u64 nr,
					 int (*stage)(struct xs_batch *batch,
						      struct xs_tenant *tenant,
						      struct xs_process *process))
{
	struct xs_process *process = xs_process_find_locked(nr, batch->ns), *former = NULL;
	int ret;

	lockdep_assert_held(&xs_lock);

	if (IS_ERR(process))
		return PTR_ERR(process);
	ret = stage(batch, tenant, process);
	while (!ret && (former = xs_process_also_locked(nr, batch->ns, process, former))) {
		ret = stage(batch, tenant, former);
		if (ret == -EPERM || ret == -EALREADY || ret == -EEXIST || ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

static int tenant_stage_destroy_locked(struct xs_batch *batch, struct xs_tenant *tenant)
{
	struct xs_request *member;
	int ret;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(member, &tenant->members, in_tenant) {
		ret = tenant_stage_leave_locked(batch, member);
		if (ret)
			return ret;
	}
	tenant->ends = true;
	return 0;
}

static int tenant_stage_locked(struct xs_batch *batch, void *argument)
{
	const struct kfd_xsched_tenant *arg = argument;
	struct xs_holder *holder = batch->holder;
	int ret = xs_client_check_locked(holder->client);
	struct xs_tenant *tenant;

	lockdep_assert_held(&xs_lock);

	if (ret)
		return ret;
	tenant = xs_tenant_find_locked(holder->tenants, arg->id);
	if (IS_ERR(tenant))
		return PTR_ERR(tenant);
	ret = xs_batch_take_locked(batch, &tenant->request);
	if (ret)
		return ret;
	switch (arg->op) {
	case KFD_XSCHED_TENANT_ADD:
		return tenant_stage_processes_locked(batch, tenant, arg->process,
						     tenant_stage_member_locked);
	case KFD_XSCHED_TENANT_REMOVE:
		return tenant_stage_processes_locked(batch, tenant, arg->process,
						     tenant_stage_no_member_locked);
	default:
		return tenant_stage_destroy_locked(batch, tenant);
	}
}

/* What takes away gives back, and that must not fail for want of memory. */
static long tenant_change(struct xs_client *client, struct kfd_xsched_tenant *arg)
{
	const gfp_t gfp = arg->op == KFD_XSCHED_TENANT_ADD ? GFP_KERNEL_ACCOUNT :
							   GFP_KERNEL | __GFP_NOFAIL;
	struct xs_batch *batch = xs_batch_new(&client->holder, gfp);
	int ret;

	if (!batch)
		return -ENOMEM;
	ret = xs_batch_stage_and_start(batch, tenant_stage_locked, arg);
	if (!ret) {
		ret = xs_batch_finish(batch);
		scoped_guard(rt_mutex, &xs_lock)
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
	return arg->op == KFD_XSCHED_TENANT_CREATE ? tenant_create(client, arg) :
						     tenant_change(client, arg);
}
