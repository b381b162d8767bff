// SPDX-License-Identifier: GPL-2.0-only
/*
 * The watchdog: a client that holds and does not act is as good as dead.
 *
 * Every sign of life gives a client a lease. While any queue is held a work
 * looks at the clients, at the end of the earliest lease, and at least once in
 * the time of one. A client whose lease is over is ejected if a queue it holds
 * has work, else it is looked at again. That it waits in a call for a node which
 * does not answer is no excuse: what it holds on other nodes has to run.
 *
 * The first hold starts the timer, but the last release does not stop it: it runs
 * out, a lease later at most, unless something is held again by then. So a scheduler
 * that switches all the time leaves it alone, and where nothing is held nothing
 * wakes up, but for that once.
 *
 * A sign of life is one store, without a lock and without touching the timer.
 *
 * It has a real-time thread. What others do with the processor does not make a client's lease
 * longer, and who holds a lock that it waits for runs with its priority, which a lock does not lend
 * among ordinary threads.
 *
 * Whether a queue has work the sampler may know, if anybody subscribed. The
 * watchdog looks for itself: at the indices, and where they are equal, whether
 * waves of the queue are saved. What cannot be known is work: a queue that runs
 * without need does no harm, one that waits for a dead scheduler does.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include <linux/kfd_xsched.h>

#include "backend.h"
#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/queue.h"
#include "model/request.h"
#include "trace.h"
#include "watch/watch.h"

/* So many requests or clients are looked at before others may have xs_lock and the processor. */
#define XS_LOOKS	16
#define XS_REST_US	100

/* How soon to look again at what could not be looked at. */
#define XS_AGAIN_NS	(20 * NSEC_PER_MSEC)

/**
 * struct xs_watchdog - the one watchdog
 * @held: queues held, by any client
 * @lock: orders starts and stops of the timer
 * @paused: the system is suspended, or about to be: no timer; under @lock
 * @worker: where @work runs; NULL: nowhere any more
 * @work: looks at all clients
 * @look: number of the look at a client that goes on; @work's own
 */
struct xs_watchdog {
	atomic_t held;
	spinlock_t lock;	/* orders starts and stops of the timer */
	bool paused;
	struct kthread_worker *worker;
	struct kthread_delayed_work work;
	u32 look;
};

static struct xs_watchdog watchdog = {
	.lock = __SPIN_LOCK_UNLOCKED(watchdog.lock),
};

/* One jiffy late is right, one early would look in vain. Under watchdog.lock. */
static void watchdog_start(u64 delay_ns)
{
	lockdep_assert_held(&watchdog.lock);

	if (watchdog.worker && !watchdog.paused)
		kthread_queue_delayed_work(watchdog.worker, &watchdog.work,
					   nsecs_to_jiffies(delay_ns) + 1);
}

bool xs_watchdog_armed(void)
{
	return !list_empty(&watchdog.work.work.node);
}

/*
 * A work that is pending sees what is held by now: it looks for that only when it is not
 * pending any more.
 */
void xs_watchdog_add(int change)
{
	const int held = change ? atomic_add_return(change, &watchdog.held) : 0;

	if (change <= 0 || held != change || xs_watchdog_armed())
		return;
	scoped_guard(spinlock_irqsave, &watchdog.lock)
		watchdog_start(xs_client_lease_ns());
}

unsigned int xs_watchdog_count(void)
{
	return atomic_read(&watchdog.held);
}

/* Whether packets wait, or that cannot be known. */
static bool watchdog_has_packets(const struct xs_queue_watch *watch)
{
	u64 read, write;

	return !xs_look_indices(watch->read_index, watch->write_index, &read, &write) ||
		read != write;
}

static bool watchdog_look_at_indices(const struct xs_queue *queue)
{
	const struct xs_space *space = queue->pdd->space;
	bool packets;

	if (!xs_queue_can_be_watched(queue))
		return true;
	/* Exiting: nobody waits for it. */
	if (!xs_look_enter(space))
		return false;
	packets = watchdog_has_packets(&queue->watch);
	xs_look_leave(space);
	return packets;
}

