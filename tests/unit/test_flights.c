// SPDX-License-Identifier: MIT
/*
 * The real xschedd above a fake kernel with two GPUs: it does not wait for its
 * switches, and a GPU that does not answer, or fails, delays nobody on the other.
 */
#include "xschedd_bench.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Who is what in bench.pids; the queue of each has the number of its place, plus one. */
enum { HIGH, LOW, OTHER_HIGH, OTHER_LOW };

static void send_from(const struct bench *b, uint32_t type, int who)
{
	struct kfd_xsched_event one = event(type, b->pids[who], who + 1);

	one.gpu_id = who < OTHER_HIGH ? GPU : OTHER_GPU;
	send_events(b, &one, 1);
	until_idle(b);
}

/* The kernel's answer to a switch; they are numbered from 1. */
static void answer(const struct bench *b, uint64_t cookie, int error)
{
	struct kfd_xsched_event one = event(KFD_XSCHED_EVENT_APPLY_DONE, 0, cookie);

	one.data = error;
	one.gpu_id = error ? GPU : 0;
	send_events(b, &one, 1);
	until_idle(b);
}

/* Nobody has work; high and low on each GPU. @more: of the list of queues */
static void start_on_two_gpus(struct bench *b, const char *more)
{
	for (int i = 0; i < 4; i++)
		b->pids[i] = spawn_tenant(i % 2 ? 10 : 0);
	write_file(b, "nodes", "%d\n%d\n", GPU, OTHER_GPU);
	write_file(b, "queues", "1 %d %d 0\n2 %d %d 0\n3 %d %d 0\n4 %d %d 0\n%s",
		   b->pids[HIGH], GPU, b->pids[LOW], GPU, b->pids[OTHER_HIGH], OTHER_GPU,
		   b->pids[OTHER_LOW], OTHER_GPU, more);
	start_daemon(b, "");
	until_read(b);
	assert_int_equal(applies(b), 0);
}

/* Whether the daemon says that of a tenant. */
static bool says(const struct bench *b, int who, const char *what)
{
	const char *list = question(b, "{\"cmd\":\"list\"}");
	char pid[32];
	const char *begin, *end, *found;

	snprintf(pid, sizeof(pid), "\"pid\":%d,", b->pids[who]);
	begin = strstr(list, pid);
	assert_non_null(begin);
	end = strchr(begin, '}');
	found = strstr(begin, what);
	return found && found < end;
}

#define HELD		"\"held\":true"
#define SWITCHING	"\"switching\":true"

/* One GPU hangs: on the other one all goes on, and no time passes. */
static void hang_delays_no_other(void **state)
{
	struct bench *b = *state;
	uint64_t begin_ns;

	start_on_two_gpus(b, "");
	write_file(b, "hung", "%d\n", GPU);
	begin_ns = now_ns();
	send_from(b, READY, HIGH);
	assert_true(says(b, LOW, SWITCHING));
	assert_false(says(b, LOW, HELD));
	send_from(b, READY, OTHER_HIGH);
	assert_true(says(b, OTHER_LOW, HELD));
	send_from(b, IDLE, OTHER_HIGH);
	expect(b, "log", "hold %d release = 0\nhold %d release = 0\nhold release %d = 0\n",
	       b->pids[LOW], b->pids[OTHER_LOW], b->pids[OTHER_LOW]);
	/* Three calls, 6 ns each. */
	assert_true(now_ns() == begin_ns + 3 * 6);
	assert_true(says(b, LOW, SWITCHING));
	answer(b, 1, 0);
	assert_true(says(b, LOW, HELD));
	assert_false(says(b, LOW, SWITCHING));
	assert_int_equal(applies(b), 3);
}

/* What changed before the answer came is switched then. */
static void compares_after_the_answer(void **state)
{
	struct bench *b = *state;

	start_on_two_gpus(b, "");
	write_file(b, "hung", "%d\n", GPU);
	send_from(b, READY, HIGH);
	send_from(b, IDLE, HIGH);
	advance(b, SECOND);
	assert_int_equal(applies(b), 1);
	write_file(b, "hung", "");
	answer(b, 1, 0);
	expect(b, "log", "hold release %d = 0\n", b->pids[LOW]);
	assert_int_equal(applies(b), 2);
	assert_false(says(b, LOW, SWITCHING));
	/* It was needed again, and is not any more: nothing to do. */
	write_file(b, "hung", "%d\n", GPU);
	send_from(b, READY, HIGH);
	send_from(b, IDLE, HIGH);
	send_from(b, READY, HIGH);
	answer(b, 3, 0);
	assert_int_equal(applies(b), 3);
	/* An answer to nothing that is known. */
	answer(b, 3, EIO);
	answer(b, 77, 0);
	assert_true(says(b, LOW, HELD));
	assert_int_equal(applies(b), 3);
}

