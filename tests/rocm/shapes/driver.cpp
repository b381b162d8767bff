// SPDX-License-Identifier: MIT
/*
 * Runs a shape of tests/unit/compat once for each command, in a process that has HIP set up:
 *
 *   hip-shape-NAME FIFO
 *
 * A line from the FIFO is its argument; at its end this prints "done good" or "done bad".
 */
#include "launch.h"

/* What is main() in the shape. */
int shape_main(int argc, char **argv);

std::string times_file;
int threads_counted;

static bool run(const char *program, std::string line)
{
	char *argv[] = { (char *)program, &line[0], NULL };

	threads_counted = 0;
	try {
		return !shape_main(2, argv);
	} catch (const hip_failed &) {
		return false;
	}
}

int main(int argc, char **argv)
{
	std::string line;

	if (argc != 2)
		tap_bail("usage: %s FIFO", argv[0]);
	times_file = std::string(argv[1]) + ".times";
	set_up();
	while ((line = wait_for_line(argv[1])) != "exit\n") {
		printf("done %s\n", run(argv[0], line) ? "good" : "bad");
		fflush(stdout);
	}
	return 0;
}
