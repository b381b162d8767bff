// SPDX-License-Identifier: GPL-2.0-only
/*
 * When processes are parked, and who says so.
 *
 * A work looks at all processes, some at a time, when one was tapped, when one has had no work
 * for long enough, when a transaction took queues off, or when somebody has changed what he
 * wants. While all that may be parked are, and while nobody wants that, it sleeps. It is not
 * needed to bring a process back: its ring does that (watch/sampler.c).
 *
 * What is said of a process here counts for all of its nodes.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <linux/kfd_xsched.h>

#include "backend.h"
#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/account.h"
#include "model/park.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "switch/switch.h"
#include "trace.h"
#include "watch/watch.h"

/* So long a slice takes, and one look more: others want xs_lock, too. */
#define XS_PARK_SLICE_NS	(10 * NSEC_PER_USEC)

/* How soon to look at processes that were tapped: others may follow. */
#define XS_PARK_SOON_NS		(10 * NSEC_PER_MSEC)

/* How soon to look again at what could not be looked at, and at a user who has spent all. */
#define XS_PARK_AGAIN_NS	(2 * NSEC_PER_MSEC)
#define XS_PARK_LATER_NS	NSEC_PER_SEC

/* How long the nodes of a process may take to let its queues go, after the last was due. */
#define XS_PARK_PATIENCE_NS	NSEC_PER_SEC

/**
 * struct park_looks - when the work is to look
 * @lock: of the rest, unless said otherwise
 * @used: somebody has ever wanted processes to be parked; without it
 * @woken: some xs_node.woken is set; xs_lock
 * @at_ns: when the work runs; 0: it does not
 * @queue: where; it has a thread of its own if memory is short. NULL: not any more
 * @work: looks at all processes
 */
struct park_looks {
	spinlock_t lock;	/* of the rest */
	bool used;
	bool woken;
	u64 at_ns;
	struct workqueue_struct *queue;
	struct delayed_work work;
};

static struct park_looks park = {
	.lock = __SPIN_LOCK_UNLOCKED(park.lock),
};

static void park_look_at(u64 at_ns)
{
	const u64 now = ktime_get_ns();
	const unsigned long delay = at_ns > now ? nsecs_to_jiffies(at_ns - now) + 1 : 0;

	scoped_guard(spinlock_irqsave, &park.lock) {
		if (park.queue && (!park.at_ns || at_ns < park.at_ns)) {
			park.at_ns = at_ns;
			mod_delayed_work(park.queue, &park.work, delay);
		}
	}
}

/* ---- why not ---------------------------------------------------------------- */

/* Several nodes are not looked at in one moment: a kernel that is not seen could ring between. */
static bool park_is_blind_locked(const struct xs_pdd *pdd)
{
	const bool alone = list_is_singular(&pdd->process->pdds);

	lockdep_assert_held(&xs_lock);

	return pdd->blind || list_empty(&pdd->watch.queues) ||
		(!alone && !(xs_node_caps(pdd->node) & KFD_XSCHED_CAP_WAVES));
}

static u32 park_resident_on_locked(struct xs_pdd *pdd, u64 now)
{
	const struct xs_queue *queue = list_first_entry(&pdd->queues, struct xs_queue, in_pdd);
	struct xs_node *node = pdd->node;
	u32 why = 0;

	lockdep_assert_held(&xs_lock);

	if (xs_pdd_is_gone(pdd) || !(node->desc.caps & KFD_XSCHED_CAP_PARK))
		return KFD_XSCHED_RESIDENT_UNTAPPED;
	if (READ_ONCE(pdd->watch.untappable))
		why |= KFD_XSCHED_RESIDENT_UNTAPPED;
	if (!READ_ONCE(pdd->watch.tapped))
		why |= KFD_XSCHED_RESIDENT_BUSY;
	if (park_is_blind_locked(pdd))
		why |= KFD_XSCHED_RESIDENT_BLIND;
	if (xs_backend->rings_elsewhere(pdd->space->hw, node->hw))
		why |= KFD_XSCHED_RESIDENT_SHARED;
	if (xs_node_is_shut(node) || xs_node_is_failing_locked(node))
		why |= KFD_XSCHED_RESIDENT_SHUT;
	if (!xs_rates_may(&node->rates, queue->payer, now))
		why |= KFD_XSCHED_RESIDENT_RATE;
	return why;
}

static bool park_is_wanted_locked(const struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	return xs_enabled() && xs_process_park_ms_locked(process);
}

