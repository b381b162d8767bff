/* SPDX-License-Identifier: MIT */
/*
 * Map of 64-bit numbers to pointers: open addressing, linear probing.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHED_MAP_H
#define XSCHED_MAP_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct xsched_map - the map; begin with one set to zero
 * @slots: 2^@bits slots, or NULL while empty; a slot is free when its value is
 *	NULL
 * @bits: logarithm of the number of slots
 * @count: slots in use, at most three quarters of them
 */
struct xsched_map {
	struct xsched_map_slot {
		uint64_t key;
		void *value;
	} *slots;
	unsigned int bits;
	size_t count;
};

/** xsched_map_find() - value of @key, or NULL */
void *xsched_map_find(const struct xsched_map *map, uint64_t key);

/** xsched_map_reserve() - make room for one more; 0 or -ENOMEM */
int xsched_map_reserve(struct xsched_map *map);

/**
 * xsched_map_insert() - add what is not there yet
 * @map: map with room, see xsched_map_reserve()
 * @key: not in the map
 * @value: not NULL
 */
void xsched_map_insert(struct xsched_map *map, uint64_t key, void *value);

/** xsched_map_remove() - remove @key, which is in the map */
void xsched_map_remove(struct xsched_map *map, uint64_t key);

/** xsched_map_free() - free the slots, not the values, and empty the map */
void xsched_map_free(struct xsched_map *map);

#endif /* XSCHED_MAP_H */
