/* SPDX-License-Identifier: MIT */
/*
 * HTTP on loopback: metrics, and the routes of XSched's server. Served by the
 * daemon's own loop: nobody connected, nothing to do.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_HTTP_H
#define XSCHEDD_HTTP_H

#include <json-c/json.h>
#include <microhttpd.h>

#include "control.h"
#include "peer.h"

struct http;

/** Longest body of a request. */
#define HTTP_BODY	4096

/**
 * struct http_request - a request that has arrived
 * @connection: for its query
 * @method: "GET", "POST"...
 * @path: without the query
 * @peer: who asks
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
 * struct http_answer - what is said
 * @status: HTTP's
 * @type: of @text
 * @text: body, to be freed; NULL: out of memory
 */
struct http_answer {
	unsigned int status;
	const char *type;
	char *text;
};

/**
 * http_open() - listen on 127.0.0.1
 * @out: set on success only
 * @port: port
 * @front: XSched's routes, too
 * @host: what requests are about; stays in use
 *
 * Return: 0, -EADDRINUSE, or another negative errno. Failures are logged.
 */
int http_open(struct http **out, uint16_t port, bool front,
	      const struct control_host *host);

/** http_close() - hang up and stop listening; or NULL */
void http_close(struct http *http);

/** http_json() - answer with an object, which is used up */
void http_json(struct http_answer *answer, unsigned int status,
	       struct json_object *object);

/** http_error() - answer with {"error": ...}, as XSched's server does */
void http_error(struct http_answer *answer, unsigned int status,
		const char *message);

/**
 * front_answer() - XSched's routes
 * @host: what they are about
 * @request: request
 * @answer: out
 */
void front_answer(const struct control_host *host,
		  const struct http_request *request,
		  struct http_answer *answer);

#endif /* XSCHEDD_HTTP_H */
