// SPDX-License-Identifier: MIT
/*
 * The control socket of xschedd: requests, permissions, and bad requests.
 */
#include "xschedd_bench.h"

#include <cap-ng.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "proc.h"

static void wants(const char *reply, const char *wanted)
{
	if (!strstr(reply, wanted))
		fail_msg("no %s in %s", wanted, reply);
}

/* Events and switches are streamed to clients that subscribe. */
static void streams_events(void **state)
{
	struct bench *b = *state;
	char wanted[64];
	int fd;

	start_daemon(b, "");
	/* First: they would have the connection, too. */
	two_tenants(b);
	fd = connect_control(b);
	ask(fd, "{\"cmd\":\"events\"}\n", "\"ok\":true");
	send_event(b, ADD, b->pids[0], 3);
	read_until(fd, "\"event\":\"queue-add\"");
	send_event(b, READY, b->pids[0], 1);
	snprintf(wanted, sizeof(wanted), "\"hold\":[%d],\"release\":[]",
		 b->pids[1]);
	read_until(fd, wanted);
	send_event(b, KFD_XSCHED_EVENT_PROCESS_EXIT, b->pids[0], 0);
	read_until(fd, "\"event\":\"exit\"");
	close(fd);
	wait_until(strstr(question(b, "{\"cmd\":\"stats\"}"), "\"listeners\":0"));
}

/* Why a process has its priority, with the facts that rules look at. */
static void tells_rules(void **state)
{
	struct bench *b = *state;
	const char *reply;

	start_daemon(b, "[rule night]\nenvironment=JOB=night*\n"
		     "max_priority=6\n");
	b->pids[0] = spawn_tenant_with("JOB=night-1");
	reply = question(b, "{\"cmd\":\"rules\",\"pid\":%d}", b->pids[0]);
	wants(reply, "\"rule\":\"night\",\"priority\":0,\"source\":\"nice\",\"limit\":255");
	wants(reply, "\"comm\":\"sleep\"");
	wants(reply, "\"doubt\":\"the rule does not raise it");
	/* The environment is not shown, except XSched's variables. */
	assert_null(strstr(reply, "night-1"));
	assert_int_equal(ctl(b, "rules test %d", b->pids[0]), 0);
	expect(b, "out", "the rule does not raise it");
	b->pids[1] = spawn_tenant_with("XSCHED_AUTO_XQUEUE_PRIORITY=-9");
	wants(question(b, "{\"cmd\":\"rules\",\"pid\":%d}", b->pids[1]),
	      "\"rule\":null,\"priority\":-9,\"source\":\"environment\"");
	wants(question(b, "{\"cmd\":\"rules\",\"pid\":2147483647}"), "ESRCH");
}

/* The environment rates a process; -256 keeps it from running at all. */
static void environment_counts(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	b->pids[0] = spawn_tenant_with("XSCHED_AUTO_XQUEUE_PRIORITY=-256");
	send_event(b, ADD, b->pids[0], 1);
	expect(b, "holds", "%d\n", b->pids[0]);
	wants(question(b, "{\"cmd\":\"list\"}"), "\"priority\":-256,\"priority_from\":\"environment\"");
	assert_int_equal(ctl(b, "resume %d", b->pids[0]), 1);
}

/* Hints: known ones are taken, others refused with a reason. */
static void takes_hints(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	assert_int_equal(ctl(b, "priority %d 1", b->pids[0]), 0);
	wants(question(b, "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"utilization\",\"value\":40}",
		       b->pids[0]), "\"ok\":true");
	wants(question(b, "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"utilization\",\"value\":101}",
		       b->pids[0]), "outside its limits");
	wants(question(b, "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"colour\",\"value\":1}",
		       b->pids[0]), "no such hint");
	wants(question(b, "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"priority\",\"value\":-256}",
		       b->pids[1]), "\"ok\":true");
	expect(b, "holds", "%d\n", b->pids[1]);
	wants(question(b, "{\"cmd\":\"policy\",\"options\":{\"kedf.k\":3}}"),
	      "\"kedf.k\":3");
	wants(question(b, "{\"cmd\":\"policy\",\"options\":{\"x\":3}}"),
	      "none of that name");
	wants(question(b, "{\"cmd\":\"policy\",\"policy\":\"nonsense\"}"),
	      "no such policy");
	wants(question(b, "{\"cmd\":\"policy\"}"), "\"policy\":\"hpf\"");
}

