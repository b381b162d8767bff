// SPDX-License-Identifier: MIT
/*
 * How much of the daemon's time the requests of an account may take.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "base/allowance.h"

/* A request costs at least this, however quickly it was answered. */
#define REQUEST_NS	1000000ULL

/* Of the time, and how much of it can be saved up: 100 requests, then 50 a second. */
#define USER_PERMILLE	50
#define USER_ROOM_NS	(100 * REQUEST_NS)
#define ALL_PERMILLE	200
#define ALL_ROOM_NS	(400 * REQUEST_NS)

/* The buckets that a request is taken from. */
#define BUCKETS		3

/**
 * struct share - a bucket, and how fast it fills
 * @bucket: bucket
 * @permille: of the time
 * @room_ns: most that can be saved up
 */
struct share {
	struct bucket *bucket;
	unsigned int permille;
	uint64_t room_ns;
};

static struct bucket *allowance_find(struct allowance *allowance,
				     const struct account *account)
{
	struct allowance_part *oldest = allowance->parts;

	for (size_t i = 0; i < allowance->count; i++) {
		struct allowance_part *part = &allowance->parts[i];

		if (account_is(&part->account, account))
			return &part->bucket;
		if (part->bucket.filled_ns < oldest->bucket.filled_ns)
			oldest = part;
	}
	if (allowance->count < ALLOWANCE_ACCOUNTS)
		oldest = &allowance->parts[allowance->count++];
	*oldest = (struct allowance_part){ .account = *account };
	return &oldest->bucket;
}

/* What a request of an account is taken from. Returns how many. */
static size_t allowance_shares(struct allowance *allowance, const struct account *account,
			       struct share shares[BUCKETS])
{
	const unsigned int parts = account_parts(account);
	size_t count = 0;

	shares[count++] = (struct share){ allowance_find(allowance, account),
					  USER_PERMILLE / parts, USER_ROOM_NS / parts };
	shares[count++] = (struct share){ &allowance->all, ALL_PERMILLE, ALL_ROOM_NS };
	if (account->known && !account->user)
		shares[count++] = (struct share){ &allowance->root, USER_PERMILLE,
						  USER_ROOM_NS };
	return count;
}

static uint64_t allowance_fill(const struct share *share, uint64_t now_ns)
{
	return bucket_fill(share->bucket, now_ns, share->permille, share->room_ns);
}

static uint64_t allowance_until(const struct share *share, uint64_t now_ns)
{
	uint64_t left = allowance_fill(share, now_ns);

	return left < REQUEST_NS ?
	       (REQUEST_NS - left) * 1000 / share->permille + 1000 : 0;
}

uint64_t allowance_wait(struct allowance *allowance, const struct account *account,
			uint64_t now_ns)
{
	struct share shares[BUCKETS];
	size_t count = allowance_shares(allowance, account, shares);
	uint64_t longest = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t wait_ns = allowance_until(&shares[i], now_ns);

		if (wait_ns > longest)
			longest = wait_ns;
	}
	return longest;
}

void allowance_charge(struct allowance *allowance, const struct account *account,
		      uint64_t now_ns, uint64_t taken_ns)
{
	const uint64_t cost_ns = taken_ns < REQUEST_NS ? REQUEST_NS : taken_ns;
	struct share shares[BUCKETS];
	size_t count = allowance_shares(allowance, account, shares);

	for (size_t i = 0; i < count; i++) {
		allowance_fill(&shares[i], now_ns);
		bucket_take(shares[i].bucket, cost_ns);
	}
}
