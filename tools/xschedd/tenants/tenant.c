// SPDX-License-Identifier: MIT
/*
 * Processes that come and go, and their rating.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/armed.h"
#include "kernel/device.h"
#include "kernel/park.h"
#include "tenants/tenant.h"

/* Log what the process asked for and did not get. */
static void tenant_say_refusals(struct sched *sched, struct task *task)
{
	struct rating *rating = &task->rating;
	const struct log_fields fields = { .pid = task->process.pid,
					   .rule = rating->rule };

	if (rating->doubted)
		log_event(LOG_NOTICE, &fields,
			  "rule '%s' does not raise process %d: a process can say of itself all that the rule looks at",
			  rating->rule, task->process.pid);
	if (rating->refused)
		log_event(LOG_NOTICE, &fields,
			  "process %d asks for priority %d in its environment and gets %d: nothing allows more",
			  task->process.pid, rating->refused, rating->limit);
	if (rating->level && !device_has_level(sched, rating->level)) {
		log_event(LOG_NOTICE, &fields,
			  "process %d asks for level %d, which not every GPU has",
			  task->process.pid, rating->level);
		rating->level = 0;
	}
}

void tenant_apply(struct sched *sched, struct task *task)
{
	int32_t priority = state_task_priority(task);
	pid_t pid = task->process.pid;
	struct xsched_tenant before, after;
	bool known = !xsched_engine_tenant(sched->engine, pid, 0, &before);

	xsched_engine_set_manual(sched->engine, pid, task->suspended ||
				 priority == PRIORITY_NEVER);
	xsched_engine_set_priority(sched->engine, pid,
				   priority == PRIORITY_NEVER ?
				   XSCHED_PRIORITY_MIN : priority);
	if (known && !xsched_engine_tenant(sched->engine, pid, 0, &after) &&
	    (before.priority != after.priority ||
	     before.manual != after.manual))
		armed_wrong(sched);
}

/* Switches that it triggers are not run any more, and others do not hold it. */
void tenant_note_demotion(struct sched *sched, pid_t pid, bool demoted)
{
	const struct log_fields fields = { .pid = pid, .id = LOG_DEMOTED };
	struct task *task = state_task(sched, pid);

	if (!task || task->demoted == demoted)
		return;
	task->demoted = demoted;
	armed_wrong(sched);
	if (demoted)
		log_event(LOG_WARNING, &fields,
			  "process %d is demoted, because it or another of its user did not save its waves: all others come first",
			  pid);
	else
		log_event(LOG_NOTICE, &fields, "process %d is not demoted any more", pid);
}

static void tenant_join(struct sched *sched, struct task *task)
{
	const char *name = task->rating.group;
	uint64_t former = task->group;

	task->group = *name ? groups_get(&sched->groups, name) : 0;
	groups_put(&sched->groups, former);
	xsched_engine_set_group(sched->engine, task->process.pid, task->group);
	if (task->group != former)
		armed_wrong(sched);
}

/* Remove the former hints: another rule may give none. */
static void tenant_take_back_hints(struct sched *sched, const struct task *task)
{
	const struct rating *rating = &task->rating;

	for (size_t i = 0; i < rating->hint_count; i++)
		xsched_engine_set_hint(sched->engine, task->process.pid,
				       rating->hints[i].hint, XSCHED_HINT_UNSET);
}

static void tenant_give_hints(struct sched *sched, const struct task *task)
{
	const struct rating *rating = &task->rating;
	pid_t pid = task->process.pid;

	xsched_engine_set_hint(sched->engine, pid, XSCHED_HINT_NICE,
			       task->process.nice);
	for (size_t i = 0; i < rating->hint_count; i++)
		xsched_engine_set_hint(sched->engine, pid,
				       rating->hints[i].hint,
				       rating->hints[i].value);
}

/* Once for each rule that decides about it: other facts may lead to another. It never decreases. */
static void tenant_count(struct sched *sched, struct task *task)
{
	size_t matched = task->rating.rule ? task->rating.rule_index + 1 : 0;

	if (!sched->matched || matched == task->matched ||
	    task->rating.source == SOURCE_UNREAD)
		return;
	task->matched = matched;
	if (matched)
		sched->matched[matched - 1]++;
}

static void tenant_say_rules(const struct sched *sched)
{
	const struct config *config = sched->config;

	for (size_t i = 0; i < config->rule_count; i++) {
		const struct log_fields fields = { .rule = config->rules[i].name };

		if (sched->matched && !sched->matched[i])
			log_event(LOG_NOTICE, &fields,
				  "rule '%s' matches no GPU process",
				  config->rules[i].name);
	}
}

/* ---- facts -------------------------------------------------------------- */

/* The share of the time for which switches may wait: a process can delay its facts. */
#define AWAIT_PERMILLE	10
#define AWAIT_ROOM_MS	100
#define AWAIT_LEAST_NS	1000000ULL

