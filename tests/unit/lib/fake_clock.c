// SPDX-License-Identifier: MIT
/* A clock that a test moves. */
#include "fake_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/clock.h"
#include "fake_time.h"

/* After all else: what the loop does when it has nothing to do. */
#define PRIORITY_LAST	(10 * SD_EVENT_PRIORITY_IDLE)

/**
 * struct clock_timer - as in tools/xschedd/base/clock.h
 * @entry: in all of them
 * @source: pending when it expires
 * @expired: called then
 * @user: for @expired
 * @on: it will expire
 * @at_ns: when
 */
struct clock_timer {
	LIST_ENTRY(clock_timer) entry;
	sd_event_source *source;
	clock_fn expired;
	void *user;
	bool on;
	uint64_t at_ns;
};

static LIST_HEAD(, clock_timer) timers = LIST_HEAD_INITIALIZER(timers);
static sd_event_source *ticks, *idle;
static uint64_t goal_ns;

uint64_t clock_ns(void)
{
	return fake_time()->now_ns;
}

/* ---- the time moves ----------------------------------------------------- */

void fake_clock_move(uint64_t to_ns)
{
	goal_ns = to_ns;
	sd_event_source_set_enabled(idle, SD_EVENT_ONESHOT);
}

/* Whether it is yet to be made pending. */
static bool waits(const struct clock_timer *timer)
{
	int enabled;

	sd_event_source_get_enabled(timer->source, &enabled);
	return timer->on && enabled == SD_EVENT_OFF;
}

static void expire(uint64_t now_ns)
{
	struct clock_timer *timer;

	LIST_FOREACH(timer, &timers, entry)
		if (waits(timer) && timer->at_ns <= now_ns)
			sd_event_source_set_enabled(timer->source, SD_EVENT_ONESHOT);
}

static uint64_t next_ns(void)
{
	uint64_t next = UINT64_MAX;
	struct clock_timer *timer;

	LIST_FOREACH(timer, &timers, entry)
		if (waits(timer) && timer->at_ns < next)
			next = timer->at_ns;
	return next;
}

static int on_idle(sd_event_source *source, void *user)
{
	struct fake_time *time = fake_time();
	uint64_t next = next_ns();
	bool there = next > goal_ns;

	(void)user;
	if (there)
		next = goal_ns;
	/* A call of the fake kernel may have taken longer. */
	if (time->now_ns < next)
		time->now_ns = next;
	if (there) {
		time->moves++;
		return 0;
	}
	expire(time->now_ns);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int on_tick(sd_event_source *source, int fd, uint32_t revents, void *user)
{
	uint64_t to_ns;

	(void)source;
	(void)revents;
	(void)user;
	if (read(fd, &to_ns, sizeof(to_ns)) == sizeof(to_ns))
		fake_clock_move(to_ns);
	return 0;
}

/* ---- with the first timer, and without any ------------------------------ */

static int listen_to_test(sd_event *event)
{
	const char *directory = getenv("XSCHED_FAKE");
	char path[512];
	int fd, ret;

	if (!directory)
		return 0;
	snprintf(path, sizeof(path), "%s/ticks", directory);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = sd_event_add_io(event, &ticks, fd, EPOLLIN, on_tick, NULL);
	if (ret < 0)
		close(fd);
	else
		sd_event_source_set_io_fd_own(ticks, true);
	return ret;
}

static int begin(sd_event *event)
{
	int ret = sd_event_add_defer(event, &idle, on_idle, NULL);

	if (ret < 0)
		return ret;
	sd_event_source_set_enabled(idle, SD_EVENT_OFF);
	sd_event_source_set_priority(idle, PRIORITY_LAST);
	return listen_to_test(event);
}

static void end(void)
{
	idle = sd_event_source_disable_unref(idle);
	ticks = sd_event_source_disable_unref(ticks);
}

/* ---- clock.h ------------------------------------------------------------ */

static int on_expired(sd_event_source *source, void *user)
{
	struct clock_timer *timer = user;

	(void)source;
	timer->on = false;
	timer->expired(timer->user);
	return 0;
}

int clock_timer_new(struct clock_timer **out, sd_event *event, uint64_t late_ns,
		    clock_fn expired, void *user)
{
	struct clock_timer *timer = calloc(1, sizeof(*timer));
	int ret;

	(void)late_ns;
	if (!timer)
		return -ENOMEM;
	ret = idle ? 0 : begin(event);
	timer->expired = expired;
	timer->user = user;
	if (ret >= 0)
		ret = sd_event_add_defer(event, &timer->source, on_expired, timer);
	if (ret < 0) {
		free(timer);
		return ret;
	}
	sd_event_source_set_enabled(timer->source, SD_EVENT_OFF);
	LIST_INSERT_HEAD(&timers, timer, entry);
	*out = timer;
	return 0;
}

void clock_timer_yield(struct clock_timer *timer)
{
	sd_event_source_set_priority(timer->source, SD_EVENT_PRIORITY_IDLE);
}

void clock_timer_set(struct clock_timer *timer, uint64_t at_ns)
{
	timer->on = true;
	timer->at_ns = at_ns;
	sd_event_source_set_enabled(timer->source,
				    at_ns <= clock_ns() ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

void clock_timer_off(struct clock_timer *timer)
{
	timer->on = false;
	sd_event_source_set_enabled(timer->source, SD_EVENT_OFF);
}

bool clock_timer_is_on(const struct clock_timer *timer)
{
	return timer->on;
}

struct clock_timer *clock_timer_free(struct clock_timer *timer)
{
	if (!timer)
		return NULL;
	LIST_REMOVE(timer, entry);
	sd_event_source_disable_unref(timer->source);
	free(timer);
	if (LIST_EMPTY(&timers))
		end();
	return NULL;
}
