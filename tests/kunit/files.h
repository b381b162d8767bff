/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of sysfs and debugfs, as a program would use them.
 */
#ifndef KFD_XSCHED_FILES_H
#define KFD_XSCHED_FILES_H

#include <kunit/test.h>

struct file;

/* Open a file below the root of such a file system, or ERR_PTR(). */
struct file *xt_open_in(struct kunit *test, const char *fs, const char *path, int flags);

/* The content of a file, freed with the test; NULL if it cannot be opened. */
const char *xt_sysfs_read(struct kunit *test, const char *path);

/* The same for files of debugfs and tracefs. */
const char *xt_read_in(struct kunit *test, const char *fs, const char *path);

/* Write a file: 0 or -errno. */
int xt_sysfs_write(struct kunit *test, const char *path, const char *text);

/* The same for one that is open, and a read of it. */
int xt_file_write(struct file *file, const char *text);
int xt_file_read(struct file *file, char *text, size_t size);

/* How often a word occurs in a text. */
unsigned int xt_count(const char *text, const char *word);

#define XT_GLOBAL	"class/kfd_xsched/global/"

#endif /* KFD_XSCHED_FILES_H */
