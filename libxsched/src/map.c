// SPDX-License-Identifier: MIT
/*
 * Map of 64-bit numbers to pointers.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>

#include "map.h"

#define FIRST_BITS 6

/* Ids are consecutive: the multiplication spreads them over the top bits. */
static size_t home(const struct xsched_map *map, uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15ULL) >> (64 - map->bits);
}

static size_t mask(const struct xsched_map *map)
{
	return ((size_t)1 << map->bits) - 1;
}

/* Slot of @key, or the free one where it would go. There is always one free. */
static size_t probe(const struct xsched_map *map, uint64_t key)
{
	size_t i = home(map, key);

	while (map->slots[i].value && map->slots[i].key != key)
		i = (i + 1) & mask(map);
	return i;
}

void *xsched_map_find(const struct xsched_map *map, uint64_t key)
{
	return map->slots ? map->slots[probe(map, key)].value : NULL;
}

int xsched_map_reserve(struct xsched_map *map)
{
	struct xsched_map grown = { .bits = FIRST_BITS };

	if (map->slots && 4 * (map->count + 1) <= 3 * (mask(map) + 1))
		return 0;
	if (map->slots)
		grown.bits = map->bits + 1;
	grown.slots = calloc(mask(&grown) + 1, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; map->slots && i <= mask(map); i++)
		if (map->slots[i].value)
			xsched_map_insert(&grown, map->slots[i].key,
					  map->slots[i].value);
	free(map->slots);
	*map = grown;
	return 0;
}

void xsched_map_insert(struct xsched_map *map, uint64_t key, void *value)
{
	map->slots[probe(map, key)] =
		(struct xsched_map_slot){ .key = key, .value = value };
	map->count++;
}

void xsched_map_remove(struct xsched_map *map, uint64_t key)
{
	size_t hole = probe(map, key);
	size_t i = hole;

	/* Fill the hole with entries that a search would not find after it. */
	for (;;) {
		size_t wanted;

		i = (i + 1) & mask(map);
		if (!map->slots[i].value)
			break;
		wanted = home(map, map->slots[i].key);
		if (((i - wanted) & mask(map)) < ((i - hole) & mask(map)))
			continue;
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole].value = NULL;
	map->count--;
}

void xsched_map_free(struct xsched_map *map)
{
	free(map->slots);
	*map = (struct xsched_map){ 0 };
}
