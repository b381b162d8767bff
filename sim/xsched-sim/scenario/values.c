// SPDX-License-Identifier: MIT
/* What a key's value is, and the error if it is none. */
#include <stdarg.h>
#include <string.h>

#include "scenario/keys.h"
#include "scenario/parse.h"

bool reader_fail(struct reader *r, const char *format, ...)
{
	va_list args;
	int used;

	if (r->failed)
		return false;
	r->failed = true;
	used = snprintf(r->error, r->size, "%s:%d: ", r->scn->path, r->line);
	if (used < 0 || (size_t)used >= r->size)
		return false;
	va_start(args, format);
	vsnprintf(r->error + used, r->size - (size_t)used, format, args);
	va_end(args);
	return false;
}

bool keys_text(struct reader *r, char **field, const char *value)
{
	if (!*value)
		return reader_fail(r, "empty value");
	*field = strdup(value);
	return *field ? true : reader_fail(r, "out of memory");
}

bool keys_u32(struct reader *r, u32 *field, const char *value, u32 min, u32 max)
{
	uint64_t v;

	if (!parse_whole(value, min, max, &v))
		return reader_fail(r, "'%s' is not a number of %u..%u", value, min, max);
	*field = (u32)v;
	return true;
}

bool keys_u64(struct reader *r, u64 *field, const char *value, u64 min)
{
	if (!parse_whole(value, min, UINT64_MAX, field))
		return reader_fail(r, "'%s' is not a whole number, at least %llu", value,
				   (unsigned long long)min);
	return true;
}

bool keys_time(struct reader *r, u64 *field, const char *value)
{
	if (!parse_time(value, field))
		return reader_fail(r, "'%s' is not a time, like 10 s, 5 ms, 20 us or 300 ns",
				   value);
	return true;
}

bool keys_yes(struct reader *r, bool *field, const char *value)
{
	if (!parse_bool(value, field))
		return reader_fail(r, "'%s' is neither yes nor no", value);
	return true;
}

/* Index of @value among the NULL-terminated @choices, -1 and an error if none. */
int keys_choose(struct reader *r, const char *value, const char *const *choices)
{
	int i;

	for (i = 0; choices[i]; i++)
		if (!strcmp(value, choices[i]))
			return i;
	reader_fail(r, "'%s' is not known here", value);
	return -1;
}
