/* SPDX-License-Identifier: MIT */
/*
 * What runs together: the daemon, the kernel, its driver and its module.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_BUILD_H
#define XSCHEDD_BUILD_H

#include "state/state.h"

/** build_read() - read what is loaded, into &sched.build; there is a device */
void build_read(struct sched *sched);

#endif /* XSCHEDD_BUILD_H */
