// SPDX-License-Identifier: MIT
/*
 * The scheduler.
 *
 * The way from an event to its APPLY is what an application waits for. It is:
 * one read, the engine, one ioctl. Nothing on it allocates, looks at /proc or
 * writes a file, except where a process shows up for the first time.
 *
 * A switch that fails because of the firmware is tried again with back-off.
 * Nothing is undone: the engine keeps what it does not know as uncertain, and
 * the kernel's operations are idempotent.
 *
 * A client that gives no sign of life while it holds something is ejected by
 * the kernel. Switches and reads are such signs; a timer gives others, while
 * something is held. Once ejected, it becomes a client anew and plans afresh.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "log.h"
#include "sched.h"

/* Events read at a time. */
#define BATCH		64
/* Entries the switch has room for from the start: more allocates, once. */
#define APPLY_ROOM	512
/* A switch is planned anew this often when the kernel refused some of it. */
#define PLAN_ATTEMPTS	4

/* Back-off: 1 ms, doubled up to a second; then one attempt a second, and that
 * only while events keep coming.
 */
#define BACKOFF_FIRST_NS	1000000ULL
#define BACKOFF_LAST_NS		1000000000ULL
#define BACKOFF_ATTEMPTS	10

/* Signs of life in the time of one lease, and how late one may come. */
#define SIGNS_A_LEASE		4
#define SIGN_LATE_USEC		5000

#define EVENTS_WANTED (KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_DEL) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_PROCESS_EXIT) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_LOST) | \
		       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET))

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* ---- tenants ------------------------------------------------------------ */

/* The priority by rule or nice value, unless one was set by request. */
static void rate(struct sched *sched, pid_t pid, struct task *task)
{
	const char *rule;

	task->base_priority = process_priority(&task->process, sched->config,
					       &rule);
	task->rule = rule;
	if (!task->overridden)
		xsched_engine_set_priority(sched->engine, pid,
					   task->base_priority);
}

/* A process showed up. Without memory for a task it has the default priority. */
static void adopt(struct sched *sched, pid_t pid)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task) {
		log_message(LOG_WARNING, "process %d: out of memory", pid);
		return;
	}
	process_read(&task->process, pid);
	task->seen_ns = now_ns();
	xsched_engine_set_user(sched->engine, pid, task);
	rate(sched, pid, task);
}

static void on_gone(void *context, int32_t pid, void *user)
{
	(void)context;
	(void)pid;
	free(user);
}

/* ---- switching ---------------------------------------------------------- */

/* What became of a switch. */
enum outcome {
	DONE,		/* as planned */
	REPLAN,		/* some of it can never be: plan without */
	RETRY,		/* the firmware or memory: try again later */
};

/*
 * An entry the kernel refuses would make every plan fail that contains it. Who
 * is gone is forgotten; who may not be touched is left alone.
 */
static bool refuse(struct sched *sched, const struct kfd_xsched_entry *entry)
{
	pid_t pid = entry->id;

	switch (entry->status) {
	case -ENOENT:
	case -ESRCH:
		xsched_engine_process_exit(sched->engine, pid);
		return true;
	case -EPERM:
	case -EOPNOTSUPP:
		log_message(LOG_WARNING, "process %d is left alone: %s", pid,
			    strerror(-entry->status));
		xsched_engine_set_exempt(sched->engine, pid, true);
		return true;
	default:
		return false;
	}
}

/* The call did what was asked, or there was nothing but benign entries. */
static void commit(struct sched *sched, uint64_t end_ns, uint64_t call_ns)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(sched->apply);
	size_t count = xsched_apply_count(sched->apply);

	for (size_t i = 0; i < count; i++) {
		bool hold = e[i].op != KFD_XSCHED_OP_RESUME;
		struct task *task;

		if (e[i].status == -ESRCH) {
			xsched_engine_process_exit(sched->engine, e[i].id);
			continue;
		}
		xsched_engine_commit(sched->engine, e[i].id,
				     hold ? XSCHED_HELD : XSCHED_RELEASED,
				     end_ns);
		task = hold ? xsched_engine_user(sched->engine, e[i].id) : NULL;
		if (task)
			histogram_add(&task->switches, call_ns);
	}
}

