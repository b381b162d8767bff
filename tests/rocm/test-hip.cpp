// SPDX-License-Identifier: MIT
/*
 * What a HIP program may rely on, with every result checked.
 *
 *   test-hip [FIFO]	begin when a line comes from FIFO, with HIP set up by then; "held": somebody
 *			holds its queues now and then
 */
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "parts.h"

int main(int argc, char **argv)
{
	bool held = false;

	setvbuf(stdout, NULL, _IOLBF, 0);
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
	test_queues();
	test_pressure();
	return tap_done();
}