/**
 * struct watchdog_round - one look at what a client holds, by all of its holders
 * @waits: a call of the client is on its way
 * @left: how many requests and queues more may be looked at before others may have xs_lock
 * @again: some queues could not be looked at, so they have to be later
 */
struct watchdog_round {
	bool waits;
	unsigned int left;
	bool again;
};

/*
 * Whether a held queue without packets may have saved waves. That the sampler
 * calls it idle says so only where waves in flight can be counted.
 */
static bool watchdog_may_have_waves(const struct xs_queue *queue)
{
	if (!queue->has_run)
		return false;
	return !xs_sampler_watches(queue) ||
		!(xs_node_caps(queue->pdd->node) & KFD_XSCHED_CAP_WAVES) ||
		READ_ONCE(queue->watch.activity) != XS_ACTIVITY_IDLE;
}

/* ---- what the driver says of saved waves -------------------------------------- */

/*
 * It says so under the lock of the node, which a transaction has. So a node's own worker asks: it
 * may wait there, and who keeps it waiting runs with its priority. To try the lock would do
 * nothing against others who have it most of the time. Whether there will be an answer.
 */
static bool watchdog_ask_locked(struct xs_queue *queue)
{
	struct xs_node *node = queue->pdd->node;

	lockdep_assert_held(&xs_lock);

	if (node->gone)
		return false;
	list_move_tail(&queue->in_asked, &node->asked);
	kthread_queue_work(node->worker, &node->ask);
	return true;
}

/* One that was asked for; it is not removed while the node is locked. */
static struct xs_queue *watchdog_next_asked(struct xs_node *node)
{
	struct xs_queue *queue;

	guard(rt_mutex)(&xs_lock);
	queue = list_first_entry_or_null(&node->asked, struct xs_queue, in_asked);
	if (!queue)
		return NULL;
	list_del_init(&queue->in_asked);
	queue->pinned = true;
	return queue;
}

/* @saved: as xs_backend_ops.saved. Whether that says anything. */
static bool watchdog_note(struct xs_queue *queue, int saved)
{
	guard(rt_mutex)(&xs_lock);
	queue->pinned = false;
	if (saved == -EBUSY)
		return false;
	queue->saved = saved != 0;
	queue->saved_ns = ktime_get_ns();
	return true;
}

/* Whether there may be more. */
static bool watchdog_ask_one(struct xs_node *node, bool *told)
{
	struct xs_queue *queue;

	guard(rt_mutex)(&node->lock);
	queue = watchdog_next_asked(node);
	if (queue)
		*told |= watchdog_note(queue, xs_backend->saved(queue->change.hw));
	return queue;
}

/* All clients are looked at now, unless nothing is held. */
static void watchdog_hurry(void)
{
	scoped_guard(spinlock_irqsave, &watchdog.lock) {
		if (watchdog.worker && !watchdog.paused &&
		    (atomic_read(&watchdog.held) || xs_watchdog_armed()))
			kthread_mod_delayed_work(watchdog.worker, &watchdog.work, 0);
	}
}

static void watchdog_ask_work(struct kthread_work *work)
{
	struct xs_node *node = container_of(work, struct xs_node, ask);
	bool told = false;

	while (watchdog_ask_one(node, &told))
		;
	if (told)
		watchdog_hurry();
}

void xs_watchdog_init_node(struct xs_node *node)
{
	kthread_init_work(&node->ask, watchdog_ask_work);
}

/*
 * Whether waves of the queue are saved. What was said counts for the time of a lease: a silent
 * client has held the queue for as long, so there can be none that are newer.
 */
static bool watchdog_has_waves_locked(struct xs_queue *queue, struct watchdog_round *round)
{
	lockdep_assert_held(&xs_lock);

	if (!watchdog_may_have_waves(queue))
		return false;
	if (queue->saved_ns && ktime_get_ns() - queue->saved_ns < xs_client_lease_ns())
		return queue->saved;
	round->again |= watchdog_ask_locked(queue);
	return false;
}

