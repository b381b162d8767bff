/* SPDX-License-Identifier: MIT */
/*
 * Configuration of the daemon; xschedd.conf(5) describes the file.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_CONFIG_H
#define XSCHEDD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/rule.h"

#define CONFIG_PATH	"/etc/xsched/xschedd.conf"

/**
 * struct option_setting - a line of [options]
 * @name: of an option of libxsched's engine
 * @value: what it is set to
 */
struct option_setting {
	char *name;
	int64_t value;
};

/**
 * struct config - everything that can be set
 * @policy: name of a policy of libxsched
 * @device: device node
 * @socket: path of the control socket
 * @trace: file for the trace, or NULL: none
 * @sample_us: see struct kfd_xsched_subscribe
 * @settle_us: see struct kfd_xsched_subscribe
 * @grace_us: grace of UNMAP
 * @unmap: hold with UNMAP (Lv2) instead of SUSPEND (Lv3)
 * @armed: arm switches with the kernel
 * @realtime: ask for SCHED_FIFO
 * @http_port: on loopback, 0: none
 * @http_front: XSched's routes, too, not only /metrics
 * @http_root: uid 0 is an administrator over HTTP, too
 * @tenant: which processes are one tenant, unless a rule says so
 * @has_park: @park_ms was given
 * @park_ms: from when on a process without work is parked, unless a rule says so; 0: never
 * @options: [options]
 * @option_count: number of @options
 * @rules: in the order in which they are tried
 * @rule_count: number of @rules
 */
struct config {
	char *policy;
	char *device;
	char *socket;
	char *trace;
	uint32_t sample_us;
	uint32_t settle_us;
	uint32_t grace_us;
	bool unmap;
	bool armed;
	bool realtime;
	uint16_t http_port;
	bool http_front;
	bool http_root;
	enum tenant_kind tenant;
	bool has_park;
	uint32_t park_ms;
	struct option_setting *options;
	size_t option_count;
	struct rule *rules;
	size_t rule_count;
};

/**
 * config_load() - read a configuration and its drop-ins
 * @config: out, to be freed with config_free(); set on success only
 * @path: file, or NULL for CONFIG_PATH, which may be absent. Then come its
 *	drop-ins, see dropin.h.
 * @error: out, on failure: one line, "file:line:column: what is wrong"
 * @size: room in @error
 *
 * Return: 0, or -EINVAL for a bad file, or another negative errno.
 */
int config_load(struct config *config, const char *path, char *error,
		size_t size);

/**
 * config_doubt() - what is doubtful about a configuration that is understood
 * @config: configuration
 * @index: which doubt, from 0
 *
 * Return: one line as from config_load(), NULL: there is no such doubt.
 */
const char *config_doubt(const struct config *config, size_t index);

/** config_wants_cmdline() - whether the arguments of processes are used */
bool config_wants_cmdline(const struct config *config);

/** config_free() - free what @config points to */
void config_free(struct config *config);

#endif /* XSCHEDD_CONFIG_H */
