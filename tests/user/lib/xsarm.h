/* SPDX-License-Identifier: MIT */
/* KFD_XSCHED_ARM for tests, and what a tap is known by. Everything returns -errno. */
#ifndef XSARM_H
#define XSARM_H

#include "xsdev.h"

#define XSARM_ENTRY(_op, _target, _id, _value) {			\
	.op = KFD_XSCHED_OP_##_op,					\
	.target = KFD_XSCHED_TARGET_##_target,				\
	.id = (uint64_t)(_id),						\
	.value = _value,						\
}

/* SET of @count entries; the id, which is small. */
int xsarm_set(int fd, uint32_t trigger, uint64_t trigger_id,
	      struct kfd_xsched_entry *entries, uint32_t count);

/* SET: when the process gets work, SUSPEND the other; the id. */
int xsarm_suspend(int fd, pid_t trigger, pid_t target);

/* CLEAR; and the same without waiting for the firmware. */
int xsarm_clear(int fd, uint64_t id);
int xsarm_clear_async(int fd, uint64_t id);

/*
 * Read on until the switch has run for READY, or been undone: -ETIME. Other events
 * are dropped.
 */
int xsarm_wait(int fd, uint64_t id, bool ready, int timeout_ms, struct kfd_xsched_event *out);

/* Wait until a queue is tapped, or is not any more: -ETIME. */
int xsarm_wait_tapped(int fd, uint64_t queue, bool tapped, int timeout_ms);

/* Take all events there are. */
void xsarm_drain(int fd);

#endif /* XSARM_H */
