// SPDX-License-Identifier: MIT
#include "must.h"
#include "tap.h"

int must_open(void)
{
	const int fd = xsdev_open();

	if (fd < 0)
		tap_bail(XSDEV_PATH ": error %d", fd);
	return fd;
}

void must_start(struct worker *w, unsigned int queues, const struct worker_ids *ids)
{
	if (worker_start(w, queues, ids))
		tap_bail("no worker");
}

struct kfd_xsched_queue must_list(struct worker *w, unsigned int queue, int fd)
{
	struct kfd_xsched_queue q;

	if (worker_listed(w, queue, fd, &q))
		tap_bail("queue %u of the worker is not listed", queue);
	return q;
}
