/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clients: open files of /dev/kfd_xsched.
 */
#ifndef KFD_XSCHED_CLIENT_H
#define KFD_XSCHED_CLIENT_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "event.h"

struct file;
struct inode;
struct pid_namespace;
struct xs_owner;

/**
 * struct xs_client - an open file
 * @in_clients: in xs_clients; xs_clients_lock
 * @file: the file; its credentials are those of whoever opened it
 * @pid_ns: pid namespace of whoever opened it
 * @claims: by xs_claim.in_client
 * @rules: by xs_rule.in_client
 * @events: KFD_XSCHED_EVENT_BIT()s subscribed; xs_clients_lock
 * @sample_us: sampling period asked for; xs_clients_lock
 * @settle_us: settle time asked for; xs_clients_lock
 * @ring: events to be read; xs_clients_lock
 * @readable: woken when there is something to read
 */
struct xs_client {
	struct list_head in_clients;
	struct file *file;
	struct pid_namespace *pid_ns;
	struct list_head claims;
	struct list_head rules;
	u32 events;
	u32 sample_us;
	u32 settle_us;
	struct xs_ring ring;
	wait_queue_head_t readable;
};

/* All clients, under xs_clients_lock. */
extern struct list_head xs_clients;
extern spinlock_t xs_clients_lock;

/* Whether a client hears of what had these credentials. Never changes. */
bool xs_client_sees(const struct xs_client *client, const struct xs_owner *owner);

int xs_client_open(struct inode *inode, struct file *file);
int xs_client_release(struct inode *inode, struct file *file);

/* KFD_XSCHED_SUBSCRIBE */
long xs_client_ioctl_subscribe(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_CLIENT_H */
