// SPDX-License-Identifier: MIT
/*
 * Places for connections.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stddef.h>

#include "base/places.h"

void places_init(struct places *places, const struct place_limits limits[PLACE_POOLS])
{
	*places = (struct places){ 0 };
	for (int i = 0; i < PLACE_POOLS; i++)
		places->limits[i] = limits[i];
	TAILQ_INIT(&places->taken);
}

static unsigned int places_count(const struct places *places, const struct place *like,
				 bool (*same)(const struct account *account,
					      const struct account *other))
{
	const struct place *place;
	unsigned int count = 0;

	TAILQ_FOREACH(place, &places->taken, entry)
		count += place->pool == like->pool &&
			 same(&place->account, &like->account);
	return count;
}

static unsigned int places_of(const struct places *places, const struct place *place)
{
	return places_count(places, place, account_is);
}

/* Whether its account, or share, may have one more. */
static bool places_allow(const struct places *places, const struct place *place)
{
	const unsigned int most = places->limits[place->pool].of_account;

	return places_of(places, place) < most / account_parts(&place->account);
}

/* Among which a place has to be found: all of its pool, those of its user, or none. */
typedef bool (*places_fn)(const struct account *account, const struct account *other);

static bool places_any(const struct account *account, const struct account *other)
{
	(void)account;
	(void)other;
	return true;
}

static places_fn places_shortage(const struct places *places, const struct place *place)
{
	const struct place_limits *limits = &places->limits[place->pool];

	if (places_count(places, place, account_same_user) >= limits->of_account)
		return account_same_user;
	return places_count(places, place, places_any) >= limits->all ? places_any : NULL;
}

/* The newest place of the account that has most; NULL: none has more than this one would. */
static struct place *places_find_surplus(struct places *places, const struct place *wanted,
					 places_fn among)
{
	unsigned int most = places_of(places, wanted) + 1;
	struct place *place, *found = NULL;

	TAILQ_FOREACH(place, &places->taken, entry) {
		unsigned int count = places_of(places, place);

		if (place->pool != wanted->pool || count <= most - !!found ||
		    !among(&place->account, &wanted->account))
			continue;
		most = count;
		found = place;
	}
	return found;
}

bool places_take(struct places *places, struct place *place, struct place **displaced)
{
	places_fn among = places_shortage(places, place);

	*displaced = NULL;
	if (!places_allow(places, place))
		return false;
	if (among) {
		*displaced = places_find_surplus(places, place, among);
		if (!*displaced)
			return false;
		places_leave(places, *displaced);
	}
	TAILQ_INSERT_TAIL(&places->taken, place, entry);
	place->is_taken = true;
	return true;
}

void places_leave(struct places *places, struct place *place)
{
	if (place->is_taken)
		TAILQ_REMOVE(&places->taken, place, entry);
	place->is_taken = false;
}
