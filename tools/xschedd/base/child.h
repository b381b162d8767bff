/* SPDX-License-Identifier: MIT */
/*
 * A process that does for the daemon what may take for ever. It is a fork of the daemon, with
 * a socket and the standard streams. The daemon can kill it whatever it waits for.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_CHILD_H
#define XSCHEDD_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct child - the process, as the daemon sees it
 * @pid: its id; 0: there is none
 * @fd: socket to it, which keeps messages apart; never blocks
 */
struct child {
	pid_t pid;
	int fd;
};

/** typedef child_fn - what it does: until its socket ends */
typedef void (*child_fn)(int fd, void *context);

/** child_start() - start one; 0 or a negative errno, and @child is unchanged */
int child_start(struct child *child, const char *name, child_fn run, void *context);

/**
 * child_kill() - end it
 * @child: child, or none
 *
 * Its process may live on for as long as the kernel does not let it end.
 *
 * Return: the pid to wait for with child_ended(), 0: there was none.
 */
pid_t child_kill(struct child *child);

/** child_ended() - whether a process that was killed has ended */
bool child_ended(pid_t pid);

#endif /* XSCHEDD_CHILD_H */
