/* SPDX-License-Identifier: MIT */
/*
 * Users: what the system's databases say of them, what the kernel says of who has connected over
 * the control socket, and those that do so in a session.
 */
#ifndef FUZZ_USERS_H
#define FUZZ_USERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define USER_GROUPS	2

/** enum user_end - what becomes known of a process that has connected */
enum user_end {
	USER_IS_THERE,
	USER_HAS_ENDED,
	USER_IS_GONE,		/* it is not even known what it was */
	USER_UNKNOWN,		/* this kernel cannot say */
};

/**
 * struct user - one that connects
 * @uid: user
 * @gid: primary group
 * @groups: others; 0: none
 * @pid: its process, see facts.h
 * @cgroup: of that, for the kernel's answer about TCP
 * @end: what became of that process
 */
struct user {
	uid_t uid;
	gid_t gid;
	gid_t groups[USER_GROUPS];
	pid_t pid;
	uint64_t cgroup;
	enum user_end end;
};

/* User @n of a session, whatever @n is; session.h lists them. */
const struct user *user_number(unsigned int n);

/* The next connection that is accepted from the control socket is this one's. */
void user_connects(const struct user *user);

#endif /* FUZZ_USERS_H */
