/* SPDX-License-Identifier: MIT */
/*
 * A process of some user with many queues that have no work: in numbers in which workers, each with
 * memory of its own, find no room. What cannot be had is the test's end.
 */
#ifndef CROWD_H
#define CROWD_H

#include <sys/types.h>

/**
 * struct crowd - the process
 * @pid: of it
 * @sock: where it is told what to do, and answers
 */
struct crowd {
	pid_t pid;
	int sock;
};

/*
 * KFD counts the save area of each queue as a whole, though they share their memory. Let it, until
 * this process exits.
 */
void crowd_allow(void);

/* Start one with so many queues. */
void crowd_start(struct crowd *c, uid_t uid, unsigned int queues);

/* Have its first queue destroyed and created anew: 0 or -errno. */
int crowd_recreate(struct crowd *c);

/* Let it exit, with its queues. */
void crowd_stop(struct crowd *c);

#endif /* CROWD_H */
