// SPDX-License-Identifier: MIT
/* Faults of the software GPU on demand, and the reset after them. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpufault.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define FAULT		"/sys/kernel/debug/vgpu/fault"
#define HANG		"/sys/module/vgpu/parameters/hang"
#define TIMEOUT		"/sys/module/amdgpu/parameters/queue_preemption_timeout_ms"
#define STILL_MS	400	/* how long we watch a held queue do nothing */

int gpufault(const char *format, ...)
{
	va_list ap;
	int ret;

	va_start(ap, format);
	ret = sysfile_print(FAULT, format, ap);
	va_end(ap);
	return ret;
}

/* A line: GPU.NODE STATE NAME NUMBER; what is armed on MES has no number. */
long gpufault_look(const char *state, const char *name)
{
	FILE *f = fopen(FAULT, "re");
	char line[128], s[16], n[32];
	long sum = -1, value;

	while (f && fgets(line, sizeof(line), f)) {
		value = 0;
		if (sscanf(line, "%*s %15s %31s %ld", s, n, &value) < 2 || strcmp(s, state) ||
		    (name && strcmp(n, name)))
			continue;
		sum = sum < 0 ? value : sum + value;
	}
	if (f)
		fclose(f);
	return sum;
}

void gpufault_hang(void)
{
	int ret = sysfile_write("1", HANG);

	if (ret)
		tap_bail(HANG ": error %d", ret);
}

void gpufault_timeout(unsigned int ms)
{
	int ret = sysfile_set(ms, TIMEOUT);

	if (ret)
		tap_bail(TIMEOUT ": error %d", ret);
}

int gpufault_open(void)
{
	int fd = must_open();

	xsdev_subscribe(fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET), 0, 0);
	return fd;
}

int gpufault_wait_reset(int fd)
{
	struct kfd_xsched_event e;
	int ret;

	do {
		ret = xsdev_wait_event(fd, KFD_XSCHED_EVENT_NODE_RESET, 0, GPUFAULT_DONE_MS, &e);
	} while (!ret && e.data != 1);
	return ret;
}

void gpufault_check_released(int fd, struct worker *w, const char *before)
{
	char prefix[64] = "";

	if (before)
		snprintf(prefix, sizeof(prefix), "%s: ", before);
	tap_is(worker_wait(w, 0, STILL_MS), -ETIME, "%sit does not run", prefix);
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w->pid, 0, NULL), 0,
	       "%sit is resumed", prefix);
	tap_is(worker_wait(w, 0, GPUFAULT_DONE_MS), 0, "%sit runs to its end", prefix);
}
