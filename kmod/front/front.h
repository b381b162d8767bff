/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the front share. Clients and events are in client.h: clients.c has all of
 * them, client.c sees them come and go, event.c tells them.
 *
 *	arrive.c	nodes, processes and queues come and go
 *	list.c		INFO and LIST
 *	apply.c		APPLY
 *	tenant.c	TENANT
 *	armed.c, arm.c	armed switches, and ARM
 *	park.c		when processes are parked, and PARK
 *	watchdog.c	leases, and RENEW
 *	eject.c		taking from a client all it has
 *	sysfs.c		/sys/class/kfd_xsched; sysfs_queue.c: files of a queue
 *	demoted.c	its file "demoted"
 *	debugfs.c	a dump of all state
 *	pm.c		system suspend
 *	user.c		arrays in user space
 *	main.c		start and stop, the device node, the table of ioctls
 */
#ifndef KFD_XSCHED_FRONT_H
#define KFD_XSCHED_FRONT_H

#include <linux/capability.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <linux/kfd_xsched.h>

#include "core.h"
#include "model/request.h"
#include "model/tenant.h"

struct cred;
struct pid_namespace;
struct device_attribute;
struct kobject;
struct miscdevice;
struct pid;
struct seq_file;
struct xs_backend_ops;
struct xs_batch;
struct xs_client;
struct xs_histogram;
struct xs_item;
struct xs_node;
struct xs_process;
struct xs_queue;

/* ---- main.c -------------------------------------------------------------- */

/* The device node; its number is needed elsewhere. */
extern struct miscdevice xs_device;

/*
 * Start the core on a driver. The device node comes last, so that the first client
 * finds what was there before. 0 or -errno.
 */
int xs_core_start(const struct xs_backend_ops *backend);

/* Stop it. There must be no client: an open file pins the module. */
void xs_core_stop(void);

/* ---- arrive.c ------------------------------------------------------------ */

/* xs_news.node_added and so on */
int xs_node_added(struct xs_hw_node *hw, const struct xs_hw_node_desc *desc);
void xs_node_removed(struct xs_hw_node *hw);
void xs_node_reset(struct xs_hw_node *hw, bool done);
void xs_node_breaker(const struct xs_node *node);
void xs_preempt_failed(struct xs_hw_node *hw_node, struct xs_hw_queue *hw_queue);
void xs_process_demoted(struct xs_process *process);
int xs_queue_added(struct xs_hw_queue *hw, const struct xs_hw_queue_desc *desc);
void xs_queue_changed(struct xs_hw_queue *hw);
void xs_queue_removed(struct xs_hw_queue *hw);
void xs_process_exited(struct xs_hw_process *hw);

/* When the driver reports nothing any more: forget all. */
void xs_arrive_exit(void);

/* ---- list.c -------------------------------------------------------------- */

/* Bits KFD_XSCHED_QUEUE_*, as LIST reports them to the client, which may be NULL. */
u32 xs_list_state_locked(const struct xs_queue *queue, const struct xs_client *client);

/* KFD_XSCHED_INFO, KFD_XSCHED_LIST */
long xs_list_ioctl_info(struct xs_client *client, void *arg);
long xs_list_ioctl_list(struct xs_client *client, void *arg);

/* ---- apply.c ------------------------------------------------------------- */

/* Elements of the array as they were first published. */
#define XS_ENTRY_MIN_SIZE	offsetofend(struct kfd_xsched_entry, prio_class)

/* Whether an error lets the other entries go on. */
bool xs_apply_is_benign(int status);

/* What can be said of an entry without knowing any queue. 0 or -errno. */
int xs_apply_check(const struct kfd_xsched_entry *entry);

/* A batch of an APPLY is over: fill in its entries, or send its event. */
void xs_apply_over_locked(struct xs_batch *batch);

/*
 * APPLY from inside the kernel, with the credentials of the current task. Takes
 * no longer than the firmware may. 0 or -errno, with the status of the entries.
 */
int xs_apply_internal(struct xs_holder *holder, struct kfd_xsched_entry *entries, u32 count);

/* KFD_XSCHED_APPLY */
long xs_apply_ioctl(struct xs_client *client, void *arg);

/* ---- tenant.c ------------------------------------------------------------ */

/* KFD_XSCHED_TENANT */
long xs_tenant_ioctl(struct xs_client *client, void *arg);

/* ---- armed.c, arm.c ------------------------------------------------------ */

/**
 * struct xs_armed - an armed switch; under xs_lock
 * @id: its name for the client, never used again; 0: it was not added yet
 * @client: whose it is
 * @in_client: in xs_client.armed, once it was added
 * @holder: what the switch asks for; a reference
 * @cred: credentials of the caller that set it, with a reference; each run is checked
 *	with them
 * @ns: pid namespace of that caller, with a reference: in it its entries name processes
 * @in_armed: in the list of all
 * @trigger: whose work sets it off
 * @count: elements of @items and @entries
 * @items: what its entries name
 * @entries: what is asked for
 * @active: what was run last was for READY
 * @stale: a tenant has changed since
 * @batch: the run that goes on, or NULL
 * @next: for the run that comes next; NULL: there was no memory when it was to be made
 * @edge_ns: of the last run
 * @error: of its entries, 0 or -errno
 * @runs: how many
 * @look: the last look at all that has seen it
 * @reached: for a search
 * @in_dead: in the list of those whose memory is to be freed
 * @charged: it and its entries are on the account of its client
 */
