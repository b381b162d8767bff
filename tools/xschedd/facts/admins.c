// SPDX-License-Identifier: MIT
/*
 * Members of the group that may do everything.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <grp.h>
#include <pwd.h>
#include <stddef.h>

#include "base/clock.h"
#include "facts/admins.h"

#define MAX_GROUPS	1024
#define KEEP_NS		10000000000ULL
#define USERS		32

/* The last answer about the group, and until when it counts. */
static struct {
	uint64_t until_ns;
	bool known;
	gid_t gid;
} kept_group;

/* The last answers about users, as a ring. */
static struct {
	uint64_t until_ns;
	uid_t uid;
	bool member;
} kept_users[USERS];

bool admins_group(gid_t *gid)
{
	uint64_t now = clock_ns();

	if (now >= kept_group.until_ns) {
		const struct group *group = getgrnam(ADMIN_GROUP);

		kept_group.until_ns = now + KEEP_NS;
		kept_group.known = group;
		kept_group.gid = group ? group->gr_gid : 0;
	}
	*gid = kept_group.gid;
	return kept_group.known;
}

static bool admins_look_up(uid_t uid, gid_t gid)
{
	const struct passwd *passwd = getpwuid(uid);
	gid_t groups[MAX_GROUPS];
	int count = MAX_GROUPS;

	if (!passwd ||
	    getgrouplist(passwd->pw_name, passwd->pw_gid, groups, &count) < 0)
		return false;
	for (int i = 0; i < count; i++)
		if (groups[i] == gid)
			return true;
	return false;
}

bool admins_contain(uid_t uid)
{
	static size_t next;
	uint64_t now = clock_ns();
	size_t slot;
	gid_t gid;

	if (!admins_group(&gid))
		return false;
	for (slot = 0; slot < USERS; slot++)
		if (kept_users[slot].uid == uid && kept_users[slot].until_ns > now)
			return kept_users[slot].member;
	slot = next++ % USERS;
	kept_users[slot].uid = uid;
	kept_users[slot].member = admins_look_up(uid, gid);
	kept_users[slot].until_ns = now + KEEP_NS;
	return kept_users[slot].member;
}
