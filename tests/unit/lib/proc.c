// SPDX-License-Identifier: MIT
/* See proc.h. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc.h"

void proc_status(pid_t pid, const char *key, char value[PROC_WORD])
{
	const size_t length = strlen(key);
	char path[64], line[256];
	FILE *file;

	*value = '\0';
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, key, length) && line[length] == ':')
			sscanf(line + length + 1, "%63s", value);
	fclose(file);
}

void proc_write_map(pid_t pid, const char *name, const char *map)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, map, strlen(map)), strlen(map));
	close(fd);
}
