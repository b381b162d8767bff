// SPDX-License-Identifier: MIT
/*
 * A process that does for the daemon what may take for ever.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"

static _Noreturn void child_run(int fd, const char *name, pid_t daemon, child_fn run,
				void *context)
{
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != daemon)
		_exit(0);
	if (dup2(fd, STDIN_FILENO) < 0)
		_exit(1);
	/*
	 * Neither the device nor a connection of the daemon; messages stay. Not every C library has
	 * the function.
	 */
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
	run(STDIN_FILENO, context);
	_exit(0);
}

int child_start(struct child *child, const char *name, child_fn run, void *context)
{
	pid_t daemon = getpid(), pid;
	int fds[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	pid = fork();
	if (!pid)
		child_run(fds[1], name, daemon, run, context);
	ret = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (ret) {
		close(fds[0]);
		return ret;
	}
	*child = (struct child){ .pid = pid, .fd = fds[0] };
	return 0;
}

pid_t child_kill(struct child *child)
{
	pid_t pid = child->pid;

	if (!pid)
		return 0;
	kill(pid, SIGKILL);
	close(child->fd);
	*child = (struct child){ .fd = -1 };
	return pid;
}

bool child_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}
