// SPDX-License-Identifier: MIT
/*
 * xschedd above a fake kernel: events in, APPLYs out, the trace, signals and
 * exit statuses. test_control.c has the control socket.
 */
#include "xschedd_bench.h"

#include <json-c/json.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- tests -------------------------------------------------------------- */

static double number(struct json_object *object, const char *name)
{
	struct json_object *value;

	assert_true(json_object_object_get_ex(object, name, &value));
	return json_object_get_double(value);
}

/* The first, and only, pid of an array of a trace line; 0: none. */
static int only_pid(struct json_object *line, const char *name)
{
	struct json_object *array;

	assert_true(json_object_object_get_ex(line, name, &array));
	if (!json_object_array_length(array))
		return 0;
	assert_int_equal(json_object_array_length(array), 1);
	return json_object_get_int(json_object_array_get_idx(array, 0));
}

static void check_trace(struct bench *b)
{
	char text[8192];
	char *line;
	int count = 0;

	snprintf(text, sizeof(text), "%s", read_whole(b, "trace"));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		struct json_object *o = json_tokener_parse(line);
		struct json_object *nodes, *node;

		assert_non_null(o);
		assert_int_equal(only_pid(o, "hold"), count ? 0 : b->pids[1]);
		assert_int_equal(only_pid(o, "release"),
				 count ? b->pids[1] : 0);
		assert_true(number(o, "event_ns") <= number(o, "t_ns"));
		assert_true(number(o, "call_ns") == 6);
		assert_true(number(o, "status") == 0);
		assert_true(json_object_object_get_ex(o, "nodes", &nodes));
		assert_int_equal(json_object_array_length(nodes), 1);
		node = json_object_array_get_idx(nodes, 0);
		assert_true(number(node, "gpu_id") == GPU);
		assert_true(number(node, "lock_ns") == 1);
		assert_true(number(node, "unmap_ns") == 2);
		assert_true(number(node, "map_ns") == 3);
		assert_true(number(node, "total_ns") == 6);
		assert_true(number(node, "flips") == 1);
		assert_true(number(node, "fw_transactions") == 1);
		assert_true(number(node, "status") == 0);
		json_object_put(o);
		count++;
	}
	assert_int_equal(count, 2);
}

/* READY of the high one holds the low one, IDLE lets it go; all is traced. */
static void preempts_and_traces(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	send_event(b, IDLE, b->pids[0], 1);
	expect(b, "log", "hold release %d = 0\n", b->pids[1]);
	assert_int_equal(stop_daemon(b), 0);
	assert_int_equal(applies(b), 2);
	check_trace(b);
}

/* A line of the trace is written a second after the switch, with all that came since. */
static void writes_the_trace(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	assert_int_equal(applies(b), 1);
	advance(b, SECOND - 1 - 6);
	send_event(b, IDLE, b->pids[0], 1);
	until_idle(b);
	assert_int_equal(applies(b), 2);
	assert_string_equal(read_whole(b, "trace"), "");
	advance(b, 1);
	check_trace(b);
	/* Nothing more to write. */
	advance(b, 10 * SECOND);
	check_trace(b);
}

/* Every user may connect, whatever the mask of the daemon is. */
static void socket_is_for_all(void **state)
{
	struct bench *b = *state;
	mode_t mask = umask(0077);
	struct stat status;

	start_daemon(b, "");
	umask(mask);
	assert_int_equal(stat(in_dir(b, "sock"), &status), 0);
	assert_int_equal(status.st_mode, S_IFSOCK | 0666);
	/* Other files have the mode it asks for. */
	assert_int_equal(stat(in_dir(b, "trace"), &status), 0);
	assert_int_equal(status.st_mode & 0077, 0);
}

/* SIGTERM releases what is held, and the socket is gone. */
static void releases_on_term(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "holds", "%d\n", b->pids[1]);
	assert_int_equal(stop_daemon(b), 0);
	assert_string_equal(read_whole(b, "holds"), "");
	assert_int_equal(access(in_dir(b, "sock"), F_OK), -1);
}

/* What exists before the daemon is taken over; newcomers are held at once. */
static void takes_over_and_holds_newcomers(void **state)
{
	struct bench *b = *state;

	b->pids[0] = spawn_tenant(0);
	b->pids[1] = spawn_tenant(10);
	b->pids[2] = spawn_tenant(5);
	write_file(b, "queues", "1 %d 100 1\n2 %d 100 0\n", b->pids[0],
		   b->pids[1]);
	start_daemon(b, "");
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	send_event(b, ADD, b->pids[2], 3);
	expect(b, "log", "hold %d release = 0\n", b->pids[2]);
	assert_int_equal(applies(b), 2);
}

