// SPDX-License-Identifier: MIT
/*
 * When xschedd begins to read what a process may withhold, its pid becomes a line of the file
 * "reads" in the directory XSCHED_FAKE: what it has read before is known by then.
 */
#include <stdio.h>
#include <stdlib.h>

#include "facts/process.h"

void __real_process_read_rest(struct process *process, bool cmdline);
void __wrap_process_read_rest(struct process *process, bool cmdline);

void __wrap_process_read_rest(struct process *process, bool cmdline)
{
	const char *directory = getenv("XSCHED_FAKE");
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/reads", directory ? directory : "");
	file = fopen(path, "ae");
	if (file) {
		fprintf(file, "%d\n", process->pid);
		fclose(file);
	}
	__real_process_read_rest(process, cmdline);
}
