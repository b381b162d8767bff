/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a process without work leaves the GPUs, and comes back when it rings: no ring is lost, and no work stays behind.
 * A model of the real code, which spin verifies: tests/spin/check.
 *
 * What is modelled: kmod/model/park.c, kmod/front/park.c, kmod/watch (sampler.c, doorbell.c, quiet.c) and the doorbell
 * tap of patches/linux-6.12 (kfd_sched_tap.c). Each step names the function it stands for.
 *
 * Who takes part
 * --------------
 * A process has a queue on each GPU. Threads of it write packets and ring, on whichever queue; kernels ring, too: that
 * is not seen (GPU). Tap takes the doorbells of a node away once nothing waits there. Park looks at all queues, looks
 * again, and has them leave; Verify looks a third time when they are off. Ring is the sampler's worker, which hears of
 * faults. Node is the worker of a node: one transaction at a time. Subscriber has the taps taken off, at any moment.
 *
 * What is one step
 * ----------------
 * What is done under xs_lock, or under tap_lock, is one step. Looks at indices are a step for each queue, as threads and
 * GPUs do not wait for locks; so there is an xs_lock for these. A transaction has three steps: plan, what the firmware
 * does, and commit. A fault has two: the report, and the page. The mutex of the tap is there.
 *
 * Left out, and why
 * -----------------
 *	holds, evictions, the debugger		other reasons, see hold.pml: a park is one more of the same kind
 *	the idle time, costs, limits		when a park is tried, and how often: here at any time
 *	failures of a node			they end the park, as finding work does
 *	packets that wait for a signal		are not consumed until then, so the indices differ
 *	a second mapping			is reported as a ring before its pages can be there
 *
 * What is shown
 * -------------
 *  (1) A packet that a thread has rung for, or a kernel, is executed in the end, whatever is parked meanwhile.
 *  (2) There is no deadlock.
 *
 * -DBUG_n plants a fault, which spin has to find:
 *	1	there is no third look
 *	2	the third look does not ask what was saved
 *	3	a process leaves although a doorbell has rung since it was tapped
 *	4	a ring of a parked process is dropped, if one was noted before
 *	5	only the node that was rung comes back
 *	6	the taps are taken off, and the process stays parked
 *	8	the third look takes a queue for off that is about to come back (found by this model)
 *	7	a fault brings the page before it is reported, and the report comes if it likes
 */

#ifndef NODES
#define NODES		2
#endif
#ifndef THREADS
#define THREADS		2
#endif
#ifndef PACKETS
#define PACKETS		2	/* that threads write, all together */
#endif
#ifndef KERNELS_RING
#define KERNELS_RING	1	/* packets that kernels write */
#endif
#ifndef TRIES
#define TRIES		3	/* how often it is about to be parked: in the code the pauses get longer */
#endif
#ifndef WAVES
#define WAVES		1	/* waves can be counted: what runs is not idle */
#endif

#define ALL(_what)	(_what[0] && _what[NODES - 1])

mtype = { RESIDENT, GOING, PARKED };

/* The process's own memory, and the GPUs. */
byte written[NODES];		/* packets in the ring */
byte read[NODES];		/* of these, consumed */
bool rung[NODES];		/* the hardware looks for packets */
bool on[NODES];			/* its queue is on the hardware */
bool running[NODES];		/* a kernel of it is */
bool saved[NODES];		/* a kernel of it was saved */
byte packets;			/* that threads have written */
byte tries;			/* how often it was about to be parked */
byte by_kernels;		/* that kernels have */
byte idle_threads;		/* have written all they will */

/* amdkfd: struct kfd_sched_pdd. */
bool mutex[NODES];
bool armed[NODES];
bool page[NODES];
bool moment[NODES];		/* the page was just put back: not to be armed, so that the store gets through */

/* kfd_xsched. */
mtype park = RESIDENT;
bool xs_lock;
bool expected[NODES];		/* pdd.watch.expected */
bool tapped[NODES];		/* pdd.watch.tapped */
bool in_rung[NODES];		/* noted in doorbell_rung */
bool in_woken[NODES];		/* noted in doorbell_woken */
bool pending[NODES];		/* a transaction is asked for */
bool is_off[NODES];		/* queue.applied == XS_APPLIED_HELD */
bool pinned[NODES];		/* in a transaction, from the plan to the commit */
byte seen[NODES];		/* quiet.written */
bool quiet;			/* the last look found no work */
bool verify;			/* xs_news.parking */