/* A rule goes before the nice value; hold and release are one APPLY. */
static void one_apply_for_a_swap(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "[rule us]\ncomm=test_xschedd\npriority=7\n"
		     "trust_descriptive=yes\n");
	two_tenants(b);
	send_event(b, READY, b->pids[0], 1);
	/* Equal priority by the rule: together. */
	until_read(b);
	assert_non_null(strstr(question(b, "{\"cmd\":\"list\"}"),
			       "\"priority\":7,\"priority_from\":\"rule\""));
	assert_int_equal(applies(b), 0);
	assert_int_equal(ctl(b, "priority %d 9", b->pids[0]), 0);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	assert_int_equal(ctl(b, "priority %d 11", b->pids[1]), 0);
	expect(b, "log", "hold %d release %d = 0\n", b->pids[0], b->pids[1]);
	assert_int_equal(applies(b), 2);
}

/* After LOST the list is read again: what was missed takes effect. */
static void lists_again_when_lost(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	b->pids[0] = spawn_tenant(0);
	b->pids[1] = spawn_tenant(10);
	write_file(b, "queues", "1 %d 100 1\n2 %d 100 1\n", b->pids[0],
		   b->pids[1]);
	send_event(b, KFD_XSCHED_EVENT_LOST, 0, 0);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	/* The high one and its exit are missed, too. */
	assert_true(end_child(b->pids[0]));
	b->pids[0] = 0;
	write_file(b, "queues", "2 %d 100 1\n", b->pids[1]);
	send_event(b, KFD_XSCHED_EVENT_LOST, 0, 0);
	expect(b, "log", "hold release %d = 0\n", b->pids[1]);
}

/* The kernel has demoted a process, or has ended that. */
static void send_demoted(const struct bench *b, pid_t pid, bool demoted)
{
	struct kfd_xsched_event one = event(KFD_XSCHED_EVENT_DEMOTED, pid, 0);

	one.data = demoted;
	send_events(b, &one, 1);
	until_idle(b);
}

/* 10 ms after the last change exactly these switches are armed, and they remain. */
static void expect_armed(const struct bench *b, const char *wanted)
{
	until_read(b);
	advance(b, 10 * MS);
	assert_string_equal(read_whole(b, "armed"), wanted);
	advance(b, SECOND);
	assert_string_equal(read_whole(b, "armed"), wanted);
}

/* Processes of one job come one after another: nothing is armed before the last. */
static void arms_after_a_rest(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "armed=yes\n");
	two_tenants(b);
	until_read(b);
	advance(b, 10 * MS - 1);
	b->pids[2] = spawn_tenant(5);
	send_event(b, ADD, b->pids[2], 3);
	until_read(b);
	advance(b, 10 * MS - 1);
	assert_string_equal(read_whole(b, "armed"), "");
	advance(b, 1);
	assert_int_equal(lines(b, "armed"), 2);
}

/* What HPF would answer is left with the kernel, and only what is right. */
static void arms_in_advance(void **state)
{
	struct bench *b = *state;
	char armed[256], two[64], other[64];

	start_daemon(b, "armed=yes\n");
	two_tenants(b);
	snprintf(two, sizeof(two), "%d: holds %d\n", b->pids[0], b->pids[1]);
	snprintf(other, sizeof(other), "%d: holds %d\n", b->pids[1],
		 b->pids[0]);
	expect_armed(b, two);
	b->pids[2] = spawn_tenant(5);
	send_event(b, ADD, b->pids[2], 3);
	snprintf(armed, sizeof(armed), "%d: holds %d %d\n%d: holds %d\n",
		 b->pids[0], b->pids[2], b->pids[1], b->pids[2], b->pids[1]);
	expect_armed(b, armed);
	send_event(b, KFD_XSCHED_EVENT_PROCESS_EXIT, b->pids[2], 0);
	expect_armed(b, two);
	/* Wrong at once: it is disarmed before the answer. */
	assert_int_equal(ctl(b, "priority %d 0", b->pids[1]), 0);
	assert_string_equal(read_whole(b, "armed"), "");
	assert_int_equal(ctl(b, "priority %d 1", b->pids[1]), 0);
	expect_armed(b, other);
	/* A suspended tenant makes no other wait, and may be held. */
	assert_int_equal(ctl(b, "suspend %d", b->pids[1]), 0);
	assert_string_equal(read_whole(b, "armed"), "");
	assert_int_equal(ctl(b, "resume %d", b->pids[1]), 0);
	expect_armed(b, other);
	assert_int_equal(ctl(b, "policy cfs"), 0);
	assert_string_equal(read_whole(b, "armed"), "");
	expect_armed(b, "");
	assert_int_equal(ctl(b, "policy hhpf"), 0);
	expect_armed(b, other);
	assert_non_null(strstr(question(b, "{\"cmd\":\"policy\",\"options\":{\"floor_percent\":5}}"),
			       "\"ok\":true"));
	assert_string_equal(read_whole(b, "armed"), "");
	assert_non_null(strstr(question(b, "{\"cmd\":\"policy\",\"options\":{\"floor_percent\":0}}"),
			       "\"ok\":true"));
	expect_armed(b, other);
	/* By which the fake kernel knows whose queues are. */
	write_file(b, "queues", "1 %d %d 0\n2 %d %d 1\n", b->pids[0], GPU,
		   b->pids[1], GPU);
	assert_int_equal(ctl(b, "policy gang=0"), 0);
	assert_string_equal(read_whole(b, "armed"), "");
	assert_int_equal(ctl(b, "policy gang=1"), 0);
	expect_armed(b, other);
	/* The plan is the same as ever. */
	send_event(b, READY, b->pids[1], 2);
	expect(b, "holds", "%d\n", b->pids[0]);
	assert_int_equal(stop_daemon(b), 0);
	assert_string_equal(read_whole(b, "armed"), "");
	assert_string_equal(read_whole(b, "holds"), "");
}

