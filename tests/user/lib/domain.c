// SPDX-License-Identifier: MIT
#include "domain.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define HIVE	"/sys/module/vgpu/parameters/hive"

unsigned int domain_find(int fd, unsigned int gpus, uint32_t *ids)
{
	const long hive = sysfile_number(HIVE);
	struct kfd_xsched_queue q;
	struct worker w;
	unsigned int i;

	if (hive < 0 || worker_start_on(&w, gpus, WORKER_ALL_GPUS))
		tap_bail("no process on all GPUs, or no " HIVE);
	for (i = 0; i < gpus; i++) {
		if (worker_listed(&w, i, fd, &q))
			tap_bail("queue %u is not listed", i);
		ids[i] = q.gpu_id;
	}
	worker_kill(&w);
	if (hive < 2)
		return 1;
	return hive < (long)gpus ? (unsigned int)hive : gpus;
}
