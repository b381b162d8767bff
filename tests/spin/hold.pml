/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a queue comes to run, or not to run, on the GPU: hold, eviction, debugger, destruction, reset, and the death of
 * who holds it. A model of the real code, which spin verifies: tests/spin/check.
 *
 * What is modelled: kmod/switch and kmod/model (requests, batches, transactions, retries), kmod/front (arrive.c,
 * eject.c, client.c, apply.c), and of amdkfd with patches/linux-6.12, on HWS, all that sets or clears a reason for
 * which a queue does not run. Each step names the function it stands for.
 *
 * Who takes part
 * --------------
 * Ann holds the queue TARGET. Bob holds its process, so that new queues are born held. Death ejects each of them, at
 * any moment. The Owner creates and destroys queues. The Evictor is amdkfd's eviction and restore. The Debugger
 * suspends and resumes. Reset resets a GPU. The Worker is the thread of a node: it switches what a death has left
 * (settle), and tries again what failed (retry). Transaction and Manager are no threads: they run in the name of
 * whoever has the lock of the node, or the DQM lock, so that their code is here once. The firmware is in Manager: it
 * may not answer (hangs), or find a queue that does not save its waves (stuck). There may be no room for a
 * transaction (refusals), or for a runlist (lost maps).
 *
 * Locks, and what is one step
 * ---------------------------
 *	process_mutex		kfd_process.mutex
 *	node_lock		xs_node.lock: one transaction of a node at a time
 *	reset semaphore		reset_domain->sem: a reset has it for writing; others only try it
 *	dqm_lock		the lock of a queue manager
 *	xs_lock			all of kfd_xsched
 *
 * They are taken in this order; acquire() asserts that. What is done under xs_lock is one step, for nothing waits
 * there: plan, commit, the end of a batch. So a transaction has four steps: plan (xs_lock), send (DQM lock), answer
 * and map (DQM lock still), commit (xs_lock); between them all others go on. What amdkfd does under the DQM lock by
 * itself is one step; a creation is two, as it reads hold_new first. That is enough: all else that it reads and
 * writes has that lock, or the reset semaphore, which it has from before the packets to the end; and xs_lock it takes
 * once, inside.
 *
 * Left out, and why
 * -----------------
 *	priorities, classes, demotion		no reason for or against running; one more transaction of the same
 *						kind
 *	UPDATE_QUEUE				a percentage of 0 is a reason like the debugger's
 *	MES					it has no runlist: its queues change one by one
 *	armed switches, tenants, sysfs		other holders, or more requests, of the same batches
 *	a client that names queues, too		what it asks of a process stands in a request on each queue then; here
 *						only for a queue that comes where all others are lost
 *	two calls of one client			the second waits: xs_holder_wait_settled()
 *	ASYNC calls				a call without its caller; that a client is ejected in the middle of a
 *						call is more
 *	more slices				a call is staged in one section of xs_lock, and started in another one
 *	exit of the owner			as if it destroyed each of its queues; but see BUG_25
 *	module load and unload			and nodes that come and go
 *	closing the breaker			nothing is held while it is open, so nothing comes back by itself
 *	failures (-ENOMEM) elsewhere		in kfd_sched_apply() they are in; elsewhere they are stock amdkfd's,
 *						which has changed its flags before
 *	a restore that fails			is tried again, and finds that nothing is evicted; but see BUG_24
 *	a wake-up in resume_queues()		is missing if its transaction fails; here the destroyer sees it all
 *						the same
 *	time					a retry comes at any time, but the last one after a reset that is due:
 *						all take 102 s together. The restore comes 100 ms after a reset, so
 *						after its semaphore is free
 *
 * What is shown
 * -------------
 *  (1) Once SUSPEND has returned success, and until that client releases or dies, or is told that the breaker dropped
 *	its holds, the queue is not on the GPU, whatever others do. Of a process: no queue that its owner has, or
 *	comes to have; but see BUG_26.
 *  (2) At the end of each transaction a queue is on the GPU only if no reason stands against it; else a reset is due.
 *  (3) To release one reason overrides no other: each stands as long as who has it wants.
 *  (4) Fail open: if all clients are dead, or those that live hold nothing, and no other reason is left, then the
 *	queue gets on the GPU, also after a transaction failed.
 *  (5) A queue that was destroyed or reset is never put on the GPU again; nothing is used after it was freed.
 *  (6) There is no deadlock, and locks are taken in order.
 *
 * -DBUG_n plants a fault, which spin has to find:
 *	1	a release does not look at the hold of the other client
 *	2	a queue of a held process is not born held
 *	3	a restore ignores a hold
 *	4	death forgets a request that a batch is changing
 *	5	what failed is not tried again
 *	6	the debugger's resume ignores a reset
 *	7	the removal of a queue does not wait for a transaction that has it
 *	8	an eviction does not take the DQM lock
 *	9	flags are changed before the firmware has confirmed the unmap
 *	10	xs_lock is held over a transaction
 *	11	the reset semaphore is waited for under the DQM lock
 *	12	death does not have the worker switch what it has left
 *	13	a queue that was born held is taken for free
 *	14	a creation ignores an eviction
 *	15	a release ignores an eviction
 *	16	a call returns success though its transaction failed
 *	17	a queue that came unheld is not switched when it is reported
 *	18	what a failed call was to hold is held for queues to come
 *	19	RESUME of a process does not end its hold on a node where none of its queues will run again
 *	20	a batch has no part for a node to which its process came while it was staged
 *	21	a queue that is given up, as another one of its process was reset, does not count as reset
 *	22	SUSPEND of a queue that amdkfd could not take off, as the firmware hung, does not need the firmware
 *	23	amdgpu skips the reset of the hardware after queues were given up for it
 *	24	a restore comes as a reset goes on: it sends no runlist, and does not come again
 *	25	a reset does not end what is known of a hang, and the process that hung is gone
 *	26	a queue that comes while SUSPEND of its process goes on is promised to be held, too, though the
 *		transaction for it may fail, and is tried again (uapi: KFD_XSCHED_OP_SUSPEND)
 */

/* ---- bounds: how often who does what --------------------------------------------------------------------------- */

#ifndef NODES
#define NODES		1	/* GPU nodes; with two of them one queue is on each */
#endif
#ifndef ANN_CALLS
#define ANN_CALLS	0
#endif
#ifndef BOB_CALLS
#define BOB_CALLS	0
#endif
#ifndef BEFORE
#define BEFORE		1	/* queues that exist before */
#endif
#ifndef DEATHS
#define DEATHS		0	/* 1: both clients are ejected, sooner or later */
#endif
#ifndef CREATIONS
#define CREATIONS	0
#endif
#ifndef DESTRUCTIONS
#define DESTRUCTIONS	0
#endif
#ifndef EVICTIONS
#define EVICTIONS	0
#endif
#ifndef STOPS
#define STOPS		0	/* by the debugger */
#endif
#ifndef HANGS
#define HANGS		0	/* the firmware does not answer, and the GPU is reset */
#endif
#ifndef STUCK
#define STUCK		0	/* a queue does not save its waves, and is reset; or that fails, and the GPU is */
#endif
#ifndef REFUSALS
#define REFUSALS	0	/* the firmware's ring has no room for a transaction */
#endif
#ifndef LOST_MAPS
#define LOST_MAPS	0	/* a new runlist cannot be sent */
#endif
#ifndef RESETS
#define RESETS		0	/* the GPU is reset for another reason */
#endif
#ifndef BREAKER
#define BREAKER		0	/* 1: the first time-out that names no queue opens the breaker; with one node */
#endif
#ifndef RETRIES
#define RETRIES		2	/* XS_RETRIES; after these only a reset begins anew */
#endif
#ifndef MAP_TRIES
#define MAP_TRIES	2	/* KFD_SCHED_RETRIES */
#endif

