/* SPDX-License-Identifier: MIT */
/*
 * A process that debugs its own queues, as a debugger would another's: KFD asks
 * for a ptrace relation only between two.
 */
#ifndef KFDQ_DEBUG_H
#define KFDQ_DEBUG_H

#include "kfdq.h"

/* AMDKFD_IOC_RUNTIME_ENABLE and DBG_TRAP_ENABLE; before the first queue. */
int kfdq_debug_start(struct kfdq_device *dev);

/* DBG_TRAP_SUSPEND_QUEUES of one queue: -EIO if KFD could not. */
int kfdq_debug_suspend(struct kfdq_device *dev, struct kfdq_queue *queue);

/* DBG_TRAP_RESUME_QUEUES of one queue. */
int kfdq_debug_resume(struct kfdq_device *dev, struct kfdq_queue *queue);

/* DBG_TRAP_DISABLE, which resumes what is suspended. */
int kfdq_debug_stop(struct kfdq_device *dev);

#endif /* KFDQ_DEBUG_H */
