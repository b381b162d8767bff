// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a breaker opens: pure functions, without locks, allocation or clock.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "model/node.h"

void xs_breaker_init(struct xs_breaker *breaker)
{
	*breaker = (struct xs_breaker){
		.limit = XS_BREAKER_FAILURES,
		.window_s = XS_BREAKER_WINDOW_S,
	};
}

/* When the last failure was, or the one @back before it. */
static u64 breaker_failed_ns(const struct xs_breaker *breaker, u32 back)
{
	return breaker->failed_ns[(breaker->failures - 1 - back) % XS_BREAKER_FAILURES_MAX];
}

u32 xs_breaker_recent(const struct xs_breaker *breaker, u64 now)
{
	const u64 window_ns = (u64)READ_ONCE(breaker->window_s) * NSEC_PER_SEC;
	const u32 known = min_t(u64, breaker->failures, XS_BREAKER_FAILURES_MAX);
	u32 count = 0;

	while (count < known && now - breaker_failed_ns(breaker, count) < window_ns)
		count++;
	return count;
}

bool xs_breaker_fail(struct xs_breaker *breaker, u64 now)
{
	const u32 limit = READ_ONCE(breaker->limit);

	breaker->failed_ns[breaker->failures++ % XS_BREAKER_FAILURES_MAX] = now;
	if (breaker->open_ns || !limit || xs_breaker_recent(breaker, now) < limit)
		return false;
	WRITE_ONCE(breaker->open_ns, now);
	WRITE_ONCE(breaker->openings, breaker->openings + 1);
	return true;
}

bool xs_breaker_close(struct xs_breaker *breaker)
{
	const bool was_open = breaker->open_ns;

	WRITE_ONCE(breaker->open_ns, 0);
	breaker->failures = 0;
	return was_open;
}
