// SPDX-License-Identifier: MIT
/* Attacks by calls: too many of them, too large ones, and all that is counted taken. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"
#include "xsarm.h"
#include "xsdev.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define BIT(_e)		KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##_e)
#define EVENTS		(BIT(READY) | BIT(IDLE) | BIT(QUEUE_ADD) | BIT(QUEUE_DEL) | BIT(PROCESS_EXIT))
#define MOST		4000	/* clients: what RLIMIT_NOFILE leaves */
#define ENTRIES		64
#define ARMED		128	/* clients with armed switches: more than may be */
#define PROCESSES	8
#define LISTED		64

static int fds[MOST];

/* All his clients ask for that, one after another, for ever. */
static void all_apply(struct attacker *a, uint32_t op, int32_t value)
{
	const unsigned int count = attack_open_all(a, fds, MOST);
	unsigned int i;

	/* That he gets no more clients is the answer that another attack expects. */
	a->state->answers[EDQUOT] = 0;
	for (i = 0;; i = (i + 1) % count) {
		attack_note(a, attack_apply(a, fds[i], op, value, ENTRIES));
		/* A client whose lease has ended is of no use any more. */
		if (a->state->answers[EOWNERDEAD] && xsdev_list(fds[i], NULL, 0) == -EOWNERDEAD) {
			close(fds[i]);
			fds[i] = xsdev_open();
		}
		if (i == count - 1)
			attack_ready(a);
	}
}

static void nothing(struct attacker *a)
{
	attack_ready(a);
	for (;; pause())
		;
}

static void release_nothing(struct attacker *a)
{
	all_apply(a, OP(RESUME), 0);
}

static void give_back_nothing(struct attacker *a)
{
	all_apply(a, OP(SET_PRIORITY), KFD_XSCHED_PRIORITY_APP);
}

static void hold_by_all(struct attacker *a)
{
	all_apply(a, OP(SUSPEND), 0);
}

static void prioritise_by_all(struct attacker *a)
{
	all_apply(a, OP(SET_PRIORITY), 3);
}

/* ---- preemptions --------------------------------------------------------- */

/* One after the other on the busy queue, the last one. */
static void toggle(struct attacker *a, uint32_t one, int32_t value, uint32_t two, int32_t other)
{
	const uint64_t id = a->ids[a->count - 1];

	for (attack_ready(a);;) {
		attack_note(a, xsdev_queue_op(a->fd, one, id, value, NULL));
		attack_note(a, xsdev_queue_op(a->fd, two, id, other, NULL));
	}
}

static void toggle_priority(struct attacker *a)
{
	toggle(a, OP(SET_PRIORITY), 0, OP(SET_PRIORITY), 7);
}

static void toggle_hold(struct attacker *a)
{
	toggle(a, OP(SUSPEND), 0, OP(RESUME), 0);
}

static void toggle_unmap(struct attacker *a)
{
	toggle(a, OP(UNMAP), KFD_XSCHED_GRACE_DEFAULT, OP(RESUME), 0);
}

/* To close a client is not counted as what it gives back by itself is. */
static void hold_and_close(struct attacker *a)
{
	int fd;

	for (attack_ready(a);;) {
		fd = xsdev_open();
		attack_note(a, fd < 0 ? fd : attack_apply(a, fd, OP(SUSPEND), 0, a->count));
		close(fd);
	}
}

static void be_killed_holding(struct attacker *a)
{
	const int fd = xsdev_open();

	attack_note(a, fd < 0 ? fd : attack_apply(a, fd, OP(SUSPEND), 0, a->count));
	kill(getpid(), SIGKILL);
}

static void hold_and_die(struct attacker *a)
{
	for (attack_ready(a);; waitpid(-1, NULL, 0))
		if (!attack_fork())
			be_killed_holding(a);
}

/* ---- floods -------------------------------------------------------------- */

/* In several processes at once. */
static void by_many(struct attacker *a, void (*once)(struct attacker *a, int fd))
{
	unsigned int i;
	int fd;

	for (i = 1; i < PROCESSES && attack_fork(); i++)
		;
	fd = xsdev_open();
	for (attack_ready(a);;)
		once(a, fd);
}

static void list_once(struct attacker *a, int fd)
{
	struct kfd_xsched_queue queues[LISTED];
	struct kfd_xsched_node node;
	const int ret = xsdev_list(fd, queues, LISTED);

	attack_note(a, ret < 0 ? ret : 0);
	attack_note(a, xsdev_node(fd, &node));
}

static void flood_of_lists(struct attacker *a)
{
	by_many(a, list_once);
}

static void largest_once(struct attacker *a, int fd)
{
	attack_note(a, attack_apply(a, fd, OP(RESUME), 0, KFD_XSCHED_MAX_ENTRIES));
}

static void largest_calls(struct attacker *a)
{
	by_many(a, largest_once);
}

static void async_once(struct attacker *a, int fd)
{
	struct kfd_xsched_entry entry = {
		.op = OP(SUSPEND),
		.target = KFD_XSCHED_TARGET_QUEUE,
		.id = a->ids[0],
	};

	attack_note(a, xsdev_apply_async(fd, &entry, 1, 1));
	entry.op = OP(RESUME);
	attack_note(a, xsdev_apply_async(fd, &entry, 1, 2));
}

/* Nobody reads that they are done. */
static void flood_of_async(struct attacker *a)
{
	by_many(a, async_once);
}

