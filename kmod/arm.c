// SPDX-License-Identifier: GPL-2.0-only
/*
 * KFD_XSCHED_ARM: check a switch, and arm it (armed.c).
 *
 * All is checked before there is anything to undo: the entries are staged as a
 * run would, for the switch's holder, and that is aborted.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <linux/kfd_xsched.h>

#include "activity.h"
#include "apply.h"
#include "armed.h"
#include "batch.h"
#include "client.h"
#include "eject.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "tenant.h"
#include "user.h"
#include "xsched.h"

/* ---- may it wait for itself? --------------------------------------------- */

/* Whether the item names a process that triggers the switch. */
static bool item_meets_locked(const struct xs_armed *from, const struct xs_item *item,
			      const struct xs_armed *to)
{
	const struct xs_tenant *tenant;
	const struct xs_queue *queue;
	const struct xs_rule *rule;

	switch (item->entry->target) {
	case KFD_XSCHED_TARGET_PROCESS:
		return item->target && xs_armed_triggers_locked(to, item->target);
	case KFD_XSCHED_TARGET_QUEUE:
		queue = xs_queue_find_locked(item->entry->id);
		return !IS_ERR(queue) && xs_armed_triggers_locked(to, queue->process);
	default:
		break;
	}
	if (to->tenant == item->entry->id)
		return true;
	tenant = xs_tenant_find_locked(from->client, item->entry->id);
	if (IS_ERR(tenant))
		return false;
	list_for_each_entry(rule, &tenant->rules, in_tenant) {
		if (xs_armed_triggers_locked(to, rule->process))
			return true;
	}
	return false;
}

/* Whether a switch can hold what triggers the other. */
static bool holds_trigger_locked(const struct xs_armed *from, const struct xs_armed *to)
{
	u32 i;

	for (i = 0; i < from->count; i++) {
		if (item_meets_locked(from, &from->items[i], to))
			return true;
	}
	return false;
}

/*
 * Whether the switch holds the trigger of one that holds its own, perhaps over
 * others in between. Each pair is looked at once: from those reached to those
 * not yet.
 */
static bool waits_in_circle_locked(struct xs_armed *new)
{
	struct xs_armed *reached[KFD_XSCHED_MAX_ARMED + 1] = { new };
	unsigned int count = 1, i;
	struct xs_armed *armed;
	unsigned long id;

	xa_for_each(&new->client->armed, id, armed)
		armed->reached = false;
	for (i = 0; i < count; i++) {
		if (i && holds_trigger_locked(reached[i], new))
			return true;
		xa_for_each(&new->client->armed, id, armed) {
			if (armed->reached || !holds_trigger_locked(reached[i], armed))
				continue;
			armed->reached = true;
			reached[count++] = armed;
		}
	}
	return false;
}

/* ---- SET ----------------------------------------------------------------- */

static struct xs_client *new_holder(struct xs_client *client)
{
	struct xs_client *holder = kzalloc(sizeof(*holder), GFP_KERNEL_ACCOUNT);

	if (!holder)
		return NULL;
	xs_client_init(holder);
	holder->id = client->id;
	holder->owner = client;
	return holder;
}

/* With room for its entries; nothing is known of it to others. */
static struct xs_armed *new_armed(struct xs_client *client, u32 count)
{
	struct xs_armed *armed = kzalloc(sizeof(*armed), GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!armed)
		return NULL;
	armed->client = client;
	armed->cred = get_current_cred();
	armed->count = count;
	armed->holder = new_holder(client);
	armed->items = kvcalloc(count, sizeof(*armed->items), GFP_KERNEL_ACCOUNT);
	armed->entries = kvcalloc(count, sizeof(*armed->entries), GFP_KERNEL_ACCOUNT);
	if (armed->holder && armed->items && armed->entries) {
		for (i = 0; i < count; i++)
			armed->items[i].entry = &armed->entries[i];
		return armed;
	}
	scoped_guard(mutex, &xs_lock)
		xs_armed_free_locked(armed);
	return NULL;
}

static int find_trigger_locked(struct xs_armed *armed, const struct kfd_xsched_arm *arg)
{
	struct xs_process *process;
	struct xs_tenant *tenant;

	if (arg->trigger == KFD_XSCHED_TARGET_TENANT) {
		tenant = xs_tenant_find_locked(armed->client, arg->trigger_id);
		if (IS_ERR(tenant))
			return PTR_ERR(tenant);
		armed->tenant = tenant->id;
		return 0;
	}
	process = xs_process_find_locked(arg->trigger_id);
	if (IS_ERR(process))
		return PTR_ERR(process);
	if (!xs_process_permits_locked(process, XS_PERMIT_USE))
		return -EPERM;
	armed->process = process;
	return 0;
}

/* Processes by the numbers the caller knows. What is not there is found out later. */
static void find_targets_locked(struct xs_armed *armed)
{
	struct xs_process *process;
	u32 i;

	for (i = 0; i < armed->count; i++) {
		if (armed->entries[i].target != KFD_XSCHED_TARGET_PROCESS)
			continue;
		process = xs_process_find_locked(armed->entries[i].id);
		armed->items[i].target = IS_ERR(process) ? NULL : process;
	}
}

