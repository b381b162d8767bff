// SPDX-License-Identifier: MIT
/* Read a scenario: inih splits the lines, keys.c says what they mean. */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/keys.h"
#include "scenario/override.h"

/* ---- sections ----------------------------------------------------------- */

/* The name in "[kind name]"; false if it is not fit to be a key of a result. */
static bool section_name(struct reader *r, const char *name)
{
	static const char *const taken[] = { "mode", "switch", "dispatch", "scheduler", "gpu" };
	size_t i;

	if (!*name || strlen(name) > 31)
		return reader_fail(r, "a section needs a name of at most 31 letters");
	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
			return reader_fail(r, "'%s' is not a name: letters, digits, '.', '_', '-'",
					   name);
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcmp(taken[i], name))
			return reader_fail(r, "'%s' has another meaning in the results", name);
	return true;
}

static bool begin_process(struct reader *r, const char *name)
{
	struct scenario *scn = r->scn;
	struct scenario_process *grown, *p;
	u32 i;

	if (!section_name(r, name))
		return false;
	for (i = 0; i < scn->process_count; i++)
		if (!strcmp(scn->processes[i].name, name))
			return reader_fail(r, "[process %s] is given twice", name);
	grown = realloc(scn->processes, (scn->process_count + 1) * sizeof(*grown));
	if (!grown)
		return reader_fail(r, "out of memory");
	scn->processes = grown;
	p = &grown[scn->process_count];
	*p = (struct scenario_process){
		.name = strdup(name),
		.line = r->line,
		.count = 1,
		.kfd_priority = 7,	/* what runtimes request */
		.queues = 1,
		.vgprs = 64,		/* 8 workgroups of 4 waves fill a gfx9 CU */
		.lds = 8192,
		.barrier = true,
		.images = 1,
		.until = -1,
	};
	for (i = 0; i < XSCHED_HINT_COUNT; i++)
		p->hints[i] = XSCHED_HINT_UNSET;
	r->process = scn->process_count++;
	return true;
}

static bool begin_mode(struct reader *r, const char *name)
{
	struct scenario *scn = r->scn;
	struct scenario_mode *grown;
	u32 i;

	if (!section_name(r, name))
		return false;
	for (i = 0; i < scn->mode_count; i++)
		if (!strcmp(scn->modes[i].name, name))
			return reader_fail(r, "[mode %s] is given twice", name);
	grown = realloc(scn->modes, (scn->mode_count + 1) * sizeof(*grown));
	if (!grown)
		return reader_fail(r, "out of memory");
	scn->modes = grown;
	grown[scn->mode_count] = (struct scenario_mode){ .name = strdup(name), .line = r->line };
	r->mode = scn->mode_count++;
	return true;
}

/* A line that begins with "[": inih parses it, too, but reports only keys. */
static bool begin_section(struct reader *r, const char *line)
{
	static const char kinds[] = "[scenario], [host], [mode NAME], [process NAME]";
	char kind[16], name[64] = "", rest;
	int n;

	n = sscanf(line, "[%15[a-z] %63[^] ]] %c", kind, name, &rest);
	if (n == 1)
		n = sscanf(line, "[%15[a-z]] %c", kind, &rest) == 1 && strchr(line, ']') ? 1 : 0;
	if (n != 1 && n != 2 && !(n == 3 && strchr(";#", rest)))
		return reader_fail(r, "not a section: %s", kinds);
	snprintf(r->section, sizeof(r->section), "%s", kind);
	if (n > 1 && !strcmp(kind, "process"))
		return begin_process(r, name);
	if (n > 1 && !strcmp(kind, "mode"))
		return begin_mode(r, name);
	if (n == 1 && (!strcmp(kind, "scenario") || !strcmp(kind, "host")))
		return true;
	return reader_fail(r, "not a section: %s", kinds);
}

/* ---- lines -------------------------------------------------------------- */

/* Of a line, what is before its text: blanks as inih knows them, and in the first a mark of UTF-8. */
static size_t before_text(const char *line, int number)
{
	size_t mark = number == 1 && !strncmp(line, "\xef\xbb\xbf", 3) ? 3 : 0;

	return mark + strspn(line + mark, " \t\f\v\r");
}

