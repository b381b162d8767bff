/* SPDX-License-Identifier: MIT */
/*
 * How much of the daemon's time the requests of an account may take. GPU events come
 * first, and nobody must keep the daemon busy with requests.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ALLOWANCE_H
#define XSCHEDD_ALLOWANCE_H

#include <stddef.h>

#include "base/account.h"
#include "base/bucket.h"

/** Accounts with a bucket. A further one replaces the one that asked least recently. */
#define ALLOWANCE_ACCOUNTS	128

/**
 * struct allowance_part - of an account
 * @account: account
 * @bucket: time that is left
 */
struct allowance_part {
	struct account account;
	struct bucket bucket;
};

/**
 * struct allowance - of all accounts; begin with one set to zero
 * @parts: each
 * @count: number of @parts
 * @root: of all shares of uid 0 together
 * @all: of all together
 */
struct allowance {
	struct allowance_part parts[ALLOWANCE_ACCOUNTS];
	size_t count;
	struct bucket root;
	struct bucket all;
};

/** allowance_wait() - nanoseconds until an account may ask, 0: now */
uint64_t allowance_wait(struct allowance *allowance, const struct account *account,
			uint64_t now_ns);

/** allowance_charge() - a request of an account has taken so long */
void allowance_charge(struct allowance *allowance, const struct account *account,
		      uint64_t now_ns, uint64_t taken_ns);

#endif /* XSCHEDD_ALLOWANCE_H */
