/* SPDX-License-Identifier: MIT */
/* How long a client may hold without a sign of life, for tests. */
#ifndef LEASE_H
#define LEASE_H

#include "sysfile.h"

/*
 * For tests that are silent for longer than a usual lease while something is held, and for those
 * in real time, where the host may keep a client from running for as long.
 */
#define LEASE_PATIENT_MS	60000

/* Set watchdog_ms: 0 or -errno. When this process exits it is what it was. */
static inline int lease_set(unsigned int ms)
{
	return sysfile_set(ms, SYSFILE_GLOBAL "watchdog_ms");
}

#endif /* LEASE_H */
