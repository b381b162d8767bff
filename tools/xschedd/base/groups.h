/* SPDX-License-Identifier: MIT */
/*
 * Numbers for the names of tenants with several processes, because the engine
 * takes numbers. Two names never share one, whatever the name of a cgroup.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_GROUPS_H
#define XSCHEDD_GROUPS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct groups - begin with one set to zero
 * @groups: those in use
 * @count: number of @groups
 * @last: number given out last
 */
struct groups {
	struct group_entry *groups;
	size_t count;
	uint64_t last;
};

/** groups_get() - number of a name, with one more user; 0: out of memory */
uint64_t groups_get(struct groups *groups, const char *name);

/** groups_put() - drop one user; 0 is ignored */
void groups_put(struct groups *groups, uint64_t id);

/** groups_free() - free what is left */
void groups_free(struct groups *groups);

#endif /* XSCHEDD_GROUPS_H */
