// SPDX-License-Identifier: MIT
/*
 * The guest's way to talk to the host that runs it, over I/O ports.
 *
 *   emit NAME < FILE	FILE becomes the artefact NAME on the host
 *   emit --take NAME	print what the host has given as opt/xsched/NAME
 *   emit --pause	stop the machine here: the host may save its state
 *
 * Artefacts are text. Port 0xe9 is QEMU's debug console; an artefact is framed there by
 * the lines "@@@ begin NAME" and "@@@ end". Port 0x505 is QEMU's pvpanic device:
 * a write stops the machine at this very instruction, which makes the moment of
 * a snapshot, and so everything after it, reproducible. Port 0x510 selects an item
 * of QEMU's fw_cfg, whose bytes are read from port 0x511, one after another, or
 * written into memory by QEMU, when ports 0x514 and 0x518 are told where
 * (docs/specs/fw_cfg.rst of QEMU). A saved machine has no items: it is resumed with
 * those of the moment.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <unistd.h>

#define PORT_DEBUGCON	0xe9
#define PORT_PVPANIC	0x505
#define PVPANIC_PANICKED 1

#define PORT_FW_CFG	0x510
#define PORT_FW_DATA	0x511
#define PORT_FW_DMA	0x514
#define FW_PORTS	12
#define FW_FILES	0x19	/* the list of the items that have a name */
#define FW_READ		2

#define PAGE		4096
#define PAGEMAP_FRAME	((1ULL << 55) - 1)

/* An item in that list, big-endian. */
struct fw_file {
	uint32_t size;
	uint16_t select;
	uint16_t reserved;
	char name[56];
};

/* What is to be written where, big-endian; control is 0 afterwards. */
struct fw_access {
	uint32_t control;
	uint32_t length;
	uint64_t address;
};

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

static int find_item(const char *name, struct fw_file *file)
{
	char wanted[sizeof(file->name)];
	uint32_t left;

	snprintf(wanted, sizeof(wanted), "opt/xsched/%s", name);
	outw(FW_FILES, PORT_FW_CFG);
	insb(PORT_FW_DATA, &left, sizeof(left));
	for (left = be32toh(left); left; left--) {
		insb(PORT_FW_DATA, file, sizeof(*file));
		if (!strncmp(file->name, wanted, sizeof(wanted)))
			return 0;
	}
	errno = ENOENT;
	return -1;
}

/* The physical address of a page of ours that is locked; 0: it is not known. */
static uint64_t physical(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &entry, sizeof(entry), (uintptr_t)page / PAGE * sizeof(entry)) != sizeof(entry))
		entry = 0;
	close(fd);
	return (entry & PAGEMAP_FRAME) * PAGE;
}

/* The next bytes of the item, by QEMU's hand: there are too many to read one after another. */
static int read_item(struct fw_access *access, uint64_t access_at, uint64_t buffer_at, size_t length)
{
	*access = (struct fw_access){
		.control = htobe32(FW_READ), .length = htobe32(length), .address = htobe64(buffer_at),
	};
	outl(htobe32(access_at >> 32), PORT_FW_DMA);
	outl(htobe32(access_at), PORT_FW_DMA + 4);
	return *(volatile uint32_t *)&access->control ? -1 : 0;
}

static int take(const char *name)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED | MAP_POPULATE, -1, 0);
	uint64_t access_at, buffer_at;
	struct fw_file file;
	size_t left, length;

	if (pages == MAP_FAILED)
		return fail("mmap");
	if (ioperm(PORT_FW_CFG, FW_PORTS, 1))
		return fail("ioperm");
	if (find_item(name, &file))
		return fail(name);
	access_at = physical(pages);
	buffer_at = physical(pages + PAGE);
	if (!access_at || !buffer_at)
		return fail("/proc/self/pagemap");
	outw(be16toh(file.select), PORT_FW_CFG);
	for (left = be32toh(file.size); left; left -= length) {
		length = left < PAGE ? left : PAGE;
		if (read_item((struct fw_access *)pages, access_at, buffer_at, length))
			return fail("fw_cfg");
		if (fwrite(pages + PAGE, 1, length, stdout) != length)
			return fail("stdout");
	}
	return fflush(stdout) ? fail("stdout") : 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--take"))
		return take(argv[2]);
	if (argc != 2 || !*argv[1] || strlen(argv[1]) > 255 || strchr(argv[1], '/')) {
		fprintf(stderr, "usage: emit NAME < FILE\n       emit --take NAME\n       emit --pause\n");
		return 2;
	}
	if (!strcmp(argv[1], "--pause"))
		return pause_machine();
	return send_artefact(argv[1]);
}
