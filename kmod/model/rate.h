/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often a node is preempted, and on whose account: model/rate.c.
 */
#ifndef KFD_XSCHED_RATE_H
#define KFD_XSCHED_RATE_H

#include <linux/types.h>
#include <linux/uidgid.h>

/*
 * A user's scheduler that switches a thousand times a second leaves others nine tenths of
 * the GPU's time, at 100 us a switch. Administrators know what they do: they have no
 * limit until they set one.
 */
#define XS_USER_RATE	1000
#define XS_USER_BURST	100
#define XS_ADMIN_RATE	0
#define XS_ADMIN_BURST	100
#define XS_RATE_MAX	100000
#define XS_BURST_MIN	1
#define XS_BURST_MAX	10000

/* How many users a node tells apart at a time. */
#define XS_RATE_USERS	64

/*
 * A share of uid 0 is a quarter. Containers that root starts without a user namespace are
 * all uid 0, and do not trust each other: with quarters, one of them leaves three to the
 * others. A smaller part would refuse a container alone what it needs. The cgroups of any
 * other user are his own business: each may have all that he may have.
 */
#define XS_ROOT_SHARES	4

/**
 * struct xs_payer - who pays
 * @user: a user; or INVALID_UID: all with CAP_SYS_NICE, and the kernel, together
 * @share: of uid 0, which share, see struct xs_account; of others 0
 */
struct xs_payer {
	kuid_t user;
	u64 share;
};

#define XS_PAYER_ADMIN	((struct xs_payer){ .user = INVALID_UID })

/**
 * struct xs_rate - how often something may happen; without a lock
 * @per_s: on an average, times a second; 0: without limit
 * @burst: so many may come at once
 */
struct xs_rate {
	u32 per_s;
	u32 burst;
};

/**
 * struct xs_bucket - what one has preempted; under xs_lock
 * @payer: whose it is
 * @paid_ns: what was taken lasts until then at the rate in force, CLOCK_MONOTONIC
 */
struct xs_bucket {
	struct xs_payer payer;
	u64 paid_ns;
};

/**
 * struct xs_rates - how often a node may be preempted; under xs_lock unless said otherwise
 * @user: by each user; set under xs_lock
 * @admin: by all administrators together; likewise
 * @users: buckets of users, and of shares, in no order
 * @admins: that of the administrators
 * @refused: how often somebody had too little left; read without the lock
 *
 * A bucket whose @paid_ns is over is as good as none, so users need no memory: a user
 * without a bucket takes over the one that is paid up longest. If none is paid up, that
 * is the one with the least debt, and he takes over its debt, too. So nobody gets rid of
 * a debt by being many: together, users preempt a node no more often than
 * XS_RATE_USERS of them may.
 */
struct xs_rates {
	struct xs_rate user;
	struct xs_rate admin;
	struct xs_bucket users[XS_RATE_USERS];
	struct xs_bucket admins;
	u64 refused;
};

void xs_rates_init(struct xs_rates *rates);

/* From now on; what was taken before does not count. */
void xs_rates_set_user(struct xs_rates *rates, u32 per_s);
void xs_rates_set_admin(struct xs_rates *rates, u32 per_s);

/*
 * Whether @payer may preempt the node once more now: a share, also as part of its user. Then it
 * counts, unless it is given back before anybody else looks. @cost_ns: out, what to give back.
 */
bool xs_rates_take(struct xs_rates *rates, struct xs_payer payer, u64 now, u64 *cost_ns);
void xs_rates_give_back(struct xs_rates *rates, struct xs_payer payer, u64 cost_ns);

/* Whether xs_rates_take() would succeed. */
bool xs_rates_may(struct xs_rates *rates, struct xs_payer payer, u64 now);

/* He has preempted it, may he or not. He owes a burst at the most, beyond the one he has. */
void xs_rates_charge(struct xs_rates *rates, struct xs_payer payer, u64 now);

#endif /* KFD_XSCHED_RATE_H */
