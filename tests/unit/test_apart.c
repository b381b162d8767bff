// SPDX-License-Identifier: MIT
/*
 * The real xschedd above a fake kernel, with gang=0: each GPU is decided about
 * by itself, and switches name queues.
 */
#include "xschedd_bench.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void send_on(const struct bench *b, uint32_t type, pid_t pid, uint64_t id,
		    uint32_t gpu_id)
{
	struct kfd_xsched_event one = event(type, pid, id);

	one.gpu_id = gpu_id;
	send_events(b, &one, 1);
}

/*
 * The high one has queue 1 on one GPU; the low one 21 there and 22 on the
 * other. All of them are in the list that a daemon reads as it starts.
 */
static void two_on_two_gpus(struct bench *b)
{
	b->pids[0] = spawn_tenant(0);
	b->pids[1] = spawn_tenant(10);
	write_file(b, "queues", "1 %d %d 0\n21 %d %d 1\n22 %d %d 1\n", b->pids[0],
		   GPU, b->pids[1], GPU, b->pids[1], OTHER_GPU);
}

/* Held where a higher tenant has work, and only there; its new queues, too. */
static void holds_by_gpu(void **state)
{
	struct bench *b = *state;

	two_on_two_gpus(b);
	start_daemon(b, "[options]\ngang=0\n");
	send_on(b, READY, b->pids[0], 1, GPU);
	expect(b, "log", "hold q21 release = 0\n");
	assert_int_equal(ctl(b, "list --json"), 0);
	expect(b, "out", "\"queues\":2,\"nodes\":2,\"held_nodes\":1");
	assert_int_equal(ctl(b, "top -b -n 1"), 0);
	expect(b, "out", "partly");
	/* A new queue there is held by the next decision; elsewhere it is not. */
	send_on(b, ADD, b->pids[1], 23, OTHER_GPU);
	send_on(b, ADD, b->pids[1], 24, GPU);
	expect(b, "log", "hold q24 release = 0\n");
	/* No work any more: all that was held is released in one switch. */
	send_on(b, IDLE, b->pids[0], 1, GPU);
	expect(b, "log", "hold release q24 q21 = 0\n");
	assert_string_equal(read_whole(b, "holds"), "");
	assert_int_equal(applies(b), 3);
	assert_int_equal(ctl(b, "stats"), 0);
	expect(b, "out", "preemptions      1\n");
	assert_int_equal(stop_daemon(b), 0);
	expect(b, "trace", "\"hold\":[],\"release\":[],\"hold_queues\":[21],\"release_queues\":[]");
}

/* At its end it releases what it holds by queue. */
static void lets_go_at_the_end(void **state)
{
	struct bench *b = *state;

	two_on_two_gpus(b);
	start_daemon(b, "[options]\ngang=0\n");
	send_on(b, READY, b->pids[0], 1, GPU);
	expect(b, "holds", "-21\n");
	assert_int_equal(stop_daemon(b), 0);
	assert_string_equal(read_whole(b, "holds"), "");
}

/* By request a process is held as a whole; then again where it must be. */
static void suspends_as_a_whole(void **state)
{
	struct bench *b = *state;

	two_on_two_gpus(b);
	start_daemon(b, "[options]\ngang=0\n");
	send_on(b, READY, b->pids[0], 1, GPU);
	expect(b, "log", "hold q21 release = 0\n");
	assert_int_equal(ctl(b, "suspend %d", b->pids[1]), 0);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	assert_int_equal(ctl(b, "top -b -n 1"), 0);
	expect(b, "out", "manual");
	assert_int_equal(ctl(b, "resume %d", b->pids[1]), 0);
	expect(b, "log", "hold release %d = 0\nhold q21 release = 0\n", b->pids[1]);
}

