// SPDX-License-Identifier: MIT
/*
 * Count the user-space instructions of a process between two calls of getppid(), by
 * stepping through them one at a time.
 *
 *   count-steps PID COUNT	prints COUNT numbers, one a line
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSCALL_INSTRUCTION	0x050f
#define MOST_STEPS		10000000

static pid_t pid;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Let it go on, until it stops again. */
static void go(enum __ptrace_request how)
{
	int status;

	if (ptrace(how, pid, 0, 0))
		die("ptrace");
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
		fprintf(stderr, "count-steps: %d is gone\n", pid);
		exit(1);
	}
}

static void registers(struct user_regs_struct *regs)
{
	if (ptrace(PTRACE_GETREGS, pid, 0, regs))
		die("PTRACE_GETREGS");
}

/* Run to the entry of getppid(), and out of it. */
static void run_to_mark(void)
{
	struct user_regs_struct regs;

	do {
		go(PTRACE_SYSCALL);
		registers(&regs);
	} while (regs.orig_rax != SYS_getppid);
	go(PTRACE_SYSCALL);
}

/* Whether the next instruction is that call. */
static int at_mark(void)
{
	struct user_regs_struct regs;

	registers(&regs);
	if (regs.rax != SYS_getppid)
		return 0;
	return (ptrace(PTRACE_PEEKTEXT, pid, regs.rip, 0) & 0xffff) == SYSCALL_INSTRUCTION;
}

static long steps_to_mark(void)
{
	long n = 0;

	while (!at_mark() && n < MOST_STEPS) {
		go(PTRACE_SINGLESTEP);
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	int i, count, status;

	if (argc != 3 || (pid = atoi(argv[1])) <= 0 || (count = atoi(argv[2])) <= 0) {
		fprintf(stderr, "usage: count-steps PID COUNT\n");
		return 2;
	}
	alarm(120);
	if (ptrace(PTRACE_ATTACH, pid, 0, 0) || waitpid(pid, &status, 0) != pid)
		die("PTRACE_ATTACH");
	for (i = 0; i < count; i++) {
		run_to_mark();
		printf("%ld\n", steps_to_mark());
		fflush(stdout);
		go(PTRACE_SYSCALL);	/* into the second call */
		go(PTRACE_SYSCALL);	/* and out */
	}
	return ptrace(PTRACE_DETACH, pid, 0, 0) ? 1 : 0;
}
