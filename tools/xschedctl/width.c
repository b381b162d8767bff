// SPDX-License-Identifier: MIT
/*
 * Lines that fit the terminal.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <curses.h>
#include <stdio.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "ctl.h"

#define COMM	15	/* of /proc/PID/comm */
#define GAP	2
#define LEAST	8	/* less of a path is of no use */

/* As curses finds it; -1: no terminal, or an unknown one. */
static int find_width(void)
{
	int error, width;

	if (!isatty(STDOUT_FILENO) ||
	    setupterm(NULL, STDOUT_FILENO, &error) != OK)
		return -1;
	width = columns;
	del_curterm(cur_term);
	return width > 0 ? width : -1;
}

int room_after(int used)
{
	static int width;

	if (!width)
		width = find_width();
	if (width < 0)
		return -1;
	return width > used ? width - used : 0;
}

/* Shorten a path from the left; @room: columns, -1: any number. */
static const char *fit_path(const char *path, int room, char *buffer,
			    size_t size)
{
	const size_t length = strlen(path);

	if (room < 0 || length <= (size_t)room)
		return path;
	/* The end of a path says more than its beginning. */
	path += length - (room - 3);
	snprintf(buffer, size, "...%s", path);
	return buffer;
}

void fit_program(char *line, size_t size, const char *comm, const char *exe,
		 int room)
{
	char path[512];

	if (room >= 0 && room < COMM + GAP + LEAST) {
		snprintf(line, size, "%s", comm);
		return;
	}
	snprintf(line, size, "%-*s%*s%s", COMM, comm, GAP, "",
		 fit_path(exe, room < 0 ? -1 : room - COMM - GAP, path,
			  sizeof(path)));
}
