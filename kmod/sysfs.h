/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files for administrators: see Documentation/ABI/testing/sysfs-kfd-xsched.
 */
#ifndef KFD_XSCHED_SYSFS_H
#define KFD_XSCHED_SYSFS_H

#include <linux/types.h>

struct kobject;
struct xs_client;
struct xs_hw_queue;
struct xs_node;

/*
 * Whose claims are the priorities that are written to files of queues. It is not
 * among xs_clients: it has no file, hears of nothing and holds nothing.
 */
extern struct xs_client xs_sysfs_client;

/* The class, with the device of all that is not of one node. 0 or -errno. */
int xs_sysfs_init(void);

/* When there is no node and no queue any more. */
void xs_sysfs_exit(void);

/*
 * The device of a node, and the directory of a queue below @parent, which may be
 * NULL. Removal waits for whoever reads or writes, who may take any lock of the
 * core: so none may be held.
 */
void xs_sysfs_node_add(struct xs_node *node);
void xs_sysfs_node_del(struct xs_node *node);
void xs_sysfs_queue_add(const struct xs_hw_queue *hw, u64 id, struct kobject *parent);
void xs_sysfs_queue_del(const struct xs_hw_queue *hw);

/*
 * No directories of queues any more. Before the backend stops: once it has, it
 * no longer tells of queues that go, which take the parents with them.
 */
void xs_sysfs_queues_stop(void);
void xs_sysfs_queues_start(void);

/* A node's enum kfd_xsched_backend in a word. */
const char *xs_backend_name(u32 backend);

/* Where nobody tells otherwise, microseconds: see the files of the same names. */
u32 xs_sample_period_us(void);

#define XS_SAMPLE_PERIOD_US	100

/* Grace of an UNMAP that asks for the default, before an administrator says so. */
#define XS_DEFAULT_GRACE_US	30

#endif /* KFD_XSCHED_SYSFS_H */
