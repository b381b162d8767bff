// SPDX-License-Identifier: MIT
/*
 * Names of users and groups, and whose the numbers of users are.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/names.h"

/**
 * struct table - answers
 * @names: each
 * @count: number of @names
 */
struct table {
	struct name *names;
	size_t count;
};

/* What is known, and what will be. */
static struct table known, staged;
static bool frozen;

/* ---- what is known ------------------------------------------------------ */

static void names_empty(struct table *table)
{
	free(table->names);
	*table = (struct table){ 0 };
}

static bool names_add(struct table *table, const struct name *name)
{
	struct name *larger = realloc(table->names, (table->count + 1) * sizeof(*larger));

	if (!larger)
		return false;
	table->names = larger;
	larger[table->count++] = *name;
	return true;
}

void names_freeze(void)
{
	frozen = true;
}

void names_thaw(void)
{
	names_empty(&known);
	frozen = false;
}

const struct name *names_at(size_t index)
{
	return index < known.count ? &known.names[index] : NULL;
}

bool names_stage(const struct name *name)
{
	return names_add(&staged, name);
}

void names_unstage(void)
{
	names_empty(&staged);
}

void names_install(void)
{
	names_empty(&known);
	known = staged;
	staged = (struct table){ 0 };
}

static const struct name *names_find(enum name_kind kind, const char *name)
{
	for (size_t i = 0; i < known.count; i++)
		if (known.names[i].kind == kind && !strcmp(known.names[i].name, name))
			return &known.names[i];
	return NULL;
}

/* ---- the databases ------------------------------------------------------ */

static void names_ask(struct name *answer)
{
	if (answer->kind == NAME_USER) {
		const struct passwd *passwd = getpwnam(answer->name);

		answer->found = passwd;
		answer->id = passwd ? passwd->pw_uid : 0;
	} else {
		const struct group *group = getgrnam(answer->name);

		answer->found = group;
		answer->id = group ? group->gr_gid : 0;
	}
}

static bool names_get(enum name_kind kind, const char *name, unsigned int *id)
{
	const struct name *found = names_find(kind, name);
	struct name answer = { .kind = kind };

	if (!found && !frozen && strlen(name) <= NAME_LENGTH) {
		strcpy(answer.name, name);
		names_ask(&answer);
		names_add(&known, &answer);
		found = &answer;
	}
	if (!found || !found->found)
		return false;
	*id = found->id;
	return true;
}

bool names_user(const char *name, unsigned int *uid)
{
	return names_get(NAME_USER, name, uid);
}

bool names_group(const char *name, unsigned int *gid)
{
	return names_get(NAME_GROUP, name, gid);
}

bool names_admins(gid_t *gid)
{
	return names_group(ADMIN_GROUP, gid);
}

/* ---- ranges ------------------------------------------------------------- */

/* "NAME:FIRST:COUNT", and NAME may be a number. */
static void names_add_range(const char *line)
{
	struct name range = { .kind = NAME_RANGE, .found = true };
	char owner[NAME_LENGTH + 1], *end;

	if (sscanf(line, "%255[^:]:%u:%u", owner, &range.first, &range.count) != 3)
		return;
	range.id = strtoul(owner, &end, 10);
	if (*end && !names_user(owner, &range.id))
		return;
	names_add(&known, &range);
}

void names_look_up_rest(void)
{
	FILE *file = fopen(SUBUID_PATH, "re");
	char line[512];
	gid_t admins;

	names_admins(&admins);
	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		names_add_range(line);
	fclose(file);
}

uid_t names_owner(uid_t uid)
{
	for (size_t i = 0; i < known.count; i++) {
		const struct name *range = &known.names[i];

		if (range->kind == NAME_RANGE && uid >= range->first &&
		    uid - range->first < range->count)
			return range->id;
	}
	return uid;
}
