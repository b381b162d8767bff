/* SPDX-License-Identifier: MIT */
/* What a test cannot do without: if it cannot be had, that is the test's end. */
#ifndef MUST_H
#define MUST_H

/* Open the device. */
int must_open(void);

#endif /* MUST_H */