static char *next_line(char *buffer, int size, void *stream)
{
	struct reader *r = stream;
	size_t blanks;

	if (r->failed || !fgets(buffer, size, r->file))
		return NULL;
	r->line++;
	if (!strchr(buffer, '\n') && !feof(r->file)) {
		reader_fail(r, "line too long");
		return NULL;
	}
	blanks = before_text(buffer, r->line);
	memmove(buffer, buffer + blanks, strlen(buffer + blanks) + 1);
	if (*buffer == '[')
		begin_section(r, buffer);
	else if (*buffer && !strchr(";#\r\n", *buffer) && !strpbrk(buffer, "=:"))
		reader_fail(r, "neither a section nor KEY = VALUE");
	return r->failed ? NULL : buffer;
}

static int on_key(void *user, const char *section, const char *name, const char *value)
{
	(void)section;	/* begin_section() has seen it */
	return keys_set(user, name, value);
}

static void read_file(struct reader *r)
{
	int ret;

	r->file = fopen(r->scn->path, "re");
	if (!r->file) {
		snprintf(r->error, r->size, "%s: %s", r->scn->path, strerror(errno));
		r->failed = true;
		return;
	}
	ret = ini_parse_stream(next_line, r, on_key, r);
	if (ferror(r->file))
		reader_fail(r, "cannot read");
	else if (ret)
		reader_fail(r, "not understood");
	fclose(r->file);
}

/* ---- all ---------------------------------------------------------------- */

/* The only mode, by [scenario] policy or by the command line. */
static void single_mode(struct reader *r, const char *policy)
{
	struct scenario *scn = r->scn;

	while (scn->mode_count) {
		scn->mode_count--;
		free(scn->modes[scn->mode_count].name);
		free(scn->modes[scn->mode_count].policy);
	}
	if (!scenario_policy_exists(policy)) {
		r->failed = true;
		snprintf(r->error, r->size, "there is no policy '%s'", policy);
		return;
	}
	if (!begin_mode(r, policy))
		return;
	scn->modes[0].policy = strdup(policy);
}

static void finish(struct reader *r, const struct scenario_options *options)
{
	struct scenario *scn = r->scn;
	char why[256];
	int line;

	if (scn->policy && scn->mode_count) {
		r->line = scn->modes[0].line;
		reader_fail(r, "either [mode] sections or policy = in [scenario]");
	} else if (options->policy) {
		single_mode(r, options->policy);
	} else if (scn->policy) {
		single_mode(r, scn->policy);
	}
	if (r->failed)
		return;
	r->failed = !override_apply(scn, options, r->error, r->size);
	if (r->failed)
		return;
	line = scenario_check(scn, why, sizeof(why));
	if (line) {
		r->line = line;
		reader_fail(r, "%s", why);
	}
}

bool scenario_load(struct scenario *scn, const char *path,
		   const struct scenario_options *options, char *error, size_t size)
{
	struct reader r = { .scn = scn, .error = error, .size = size };

	*scn = (struct scenario){
		.path = strdup(path),
		.gpus = 1,
		.partitions = 1,
		.seed = 1,
		.costs = costs_default,
	};
	read_file(&r);
	if (!r.failed)
		finish(&r, options);
	if (r.failed)
		scenario_free(scn);
	return !r.failed;
}

void scenario_free(struct scenario *scn)
{
	u32 i;

	for (i = 0; i < scn->process_count; i++) {
		struct scenario_process *p = &scn->processes[i];

		free(p->name);
		free(p->tenant);
		free(p->model);
		free(p->source);
		free(p->until_name);
		free(p->trace.ns);
	}
	for (i = 0; i < scn->mode_count; i++) {
		free(scn->modes[i].name);
		free(scn->modes[i].policy);
	}
	free(scn->processes);
	free(scn->modes);
	free(scn->policy);
	free(scn->name);
	free(scn->path);
	*scn = (struct scenario){ 0 };
}