static int first_status(const struct xs_armed *armed)
{
	u32 i;

	for (i = 0; i < armed->count; i++) {
		if (armed->entries[i].status)
			return armed->entries[i].status;
	}
	return 0;
}

/* What a run would say. Claims it needs are there afterwards. */
static int check_locked(struct xs_armed *armed, struct xs_batch *batch)
{
	int ret;

	find_targets_locked(armed);
	batch->armed = armed;
	ret = xs_armed_stage_locked(armed, batch);
	xs_batch_abort_locked(batch);
	ret = ret ?: first_status(armed);
	if (ret)
		return ret;
	/* A tenant without members names itself all the same. */
	if (holds_trigger_locked(armed, armed))
		return -EINVAL;
	return waits_in_circle_locked(armed) ? -ELOOP : 0;
}

static int set_locked(struct xs_armed *armed, struct xs_batch *batch,
		      struct kfd_xsched_arm *arg)
{
	int ret = xs_client_check_locked(armed->client);

	if (ret)
		return ret;
	if (!xs_enabled())
		return -ECANCELED;
	if (armed->client->armed_count == KFD_XSCHED_MAX_ARMED)
		return -ENOSPC;
	ret = find_trigger_locked(armed, arg) ?: check_locked(armed, batch) ?:
		xs_armed_add_locked(armed);
	if (ret)
		return ret;
	arg->id = armed->id;
	xs_activity_configure_locked(NULL);
	xs_armed_update_locked(armed);
	return 0;
}

/* An armed switch is not the caller's to free. */
static int try_set(struct xs_armed *armed, struct kfd_xsched_arm *arg)
{
	struct xs_batch *batch = xs_batch_new(armed->holder);
	int ret;

	if (!batch)
		return -ENOMEM;
	scoped_guard(mutex, &xs_lock)
		ret = set_locked(armed, batch, arg);
	xs_batch_free(batch);
	return ret;
}

static int check_entries(struct xs_armed *armed)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < armed->count; i++) {
		struct kfd_xsched_entry *entry = &armed->entries[i];

		entry->effective = 0;
		entry->effective_class = 0;
		entry->status = xs_entry_check(entry);
		if (!entry->status && !xs_entry_takes(entry))
			entry->status = -EINVAL;
		ret = ret ?: entry->status;
	}
	return ret;
}

static long set(struct xs_client *client, struct kfd_xsched_arm *arg)
{
	const u32 size = sizeof(struct kfd_xsched_entry);
	const struct xs_user_array entries = {
		.address = arg->entries,
		.stride = arg->stride,
		.count = arg->count,
	};
	struct xs_armed *armed = new_armed(client, arg->count);
	int ret;

	if (!armed)
		return -ENOMEM;
	ret = xs_user_get_array(armed->entries, size, &entries);
	if (!ret) {
		ret = check_entries(armed);
		/* What cannot be written is better known before. */
		if (xs_user_update_array(&entries, armed->entries, size))
			ret = -EFAULT;
	}
	if (!ret) {
		ret = try_set(armed, arg);
		if (!ret)
			return 0;
		if (xs_user_update_array(&entries, armed->entries, size))
			ret = -EFAULT;
	}
	scoped_guard(mutex, &xs_lock) {
		armed->process = NULL;
		xs_armed_free_locked(armed);
		xs_nodes_kick_locked();
	}
	return ret;
}

/* ---- CLEAR --------------------------------------------------------------- */

static int clear_locked(struct xs_client *client, u64 id)
{
	struct xs_armed *armed;
	int ret = xs_client_check_locked(client);

	if (ret)
		return ret;
	if (!id || id > client->last_armed)
		return -ENOENT;
	armed = xa_load(&client->armed, id);
	if (!armed)
		return -ESRCH;
	xs_armed_free_locked(armed);
	xs_activity_configure_locked(NULL);
	return 0;
}

static long clear(struct xs_client *client, u64 id)
{
	int ret;

	scoped_guard(mutex, &xs_lock)
		ret = clear_locked(client, id);
	if (!ret)
		xs_nodes_settle();
	return ret;
}

static int check_set(const struct kfd_xsched_arm *arg)
{
	if (arg->trigger != KFD_XSCHED_TARGET_PROCESS &&
	    arg->trigger != KFD_XSCHED_TARGET_TENANT)
		return -EOPNOTSUPP;
	if (arg->id || !arg->count)
		return -EINVAL;
	if (arg->count > KFD_XSCHED_MAX_ARMED_ENTRIES)
		return -E2BIG;
	return xs_user_check_size(arg->stride, XS_ENTRY_MIN_SIZE);
}

long xs_armed_ioctl(struct xs_client *client, void *argument)
{
	struct kfd_xsched_arm *arg = argument;
	int ret;

	if (arg->flags)
		return -EOPNOTSUPP;
	switch (arg->op) {
	case KFD_XSCHED_ARM_SET:
		ret = check_set(arg);
		return ret ?: set(client, arg);
	case KFD_XSCHED_ARM_CLEAR:
		if (arg->trigger || arg->trigger_id || arg->count || arg->stride ||
		    arg->entries)
			return -EINVAL;
		return clear(client, arg->id);
	default:
		return -EOPNOTSUPP;
	}
}