/* Processes of one tenant are held together. */
static void groups_are_one(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "[rule low]\ncomm=sleep\npriority=-5\ntenant=cgroup\n");
	b->pids[0] = spawn_tenant(0);
	b->pids[1] = spawn_tenant_with(NULL);
	b->pids[2] = spawn_tenant_with(NULL);
	send_events(b, (struct kfd_xsched_event[]){
			event(ADD, b->pids[0], 1), event(ADD, b->pids[1], 2),
			event(ADD, b->pids[2], 3), event(READY, b->pids[1], 2),
			event(READY, b->pids[0], 1) }, 5);
	for (int i = 1; i < 3; i++)
		expect(b, "holds", "%d\n", b->pids[i]);
	/* it is in the log when it has ended */
	expect(b, "log", " = 0\n");
	assert_int_equal(applies(b), 1);
}

/* The reply to a reload reports a bad file; a rule that matches no process is logged. */
static void reloads_by_request(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	write_file(b, "conf", "[xschedd]\ndevice=%s/dev\nsocket=%s/sock\n"
		   "policy = best\n", b->dir, b->dir);
	wants(question(b, "{\"cmd\":\"reload\"}"), "/conf:4:10: there is no policy");
	wants(question(b, "{\"cmd\":\"policy\"}"), "\"policy\":\"hpf\"");
	write_file(b, "conf", "[xschedd]\ndevice=%s/dev\nsocket=%s/sock\n"
		   "[rule nobody]\nexe=/nonexistent\npriority=1\n", b->dir,
		   b->dir);
	wants(question(b, "{\"cmd\":\"reload\"}"), "\"ok\":true");
	expect(b, "err", "rule 'nobody' matches no GPU process");
	wants(question(b, "{\"cmd\":\"stats\"}"),
	      "{\"rule\":\"nobody\",\"matched\":0}");
}

/* Another user: no higher priority, no reload, no look at others. */
static void other_users(void **state)
{
	struct bench *b = *state;
	pid_t pid;

	if (getuid())
		skip();
	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	assert_int_equal(ctl(b, "priority %d -10", b->pids[1]), 0);
	pid = fork_child();
	if (!pid) {
		pid_t own = spawn_others();

		send_event(b, ADD, own, 9);
		until_idle(b);
		become_user(OTHER_USER);
		wants(question(b, "{\"cmd\":\"list\"}"), "\"pid\"");
		wants(question(b, "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"priority\",\"value\":5}",
			       own), "raising a priority");
		wants(question(b, "{\"cmd\":\"priority\",\"pid\":%d,\"priority\":-5}",
			       own), "\"ok\":true");
		wants(question(b, "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"crit_priority\",\"value\":9}",
			       own), "raising a priority");
		wants(question(b, "{\"cmd\":\"rules\",\"pid\":%d}", b->pids[0]),
		      "another user's process");
		wants(question(b, "{\"cmd\":\"reload\"}"), "not permitted");
		wants(question(b, "{\"cmd\":\"policy\",\"options\":{\"kedf.k\":3}}"),
		      "not permitted");
		kill(own, SIGKILL);
		_exit(0);
	}
	assert_int_equal(wait_for(pid), 0);
}

/* They do not resume what an administrator suspended, and hear of their own processes alone. */
static void others_stay_apart(void **state)
{
	struct bench *b = *state;
	pid_t pid;

	if (getuid())
		skip();
	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	b->pids[2] = spawn_others();
	send_event(b, ADD, b->pids[2], 9);
	until_idle(b);
	assert_int_equal(ctl(b, "suspend %d", b->pids[2]), 0);
	pid = fork_child();
	if (!pid) {
		char text[4096], wanted[32];
		ssize_t got;
		int fd;

		become_user(OTHER_USER);
		wants(question(b, "{\"cmd\":\"resume\",\"pid\":%d}", b->pids[2]),
		      "suspended by an administrator");
		fd = connect_control(b);
		ask(fd, "{\"cmd\":\"events\"}\n", "\"ok\":true");
		send_event(b, READY, b->pids[0], 1);
		send_event(b, READY, b->pids[2], 9);
		got = receive(fd, text, sizeof(text) - 1);
		if (got <= 0)
			_exit(1);
		text[got] = '\0';
		snprintf(wanted, sizeof(wanted), "\"pid\":%d,", b->pids[2]);
		wants(text, wanted);
		snprintf(wanted, sizeof(wanted), "\"pid\":%d,", b->pids[0]);
		assert_null(strstr(text, wanted));
		_exit(0);
	}
	assert_int_equal(wait_for(pid), 0);
	assert_int_equal(ctl(b, "resume %d", b->pids[2]), 0);
}

