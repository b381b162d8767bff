// SPDX-License-Identifier: GPL-2.0-only
/*
 * ARM: check a switch, and arm it (armed.c).
 *
 * All is checked before there is anything to undo: the entries are staged as a
 * run would, for the switch's holder, and that is aborted.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>

#include <linux/kfd_xsched.h>

#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/account.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "switch/switch.h"
#include "watch/watch.h"

/* ---- may it wait for itself? --------------------------------------------- */

/**
 * struct arm_search - a search for a switch that waits for itself; under xs_lock
 * @client: whose switches are looked at
 * @mark: what processes and tenants are marked with that are targets of one switch
 * @steps_left: how many more may be marked
 */
struct arm_search {
	const struct xs_client *client;
	u64 mark;
	u32 steps_left;
};

/* The last mark that was used; under xs_lock. */
static u64 arm_last_mark;

static int arm_mark_process_locked(struct arm_search *search, struct xs_process *process)
{
	const struct xs_request *member =
		xs_request_find(&process->requests, &search->client->holder);

	lockdep_assert_held(&xs_lock);

	if (!search->steps_left)
		return -E2BIG;
	search->steps_left--;
	process->mark = search->mark;
	if (member && member->tenant)
		member->tenant->mark = search->mark;
	return 0;
}

/* Also a tenant without members. */
static int arm_mark_tenant_locked(struct arm_search *search, u64 id)
{
	struct xs_tenant *tenant = xs_tenant_find_locked(&search->client->tenants, id);
	struct xs_request *member;
	int ret;

	lockdep_assert_held(&xs_lock);

	if (IS_ERR(tenant))
		return 0;
	tenant->mark = search->mark;
	list_for_each_entry(member, &tenant->members, in_tenant) {
		ret = arm_mark_process_locked(search, member->process);
		if (ret)
			return ret;
	}
	return 0;
}

static int arm_mark_item_locked(struct arm_search *search, const struct xs_item *item)
{
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	switch (item->entry->target) {
	case KFD_XSCHED_TARGET_PROCESS:
	case KFD_XSCHED_TARGET_PROCESS_ID:
		return item->named ? arm_mark_process_locked(search, item->named) : 0;
	case KFD_XSCHED_TARGET_QUEUE:
		queue = xs_queue_find_locked(item->entry->id);
		return IS_ERR(queue) ? 0 : arm_mark_process_locked(search, queue->pdd->process);
	default:
		return arm_mark_tenant_locked(search, item->entry->id);
	}
}

/* What a switch can hold. */
static int arm_mark_targets_locked(struct arm_search *search, const struct xs_armed *armed)
{
	int ret = 0;
	u32 i;

	lockdep_assert_held(&xs_lock);

	search->mark = ++arm_last_mark;
	for (i = 0; i < armed->count && !ret; i++)
		ret = arm_mark_item_locked(search, &armed->items[i]);
	return ret;
}

/* Whether that triggers a switch. */
static bool arm_is_marked_locked(const struct arm_search *search, const struct xs_armed *armed)
{
	const struct xs_tenant *tenant;

	lockdep_assert_held(&xs_lock);

	if (!armed->trigger.tenant)
		return armed->trigger.process->mark == search->mark;
	tenant = xs_tenant_find_locked(&search->client->tenants, armed->trigger.tenant);
	return !IS_ERR(tenant) && tenant->mark == search->mark;
}

/*
 * Whether the switch can hold its own trigger (-EINVAL), or that of one that can hold its
 * own, perhaps over others in between (-ELOOP); -E2BIG: too many processes are concerned.
 * Each switch that is reached is looked at once.
 */
static int arm_waits_for_itself_locked(struct xs_armed *new)
{
	struct xs_armed *reached[KFD_XSCHED_MAX_ARMED + 1] = { new };
	struct arm_search search = { .client = new->client, .steps_left = new->holder->steps };
	unsigned int count = 1, i;
	struct xs_armed *armed;
	int ret;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(armed, &new->client->armed, in_client)
		armed->reached = false;
	for (i = 0; i < count; i++) {
		ret = arm_mark_targets_locked(&search, reached[i]);
		if (ret)
			return ret;
		if (arm_is_marked_locked(&search, new))
			return i ? -ELOOP : -EINVAL;
		list_for_each_entry(armed, &new->client->armed, in_client) {
			if (armed->reached || !arm_is_marked_locked(&search, armed))
				continue;
			armed->reached = true;
			reached[count++] = armed;
		}
	}
	return 0;
}

/* ---- SET ----------------------------------------------------------------- */

static void arm_free_holder(struct xs_holder *holder)
{
	kfree(holder);
}

static struct xs_holder *arm_new_holder(struct xs_client *client)
{
	struct xs_holder *holder = kzalloc(sizeof(*holder), GFP_KERNEL_ACCOUNT);

	if (!holder)
		return NULL;
	xs_holder_init(holder, arm_free_holder);
	holder->id = client->id;
	holder->client = client;
	holder->tenants = &client->tenants;
	/* A run is staged at once, under xs_lock. */
	holder->steps = client->account ? XS_STEPS_OF_ARMED : XS_STEPS;
	holder->account = client->account;
	return holder;
}