/* What is known without a look. */
static u32 park_resident_locked(const struct xs_process *process)
{
	const u64 now = ktime_get_ns();
	struct xs_pdd *pdd;
	u32 why = 0, queues = 0;

	lockdep_assert_held(&xs_lock);

	if (xs_process_is_parked(process))
		return 0;
	if (!park_is_wanted_locked(process))
		return KFD_XSCHED_RESIDENT_OFF;
	if (READ_ONCE(process->no_tap))
		why |= KFD_XSCHED_RESIDENT_UNTAPPED;
	list_for_each_entry(pdd, &process->pdds, in_process) {
		why |= park_resident_on_locked(pdd, now);
		queues += pdd->live;
	}
	return queues > XS_PARK_QUEUES ? why | KFD_XSCHED_RESIDENT_MANY : why;
}

u32 xs_park_resident_locked(const struct xs_process *process)
{
	const bool unreadable = process->park.unreadable && !xs_process_is_parked(process);

	lockdep_assert_held(&xs_lock);

	return park_resident_locked(process) | (unreadable ? KFD_XSCHED_RESIDENT_BLIND : 0);
}

/* ---- looks: each says when to look at the process again, or U64_MAX: something will tell ---- */

/* How long it has to be without work. */
static u64 park_idle_ns_locked(const struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	return xs_park_idle_ns(xs_process_park_ms_locked(process),
			       xs_process_return_cost_locked(process), process->park.shift);
}

/* From now on it has no work, as far as can be seen. */
static bool park_begin_locked(struct xs_process *process, u64 now)
{
	lockdep_assert_held(&xs_lock);

	process->park.quiet_ns = xs_quiet_look_locked(process, true) ? now : 0;
	return process->park.quiet_ns;
}

static bool park_go_locked(struct xs_process *process, u64 now)
{
	lockdep_assert_held(&xs_lock);

	if (!xs_quiet_look_locked(process, false) || !xs_sampler_park_locked(process)) {
		process->park.quiet_ns = 0;
		return false;
	}
	xs_process_park_locked(process, now);
	return true;
}

static bool park_fails_locked(const struct xs_process *process)
{
	const struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (xs_node_is_failing_locked(pdd->node))
			return true;
	}
	return false;
}

static u64 park_try_locked(struct xs_process *process, u64 now)
{
	const u32 why = park_resident_locked(process);
	struct xs_park *at = &process->park;
	u64 due;

	lockdep_assert_held(&xs_lock);

	if (why & ~KFD_XSCHED_RESIDENT_RATE) {
		at->quiet_ns = 0;
		/* Nobody tells when what is tried again has not failed. */
		return park_fails_locked(process) ? now + XS_PARK_LATER_NS : U64_MAX;
	}
	/* It has rung since, and was tapped again. */
	if (at->quiet_ns <= xs_sampler_tapped_ns_locked(process) &&
	    !park_begin_locked(process, now))
		return now + park_idle_ns_locked(process);
	due = at->quiet_ns + park_idle_ns_locked(process);
	if (now < due)
		return due;
	if (why)
		return now + XS_PARK_LATER_NS;
	return park_go_locked(process, now) ? U64_MAX : now + park_idle_ns_locked(process);
}

/* When its nodes must have let its queues go. */
static u64 park_deadline_locked(const struct xs_process *process)
{
	const struct xs_pdd *pdd;
	u64 ms = 0;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &process->pdds, in_process)
		ms = max_t(u64, ms, READ_ONCE(pdd->node->park_batch_ms));
	return process->park.since_ns + ms * NSEC_PER_MSEC + XS_PARK_PATIENCE_NS;
}

static void park_is_off_locked(struct xs_process *process)
{
	struct xs_park *at = &process->park;

	lockdep_assert_held(&xs_lock);

	WRITE_ONCE(at->state, XS_PARK_PARKED);
	trace_park(process, at->since_ns - at->quiet_ns);
}

/* The proof: see watch/quiet.c. */
static u64 park_verify_locked(struct xs_process *process, u64 now)
{
	const u64 deadline = park_deadline_locked(process);
	const int saved = xs_quiet_saved_locked(process);

	lockdep_assert_held(&xs_lock);

	if (saved < 0 && now < deadline && !park_fails_locked(process))
		return saved == -EAGAIN ? now + XS_PARK_AGAIN_NS : deadline;
	if (!saved && xs_quiet_look_locked(process, false)) {
		park_is_off_locked(process);
		return U64_MAX;
	}
	xs_process_unpark_locked(process, saved < 0 ? XS_UNPARK_FAILED : XS_UNPARK_WORK, now);
	/* It is tapped still, so nobody will tell. */
	return now + park_idle_ns_locked(process);
}

