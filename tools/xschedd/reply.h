/* SPDX-License-Identifier: MIT */
/*
 * Answers: carry out a request, say what came of it. Who may do what to whom is
 * decided in reply.c, for the control socket and for HTTP.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_REPLY_H
#define XSCHEDD_REPLY_H

#include <json-c/json.h>

#include "control.h"
#include "peer.h"
#include "protocol.h"

/**
 * reply_to() - carry out a request
 * @host: what it is about
 * @peer: who asks
 * @request: what
 *
 * Return: the answer, owned by the caller; NULL: out of memory.
 */
struct json_object *reply_to(const struct control_host *host,
			     const struct peer *peer,
			     const struct request *request);

/** reply_error() - an answer that says no: a negative errno, and a reason */
struct json_object *reply_error(int error, const char *message);

/** reply_ok() - an answer that says yes */
struct json_object *reply_ok(void);

/** peer_owns() - whether a process is the peer's own, as it was at first */
bool peer_owns(const struct peer *peer, const struct process *process);

/* ---- show.c: what there is ---------------------------------------------- */

/** show_list() - tenants the peer may see */
struct json_object *show_list(const struct sched *sched,
			      const struct peer *peer);

/** show_stats() - counters */
struct json_object *show_stats(const struct sched *sched);

/** show_policy() - policy in effect, what there is, and the options */
struct json_object *show_policy(const struct sched *sched);

/**
 * show_rating() - how a process comes by its priority
 * @sched: scheduler
 * @process: the process, just looked at
 */
struct json_object *show_rating(const struct sched *sched,
				const struct process *process);

#endif /* XSCHEDD_REPLY_H */
