/* SPDX-License-Identifier: MIT */
/*
 * The routes of XSched's server.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_FRONT_H
#define XSCHEDD_FRONT_H

#include "serve/answer.h"
#include "serve/host.h"

/**
 * front_answer() - XSched's routes
 * @host: what they are about
 * @request: request
 * @answer: out
 */
void front_answer(const struct host *host,
		  const struct http_request *request,
		  struct http_answer *answer);

#endif /* XSCHEDD_FRONT_H */
