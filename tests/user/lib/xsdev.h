/* SPDX-License-Identifier: MIT */
/*
 * /dev/kfd_xsched for tests: the ioctls as they are, without the library, so
 * that a test of the kernel tests the kernel. Everything returns -errno.
 */
#ifndef XSDEV_H
#define XSDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/kfd_xsched.h>

#define XSDEV_PATH	"/dev/" KFD_XSCHED_DEVICE

/* Open the device, non-blocking: a file descriptor, or -errno. */
int xsdev_open(void);

/* ioctl(2) with -errno for -1. */
int xsdev_ioctl(int fd, unsigned long request, void *arg);

/* INFO into @nodes: the number of nodes there are. */
int xsdev_nodes(int fd, struct kfd_xsched_node *nodes, uint32_t capacity);

/* INFO of the first node. */
int xsdev_node(int fd, struct kfd_xsched_node *out);

/* How many nodes there are; 0 also after an error. */
unsigned int xsdev_node_count(int fd);

/* Whether the first node has all these capabilities, KFD_XSCHED_CAP_*. */
bool xsdev_can(int fd, uint32_t caps);

/*
 * Firmware transactions of a switch of so many queues of one node: one on HWS,
 * on MES a call for each.
 */
unsigned int xsdev_transactions(int fd, unsigned int queues);

/* APPLY of @count entries; @node, unless NULL, takes what happened to the first node. */
int xsdev_apply(int fd, struct kfd_xsched_entry *entries, uint32_t count,
		struct kfd_xsched_node_result *node);

/* APPLY with ASYNC; its event brings the cookie. */
int xsdev_apply_async(int fd, struct kfd_xsched_entry *entries, uint32_t count, uint64_t cookie);

/* APPLY of one operation on one queue, by its id. */
int xsdev_queue_op(int fd, uint32_t op, uint64_t id, int32_t value,
		   struct kfd_xsched_node_result *node);

/* APPLY of one operation on one process. */
int xsdev_process_op(int fd, uint32_t op, pid_t pid, int32_t value,
		     struct kfd_xsched_node_result *node);

/* APPLY of one operation on one tenant. */
int xsdev_tenant_op(int fd, uint32_t op, uint64_t id, int32_t value,
		    struct kfd_xsched_node_result *node);

/* TENANT: CREATE returns the id, which is small. */
int xsdev_tenant(int fd, uint32_t op, uint64_t id, pid_t pid);

/* PARK_SET or _CLEAR of a process. */
int xsdev_park(int fd, uint32_t op, pid_t pid, uint32_t idle_ms);

/* LIST into @queues: the number of queues there are. */
int xsdev_list(int fd, struct kfd_xsched_queue *queues, uint32_t capacity);

/* LIST one queue of a process, by KFD's id, or its first: -ENOENT if it is not listed. */
int xsdev_find(int fd, pid_t pid, uint32_t queue_id, struct kfd_xsched_queue *out);
int xsdev_find_first(int fd, pid_t pid, struct kfd_xsched_queue *out);

/* SUBSCRIBE. */
int xsdev_subscribe(int fd, uint32_t events, uint32_t sample_us, uint32_t settle_us);

/*
 * Read on until an event of that type and process comes (pid 0: of any):
 * -ETIME after @timeout_ms. Other events are dropped.
 */
int xsdev_wait_event(int fd, uint32_t type, pid_t pid, int timeout_ms,
		     struct kfd_xsched_event *out);

/*
 * amdkfd removes the queues of a process that ended a little later: wait until
 * there are no more than @most, or none; -ETIME after @timeout_ms.
 */
int xsdev_wait_queues(int fd, unsigned int most, int timeout_ms);
int xsdev_wait_no_queue(int fd, int timeout_ms);

/* CLOCK_MONOTONIC, nanoseconds. */
uint64_t xsdev_now(void);

/* Sleep that long, whatever signals come. */
void xsdev_sleep_ms(unsigned int ms);

#endif /* XSDEV_H */
