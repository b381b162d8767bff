// SPDX-License-Identifier: MIT
/*
 * doctor: kernel, driver, patch, module and device node.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "finding.h"

#define GROUP		"xsched"
#define KNOBS		"/sys/class/kfd_xsched/global"
/* The kernels the patch series are for. */
static const char *const kernels[] = { "6.12.", "7.2.", "7.3." };

/* A symbol of the series that all others depend on. */
#define PATCH_SYMBOL	" kfd_sched_apply"

static void release(const struct doctor *doctor, char *text, size_t size)
{
	if (root_line(doctor, "/proc/sys/kernel/osrelease", text, size))
		snprintf(text, size, "unknown");
}

static bool has_series(const char *kernel)
{
	size_t i;

	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (!strncmp(kernel, kernels[i], strlen(kernels[i])))
			return true;
	return false;
}

void check_kernel(struct doctor *doctor)
{
	char kernel[128];

	release(doctor, kernel, sizeof(kernel));
	if (!has_series(kernel))
		finding(doctor, "kernel", NOTE,
			"boot a 6.12 or 7.3 kernel, or port the series in patches/",
			"Linux %s; the patches are made for 6.12, 7.2 and 7.3", kernel);
	else
		finding(doctor, "kernel", FINE, "", "Linux %s", kernel);
	if (!root_exists(doctor, "/sys/module/amdgpu")) {
		finding(doctor, "amdgpu", PROBLEM,
			"modprobe amdgpu, and see dmesg if that fails",
			"amdgpu is not loaded");
		return;
	}
	if (!root_exists(doctor, "/dev/kfd"))
		finding(doctor, "amdgpu", PROBLEM,
			"use a kernel with CONFIG_HSA_AMD, and a GPU that KFD knows",
			"amdgpu is loaded, but there is no /dev/kfd");
	else
		finding(doctor, "amdgpu", FINE, "", "amdgpu is loaded, with KFD");
}

/* Whether amdgpu has the patch: 1, 0, or -1: not known. */
static int patched(const struct doctor *doctor)
{
	FILE *file = fopen(root_path(doctor, "/proc/kallsyms"), "re");
	int found = 0;
	char line[512];

	if (!file)
		return -1;
	while (!found && fgets(line, sizeof(line), file)) {
		char *symbol = strstr(line, PATCH_SYMBOL);

		found = symbol && strchr("\t\n", symbol[strlen(PATCH_SYMBOL)]);
	}
	fclose(file);
	return found;
}

static void check_patch(struct doctor *doctor)
{
	int answer = patched(doctor);

	if (answer > 0)
		finding(doctor, "patch", FINE, "", "amdgpu has the patches");
	else if (answer < 0)
		finding(doctor, "patch", SKIPPED, "",
			"/proc/kallsyms cannot be read");
	else if (root_exists(doctor, "/sys/module/amdgpu"))
		finding(doctor, "patch", PROBLEM,
			"dkms install kfd-xsched, then reboot: the amdgpu in memory is the distribution's",
			"the loaded amdgpu does not have the patches");
	else
		finding(doctor, "patch", SKIPPED, "", "amdgpu is not loaded");
}

/* Whether modprobe would find the module. */
static bool installed(const struct doctor *doctor)
{
	char kernel[128];
	glob_t found;
	int ret;

	release(doctor, kernel, sizeof(kernel));
	ret = glob(root_path(doctor, "/lib/modules/%s/*/dkms/kfd_xsched.ko*",
			     kernel), 0, NULL, &found);
	if (ret)
		ret = glob(root_path(doctor,
				     "/lib/modules/%s/*/kfd_xsched.ko*",
				     kernel), 0, NULL, &found);
	if (!ret)
		globfree(&found);
	return !ret;
}

static void check_ejections(struct doctor *doctor)
{
	static const char *const reasons[] = { "watchdog", "admin",
					       "disabled" };
	long counts[3], sum = 0;

	for (size_t i = 0; i < 3; i++) {
		char path[128];

		snprintf(path, sizeof(path), KNOBS "/statistics/ejected_%s",
			 reasons[i]);
		counts[i] = root_number(doctor, path, 0);
		sum += counts[i];
	}
	if (sum)
		finding(doctor, "ejected", NOTE,
			"/sys/kernel/debug/kfd_xsched/clients lists them, with time and reason",
			"%ld clients were ejected: %ld were silent, %ld by an administrator, %ld disabled",
			sum, counts[0], counts[1], counts[2]);
}

