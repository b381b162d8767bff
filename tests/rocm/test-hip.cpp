// SPDX-License-Identifier: MIT
/*
 * What a HIP program may rely on, with every result checked.
 *
 *   test-hip [FIFO [asleep]]
 *
 * With a FIFO, begin when a line comes from there, with HIP set up by then; the line "held": somebody
 * holds its queues now and then. "asleep": all waiting is hipDeviceScheduleBlockingSync.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "parts.h"

int main(int argc, char **argv)
{
	bool asleep = argc > 2 && !strcmp(argv[2], "asleep"), held = false;

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* Before anything else: HIP 6.4 waits for ever if streams are there already. */
	if (asleep)
		HIP(hipSetDeviceFlags(hipDeviceScheduleBlockingSync));
	run_test("set up", set_up);
	if (argc > 1)
		held = wait_for_line(argv[1]) == "held\n";
	alarm(500);
	test_device();
	test_memory();
	test_kernels();
	test_streams();
	test_events();
	test_graphs();
	test_async();
	test_cooperative(held);
	test_queues(asleep);
	test_pressure();
	return tap_done();
}