#define ENDLESS		255	/* a bound: as often as one likes */
#define LESS(bound)	(bound == ENDLESS -> ENDLESS : bound - 1)

/* Calls after an ejection are refused. Only where fairness matters are they made all the same. */
#ifdef LTL
#define MAY_CALL(ends)	true
#else
#define MAY_CALL(ends)	(!ends)
#endif

#define QUEUES		2
#define TARGET		0	/* Ann's */
#define NOBODY		QUEUES	/* no queue is to blame */

#if NODES == 1
#define NODE_OF(q)		0
#define EACH_QUEUE(f, n)	f(0); f(1)
#define ANY_QUEUE(P, n)		(P(0) || P(1))
#define EACH_NODE(f)		f(0)
#define EVERY_NODE(P)		P(0)
#else
#define NODE_OF(q)		(q)
#define EACH_QUEUE(f, n)	f(n)
#define ANY_QUEUE(P, n)		P(n)
#define EACH_NODE(f)		f(0); f(1)
#define EVERY_NODE(P)		(P(0) && P(1))
#endif

/* ---- the GPU --------------------------------------------------------------------------------------------------- */

bool on_gpu[QUEUES];		/* it is in the runlist that the firmware has */
byte hangs = HANGS, stuck = STUCK, refusals = REFUSALS, lost_maps = LOST_MAPS, resets = RESETS;

/* ---- amdkfd ---------------------------------------------------------------------------------------------------- */

/* A queue: struct queue_properties, and more. Under the DQM lock, but for the last two. */
bool listed[QUEUES];		/* in qpd->queues_list; afterwards queue.sched.refuse is -ESRCH */
bool is_active[QUEUES], is_held[QUEUES], is_evicted[QUEUES], is_suspended[QUEUES], is_reset[QUEUES];
bool being_destroyed[QUEUES];
bool freed[QUEUES];		/* kfree() */
bool created[QUEUES];		/* the call that creates it has returned */

/* The process. */
bool process_mutex;
bool hold_new;			/* kfd_process.sched.hold_new; written under xs_lock, read under the DQM lock */

/* A node: struct device_queue_manager, and of the process there what is not in a queue. */
bool dqm_lock[NODES];
bool active_runlist[NODES], runlist_stale[NODES], is_hws_hang[NODES];
bool has_reset_queue[NODES];	/* kfd_process_device */
byte evicted[NODES];		/* qcm_process_device */
bool reset_due[NODES];		/* hw_exception_work is queued */
bool reset_writes[NODES], reset_read[NODES];	/* the reset semaphore */
byte kfd_locked;		/* devices that are being reset */
bool processes_mutex;		/* kfd_processes_mutex */

/* ---- kfd_xsched: all under xs_lock ----------------------------------------------------------------------------- */

bool xs_lock;			/* a section is one step, so only BUG_10 leaves it taken */
bool node_lock[NODES];

/* struct xs_request: what a client asks of a queue, a process on a node, or a process. */
typedef Request {
	bool now;		/* a hold in force */
	bool next;		/* once the batch has succeeded */
	bool started;		/* next counts, not now */
	bool busy;		/* a batch changes it */
	bool born		/* it is in the list of the request on the process, and ends with that */
};

Request ann;			/* XS_ON_QUEUE, on TARGET */
Request bob;			/* XS_ON_PROCESS */
Request bob_on_pdd[NODES];	/* XS_ON_PDD */
Request bob_on_queue[QUEUES];	/* XS_ON_QUEUE: for a queue that came to a pdd that was not his; ... */
bool bob_has[QUEUES];		/* ... there is one */

/* struct xs_queue */
#define UNKNOWN		0
#define FREE		1
#define HELD		2
#define GONE		3
bool known[QUEUES];		/* it was reported, and not removed yet */
byte applied[QUEUES];		/* enum xs_applied */
bool pinned[QUEUES];		/* in a transaction; the next three belong to that */
bool hold[QUEUES], flips[QUEUES], refused[QUEUES];	/* struct kfd_sched_change: hold, flipped, ret */

/* struct xs_node, xs_process */
bool pending[NODES];		/* the one pdd there is in xs_node.pending */
bool settle[NODES], retry[NODES];	/* works that are queued */
byte retries[NODES];
bool failing[NODES];		/* the last transaction failed */
bool shut[NODES];		/* the breaker is open */
bool born_held;			/* hold_new was ever set */

/* struct xs_batch, xs_part, xs_client */
bool ann_ends, bob_ends;	/* ejected */
bool ann_releases, bob_releases;	/* what the call that goes on asks for */
bool ann_shut, bob_shut[NODES];	/* xs_part.shut */
bool bob_part[NODES], bob_queued[NODES];	/* a part is not done; it is the worker's to run */
byte bob_parts;			/* xs_batch.unfinished */
bool bob_failed;		/* a part has failed */
bool bob_process_failed;	/* xs_request.status of the one on the process */

/* ---- what clients were told; for the assertions alone ---------------------------------------------------------- */

bool ann_promised;		/* Ann's SUSPEND has returned success, and she has not released since */
bool bob_promised[QUEUES];	/* the same of Bob, of a queue that its owner has */
bool bob_holds[NODES];		/* the same of queues that are yet to come */
bool ann_wants, bob_wants;	/* the last call that succeeded was a SUSPEND */

/* ---- locks ----------------------------------------------------------------------------------------------------- */

#define PROCESS_MUTEX	1
#define NODE_LOCK	2
#define RESET_SEMAPHORE	4
#define DQM_LOCK	8
#define XS_LOCK		16

/* (6) Whoever takes a lock has none that comes after it, nor another of its kind. locks: what the process has. */
inline acquire(lock)
{
	assert(locks < lock);
	locks = locks | lock
}

inline release(lock)
{
	locks = locks & ~lock
}

/* ---- predicates ------------------------------------------------------------------------------------------------ */

#define LISTED(q)	listed[q]
#define ACTIVE(q)	(listed[q] && is_active[q])
#define KNOWN(q)	known[q]
#define LIVE(q)		(known[q] && applied[q] != GONE)
#define FLIPS(q)	(pinned[q] && flips[q])
#define BOB_HAS(q)	bob_has[q]
#define BOB_BORN(q)	bob_on_queue[q].born
#define SHUT(n)		shut[n]

/* The transaction that was to hold it failed, and is tried again. */
#ifdef BUG_26
#define RETRIED(q)	false
#else
#define RETRIED(q)	(failing[NODE_OF(q)] && applied[q] == UNKNOWN)
#endif

/* A reset is due, or goes on: what is on the GPU is about to be taken off. */
#define RESET_NEAR(n)	(reset_due[n] || reset_writes[n])

/* QUEUE_IS_ACTIVE, as each of those who activate a queue asks it */
#define NO_OTHER_REASON(q)	(!is_evicted[q] && !is_suspended[q] && !is_reset[q])
#define NO_REASON(q)		(NO_OTHER_REASON(q) && !is_held[q])

/* kfd_sched_wants_hw() */
#ifdef BUG_15
#define WANTS_HW(q)	(!is_suspended[q] && !is_reset[q] && !has_reset_queue[NODE_OF(q)])
#else
#define WANTS_HW(q)	(is_active[q] || (NO_OTHER_REASON(q) && !has_reset_queue[NODE_OF(q)]))
#endif

