// SPDX-License-Identifier: MIT
/*
 * Changes by request. serve/reply.c checks permissions.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>

#include "kernel/armed.h"
#include "kernel/device.h"
#include "sched/request.h"
#include "sched/switch.h"
#include "tenants/flight.h"
#include "tenants/tenant.h"

/* Switch at once, ignoring the back-off; returns what became of what was sent. */
static int request_switch(struct sched *sched)
{
	flight_retry(sched, XSCHED_NO_DEADLINE);
	switch_now(sched, 0);
	return sched->last_error;
}

/* The same for a request about one process: what others are refused is not its matter. */
static int request_switch_one(struct sched *sched, pid_t pid)
{
	const struct task *task = state_task(sched, pid);
	unsigned int before = task ? task->refused.count : 0;
	int ret = request_switch(sched);

	/* It may be gone now. */
	task = state_task(sched, pid);
	if (ret || !task)
		return ret;
	return task->refused.count > before ? task->refused.error : 0;
}

/* What has gone wrong with its switches since the last that was done. */
static unsigned int request_failures(const struct task *task)
{
	return task->failed + task->refused.count;
}

/*
 * Held, or on its way: then the kernel has checked that the daemon may hold it. One that
 * has just failed is on its way, too: it waits to be tried again.
 */
static bool request_is_granted(const struct xsched_tenant *tenant, bool failed)
{
	if (tenant->exempt)
		return false;
	return tenant->state == XSCHED_SWITCHING ? !failed :
	       tenant->state == XSCHED_HELD && !tenant->by_queue;
}

/* A tenant for whose task there was no memory cannot be changed. */
static int request_find(const struct sched *sched, pid_t pid, struct task **task)
{
	struct xsched_tenant tenant;
	int ret = xsched_engine_tenant(sched->engine, pid, 0, &tenant);

	*task = ret ? NULL : tenant.user;
	return ret ? ret : *task ? 0 : -ENOMEM;
}

int request_suspend(struct sched *sched, pid_t pid, bool admin)
{
	struct xsched_tenant tenant;
	unsigned int failed;
	struct task *task;
	int ret = request_find(sched, pid, &task);

	if (ret)
		return ret;
	failed = request_failures(task);
	xsched_engine_set_exempt(sched->engine, pid, false);
	task->suspended = true;
	tenant_apply(sched, task);
	ret = request_switch_one(sched, pid);
	if (xsched_engine_tenant(sched->engine, pid, 0, &tenant))
		return -ENOENT;
	if (!request_is_granted(&tenant, request_failures(task) > failed)) {
		task->suspended = false;
		tenant_apply(sched, task);
		return tenant.exempt ? -EPERM : ret ? ret : -EIO;
	}
	task->suspended_by_admin |= admin;
	return 0;
}

int request_resume(struct sched *sched, pid_t pid)
{
	struct task *task;
	int ret = request_find(sched, pid, &task);

	if (ret)
		return ret;
	if (!task->suspended)
		return -EALREADY;
	task->suspended = false;
	task->suspended_by_admin = false;
	tenant_apply(sched, task);
	return request_switch_one(sched, pid);
}

int request_set_priority(struct sched *sched, pid_t pid, int32_t priority,
			 bool admin)
{
	struct task *task;
	int ret = request_find(sched, pid, &task);

	if (ret)
		return ret;
	if (admin) {
		task->overridden = true;
		task->override = priority;
	} else {
		task->has_hint = true;
		task->hint = priority;
	}
	tenant_apply(sched, task);
	return request_switch_one(sched, pid);
}

int request_set_level(struct sched *sched, pid_t pid, int level)
{
	struct task *task;
	int ret = request_find(sched, pid, &task);

	if (ret)
		return ret;
	if (!device_has_level(sched, level))
		return -EOPNOTSUPP;
	task->level = level;
	armed_wrong(sched);
	return 0;
}

int request_set_hint(struct sched *sched, pid_t pid, enum xsched_hint hint,
		     int64_t value)
{
	int ret = xsched_engine_set_hint(sched->engine, pid, hint, value);

	return ret ? ret : request_switch_one(sched, pid);
}

int request_set_policy(struct sched *sched, const char *name)
{
	int ret = xsched_engine_set_policy(sched->engine, name);

	if (ret)
		return ret;
	armed_wrong(sched);
	return request_switch(sched);
}

int request_set_option(struct sched *sched, const char *name, int64_t value)
{
	int ret = xsched_engine_set_option(sched->engine, name, value);

	if (ret)
		return ret;
	armed_wrong(sched);
	return request_switch(sched);
}
