// SPDX-License-Identifier: MIT
/*
 * Signals: the GPU decrements a value in memory, stores the event's id in its
 * mailbox and raises an interrupt; KFD wakes those that wait for the event.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include <linux/kfd_ioctl.h>

#include "kfdq_priv.h"

#define SIGNAL_KIND_USER	1
#define EVENT_PAGE_SIZE		(KFD_SIGNAL_EVENT_LIMIT * 8UL)
#define TIMEOUT_INFINITE	0xffffffffLL

/* Mailboxes of this device: its own, or those of the first one of the process. */
static struct kfdq_buffer *event_page(struct kfdq_device *dev)
{
	return dev->first ? &dev->first->event_page : &dev->event_page;
}

static int alloc_event_page(struct kfdq_device *dev)
{
	struct kfdq_signal *unused;
	int ret = 0;

	if (!dev->first)
		return kfdq_alloc(dev, KFDQ_GTT, EVENT_PAGE_SIZE, &dev->event_page);
	/* KFD learns of the page with an event of the device it belongs to. */
	if (!dev->first->signal_count)
		ret = kfdq_signal_create(dev->first, &unused);
	return ret ? ret : kfdq_map(dev, event_page(dev));
}

static int alloc_signals(struct kfdq_device *dev)
{
	int ret;

	if (dev->signals.addr)
		return 0;
	ret = alloc_event_page(dev);
	if (!ret)
		ret = kfdq_alloc(dev, KFDQ_GTT, KFDQ_MAX_SIGNALS * sizeof(struct kfdq_signal),
				 &dev->signals);
	if (ret)
		kfdq_free(dev, &dev->event_page);
	return ret;
}

int kfdq_signal_create(struct kfdq_device *dev, struct kfdq_signal **out)
{
	struct kfd_ioctl_create_event_args args = {
		.event_type = KFD_IOC_EVENT_SIGNAL,
		.auto_reset = 1,
	};
	struct kfdq_signal *sig;
	int ret;

	if (dev->signal_count == KFDQ_MAX_SIGNALS)
		return -ENOSPC;
	ret = alloc_signals(dev);
	if (ret)
		return ret;
	/* KFD is given the page of mailboxes with the first event. */
	if (!dev->signal_count && !dev->first)
		args.event_page_offset = dev->event_page.handle;
	ret = kfdq_ioctl(dev, AMDKFD_IOC_CREATE_EVENT, &args);
	if (ret)
		return ret;
	sig = (struct kfdq_signal *)dev->signals.addr + dev->signal_count;
	sig->kind = SIGNAL_KIND_USER;
	sig->event_mailbox = (uintptr_t)((uint64_t *)event_page(dev)->addr + args.event_slot_index);
	sig->event_id = args.event_trigger_data;
	dev->event_ids[dev->signal_count++] = args.event_id;
	*out = sig;
	return 0;
}

void kfdq_signal_arm(struct kfdq_signal *sig, int64_t completions)
{
	__atomic_store_n(&sig->value, completions, __ATOMIC_RELEASE);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/*
 * The value is the truth, the event only a reason to look at it again: an
 * event left signalled by an earlier completion costs one more round.
 */
int kfdq_signal_wait(struct kfdq_device *dev, struct kfdq_signal *sig, int timeout_ms)
{
	uint32_t index = (uint32_t)(sig - (struct kfdq_signal *)dev->signals.addr);
	struct kfd_event_data event = { .event_id = dev->event_ids[index] };
	struct kfd_ioctl_wait_events_args wait = {
		.events_ptr = (uintptr_t)&event,
		.num_events = 1,
		.wait_for_all = 1,
	};
	int64_t deadline = now_ms() + timeout_ms, left;

	while (__atomic_load_n(&sig->value, __ATOMIC_ACQUIRE) > 0) {
		left = timeout_ms < 0 ? TIMEOUT_INFINITE : deadline - now_ms();
		if (left < 0)
			return -ETIME;
		wait.timeout = (uint32_t)left;
		if (ioctl(dev->kfd, AMDKFD_IOC_WAIT_EVENTS, &wait) < 0)
			return -errno;
	}
	return 0;
}
