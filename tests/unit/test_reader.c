// SPDX-License-Identifier: MIT
/*
 * What xschedd reads of processes, with a helper: it is killed when a process keeps
 * it waiting, and questions about other processes do not wait for that.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/xschedd/reader.h"

#define USER	2000	/* first of the users of the processes below */
#define MS	1000000ULL

/* Seen by the helper, too, which is a fork. */
static struct {
	_Atomic bool stuck;		/* the rest of USER's and those above cannot be read */
	_Atomic unsigned int rests;	/* processes of which the rest was read */
	_Atomic int helper;		/* pid of the last */
} *shared;

static bool immortal;	/* SIGKILL ends no helper */

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

void __real_process_read_rest(struct process *process, bool cmdline);
void __wrap_process_read_rest(struct process *process, bool cmdline);
int __real_kill(pid_t pid, int signal);
int __wrap_kill(pid_t pid, int signal);

/* A read that does not end: none takes longer than a test may. */
void __wrap_process_read_rest(struct process *process, bool cmdline)
{
	const uint64_t end_ns = now() + TEST_LIMIT_S * 1000 * MS;

	shared->helper = getpid();
	shared->rests++;
	while (shared->stuck && process->uid >= USER && now() < end_ns)
		nap();
	__real_process_read_rest(process, cmdline);
}

int __wrap_kill(pid_t pid, int signal)
{
	return immortal ? 0 : __real_kill(pid, signal);
}

/**
 * struct answer - what has come
 * @process: last
 * @whole: that is all of it
 * @count: number of answers
 */
struct answer {
	struct process process;
	bool whole;
	unsigned int count;
};

static sd_event *event;
static struct reader *reader;
static pid_t children[READER_LOST + 2];
static size_t child_count;

static int setup(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED || sd_event_new(&event) < 0 ||
	       reader_new(&reader, event);
}

static int teardown(void **state)
{
	bool ended = true;

	(void)state;
	immortal = false;
	reader_free(reader);
	sd_event_unref(event);
	while (child_count)
		ended &= end_child(children[--child_count]);
	munmap(shared, sizeof(*shared));
	return !ended;
}

/* The user that runs a process, as the daemon sees it. */
static uid_t user_of(pid_t pid)
{
	struct process process = { 0 };

	process_read_facts(&process, pid);
	return process.uid;
}

static pid_t spawn_as(uid_t uid)
{
	pid_t pid = fork_child();

	if (!pid) {
		if (setgid(uid) || setuid(uid))
			_exit(1);
		die_with_parent();
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	children[child_count++] = pid;
	/* It must be that user's before it is looked at. */
	wait_until(user_of(pid) == uid);
	return pid;
}

static void on_facts(struct reading *reading, const struct process *process,
		     bool whole)
{
	struct answer *answer = reading->user;

	process_free(&answer->process);
	process_copy(&answer->process, process);
	answer->whole = whole;
	answer->count++;
	if (whole)
		assert_true(!process->known || process->environ);
}

static void ask(struct reading *reading, struct answer *answer, pid_t pid)
{
	*answer = (struct answer){ 0 };
	*reading = (struct reading){ .pid = pid, .cmdline = true, .done = on_facts,
				     .user = answer };
	reader_ask(reader, reading);
}

/* Run the loop until there are so many answers. */
static void await(const struct answer *answer, unsigned int count)
{
	uint64_t end_ns = now() + PATIENCE_S * 1000 * MS;

	while (answer->count < count) {
		assert_true(sd_event_run(event, 100000) >= 0);
		assert_true(now() < end_ns);
	}
}

/* The same until all is known: a helper that does not get the CPU is one that waits. */
static void await_whole(const struct answer *answer)
{
	await(answer, 1);
	for (int tries = 0; !answer->whole; tries++) {
		assert_true(tries < 10);
		await(answer, answer->count + 1);
	}
}

static void done(struct reading *reading, struct answer *answer)
{
	reader_forget(reader, reading);
	process_free(&answer->process);
}

#define NOBODY	0x7fffffff	/* no process has that number */

/* The helper reads all of a process, and finds that another is gone. */
static void reads_processes(void **state)
{
	struct reading reading, gone_reading;
	struct answer answer, gone;

	(void)state;
	ask(&reading, &answer, getpid());
	ask(&gone_reading, &gone, NOBODY);
	await_whole(&answer);
	assert_true(answer.process.known);
	assert_int_equal(answer.process.uid, getuid());
	assert_string_equal(answer.process.comm, "test_reader");
	assert_non_null(strstr(answer.process.exe, "/test_reader"));
	assert_non_null(strstr(answer.process.cmdline, "test_reader"));
	await(&gone, 1);
	/* Of one that is gone a part is final: nobody tries again. */
	for (int tries = 0; !gone.whole; tries++) {
		assert_true(tries < 10);
		done(&gone_reading, &gone);
		ask(&gone_reading, &gone, NOBODY);
		await(&gone, 1);
	}
	assert_false(gone.process.known);
	done(&reading, &answer);
	done(&gone_reading, &gone);
}

/* The owner of a program with another's rights is the user who runs it, in both answers. */
static void owner_is_the_real_user(void **state)
{
	struct process owner, facts = { 0 };
	pid_t pid;

	(void)state;
	if (getuid())
		skip();
	pid = fork_child();
	if (!pid) {
		if (setresuid(USER, 0, 0))
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	children[child_count++] = pid;
	wait_until(user_of(pid) == USER);
	process_read_facts(&facts, pid);
	process_read_owner(&owner, pid);
	assert_true(owner.known);
	assert_int_equal(owner.uid, USER);
	assert_true(owner.changed_credentials);
	assert_true(facts.changed_credentials);
}

/* The helper has the capabilities that /proc takes, and no others. */
static void helper_may_only_read(void **state)
{
	struct reading reading;
	struct answer answer;
	char path[64], line[256];
	unsigned long long effective = 0, permitted = 0;
	FILE *file;

	(void)state;
	if (getuid())
		skip();
	ask(&reading, &answer, getpid());
	await_whole(&answer);
	done(&reading, &answer);
	snprintf(path, sizeof(path), "/proc/%d/status", shared->helper);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "CapEff: %llx", &effective);
		sscanf(line, "CapPrm: %llx", &permitted);
	}
	fclose(file);
	/* DAC_READ_SEARCH 2, SYS_PTRACE 19 */
	assert_int_equal(effective, 1 << 2 | 1 << 19);
	assert_int_equal(permitted, effective);
}

