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

/* Whether the item names a process that triggers the switch. */
static bool arm_item_meets_locked(const struct xs_armed *from, const struct xs_item *item,
				  const struct xs_armed *to)
{
	const struct xs_tenant *tenant;
	const struct xs_queue *queue;
	const struct xs_request *member;

	lockdep_assert_held(&xs_lock);

	switch (item->entry->target) {
	case KFD_XSCHED_TARGET_PROCESS:
		return item->named && xs_trigger_is_locked(&to->trigger, item->named);
	case KFD_XSCHED_TARGET_QUEUE:
		queue = xs_queue_find_locked(item->entry->id);
		return !IS_ERR(queue) &&
			xs_trigger_is_locked(&to->trigger, queue->pdd->process);
	default:
		break;
	}
	if (to->trigger.tenant == item->entry->id)
		return true;
	tenant = xs_tenant_find_locked(from->holder->tenants, item->entry->id);
	if (IS_ERR(tenant))
		return false;
	list_for_each_entry(member, &tenant->members, in_tenant) {
		if (xs_trigger_is_locked(&to->trigger, member->process))
			return true;
	}
	return false;
}

/* Whether a switch can hold what triggers the other. */
static bool arm_holds_trigger_locked(const struct xs_armed *from, const struct xs_armed *to)
{
	u32 i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < from->count; i++) {
		if (arm_item_meets_locked(from, &from->items[i], to))
			return true;
	}
	return false;
}

/*
 * Whether the switch holds the trigger of one that holds its own, perhaps over
 * others in between. Each pair is looked at once: from those reached to those
 * not yet.
 */
static bool arm_waits_in_circle_locked(struct xs_armed *new)
{
	struct xs_armed *reached[KFD_XSCHED_MAX_ARMED + 1] = { new };
	unsigned int count = 1, i;
	struct xs_armed *armed;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(armed, &new->client->armed, in_client)
		armed->reached = false;
	for (i = 0; i < count; i++) {
		if (i && arm_holds_trigger_locked(reached[i], new))
			return true;
		list_for_each_entry(armed, &new->client->armed, in_client) {
			if (armed->reached || !arm_holds_trigger_locked(reached[i], armed))
				continue;
			armed->reached = true;
			reached[count++] = armed;
		}
	}
	return false;
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
	holder->steps = client->holder.steps;
	holder->payer = client->holder.payer;
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
	scoped_guard(mutex, &xs_lock)
		xs_armed_free_locked(armed);
	return NULL;
}

static int arm_find_trigger_locked(struct xs_armed *armed, const struct kfd_xsched_arm *arg)
{
	struct xs_process *process;
	struct xs_tenant *tenant;

	lockdep_assert_held(&xs_lock);

	if (arg->trigger == KFD_XSCHED_TARGET_TENANT) {
		tenant = xs_tenant_find_locked(armed->holder->tenants, arg->trigger_id);
		if (IS_ERR(tenant))
			return PTR_ERR(tenant);
		armed->trigger.tenant = tenant->id;
		return 0;
	}
	process = xs_process_find_locked(arg->trigger_id);
	if (IS_ERR(process))
		return PTR_ERR(process);
	if (!xs_process_permits_locked(process, XS_PERMIT_USE))
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
		if (armed->entries[i].target != KFD_XSCHED_TARGET_PROCESS)
			continue;
		process = xs_process_find_locked(armed->entries[i].id);
		if (!IS_ERR(process))
			armed->items[i].named = xs_process_get_locked(process);
	}
}

static int arm_first_status(const struct xs_armed *armed)
{
	u32 i;

	for (i = 0; i < armed->count; i++) {
		if (armed->entries[i].status)
			return armed->entries[i].status;
	}
	return 0;
}

/* What a run would say. The requests it needs are there afterwards. */
static int arm_check_locked(struct xs_armed *armed)
{
	int ret;

	lockdep_assert_held(&xs_lock);

	ret = xs_armed_stage_locked(armed, armed->next);
	xs_batch_abort_locked(armed->next);
	ret = ret ?: arm_first_status(armed);
	if (ret)
		return ret;
	/* A tenant without members names itself all the same. */
	if (arm_holds_trigger_locked(armed, armed))
		return -EINVAL;
	return arm_waits_in_circle_locked(armed) ? -ELOOP : 0;
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

/* An armed switch is not the caller's to free. */
static int arm_set_locked(struct xs_armed *armed, struct kfd_xsched_arm *arg)
{
	int ret = arm_may_locked(armed) ?: arm_check_locked(armed);

	lockdep_assert_held(&xs_lock);

	if (ret)
		return ret;
	xs_armed_add_locked(armed);
	arg->id = armed->id;
	xs_sampler_configure_locked(NULL);
	xs_armed_update_locked(armed);
	return 0;
}

/* Until its requests are there. */
static int arm_set_all(struct xs_armed *armed, struct kfd_xsched_arm *arg)
{
	int ret;

	scoped_guard(mutex, &xs_lock)
		ret = arm_find_all_locked(armed, arg);
	while (!ret) {
		scoped_guard(mutex, &xs_lock)
			ret = arm_set_locked(armed, arg);
		if (ret != -ENOMEM)
			break;
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
	scoped_guard(mutex, &xs_lock) {
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

	scoped_guard(mutex, &xs_lock) {
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