/* The kernel runs no switch of who is demoted: all others have one that holds him. */
static void arms_against_the_demoted(void **state)
{
	struct bench *b = *state;
	char armed[256];

	start_daemon(b, "armed=yes\n");
	two_tenants(b);
	snprintf(armed, sizeof(armed), "%d: holds %d\n", b->pids[0], b->pids[1]);
	expect_armed(b, armed);
	send_demoted(b, b->pids[0], true);
	assert_string_equal(read_whole(b, "armed"), "");
	snprintf(armed, sizeof(armed), "%d: holds %d\n", b->pids[1], b->pids[0]);
	expect_armed(b, armed);
	/* Also one whose own priority is the same. */
	assert_int_equal(ctl(b, "priority %d 0", b->pids[1]), 0);
	expect_armed(b, armed);
	send_demoted(b, b->pids[1], true);
	expect_armed(b, "");
	send_demoted(b, b->pids[0], false);
	snprintf(armed, sizeof(armed), "%d: holds %d\n", b->pids[0], b->pids[1]);
	expect_armed(b, armed);
	send_demoted(b, b->pids[1], false);
	expect_armed(b, "");
}

/* What an older kernel cannot report is not asked for; the rest is. */
static void asks_for_what_there_is(void **state)
{
	const uint32_t newer[] = { KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_BREAKER),
				   KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_DEMOTED) };
	struct bench *b = *state;
	uint32_t first = 0, events;

	for (unsigned int i = 0; i < 3; i++) {
		write_file(b, "knows", "%d\n", KFD_XSCHED_EVENT_ARMED + i);
		start_daemon(b, "");
		assert_int_equal(sscanf(read_whole(b, "subscribed"), "%x", &events), 1);
		assert_int_equal(stop_daemon(b), 0);
		first = i ? first | newer[i - 1] : events;
		assert_int_equal(events, first);
	}
}

/* A failed firmware is tried again after 1 ms, then 2 ms; what was in doubt is settled. */
static void retries_after_failure(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	write_file(b, "errors", "%d\n%d\n", EIO, ETIME);
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	for (unsigned int i = 1; i < 3; i++) {
		advance(b, i * MS - 1);
		assert_int_equal(applies(b), i);
		advance(b, 1);
		assert_int_equal(applies(b), i + 1);
	}
	expect(b, "log", "hold %d release = %d\nhold %d release = %d\n"
	       "hold %d release = 0\n", b->pids[1], EIO, b->pids[1], ETIME,
	       b->pids[1]);
	assert_int_equal(ctl(b, "stats"), 0);
	expect(b, "err", "cannot switch: Input/output error");
	expect(b, "err", "switching works again");
	expect(b, "out", "retries          2\n");
}

/* The next sign of life comes after exactly so long. */
static void expect_renewal(const struct bench *b, uint64_t ns)
{
	const unsigned int before = lines(b, "renewals");

	advance(b, ns - 1);
	assert_int_equal(lines(b, "renewals"), before);
	advance(b, 1);
	assert_int_equal(lines(b, "renewals"), before + 1);
}

