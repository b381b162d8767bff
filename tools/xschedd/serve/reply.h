/* SPDX-License-Identifier: MIT */
/*
 * Answers: carry out a request, and report the result. reply.c checks
 * permissions, for the control socket and for HTTP.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_REPLY_H
#define XSCHEDD_REPLY_H

#include <json-c/json.h>

#include "facts/peer.h"
#include "serve/host.h"
#include "serve/protocol.h"

/**
 * reply_to() - carry out a request
 * @host: what it is about
 * @peer: user who asks
 * @request: request
 *
 * Return: the answer, owned by the caller. NULL: out of memory; for
 * COMMAND_RULES: the process is to be read, for reply_with_facts(); for COMMAND_RELOAD:
 * LOOKUP_NAMES is to be asked, for reply_with_names().
 */
struct json_object *reply_to(const struct host *host,
			     const struct peer *peer,
			     const struct request *request);

/** reply_with_facts() - answer COMMAND_RULES, by facts that have been read */
struct json_object *reply_with_facts(const struct sched *sched,
				     const struct peer *peer,
				     const struct process *process);

/** reply_with_names() - answer COMMAND_RELOAD, when LOOKUP_NAMES has come to @result */
struct json_object *reply_with_names(const struct host *host, const struct peer *peer,
				     int result);

/** reply_set_level() - set the preemption level of a process, 2 or 3; the answer, likewise */
struct json_object *reply_set_level(const struct host *host, const struct peer *peer,
				    pid_t pid, int level);

/** reply_error() - what an answer says: 0 or a negative errno */
int reply_error(struct json_object *reply);

#endif /* XSCHEDD_REPLY_H */
