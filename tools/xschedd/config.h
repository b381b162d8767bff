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
#include <sys/types.h>

#define CONFIG_PATH	"/etc/xsched/xschedd.conf"

/**
 * struct rule - a [rule NAME] section
 * @name: NAME
 * @exe: pattern for the executable, or NULL: any. With a slash in it, it is
 *	compared with the whole path, else with what follows the last slash.
 * @comm: pattern for the name of the process, or NULL: any
 * @has_user: @uid counts
 * @uid: real user
 * @has_priority: @priority was given
 * @priority: XSCHED_PRIORITY_MIN..MAX
 */
struct rule {
	char *name;
	char *exe;
	char *comm;
	bool has_user;
	uid_t uid;
	bool has_priority;
	int32_t priority;
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
 * @realtime: ask for SCHED_FIFO
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
	bool realtime;
	struct rule *rules;
	size_t rule_count;
};

/**
 * config_load() - read a configuration and its drop-ins
 * @config: out, to be freed with config_free(); set on success only
 * @path: file, or NULL for CONFIG_PATH, which may be absent. Then come
 *	PATH.d/[name].conf, by name.
 * @error: out, on failure: one line, "file:line: what is wrong"
 * @size: room in @error
 *
 * Return: 0, or -EINVAL for a bad file, or another negative errno.
 */
int config_load(struct config *config, const char *path, char *error,
		size_t size);

/** config_free() - free what @config points to */
void config_free(struct config *config);

#endif /* XSCHEDD_CONFIG_H */