#define served	(idle_threads == THREADS && read[0] == written[0] && read[NODES - 1] == written[NODES - 1] && \
		 !running[0] && !running[NODES - 1] && !saved[0] && !saved[NODES - 1])

/* xs_process_unpark_locked(): whatever a look would find. */
inline unpark(n)
{
	park = RESIDENT;
#ifdef BUG_5
	pending[n] = true;
#else
	pending[0] = true;
	pending[NODES - 1] = true;
#endif
}

/* xs_doorbell_rang(), under tap_lock. */
inline report(n)
{
	if
	:: expected[n] ->
		expected[n] = false;
		if
#ifdef BUG_4
		:: park != RESIDENT && !in_rung[n] -> in_woken[n] = true
#else
		:: park != RESIDENT -> in_woken[n] = true
#endif
		:: else
		fi;
		in_rung[n] = true
	:: else
	fi
}

/* A store to a doorbell: it faults until the page is there. kfd_sched_tap_fault(). */
inline ring(n)
{
	do
	:: atomic { page[n] -> rung[n] = rung[n] || on[n]; moment[n] = false; break }
	:: atomic { !page[n] && !mutex[n] -> mutex[n] = true };
#ifdef BUG_7
		atomic { page[n] = true; moment[n] = true; mutex[n] = false };
		atomic {
			if
			:: armed[n] -> armed[n] = false; report(n)
			:: armed[n] -> armed[n] = false
			:: !armed[n]
			fi
		}
#else
		atomic {
			if
			:: armed[n] -> armed[n] = false; report(n)
			:: else
			fi
		};
		atomic { page[n] = true; moment[n] = true; mutex[n] = false }
#endif
	od
}

proctype Thread()
{
	byte n;

	do
	:: atomic {
		packets < PACKETS ->
			packets++;
			if
			:: n = 0
			:: n = NODES - 1
			fi;
			written[n]++
	   };
	   ring(n)
	:: atomic { packets == PACKETS -> idle_threads++ }; break
	od
}

/* One packet after the other. Its kernel may ring any queue of the process, at the end or before. */
proctype GPU(byte n)
{
	byte other;

end:
	do
	:: atomic { on[n] && rung[n] && !running[n] ->
		if
		:: read[n] < written[n] -> read[n]++; running[n] = true
		:: else -> rung[n] = false
		fi
	   }
	:: atomic { on[n] && running[n] && by_kernels < KERNELS_RING ->
		by_kernels++;
		if
		:: other = 0
		:: other = NODES - 1
		fi;
		written[other]++;
		rung[other] = rung[other] || on[other]
	   }
	:: atomic { on[n] && running[n] -> running[n] = false }
	od
}

/* sampler_begin_tap(), sampler_end_tap(): arm it, then look once more. kfd_sched_tap_arm() only tries the mutex. */
proctype Tap(byte n)
{
end:
	do
	:: atomic {
		park == RESIDENT && !tapped[n] && !mutex[n] && !moment[n] && read[n] == written[n] &&
		(!WAVES || !running[n]) ->
			expected[n] = true;
			armed[n] = true;
			page[n] = false
	   };
	   atomic {
		if
		:: read[n] == written[n] && expected[n] -> tapped[n] = true
		:: else -> armed[n] = false; expected[n] = false
		fi
	   }
	od
}

/* sampler_ring_work(): first who was parked. */
proctype Ring()
{
end:
	do
	:: atomic { !xs_lock && in_woken[0] ->
		in_woken[0] = false;
		if
		:: park != RESIDENT -> unpark(0)
		:: else
		fi
	   }
	:: atomic { !xs_lock && NODES > 1 && in_woken[NODES - 1] ->
		in_woken[NODES - 1] = false;
		if
		:: park != RESIDENT -> unpark(NODES - 1)
		:: else
		fi
	   }
	:: atomic { !xs_lock && in_rung[0] && !in_woken[0] -> in_rung[0] = false; tapped[0] = false }
	:: atomic { !xs_lock && NODES > 1 && in_rung[NODES - 1] && !in_woken[NODES - 1] ->
		in_rung[NODES - 1] = false;
		tapped[NODES - 1] = false
	   }
	od
}

