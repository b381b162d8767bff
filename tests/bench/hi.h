/* SPDX-License-Identifier: MIT */
/* hi: a process with a queue, which runs kernels as it is told. */
#ifndef HI_H
#define HI_H

#include <stdint.h>
#include <sys/types.h>

/**
 * struct hi_answer - what hi says of a kernel
 * @ret: 0 or -errno
 * @begin: just before it was submitted, CLOCK_MONOTONIC
 * @end: when its signal was seen
 */
struct hi_answer {
	int ret;
	uint64_t begin;
	uint64_t end;
};

/* Start it, for so many kernels: its pid, or -errno. @sock: out, what the others take. */
pid_t hi_start(unsigned int kernels, int *sock);

/* Have it run a kernel that takes so long: 0 or -errno. */
int hi_tell(int sock, uint64_t ns);

/* Wait for what it says of that: 0 or -errno. */
int hi_hear(int sock, struct hi_answer *a);

#endif /* HI_H */
