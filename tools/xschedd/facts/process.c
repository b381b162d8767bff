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
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

/* Whether it has one: not if its leader has ended, and then it has no memory to read, either. */
static bool process_read_exe(struct process *process)
{
	char path[PATH_SIZE];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/exe", process->pid);
	length = readlink(path, process->exe, sizeof(process->exe) - 1);
	if (length == sizeof(process->exe) - 1) {
		process->cut |= PROCESS_CUT_EXE;
		length = 0;
	}
	process->exe[length > 0 ? length : 0] = '\0';
	return length >= 0;
}

static bool process_read_comm(struct process *process)
{
	FILE *file = open_file(process, "comm");
	bool read;

	if (!file)
		return false;
	read = fgets(process->comm, sizeof(process->comm), file);
	process->comm[read ? strcspn(process->comm, "\n") : 0] = '\0';
	fclose(file);
	return read;
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

static void process_parse_groups(struct process *process, const char *text)
{
	unsigned int group;
	int used;

	while (process->group_count < PROCESS_GROUPS &&
	       sscanf(text, "%u%n", &group, &used) == 1) {
		process->groups[process->group_count++] = group;
		text += used;
	}
	if (sscanf(text, "%u", &group) == 1)
		process->cut |= PROCESS_CUT_GROUPS;
}

static void process_parse_users(struct process *process, const char *text)
{
	unsigned int real, effective, saved;

	if (sscanf(text, "%u %u %u", &real, &effective, &saved) != 3)
		return;
	process->known = true;
	process->uid = real;
	process->euid = effective;
	process->changed_credentials = real != effective || real != saved;
}

/* There are 60 lines, and sscanf() takes long to find that one is another. */
static void process_parse_status(struct process *process, const char *line)
{
	if (!strncmp(line, "Uid:", 4))
		process_parse_users(process, line + 4);
	else if (!strncmp(line, "Gid:", 4))
		process->gid = strtoul(line + 4, NULL, 10);
	else if (!strncmp(line, "Groups:", 7))
		process_parse_groups(process, line + 7);
	else if (!strncmp(line, "CapEff:", 7))
		process->has_sys_nice = strtoull(line + 7, NULL, 16) >> CAP_SYS_NICE & 1;
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
		/* A truncated one must not be a tenant. */
		if (!line[length] || length - 3 >= sizeof(process->cgroup)) {
			process->cut |= PROCESS_CUT_CGROUP;
			break;
		}
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

static void process_find_cgroup_id(struct process *process)
{
	const char *mount = process_cgroup_mount();
	char path[sizeof(process->cgroup) + 32];
	struct stat status;

	if (!mount || !*process->cgroup)
		return;
	snprintf(path, sizeof(path), "%s%s", mount, process->cgroup);
	if (!stat(path, &status))
		process->cgroup_id = status.st_ino;
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

/* ---- who it is ---------------------------------------------------------- */

/* Most that is read of a map: as many lines as the kernel allows take more, and are another's. */
#define MAP_SIZE	4096
/* The kernel nests no deeper. */
#define NAMESPACES	33

static size_t process_read_map(const char *path, char map[MAP_SIZE])
{
	FILE *file = fopen(path, "re");
	size_t length;

	if (!file)
		return 0;
	length = fread(map, 1, MAP_SIZE, file);
	fclose(file);
	return length;
}

/*
 * Whether it has the daemon's users: it is in the daemon's user namespace, or in one that only
 * root can have made. The kernel shows a map to all, and without waiting.
 */
static bool process_has_own_map(pid_t pid)
{
	char own[MAP_SIZE], other[MAP_SIZE], path[PATH_SIZE];
	size_t length = process_read_map("/proc/self/uid_map", own);

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	return length && process_read_map(path, other) == length &&
	       !memcmp(own, other, length);
}

static bool process_is_own_namespace(int fd)
{
	struct stat own, other;

	return !stat("/proc/self/ns/user", &own) && !fstat(fd, &other) &&
	       own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

/*
 * The owner of the namespace just below the daemon's, as xs_user_of() of the module has it.
 * Closes @fd.
 */
static bool process_find_owner(int fd, uid_t *owner)
{
	bool found = false;

	for (int i = 0; i < NAMESPACES && fd >= 0 && !found; i++) {
		int parent = ioctl(fd, NS_GET_PARENT);

		found = parent >= 0 && process_is_own_namespace(parent) &&
			!ioctl(fd, NS_GET_OWNER_UID, owner);
		close(fd);
		fd = parent;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

static void process_identify_in(struct process *process, int fd)
{
	uid_t owner = process->euid;

	process->own_users = process_is_own_namespace(fd);
	if (process->own_users) {
		process->nice_capable = process->has_sys_nice;
		close(fd);
	} else if (!process_find_owner(fd, &owner)) {
		return;
	}
	process->account = account_of(owner, process->cgroup_id);
	process->identified = true;
}

/* Without CAP_SYS_NICE it does not matter in which of those namespaces it is. */
static void process_identify_at_once(struct process *process)
{
	if (!process_has_own_map(process->pid))
		return;
	process->own_users = true;
	process->account = account_of(process->euid, process->cgroup_id);
	process->identified = !process->has_sys_nice;
}

void process_identify(struct process *process)
{
	char path[PATH_SIZE];
	int fd;

	if (!process->known || process->identified)
		return;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", process->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		process_identify_in(process, fd);
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
	process_read_owner(process, pid);
	if (!process->known)
		return;
	process_read_cgroup(process);
	process_find_cgroup_id(process);
	process_find_root_cgroup(process);
	process_read_units(process);
	process_container(*process->root_cgroup ? process->root_cgroup :
						  process->cgroup, process->container,
			  sizeof(process->container));
	process_identify_at_once(process);
	/* Last: then it was there all the time. */
	process->has_facts = process_read_comm(process);
}

void process_read_rest(struct process *process, bool cmdline)
{
	size_t length;

	if (!process->known)
		return;
	process_identify(process);
	if (cmdline)
		process_read_cmdline(process);
	process->environ = process_read_all(process, "environ", PROCESS_ENVIRON, &length);
	/* Last, likewise: without it the others are empty, too. */
	process->has_rest = process_read_exe(process) && process->environ;
}

bool process_is_owned(const struct process *process)
{
	return process->known && !process->changed_credentials;
}

void process_copy(struct process *to, const struct process *from)
{
	*to = *from;
	to->has_rest = false;
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