static int arm_charge(struct xs_armed *armed)
{
	struct xs_account *account = armed->client->account;
	int ret = xs_account_charge(account, XS_QUOTA_ARMED, 1);

	if (ret)
		return ret;
	ret = xs_account_charge(account, XS_QUOTA_ARMED_ENTRIES, armed->count);
	if (ret)
		xs_account_uncharge(account, XS_QUOTA_ARMED, 1);
	armed->charged = !ret;
	return ret;
}

/* With room for its entries; nothing is known of it to others. */
static struct xs_armed *arm_new(struct xs_client *client, u32 count)
{
	struct xs_armed *armed = kzalloc(sizeof(*armed), GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!armed)
		return NULL;
	armed->client = client;
	armed->trigger.holder = &client->holder;
	armed->cred = get_current_cred();
	armed->ns = get_pid_ns(task_active_pid_ns(current));
	armed->count = count;
	armed->holder = arm_new_holder(client);
	armed->items = kvcalloc(count, sizeof(*armed->items), GFP_KERNEL_ACCOUNT);
	armed->entries = kvcalloc(count, sizeof(*armed->entries), GFP_KERNEL_ACCOUNT);
	if (armed->holder)
		armed->next = xs_armed_new_batch(armed, GFP_KERNEL_ACCOUNT);
	if (armed->next && armed->items && armed->entries) {
		for (i = 0; i < count; i++)
			armed->items[i].entry = &armed->entries[i];
		return armed;
	}
	scoped_guard(rt_mutex, &xs_lock)
		xs_armed_free_locked(armed);
	return NULL;
}

static int arm_find_trigger_locked(struct xs_armed *armed, const struct kfd_xsched_arm *arg)
{
	struct xs_process *process;
	struct xs_tenant *tenant;
	bool permitted;

	lockdep_assert_held(&xs_lock);

	if (arg->trigger == KFD_XSCHED_TARGET_TENANT) {
		tenant = xs_tenant_find_locked(armed->holder->tenants, arg->trigger_id);
		if (IS_ERR(tenant))
			return PTR_ERR(tenant);
		armed->trigger.tenant = tenant->id;
		return 0;
	}
	process = xs_process_named_locked(arg->trigger, arg->trigger_id, armed->ns);
	if (IS_ERR(process))
		return PTR_ERR(process);
	permitted = xs_process_permits_locked(process, XS_PERMIT_USE);
	xs_process_trace_change(process, XS_PERMIT_USE, permitted);
	if (!permitted)
		return -EPERM;
	armed->trigger.process = xs_process_get_locked(process);
	return 0;
}

/* Processes by the numbers the caller knows. What is not there is found out later. */
static void arm_find_processes_locked(struct xs_armed *armed)
{
	struct xs_process *process;
	u32 i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < armed->count; i++) {
		const struct kfd_xsched_entry *entry = &armed->entries[i];

		if (entry->target != KFD_XSCHED_TARGET_PROCESS &&
		    entry->target != KFD_XSCHED_TARGET_PROCESS_ID)
			continue;
		process = xs_process_named_locked(entry->target, entry->id, armed->ns);
		if (!IS_ERR(process))
			armed->items[i].named = xs_process_get_locked(process);
	}
}

static int arm_may_locked(const struct xs_armed *armed)
{
	int ret = xs_client_check_locked(armed->client);

	lockdep_assert_held(&xs_lock);

	if (ret)
		return ret;
	if (!xs_enabled())
		return -ECANCELED;
	return armed->client->interest.armed == KFD_XSCHED_MAX_ARMED ? -ENOSPC : 0;
}

static int arm_find_all_locked(struct xs_armed *armed, const struct kfd_xsched_arm *arg)
{
	int ret = arm_may_locked(armed) ?: arm_find_trigger_locked(armed, arg);

	lockdep_assert_held(&xs_lock);

	if (!ret)
		arm_find_processes_locked(armed);
	return ret;
}

/* Go on to stage as a run does: 0; -EINPROGRESS: there is more; or that of the first entry. */
static int arm_stage_slice_locked(struct xs_armed *armed, u32 *staged)
{
	struct xs_batch *batch = armed->next;
	const u32 first = *staged, steps_left = batch->steps_left;
	int ret = 0;

	lockdep_assert_held(&xs_lock);

	while (!ret && *staged < armed->count) {
		if (*staged - first + steps_left - batch->steps_left >= XS_SLICE)
			return -EINPROGRESS;
		ret = xs_stage_item_locked(batch, &armed->items[*staged]);
		armed->entries[(*staged)++].status = ret;
	}
	return ret;
}

/* An armed switch is not the caller's to free. */
static void arm_add_locked(struct xs_armed *armed, struct kfd_xsched_arm *arg)
{
	lockdep_assert_held(&xs_lock);

	xs_armed_add_locked(armed);
	arg->id = armed->id;
	xs_sampler_configure_locked(NULL);
	xs_armed_update_locked(armed);
}

