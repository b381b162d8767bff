/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who wants to know which processes have work. See interest.c.
 */
#ifndef KFD_XSCHED_INTEREST_H
#define KFD_XSCHED_INTEREST_H

#include <linux/types.h>

struct xs_process;

/**
 * struct xs_interest - what all clients together want to know
 * @sample_us: the shortest period asked for; 0: nobody asks
 * @settle_us: the longest settle time
 * @no_tap: somebody wants that doorbells are left alone
 */
struct xs_interest {
	u32 sample_us;
	u32 settle_us;
	bool no_tap;
};

struct xs_interest xs_interest_locked(void);

/* Whether anybody wants to know of that process. */
bool xs_interest_in_locked(const struct xs_process *process);

#endif /* KFD_XSCHED_INTEREST_H */
