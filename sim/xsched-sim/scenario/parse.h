/* SPDX-License-Identifier: MIT */
/* Values of a scenario file: numbers, times, lists. */
#ifndef XSIM_PARSE_H
#define XSIM_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number of @min..@max, and nothing after it. */
bool parse_whole(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* The same with a sign. */
bool parse_signed(const char *text, int64_t min, int64_t max, int64_t *out);

/* A number above 0, and nothing after it. */
bool parse_positive(const char *text, double *out);

/* A time with its unit, "10 s", "500us", as nanoseconds; at most a year. */
bool parse_time(const char *text, uint64_t *ns);

/* "yes" or "no". */
bool parse_bool(const char *text, bool *out);

/* "0", "0-7", "0,2,4-5" or "all": a bit for each number below @limit (1..64). */
bool parse_set(const char *text, unsigned int limit, uint64_t *bits);

#endif /* XSIM_PARSE_H */
