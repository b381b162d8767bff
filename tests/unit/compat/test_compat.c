// SPDX-License-Identifier: MIT
/*
 * Every function of XSched's interface above a fake kernel, HIP and daemon:
 * what it does, what it refuses, and that nothing of it harms the program.
 */
#include "../lib/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <xsched/xsched.h>
#include <xsched/hip/hal.h>

#include "fake_gpu.h"

#define LV1	kPreemptLevelBlock
#define LV2	kPreemptLevelDeactivate
#define LV3	kPreemptLevelInterrupt
#define is(call, result)	assert_int_equal(call, result)
#define OK(call)		is(call, kXSchedSuccess)

static struct fake_stream streams[2];
static HwQueueHandle hwqs[2];
static XQueueHandle xqs[2];

/* Wait until so many clients hold a queue; the library's thread does it. */
static void expect_held(uint64_t queue, unsigned int count)
{
	for (uint64_t end_ns = 0; fake_held(queue) != count;)
		if (!keep_waiting(&end_ns))
			fail_msg("queue %d is held by %u", (int)queue, fake_held(queue));
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	memset(streams, 0, sizeof(streams));
	for (int i = 0; i < 2; i++) {
		streams[i].queue = 3 + i;
		OK(HipQueueCreate(&hwqs[i], fake_stream(&streams[i])));
		OK(XQueueCreate(&xqs[i], hwqs[i], LV3, 0));
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gpu.open_error = gpu.apply_error = 0;
	for (int i = 0; i < 2; i++) {
		XQueueDestroy(xqs[i]);
		HwQueueDestroy(hwqs[i]);
	}
	return XHintSetScheduler(kSchedulerAppManaged, kPolicyUnknown);
}

/* ---- hardware queues and XQueues ---------------------------------------- */

/* A stream is taken once; the default stream, nowhere, and NULL are refused. */
static void takes_streams(void **state)
{
	HwQueueHandle hwq = 7;

	(void)state;
	is(HipQueueCreate(NULL, fake_stream(&streams[0])),
	   kXSchedErrorInvalidValue);
	is(HipQueueCreate(&hwq, NULL), kXSchedErrorNotSupported);
	assert_int_equal(hwq, 0);
	is(HipQueueCreate(&hwq, fake_stream(&streams[0])),
	   kXSchedErrorNotAllowed);
	assert_true(hwqs[0] == (uintptr_t)&streams[0]);
	is(HwQueueDestroy(hwqs[0]), kXSchedErrorNotAllowed);
	is(HwQueueDestroy(12345), kXSchedErrorNotFound);
	OK(XQueueDestroy(xqs[0]));
	OK(HwQueueDestroy(hwqs[0]));
	is(HwQueueDestroy(hwqs[0]), kXSchedErrorNotFound);
}

/* Handles, levels and flags of XQueueCreate and XQueueGet. */
static void makes_xqueues(void **state)
{
	XQueueHandle xq;

	(void)state;
	OK(XQueueGet(&xq, hwqs[0]));
	assert_true(xq == xqs[0] && xqs[0] != xqs[1]);
	OK(XQueueCreate(&xq, hwqs[0], LV1, 0));
	assert_true(xq == xqs[0]);
	is(XQueueGet(NULL, hwqs[0]), kXSchedErrorInvalidValue);
	is(XQueueGet(&xq, 1), kXSchedErrorNotFound);
	is(XQueueCreate(NULL, hwqs[0], LV3, 0), kXSchedErrorInvalidValue);
	is(XQueueCreate(&xq, hwqs[0], 0, 0), kXSchedErrorInvalidValue);
	is(XQueueCreate(&xq, hwqs[0], 4, 0), kXSchedErrorInvalidValue);
	is(XQueueCreate(&xq, hwqs[0], LV3, 2), kXSchedErrorInvalidValue);
	is(XQueueCreate(&xq, hwqs[0], LV3, kQueueCreateFlagBlockingSubmit),
	   kXSchedErrorNotSupported);
	is(XQueueCreate(&xq, 1, LV3, 0), kXSchedErrorNotFound);
	OK(XQueueDestroy(xqs[0]));
	is(XQueueDestroy(xqs[0]), kXSchedErrorNotFound);
	is(XQueueGet(&xq, hwqs[0]), kXSchedErrorNotFound);
	assert_int_equal(xq, 0);
}

/* What it takes to find the queue has ended when the XQueue is there. */
static void leaves_streams_idle(void **state)
{
	XQueueState now;

	(void)state;
	OK(XQueueDestroy(xqs[0]));
	streams[0].slow = 5;
	OK(XQueueCreate(&xqs[0], hwqs[0], LV3, 0));
	OK(XQueueQuery(xqs[0], &now));
	assert_int_equal(now, kQueueStateIdle);
}

/* Make the first XQueue anew, beside queue 6 that gets work meanwhile: it has its own queue. */
static void find_beside_noise(void)
{
	OK(XQueueDestroy(xqs[0]));
	streams[0].noise = 6;
	streams[0].memsets = 0;
	OK(XQueueCreate(&xqs[0], hwqs[0], LV3, 0));
	OK(XQueueSuspend(xqs[0], 0));
	assert_int_equal(fake_held(3), 1);
	assert_int_equal(fake_held(6), 0);
}

/* The stream's own queue is found although another one is busy, too; */
static void finds_the_queue(void **state)
{
	(void)state;
	find_beside_noise();
}

/* although the other is seen instead of it, for once; */
static void finds_it_after_a_contradiction(void **state)
{
	(void)state;
	streams[0].missed = 1;
	find_beside_noise();
}

/* and although the other comes much earlier each time it does. */
static void finds_it_when_it_comes_late(void **state)
{
	(void)state;
	streams[0].slow = 20;
	find_beside_noise();
}

/* A queue that another XQueue has is refused; a busy stream, too. */
static void refuses_what_cannot_be_held(void **state)
{
	(void)state;
	OK(XQueueDestroy(xqs[0]));
	streams[0].queue = streams[1].queue;
	is(XQueueCreate(&xqs[0], hwqs[0], LV3, 0), kXSchedErrorNotSupported);
	assert_int_equal(xqs[0], 0);
	streams[0].queue = 3;
	streams[0].busy = true;
	is(XQueueCreate(&xqs[0], hwqs[0], LV3, 0), kXSchedErrorNotAllowed);
	streams[0].busy = false;
	gpu.open_error = EACCES;
	is(XQueueCreate(&xqs[0], hwqs[0], LV3, 0), kXSchedErrorNotAllowed);
	gpu.open_error = ENOENT;
	is(XQueueCreate(&xqs[0], hwqs[0], LV3, 0), kXSchedErrorNotFound);
}

/* A level the node lacks is refused; the others hold as they say. */
static void keeps_to_levels(void **state)
{
	(void)state;
	OK(XQueueSuspend(xqs[0], 0));
	assert_int_equal(gpu.last_op, KFD_XSCHED_OP_SUSPEND);
	OK(XQueueResume(xqs[0], 0));
	OK(XQueueSetPreemptLevel(xqs[0], LV2));
	OK(XQueueSuspend(xqs[0], 0));
	assert_int_equal(gpu.last_op, KFD_XSCHED_OP_UNMAP);
	assert_int_equal(gpu.last_value, KFD_XSCHED_GRACE_DEFAULT);
	is(XQueueSetPreemptLevel(xqs[0], 0), kXSchedErrorInvalidValue);
	is(XQueueSetPreemptLevel(xqs[0], kPreemptLevelMax),
	   kXSchedErrorInvalidValue);
	is(XQueueSetPreemptLevel(1, LV2), kXSchedErrorNotFound);
	OK(XQueueDestroy(xqs[0]));
	gpu.caps = KFD_XSCHED_CAP_UNMAP;
	is(XQueueCreate(&xqs[0], hwqs[0], LV3, 0), kXSchedErrorNotSupported);
	OK(XQueueCreate(&xqs[0], hwqs[0], LV1, 0));
	is(XQueueSetPreemptLevel(xqs[0], LV3), kXSchedErrorNotSupported);
	OK(XQueueSuspend(xqs[0], 0));
	assert_int_equal(gpu.last_value, 0);
	OK(XQueueDestroy(xqs[0]));
	gpu.caps = KFD_XSCHED_CAP_SUSPEND;
	is(XQueueCreate(&xqs[0], hwqs[0], LV2, 0), kXSchedErrorNotSupported);
	OK(XQueueCreate(&xqs[0], hwqs[0], LV1, 0));
	OK(XQueueDestroy(xqs[0]));
	gpu.caps = 0;
	is(XQueueCreate(&xqs[0], hwqs[0], LV1, 0), kXSchedErrorNotSupported);
}

/* Suspend and resume: once each, flags, failures change nothing. */
static void suspends_and_resumes(void **state)
{
	unsigned int applies;

	(void)state;
	OK(XQueueResume(xqs[0], 0));
	OK(XQueueSuspend(xqs[0], kQueueSuspendFlagSyncHwQueue));
	assert_int_equal(fake_held(3), 1);
	assert_int_equal(fake_held(4), 0);
	applies = gpu.applies;
	OK(XQueueSuspend(xqs[0], kQueueSuspendFlagWaitIdle));
	assert_int_equal(gpu.applies, applies);
	OK(XQueueResume(xqs[0], 0));
	assert_int_equal(fake_held(3), 0);
	is(XQueueSuspend(xqs[0], 8), kXSchedErrorInvalidValue);
	is(XQueueResume(xqs[0], 2), kXSchedErrorInvalidValue);
	is(XQueueResume(xqs[0], kQueueResumeFlagDropCommands),
	   kXSchedErrorNotSupported);
	is(XQueueSuspend(1, 0), kXSchedErrorNotFound);
	is(XQueueResume(1, 0), kXSchedErrorNotFound);
	gpu.apply_error = EIO;
	is(XQueueSuspend(xqs[0], 0), kXSchedErrorHardware);
	assert_int_equal(fake_held(3), 0);
	OK(XQueueSuspend(xqs[0], 0));
	gpu.apply_error = ETIME;
	is(XQueueResume(xqs[0], 0), kXSchedErrorHardware);
	assert_int_equal(fake_held(3), 1);
	OK(XQueueDestroy(xqs[0]));
	assert_int_equal(fake_held(3), 0);
}

/* What is held is renewed by itself; an ejected client starts afresh. */
static void renews_and_starts_afresh(void **state)
{
	(void)state;
	gpu.lease_ms = 40;
	OK(XQueueSuspend(xqs[0], 0));
	wait_until(gpu.renewals >= 5);
	gpu.lease_ms = 100000;
	gpu.ejected = true;
	OK(XQueueSuspend(xqs[1], 0));
	assert_int_equal(fake_held(3), 0);
	assert_int_equal(fake_held(4), 1);
	OK(XQueueSuspend(xqs[0], 0));
	assert_int_equal(fake_held(3), 1);
	gpu.ejected = true;
	OK(XQueueResume(xqs[1], 0));
	assert_int_equal(fake_held(3), 0);
}

/* ---- commands ----------------------------------------------------------- */

static HwQueueHandle launched_on;

static XResult launch(HwQueueHandle hwq, void *data)
{
	launched_on = hwq;
	/* The program may call us from there. */
	OK(XQueueWaitAll(xqs[0]));
	return *(XResult *)data;
}

/* Commands are launched at once and used up; waiting is for the stream. */
static void launches_commands(void **state)
{
	XResult result = kXSchedSuccess;
	HwCommandHandle command;

	(void)state;
	is(HwCommandCreateCallback(NULL, launch, NULL),
	   kXSchedErrorInvalidValue);
	is(HwCommandCreateCallback(&command, NULL, NULL),
	   kXSchedErrorInvalidValue);
	OK(HwCommandCreateCallback(&command, launch, &result));
	is(XQueueWait(xqs[0], command), kXSchedErrorNotAllowed);
	is(XQueueSubmit(1, command), kXSchedErrorNotFound);
	OK(XQueueSubmit(xqs[0], command));
	assert_true(launched_on == hwqs[0]);
	is(XQueueSubmit(xqs[0], command), kXSchedErrorNotFound);
	OK(XQueueWait(xqs[0], command));
	is(XQueueWait(xqs[0], command + 1), kXSchedErrorNotFound);
	is(XQueueWait(1, command), kXSchedErrorNotFound);
	result = kXSchedErrorHardware;
	OK(HwCommandCreateCallback(&command, launch, &result));
	is(HwQueueLaunch(1, command), kXSchedErrorNotFound);
	is(HwQueueLaunch(hwqs[1], command), kXSchedErrorHardware);
	assert_true(launched_on == hwqs[1]);
	OK(HwCommandCreateCallback(&command, launch, &result));
	OK(HwCommandDestroy(command));
	is(HwCommandDestroy(command), kXSchedErrorNotFound);
}

/* State and waiting are HIP's; what has no meaning here says so. */
static void asks_hip(void **state)
{
	XQueueState seen;
	int64_t count;

	(void)state;
	OK(XQueueQuery(xqs[0], &seen));
	assert_int_equal(seen, kQueueStateIdle);
	streams[0].busy = true;
	OK(XQueueQuery(xqs[0], &seen));
	assert_int_equal(seen, kQueueStateReady);
	is(XQueueWaitAll(xqs[0]), kXSchedErrorHardware);
	is(HwQueueSynchronize(hwqs[0]), kXSchedErrorHardware);
	is(XQueueSuspend(xqs[0], kQueueSuspendFlagWaitAll),
	   kXSchedErrorHardware);
	assert_int_equal(fake_held(3), 0);
	streams[0].busy = false;
	OK(HwQueueSynchronize(hwqs[0]));
	is(HwQueueSynchronize(1), kXSchedErrorNotFound);
	is(XQueueWaitAll(1), kXSchedErrorNotFound);
	is(XQueueQuery(xqs[0], NULL), kXSchedErrorInvalidValue);
	is(XQueueQuery(1, &seen), kXSchedErrorNotFound);
	is(XQueueSetLaunchConfig(xqs[0], 8, 4), kXSchedErrorNotSupported);
	OK(XQueueSetLaunchConfig(xqs[0], -1, 0));
	is(XQueueSetLaunchConfig(1, 8, 4), kXSchedErrorNotFound);
	is(XQueueProfileHwCommandCount(xqs[0], &count),
	   kXSchedErrorNotSupported);
	is(XQueueProfileHwCommandCount(xqs[0], NULL),
	   kXSchedErrorInvalidValue);
	is(XQueueProfileHwCommandCount(1, &count), kXSchedErrorNotFound);
}

/* ---- hints -------------------------------------------------------------- */

/* -256 holds, with any scheduler, and can be combined with a suspension. */
static void does_not_execute(void **state)
{
	(void)state;
	OK(XHintPriority(xqs[0], PRIORITY_NO_EXECUTE));
	assert_int_equal(fake_held(3), 1);
	OK(XQueueSuspend(xqs[0], 0));
	OK(XHintPriority(xqs[0], 5));
	assert_int_equal(fake_held(3), 1);
	OK(XHintPriority(xqs[0], PRIORITY_NO_EXECUTE));
	OK(XQueueResume(xqs[0], 0));
	assert_int_equal(fake_held(3), 1);
	OK(XHintPriority(xqs[0], 0));
	assert_int_equal(fake_held(3), 0);
	gpu.apply_error = EIO;
	is(XHintPriority(xqs[0], PRIORITY_NO_EXECUTE), kXSchedErrorHardware);
}

/* Limits of every hint, and none has an effect without a scheduler. */
static void checks_hints(void **state)
{
	(void)state;
	is(XHintPriority(xqs[0], -257), kXSchedErrorInvalidValue);
	is(XHintPriority(xqs[0], 256), kXSchedErrorInvalidValue);
	is(XHintPriority(1, 0), kXSchedErrorNotFound);
	OK(XHintPriority(xqs[0], 255));
	is(XHintUtilization(xqs[0], -1), kXSchedErrorInvalidValue);
	is(XHintUtilization(xqs[0], 101), kXSchedErrorInvalidValue);
	is(XHintUtilization(xqs[0], 50), kXSchedErrorNotAllowed);
	is(XHintUtilization(1, 50), kXSchedErrorNotFound);
	is(XHintTimeslice(99), kXSchedErrorInvalidValue);
	is(XHintTimeslice(10000001), kXSchedErrorInvalidValue);
	is(XHintTimeslice((Timeslice)TIMESLICE_UNLIMITED),
	   kXSchedErrorNotSupported);
	is(XHintTimeslice(5000), kXSchedErrorNotAllowed);
	is(XHintLaxity(xqs[0], 0, 0, 1), kXSchedErrorInvalidValue);
	is(XHintLaxity(xqs[0], 100, -256, 1), kXSchedErrorInvalidValue);
	is(XHintLaxity(xqs[0], 100, 0, 256), kXSchedErrorInvalidValue);
	is(XHintLaxity(xqs[0], 100, 0, 1), kXSchedErrorNotAllowed);
	is(XHintLaxity(1, 100, 0, 1), kXSchedErrorNotFound);
	is(XHintDeadline(xqs[0], 0), kXSchedErrorInvalidValue);
	is(XHintDeadline(xqs[0], INT64_MAX), kXSchedErrorInvalidValue);
	is(XHintDeadline(xqs[0], NO_DEADLINE), kXSchedErrorNotAllowed);
	is(XHintKDeadline(0), kXSchedErrorInvalidValue);
	is(XHintKDeadline(2), kXSchedErrorNotAllowed);
	is(XHintSetScheduler(kSchedulerUnknown, 0), kXSchedErrorInvalidValue);
	is(XHintSetScheduler(kSchedulerMax, 0), kXSchedErrorInvalidValue);
	is(XHintSetScheduler(kSchedulerLocal, kPolicyMax),
	   kXSchedErrorInvalidValue);
	is(XHintSetScheduler(kSchedulerLocal,
			     kPolicyStrictProcessUtilizationPartition),
	   kXSchedErrorNotSupported);
}

/* The local scheduler: HPF between the XQueues of the process. */
static void schedules_locally(void **state)
{
	(void)state;
	OK(XHintPriority(xqs[0], 1));
	OK(XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst));
	OK(XHintPriority(xqs[1], 2));
	fake_work(3, true);
	fake_work(4, true);
	expect_held(3, 1);
	assert_int_equal(fake_held(4), 0);
	OK(XHintPriority(xqs[0], 3));
	expect_held(4, 1);
	expect_held(3, 0);
	fake_work(3, false);
	expect_held(4, 0);
	fake_work(3, true);
	expect_held(4, 1);
	/* It goes together with what the program itself holds. */
	OK(XQueueSuspend(xqs[1], 0));
	assert_int_equal(fake_held(4), 2);
	OK(XQueueDestroy(xqs[0]));
	expect_held(4, 1);
	OK(XQueueResume(xqs[1], 0));
	assert_int_equal(fake_held(4), 0);
}

