/* SPDX-License-Identifier: MIT */
/*
 * A socket that is listened on. It accepts so many connections a second, spread over that second,
 * and one in a turn of the loop: GPUs come first. Others wait, in the order in which they came.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_DOOR_H
#define XSCHEDD_DOOR_H

#include <stdbool.h>
#include <systemd/sd-event.h>

struct door;

/** typedef door_fn - takes over a connection, which does not block; from the loop */
typedef void (*door_fn)(void *user, int fd);

/**
 * door_open() - accept connections
 * @out: the door, set on success only
 * @event: loop
 * @fd: listens, and does not block; taken over on success
 * @per_second: how many are accepted in a second; 256 more if there was none for a while
 * @arrives: takes each
 * @user: handed to @arrives
 *
 * Return: 0 or a negative errno.
 */
int door_open(struct door **out, sd_event *event, int fd, unsigned int per_second,
	      door_fn arrives, void *user);

/** door_shut() - accept none, as there is no room, or accept them again */
void door_shut(struct door *door, bool shut);

/** door_close() - listen no more; or NULL */
void door_close(struct door *door);

#endif /* XSCHEDD_DOOR_H */
