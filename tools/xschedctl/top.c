// SPDX-License-Identifier: MIT
/*
 * top: the daemon's tenants, again and again; on a screen or as plain text.
 *
 * Held % is of the time since the look before; the first time, since the
 * daemon met the tenant.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <curses.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctl.h"

/**
 * struct look - what the daemon said at one time
 * @reply: its answer, or NULL
 * @tenants: of @reply
 * @count: number of @tenants
 * @now_ns: when
 */
struct look {
	struct json_object *reply;
	struct json_object *tenants;
	size_t count;
	double now_ns;
};

static int look_at(int fd, struct look *look)
{
	struct json_object *request = json_object_new_object();
	int ret;

	json_object_object_add(request, "cmd", json_object_new_string("list"));
	ret = daemon_ask(fd, request, &look->reply);
	if (!ret)
		ret = daemon_error(look->reply);
	if (!ret && (!json_object_object_get_ex(look->reply, "tenants",
						&look->tenants) ||
		     !json_object_is_type(look->tenants, json_type_array)))
		ret = -EPROTO;
	if (ret)
		return ret;
	look->count = json_object_array_length(look->tenants);
	look->now_ns = get_number(look->reply, "now_ns");
	return 0;
}

static struct json_object *find(const struct look *look, double pid)
{
	for (size_t i = 0; i < look->count; i++) {
		struct json_object *t;

		t = json_object_array_get_idx(look->tenants, i);
		if (get_number(t, "pid") == pid)
			return t;
	}
	return NULL;
}

static double held_percent(struct json_object *tenant, const struct look *now,
			   const struct look *before)
{
	struct json_object *former = find(before, get_number(tenant, "pid"));
	double held = get_number(tenant, "held_ms") * 1e6;
	double since = get_number(tenant, "since_ns");

	/* The same process, not one that got its id. */
	if (former && get_number(former, "since_ns") == since) {
		held -= get_number(former, "held_ms") * 1e6;
		since = before->now_ns;
	}
	if (now->now_ns <= since)
		return 0;
	held = 100 * held / (now->now_ns - since);
	return held > 100 ? 100 : held;
}

static const char *state_name(struct json_object *tenant)
{
	if (get_flag(tenant, "exempt"))
		return "exempt";
	if (get_flag(tenant, "uncertain"))
		return "unsure";
	if (get_flag(tenant, "held"))
		return get_flag(tenant, "manual") ? "manual" : "held";
	return get_flag(tenant, "ready") ? "running" : "idle";
}

/* On the screen or on standard output. */
__attribute__((format(printf, 2, 3)))
static void out(const struct options *options, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (options->batch)
		vprintf(format, args);
	else
		vw_printw(stdscr, format, args);
	va_end(args);
}

static void show_tenant(const struct options *options,
			struct json_object *tenant, double held)
{
	const char *exe = get_string(tenant, "exe");

	out(options, "%8.0f %5.0f  %-8s %6.1f %11.0f %9.1f %9.1f  %s\n",
	    get_number(tenant, "pid"), get_number(tenant, "priority"),
	    state_name(tenant), held, get_number(tenant, "preemptions"),
	    get_number(tenant, "switch_p50_us"),
	    get_number(tenant, "switch_p99_us"),
	    *exe ? exe : get_string(tenant, "comm"));
}

static void show(const struct options *options, const struct look *now,
		 const struct look *before)
{
	size_t held = 0;

	for (size_t i = 0; i < now->count; i++)
		held += get_flag(json_object_array_get_idx(now->tenants, i),
				 "held");
	out(options, "xsched: %zu tenants, %zu held\n\n", now->count, held);
	out(options, "%8s %5s  %-8s %6s %11s %9s %9s  %s\n", "PID", "PRIO",
	    "STATE", "HELD%", "PREEMPTIONS", "P50_US", "P99_US", "EXE");
	for (size_t i = 0; i < now->count; i++) {
		struct json_object *t = json_object_array_get_idx(now->tenants,
								  i);

		show_tenant(options, t, held_percent(t, now, before));
	}
	if (options->batch)
		out(options, "\n");
}

static void show_json(const struct look *now, const struct look *before)
{
	for (size_t i = 0; i < now->count; i++) {
		struct json_object *t = json_object_array_get_idx(now->tenants,
								  i);

		json_object_object_add(t, "held_percent",
			json_object_new_double(held_percent(t, now, before)));
	}
	puts(json_object_to_json_string_ext(now->reply,
					    JSON_C_TO_STRING_PLAIN));
}

/* Wait for the next look. Returns whether the user wants to end. */
static bool pause_or_quit(const struct options *options)
{
	struct timespec delay = {
		.tv_sec = options->delay_ms / 1000,
		.tv_nsec = options->delay_ms % 1000 * 1000000L,
	};

	if (options->batch || options->json) {
		fflush(stdout);
		nanosleep(&delay, NULL);
		return false;
	}
	refresh();
	timeout(options->delay_ms);
	return getch() == 'q';
}

static int loop(const struct options *options, int fd)
{
	struct look before = { 0 };
	int ret = 0;

	for (unsigned int i = 0; !options->count || i < options->count; i++) {
		struct look now = { 0 };

		if (i && pause_or_quit(options))
			break;
		ret = look_at(fd, &now);
		if (ret) {
			json_object_put(now.reply);
			break;
		}
		if (options->json) {
			show_json(&now, &before);
		} else {
			if (!options->batch)
				erase();
			show(options, &now, &before);
		}
		json_object_put(before.reply);
		before = now;
	}
	json_object_put(before.reply);
	return ret;
}

int command_top(const struct options *options)
{
	bool screen = !options->batch && !options->json;
	int fd = daemon_connect(options);
	SCREEN *terminal = NULL;
	int ret;

	if (fd < 0) {
		complain("xschedd does not answer at %s: %s", options->socket,
			 strerror(-fd));
		return status_of(fd) == CTL_NOT_PERMITTED ? CTL_NOT_PERMITTED :
							    CTL_ABSENT;
	}
	if (screen) {
		/* Unlike initscr() it does not exit on an unknown terminal. */
		terminal = newterm(NULL, stdout, stdin);
		if (!terminal) {
			complain("no usable terminal; see --batch");
			close(fd);
			return CTL_FAILURE;
		}
		cbreak();
		noecho();
		curs_set(0);
	}
	ret = loop(options, fd);
	if (screen) {
		endwin();
		delscreen(terminal);
	}
	close(fd);
	if (ret)
		complain("xschedd: %s", strerror(-ret));
	return status_of(ret);
}