/* A failed switch is tried again after 1 ms, then 2 ms; those of others go on. */
static void failure_delays_no_other(void **state)
{
	struct bench *b = *state;

	start_on_two_gpus(b, "");
	write_file(b, "answers", "%d\n%d\n", EIO, ETIME);
	send_from(b, READY, HIGH);
	assert_int_equal(applies(b), 1);
	advance(b, MS - 1);
	assert_int_equal(applies(b), 1);
	assert_true(says(b, LOW, SWITCHING));
	advance(b, 1);
	assert_int_equal(applies(b), 2);
	send_from(b, READY, OTHER_HIGH);
	assert_true(says(b, OTHER_LOW, HELD));
	assert_int_equal(applies(b), 3);
	/* Less what that call took. */
	advance(b, 2 * MS - 6 - 1);
	assert_int_equal(applies(b), 3);
	advance(b, 1);
	assert_int_equal(applies(b), 4);
	assert_true(says(b, LOW, HELD));
	expect(b, "err", "cannot switch: Input/output error");
	expect(b, "err", "switching works again");
	assert_int_equal(ctl(b, "stats"), 0);
	expect(b, "out", "retries          2\n");
}

/* Who was switched with one that fails for ever waits only for his own failures. */
static void backs_off_by_process(void **state)
{
	struct bench *b = *state;

	start_on_two_gpus(b, "");
	write_file(b, "answers", "%d\n%d\n%d\n", EIO, EIO, EIO);
	send_from(b, READY, HIGH);
	advance(b, MS);
	/* The low one waits for 2 ms more. What is refused now is another one. */
	assert_int_equal(applies(b), 2);
	send_from(b, READY, OTHER_HIGH);
	assert_int_equal(applies(b), 3);
	advance(b, MS);
	assert_true(says(b, OTHER_LOW, HELD));
	assert_true(says(b, LOW, SWITCHING));
	assert_int_equal(applies(b), 4);
	advance(b, MS);
	assert_true(says(b, LOW, HELD));
	assert_int_equal(applies(b), 5);
}

/* Ten times from 1 ms on, each twice as long as the last; and 6 ns for each that failed. */
#define RETRIES_NS	(1023 * MS + 9 * 6)

/* After ten failures it is tried only when something happens, and at most once a second. */
static void gives_up(void **state)
{
	struct bench *b = *state;

	start_on_two_gpus(b, "");
	write_file(b, "answers", "5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n");
	send_from(b, READY, HIGH);
	advance(b, RETRIES_NS - 1);
	assert_int_equal(applies(b), 10);
	assert_null(strstr(read_whole(b, "err"), "gave up"));
	advance(b, 1);
	assert_int_equal(applies(b), 11);
	expect(b, "err", "gave up after 10 attempts");
	/* That its answer came is nothing that happened. */
	advance(b, 60 * SECOND);
	assert_int_equal(applies(b), 11);
	send_from(b, READY, OTHER_LOW);
	send_from(b, IDLE, OTHER_LOW);
	advance(b, SECOND - 1);
	assert_int_equal(applies(b), 11);
	advance(b, 1);
	assert_int_equal(applies(b), 12);
	advance(b, 60 * SECOND);
	assert_int_equal(applies(b), 12);
	write_file(b, "answers", "");
	send_from(b, READY, OTHER_LOW);
	advance(b, SECOND);
	assert_int_equal(applies(b), 13);
	assert_true(says(b, LOW, HELD));
}

/* Refused before it is on its way: who may not be touched is left alone, at once. */
static void refusals_need_no_answer(void **state)
{
	struct bench *b = *state;

	start_on_two_gpus(b, "");
	write_file(b, "denied", "%d\n", b->pids[LOW]);
	send_from(b, READY, HIGH);
	expect(b, "err", "process %d is not scheduled", b->pids[LOW]);
	assert_int_equal(ctl(b, "suspend %d", b->pids[LOW]), 4);
	/* Too much is on its way: try later. */
	write_file(b, "errors", "%d\n", EAGAIN);
	send_from(b, READY, OTHER_HIGH);
	assert_true(says(b, OTHER_LOW, SWITCHING));
	advance(b, MS);
	assert_true(says(b, OTHER_LOW, HELD));
}

