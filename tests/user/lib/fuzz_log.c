// SPDX-License-Identifier: MIT
/* The kernel's log for test-fuzz, and what it sends to the host. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <unistd.h>

#include "fuzz.h"
#include "tap.h"

#define PORT_DEBUGCON	0xe9	/* see tests/vm/emit.c */
#define RECORD		8192
#define OUT		"FUZZ_OUT"	/* in the environment: a directory that is the host's */

/* What tests/guest/log-lib fails a test for. */
static const char *const bad[] = {
	"WARNING:", "BUG:", "kernel BUG at", "Oops", "Kernel panic", "general protection",
	"refcount_t:", "list_add corruption", "list_del corruption", "INFO: task", "INFO: rcu",
	"soft lockup", "INFO: trying to register non-static key", "UBSAN:",
};

static int log = -1;
static bool host;

void fuzz_log_begin(void)
{
	log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log < 0 || lseek(log, 0, SEEK_END) < 0)
		tap_bail("/dev/kmsg: error %d", -errno);
	host = !ioperm(PORT_DEBUGCON, 1, 1);
}

static bool is_bad(const char *line)
{
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strstr(line, bad[i]))
			return true;
	return false;
}

/* A record is "priority,number,time,flags;text", and lines that only programs read. */
const char *fuzz_log_look(void)
{
	static char found[RECORD];
	char record[RECORD], *text;
	bool any = false;
	ssize_t n;

	while ((n = read(log, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text || any || !is_bad(text))
			continue;
		text[strcspn(text, "\n")] = '\0';
		strcpy(found, text + 1);
		any = true;
	}
	return any ? found : NULL;
}

static void put(const char *text)
{
	for (; *text; text++)
		outb((unsigned char)*text, PORT_DEBUGCON);
}

/* With what has been written the host can go on, should this kernel die. */
static void write_out(const char *directory, const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || dprintf(fd, "%s\n", text) < 0 || fdatasync(fd))
		tap_bail("%s: error %d", path, -errno);
	close(fd);
}

void fuzz_tell(const char *name, const char *text)
{
	const char *directory = getenv(OUT);

	if (directory)
		write_out(directory, name, text);
	if (!host)
		return;
	put("@@@ begin ");
	put(name);
	put("\n");
	put(text);
	put("\n@@@ end\n");
}
