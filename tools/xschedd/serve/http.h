/* SPDX-License-Identifier: MIT */
/*
 * HTTP on loopback: metrics, and the routes of XSched's server. The daemon's
 * own loop serves it; without a connection it has nothing to do.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_HTTP_H
#define XSCHEDD_HTTP_H

#include <stdint.h>

#include "serve/host.h"

struct http;

/**
 * http_open() - listen on 127.0.0.1
 * @out: set on success only
 * @config: has the port
 * @host: what requests are about; stays in use
 *
 * Return: 0, -EADDRINUSE, or another negative errno. Failures are logged.
 */
int http_open(struct http **out, const struct config *config,
	      const struct host *host);

/** http_close() - stop listening and close all connections; or NULL */
void http_close(struct http *http);

#endif /* XSCHEDD_HTTP_H */