static void report_demoted(struct doctor *doctor, const char *what, unsigned long number,
			   unsigned int failures)
{
	char advice[128];

	snprintf(advice, sizeof(advice),
		 "find the cause in dmesg, then: echo \"%s %lu\" >" KNOBS "/demoted", what,
		 number);
	finding(doctor, "demoted", NOTE, advice,
		"%s %lu is demoted, and all others come first: queues that did not save their waves: %u",
		what, number, failures);
}

/* Lines "process PID UID FAILURES" and "user UID FAILURES". */
static void check_demoted(struct doctor *doctor)
{
	FILE *file = fopen(root_path(doctor, KNOBS "/demoted"), "re");
	unsigned int failures;
	unsigned long number;
	char line[128];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "process %lu %*u %u", &number, &failures) == 2)
			report_demoted(doctor, "process", number, failures);
		else if (sscanf(line, "user %lu %u", &number, &failures) == 2)
			report_demoted(doctor, "user", number, failures);
	}
	if (file)
		fclose(file);
}

static void check_knobs(struct doctor *doctor)
{
	static const char *const knobs[] = { "watchdog_ms", "sample_period_us",
					     "tap_idle_us", "waves_percent" };

	if (root_number(doctor, KNOBS "/enabled", 1) == 0)
		finding(doctor, "enabled", PROBLEM,
			"echo 1 >" KNOBS "/enabled",
			"kfd_xsched is disabled: nothing can be held");
	else
		finding(doctor, "enabled", FINE, "",
			"kfd_xsched may hold queues");
	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
		char path[128];
		long value, usual;

		snprintf(path, sizeof(path), KNOBS "/%s", knobs[i]);
		value = root_number(doctor, path, -1);
		snprintf(path, sizeof(path), KNOBS "/.defaults/%s", knobs[i]);
		usual = root_number(doctor, path, -1);
		if (value != usual)
			finding(doctor, knobs[i], NOTE,
				"nothing to do if this is intended; .defaults/ has the default",
				"%ld instead of %ld", value, usual);
	}
}

void check_module(struct doctor *doctor)
{
	bool loaded = root_exists(doctor, "/sys/module/kfd_xsched");

	check_patch(doctor);
	if (loaded) {
		finding(doctor, "module", FINE, "", "kfd_xsched is loaded");
		check_knobs(doctor);
		check_ejections(doctor);
		check_demoted(doctor);
		return;
	}
	finding(doctor, "module", PROBLEM,
		installed(doctor) ? "modprobe kfd_xsched" :
		"dkms install kfd-xsched, then modprobe kfd_xsched",
		"kfd_xsched is not loaded%s",
		installed(doctor) ? "" : ", nor installed for this kernel");
}

static void check_mode(struct doctor *doctor, const char *path)
{
	const char *advice = "systemd-sysusers && udevadm control --reload && "
			     "udevadm trigger /dev/kfd_xsched";
	const struct group *group = getgrnam(GROUP);
	struct stat status;

	if (stat(path, &status)) {
		finding(doctor, "device", PROBLEM, advice, "%s: %s", path,
			strerror(errno));
		return;
	}
	if (!group)
		finding(doctor, "group", NOTE,
			"systemd-sysusers, then udevadm trigger /dev/kfd_xsched",
			"there is no group " GROUP);
	if (status.st_mode & S_IRWXO)
		finding(doctor, "device", NOTE, advice,
			"all users can open %s (mode %04o)", path,
			status.st_mode & 07777);
	else if (group && status.st_gid != group->gr_gid)
		finding(doctor, "device", NOTE, advice,
			"%s does not belong to group " GROUP, path);
	else
		finding(doctor, "device", FINE, "", "%s, mode %04o", path,
			status.st_mode & 07777);
}

void check_device(struct doctor *doctor)
{
	const char *path = doctor->options->device;
	int fd;

	if (!root_exists(doctor, "/sys/module/kfd_xsched")) {
		doctor->absent = true;
		finding(doctor, "device", SKIPPED, "",
			"the module makes it");
		return;
	}
	check_mode(doctor, path);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		finding(doctor, "access", errno == EACCES ? NOTE : PROBLEM,
			"usermod -aG " GROUP " USER, and log in again",
			"you cannot open %s: %s", path,
			strerror(errno));
	else
		finding(doctor, "access", FINE, "", "you may open it");
	if (fd >= 0)
		close(fd);
}
