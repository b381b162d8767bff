// SPDX-License-Identifier: MIT
/*
 * Facts about a process.
 *
 * A process can block the reader of some of them: the kernel waits for the end
 * of its exec(), or for a page of its memory, and both can depend on a file
 * system that the process serves itself. Other facts are in the kernel's memory,
 * and are read without waiting. Each function here says which it reads. The
 * daemon itself reads only the owner; a helper reads everything else (reader.c).
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <ctype.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <systemd/sd-login.h>
#include <unistd.h>

#include "facts/process.h"

#define PATH_SIZE	64

static FILE *open_file(const struct process *process, const char *name)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "/proc/%d/%s", process->pid, name);
	return fopen(path, "re");
}

/* A whole file, followed by two zeros, or NULL; *length excludes them. */
static char *process_read_all(const struct process *process, const char *name,
			      size_t limit, size_t *length)
{
	FILE *file = open_file(process, name);
	size_t room = 4096, used = 0;
	char *text = NULL;

	if (!file)
		return NULL;
	for (;;) {
		char *larger = realloc(text, room + 2);

		if (!larger)
			break;
		text = larger;
		used += fread(text + used, 1, room - used, file);
		if (used < room || room >= limit)
			break;
		room *= 2;
	}
	fclose(file);
	if (!text)
		return NULL;
	text[used] = '\0';
	text[used + 1] = '\0';
	*length = used;
	return text;
}

static void process_read_exe(struct process *process)
{
	char path[PATH_SIZE];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/exe", process->pid);
	length = readlink(path, process->exe, sizeof(process->exe) - 1);
	/* A truncated path must not match a rule: have none instead. */
	if (length < 0 || length == sizeof(process->exe) - 1)
		length = 0;
	process->exe[length] = '\0';
}

static void process_read_comm(struct process *process)
{
	FILE *file = open_file(process, "comm");

	if (!file)
		return;
	if (fgets(process->comm, sizeof(process->comm), file))
		process->comm[strcspn(process->comm, "\n")] = '\0';
	fclose(file);
}

static void process_read_cmdline(struct process *process)
{
	size_t length;

	process->cmdline = process_read_all(process, "cmdline", PROCESS_CMDLINE, &length);
	if (!process->cmdline)
		return;
	while (length && !process->cmdline[length - 1])
		length--;
	for (size_t i = 0; i < length; i++)
		if (!process->cmdline[i])
			process->cmdline[i] = ' ';
}

/* ---- /proc/PID/status --------------------------------------------------- */

/* Capabilities count only in the daemon's own user namespace. */
static bool process_same_user_namespace(pid_t pid)
{
	char path[PATH_SIZE];
	struct stat own, other;

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return !stat("/proc/self/ns/user", &own) && !stat(path, &other) &&
	       own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

static void process_parse_groups(struct process *process, const char *text)
{
	unsigned int group;
	int used;

	while (process->group_count < PROCESS_GROUPS &&
	       sscanf(text, "%u%n", &group, &used) == 1) {
		process->groups[process->group_count++] = group;
		text += used;
	}
}

static void process_parse_status(struct process *process, const char *line)
{
	unsigned int real, effective, saved;
	unsigned long long capabilities;

	if (sscanf(line, "Uid: %u %u %u", &real, &effective, &saved) == 3) {
		process->known = true;
		process->uid = real;
		process->changed_credentials = real != effective ||
					       real != saved;
	} else if (sscanf(line, "Gid: %u", &real) == 1) {
		process->gid = real;
	} else if (!strncmp(line, "Groups:", 7)) {
		process_parse_groups(process, line + 7);
	} else if (sscanf(line, "CapEff: %llx", &capabilities) == 1) {
		process->has_sys_nice = capabilities >> CAP_SYS_NICE & 1;
	}
}

static void process_read_status(struct process *process)
{
	FILE *file = open_file(process, "status");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return;
	while (getline(&line, &size, file) > 0)
		process_parse_status(process, line);
	free(line);
	fclose(file);
}

/* ---- cgroup ------------------------------------------------------------- */

static void process_read_cgroup(struct process *process)
{
	FILE *file = open_file(process, "cgroup");
	char line[sizeof(process->cgroup) + 8];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		size_t length = strcspn(line, "\n");

		if (strncmp(line, "0::", 3))
			continue;
		/* A truncated one must not match a rule, or be a tenant. */
		if (!line[length] || length - 3 >= sizeof(process->cgroup))
			break;
		line[length] = '\0';
		strcpy(process->cgroup, line + 3);
		break;
	}
	fclose(file);
}

/* Where the unified hierarchy is mounted, or NULL. */
static const char *process_cgroup_mount(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs status;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!statfs(places[i], &status) &&
		    status.f_type == CGROUP2_SUPER_MAGIC)
			return places[i];
	return NULL;
}

