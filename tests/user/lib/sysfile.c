// SPDX-License-Identifier: MIT
/* Small files of the kernel, for tests. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"

#define MAX_CHANGED	20	/* two of each of eight nodes, and some more */

/* What sysfile_set() has changed, and who is to put it back: children of a test may exit, too. */
static struct {
	char path[128];
	char usual[16];
} changed[MAX_CHANGED];
static unsigned int nr_changed;
static pid_t changer;

static int read_path(char *text, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t got = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	while (got < size && (n = read(fd, text + got, size - got)) > 0)
		got += (size_t)n;
	n = n < 0 ? -errno : got == size ? -EFBIG : (ssize_t)got;
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return (int)n;
}

int sysfile_read(char *text, size_t size, const char *path, ...)
{
	char full[256];
	va_list ap;

	va_start(ap, path);
	vsnprintf(full, sizeof(full), path, ap);
	va_end(ap);
	return read_path(text, size, full);
}

long sysfile_number(const char *path, ...)
{
	char full[256], text[64];
	va_list ap;
	int ret;

	va_start(ap, path);
	vsnprintf(full, sizeof(full), path, ap);
	va_end(ap);
	ret = read_path(text, sizeof(text), full);
	return ret < 0 ? ret : atol(text);
}

int sysfile_write(const char *text, const char *path, ...)
{
	size_t size = strlen(text);
	char full[256];
	va_list ap;
	ssize_t n;
	int fd;

	va_start(ap, path);
	vsnprintf(full, sizeof(full), path, ap);
	va_end(ap);
	fd = open(full, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, text, size);
	n = n < 0 ? -errno : (size_t)n == size ? 0 : -EIO;
	close(fd);
	return (int)n;
}

int sysfile_print(const char *path, const char *format, va_list ap)
{
	char text[96];

	vsnprintf(text, sizeof(text), format, ap);
	return sysfile_write(text, "%s", path);
}

static void put_back(void)
{
	unsigned int i;

	for (i = 0; i < nr_changed && getpid() == changer; i++)
		sysfile_write(changed[i].usual, "%s", changed[i].path);
}

/* Keep what the number is, unless that is known. */
static int keep(const char *path)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr_changed; i++)
		if (!strcmp(changed[i].path, path))
			return 0;
	if (i == MAX_CHANGED)
		return -ENOSPC;
	ret = read_path(changed[i].usual, sizeof(changed[i].usual), path);
	if (ret < 0)
		return ret;
	snprintf(changed[i].path, sizeof(changed[i].path), "%s", path);
	if (!nr_changed++) {
		changer = getpid();
		atexit(put_back);
	}
	return 0;
}

int sysfile_set(unsigned int value, const char *path, ...)
{
	char full[sizeof(changed->path)], text[16];
	va_list ap;
	int ret;

	va_start(ap, path);
	vsnprintf(full, sizeof(full), path, ap);
	va_end(ap);
	ret = keep(full);
	snprintf(text, sizeof(text), "%u", value);
	return ret ? ret : sysfile_write(text, "%s", full);
}

unsigned int sysfile_count(const char *text, const char *word)
{
	unsigned int count = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		count++;
	}
	return count;
}
