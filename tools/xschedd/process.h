/* SPDX-License-Identifier: MIT */
/*
 * Who a process is, from /proc, and which priority that gives it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PROCESS_H
#define XSCHEDD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config.h"

/**
 * struct process - a process, as it was when it was looked at
 * @pid: its id
 * @known: it could be looked at; else all below is empty
 * @uid: real user
 * @changed_credentials: its real, effective and saved users differ
 * @nice: nice value of its first thread
 * @exe: path of its executable, empty: not permitted or deleted
 * @comm: its name
 */
struct process {
	pid_t pid;
	bool known;
	uid_t uid;
	bool changed_credentials;
	int nice;
	char exe[256];
	char comm[32];
};

/** process_read() - look at a process */
void process_read(struct process *process, pid_t pid);

/**
 * process_priority() - priority of a process: rules first, then its nice value
 * @process: the process
 * @config: has the rules
 * @rule: out, name of the rule that decided, or NULL: the nice value
 *
 * Return: XSCHED_PRIORITY_MIN..MAX
 */
int32_t process_priority(const struct process *process,
			 const struct config *config, const char **rule);

#endif /* XSCHEDD_PROCESS_H */
