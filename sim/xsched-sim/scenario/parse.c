// SPDX-License-Identifier: MIT
/* Values of a scenario file. A value is refused unless its whole text is valid. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/parse.h"

#define YEAR_NS	(366.0 * 86400 * 1e9)

bool parse_whole(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || *end || v < min || v > max)
		return false;
	*out = v;
	return true;
}

bool parse_signed(const char *text, int64_t min, int64_t max, int64_t *out)
{
	long long v;
	char *end;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (end == text || errno || *end || v < min || v > max)
		return false;
	*out = v;
	return true;
}

bool parse_positive(const char *text, double *out)
{
	double v;
	char *end;

	v = strtod(text, &end);
	if (end == text || *end || !isfinite(v) || v <= 0)
		return false;
	*out = v;
	return true;
}

bool parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	unsigned int i;
	char *end;
	double v;

	if (!isdigit((unsigned char)*text))
		return false;
	v = strtod(text, &end);
	while (*end == ' ')
		end++;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		v *= units[i].ns;
		if (!isfinite(v) || v > YEAR_NS)
			return false;
		*ns = (uint64_t)llround(v);
		return true;
	}
	return false;
}

bool parse_bool(const char *text, bool *out)
{
	*out = !strcmp(text, "yes");
	return *out || !strcmp(text, "no");
}

/* A number below @limit at *@at, which moves past it. */
static bool parse_element(const char **at, unsigned int limit, unsigned int *out)
{
	unsigned long v;
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	v = strtoul(*at, &end, 10);
	*at = end;
	*out = (unsigned int)v;
	return v < limit;
}

bool parse_set(const char *text, unsigned int limit, uint64_t *bits)
{
	unsigned int from, to;

	*bits = 0;
	if (!strcmp(text, "all")) {
		*bits = limit == 64 ? UINT64_MAX : (1ULL << limit) - 1;
		return true;
	}
	for (;;) {
		if (!parse_element(&text, limit, &from))
			return false;
		to = from;
		if (*text == '-') {
			text++;
			if (!parse_element(&text, limit, &to) || to < from)
				return false;
		}
		for (; from <= to; from++)
			*bits |= 1ULL << from;
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
		text += strspn(text, " ");
	}
}
