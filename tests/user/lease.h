/* SPDX-License-Identifier: MIT */
/* How long a client may hold without a sign of life, for tests. */
#ifndef LEASE_H
#define LEASE_H

/* No client that waits for the CPU, on a busy machine, waits for so long. */
#define LEASE_PATIENT_MS	60000

/*
 * Set watchdog_ms: 0 or -errno. When this process exits it is what it was. With
 * LEASE_PATIENT_MS no client is ejected because the machine was slow.
 */
int lease_set(unsigned int ms);

#endif /* LEASE_H */
