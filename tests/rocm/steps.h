/* SPDX-License-Identifier: MIT */
/* Instructions in user space. */
#ifndef ROCM_STEPS_H
#define ROCM_STEPS_H

#include <stdint.h>

/*
 * Between the two, the processor traps after each instruction of this thread in user space, and they
 * are counted, those of the kernel and of other threads not. One thread at a time may do so.
 */
void steps_begin();
uint64_t steps_end();

#endif /* ROCM_STEPS_H */
