/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parks: processes without work leave the hardware until they ring. See park.c.
 */
#ifndef KFD_XSCHED_PARK_H
#define KFD_XSCHED_PARK_H

#include <linux/list.h>
#include <linux/types.h>

#include <linux/kfd_xsched.h>

struct xs_account;
struct xs_client;
struct xs_node;
struct xs_pdd;
struct xs_process;

/* From when on a process is parked, unless an administrator says otherwise: never. */
#define XS_PARK_MS		0

/* How long queues that are to leave a node wait for a switch, or for others. */
#define XS_PARK_BATCH_MS	100
#define XS_PARK_BATCH_MS_MIN	1
#define XS_PARK_BATCH_MS_MAX	10000

/*
 * A park is worth it if it lasts so many times longer than what a return costs all others
 * on the node: then parks and returns take a thousandth of their time at most, twice.
 */
#define XS_PARK_WORTH		1000

/* How often the idle time may be doubled of a process whose parks are not worth it. */
#define XS_PARK_SHIFT_MAX	6U

/* All of a process's queues are looked at under xs_lock. */
#define XS_PARK_QUEUES		128

/**
 * enum xs_park_state - of a process
 *
 *	          no work for the idle time
 *	RESIDENT --------------------------> GOING
 *	   ^  ^                                |
 *	   |  |  it rings, has work after all, |  its queues are off, and there is
 *	   |  |  or must not be parked         |  no work in them
 *	   |  +--------------------------------+
 *	   |                                   v
 *	   +-------------------------------- PARKED
 *	      it rings, or must not be parked
 *
 * In GOING and in PARKED it is asked that its queues are off the hardware, its doorbells are
 * tapped on all of its nodes, and each ring leads to RESIDENT.
 *
 * @XS_PARK_RESIDENT: its queues are where holders want them
 * @XS_PARK_GOING: they are to leave, and then to be looked at
 * @XS_PARK_PARKED: they are off
 */
enum xs_park_state {
	XS_PARK_RESIDENT,
	XS_PARK_GOING,
	XS_PARK_PARKED,
};

/**
 * enum xs_unpark - why a process comes back
 * @XS_UNPARK_RING: it rang
 * @XS_UNPARK_QUEUE: a queue came, or the last one went of which rings are seen
 * @XS_UNPARK_WORK: there was work in its queues when they were off
 * @XS_UNPARK_OFF: it is to be parked no more
 * @XS_UNPARK_FAILED: a node did not take its queues off
 * @XS_UNPARK_BREAKER: that of a node opened, which sees to the rest itself
 */
enum xs_unpark {
	XS_UNPARK_RING,
	XS_UNPARK_QUEUE,
	XS_UNPARK_WORK,
	XS_UNPARK_OFF,
	XS_UNPARK_FAILED,
	XS_UNPARK_BREAKER,
};

/**
 * struct xs_park - the park of a process; under xs_lock unless said otherwise
 * @state: set to GOING under tap_lock, too; read by anybody
 * @exits: its last address space goes: its queues stay off
 * @unreadable: at the last look, an index of a queue of it was not in memory
 * @quiet_ns: since when it has been seen to have no work; 0: it is yet to be looked at
 * @since_ns: when it left, CLOCK_MONOTONIC; 0: it is RESIDENT
 * @shift: its idle time is doubled so often
 * @returns: how often it came back
 * @wishes: what clients say of it, the latest first, by xs_wish.in_process
 */
struct xs_park {
	enum xs_park_state state;
	bool exits;
	bool unreadable;
	u64 quiet_ns;
	u64 since_ns;
	u32 shift;
	u32 returns;
	struct list_head wishes;
};

/**
 * struct xs_wish - from when on a client wants a process to be parked; under xs_lock
 * @process: which process
 * @client: who says so
 * @account: of the client, on which it is; or NULL
 * @ms: the idle time; 0: never
 * @in_process: in xs_park.wishes
 * @in_client: in xs_client.wishes
 */
struct xs_wish {
	struct xs_process *process;
	struct xs_client *client;
	struct xs_account *account;
	u32 ms;
	struct list_head in_process;
	struct list_head in_client;
};

/* How long it must have no work, nanoseconds. @cost_ns: what a return costs others. */
u64 xs_park_idle_ns(u32 ms, u64 cost_ns, u32 shift);

/* xs_park.shift after a park that lasted so long. */
u32 xs_park_shift_next(u32 shift, u64 lasted_ns, u64 cost_ns);

/* Whether its queues are to be off the hardware for that. Also without the lock. */
bool xs_process_is_parked(const struct xs_process *process);

/* From when on it is to be parked, milliseconds; 0: never. */
u32 xs_process_park_ms_locked(const struct xs_process *process);

/* Whether that is possible at all, so that it is worth to be watched for it. */
bool xs_process_may_park_locked(const struct xs_process *process);

/* What a return of it costs all others, on the node where that is most, nanoseconds. */
u64 xs_process_return_cost_locked(const struct xs_process *process);

/*
 * It is GOING: its queues leave with the next transaction of each node, or when
 * xs_node.park_due_ns comes.
 */
void xs_process_park_locked(struct xs_process *process, u64 now);

/*
 * It comes back, as far as no holder keeps it off: its queues are pending, its user pays, and
 * xs_news.unparked follows. @since_ns: from when on it has been waiting. Nothing, if it is
 * RESIDENT or exits.
 */
void xs_process_unpark_locked(struct xs_process *process, enum xs_unpark why, u64 since_ns);

/* How many processes are GOING or PARKED; without the lock. */
unsigned int xs_park_count(void);

/* It is freed. */
void xs_process_forget_park_locked(struct xs_process *process);

/* Free a wish, and take it off its account; and all of a process, which has exited. */
void xs_wish_free_locked(struct xs_wish *wish);
void xs_process_drop_wishes_locked(struct xs_process *process);

#endif /* KFD_XSCHED_PARK_H */
