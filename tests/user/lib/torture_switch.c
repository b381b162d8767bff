// SPDX-License-Identifier: MIT
/*
 * What the clients of test-torture ask for: holds, releases and priorities of queues, processes and
 * tenants. No client holds for long more than a few things, so that most processes run.
 */
#include <errno.h>
#include <stdio.h>

#include "torture.h"

#define ENTRIES	4	/* of one call, at the most */
#define OP(_op)	KFD_XSCHED_OP_##_op
#define ON(_on)	KFD_XSCHED_TARGET_##_on

static const char *const op_names[] = {
	[OP(SUSPEND)] = "SUSPEND",
	[OP(UNMAP)] = "UNMAP",
	[OP(RESUME)] = "RESUME",
	[OP(SET_PRIORITY)] = "SET_PRIORITY",
};

static const char *const target_names[] = {
	[ON(QUEUE)] = "queue",
	[ON(PROCESS)] = "process",
	[ON(TENANT)] = "tenant",
	[ON(PROCESS_ID)] = "process id",
};

/* ---- entries ------------------------------------------------------------- */

/* Something of a worker, or a tenant; it may be gone. */
static void aim(const struct torture_client *c, struct kfd_xsched_entry *e)
{
	const uint32_t kind = torture_below(8);
	const uint64_t tenant = kind ? 0 : torture_client_tenant(c);
	const struct kfd_xsched_queue *q = kind < 5 ? torture_queue_of(0) : NULL;

	if (tenant) {
		e->target = ON(TENANT);
		e->id = tenant;
	} else if (q && kind < 4) {
		e->target = ON(QUEUE);
		e->id = q->id;
	} else if (q) {
		e->target = ON(PROCESS_ID);
		e->id = q->process;
	} else {
		e->target = ON(PROCESS);
		e->id = (uint64_t)torture_worker_pid(torture_below(TORTURE_WORKERS));
	}
}

/* One grace for a call: two of them would contradict one another. */
static int32_t some_grace(void)
{
	if (!torture_below(4))
		return KFD_XSCHED_GRACE_DEFAULT;
	return (int32_t)torture_below(torture.max_grace_us + 1);
}

static struct kfd_xsched_entry hold_entry(const struct torture_client *c, int32_t grace)
{
	struct kfd_xsched_entry e = { .op = OP(SUSPEND) };

	if (torture_below(2)) {
		e.op = OP(UNMAP);
		e.value = grace;
	}
	aim(c, &e);
	return e;
}

/* What it holds, most of the time. */
static struct kfd_xsched_entry resume_entry(const struct torture_client *c)
{
	struct kfd_xsched_entry e = { 0 };

	if (c->nr_holds && torture_below(8))
		e = c->holds[torture_below(c->nr_holds)];
	else
		aim(c, &e);
	e.op = OP(RESUME);
	e.value = 0;
	return e;
}

/* Half of them give back. */
static struct kfd_xsched_entry priority_entry(const struct torture_client *c)
{
	struct kfd_xsched_entry e = { .op = OP(SET_PRIORITY), .value = KFD_XSCHED_PRIORITY_APP };

	if (torture_below(2))
		e.value = (int32_t)torture_below(KFD_XSCHED_PRIORITY_MAX + 1);
	if (torture.caps & KFD_XSCHED_CAP_CLASS && torture_below(2)) {
		e.prio_class = KFD_XSCHED_CLASS_APP;
		if (torture_below(2))
			e.prio_class = KFD_XSCHED_CLASS_LOW + torture_below(5);
		if (!torture_below(3))
			e.value = KFD_XSCHED_PRIORITY_KEEP;
	}
	aim(c, &e);
	return e;
}

/* ---- calls --------------------------------------------------------------- */

static int apply(struct torture_client *c, struct kfd_xsched_entry *e, uint32_t count, bool async)
{
	int ret;

	if (!async)
		return xsdev_apply(c->fd, e, count, NULL);
	ret = xsdev_apply_async(c->fd, e, count, ++c->cookie);
	c->outstanding += !ret;
	return ret;
}

/* ENOENT: the process had no queue yet, or its end was forgotten. */
static bool entry_may(const struct kfd_xsched_entry *e, int ret)
{
	return ret == -ESRCH || (ret == -ENOENT && e->target == ON(PROCESS)) ||
		(ret == -EALREADY && e->op == OP(RESUME));
}

static bool is_hold(const struct kfd_xsched_entry *e)
{
	return e->op == OP(SUSPEND) || e->op == OP(UNMAP);
}

static bool is_full(const struct torture_client *c)
{
	return c->nr_holds == TORTURE_HOLDS_EACH;
}

/* What it holds by now; it may hold the same in several ways. */
static void note(struct torture_client *c, const struct kfd_xsched_entry *e)
{
	unsigned int i;

	for (i = 0; i < c->nr_holds; i++)
		if (c->holds[i].target == e->target && c->holds[i].id == e->id)
			break;
	if (is_hold(e) && i == c->nr_holds && !is_full(c))
		c->holds[c->nr_holds++] = *e;
	if (e->op == OP(RESUME) && i < c->nr_holds)
		c->holds[i] = c->holds[--c->nr_holds];
}

static bool concerns(const struct kfd_xsched_entry *e, const struct kfd_xsched_queue *q)
{
	switch (e->target) {
	case ON(QUEUE):
		return q->id == e->id;
	case ON(PROCESS):
		return q->pid == (pid_t)e->id;
	case ON(PROCESS_ID):
		return q->process == e->id;
	default:
		return q->tenant == e->id;
	}
}

