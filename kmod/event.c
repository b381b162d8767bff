// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events, and the ring each client reads them from.
 *
 * A ring keeps the oldest records. What does not fit is counted, and becomes
 * one LOST record behind those kept, as soon as there is room for it and its
 * successor, or when the reader gets there.
 *
 * A record that is promised has its room from then on, so that it is never
 * lost. It may come before a LOST that is older.
 */
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "client.h"
#include "event.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "watchdog.h"
#include "xsched.h"

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

static struct kfd_xsched_event *ring_at(const struct xs_ring *ring, u32 at)
{
	return &ring->records[at % KFD_XSCHED_EVENT_RING];
}

/* The LOST record that stands for what was dropped, which then is told. */
static struct kfd_xsched_event ring_take_lost(struct xs_ring *ring)
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
static u32 ring_room(const struct xs_ring *ring)
{
	return KFD_XSCHED_EVENT_RING - (ring->head - ring->tail) - ring->promised;
}

static void ring_put(struct xs_ring *ring, const struct kfd_xsched_event *event)
{
	if (ring->lost && ring_room(ring) > 1)
		*ring_at(ring, ring->head++) = ring_take_lost(ring);
	*ring_at(ring, ring->head++) = *event;
}

void xs_ring_push(struct xs_ring *ring, const struct kfd_xsched_event *event)
{
	if (ring_room(ring) < (ring->lost ? 2 : 1))
		xs_ring_lose(ring, 1, event->time_ns);
	else
		ring_put(ring, event);
}

bool xs_ring_promise(struct xs_ring *ring)
{
	if (!ring_room(ring) || ring->promised + ring->kept >= KFD_XSCHED_MAX_ASYNC)
		return false;
	ring->promised++;
	return true;
}

void xs_ring_keep(struct xs_ring *ring, const struct kfd_xsched_event *event)
{
	ring->promised--;
	ring->kept++;
	ring_put(ring, event);
}

unsigned int xs_ring_take(struct xs_ring *ring, struct kfd_xsched_event *events,
			  unsigned int count)
{
	unsigned int n = 0;

	while (n < count && ring->head != ring->tail) {
		events[n] = *ring_at(ring, ring->tail++);
		ring->kept -= events[n++].type == KFD_XSCHED_EVENT_APPLY_DONE;
	}
	if (n < count && ring->lost)
		events[n++] = ring_take_lost(ring);
	return n;
}

static void client_push_locked(struct xs_client *client,
			       const struct xs_owner *owner, struct pid *pid,
			       struct kfd_xsched_event *event)
{
	lockdep_assert_held(&xs_clients_lock);

	if (!(client->events & KFD_XSCHED_EVENT_BIT(event->type)))
		return;
	if (owner && !xs_client_sees(client, owner))
		return;
	event->pid = pid ? pid_nr_ns(pid, client->pid_ns) : 0;
	xs_ring_push(&client->ring, event);
	wake_up_interruptible(&client->readable);
}

static void push_to_all(const struct xs_owner *owner, struct pid *pid,
			struct kfd_xsched_event *event)
{
	struct xs_client *client;

	scoped_guard(spinlock, &xs_clients_lock) {
		list_for_each_entry(client, &xs_clients, in_clients)
			client_push_locked(client, owner, pid, event);
	}
}

static struct kfd_xsched_event queue_event(const struct xs_queue *queue,
					   u32 type, u64 time_ns)
{
	return (struct kfd_xsched_event){
		.type = type,
		.time_ns = time_ns,
		.id = queue->id,
		.gpu_id = queue->node->desc.gpu_id,
		.queue_id = queue->queue_id,
	};
}

void xs_event_queue(const struct xs_queue *queue, u32 type, u64 time_ns)
{
	struct kfd_xsched_event event = queue_event(queue, type, time_ns);

	push_to_all(&queue->owner, queue->process->pid, &event);
}

void xs_event_queue_to(struct xs_client *client, const struct xs_queue *queue,
		       u32 type, u64 time_ns)
{
	struct kfd_xsched_event event = queue_event(queue, type, time_ns);

	scoped_guard(spinlock, &xs_clients_lock)
		client_push_locked(client, &queue->owner, queue->process->pid,
				   &event);
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

void xs_event_eject_locked(struct xs_client *client, u32 reason)
{
	lockdep_assert_held(&xs_lock);

	scoped_guard(spinlock, &xs_clients_lock) {
		WRITE_ONCE(client->ejected, reason);
		client->events = 0;
		client->sample_us = 0;
		client->settle_us = 0;
		client->no_tap = false;
	}
	wake_up_interruptible(&client->readable);
}

void xs_event_armed(struct xs_client *client, struct pid *pid,
		    const struct kfd_xsched_event *event)
{
	struct kfd_xsched_event copy = *event;

	scoped_guard(spinlock, &xs_clients_lock)
		client_push_locked(client, NULL, pid, &copy);
}

void xs_event_process(const struct xs_process *process, u32 type, u64 time_ns)
{
	struct kfd_xsched_event event = { .type = type, .time_ns = time_ns };

	push_to_all(&process->owner, process->pid, &event);
}

void xs_event_node(u32 gpu_id, u32 type, u64 time_ns, u64 data)
{
	struct kfd_xsched_event event = {
		.type = type,
		.time_ns = time_ns,
		.gpu_id = gpu_id,
		.data = data,
	};

	push_to_all(NULL, NULL, &event);
}

static bool client_readable(struct xs_client *client)
{
	bool readable;

	scoped_guard(spinlock, &xs_clients_lock)
		readable = client->ejected || !xs_ring_empty(&client->ring);
	return readable;
}

/* Behind all others comes the last. It takes no room in the ring. */
static unsigned int client_take(struct xs_client *client,
				struct kfd_xsched_event *events,
				unsigned int count)
{
	unsigned int taken;

	scoped_guard(spinlock, &xs_clients_lock) {
		taken = xs_ring_take(&client->ring, events, count);
		if (taken < count && client->ejected && !client->eject_told) {
			client->eject_told = true;
			events[taken++] = (struct kfd_xsched_event){
				.type = KFD_XSCHED_EVENT_EJECTED,
				.time_ns = ktime_get_ns(),
				.data = client->ejected,
			};
		}
	}
	return taken;
}

static void client_lose(struct xs_client *client, unsigned int count)
{
	scoped_guard(spinlock, &xs_clients_lock)
		xs_ring_lose(&client->ring, count, ktime_get_ns());
}

/* Copy out what there is, up to @count records: bytes or -EFAULT. */
static ssize_t read_records(struct xs_client *client, char __user *buffer,
			    size_t count)
{
	struct kfd_xsched_event events[XS_READ_CHUNK];
	ssize_t done = 0;

	while (count) {
		const unsigned int n =
			client_take(client, events,
				    min_t(size_t, count, XS_READ_CHUNK));

		if (!n)
			break;
		if (copy_to_user(buffer + done, events, n * sizeof(*events))) {
			client_lose(client, n);
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
		xs_watchdog_touch(client);
		done = read_records(client, buffer, count);
		if (done)
			return done;
		if (READ_ONCE(client->ejected))
			return -EOWNERDEAD;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(client->readable,
					     client_readable(client)))
			return -ERESTARTSYS;
	}
}

__poll_t xs_event_poll(struct file *file, poll_table *wait)
{
	struct xs_client *client = file->private_data;

	poll_wait(file, &client->readable, wait);
	if (READ_ONCE(client->ejected))
		return EPOLLIN | EPOLLRDNORM | EPOLLERR | EPOLLHUP;
	return client_readable(client) ? EPOLLIN | EPOLLRDNORM : 0;
}