static void doubt(struct sched *sched, uint64_t end_ns)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(sched->apply);
	size_t count = xsched_apply_count(sched->apply);

	for (size_t i = 0; i < count; i++)
		xsched_engine_commit(sched->engine, e[i].id, XSCHED_UNCERTAIN,
				     end_ns);
}

static enum outcome settle(struct sched *sched, int status, uint64_t end_ns,
			   uint64_t call_ns)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(sched->apply);
	size_t count = xsched_apply_count(sched->apply);
	bool refused = false;

	switch (status) {
	case 0:
	case -ESRCH:
	case -EALREADY:
		commit(sched, end_ns, call_ns);
		return DONE;
	case -EOWNERDEAD:
		sched->ejected = true;
		return RETRY;
	case -EIO:
	case -ETIME:
	case -ENODEV:
		/* Some nodes may have switched. */
		doubt(sched, end_ns);
		return RETRY;
	default:
		/* Nothing changed. */
		for (size_t i = 0; i < count; i++)
			refused |= refuse(sched, &e[i]);
		return refused ? REPLAN : RETRY;
	}
}

static int fill(struct sched *sched, const struct xsched_plan *plan)
{
	const struct config *config = sched->config;
	uint32_t op = config->unmap ? KFD_XSCHED_OP_UNMAP :
				      KFD_XSCHED_OP_SUSPEND;
	int32_t value = config->unmap ? (int32_t)config->grace_us : 0;
	int ret = 0;

	xsched_apply_reset(sched->apply);
	for (size_t i = 0; !ret && i < plan->hold_count; i++)
		ret = xsched_apply_add(sched->apply, op,
				       KFD_XSCHED_TARGET_PROCESS,
				       plan->hold[i], value);
	for (size_t i = 0; !ret && i < plan->release_count; i++)
		ret = xsched_apply_resume_process(sched->apply,
						  plan->release[i]);
	return ret;
}

/* One APPLY, with what is in @sched->apply. */
static enum outcome apply(struct sched *sched, uint64_t event_ns)
{
	struct trace_record record = {
		.event_ns = event_ns,
		.apply = sched->apply,
	};
	enum outcome outcome;
	uint64_t end_ns;

	record.start_ns = now_ns();
	record.status = xsched_apply_run(sched->apply, sched->device);
	end_ns = now_ns();
	record.call_ns = end_ns - record.start_ns;
	sched->last_error = record.status;
	outcome = settle(sched, record.status, end_ns, record.call_ns);
	if (outcome == DONE) {
		sched->stats.applies++;
		histogram_add(&sched->stats.call, record.call_ns);
		if (event_ns && event_ns < end_ns)
			histogram_add(&sched->stats.reaction,
				      end_ns - event_ns);
	} else {
		sched->stats.failures++;
	}
	trace_write(sched->trace, &record);
	return outcome;
}