/* An ejected or failing local scheduler releases all, and comes back. */
static void local_scheduler_recovers(void **state)
{
	(void)state;
	OK(XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst));
	OK(XHintPriority(xqs[1], 2));
	fake_work(3, true);
	fake_work(4, true);
	expect_held(3, 1);
	gpu.ejected = true;
	fake_work(4, false);
	expect_held(3, 0);
	fake_work(4, true);
	expect_held(3, 1);
	fake_work(4, false);
	expect_held(3, 0);
	gpu.apply_error = EIO;
	fake_work(4, true);
	expect_held(3, 1);
	OK(XHintSetScheduler(kSchedulerAppManaged, 0));
	expect_held(3, 0);
	gpu.open_error = ENOENT;
	is(XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst),
	   kXSchedErrorNotFound);
}

/* A queue that the kernel refuses to hold keeps no other from that, and is tried again. */
static void local_scheduler_goes_on(void **state)
{
	struct fake_stream third = { .queue = 5 };
	HwQueueHandle hwq;
	XQueueHandle xq;

	(void)state;
	OK(HipQueueCreate(&hwq, fake_stream(&third)));
	OK(XQueueCreate(&xq, hwq, LV3, 0));
	OK(XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst));
	OK(XHintPriority(xqs[1], 2));
	gpu.refusal = EUCLEAN;
	gpu.refused = 3;
	fake_work(3, true);
	fake_work(5, true);
	fake_work(4, true);
	expect_held(5, 1);
	assert_int_equal(fake_held(3), 0);
	fake_work(4, false);
	expect_held(5, 0);
	fake_work(4, true);
	expect_held(5, 1);
	gpu.refused = 0;
	expect_held(3, 1);
	OK(XQueueDestroy(xq));
	OK(HwQueueDestroy(hwq));
}