/* ---- a client ------------------------------------------------------------------ */

/*
 * Whether the held queue has work, or that cannot be known. While its node is in a transaction, and
 * the client in a call, that may be what the client waits for: it is looked at later.
 */
static bool watchdog_has_work_locked(struct xs_queue *queue, struct watchdog_round *round)
{
	lockdep_assert_held(&xs_lock);

	if (round->waits && xs_is_locked(&queue->pdd->node->lock)) {
		round->again = true;
		return false;
	}
	return watchdog_look_at_indices(queue) || watchdog_has_waves_locked(queue, round);
}

/* The next request of the holder that the look has not seen, or NULL. */
static struct xs_request *watchdog_next_request_locked(struct xs_holder *holder)
{
	struct xs_request *request = list_first_entry_or_null(&holder->requests, struct xs_request,
							      in_holder);

	lockdep_assert_held(&xs_lock);

	return request && request->look != watchdog.look ? request : NULL;
}

/* A queue that the request holds, with work; or 0. */
static u64 watchdog_look_at_request_locked(struct xs_request *request,
					   struct watchdog_round *round)
{
	struct xs_queue *queue = NULL;

	lockdep_assert_held(&xs_lock);

	while (round->left && (queue = xs_request_next_queue_locked(request, queue))) {
		if (queue->look == watchdog.look || !xs_request_holds_locked(request, queue))
			continue;
		queue->look = watchdog.look;
		round->left--;
		if (watchdog_has_work_locked(queue, round))
			return queue->id;
	}
	/* It has seen all. */
	if (!queue) {
		round->left--;
		request->look = watchdog.look;
		list_move_tail(&request->in_holder, &request->holder->requests);
	}
	return 0;
}

/* The same of all requests of the holder. */
static u64 watchdog_look_at_holder_locked(struct xs_holder *holder, struct watchdog_round *round)
{
	struct xs_request *request;
	u64 id = 0;

	lockdep_assert_held(&xs_lock);

	while (!id && round->left && (request = watchdog_next_request_locked(holder)))
		id = watchdog_look_at_request_locked(request, round);
	return id;
}

/* The same of the client and its armed switches. */
static u64 watchdog_look_at_holders_locked(const struct xs_client *client,
					   struct watchdog_round *round)
{
	struct xs_holder *holder;
	u64 id = 0;

	lockdep_assert_held(&xs_lock);

	round->left = XS_LOOKS;
	round->waits = client->holder.batches;
	list_for_each_entry(holder, &client->holders, in_client)
		id = id ?: watchdog_look_at_holder_locked(holder, round);
	return id;
}

/* There may be thousands of clients and requests; who is real-time, too, waits for this thread. */
static void watchdog_rest(void)
{
	usleep_range(XS_REST_US, 2 * XS_REST_US);
}

/* A queue the client holds that has work, or 0. @again: some could not be looked at. */
static u64 watchdog_ready_queue(struct xs_client *client, bool *again)
{
	struct watchdog_round round = {};
	u64 id;

	watchdog.look++;
	for (;;) {
		scoped_guard(rt_mutex, &xs_lock)
			id = watchdog_look_at_holders_locked(client, &round);
		if (id || round.left)
			break;
		watchdog_rest();
	}
	*again = round.again;
	return id;
}

/* When to look at the client: now (0), later, or U64_MAX: it holds nothing. */
static u64 watchdog_due(struct xs_client *client)
{
	const u64 end = READ_ONCE(client->lease_ns);

	guard(rt_mutex)(&xs_lock);
	if (!xs_client_holds_locked(client))
		return U64_MAX;
	return ktime_get_ns() < end ? end : 0;
}

static void watchdog_eject_if_silent(struct xs_client *client)
{
	bool begun;

	scoped_guard(rt_mutex, &xs_lock)
		begun = ktime_get_ns() >= READ_ONCE(client->lease_ns) &&
			xs_eject_begin_locked(client);
	if (begun)
		xs_eject(client, KFD_XSCHED_EJECT_WATCHDOG);
}

