// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpuclock.h"

#define CLOCK_FILE	"/sys/kernel/debug/vgpu/clock"
#define CALIBRATIONS	64

static int clock_fd = -1;
static uint64_t reading_ns;

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
	struct gpuclock a, b;
	uint64_t took;
	int i;

	clock_fd = open(CLOCK_FILE, O_RDONLY | O_CLOEXEC);
	if (clock_fd < 0)
		return -errno;
	reading_ns = UINT64_MAX;
	for (i = 0; i < CALIBRATIONS; i++) {
		gpuclock_read(&a);
		gpuclock_read(&b);
		took = software(&a, &b);
		if (took < reading_ns)
			reading_ns = took;
	}
	return 0;
}

void gpuclock_since(const struct gpuclock *begin, struct gpuclock_period *out)
{
	struct gpuclock end;
	uint64_t ns;

	gpuclock_read(&end);
	ns = software(begin, &end);
	out->software = ns > reading_ns ? ns - reading_ns : 0;
	out->save = end.save - begin->save;
	out->saves = end.saves - begin->saves;
	out->quiet = end.quiet;
}
