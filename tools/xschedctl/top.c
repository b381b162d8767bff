// SPDX-License-Identifier: MIT
/*
 * top: the daemon's tenants, periodically; on a screen or as plain text.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctl.h"
#include "look.h"

#define LINE	512

/* Colours, by state. */
enum { PLAIN, RUNNING, HELD, BY_HAND, ODD };

static int colour_of(const char *state)
{
	switch (*state) {
	case 'r':
		return RUNNING;
	case 'h':
	case 'p':
		return strcmp(state, "parked") ? HELD : PLAIN;
	case 'm':
		return BY_HAND;
	case 'i':
		return PLAIN;
	default:
		return ODD;
	}
}

/* ---- text --------------------------------------------------------------- */

static void format_summary(char *line, const struct look *look)
{
	snprintf(line, LINE, "policy %s   %zu tenant%s, %zu held   %.0f switches, %.0f failed",
		 get_string(look->stats, "policy"), look->count,
		 look->count == 1 ? "" : "s", look_held(look),
		 get_number(look->stats, "applies"),
		 get_number(look->stats, "failures"));
}

static void format_latency(char *line, const struct look *look)
{
	struct json_object *s = look->stats;

	if (!get_number(s, "applies"))
		snprintf(line, LINE, "no switch yet");
	else
		snprintf(line, LINE, "switch P50 %.1f P99 %.1f us   from event to return P50 %.1f P99 %.1f us",
			 get_number(s, "call_p50_us"),
			 get_number(s, "call_p99_us"),
			 get_number(s, "reaction_p50_us"),
			 get_number(s, "reaction_p99_us"));
}

/* @parks: somebody is parked, so there are columns for that. */
static void format_header(char *line, bool parks)
{
	snprintf(line, LINE, "%7s %5s %-7s %6s %8s %9s %9s%s  %s", "PID", "PRIO",
		 "STATE", "HELD%", "PREEMPT", "P50_US", "P99_US", parks ? " PARKED SPARES" : "",
		 "PROGRAM");
}

/* A duration, or none if it was never held. */
static const char *duration(char *text, size_t size, struct json_object *tenant,
			    const char *name)
{
	double us = get_number(tenant, name);

	if (us > 0)
		snprintf(text, size, "%.1f", us);
	else
		snprintf(text, size, "-");
	return text;
}

/* For how long it has been parked, in the largest unit. */
static const char *parked(char *text, size_t size, struct json_object *tenant)
{
	double s = get_number(tenant, "parked_ms") / 1000;

	if (!get_flag(tenant, "parked"))
		snprintf(text, size, "-");
	else if (s < 600)
		snprintf(text, size, "%.0fs", s);
	else if (s < 36000)
		snprintf(text, size, "%.0fm", s / 60);
	else
		snprintf(text, size, "%.0fh", s / 3600);
	return text;
}

/* What it would have cost: slots of the hardware, and VMIDs. */
static const char *spares(char *text, size_t size, struct json_object *tenant)
{
	if (get_flag(tenant, "parked"))
		snprintf(text, size, "%.0f+%.0f", get_number(tenant, "spares_slots"),
			 get_number(tenant, "spares_vmids"));
	else
		snprintf(text, size, "-");
	return text;
}

static const char *park_columns(char *text, size_t size, struct json_object *tenant)
{
	char since[16], slots[32];

	snprintf(text, size, " %6s %6s", parked(since, sizeof(since), tenant),
		 spares(slots, sizeof(slots), tenant));
	return text;
}

/* @parks: as of format_header(). @room: columns for the whole line, -1: no limit. */
static void format_tenant(char *line, struct json_object *tenant, bool parks, int room)
{
	char p50[16], p99[16], park[64];
	int used;

	used = snprintf(line, LINE, "%7.0f %5.0f %-7s %6.1f %8.0f %9s %9s%s  ",
			get_number(tenant, "pid"),
			get_number(tenant, "priority"), look_state(tenant),
			get_number(tenant, "held_percent"),
			get_number(tenant, "preemptions"),
			duration(p50, sizeof(p50), tenant,
				 "switch_p50_us"),
			duration(p99, sizeof(p99), tenant,
				 "switch_p99_us"),
			parks ? park_columns(park, sizeof(park), tenant) : "");
	fit_program(line + used, LINE - used, get_string(tenant, "comm"),
		    get_string(tenant, "exe"),
		    room < 0 ? -1 : room > used ? room - used : 0);
}

static void show_text(const struct look *look)
{
	const bool parks = look_parked(look);
	char line[LINE];

	format_summary(line, look);
	puts(line);
	format_latency(line, look);
	printf("%s\n\n", line);
	format_header(line, parks);
	puts(line);
	for (size_t i = 0; i < look->count; i++) {
		format_tenant(line, look_tenant(look, i), parks, room_after(0));
		puts(line);
	}
	if (!look->count)
		puts("no process has a GPU queue");
	putchar('\n');
}

