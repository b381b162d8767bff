// SPDX-License-Identifier: MIT
/*
 * Numbers for names.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"

/**
 * struct group_entry - a name in use
 * @name: name
 * @id: its number
 * @users: how often it is in use
 */
struct group_entry {
	char *name;
	uint64_t id;
	size_t users;
};

uint64_t groups_get(struct groups *groups, const char *name)
{
	struct group_entry *larger, *entry;

	for (size_t i = 0; i < groups->count; i++) {
		if (strcmp(groups->groups[i].name, name))
			continue;
		groups->groups[i].users++;
		return groups->groups[i].id;
	}
	larger = realloc(groups->groups, (groups->count + 1) * sizeof(*larger));
	if (!larger)
		return 0;
	groups->groups = larger;
	entry = &larger[groups->count];
	*entry = (struct group_entry){ .name = strdup(name), .users = 1 };
	if (!entry->name)
		return 0;
	entry->id = ++groups->last;
	groups->count++;
	return entry->id;
}

void groups_put(struct groups *groups, uint64_t id)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (groups->groups[i].id != id)
			continue;
		if (--groups->groups[i].users)
			return;
		free(groups->groups[i].name);
		groups->groups[i] = groups->groups[--groups->count];
		return;
	}
}

void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->groups[i].name);
	free(groups->groups);
	*groups = (struct groups){ 0 };
}
