// SPDX-License-Identifier: MIT
/*
 * Policies from shared objects. It makes system calls, unlike the engine.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xsched/object.h>
#include <xsched/policy.h>

#include "log.h"

#define PATH_ROOM	512

/* A user who can change the file has all rights of this process. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		xsched_log(XSCHED_LOG_ERROR, "policy %s: %s", path,
			   strerror(errno));
		return -errno;
	}
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	if ((st.st_uid && st.st_uid != geteuid()) ||
	    (st.st_mode & (S_IWGRP | S_IWOTH))) {
		xsched_log(XSCHED_LOG_ERROR,
			   "policy %s: others than its owner may write it",
			   path);
		return -EPERM;
	}
	return 0;
}

static int take(const char *path, const char **name)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct xsched_policy_ops *ops;
	int ret;

	if (!object) {
		xsched_log(XSCHED_LOG_ERROR, "policy %s", dlerror());
		return -ENOEXEC;
	}
	ops = dlsym(object, XSCHED_POLICY_SYMBOL);
	ret = ops ? xsched_policy_register(ops) : -ENOEXEC;
	if (ret) {
		xsched_log(XSCHED_LOG_ERROR, "policy %s: %s", path,
			   ops ? strerror(-ret) :
			   "no symbol " XSCHED_POLICY_SYMBOL);
		dlclose(object);
		return ret;
	}
	if (name)
		*name = ops->name;
	return 0;
}

int xsched_policy_load(const char *path, const char **name)
{
	char full[PATH_ROOM];
	int length, ret;

	if (!path || !*path)
		return -EINVAL;
	if (!strchr(path, '/')) {
		length = snprintf(full, sizeof(full), "%s/%s.so",
				  XSCHED_POLICY_DIR, path);
		if (length < 0 || (size_t)length >= sizeof(full))
			return -ENAMETOOLONG;
		path = full;
	}
	ret = check_file(path);
	return ret ? ret : take(path, name);
}
