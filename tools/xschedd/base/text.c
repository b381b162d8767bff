// SPDX-License-Identifier: MIT
/*
 * Text that others have chosen; see text.h.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "base/text.h"

void text_clean(char *to, size_t size, const char *from)
{
	size_t used = 0;

	for (; *from && used < size - 1; from++)
		to[used++] = *from >= ' ' && *from < 0x7f ? *from : '?';
	to[used] = '\0';
}
