/* SPDX-License-Identifier: MIT */
/*
 * The Nth allocation, or copy from or to user space, that a call of this thread makes in the kernel
 * fails (fail-nth in Documentation/fault-injection of Linux).
 */
#ifndef FAILNTH_H
#define FAILNTH_H

#include <stdbool.h>

/* Whether this kernel can; calls fail silently from then on, also those that may wait. */
bool failnth_open(void);

/* Have the Nth fail, from now on. */
void failnth_arm(unsigned int n);

/* Whether one has failed since; nothing fails any more. */
bool failnth_hit(void);

#endif /* FAILNTH_H */
