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
		rates->users[i] = (struct xs_bucket){ .payer = INVALID_UID };
	rates->admins = (struct xs_bucket){ .payer = XS_PAYER_ADMIN };
	rates->refused = 0;
}

/* The time of one: what is taken too early is owed. 0: nothing is limited. */
static u64 rate_interval_ns(const struct xs_rate *rate)
{
	const u32 per_s = READ_ONCE(rate->per_s);

	return per_s ? NSEC_PER_SEC / per_s : 0;
}

static const struct xs_rate *rate_of(const struct xs_rates *rates, kuid_t payer)
{
	return uid_valid(payer) ? &rates->user : &rates->admin;
}

/* His bucket, or the one to take over: see struct xs_rates. */
static struct xs_bucket *rate_bucket_of(struct xs_rates *rates, kuid_t payer)
{
	struct xs_bucket *bucket, *least = rates->users;

	if (!uid_valid(payer))
		return &rates->admins;
	for (bucket = rates->users; bucket < rates->users + XS_RATE_USERS; bucket++) {
		if (uid_eq(bucket->payer, payer))
			return bucket;
		if (bucket->paid_ns < least->paid_ns)
			least = bucket;
	}
	return least;
}

bool xs_rates_take(struct xs_rates *rates, kuid_t payer, u64 now, u64 *cost_ns)
{
	const struct xs_rate *rate = rate_of(rates, payer);
	const u64 interval_ns = rate_interval_ns(rate);
	struct xs_bucket *bucket;
	u64 paid_ns;

	*cost_ns = interval_ns;
	if (!interval_ns)
		return true;
	bucket = rate_bucket_of(rates, payer);
	paid_ns = max(bucket->paid_ns, now);
	if (paid_ns - now > interval_ns * (READ_ONCE(rate->burst) - 1)) {
		WRITE_ONCE(rates->refused, rates->refused + 1);
		return false;
	}
	*bucket = (struct xs_bucket){ .payer = payer, .paid_ns = paid_ns + interval_ns };
	return true;
}

void xs_rates_give_back(struct xs_rates *rates, kuid_t payer, u64 cost_ns)
{
	struct xs_bucket *bucket = rate_bucket_of(rates, payer);

	if (uid_eq(bucket->payer, payer))
		bucket->paid_ns -= min(bucket->paid_ns, cost_ns);
}

void xs_rates_charge(struct xs_rates *rates, kuid_t payer, u64 now)
{
	const struct xs_rate *rate = rate_of(rates, payer);
	const u64 interval_ns = rate_interval_ns(rate);
	const u64 most_ns = now + 2 * interval_ns * READ_ONCE(rate->burst);
	struct xs_bucket *bucket;
	u64 paid_ns;

	if (!interval_ns)
		return;
	bucket = rate_bucket_of(rates, payer);
	paid_ns = max(bucket->paid_ns, now);
	/* The burst may have been longer when the debt was made. */
	if (paid_ns >= most_ns)
		return;
	bucket->payer = payer;
	bucket->paid_ns = min(paid_ns + interval_ns, most_ns);
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
