// SPDX-License-Identifier: MIT
/*
 * Arrivals. Generator and formula are those of the guest's benchmark
 * (tests/bench/model.c): the same seed gives the same requests there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/arrival.h"

/* splitmix64 */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

uint64_t arrival_seed(uint64_t seed, uint64_t stream)
{
	uint64_t state = seed ^ (stream << 32);

	return stream ? random_next(&state) : seed;
}

bool arrival_next(struct arrival *a, uint64_t *ns)
{
	double u;

	switch (a->kind) {
	case ARRIVAL_PERIODIC:
		a->next_ns += (uint64_t)a->mean_ns;
		break;
	case ARRIVAL_POISSON:
		u = (double)(random_next(&a->random) >> 11) * 0x1p-53;
		a->next_ns += (uint64_t)(-log(1.0 - u) * a->mean_ns);
		break;
	case ARRIVAL_TRACE:
		if (a->given == a->trace->count)
			return false;
		a->next_ns = a->trace->ns[a->given];
		break;
	case ARRIVAL_CLOSED:
		return false;
	}
	a->given++;
	*ns = a->next_ns;
	return true;
}

const char *arrival_name(enum arrival_kind kind)
{
	static const char *const names[] = { "closed", "periodic", "poisson", "trace" };

	return names[kind];
}

/* Parse a line; returns 1 for a time, 0 for none, -1 for an error. */
static int read_line(const char *line, uint64_t *ns)
{
	char rest;
	double s;
	int n;

	line += strspn(line, " \t");
	if (!*line || *line == '#' || *line == '\n')
		return 0;
	n = sscanf(line, "%lf %c", &s, &rest);
	if (n < 1 || (n == 2 && rest != '#') || !(s >= 0 && s < 1e9))
		return -1;
	*ns = (uint64_t)llround(s * 1e9);
	return 1;
}

static bool append(struct arrival_trace *t, uint64_t ns)
{
	uint64_t *grown;

	if (t->count && ns < t->ns[t->count - 1])
		return false;
	if (!(t->count & (t->count - 1))) {
		grown = realloc(t->ns, (t->count ? 2 * t->count : 1) * sizeof(*grown));
		if (!grown)
			return false;
		t->ns = grown;
	}
	t->ns[t->count++] = ns;
	return true;
}

long arrival_read_trace(struct arrival_trace *trace, const char *path)
{
	FILE *f = fopen(path, "re");
	long number = 0, bad = 0;
	char line[256];
	uint64_t ns;
	int kind;

	memset(trace, 0, sizeof(*trace));
	if (!f)
		return -1;
	while (!bad && fgets(line, sizeof(line), f)) {
		number++;
		kind = read_line(line, &ns);
		if (kind < 0 || (kind && !append(trace, ns)))
			bad = number;
	}
	if (ferror(f))
		bad = -1;
	fclose(f);
	return bad;
}