/* Ejected with a switch on its way: no answer is waited for, and a late one is nothing. */
static void ejected_on_the_way(void **state)
{
	struct bench *b = *state;

	start_on_two_gpus(b, "");
	write_file(b, "hung", "%d\n", GPU);
	send_from(b, READY, HIGH);
	assert_int_equal(applies(b), 1);
	write_file(b, "hung", "");
	write_file(b, "queues", "1 %d %d 1\n2 %d %d 1\n3 %d %d 0\n4 %d %d 0\n",
		   b->pids[HIGH], GPU, b->pids[LOW], GPU, b->pids[OTHER_HIGH], OTHER_GPU,
		   b->pids[OTHER_LOW], OTHER_GPU);
	write_file(b, "ejected", "%d\n", KFD_XSCHED_EJECT_WATCHDOG);
	send_event(b, KFD_XSCHED_EVENT_EJECTED, 0, 0);
	expect(b, "err", "started afresh");
	until_idle(b);
	assert_int_equal(applies(b), 2);
	assert_true(says(b, LOW, HELD));
	answer(b, 1, EIO);
	assert_true(says(b, LOW, HELD));
	assert_int_equal(stop_daemon(b), 0);
	assert_string_equal(read_whole(b, "holds"), "");
}

/* At the end all is released, also what is on its way. */
static void stops_on_the_way(void **state)
{
	struct bench *b = *state;

	start_on_two_gpus(b, "");
	send_from(b, READY, OTHER_HIGH);
	write_file(b, "hung", "%d\n", GPU);
	send_from(b, READY, HIGH);
	assert_true(says(b, LOW, SWITCHING));
	assert_int_equal(stop_daemon(b), 0);
	expect(b, "log", "hold release %d %d = 0\n", b->pids[LOW], b->pids[OTHER_LOW]);
	assert_string_equal(read_whole(b, "holds"), "");
}

/* A request is answered when the kernel has accepted it; the GPU may take its time. */
static void suspends_by_request(void **state)
{
	struct bench *b = *state;

	start_on_two_gpus(b, "");
	write_file(b, "hung", "%d\n", GPU);
	assert_int_equal(ctl(b, "suspend %d", b->pids[LOW]), 0);
	assert_true(says(b, LOW, SWITCHING));
	/* Once more, and while it is on its way. */
	assert_int_equal(ctl(b, "suspend %d", b->pids[LOW]), 0);
	assert_int_equal(applies(b), 1);
	assert_int_equal(ctl(b, "list --json"), 0);
	expect(b, "out", SWITCHING);
	assert_int_equal(ctl(b, "top -b -n 1"), 0);
	expect(b, "out", "pending");
	/* It is tried until it is done. */
	write_file(b, "hung", "");
	answer(b, 1, ETIME);
	advance(b, MS);
	assert_true(says(b, LOW, HELD));
	write_file(b, "hung", "%d\n", GPU);
	assert_int_equal(ctl(b, "resume %d", b->pids[LOW]), 0);
	assert_true(says(b, LOW, SWITCHING));
	answer(b, 3, 0);
	assert_false(says(b, LOW, SWITCHING));
	assert_false(says(b, LOW, HELD));
}

/* What concerns the same GPU goes together, also through a process that is on both. */
static void sends_together(void **state)
{
	struct bench *b = *state;
	char more[64];

	start_on_two_gpus(b, "");
	send_events(b, (struct kfd_xsched_event[]){
			event(READY, b->pids[HIGH], HIGH + 1),
			event(READY, b->pids[OTHER_HIGH], OTHER_HIGH + 1) }, 2);
	until_idle(b);
	assert_int_equal(applies(b), 2);
	send_events(b, (struct kfd_xsched_event[]){
			event(IDLE, b->pids[HIGH], HIGH + 1),
			event(IDLE, b->pids[OTHER_HIGH], OTHER_HIGH + 1) }, 2);
	until_idle(b);
	assert_int_equal(applies(b), 4);
	/* The low one comes to the other GPU, too. */
	snprintf(more, sizeof(more), "5 %d %d 0\n", b->pids[LOW], OTHER_GPU);
	write_file(b, "queues", "2 %d %d 0\n%s", b->pids[LOW], GPU, more);
	send_events(b, &(struct kfd_xsched_event){ .type = ADD, .pid = b->pids[LOW], .id = 5,
			.gpu_id = OTHER_GPU, .time_ns = now_ns() }, 1);
	send_events(b, (struct kfd_xsched_event[]){
			event(READY, b->pids[HIGH], HIGH + 1),
			event(READY, b->pids[OTHER_HIGH], OTHER_HIGH + 1) }, 2);
	until_idle(b);
	assert_int_equal(applies(b), 5);
	assert_true(says(b, LOW, HELD) && says(b, OTHER_LOW, HELD));
}

