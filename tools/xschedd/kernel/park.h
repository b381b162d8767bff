/* SPDX-License-Identifier: MIT */
/*
 * Parks: tell the kernel which processes leave the GPUs when they have no work, and see
 * which have. That they leave and come back is up to the kernel alone.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PARK_H
#define XSCHEDD_PARK_H

#include "state/state.h"

/** park_tell() - tell what the rating of a task says of it now, if the kernel does not know that */
void park_tell(struct sched *sched, struct task *task);

/** park_tell_all() - a new client has told nothing: tell all that the former one had */
void park_tell_all(struct sched *sched);

/** park_look() - look which tasks are parked: one LIST. If that fails, none is */
void park_look(const struct sched *sched);

#endif /* XSCHEDD_PARK_H */
