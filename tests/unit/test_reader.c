// SPDX-License-Identifier: MIT
/*
 * What xschedd reads of processes, with a helper: it is killed when a process keeps
 * it waiting, and questions about other processes do not wait for that. The reader's
 * time stands still but for advance(); the helper is a process, and takes real time.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facts/reader.h"
#include "fake_clock.h"
#include "fake_time.h"
#include "proc.h"

#define USER	2000	/* first of the users of the processes below */

/* Seen by the helper, too, which is a fork. */
static struct {
	_Atomic bool stuck;		/* the rest of USER's and those above cannot be read */
	_Atomic unsigned int rests;	/* processes of which the rest was read */
	_Atomic int helper;		/* pid of the last that read it */
	_Atomic bool blind;		/* nor who those are of another namespace */
	_Atomic unsigned int identities;	/* how often that was to be read */
	_Atomic int first;		/* pid of the last that read facts */
} *shared;

static bool immortal;	/* SIGKILL ends no helper */

void __real_process_read_facts(struct process *process, pid_t pid);
void __wrap_process_read_facts(struct process *process, pid_t pid);
void __real_process_identify(struct process *process);
void __wrap_process_identify(struct process *process);
void __real_process_read_rest(struct process *process, bool cmdline);
void __wrap_process_read_rest(struct process *process, bool cmdline);
int __real_kill(pid_t pid, int signal);
int __wrap_kill(pid_t pid, int signal);

/* A read that does not end, unless the reader is gone. */
void __wrap_process_read_rest(struct process *process, bool cmdline)
{
	shared->helper = getpid();
	shared->rests++;
	while (shared->stuck && process->uid >= USER)
		nap();
	__real_process_read_rest(process, cmdline);
}

void __wrap_process_read_facts(struct process *process, pid_t pid)
{
	shared->first = getpid();
	__real_process_read_facts(process, pid);
}

void __wrap_process_identify(struct process *process)
{
	shared->identities++;
	while (shared->blind && !process->own_users)
		nap();
	__real_process_identify(process);
}

int __wrap_kill(pid_t pid, int signal)
{
	return immortal ? 0 : __real_kill(pid, signal);
}

/**
 * struct answer - what has come
 * @process: last
 * @whole: that is all of it
 * @facts: how often the facts have come, before what there is
 * @count: number of answers
 */
struct answer {
	struct process process;
	bool whole;
	unsigned int facts;
	unsigned int count;
};

static sd_event *event;
static struct reader *reader;
static pid_t children[128];
static size_t child_count;

static int setup(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED || sd_event_new(&event) < 0 ||
	       reader_new(&reader, event, true);
}

static int teardown(void **state)
{
	bool ended = true;

	(void)state;
	immortal = false;
	shared->stuck = false;
	shared->blind = false;
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
		     enum reading_state state)
{
	struct answer *answer = reading->user;

	process_free(&answer->process);
	process_copy(&answer->process, process);
	answer->whole = state == READING_WHOLE;
	answer->facts += state == READING_FACTS;
	answer->count += state != READING_FACTS;
	assert_true(!process->environ || answer->whole);
}

static void ask(struct reading *reading, struct answer *answer, pid_t pid)
{
	*answer = (struct answer){ 0 };
	*reading = (struct reading){ .pid = pid, .cmdline = true, .done = on_facts,
				     .user = answer };
	reader_ask(reader, reading);
}

/* Let the reader do all that is to be done until so much later. */
static void advance(uint64_t ns)
{
	const unsigned int moves = fake_time()->moves;

	fake_clock_move(fake_time()->now_ns + ns);
	while (fake_time()->moves == moves)
		assert_true(sd_event_run(event, 0) >= 0);
}

/* What is to be done now. */
static bool run(void)
{
	advance(0);
	return true;
}

/* Run the loop, in which no time passes, until there are so many answers. */
static void await(const struct answer *answer, unsigned int count)
{
	wait_until(run() && answer->count == count);
}

static void await_whole(const struct answer *answer)
{
	await(answer, 1);
	assert_true(answer->whole);
}

