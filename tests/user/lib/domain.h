/* SPDX-License-Identifier: MIT */
/* GPUs, and which of them are reset together. */
#ifndef DOMAIN_H
#define DOMAIN_H

#include <stdint.h>

/*
 * KFD's ids of @gpus GPUs, by number; and how many, from the first one on, are reset together: 1
 * without a hive (module parameter of vgpu). What cannot be had is the test's end.
 */
unsigned int domain_find(int fd, unsigned int gpus, uint32_t *ids);

#endif /* DOMAIN_H */