/* request_terms(), xs_queue_asked_locked(), xs_terms_settled() */
#define COUNTS(r)	(r.started -> r.next : r.now)
#define ASKED(q)	(COUNTS(bob_on_pdd[NODE_OF(q)]) || COUNTS(bob_on_queue[q]) || (q == TARGET && COUNTS(ann)))
#define SETTLED(q)	(applied[q] == GONE || (applied[q] == FREE && !ASKED(q)) || (applied[q] == HELD && ASKED(q)))

/* xs_request_is_for_all() */
#define FOR_ALL(n)	(!ANY_QUEUE(BOB_HAS, n) && \
			 (bob_on_pdd[n].busy || bob_on_pdd[n].now || bob_on_pdd[n].next))

/* ---- assertions on queues -------------------------------------------------------------------------------------- */

/* Whenever the DQM lock is given back. */
inline check_queue(q)
{
	/* (2) What is on the GPU has no reason against it, unless the firmware hangs, and is reset. */
	assert(!on_gpu[q] || RESET_NEAR(NODE_OF(q)) || (listed[q] && is_active[q] && NO_REASON(q)));
	/* (3) A queue is active if no reason stands against it, and only then. An eviction stands while it counts. */
#ifndef BUG_21
	assert(!listed[q] || is_active[q] == NO_REASON(q));
#endif
	assert(!listed[q] || is_evicted[q] == (evicted[NODE_OF(q)] > 0))
}

/* Whenever a runlist was sent. */
inline check_mapped(q)
{
	/* (5) Neither destroyed, nor freed, nor reset. */
	assert(!on_gpu[q] || (listed[q] && !freed[q] && !is_reset[q]));
	/* (1) Nobody was promised that it would not run. */
	assert(!on_gpu[q] || !(bob_promised[q] || (q == TARGET && ann_promised)))
}

inline lock_dqm(n)
{
	acquire(DQM_LOCK);
	dqm_lock[n] = true
}

inline unlock_dqm(n)
{
	d_step {
		EACH_QUEUE(check_queue, n);
		dqm_lock[n] = false;
		release(DQM_LOCK)
	}
}

/* ---- retries --------------------------------------------------------------------------------------------------- */

/* xs_node_retry_later() */
inline retry_later(n)
{
	if
	:: retries[n] < RETRIES && !retry[n] -> retry[n] = true; retries[n]++
	:: else
	fi
}

/* ---- preemptions that fail: under the DQM lock, and xs_lock inside --------------------------------------------- */

/* xs_request_withdraw_locked() of a hold */
inline withdraw(r, n)
{
	pending[n] = pending[n] || r.now || r.next;
	r.now = false;
	r.next = false
}

/* trip_drop_all_locked(): of requests on a queue */
inline drop_holds_on_queue(q)
{
	if
	:: q == TARGET ->
		ann_shut = ann_shut || (ann.busy && ann.next);
		withdraw(ann, NODE_OF(q));
		ann_promised = false;
		ann_wants = false
	:: else
	fi;
	bob_shut[NODE_OF(q)] = bob_shut[NODE_OF(q)] ||
		(bob_on_queue[q].busy && !bob_on_queue[q].born && bob_on_queue[q].next);
	withdraw(bob_on_queue[q], NODE_OF(q));
	bob_has[q] = bob_has[q] && bob_on_queue[q].busy;
	bob_promised[q] = false
}

/* trip_drop_holds_locked(): the breaker opens. Clients are told, by an event. */
inline open_breaker(n)
{
	shut[n] = true;
	EACH_QUEUE(drop_holds_on_queue, n);
	bob_shut[n] = bob_shut[n] || (bob_on_pdd[n].busy && !bob_on_pdd[n].born && bob_on_pdd[n].next);
	withdraw(bob_on_pdd[n], n);
	bob_holds[n] = false;
	if
	:: EVERY_NODE(SHUT) ->
		bob_wants = false;
		if
		:: ANY_QUEUE(KNOWN, n) ->
			bob.now = false;
			bob.next = false;
			hold_new = false
		:: else
		fi
	:: else
	fi
}

/* xs_preempt_failed(), xs_trip_failed_locked(). The queue that is to blame is gone. */
inline preempt_failed(n, culprit)
{
	!xs_lock ->
	d_step {
		acquire(XS_LOCK);
		if
		:: culprit == NOBODY && BREAKER && !shut[n] -> open_breaker(n)
		:: else
		fi;
		if
		:: pending[n] && (culprit == NOBODY || LIVE(culprit)) -> retry_later(n)
		:: else
		fi;
		if
		:: culprit != NOBODY && LIVE(culprit) -> applied[culprit] = GONE
		:: else
		fi;
		release(XS_LOCK)
	}
}

/* kfd_hws_hang() */
inline hang(n, culprit)
{
	preempt_failed(n, culprit);
	has_reset_queue[n] = has_reset_queue[n] || ANY_QUEUE(LISTED, n);
	reset_due[n] = true;
	failed = true
}

/* ---- the queue manager: under the DQM lock --------------------------------------------------------------------- */

/* is_active, increment_queue_count(), decrement_queue_count() */
inline set_active(q, value)
{
	is_active[q] = value;
	runlist_stale[NODE_OF(q)] = true
}

/* kfd_mark_reset() */
inline mark_reset(q)
{
	if
	:: listed[q] ->
		is_reset[q] = true;
		if
		:: is_active[q] -> set_active(q, false)
		:: else
		fi
	:: else
	fi
}

inline put_on_gpu(q)
{
	on_gpu[q] = listed[q] && is_active[q];
	check_mapped(q)
}

/* map_queues_cpsch() */
inline map(n)
{
	d_step {
		if
		:: !active_runlist[n] && ANY_QUEUE(ACTIVE, n) ->
			EACH_QUEUE(put_on_gpu, n);
			active_runlist[n] = true;
			runlist_stale[n] = false
		:: else
		fi
	}
}

inline take_off_gpu(q)
{
	on_gpu[q] = false
}

/* The firmware has saved all waves. */
inline unmapped(n)
{
	d_step {
		EACH_QUEUE(take_off_gpu, n);
		active_runlist[n] = false;
		runlist_stale[n] = true;
		failed = false
	}
}

/* A queue did not save its waves: reset_queues_on_hws_hang() resets it, which may fail. */
inline not_saved(n, q)
{
	stuck--;
	if
	:: !is_hws_hang[n] ->
		/* set_queue_as_reset() */
		d_step {
			has_reset_queue[n] = true;
			mark_reset(q)
		};
		preempt_failed(n, q);
		unmapped(n)
	:: true ->
		is_hws_hang[n] = true;
		hang(n, q)
	fi
}

/* unmap_queues_cpsch() */
inline unmap(n)
{
	if
	:: !active_runlist[n] -> failed = false
	:: active_runlist[n] && reset_writes[n] -> failed = true
	:: active_runlist[n] && !reset_writes[n] ->
		if
		:: unmapped(n)
		:: hangs > 0 -> hangs--; hang(n, NOBODY)
#if STUCK && NODES == 1
		:: stuck > 0 && on_gpu[0] && listed[0] -> not_saved(n, 0)
		:: stuck > 0 && on_gpu[1] && listed[1] -> not_saved(n, 1)
#elif STUCK
		:: stuck > 0 && on_gpu[n] && listed[n] -> not_saved(n, n)
#endif
		fi
	fi
}

