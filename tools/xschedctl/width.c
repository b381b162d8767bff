// SPDX-License-Identifier: MIT
/*
 * Lines that fit the terminal.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ctl.h"

#define LEAST	8	/* less of a path tells nobody anything */

int room_after(int used)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ||
	    !size.ws_col)
		return -1;
	return size.ws_col > used ? size.ws_col - used : 0;
}

const char *fit_path(const char *path, int room, char *buffer, size_t size)
{
	const size_t length = strlen(path);

	if (room < 0 || length <= (size_t)room)
		return path;
	if (room < LEAST)
		room = LEAST;
	/* Its end tells more than its beginning. */
	if (length > (size_t)room)
		path += length - (room - 3);
	snprintf(buffer, size, "...%s", path);
	return buffer;
}
