/* SPDX-License-Identifier: MIT */
/* The file that says who is demoted, and ends it. What cannot be read is the test's end. */
#ifndef DEMOTED_H
#define DEMOTED_H

#include <stdbool.h>
#include <sys/types.h>

/* All of it, after an empty line. */
const char *demoted_text(void);

/* The line of a process, until the next call. */
const char *demoted_line(pid_t pid, uid_t uid, unsigned int failures);

/* Whether just this line is there, in a while; NULL: none. */
bool demoted_are(const char *line);

/* Whether this line is there, with others or not. */
bool demoted_has(const char *line);

/* Whether users and processes are there, and the users first. */
bool demoted_in_order(void);

/* Write to it: 0 or -errno. */
int demoted_write(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* DEMOTED_H */
