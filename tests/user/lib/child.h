/* SPDX-License-Identifier: MIT */
/* A child that talks with its parent. */
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>

/*
 * fork(), with a SOCK_SEQPACKET socket between the two: in each of them, @sock is its own end.
 * Returns the child's pid, 0 in the child, or -errno. The parent's death does not end the child.
 */
pid_t child_fork(int *sock);

#endif /* CHILD_H */
