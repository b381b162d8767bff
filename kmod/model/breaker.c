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

u64 xs_breaker_window_ns(const struct xs_breaker *breaker)
{
	return (u64)READ_ONCE(breaker->window_s) * NSEC_PER_SEC;
}

/* The last failure within the window, or the one @back before it, or NULL. */
static const struct xs_failure *breaker_failure(const struct xs_breaker *breaker, u32 back,
						u64 now)
{
	const u32 known = min_t(u64, breaker->failures, XS_BREAKER_FAILURES_MAX);
	const struct xs_failure *failure =
		&breaker->failed[(breaker->failures - 1 - back) % XS_BREAKER_FAILURES_MAX];

	return back < known && now - failure->ns < xs_breaker_window_ns(breaker) ?
		failure : NULL;
}

u32 xs_breaker_recent(const struct xs_breaker *breaker, u64 now)
{
	u32 count = 0;

	while (breaker_failure(breaker, count, now))
		count++;
	return count;
}

/* Whether so many were nobody's fault, or not all were that of one user. */
static bool breaker_has_enough(const struct xs_breaker *breaker, u32 limit, u64 now)
{
	const struct xs_failure *failure;
	kuid_t first = XS_NOBODY;
	u32 back, nobodys = 0;

	for (back = 0; (failure = breaker_failure(breaker, back, now)); back++) {
		if (uid_eq(failure->user, XS_NOBODY))
			nobodys++;
		else if (uid_eq(first, XS_NOBODY))
			first = failure->user;
		else if (!uid_eq(failure->user, first))
			return true;
	}
	return nobodys >= limit;
}

bool xs_breaker_fail(struct xs_breaker *breaker, kuid_t user, u64 now)
{
	const u32 limit = READ_ONCE(breaker->limit);

	breaker->failed[breaker->failures++ % XS_BREAKER_FAILURES_MAX] =
		(struct xs_failure){ .user = user, .ns = now };
	if (breaker->open_ns || !limit || !breaker_has_enough(breaker, limit, now))
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
