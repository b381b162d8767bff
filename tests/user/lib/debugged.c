// SPDX-License-Identifier: MIT
#include "debugged.h"
#include "kfdq_debug.h"

int debugged_start(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t unused)
{
	(void)queue;
	(void)unused;
	return kfdq_debug_start(dev);
}

int debugged_stop(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t unused)
{
	(void)queue;
	(void)unused;
	return kfdq_debug_stop(dev);
}

int debugged_suspend(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t on)
{
	return on ? kfdq_debug_suspend(dev, queue) : kfdq_debug_resume(dev, queue);
}
