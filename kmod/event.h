/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events, and the ring each client reads them from.
 */
#ifndef KFD_XSCHED_EVENT_H
#define KFD_XSCHED_EVENT_H

#include <linux/poll.h>
#include <linux/types.h>

#include <linux/kfd_xsched.h>

/* What the sampler finds out. */
#define XS_EVENTS_ACTIVITY					\
	(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |		\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE))

struct file;
struct pid;
struct xs_client;
struct xs_process;
struct xs_queue;

/**
 * struct xs_ring - events of one client
 * @records: KFD_XSCHED_EVENT_RING of them; NULL until the first subscription
 * @head: events ever put in
 * @tail: events ever taken out
 * @lost: events dropped since the last one put in
 * @lost_ns: when the first of those happened
 * @promised: records that are to come, for which room is kept
 * @kept: promised records put in and not yet taken out
 */
struct xs_ring {
	struct kfd_xsched_event *records;
	u32 head;
	u32 tail;
	u64 lost;
	u64 lost_ns;
	u32 promised;
	u32 kept;
};

int xs_ring_init(struct xs_ring *ring);
void xs_ring_free(struct xs_ring *ring);
bool xs_ring_empty(const struct xs_ring *ring);
void xs_ring_push(struct xs_ring *ring, const struct kfd_xsched_event *event);

/*
 * Keep room for a record that must not be lost. False: there is none, or there
 * are too many of its kind. Later put it in.
 */
bool xs_ring_promise(struct xs_ring *ring);
void xs_ring_keep(struct xs_ring *ring, const struct kfd_xsched_event *event);

/* Take out the oldest records, at most @count. */
unsigned int xs_ring_take(struct xs_ring *ring, struct kfd_xsched_event *events,
			  unsigned int count);

/* Count records that did not reach the reader. */
void xs_ring_lose(struct xs_ring *ring, unsigned int count, u64 time_ns);

/* Tell every subscriber that may see the queue. */
void xs_event_queue(const struct xs_queue *queue, u32 type, u64 time_ns);

/* Tell one client, if it subscribed and may see the queue. */
void xs_event_queue_to(struct xs_client *client, const struct xs_queue *queue,
		       u32 type, u64 time_ns);

/* The same for a client, under its lock: see xs_ring_promise(). */
bool xs_event_promise(struct xs_client *client);

/* Tell it what was promised, if it is still there. */
void xs_event_promised(struct xs_client *client, const struct kfd_xsched_event *event);

/* Tell it that it was ejected: no other event follows, but for those promised. */
void xs_event_eject_locked(struct xs_client *client, u32 reason);

/* Tell a client that an armed switch of it ran; @pid is the trigger, or NULL. */
void xs_event_armed(struct xs_client *client, struct pid *pid,
		    const struct kfd_xsched_event *event);

void xs_event_process(const struct xs_process *process, u32 type, u64 time_ns);
void xs_event_node(u32 gpu_id, u32 type, u64 time_ns, u64 data);

ssize_t xs_event_read(struct file *file, char __user *buffer, size_t size,
		      loff_t *offset);
__poll_t xs_event_poll(struct file *file, poll_table *wait);

#endif /* KFD_XSCHED_EVENT_H */
