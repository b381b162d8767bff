/* SPDX-License-Identifier: MIT */
/*
 * The time of the tests of xschedd. It stands still until it is moved, by the test, or by the
 * fake kernel for the time that its calls take. A test, the daemon and all its children see the
 * same.
 */
#ifndef XSCHED_UNIT_FAKE_TIME_H
#define XSCHED_UNIT_FAKE_TIME_H

#include <stdatomic.h>
#include <stdint.h>

#define MS	1000000ULL
#define SECOND	(1000 * MS)

/* What an APPLY of the fake kernel takes. */
#define APPLY_NS	6

/**
 * struct fake_time - in memory that is shared
 * @now_ns: the time
 * @moves: how often it has got where it was to be moved
 */
struct fake_time {
	_Atomic uint64_t now_ns;
	_Atomic unsigned int moves;
};

/*
 * Make the file of a time, for a test and for the programs that it starts with XSCHED_FAKE as
 * its directory; 0 or -1.
 */
int fake_time_make(const char *path);

/* No more of it in this program. */
void fake_time_forget(void);

/* That of the file "clock" in the directory XSCHED_FAKE; without one this program has its own. */
struct fake_time *fake_time(void);

#endif /* XSCHED_UNIT_FAKE_TIME_H */
