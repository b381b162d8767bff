// SPDX-License-Identifier: MIT
/*
 * The process that reads /proc, and its socket.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/privileges.h"
#include "facts/helper.h"

#define HIGHEST_NICE	(-20)

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
	if (question->extent == HELPER_IDENTIFY)
		process_identify(&whole);
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

/* Not before the daemon: if that is an ordinary program, so is the helper. */
static void helper_set_priority(int policy, bool urgent)
{
	struct sched_param param = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO),
	};

	if ((policy & ~SCHED_RESET_ON_FORK) != SCHED_FIFO)
		return;
	if (urgent)
		sched_setscheduler(0, SCHED_FIFO, &param);
	else
		setpriority(PRIO_PROCESS, 0, HIGHEST_NICE);
}

/**
 * struct helper_start - what the helper gets from the daemon
 * @page: where it writes
 * @policy: how the daemon is scheduled
 * @urgent: GPUs wait for it
 */
struct helper_start {
	struct helper_page *page;
	int policy;
	bool urgent;
};

static void helper_run(int fd, void *context)
{
	const struct helper_start *start = context;
	struct helper_question question;

	helper_set_priority(start->policy, start->urgent);
	privileges_drop_to_read();
	while (recv(fd, &question, sizeof(question), 0) == sizeof(question))
		helper_answer(fd, start->page, &question);
}

/* ---- in the daemon ------------------------------------------------------ */

int helper_start(struct helper *helper, bool urgent)
{
	struct helper_start start = { .policy = sched_getscheduler(0), .urgent = urgent };
	struct child child;
	int ret;

	start.page = mmap(NULL, sizeof(*start.page), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (start.page == MAP_FAILED)
		return -errno;
	ret = child_start(&child, "xschedd-reads", helper_run, &start);
	if (ret) {
		munmap(start.page, sizeof(*start.page));
		return ret;
	}
	*helper = (struct helper){ .child = child, .page = start.page };
	return 0;
}

int helper_ask(struct helper *helper, pid_t pid, enum helper_extent extent,
	       bool cmdline)
{
	struct helper_question question = { .pid = pid, .extent = extent,
					    .cmdline = cmdline };

	if (send(helper->child.fd, &question, sizeof(question),
		 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -errno;
	return 0;
}

int helper_read(struct helper *helper)
{
	struct helper_page *page = helper->page;
	unsigned char byte;
	ssize_t got = recv(helper->child.fd, &byte, 1, MSG_DONTWAIT);

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
	pid_t pid = child_kill(&helper->child);

	if (pid)
		munmap(helper->page, sizeof(*helper->page));
	helper->page = NULL;
	return pid;
}
