// SPDX-License-Identifier: MIT
/* Waits with a bound, and tests with a limit. */
#include "bounds.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS	1000000000ULL

/* ---- the limit of a test ------------------------------------------------ */

/**
 * struct run - the tests of this program
 * @tests: all of them, with their own fixtures
 * @begun: how many of them have begun
 * @words: what there is to say if the last of these does not end
 * @length: of @words
 */
static struct run {
	const struct CMUnitTest *tests;
	size_t begun;
	char words[512];
	size_t length;
} run;

/* By a signal, which may come in the midst of anything. The children die with us. */
static void end_of_test(int signal)
{
	ssize_t written;

	(void)signal;
	written = write(STDOUT_FILENO, run.words, run.length);
	(void)written;
	_exit(124);	/* as timeout(1) does */
}

/* As cmocka says that a test has failed. */
void may_take(unsigned int seconds)
{
	alarm(0);
	run.length = snprintf(run.words, sizeof(run.words), "not ok %zu - %s: not ended within %u s\n",
			      run.begun, run.tests[run.begun - 1].name, seconds);
	if (run.length >= sizeof(run.words))
		run.length = sizeof(run.words) - 1;
	alarm(seconds);
}

static int begin_test(void **state)
{
	const struct CMUnitTest *test = &run.tests[run.begun++];

	may_take(TEST_LIMIT_S);
	return test->setup_func ? test->setup_func(state) : 0;
}

static int end_test(void **state)
{
	const struct CMUnitTest *test = &run.tests[run.begun - 1];
	int ret = test->teardown_func ? test->teardown_func(state) : 0;

	alarm(0);
	return ret;
}

int run_bounded(const char *name, const struct CMUnitTest *tests, size_t count,
		CMFixtureFunction setup, CMFixtureFunction teardown)
{
	const struct sigaction action = { .sa_handler = end_of_test };
	struct CMUnitTest bounded[count];
	int failed;

	run.tests = tests;
	for (size_t i = 0; i < count; i++) {
		bounded[i] = tests[i];
		bounded[i].setup_func = begin_test;
		bounded[i].teardown_func = end_test;
	}
	/* What was said so far must not be lost. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGALRM, &action, NULL);
	failed = cmocka_run_group_tests_name(name, bounded, setup, teardown);
	alarm(0);
	return failed;
}

/* ---- waits -------------------------------------------------------------- */

void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

/* The condition is looked at once more after the end: this process may not have got the CPU. */
bool keep_waiting(uint64_t *end_ns)
{
	static const uint64_t over = UINT64_MAX;
	struct timespec time;
	uint64_t now_ns;

	if (*end_ns == over)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &time);
	now_ns = time.tv_sec * SECOND_NS + time.tv_nsec;
	if (!*end_ns)
		*end_ns = now_ns + PATIENCE_S * SECOND_NS;
	else if (now_ns >= *end_ns)
		*end_ns = over;
	nap();
	return true;
}

void set_patience(int fd)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

ssize_t receive_at(int fd, void *buffer, size_t size, const char *file, int line)
{
	ssize_t got = recv(fd, buffer, size, 0);

	if (got < 0 && errno == EAGAIN) {
		print_error("ERROR: nothing has come in time\n");
		_fail(file, line);
	}
	return got;
}

/* ---- children ----------------------------------------------------------- */

static pid_t parent;

void die_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

/* cmocka has said why, without an end of the line, where a result of the parent may come next. */
static void end_of_child(int signal)
{
	ssize_t written = write(STDERR_FILENO, "\n", 1);

	(void)signal;
	(void)written;
	_exit(1);
}

pid_t fork_child(void)
{
	pid_t self = getpid(), pid = fork();

	if (pid)
		return pid;
	parent = self;
	die_with_parent();
	/* Otherwise cmocka would go on with the next test, here. */
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	signal(SIGABRT, end_of_child);
	return 0;
}

bool end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	for (uint64_t end_ns = 0; !waitpid(pid, NULL, WNOHANG);) {
		if (keep_waiting(&end_ns))
			continue;
		print_error("ERROR: process %d does not end\n", pid);
		return false;
	}
	return true;
}

int wait_for(pid_t pid)
{
	int status;

	for (uint64_t end_ns = 0; waitpid(pid, &status, WNOHANG) != pid;) {
		if (keep_waiting(&end_ns))
			continue;
		end_child(pid);
		return KILLED;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}
