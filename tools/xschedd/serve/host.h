/* SPDX-License-Identifier: MIT */
/*
 * The parts of the daemon that requests need.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_HOST_H
#define XSCHEDD_HOST_H

#include "base/allowance.h"
#include "facts/reader.h"
#include "facts/resolver.h"
#include "state/state.h"

struct audit;

/**
 * struct host - what requests are about
 * @event: loop
 * @sched: scheduler
 * @allowance: of users who are not administrators
 * @reader: of facts that clients ask for, and about clients: they come after what GPUs wait for
 * @resolver: looks up users and groups
 * @audit: records of requests about others' processes
 * @reload: reads the configuration again, after LOOKUP_NAMES: 0, or a negative errno and
 *	the reason in @error
 * @user: handed to @reload
 */
struct host {
	sd_event *event;
	struct sched *sched;
	struct allowance *allowance;
	struct reader *reader;
	struct resolver *resolver;
	struct audit *audit;
	int (*reload)(void *user, char *error, size_t size);
	void *user;
};

#endif /* XSCHEDD_HOST_H */
