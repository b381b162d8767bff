// SPDX-License-Identifier: MIT
/* Attacks on what is another's: the queues of the high tenant, settings, and all priorities. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"
#include "xsarm.h"
#include "xsdev.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define ON(_on)		KFD_XSCHED_TARGET_##_on
#define PAUSE_US	200
#define NUMBERS		256

static int apply(int fd, uint32_t op, uint32_t target, uint64_t id, int32_t value, uint32_t prio)
{
	struct kfd_xsched_entry entry = {
		.op = op, .target = target, .id = id, .value = value, .prio_class = prio,
	};

	return xsdev_apply(fd, &entry, 1, NULL);
}

static void try_all(struct attacker *a, int fd, uint32_t target, uint64_t id)
{
	attack_note(a, apply(fd, OP(SUSPEND), target, id, 0, 0));
	attack_note(a, apply(fd, OP(RESUME), target, id, 0, 0));
	attack_rest_if_done(a);
	attack_note(a, apply(fd, OP(UNMAP), target, id, KFD_XSCHED_GRACE_DEFAULT, 0));
	attack_note(a, apply(fd, OP(SET_PRIORITY), target, id, 0, 0));
	attack_note(a, apply(fd, OP(SET_PRIORITY), target, id, KFD_XSCHED_PRIORITY_APP, 0));
	attack_rest_if_done(a);
	usleep(PAUSE_US);
}

static void by_queue(struct attacker *a)
{
	for (attack_ready(a);;)
		try_all(a, a->fd, ON(QUEUE), a->high_queue);
}

/* In a pid namespace the number may be one of his own: he has no process with so high a one. */
static void by_number(struct attacker *a)
{
	for (attack_ready(a);;)
		try_all(a, a->fd, ON(PROCESS), (uint64_t)a->high);
}

/* Whatever there is: numbers are small. His own are left out. */
static void by_guess(struct attacker *a)
{
	uint64_t id;
	unsigned int i;

	for (attack_ready(a);;) {
		for (id = 1; id < NUMBERS; id++) {
			for (i = 0; i < a->count && a->ids[i] != id; i++)
				;
			if (i == a->count)
				try_all(a, a->fd, ON(QUEUE), id);
		}
	}
}

static void with_a_file_of_root(struct attacker *a)
{
	for (attack_ready(a);;) {
		try_all(a, attack_client(), ON(QUEUE), a->high_queue);
		try_all(a, attack_client(), ON(PROCESS), (uint64_t)a->high);
	}
}

static void as_a_tenant(struct attacker *a)
{
	const int tenant = xsdev_tenant(a->fd, KFD_XSCHED_TENANT_CREATE, 0, 0);

	ATTACK_NEEDS(a, tenant >= 0);
	for (attack_ready(a);; usleep(PAUSE_US))
		attack_note(a, xsdev_tenant(a->fd, KFD_XSCHED_TENANT_ADD, (uint64_t)tenant,
					    a->high));
}

/* His own process as the trigger, another's as the target; and the other way round. */
static void by_a_switch(struct attacker *a)
{
	struct kfd_xsched_entry other = XSARM_ENTRY(SUSPEND, QUEUE, a->high_queue, 0);
	struct kfd_xsched_entry own = XSARM_ENTRY(SUSPEND, QUEUE, a->ids[0], 0);

	for (attack_ready(a);; usleep(PAUSE_US)) {
		attack_note(a, xsarm_set(a->fd, ON(PROCESS), (uint64_t)a->busy.pid, &other, 1));
		attack_note(a, xsarm_set(a->fd, ON(PROCESS), (uint64_t)a->high, &own, 1));
	}
}

