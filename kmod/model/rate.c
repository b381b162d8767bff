// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often a node is preempted, and on whose account: pure functions, without locks,
 * allocation or clock. See rate.h.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/uidgid.h>

#include "model/rate.h"

void xs_rates_init(struct xs_rates *rates)
{
	unsigned int i;

	/* Piece by piece: it is too large for the stack. */
	rates->user = (struct xs_rate){ .per_s = XS_USER_RATE, .burst = XS_USER_BURST };
	rates->admin = (struct xs_rate){ .per_s = XS_ADMIN_RATE, .burst = XS_ADMIN_BURST };
	for (i = 0; i < XS_RATE_USERS; i++)
		rates->users[i] = (struct xs_bucket){ .payer = XS_PAYER_ADMIN };
	rates->admins = (struct xs_bucket){ .payer = XS_PAYER_ADMIN };
	rates->refused = 0;
}

/* The time of one: what is taken too early is owed. 0: nothing is limited. */
static u64 rate_interval_ns(const struct xs_rate *rate)
{
	const u32 per_s = READ_ONCE(rate->per_s);

	return per_s ? NSEC_PER_SEC / per_s : 0;
}

static const struct xs_rate *rate_of(const struct xs_rates *rates, struct xs_payer payer)
{
	return uid_valid(payer.user) ? &rates->user : &rates->admin;
}

static bool rate_is_of(const struct xs_bucket *bucket, struct xs_payer payer)
{
	return uid_eq(bucket->payer.user, payer.user) && bucket->payer.share == payer.share;
}

/* Its bucket, or the one to take over: see struct xs_rates. */
static struct xs_bucket *rate_bucket_of(struct xs_rates *rates, struct xs_payer payer)
{
	struct xs_bucket *bucket, *least = rates->users;

	if (!uid_valid(payer.user))
		return &rates->admins;
	for (bucket = rates->users; bucket < rates->users + XS_RATE_USERS; bucket++) {
		if (rate_is_of(bucket, payer))
			return bucket;
		if (bucket->paid_ns < least->paid_ns)
			least = bucket;
	}
	return least;
}

static struct xs_payer rate_whole(struct xs_payer payer)
{
	return (struct xs_payer){ .user = payer.user };
}

/* One is always possible, also where a share of the burst is less. */
static bool rate_has_room(struct xs_rates *rates, struct xs_payer payer, u64 now, u64 cost_ns)
{
	const struct xs_rate *rate = rate_of(rates, payer);
	const u64 paid_ns = max(rate_bucket_of(rates, payer)->paid_ns, now);
	const u64 burst_ns = rate_interval_ns(rate) * READ_ONCE(rate->burst);

	return paid_ns - now + cost_ns <= max(burst_ns, cost_ns);
}

static void rate_add(struct xs_rates *rates, struct xs_payer payer, u64 now, u64 cost_ns)
{
	struct xs_bucket *bucket = rate_bucket_of(rates, payer);

	*bucket = (struct xs_bucket){
		.payer = payer,
		.paid_ns = max(bucket->paid_ns, now) + cost_ns,
	};
}

bool xs_rates_may(struct xs_rates *rates, struct xs_payer payer, u64 now)
{
	const u64 cost_ns = rate_interval_ns(rate_of(rates, payer));

	return !cost_ns || (rate_has_room(rates, rate_whole(payer), now, cost_ns) &&
			    (!payer.share ||
			     rate_has_room(rates, payer, now, XS_ROOT_SHARES * cost_ns)));
}

bool xs_rates_take(struct xs_rates *rates, struct xs_payer payer, u64 now, u64 *cost_ns)
{
	*cost_ns = rate_interval_ns(rate_of(rates, payer));
	if (!*cost_ns)
		return true;
	if (!xs_rates_may(rates, payer, now)) {
		WRITE_ONCE(rates->refused, rates->refused + 1);
		return false;
	}
	rate_add(rates, rate_whole(payer), now, *cost_ns);
	if (payer.share)
		rate_add(rates, payer, now, XS_ROOT_SHARES * *cost_ns);
	return true;
}

static void rate_subtract(struct xs_rates *rates, struct xs_payer payer, u64 cost_ns)
{
	struct xs_bucket *bucket = rate_bucket_of(rates, payer);

	if (rate_is_of(bucket, payer))
		bucket->paid_ns -= min(bucket->paid_ns, cost_ns);
}

void xs_rates_give_back(struct xs_rates *rates, struct xs_payer payer, u64 cost_ns)
{
	rate_subtract(rates, rate_whole(payer), cost_ns);
	if (payer.share)
		rate_subtract(rates, payer, XS_ROOT_SHARES * cost_ns);
}

/* False: it is at @most_ns; or above: the burst may have been longer when the debt was made. */
static bool rate_charge(struct xs_rates *rates, struct xs_payer payer, u64 now, u64 cost_ns,
			u64 most_ns)
{
	struct xs_bucket *bucket = rate_bucket_of(rates, payer);
	const u64 paid_ns = max(bucket->paid_ns, now);

	if (paid_ns >= most_ns)
		return false;
	bucket->payer = payer;
	bucket->paid_ns = min(paid_ns + cost_ns, most_ns);
	return true;
}

void xs_rates_charge(struct xs_rates *rates, struct xs_payer payer, u64 now)
{
	const struct xs_rate *rate = rate_of(rates, payer);
	const u64 interval_ns = rate_interval_ns(rate);
	const u64 most_ns = now + 2 * interval_ns * READ_ONCE(rate->burst);

	if (!interval_ns)
		return;
	/* A share that cannot owe more must not make others pay. */
	if (!payer.share ||
	    rate_charge(rates, payer, now, XS_ROOT_SHARES * interval_ns, most_ns))
		rate_charge(rates, rate_whole(payer), now, interval_ns, most_ns);
}

void xs_rates_set_user(struct xs_rates *rates, u32 per_s)
{
	unsigned int i;

	WRITE_ONCE(rates->user.per_s, per_s);
	for (i = 0; i < XS_RATE_USERS; i++)
		rates->users[i].paid_ns = 0;
}

void xs_rates_set_admin(struct xs_rates *rates, u32 per_s)
{
	WRITE_ONCE(rates->admin.per_s, per_s);
	rates->admins.paid_ns = 0;
}
