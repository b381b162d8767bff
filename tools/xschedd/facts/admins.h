/* SPDX-License-Identifier: MIT */
/*
 * Members of the group that may do everything. The databases of users and groups
 * may be slow, so their answers are kept for ten seconds.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ADMINS_H
#define XSCHEDD_ADMINS_H

#include <stdbool.h>
#include <sys/types.h>

/** Group whose members may do everything. */
#define ADMIN_GROUP	"xsched-admin"

/** admins_group() - number of that group; false: there is none */
bool admins_group(gid_t *gid);

/** admins_contain() - whether a user is a member, by the databases */
bool admins_contain(uid_t uid);

#endif /* XSCHEDD_ADMINS_H */
