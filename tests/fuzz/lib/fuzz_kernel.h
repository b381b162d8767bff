/* SPDX-License-Identifier: MIT */
/*
 * A kernel for the daemon in the fuzzer's own process, below its ioctl(): five processes with
 * seven queues on two GPUs. The device is a FIFO, into which events are written. What it holds is
 * remembered, and a call fails when the input says so.
 */
#ifndef FUZZ_KERNEL_H
#define FUZZ_KERNEL_H

#include <stdint.h>

#define KERNEL_FIRST_PID	101
#define KERNEL_PIDS		5

/* Path of the device. */
const char *kernel_device(void);

/* As it was at first: nothing is held, no event waits. */
void kernel_reset(void);

/* An event of a process (of KERNEL_PIDS, one more: of none) and one of its queues. */
void kernel_event(uint8_t type, uint8_t process, uint8_t queue, uint8_t data);

/* The next APPLY or ARM fails with this errno; 0: none. */
void kernel_fail(uint8_t error);

#endif /* FUZZ_KERNEL_H */
