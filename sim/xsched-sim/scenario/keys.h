/* SPDX-License-Identifier: MIT */
/* The keys of each section of a scenario file. Inside scenario.c, keys.c, keys_process.c and values.c. */
#ifndef XSIM_KEYS_H
#define XSIM_KEYS_H

#include <stdio.h>

#include "scenario/scenario.h"

/**
 * struct reader - a file being read
 * @scn: scenario being filled
 * @file: open
 * @line: number of the line read last
 * @section: current section: "" before the first
 * @process: index of the group being filled
 * @mode: index of the mode being filled
 * @failed: @error has the first error
 * @error: message
 * @size: room in it
 */
struct reader {
	struct scenario *scn;
	FILE *file;
	int line;
	char section[16];
	u32 process;
	u32 mode;
	bool failed;
	char *error;
	size_t size;
};

/* values.c: note the first error; returns false. */
__attribute__((format(printf, 2, 3)))
bool reader_fail(struct reader *r, const char *format, ...);

/**
 * struct key - a key
 * @name: of the key; NULL after the last of a table
 * @set: takes the value
 * @many: may be given again
 */
struct key {
	const char *name;
	bool (*set)(struct reader *r, const char *value);
	bool many;
};

/* Values; each returns false after an error. */
bool keys_text(struct reader *r, char **field, const char *value);
bool keys_u32(struct reader *r, u32 *field, const char *value, u32 min, u32 max);
bool keys_u64(struct reader *r, u64 *field, const char *value, u64 min);
bool keys_time(struct reader *r, u64 *field, const char *value);
bool keys_yes(struct reader *r, bool *field, const char *value);

/* Index of @value among the NULL-terminated @choices, -1 and an error if none. */
int keys_choose(struct reader *r, const char *value, const char *const *choices);

/* keys_process.c */
extern const struct key keys_process[];

/* keys.c: set one key of the section the reader is in. */
bool keys_set(struct reader *r, const char *name, const char *value);

#endif /* XSIM_KEYS_H */
