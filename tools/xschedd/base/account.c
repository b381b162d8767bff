// SPDX-License-Identifier: MIT
/*
 * Whom something is charged to.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "base/account.h"

struct account account_of(uid_t user, uint64_t cgroup)
{
	return (struct account){ .known = true, .user = user,
				 .share = user ? 0 : cgroup };
}

bool account_is(const struct account *account, const struct account *other)
{
	return account_same_user(account, other) && account->share == other->share;
}

bool account_same_user(const struct account *account, const struct account *other)
{
	return account->known == other->known && account->user == other->user;
}

unsigned int account_parts(const struct account *account)
{
	return account->known && account->user ? 1 : ACCOUNT_SHARES;
}