static void set_timer(struct sched *sched, uint64_t at_ns)
{
	if (at_ns == XSCHED_NO_DEADLINE) {
		sd_event_source_set_enabled(sched->timer, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time(sched->timer, (at_ns + 999) / 1000);
	sd_event_source_set_enabled(sched->timer, SD_EVENT_ONESHOT);
}

static void back_off(struct sched *sched)
{
	unsigned int n = sched->attempts++;
	uint64_t delay = n < BACKOFF_ATTEMPTS ? BACKOFF_FIRST_NS << n :
						BACKOFF_LAST_NS;

	if (!n)
		log_message(LOG_ERR, "cannot switch: %s",
			    strerror(-sched->last_error));
	/* Given up: the next event takes up again, see on_device(). */
	if (n >= BACKOFF_ATTEMPTS) {
		if (n == BACKOFF_ATTEMPTS)
			log_message(LOG_ERR, "cannot switch, gave up after %u attempts: %s",
				    n, strerror(-sched->last_error));
		return;
	}
	sched->backing_off = true;
	if (delay > BACKOFF_LAST_NS)
		delay = BACKOFF_LAST_NS;
	set_timer(sched, now_ns() + delay);
}

static void recovered(struct sched *sched)
{
	if (sched->attempts)
		log_message(LOG_INFO, "switching works again");
	sched->attempts = 0;
}

/* Whether anything may be held. */
static bool holds(const struct sched *sched)
{
	struct xsched_tenant tenant;

	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (tenant.state != XSCHED_RELEASED)
			return true;
	}
	return false;
}

static void set_lease_timer(struct sched *sched, bool on)
{
	int enabled = SD_EVENT_OFF;

	sd_event_source_get_enabled(sched->lease, &enabled);
	if (on == (enabled != SD_EVENT_OFF))
		return;
	if (on)
		sd_event_source_set_time_relative(sched->lease,
						  sched->lease_usec);
	sd_event_source_set_enabled(sched->lease,
				    on ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

/* A sign of life. What the lease is may change with each. */
static void renew(struct sched *sched)
{
	struct kfd_xsched_renew renew;
	int ret = xsched_renew(sched->device, &renew);

	if (ret == -EOWNERDEAD)
		sched->ejected = true;
	else if (ret)
		log_message(LOG_ERR, "cannot renew the lease: %s",
			    strerror(-ret));
	else
		sched->lease_usec = renew.lease_ms * 1000ULL / SIGNS_A_LEASE;
}

static int start_afresh(struct sched *sched);

/*
 * Bring the kernel to what the engine wants. The rule is one APPLY; another
 * follows only when the kernel refused entries and nothing changed.
 */
static void switch_now(struct sched *sched, uint64_t event_ns)
{
	struct xsched_plan plan;
	enum outcome outcome = DONE;

	if (sched->backing_off)
		return;
	for (int i = 0; i < PLAN_ATTEMPTS; i++) {
		xsched_engine_plan(sched->engine, now_ns(), &plan);
		if (!plan.hold_count && !plan.release_count)
			break;
		sched->last_error = fill(sched, &plan);
		outcome = sched->last_error ? RETRY : apply(sched, event_ns);
		/* After a release, see whether that was the last. */
		set_lease_timer(sched, plan.hold_count || holds(sched));
		if (sched->ejected && !start_afresh(sched)) {
			outcome = DONE;
			continue;
		}
		if (outcome != REPLAN)
			break;
	}
	if (outcome == DONE) {
		if (sched->attempts)
			recovered(sched);
		if (plan.deadline_ns != XSCHED_NO_DEADLINE)
			set_timer(sched, plan.deadline_ns);
	} else {
		back_off(sched);
	}
}

static int on_lease(sd_event_source *source, uint64_t usec, void *user)
{
	struct sched *sched = user;

	(void)source;
	(void)usec;
	if (!holds(sched))
		return 0;
	renew(sched);
	if (sched->ejected) {
		if (!start_afresh(sched))
			switch_now(sched, 0);
		return 0;
	}
	set_lease_timer(sched, true);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *user)
{
	struct sched *sched = user;

	(void)source;
	(void)usec;
	if (sched->backing_off)
		sched->stats.retries++;
	sched->backing_off = false;
	switch_now(sched, 0);
	return 0;
}

/* ---- events ------------------------------------------------------------- */

/* A process that was held and has no queue may be gone, its exit unseen. */
static void reap(struct sched *sched)
{
	struct xsched_tenant tenant;
	size_t i = xsched_engine_tenants(sched->engine);

	while (i-- > 0) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (!tenant.queues && kill(tenant.pid, 0) && errno == ESRCH)
			xsched_engine_process_exit(sched->engine, tenant.pid);
	}
}

/* Take over the list of queues: at the start, and when events were lost. */
static int resync(struct sched *sched)
{
	int ret = xsched_list_queues(sched->device, &sched->list);

	if (ret) {
		log_message(LOG_ERR, "cannot list queues: %s", strerror(-ret));
		return ret;
	}
	xsched_engine_sync_begin(sched->engine);
	for (size_t i = 0; i < sched->list.count; i++) {
		const struct kfd_xsched_queue *queue = &sched->list.queues[i];

		if (queue->pid <= 0)
			continue;
		ret = xsched_engine_sync_queue(sched->engine, queue);
		if (ret == XSCHED_NEW_TENANT)
			adopt(sched, queue->pid);
		else if (ret < 0)
			log_message(LOG_ERR, "queue %llu is left alone: %s",
				    (unsigned long long)queue->id,
				    strerror(-ret));
	}
	xsched_engine_sync_end(sched->engine);
	reap(sched);
	return 0;
}

/* Returns whether the list of queues must be read again. */
static bool feed(struct sched *sched, const struct kfd_xsched_event *event)
{
	int ret = xsched_engine_event(sched->engine, event);

	if (ret == XSCHED_NEW_TENANT)
		adopt(sched, event->pid);
	if (event->type == KFD_XSCHED_EVENT_EJECTED)
		sched->ejected = true;
	if (event->type == KFD_XSCHED_EVENT_NODE_RESET)
		log_message(LOG_WARNING, "GPU %u: reset %s", event->gpu_id,
			    event->data ? "ended" : "begins");
	if (ret == -ENOMEM || ret == -ENOSPC)
		log_message(LOG_ERR, "queue %llu is left alone: %s",
			    (unsigned long long)event->id, strerror(-ret));
	if (ret != -ESTALE)
		return false;
	sched->stats.lost++;
	return true;
}

static int device_lost(struct sched *sched, int error)
{
	log_message(LOG_ERR, "the device is gone: %s", strerror(-error));
	return sd_event_exit(sched->event, error);
}

static int on_device(sd_event_source *source, int fd, uint32_t revents,
		     void *user)
{
	struct sched *sched = user;
	struct kfd_xsched_event events[BATCH];
	uint64_t event_ns = 0;
	bool stale = false;
	int count;

	(void)source;
	(void)fd;
	do {
		count = xsched_read_events(sched->device, events, BATCH);
		if (count < 0)
			break;
		if (!count)
			return device_lost(sched, -ENODEV);
		if (!event_ns)
			event_ns = events[0].time_ns;
		sched->stats.events += count;
		for (int i = 0; i < count; i++)
			stale |= feed(sched, &events[i]);
	} while (count == BATCH);

	if (count == -EOWNERDEAD)
		sched->ejected = true;
	if (sched->ejected) {
		if (!start_afresh(sched))
			switch_now(sched, 0);
		return 0;
	}
	if (count < 0 && count != -EAGAIN && count != -EINTR)
		return device_lost(sched, count);
	if (count < 0 && !event_ns && (revents & (EPOLLHUP | EPOLLERR)))
		return device_lost(sched, -ENODEV);
	if (stale)
		resync(sched);
	/* After giving up, not more often than the longest back-off. */
	if (sched->attempts > BACKOFF_ATTEMPTS && !sched->backing_off) {
		sched->backing_off = true;
		set_timer(sched, now_ns() + BACKOFF_LAST_NS);
	}
	switch_now(sched, event_ns);
	return 0;
}

/* ---- start, reload, stop ------------------------------------------------ */

/* Say at once what would else fail with the first switch. */
static void check_nodes(struct sched *sched)
{
	const struct config *config = sched->config;
	const struct kfd_xsched_node *nodes;
	size_t count;

	nodes = xsched_nodes(sched->device, &count);
	if (!count)
		log_message(LOG_WARNING, "there is no GPU node");
	for (size_t i = 0; i < count; i++) {
		uint32_t need = config->unmap ? KFD_XSCHED_CAP_UNMAP :
						KFD_XSCHED_CAP_SUSPEND;

		if (!(nodes[i].caps & need))
			log_message(LOG_WARNING, "GPU %u cannot %s its queues",
				    nodes[i].gpu_id,
				    config->unmap ? "unmap" : "suspend");
		if (config->unmap && config->grace_us > nodes[i].max_grace_us)
			log_message(LOG_WARNING,
				    "GPU %u: grace_us=%u is above its limit, %u",
				    nodes[i].gpu_id, config->grace_us,
				    nodes[i].max_grace_us);
	}
}

static int subscribe(struct sched *sched)
{
	int ret = xsched_subscribe(sched->device, EVENTS_WANTED,
				   sched->config->sample_us,
				   sched->config->settle_us);

	if (ret)
		log_message(LOG_ERR, "cannot subscribe: %s", strerror(-ret));
	return ret;
}

static int open_trace(struct sched *sched)
{
	int ret;

	if (!sched->config->trace)
		return 0;
	ret = trace_open(&sched->trace, sched->event, sched->config->trace);
	if (ret)
		log_message(LOG_ERR, "%s: %s", sched->config->trace,
			    strerror(-ret));
	return ret;
}

static int add_timer(struct sched *sched, sd_event_source **timer,
		     uint64_t accuracy, sd_event_time_handler_t handler)
{
	int ret = sd_event_add_time(sched->event, timer, CLOCK_MONOTONIC, 0,
				    accuracy, handler, sched);

	return ret < 0 ? ret : sd_event_source_set_enabled(*timer, SD_EVENT_OFF);
}

static int watch_device(struct sched *sched)
{
	int ret = sd_event_add_io(sched->event, &sched->device_source,
				  xsched_fd(sched->device), EPOLLIN, on_device,
				  sched);

	if (ret < 0)
		return ret;
	/* The GPU first, users of the control socket after it. */
	return sd_event_source_set_priority(sched->device_source,
					    SD_EVENT_PRIORITY_IMPORTANT);
}

/* Become a client and subscribe. */
static int connect_device(struct sched *sched)
{
	const char *path = sched->config->device;
	int ret = xsched_open(&sched->device, path);

	if (ret) {
		log_message(LOG_ERR, "%s: %s", path, strerror(-ret));
		return ret;
	}
	check_nodes(sched);
	ret = watch_device(sched);
	if (ret < 0) {
		log_message(LOG_ERR, "cannot watch the device: %s",
			    strerror(-ret));
		return ret;
	}
	renew(sched);
	/* Subscribe first: what happens after the list comes as an event. */
	return subscribe(sched);
}

/* The kernel dropped all this client held: become another, which holds nothing. */
static int start_afresh(struct sched *sched)
{
	struct kfd_xsched_renew why;
	struct xsched_tenant tenant;
	int ret;

	sched->ejected = false;
	sched->stats.ejections++;
	xsched_renew(sched->device, &why);
	log_message(LOG_WARNING, "ejected by the kernel: %s; starting afresh",
		    xsched_eject_name(why.ejected));
	sched->device_source = sd_event_source_disable_unref(sched->device_source);
	xsched_close(sched->device);
	sched->device = NULL;
	set_lease_timer(sched, false);
	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		xsched_engine_commit(sched->engine, tenant.pid,
				     XSCHED_RELEASED, now_ns());
	}
	ret = connect_device(sched);
	if (!ret)
		ret = resync(sched);
	if (ret)
		device_lost(sched, ret);
	return ret;
}

int sched_start(struct sched *sched, sd_event *event,
		const struct config *config)
{
	int ret;

	sched->event = event;
	sched->config = config;
	ret = xsched_engine_new(&sched->engine, config->policy, on_gone, NULL);
	if (!ret)
		ret = xsched_apply_new(&sched->apply, APPLY_ROOM);
	if (!ret)
		ret = add_timer(sched, &sched->timer, 1, on_timer);
	if (!ret)
		ret = add_timer(sched, &sched->lease, SIGN_LATE_USEC, on_lease);
	if (ret < 0) {
		log_message(LOG_ERR, "cannot start: %s", strerror(-ret));
		return ret;
	}
	ret = open_trace(sched);
	if (!ret)
		ret = connect_device(sched);
	if (!ret)
		ret = resync(sched);
	if (!ret)
		switch_now(sched, 0);
	return ret;
}

/* Let go in one switch and say so, rather than by closing the device. */
static void release_all(struct sched *sched)
{
	struct xsched_tenant tenant;
	int ret;

	xsched_apply_reset(sched->apply);
	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (tenant.state != XSCHED_RELEASED &&
		    xsched_apply_resume_process(sched->apply, tenant.pid))
			break;
	}
	if (!xsched_apply_count(sched->apply))
		return;
	apply(sched, 0);
	ret = sched->last_error;
	if (ret && ret != -ESRCH && ret != -EALREADY)
		log_message(LOG_WARNING, "left to the kernel to release: %s",
			    strerror(-ret));
}

