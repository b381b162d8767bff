/* SPDX-License-Identifier: MIT */
/* System sleep that is only tried: the kernel's pm_test. */
#ifndef PMSLEEP_H
#define PMSLEEP_H

/*
 * Go to sleep as far as @depth says ("freezer": no program runs; "devices": they are
 * suspended, too), stay there for so many seconds, and come back: 0 or -errno.
 */
int pmsleep(const char *depth, unsigned int seconds);

#endif /* PMSLEEP_H */