/* While something is held, and only then, there are signs of life: four in the time of a lease. */
static void renews_while_holding(void **state)
{
	struct bench *b = *state;
	unsigned int before;

	write_file(b, "lease", "200\n");
	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	advance(b, 10 * SECOND);
	/* One as it connects: it asks what the lease is. */
	assert_int_equal(lines(b, "renewals"), 1);
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	expect(b, "holds", "%d\n", b->pids[1]);
	for (int i = 0; i < 5; i++)
		expect_renewal(b, 50 * MS);
	/* The lease has become shorter: it is renewed more often, when that is known. */
	write_file(b, "lease", "40\n");
	expect_renewal(b, 50 * MS);
	for (int i = 0; i < 20; i++)
		expect_renewal(b, 10 * MS);
	send_event(b, IDLE, b->pids[0], 1);
	until_idle(b);
	expect(b, "log", "hold release %d = 0\n", b->pids[1]);
	before = lines(b, "renewals");
	advance(b, 10 * SECOND);
	assert_int_equal(lines(b, "renewals"), before);
}

/* Ejected: it says why, becomes a client anew, and holds again what is due. */
static void starts_afresh(struct bench *b, int reason, const char *why)
{
	write_file(b, "ejected", "%d\n", reason);
	/* After a pause, to distinguish the second hold from the first. */
	write_file(b, "log", "");
	write_file(b, "queues", "1 %d 100 1\n2 %d 100 1\n", b->pids[0],
		   b->pids[1]);
	send_event(b, KFD_XSCHED_EVENT_EJECTED, 0, 0);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	expect(b, "err", "ejected by the kernel: %s; starting afresh",
	       why);
	expect(b, "holds", "%d\n", b->pids[1]);
}

static void starts_afresh_when_told(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "holds", "%d\n", b->pids[1]);
	starts_afresh(b, KFD_XSCHED_EJECT_WATCHDOG, "no sign of life while a held queue had work");
	starts_afresh(b, KFD_XSCHED_EJECT_ADMIN, "by an administrator");
	starts_afresh(b, KFD_XSCHED_EJECT_DISABLED, "the module was disabled");
	assert_int_equal(stop_daemon(b), 0);
	assert_string_equal(read_whole(b, "holds"), "");
}

/* It learns of it by a switch that fails: that switch is made afresh. */
static void starts_afresh_in_a_switch(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	write_file(b, "queues", "1 %d 100 1\n2 %d 100 1\n", b->pids[0],
		   b->pids[1]);
	write_file(b, "ejected", "%d\n", KFD_XSCHED_EJECT_ADMIN);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "log", "hold %d release = %d\nhold %d release = 0\n",
	       b->pids[1], EOWNERDEAD, b->pids[1]);
	expect(b, "err", "ejected by the kernel: by an administrator");
	/* No failure of the firmware: nothing was backed off. */
	until_idle(b);
	assert_null(strstr(read_whole(b, "err"), "cannot switch"));
}

/* It learns of it by a sign of life. */
static void starts_afresh_in_a_renewal(void **state)
{
	struct bench *b = *state;

	write_file(b, "lease", "40\n");
	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	write_file(b, "queues", "1 %d 100 1\n2 %d 100 1\n", b->pids[0],
		   b->pids[1]);
	write_file(b, "ejected", "%d\n", KFD_XSCHED_EJECT_WATCHDOG);
	advance(b, 10 * MS - 1);
	assert_int_equal(applies(b), 1);
	advance(b, 1);
	expect(b, "log", "hold %d release = 0\nhold %d release = 0\n",
	       b->pids[1], b->pids[1]);
	expect(b, "holds", "%d\n", b->pids[1]);
	for (int i = 0; i < 3; i++)
		expect_renewal(b, 10 * MS);
}

/* The device does not come back: the daemon ends, and says so. */
static void ends_without_device(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	write_file(b, "ejected", "%d\n", KFD_XSCHED_EJECT_WATCHDOG);
	assert_int_equal(rename(in_dir(b, "dev"), in_dir(b, "out")), 0);
	send_event(b, KFD_XSCHED_EVENT_EJECTED, 0, 0);
	assert_int_equal(wait_for(b->daemon), 3);
	b->daemon = 0;
	expect(b, "err", "the device is gone: No such file or directory");
}

/* Ten times from 1 ms on, each twice as long as the last; and 6 ns for each that failed. */
#define RETRIES_NS	(1023 * MS + 9 * 6)

/* A persistent failure is not tried for ever. */
static void gives_up(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	write_file(b, "errors",
		   "5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n");
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	advance(b, RETRIES_NS - 1);
	assert_int_equal(applies(b), 10);
	assert_null(strstr(read_whole(b, "err"), "gave up"));
	advance(b, 1);
	expect(b, "err", "gave up after 10 attempts");
	advance(b, 60 * SECOND);
	assert_int_equal(applies(b), 11);
	/* It takes up again with the next event, a second later. */
	write_file(b, "errors", "");
	send_event(b, READY, b->pids[0], 1);
	advance(b, SECOND - 1);
	assert_int_equal(applies(b), 11);
	advance(b, 1);
	assert_int_equal(applies(b), 12);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
}

