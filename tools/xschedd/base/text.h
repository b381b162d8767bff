/* SPDX-License-Identifier: MIT */
/*
 * Text that others have chosen.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_TEXT_H
#define XSCHEDD_TEXT_H

#include <stddef.h>

/**
 * text_clean() - copy it; all but printable ASCII becomes "?", since it would
 *	end a line, command a terminal, or be no UTF-8
 * @to: where to, ended by a NUL; may be @from
 * @size: bytes there, at least 1: what is longer is cut
 * @from: the text
 */
void text_clean(char *to, size_t size, const char *from);

#endif /* XSCHEDD_TEXT_H */
