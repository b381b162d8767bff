/* SPDX-License-Identifier: MIT */
/*
 * Facts about processes: those of fuzz_kernel.h, and others that only connect.
 */
#ifndef FUZZ_FACTS_H
#define FUZZ_FACTS_H

#include <stdint.h>

#include "fuzz_kernel.h"

#define FACTS_FIRST_PID	KERNEL_FIRST_PID
/*
 * Root's user in a container that has the host's users; an administrator; a user in a namespace;
 * two other users.
 */
#define FACTS_CONTAINER	(KERNEL_FIRST_PID + KERNEL_PIDS)
#define FACTS_ADMIN	(FACTS_CONTAINER + 1)
#define FACTS_NAMESPACE	(FACTS_CONTAINER + 2)
#define FACTS_OTHERS	(FACTS_CONTAINER + 3)
#define FACTS_PIDS	(KERNEL_PIDS + 5)

/* From now on these of the processes, as bits, keep who reads about them waiting. */
void facts_withhold(uint8_t processes);

#endif /* FUZZ_FACTS_H */
