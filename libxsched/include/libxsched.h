/* SPDX-License-Identifier: MIT */
/*
 * libxsched: schedule the user queues of AMD GPUs through kfd_xsched.ko.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 *
 * Three layers, each on top of the one before and usable without the next:
 *
 *   xsched/sys.h     one function per ioctl, and the read of events
 *   xsched/object.h  devices, nodes, queue lists, switches (APPLY)
 *   xsched/engine.h  which processes to hold: events and time in, a plan out
 *
 * Conventions
 * -----------
 *  - A function that can fail returns 0 (or a count) or a negative errno. The
 *    errnos of the kernel pass through unchanged; uapi/linux/kfd_xsched.h has
 *    their table.
 *  - The library never prints, exits, aborts, forks, changes signal handlers
 *    or the locale. What an errno cannot express goes to the callback of
 *    xsched_set_log().
 *  - There is no hidden thread and no lock. Different objects may be used from
 *    different threads at the same time; one object by one thread at a time.
 *    Functions that are exceptions say so.
 *  - Times are CLOCK_MONOTONIC in nanoseconds where a name ends in _ns, and
 *    microseconds where it ends in _us.
 */
#ifndef LIBXSCHED_H
#define LIBXSCHED_H

#include <xsched/sys.h>
#include <xsched/object.h>
#include <xsched/engine.h>

#endif /* LIBXSCHED_H */