/* Until the helper reads what the process of the so many-th may withhold, and the reader knows. */
static void await_rest(unsigned int number)
{
	wait_until(run() && shared->rests == number);
	run();
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
	await_whole(&gone);
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
	await_rest(1);
	first = shared->helper;
	advance(READER_DEADLINE_MS * MS - 1);
	assert_int_equal(answer.count, 0);
	assert_int_equal(other.count, 0);
	assert_int_equal(__real_kill(first, 0), 0);
	advance(1);
	assert_int_equal(answer.count, 1);
	assert_false(answer.whole);
	await_whole(&other);
	assert_int_not_equal(shared->helper, first);
	assert_true(answer.process.known);
	assert_int_equal(answer.process.uid, USER);
	assert_string_equal(answer.process.comm, "test_reader");
	assert_string_equal(answer.process.exe, "");
	done(&reading, &answer);
	done(&other_reading, &other);
	/* The first is dead, and has been waited for. */
	for (uint64_t end_ns = 0; !__real_kill(first, 0);) {
		assert_true(keep_waiting(&end_ns));
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

	(void)state;
	if (getuid())
		skip();
	for (int i = 0; i < 3; i++)
		pids[i] = spawn_as(USER);
	shared->stuck = true;
	for (int i = 0; i < 3; i++)
		ask(&readings[i], &answers[i], pids[i]);
	await_rest(1);
	advance(READER_DEADLINE_MS * MS);
	for (int i = 0; i < 3; i++) {
		await(&answers[i], 1);
		assert_false(answers[i].whole);
	}
	assert_int_equal(answers[1].process.uid, USER);
	shared->stuck = false;
	advance(READER_PENALTY_MS * MS - 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(answers[i].count, 1);
	assert_int_equal(shared->rests, 1);
	advance(1);
	for (int i = 0; i < 3; i++) {
		await(&answers[i], 2);
		assert_true(answers[i].whole);
		assert_string_not_equal(answers[i].process.exe, "");
		done(&readings[i], &answers[i]);
	}
}

/* It is tried again a few times, and no more. */
static void gives_up(void **state)
{
	struct reading reading;
	struct answer answer;

	(void)state;
	if (getuid())
		skip();
	shared->stuck = true;
	ask(&reading, &answer, spawn_as(USER));
	for (unsigned int i = 1; i <= READER_TRIES; i++) {
		await_rest(i);
		advance(READER_DEADLINE_MS * MS - 1);
		assert_int_equal(answer.count, i - 1);
		advance(1);
		assert_int_equal(answer.count, i);
		advance(READER_PENALTY_MS * MS);
	}
	advance(1000 * SECOND);
	assert_int_equal(shared->rests, READER_TRIES);
	assert_int_equal(answer.count, READER_TRIES);
	assert_false(answer.whole);
	done(&reading, &answer);
}

/* The helper that reads facts does not answer: the owner is known, and there is another one. */
static void replaces_a_helper(void **state)
{
	struct reading reading;
	struct answer answer;
	pid_t first;

	(void)state;
	/* It alone reads facts now. */
	ask(&reading, &answer, NOBODY);
	await_whole(&answer);
	done(&reading, &answer);
	first = shared->first;
	__real_kill(first, SIGSTOP);
	ask(&reading, &answer, getpid());
	advance(READER_FACTS_MS * MS - 1);
	assert_int_equal(answer.count, 0);
	advance(1);
	assert_int_equal(answer.count, 1);
	assert_int_equal(answer.facts, 0);
	assert_true(answer.process.known);
	assert_false(answer.process.has_facts);
	assert_string_equal(answer.process.comm, "");
	/* All is read later. */
	advance(READER_PENALTY_MS * MS - 1);
	assert_int_equal(answer.count, 1);
	advance(1);
	await(&answer, 2);
	assert_true(answer.whole);
	assert_int_not_equal(shared->first, first);
	done(&reading, &answer);
}

/* Nothing keeps the other helper waiting, and it does not answer: the facts are known. */
static void replaces_another_helper(void **state)
{
	struct reading reading;
	struct answer answer;
	pid_t first;

	(void)state;
	ask(&reading, &answer, getpid());
	await_whole(&answer);
	done(&reading, &answer);
	first = shared->helper;
	__real_kill(first, SIGSTOP);
	ask(&reading, &answer, getpid());
	wait_until(run() && answer.facts == 1);
	advance(READER_FACTS_MS * MS - 1);
	assert_int_equal(answer.count, 0);
	advance(1);
	await(&answer, 1);
	assert_false(answer.whole);
	assert_string_equal(answer.process.comm, "test_reader");
	advance(READER_PENALTY_MS * MS - 1);
	assert_int_equal(answer.count, 1);
	advance(1);
	await(&answer, 2);
	assert_true(answer.whole);
	assert_int_not_equal(shared->helper, first);
	done(&reading, &answer);
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
	run();
	done(&reading, &answer);
	await(&other, 1);
	assert_int_equal(answer.count, 0);
	done(&other_reading, &other);
}

/* Until no helper gets any further. */
static void settle(void)
{
	unsigned int rests;

	do {
		rests = shared->rests;
		for (int i = 0; i < 4; i++) {
			nap();
			run();
		}
	} while (shared->rests != rests);
}

#define MANY	96

/*
 * However many accounts keep helpers waiting, the facts about another's process come without
 * that any time passes; and the rest after a slice for as many of them as there are helpers.
 */
static void many_accounts(void **state)
{
	const uint64_t rounds = MANY / (READER_HELPERS - READER_UNKNOWN);
	/* Helpers take real time for what takes none here: so it is more than a slice a round. */
	const uint64_t bound_ns = 4 * rounds * READER_SLICE_MS * MS;
	static struct reading readings[MANY];
	static struct answer answers[MANY];
	struct reading reading;
	struct answer answer;
	uint64_t begin_ns;

	(void)state;
	if (getuid())
		skip();
	for (int i = 0; i < MANY; i++)
		spawn_as(USER + i);
	shared->stuck = true;
	for (int i = 0; i < MANY; i++)
		ask(&readings[i], &answers[i], children[i]);
	ask(&reading, &answer, getpid());
	begin_ns = fake_time()->now_ns;
	wait_until(run() && answer.facts == 1);
	assert_int_equal(fake_time()->now_ns, begin_ns);
	assert_true(answer.process.has_facts);
	assert_string_equal(answer.process.comm, "test_reader");
	for (int i = 0; i < MANY; i++)
		wait_until(run() && answers[i].facts == 1);
	/* A helper must have its facts before its time begins: that takes real time. */
	while (!answer.count && fake_time()->now_ns - begin_ns < bound_ns) {
		advance(MS);
		settle();
	}
	await_whole(&answer);
	/* Each of them may do that once. */
	assert_true(shared->rests <= MANY + 1);
	done(&reading, &answer);
	for (int i = 0; i < MANY; i++)
		done(&readings[i], &answers[i]);
}

/* ---- who it is ---------------------------------------------------------- */

/* One of USER, in a user namespace of USER, or of such a one in it; as another user in it. */
static pid_t spawn_in_namespace(bool nested)
{
	int ready[2], go[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid = fork_child();
	if (!pid) {
		if (setgid(USER) || setuid(USER) || unshare(CLONE_NEWUSER) ||
		    write(ready[1], "r", 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(1);
		if (setuid(7) || (nested && unshare(CLONE_NEWUSER)) ||
		    write(ready[1], "r", 1) != 1)
			_exit(1);
		die_with_parent();
		for (;;)
			pause();
	}
	children[child_count++] = pid;
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		skip();		/* no user namespaces here */
	proc_write_map(pid, "uid_map", "0 2000 1\n1 300000 100\n");
	proc_write_map(pid, "gid_map", "0 2000 1\n1 300000 100\n");
	assert_int_equal(write(go[1], "g", 1), 1);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
	return pid;
}

/* Users of a user namespace are on the account of its owner, also of one within it. */
static void account_of_a_namespace(void **state)
{
	struct reading reading;
	struct answer answer;

	(void)state;
	if (getuid())
		skip();
	for (int nested = 0; nested < 2; nested++) {
		ask(&reading, &answer, spawn_in_namespace(nested));
		await_whole(&answer);
		assert_int_equal(answer.process.uid, 300006);
		assert_true(answer.process.identified);
		assert_true(answer.process.account.known);
		assert_int_equal(answer.process.account.user, USER);
		assert_false(answer.process.own_users);
		assert_false(answer.process.nice_capable);
		done(&reading, &answer);
	}
}

/* An ordinary process is identified with its facts; one with CAP_SYS_NICE, by its namespace. */
static void account_of_a_user(void **state)
{
	struct reading reading;
	struct answer answer;

	(void)state;
	if (getuid())
		skip();
	ask(&reading, &answer, spawn_as(USER));
	wait_until(run() && answer.facts == 1);
	assert_true(answer.process.identified);
	assert_int_equal(answer.process.account.user, USER);
	done(&reading, &answer);
	shared->identities = 0;
	ask(&reading, &answer, getpid());
	reading.identity = true;
	await_whole(&answer);
	assert_int_equal(shared->identities, 1);
	assert_true(answer.process.identified);
	assert_true(answer.process.nice_capable);
	assert_int_equal(answer.process.account.user, 0);
	assert_null(answer.process.environ);
	done(&reading, &answer);
}

/* One that does not let that be read has no account; those that do wait a slice for it. */
static void withholds_its_account(void **state)
{
	struct reading reading, other_reading;
	struct answer answer, other;

	(void)state;
	if (getuid())
		skip();
	shared->blind = true;
	ask(&reading, &answer, spawn_in_namespace(false));
	reading.identity = true;
	wait_until(run() && shared->identities == 1);
	run();
	ask(&other_reading, &other, getpid());
	other_reading.identity = true;
	await_whole(&other);
	assert_true(other.process.identified);
	assert_int_equal(answer.count, 0);
	advance(READER_DEADLINE_MS * MS);
	await(&answer, 1);
	assert_false(answer.whole);
	assert_false(answer.process.account.known);
	assert_true(answer.process.has_facts);
	done(&reading, &answer);
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

/* There are few helpers that SIGKILL does not end. With as many, only facts are known. */
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
		await_rest(i + 1);
		advance(READER_DEADLINE_MS * MS);
		assert_int_equal(answer.count, 1);
		assert_false(answer.whole);
		assert_string_equal(answer.process.comm, "test_reader");
		done(&reading, &answer);
	}
	ask(&reading, &answer, spawn_as(USER + READER_LOST));
	await(&answer, 1);
	assert_false(answer.whole);
	assert_true(answer.process.known);
	assert_int_equal(answer.process.uid, USER + READER_LOST);
	/* That takes no such helper. */
	assert_string_equal(answer.process.comm, "test_reader");
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
		TEST(gives_up),
		TEST(replaces_a_helper),
		TEST(replaces_another_helper),
		TEST(many_accounts),
		TEST(account_of_a_namespace),
		TEST(account_of_a_user),
		TEST(withholds_its_account),
		TEST(forgets),
		TEST(leaves_some_behind),
	};

	signal(SIGPIPE, SIG_IGN);
	return RUN(tests);
}
