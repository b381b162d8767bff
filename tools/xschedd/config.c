// SPDX-License-Identifier: MIT
/*
 * Read the configuration: inih splits the lines, tables say what they mean.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxsched.h>

#include "config.h"

/**
 * struct parser - one file being read
 * @config: what is being filled
 * @path: the file
 * @file: the same, open
 * @line: number of the line read last
 * @first_rule: rules from here on are of this file
 * @seen: settings of [xschedd] seen in this file, a bit each
 * @failed: @error has the first error
 * @error: message
 * @size: room in @error
 */
struct parser {
	struct config *config;
	const char *path;
	FILE *file;
	int line;
	size_t first_rule;
	unsigned int seen;
	bool failed;
	char *error;
	size_t size;
};

/* Note the first error. Returns what tells inih of an error. */
__attribute__((format(printf, 2, 3)))
static int fail(struct parser *p, const char *format, ...)
{
	va_list args;
	int used;

	if (p->failed)
		return 0;
	p->failed = true;
	used = snprintf(p->error, p->size, "%s:%d: ", p->path, p->line);
	if (used < 0 || (size_t)used >= p->size)
		return 0;
	va_start(args, format);
	vsnprintf(p->error + used, p->size - used, format, args);
	va_end(args);
	return 0;
}

static int set_string(struct parser *p, char **field, const char *value)
{
	char *copy;

	if (!*value)
		return fail(p, "empty value");
	copy = strdup(value);
	if (!copy)
		return fail(p, "out of memory");
	free(*field);
	*field = copy;
	return 1;
}

static int set_path(struct parser *p, char **field, const char *value)
{
	if (*value != '/')
		return fail(p, "'%s' is not an absolute path", value);
	return set_string(p, field, value);
}

static int parse_number(struct parser *p, const char *value, long min, long max,
			long *out)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(value, &end, 10);
	if (end == value || *end)
		return fail(p, "'%s' is not a number", value);
	if (errno || number < min || number > max)
		return fail(p, "%s is not within %ld..%ld", value, min, max);
	*out = number;
	return 1;
}

/* ---- settings of [xschedd] ---------------------------------------------- */

static int set_policy(struct parser *p, const char *value)
{
	const char *name;

	for (size_t i = 0; (name = xsched_policy_name(i)); i++)
		if (!strcmp(name, value))
			return set_string(p, &p->config->policy, value);
	return fail(p, "there is no policy '%s'", value);
}

static int set_device(struct parser *p, const char *value)
{
	return set_path(p, &p->config->device, value);
}

static int set_socket(struct parser *p, const char *value)
{
	return set_path(p, &p->config->socket, value);
}

static int set_trace(struct parser *p, const char *value)
{
	return set_path(p, &p->config->trace, value);
}

static int set_us(struct parser *p, uint32_t *field, const char *value,
		  long min, long max)
{
	long number;

	if (!parse_number(p, value, min, max, &number))
		return 0;
	*field = number;
	return 1;
}

static int set_sample(struct parser *p, const char *value)
{
	return set_us(p, &p->config->sample_us, value,
		      KFD_XSCHED_SAMPLE_US_MIN, KFD_XSCHED_SAMPLE_US_MAX);
}

static int set_settle(struct parser *p, const char *value)
{
	return set_us(p, &p->config->settle_us, value, 0,
		      KFD_XSCHED_SETTLE_US_MAX);
}

static int set_grace(struct parser *p, const char *value)
{
	/* What a node can do is checked when the nodes are known. */
	return set_us(p, &p->config->grace_us, value, 0, INT32_MAX);
}

static int set_level(struct parser *p, const char *value)
{
	if (strcmp(value, "suspend") && strcmp(value, "unmap"))
		return fail(p, "level is 'suspend' or 'unmap', not '%s'",
			    value);
	p->config->unmap = !strcmp(value, "unmap");
	return 1;
}

