// SPDX-License-Identifier: MIT
/*
 * Calls of the interface at random, by several threads on several open files, with processes that
 * have queues, forks, kills, and resets of the GPU between: programs of up to FUZZ_CALLS calls.
 * What reached code of the kernel that none before had (kcov) is kept, and changed again. Whatever
 * is asked, the kernel's log has no word of a bug, each errno is documented, each program ends, and
 * nothing is held once all clients are closed.
 *
 *   test-fuzz [SECONDS[:SEED[:planted]]]
 *
 * The file fuzz-corpus beside the tests (FUZZ_CORPUS names another) has programs of former runs,
 * one a line, which run first. What is kept goes to the host as the artefact fuzz-corpus, counts as
 * fuzz-counts, and the program that is about to run as fuzz-program: the last one if the kernel
 * dies. "planted": the module has a bug, which is to be found: it ends with that.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz.h"
#include "tap.h"
#include "xsdev.h"

#define SECONDS		60
#define CORPUS		"/tests/fuzz-corpus"
#define KEPT		1024	/* programs, at the most */
#define TELL_MS		120000
#define NOTE_MS		20000
#define LOOK_EVERY	8	/* programs, from one look at the log and at what is held to the next */
#define ENOUGH_S	200	/* for each kind of call to have succeeded */

static struct fuzz_program *kept;
static unsigned int nr_kept;

/* The last ones, as one of them is to blame. */
static struct fuzz_program last[LOOK_EVERY];

static uint64_t began_ns, programs, next_tell, next_note, until;
static unsigned int findings, not_free, failed_reads;
static char found[1024];
static char line[FUZZ_LINE];

/* ---- what is kept -------------------------------------------------------- */

/*
 * Read-only but for the moment: a pointer of a call may be any number, and 10000000, say, was an
 * address in here, where the kernel wrote what was asked for.
 */
static void allow(int protection)
{
	if (mprotect(kept, KEPT * sizeof(*kept), protection))
		tap_bail("mprotect: error %d", errno);
}