/*
 * What the caller who has the DQM lock has the manager do: a call in one step with the caller's. The answer says
 * whether it failed.
 */
#define UNMAP		0
#define EXECUTE		1
#define GIVE_UP		2
chan call[NODES] = [0] of { byte };
chan answer[NODES] = [0] of { bool };

/* execute_queues_cpsch(), unmap_queues_cpsch(), kfd_hws_hang() */
proctype Manager(byte n)
{
	byte locks = DQM_LOCK, what;
	bool failed;

end:
	do
	:: atomic {
		call[n]?what ->
		if
		:: what == EXECUTE && reset_writes[n] -> failed = true
		:: what == UNMAP || (what == EXECUTE && !reset_writes[n]) -> unmap(n)
		:: what == GIVE_UP -> hang(n, NOBODY)
		fi;
		if
		:: !failed && what == EXECUTE -> map(n)
		:: else
		fi;
		/* The answer is the last step, so that the manager is ready for the next call. */
		if
		:: failed -> failed = false; what = 0; answer[n]!true
		:: else -> what = 0; answer[n]!false
		fi
	}
	od
}

inline execute(n)
{
	call[n]!EXECUTE;
	answer[n]?failed
}

/* ---- eviction -------------------------------------------------------------------------------------------------- */

inline evict_queue(q)
{
	if
	:: listed[q] ->
		is_evicted[q] = true;
		if
		:: is_active[q] -> set_active(q, false)
		:: else
		fi
	:: else
	fi
}

/* evict_process_queues_cpsch(), kfd_process_evict_queues() */
inline evict(n)
{
	atomic {
#ifndef BUG_8
		!dqm_lock[n] ->
		lock_dqm(n);
#endif
		evicted[n]++;
		if
		:: evicted[n] == 1 ->
			d_step { EACH_QUEUE(evict_queue, n) };
			if
			:: runlist_stale[n] -> execute(n)
			:: else
			fi
		:: else
		fi;
#ifndef BUG_8
		unlock_dqm(n);
#endif
		failed = false
	}
}

inline restore_queue(q)
{
	if
	:: listed[q] ->
		is_evicted[q] = false;
		if
#ifdef BUG_3
		:: NO_OTHER_REASON(q) && !is_active[q] ->
#else
		:: NO_REASON(q) ->
#endif
			set_active(q, true)
		:: else
		fi
	:: else
	fi
}

/* restore_process_queues_cpsch() */
inline restore(n)
{
	atomic {
		!dqm_lock[n] ->
		lock_dqm(n);
		assert(evicted[n] > 0);
		evicted[n]--;
		if
		:: evicted[n] == 0 ->
			d_step { EACH_QUEUE(restore_queue, n) };
			if
			:: runlist_stale[n] -> execute(n)
			:: else
			fi
		:: else
		fi;
		failed = false;
		unlock_dqm(n)
	}
}

proctype Evictor()
{
	byte evictions = EVICTIONS;
	byte locks;
	bool failed;

	do
	:: evictions > 0 ->
		EACH_NODE(evict);
		evictions = LESS(evictions);
		EACH_NODE(restore)
	:: true -> break
	od
}

/* ---- the debugger ---------------------------------------------------------------------------------------------- */

/* suspend_single_queue() */
inline suspend_queue(q)
{
	if
	:: listed[q] && !being_destroyed[q] ->
		is_suspended[q] = true;
		if
		:: is_active[q] -> set_active(q, false)
		:: else
		fi
	:: else
	fi
}

/* resume_single_queue() */
inline resume_queue(q)
{
	if
	:: listed[q] && is_suspended[q] ->
		is_suspended[q] = false;
		if
#ifdef BUG_6
		:: !is_evicted[q] && !is_held[q] -> set_active(q, true)
#else
		:: NO_REASON(q) -> set_active(q, true)
#endif
		:: else
		fi
	:: else
	fi
}

/* suspend_queues() */
inline suspend(n)
{
	atomic {
		!process_mutex && !dqm_lock[n] ->
		acquire(PROCESS_MUTEX);
		lock_dqm(n);
		d_step { EACH_QUEUE(suspend_queue, n) };
		execute(n);
		failed = false;
		unlock_dqm(n);
		release(PROCESS_MUTEX)
	}
}

/* resume_queues() */
inline resume(n)
{
	atomic {
		!process_mutex && !dqm_lock[n] ->
		acquire(PROCESS_MUTEX);
		lock_dqm(n);
		d_step { EACH_QUEUE(resume_queue, n) };
		execute(n);
		failed = false;
		unlock_dqm(n);
		release(PROCESS_MUTEX)
	}
}

proctype Debugger()
{
	byte stops = STOPS;
	byte locks;
	bool failed;

	do
	:: stops > 0 ->
		EACH_NODE(suspend);
		stops = LESS(stops);
		EACH_NODE(resume)
	:: true -> break
	od
}

/* ---- reset ----------------------------------------------------------------------------------------------------- */

/* kfd_lose_queues_of_node(); then the GPU is reset */
inline lose_queue(q)
{
	mark_reset(q);
#ifndef BUG_23
	on_gpu[q] = false
#else
	skip
#endif
}

/* amdgpu_device_gpu_recover() */
proctype Reset(byte n)
{
	byte locks;
	bool failed, last;

end:
	do
	:: atomic {
		(reset_due[n] || resets > 0) && !reset_writes[n] && !reset_read[n] ->
		if
		:: reset_due[n] -> reset_due[n] = false
		:: resets > 0 -> resets--
		fi;
		reset_writes[n] = true;
		acquire(RESET_SEMAPHORE)
	   };
		/* kgd2kfd_pre_reset(), kgd2kfd_suspend(): the first device evicts all processes */
#ifdef BUG_25
		skip;
#elif NODES == 1
		evict(0);
#else
		atomic { !processes_mutex -> processes_mutex = true; kfd_locked++ };
		if
		:: kfd_locked == 1 -> EACH_NODE(evict)
		:: else
		fi;
		processes_mutex = false;
#endif
		/* stop_cpsch(), kfd_lose_queues(), the GPU is reset, start_cpsch(): nothing is sent meanwhile */
		atomic {
			!dqm_lock[n] ->
			lock_dqm(n);
			d_step {
				EACH_QUEUE(lose_queue, n);
				has_reset_queue[n] = false;
#ifndef BUG_25
				is_hws_hang[n] = false;
#endif
				active_runlist[n] = false
			};
			unlock_dqm(n)
		};
		/* xs_node_note_reset(): retries begin anew */
		atomic {
			!processes_mutex ->
#if NODES == 2
			kfd_locked--;
#endif
			last = kfd_locked == 0;
			retry[n] = true;
			retries[n] = 1
		};
#ifdef BUG_24
		restore(0);
#endif
		d_step {
			reset_writes[n] = false;
			release(RESET_SEMAPHORE)
		};
#if !defined(BUG_24) && !defined(BUG_25)
		/* kfd_schedule_resume_all_processes(), a little later */
		if
		:: last -> EACH_NODE(restore)
		:: else
		fi;
#endif
		last = false
	od
}

/* ---- kfd_sched_apply(): under the lock of the node ------------------------------------------------------------- */

/* kfd_sched_plan() */
inline plan_change(q)
{
	if
	:: pinned[q] ->
		/* (5) The queue is not freed while a transaction has it. */
		assert(!freed[q]);
		refused[q] = !listed[q];
		flips[q] = listed[q] && (!hold[q] && WANTS_HW(q)) != is_active[q]
	:: else
	fi
}

