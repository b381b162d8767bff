// SPDX-License-Identifier: MIT
/*
 * doctor: report a finding; read files below --root.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "finding.h"

#define LEAST_ROOM	20	/* narrower terminals wrap by themselves */

static const char *const verdicts[] = { "ok", "note", "problem", "skipped" };

/* On a terminal, break lines at blanks, and indent them below the first. */
static void print_wrapped(const char *text, int indent)
{
	const int room = room_after(indent);
	size_t length = strlen(text);

	while (room >= LEAST_ROOM && length > (size_t)room) {
		int end = room;

		while (end && text[end] != ' ')
			end--;
		if (!end)
			break;
		printf("%.*s\n%*s", end, text, indent, "");
		text += end + 1;
		length -= end + 1;
	}
	puts(text);
}

void finding(struct doctor *doctor, const char *check, enum verdict verdict,
	     const char *advice, const char *format, ...)
{
	struct json_object *object;
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	doctor->problems += verdict == PROBLEM;
	if (!doctor->options->json) {
		printf("%-8s %-10s ", verdicts[verdict], check);
		print_wrapped(text, 20);
		if (!*advice)
			return;
		printf("%20s-> ", "");
		print_wrapped(advice, 23);
		return;
	}
	object = json_object_new_object();
	json_object_object_add(object, "check", json_object_new_string(check));
	json_object_object_add(object, "verdict",
			       json_object_new_string(verdicts[verdict]));
	json_object_object_add(object, "message", json_object_new_string(text));
	json_object_object_add(object, "advice",
			       json_object_new_string(advice));
	json_object_array_add(doctor->findings, object);
}

const char *root_path(const struct doctor *doctor, const char *format, ...)
{
	static char paths[4][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % 4];
	va_list args;
	int used;

	used = snprintf(path, PATH_MAX, "%s", doctor->options->root);
	if (used < 0 || used >= PATH_MAX)
		used = 0;
	va_start(args, format);
	vsnprintf(path + used, PATH_MAX - used, format, args);
	va_end(args);
	return path;
}

bool root_exists(const struct doctor *doctor, const char *path)
{
	return !access(root_path(doctor, "%s", path), F_OK);
}

int root_line(const struct doctor *doctor, const char *path, char *line,
	      size_t size)
{
	FILE *file = fopen(root_path(doctor, "%s", path), "re");
	int ret = 0;

	*line = '\0';
	if (!file)
		return -errno;
	if (!fgets(line, size, file))
		ret = ferror(file) ? -errno : 0;
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return ret;
}

long root_number(const struct doctor *doctor, const char *path, long other)
{
	char line[64], *end;
	long number;

	if (root_line(doctor, path, line, sizeof(line)))
		return other;
	number = strtol(line, &end, 10);
	return end == line || *end ? other : number;
}
