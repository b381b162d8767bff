/* SPDX-License-Identifier: MIT */
/*
 * A connection of the control socket: lines in, lines out.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_CLIENT_H
#define XSCHEDD_CLIENT_H

#include <sys/queue.h>

#include "base/places.h"
#include "facts/peer.h"
#include "serve/host.h"

struct client;

/**
 * struct client_entry - of a connection, in a list of its owner
 * @entry: for that
 * @client: the connection
 */
struct client_entry {
	TAILQ_ENTRY(client_entry) entry;
	struct client *client;
};

TAILQ_HEAD(client_list, client_entry);

/** typedef client_gone_fn - a connection is over and about to be freed */
typedef void (*client_gone_fn)(void *context, struct client *client);

/** typedef client_known_fn - it is known now who has connected; whether it may stay */
typedef bool (*client_known_fn)(void *context, struct client *client);

/**
 * client_new() - serve a connection
 * @out: set on success only
 * @peer: user at the other end
 * @fd: the connection; the client's on success
 * @host: what requests are about
 * @known: called at most once; before that no request is answered
 * @gone: called as it ends by itself, not by client_free()
 * @context: handed to @known and @gone
 *
 * Return: 0 or a negative errno.
 */
int client_new(struct client **out, const struct peer *peer, int fd,
	       const struct host *host, client_known_fn known,
	       client_gone_fn gone, void *context);

/** client_free() - close the connection */
void client_free(struct client *client);

/** client_refuse() - there is no place for it any more: say so, and close it */
void client_refuse(struct client *client);

/** client_is_new() - it is not known yet who has connected */
bool client_is_new(const struct client *client);

/** client_entry() - for a list of the owner */
struct client_entry *client_entry(struct client *client);

/** client_place() - its place, as soon as it is known who has connected */
struct place *client_place(struct client *client);

#endif /* XSCHEDD_CLIENT_H */