static bool process_is_roots(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !status.st_uid;
}

/* The owner of a cgroup chooses the names of the cgroups in it. */
static void process_find_root_cgroup(struct process *process)
{
	const char *mount = process_cgroup_mount(), *at = process->cgroup;
	char path[sizeof(process->cgroup) + 32];
	size_t length = 0;

	if (!mount || *at != '/')
		return;
	while (at[length]) {
		snprintf(path, sizeof(path), "%s%.*s", mount, (int)length, at);
		if (!process_is_roots(path))
			break;
		length += 1 + strcspn(at + length + 1, "/");
	}
	snprintf(process->root_cgroup, sizeof(process->root_cgroup), "%.*s",
		 (int)length, at);
}

static void process_read_units(struct process *process)
{
	char *unit = NULL, *user_unit = NULL;

	if (sd_pid_get_unit(process->pid, &unit) >= 0 &&
	    strlen(unit) < sizeof(process->unit))
		strcpy(process->unit, unit);
	if (sd_pid_get_user_unit(process->pid, &user_unit) >= 0 &&
	    strlen(user_unit) < sizeof(process->user_unit))
		strcpy(process->user_unit, user_unit);
	free(unit);
	free(user_unit);
}

/* The 64 hexadecimal digits in a word, or NULL. */
static const char *process_find_id(const char *word, size_t length)
{
	size_t run = 0;

	for (size_t i = 0; i < length; i++) {
		run = isxdigit((unsigned char)word[i]) ? run + 1 : 0;
		if (run == 64)
			return word + i - 63;
	}
	return NULL;
}

static size_t process_skip(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) ? 0 : length;
}

void process_container(const char *cgroup, char *out, size_t size)
{
	*out = '\0';
	/* The innermost counts: one container may run within another. */
	for (const char *word = cgroup; *word;) {
		size_t length, prefix;
		const char *id;

		word += strspn(word, "/");
		length = strcspn(word, "/");
		if (process_skip(word, "user@") && length > 13 &&
		    !strncmp(word + length - 8, ".service", 8))
			break;
		id = process_find_id(word, length);
		prefix = process_skip(word, "lxc.payload.");
		if (!prefix && process_skip(word, "machine-") && length > 14 &&
		    !strncmp(word + length - 6, ".scope", 6)) {
			prefix = 8;
			snprintf(out, size, "%.*s", (int)(length - prefix - 6),
				 word + prefix);
		} else if (id) {
			snprintf(out, size, "%.64s", id);
		} else if (prefix) {
			snprintf(out, size, "%.*s", (int)(length - prefix),
				 word + prefix);
		}
		word += length;
	}
}

/* ---- all of it ---------------------------------------------------------- */

static void process_read_nice(struct process *process)
{
	errno = 0;
	process->nice = getpriority(PRIO_PROCESS, process->pid);
	if (errno)
		process->nice = 0;
}

void process_read_owner(struct process *process, pid_t pid)
{
	*process = (struct process){ .pid = pid };
	process_read_status(process);
	if (process->known)
		process_read_nice(process);
}

void process_read_facts(struct process *process, pid_t pid)
{
	*process = (struct process){ .pid = pid };
	process_read_status(process);
	if (!process->known)
		return;
	process_read_comm(process);
	process_read_cgroup(process);
	process_find_root_cgroup(process);
	process_read_units(process);
	process_container(*process->root_cgroup ? process->root_cgroup :
						  process->cgroup, process->container,
			  sizeof(process->container));
	process_read_nice(process);
}

void process_read_capability(struct process *process)
{
	process->nice_capable = process->has_sys_nice &&
				process_same_user_namespace(process->pid);
}

void process_read_rest(struct process *process, bool cmdline)
{
	size_t length;

	if (!process->known)
		return;
	process_read_exe(process);
	process_read_capability(process);
	if (cmdline)
		process_read_cmdline(process);
	process->environ = process_read_all(process, "environ", PROCESS_ENVIRON, &length);
}

bool process_is_owned(const struct process *process)
{
	return process->known && !process->changed_credentials;
}

void process_copy(struct process *to, const struct process *from)
{
	*to = *from;
	to->environ = NULL;
	to->cmdline = from->cmdline ? strdup(from->cmdline) : NULL;
}

void process_free(struct process *process)
{
	free(process->environ);
	process->environ = NULL;
	free(process->cmdline);
	process->cmdline = NULL;
}

const char *process_variable(const struct process *process, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = process->environ; at && *at;
	     at += strlen(at) + 1)
		if (!strncmp(at, name, length) && at[length] == '=')
			return at + length + 1;
	return NULL;
}

bool process_in_group(const struct process *process, gid_t gid)
{
	for (size_t i = 0; i < process->group_count; i++)
		if (process->groups[i] == gid)
			return true;
	return process->gid == gid;
}