/* A hold has returned: no wave of what it names is on the GPU. Not of what is about to end. */
static void check_held(struct torture_client *c, const struct kfd_xsched_entry *e)
{
	const uint32_t held = KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_MINE;
	const struct kfd_xsched_queue *q;
	unsigned int i;

	if (torture_list(c->fd))
		return;
	for (i = 0; i < torture.nr_listed; i++) {
		q = &torture.listed[i];
		if (concerns(e, q) && torture_worker_lives(q->pid) &&
		    (q->state & (held | KFD_XSCHED_QUEUE_ACTIVE)) != held)
			torture_violation(TORTURE_HOLDS, "queue %llu of process %d: state %#x",
					  (unsigned long long)q->id, q->pid, q->state);
	}
}

/* One entry. What cannot be released, but for EAGAIN, is not held any more. */
static void call(struct torture_client *c, struct kfd_xsched_entry e)
{
	const bool async = !torture_below(3);
	int ret;

	torture_did("client %u: %s %s %llu, %d/%u%s", c->index, op_names[e.op],
		    target_names[e.target], (unsigned long long)e.id, e.value, e.prio_class,
		    async ? ", ASYNC" : "");
	ret = apply(c, &e, 1, async);
	if (torture_client_got(c, ret, entry_may(&e, ret) || (async && ret == -EAGAIN)) ||
	    (e.op == OP(RESUME) && entry_may(&e, ret)))
		note(c, &e);
	if (!ret && is_hold(&e) && !async && torture.harm == TORTURE_NO_HARM &&
	    !torture.short_lease && !torture_below(4))
		check_held(c, &e);
}

/* ---- operations ---------------------------------------------------------- */

void torture_resume(void)
{
	struct torture_client *c = torture_client_any();

	if (c)
		call(c, resume_entry(c));
}

void torture_hold(void)
{
	struct torture_client *c = torture_client_any();

	if (c)
		call(c, is_full(c) ? resume_entry(c) : hold_entry(c, some_grace()));
}

void torture_priority(void)
{
	struct torture_client *c = torture_client_any();

	if (c)
		call(c, priority_entry(c));
}

/* Short idle times, and never; half of them take back. */
void torture_park(void)
{
	const pid_t pid = torture_worker_pid(torture_below(TORTURE_WORKERS));
	const uint32_t op = torture_below(2) ? KFD_XSCHED_PARK_SET : KFD_XSCHED_PARK_CLEAR;
	const uint32_t ms = op == KFD_XSCHED_PARK_SET && torture_below(4) ?
		KFD_XSCHED_PARK_MS_MIN + torture_below(50) : 0;
	struct torture_client *c = torture_client_any();
	int ret;

	if (!c)
		return;
	torture_did("client %u: PARK %u of process %d, %u ms", c->index, op, (int)pid, ms);
	ret = xsdev_park(c->fd, op, pid, ms);
	torture_client_got(c, ret, ret == -ESRCH || ret == -ENOENT ||
			   (ret == -EALREADY && op == KFD_XSCHED_PARK_CLEAR));
}

static struct kfd_xsched_entry any_entry(const struct torture_client *c, int32_t grace)
{
	const uint32_t kind = torture_below(3);

	if (kind == 0 && c->nr_holds + ENTRIES / 2 <= TORTURE_HOLDS_EACH)
		return hold_entry(c, grace);
	return kind == 1 ? resume_entry(c) : priority_entry(c);
}

/* Whether one of the entries may have that, or (EBUSY) they contradict one another. */
/* A SUSPEND is a grace of zero, and a call may have one for a node. */
static bool mixes_graces(const struct kfd_xsched_entry *e, uint32_t count)
{
	bool none = false, some = false;
	uint32_t i;

	for (i = 0; i < count; i++) {
		none |= e[i].op == OP(SUSPEND) || (e[i].op == OP(UNMAP) && !e[i].value);
		some |= e[i].op == OP(UNMAP) && e[i].value > 0;
	}
	return none && some;
}

static bool several_may(const struct kfd_xsched_entry *e, uint32_t count, int ret)
{
	bool may = ret == -EBUSY || (ret == -EINVAL && mixes_graces(e, count));
	uint32_t i;

	for (i = 0; i < count; i++)
		may |= entry_may(&e[i], ret);
	return may;
}

/* A call with several entries: all, or none but for those that are gone or released. */
void torture_several(void)
{
	const uint32_t count = 2 + torture_below(ENTRIES - 1);
	struct torture_client *c = torture_client_any();
	struct kfd_xsched_entry entries[ENTRIES];
	const int32_t grace = some_grace();
	const bool async = !torture_below(3);
	uint32_t i;
	int ret;

	if (!c)
		return;
	for (i = 0; i < count; i++)
		entries[i] = any_entry(c, grace);
	torture_did("client %u: %u entries: %s %s %llu, %s %s %llu%s", c->index, count,
		    op_names[entries[0].op], target_names[entries[0].target],
		    (unsigned long long)entries[0].id, op_names[entries[1].op],
		    target_names[entries[1].target], (unsigned long long)entries[1].id,
		    async ? ", ASYNC" : "");
	ret = apply(c, entries, count, async);
	if (!torture_client_got(c, ret, several_may(entries, count, ret) ||
				(async && ret == -EAGAIN)))
		return;
	for (i = 0; i < count; i++)
		if (!entries[i].status)
			note(c, &entries[i]);
}