static u64 park_look_at_process_locked(struct xs_process *process, u64 now)
{
	lockdep_assert_held(&xs_lock);

	if (process->exited || process->park.exits)
		return U64_MAX;
	if (xs_process_is_parked(process) && !park_is_wanted_locked(process))
		xs_process_unpark_locked(process, XS_UNPARK_OFF, now);
	switch (process->park.state) {
	case XS_PARK_RESIDENT:
		return park_try_locked(process, now);
	case XS_PARK_GOING:
		return park_verify_locked(process, now);
	case XS_PARK_PARKED:
		break;
	}
	return U64_MAX;
}

/* Look at those above @id, for a while. Whether there are more. */
static bool park_slice_locked(u64 *id, u64 *next)
{
	const u64 start = ktime_get_ns();
	struct xs_process *process;

	lockdep_assert_held(&xs_lock);

	while ((process = xs_process_above_locked(*id))) {
		const u64 now = ktime_get_ns();

		if (now >= start + XS_PARK_SLICE_NS)
			return true;
		*id = process->id;
		*next = min(*next, park_look_at_process_locked(process, now));
	}
	return false;
}

/* ---- batches ---------------------------------------------------------------- */

/* Those that found no transaction to go with have one of their own. */
static u64 park_batch_locked(struct xs_node *node, u64 now)
{
	lockdep_assert_held(&xs_lock);

	if (list_empty(&node->parking))
		return U64_MAX;
	if (now < node->park_due_ns)
		return node->park_due_ns;
	list_splice_tail_init(&node->parking, &node->pending);
	xs_transact_kick_locked(node);
	return U64_MAX;
}

static u64 park_batches_locked(void)
{
	const u64 now = ktime_get_ns();
	struct xs_node *node = NULL;
	u64 next = U64_MAX;

	lockdep_assert_held(&xs_lock);

	while ((node = xs_node_next_locked(node)))
		next = min(next, park_batch_locked(node, now));
	return next;
}

static void park_look_work(struct work_struct *work)
{
	u64 next = U64_MAX, id = 0;
	bool more = true;

	scoped_guard(spinlock_irqsave, &park.lock)
		park.at_ns = 0;
	while (more) {
		scoped_guard(rt_mutex, &xs_lock)
			more = park_slice_locked(&id, &next);
	}
	scoped_guard(rt_mutex, &xs_lock)
		next = min(next, park_batches_locked());
	if (next != U64_MAX)
		park_look_at(next);
}

/* ---- what others tell -------------------------------------------------------- */

void xs_park_tapped(void)
{
	if (READ_ONCE(park.used))
		park_look_at(ktime_get_ns() + XS_PARK_SOON_NS);
}

void xs_park_parking(void)
{
	park_look_at(ktime_get_ns());
}

/*
 * One that rang may be the trigger of an armed switch, with which it can come back: so that
 * is looked at before its nodes are kicked. Where a breaker opened, who did that sends
 * what is pending, later.
 */
void xs_park_unparked_locked(struct xs_process *process, u32 why)
{
	struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	if (why == XS_UNPARK_BREAKER)
		return;
	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (why == XS_UNPARK_RING)
			pdd->node->woken = true;
		else
			xs_transact_kick_locked(pdd->node);
	}
	if (why == XS_UNPARK_RING)
		WRITE_ONCE(park.woken, true);
}

void xs_park_woken(void)
{
	struct xs_node *node = NULL;

	if (!READ_ONCE(park.woken))
		return;
	guard(rt_mutex)(&xs_lock);
	WRITE_ONCE(park.woken, false);
	while ((node = xs_node_next_locked(node))) {
		if (node->woken)
			xs_transact_kick_locked(node);
		node->woken = false;
	}
}

/* Who wants what has changed. */
static void park_changed_locked(void)
{
	lockdep_assert_held(&xs_lock);

	WRITE_ONCE(park.used, true);
	xs_sampler_configure_locked(NULL);
	park_look_at(ktime_get_ns());
}

void xs_park_set_ms(struct xs_node *node, u32 ms)
{
	guard(rt_mutex)(&xs_lock);
	WRITE_ONCE(node->park_ms, ms);
	park_changed_locked();
}

void xs_park_flush(void)
{
	if (!READ_ONCE(park.used))
		return;
	park_look_at(ktime_get_ns());
	flush_delayed_work(&park.work);
}

/* ---- wishes ------------------------------------------------------------------ */

static struct xs_wish *park_find_wish_locked(const struct xs_process *process,
					     const struct xs_client *client)
{
	struct xs_wish *wish;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(wish, &process->park.wishes, in_process) {
		if (wish->client == client)
			return wish;
	}
	return NULL;
}

/* As many of the clients of a user as may ask something of a process may say something of it. */
static int park_charge_locked(const struct xs_process *process, struct xs_account *account)
{
	const struct xs_wish *wish;
	u32 count = 0;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(wish, &process->park.wishes, in_process)
		count += account && wish->account == account;
	return count >= XS_REQUESTS_ON_TARGET ? -EDQUOT :
		xs_account_charge(account, XS_QUOTA_REQUESTS, 1);
}

