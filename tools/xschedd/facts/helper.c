// SPDX-License-Identifier: MIT
/*
 * The process that reads /proc, and its socket.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/privileges.h"
#include "facts/helper.h"

/**
 * struct helper_question - from the daemon
 * @pid: about which process
 * @extent: how much
 * @cmdline: with the arguments
 */
struct helper_question {
	pid_t pid;
	enum helper_extent extent;
	bool cmdline;
};

/* ---- in the helper ------------------------------------------------------ */

/* The daemon is gone if it does not listen. */
static void helper_say(int fd, enum helper_answer answer)
{
	unsigned char byte = answer;

	if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1)
		_exit(0);
}

static void helper_copy_environ(struct helper_page *page, const char *environ)
{
	const char *end = environ;

	while (*end)
		end += strlen(end) + 1;
	memcpy(page->environ, environ, end - environ);
	page->environ[end - environ] = '\0';
}

static void helper_answer(int fd, struct helper_page *page,
			  const struct helper_question *question)
{
	struct process whole;

	process_read_facts(&page->facts, question->pid);
	helper_say(fd, HELPER_FACTS);
	if (question->extent == HELPER_READ_FACTS)
		return;
	whole = page->facts;
	if (question->extent == HELPER_READ_CAPABILITY)
		process_read_capability(&whole);
	else
		process_read_rest(&whole, question->cmdline);
	if (whole.cmdline)
		strcpy(page->cmdline, whole.cmdline);
	if (whole.environ)
		helper_copy_environ(page, whole.environ);
	page->whole = whole;
	process_free(&whole);
	helper_say(fd, HELPER_WHOLE);
}

/* The same as the daemon's: a program that waits for the daemon waits for the helper, too. */
static void helper_set_priority(int policy)
{
	struct sched_param param = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO),
	};

	if ((policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO)
		sched_setscheduler(0, SCHED_FIFO, &param);
}

static _Noreturn void helper_run(int fd, struct helper_page *page, pid_t daemon,
				 int policy)
{
	struct helper_question question;

	prctl(PR_SET_NAME, "xschedd-reads");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != daemon)
		_exit(0);
	if (dup2(fd, STDIN_FILENO) < 0)
		_exit(1);
	/* Neither the device nor a connection of the daemon; messages stay. Not every C library has the function. */
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
	helper_set_priority(policy);
	privileges_drop_to_read();
	while (recv(STDIN_FILENO, &question, sizeof(question), 0) == sizeof(question))
		helper_answer(STDIN_FILENO, page, &question);
	_exit(0);
}

/* ---- in the daemon ------------------------------------------------------ */

int helper_start(struct helper *helper)
{
	pid_t daemon = getpid(), pid;
	int policy = sched_getscheduler(0);
	struct helper_page *page;
	int fds[2], ret;

	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds)) {
		ret = -errno;
		munmap(page, sizeof(*page));
		return ret;
	}
	pid = fork();
	if (!pid)
		helper_run(fds[1], page, daemon, policy);
	ret = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (ret) {
		close(fds[0]);
		munmap(page, sizeof(*page));
		return ret;
	}
	*helper = (struct helper){ .pid = pid, .fd = fds[0], .page = page };
	return 0;
}

int helper_ask(struct helper *helper, pid_t pid, enum helper_extent extent,
	       bool cmdline)
{
	struct helper_question question = { .pid = pid, .extent = extent,
					    .cmdline = cmdline };

	if (send(helper->fd, &question, sizeof(question),
		 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -errno;
	return 0;
}

int helper_read(struct helper *helper)
{
	struct helper_page *page = helper->page;
	unsigned char byte;
	ssize_t got = recv(helper->fd, &byte, 1, MSG_DONTWAIT);

	if (got < 0)
		return -errno;
	if (!got)
		return -ECONNRESET;
	if (byte == HELPER_WHOLE) {
		page->whole.cmdline = page->whole.cmdline ? page->cmdline : NULL;
		page->whole.environ = page->whole.environ ? page->environ : NULL;
	}
	return byte;
}

void helper_wipe(struct helper *helper)
{
	struct helper_page *page = helper->page;

	if (!page || !page->whole.environ)
		return;
	for (char *at = page->environ; *at;) {
		size_t length = strlen(at);

		explicit_bzero(at, length);
		at += length + 1;
	}
	page->whole.environ = NULL;
}

pid_t helper_kill(struct helper *helper)
{
	pid_t pid = helper->pid;

	if (!pid)
		return 0;
	kill(pid, SIGKILL);
	close(helper->fd);
	munmap(helper->page, sizeof(*helper->page));
	*helper = (struct helper){ .fd = -1 };
	return pid;
}

bool helper_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}
