/* SPDX-License-Identifier: MIT */
/*
 * How much of the daemon's time the requests of a user may take. GPU events come
 * first, and a user must not keep the daemon busy with requests.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ALLOWANCE_H
#define XSCHEDD_ALLOWANCE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/bucket.h"

/** Users with an account of their own. A further one replaces the user who asked least recently. */
#define ALLOWANCE_USERS	128

/**
 * struct allowance_user - of a user
 * @uid: user
 * @bucket: time that is left
 */
struct allowance_user {
	uid_t uid;
	struct bucket bucket;
};

/**
 * struct allowance - of all users; begin with one set to zero
 * @users: each
 * @count: number of @users
 * @all: of all users together, because one person may have many
 */
struct allowance {
	struct allowance_user users[ALLOWANCE_USERS];
	size_t count;
	struct bucket all;
};

/** allowance_wait() - nanoseconds until a user may ask, 0: now */
uint64_t allowance_wait(struct allowance *allowance, uid_t uid, uint64_t now_ns);

/** allowance_charge() - a request of a user has taken so long */
void allowance_charge(struct allowance *allowance, uid_t uid, uint64_t now_ns,
		      uint64_t taken_ns);

#endif /* XSCHEDD_ALLOWANCE_H */