struct xs_armed {
	u64 id;
	struct xs_client *client;
	struct list_head in_client;
	struct xs_holder *holder;
	const struct cred *cred;
	struct pid_namespace *ns;
	struct list_head in_armed;
	struct xs_trigger trigger;
	u32 count;
	struct xs_item *items;
	struct kfd_xsched_entry *entries;
	bool active;
	bool stale;
	struct xs_batch *batch;
	struct xs_batch *next;
	u64 edge_ns;
	int error;
	u64 runs;
	u64 look;
	bool reached;
	struct llist_node in_dead;
	bool charged;
};

/* For a run of it; NULL: no memory. */
struct xs_batch *xs_armed_new_batch(struct xs_armed *armed, gfp_t gfp);

/* Number it, and count what it triggers on. */
void xs_armed_add_locked(struct xs_armed *armed);

/*
 * Drop it, and what it holds, which is pending then. Also one that is not complete, or
 * was never added. Returns how many queues it kept from running.
 */
u32 xs_armed_free_locked(struct xs_armed *armed);

/* Run it, or undo it, or end it, if that is due: true. It may be gone then. */
bool xs_armed_update_locked(struct xs_armed *armed);

/*
 * Processes became READY or IDLE, were demoted, or are gone: run what is armed for that. Without
 * a lock; or soon.
 */
void xs_armed_look(void);
void xs_armed_look_later(void);

/* Its run is over. */
void xs_armed_over_locked(struct xs_batch *batch);

/* Processes came to or left tenants of the client, or tenants went: soon, switches follow. */
void xs_armed_tenants_changed_locked(struct xs_client *client);

/* The process is exited: switches it triggers end soon. */
void xs_armed_process_exited_locked(const struct xs_process *process);

/* Once there is none: free all memory. */
void xs_armed_exit(void);

/*
 * Drop one of a client, and what it holds: false if there is none. @held: is added how many
 * queues it kept from running. Switch what is pending afterwards.
 */
bool xs_armed_drop_one_locked(struct xs_client *client, u32 *held);

/* Their lines of a dump. */
void xs_armed_show_locked(struct seq_file *m, struct xs_client *client);

/* KFD_XSCHED_ARM */
long xs_armed_ioctl(struct xs_client *client, void *arg);

/* ---- park.c -------------------------------------------------------------- */

int xs_park_init(void);

/* Nobody is parked any more; who is comes back with the end of the driver. */
void xs_park_exit(void);

/*
 * xs_news.tapped, also after a reset, and when a breaker was closed; .parking; .unparked; and
 * .woken, also once some armed switches were looked at.
 */
void xs_park_tapped(void);
void xs_park_parking(void);
void xs_park_unparked_locked(struct xs_process *process, u32 why);
void xs_park_woken(void);

/* From when on processes of the node are parked, unless a client says otherwise. */
void xs_park_set_ms(struct xs_node *node, u32 ms);

/* What was changed is in effect; switches follow. Without a lock. */
void xs_park_flush(void);

/* Bits KFD_XSCHED_RESIDENT_*: why it is not parked. */
u32 xs_park_resident_locked(const struct xs_process *process);

/* Forget something that the client says of a process. False: there is nothing. */
bool xs_park_drop_one_locked(struct xs_client *client);

/* KFD_XSCHED_PARK */
long xs_park_ioctl(struct xs_client *client, void *arg);

/* ---- watchdog.c ---------------------------------------------------------- */

#define XS_WATCHDOG_MS		2000
#define XS_WATCHDOG_MS_MIN	50
#define XS_WATCHDOG_MS_MAX	600000

int xs_watchdog_init(void);
void xs_watchdog_exit(void);
void xs_watchdog_init_node(struct xs_node *node);

/* No client is ejected until it is resumed: all leases begin anew then. */
void xs_watchdog_pause(void);
void xs_watchdog_resume(void);

/* xs_news.held */
void xs_watchdog_add(int change);

/* How many are held, and whether the timer runs. */
unsigned int xs_watchdog_count(void);
bool xs_watchdog_armed(void);

/* How long a lease is that begins now; within the limits above. */
u32 xs_watchdog_ms(void);
void xs_watchdog_set_ms(u32 ms);

/* KFD_XSCHED_RENEW */
long xs_watchdog_ioctl_renew(struct xs_client *client, void *arg);

/* ---- eject.c ------------------------------------------------------------- */

/* Ejections that are remembered, for administrators. */
#define XS_EJECTIONS	32

