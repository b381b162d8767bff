// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events, and the ring each client reads them from. The suffix _locked means
 * xs_clients_lock.
 *
 * A ring keeps the oldest records. What does not fit is counted, and becomes
 * one LOST record after those kept, as soon as there is room for it and its
 * successor, or when the reader gets there.
 *
 * A record that is promised has its room from then on, so that it is never
 * lost. It may come before a LOST that is older.
 */
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "core.h"
#include "front/client.h"
#include "model/account.h"
#include "model/queue.h"

/* Records copied to user space at a time: they pass over the stack. */
#define XS_READ_CHUNK	8U

int xs_ring_init(struct xs_ring *ring)
{
	*ring = (struct xs_ring){
		.records = kvcalloc(KFD_XSCHED_EVENT_RING,
				    sizeof(*ring->records), GFP_KERNEL_ACCOUNT),
	};
	return ring->records ? 0 : -ENOMEM;
}

void xs_ring_free(struct xs_ring *ring)
{
	kvfree(ring->records);
	ring->records = NULL;
}

bool xs_ring_empty(const struct xs_ring *ring)
{
	return ring->head == ring->tail && !ring->lost;
}

static struct kfd_xsched_event *event_at(const struct xs_ring *ring, u32 at)
{
	return &ring->records[at % KFD_XSCHED_EVENT_RING];
}

/* The LOST record that stands for what was dropped, which then is reported. */
static struct kfd_xsched_event event_take_lost(struct xs_ring *ring)
{
	const struct kfd_xsched_event event = {
		.type = KFD_XSCHED_EVENT_LOST,
		.time_ns = ring->lost_ns,
		.data = ring->lost,
	};

	ring->lost = 0;
	return event;
}

void xs_ring_lose(struct xs_ring *ring, unsigned int count, u64 time_ns)
{
	if (!ring->lost)
		ring->lost_ns = time_ns;
	ring->lost += count;
}

/* For records that nobody promised. */
static u32 event_room(const struct xs_ring *ring)
{
	return KFD_XSCHED_EVENT_RING - (ring->head - ring->tail) - ring->promised;
}

static void event_put(struct xs_ring *ring, const struct kfd_xsched_event *event)
{
	if (ring->lost && event_room(ring) > 1)
		*event_at(ring, ring->head++) = event_take_lost(ring);
	*event_at(ring, ring->head++) = *event;
}

void xs_ring_push(struct xs_ring *ring, const struct kfd_xsched_event *event)
{
	if (event_room(ring) < (ring->lost ? 2 : 1))
		xs_ring_lose(ring, 1, event->time_ns);
	else
		event_put(ring, event);
}

bool xs_ring_promise(struct xs_ring *ring)
{
	if (!event_room(ring) || ring->promised + ring->kept >= KFD_XSCHED_MAX_ASYNC)
		return false;
	ring->promised++;
	return true;
}

void xs_ring_keep(struct xs_ring *ring, const struct kfd_xsched_event *event)
{
	ring->promised--;
	ring->kept++;
	event_put(ring, event);
}

unsigned int xs_ring_take(struct xs_ring *ring, struct kfd_xsched_event *events,
			  unsigned int count)
{
	unsigned int n = 0;

	while (n < count && ring->head != ring->tail) {
		events[n] = *event_at(ring, ring->tail++);
		ring->kept -= events[n++].type == KFD_XSCHED_EVENT_APPLY_DONE;
	}
	if (n < count && ring->lost)
		events[n++] = event_take_lost(ring);
	return n;
}

/* Under xs_lock. Another thread of the client may have made one, too. */
static int event_take_ring(struct xs_client *client, struct xs_ring *ring)
{
	int ret;

	lockdep_assert_held(&xs_lock);

	if (client->ring.records)
		return 0;
	ret = xs_account_charge(client->account, XS_QUOTA_RINGS, 1);
	/* Nobody pushes before something is subscribed or promised. */
	if (!ret)
		swap(client->ring.records, ring->records);
	return ret;
}

int xs_client_need_ring(struct xs_client *client)
{
	struct xs_ring ring;
	int ret;

	lockdep_assert_not_held(&xs_lock);

	if (READ_ONCE(client->ring.records))
		return 0;
	ret = xs_ring_init(&ring);
	if (ret)
		return ret;
	scoped_guard(rt_mutex, &xs_lock)
		ret = event_take_ring(client, &ring);
	xs_ring_free(&ring);
	return ret;
}

void xs_client_free_ring(struct xs_client *client)
{
	if (client->ring.records)
		xs_account_uncharge(client->account, XS_QUOTA_RINGS, 1);
	xs_ring_free(&client->ring);
}

static void event_push_locked(struct xs_client *client, const struct xs_owner *owner,
			      struct pid *pid, struct kfd_xsched_event *event)
{
	lockdep_assert_held(&xs_clients_lock);

	if (!(client->events & KFD_XSCHED_EVENT_BIT(event->type)))
		return;
	if (owner && !xs_owner_shows(owner, client->file))
		return;
	event->pid = pid ? pid_nr_ns(pid, client->pid_ns) : 0;
	xs_ring_push(&client->ring, event);
	if (wq_has_sleeper(&client->readable))
		wake_up_interruptible(&client->readable);
}

