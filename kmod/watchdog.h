/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The watchdog: a client that holds and does not act is as good as dead.
 */
#ifndef KFD_XSCHED_WATCHDOG_H
#define KFD_XSCHED_WATCHDOG_H

#include <linux/types.h>

struct xs_client;

#define XS_WATCHDOG_MS		2000
#define XS_WATCHDOG_MS_MIN	50
#define XS_WATCHDOG_MS_MAX	600000

/* Eject nobody, until it is resumed: all leases begin anew then. */
void xs_watchdog_pause(void);
void xs_watchdog_resume(void);

int xs_watchdog_init(void);
void xs_watchdog_exit(void);

/* A sign of life: a lease begins, whose length is returned. From anywhere. */
u64 xs_watchdog_touch(struct xs_client *client);

/* So many queues more are held, or less, as some were given back, or are gone. From anywhere. */
void xs_watchdog_add(int change);

/* How many are held, and whether the timer runs. */
unsigned int xs_watchdog_count(void);
bool xs_watchdog_armed(void);

/* How long a lease is that begins now; within the limits above. */
u32 xs_watchdog_ms(void);
void xs_watchdog_set_ms(u32 ms);

/* KFD_XSCHED_RENEW */
long xs_watchdog_ioctl_renew(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_WATCHDOG_H */
