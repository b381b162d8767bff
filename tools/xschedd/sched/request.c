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
#include "tenants/tenant.h"

/* Switch at once, ignoring the back-off; returns the last APPLY's result. */
static int request_switch(struct sched *sched)
{
	sched->last_error = 0;
	sched->backing_off = false;
	switch_now(sched, 0);
	return sched->last_error == -ESRCH || sched->last_error == -EALREADY ?
	       0 : sched->last_error;
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
	struct task *task;
	int ret = request_find(sched, pid, &task);

	if (ret)
		return ret;
	xsched_engine_set_exempt(sched->engine, pid, false);
	task->suspended = true;
	tenant_apply(sched, task);
	ret = request_switch(sched);
	if (xsched_engine_tenant(sched->engine, pid, 0, &tenant))
		return -ENOENT;
	if (tenant.state != XSCHED_HELD || tenant.by_queue || tenant.exempt) {
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
	return request_switch(sched);
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
	return request_switch(sched);
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

	return ret ? ret : request_switch(sched);
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