/* Once a GPU is known not to answer, what concerns it goes by itself. */
static void slow_one_goes_by_itself(void **state)
{
	struct bench *b = *state;
	char more[64];

	start_on_two_gpus(b, "");
	snprintf(more, sizeof(more), "5 %d %d 0\n", b->pids[LOW], OTHER_GPU);
	write_file(b, "queues", "1 %d %d 0\n2 %d %d 0\n%s", b->pids[HIGH], GPU,
		   b->pids[LOW], GPU, more);
	send_events(b, &(struct kfd_xsched_event){ .type = ADD, .pid = b->pids[LOW], .id = 5,
			.gpu_id = OTHER_GPU, .time_ns = now_ns() }, 1);
	until_idle(b);
	write_file(b, "hung", "%d\n", GPU);
	assert_int_equal(ctl(b, "suspend %d", b->pids[HIGH]), 0);
	advance(b, 20 * MS);
	send_from(b, READY, OTHER_HIGH);
	expect(b, "log", "hold %d release = 0\nhold %d release = 0\n", b->pids[OTHER_LOW],
	       b->pids[LOW]);
	assert_true(says(b, OTHER_LOW, HELD));
	assert_true(says(b, LOW, SWITCHING));
	send_from(b, IDLE, OTHER_HIGH);
	assert_false(says(b, OTHER_LOW, HELD));
	assert_int_equal(applies(b), 4);
}

/* The signs of life go on while an answer is to come, and end after the last release. */
static void renews_on_the_way(void **state)
{
	struct bench *b = *state;
	unsigned int before;

	write_file(b, "lease", "200\n");
	start_on_two_gpus(b, "");
	write_file(b, "hung", "%d\n", GPU);
	send_from(b, READY, HIGH);
	before = lines(b, "renewals");
	advance(b, SECOND);
	assert_int_equal(lines(b, "renewals"), before + 20);
	write_file(b, "hung", "");
	send_from(b, IDLE, HIGH);
	answer(b, 1, 0);
	assert_int_equal(applies(b), 2);
	before = lines(b, "renewals");
	advance(b, 10 * SECOND);
	assert_int_equal(lines(b, "renewals"), before);
}

/* What a GPU did is read from the kernel, of each GPU there is. */
static void tells_what_the_kernel_counted(void **state)
{
	struct bench *b = *state;
	const char *stats;

	start_on_two_gpus(b, "");
	write_file(b, "answers", "%d\n", EIO);
	send_from(b, READY, HIGH);
	advance(b, MS);
	stats = question(b, "{\"cmd\":\"stats\"}");
	assert_non_null(strstr(stats, "{\"gpu_id\":100,\"switches\":2,\"failures\":1,"
			       "\"breaker_open\":false,\"flips\":2,"
			       "\"p50_us\":32.767,\"p99_us\":327.679,\"parks\":0,"));
	assert_non_null(strstr(stats, "{\"gpu_id\":200,\"switches\":0,"));
}

/* The trace has the time until the answer, and no GPU's part of it. */
static void traces_when_done(void **state)
{
	struct bench *b = *state;

	start_on_two_gpus(b, "");
	write_file(b, "hung", "%d\n", GPU);
	send_from(b, READY, HIGH);
	advance(b, 5 * SECOND);
	assert_string_equal(read_whole(b, "trace"), "");
	answer(b, 1, 0);
	assert_int_equal(stop_daemon(b), 0);
	expect(b, "trace", "\"hold\":[%d],\"release\":[],\"call_ns\":5000000006,\"nodes\":[],\"flips\":0,\"status\":0}",
	       b->pids[LOW]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hang_delays_no_other),
		TEST(compares_after_the_answer),
		TEST(failure_delays_no_other),
		TEST(backs_off_by_process),
		TEST(gives_up),
		TEST(refusals_need_no_answer),
		TEST(ejected_on_the_way),
		TEST(stops_on_the_way),
		TEST(suspends_by_request),
		TEST(sends_together),
		TEST(slow_one_goes_by_itself),
		TEST(renews_on_the_way),
		TEST(tells_what_the_kernel_counted),
		TEST(traces_when_done),
	};

	signal(SIGPIPE, SIG_IGN);
	return RUN(tests);
}
