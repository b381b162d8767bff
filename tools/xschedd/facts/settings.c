// SPDX-License-Identifier: MIT
/*
 * The sections [xschedd] and [options] of the configuration.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <libxsched.h>
#include <xsched/policy.h>

#include "facts/settings.h"

static int settings_set_path(struct parser *p, char **field, const char *value)
{
	if (*value != '/')
		return parser_fail(p, "'%s' is not an absolute path", value);
	return parser_string(p, field, value);
}

/* A policy that is not in the library. By name alone: whose file it may be is up to the directory's owner. */
static int settings_load_policy(struct parser *p, const char *value, const char *known)
{
	const char *name;
	int ret = *value && !strchr(value, '/') ? xsched_policy_load(value, &name) : -ENOENT;

	if (!ret)
		return parser_string(p, &p->config->policy, name);
	if (ret == -ENOENT)
		return parser_fail(p, "there is no policy '%s'; expected one of %s, or a plug-in", value, known);
	return parser_fail(p, "the plug-in '%s' cannot be loaded: %s", value, strerror(-ret));
}

static int settings_set_policy(struct parser *p, const char *value)
{
	char known[256] = "";
	size_t used = 0;
	const char *name;

	for (size_t i = 0; (name = xsched_policy_name(i)); i++) {
		if (!strcmp(name, value))
			return parser_string(p, &p->config->policy, value);
		if (used < sizeof(known))
			used += snprintf(known + used, sizeof(known) - used,
					 "%s%s", i ? ", " : "", name);
	}
	return settings_load_policy(p, value, known);
}

static int settings_set_device(struct parser *p, const char *value)
{
	return settings_set_path(p, &p->config->device, value);
}

static int settings_set_socket(struct parser *p, const char *value)
{
	const size_t room = sizeof(((struct sockaddr_un *)0)->sun_path);

	if (strlen(value) >= room)
		return parser_fail(p, "the path of a socket has at most %zu characters, this has %zu", room - 1,
				   strlen(value));
	return settings_set_path(p, &p->config->socket, value);
}

static int settings_set_trace(struct parser *p, const char *value)
{
	const char *slash = strrchr(value, '/');
	char directory[PATH_MAX];
	struct stat st;

	if (!settings_set_path(p, &p->config->trace, value))
		return 0;
	snprintf(directory, sizeof(directory), "%.*s", slash == value ? 1 : (int)(slash - value), value);
	if (stat(directory, &st) || !S_ISDIR(st.st_mode))
		return parser_fail(p, "there is no directory '%s'", directory);
	return 1;
}

static int settings_set_us(struct parser *p, uint32_t *field, const char *value,
			   long min, long max)
{
	long number;

	if (!parser_number(p, value, min, max, &number))
		return 0;
	*field = number;
	return 1;
}

static int settings_set_sample(struct parser *p, const char *value)
{
	return settings_set_us(p, &p->config->sample_us, value,
			       KFD_XSCHED_SAMPLE_US_MIN, KFD_XSCHED_SAMPLE_US_MAX);
}

static int settings_set_settle(struct parser *p, const char *value)
{
	return settings_set_us(p, &p->config->settle_us, value, 0,
			       KFD_XSCHED_SETTLE_US_MAX);
}

static int settings_set_grace(struct parser *p, const char *value)
{
	/* Capabilities of nodes are checked when the nodes are known. */
	return settings_set_us(p, &p->config->grace_us, value, 0, INT32_MAX);
}

static int settings_set_level(struct parser *p, const char *value)
{
	if (strcmp(value, "suspend") && strcmp(value, "unmap"))
		return parser_fail(p, "expected 'suspend' or 'unmap', not '%s'",
				   value);
	p->config->unmap = !strcmp(value, "unmap");
	return 1;
}

static int settings_set_realtime(struct parser *p, const char *value)
{
	return parser_bool(p, value, &p->config->realtime);
}

static int settings_set_armed(struct parser *p, const char *value)
{
	return parser_bool(p, value, &p->config->armed);
}

static int settings_set_http_port(struct parser *p, const char *value)
{
	long number;

	if (!parser_number(p, value, 0, UINT16_MAX, &number))
		return 0;
	p->config->http_port = number;
	return 1;
}

static int settings_set_http_front(struct parser *p, const char *value)
{
	return parser_bool(p, value, &p->config->http_front);
}

static int settings_set_http_root(struct parser *p, const char *value)
{
	return parser_bool(p, value, &p->config->http_root);
}

static int settings_set_tenant(struct parser *p, const char *value)
{
	return parser_tenant(p, value, &p->config->tenant);
}

static int settings_set_park(struct parser *p, const char *value)
{
	p->config->has_park = true;
	return parser_park(p, value, &p->config->park_ms);
}

static const struct setting {
	const char *name;
	int (*set)(struct parser *p, const char *value);
} settings[] = {
	{ "policy", settings_set_policy },
	{ "device", settings_set_device },
	{ "socket", settings_set_socket },
	{ "trace", settings_set_trace },
	{ "sample_us", settings_set_sample },
	{ "settle_us", settings_set_settle },
	{ "grace_us", settings_set_grace },
	{ "level", settings_set_level },
	{ "realtime", settings_set_realtime },
	{ "armed", settings_set_armed },
	{ "http_port", settings_set_http_port },
	{ "http_front", settings_set_http_front },
	{ "http_root", settings_set_http_root },
	{ "tenant", settings_set_tenant },
	{ "park", settings_set_park },
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

int settings_line(struct parser *p, const char *name, const char *value)
{
	char known[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < SETTINGS; i++) {
		used += snprintf(known + used, sizeof(known) - used, "%s%s",
				 i ? ", " : "", settings[i].name);
		if (strcmp(settings[i].name, name))
			continue;
		if (p->seen & (1u << i))
			return parser_fail(p, "'%s' is set twice", name);
		p->seen |= 1u << i;
		p->column = p->value_column;
		return settings[i].set(p, value);
	}
	return parser_fail(p, "there is no setting '%s'; expected one of %s",
			   name, known);
}

/* ---- [options] ---------------------------------------------------------- */

static int settings_add_option(struct parser *p, const char *name, int64_t value)
{
	struct config *config = p->config;
	struct option_setting *options, *option;

	/* A drop-in may set it again. */
	for (size_t i = 0; i < config->option_count; i++) {
		if (!strcmp(config->options[i].name, name)) {
			config->options[i].value = value;
			return 1;
		}
	}
	options = realloc(config->options,
			  (config->option_count + 1) * sizeof(*options));
	if (!options)
		return parser_fail(p, "out of memory");
	config->options = options;
	option = &options[config->option_count];
	option->name = strdup(name);
	option->value = value;
	if (!option->name)
		return parser_fail(p, "out of memory");
	config->option_count++;
	return 1;
}

int settings_option(struct parser *p, const char *name, const char *value)
{
	const struct xsched_option *option;
	long number;

	for (size_t i = 0; (option = xsched_option_at(i)); i++)
		if (!strcmp(option->name, name))
			break;
	if (!option)
		return parser_fail(p, "there is no option '%s'; 'xschedctl policy' lists them",
				   name);
	p->column = p->value_column;
	if (!parser_number(p, value, option->min, option->max, &number))
		return 0;
	return settings_add_option(p, name, number);
}