/* Processes that the kernel does not let us change are not scheduled, the others are. */
static void leaves_denied_alone(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	b->pids[2] = spawn_tenant(5);
	write_file(b, "denied", "%d\n", b->pids[1]);
	send_event(b, ADD, b->pids[2], 3);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "log", "hold %d release = 0\n", b->pids[2]);
	expect(b, "holds", "%d\n", b->pids[2]);
	expect(b, "err", "process %d is not scheduled", b->pids[1]);
	assert_int_equal(ctl(b, "suspend %d", b->pids[1]), 4);
}

/* Who is demoted waits for all others, and is scheduled like them: held, released, shown. */
static void demoted_waits(void **state)
{
	struct bench *b = *state;
	char wanted[128];
	int fd;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	fd = connect_control(b);
	ask(fd, "{\"cmd\":\"events\"}\n", "\"ok\":true");
	send_demoted(b, b->pids[0], true);
	expect(b, "log", "hold %d release = 0\n", b->pids[0]);
	expect(b, "err", "process %d is demoted", b->pids[0]);
	snprintf(wanted, sizeof(wanted), "{\"event\":\"demoted\",\"time_ns\":%llu,\"pid\":%d,\"ended\":false}",
		 (unsigned long long)now_ns() - APPLY_NS, b->pids[0]);
	read_until(fd, wanted);
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	assert_int_equal(applies(b), 1);
	assert_int_equal(ctl(b, "list --json"), 0);
	expect(b, "out", "\"exempt\":false,\"demoted\":true");
	expect(b, "out", "\"exempt\":false,\"demoted\":false");
	assert_int_equal(ctl(b, "top -b -n 1"), 0);
	expect(b, "out", " demoted ");
	/* What it is given meanwhile is kept. */
	assert_int_equal(ctl(b, "priority %d 7", b->pids[0]), 0);
	assert_int_equal(applies(b), 1);
	send_demoted(b, b->pids[0], false);
	expect(b, "log", "hold %d release %d = 0\n", b->pids[1], b->pids[0]);
	expect(b, "err", "process %d is not demoted any more", b->pids[0]);
	snprintf(wanted, sizeof(wanted), "\"pid\":%d,\"ended\":true}", b->pids[0]);
	read_until(fd, wanted);
	close(fd);
	assert_non_null(strstr(question(b, "{\"cmd\":\"list\"}"), "\"priority\":7,"));
	assert_int_equal(applies(b), 2);
}

/* Who is demoted already when the daemon looks, and who is not any more. */
static void lists_the_demoted(void **state)
{
	struct bench *b = *state;

	b->pids[0] = spawn_tenant(0);
	b->pids[1] = spawn_tenant(10);
	write_file(b, "queues", "1 %d 100 1\n2 %d 100 1\n", b->pids[0], b->pids[1]);
	write_file(b, "demoted", "%d\n", b->pids[0]);
	start_daemon(b, "");
	expect(b, "log", "hold %d release = 0\n", b->pids[0]);
	expect(b, "err", "process %d is demoted", b->pids[0]);
	write_file(b, "demoted", "");
	send_event(b, KFD_XSCHED_EVENT_LOST, 0, 0);
	expect(b, "log", "hold %d release %d = 0\n", b->pids[1], b->pids[0]);
	expect(b, "err", "process %d is not demoted any more", b->pids[0]);
	assert_int_equal(ctl(b, "list"), 0);
	expect(b, "out", "  ready\n");
	write_file(b, "demoted", "%d\n", b->pids[0]);
	assert_int_equal(ctl(b, "list"), 0);
	expect(b, "out", "  ready,demoted\n");
}

/* It may be said of a process before its first queue is: then the list tells of both. */
static void demoted_before_known(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	b->pids[2] = spawn_tenant(0);
	write_file(b, "queues", "1 %d 100 0\n2 %d 100 1\n3 %d 100 1\n", b->pids[0], b->pids[1],
		   b->pids[2]);
	write_file(b, "demoted", "%d\n", b->pids[2]);
	send_demoted(b, b->pids[2], true);
	expect(b, "log", "hold %d release = 0\n", b->pids[2]);
	send_event(b, ADD, b->pids[2], 3);
	until_idle(b);
	assert_int_equal(applies(b), 1);
	/* Nothing was lost. */
	assert_non_null(strstr(question(b, "{\"cmd\":\"stats\"}"), "\"lost\":0"));
}

