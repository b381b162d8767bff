/* SPDX-License-Identifier: MIT */
/*
 * The daemon's children, in its own process and in place of tools/xschedd/base/child.c: what such
 * a child does is done between two turns of the loop, as long as questions wait for it. So its
 * answers are the same each time. It has no rights to drop.
 */
#ifndef FUZZ_CHILD_H
#define FUZZ_CHILD_H

#include <stdbool.h>
#include <stdint.h>

/** enum child_kind - which helpers of the daemon */
enum child_kind {
	CHILDREN_FOR_NAMES,
	CHILDREN_FOR_PROC,
	CHILD_KINDS,
};

/*
 * How they are from now on, by the bits of @how. The lower two: 0: they answer, 1: they do not,
 * until they do again, 2: they end instead, 3: they say nonsense instead. 4: when they are killed
 * they do not end.
 */
void children_are(enum child_kind kind, uint8_t how);

/* Let them do what they have been asked for. */
void children_run(void);

#endif /* FUZZ_CHILD_H */