/* ---- places ------------------------------------------------------------- */

/* Connections that are answered, up to @most, as this user; each stays open in @fds. */
static int stay(const struct bench *b, uid_t uid, int *fds, int most)
{
	int stays = 0;

	act_as(uid);
	while (stays < most) {
		char answer[8192];
		int fd = connect_control(b);
		ssize_t got;

		if (fd < 0)
			break;
		send(fd, "{\"cmd\":\"policy\"}\n", 17, MSG_NOSIGNAL);
		got = recv(fd, answer, sizeof(answer) - 1, 0);
		answer[got > 0 ? got : 0] = '\0';
		if (!strstr(answer, "\"ok\":true")) {
			wants(answer, "\"error\":\"EUSERS\"");
			close(fd);
			break;
		}
		fds[stays++] = fd;
	}
	act_as(0);
	return stays;
}

static void leave(int *fds, int count)
{
	while (count)
		close(fds[--count]);
}

/* Three users take all there is; a fourth, root, and who comes later all find a place. */
static void all_find_places(void **state)
{
	struct bench *b = *state;
	int fds[4][64], root[4];

	if (getuid())
		skip();
	start_daemon(b, "");
	for (int i = 0; i < 3; i++)
		assert_int_equal(stay(b, 3000 + i, fds[i], 64), 32);
	assert_int_equal(stay(b, 3003, fds[3], 2), 2);
	assert_int_equal(stay(b, 0, root, 4), 4);
	assert_int_equal(ctl(b, "policy"), 0);
	/* The newest of the third had to leave, with a reason. */
	read_until(fds[2][31], "too many connections");
	expect(b, "err", "control connections refused");
	leave(root, 4);
	for (int i = 0; i < 3; i++)
		leave(fds[i], 32);
	leave(fds[3], 2);
}

/* In a child: a process of USER in a user namespace of its own, with 100 other users in it. */
#define USER	4000
#define MAP	"0 4000 1\n1 400000 100\n"

/* So many connections as each of those users, until one is refused; how many there were. */
static void stay_as_many(const struct bench *b)
{
	static int fds[3][64];
	int stays = 0;

	for (int i = 0; i < 3; i++)
		stays += stay(b, i + 1, fds[i], 40);
	_exit(stays);
}