/* To one client, or to all. */
static void event_push(struct xs_client *to, const struct xs_owner *owner, struct pid *pid,
		       struct kfd_xsched_event *event)
{
	struct xs_client *client;

	scoped_guard(spinlock, &xs_clients_lock) {
		if (to)
			event_push_locked(to, owner, pid, event);
		else
			list_for_each_entry(client, &xs_clients, in_clients)
				event_push_locked(client, owner, pid, event);
	}
}

void xs_event_queue(struct xs_client *to, const struct xs_queue *queue, u32 type,
		    u64 time_ns)
{
	struct kfd_xsched_event event = {
		.type = type,
		.time_ns = time_ns,
		.id = queue->id,
		.gpu_id = queue->pdd->node->desc.gpu_id,
		.queue_id = queue->queue_id,
	};

	event_push(to, &queue->owner, queue->pdd->process->pid, &event);
}

bool xs_event_promise(struct xs_client *client)
{
	bool promised;

	scoped_guard(spinlock, &xs_clients_lock)
		promised = xs_ring_promise(&client->ring);
	return promised;
}

void xs_event_promised(struct xs_client *client, const struct kfd_xsched_event *event)
{
	scoped_guard(spinlock, &xs_clients_lock) {
		/* A closed one has no ring. */
		if (list_empty(&client->in_clients))
			return;
		xs_ring_keep(&client->ring, event);
		wake_up_interruptible(&client->readable);
	}
}

void xs_event_eject(struct xs_client *client, u32 reason)
{
	scoped_guard(spinlock, &xs_clients_lock) {
		WRITE_ONCE(client->ejected, reason);
		client->events = 0;
	}
	wake_up_interruptible(&client->readable);
}

void xs_event_armed(struct xs_client *client, struct pid *pid,
		    const struct kfd_xsched_event *event)
{
	struct kfd_xsched_event copy = *event;

	event_push(client, NULL, pid, &copy);
}

void xs_event_process(const struct xs_process *process, u32 type, u64 time_ns, u64 data)
{
	struct kfd_xsched_event event = { .type = type, .time_ns = time_ns, .data = data };

	event_push(NULL, &process->owner, process->pid, &event);
}

void xs_event_node(u32 gpu_id, u32 type, u64 time_ns, u64 data)
{
	struct kfd_xsched_event event = {
		.type = type,
		.time_ns = time_ns,
		.gpu_id = gpu_id,
		.data = data,
	};

	event_push(NULL, NULL, NULL, &event);
}

static bool event_is_readable(struct xs_client *client)
{
	bool readable;

	scoped_guard(spinlock, &xs_clients_lock)
		readable = client->ejected || !xs_ring_empty(&client->ring);
	return readable;
}

/* After all others comes EJECTED. It takes no room in the ring. */
static unsigned int event_take(struct xs_client *client, struct kfd_xsched_event *events,
			       unsigned int count)
{
	unsigned int taken;

	scoped_guard(spinlock, &xs_clients_lock) {
		taken = xs_ring_take(&client->ring, events, count);
		if (taken < count && client->ejected && !client->eject_read) {
			client->eject_read = true;
			events[taken++] = (struct kfd_xsched_event){
				.type = KFD_XSCHED_EVENT_EJECTED,
				.time_ns = ktime_get_ns(),
				.data = client->ejected,
			};
		}
	}
	return taken;
}

static void event_lose(struct xs_client *client, unsigned int count)
{
	scoped_guard(spinlock, &xs_clients_lock)
		xs_ring_lose(&client->ring, count, ktime_get_ns());
}

/* Copy out what there is, up to @count records: bytes or -EFAULT. */
static ssize_t event_read(struct xs_client *client, char __user *buffer, size_t count)
{
	struct kfd_xsched_event events[XS_READ_CHUNK];
	ssize_t done = 0;

	while (count) {
		const unsigned int n =
			event_take(client, events, min_t(size_t, count, XS_READ_CHUNK));

		if (!n)
			break;
		if (copy_to_user(buffer + done, events, n * sizeof(*events))) {
			event_lose(client, n);
			return done ?: -EFAULT;
		}
		done += n * sizeof(*events);
		count -= n;
	}
	return done;
}

ssize_t xs_event_read(struct file *file, char __user *buffer, size_t size,
		      loff_t *offset)
{
	struct xs_client *client = file->private_data;
	const size_t count = size / sizeof(struct kfd_xsched_event);
	ssize_t done;

	if (!count)
		return -EINVAL;
	for (;;) {
		xs_client_touch(client);
		done = event_read(client, buffer, count);
		if (done)
			return done;
		if (READ_ONCE(client->ejected))
			return -EOWNERDEAD;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(client->readable,
					     event_is_readable(client)))
			return -ERESTARTSYS;
	}
}

__poll_t xs_event_poll(struct file *file, poll_table *wait)
{
	struct xs_client *client = file->private_data;

	poll_wait(file, &client->readable, wait);
	if (READ_ONCE(client->ejected))
		return EPOLLIN | EPOLLRDNORM | EPOLLERR | EPOLLHUP;
	return event_is_readable(client) ? EPOLLIN | EPOLLRDNORM : 0;
}
