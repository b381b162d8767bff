// SPDX-License-Identifier: MIT
/*
 * User queues of DRM: debugfs has a directory client-ID for each open file, with its process in
 * proc_info, and in it a directory queue_N for each queue.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "drm.h"

#define CLIENTS	"/sys/kernel/debug/dri"

static unsigned int count_queues(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	unsigned int count = 0;

	while (directory && (entry = readdir(directory)))
		count += !strncmp(entry->d_name, "queue_", 6);
	if (directory)
		closedir(directory);
	return count;
}

/* Lines "pid: PID" and "comm: NAME". */
static void read_process(const char *path, struct drm_client *client)
{
	char file_path[PATH_MAX], line[128];
	FILE *file;

	if (snprintf(file_path, sizeof(file_path), "%s/proc_info", path) >= (int)sizeof(file_path))
		return;
	file = fopen(file_path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "pid: %d", &client->pid);
		sscanf(line, "comm: %63[^\n]", client->comm);
	}
	if (file)
		fclose(file);
}

int drm_each_client(const char *root, void *context,
		    void (*found)(void *context, const struct drm_client *client))
{
	char top[PATH_MAX], path[PATH_MAX];
	const struct dirent *entry;
	DIR *directory;

	snprintf(top, sizeof(top), "%s" CLIENTS, root);
	directory = opendir(top);
	if (!directory)
		return -errno;
	while ((entry = readdir(directory))) {
		struct drm_client client = { .comm = "?" };

		if (strncmp(entry->d_name, "client-", 7) ||
		    snprintf(path, sizeof(path), "%s/%s", top, entry->d_name) >= (int)sizeof(path))
			continue;
		client.queues = count_queues(path);
		if (!client.queues)
			continue;
		read_process(path, &client);
		found(context, &client);
	}
	closedir(directory);
	return 0;
}
