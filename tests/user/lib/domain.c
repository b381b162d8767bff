// SPDX-License-Identifier: MIT
#include "domain.h"
#include "pci.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define HIVE	"/sys/module/vgpu/parameters/hive"

unsigned int domain_parts(unsigned int nodes)
{
	return nodes / pci_count();
}

unsigned int domain_find(int fd, unsigned int nodes, uint32_t *ids)
{
	const long hive = sysfile_number(HIVE);
	struct kfd_xsched_queue q;
	struct worker w;
	unsigned int i, count;

	if (hive < 0 || worker_start_on(&w, nodes, WORKER_ALL_GPUS))
		tap_bail("no process on all GPUs, or no " HIVE);
	for (i = 0; i < nodes; i++) {
		if (worker_listed(&w, i, fd, &q))
			tap_bail("queue %u is not listed", i);
		ids[i] = q.gpu_id;
	}
	worker_kill(&w);
	count = domain_parts(nodes) * (hive < 2 ? 1 : (unsigned int)hive);
	return count < nodes ? count : nodes;
}
