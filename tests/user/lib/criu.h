/* SPDX-License-Identifier: MIT */
/*
 * Checkpoint and restore of a GPU process, as CRIU's plugin for amdgpu does it: the
 * process is stopped with ptrace, and its own /dev/kfd is asked from outside; a new
 * process gets the same memory at the same addresses, and KFD makes its queues of it.
 *
 * One image at a time. Buffers of the driver only: no registered memory.
 */
#ifndef CRIU_H
#define CRIU_H

#include <stdint.h>
#include <sys/types.h>

/* Stop the process and take its /dev/kfd: a file descriptor, or -errno. */
int criu_freeze(pid_t pid);

/* Let it go on, with its /dev/kfd closed here. */
void criu_thaw(pid_t pid, int kfd);

/* AMDKFD_IOC_CRIU_OP: PROCESS_INFO, which stops the queues; UNPAUSE, which starts them. */
int criu_process_info(int kfd);
int criu_unpause(int kfd);

/* CHECKPOINT of what PROCESS_INFO found, with the content of its memory. */
int criu_checkpoint(int kfd);

/* How many queues and events are in the image. */
uint32_t criu_objects(void);

/* RESTORE the image in the calling process, which has not opened the GPU yet. */
int criu_restore(void);

/* RESUME of a restored process; its queues may run from now on. */
int criu_resume(pid_t pid);

#endif /* CRIU_H */
