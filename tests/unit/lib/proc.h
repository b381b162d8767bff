/* SPDX-License-Identifier: MIT */
/* Files in /proc of another process, for tests. What cannot be read or written is a failure. */
#ifndef UNIT_PROC_H
#define UNIT_PROC_H

#include <sys/types.h>

#define PROC_WORD	64

/** proc_status() - the first word after "KEY:" in its status; "" if there is none */
void proc_status(pid_t pid, const char *key, char value[PROC_WORD]);

/** proc_write_map() - write its "uid_map" or "gid_map" */
void proc_write_map(pid_t pid, const char *name, const char *map);

#endif /* UNIT_PROC_H */