inline look_at(first, n)
{
	atomic {
		if
		:: first -> seen[n] = written[n]
		:: else
		fi;
		quiet = quiet && read[n] == written[n] && written[n] == seen[n]
	}
}

/* xs_quiet_look_locked(): queue by queue; @first: what it finds is what must not change. */
inline look(first)
{
	quiet = true;
	look_at(first, 0);
	look_at(first, NODES - 1)
}

/* Nobody asks for it again; so there are fewer states. */
inline forget_seen()
{
	seen[0] = 0;
	seen[NODES - 1] = 0
}

/* park_try_locked(), twice. Not while its queues are still off, from the last time. */
proctype Park()
{
end:
	do
	:: atomic {
		!xs_lock && tries < TRIES && park == RESIDENT && ALL(tapped) ->
			tries++;
			xs_lock = true
	   };
		look(true);
		xs_lock = false;
		atomic { !xs_lock -> xs_lock = true };
		quiet = quiet && park == RESIDENT && ALL(tapped);
		if
		:: quiet -> look(false)
		:: else
		fi;
		/* xs_doorbell_park() */
		atomic {
			if
#ifdef BUG_3
			:: quiet ->
#else
			:: quiet && ALL(expected) ->
#endif
				park = GOING;
				pending[0] = true;
				pending[NODES - 1] = true
			:: else -> forget_seen()
			fi;
			quiet = false;
			xs_lock = false
		}
	od
}

#if defined(BUG_1)
#define proven	true
#elif defined(BUG_2)
#define proven	quiet
#else
#define proven	(quiet && !saved[0] && !saved[NODES - 1])
#endif

/* park_verify_locked() */
proctype Verify()
{
end:
	do
	:: atomic { !xs_lock && verify -> verify = false; xs_lock = true };
		if
#ifdef BUG_8
		:: park == GOING && ALL(is_off) ->
#else
		:: park == GOING && ALL(is_off) && !pinned[0] && !pinned[NODES - 1] ->
#endif
			look(false);
			atomic {
				if
				:: proven -> park = PARKED
				:: else -> unpark(0)
				fi;
				forget_seen();
				quiet = false
			}
		:: else
		fi;
		xs_lock = false
	od
}

/* xs_transact(): plan; then the firmware takes the queue off, with what runs, or puts it on; and commit. */
proctype Node(byte n)
{
	bool off;

end:
	do
	:: atomic { !xs_lock && pending[n] ->
		pending[n] = false;
		off = park != RESIDENT;
		pinned[n] = off != is_off[n]
	   };
	   atomic {
		if
		:: off && on[n] -> on[n] = false; saved[n] = running[n]; running[n] = false
		:: !off && !on[n] -> on[n] = true; rung[n] = true; running[n] = saved[n]; saved[n] = false
		:: else
		fi
	   };
	   atomic { !xs_lock -> is_off[n] = off; pinned[n] = false; verify = verify || off }
	od
}

/* A client that wants no taps: review of the interests, which unparks first. */
proctype Subscriber()
{
	atomic {
		!xs_lock;
#ifndef BUG_6
		if
		:: park != RESIDENT -> unpark(0)
		:: else
		fi;
#endif
		armed[0] = false;
		expected[0] = false;
		tapped[0] = false;
		armed[NODES - 1] = false;
		expected[NODES - 1] = false;
		tapped[NODES - 1] = false
	}
}

/* All do a bounded number of things. If this is not so when nobody can go on, the end is not a valid one. */
proctype Judge()
{
	served
}

init {
	byte n;

	atomic {
		do
		:: n < NODES -> on[n] = true; page[n] = true; n++
		:: else -> break
		od;
		run Thread();
		if
		:: THREADS > 1 -> run Thread()
		:: else
		fi;
		run GPU(0);
		run Tap(0);
		run Node(0);
		if
		:: NODES > 1 -> run GPU(NODES - 1); run Tap(NODES - 1); run Node(NODES - 1)
		:: else
		fi;
		run Ring();
		run Park();
		run Verify();
		run Subscriber();
		run Judge()
	}
}

