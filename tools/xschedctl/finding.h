/* SPDX-License-Identifier: MIT */
/*
 * doctor: look for problems, from the kernel up to the daemon, and say what to
 * do about each finding. What its checks share, and the checks.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDCTL_FINDING_H
#define XSCHEDCTL_FINDING_H

#include <libxsched.h>

#include "ctl.h"

/**
 * enum verdict - how a check went
 * @FINE: as it should be
 * @NOTE: works, but worth knowing
 * @PROBLEM: does not work until something is done
 * @SKIPPED: could not be checked, because of an earlier finding
 */
enum verdict {
	FINE,
	NOTE,
	PROBLEM,
	SKIPPED,
};

/**
 * struct doctor - what the checks share
 * @options: options
 * @findings: array of what was found, for --json
 * @problems: findings that are PROBLEM
 * @absent: there is no device or no daemon
 */
struct doctor {
	const struct options *options;
	struct json_object *findings;
	unsigned int problems;
	bool absent;
};

/**
 * finding() - report one
 * @doctor: doctor
 * @check: its name
 * @verdict: how it went
 * @advice: what to do, "" unless it is a NOTE or a PROBLEM
 * @format: what was found, as printf(3)
 */
__attribute__((format(printf, 5, 6)))
void finding(struct doctor *doctor, const char *check, enum verdict verdict,
	     const char *advice, const char *format, ...);

/** root_path() - a path below --root, in one of a few static buffers */
const char *root_path(const struct doctor *doctor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** root_exists() - whether that path exists */
bool root_exists(const struct doctor *doctor, const char *path);

/** root_line() - first line of a file, without newline; 0 or -errno */
int root_line(const struct doctor *doctor, const char *path, char *line,
	      size_t size);

/** root_number() - the number in a file; @other if it cannot be read */
long root_number(const struct doctor *doctor, const char *path, long other);

/** check_kernel() - kernel version, amdgpu, /dev/kfd */
void check_kernel(struct doctor *doctor);

/** check_module() - the patch and kfd_xsched, and its knobs */
void check_module(struct doctor *doctor);

/** check_device() - the device node, its group, and whether we may use it */
void check_device(struct doctor *doctor);

/** check_nodes() - each GPU: firmware, backend, capabilities */
void check_nodes(struct doctor *doctor);

/** check_queues() - queues that cannot be scheduled, or watched */
void check_queues(struct doctor *doctor);

/** check_daemon() - xschedd */
void check_daemon(struct doctor *doctor);

#endif /* XSCHEDCTL_FINDING_H */
