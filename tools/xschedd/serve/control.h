/* SPDX-License-Identifier: MIT */
/*
 * The control socket: accepts connections.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_CONTROL_H
#define XSCHEDD_CONTROL_H

#include "serve/host.h"

struct control;

/**
 * control_open() - listen
 * @out: set on success only
 * @path: path of the socket; its directory is made if it is missing
 * @host: what requests are about; stays in use
 *
 * A socket left by a daemon that is gone is replaced.
 *
 * Return: 0; -EADDRINUSE: another daemon listens there; or another negative
 * errno. Failures are logged.
 */
int control_open(struct control **out, const char *path,
		 const struct host *host);

/** control_close() - close all connections, remove the socket; or NULL */
void control_close(struct control *control);

#endif /* XSCHEDD_CONTROL_H */
