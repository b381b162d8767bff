/* SPDX-License-Identifier: MIT */
/*
 * Answers of the control socket: carry out a request, say what came of it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_REPLY_H
#define XSCHEDD_REPLY_H

#include <json-c/json.h>

#include "protocol.h"
#include "sched.h"

/**
 * struct peer - who asks
 * @uid: user
 * @admin: root or of the group xsched: may do everything
 */
struct peer {
	uid_t uid;
	bool admin;
};

/**
 * reply_to() - carry out a request
 * @sched: what it is about
 * @peer: who asks
 * @request: what
 *
 * Return: the answer, owned by the caller; NULL: out of memory.
 */
struct json_object *reply_to(struct sched *sched, const struct peer *peer,
			     const struct request *request);

/** reply_error() - an answer that says no: a negative errno, and a reason */
struct json_object *reply_error(int error, const char *message);

#endif /* XSCHEDD_REPLY_H */
