// SPDX-License-Identifier: MIT
/*
 * Facts about the processes of fuzz_kernel.h, in place of /proc and of the daemon's helper
 * (tools/xschedd/facts/helper.c): the answers are there at once, and the same each time.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "facts/helper.h"
#include "fuzz_kernel.h"

void __wrap_process_read_owner(struct process *process, pid_t pid);

static char cmdline[] = "python3 \"run\".py\t\xff\x01 --epochs 3";
static char environment[] = "JOB=night-1\0XSCHED_AUTO_XQUEUE_PRIORITY=9\0HOME=/\0";

/* Root's; two of a user, of which one changed its credentials; another's; nobody's. */
static const struct process known[KERNEL_PIDS] = {
	{ .known = true, .comm = "serve", .nice_capable = true, .has_sys_nice = true,
	  .cgroup = "/system.slice/inference-1.service",
	  .root_cgroup = "/system.slice/inference-1.service", .unit = "inference-1.service" },
	{ .known = true, .uid = 1000, .gid = 1000, .nice = 5, .comm = "a \"name\"\\",
	  .cgroup = "/user.slice/x", .root_cgroup = "/user.slice", .user_unit = "x.service" },
	{ .known = true, .uid = 1000, .gid = 1000, .changed_credentials = true, .comm = "su" },
	{ .known = true, .uid = 1001, .gid = 1001, .nice = -5, .comm = "other",
	  .container = "0123456789abcdef" },
	{ .known = false },
};

/* The helper's end; and its page, which is large. */
static int there = -1;
static struct helper_page shared;

static void read_facts(struct process *process, pid_t pid)
{
	const unsigned int index = (unsigned int)(pid - KERNEL_FIRST_PID);

	*process = index < KERNEL_PIDS ? known[index] : (struct process){ 0 };
	process->pid = pid;
}

void __wrap_process_read_owner(struct process *process, pid_t pid)
{
	struct process all;

	read_facts(&all, pid);
	*process = (struct process){
		.pid = pid, .known = all.known, .uid = all.uid, .gid = all.gid,
		.changed_credentials = all.changed_credentials, .nice = all.nice,
	};
}

int helper_start(struct helper *helper)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	there = fds[1];
	shared.whole.environ = NULL;
	*helper = (struct helper){ .pid = 1, .fd = fds[0], .page = &shared };
	return 0;
}

static int say(enum helper_answer answer)
{
	unsigned char byte = answer;

	return send(there, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -EPIPE;
}

int helper_ask(struct helper *helper, pid_t pid, enum helper_extent extent, bool with_cmdline)
{
	struct helper_page *page = helper->page;

	read_facts(&page->facts, pid);
	page->whole = page->facts;
	if (extent == HELPER_READ_REST && page->whole.known) {
		memcpy(page->environ, environment, sizeof(environment));
		page->whole.environ = page->environ;
		strcpy(page->cmdline, cmdline);
		page->whole.cmdline = with_cmdline ? page->cmdline : NULL;
	}
	if (say(HELPER_FACTS))
		return -EPIPE;
	return extent == HELPER_READ_FACTS ? 0 : say(HELPER_WHOLE);
}

int helper_read(struct helper *helper)
{
	unsigned char byte;
	ssize_t got = recv(helper->fd, &byte, 1, MSG_DONTWAIT);

	if (got < 0)
		return -errno;
	return got ? byte : -ECONNRESET;
}

void helper_wipe(struct helper *helper)
{
	if (helper->page)
		helper->page->whole.environ = NULL;
}

pid_t helper_kill(struct helper *helper)
{
	pid_t pid = helper->pid;

	if (!pid)
		return 0;
	close(helper->fd);
	close(there);
	*helper = (struct helper){ .fd = -1 };
	return pid;
}

bool helper_ended(pid_t pid)
{
	(void)pid;
	return true;
}
