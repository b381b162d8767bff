/* SPDX-License-Identifier: MIT */
/*
 * Memory of the program. Without memory a simulation has no result, and nothing
 * to clean up: these functions print an error and exit.
 */
#ifndef XSIM_MEMORY_H
#define XSIM_MEMORY_H

#include <stddef.h>

/* @count elements of @size bytes, zero. */
void *memory_new(size_t count, size_t size);

/* The same, at a multiple of @align bytes. */
void *memory_new_aligned(size_t align, size_t count, size_t size);

/* realloc() of an array; new elements are not zero. */
void *memory_grow(void *array, size_t count, size_t size);

#endif /* XSIM_MEMORY_H */