/* kfd_sched_finish() */
inline finish_change(q)
{
	if
	:: pinned[q] && !refused[q] ->
		assert(!freed[q] && listed[q]);
		if
		:: has_reset_queue[NODE_OF(q)] || is_reset[q] ->
			flips[q] = (!hold[q] && WANTS_HW(q)) != is_active[q];
			refused[q] = !hold[q] && flips[q] == is_active[q];
#ifndef BUG_21
			is_reset[q] = is_reset[q] || refused[q]
#else
			skip
#endif
		:: else
		fi;
		is_held[q] = hold[q];
		if
		:: flips[q] -> set_active(q, !hold[q])
		:: else
		fi
	:: else
	fi
}

/* ---- requests and batches: under xs_lock ----------------------------------------------------------------------- */

/* What part of a batch a transaction is for. */
#define NO_PART		0
#define ANNS_PART	1
#define BOBS_PART	2

#ifdef BUG_1
#define PLANNED_AS(q)	(ASKED(q) && !(part == ANNS_PART && ann_releases) && !(part == BOBS_PART && bob_releases))
#else
#define PLANNED_AS(q)	ASKED(q)
#endif

/* plan_pdd_locked(): a change for a queue that differs from what is asked for */
inline plan_queue(q)
{
	if
	:: known[q] && (!SETTLED(q) || (applied[q] != GONE && PLANNED_AS(q) != ASKED(q))) ->
		hold[q] = PLANNED_AS(q);
		pinned[q] = true;
		planned = true
	:: else
	fi
}

/* xs_plan_locked() */
inline plan(n)
{
	if
	:: pending[n] ->
		pending[n] = false;
		EACH_QUEUE(plan_queue, n)
	:: else
	fi
}

/* plan_commit_queue_locked(), plan_forget_queue_locked() */
inline commit_queue(q)
{
	if
	:: pinned[q] ->
		/* (5) It is not removed while it is pinned. */
		assert(known[q] && !freed[q]);
		if
		:: applied[q] == GONE
		:: applied[q] != GONE && failed ->
			applied[q] = UNKNOWN;
			pending[NODE_OF(q)] = true
		:: applied[q] != GONE && !failed && refused[q] -> applied[q] = GONE
		:: else ->
			/* (3) The hold stands, or not, as it was asked for. */
			assert(is_held[q] == hold[q]);
			applied[q] = (hold[q] -> HELD : FREE)
		fi;
		pinned[q] = false;
		hold[q] = false;
		flips[q] = false;
		refused[q] = false
	:: else
	fi
}

/* transact_commit_locked(), xs_plan_commit_locked() */
inline commit(n)
{
	EACH_QUEUE(commit_queue, n);
	failing[n] = failed;
	if
#ifdef BUG_5
	:: failed
#else
	:: failed -> retry_later(n)
#endif
	:: else -> retries[n] = 0
	fi
}

/* xs_request_end_locked() */
inline end_request(r, success, n)
{
	if
	:: success -> r.now = r.next
	:: else ->
		pending[n] = pending[n] || r.started;
		r.next = r.now
	fi;
	r.started = false;
	r.busy = false;
	r.born = false
}

/* xs_request_drop_locked() */
inline drop_request(r, n)
{
	pending[n] = pending[n] || r.now || r.next;
	r.now = false;
	r.next = false;
	r.started = false;
	r.busy = false;
	r.born = false
}

/* xs_batch_part_done_locked() of Ann's only part; what her call returns: apply_status_locked() */
inline end_ann()
{
	if
	:: ann.busy -> end_request(ann, !failed && applied[TARGET] != GONE, NODE_OF(TARGET))
	:: else
	fi;
	ann_shut = false;
	if
#ifdef BUG_16
	:: ann_ends || !LIVE(TARGET)
#else
	:: failed || ann_ends || !LIVE(TARGET)
#endif
	:: else ->
		ann_wants = !ann_releases && !shut[NODE_OF(TARGET)];
		ann_promised = ann_wants;
		/* (1) */
		assert(!ann_promised || !on_gpu[TARGET])
	fi;
	ann_releases = false
}

inline end_bob_on_queue(q)
{
	if
	:: bob_on_queue[q].busy && !bob_on_queue[q].born ->
		bob_process_failed = bob_process_failed || (failed && bob.busy);
		end_request(bob_on_queue[q], !failed && applied[q] != GONE, NODE_OF(q));
		bob_has[q] = bob_on_queue[q].now
	:: else
	fi
}

/* batch_end_born_locked() */
inline end_bob_born_on_queue(q)
{
	if
	:: bob_on_queue[q].born ->
		end_request(bob_on_queue[q], !bob_process_failed, NODE_OF(q));
		settle[NODE_OF(q)] = settle[NODE_OF(q)] || bob_process_failed;
		bob_has[q] = bob_on_queue[q].now
	:: else
	fi
}

inline end_bob_born_on_pdd(n)
{
	if
	:: bob_on_pdd[n].born ->
		end_request(bob_on_pdd[n], !bob_process_failed, n);
		settle[n] = settle[n] || bob_process_failed
	:: else
	fi
}

inline promise_node(n)
{
	bob_holds[n] = !shut[n]
}

inline promise_queue(q)
{
	bob_promised[q] = created[q] && bob_holds[NODE_OF(q)] && !RETRIED(q) && (LIVE(q) || !RESET_NEAR(NODE_OF(q)));
	/* (1) */
	assert(!bob_promised[q] || !on_gpu[q])
}

/* batch_end_locked(), batch_end_process_locked(); what his call returns */
inline end_bob()
{
	if
	:: bob.busy ->
		end_bob_born_on_queue(0);
		end_bob_born_on_queue(1);
		EACH_NODE(end_bob_born_on_pdd);
		if
#ifndef BUG_18
		:: bob_process_failed ->
			bob.next = bob.now;
			hold_new = bob.now
#endif
		:: else -> bob.now = bob.next
		fi;
		bob.started = false;
		bob.busy = false
	:: else
	fi;
	if
	:: bob_ends
	/* Nodes fail by themselves: what was held on the others he has to release. */
	:: !bob_ends && bob_failed -> bob_wants = bob_wants || bob_on_pdd[0].now || bob_on_pdd[NODES - 1].now
	:: else ->
		bob_wants = !bob_releases && !EVERY_NODE(SHUT);
		if
		:: !bob_releases ->
			EACH_NODE(promise_node);
			promise_queue(0);
			promise_queue(1)
		:: else
		fi
	fi;
	bob_process_failed = false;
	bob_failed = false;
	bob_releases = false
}

/* batch_is_in_vain(): whether a change of the request on a pdd of which no queue will run again is in force */
#ifdef BUG_19
#define IN_FORCE(n)	ANY_QUEUE(LIVE, n)
#else
#define IN_FORCE(n)	(ANY_QUEUE(LIVE, n) || !bob_on_pdd[n].next)
#endif

/* xs_batch_part_done_locked() */
inline end_bob_part(n)
{
	/* batch_fail_born_locked() */
	if
	:: failed && bob.busy && (bob_on_pdd[n].born || ANY_QUEUE(BOB_BORN, n)) -> bob_process_failed = true
	:: else
	fi;
	if
	:: bob_on_pdd[n].busy && !bob_on_pdd[n].born ->
		bob_process_failed = bob_process_failed || (failed && bob.busy);
		end_request(bob_on_pdd[n], !failed && IN_FORCE(n), n)
	:: else
	fi;
	EACH_QUEUE(end_bob_on_queue, n);
	bob_shut[n] = false;
	bob_part[n] = false;
	bob_failed = bob_failed || failed;
	bob_parts--;
	if
	:: bob_parts == 0 -> end_bob()
	:: else
	fi
}

