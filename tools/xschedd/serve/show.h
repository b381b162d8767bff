/* SPDX-License-Identifier: MIT */
/*
 * The state of the daemon, as JSON.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_SHOW_H
#define XSCHEDD_SHOW_H

#include <json-c/json.h>

#include "facts/peer.h"
#include "state/state.h"

/** show_new_text() - text of others: all but printable ASCII becomes "?", since JSON
 *  must be UTF-8, and a terminal would obey the rest
 */
struct json_object *show_new_text(const char *text);

/** show_list() - tenants the peer may see */
struct json_object *show_list(const struct sched *sched,
			      const struct peer *peer);

/** show_stats() - counters */
struct json_object *show_stats(const struct sched *sched);

/** show_policy() - policy in effect, all policies, and the options */
struct json_object *show_policy(const struct sched *sched);

/**
 * show_rating() - why a process has its priority
 * @sched: scheduler
 * @process: the process, just read
 */
struct json_object *show_rating(const struct sched *sched,
				const struct process *process);

#endif /* XSCHEDD_SHOW_H */