/* The other policies and their hints. */
static void has_the_other_policies(void **state)
{
	(void)state;
	for (int policy = 1; policy < kPolicyMax; policy++) {
		if (policy != kPolicyStrictProcessUtilizationPartition)
			OK(XHintSetScheduler(kSchedulerLocal, policy));
	}
	OK(XHintUtilization(xqs[0], 75));
	OK(XHintTimeslice(700));
	OK(XHintLaxity(xqs[0], 100, 0, 1));
	OK(XHintDeadline(xqs[0], 5000));
	OK(XHintDeadline(xqs[0], NO_DEADLINE));
	OK(XHintKDeadline(2));
}

/* ---- the daemon --------------------------------------------------------- */

/**
 * struct daemon - answers one request a connection
 * @fd: listens
 * @answer: what it says; NULL: hangs up
 * @seen: what it was asked last
 */
static struct daemon {
	int fd;
	const char *answer;
	char seen[256];
} daemon_;

static void *serve(void *unused)
{
	int fd;

	while ((fd = accept(daemon_.fd, NULL, NULL)) >= 0) {
		ssize_t got;

		set_patience(fd);
		got = recv(fd, daemon_.seen, sizeof(daemon_.seen) - 1, 0);
		if (got > 0) {
			daemon_.seen[got] = '\0';
			if (daemon_.answer)
				send(fd, daemon_.answer,
				     strlen(daemon_.answer), MSG_NOSIGNAL);
		}
		close(fd);
	}
	return unused;
}

