/* SPDX-License-Identifier: MIT */
/*
 * Queues suspended as a debugger does it: AMDKFD_IOC_DBG_TRAP, one call a
 * process, which the caller must trace. What there is in amdkfd to compare a
 * switch of ours with.
 */
#ifndef DEBUGTRAP_H
#define DEBUGTRAP_H

#include "fleet.h"

/* Trace all processes of the fleet and begin to debug them; 0 or -errno. */
int debugtrap_attach(const struct fleet *f);

/* Suspend all their queues, or let them go on: how many there were, or -errno. */
int debugtrap_suspend(const struct fleet *f);
int debugtrap_resume(const struct fleet *f);

/* They stay traced until they end. */
void debugtrap_detach(const struct fleet *f);

#endif /* DEBUGTRAP_H */
