/* SPDX-License-Identifier: MIT */
/*
 * Whom something is charged to: as the kernel module does it, see kmod/model/account.c.
 *
 * It is the user; of a process in another user namespace, the owner of that namespace. What
 * uid 0 has is divided by cgroup, since it is the same in all containers of root.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ACCOUNT_H
#define XSCHEDD_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** A share, and all that are unknown together, may have one part in so many. */
#define ACCOUNT_SHARES	4

/**
 * struct account - whom it is charged to; zero: not known yet, which is one for all
 * @known: the rest counts
 * @user: user
 * @share: of uid 0: id of its cgroup, 0: none is known; of others 0
 */
struct account {
	bool known;
	uid_t user;
	uint64_t share;
};

/** account_of() - that of a user, and of a cgroup if the user is uid 0 */
struct account account_of(uid_t user, uint64_t cgroup);

/** account_is() - whether two are the same */
bool account_is(const struct account *account, const struct account *other);

/** account_same_user() - the same, or shares of one user; of those that are unknown: the same */
bool account_same_user(const struct account *account, const struct account *other);

/** account_parts() - by how much to divide what one user may have */
unsigned int account_parts(const struct account *account);

#endif /* XSCHEDD_ACCOUNT_H */