/* A priority that is above what runtimes ask for, and a class, take a capability. */
static void raise_own(struct attacker *a)
{
	const uint64_t id = a->ids[a->count - 1];
	struct kfd_xsched_entry later = XSARM_ENTRY(SET_PRIORITY, QUEUE, id,
						    KFD_XSCHED_PRIORITY_MAX);

	for (attack_ready(a);; usleep(PAUSE_US)) {
		attack_note(a, xsarm_set(a->fd, ON(PROCESS), (uint64_t)a->idle.pid, &later, 1));
		attack_note(a, apply(a->fd, OP(SET_PRIORITY), ON(QUEUE), id,
				     KFD_XSCHED_PRIORITY_NORMAL + 1, 0));
		attack_note(a, apply(a->fd, OP(SET_PRIORITY), ON(QUEUE), id,
				     KFD_XSCHED_PRIORITY_MAX, 0));
		attack_note(a, apply(a->fd, OP(SET_PRIORITY), ON(QUEUE), id,
				     KFD_XSCHED_PRIORITY_KEEP, KFD_XSCHED_CLASS_REALTIME));
		attack_note(a, apply(a->fd, OP(SET_PRIORITY), ON(PROCESS),
				     (uint64_t)a->busy.pid, KFD_XSCHED_PRIORITY_MAX, 0));
	}
}

/* ---- files --------------------------------------------------------------- */

static struct attacker *walker;
static int walk_flags;

/* Of a directory that may not be read nothing else is tried. */
static int try_file(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	const int fd = kind == FTW_F ? open(path, walk_flags | O_CLOEXEC) : -1;
	int ret = fd < 0 ? -errno : 0;

	(void)st;
	(void)ftw;
	if (kind == FTW_D || kind == FTW_SL)
		return 0;
	if (kind == FTW_DNR || kind == FTW_NS)
		ret = -EACCES;
	/* A file of the system that one may open tells who may not at each write. */
	if (!ret && walk_flags == O_WRONLY && write(fd, "1", 1) < 0)
		ret = -errno;
	close(fd);
	attack_note(walker, ret);
	return 0;
}

static void walk(struct attacker *a, const char *where, int flags)
{
	walker = a;
	walk_flags = flags;
	if (nftw(where, try_file, 16, FTW_PHYS))
		attack_note(a, -errno);
}

static void write_settings(struct attacker *a)
{
	for (attack_ready(a);; usleep(PAUSE_US))
		walk(a, "/sys/devices/virtual/kfd_xsched", O_WRONLY);
}

static void read_all(struct attacker *a)
{
	for (attack_ready(a);; usleep(PAUSE_US)) {
		walk(a, "/sys/kernel/debug/kfd_xsched", O_RDONLY);
		walk(a, "/sys/kernel/tracing/events/kfd_xsched", O_RDONLY);
	}
}

#define ALL_BUT_ROOT	(AS_USER | AS_NAMESPACE | AS_CONTAINER)

const struct attack attacks_on_others[] = {
	{ "another's queue, by its id", "own processes", AS_ALL | AS_NAMESPACE,
	  .run = by_queue, .answer = EPERM, .never_done = true },
	{ "another's process, by its number", "own processes", AS_USER | AS_NAMESPACE | AS_ROOT,
	  .run = by_number, .never_done = true },
	{ "all queues there are, by their ids", "own processes", ALL_BUT_ROOT, .run = by_guess,
	  .answer = EPERM, .never_done = true },
	{ "another's queue, with a file that root has opened", "credentials", AS_ALL,
	  .run = with_a_file_of_root, .answer = EPERM, .never_done = true },
	{ "another's process as one's tenant", "own processes", AS_USER | AS_NAMESPACE,
	  .run = as_a_tenant, .answer = EPERM, .never_done = true },
	{ "an armed switch on another's queue, or by his work", "armed switches",
	  AS_USER | AS_NAMESPACE, .run = by_a_switch, .answer = EPERM, .never_done = true },
	{ "a priority above 7, a class above normal", "raising", AS_ALL | AS_NAMESPACE, .run = raise_own,
	  .answer = EPERM, .never_done = true },
	{ "every file in /sys is written to", "settings", AS_ALL | AS_NAMESPACE, .run = write_settings,
	  .never_done = true },
	{ "debugfs and traces are read", "debugfs, traces", ALL_BUT_ROOT, .run = read_all, .answer = EACCES,
	  .never_done = true },
	{ NULL },
};
