/* SPDX-License-Identifier: MIT */
/*
 * Who changed something of another user's process, or tried to: one message each, with fields;
 * xschedd(8) lists them. What the policy does is in the trace.
 *
 * An account that is refused again and again gets AUDIT_REFUSED messages in AUDIT_WINDOW_S;
 * then one says how many were left out.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_AUDIT_H
#define XSCHEDD_AUDIT_H

#include <systemd/sd-event.h>

#include "facts/peer.h"
#include "serve/protocol.h"

#define AUDIT_REFUSED	10
#define AUDIT_WINDOW_S	10

struct audit;

/**
 * struct audit_record - one request
 * @peer: who asks
 * @request: for what
 * @known: whose process it is is known
 * @uid: that user
 * @comm: name of the process
 * @has_before: @before counts
 * @before: what is to be changed, before that
 * @has_after: @after counts
 * @after: the same after it
 * @error: what it came to: 0 or a negative errno
 */
struct audit_record {
	const struct peer *peer;
	const struct request *request;
	bool known;
	uid_t uid;
	char comm[32];
	bool has_before;
	int64_t before;
	bool has_after;
	int64_t after;
	int error;
};

/** audit_new() - begin; 0 or a negative errno */
int audit_new(struct audit **out, sd_event *event);

/** audit_free() - end, and say how many were left out; or NULL */
void audit_free(struct audit *audit);

/** audit_begin() - note whose process it is, before it may go */
void audit_begin(struct audit_record *record, const struct process *process);

/** audit_end() - write the record, unless the process is the user's own */
void audit_end(struct audit *audit, const struct audit_record *record);

#endif /* XSCHEDD_AUDIT_H */
