// SPDX-License-Identifier: MIT
/* Users, in place of the system's databases and of the kernel's knowledge about sockets. */
#include "users.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "facts.h"
#include "facts/names.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD	77
#endif

#define ADMINS		4000
#define SOCKETS		1024

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
struct passwd *__wrap_getpwuid(uid_t uid);
struct passwd *__wrap_getpwnam(const char *name);
struct group *__wrap_getgrnam(const char *name);
int __wrap_getgrouplist(const char *user, gid_t group, gid_t *groups, int *count);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size);

/* ---- databases ----------------------------------------------------------- */

static struct passwd users[] = {
	{ .pw_name = "root", .pw_uid = 0, .pw_gid = 0 },
	{ .pw_name = "alice", .pw_uid = 1000, .pw_gid = 1000 },
	{ .pw_name = "bob", .pw_uid = 1001, .pw_gid = 1001 },
	{ .pw_name = "carol", .pw_uid = 1002, .pw_gid = 1002 },
	{ .pw_name = "many", .pw_uid = 1003, .pw_gid = 1003 },
};

static struct group groups[] = {
	{ .gr_name = "root", .gr_gid = 0 },
	{ .gr_name = "render", .gr_gid = 44 },
	{ .gr_name = ADMIN_GROUP, .gr_gid = ADMINS },
};

static char ranges[] =
	"alice:200000:65536\n1001:300000:1\nnobody:400000:10\n# none\n:1:1\nbob:9\n";

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

struct passwd *__wrap_getpwuid(uid_t uid)
{
	for (size_t i = 0; i < COUNT(users); i++)
		if (users[i].pw_uid == uid)
			return &users[i];
	return NULL;
}

struct passwd *__wrap_getpwnam(const char *name)
{
	for (size_t i = 0; i < COUNT(users); i++)
		if (!strcmp(users[i].pw_name, name))
			return &users[i];
	return NULL;
}

struct group *__wrap_getgrnam(const char *name)
{
	for (size_t i = 0; i < COUNT(groups); i++)
		if (!strcmp(groups[i].gr_name, name))
			return &groups[i];
	return NULL;
}

/* One is in more groups than there is room for. */
int __wrap_getgrouplist(const char *user, gid_t group, gid_t *of, int *count)
{
	if (!strcmp(user, "many"))
		return -1;
	of[0] = group;
	of[1] = ADMINS;
	*count = strcmp(user, "carol") ? 1 : 2;
	return *count;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return strcmp(path, SUBUID_PATH) ? __real_fopen(path, mode) :
					   fmemopen(ranges, strlen(ranges), "r");
}

/* ---- who connects -------------------------------------------------------- */

/*
 * Root; two users; root's user in a container; an administrator; a user in a namespace; one
 * whose process has ended; one of whom little is known; two more.
 */
static const struct user connecting[] = {
	{ .pid = FACTS_FIRST_PID, .cgroup = 71 },
	{ .uid = 1000, .gid = 1000, .pid = FACTS_FIRST_PID + 1, .cgroup = 72 },
	{ .uid = 1001, .gid = 1001, .groups = { 44 }, .pid = FACTS_FIRST_PID + 3 },
	{ .pid = FACTS_CONTAINER, .cgroup = 73, .end = USER_UNKNOWN },
	{ .uid = 1002, .gid = 1002, .groups = { 44, ADMINS }, .pid = FACTS_ADMIN, .cgroup = 74 },
	{ .uid = 200001, .gid = 200001, .pid = FACTS_NAMESPACE },
	{ .uid = 1000, .gid = ADMINS, .pid = FACTS_FIRST_PID + 1, .end = USER_HAS_ENDED },
	{ .uid = 1003, .gid = 1003, .pid = FACTS_FIRST_PID + 4, .end = USER_IS_GONE },
	{ .uid = 1004, .gid = 1004, .pid = FACTS_OTHERS },
	{ .uid = 1005, .gid = 1005, .pid = FACTS_OTHERS + 1 },
};

const struct user *user_number(unsigned int n)
{
	return &connecting[n % COUNT(connecting)];
}

/* Those to be accepted, as a ring; and of each socket, who it was. */
static const struct user *coming[SOCKETS], *by_fd[SOCKETS];
static unsigned int came, accepted;

void user_connects(const struct user *user)
{
	coming[came++ % SOCKETS] = user;
}

static int say_who(int fd, struct ucred *credentials)
{
	const struct user *user;

	if (fd >= SOCKETS || accepted == came)
		abort();
	user = by_fd[fd] = coming[accepted++ % SOCKETS];
	*credentials = (struct ucred){ .pid = user->pid, .uid = user->uid, .gid = user->gid };
	return 0;
}

static int say_groups(const struct user *user, gid_t *of, socklen_t *size)
{
	socklen_t count = 0;

	if (user->end == USER_IS_GONE) {
		errno = ENODATA;
		return -1;
	}
	while (count < USER_GROUPS && user->groups[count]) {
		of[count] = user->groups[count];
		count++;
	}
	*size = count * sizeof(*of);
	return 0;
}

/* Readable means that it has ended. */
static int say_end(const struct user *user, int *pidfd)
{
	switch (user->end) {
	case USER_IS_GONE:
		errno = ESRCH;
		return -1;
	case USER_UNKNOWN:
		errno = ENOPROTOOPT;
		return -1;
	default:
		*pidfd = eventfd(user->end == USER_HAS_ENDED, EFD_CLOEXEC);
		return *pidfd < 0 ? -1 : 0;
	}
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
	if (level != SOL_SOCKET || fd < 0)
		abort();
	switch (name) {
	case SO_PEERCRED:
		return say_who(fd, value);
	case SO_PEERGROUPS:
		return say_groups(by_fd[fd], value, size);
	case SO_PEERPIDFD:
		return say_end(by_fd[fd], value);
	default:
		abort();
	}
}