/* The users of a user namespace have together what its owner has, and share it with him. */
static void namespaces_are_one_account(void **state)
{
	struct bench *b = *state;
	int ready[2], go[2], fds[64], rest;
	char byte;
	pid_t pid;

	if (getuid())
		skip();
	start_daemon(b, "");
	assert_int_equal(stay(b, USER, fds, 2), 2);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid = fork_child();
	if (!pid) {
		if (setgid(USER) || setuid(USER) || unshare(CLONE_NEWUSER) ||
		    write(ready[1], "r", 1) != 1 || read(go[0], &byte, 1) != 1 ||
		    setuid(0))
			_exit(101);
		stay_as_many(b);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		skip();		/* no user namespaces here */
	proc_write_map(pid, "uid_map", MAP);
	proc_write_map(pid, "gid_map", MAP);
	assert_int_equal(write(go[1], "g", 1), 1);
	rest = wait_for(pid);
	assert_int_equal(rest, 30);
	leave(fds, 2);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
}

/* ---- records ------------------------------------------------------------ */

/* Number of lines of the journal with a text. */
static unsigned int records(const struct bench *b, const char *text)
{
	return occurrences(b, "journal", text);
}

#define RECORD		"MESSAGE_ID=de80187b91fb48a689f8cee294ee60e9"
#define LEFT_OUT	"MESSAGE_ID=eff0cb7ce234447185550aaf23390283"

/* What it says to the journal can be read; two tenants are known to it. */
static void start_recorded(struct bench *b)
{
	b->journal = true;
	start_daemon(b, "");
	b->journal = false;
	two_tenants(b);
	until_read(b);
}

/* What an administrator does to another's process is recorded, and nothing else. */
static void records_changes(void **state)
{
	struct bench *b = *state;

	if (getuid())
		skip();
	start_recorded(b);
	b->pids[2] = spawn_others();
	send_event(b, ADD, b->pids[2], 9);
	until_read(b);
	assert_int_equal(ctl(b, "suspend %d", b->pids[2]), 0);
	expect(b, "journal", RECORD " XSCHED_PID=%d XSCHED_BY_UID=0 XSCHED_BY_ACCOUNT=0",
	       b->pids[2]);
	expect(b, "journal", " XSCHED_BY_COMM=xschedctl-fake XSCHED_UID=65534 XSCHED_COMM=test_control "
	       "XSCHED_VERB=suspend XSCHED_BEFORE=0 XSCHED_AFTER=1 XSCHED_ERRNO=0 ");
	expect(b, "journal", "asked for suspend of process %d (test_control) of user 65534 from 0 to 1: done",
	       b->pids[2]);
	assert_int_equal(ctl(b, "resume %d", b->pids[2]), 0);
	expect(b, "journal", "XSCHED_VERB=resume XSCHED_BEFORE=1 XSCHED_AFTER=0 XSCHED_ERRNO=0 ");
	assert_int_equal(ctl(b, "resume %d", b->pids[2]), 1);
	expect(b, "journal", "XSCHED_VERB=resume XSCHED_BEFORE=0 XSCHED_AFTER=0 XSCHED_ERRNO=%d ",
	       EALREADY);
	assert_int_equal(ctl(b, "priority %d -7", b->pids[2]), 0);
	expect(b, "journal", "XSCHED_VERB=priority XSCHED_BEFORE=%d XSCHED_AFTER=-7 XSCHED_ERRNO=0 ",
	       -getpriority(PRIO_PROCESS, b->pids[2]));
	wants(question(b, "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"utilization\",\"value\":40}",
		       b->pids[2]), "\"ok\":true");
	expect(b, "journal", "XSCHED_VERB=utilization XSCHED_AFTER=40 XSCHED_ERRNO=0 ");
	/* A hint that there is not ends no line, and commands no terminal. */
	wants(question(b, "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"a\\n\\u001b[2J\",\"value\":1}",
		       b->pids[2]), "there is no such hint");
	expect(b, "journal", "XSCHED_VERB=a??[2J XSCHED_ERRNO=%d ", EOPNOTSUPP);
	expect(b, "journal", "asked for a??[2J of process %d ", b->pids[2]);
	assert_int_equal(records(b, RECORD), 6);
	/* One's own process. */
	assert_int_equal(ctl(b, "priority %d 1", b->pids[0]), 0);
	assert_int_equal(records(b, RECORD), 6);
}

/* Who is refused again and again does not fill the journal: the rest is counted. */
static void counts_refusals(void **state)
{
	struct bench *b = *state;

	if (getuid())
		skip();
	start_recorded(b);
	act_as(OTHER_USER);
	for (int i = 0; i < 25; i++)
		wants(question(b, "{\"cmd\":\"suspend\",\"pid\":%d}", b->pids[0]),
		      "another user's process");
	act_as(0);
	expect(b, "journal", "XSCHED_BY_UID=65534 XSCHED_BY_ACCOUNT=65534 ");
	expect(b, "journal", "XSCHED_UID=0 XSCHED_COMM=test_control XSCHED_VERB=suspend "
	       "XSCHED_BEFORE=0 XSCHED_AFTER=0 XSCHED_ERRNO=%d ", EPERM);
	assert_int_equal(records(b, RECORD), 10);
	advance(b, 10 * SECOND - 1);
	assert_int_equal(records(b, LEFT_OUT), 0);
	advance(b, 1);
	expect(b, "journal", LEFT_OUT " XSCHED_BY_ACCOUNT=65534 XSCHED_LEFT_OUT=15 ");
	/* What succeeds is recorded always. */
	act_as(OTHER_USER);
	for (int i = 0; i < 11; i++)
		question(b, "{\"cmd\":\"suspend\",\"pid\":%d}", b->pids[0]);
	act_as(0);
	assert_int_equal(records(b, RECORD), 20);
	assert_int_equal(stop_daemon(b), 0);
	/* So is what was left out when it ends. */
	expect(b, "journal", LEFT_OUT " XSCHED_BY_ACCOUNT=65534 XSCHED_LEFT_OUT=1 ");
}

/* ---- a process without its leader --------------------------------------- */

static void *wait_for_ever(void *argument)
{
	(void)argument;
	for (;;)
		pause();
	return NULL;
}

static bool leader_has_ended(pid_t pid)
{
	char path[64], text[512] = "", *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	fgets(text, sizeof(text), file);
	fclose(file);
	state = strrchr(text, ')');
	return state && state[2] == 'Z';
}

/* Whose leader ends before it can be read escapes no rule that lowers. */
static void leader_does_not_escape(void **state)
{
	struct bench *b = *state;
	pthread_t thread;

	start_daemon(b, "[rule low]\nexe=test_control\npriority=-9\n"
		     "[rule other]\nenvironment=JOB=night\npriority=-5\n"
		     "[rule high]\nexe=*\npriority=9\ntrust_descriptive=yes\n");
	b->pids[0] = fork_child();
	if (!b->pids[0]) {
		/* Whatever the tests run at. */
		setpriority(PRIO_PROCESS, 0, 0);
		pthread_create(&thread, NULL, wait_for_ever, NULL);
		syscall(SYS_exit, 0);
	}
	wait_until(leader_has_ended(b->pids[0]));
	send_event(b, ADD, b->pids[0], 1);
	until_read(b);
	wants(question(b, "{\"cmd\":\"list\"}"), "\"priority\":-9,\"priority_from\":\"unread\"");
	wants(question(b, "{\"cmd\":\"list\"}"), "\"rule\":\"low\"");
	assert_int_equal(ctl(b, "list"), 0);
	expect(b, "out", " -9 unread ");
	assert_int_equal(ctl(b, "rules test %d", b->pids[0]), 0);
	expect(b, "out", "not all that the rule looks at can be read");
}

/* 10,000 connections, of which none says a whole request: the GPUs are served. */
static void many_connections(void **state)
{
	struct rlimit limit = { 12000, 12000 };
	struct bench *b = *state;
	static int fds[10000];

	if (setrlimit(RLIMIT_NOFILE, &limit))
		skip();
	start_daemon(b, "");
	two_tenants(b);
	for (size_t i = 0; i < 10000; i++) {
		/* As many as it accepts in a second: we wait for that. */
		if (i % 200 == 0)
			advance(b, SECOND);
		fds[i] = connect_control(b);
		if (fds[i] >= 0 && i % 2)
			send(fds[i], "{\"cmd\"", 6, MSG_NOSIGNAL);
	}
	send_event(b, READY, b->pids[0], 1);
	expect(b, "holds", "%d\n", b->pids[1]);
	expect(b, "err", "control connections refused");
	for (size_t i = 0; i < 10000; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	advance(b, SECOND);
	assert_int_equal(ctl(b, "policy"), 0);
	/* Not a line for each. */
	assert_true(lines(b, "err") < 100);
}

/* So many connections at once, of which the last one waits. */
static void accept_but_one(struct bench *b, int count)
{
	static const char request[] = "{\"cmd\":\"stats\"}\n";
	int fd;

	for (int i = 1; i < count; i++) {
		fd = connect_control(b);
		assert_true(fd >= 0);
		close(fd);
	}
	fd = connect_control(b);
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
	advance(b, 5 * MS - 1);
	assert_false(has_news(fd));
	advance(b, 1);
	read_until(fd, "\"ok\":true");
	close(fd);
}

/* So many at once, and then one in each 5 ms. */
static void accepts_so_many_a_second(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	advance(b, SECOND);
	accept_but_one(b, 257);
	accept_but_one(b, 1);
	accept_but_one(b, 1);
}

/* Half a request is waited for for 10 s, also if another part of it comes. */
static void hangs_up_on_halves(void **state)
{
	struct bench *b = *state;
	int fd;

	start_daemon(b, "");
	fd = connect_control(b);
	ask(fd, "{\"cmd\":\"policy\"}\n", "\"ok\":true");
	/* Nothing is half-way: there is no hurry. */
	advance(b, 100 * SECOND);
	assert_int_equal(send(fd, "{\"cmd\":", 7, 0), 7);
	advance(b, 5 * SECOND);
	assert_int_equal(send(fd, "\"pol", 4, 0), 4);
	advance(b, 5 * SECOND - 1);
	assert_false(has_news(fd));
	/* It is whole just in time, and the next one has its 10 s. */
	ask(fd, "icy\"}\n", "\"policy\":\"hpf\"");
	assert_int_equal(send(fd, "{", 1, 0), 1);
	advance(b, 10 * SECOND - 1);
	assert_false(has_news(fd));
	assert_null(strstr(read_whole(b, "err"), "cut off"));
	advance(b, 1);
	assert_true(has_news(fd));
	expect(b, "err", "user %u cut off: it sent half a request and then nothing", getuid());
	close(fd);
}

/* A listener that does not read is disconnected; the others get all events. */
static void cuts_off_deaf_ones(void **state)
{
	struct bench *b = *state;
	char byte[4096];
	int deaf;

	start_daemon(b, "");
	two_tenants(b);
	deaf = connect_control(b);
	send(deaf, "{\"cmd\":\"events\"}\n", 17, MSG_NOSIGNAL);
	wait_until(strstr(question(b, "{\"cmd\":\"stats\"}"), "\"listeners\":1"));
	/* An event is a line of some 70 bytes. */
	for (int i = 0; strstr(question(b, "{\"cmd\":\"stats\"}"), "\"listeners\":1"); i++) {
		assert_true(i < 1000);
		for (int j = 0; j < 100; j++)
			send_events(b, (struct kfd_xsched_event[]){
					event(READY, b->pids[0], 1),
					event(IDLE, b->pids[0], 1) }, 2);
	}
	expect(b, "err", "does not read");
	while (receive(deaf, byte, sizeof(byte)) > 0)
		;
	close(deaf);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "holds", "%d\n", b->pids[1]);
	assert_int_equal(stop_daemon(b), 0);
}

/* An answer that is not taken is waited for for 10 s. */
static void hangs_up_on_deaf_ones(void **state)
{
	static const char request[] = "{\"cmd\":\"stats\"}\n";
	struct bench *b = *state;
	int fd;

	start_daemon(b, "");
	fd = connect_control(b);
	/* As many requests as there is room for: then there is none for the answers. */
	while (send(fd, request, strlen(request), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		until_idle(b);
	until_idle(b);
	advance(b, 10 * SECOND - 1);
	assert_null(strstr(read_whole(b, "err"), "cut off"));
	advance(b, 1);
	expect(b, "err", "user %u cut off: it does not read", getuid());
	close(fd);
}

/* A process of that name, and one whose arguments are like that. */
static void spawn_obscene(struct bench *b, const char *text)
{
	char *const arguments[] = { (char *)text, "1000", NULL };
	char *const environment[] = { "A=1", NULL };

	b->pids[0] = fork_child();
	if (!b->pids[0]) {
		prctl(PR_SET_NAME, text);
		for (;;)
			pause();
	}
	await_comm(b->pids[0], text);
	b->pids[1] = fork_child();
	if (!b->pids[1]) {
		execve("/bin/sleep", arguments, environment);
		_exit(126);
	}
	await_comm(b->pids[1], "sleep");
	await_environ(b->pids[1]);
}

/* Whether "out" has a byte that a terminal would obey. */
static bool commands_terminal(const struct bench *b)
{
	for (const char *at = read_whole(b, "out"); *at; at++)
		if ((*at < ' ' && *at != '\n') || *at == 0x7f)
			return true;
	return false;
}

/* What others call their programs does not reach the terminal as it is. */
static void shows_no_commands(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	spawn_obscene(b, "\033[2J\a\x7f\xff");
	send_event(b, ADD, b->pids[0], 1);
	until_read(b);
	wants(question(b, "{\"cmd\":\"list\"}"), "\"comm\":\"?[2J???\"");
	wants(question(b, "{\"cmd\":\"rules\",\"pid\":%d}", b->pids[1]),
	      "\"cmdline\":\"?[2J??? 1000\"");
	assert_int_equal(ctl(b, "list"), 0);
	expect(b, "out", "?[2J???");
	assert_false(commands_terminal(b));
	assert_int_equal(ctl(b, "rules test %d", b->pids[1]), 0);
	assert_false(commands_terminal(b));
	assert_int_equal(ctl(b, "top -b -n 1"), 0);
	expect(b, "out", "?[2J???");
	assert_false(commands_terminal(b));
}

/* A user namespace of our own. It cannot be had in a chroot(): leave it for that. */
static int enter_namespace(const struct bench *b)
{
	int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret, fd;

	if (root < 0 || chdir("/") || chroot(b->dir))
		_exit(1);
	for (int i = 0; i < 64; i++)
		if (chdir(".."))
			_exit(1);
	if (chroot("."))
		_exit(1);
	ret = unshare(CLONE_NEWUSER);
	if (fchdir(root) || chroot("."))
		_exit(1);
	close(root);
	if (ret)
		return ret;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	if (write(fd, "0 0 1\n", 6) != 6)
		_exit(1);
	close(fd);
	return 0;
}

/* uid 0 without CAP_SYS_NICE, or in a user namespace of its own where it has all. */
static void try_as_root(struct bench *b, bool namespace)
{
	if (namespace) {
		if (enter_namespace(b))
			_exit(77);
	} else {
		capng_get_caps_process();
		capng_update(CAPNG_DROP, CAPNG_EFFECTIVE | CAPNG_PERMITTED,
			     CAP_SYS_NICE);
		if (capng_apply(CAPNG_SELECT_CAPS))
			_exit(1);
	}
	if (getuid())
		_exit(1);
	wants(question(b, "{\"cmd\":\"policy\",\"policy\":\"cfs\"}"), "not permitted");
	wants(question(b, "{\"cmd\":\"reload\"}"), "not permitted");
	/* As every user, it may see its own. */
	wants(question(b, "{\"cmd\":\"rules\",\"pid\":%d}", getpid()), "\"ok\":true");
	_exit(0);
}

/* Root of a container is no administrator. */
static void root_of_a_container(void **state)
{
	struct bench *b = *state;
	int status;

	if (getuid())
		skip();
	start_daemon(b, "");
	for (int namespace = 0; namespace < 2; namespace++) {
		pid_t pid = fork_child();

		if (!pid)
			try_as_root(b, namespace);
		status = wait_for(pid);
		if (status == 77)
			print_message("# no user namespaces here\n");
		else
			assert_int_equal(status, 0);
	}
	assert_int_equal(ctl(b, "policy cfs"), 0);
}

#define FLOOD	250

/* As many requests as there are, in one piece; the answers are not read yet. */
static int flood(const struct bench *b)
{
	static const char request[] = "{\"cmd\":\"stats\"}\n";
	static char text[FLOOD * (sizeof(request) - 1)];
	int fd = connect_control(b);

	for (int i = 0; i < FLOOD; i++)
		memcpy(text + i * (sizeof(request) - 1), request,
		       sizeof(request) - 1);
	assert_true(fd >= 0);
	assert_int_equal(send(fd, text, sizeof(text), MSG_NOSIGNAL), sizeof(text));
	return fd;
}

/* All that has come until the daemon has nothing to do: so many answers. */
static int drain(const struct bench *b, int fd)
{
	char text[65536];
	int answers = 0;
	ssize_t got;

	until_idle(b);
	while ((got = recv(fd, text, sizeof(text), MSG_DONTWAIT)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			answers += text[i] == '\n';
		/* There was no room for more. */
		until_idle(b);
	}
	return answers;
}

/* A user who asks without end gets some answers a second; the others do not wait. */
static void limits_users(void **state)
{
	struct bench *b = *state;
	int fd, answers = 0;

	if (getuid())
		skip();
	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	act_as(OTHER_USER);
	fd = flood(b);
	act_as(0);
	/* First the helper reads who it is. */
	wait_until(has_news(fd));
	/* A request costs a millisecond: 100 are free, then there is one every 20 ms. */
	assert_int_equal(drain(b, fd), 100);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "holds", "%d\n", b->pids[1]);
	assert_int_equal(ctl(b, "stats"), 0);
	/* A switch took 6 ns, and each wait is a microsecond longer than need be. */
	advance(b, 20 * MS - 6);
	assert_int_equal(drain(b, fd), 0);
	advance(b, 1000);
	assert_int_equal(drain(b, fd), 1);
	advance(b, SECOND);
	assert_int_equal(drain(b, fd), 50);
	advance(b, (FLOOD - 151) * 20 * MS - 1000);
	assert_int_equal(drain(b, fd), FLOOD - 152);
	advance(b, 1000);
	assert_int_equal(drain(b, fd), 1);
	close(fd);
	/* For an administrator there is no limit, but a turn for each request. */
	fd = flood(b);
	wait_until((answers += drain(b, fd)) == FLOOD);
	close(fd);
}

/* Random bytes in lines, with a fixed seed: answered or hung up, no more. */
static void survives_garbage(void **state)
{
	static const char bytes[] = "{}[]\":,cmdpidlist0123456789\\u \n\n\x80\xff";
	struct bench *b = *state;
	uint32_t seed = 7;

	start_daemon(b, "");
	for (int round = 0; round < 300; round++) {
		char text[512];
		int fd;

		if (round % 200 == 0)
			advance(b, SECOND);
		fd = connect_control(b);

		for (size_t i = 0; i < sizeof(text); i++) {
			seed = seed * 1664525u + 1013904223u;
			text[i] = bytes[(seed >> 8) % (sizeof(bytes) - 1)];
		}
		send(fd, text, sizeof(text), MSG_NOSIGNAL);
		close(fd);
	}
	assert_int_equal(ctl(b, "policy"), 0);
	assert_int_equal(stop_daemon(b), 0);
}

/*
 * Under systemd messages have fields, and the watchdog is fed: by sd-event, in real time, as it
 * is to notice that the loop itself stands still.
 */
static void speaks_to_systemd(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct bench *b = *state;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char message[256];
	bool fed = false;

	strcpy(address.sun_path, in_dir(b, "notify"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      sizeof(address)), 0);
	set_patience(fd);
	b->notify = address.sun_path;
	b->watchdog_usec = "100000";
	b->journal = true;
	start_daemon(b, "");
	for (int i = 0; i < 20 && !fed; i++) {
		ssize_t got = receive(fd, message, sizeof(message) - 1);

		assert_true(got > 0);
		message[got] = '\0';
		fed = strstr(message, "WATCHDOG=1");
	}
	assert_true(fed);
	/* Nobody reads it any more: the daemon must not wait for that. */
	close(fd);
	two_tenants(b);
	write_file(b, "denied", "%d\n", b->pids[1]);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "journal", "XSCHED_PID=%d", b->pids[1]);
	expect(b, "journal", "MESSAGE_ID=");
}

/* The child of the daemon with that name; 0: there is none. */
static pid_t find_child(const struct bench *b, const char *name)
{
	char path[64], text[4096] = "", comm[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", b->daemon, b->daemon);
	file = fopen(path, "re");
	if (!file)
		return 0;
	fgets(text, sizeof(text), file);
	fclose(file);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		snprintf(path, sizeof(path), "/proc/%s/comm", word);
		file = fopen(path, "re");
		*comm = '\0';
		if (file && fgets(comm, sizeof(comm), file))
			comm[strcspn(comm, "\n")] = '\0';
		if (file)
			fclose(file);
		if (!strcmp(comm, name))
			return atoi(word);
	}
	return 0;
}

static unsigned long long capabilities(pid_t pid)
{
	char permitted[PROC_WORD];

	proc_status(pid, "CapPrm", permitted);
	assert_true(*permitted);
	return strtoull(permitted, NULL, 16);
}

/* The helper that asks the databases of users has no capability. */
static void resolver_has_none(void **state)
{
	struct bench *b = *state;
	pid_t pid;

	if (getuid())
		skip();
	start_daemon(b, "");
	wants(question(b, "{\"cmd\":\"reload\"}"), "\"ok\":true");
	pid = find_child(b, "xschedd-names");
	if (!pid)
		skip();		/* the kernel does not list children */
	assert_int_equal(capabilities(pid), 0);
}

/* Once it runs it has the capabilities it uses, and no others. */
static void drops_privileges(void **state)
{
	struct bench *b = *state;

	if (getuid())
		skip();
	start_daemon(b, "");
	assert_int_equal(ctl(b, "policy"), 0);
	/* DAC_READ_SEARCH 2, IPC_LOCK 14, SYS_PTRACE 19, SYS_NICE 23 */
	assert_int_equal(capabilities(b->daemon), 1 << 2 | 1 << 14 | 1 << 19 | 1 << 23);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(streams_events),
		TEST(tells_rules),
		TEST(environment_counts),
		TEST(takes_hints),
		TEST(groups_are_one),
		TEST(reloads_by_request),
		TEST(other_users),
		TEST(others_stay_apart),
		TEST(all_find_places),
		TEST(namespaces_are_one_account),
		TEST(records_changes),
		TEST(counts_refusals),
		TEST(leader_does_not_escape),
		TEST(many_connections),
		TEST(accepts_so_many_a_second),
		TEST(hangs_up_on_halves),
		TEST(cuts_off_deaf_ones),
		TEST(hangs_up_on_deaf_ones),
		TEST(shows_no_commands),
		TEST(root_of_a_container),
		TEST(limits_users),
		TEST(survives_garbage),
		TEST(speaks_to_systemd),
		TEST(drops_privileges),
		TEST(resolver_has_none),
	};

	signal(SIGPIPE, SIG_IGN);
	return RUN(tests);
}
