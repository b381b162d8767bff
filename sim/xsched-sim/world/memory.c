// SPDX-License-Identifier: MIT
/* Memory, or the end of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/memory.h"

static void *check(void *p)
{
	if (p)
		return p;
	fputs("xsched-sim: out of memory\n", stderr);
	exit(1);
}

void *memory_new(size_t count, size_t size)
{
	return check(calloc(count ? count : 1, size));
}

void *memory_new_aligned(size_t align, size_t count, size_t size)
{
	size_t bytes = (count * size + align - 1) / align * align;
	void *p = check(aligned_alloc(align, bytes ? bytes : align));

	return memset(p, 0, bytes ? bytes : align);
}

void *memory_grow(void *array, size_t count, size_t size)
{
	return check(reallocarray(array, count, size));
}
