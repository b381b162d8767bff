/* SPDX-License-Identifier: MIT */
/* Account of synthetic kernels: each must execute exactly once, and in order. */
#ifndef SIM_SPIN_ACCOUNT_H
#define SIM_SPIN_ACCOUNT_H

#include "kernel.h"
#include "types.h"

/**
 * struct spin_account - results of dispatches
 * @submitted: their packets were written
 * @executed: completions in all
 * @lost: dispatches that never completed
 * @duplicated: completions beyond the first of a dispatch
 * @out_of_order: with the barrier bit: dispatches that completed before, or
 *	began before the end of, one submitted earlier
 * @saved: times waves were saved to memory
 * @busy_ns: sum of the times from first wave to last
 */
struct spin_account {
	u64 submitted;
	u64 executed;
	u64 lost;
	u64 duplicated;
	u64 out_of_order;
	u64 saved;
	u64 busy_ns;
};

/* Add the next dispatch of a queue; @last is that before it that completed, NULL: none, or any order. */
static inline void spin_account_log(struct spin_account *a, const struct vgpu_log *log,
				    const struct vgpu_log *last)
{
	a->submitted++;
	a->executed += log->executed;
	a->saved += log->saved;
	if (!log->executed) {
		a->lost++;
		return;
	}
	a->duplicated += log->executed - 1;
	a->busy_ns += log->end_ns - log->start_ns;
	if (last && (log->ticket <= last->ticket || log->start_ns < last->end_ns))
		a->out_of_order++;
}

/* The account of all @n dispatches of a queue. */
static inline void spin_account_all(struct spin_account *out, const struct vgpu_log *log, u64 n)
{
	const struct vgpu_log *last = 0;

	memset(out, 0, sizeof(*out));
	for (; n; n--, log++) {
		spin_account_log(out, log, last);
		if (log->executed)
			last = log;
	}
}

static inline void spin_account_add(struct spin_account *sum, const struct spin_account *a)
{
	sum->submitted += a->submitted;
	sum->executed += a->executed;
	sum->lost += a->lost;
	sum->duplicated += a->duplicated;
	sum->out_of_order += a->out_of_order;
	sum->saved += a->saved;
	sum->busy_ns += a->busy_ns;
}

/* Whether every dispatch executed exactly once and in order. */
static inline bool spin_account_clean(const struct spin_account *a)
{
	return a->executed == a->submitted && !a->lost && !a->duplicated && !a->out_of_order;
}

#endif /* SIM_SPIN_ACCOUNT_H */
