/* SPDX-License-Identifier: MIT */
/* Small files of the kernel, for tests. Everything returns -errno. */
#ifndef SYSFILE_H
#define SYSFILE_H

#include <stdarg.h>
#include <stddef.h>

#define SYSFILE_GLOBAL	"/sys/class/kfd_xsched/global/"
#define SYSFILE_STATE	"/sys/kernel/debug/kfd_xsched/state"
#define SYSFILE_ACCOUNTS	"/sys/kernel/debug/kfd_xsched/accounts"
#define SYSFILE_TRACE	"/sys/kernel/tracing/"

/* The whole file as a string: its length, -EFBIG if it is longer than @size - 1. */
int sysfile_read(char *text, size_t size, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

/* A file that is one number. */
long sysfile_number(const char *path, ...) __attribute__((format(printf, 1, 2)));

/* Write a string in one call: 0 or -errno. */
int sysfile_write(const char *text, const char *path, ...)
	__attribute__((format(printf, 2, 3)));

/* The same of a formatted string, up to 95 characters, into a file whose path is complete. */
int sysfile_print(const char *path, const char *format, va_list ap)
	__attribute__((format(printf, 2, 0)));

/*
 * Make the number in a file another one; what it was is put back when this process exits, however
 * often it is changed: 0 or -errno.
 */
int sysfile_set(unsigned int value, const char *path, ...) __attribute__((format(printf, 2, 3)));

/* How often a word occurs. */
unsigned int sysfile_count(const char *text, const char *word);

#endif /* SYSFILE_H */