static void keep_begin(void)
{
	kept = mmap(NULL, KEPT * sizeof(*kept), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (kept == MAP_FAILED)
		tap_bail("no memory");
}

static void keep(const struct fuzz_program *p)
{
	allow(PROT_READ | PROT_WRITE);
	if (nr_kept < KEPT)
		kept[nr_kept++] = *p;
	else
		kept[fuzz_below(KEPT)] = *p;
	allow(PROT_READ);
}

static const char *counts(void)
{
	static char text[256];
	const uint64_t s = (xsdev_now() - began_ns) / (1000 * FUZZ_MS);

	snprintf(text, sizeof(text),
		 "{\"execs\":%llu,\"programs\":%llu,\"pcs\":%u,\"corpus\":%u,\"findings\":%u,"
		 "\"resets\":%u,\"seconds\":%llu}",
		 (unsigned long long)fuzz_counts.calls, (unsigned long long)programs,
		 fuzz_counts.pcs, nr_kept, findings, fuzz_gpu_resets(), (unsigned long long)s);
	return text;
}

static void tell(void)
{
	char *all = malloc((size_t)nr_kept * FUZZ_LINE + 1), *at = all;
	unsigned int i;

	if (!all)
		tap_bail("no memory");
	*at = '\0';
	for (i = 0; i < nr_kept; i++) {
		fuzz_program_write(&kept[i], at);
		at += strlen(at);
		if (i + 1 < nr_kept)
			*at++ = '\n';
	}
	*at = '\0';
	fuzz_tell("fuzz-corpus", all);
	fuzz_tell("fuzz-counts", counts());
	free(all);
}

/* ---- what is found ------------------------------------------------------- */

static void report(const char *what)
{
	unsigned int i;

	snprintf(found, sizeof(found), "%s", what);
	findings++;
	tap_note("found: %s; by one of these:", what);
	for (i = 0; i < LOOK_EVERY; i++) {
		fuzz_program_write(&last[i], line);
		tap_note("program: %s", line);
	}
}

static void look(void)
{
	const char *bad = fuzz_log_look();

	if (bad)
		report(bad);
	if (!fuzz_world_is_free()) {
		not_free++;
		report("something is held, and no client is open");
	}
}

/* ---- the run ------------------------------------------------------------- */

static void run(const struct fuzz_program *p)
{
	last[programs % LOOK_EVERY] = *p;
	fuzz_program_write(p, line);
	fuzz_tell("fuzz-program", line);
	if (fuzz_run(p))
		keep(p);
	programs++;
	fuzz_world_look();
	if (programs % LOOK_EVERY == 0)
		look();
}

static void note(void)
{
	const uint64_t now = xsdev_now();

	if (now >= next_note) {
		tap_note("%s", counts());
		next_note = now + NOTE_MS * FUZZ_MS;
	}
	if (now >= next_tell) {
		tell();
		next_tell = now + TELL_MS * FUZZ_MS;
	}
}

static void run_corpus(void)
{
	const char *path = getenv("FUZZ_CORPUS");
	FILE *file = fopen(path ? path : CORPUS, "re");
	struct fuzz_program p;
	static char text[FUZZ_LINE];
	unsigned int n = 0;

	if (!file)
		return;
	while (!findings && fgets(text, sizeof(text), file)) {
		if (*text == '#')
			continue;
		if (fuzz_program_read(&p, text)) {
			run(&p);
		} else {
			failed_reads++;
			tap_note("not understood: %s", text);
		}
		n++;
		note();
	}
	fclose(file);
	tap_note("%u programs of former runs, of which %u are kept, %u not understood", n, nr_kept,
		 failed_reads);
}

static void run_new(void)
{
	struct fuzz_program p;

	if (!nr_kept || !fuzz_below(8))
		fuzz_program_new(&p);
	else
		fuzz_program_change(&p, &kept[fuzz_below(nr_kept)], &kept[fuzz_below(nr_kept)]);
	run(&p);
	note();
}

/* Of the ioctls: which has never done what it was asked to. */
static unsigned int never_succeeded(void)
{
	unsigned int never = 0;
	size_t i;

	for (i = 0; i < fuzz_kind_count; i++) {
		tap_note("%-9s %llu times with success", fuzz_kinds[i].name,
			 (unsigned long long)fuzz_counts.succeeded[i]);
		never += i >= FUZZ_OTHERS && !fuzz_counts.succeeded[i];
	}
	return never;
}

/* A program as text is the same program. */
static void check_text(void)
{
	static char again[FUZZ_LINE];
	struct fuzz_program p, q;
	unsigned int i, wrong = 0;

	for (i = 0; i < 1000; i++) {
		memset(&p, 0, sizeof(p));
		fuzz_program_new(&p);
		fuzz_program_write(&p, line);
		if (!fuzz_program_read(&q, line)) {
			wrong++;
			continue;
		}
		fuzz_program_write(&q, again);
		wrong += !!strcmp(line, again);
	}
	tap_is(wrong, 0, "programs can be written and read");
}

static void conclude(unsigned int seconds, bool planted)
{
	const unsigned int never = never_succeeded();

	tap_note("fuzz %s", counts());
	if (planted) {
		tap_ok(findings, "the bug that was planted is found: %.200s", found);
		return;
	}
	tap_is(findings, 0, "nothing is found in %llu calls",
	       (unsigned long long)fuzz_counts.calls);
	if (!tap_is(fuzz_counts.unknown, 0, "each errno is documented"))
		tap_note("%s: errno %d", fuzz_kinds[fuzz_counts.unknown_kind].name,
			 fuzz_counts.unknown_errno);
	tap_is(not_free, 0, "with all clients closed nothing is held");
	tap_is(failed_reads, 0, "all programs of former runs are understood");
	if (seconds < ENOUGH_S)
		tap_skip("it was short", "each ioctl has succeeded");
	else
		tap_is(never, 0, "each ioctl has succeeded");
}

/* Of the arguments, at each colon: run-guest all makes several of one. */
static bool read_arguments(int argc, char **argv, uint32_t numbers[], unsigned int count)
{
	bool planted = false;
	unsigned int n = 0;
	char *word;
	int i;

	for (i = 1; i < argc; i++) {
		for (word = strtok(argv[i], ":"); word; word = strtok(NULL, ":")) {
			if (!strcmp(word, "planted"))
				planted = true;
			else if (n < count)
				numbers[n++] = (uint32_t)strtoul(word, NULL, 0);
		}
	}
	return planted;
}

int main(int argc, char **argv)
{
	uint32_t numbers[] = { SECONDS, 1 };
	const bool planted = read_arguments(argc, argv, numbers, 2);

	fuzz_seed = numbers[1];
	tap_note("%u s, seed %u", numbers[0], fuzz_seed);
	check_text();
	keep_begin();
	fuzz_log_begin();
	fuzz_world_begin();
	if (fuzz_run_begin())
		tap_ok(true, "the kernel says which of its code is reached");
	else
		tap_skip("no kcov", "the kernel says which of its code is reached");
	began_ns = xsdev_now();
	until = began_ns + numbers[0] * 1000 * FUZZ_MS;
	next_note = began_ns + NOTE_MS * FUZZ_MS;
	next_tell = began_ns + TELL_MS * FUZZ_MS;
	run_corpus();
	while (xsdev_now() < until && !findings)
		run_new();
	tell();
	fuzz_world_end();
	conclude(numbers[0], planted);
	return tap_done();
}
