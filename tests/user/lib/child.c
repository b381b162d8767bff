// SPDX-License-Identifier: MIT
/* See child.h. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"

pid_t child_fork(int *sock)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (pid < 0) {
		pid = -errno;
		close(pair[0]);
		close(pair[1]);
		return pid;
	}
	*sock = pair[!pid];
	close(pair[!!pid]);
	return pid;
}
