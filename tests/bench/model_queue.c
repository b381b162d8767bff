// SPDX-License-Identifier: MIT
/* Options of a model's queue. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model_queue.h"

#define MOST_PRIORITY	15

static bool parse_number(const char *text, unsigned long most, uint32_t *out)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 10);
	*out = (uint32_t)v;
	return end != text && !*end && !errno && *text != '-' && v <= most;
}

static bool set_gpu(const char *text, struct model_queue *q)
{
	return parse_number(text, UINT32_MAX, &q->gpu);
}

static bool set_priority(const char *text, struct model_queue *q)
{
	return parse_number(text, MOST_PRIORITY, &q->priority);
}

static bool set_cus(const char *text, struct model_queue *q)
{
	unsigned int first, last;
	char rest;

	if (sscanf(text, "%u-%u%c", &first, &last, &rest) != 2 || first > last)
		return false;
	q->first_cu = first;
	q->cus = last - first + 1;
	return true;
}

static bool set_turns(const char *text, struct model_queue *q)
{
	q->turns = text;
	return *text;
}

static bool set_rank(const char *text, struct model_queue *q)
{
	return parse_number(text, INT32_MAX, &q->rank);
}

static bool set_debuggable(const char *text, struct model_queue *q)
{
	(void)text;
	q->debuggable = true;
	return true;
}

static bool set_lv1(const char *text, struct model_queue *q)
{
	(void)text;
	q->lv1 = true;
	return true;
}

/**
 * struct queue_option - one of them
 * @name: as on the command line
 * @value: what its value is called, NULL: it has none
 * @set: take it; false: the value is wrong
 * @what: for a usage message
 */
struct queue_option {
	const char *name;
	const char *value;
	bool (*set)(const char *text, struct model_queue *q);
	const char *what;
};

static const struct queue_option queue_options[] = {
	{ "--gpu", "N", set_gpu, "on GPU N, from 0" },
	{ "--queue-priority", "N", set_priority, "KFD's priority, 0..15 (7)" },
	{ "--cus", "A-B", set_cus, "only compute units A to B, by KFD's mask" },
	{ "--debuggable", NULL, set_debuggable, "a debugger can suspend it" },
	{ "--turns", "FILE", set_turns, "say in FILE when there is work" },
	{ "--rank", "N", set_rank, "priority in FILE (0); more is higher" },
	{ "--lv1", NULL, set_lv1, "launch as XSched's level 1, by FILE" },
};

#define OPTIONS	(sizeof(queue_options) / sizeof(queue_options[0]))

static const struct queue_option *find(const char *name)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		if (!strcmp(queue_options[i].name, name))
			return &queue_options[i];
	}
	return NULL;
}

int model_queue_options(int argc, char **argv, struct model_queue *out)
{
	const struct queue_option *option;
	int i = 0;

	while (i < argc && (option = find(argv[i]))) {
		i += option->value ? 2 : 1;
		if (i > argc || !option->set(argv[i - 1], out))
			return -EINVAL;
	}
	return out->lv1 && !out->turns ? -EINVAL : i;
}

void model_queue_usage(FILE *f)
{
	const struct queue_option *option;
	char head[32];
	size_t i;

	fputs("options of its queue, before all others:\n", f);
	for (i = 0; i < OPTIONS; i++) {
		option = &queue_options[i];
		snprintf(head, sizeof(head), "%s %s", option->name,
			 option->value ? option->value : "");
		fprintf(f, "  %-19s%s\n", head, option->what);
	}
}