/* suspend and resume by request, and the exit statuses of xschedctl. */
static void suspends_by_request(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	assert_int_equal(ctl(b, "suspend %d", b->pids[0]), 0);
	expect(b, "holds", "%d\n", b->pids[0]);
	/* The policy does not undo it. */
	send_event(b, READY, b->pids[0], 1);
	assert_int_equal(ctl(b, "suspend %d", b->pids[0]), 0);
	assert_int_equal(applies(b), 1);
	assert_int_equal(ctl(b, "top -b -n 2 -d 0.1"), 0);
	expect(b, "out", "manual");
	assert_int_equal(ctl(b, "resume %d", b->pids[0]), 0);
	expect(b, "log", "hold %d release %d = 0\n", b->pids[1], b->pids[0]);
	assert_int_equal(ctl(b, "resume %d", b->pids[0]), 1);
	assert_int_equal(ctl(b, "suspend 2147483647"), 1);
	assert_int_equal(ctl(b, "suspend"), 2);
	assert_int_equal(ctl(b, "--socket /nonexistent suspend 1"), 3);
	assert_int_equal(ctl(b, "--device /nonexistent list"), 3);
}

/* Another user may not touch ours, sees none of it, changes no policy. */
static void denies_other_users(void **state)
{
	struct bench *b = *state;
	char line[64];

	if (getuid())
		skip();
	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	assert_int_equal(ctl(b, "priority %d -10", b->pids[1]), 0);
	snprintf(line, sizeof(line), "suspend %d", b->pids[1]);
	assert_int_equal(ctl_as(b, 65534, line), 4);
	snprintf(line, sizeof(line), "priority %d -20", b->pids[1]);
	assert_int_equal(ctl_as(b, 65534, line), 4);
	assert_int_equal(ctl_as(b, 65534, "policy hpf"), 4);
	assert_int_equal(ctl_as(b, 65534, "policy"), 0);
	assert_int_equal(ctl_as(b, 65534, "top --json -n 1"), 0);
	expect(b, "out", "\"tenants\":[]");
	assert_int_equal(applies(b), 0);
}

/* list without a daemon: straight from the kernel. */
static void lists_without_daemon(void **state)
{
	struct bench *b = *state;

	write_file(b, "queues", "1 4711 100 1\n2 4712 100 0\n");
	assert_int_equal(ctl(b, "list"), 0);
	expect(b, "out", "ready");
	assert_int_equal(ctl(b, "list -j"), 0);
	expect(b, "out", "\"pid\":4712");
	expect(b, "out", "\"tenants\":null");
	assert_int_equal(ctl(b, "top -b -n 1"), 3);
}

/* Bad requests get an answer with the reason. */
static void survives_bad_requests(void **state)
{
	struct bench *b = *state;
	int fd;

	start_daemon(b, "");
	fd = connect_control(b);
	ask(fd, "\n", "\"error\":\"EINVAL\"");
	ask(fd, "{\"cmd\":\"suspend\",\"pid\":0}\n", "not a process id");
	ask(fd, "{\"cmd\":\"policy\",\"policy\":\"x\"}\n", "EOPNOTSUPP");
	/* Half a request and a hang-up leave the others served. */
	assert_int_equal(send(fd, "{\"cmd\":", 7, 0), 7);
	close(fd);
	assert_int_equal(ctl(b, "stats --json"), 0);
}

/* A request in pieces is one; two in one piece are two; too long is none. */
static void frames_requests(void **state)
{
	struct bench *b = *state;
	static char garbage[8192];
	char byte, reply[256];
	size_t got = 0;
	int fd;

	start_daemon(b, "");
	fd = connect_control(b);
	assert_int_equal(send(fd, "{\"cmd\":\"pol", 11, 0), 11);
	until_idle(b);
	ask(fd, "icy\"}\n", "\"policy\":\"hpf\"");
	assert_int_equal(send(fd, "x\ny\n", 4, 0), 4);
	while (got < sizeof(reply) - 1 && receive(fd, &byte, 1) == 1) {
		reply[got++] = byte;
		if (byte == '\n' && memchr(reply, '\n', got - 1))
			break;
	}
	assert_int_equal(reply[got - 1], '\n');
	memset(garbage, 'x', sizeof(garbage));
	send(fd, garbage, sizeof(garbage), MSG_NOSIGNAL);
	assert_true(receive(fd, &byte, 1) <= 0);
	close(fd);
	assert_int_equal(ctl(b, "policy"), 0);
}