/* Returns when to look again. */
static u64 watchdog_look_at_client(struct xs_client *client)
{
	const u64 at = watchdog_due(client);
	bool again;
	u64 id;

	if (at)
		return at;
	id = watchdog_ready_queue(client, &again);
	trace_watchdog(client, ktime_get_ns() - READ_ONCE(client->alive_ns), id);
	if (id)
		watchdog_eject_if_silent(client);
	return ktime_get_ns() + (again ? XS_AGAIN_NS : xs_client_lease_ns());
}

static u64 watchdog_look_at_all(void)
{
	u64 next = ktime_get_ns() + xs_client_lease_ns(), number = 0;
	struct xs_client *client;
	unsigned int looks = 0;

	while ((client = xs_client_next(number))) {
		next = min(next, watchdog_look_at_client(client));
		number = client->id;
		xs_client_put(client);
		if (++looks % XS_LOOKS == 0)
			watchdog_rest();
	}
	return next;
}

static void watchdog_work(struct kthread_work *work)
{
	u64 next, now;

	/* All was released since: the timer has run out. The next hold starts it. */
	if (!atomic_read(&watchdog.held))
		return;
	next = watchdog_look_at_all();
	now = ktime_get_ns();
	scoped_guard(spinlock_irqsave, &watchdog.lock)
		watchdog_start(next > now ? next - now : 0);
}

u32 xs_watchdog_ms(void)
{
	return xs_client_lease_ns() / NSEC_PER_MSEC;
}

void xs_watchdog_set_ms(u32 ms)
{
	xs_client_set_lease_ns((u64)ms * NSEC_PER_MSEC);
	/* The timer may be set to what would be too late for coming leases. */
	watchdog_hurry();
}

void xs_watchdog_pause(void)
{
	scoped_guard(spinlock_irqsave, &watchdog.lock)
		watchdog.paused = true;
	kthread_cancel_delayed_work_sync(&watchdog.work);
}

/* What is not a sign of life is not shown as one: the lease alone begins anew. */
void xs_watchdog_resume(void)
{
	const u64 end = ktime_get_ns() + xs_client_lease_ns();
	struct xs_client *client;
	u64 number = 0;

	while ((client = xs_client_next(number))) {
		WRITE_ONCE(client->lease_ns, end);
		number = client->id;
		xs_client_put(client);
	}
	scoped_guard(spinlock_irqsave, &watchdog.lock) {
		watchdog.paused = false;
		if (atomic_read(&watchdog.held))
			watchdog_start(xs_client_lease_ns());
	}
}

long xs_watchdog_ioctl_renew(struct xs_client *client, void *argument)
{
	struct kfd_xsched_renew *arg = argument;

	if (arg->flags)
		return -EOPNOTSUPP;
	arg->client = client->id;
	arg->ejected = READ_ONCE(client->ejected);
	if (arg->ejected)
		return -EOWNERDEAD;
	arg->lease_ms = xs_client_touch(client) / NSEC_PER_MSEC;
	trace_client_renew(client);
	return 0;
}

int xs_watchdog_init(void)
{
	struct kthread_worker *worker = kthread_run_worker(0, "xsched-watchdog");

	if (IS_ERR(worker))
		return PTR_ERR(worker);
	sched_set_fifo_low(worker->task);
	kthread_init_delayed_work(&watchdog.work, watchdog_work);
	atomic_set(&watchdog.held, 0);
	xs_client_set_lease_ns((u64)XS_WATCHDOG_MS * NSEC_PER_MSEC);
	watchdog.paused = false;
	watchdog.worker = worker;
	return 0;
}

void xs_watchdog_exit(void)
{
	struct kthread_worker *worker = watchdog.worker;

	scoped_guard(spinlock_irqsave, &watchdog.lock)
		watchdog.worker = NULL;
	kthread_cancel_delayed_work_sync(&watchdog.work);
	kthread_destroy_worker(worker);
}
