// SPDX-License-Identifier: MIT
/* xs-trap, with a driver that only counts: whom it holds when, and that nothing is held when it ends. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bounds.h"

#include "debugtrap.h"
#include "peers/turns.h"

int trap_main(int argc, char **argv);

/**
 * struct trapped - what was done to the traced process
 * @pid: which one, when it was attached
 * @queues: how many of it
 * @last: the last of them
 * @suspends: calls
 * @resumes: calls
 * @detached: it is not traced any more
 * @refused: suspends fail
 */
struct trapped {
	pid_t pid;
	unsigned int queues;
	uint32_t last;
	unsigned int suspends;
	unsigned int resumes;
	bool detached;
	bool refused;
};

static volatile struct trapped *trapped;
static char path[] = "/tmp/test-trap-XXXXXX";
static struct turns high;
static pid_t child;

int debugtrap_attach(const struct fleet *f)
{
	const struct fleet_member *m = &f->members[0];

	trapped->queues = m->queues;
	trapped->last = m->ids[m->queues - 1];
	trapped->pid = m->pid;
	return f->count == 1 ? 0 : -EINVAL;
}

int debugtrap_suspend(const struct fleet *f)
{
	(void)f;
	if (trapped->refused)
		return -EIO;
	trapped->suspends++;
	return 1;
}

int debugtrap_resume(const struct fleet *f)
{
	(void)f;
	trapped->resumes++;
	return 1;
}

void debugtrap_detach(const struct fleet *f)
{
	(void)f;
	trapped->detached = true;
}

static int setup(void **state)
{
	char *argv[] = { "xs-trap", path, "0", "1234", "7", "9", NULL };
	int fd;

	(void)state;
	strcpy(path + sizeof(path) - 7, "XXXXXX");
	fd = mkstemp(path);
	close(fd);
	trapped = mmap(NULL, sizeof(*trapped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (fd < 0 || trapped == MAP_FAILED || turns_join(&high, path, 1))
		return -1;
	child = fork_child();
	if (!child)
		_exit(trap_main(6, argv));
	wait_until(trapped->pid);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	end_child(child);
	turns_leave(&high);
	munmap((void *)trapped, sizeof(*trapped));
	unlink(path);
	return 0;
}

static int stopped(void)
{
	kill(child, SIGTERM);
	return wait_for(child);
}

static void has_the_queues_it_is_told(void **state)
{
	(void)state;
	assert_int_equal(trapped->pid, 1234);
	assert_int_equal(trapped->queues, 2);
	assert_int_equal(trapped->last, 9);
	assert_int_equal(stopped(), 0);
	assert_true(trapped->detached);
	assert_int_equal(trapped->suspends + trapped->resumes, 0);
}

static void holds_while_high_has_work(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 1; i <= 10; i++) {
		turns_say(&high, true);
		wait_until(trapped->suspends == i);
		assert_int_equal(trapped->resumes, i - 1);
		turns_say(&high, false);
		wait_until(trapped->resumes == i);
	}
	assert_int_equal(stopped(), 0);
	assert_int_equal(trapped->suspends, 10);
	assert_int_equal(trapped->resumes, 10);
}

static void lets_go_when_it_ends(void **state)
{
	(void)state;
	turns_say(&high, true);
	wait_until(trapped->suspends == 1);
	assert_int_equal(stopped(), 0);
	assert_int_equal(trapped->resumes, 1);
	assert_true(trapped->detached);
}

static void says_what_fails(void **state)
{
	(void)state;
	trapped->refused = true;
	turns_say(&high, true);
	assert_int_equal(wait_for(child), 1);
	assert_true(trapped->detached);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(has_the_queues_it_is_told),
		TEST(holds_while_high_has_work),
		TEST(lets_go_when_it_ends),
		TEST(says_what_fails),
	};

	return RUN(tests);
}
