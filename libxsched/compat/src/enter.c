// SPDX-License-Identifier: MIT
/*
 * The lock, the first call, what the thread does, and what becomes of all that in a child.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "compat.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/*
 * The parent's queues do not belong to the child, and a copy of its descriptors
 * would keep the parent's holds after the parent has died.
 */
static void in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	holder_forget();
	local_stop();
	worker_forget();
	state_reset();
}

static uint64_t turn(int *fd)
{
	uint64_t holder, local;

	compat_enter();
	holder = holder_step(clock_ns());
	local = local_step(clock_ns());
	*fd = local_fd();
	compat_leave();
	return local < holder ? local : holder;
}

static void begin(void)
{
	state_reset();
	worker_init(turn);
	pthread_atfork(before_fork, in_parent, in_child);
}

void compat_enter(void)
{
	pthread_once(&once, begin);
	pthread_mutex_lock(&lock);
	if (compat.started)
		return;
	/* In a child, too, but only on its first call: it may just exec. */
	compat.started = true;
	scheduler_from_environment();
}

void compat_leave(void)
{
	pthread_mutex_unlock(&lock);
}