static int set_realtime(struct parser *p, const char *value)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return fail(p, "realtime is 'yes' or 'no', not '%s'", value);
	p->config->realtime = !strcmp(value, "yes");
	return 1;
}

static const struct setting {
	const char *name;
	int (*set)(struct parser *p, const char *value);
} settings[] = {
	{ "policy", set_policy },
	{ "device", set_device },
	{ "socket", set_socket },
	{ "trace", set_trace },
	{ "sample_us", set_sample },
	{ "settle_us", set_settle },
	{ "grace_us", set_grace },
	{ "level", set_level },
	{ "realtime", set_realtime },
};

static int set_setting(struct parser *p, const char *name, const char *value)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(settings[i].name, name))
			continue;
		if (p->seen & (1u << i))
			return fail(p, "'%s' is set twice", name);
		p->seen |= 1u << i;
		return settings[i].set(p, value);
	}
	return fail(p, "there is no setting '%s'", name);
}

/* ---- rules -------------------------------------------------------------- */

static bool rule_can_match(const struct rule *rule)
{
	return rule->exe || rule->comm || rule->has_user;
}

/* A rule is complete as the next section begins, or the file ends. */
static int finish_rule(struct parser *p)
{
	const struct config *config = p->config;
	const struct rule *rule;

	if (config->rule_count == p->first_rule)
		return 1;
	rule = &config->rules[config->rule_count - 1];
	if (!rule->has_priority)
		return fail(p, "rule '%s' above has no priority", rule->name);
	if (!rule_can_match(rule))
		return fail(p, "rule '%s' above has none of exe, comm, user",
			    rule->name);
	return 1;
}

static struct rule *begin_rule(struct parser *p, const char *name)
{
	struct config *config = p->config;
	struct rule *rules;

	for (size_t i = 0; i < config->rule_count; i++) {
		if (!strcmp(config->rules[i].name, name)) {
			fail(p, "there is a rule '%s' already", name);
			return NULL;
		}
	}
	rules = realloc(config->rules,
			(config->rule_count + 1) * sizeof(*rules));
	if (!rules) {
		fail(p, "out of memory");
		return NULL;
	}
	config->rules = rules;
	rules[config->rule_count] = (struct rule){ .name = strdup(name) };
	if (!rules[config->rule_count].name) {
		fail(p, "out of memory");
		return NULL;
	}
	return &rules[config->rule_count++];
}

static int set_user(struct parser *p, struct rule *rule, const char *value)
{
	const struct passwd *passwd;
	char *end;
	unsigned long uid;

	errno = 0;
	uid = strtoul(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end) {
		if (errno || uid >= (uid_t)-1)
			return fail(p, "%s is not a user id", value);
	} else {
		passwd = getpwnam(value);
		if (!passwd)
			return fail(p, "there is no user '%s'", value);
		uid = passwd->pw_uid;
	}
	rule->uid = uid;
	rule->has_user = true;
	return 1;
}

static int set_rule(struct parser *p, struct rule *rule, const char *name,
		    const char *value)
{
	long number;

	if (!strcmp(name, "exe"))
		return rule->exe ? fail(p, "'exe' is set twice") :
				   set_string(p, &rule->exe, value);
	if (!strcmp(name, "comm"))
		return rule->comm ? fail(p, "'comm' is set twice") :
				    set_string(p, &rule->comm, value);
	if (!strcmp(name, "user"))
		return rule->has_user ? fail(p, "'user' is set twice") :
					set_user(p, rule, value);
	if (strcmp(name, "priority"))
		return fail(p, "a rule has no '%s'", name);
	if (rule->has_priority)
		return fail(p, "'priority' is set twice");
	if (!parse_number(p, value, XSCHED_PRIORITY_MIN, XSCHED_PRIORITY_MAX,
			  &number))
		return 0;
	rule->priority = number;
	rule->has_priority = true;
	return 1;
}

/* ---- files -------------------------------------------------------------- */

