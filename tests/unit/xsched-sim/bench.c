// SPDX-License-Identifier: MIT
/* Scenarios in a test. */
#include <math.h>
#include <unistd.h>

#include "bench.h"

static char why[512];

static bool load(struct bench *b, const char *path)
{
	static const struct scenario_options none;

	memset(b, 0, sizeof(*b));
	if (!scenario_load(&b->scn, path, &none, why, sizeof(why)))
		return false;
	b->figures = calloc(b->scn.mode_count, sizeof(*b->figures));
	b->worlds = calloc(b->scn.mode_count, sizeof(*b->worlds));
	return true;
}

const char *bench_text(struct bench *b, const char *text)
{
	char path[] = "/tmp/xsched-sim-XXXXXX";
	int fd = mkstemp(path);
	bool ok;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ok = load(b, path);
	unlink(path);
	/* the name of the file is no part of what is wrong */
	return ok ? NULL : why + strlen(path) + 1;
}

static char *read_all(const char *path)
{
	char *text = calloc(1, 65536);
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	assert_true(fread(text, 1, 65535, f) > 0);
	fclose(f);
	return text;
}

/* All places. */
static char *replace(char *text, const char *from, const char *to)
{
	char *edited = calloc(1, 2 * strlen(text) + 65536), *at, *rest = text;

	assert_non_null(strstr(text, from));
	while ((at = strstr(rest, from))) {
		strncat(edited, rest, (size_t)(at - rest));
		strcat(edited, to);
		rest = at + strlen(from);
	}
	strcat(edited, rest);
	free(text);
	return edited;
}

void bench_load(struct bench *b, const char *file, const char *const *edits)
{
	char path[512];
	const char *wrong;
	char *text;

	snprintf(path, sizeof(path), SCENARIOS "/%s", file);
	text = read_all(path);
	for (; edits && *edits; edits += 2)
		text = replace(text, edits[0], edits[1]);
	wrong = bench_text(b, text);
	if (wrong)
		fail_msg("%s: %s", file, wrong);
	free(text);
}

static u32 mode_index(const struct bench *b, const char *mode)
{
	u32 i;

	for (i = 0; i < b->scn.mode_count; i++)
		if (!strcmp(b->scn.modes[i].name, mode))
			return i;
	fail_msg("no mode %s", mode);
	return 0;
}

static s32 group_index(const struct bench *b, const char *group)
{
	u32 i;

	for (i = 0; i < b->scn.process_count; i++)
		if (!strcmp(b->scn.processes[i].name, group))
			return (s32)i;
	fail_msg("no process %s", group);
	return -1;
}

static struct mode_figures *run(struct bench *b, const char *mode, s32 only)
{
	u32 i = mode_index(b, mode);
	struct mode_figures *f = &b->figures[i];
	struct world *w = &b->worlds[i];

	figures_free(f);
	if (w->scn)
		world_free(w);
	figures_init(f, &b->scn, &b->scn.modes[i]);
	if (!world_run(w, &b->scn, &b->scn.modes[i], only))
		fail_msg("%s", w->error);
	figures_add(f, w);
	assert_true(spin_account_clean(&f->account));
	assert_true(f->account.submitted > 0);
	assert_int_equal(f->account.submitted, f->gpu.dispatches);
	return f;
}

struct mode_figures *bench_run(struct bench *b, const char *mode)
{
	return run(b, mode, -1);
}

struct mode_figures *bench_run_only(struct bench *b, const char *mode, const char *group)
{
	return run(b, mode, group_index(b, group));
}

struct group_figures *bench_group(struct bench *b, const struct mode_figures *f,
				  const char *group)
{
	return &f->groups[group_index(b, group)];
}

struct world *bench_world(struct bench *b, const char *mode)
{
	return &b->worlds[mode_index(b, mode)];
}

void bench_free(struct bench *b)
{
	u32 i;

	for (i = 0; i < b->scn.mode_count; i++) {
		figures_free(&b->figures[i]);
		if (b->worlds[i].scn)
			world_free(&b->worlds[i]);
	}
	free(b->figures);
	free(b->worlds);
	scenario_free(&b->scn);
}

void assert_near(double value, double wanted, double percent)
{
	if (fabs(value - wanted) > fabs(wanted) * percent / 100)
		fail_msg("%g is not within %g %% of %g", value, percent, wanted);
}

double bench_fairness(struct bench *b, const char *mode, const char *group)
{
	struct group *g = &bench_world(b, mode)->groups[group_index(b, group)];
	double sum = 0, squares = 0, n = 0, done;
	u32 i, j;

	for (i = 0; i < g->scn->count; i++) {
		for (j = 0; j < g->scn->queues; j++) {
			done = (double)g->processes[i].queues[j].program.completed;
			sum += done;
			squares += done * done;
			n++;
		}
	}
	return sum * sum / (n * squares);
}
