/* SPDX-License-Identifier: MIT */
/*
 * A connection of the control socket: lines in, lines out.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_CLIENT_H
#define XSCHEDD_CLIENT_H

#include "facts/peer.h"
#include "serve/host.h"

struct client;

/** typedef client_gone_fn - a connection is over and about to be freed */
typedef void (*client_gone_fn)(void *context, struct client *client);

/** typedef client_admit_fn - whether a connection may stay whose uid 0 is no administrator */
typedef bool (*client_admit_fn)(void *context, const struct peer *peer);

/**
 * client_new() - serve a connection
 * @out: set on success only
 * @peer: user at the other end
 * @fd: the connection; the client's on success
 * @host: what requests are about
 * @admit: called at most once
 * @gone: called as it ends by itself, not by client_free()
 * @context: handed to @admit and @gone
 *
 * Return: 0 or a negative errno.
 */
int client_new(struct client **out, const struct peer *peer, int fd,
	       const struct host *host, client_admit_fn admit,
	       client_gone_fn gone, void *context);

/** client_free() - close the connection */
void client_free(struct client *client);

/** client_peer() - user at the other end */
const struct peer *client_peer(const struct client *client);

#endif /* XSCHEDD_CLIENT_H */