/* Hints to xschedd: what is sent, and what its answers mean. */
static void tells_the_daemon(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	pthread_t thread;
	char wanted[128];

	(void)state;
	snprintf(address.sun_path, sizeof(address.sun_path),
		 "/tmp/xsched-compat-%d", getpid());
	setenv("XSCHED_KFD_SOCKET", address.sun_path, 1);
	is(XHintSetScheduler(kSchedulerGlobal, 0), kXSchedErrorNotFound);
	is(XHintPriority(xqs[0], 1), kXSchedErrorNotFound);
	daemon_.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	set_patience(daemon_.fd);
	is(bind(daemon_.fd, (struct sockaddr *)&address, sizeof(address)), 0);
	is(listen(daemon_.fd, 8), 0);
	is(pthread_create(&thread, NULL, serve, NULL), 0);
	daemon_.answer = "{\"ok\":true}\n";
	OK(XHintSetScheduler(kSchedulerGlobal, 0));
	OK(XHintPriority(xqs[0], 7));
	/* One tenant: the highest of its XQueues counts. */
	OK(XHintPriority(xqs[1], 3));
	snprintf(wanted, sizeof(wanted), "{\"cmd\":\"hint\",\"pid\":%d,"
		 "\"hint\":\"priority\",\"value\":7}\n", getpid());
	assert_string_equal(daemon_.seen, wanted);
	OK(XHintDeadline(xqs[0], 20));
	assert_non_null(strstr(daemon_.seen,
			       "\"hint\":\"deadline_ns\",\"value\":20000}"));
	OK(XHintKDeadline(4));
	assert_string_equal(daemon_.seen,
		"{\"cmd\":\"policy\",\"options\":{\"kedf.k\":4}}\n");
	daemon_.answer = "{\"ok\":false,\"errno\":1,\"error\":\"EPERM\"}\n";
	is(XHintPriority(xqs[0], 9), kXSchedErrorNotAllowed);
	daemon_.answer = "nonsense\n";
	is(XHintUtilization(xqs[0], 9), kXSchedErrorBadResponse);
	daemon_.answer = NULL;
	is(XHintUtilization(xqs[0], 9), kXSchedErrorBadResponse);
	/* What cannot be held alone can be scheduled all the same. */
	OK(XQueueDestroy(xqs[0]));
	streams[0].queue = streams[1].queue;
	OK(XQueueCreate(&xqs[0], hwqs[0], LV1, 0));
	is(XQueueSuspend(xqs[0], 0), kXSchedErrorNotSupported);
	is(XHintPriority(xqs[0], PRIORITY_NO_EXECUTE),
	   kXSchedErrorNotSupported);
	shutdown(daemon_.fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(daemon_.fd);
	unlink(address.sun_path);
}

/* ---- fork --------------------------------------------------------------- */

/* A child knows no handle, keeps nothing held, and can begin anew. */
static int in_child(void)
{
	struct fake_stream stream = { .queue = 5 };
	HwQueueHandle hwq;
	XQueueHandle xq;

	if (XQueueResume(xqs[0], 0) != kXSchedErrorNotFound ||
	    HwQueueDestroy(hwqs[0]) != kXSchedErrorNotFound)
		return 1;
	if (HipQueueCreate(&hwq, fake_stream(&stream)) ||
	    XQueueCreate(&xq, hwq, LV3, 0) || XQueueSuspend(xq, 0))
		return 2;
	return fake_held(5) == 1 ? 0 : 3;
}

static void survives_fork(void **state)
{
	pid_t pid;

	(void)state;
	OK(XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst));
	OK(XQueueSuspend(xqs[0], 0));
	pid = fork_child();
	if (!pid)
		_exit(in_child());
	assert_int_equal(wait_for(pid), 0);
	assert_int_equal(fake_held(3), 1);
	OK(XQueueResume(xqs[0], 0));
	assert_int_equal(fake_held(3), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(takes_streams),
		TEST(makes_xqueues),
		TEST(leaves_streams_idle),
		TEST(finds_the_queue),
		TEST(finds_it_after_a_contradiction),
		TEST(finds_it_when_it_comes_late),
		TEST(refuses_what_cannot_be_held),
		TEST(keeps_to_levels),
		TEST(suspends_and_resumes),
		TEST(renews_and_starts_afresh),
		TEST(launches_commands),
		TEST(asks_hip),
		TEST(does_not_execute),
		TEST(checks_hints),
		TEST(schedules_locally),
		TEST(local_scheduler_recovers),
		TEST(local_scheduler_goes_on),
		TEST(has_the_other_policies),
		TEST(tells_the_daemon),
		TEST(survives_fork),
	};

	return RUN(tests);
}
