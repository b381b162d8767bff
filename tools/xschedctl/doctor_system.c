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
/* What kfd-xsched-setup(8) writes: a file for each kernel. */
#define RECORDS		"/var/lib/kfd-xsched/kernels"

/* A symbol of the series that all others depend on. */
#define PATCH_SYMBOL	" kfd_sched_apply"

/**
 * struct record - what is installed for a kernel
 * @state: of its amdgpu: patched, stock (without patches) or refused
 * @driver: name and version of that
 * @why: the reason for @state, in words
 */
struct record {
	char state[32];
	char driver[128];
	char why[256];
};

static void release(const struct doctor *doctor, char *text, size_t size)
{
	if (root_line(doctor, "/proc/sys/kernel/osrelease", text, size))
		snprintf(text, size, "unknown");
}

void check_kernel(struct doctor *doctor)
{
	char kernel[128];

	release(doctor, kernel, sizeof(kernel));
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

/* What follows a word in a line. */
static void take_field(const char *line, const char *word, char *text, size_t size)
{
	size_t length = strlen(word);

	if (!strncmp(line, word, length) && line[length] == ' ')
		snprintf(text, size, "%s", line + length + 1);
}

/* Of the kernel that runs. -ENOENT: there is none. */
static int read_record(const struct doctor *doctor, struct record *record)
{
	char kernel[128], line[512];
	FILE *file;

	*record = (struct record){ .why = "no reason is recorded" };
	release(doctor, kernel, sizeof(kernel));
	file = fopen(root_path(doctor, RECORDS "/%s", kernel), "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		take_field(line, "state", record->state, sizeof(record->state));
		take_field(line, "driver", record->driver, sizeof(record->driver));
		take_field(line, "why", record->why, sizeof(record->why));
	}
	fclose(file);
	return 0;
}

/* The amdgpu in memory has the patches: the one on disk must have them, too. */
static void report_patched(struct doctor *doctor)
{
	struct record record;

	if (!read_record(doctor, &record) && strcmp(record.state, "patched"))
		finding(doctor, "patch", NOTE, "kfd-xsched-setup --status",
			"amdgpu has the patches until the next boot; the one installed for this kernel does not: %s",
			record.why);
	else
		finding(doctor, "patch", FINE, "", "amdgpu has the patches");
}

/* It does not: whether it is the one on disk tells what helps. */
static void report_unpatched(struct doctor *doctor)
{
	static const char problem[] = "the loaded amdgpu does not have the patches";
	struct record record;
	int ret = read_record(doctor, &record);

	if (ret == -ENOENT)
		finding(doctor, "patch", PROBLEM, "kfd-xsched-setup, then reboot",
			"%s: kfd-xsched-setup has never been run for this kernel", problem);
	else if (ret)
		finding(doctor, "patch", PROBLEM, "kfd-xsched-setup --status, as root", "%s; "
			RECORDS ": %s", problem, strerror(-ret));
	else if (!strcmp(record.state, "patched"))
		finding(doctor, "patch", PROBLEM,
			"reboot; if it is the same after that, the initramfs has another amdgpu: make it anew",
			"%s, but the one installed for this kernel does: %s", problem, record.driver);
	else if (!strcmp(record.state, "refused"))
		finding(doctor, "patch", PROBLEM, "kfd-xsched-setup --status",
			"%s: kfd-xsched-setup refused to patch it: %s", problem, record.why);
	else
		finding(doctor, "patch", PROBLEM, "kfd-xsched-setup --status",
			"%s, nor does the one installed for this kernel: %s", problem, record.why);
}

static void check_patch(struct doctor *doctor)
{
	int answer = patched(doctor);

	if (answer > 0)
		report_patched(doctor);
	else if (answer < 0)
		finding(doctor, "patch", SKIPPED, "",
			"/proc/kallsyms cannot be read");
	else if (root_exists(doctor, "/sys/module/amdgpu"))
		report_unpatched(doctor);
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
		installed(doctor) ? "kfd-xsched-setup --load, which says why if that fails" :
		"kfd-xsched-setup",
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
