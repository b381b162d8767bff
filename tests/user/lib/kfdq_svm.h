/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory of kfdq: memory of the process's own, which the GPU reaches
 * at the same address without a buffer of the driver's, and what amdkfd does to the
 * queues when its pages go.
 */
#ifndef KFDQ_SVM_H
#define KFDQ_SVM_H

#include "kfdq.h"

/* Whether this amdkfd and this GPU have it. */
bool kfdq_svm_supported(const struct kfdq_device *dev);

/* The GPU may use [@addr, @addr + @size), whole pages, from now on. */
int kfdq_svm_share(struct kfdq_device *dev, void *addr, size_t size);

/**
 * struct kfdq_svm_tally - reports of amdkfd's system management interface on a process
 * @evictions: times its queues were stopped because shared pages went
 * @restores: times they were restored, whatever had stopped them
 */
struct kfdq_svm_tally {
	uint32_t evictions;
	uint32_t restores;
};

/* Begin to listen. A file descriptor, or -errno. */
int kfdq_svm_listen(struct kfdq_device *dev);

/* Add the reports that @fd has by now. */
int kfdq_svm_tally(int fd, struct kfdq_svm_tally *tally);

#endif /* KFDQ_SVM_H */
