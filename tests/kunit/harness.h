/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every suite stands on: the core started on the fake driver, one process
 * with queues, and clients that speak to the device node as a program would,
 * with arguments in user memory.
 */
#ifndef KFD_XSCHED_HARNESS_H
#define KFD_XSCHED_HARNESS_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/types.h>

#include <linux/kfd_xsched.h>

#include "fake.h"

struct cred;
struct file;
struct mm_struct;

#define XT_CLIENTS	4
#define XT_UID		1000
#define XT_OTHER_UID	1001
#define XT_GPU		0x1234
#define XT_EVENTS	64

/* How long what must come is waited for: the machine may be busy with something else. */
#define XT_PATIENCE_MS	20000

/*
 * Wait for what must come, and say whether it has. Looks are counted, not time: if the
 * machine stood still, what is waited for did, too.
 */
#define xt_comes(_condition) ({						\
	unsigned int _ms = 0;						\
	bool _come;							\
									\
	while (!(_come = !!(_condition)) && _ms++ < XT_PATIENCE_MS)	\
		usleep_range(1000, 1100);				\
	_come;								\
})

/**
 * struct xt - state of a test, kunit.priv
 * @user: start of a region of user memory
 * @used: bytes of it given away
 * @files: clients to be closed at the end
 * @node: a node that can do everything
 * @process: a process of XT_UID
 * @queues: three queues of it
 * @ids: their ids
 * @entries: of the last xt_apply(), as they came back
 * @results: of the last xt_apply()
 * @result_count: how many
 * @list: of the last xt_list()
 * @events: of the last xt_read()
 * @old_cred: before xt_become(), or NULL
 */
struct xt {
	unsigned long user;
	size_t used;
	struct file *files[XT_CLIENTS];
	struct xs_hw_node *node;
	struct xs_hw_process *process;
	struct xs_hw_queue *queues[3];
	u64 ids[3];
	struct kfd_xsched_entry entries[16];
	struct kfd_xsched_node_result results[FAKE_NODES];
	u32 result_count;
	struct kfd_xsched_queue list[FAKE_QUEUES];
	struct kfd_xsched_event events[XT_EVENTS];
	const struct cred *old_cred;
};

/*
 * init and exit of a suite; exit expects that nothing is left held. Leases are so long that
 * nobody is ejected because the machine stood still.
 */
int xt_init(struct kunit *test);
void xt_exit(struct kunit *test);

/* User memory, until the test ends; xt_put() copies something there. */
unsigned long xt_alloc(struct kunit *test, size_t size);
unsigned long xt_put(struct kunit *test, const void *from, size_t size);
void xt_get(struct kunit *test, void *to, unsigned long from, size_t size);

/* Something in user memory that cannot be written. */
unsigned long xt_map_read_only(struct kunit *test, const void *from, size_t size);

/* Open the device node, nonblocking; close it. */
struct file *xt_open(struct kunit *test);
void xt_close(struct kunit *test, struct file *file);

/* An ioctl with an address in user memory. */
long xt_ioctl(struct file *file, unsigned int cmd, unsigned long address);

/* An ioctl with an argument that is copied there and back. */
long xt_ioctl_arg(struct kunit *test, struct file *file, unsigned int cmd,
		  void *arg, size_t size);

/* KFD_XSCHED_PARK of a process, by its pid. */
long xt_park(struct kunit *test, struct file *file, u32 op, u64 id, u32 ms);

/**
 * struct xt_call - an ioctl in a thread of its own
 * @file: client
 * @cmd: number
 * @address: of its argument, in user memory
 * @mm: where that is
 * @fn: if not NULL, what is called instead, with @data
 * @data: for @fn
 * @start_ns: before it was started, CLOCK_MONOTONIC
 * @ret: what it returned
 * @done: completed when it did
 */
struct xt_call {
	struct file *file;
	unsigned int cmd;
	unsigned long address;
	struct mm_struct *mm;
	void (*fn)(void *data);
	void *data;
	u64 start_ns;
	long ret;
	struct completion done;
};

/* Start it; whether it ended within that time; wait for it and return @ret. */
void xt_call_start(struct kunit *test, struct xt_call *call);
bool xt_call_ended(struct xt_call *call, unsigned int ms);
long xt_call_wait(struct kunit *test, struct xt_call *call);

/* APPLY of one entry, and any function, in a thread. */
void xt_start_entry(struct kunit *test, struct xt_call *call, struct file *file,
		    const struct kfd_xsched_entry *entry);
void xt_start_do(struct kunit *test, struct xt_call *call, struct file *file,
		 u32 op, u32 target, u64 id);
void xt_start_fn(struct kunit *test, struct xt_call *call, void (*fn)(void *),
		 void *data);

/*
 * Close the file in a thread; expect that it waits for a node that does not answer, which
 * it does for half a second.
 */
void xt_start_close(struct kunit *test, struct xt_call *call, struct file *file);
void xt_expect_close_waits(struct kunit *test, struct xt_call *call);

/* Whether the node has begun a transaction since fake_hang(). */
bool xt_entered(struct xs_hw_node *node);

/* APPLY of one entry, ASYNC. */
long xt_async(struct kunit *test, struct file *file, u32 op, u32 target, u64 id,
	      u64 cookie);

/* TENANT; CREATE returns the id, which is small. */
long xt_tenant(struct kunit *test, struct file *file, u32 op, u64 id, u64 process);

/* APPLY of some entries; see xt.entries, xt.results. */
long xt_apply(struct kunit *test, struct file *file,
	      const struct kfd_xsched_entry *entries, u32 count);

/* APPLY of one entry. */
long xt_do(struct kunit *test, struct file *file, u32 op, u32 target, u64 id, s32 value);
long xt_suspend(struct kunit *test, struct file *file, u64 queue);
long xt_resume(struct kunit *test, struct file *file, u64 queue);

/* LIST into xt.list; how many. */
u32 xt_list(struct kunit *test, struct file *file);

/* One queue out of LIST; all zero if it is not there. */
struct kfd_xsched_queue xt_describe(struct kunit *test, struct file *file, u64 id);

long xt_subscribe(struct kunit *test, struct file *file, u32 events,
		  u32 sample_us, u32 settle_us);

/* read() into xt.events: how many, or -errno. */
long xt_read(struct kunit *test, struct file *file);

/* The next event; type U32_MAX if none comes. */
struct kfd_xsched_event xt_wait_event(struct kunit *test, struct file *file);

/* Go on as that user, without capabilities, until xt_unbecome() or the end. */
void xt_become(struct kunit *test, unsigned int uid);
void xt_unbecome(struct kunit *test);

/* xt_open() as that user. */
struct file *xt_open_as(struct kunit *test, unsigned int uid);

/* A file of debugfs, to be closed with __fput_sync(); and a write to it. */
struct file *xt_open_debugfs(struct kunit *test, const char *name, int flags);
void xt_write(struct kunit *test, struct file *file, const char *text);

#define XT_ENTRY(_op, _target, _id, _value) {				\
	.op = KFD_XSCHED_OP_##_op,					\
	.target = KFD_XSCHED_TARGET_##_target,				\
	.id = _id,							\
	.value = _value,						\
}

#endif /* KFD_XSCHED_HARNESS_H */
