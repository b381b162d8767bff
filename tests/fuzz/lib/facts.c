// SPDX-License-Identifier: MIT
/*
 * Facts about processes, in place of /proc and of the daemon's helper
 * (tools/xschedd/facts/helper.c). This helper is a child as in child.h, and knows all by itself.
 */
#include "facts.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "facts/helper.h"

void __wrap_process_read_owner(struct process *process, pid_t pid);

static char cmdline[] = "python3 \"run\".py\t\xff\x01 --epochs 3";
static char environment[] = "JOB=night-1\0XSCHED_AUTO_XQUEUE_PRIORITY=9\0HOME=/\0";

/*
 * Root's; two of a user, of which one changed its credentials; another's; nobody's. Then those of
 * facts.h. Accounts are made when they are read.
 */
static const struct process known[FACTS_PIDS] = {
	{ .known = true, .own_users = true, .comm = "serve", .has_sys_nice = true,
	  .cgroup = "/system.slice/inference-1.service", .cgroup_id = 71,
	  .root_cgroup = "/system.slice/inference-1.service", .unit = "inference-1.service" },
	{ .known = true, .own_users = true, .uid = 1000, .euid = 1000, .gid = 1000, .nice = 5,
	  .comm = "a \"name\"\\", .cgroup = "/user.slice/x", .cgroup_id = 72,
	  .root_cgroup = "/user.slice", .user_unit = "x.service" },
	{ .known = true, .own_users = true, .uid = 1000, .gid = 1000,
	  .changed_credentials = true, .comm = "su" },
	{ .known = true, .own_users = true, .uid = 1001, .euid = 1001, .gid = 1001, .nice = -5,
	  .comm = "other\n\x1b[2J\xff", .container = "0123456789abcdef" },
	{ .known = false },
	{ .known = true, .own_users = true, .comm = "docker", .cgroup = "/c", .cgroup_id = 73 },
	{ .known = true, .own_users = true, .uid = 1002, .euid = 1002, .gid = 1002,
	  .comm = "xschedctl" },
	{ .known = true, .uid = 200001, .euid = 200001, .gid = 200001, .has_sys_nice = true,
	  .comm = "podman" },
	{ .known = true, .own_users = true, .uid = 1004, .euid = 1004, .gid = 1004, .comm = "d" },
	{ .known = true, .own_users = true, .uid = 1005, .euid = 1005, .gid = 1005, .comm = "e" },
};

/* Of the one in a user namespace, who made that. */
#define NAMESPACE_OWNER	1000

static uint8_t withheld;

void facts_withhold(uint8_t processes)
{
	withheld = processes;
}

static void read_all(struct process *process, pid_t pid)
{
	const unsigned int index = (unsigned int)(pid - FACTS_FIRST_PID);

	*process = index < FACTS_PIDS ? known[index] : (struct process){ 0 };
	process->pid = pid;
}

void __wrap_process_read_owner(struct process *process, pid_t pid)
{
	struct process all;

	read_all(&all, pid);
	*process = (struct process){
		.pid = pid, .known = all.known, .uid = all.uid, .euid = all.euid, .gid = all.gid,
		.changed_credentials = all.changed_credentials, .nice = all.nice,
		.has_sys_nice = all.has_sys_nice,
	};
}

/* ---- the helper's end ---------------------------------------------------- */

/* As process_read_facts(): who is in another namespace is not known yet. */
static void read_facts(struct process *process, pid_t pid)
{
	read_all(process, pid);
	process->has_facts = process->known;
	process->identified = process->own_users && !process->has_sys_nice;
	if (process->own_users)
		process->account = account_of(process->euid, process->cgroup_id);
}

static void identify(struct process *process)
{
	if (!process->known || process->identified)
		return;
	process->identified = true;
	process->nice_capable = process->own_users && process->has_sys_nice;
	process->account = account_of(process->own_users ? process->euid : NAMESPACE_OWNER,
				      process->cgroup_id);
}

static void read_rest(struct helper_page *page, bool with_cmdline)
{
	struct process *process = &page->whole;

	if (!process->known)
		return;
	memcpy(page->environ, environment, sizeof(environment));
	strcpy(page->cmdline, cmdline);
	strcpy(process->exe, "/usr/bin/python3.13");
	process->environ = page->environ;
	process->cmdline = with_cmdline ? page->cmdline : NULL;
	process->has_rest = true;
}

static bool is_withheld(const struct helper_question *question)
{
	const unsigned int index = (unsigned int)(question->pid - FACTS_FIRST_PID);

	return index < FACTS_PIDS && withheld >> index & 1;
}

static void say(int fd, enum helper_answer answer)
{
	unsigned char byte = answer;

	send(fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void answer(int fd, struct helper_page *page, const struct helper_question *question)
{
	read_facts(&page->facts, question->pid);
	say(fd, HELPER_FACTS);
	if (question->extent == HELPER_READ_FACTS || is_withheld(question))
		return;
	page->whole = page->facts;
	identify(&page->whole);
	if (question->extent == HELPER_READ_REST)
		read_rest(page, question->cmdline);
	say(fd, HELPER_WHOLE);
}

static void run(int fd, void *context)
{
	struct helper_question question;

	while (recv(fd, &question, sizeof(question), MSG_DONTWAIT) == sizeof(question))
		answer(fd, context, &question);
}

/* ---- the daemon's end ---------------------------------------------------- */

int helper_start(struct helper *helper, bool urgent)
{
	struct helper_page *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct child child;
	int ret;

	(void)urgent;
	if (page == MAP_FAILED)
		return -errno;
	ret = child_start(&child, "xschedd-reads", run, page);
	if (ret) {
		munmap(page, sizeof(*page));
		return ret;
	}
	*helper = (struct helper){ .child = child, .page = page };
	return 0;
}

int helper_ask(struct helper *helper, pid_t pid, enum helper_extent extent, bool with_cmdline)
{
	const struct helper_question question = { pid, extent, with_cmdline };

	return send(helper->child.fd, &question, sizeof(question),
		    MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int helper_read(struct helper *helper)
{
	unsigned char byte;
	ssize_t got = recv(helper->child.fd, &byte, 1, MSG_DONTWAIT);

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
	pid_t pid = child_kill(&helper->child);

	if (pid)
		munmap(helper->page, sizeof(*helper->page));
	helper->page = NULL;
	return pid;
}