/* @fresh: used, and set to NULL, if this client has said nothing of it yet. */
static int park_set_wish_locked(struct xs_process *process, struct xs_client *client, u32 ms,
				struct xs_wish **fresh)
{
	struct xs_wish *wish = park_find_wish_locked(process, client);
	int ret;

	lockdep_assert_held(&xs_lock);

	if (!wish) {
		ret = park_charge_locked(process, client->account);
		if (ret)
			return ret;
		wish = *fresh;
		*fresh = NULL;
		wish->process = process;
		wish->client = client;
		wish->account = client->account;
		list_add_tail(&wish->in_client, &client->wishes);
		INIT_LIST_HEAD(&wish->in_process);
	}
	wish->ms = ms;
	list_move(&wish->in_process, &process->park.wishes);
	return 0;
}

static int park_set_locked(struct xs_client *client, struct xs_process *process,
			   const struct kfd_xsched_park *arg, struct xs_wish **fresh)
{
	const bool permitted = xs_process_permits_locked(process, XS_PERMIT_USE);

	lockdep_assert_held(&xs_lock);

	xs_process_trace_change(process, XS_PERMIT_USE, permitted);
	if (!permitted)
		return -EPERM;
	if (!xs_enabled())
		return -ECANCELED;
	return park_set_wish_locked(process, client, arg->idle_ms, fresh);
}

static int park_clear_locked(const struct xs_client *client, const struct xs_process *process)
{
	struct xs_wish *wish = park_find_wish_locked(process, client);

	lockdep_assert_held(&xs_lock);

	if (!wish)
		return -EALREADY;
	xs_wish_free_locked(wish);
	return 0;
}

static int park_call_locked(struct xs_client *client, const struct kfd_xsched_park *arg,
			    struct xs_wish **fresh)
{
	struct xs_process *process;
	int ret = xs_client_check_locked(client);

	lockdep_assert_held(&xs_lock);

	if (ret)
		return ret;
	process = xs_process_named_locked(arg->target, arg->id, task_active_pid_ns(current));
	if (IS_ERR(process))
		return PTR_ERR(process);
	ret = arg->op == KFD_XSCHED_PARK_SET ?
		park_set_locked(client, process, arg, fresh) :
		park_clear_locked(client, process);
	if (!ret)
		park_changed_locked();
	return ret;
}

static int park_check(const struct kfd_xsched_park *arg)
{
	if (arg->flags || !arg->op || arg->op > KFD_XSCHED_PARK_CLEAR ||
	    (arg->target != KFD_XSCHED_TARGET_PROCESS &&
	     arg->target != KFD_XSCHED_TARGET_PROCESS_ID))
		return -EOPNOTSUPP;
	if (arg->reserved || (arg->idle_ms && arg->op == KFD_XSCHED_PARK_CLEAR) ||
	    (arg->idle_ms && arg->idle_ms < KFD_XSCHED_PARK_MS_MIN) ||
	    arg->idle_ms > KFD_XSCHED_PARK_MS_MAX)
		return -EINVAL;
	return 0;
}

long xs_park_ioctl(struct xs_client *client, void *argument)
{
	struct xs_wish *fresh __free(kfree) = NULL;
	const struct kfd_xsched_park *arg = argument;
	int ret = park_check(arg);

	if (ret)
		return ret;
	if (arg->op == KFD_XSCHED_PARK_SET) {
		fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
		if (!fresh)
			return -ENOMEM;
	}
	guard(rt_mutex)(&xs_lock);
	return park_call_locked(client, arg, &fresh);
}

bool xs_park_drop_one_locked(struct xs_client *client)
{
	struct xs_wish *wish = list_first_entry_or_null(&client->wishes, struct xs_wish,
							in_client);

	lockdep_assert_held(&xs_lock);

	if (!wish)
		return false;
	xs_wish_free_locked(wish);
	park_changed_locked();
	return true;
}

/* ---- start and stop ----------------------------------------------------------- */

int xs_park_init(void)
{
	park.queue = alloc_workqueue("xsched-park", WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	if (!park.queue)
		return -ENOMEM;
	INIT_DELAYED_WORK(&park.work, park_look_work);
	park.used = false;
	park.woken = false;
	park.at_ns = 0;
	return 0;
}

void xs_park_exit(void)
{
	struct workqueue_struct *queue;

	scoped_guard(spinlock_irqsave, &park.lock) {
		queue = park.queue;
		park.queue = NULL;
	}
	if (!queue)
		return;
	cancel_delayed_work_sync(&park.work);
	destroy_workqueue(queue);
}
