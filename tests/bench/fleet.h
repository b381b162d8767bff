/* SPDX-License-Identifier: MIT */
/*
 * A fleet: processes that own queues and do nothing else. Each queue has either
 * one kernel that fills the GPU and does not end, or no work.
 */
#ifndef FLEET_H
#define FLEET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kfd_xsched_entry;

/**
 * struct fleet_member - a process
 * @pid: its
 * @sock: closing it ends the process
 * @queues: how many it has
 * @ids: KFD's ids of them, in memory both sides see
 */
struct fleet_member {
	pid_t pid;
	int sock;
	unsigned int queues;
	uint32_t *ids;
};

/**
 * struct fleet - all of them
 * @members: processes
 * @count: how many
 * @save_fd: memory of their save areas
 * @waves: that fill the GPU
 */
struct fleet {
	struct fleet_member *members;
	unsigned int count;
	int save_fd;
	uint32_t waves;
};

/* Start @processes with @queues among them, evenly: 0 or -errno. */
int fleet_start(struct fleet *f, unsigned int processes, unsigned int queues, bool busy);

/* Wait until the waves are there again, if they are @busy: -ETIME. */
int fleet_settle(const struct fleet *f, bool busy);

/* Entries of a call that do @op to each of the first @count processes. */
void fleet_entries(const struct fleet *f, unsigned int count, uint32_t op,
		   struct kfd_xsched_entry *entries);

/* End them all. */
void fleet_stop(struct fleet *f);

#endif /* FLEET_H */