/* SIGHUP: a bad file changes nothing, a good one rates everybody again. */
static void reloads(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "holds", "%d\n", b->pids[1]);
	write_file(b, "conf", "[xschedd]\nsample_us=1\n");
	kill(b->daemon, SIGHUP);
	expect(b, "err", "/conf:2:11: 1 is not within 20..1000000");
	expect(b, "err", "the former configuration stays");
	write_file(b, "conf", "[xschedd]\ndevice=%s/dev\nsocket=%s/sock\n"
		   "[rule x]\ncomm=test_xschedd\npriority=3\n"
		   "trust_descriptive=yes\n", b->dir, b->dir);
	kill(b->daemon, SIGHUP);
	expect(b, "log", "hold release %d = 0\n", b->pids[1]);
	/* The trace is closed, with what came before. */
	expect(b, "trace", "\"hold\":[%d]", b->pids[1]);
	assert_int_equal(stop_daemon(b), 0);
	assert_null(strstr(read_whole(b, "trace"), "\"hold\":[],"));
}

/* The kernel is told what rules say of each process, once, and again after an ejection. */
static void tells_of_parks(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "park=2 s\n[rule us]\ncomm=test_xschedd\nnice=10\npark=200 ms\n");
	two_tenants(b);
	until_read(b);
	write_file(b, "queues", "1 %d 100 0\n2 %d 100 1\n", b->pids[0], b->pids[1]);
	expect(b, "parks", "%d 2000\n", b->pids[0]);
	expect(b, "parks", "%d 200\n", b->pids[1]);
	assert_int_equal(lines(b, "parks"), 2);
	kill(b->daemon, SIGHUP);
	until_read(b);
	assert_int_equal(lines(b, "parks"), 2);
	write_file(b, "parks", "");
	write_file(b, "ejected", "%d\n", KFD_XSCHED_EJECT_ADMIN);
	send_event(b, KFD_XSCHED_EVENT_EJECTED, 0, 0);
	expect(b, "parks", "%d 200\n", b->pids[1]);
	assert_int_equal(lines(b, "parks"), 2);
}

/* A rule that is gone says nothing any more, and so does the daemon. */
static void takes_back_parks(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "park=never\n");
	two_tenants(b);
	until_read(b);
	expect(b, "parks", "%d 0\n", b->pids[0]);
	write_file(b, "conf", "[xschedd]\ndevice=%s/dev\nsocket=%s/sock\n", b->dir, b->dir);
	kill(b->daemon, SIGHUP);
	expect(b, "parks", "%d clear\n", b->pids[0]);
	expect(b, "parks", "%d clear\n", b->pids[1]);
	until_read(b);
	assert_int_equal(lines(b, "parks"), 4);
}

/* A kernel without parks is said once, and all else goes on. */
static void knows_no_parks(void **state)
{
	struct bench *b = *state;

	write_file(b, "parkless", "%d\n", ENOTTY);
	start_daemon(b, "park=2 s\n");
	two_tenants(b);
	until_read(b);
	assert_int_equal(occurrences(b, "err", "parks no process"), 1);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
}

/* A list says who is parked, what that spares, and why others are not. */
static void shows_parks(void **state)
{
	struct bench *b = *state;
	const char *list;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	write_file(b, "queues", "1 %d 100 0\n2 %d 100 1\n", b->pids[0], b->pids[1]);
	write_file(b, "parked", "%d\n", b->pids[1]);
	list = question(b, "{\"cmd\":\"list\"}");
	assert_non_null(strstr(list, "\"parked\":true,\"parked_ms\":1000.000,\"spares_slots\":1,"
				     "\"spares_vmids\":1,\"park_after_ms\":null,\"park_returns\":3,"
				     "\"resident\":[]"));
	assert_non_null(strstr(list, "\"parked\":false,\"parked_ms\":0.000,\"spares_slots\":0,"
				     "\"spares_vmids\":0,\"park_after_ms\":null,\"park_returns\":0,"
				     "\"resident\":[\"busy\",\"blind\"]"));
	list = question(b, "{\"cmd\":\"stats\"}");
	assert_non_null(strstr(list, "\"parks\":1,\"returns\":3,\"return_p99_us\":"));
}

