// SPDX-License-Identifier: MIT
/*
 * The scheduler.
 *
 * An application waits from an event to its APPLY: one read, the engine, one
 * ioctl, or one for each set of GPUs that have nothing to do with each other. This
 * path does not allocate, read /proc or write a file, except when more switches are
 * on their way than ever before, and when a process appears for the first time; then
 * a switch waits for a moment until the helper has read about it (see
 * tenants/tenant.c).
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "kernel/armed.h"
#include "kernel/build.h"
#include "kernel/device.h"
#include "sched/loop.h"
#include "sched/sched.h"
#include "sched/switch.h"
#include "state/stream.h"
#include "state/trace.h"
#include "tenants/events.h"
#include "tenants/flight.h"
#include "tenants/tenant.h"

static int sched_open_trace(struct sched *sched)
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

static int sched_make_parts(struct sched *sched)
{
	int ret = xsched_engine_new(&sched->engine, sched->config->policy,
				    tenant_gone, sched);

	if (!ret)
		ret = flight_open(sched);
	if (!ret)
		ret = stream_new(&sched->stream, sched->event);
	if (!ret)
		ret = reader_new(&sched->reader, sched->event, true);
	if (!ret)
		ret = armed_open(sched);
	if (!ret)
		ret = loop_open(sched);
	return ret;
}

/* Set the options of the configuration; all others keep their values. */
static void sched_apply_options(struct sched *sched)
{
	const struct config *config = sched->config;

	for (size_t i = 0; i < config->option_count; i++) {
		const struct option_setting *o = &config->options[i];
		int ret = xsched_engine_set_option(sched->engine, o->name,
						   o->value);

		if (ret)
			log_message(LOG_ERR, "option %s=%lld: %s", o->name,
				    (long long)o->value, strerror(-ret));
	}
}

int sched_start(struct sched *sched, sd_event *event,
		const struct config *config)
{
	int ret;

	sched->event = event;
	sched->config = config;
	ret = sched_make_parts(sched);
	if (ret) {
		log_message(LOG_ERR, "cannot start: %s", strerror(-ret));
		return ret;
	}
	sched_apply_options(sched);
	sched->matched = calloc(config->rule_count + 1,
				sizeof(*sched->matched));
	ret = sched_open_trace(sched);
	if (!ret)
		ret = device_connect(sched);
	if (!ret)
		build_read(sched);
	if (!ret)
		ret = loop_watch(sched);
	if (!ret)
		ret = events_resync(sched);
	if (!ret)
		loop_switch(sched, 0);
	return ret;
}

void sched_stop(struct sched *sched)
{
	int ret;

	armed_close(sched);
	if (sched->device && sched->engine)
		switch_release_all(sched);
	ret = trace_close(sched->trace);
	if (ret)
		log_message(LOG_ERR, "%s: %s", sched->config->trace,
			    strerror(-ret));
	loop_close(sched);
	flight_close(sched);
	xsched_engine_free(sched->engine);
	reader_free(sched->reader);
	xsched_queue_list_free(&sched->list);
	xsched_close(sched->device);
	stream_free(sched->stream);
	groups_free(&sched->groups);
	free(sched->matched);
	*sched = (struct sched){ 0 };
}

static bool sched_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool sched_needs_restart(const struct config *a, const struct config *b)
{
	return !sched_same(a->device, b->device) || !sched_same(a->socket, b->socket) ||
	       a->http_port != b->http_port || a->http_front != b->http_front ||
	       a->http_root != b->http_root || a->realtime != b->realtime;
}

void sched_reload(struct sched *sched, const struct config *config)
{
	bool new_trace = !sched_same(sched->config->trace, config->trace);

	if (sched_needs_restart(sched->config, config))
		log_message(LOG_WARNING,
			    "a change of device, socket, http_port, http_front, http_root or realtime needs a restart");
	sched->config = config;
	armed_wrong(sched);
	xsched_engine_set_policy(sched->engine, config->policy);
	sched_apply_options(sched);
	tenant_rate_all(sched);
	if (new_trace) {
		trace_close(sched->trace);
		sched->trace = NULL;
		sched_open_trace(sched);
	}
	device_subscribe(sched);
	device_check_nodes(sched);
	loop_switch(sched, 0);
}
