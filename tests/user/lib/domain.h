/* SPDX-License-Identifier: MIT */
/* Nodes, GPUs or partitions of GPUs, and which of them are reset together. */
#ifndef DOMAIN_H
#define DOMAIN_H

#include <stdint.h>

/* Of how many nodes a GPU is, if there are so many in all. */
unsigned int domain_parts(unsigned int nodes);

/*
 * KFD's ids of so many nodes, by number; and how many, from the first one on, are reset together:
 * those of a GPU, or of a hive (module parameter of vgpu). What cannot be had is the test's end.
 */
unsigned int domain_find(int fd, unsigned int nodes, uint32_t *ids);

#endif /* DOMAIN_H */
