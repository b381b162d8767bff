// SPDX-License-Identifier: MIT
/*
 * Read the configuration: inih splits the lines, tables say what they mean.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include <libxsched.h>

#include "facts/dropin.h"
#include "facts/rule_config.h"
#include "facts/settings.h"

/* A line "[...]": inih reports a section only with its first setting. */
static void config_begin_section(struct parser *p, const char *text)
{
	const char *end = strchr(text, ']');
	char name[128];

	if (!rule_config_end(p))
		return;
	p->first_rule = p->config->rule_count;
	if (!end || end - text >= (int)sizeof(name)) {
		parser_fail(p, "not a section: %.*s; expected [NAME]",
			    (int)strcspn(text, "\n"), text);
		return;
	}
	memcpy(name, text + 1, end - text - 1);
	name[end - text - 1] = '\0';
	if (!strcmp(name, "xschedd") || !strcmp(name, "options"))
		return;
	if (strncmp(name, "rule ", 5) || !name[5])
		parser_fail(p, "there is no section [%s]; expected [xschedd], [options] or [rule NAME]",
			    name);
	else
		rule_config_begin(p, name + 5);
}

/* Columns of name and value in a line, from 1. */
static void config_set_columns(struct parser *p, const char *text, size_t blanks)
{
	size_t equals = strcspn(text, "=:");

	p->column = blanks + 1;
	p->value_column = p->column;
	if (text[equals])
		p->value_column += equals + 1 +
				   strspn(text + equals + 1, " \t");
}

/*
 * inih would cut the value at a ';' after a blank, but not at a '#': a rule would
 * match more than is written, or nothing. Neither is taken.
 */
static void config_refuse_comment(struct parser *p, const char *text, size_t blanks)
{
	const char *found = NULL;

	for (const char *c = text; *c; c++)
		if (c > text && strchr(";#", *c) && strchr(" \t", c[-1]) && !found)
			found = c;
	if (!found)
		return;
	p->column = blanks + (found - text) + 1;
	parser_fail(p, "a comment needs a line of its own; in a pattern, write '?' for this '%c'", *found);
}

/* Of a line, what is before its text: blanks as inih knows them, and in the first a mark of UTF-8. */
static size_t config_skip(const char *text, int line)
{
	size_t mark = line == 1 && !strncmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

	return mark + strspn(text + mark, " \t\f\v\r");
}

/*
 * Give inih the next line. Leading blanks go, because inih would take such a
 * line for the continuation of a value.
 */
static char *config_next_line(char *buffer, int size, void *stream)
{
	struct parser *p = stream;
	size_t blanks;

	if (p->failed || !fgets(buffer, size, p->file))
		return NULL;
	p->line++;
	if (!strchr(buffer, '\n') && !feof(p->file)) {
		parser_fail(p, "line too long");
		return NULL;
	}
	blanks = config_skip(buffer, p->line);
	memmove(buffer, buffer + blanks, strlen(buffer + blanks) + 1);
	config_set_columns(p, buffer, blanks);
	if (*buffer == '[')
		config_begin_section(p, buffer);
	else if (*buffer && !strchr(";#\r\n", *buffer) &&
		 !strpbrk(buffer, "=:"))
		parser_fail(p, "neither a section nor NAME=VALUE");
	if (*buffer && !strchr(";#\r\n", *buffer))
		config_refuse_comment(p, buffer, blanks);
	return p->failed ? NULL : buffer;
}

static int config_on_setting(void *user, const char *section, const char *name,
			     const char *value)
{
	struct parser *p = user;

	if (!*section)
		return parser_fail(p, "'%s' stands before the first section",
				   name);
	if (!strcmp(section, "xschedd"))
		return settings_line(p, name, value);
	if (!strcmp(section, "options"))
		return settings_option(p, name, value);
	if (p->config->rule_count == p->first_rule)
		return parser_fail(p, "there is no section [%s]", section);
	return rule_config_line(p, name, value);
}

static int config_load_file(struct config *config, const char *path, char *error,
			    size_t size)
{
	struct parser p = {
		.config = config,
		.path = path,
		.first_rule = config->rule_count,
		.error = error,
		.size = size,
	};
	int ret;

	p.file = fopen(path, "re");
	if (!p.file) {
		ret = -errno;
		snprintf(error, size, "%s: %s", path, strerror(-ret));
		return ret;
	}
	ret = ini_parse_stream(config_next_line, &p, config_on_setting, &p);
	if (!p.failed && ferror(p.file))
		parser_fail(&p, "cannot read");
	if (!p.failed && ret)
		parser_fail(&p, "not understood");
	if (!p.failed)
		rule_config_end(&p);
	fclose(p.file);
	return p.failed ? -EINVAL : 0;
}

static int config_load_drop_ins(struct config *config, const char *path, char *error,
				size_t size)
{
	/* As systemd.unit(5): the administrator, the running system, vendors. */
	static const char *const standard[] = {
		"/etc/xsched/xschedd.conf.d",
		"/run/xsched/xschedd.conf.d",
		"/usr/local/lib/xsched/xschedd.conf.d",
		"/usr/lib/xsched/xschedd.conf.d",
	};
	const char *const *directories = standard;
	size_t count = sizeof(standard) / sizeof(*standard);
	char own[4096], **paths;
	const char *one = own;
	int found, ret = 0;

	if (path) {
		snprintf(own, sizeof(own), "%s.d", path);
		directories = &one;
		count = 1;
	}
	found = dropin_list(directories, count, &paths);
	if (found < 0) {
		snprintf(error, size, "%s.d: %s", path ? path : CONFIG_PATH,
			 strerror(-found));
		return found;
	}
	for (int i = 0; !ret && i < found; i++)
		ret = config_load_file(config, paths[i], error, size);
	dropin_free(paths, found);
	return ret;
}

static int config_default(struct config *config)
{
	*config = (struct config){
		.policy = strdup("hpf"),
		.device = strdup(XSCHED_DEVICE_PATH),
		.socket = strdup("/run/xsched/xschedd.sock"),
		.sample_us = 100,
		.settle_us = 500,
		.realtime = true,
		.tenant = TENANT_PROCESS,
	};
	if (config->policy && config->device && config->socket)
		return 0;
	config_free(config);
	return -ENOMEM;
}

int config_load(struct config *config, const char *path, char *error,
		size_t size)
{
	struct config fresh;
	int ret = config_default(&fresh);

	if (ret) {
		snprintf(error, size, "out of memory");
		return ret;
	}
	ret = config_load_file(&fresh, path ? path : CONFIG_PATH, error, size);
	if (ret == -ENOENT && !path)
		ret = 0;
	if (!ret)
		ret = config_load_drop_ins(&fresh, path, error, size);
	if (ret)
		config_free(&fresh);
	else
		*config = fresh;
	return ret;
}

const char *config_doubt(const struct config *config, size_t index)
{
	for (size_t i = 0; i < config->rule_count; i++)
		if (config->rules[i].doubt && !index--)
			return config->rules[i].doubt;
	return NULL;
}

bool config_wants_cmdline(const struct config *config)
{
	for (size_t i = 0; i < config->rule_count; i++)
		if (config->rules[i].patterns[RULE_CMDLINE])
			return true;
	return config->http_front;
}

void config_free(struct config *config)
{
	for (size_t i = 0; i < config->rule_count; i++)
		rule_free(&config->rules[i]);
	for (size_t i = 0; i < config->option_count; i++)
		free(config->options[i].name);
	free(config->options);
	free(config->rules);
	free(config->policy);
	free(config->device);
	free(config->socket);
	free(config->trace);
	*config = (struct config){ 0 };
}