/* ---- screen ------------------------------------------------------------- */

/* A line of the screen: cut off at its edge, not wrapped. */
static void draw_line(int row, int attributes, const char *line)
{
	if (row < 0 || row >= LINES)
		return;
	attron(attributes);
	mvaddnstr(row, 0, line, COLS);
	attroff(attributes);
}

static void draw_keys(size_t hidden, enum look_order order)
{
	char line[LINE];

	snprintf(line, LINE, "q quit   by: p priority  h held%%  n preemptions  i pid   now by %s",
		 look_order_name(order));
	draw_line(LINES - 1, A_DIM, line);
	if (!hidden)
		return;
	snprintf(line, LINE, "(%zu more)", hidden);
	draw_line(LINES - 2, A_DIM, line);
}

static void draw(const struct look *look, enum look_order order)
{
	size_t room = LINES > 6 ? LINES - 6 : 0;
	const bool parks = look_parked(look);
	char line[LINE];

	erase();
	format_summary(line, look);
	draw_line(0, A_BOLD, line);
	format_latency(line, look);
	draw_line(1, 0, line);
	format_header(line, parks);
	/* Reversed over the whole width. */
	attron(A_REVERSE);
	mvhline(3, 0, ' ', COLS);
	attroff(A_REVERSE);
	draw_line(3, A_REVERSE, line);
	for (size_t i = 0; i < look->count && i < room; i++) {
		struct json_object *t = look_tenant(look, i);

		format_tenant(line, t, parks, COLS);
		draw_line(4 + i, COLOR_PAIR(colour_of(look_state(t))), line);
	}
	if (!look->count)
		draw_line(4, A_DIM, "no process has a GPU queue");
	draw_keys(look->count > room ? look->count - room : 0, order);
	refresh();
}

static SCREEN *open_screen(void)
{
	/* Unlike initscr() it does not exit on an unknown terminal. */
	SCREEN *screen = newterm(NULL, stdout, stdin);

	if (!screen)
		return NULL;
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	start_color();
	use_default_colors();
	init_pair(RUNNING, COLOR_GREEN, -1);
	init_pair(HELD, COLOR_YELLOW, -1);
	init_pair(BY_HAND, COLOR_MAGENTA, -1);
	init_pair(ODD, COLOR_RED, -1);
	return screen;
}

/* ---- the loop ----------------------------------------------------------- */

/*
 * Wait, on the screen, for the next update or a key. Returns whether the user
 * wants to end.
 */
static bool wait_key(struct look *look, enum look_order *order,
		     uint64_t until)
{
	static const char keys[] = "phni";

	for (;;) {
		const uint64_t now = now_ms();
		const char *found;
		int key;

		if (now >= until || interrupted())
			return interrupted();
		timeout(until - now);
		key = getch();
		if (key == 'q')
			return true;
		found = key > 0 && key < 128 ? strchr(keys, key) : NULL;
		if (found)
			*order = found - keys;
		if (key != ERR && look->tenants) {
			look_sort(look, *order);
			draw(look, *order);
		}
	}
}

static bool pause_or_quit(const struct options *options,
			  struct look *look, enum look_order *order)
{
	struct timespec delay = {
		.tv_sec = options->delay_ms / 1000,
		.tv_nsec = options->delay_ms % 1000 * 1000000L,
	};

	if (!options->batch && !options->json)
		return wait_key(look, order, now_ms() + options->delay_ms);
	fflush(stdout);
	nanosleep(&delay, NULL);
	return interrupted();
}

static void show(const struct options *options, struct look *look,
		 enum look_order order)
{
	look_sort(look, order);
	if (options->json)
		print_json(look->reply);
	else if (options->batch)
		show_text(look);
	else
		draw(look, order);
}

static int loop(const struct options *options, int fd)
{
	enum look_order order = LOOK_PRIORITY;
	struct look before = { 0 };
	int ret = 0;

	for (unsigned int i = 0; !options->count || i < options->count; i++) {
		struct look now = { 0 };

		if (i && pause_or_quit(options, &before, &order))
			break;
		ret = look_take(&now, fd, &before);
		if (ret) {
			look_free(&now);
			break;
		}
		show(options, &now, order);
		look_free(&before);
		before = now;
	}
	look_free(&before);
	return ret;
}

int command_top(const struct options *options, char **arguments)
{
	bool screen = !options->batch && !options->json;
	SCREEN *terminal = NULL;
	int ret, status, fd = request_connect(options, &status);

	(void)arguments;
	if (fd < 0)
		return status;
	catch_interrupt();
	if (screen) {
		terminal = open_screen();
		if (!terminal) {
			complain("no usable terminal; see --batch");
			close(fd);
			return CTL_FAILURE;
		}
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
