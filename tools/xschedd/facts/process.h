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

#include "base/account.h"

#define PROCESS_GROUPS	64	/* supplementary groups looked at */

/** Bytes that are read of the arguments, and of the environment. */
#define PROCESS_CMDLINE	4096
/* The kernel allows 128 KiB for a string, and far more in all. */
#define PROCESS_ENVIRON	(1u << 20)

/** What was too long to be kept, as bits: then the field is empty, or not all of it. */
enum process_cut {
	PROCESS_CUT_EXE = 1,
	PROCESS_CUT_CGROUP = 2,
	PROCESS_CUT_GROUPS = 4,
};

/**
 * struct process - a process, as it was when it was read
 * @pid: its id
 * @known: it could be read; else all below is empty
 * @has_facts: what process_read_facts() reads is there, else only its owner and @nice
 * @has_rest: what process_read_rest() reads is there
 * @identified: @account and @nice_capable are known
 * @own_users: its users are the daemon's: @account is @euid
 * @cut: bits of enum process_cut
 * @account: whom the kernel charges what it has
 * @uid: real user
 * @euid: effective user
 * @gid: real group
 * @groups: supplementary groups
 * @group_count: number of @groups
 * @changed_credentials: its real, effective and saved users differ
 * @has_sys_nice: it has CAP_SYS_NICE in its user namespace
 * @nice_capable: it has CAP_SYS_NICE in the daemon's user namespace
 * @nice: nice value of its first thread
 * @exe: path of its executable, empty: not permitted or deleted
 * @comm: its name
 * @cgroup: path in the unified hierarchy, empty: in none
 * @cgroup_id: of @cgroup, 0: not known
 * @root_cgroup: the part of @cgroup that root has named: from the top down to the
 *	first cgroup that belongs to another user
 * @unit: unit of the system's systemd
 * @user_unit: unit of the user's systemd, empty: none
 * @container: id or name of the container, empty: in none
 * @cmdline: its arguments with a blank between them, or NULL
 * @environ: its environment, ended by an empty string, or NULL
 */
struct process {
	pid_t pid;
	bool known;
	bool has_facts;
	bool has_rest;
	bool identified;
	bool own_users;
	unsigned int cut;
	struct account account;
	uid_t uid;
	uid_t euid;
	gid_t gid;
	gid_t groups[PROCESS_GROUPS];
	size_t group_count;
	bool changed_credentials;
	bool has_sys_nice;
	bool nice_capable;
	int nice;
	char exe[256];
	char comm[32];
	char cgroup[512];
	uint64_t cgroup_id;
	char root_cgroup[512];
	char unit[256];
	char user_unit[256];
	char container[128];
	char *cmdline;
	char *environ;
};

/**
 * process_read_owner() - read the credentials of a process, and its nice value
 * @process: out; all else in it is empty
 * @pid: process
 *
 * User and group are the real ones, as process_read_facts() has them; stat() of
 * /proc/PID has the effective ones. No process can make this wait.
 */
void process_read_owner(struct process *process, pid_t pid);

/**
 * process_read_facts() - read what the kernel returns without waiting
 * @process: out; to be completed by process_read_rest()
 * @pid: process
 *
 * These are credentials, name, cgroup, unit, container and nice value. And if it has the
 * daemon's users, its account; then it is identified, unless it has CAP_SYS_NICE. No
 * process can make this wait.
 */
void process_read_facts(struct process *process, pid_t pid);

/**
 * process_identify() - read its account, and whether CAP_SYS_NICE counts
 * @process: as process_read_facts() left it
 *
 * The process can make this wait, for ever, if that did not identify it.
 */
void process_identify(struct process *process);

/**
 * process_read_rest() - read who it is, its environment and its executable
 * @process: as process_read_facts() left it; end with process_free()
 * @cmdline: read the arguments, too
 *
 * The process can make this wait, for ever.
 */
void process_read_rest(struct process *process, bool cmdline);

/**
 * process_copy() - copy facts, without the environment: it has no rest, then
 * @to: out, end with process_free()
 * @from: facts
 *
 * Without memory the copy has no arguments.
 */
void process_copy(struct process *to, const struct process *from);

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
 *	(lxc, systemd-nspawn); empty: none. What is below a user's systemd does not
 *	count: the user has named it.
 * @size: room in @out
 */
void process_container(const char *cgroup, char *out, size_t size);

#endif /* XSCHEDD_PROCESS_H */
