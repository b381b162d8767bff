// SPDX-License-Identifier: MIT
/*
 * A socket that is listened on.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/bucket.h"
#include "base/clock.h"
#include "serve/door.h"

#define SECOND_NS	1000000000ULL
/*
 * So many are accepted at once, which is more than there are places. Then each waits for its time:
 * several together would delay GPUs.
 */
#define BURST		256
#define LATE_NS		1000

/**
 * struct door - the socket
 * @source: new connections
 * @rest: until then none are accepted
 * @each_ns: what each takes of @bucket
 * @bucket: the time that there is for them
 * @shut: by door_shut()
 * @arrives: takes each
 * @user: handed to @arrives
 */
struct door {
	sd_event_source *source;
	struct clock_timer *rest;
	uint64_t each_ns;
	struct bucket bucket;
	bool shut;
	door_fn arrives;
	void *user;
};

static void door_listen(struct door *door)
{
	bool listens = !door->shut && !clock_timer_is_on(door->rest);

	sd_event_source_set_enabled(door->source, listens ? SD_EVENT_ON : SD_EVENT_OFF);
}

/* Whether one more may be accepted; if not, it waits. */
static bool door_count(struct door *door)
{
	uint64_t now = clock_ns();

	if (bucket_fill(&door->bucket, now, 1000, BURST * door->each_ns) >= door->each_ns) {
		bucket_take(&door->bucket, door->each_ns);
		return true;
	}
	clock_timer_set(door->rest, now + door->each_ns);
	door_listen(door);
	return false;
}

static void door_on_rested(void *user)
{
	door_listen(user);
}

static int door_on_connect(sd_event_source *source, int fd, uint32_t revents, void *user)
{
	struct door *door = user;
	int connection;

	(void)source;
	(void)revents;
	if (!door_count(door))
		return 0;
	connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (connection >= 0)
		door->arrives(door->user, connection);
	return 0;
}

int door_open(struct door **out, sd_event *event, int fd, unsigned int per_second,
	      door_fn arrives, void *user)
{
	struct door *door = calloc(1, sizeof(*door));
	int ret;

	if (!door)
		return -ENOMEM;
	door->each_ns = SECOND_NS / per_second;
	door->arrives = arrives;
	door->user = user;
	ret = clock_timer_new(&door->rest, event, LATE_NS, door_on_rested, door);
	if (!ret)
		ret = sd_event_add_io(event, &door->source, fd, EPOLLIN, door_on_connect, door);
	if (ret < 0) {
		door_close(door);
		return ret;
	}
	sd_event_source_set_io_fd_own(door->source, true);
	*out = door;
	return 0;
}

void door_shut(struct door *door, bool shut)
{
	door->shut = shut;
	door_listen(door);
}

void door_close(struct door *door)
{
	if (!door)
		return;
	sd_event_source_disable_unref(door->source);
	clock_timer_free(door->rest);
	free(door);
}
