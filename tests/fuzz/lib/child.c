// SPDX-License-Identifier: MIT
/* Children of the daemon in the fuzzer's own process. */
#include "child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "base/privileges.h"

#define CHILDREN	32
#define FIRST_PID	5000
#define SURVIVES	4

/**
 * struct one - a child
 * @pid: its id; 0: there is none
 * @fd: its end of the socket
 * @kind: which helper
 * @run: what it does, as long as there are questions
 * @context: for @run
 */
static struct one {
	pid_t pid;
	int fd;
	enum child_kind kind;
	child_fn run;
	void *context;
} children[CHILDREN];

static uint8_t how_they_are[CHILD_KINDS];
static pid_t last_pid = FIRST_PID;

void children_are(enum child_kind kind, uint8_t how)
{
	how_they_are[kind] = how;
}

static struct one *find(pid_t pid)
{
	for (size_t i = 0; i < CHILDREN; i++)
		if (children[i].pid == pid)
			return &children[i];
	return NULL;
}

int child_start(struct child *child, const char *name, child_fn run, void *context)
{
	struct one *one = find(0);
	int fds[2];

	if (!one)
		abort();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		return -errno;
	*one = (struct one){
		.pid = ++last_pid, .fd = fds[1], .run = run, .context = context,
		.kind = strcmp(name, "xschedd-names") ? CHILDREN_FOR_PROC : CHILDREN_FOR_NAMES,
	};
	*child = (struct child){ .pid = one->pid, .fd = fds[0] };
	return 0;
}

static void end(struct one *one)
{
	if (one->fd >= 0)
		close(one->fd);
	one->fd = -1;
}

pid_t child_kill(struct child *child)
{
	pid_t pid = child->pid;

	if (!pid)
		return 0;
	end(find(pid));
	find(pid)->pid = 0;
	close(child->fd);
	*child = (struct child){ .fd = -1 };
	return pid;
}

/* The kind of one that was killed is not known any more: either says so. */
bool child_ended(pid_t pid)
{
	(void)pid;
	for (int i = 0; i < CHILD_KINDS; i++)
		if (how_they_are[i] & SURVIVES)
			return false;
	return true;
}

static bool is_asked(const struct one *one)
{
	char byte;

	return one->pid && one->fd >= 0 &&
	       recv(one->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* It takes one question for that, and has said nonsense. */
static void talk_nonsense(struct one *one)
{
	char byte = '?';

	if (recv(one->fd, &byte, 1, MSG_DONTWAIT) < 0 ||
	    send(one->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		end(one);
}

void children_run(void)
{
	for (struct one *one = children; one < children + CHILDREN; one++) {
		if (!is_asked(one))
			continue;
		switch (how_they_are[one->kind] % SURVIVES) {
		case 0:
			one->run(one->fd, one->context);
			break;
		case 2:
			end(one);
			break;
		case 3:
			talk_nonsense(one);
			break;
		}
	}
}

void privileges_drop(void)
{
}

void privileges_drop_to_read(void)
{
}

void privileges_drop_all(void)
{
}
