/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clients: open files of /dev/kfd_xsched.
 */
#ifndef KFD_XSCHED_CLIENT_H
#define KFD_XSCHED_CLIENT_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "event.h"

struct file;
struct inode;
struct pid;
struct pid_namespace;
struct xs_call;
struct xs_owner;

/**
 * struct xs_client - an open file; under xs_lock unless said otherwise
 * @id: its number, never used again; 0: not an open file, see sysfs.h
 * @pid: process that opened it, reference held
 * @comm: name of that process then, with nothing in it that does not print
 * @uid: of whoever opened it
 * @opened_ns: when, CLOCK_MONOTONIC
 * @alive_ns: last sign of life; without a lock
 * @lease_ns: when the lease ends that began then; without a lock
 * @ejected: enum kfd_xsched_eject; written under xs_clients_lock, too
 * @eject_told: that was read as an event; xs_clients_lock
 * @refs: the file's, and one of each batch
 * @in_clients: in xs_clients, or empty once closed; xs_clients_lock
 * @file: the file; its credentials are those of whoever opened it
 * @pid_ns: pid namespace of whoever opened it
 * @claims: by xs_claim.in_client
 * @rules: by xs_rule.in_client
 * @tenants: by xs_tenant.id
 * @owner: NULL, or of which client this is but the holder of an armed switch
 * @armed: switches, by xs_armed.id
 * @armed_count: how many
 * @last_armed: the highest id ever
 * @tenant_count: how many
 * @last_tenant: the highest id ever
 * @batches: its batches that are not over
 * @settled: counts what its batches have finished; written under xs_lock
 * @unsettled: woken when @settled changes
 * @events: KFD_XSCHED_EVENT_BIT()s subscribed; xs_clients_lock
 * @sample_us: sampling period asked for; xs_clients_lock
 * @settle_us: settle time asked for; xs_clients_lock
 * @no_tap: it wants that doorbells are left alone; xs_clients_lock
 * @ring: events to be read; xs_clients_lock
 * @readable: woken when there is something to read
 * @call: what its last APPLY has left for the next, or NULL; without a lock, see apply.c
 */
struct xs_client {
	u64 id;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	kuid_t uid;
	u64 opened_ns;
	u64 alive_ns;
	u64 lease_ns;
	u32 ejected;
	bool eject_told;
	refcount_t refs;
	struct list_head in_clients;
	struct file *file;
	struct pid_namespace *pid_ns;
	struct list_head claims;
	struct list_head rules;
	struct xs_client *owner;
	struct xarray armed;
	u32 armed_count;
	u64 last_armed;
	struct xarray tenants;
	u32 tenant_count;
	u64 last_tenant;
	u32 batches;
	u32 settled;
	wait_queue_head_t unsettled;
	u32 events;
	u32 sample_us;
	u32 settle_us;
	bool no_tap;
	struct xs_ring ring;
	wait_queue_head_t readable;
	struct xs_call *call;
};

/* All clients, under xs_clients_lock. */
extern struct list_head xs_clients;
extern spinlock_t xs_clients_lock;

/* Whether a client hears of what had these credentials. Never changes. */
bool xs_client_sees(const struct xs_client *client, const struct xs_owner *owner);

/* Make one that is in no list, has no file and wants nothing. */
void xs_client_init(struct xs_client *client);

/* The open file with the lowest number above that, with a reference, or NULL. */
struct xs_client *xs_client_next(u64 id);

/* Whether its file is still open; it stays so as long as xs_lock is held. */
bool xs_client_is_open_locked(const struct xs_client *client);

/* 0, or -EOWNERDEAD: it was ejected, and may not have anything any more. */
int xs_client_check_locked(const struct xs_client *client);

struct xs_client *xs_client_get(struct xs_client *client);
void xs_client_put(struct xs_client *client);

/* A part of a batch of the client is done: whoever waits may try again. */
void xs_client_settled_locked(struct xs_client *client);

/*
 * Wait until that changes from what it was. Takes as long as the slowest node,
 * which amdkfd bounds. 0, or -ERESTARTSYS for a caller that is being killed.
 */
int xs_client_wait_settled(struct xs_client *client, u32 settled);

/* Have a ring of events. 0 or -ENOMEM. */
int xs_client_need_ring_locked(struct xs_client *client);

/*
 * Drop its claims, rules, tenants and armed switches, also those on their way. The queues are
 * pending: see to it that they are switched.
 */
void xs_client_drop_all_locked(struct xs_client *client);

int xs_client_open(struct inode *inode, struct file *file);
int xs_client_release(struct inode *inode, struct file *file);

/* KFD_XSCHED_SUBSCRIBE */
long xs_client_ioctl_subscribe(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_CLIENT_H */
