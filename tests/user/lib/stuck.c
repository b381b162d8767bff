// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "evidence.h"
#include "stuck.h"
#include "tap.h"

#define MQDS		"/sys/kernel/debug/kfd/mqds"
#define APART		(64 << 20)

/* Dwords and bits of an MQD. */
#define DOORBELL_CONTROL	143	/* CP_HQD_PQ_DOORBELL_CONTROL */
#define DOORBELL_SHIFT		2
#define DOORBELL_MASK		0x3ffffff

uint32_t stuck_doorbell(pid_t pid)
{
	static struct evidence e;
	static char text[1 << 20];
	FILE *f = fopen(MQDS, "re");
	size_t n;

	if (!f)
		tap_bail(MQDS ": error %d", -errno);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	/* amdkfd puts a new queue before the others. */
	if (!evidence_read_mqds(&e, text, pid))
		tap_bail("no MQD");
	return (e.mqd[0][DOORBELL_CONTROL] >> DOORBELL_SHIFT) & DOORBELL_MASK;
}

/* Children have what this process has mapped, and map beside it. */
void stuck_keep_apart(void)
{
	if (mmap(NULL, APART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		tap_bail("no address space: error %d", -errno);
}
