// SPDX-License-Identifier: MIT
/* An input of several files. */
#include "parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[64];

void parts_split(struct parts *parts, const uint8_t *data, size_t size)
{
	const size_t mark = strlen(PARTS_MARK);

	parts->count = 0;
	while (parts->count < PARTS_MOST - 1) {
		const uint8_t *end = memmem(data, size, PARTS_MARK, mark);

		if (!end)
			break;
		parts->text[parts->count] = data;
		parts->size[parts->count++] = end - data;
		size -= end - data + mark;
		data = end + mark;
	}
	parts->text[parts->count] = data;
	parts->size[parts->count++] = size;
}

static void remove_directory(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	if (system(command))
		perror(directory);
}

const char *parts_directory(void)
{
	if (*directory)
		return directory;
	strcpy(directory, "/tmp/xsched-fuzz-XXXXXX");
	if (!mkdtemp(directory)) {
		perror(directory);
		abort();
	}
	atexit(remove_directory);
	return directory;
}

void parts_put(const struct parts *parts, size_t index, const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", parts_directory(), name);
	if (index >= parts->count) {
		unlink(path);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, parts->text[index], parts->size[index]) !=
	    (ssize_t)parts->size[index]) {
		perror(path);
		abort();
	}
	close(fd);
}
