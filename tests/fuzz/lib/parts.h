/* SPDX-License-Identifier: MIT */
/*
 * An input of several files: a line PARTS_MARK ends one and begins the next. What comes before the
 * first is the file that is parsed; the others are beside it.
 */
#ifndef FUZZ_PARTS_H
#define FUZZ_PARTS_H

#include <stddef.h>
#include <stdint.h>

#define PARTS_MARK	"%%%%\n"
#define PARTS_MOST	4

/**
 * struct parts - the files of an input
 * @count: how many, at least one
 * @text: of each
 * @size: of each
 */
struct parts {
	size_t count;
	const uint8_t *text[PARTS_MOST];
	size_t size[PARTS_MOST];
};

void parts_split(struct parts *parts, const uint8_t *data, size_t size);

/* A directory of this process, which is removed at exit. */
const char *parts_directory(void);

/* Put one there as a file of that name, or (@index is beyond the last) remove it. */
void parts_put(const struct parts *parts, size_t index, const char *name);

#endif /* FUZZ_PARTS_H */