/* A suspend that the kernel refuses is refused, though one GPU is held already. */
static void refuses_a_suspend(void **state)
{
	struct bench *b = *state;

	two_on_two_gpus(b);
	start_daemon(b, "[options]\ngang=0\n");
	send_on(b, READY, b->pids[0], 1, GPU);
	expect(b, "holds", "-21\n");
	write_file(b, "errors", "%d\n", ENOMEM);
	assert_int_equal(ctl(b, "suspend %d", b->pids[1]), 1);
	assert_int_equal(ctl(b, "list --json"), 0);
	expect(b, "out", "\"manual\":false");
}

/* A queue that may not be touched leaves its process alone, and is said once. */
static void leaves_denied_alone(void **state)
{
	struct bench *b = *state;

	two_on_two_gpus(b);
	write_file(b, "denied", "-21\n");
	start_daemon(b, "[options]\ngang=0\n");
	send_on(b, READY, b->pids[0], 1, GPU);
	expect(b, "err", "process %d is not scheduled: Operation not permitted", b->pids[1]);
	assert_int_equal(ctl(b, "top -b -n 1"), 0);
	expect(b, "out", "exempt");
	assert_string_equal(read_whole(b, "holds"), "");
}

/* The firmware fails: what is in doubt is asserted again, by queue. */
static void retries(void **state)
{
	struct bench *b = *state;

	two_on_two_gpus(b);
	start_daemon(b, "[options]\ngang=0\n");
	until_read(b);
	write_file(b, "errors", "%d\n", EIO);
	send_on(b, READY, b->pids[0], 1, GPU);
	until_idle(b);
	expect(b, "log", "hold q21 release = %d\n", EIO);
	advance(b, MS - 1);
	assert_int_equal(applies(b), 1);
	advance(b, 1);
	expect(b, "log", "hold q21 release = %d\nhold q21 release = 0\n", EIO);
	/* A reset forgets what was held: likewise. */
	send_events(b, &(struct kfd_xsched_event){
			.type = KFD_XSCHED_EVENT_NODE_RESET, .gpu_id = GPU,
			.data = 1 }, 1);
	expect(b, "log", "hold q21 release = %d\nhold q21 release = 0\nhold q21 release = 0\n",
	       EIO);
}

/* It can be changed while processes are held, by request and by SIGHUP. */
static void changes_at_any_time(void **state)
{
	struct bench *b = *state;

	two_on_two_gpus(b);
	start_daemon(b, "[options]\ngang=1\n");
	send_on(b, READY, b->pids[0], 1, GPU);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	assert_int_equal(ctl(b, "policy gang=0"), 0);
	expect(b, "log", "hold release %d = 0\nhold q21 release = 0\n", b->pids[1]);
	kill(b->daemon, SIGHUP);
	expect(b, "log", "hold q21 release = 0\nhold %d release = 0\n", b->pids[1]);
	send_on(b, IDLE, b->pids[0], 1, GPU);
	expect(b, "log", "hold release %d = 0\n", b->pids[1]);
	assert_int_equal(stop_daemon(b), 0);
	assert_string_equal(read_whole(b, "holds"), "");
}

/* Listeners get the queues, their processes, and their GPUs. */
static void tells_of_queues(void **state)
{
	struct bench *b = *state;
	char wanted[256];
	int fd;

	two_on_two_gpus(b);
	start_daemon(b, "[options]\ngang=0\n");
	snprintf(wanted, sizeof(wanted),
		 "\"hold\":[],\"release\":[],\"hold_queues\":[{\"pid\":%d,\"queue\":21,\"node\":%d}],\"nodes\"",
		 b->pids[1], GPU);
	fd = connect_control(b);
	ask(fd, "{\"cmd\":\"events\"}\n", "\"ok\":true");
	send_on(b, READY, b->pids[0], 1, GPU);
	read_until(fd, wanted);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(holds_by_gpu),
		TEST(lets_go_at_the_end),
		TEST(suspends_as_a_whole),
		TEST(refuses_a_suspend),
		TEST(leaves_denied_alone),
		TEST(retries),
		TEST(changes_at_any_time),
		TEST(tells_of_queues),
	};

	return RUN(tests);
}
