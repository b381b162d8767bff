// SPDX-License-Identifier: MIT
/*
 * XSched's functions on the real driver: which queue is held, at which level,
 * by which client, and that every kernel executes once and in order all the same.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xsched/hip/hal.h>
#include <xsched/xsched.h>

#include "kfdhip.h"
#include "tap.h"
#include "xsdev.h"

#define STREAMS		3
#define WATCH_MS	300	/* how long we watch a held queue do nothing */
#define DONE_MS		20000	/* when something that runs must be done */

int hipStreamCreate(hipStream_t *stream);

static hipStream_t streams[STREAMS];
static HwQueueHandle hwqs[STREAMS];
static XQueueHandle xqs[STREAMS];
static int fd;

static bool is_held(int i)
{
	struct kfd_xsched_queue q;

	if (xsdev_find(fd, getpid(), kfdhip_queue_id(streams[i]), &q))
		tap_bail("the queue of stream %d is not listed", i);
	return q.state & KFD_XSCHED_QUEUE_HELD;
}

/* Whether only that one is; -1: none. */
static bool only_held(int which)
{
	for (int i = 0; i < STREAMS; i++)
		if (is_held(i) != (i == which))
			return false;
	return true;
}

static bool becomes(int i, bool held)
{
	for (int ms = 0; ms < DONE_MS; ms += 5) {
		if (is_held(i) == held)
			return true;
		xsdev_sleep_ms(5);
	}
	return false;
}

/* Whether nothing of the stream completes for a while. */
static bool rests(int i)
{
	uint64_t before = kfdhip_executed(streams[i]);

	xsdev_sleep_ms(WATCH_MS);
	return kfdhip_executed(streams[i]) == before;
}

static bool completes(int i, uint64_t count)
{
	for (int ms = 0; ms < DONE_MS; ms += 5) {
		if (kfdhip_executed(streams[i]) >= count)
			return true;
		xsdev_sleep_ms(5);
	}
	return false;
}

static void test_create(void)
{
	XQueueHandle again;

	for (int i = 0; i < STREAMS; i++) {
		if (hipStreamCreate(&streams[i]))
			tap_bail("no stream");
		tap_is(HipQueueCreate(&hwqs[i], streams[i]), kXSchedSuccess, "stream %d is taken", i);
		tap_is(XQueueCreate(&xqs[i], hwqs[i], kPreemptLevelInterrupt, 0), kXSchedSuccess,
		       "and its queue found out");
	}
	tap_is(XQueueCreate(&again, hwqs[1], kPreemptLevelInterrupt, 0), kXSchedSuccess, "once more");
	tap_ok(again == xqs[1], "gives the same");
	tap_is(XQueueCreate(&again, hwqs[1], kPreemptLevelMax, 0), kXSchedErrorInvalidValue,
	       "a level that does not exist");
}

static void test_which(void)
{
	for (int i = 0; i < STREAMS; i++) {
		tap_is(XQueueSuspend(xqs[i], 0), kXSchedSuccess, "XQueueSuspend of stream %d", i);
		tap_ok(only_held(i), "holds its queue, and no other");
		tap_is(XQueueResume(xqs[i], 0), kXSchedSuccess, "XQueueResume");
		tap_ok(only_held(-1), "releases it");
	}
}

/* A kernel that is too long to wait for is taken off in its midst, at each level. */
static void test_level(int level)
{
	const uint64_t before = kfdhip_executed(streams[0]);
	XQueueState state;

	tap_is(XQueueSetPreemptLevel(xqs[0], level), kXSchedSuccess, "level %d", level);
	kfdhip_spin(streams[0], 4, 640, 250 * 1000000ULL);
	tap_is(XQueueQuery(xqs[0], &state), kXSchedSuccess, "XQueueQuery");
	tap_is(state, kQueueStateReady, "says that it has work");
	tap_is(XQueueSuspend(xqs[0], kQueueSuspendFlagSyncHwQueue), kXSchedSuccess, "XQueueSuspend");
	tap_ok(is_held(0) && rests(0), "nothing of it completes any more");
	tap_is(XQueueSuspend(xqs[0], 0), kXSchedSuccess, "a second time");
	tap_is(XQueueResume(xqs[0], 0), kXSchedSuccess, "XQueueResume");
	tap_ok(completes(0, before + 4), "the rest completes");
	tap_is(XQueueWaitAll(xqs[0]), kXSchedSuccess, "XQueueWaitAll");
	tap_is(XQueueQuery(xqs[0], &state), kXSchedSuccess, "XQueueQuery");
	tap_is(state, kQueueStateIdle, "says that it has none");
}

static void test_wait_flag(void)
{
	kfdhip_spin(streams[0], 4, 64, 5000000);
	tap_is(XQueueSuspend(xqs[0], kQueueSuspendFlagWaitAll), kXSchedSuccess,
	       "XQueueSuspend that waits");
	tap_is(hwqs[0] && is_held(0), true, "holds");
	tap_is(XQueueResume(xqs[0], kQueueResumeFlagDropCommands), kXSchedErrorNotSupported,
	       "commands are not dropped");
	tap_ok(is_held(0), "and nothing changed");
	tap_is(XQueueResume(xqs[0], 0), kXSchedSuccess, "XQueueResume");
}

static void test_no_execute(void)
{
	const uint64_t before = kfdhip_executed(streams[1]);

	tap_is(XHintPriority(xqs[1], PRIORITY_NO_EXECUTE), kXSchedSuccess, "priority -256");
	kfdhip_spin(streams[1], 3, 64, 100000);
	tap_ok(only_held(1) && rests(1), "means: do not run");
	tap_is(XQueueResume(xqs[1], 0), kXSchedSuccess, "XQueueResume");
	tap_ok(is_held(1), "does not change that");
	tap_is(XHintPriority(xqs[1], 0), kXSchedSuccess, "another priority");
	tap_ok(completes(1, before + 3) && only_held(-1), "does");
	tap_is(XHintPriority(xqs[1], -257), kXSchedErrorInvalidValue, "lower there is none");
}

