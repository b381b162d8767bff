// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "breaker.h"
#include "domain.h"
#include "gpufault.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define NODE		"/sys/class/kfd_xsched/node%u/"
#define WINDOW_S	600	/* longer than a test */
#define PAUSE_MS	50
#define TRIES		(GPUFAULT_DONE_MS / PAUSE_MS)

bool breaker_is(uint32_t gpu_id, const char *word)
{
	char text[16], line[16];

	snprintf(line, sizeof(line), "%s\n", word);
	return sysfile_read(text, sizeof(text), NODE "breaker", gpu_id) > 0 && !strcmp(text, line);
}

bool breaker_becomes(uint32_t gpu_id, const char *word)
{
	unsigned int i;

	for (i = 0; i < TRIES && !breaker_is(gpu_id, word); i++)
		xsdev_sleep_ms(PAUSE_MS);
	return breaker_is(gpu_id, word);
}

/* EBUSY while a switch goes on: amdkfd may have to catch up after a reset. */
int breaker_close(uint32_t gpu_id)
{
	unsigned int i;
	int ret;

	for (i = 0; i < TRIES; i++) {
		ret = sysfile_write("closed", NODE "breaker", gpu_id);
		if (ret != -EBUSY)
			return ret;
		xsdev_sleep_ms(PAUSE_MS);
	}
	return -EBUSY;
}

void breaker_set(uint32_t gpu_id, unsigned int failures)
{
	int ret = sysfile_set(failures, NODE "breaker_failures", gpu_id);

	if (!ret)
		ret = sysfile_set(WINDOW_S, NODE "breaker_window_s", gpu_id);
	if (!ret)
		ret = breaker_close(gpu_id);
	if (ret)
		tap_bail("the breaker of node %u cannot be set: error %d", gpu_id, ret);
}

/* MES says which queue it could not remove: so there it is one that is to run again. */
int breaker_provoke(int fd, const struct worker *w, unsigned int node)
{
	const unsigned int parts = domain_parts(xsdev_node_count(fd));
	const bool mes = xsdev_transactions(fd, 2) != 1;

	if (mes && xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, NULL))
		tap_bail("nothing is held");
	if (gpufault("%u.%u %s", node / parts, node % parts, mes ? "mes_hang add" : "preempt_hang"))
		tap_bail("the firmware does not hang");
	return xsdev_process_op(fd, mes ? KFD_XSCHED_OP_RESUME : KFD_XSCHED_OP_SUSPEND, w->pid, 0,
				NULL);
}