/* Without -f the command ends when the daemon is ready, and it lives on. */
static void goes_to_background(void **state)
{
	struct bench *b = *state;
	char conf[128];
	char *arguments[] = { "xschedd", "-c", conf, NULL };
	struct ucred credentials;
	socklen_t size = sizeof(credentials);
	char byte;
	int fd;

	snprintf(conf, sizeof(conf), "%s/conf", b->dir);
	write_file(b, "conf", "[xschedd]\ndevice=%s/dev\nsocket=%s/sock\n"
		   "realtime=no\n", b->dir, b->dir);
	assert_int_equal(wait_for(spawn(b, XSCHEDD, arguments, "err", 0)), 0);
	fd = connect_control(b);
	assert_true(fd >= 0);
	assert_int_equal(ctl(b, "policy"), 0);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials,
				    &size), 0);
	/* No child of ours: it is killed at the end of the test, if it still lives. */
	b->daemon = credentials.pid;
	kill(b->daemon, SIGTERM);
	/* It hangs up as it ends. */
	assert_int_equal(receive(fd, &byte, 1), 0);
	close(fd);
	wait_until(access(in_dir(b, "sock"), F_OK));
	b->daemon = 0;
	write_file(b, "conf", "[xschedd]\ndevice=/nonexistent\n");
	assert_int_equal(wait_for(spawn(b, XSCHEDD, arguments, "err", 0)), 3);
}

/* The daemon notifies a service manager when it is ready, and when it ends. */
static void notifies(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct bench *b = *state;
	char message[256];
	ssize_t got;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, in_dir(b, "out"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      sizeof(address)), 0);
	set_patience(fd);
	b->notify = address.sun_path;
	start_daemon(b, "");
	got = receive(fd, message, sizeof(message) - 1);
	assert_true(got > 0);
	message[got] = '\0';
	assert_string_equal(message, "READY=1\nSTATUS=policy hpf, 0 rules");
	assert_int_equal(stop_daemon(b), 0);
	got = receive(fd, message, sizeof(message));
	assert_int_equal(got, strlen("STOPPING=1"));
	assert_memory_equal(message, "STOPPING=1", got);
	close(fd);
}

/* Exit statuses: configuration 2, no device 3, socket in use 1. */
static void exit_statuses(void **state)
{
	struct bench *b = *state;
	char conf[128];
	char *const test[] = { "xschedd", "-t", "-c", conf, NULL };

	write_file(b, "conf", "[xschedd]\nfoo=1\n");
	assert_int_equal(wait_for(spawn_daemon(b)), 2);
	expect(b, "err", "/conf:2:1: there is no setting 'foo'");
	write_file(b, "conf", "[xschedd]\ndevice=/nonexistent\nrealtime=no\n");
	assert_int_equal(wait_for(spawn_daemon(b)), 3);
	/* Understood, but -t does not let it pass. */
	write_file(b, "conf", "[xschedd]\ndevice=/nonexistent\nrealtime=no\n"
		   "[rule r]\ncomm=x\npriority=1\n");
	assert_int_equal(wait_for(spawn_daemon(b)), 3);
	expect(b, "err", "/conf:4:1: rule 'r' raises");
	snprintf(conf, sizeof(conf), "%s/conf", b->dir);
	assert_int_equal(wait_for(spawn(b, XSCHEDD, test, "err", 0)), 2);
	expect(b, "err", "/conf:4:1: rule 'r' raises");
	write_file(b, "conf", "[rule r]\ncomm=x\npriority=1\nuser=0\n");
	assert_int_equal(wait_for(spawn(b, XSCHEDD, test, "err", 0)), 0);
	start_daemon(b, "");
	assert_int_equal(wait_for(spawn_daemon(b)), 1);
	assert_int_equal(ctl(b, "policy"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(preempts_and_traces),
		TEST(writes_the_trace),
		TEST(releases_on_term),
		TEST(socket_is_for_all),
		TEST(takes_over_and_holds_newcomers),
		TEST(one_apply_for_a_swap),
		TEST(lists_again_when_lost),
		TEST(arms_in_advance),
		TEST(arms_after_a_rest),
		TEST(arms_against_the_demoted),
		TEST(asks_for_what_there_is),
		TEST(retries_after_failure),
		TEST(renews_while_holding),
		TEST(starts_afresh_when_told),
		TEST(starts_afresh_in_a_switch),
		TEST(starts_afresh_in_a_renewal),
		TEST(ends_without_device),
		TEST(gives_up),
		TEST(leaves_denied_alone),
		TEST(demoted_waits),
		TEST(lists_the_demoted),
		TEST(demoted_before_known),
		TEST(suspends_by_request),
		TEST(denies_other_users),
		TEST(lists_without_daemon),
		TEST(survives_bad_requests),
		TEST(frames_requests),
		TEST(reloads),
		TEST(tells_of_parks),
		TEST(takes_back_parks),
		TEST(knows_no_parks),
		TEST(shows_parks),
		TEST(goes_to_background),
		TEST(notifies),
		TEST(exit_statuses),
	};

	signal(SIGPIPE, SIG_IGN);
	return RUN(tests);
}
