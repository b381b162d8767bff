/* SPDX-License-Identifier: MIT */
/*
 * A test that does not end is a failure of that test, with its name: waits have a bound, and so
 * has each test. With what cmocka wants included before itself.
 */
#ifndef XSCHED_UNIT_BOUNDS_H
#define XSCHED_UNIT_BOUNDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <cmocka.h>

/*
 * Seconds that a test may take, with its setup and teardown. Only a hang takes so long.
 */
#define TEST_LIMIT_S	60

/*
 * Seconds that anything is waited for: it ends a hang, and is no measure of speed. A third of what a
 * test may take, so that it is the wait that fails, which says what did not come.
 */
#define PATIENCE_S	20

/* Exit status of a child that had to be killed. */
#define KILLED		2000

/* Run an array of tests, each within its limit; fixtures of the group may be NULL. */
#define RUN_GROUP(tests, setup, teardown) \
	run_bounded(XSCHED_UNIT_NAME, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define RUN(tests)	RUN_GROUP(tests, NULL, NULL)

int run_bounded(const char *name, const struct CMUnitTest *tests, size_t count,
		CMFixtureFunction setup, CMFixtureFunction teardown);

/* The test that runs may take so long from now, instead of TEST_LIMIT_S. */
void may_take(unsigned int seconds);

/* ---- waits -------------------------------------------------------------- */

/* Until a condition holds; otherwise the test fails at that line. */
#define wait_until(condition) do { \
	uint64_t end_ns_ = 0; \
	while (!(condition)) \
		if (!keep_waiting(&end_ns_)) \
			fail_msg("not within %d s: %s", PATIENCE_S, #condition); \
} while (0)

/*
 * For waits with more to say. Naps; false if there was patience enough. @end_ns is 0 at first.
 *
 *	for (uint64_t end_ns = 0; !condition;)
 *		if (!keep_waiting(&end_ns))
 *			fail_msg(...);
 */
bool keep_waiting(uint64_t *end_ns);

/* A moment. */
void nap(void);

/* A socket on which nothing is waited for longer than PATIENCE_S. */
void set_patience(int fd);

/* recv(), which fails the test if nothing comes within the patience of the socket. */
#define receive(fd, buffer, size)	receive_at(fd, buffer, size, __FILE__, __LINE__)

ssize_t receive_at(int fd, void *buffer, size_t size, const char *file, int line);

/* ---- children ----------------------------------------------------------- */

/*
 * fork(). The child ends with the test program; an assertion that fails there ends the child, with
 * a message, not the test.
 */
pid_t fork_child(void);

/* Again, in the child, when it has changed its user: that cancels it. */
void die_with_parent(void);

/* Exit status; 1000 and the signal; KILLED: it did not end by itself. */
int wait_for(pid_t pid);

/* Kill a child; false, with a message, if it does not end even so. */
bool end_child(pid_t pid);

#endif /* XSCHED_UNIT_BOUNDS_H */