/**
 * struct xs_ejection - a client that was ejected
 * @client: its number
 * @pid: process that opened it, with a reference
 * @comm: name of that process
 * @uid: of its opener
 * @reason: enum kfd_xsched_eject
 * @time_ns: when, CLOCK_MONOTONIC
 * @silent_ns: time since its last sign of life
 * @held: how many queues it held
 */
struct xs_ejection {
	u64 client;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	kuid_t uid;
	u32 reason;
	u64 time_ns;
	u64 silent_ns;
	u32 held;
};

/*
 * Eject a client, for good. First, nothing more is given to it; false: that was so before, or it
 * is closed. Then, without a lock, what it has is dropped, and the nodes let its queues run, soon
 * after.
 */
bool xs_eject_begin_locked(struct xs_client *client);
void xs_eject(struct xs_client *client, u32 reason);

/*
 * For an administrator: eject the client of that number, or those of a process
 * in the caller's pid namespace; their queues run when this returns. -ESRCH:
 * there is none.
 */
int xs_eject_number(u64 number);
int xs_eject_pid(pid_t nr);

/*
 * Let clients hold and prioritise, or not. Disabling ejects those that do; their queues run when
 * this returns.
 */
void xs_set_enabled(bool enabled);

/* Number @i of the ejections that are remembered, the latest first, or NULL. */
const struct xs_ejection *xs_ejection_locked(unsigned int i);

/* The reason in a word; of KFD_XSCHED_EJECT_NONE: "active". */
const char *xs_eject_word(u32 reason);

/* How often clients were ejected for a reason. */
u64 xs_ejections(u32 reason);

/* When the core stops. */
void xs_eject_exit(void);

/* ---- sysfs.c, sysfs_queue.c, demoted.c ----------------------------------- */

/* Files are root's already; a root without capabilities is none. */
static inline bool xs_sysfs_may_write(void)
{
	return capable(CAP_SYS_NICE);
}

/* In demoted.c: who is demoted. */
extern struct device_attribute dev_attr_demoted;

/* Its requests are the priorities that are written to files of queues. It holds nothing. */
extern struct xs_holder xs_sysfs_holder;

/* The class, with the device of all that is not of one node. 0 or -errno. */
int xs_sysfs_init(void);

/* When there is no node and no queue any more. */
void xs_sysfs_exit(void);

/*
 * The device of a node, and the directory of a queue below @parent, which may be
 * NULL. Removal waits for readers and writers, which may take any lock of the
 * core: so none may be held.
 */
void xs_sysfs_node_add(struct xs_node *node);
void xs_sysfs_node_del(struct xs_node *node);
void xs_sysfs_queue_add(const struct xs_hw_queue *hw, u64 id, struct kobject *parent);
void xs_sysfs_queue_del(const struct xs_hw_queue *hw);

/*
 * No directories of queues any more. Before the driver stops: then it does not
 * report queues that go any more, which take the parents with them.
 */
void xs_sysfs_queues_stop(void);
void xs_sysfs_queues_start(void);

/* A node's enum kfd_xsched_backend in a word. */
const char *xs_sysfs_backend_name(u32 backend);

/* Lines "shortest-ns count" of the buckets that are not empty; a page suffices. */
ssize_t xs_sysfs_show_histogram(const struct xs_histogram *histogram, char *page);

/* ---- debugfs.c ----------------------------------------------------------- */

/* /sys/kernel/debug/kfd_xsched: all there is to know, for reports of bugs. */
void xs_debugfs_init(void);
void xs_debugfs_exit(void);

/* ---- pm.c ---------------------------------------------------------------- */

/* When the core starts, and stops. 0 or -errno. */
int xs_pm_init(void);
void xs_pm_exit(void);

/* PM_SUSPEND_PREPARE and the like, as the kernel reports them. Returns NOTIFY_*. */
int xs_pm_event(unsigned long event);

/* ---- user.c -------------------------------------------------------------- */

/**
 * struct xs_user_array - an array in user space whose element is as long as the
 *	caller knows it
 * @address: in user space
 * @stride: size of an element as the caller knows it
 * @count: elements
 */
struct xs_user_array {
	u64 address;
	u32 stride;
	u32 count;
};

/* 0; -EINVAL: shorter than the first published; -E2BIG: absurdly long. */
int xs_user_check_size(u32 size, u32 min_size);

/* Read all elements into an array of elements of @size bytes. */
int xs_user_get_array(void *to, size_t size, const struct xs_user_array *from);

/* Write all elements; what the caller knows beyond @size is cleared. */
int xs_user_put_array(const struct xs_user_array *to, const void *from, size_t size);

/* The same, leaving what the caller knows beyond @size as it is. */
int xs_user_update_array(const struct xs_user_array *to, const void *from, size_t size);

/* Clear all elements. */
int xs_user_clear_array(const struct xs_user_array *to);

#endif /* KFD_XSCHED_FRONT_H */
