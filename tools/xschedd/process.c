// SPDX-License-Identifier: MIT
/*
 * Who a process is. Read once, as it shows up, never while a switch waits.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process.h"

static void read_exe(struct process *process)
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/exe", process->pid);
	length = readlink(path, process->exe, sizeof(process->exe) - 1);
	/* A path that was cut must not match a rule: have none instead. */
	if (length < 0 || length == sizeof(process->exe) - 1)
		length = 0;
	process->exe[length] = '\0';
}

static void read_comm(struct process *process)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", process->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(process->comm, sizeof(process->comm), file))
		process->comm[strcspn(process->comm, "\n")] = '\0';
	fclose(file);
}

static void read_users(struct process *process)
{
	unsigned int real, effective, saved;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", process->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Uid: %u %u %u", &real, &effective,
			   &saved) != 3)
			continue;
		process->known = true;
		process->uid = real;
		process->changed_credentials = real != effective ||
					       real != saved;
		break;
	}
	fclose(file);
}

void process_read(struct process *process, pid_t pid)
{
	*process = (struct process){ .pid = pid };
	read_users(process);
	if (!process->known)
		return;
	read_exe(process);
	read_comm(process);
	errno = 0;
	process->nice = getpriority(PRIO_PROCESS, pid);
	if (errno)
		process->nice = 0;
}

static bool exe_matches(const char *pattern, const char *exe)
{
	const char *slash = strrchr(exe, '/');

	if (!*exe)
		return false;
	if (!strchr(pattern, '/') && slash)
		exe = slash + 1;
	return !fnmatch(pattern, exe, 0);
}

static bool rule_matches(const struct rule *rule, const struct process *process)
{
	if (rule->exe && !exe_matches(rule->exe, process->exe))
		return false;
	if (rule->comm && fnmatch(rule->comm, process->comm, 0))
		return false;
	return !rule->has_user || rule->uid == process->uid;
}

int32_t process_priority(const struct process *process,
			 const struct config *config, const char **rule)
{
	*rule = NULL;
	for (size_t i = 0; process->known && i < config->rule_count; i++) {
		if (!rule_matches(&config->rules[i], process))
			continue;
		*rule = config->rules[i].name;
		return config->rules[i].priority;
	}
	return -process->nice;
}
