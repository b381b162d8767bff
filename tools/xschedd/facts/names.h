/* SPDX-License-Identifier: MIT */
/*
 * Names of users and groups, and whose the numbers of users are. They come from the databases
 * of the system (NSS), which may take as long as they like. So they are asked at the start,
 * and from then on by a helper alone (see resolver.h): the daemon goes by what it has heard.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_NAMES_H
#define XSCHEDD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Group whose members may do everything. */
#define ADMIN_GROUP	"xsched-admin"

/** Whose numbers of users are, by range: subuid(5). */
#define SUBUID_PATH	"/etc/subuid"

/** Longest name. */
#define NAME_LENGTH	255

/** enum name_kind - what an answer is about */
enum name_kind {
	NAME_USER,
	NAME_GROUP,
	NAME_RANGE,
};

/**
 * struct name - an answer
 * @kind: what it is about
 * @found: there is such a user or group
 * @id: number of the user or of the group; of a range: of whose it is
 * @first: of a range: its first user
 * @count: of a range: how many
 * @name: of a user, or of a group
 */
struct name {
	enum name_kind kind;
	bool found;
	unsigned int id;
	unsigned int first;
	unsigned int count;
	char name[NAME_LENGTH + 1];
};

/** names_user() - number of a user; false: there is none of that name, or it is not known */
bool names_user(const char *name, unsigned int *uid);

/** names_group() - number of a group, likewise */
bool names_group(const char *name, unsigned int *gid);

/** names_admins() - number of the group whose members may do everything, likewise */
bool names_admins(gid_t *gid);

/** names_owner() - the user to whom a range belongs that has this user; else the user itself */
uid_t names_owner(uid_t uid);

/** names_look_up_rest() - look up what no configuration names: administrators and ranges */
void names_look_up_rest(void);

/** names_freeze() - from now on the databases are not asked in this process */
void names_freeze(void);

/** names_thaw() - ask them again, and forget all answers */
void names_thaw(void);

/** names_at() - one of those that are known, from 0; NULL: there is none */
const struct name *names_at(size_t index);

/** names_stage() - one that will be known; false: out of memory */
bool names_stage(const struct name *name);

/** names_unstage() - forget those that would be known */
void names_unstage(void);

/** names_install() - know those that were staged, and no others */
void names_install(void);

#endif /* XSCHEDD_NAMES_H */