static XResult run_command(HwQueueHandle hwq, void *data)
{
	return kfdhip_spin((hipStream_t)(uintptr_t)hwq, *(int *)data, 64, 100000) ?
	       kXSchedErrorUnknown : kXSchedSuccess;
}

static void test_commands(void)
{
	const uint64_t before = kfdhip_executed(streams[2]);
	HwCommandHandle command;
	int kernels = 5;

	tap_is(HwCommandCreateCallback(&command, run_command, &kernels), kXSchedSuccess, "a command");
	tap_is(XQueueWait(xqs[2], command), kXSchedErrorNotAllowed, "cannot be waited for yet");
	tap_is(XQueueSubmit(xqs[2], command), kXSchedSuccess, "XQueueSubmit launches it");
	tap_is(XQueueWait(xqs[2], command), kXSchedSuccess, "XQueueWait waits");
	tap_ok(kfdhip_executed(streams[2]) >= before + 5, "until it is done");
	tap_is(XQueueSubmit(xqs[2], command), kXSchedErrorNotFound, "it is used up");
}

/* HPF within the process: the lower one stands still while the higher has work. */
static void test_local(void)
{
	tap_is(XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst), kXSchedSuccess,
	       "a local scheduler");
	tap_is(XHintPriority(xqs[0], 1), kXSchedSuccess, "one priority");
	tap_is(XHintPriority(xqs[1], 2), kXSchedSuccess, "one above it");
	kfdhip_spin(streams[0], 4, 640, 100 * 1000000ULL);
	kfdhip_spin(streams[1], 4, 640, 100 * 1000000ULL);
	tap_ok(becomes(0, true), "the lower one is held");
	tap_ok(!is_held(1), "the higher one is not");
	tap_is(XQueueWaitAll(xqs[1]), kXSchedSuccess, "the higher one is done");
	tap_ok(becomes(0, false), "the lower one is released");
	tap_is(XQueueWaitAll(xqs[0]), kXSchedSuccess, "and completes");
	tap_is(XHintUtilization(xqs[0], 25), kXSchedSuccess, "a hint for another policy is taken");
	tap_is(XHintSetScheduler(kSchedulerLocal, kPolicyStrictProcessUtilizationPartition),
	       kXSchedErrorNotSupported, "a policy that is not there");
	tap_is(XHintSetScheduler(kSchedulerAppManaged, kPolicyUnknown), kXSchedSuccess, "the end of it");
	for (int i = 0; i < STREAMS; i++)
		tap_ok(becomes(i, false), "releases stream %d", i);
}

static void test_absent(void)
{
	XQueueHandle xq = 1;

	tap_is(XHintSetScheduler(kSchedulerGlobal, kPolicyUnknown), kXSchedErrorNotFound,
	       "the global scheduler, which does not run");
	tap_is(XHintPriority(xqs[0], 5), kXSchedErrorNotFound, "does not hear of priorities");
	kfdhip_spin(streams[0], 2, 64, 100000);
	tap_is(XQueueWaitAll(xqs[0]), kXSchedSuccess, "the program runs on");
	XHintSetScheduler(kSchedulerAppManaged, kPolicyUnknown);
	tap_is(XQueueDestroy(xqs[2]), kXSchedSuccess, "XQueueDestroy");
	setenv("XSCHED_KFD_DEVICE", "/nowhere", 1);
	tap_is(XQueueCreate(&xq, hwqs[2], kPreemptLevelInterrupt, 0), kXSchedErrorNotFound,
	       "level 3 without the device");
	tap_ok(!xq, "makes no XQueue");
	unsetenv("XSCHED_KFD_DEVICE");
	tap_is(XQueueCreate(&xqs[2], hwqs[2], kPreemptLevelInterrupt, 0), kXSchedSuccess,
	       "with it, it does");
}

/* An administrator takes our holds away. */
static void test_eject(void)
{
	int file = open("/sys/class/kfd_xsched/global/eject", O_WRONLY | O_CLOEXEC);

	tap_is(XQueueSuspend(xqs[0], 0), kXSchedSuccess, "XQueueSuspend");
	tap_ok(dprintf(file, "pid %d\n", getpid()) > 0, "our clients are ejected");
	close(file);
	/* This one was ours, too. */
	close(fd);
	fd = xsdev_open();
	tap_ok(becomes(0, false), "what we held runs");
	xsdev_sleep_ms(WATCH_MS);
	tap_is(XQueueSuspend(xqs[1], 0), kXSchedSuccess, "we begin anew");
	tap_ok(only_held(1), "with what is new");
	tap_is(XQueueDestroy(xqs[1]), kXSchedSuccess, "XQueueDestroy");
	tap_ok(only_held(-1), "releases it");
}

int main(void)
{
	fd = xsdev_open();
	if (fd < 0)
		tap_bail("%s: %s", XSDEV_PATH, strerror(-fd));
	test_create();
	test_which();
	for (int level = kPreemptLevelBlock; level <= kPreemptLevelInterrupt; level++)
		test_level(level);
	test_wait_flag();
	test_no_execute();
	test_commands();
	test_local();
	test_absent();
	test_eject();
	for (int i = 0; i < STREAMS; i++)
		tap_ok(kfdhip_clean(streams[i]), "every kernel of stream %d executed once and in order", i);
	return tap_done();
}