/* A process that keeps the helper waiting: what cannot wait is known, others are read. */
static void others_do_not_wait(void **state)
{
	struct reading reading, other_reading;
	struct answer answer, other;
	pid_t first;

	(void)state;
	if (getuid())
		skip();
	shared->stuck = true;
	ask(&reading, &answer, spawn_as(USER));
	ask(&other_reading, &other, getpid());
	for (uint64_t end_ns = 0; !shared->helper; sd_event_run(event, 10000))
		assert_true(keep_waiting(&end_ns));
	first = shared->helper;
	await_whole(&other);
	assert_int_not_equal(shared->helper, first);
	await(&answer, 1);
	assert_false(answer.whole);
	assert_true(answer.process.known);
	assert_int_equal(answer.process.uid, USER);
	assert_string_equal(answer.process.comm, "test_reader");
	assert_string_equal(answer.process.exe, "");
	done(&reading, &answer);
	done(&other_reading, &other);
	/* The first is dead, and has been waited for. */
	for (uint64_t begin_ns = now(); !__real_kill(first, 0);) {
		assert_true(now() - begin_ns < PATIENCE_S * 1000 * MS);
		ask(&other_reading, &other, getpid());
		await(&other, 1);
		done(&other_reading, &other);
	}
}

/* One process of a user keeps the helper waiting, and no second one; later it is tried again. */
static void one_of_a_user(void **state)
{
	struct reading readings[3];
	struct answer answers[3];
	pid_t pids[3];
	uint64_t begin_ns;
	unsigned int rests;

	(void)state;
	if (getuid())
		skip();
	for (int i = 0; i < 3; i++)
		pids[i] = spawn_as(USER);
	shared->stuck = true;
	begin_ns = now();
	for (int i = 0; i < 3; i++)
		ask(&readings[i], &answers[i], pids[i]);
	for (int i = 0; i < 3; i++)
		await(&answers[i], 1);
	for (int i = 0; i < 3; i++)
		assert_false(answers[i].whole);
	rests = shared->rests;
	if (now() - begin_ns < READER_PENALTY_MS * MS)
		assert_int_equal(rests, 1);
	assert_int_equal(answers[1].process.uid, USER);
	shared->stuck = false;
	for (int i = 0; i < 3; i++)
		await_whole(&answers[i]);
	assert_true(now() - begin_ns >= READER_PENALTY_MS * MS);
	for (int i = 0; i < 3; i++) {
		assert_string_not_equal(answers[i].process.exe, "");
		done(&readings[i], &answers[i]);
	}
}

/* What is no longer wanted is not answered. */
static void forgets(void **state)
{
	struct reading reading, other_reading;
	struct answer answer, other;

	(void)state;
	ask(&reading, &answer, getpid());
	ask(&other_reading, &other, getpid());
	/* It may wait, or be read already. */
	sd_event_run(event, 0);
	done(&reading, &answer);
	await(&other, 1);
	assert_int_equal(answer.count, 0);
	done(&other_reading, &other);
}

/* Whether there is a helper that reads all of a process. */
static bool reads_all(void)
{
	struct reading reading;
	struct answer answer;
	bool whole;

	ask(&reading, &answer, getpid());
	await(&answer, 1);
	whole = answer.whole;
	done(&reading, &answer);
	return whole;
}

/* There are few helpers that SIGKILL does not end. With as many, only the owner is known. */
static void leaves_some_behind(void **state)
{
	struct reading reading;
	struct answer answer;

	(void)state;
	if (getuid())
		skip();
	immortal = true;
	shared->stuck = true;
	for (int i = 0; i < READER_LOST; i++) {
		ask(&reading, &answer, spawn_as(USER + i));
		await(&answer, 1);
		assert_false(answer.whole);
		assert_string_equal(answer.process.comm, "test_reader");
		done(&reading, &answer);
		/* The helper cannot be killed: it comes to what keeps it waiting. */
		wait_until(shared->rests != (unsigned int)i);
		assert_int_equal(shared->rests, i + 1);
	}
	ask(&reading, &answer, spawn_as(USER + READER_LOST));
	await(&answer, 1);
	assert_false(answer.whole);
	assert_true(answer.process.known);
	assert_int_equal(answer.process.uid, USER + READER_LOST);
	assert_string_equal(answer.process.comm, "");
	assert_int_equal(shared->rests, READER_LOST);
	done(&reading, &answer);
	/* They end after all: the socket is closed. */
	shared->stuck = false;
	wait_until(reads_all());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_processes),
		TEST(owner_is_the_real_user),
		TEST(helper_may_only_read),
		TEST(others_do_not_wait),
		TEST(one_of_a_user),
		TEST(forgets),
		TEST(leaves_some_behind),
	};

	signal(SIGPIPE, SIG_IGN);
	return RUN(tests);
}
