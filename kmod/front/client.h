/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clients: open files of /dev/kfd_xsched; and the events they read.
 */
#ifndef KFD_XSCHED_CLIENT_H
#define KFD_XSCHED_CLIENT_H

#include <linux/list.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include <linux/kfd_xsched.h>

#include "core.h"
#include "model/request.h"
#include "model/tenant.h"
#include "watch/watch.h"

struct file;
struct inode;
struct pid;
struct pid_namespace;
struct xs_account;
struct xs_process;
struct xs_queue;

/* ---- rings --------------------------------------------------------------- */

/**
 * struct xs_ring - events of one client
 * @records: KFD_XSCHED_EVENT_RING of them; NULL until the first subscription or ASYNC call
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

/* ---- clients ------------------------------------------------------------- */

/**
 * struct xs_client - an open file; under xs_lock unless said otherwise
 * @id: its number, never used again
 * @pid: the process that opened it, with a reference
 * @comm: name of that process then, with nothing in it that does not print
 * @uid: of its opener
 * @opened_ns: when, CLOCK_MONOTONIC
 * @alive_ns: last sign of life; without a lock
 * @lease_ns: when the lease ends that began then; without a lock
 * @ends: it is ejected, or about to be once all it had is dropped
 * @ejected: enum kfd_xsched_eject; written under xs_clients_lock, too
 * @eject_read: that was read as an event; xs_clients_lock
 * @in_clients: in xs_clients, or empty once closed; xs_clients_lock
 * @account: of its opener, the share of a cgroup, with a reference; or NULL: no limits
 * @subscribed: a subscription is on that account
 * @file: the file; its credentials are those of its opener
 * @pid_ns: pid namespace of its opener
 * @holder: what it asks for; its references keep the client
 * @holders: that, and those of its armed switches, by xs_holder.in_client
 * @tenants: its tenants
 * @armed: its armed switches, by xs_armed.in_client
 * @last_armed: the highest id ever
 * @wishes: what it says of processes that may be parked, by xs_wish.in_client
 * @interest: what it wants to know of queues; counts its armed switches
 * @events: KFD_XSCHED_EVENT_BIT()s it subscribed; xs_clients_lock
 * @ring: events to be read; xs_clients_lock
 * @readable: woken when there is something to read
 */
struct xs_client {
	u64 id;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	kuid_t uid;
	u64 opened_ns;
	u64 alive_ns;
	u64 lease_ns;
	bool ends;
	u32 ejected;
	bool eject_read;
	struct list_head in_clients;
	struct xs_account *account;
	bool subscribed;
	struct file *file;
	struct pid_namespace *pid_ns;
	struct xs_holder holder;
	struct list_head holders;
	struct xs_tenants tenants;
	struct list_head armed;
	u64 last_armed;
	struct list_head wishes;
	struct xs_interest interest;
	u32 events;
	struct xs_ring ring;
	wait_queue_head_t readable;
};

/* All clients, under xs_clients_lock. */
extern struct list_head xs_clients;
extern spinlock_t xs_clients_lock;

/* It is one of them, with a number: 0 or -ENOMEM; and no more. Without xs_lock. */
int xs_client_link(struct xs_client *client);
void xs_client_unlink(struct xs_client *client);

struct xs_client *xs_client_get(struct xs_client *client);
void xs_client_put(struct xs_client *client);

/* The open file with the lowest number above that, with a reference, or NULL. */
struct xs_client *xs_client_next(u64 id);

/* How many there are; without a lock. */
unsigned int xs_client_count(void);

/* Whether its file is still open; it stays so as long as xs_lock is held. */
bool xs_client_is_open_locked(const struct xs_client *client);

/* 0, or -EOWNERDEAD: it is ejected, and may not have anything any more. */
int xs_client_check_locked(const struct xs_client *client);

/* Whether it or one of its armed switches has a hold in force. */
bool xs_client_holds_locked(const struct xs_client *client);

/* How long a lease is that begins now: see watchdog.c. */
u64 xs_client_lease_ns(void);
void xs_client_set_lease_ns(u64 ns);

/* A sign of life: a lease begins, whose length is returned. From anywhere. */
u64 xs_client_touch(struct xs_client *client);

/*
 * Whether clients may hold and prioritise; and set that, for xs_set_enabled(). False: it was so
 * before.
 */
bool xs_enabled(void);
bool xs_enable_locked(bool enabled);

/* It subscribes to nothing any more. */
void xs_client_unsubscribe_locked(struct xs_client *client);

/* Have a ring of events: 0, -ENOMEM or -EDQUOT; and none any more. Without a lock. */
int xs_client_need_ring(struct xs_client *client);
void xs_client_free_ring(struct xs_client *client);

/*
 * Drop its requests, tenants and armed switches, also those on their way; it must not be able to
 * ask for more. What was held is pending: see to it that it is switched. Returns how many queues
 * it kept from running. Without a lock: others want xs_lock, too.
 */
u32 xs_client_drop_all(struct xs_client *client);

int xs_client_open(struct inode *inode, struct file *file);
int xs_client_release(struct inode *inode, struct file *file);

/* KFD_XSCHED_SUBSCRIBE */
long xs_client_ioctl_subscribe(struct xs_client *client, void *arg);

/* ---- events -------------------------------------------------------------- */

/* Report to every subscriber that may see the queue, or only to @to. */
void xs_event_queue(struct xs_client *to, const struct xs_queue *queue, u32 type,
		    u64 time_ns);

/* See xs_ring_promise(). */
bool xs_event_promise(struct xs_client *client);

/* Report what was promised, if the client is still there. */
void xs_event_promised(struct xs_client *client, const struct kfd_xsched_event *event);

/* Report that it was ejected: no other event follows, but for those promised. */
void xs_event_eject(struct xs_client *client, u32 reason);

/* Report that an armed switch of the client ran; @pid is the trigger, or NULL. */
void xs_event_armed(struct xs_client *client, struct pid *pid,
		    const struct kfd_xsched_event *event);

void xs_event_process(const struct xs_process *process, u32 type, u64 time_ns, u64 data);
void xs_event_node(u32 gpu_id, u32 type, u64 time_ns, u64 data);

ssize_t xs_event_read(struct file *file, char __user *buffer, size_t size, loff_t *offset);
__poll_t xs_event_poll(struct file *file, poll_table *wait);

#endif /* KFD_XSCHED_CLIENT_H */