static void bad_once(struct attacker *a, int fd)
{
	static struct kfd_xsched_entry entries[ENTRIES];
	struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.count = ENTRIES,
		.stride = sizeof(entries[0]),
		.entries = (uintptr_t)entries,
	};

	attack_note(a, xsdev_ioctl(fd, KFD_XSCHED_APPLY, &arg));
	arg.entries = 4096;
	attack_note(a, xsdev_ioctl(fd, KFD_XSCHED_APPLY, &arg));
	arg.entries = (uintptr_t)-4096;
	attack_note(a, xsdev_ioctl(fd, KFD_XSCHED_APPLY, &arg));
	attack_note(a, xsdev_ioctl(fd, _IO(KFD_XSCHED_IOC_TYPE, 0x7f), &arg));
}

static void bad_calls(struct attacker *a)
{
	by_many(a, bad_once);
}

static void subscribe_once(struct attacker *a, int fd)
{
	attack_note(a, xsdev_subscribe(fd, BIT(READY) | BIT(IDLE), KFD_XSCHED_SAMPLE_US_MIN, 0));
	attack_note(a, xsdev_subscribe(fd, 0, 0, 0));
}

static void subscribe_in_a_loop(struct attacker *a)
{
	by_many(a, subscribe_once);
}

/* ---- all that there is --------------------------------------------------- */

static void open_and_close(struct attacker *a)
{
	unsigned int count, i;

	for (;;) {
		count = attack_open_all(a, fds, MOST);
		attack_ready(a);
		for (i = 0; i < count; i++)
			close(fds[i]);
	}
}

/* As often as the module looks at all, and nobody reads what comes. */
static void subscribe_all(struct attacker *a)
{
	const unsigned int count = attack_open_all(a, fds, MOST);
	unsigned int i;

	for (;; attack_ready(a))
		for (i = 0; i < count; i++)
			attack_note(a, xsdev_subscribe(fds[i], EVENTS, KFD_XSCHED_SAMPLE_US_MIN,
						       0));
}

static int make_tenants(int fd)
{
	int ret = 0;

	while (ret >= 0)
		ret = xsdev_tenant(fd, KFD_XSCHED_TENANT_CREATE, 0, 0);
	return ret;
}

static void all_tenants(struct attacker *a)
{
	unsigned int i = 0;
	int ret;

	do {
		ret = make_tenants(fds[i] = xsdev_open());
		attack_note(a, ret);
	} while (ret == -ENOSPC && ++i < MOST);
	for (attack_ready(a);; close(fds[0])) {
		fds[0] = xsdev_open();
		attack_note(a, make_tenants(fds[0]));
	}
}

/* When his busy process gets work, hold all queues of the other. */
static int arm_all(struct attacker *a, int fd)
{
	struct kfd_xsched_entry entries[WORKER_MAX_QUEUES];
	unsigned int i;

	for (i = 0; i < a->count - 1; i++)
		entries[i] = (struct kfd_xsched_entry)XSARM_ENTRY(SUSPEND, QUEUE, a->ids[i], 0);
	return xsarm_set(fd, KFD_XSCHED_TARGET_PROCESS, (uint64_t)a->busy.pid, entries,
			 a->count - 1);
}

static void arm_all_there_are(struct attacker *a)
{
	const unsigned int count = attack_open_all(a, fds, ARMED);
	unsigned int i, n;

	for (;; attack_ready(a))
		for (i = 0; i < count; i++)
			for (n = 0; n < KFD_XSCHED_MAX_ARMED; n++)
				attack_note(a, arm_all(a, fds[i]));
}

const struct attack attacks_on_calls[] = {
	{ "nothing: what all others are compared with", "", AS_ALL, .run = nothing },
	{ "RESUME of what is not held, by all clients he may have", "time of a call", AS_ALL,
	  .run = release_nothing, .answer = EALREADY },
	{ "SET_PRIORITY APP of what is not set, by all clients", "time of a call", AS_USER,
	  .run = give_back_nothing },
	{ "SUSPEND of the same queues by all clients", "limits of a user", AS_ALL, .run = hold_by_all,
	  .answer = EDQUOT },
	{ "SET_PRIORITY of the same queues by all clients", "limits of a user", AS_USER,
	  .run = prioritise_by_all, .answer = EDQUOT },
	{ "the priority of a running queue, 0 and 7 in a loop", "preemptions", AS_ALL,
	  .run = toggle_priority, .answer = EBUSY },
	{ "SUSPEND and RESUME of a running queue in a loop", "preemptions", AS_ALL, .run = toggle_hold,
	  .answer = EBUSY },
	{ "UNMAP and RESUME of a running queue in a loop", "preemptions", AS_USER, .run = toggle_unmap,
	  .answer = EBUSY },
	{ "SUSPEND and close() in a loop", "preemptions", AS_ALL, .run = hold_and_close,
	  .answer = EBUSY },
	{ "clients that are killed as they hold, in a loop", "death", AS_USER, .run = hold_and_die },
	{ "LIST and INFO in a loop, by eight processes", "time of a call", AS_ALL,
	  .run = flood_of_lists },
	{ "APPLY with the most entries in a loop, by eight processes", "time of a call", AS_ALL,
	  .run = largest_calls },
	{ "ASYNC in a loop, and nobody reads", "limits of a user", AS_ALL, .run = flood_of_async },
	{ "calls that make no sense, in a loop", "ioctls", AS_USER, .run = bad_calls, .answer = EFAULT,
	  .never_done = true },
	{ "SUBSCRIBE in a loop, by eight processes", "sampling", AS_ALL, .run = subscribe_in_a_loop },
	{ "all clients there may be, opened and closed", "limits of a user", AS_ALL,
	  .run = open_and_close, .answer = EDQUOT },
	{ "all clients subscribe to all there is, and do not read", "sampling", AS_ALL,
	  .run = subscribe_all },
	{ "all tenants there may be", "limits of a user", AS_ALL, .run = all_tenants, .answer = EDQUOT },
	{ "all armed switches there may be", "limits of a user", AS_USER, .run = arm_all_there_are },
	{ NULL },
};