void sched_stop(struct sched *sched)
{
	int ret;

	if (sched->device && sched->engine && sched->apply)
		release_all(sched);
	ret = trace_close(sched->trace);
	if (ret)
		log_message(LOG_ERR, "%s: %s", sched->config->trace,
			    strerror(-ret));
	sd_event_source_disable_unref(sched->device_source);
	sd_event_source_disable_unref(sched->timer);
	sd_event_source_disable_unref(sched->lease);
	xsched_apply_free(sched->apply);
	xsched_engine_free(sched->engine);
	xsched_queue_list_free(&sched->list);
	xsched_close(sched->device);
	*sched = (struct sched){ 0 };
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Other rules: rate everybody again, and try those again that were refused. */
static void rate_all(struct sched *sched)
{
	size_t count = xsched_engine_tenants(sched->engine);
	pid_t *pids = calloc(count + 1, sizeof(*pids));
	struct xsched_tenant tenant;

	if (!pids) {
		log_message(LOG_ERR, "rules not applied: out of memory");
		return;
	}
	/* Rating moves tenants about: note who there is before. */
	for (size_t i = 0; i < count; i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		pids[i] = tenant.pid;
	}
	for (size_t i = 0; i < count; i++) {
		struct task *task = xsched_engine_user(sched->engine, pids[i]);

		xsched_engine_set_exempt(sched->engine, pids[i], false);
		if (task)
			rate(sched, pids[i], task);
	}
	free(pids);
}

void sched_reload(struct sched *sched, const struct config *config)
{
	bool new_trace = !same(sched->config->trace, config->trace);

	if (!same(sched->config->device, config->device) ||
	    !same(sched->config->socket, config->socket))
		log_message(LOG_WARNING,
			    "another device or socket takes a restart");
	sched->config = config;
	xsched_engine_set_policy(sched->engine, config->policy);
	rate_all(sched);
	if (new_trace) {
		trace_close(sched->trace);
		sched->trace = NULL;
		open_trace(sched);
	}
	subscribe(sched);
	check_nodes(sched);
	switch_now(sched, 0);
}

/* ---- requests ----------------------------------------------------------- */

/* Switch at once, whatever the back-off; tell how the last APPLY went. */
static int switch_by_request(struct sched *sched)
{
	sched->last_error = 0;
	sched->backing_off = false;
	switch_now(sched, 0);
	return sched->last_error == -ESRCH || sched->last_error == -EALREADY ?
	       0 : sched->last_error;
}

int sched_suspend(struct sched *sched, pid_t pid, bool admin)
{
	struct xsched_tenant tenant;
	struct task *task;
	int ret;

	ret = xsched_engine_tenant(sched->engine, pid, 0, &tenant);
	if (ret)
		return ret;
	xsched_engine_set_exempt(sched->engine, pid, false);
	xsched_engine_set_manual(sched->engine, pid, true);
	ret = switch_by_request(sched);
	if (xsched_engine_tenant(sched->engine, pid, 0, &tenant))
		return -ENOENT;
	if (tenant.state != XSCHED_HELD || tenant.exempt) {
		xsched_engine_set_manual(sched->engine, pid, false);
		return tenant.exempt ? -EPERM : ret ? ret : -EIO;
	}
	task = tenant.user;
	if (task)
		task->suspended_by_admin |= admin;
	return 0;
}

int sched_resume(struct sched *sched, pid_t pid)
{
	struct xsched_tenant tenant;
	struct task *task;
	int ret = xsched_engine_tenant(sched->engine, pid, 0, &tenant);

	if (ret)
		return ret;
	if (!tenant.manual)
		return -EALREADY;
	task = tenant.user;
	if (task)
		task->suspended_by_admin = false;
	xsched_engine_set_manual(sched->engine, pid, false);
	return switch_by_request(sched);
}

int sched_set_priority(struct sched *sched, pid_t pid, int32_t priority)
{
	struct task *task = xsched_engine_user(sched->engine, pid);
	int ret = xsched_engine_set_priority(sched->engine, pid, priority);

	if (ret)
		return ret;
	if (task)
		task->overridden = true;
	return switch_by_request(sched);
}

int sched_set_policy(struct sched *sched, const char *name)
{
	int ret = xsched_engine_set_policy(sched->engine, name);

	return ret ? ret : switch_by_request(sched);
}
