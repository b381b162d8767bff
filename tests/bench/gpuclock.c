// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpuclock.h"

#define CLOCK_FILE	"/sys/kernel/debug/vgpu/clock"
#define CALIBRATIONS	8

static int clock_fd = -1;

void gpuclock_read(struct gpuclock *out)
{
	char text[256];
	ssize_t n = pread(clock_fd, text, sizeof(text) - 1, 0);

	memset(out, 0, sizeof(*out));
	if (n <= 0)
		return;
	text[n] = 0;
	sscanf(text, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &out->now,
	       &out->gpu, &out->save, &out->saves, &out->quiet, &out->quiet_gpu);
}

static uint64_t software(const struct gpuclock *a, const struct gpuclock *b)
{
	uint64_t elapsed = b->now - a->now, gpu = b->gpu - a->gpu;

	return elapsed > gpu ? elapsed - gpu : 0;
}

int gpuclock_open(void)
{
	clock_fd = open(CLOCK_FILE, O_RDONLY | O_CLOEXEC);
	return clock_fd < 0 ? -errno : 0;
}

/*
 * What is between two readings with nothing in between. Not once and for all: the longer the
 * numbers are by now, the longer it takes to write them down and to read them.
 */
static uint64_t reading_ns(void)
{
	uint64_t took, least = UINT64_MAX;
	struct gpuclock a, b;
	int i;

	gpuclock_read(&a);
	for (i = 0; i < CALIBRATIONS; i++) {
		gpuclock_read(&b);
		took = software(&a, &b);
		if (took < least)
			least = took;
		a = b;
	}
	return least;
}

void gpuclock_since(const struct gpuclock *begin, struct gpuclock_period *out)
{
	struct gpuclock end;
	uint64_t ns, reading;

	gpuclock_read(&end);
	ns = software(begin, &end);
	reading = reading_ns();
	out->software = ns > reading ? ns - reading : 0;
	out->save = end.save - begin->save;
	out->saves = end.saves - begin->saves;
	out->quiet = end.quiet;
}
