// SPDX-License-Identifier: MIT
/*
 * The guest's way to talk to the host that runs it, over two I/O ports.
 *
 *   emit NAME < FILE	FILE becomes the artefact NAME on the host
 *   emit --pause	stop the machine here: the host may save its state
 *
 * Text only. Port 0xe9 is QEMU's debug console; an artefact is framed there by
 * the lines "@@@ begin NAME" and "@@@ end". Port 0x505 is QEMU's pvpanic device:
 * a write stops the machine at this very instruction, which makes the moment of
 * a snapshot, and so everything after it, reproducible.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/io.h>
#include <unistd.h>

#define PORT_DEBUGCON	0xe9
#define PORT_PVPANIC	0x505
#define PVPANIC_PANICKED 1

#define LOCK_FILE	"/run/emit.lock"

static int fail(const char *what)
{
	fprintf(stderr, "emit: %s: %s\n", what, strerror(errno));
	return 1;
}

static int pause_machine(void)
{
	if (ioperm(PORT_PVPANIC, 1, 1))
		return fail("ioperm");
	outb(PVPANIC_PANICKED, PORT_PVPANIC);
	return 0;
}

static void put(const char *text, size_t length)
{
	while (length--)
		outb((unsigned char)*text++, PORT_DEBUGCON);
}

/* One artefact at a time: others wait until this process has ended. */
static int take_turn(void)
{
	int fd = open(LOCK_FILE, O_CREAT | O_RDWR | O_CLOEXEC, 0666);

	return fd < 0 ? -1 : flock(fd, LOCK_EX);
}

static int send_artefact(const char *name)
{
	char buffer[4096], last = '\n';
	size_t length;

	if (ioperm(PORT_DEBUGCON, 1, 1))
		return fail("ioperm");
	if (take_turn())
		return fail(LOCK_FILE);

	length = (size_t)snprintf(buffer, sizeof(buffer), "@@@ begin %s\n", name);
	put(buffer, length);
	while ((length = fread(buffer, 1, sizeof(buffer), stdin)) > 0) {
		put(buffer, length);
		last = buffer[length - 1];
	}
	if (last != '\n')
		put("\n", 1);
	put("@@@ end\n", 8);
	return ferror(stdin) ? fail("stdin") : 0;
}

int main(int argc, char **argv)
{
	if (argc != 2 || !*argv[1] || strlen(argv[1]) > 255 || strchr(argv[1], '/')) {
		fprintf(stderr, "usage: emit NAME < FILE\n       emit --pause\n");
		return 2;
	}
	if (!strcmp(argv[1], "--pause"))
		return pause_machine();
	return send_artefact(argv[1]);
}
