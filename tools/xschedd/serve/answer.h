/* SPDX-License-Identifier: MIT */
/*
 * A request of HTTP, and its answer.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ANSWER_H
#define XSCHEDD_ANSWER_H

#include <json-c/json.h>
#include <microhttpd.h>

#include "facts/peer.h"

/** Longest body of a request. */
#define HTTP_BODY	4096

/**
 * struct http_request - a request that has arrived
 * @connection: for its query
 * @method: "GET", "POST"...
 * @path: without the query
 * @peer: the user who asks
 * @body: what came with it
 * @length: of @body
 */
struct http_request {
	struct MHD_Connection *connection;
	const char *method;
	const char *path;
	struct peer peer;
	char body[HTTP_BODY];
	size_t length;
};

/**
 * struct http_answer - an answer
 * @status: HTTP's
 * @type: of @text
 * @text: body, to be freed; NULL: out of memory
 */
struct http_answer {
	unsigned int status;
	const char *type;
	char *text;
};

/** answer_json() - answer with an object, and free it */
void answer_json(struct http_answer *answer, unsigned int status,
		 struct json_object *object);

/** answer_error() - answer with {"error": ...}, as XSched's server does */
void answer_error(struct http_answer *answer, unsigned int status,
		  const char *message);

#endif /* XSCHEDD_ANSWER_H */