/* What a run would say. The requests it needs are there afterwards. */
static int arm_try_locked(struct xs_armed *armed, struct kfd_xsched_arm *arg, u32 *staged)
{
	int ret = arm_may_locked(armed) ?: arm_stage_slice_locked(armed, staged);

	lockdep_assert_held(&xs_lock);

	if (ret == -EINPROGRESS)
		return ret;
	xs_batch_abort_locked(armed->next);
	armed->next->steps_left = armed->holder->steps;
	*staged = 0;
	ret = ret ?: arm_waits_for_itself_locked(armed);
	if (!ret)
		arm_add_locked(armed, arg);
	return ret;
}

/* Until its requests are there. */
static int arm_set_all(struct xs_armed *armed, struct kfd_xsched_arm *arg)
{
	u32 staged = 0;
	int ret;

	scoped_guard(rt_mutex, &xs_lock)
		ret = arm_find_all_locked(armed, arg);
	while (!ret || ret == -EINPROGRESS) {
		scoped_guard(rt_mutex, &xs_lock)
			ret = arm_try_locked(armed, arg, &staged);
		if (!ret)
			return 0;
		if (ret == -ENOMEM)
			ret = xs_batch_refill(armed->next);
	}
	return ret;
}

static int arm_check_entries(struct xs_armed *armed)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < armed->count; i++) {
		struct kfd_xsched_entry *entry = &armed->entries[i];

		entry->effective = 0;
		entry->effective_class = 0;
		entry->status = xs_apply_check(entry);
		if (!entry->status && !xs_stage_takes(entry))
			entry->status = -EINVAL;
		ret = ret ?: entry->status;
	}
	return ret;
}

static long arm_set(struct xs_client *client, struct kfd_xsched_arm *arg)
{
	const u32 size = sizeof(struct kfd_xsched_entry);
	const struct xs_user_array entries = {
		.address = arg->entries,
		.stride = arg->stride,
		.count = arg->count,
	};
	struct xs_armed *armed = arm_new(client, arg->count);
	int ret;

	if (!armed)
		return -ENOMEM;
	ret = arm_charge(armed) ?: xs_user_get_array(armed->entries, size, &entries);
	if (!ret) {
		ret = arm_check_entries(armed);
		/* What cannot be written is better known before. */
		if (xs_user_update_array(&entries, armed->entries, size))
			ret = -EFAULT;
	}
	if (!ret) {
		ret = arm_set_all(armed, arg);
		if (!ret)
			return 0;
		if (xs_user_update_array(&entries, armed->entries, size))
			ret = -EFAULT;
	}
	scoped_guard(rt_mutex, &xs_lock) {
		xs_armed_free_locked(armed);
		xs_transact_kick_all_locked();
	}
	return ret;
}

/* ---- CLEAR --------------------------------------------------------------- */

static struct xs_armed *arm_find_locked(const struct xs_client *client, u64 id)
{
	struct xs_armed *armed;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(armed, &client->armed, in_client) {
		if (armed->id == id)
			return armed;
	}
	return NULL;
}

static int arm_clear_locked(struct xs_client *client, u64 id)
{
	struct xs_armed *armed;
	int ret = xs_client_check_locked(client);

	lockdep_assert_held(&xs_lock);

	if (ret)
		return ret;
	if (!id || id > client->last_armed)
		return -ENOENT;
	armed = arm_find_locked(client, id);
	if (!armed)
		return -ESRCH;
	xs_armed_free_locked(armed);
	xs_sampler_configure_locked(NULL);
	return 0;
}

static long arm_clear(struct xs_client *client, u64 id, bool async)
{
	int ret;

	scoped_guard(rt_mutex, &xs_lock) {
		ret = arm_clear_locked(client, id);
		if (!ret)
			xs_transact_kick_all_locked();
	}
	if (!ret && !async)
		xs_transact_settle();
	return ret;
}

static int arm_check_set(const struct kfd_xsched_arm *arg)
{
	if (arg->trigger != KFD_XSCHED_TARGET_PROCESS &&
	    arg->trigger != KFD_XSCHED_TARGET_PROCESS_ID &&
	    arg->trigger != KFD_XSCHED_TARGET_TENANT)
		return -EOPNOTSUPP;
	if (arg->flags || arg->id || !arg->count)
		return -EINVAL;
	if (arg->count > KFD_XSCHED_MAX_ARMED_ENTRIES)
		return -E2BIG;
	return xs_user_check_size(arg->stride, XS_ENTRY_MIN_SIZE);
}

long xs_armed_ioctl(struct xs_client *client, void *argument)
{
	struct kfd_xsched_arm *arg = argument;
	int ret;

	if (arg->flags & ~KFD_XSCHED_ARM_ASYNC)
		return -EOPNOTSUPP;
	switch (arg->op) {
	case KFD_XSCHED_ARM_SET:
		ret = arm_check_set(arg);
		return ret ?: arm_set(client, arg);
	case KFD_XSCHED_ARM_CLEAR:
		if (arg->trigger || arg->trigger_id || arg->count || arg->stride ||
		    arg->entries)
			return -EINVAL;
		return arm_clear(client, arg->id, arg->flags & KFD_XSCHED_ARM_ASYNC);
	default:
		return -EOPNOTSUPP;
	}
}
