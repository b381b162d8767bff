// SPDX-License-Identifier: MIT
/*
 * Find drop-ins.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/dropin.h"

struct paths {
	char **paths;
	int count;
};

static const char *dropin_name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

static int dropin_is_one(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length > 5 &&
	       !strcmp(entry->d_name + length - 5, ".conf");
}

static int dropin_add(struct paths *found, const char *directory, const char *name)
{
	char **larger;

	for (int i = 0; i < found->count; i++)
		if (!strcmp(dropin_name_of(found->paths[i]), name))
			return 0;
	larger = realloc(found->paths, (found->count + 1) * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	found->paths = larger;
	if (asprintf(&larger[found->count], "%s/%s", directory, name) < 0)
		return -ENOMEM;
	found->count++;
	return 0;
}

static int dropin_add_directory(struct paths *found, const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, dropin_is_one, NULL);
	int ret = 0;

	if (count < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	for (int i = 0; i < count; i++) {
		if (!ret)
			ret = dropin_add(found, directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

static int dropin_by_name(const void *a, const void *b)
{
	return strcmp(dropin_name_of(*(char *const *)a), dropin_name_of(*(char *const *)b));
}

int dropin_list(const char *const *directories, size_t count, char ***out)
{
	struct paths found = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++)
		ret = dropin_add_directory(&found, directories[i]);
	if (ret) {
		dropin_free(found.paths, found.count);
		return ret;
	}
	if (found.count)
		qsort(found.paths, found.count, sizeof(*found.paths), dropin_by_name);
	*out = found.paths;
	return found.count;
}

void dropin_free(char **paths, int count)
{
	for (int i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}
