// SPDX-License-Identifier: MIT
/*
 * Memory exceptions, and resets: KFD events of their own types, whose data comes with the
 * wait. Packet exceptions: a queue's save area has the event that KFD signals.
 */
#include <errno.h>
#include <string.h>

#include <linux/kfd_ioctl.h>

#include "kfdq_fault.h"
#include "kfdq_priv.h"

/* From Linux 6.5 on in <linux/kfd_ioctl.h>; older headers lack them. */
struct runtime_enable {
	uint64_t r_debug;
	uint32_t mode_mask;
	uint32_t capabilities_mask;
};

#define IOC_RUNTIME_ENABLE	AMDKFD_IOWR(0x25, struct runtime_enable)
#define MODE_ENABLE		1

/* Head of a save area: struct kfd_context_save_area_header. */
struct save_area {
	uint32_t wave_state[4];
	uint32_t debug[2];
	uint64_t err_payload_addr;
	uint32_t err_event_id;
	uint32_t reserved;
};

static int watch(struct kfdq_device *dev, uint32_t type, uint32_t *event)
{
	struct kfd_ioctl_create_event_args args = { .event_type = type, .auto_reset = 1 };
	int ret = kfdq_ioctl(dev, AMDKFD_IOC_CREATE_EVENT, &args);

	if (!ret)
		*event = args.event_id;
	return ret;
}

/* Of the event that @data names; it takes what is reported. */
static int wait_for(struct kfdq_device *dev, struct kfd_event_data *data, uint32_t timeout_ms)
{
	struct kfd_ioctl_wait_events_args wait = {
		.events_ptr = (uintptr_t)data,
		.num_events = 1,
		.wait_for_all = 1,
		.timeout = timeout_ms,
	};
	int ret = kfdq_ioctl(dev, AMDKFD_IOC_WAIT_EVENTS, &wait);

	if (ret)
		return ret;
	if (wait.wait_result != KFD_IOC_WAIT_RESULT_COMPLETE)
		return wait.wait_result == KFD_IOC_WAIT_RESULT_TIMEOUT ? -ETIME : -EIO;
	return 0;
}

int kfdq_fault_watch(struct kfdq_device *dev, uint32_t *event)
{
	return watch(dev, KFD_IOC_EVENT_MEMORY, event);
}

int kfdq_fault_wait(struct kfdq_device *dev, uint32_t event, uint32_t timeout_ms,
		    struct kfdq_fault *out)
{
	struct kfd_event_data data = { .event_id = event };
	int ret = wait_for(dev, &data, timeout_ms);

	if (ret)
		return ret;
	memset(out, 0, sizeof(*out));
	out->va = data.memory_exception_data.va;
	out->gpu_id = data.memory_exception_data.gpu_id;
	out->not_present = data.memory_exception_data.failure.NotPresent;
	out->read_only = data.memory_exception_data.failure.ReadOnly;
	return 0;
}

int kfdq_reset_watch(struct kfdq_device *dev, uint32_t *event)
{
	return watch(dev, KFD_IOC_EVENT_HW_EXCEPTION, event);
}

int kfdq_reset_wait(struct kfdq_device *dev, uint32_t event, uint32_t timeout_ms,
		    uint32_t *gpu_id)
{
	struct kfd_event_data data = { .event_id = event };
	int ret = wait_for(dev, &data, timeout_ms);

	if (ret)
		return ret;
	*gpu_id = data.hw_exception_data.gpu_id;
	return data.hw_exception_data.memory_lost ? 0 : -EIO;
}

int kfdq_exceptions_enable(struct kfdq_device *dev)
{
	struct runtime_enable args = { .mode_mask = MODE_ENABLE };

	return kfdq_ioctl(dev, IOC_RUNTIME_ENABLE, &args);
}

void kfdq_exceptions_watch(struct kfdq_queue *queue, uint64_t *payload,
			   const struct kfdq_signal *sig)
{
	struct save_area *area = kfdq_queue_save_area(queue);

	area->err_payload_addr = (uintptr_t)payload;
	area->err_event_id = sig->event_id;
}
