// SPDX-License-Identifier: MIT
/* Of kfdq, what a launcher calls. */
#include <string.h>

#include "fake_gpu.h"

#define SIGNALS	8

struct fake_gpu fake;
static struct kfdq_signal signals[SIGNALS];
static unsigned int used;

void fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
	memset(signals, 0, sizeof(signals));
	used = 0;
}

int kfdq_signal_create(struct kfdq_device *dev, struct kfdq_signal **out)
{
	(void)dev;
	if (used == SIGNALS)
		return -ENOSPC;
	*out = &signals[used++];
	return 0;
}

void kfdq_signal_arm(struct kfdq_signal *sig, int64_t completions)
{
	assert_int_equal(sig->value, 0);	/* else a packet is pending on it */
	sig->value = completions;
}

int kfdq_queue_submit(struct kfdq_queue *queue, const struct kfdq_dispatch *dispatches,
		      uint32_t count)
{
	(void)queue;
	assert_int_equal(count, 1);
	if (fake.full && !--fake.full)
		return -EAGAIN;
	assert_true(fake.submitted < FAKE_ROOM);
	fake.taken[fake.submitted] = dispatches->kernarg;
	fake.signals[fake.submitted++] = dispatches->completion;
	if (fake.submitted - fake.completed > fake.most)
		fake.most = fake.submitted - fake.completed;
	return 0;
}

int kfdq_signal_wait(struct kfdq_device *dev, struct kfdq_signal *sig, int timeout_ms)
{
	struct kfdq_signal *done;

	(void)dev;
	assert_int_equal(timeout_ms, -1);
	fake.waits++;
	if (fake.on_wait)
		fake.on_wait();
	if (fake.waits == fake.interrupted)
		return -EINTR;
	while (sig->value) {
		assert_true(fake.completed < fake.submitted);	/* it would never end */
		done = fake.signals[fake.completed++];
		if (done)
			done->value--;
	}
	return 0;
}
