/* SPDX-License-Identifier: MIT */
/*
 * Facts about a process, from /proc.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PROCESS_H
#define XSCHEDD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_GROUPS	64	/* supplementary groups looked at */

/**
 * struct process - a process, as it was when it was read
 * @pid: its id
 * @known: it could be read; else all below is empty
 * @uid: real user
 * @gid: real group
 * @groups: supplementary groups
 * @group_count: number of @groups
 * @changed_credentials: its real, effective and saved users differ
 * @nice_capable: it has CAP_SYS_NICE in the daemon's user namespace
 * @nice: nice value of its first thread
 * @exe: path of its executable, empty: not permitted or deleted
 * @comm: its name
 * @cgroup: path in the unified hierarchy, empty: in none
 * @unit: systemd unit, that of the user's manager if there is one
 * @container: id or name of the container, empty: in none
 * @cmdline: its arguments with a blank between them, or NULL
 * @environ: its environment, ended by an empty string, or NULL
 */
struct process {
	pid_t pid;
	bool known;
	uid_t uid;
	gid_t gid;
	gid_t groups[PROCESS_GROUPS];
	size_t group_count;
	bool changed_credentials;
	bool nice_capable;
	int nice;
	char exe[256];
	char comm[32];
	char cgroup[512];
	char unit[256];
	char container[128];
	char *cmdline;
	char *environ;
};

/** process_read() - read about a process; end with process_free() */
void process_read(struct process *process, pid_t pid);

/** process_forget_environ() - it is large, and may have secrets in it */
void process_forget_environ(struct process *process);

/** process_free() - free what @process points to */
void process_free(struct process *process);

/** process_is_owned() - whether its owner is known: no change of credentials */
bool process_is_owned(const struct process *process);

/** process_variable() - a variable of its environment, or NULL */
const char *process_variable(const struct process *process, const char *name);

/** process_in_group() - whether a group is its real or a supplementary one */
bool process_in_group(const struct process *process, gid_t gid);

/**
 * process_container() - the container that a cgroup belongs to
 * @cgroup: path in the unified hierarchy
 * @out: id (64 hexadecimal digits: docker, podman, cri-o, containerd) or name
 *	(lxc, systemd-nspawn); empty: none
 * @size: room in @out
 */
void process_container(const char *cgroup, char *out, size_t size);

#endif /* XSCHEDD_PROCESS_H */