/* ---- transactions ---------------------------------------------------------------------------------------------- */

/* Whoever takes the lock of the node begins one, and waits for its end. Its steps are those of the process below. */
mtype = { done };
chan begun[NODES] = [0] of { byte };
chan ended[NODES] = [0] of { mtype };

/* xs_transact(), xs_transact_part() */
inline transact(n, part)
{
	atomic {
		!node_lock[n] ->
		acquire(NODE_LOCK);
		node_lock[n] = true;
		begun[n]!part;
		ended[n]?done;
		release(NODE_LOCK)
	}
}

/* transact_end_part_locked(); then the lock of the node is given back */
inline end_transaction(n)
{
	d_step {
		if
		:: part == ANNS_PART -> end_ann()
		:: part == BOBS_PART -> end_bob_part(n)
		:: else
		fi;
		failed = false;
		planned = false;
		part = NO_PART;
		node_lock[n] = false
	}
}

#ifdef BUG_22
#define NEEDS_FIRMWARE(n)	ANY_QUEUE(FLIPS, n)
#else
#define NEEDS_FIRMWARE(n)	(ANY_QUEUE(FLIPS, n) || (runlist_stale[n] && active_runlist[n]))
#endif

/* transact_run() */
proctype Transaction(byte n)
{
	byte locks = NODE_LOCK, part;
#if LOST_MAPS
	byte tries;
#endif
	bool planned, failed;

end:
	do
	:: atomic {
		begun[n]?part;
		!xs_lock ->
		acquire(XS_LOCK);
		/* transact_check_locked(), xs_plan_locked() */
		d_step {
			if
			:: (part == ANNS_PART && ann_shut) || (part == BOBS_PART && bob_shut[n]) -> failed = true
			:: else -> plan(n)
			fi
		};
		if
		:: !planned ->
			end_transaction(n);
			release(XS_LOCK);
			ended[n]!done
#ifdef BUG_10
		:: else -> xs_lock = true
#else
		:: else -> release(XS_LOCK)
#endif
		fi
	   }
	/* kfd_sched_transact(), kfd_sched_commit_hws() */
	:: atomic {
		planned && !dqm_lock[n] ->
		lock_dqm(n);
		d_step { EACH_QUEUE(plan_change, n) };
		if
		:: !NEEDS_FIRMWARE(n) ->
			d_step { EACH_QUEUE(finish_change, n) };
			unlock_dqm(n)
#ifdef BUG_11
		:: NEEDS_FIRMWARE(n) && reset_writes[n] ->
			!reset_writes[n] ->
			reset_read[n] = true;
			goto sent
#else
		:: NEEDS_FIRMWARE(n) && (is_hws_hang[n] || reset_writes[n]) ->
			failed = true;
			unlock_dqm(n)
#endif
		:: else ->
			/* the packets are sent */
#ifdef BUG_9
			d_step { EACH_QUEUE(finish_change, n) };
#endif
			reset_read[n] = true;
			goto sent
		fi
	   };
		goto answered;
sent:		atomic {
			if
			:: call[n]!UNMAP; answer[n]?failed
			:: refusals > 0 && active_runlist[n] -> refusals--; failed = true
			fi;
			if
			:: !failed ->
				d_step {
#ifndef BUG_9
					EACH_QUEUE(finish_change, n);
#endif
					runlist_stale[n] = true
				};
				if
				:: map(n)
#if LOST_MAPS
				:: lost_maps > 0 && ANY_QUEUE(ACTIVE, n) -> lost_maps--; tries = MAP_TRIES
#endif
				fi
			:: else
			fi;
			reset_read[n] = false;
			unlock_dqm(n)
		};
#if LOST_MAPS
		/* kfd_sched_retry_map(): the GPU is empty, and others may send the runlist */
		do
		:: atomic {
			tries > 0 && !dqm_lock[n] ->
			lock_dqm(n);
			if
			:: map(n); tries = 0
			:: lost_maps > 0 && !active_runlist[n] && ANY_QUEUE(ACTIVE, n) ->
				lost_maps--;
				tries--;
				if
				:: tries == 0 -> call[n]!GIVE_UP; answer[n]?failed
				:: else
				fi
			fi;
			unlock_dqm(n)
		   }
		:: tries == 0 -> break
		od;
#endif
		/* transact_commit_locked() */
answered:	atomic {
			!xs_lock ->
			acquire(XS_LOCK);
			d_step { commit(n) };
			end_transaction(n);
			release(XS_LOCK);
			ended[n]!done
		}
	od
}

/* The thread of a node, and its works: transact_settle_work(), transact_retry_work(), batch_part_work() */
proctype Worker(byte n)
{
	byte locks;

end:
	do
	:: d_step { settle[n] -> settle[n] = false };
		transact(n, NO_PART)
	/* The last retry comes a minute after the others: after a reset that is due. */
	:: d_step { retry[n] && (retries[n] < RETRIES || !RESET_NEAR(n)) -> retry[n] = false };
		transact(n, NO_PART)
#if NODES == 2
	:: d_step { bob_queued[n] -> bob_queued[n] = false };
		transact(n, BOBS_PART)
#endif
	od
}

/* ---- Ann ------------------------------------------------------------------------------------------------------- */

/* An APPLY of one entry on a queue: SUSPEND if she does not hold it, else RESUME. */
proctype Ann()
{
	byte calls = ANN_CALLS;
	byte locks;
	bool staged;

	do
	:: calls > 0 && MAY_CALL(ann_ends) ->
		/* stage_queue_item_locked() */
		atomic {
			!xs_lock ->
			d_step {
				acquire(XS_LOCK);
				calls = LESS(calls);
				if
				:: !ann_ends && LIVE(TARGET) && (ann.now || !shut[NODE_OF(TARGET)]) ->
					ann_releases = ann.now;
					ann_promised = ann_promised && !ann_releases;
					ann.busy = true;
					ann.next = !ann_releases;
					staged = true
				:: else
				fi;
				release(XS_LOCK)
			};
			if
			:: staged
			:: else -> goto next
			fi
		};
		/* xs_batch_start_locked(), or xs_batch_abort_locked() */
		atomic {
			!xs_lock ->
			d_step {
				acquire(XS_LOCK);
				staged = false;
				if
				:: ann_ends -> ann_releases = false; ann_shut = false
				:: !ann_ends && ann.busy ->
					ann.started = true;
					pending[NODE_OF(TARGET)] = true
				:: else
				fi;
				release(XS_LOCK)
			};
			if
			:: ann_ends -> goto next
			:: else
			fi
		};
		transact(NODE_OF(TARGET), ANNS_PART);
next:		skip
	:: true -> break
	od
}

/* ---- Bob ------------------------------------------------------------------------------------------------------- */

/* stage_pdd_locked(): a pdd of which no queue will run again is passed over */
#ifdef BUG_19
#define PASSED_OVER(n)	(!ANY_QUEUE(LIVE, n))
#else
#define PASSED_OVER(n)	(!ANY_QUEUE(LIVE, n) && !(bob_releases && ANY_QUEUE(KNOWN, n)))
#endif

