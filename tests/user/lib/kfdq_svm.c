// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#include "kfdq_priv.h"
#include "kfdq_svm.h"

#define SVM_CAPABILITY	(1UL << 27)	/* HSA_CAP_SVMAPI_SUPPORTED of the kernel */
#define TOLD_BYTES	1024		/* as many as amdkfd keeps */

bool kfdq_svm_supported(const struct kfdq_device *dev)
{
	uint64_t capability;

	return !kfdq_property(dev, "capability", &capability) && capability & SVM_CAPABILITY;
}

/* The attributes follow the argument, and its size is that of both. */
int kfdq_svm_share(struct kfdq_device *dev, void *addr, size_t size)
{
	const size_t attributes = sizeof(struct kfd_ioctl_svm_attribute);
	struct kfd_ioctl_svm_args *args = calloc(1, sizeof(*args) + attributes);
	int ret;

	if (!args)
		return -ENOMEM;
	args->start_addr = (uintptr_t)addr;
	args->size = size;
	args->op = KFD_IOCTL_SVM_OP_SET_ATTR;
	args->nattr = 1;
	args->attrs[0].type = KFD_IOCTL_SVM_ATTR_ACCESS;
	args->attrs[0].value = dev->gpu_id;
	ret = kfdq_ioctl(dev, AMDKFD_IOC_SVM + (attributes << _IOC_SIZESHIFT), args);
	free(args);
	return ret;
}

int kfdq_svm_listen(struct kfdq_device *dev)
{
	const uint64_t wanted = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_EVICTION) |
				KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_RESTORE);
	struct kfd_ioctl_smi_events_args args = { .gpuid = dev->gpu_id };
	int ret = kfdq_ioctl(dev, AMDKFD_IOC_SMI_EVENTS, &args);

	if (ret)
		return ret;
	if (write((int)args.anon_fd, &wanted, sizeof(wanted)) == sizeof(wanted))
		return (int)args.anon_fd;
	ret = -errno;
	close((int)args.anon_fd);
	return ret;
}

/* A line: "EVENT NANOSECONDS -PID NODE TRIGGER", the first and the fourth in hex. */
static void tally_line(const char *line, struct kfdq_svm_tally *tally)
{
	unsigned int event, node, trigger = ~0U;
	long long ns;
	int pid;

	if (sscanf(line, "%x %lld -%d %x %u", &event, &ns, &pid, &node, &trigger) < 4)
		return;
	if (event == KFD_SMI_EVENT_QUEUE_RESTORE)
		tally->restores++;
	else if (event == KFD_SMI_EVENT_QUEUE_EVICTION &&
		 trigger == KFD_QUEUE_EVICTION_TRIGGER_SVM)
		tally->evictions++;
}

int kfdq_svm_tally(int fd, struct kfdq_svm_tally *tally)
{
	char text[TOLD_BYTES + 1], *line, *rest;
	ssize_t n = read(fd, text, TOLD_BYTES);

	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	text[n] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		tally_line(line, tally);
	return 0;
}
