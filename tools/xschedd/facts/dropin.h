/* SPDX-License-Identifier: MIT */
/*
 * Drop-ins, as systemd has them: the files *.conf of several directories,
 * sorted by name. Of files with the same name, the one in the first directory
 * counts, so that an empty file, or a link to /dev/null, masks another.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_DROPIN_H
#define XSCHEDD_DROPIN_H

#include <stddef.h>

/**
 * dropin_list() - find the drop-ins
 * @directories: where to look, most important first; a missing one is empty
 * @count: number of @directories
 * @out: out, paths in the order in which to read them; set on success only
 *
 * Return: number of paths, or a negative errno.
 */
int dropin_list(const char *const *directories, size_t count, char ***out);

/** dropin_free() - free what dropin_list() gave */
void dropin_free(char **paths, int count);

#endif /* XSCHEDD_DROPIN_H */
