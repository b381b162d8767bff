/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The doorbell tap: who rang. See tap.c.
 */
#ifndef KFD_XSCHED_TAP_H
#define KFD_XSCHED_TAP_H

#include <linux/types.h>

struct xs_site;

/* From here on, and no more, doorbells of the site are seen. */
void xs_tap_add(struct xs_site *site);
void xs_tap_remove(struct xs_site *site);

/* The next site that rang, and when it did first since it was taken, or NULL. */
struct xs_site *xs_tap_take_rung(u64 *rung_ns);

/* Whether there is one, and when a doorbell was seen last. Hints. */
bool xs_tap_any_rung(void);
u64 xs_tap_last_ns(void);

/* Doorbells seen so far. */
u64 xs_tap_rings(void);

#endif /* KFD_XSCHED_TAP_H */