/* stage_queue_locked() */
inline stage_bob_on_queue(q)
{
	if
	:: LIVE(q) ->
		bob_has[q] = true;
		bob_on_queue[q].busy = true;
		bob_on_queue[q].next = !bob_releases;
		concerned[NODE_OF(q)] = concerned[NODE_OF(q)] || !bob_releases || bob_on_queue[q].now
	:: else
	fi
}

inline stage_bob_on_pdd(n)
{
	if
	:: PASSED_OVER(n)
	:: !PASSED_OVER(n) && !bob_releases && shut[n] -> left_out = true
	:: else ->
		if
		:: ANY_QUEUE(BOB_HAS, n) -> EACH_QUEUE(stage_bob_on_queue, n)
		:: else ->
			bob_on_pdd[n].busy = true;
			bob_on_pdd[n].next = !bob_releases;
			concerned[n] = !bob_releases || bob_on_pdd[n].now
		fi
	fi
}

inline abort_bob_on_queue(q)
{
	if
	:: bob_on_queue[q].busy -> end_request(bob_on_queue[q], false, NODE_OF(q)); bob_has[q] = bob_on_queue[q].now
	:: else
	fi
}

inline abort_bob_on_pdd(n)
{
	if
	:: bob_on_pdd[n].busy -> end_request(bob_on_pdd[n], false, n)
	:: else
	fi;
	bob_shut[n] = false;
	concerned[n] = false
}

/* xs_batch_abort_locked() */
inline abort_bob()
{
	abort_bob_on_queue(0);
	abort_bob_on_queue(1);
	EACH_NODE(abort_bob_on_pdd);
	bob.next = bob.now;
	bob.busy = false;
	bob_releases = false
}

inline unpromise_queue(q)
{
	bob_promised[q] = false
}

inline unpromise_node(n)
{
	bob_holds[n] = false
}

/* stage_process_locked(), stage_verdict() */
inline stage_bob()
{
	bob_releases = bob.now;
	bob.busy = true;
	bob.next = !bob_releases;
	EACH_NODE(stage_bob_on_pdd);
	staged = !left_out || concerned[0] || concerned[NODES - 1];
	left_out = false;
	if
	:: !staged -> abort_bob()
	:: staged && bob_releases ->
		EACH_NODE(unpromise_node);
		unpromise_queue(0);
		unpromise_queue(1)
	:: else
	fi
}

inline start_bob_on_queue(q)
{
	if
	:: bob_on_queue[q].busy && (bob_on_queue[q].born || concerned[NODE_OF(q)]) ->
		bob_on_queue[q].started = true;
		pending[NODE_OF(q)] = true
	:: bob_on_queue[q].busy && !bob_on_queue[q].born && !concerned[NODE_OF(q)] ->
		end_request(bob_on_queue[q], false, NODE_OF(q));
		bob_has[q] = bob_on_queue[q].now
	:: else
	fi
}

/* What concerns nothing is left out: batch_drop_idle_parts_locked(). */
inline start_bob_on_pdd(n)
{
#ifndef BUG_20
	concerned[n] = concerned[n] || bob_on_pdd[n].born || ANY_QUEUE(BOB_BORN, n);
#endif
	EACH_QUEUE(start_bob_on_queue, n);
	if
	:: bob_on_pdd[n].busy && (bob_on_pdd[n].born || concerned[n]) ->
		bob_on_pdd[n].started = true;
		pending[n] = true
	:: bob_on_pdd[n].busy && !bob_on_pdd[n].born && !concerned[n] -> end_request(bob_on_pdd[n], false, n)
	:: else
	fi;
	bob_part[n] = concerned[n];
	bob_parts = bob_parts + concerned[n];
	bob_shut[n] = bob_shut[n] && concerned[n];
	concerned[n] = false
}

/* xs_batch_start_locked(). The driver knows of the hold before the queues are switched. */
inline start_bob()
{
	if
	:: bob.busy ->
		bob.started = true;
		hold_new = bob.next;
		born_held = born_held || hold_new
	:: else
	fi;
	EACH_NODE(start_bob_on_pdd);
	if
	:: bob_parts == 0 -> end_bob()
	:: else
	fi;
#if NODES == 2
	/* All parts but the last are run by the workers of their nodes. */
	bob_queued[0] = bob_part[0] && bob_part[1]
#endif
}

/* An APPLY of one entry on a process: SUSPEND if he does not hold it, else RESUME. */
proctype Bob()
{
	byte calls = BOB_CALLS;
	byte locks;
	bool staged, left_out, concerned[NODES];

	do
	:: calls > 0 && MAY_CALL(bob_ends) ->
		atomic {
			!xs_lock ->
			d_step {
				acquire(XS_LOCK);
				calls = LESS(calls);
				if
				:: !bob_ends -> stage_bob()
				:: else
				fi;
				release(XS_LOCK)
			};
			if
			:: staged
			:: else -> goto next
			fi
		};
		atomic {
			!xs_lock ->
			d_step {
				acquire(XS_LOCK);
				staged = false;
				if
				:: bob_ends -> abort_bob()
				:: else -> start_bob()
				fi;
				release(XS_LOCK)
			};
			if
			:: bob_part[NODES - 1] || (bob_part[0] && !bob_queued[0])
			:: else -> goto next
			fi
		};
#if NODES == 1
		transact(0, BOBS_PART);
#else
		if
		:: bob_part[1] -> transact(1, BOBS_PART)
		:: else -> transact(0, BOBS_PART)
		fi;
		/* xs_batch_finish() */
		bob_parts == 0;
#endif
next:		skip
	:: true -> break
	od
}

/* ---- death ----------------------------------------------------------------------------------------------------- */

/* xs_transact_kick_all_locked() */
inline kick(n)
{
#ifdef BUG_12
	skip
#else
	settle[n] = settle[n] || pending[n]
#endif
}

inline drop_bob_on_queue(q)
{
	drop_request(bob_on_queue[q], NODE_OF(q));
	bob_has[q] = false;
	bob_promised[q] = false
}

inline drop_bob_on_pdd(n)
{
	drop_request(bob_on_pdd[n], n);
	bob_holds[n] = false
}

/*
 * xs_eject_begin_locked() and xs_client_drop_all(), in one step: between them only calls of the client are refused.
 * Then the rest of xs_eject(). xs_client_release() is the same, but comes between two calls.
 */
proctype Death()
{
	byte locks;
	bool ann_is_dead, bob_is_dead;

	do
	:: !ann_is_dead ->
		atomic {
			!xs_lock ->
			d_step {
				acquire(XS_LOCK);
				ann_ends = true;
				if
#ifdef BUG_4
				:: ann.busy
#endif
				:: else -> drop_request(ann, NODE_OF(TARGET))
				fi;
				ann_promised = false;
				ann_wants = false;
				ann_is_dead = true;
				release(XS_LOCK)
			}
		};
		atomic { !xs_lock -> d_step { EACH_NODE(kick) } }
	:: !bob_is_dead ->
		atomic {
			!xs_lock ->
			d_step {
				acquire(XS_LOCK);
				bob_ends = true;
				drop_bob_on_queue(0);
				drop_bob_on_queue(1);
				EACH_NODE(drop_bob_on_pdd);
				bob.now = false;
				bob.next = false;
				bob.started = false;
				bob.busy = false;
				hold_new = false;
				bob_wants = false;
				bob_is_dead = true;
				release(XS_LOCK)
			}
		};
		atomic { !xs_lock -> d_step { EACH_NODE(kick) } }
	:: ann_is_dead && bob_is_dead -> break
	od
}