static void tenant_await(struct sched *sched, struct task *task)
{
	struct await *await = &sched->await;
	uint64_t now = clock_ns(), left;

	if (task->unread)
		return;
	task->unread = true;
	if (await->unread++)
		return;
	left = bucket_fill(&await->budget, now, AWAIT_PERMILLE,
			   AWAIT_ROOM_MS * 1000000ULL);
	/* Another came before the end of the last wait was handled. */
	if (await->since_ns) {
		bucket_take(&await->budget, now - await->since_ns);
		left = await->budget.left_ns;
		await->since_ns = 0;
	}
	if (left < AWAIT_LEAST_NS)
		return;
	await->since_ns = now;
	clock_timer_set(await->timer, now + left);
}

static void tenant_is_read(struct sched *sched, struct task *task)
{
	struct await *await = &sched->await;

	if (!task->unread)
		return;
	task->unread = false;
	if (--await->unread || !await->timer)
		return;
	/* At once, but from the loop. */
	clock_timer_set(await->timer, 0);
}

bool tenant_awaits(const struct sched *sched)
{
	return sched->await.unread && sched->await.since_ns;
}

uint64_t tenant_await_ends(struct sched *sched)
{
	struct await *await = &sched->await;
	uint64_t event_ns = await->event_ns;

	if (await->since_ns)
		bucket_take(&await->budget, clock_ns() - await->since_ns);
	await->since_ns = 0;
	await->event_ns = 0;
	if (await->say_rules && !await->unread) {
		await->say_rules = false;
		tenant_say_rules(sched);
	}
	return event_ns;
}

static void tenant_rate(struct sched *sched, struct task *task,
			const struct process *process)
{
	tenant_take_back_hints(sched, task);
	rating_of(&task->rating, process, sched->config);
	tenant_join(sched, task);
	tenant_give_hints(sched, task);
	tenant_apply(sched, task);
}

/* Rate a process by what has been read. Its environment is not kept. */
static void tenant_on_facts(struct reading *reading, const struct process *process,
			    enum reading_state state)
{
	struct sched *sched = reading->context;
	struct task *task = reading->user;

	/* Without its leader: what was known of it counts. */
	if (process->known || !task->process.known) {
		process_free(&task->process);
		process_copy(&task->process, process);
	} else {
		process = &task->process;
	}
	tenant_rate(sched, task, process);
	if (state == READING_FACTS)
		return;
	tenant_count(sched, task);
	tenant_say_refusals(sched, task);
	park_tell(sched, task);
	tenant_is_read(sched, task);
}

static void tenant_read(struct sched *sched, struct task *task)
{
	reader_forget(sched->reader, &task->reading);
	task->reading.cmdline = config_wants_cmdline(sched->config);
	tenant_await(sched, task);
	reader_ask(sched->reader, &task->reading);
}

/* Without memory for a task it has the default priority. */
void tenant_adopt(struct sched *sched, pid_t pid)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task) {
		log_message(LOG_WARNING, "process %d: out of memory", pid);
		return;
	}
	process_read_owner(&task->process, pid);
	rating_of(&task->rating, &task->process, sched->config);
	task->reading = (struct reading){ .pid = pid, .done = tenant_on_facts,
					  .context = sched, .user = task };
	task->seen_ns = clock_ns();
	xsched_engine_set_user(sched->engine, pid, task);
	tenant_give_hints(sched, task);
	tenant_apply(sched, task);
	tenant_read(sched, task);
	armed_stale(sched);
}

void tenant_gone(void *context, int32_t pid, void *user)
{
	struct sched *sched = context;
	struct task *task = user;

	(void)pid;
	if (!task)
		return;
	reader_forget(sched->reader, &task->reading);
	tenant_is_read(sched, task);
	groups_put(&sched->groups, task->group);
	process_free(&task->process);
	free(task);
	armed_stale(sched);
}

void tenant_rate_all(struct sched *sched)
{
	size_t count = xsched_engine_tenants(sched->engine);
	pid_t *pids = calloc(count + 1, sizeof(*pids));
	struct xsched_tenant tenant;

	free(sched->matched);
	sched->matched = calloc(sched->config->rule_count + 1,
				sizeof(*sched->matched));
	if (!pids) {
		log_message(LOG_ERR, "rules not applied: out of memory");
		return;
	}
	/* A change reorders the tenants: first note the pids. */
	for (size_t i = 0; i < count; i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		pids[i] = tenant.pid;
	}
	for (size_t i = 0; i < count; i++) {
		struct task *task = state_task(sched, pids[i]);

		xsched_engine_set_exempt(sched->engine, pids[i], false);
		if (!task)
			continue;
		/* The former rule is gone; what it gave stays until then. */
		task->rating.rule = NULL;
		task->matched = 0;
		tenant_read(sched, task);
	}
	free(pids);
	sched->await.say_rules = true;
	if (!sched->await.unread)
		tenant_await_ends(sched);
}
