// SPDX-License-Identifier: GPL-2.0-only
/*
 * What no scheduler can do, nor a program when it likes: the page directories of a
 * process move.
 */
#include "kfd_priv.h"

#include "probe.h"

void probe_move(struct queue *queue)
{
	struct kfd_process *process = queue->process;
	u32 i;

	for (i = 0; i < process->n_pdds; i++)
		process->pdds[i]->qpd.page_table_base ^= PAGE_SIZE;
}