/* ---- the owner ------------------------------------------------------------------------------------------------- */

/* xs_request_inherit_locked() */
inline inherit(r, n)
{
	r.now = bob.now && !shut[n];
	r.next = bob.next && !shut[n];
	r.started = bob.started;
	r.busy = bob.busy;
	r.born = bob.busy
}

/* queue_inherit_from_locked(): a request on the pdd for its first queue, else on the queue */
inline inherit_from_process(q)
{
	if
	:: !(bob.now || bob.next) || FOR_ALL(NODE_OF(q))
#if NODES == 1
	:: (bob.now || bob.next) && !FOR_ALL(0) && known[1 - q] ->
		inherit(bob_on_queue[q], 0);
		bob_has[q] = true
#endif
	:: else -> inherit(bob_on_pdd[NODE_OF(q)], NODE_OF(q))
	fi
}

/* arrive_try_to_add(), xs_queue_new_locked() */
inline report_queue(q)
{
#ifdef BUG_13
	applied[q] = FREE;
#else
	applied[q] = (born_held -> UNKNOWN : FREE);
#endif
	inherit_from_process(q);
	known[q] = true;
#ifdef BUG_17
	due = false;
#else
	due = !SETTLED(q);
#endif
	pending[NODE_OF(q)] = pending[NODE_OF(q)] || due
}

/* pqm_create_queue() */
inline create(q)
{
	/* create_queue_cpsch() */
	atomic {
		!process_mutex && !dqm_lock[NODE_OF(q)] ->
		acquire(PROCESS_MUTEX);
		lock_dqm(NODE_OF(q));
		process_mutex = true;
		listed[q] = true;
#ifndef BUG_14
		is_evicted[q] = evicted[NODE_OF(q)] > 0;
#endif
#ifndef BUG_2
		is_held[q] = hold_new;
#endif
		bob_promised[q] = bob_holds[NODE_OF(q)]
	};
	atomic {
		if
		:: NO_REASON(q) ->
			set_active(q, true);
			execute(NODE_OF(q))
		:: else
		fi;
		if
		:: failed ->
			listed[q] = false;
			set_active(q, false);
			freed[q] = true;
			bob_promised[q] = false;
			failed = false;
			process_mutex = false;
			unlock_dqm(NODE_OF(q));
			release(PROCESS_MUTEX);
			goto next
		:: else -> unlock_dqm(NODE_OF(q))
		fi
	};
	/* kfd_sched_queue(), xs_queue_added() */
	atomic {
		!xs_lock ->
		d_step {
			acquire(XS_LOCK);
			report_queue(q);
			release(XS_LOCK)
		}
	};
	if
	:: due -> due = false; transact(NODE_OF(q), NO_PART)
	:: !due
	fi;
	d_step {
		created[q] = true;
		/* A queue that came as SUSPEND went on is held by now, unless that failed, and is tried again. */
		bob_promised[q] = bob_holds[NODE_OF(q)] && LIVE(q) && !RETRIED(q);
		assert(!bob_promised[q] || !on_gpu[q]);
		process_mutex = false;
		release(PROCESS_MUTEX)
	}
}

/* arrive_free_queue_locked(), xs_queue_free_locked() */
inline free_queue(q)
{
	if
	:: q == TARGET ->
		drop_request(ann, NODE_OF(q));
		ann_promised = false;
		ann_wants = false
	:: else
	fi;
	drop_bob_on_queue(q);
	known[q] = false;
	applied[q] = UNKNOWN;
	if
	:: ANY_QUEUE(KNOWN, NODE_OF(q))
	:: else ->
		/* xs_pdd_free_locked() */
		drop_request(bob_on_pdd[NODE_OF(q)], NODE_OF(q));
		pending[NODE_OF(q)] = false
	fi
}

/* pqm_destroy_queue() */
inline destroy(q)
{
	/* destroy_queue_cpsch() */
	atomic {
		!process_mutex && !dqm_lock[NODE_OF(q)] ->
		being_destroyed[q] = true;
		/* wait_on_destroy_queue() */
		(!is_suspended[q] && !process_mutex && !dqm_lock[NODE_OF(q)]) ->
		acquire(PROCESS_MUTEX);
		lock_dqm(NODE_OF(q));
		process_mutex = true;
		if
		:: is_active[q] ->
			set_active(q, false);
			execute(NODE_OF(q));
			failed = false
		:: else
		fi;
		listed[q] = false;
		created[q] = false;
		unlock_dqm(NODE_OF(q))
	};
	/* xs_queue_removed(): a queue that is in a transaction waits for its end */
	atomic {
#ifdef BUG_7
		!xs_lock ->
#else
		(!xs_lock && !pinned[q]) || (!node_lock[NODE_OF(q)] && !xs_lock) ->
#endif
		d_step {
			acquire(XS_LOCK);
			free_queue(q);
			release(XS_LOCK)
		}
	};
	d_step {
		freed[q] = true;
		process_mutex = false;
		release(PROCESS_MUTEX)
	}
}

proctype Owner()
{
	byte creations = CREATIONS, destructions = DESTRUCTIONS;
	byte locks;
	bool failed, due;

	do
	:: creations > 0 ->
		creations--;
		create(1);
next:		skip
	:: destructions > 0 && created[0] ->
		destructions--;
		destroy(0)
	:: destructions > 0 && created[1] ->
		destructions--;
		destroy(1)
	:: break
	od
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

/* Nothing moves any more. */
inline check_end(q)
{
	/* (4) Nobody wants to hold the queue, and nothing else is against it: it is on the GPU. */
#ifdef BUG_21
	assert(!LIVE(q) || !listed[q] || ann_wants || bob_wants || !NO_OTHER_REASON(q) || on_gpu[q])
#else
	assert(!listed[q] || ann_wants || bob_wants || !NO_OTHER_REASON(q) || on_gpu[q])
#endif
}

#ifdef LTL
#define KEPT(q)	(!on_gpu[q] || !(bob_promised[q] || (q == TARGET && ann_promised)))
#define OPEN(q)	(ann_wants || bob_wants || !listed[q] || !NO_OTHER_REASON(q) || on_gpu[q])

/* (1) What is promised is kept, in all states. */
ltl kept { [] (KEPT(0) && KEPT(1)) }

/* (4) It is not so that from some time on nobody and nothing is against a queue, and it never runs. */
ltl open { [] <> OPEN(0) && [] <> OPEN(1) }
#else
proctype Observer()
{
	atomic {
		timeout ->
		check_end(0);
		check_end(1)
	}
}
#endif

inline exists(q)
{
	listed[q] = true;
	created[q] = true;
	is_active[q] = true;
	on_gpu[q] = true;
	known[q] = true;
	applied[q] = FREE;
	active_runlist[NODE_OF(q)] = true
}

init {
	atomic {
		exists(0);
#if BEFORE == 2
		exists(1);
#endif
		run Manager(0);
		run Transaction(0);
		run Worker(0);
		run Reset(0);
#if NODES == 2
		run Manager(1);
		run Transaction(1);
		run Worker(1);
		run Reset(1);
#endif
#if ANN_CALLS
		run Ann();
#endif
#if BOB_CALLS
		run Bob();
#endif
#if DEATHS
		run Death();
#endif
#if CREATIONS || DESTRUCTIONS
		run Owner();
#endif
#if EVICTIONS
		run Evictor();
#endif
#if STOPS
		run Debugger();
#endif
#ifndef LTL
		run Observer()
#endif
	}
}
