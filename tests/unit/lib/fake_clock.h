/* SPDX-License-Identifier: MIT */
/*
 * The clock of the daemon in unit tests, in place of tools/xschedd/base/clock.c: see fake_time.h.
 *
 * When the time is moved, the loop first does all that is to be done now. Then the time goes to
 * that of the next timer, and so on, until there is none left before the end. So all timers
 * expire in order, none is late, and what each has caused is done before the time goes on.
 *
 * In another program the time is moved by a message in the FIFO "ticks" in the directory
 * XSCHED_FAKE: a uint64_t, the time to which it is moved. fake_time.moves counts when it is there.
 */
#ifndef XSCHED_UNIT_FAKE_CLOCK_H
#define XSCHED_UNIT_FAKE_CLOCK_H

#include <stdint.h>

/* Begin to move the time; the loop does it. It is over when fake_time.moves has changed. */
void fake_clock_move(uint64_t to_ns);

#endif /* XSCHED_UNIT_FAKE_CLOCK_H */
