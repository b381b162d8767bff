/* SPDX-License-Identifier: MIT */
/*
 * Places for connections. There are so many for users, for administrators and for root, and
 * none of these can take another's. One account may have so many; and if all are taken, one
 * that has fewer than another takes a place of it. So each account finds a place, as long as
 * there are fewer accounts than places.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PLACES_H
#define XSCHEDD_PLACES_H

#include <sys/queue.h>

#include "base/account.h"

/** enum place_pool - for whom a place is */
enum place_pool {
	PLACES_OF_USERS,
	PLACES_OF_ADMINS,
	PLACES_OF_ROOT,
	PLACE_POOLS,
};

/**
 * struct place_limits - how many there are
 * @all: together
 * @of_account: of one account; of one that is a share, or unknown, a part of that
 */
struct place_limits {
	unsigned int all;
	unsigned int of_account;
};

/**
 * struct place - of a connection
 * @entry: in &places.taken, if @is_taken
 * @pool: where it is
 * @account: whose it is
 * @owner: the connection
 * @is_taken: by places_take()
 */
struct place {
	TAILQ_ENTRY(place) entry;
	enum place_pool pool;
	struct account account;
	void *owner;
	bool is_taken;
};

/**
 * struct places - all of them
 * @limits: of each pool
 * @taken: the newest last
 */
struct places {
	struct place_limits limits[PLACE_POOLS];
	TAILQ_HEAD(place_list, place) taken;
};

/** places_init() - begin with none taken */
void places_init(struct places *places, const struct place_limits limits[PLACE_POOLS]);

/**
 * places_take() - take one
 * @places: all
 * @place: with pool and account
 * @displaced: out: the place that was left for it, not taken any more; NULL: none
 *
 * Return: whether there is one.
 */
bool places_take(struct places *places, struct place *place, struct place **displaced);

/** places_leave() - give it back, if it was taken */
void places_leave(struct places *places, struct place *place);

#endif /* XSCHEDD_PLACES_H */
