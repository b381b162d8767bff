// SPDX-License-Identifier: MIT
/*
 * How much of the daemon's time the requests of a user may take.
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

static struct bucket *allowance_find(struct allowance *allowance, uid_t uid)
{
	struct allowance_user *oldest = allowance->users;

	for (size_t i = 0; i < allowance->count; i++) {
		struct allowance_user *user = &allowance->users[i];

		if (user->uid == uid)
			return &user->bucket;
		if (user->bucket.filled_ns < oldest->bucket.filled_ns)
			oldest = user;
	}
	if (allowance->count < ALLOWANCE_USERS)
		oldest = &allowance->users[allowance->count++];
	*oldest = (struct allowance_user){ .uid = uid };
	return &oldest->bucket;
}

static uint64_t allowance_until(struct bucket *bucket, uint64_t now_ns,
				unsigned int permille, uint64_t room_ns)
{
	uint64_t left = bucket_fill(bucket, now_ns, permille, room_ns);

	return left < REQUEST_NS ? (REQUEST_NS - left) * 1000 / permille + 1000 : 0;
}

uint64_t allowance_wait(struct allowance *allowance, uid_t uid, uint64_t now_ns)
{
	uint64_t own = allowance_until(allowance_find(allowance, uid), now_ns,
				       USER_PERMILLE, USER_ROOM_NS);
	uint64_t all = allowance_until(&allowance->all, now_ns, ALL_PERMILLE,
				       ALL_ROOM_NS);

	return own > all ? own : all;
}

void allowance_charge(struct allowance *allowance, uid_t uid, uint64_t now_ns,
		      uint64_t taken_ns)
{
	struct bucket *own = allowance_find(allowance, uid);

	if (taken_ns < REQUEST_NS)
		taken_ns = REQUEST_NS;
	bucket_fill(own, now_ns, USER_PERMILLE, USER_ROOM_NS);
	bucket_take(own, taken_ns);
	bucket_fill(&allowance->all, now_ns, ALL_PERMILLE, ALL_ROOM_NS);
	bucket_take(&allowance->all, taken_ns);
}
