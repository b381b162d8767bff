// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often something may happen: pure functions, without locks, allocation or clock.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "model/node.h"

void xs_rate_init(struct xs_rate *rate)
{
	*rate = (struct xs_rate){
		.per_s = XS_HOLD_RATE,
		.burst = XS_HOLD_BURST,
	};
}

/* The time of one: what is taken too early is owed. 0: nothing is limited. */
static u64 rate_interval_ns(const struct xs_rate *rate)
{
	const u32 per_s = READ_ONCE(rate->per_s);

	return per_s ? NSEC_PER_SEC / per_s : 0;
}

bool xs_rate_take(struct xs_rate *rate, u64 now)
{
	const u64 interval_ns = rate_interval_ns(rate), paid_ns = max(rate->paid_ns, now);

	if (!interval_ns)
		return true;
	if (paid_ns - now > interval_ns * (READ_ONCE(rate->burst) - 1))
		return false;
	rate->paid_ns = paid_ns + interval_ns;
	return true;
}

void xs_rate_set(struct xs_rate *rate, u32 per_s)
{
	WRITE_ONCE(rate->per_s, per_s);
	rate->paid_ns = 0;
}

void xs_rate_give_back(struct xs_rate *rate)
{
	rate->paid_ns -= min(rate->paid_ns, rate_interval_ns(rate));
}
