/* SPDX-License-Identifier: MIT */
/*
 * The name of an error, as it is in <errno.h>.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef ERROR_NAME_H
#define ERROR_NAME_H

#include <errno.h>
#include <string.h>

/**
 * error_name() - for people and programs, where a number would be another on another architecture
 * @error: as errno is
 *
 * The GNU C library knows all names. Of others (musl), what daemon and kernel answer with has its name here.
 *
 * Return: the name; "EIO", if there is none.
 */
static inline const char *error_name(int error)
{
#ifdef __GLIBC__
	const char *name = strerrorname_np(error);

	return name ? name : "EIO";
#else
#define NAMED(name) case name: return #name
	switch (error) {
	NAMED(E2BIG);
	NAMED(EACCES);
	NAMED(EADDRINUSE);
	NAMED(EAGAIN);
	NAMED(EALREADY);
	NAMED(EBADF);
	NAMED(EBADMSG);
	NAMED(EBUSY);
	NAMED(ECANCELED);
	NAMED(ECONNREFUSED);
	NAMED(ECONNRESET);
	NAMED(EDEADLK);
	NAMED(EEXIST);
	NAMED(EFAULT);
	NAMED(EINPROGRESS);
	NAMED(EINTR);
	NAMED(EINVAL);
	NAMED(EISDIR);
	NAMED(EMFILE);
	NAMED(EMSGSIZE);
	NAMED(ENAMETOOLONG);
	NAMED(ENODATA);
	NAMED(ENODEV);
	NAMED(ENOENT);
	NAMED(ENOMEM);
	NAMED(ENOSPC);
	NAMED(ENOTCONN);
	NAMED(ENOTDIR);
	NAMED(ENOTTY);
	NAMED(ENXIO);
	NAMED(EOPNOTSUPP);
	NAMED(EOVERFLOW);
	NAMED(EOWNERDEAD);
	NAMED(EPERM);
	NAMED(EPIPE);
	NAMED(EPROTO);
	NAMED(ERANGE);
	NAMED(EREMOTEIO);
	NAMED(ESHUTDOWN);
	NAMED(ESRCH);
	NAMED(ESTALE);
	NAMED(ETIME);
	NAMED(ETIMEDOUT);
	NAMED(EUSERS);
	default: return "EIO";
	}
#undef NAMED
#endif
}

#endif