/* A line "[...]": inih tells of sections only with their first setting. */
static void begin_section(struct parser *p, const char *text)
{
	const char *end = strchr(text, ']');
	char name[128];

	if (!finish_rule(p))
		return;
	p->first_rule = p->config->rule_count;
	if (!end || end - text >= (int)sizeof(name)) {
		fail(p, "not a section: %.*s", (int)strcspn(text, "\n"), text);
		return;
	}
	memcpy(name, text + 1, end - text - 1);
	name[end - text - 1] = '\0';
	if (!strcmp(name, "xschedd"))
		return;
	if (strncmp(name, "rule ", 5) || !name[5])
		fail(p, "there is no section [%s]", name);
	else
		begin_rule(p, name + 5);
}

/*
 * Give inih the next line. Leading blanks go, because inih would take such a
 * line for the continuation of a value.
 */
static char *next_line(char *buffer, int size, void *stream)
{
	struct parser *p = stream;
	size_t blanks;

	if (p->failed || !fgets(buffer, size, p->file))
		return NULL;
	p->line++;
	if (!strchr(buffer, '\n') && !feof(p->file)) {
		fail(p, "line too long");
		return NULL;
	}
	blanks = strspn(buffer, " \t");
	memmove(buffer, buffer + blanks, strlen(buffer + blanks) + 1);
	if (*buffer == '[')
		begin_section(p, buffer);
	else if (*buffer && !strchr(";#\r\n", *buffer) &&
		 !strpbrk(buffer, "=:"))
		fail(p, "neither a section nor NAME=VALUE");
	return p->failed ? NULL : buffer;
}

static int on_setting(void *user, const char *section, const char *name,
		      const char *value)
{
	struct parser *p = user;

	if (!*section)
		return fail(p, "'%s' stands before the first section", name);
	if (!strcmp(section, "xschedd"))
		return set_setting(p, name, value);
	return set_rule(p, &p->config->rules[p->config->rule_count - 1], name,
			value);
}

static int load_file(struct config *config, const char *path, char *error,
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
	ret = ini_parse_stream(next_line, &p, on_setting, &p);
	if (!p.failed && ferror(p.file))
		fail(&p, "cannot read");
	if (!p.failed && ret)
		fail(&p, "not understood");
	if (!p.failed)
		finish_rule(&p);
	fclose(p.file);
	return p.failed ? -EINVAL : 0;
}

static int is_drop_in(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length > 5 &&
	       !strcmp(entry->d_name + length - 5, ".conf");
}

static int load_drop_ins(struct config *config, const char *path, char *error,
			 size_t size)
{
	struct dirent **entries;
	char directory[4096], file[8192];
	int count, ret = 0;

	snprintf(directory, sizeof(directory), "%s.d", path);
	count = scandir(directory, &entries, is_drop_in, alphasort);
	if (count < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		ret = -errno;
		snprintf(error, size, "%s: %s", directory, strerror(-ret));
		return ret;
	}
	for (int i = 0; i < count; i++) {
		snprintf(file, sizeof(file), "%s/%s", directory,
			 entries[i]->d_name);
		if (!ret)
			ret = load_file(config, file, error, size);
		free(entries[i]);
	}
	free(entries);
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
	ret = load_file(&fresh, path ? path : CONFIG_PATH, error, size);
	if (ret == -ENOENT && !path)
		ret = 0;
	if (!ret)
		ret = load_drop_ins(&fresh, path ? path : CONFIG_PATH, error,
				    size);
	if (ret)
		config_free(&fresh);
	else
		*config = fresh;
	return ret;
}

void config_free(struct config *config)
{
	for (size_t i = 0; i < config->rule_count; i++) {
		free(config->rules[i].name);
		free(config->rules[i].exe);
		free(config->rules[i].comm);
	}
	free(config->rules);
	free(config->policy);
	free(config->device);
	free(config->socket);
	free(config->trace);
	*config = (struct config){ 0 };
}
