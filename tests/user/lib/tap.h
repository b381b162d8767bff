/* SPDX-License-Identifier: MIT */
/* Results in the Test Anything Protocol, one line for each thing shown. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

/* Report whether @ok, with what it shows; returns @ok. */
bool tap_ok(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Report whether @got is @want, and both if not; for return values and errnos. */
bool tap_is(long got, long want, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Report something that cannot be tried here, and why. */
void tap_skip(const char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line for the reader. */
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The rest makes no sense: say why, and exit with 1. */
void tap_bail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Print the plan; returns the exit status of the program. */
int tap_done(void);

#endif /* TAP_H */
