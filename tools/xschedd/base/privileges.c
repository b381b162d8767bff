// SPDX-License-Identifier: MIT
/*
 * Privileges.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <cap-ng.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "base/log.h"
#include "base/privileges.h"

/* Who needs it; each has what the next has. */
enum need {
	NEEDED_BY_DAEMON,
	NEEDED_TO_READ,
	NEEDED_BY_NONE,
};

static const struct privilege {
	unsigned int capability;
	enum need need;
	const char *reason;
} needed[] = {
	{ CAP_SYS_NICE, NEEDED_BY_DAEMON, "hold and prioritise queues of all users" },
	{ CAP_SYS_PTRACE, NEEDED_TO_READ, "see what a process executes, and in which namespace" },
	{ CAP_DAC_READ_SEARCH, NEEDED_TO_READ, "read the environment of a process" },
	/* Without it a locked stack cannot grow, and the daemon dies. */
	{ CAP_IPC_LOCK, NEEDED_BY_DAEMON, "stay in memory" },
};

static const struct privilege *privileges_find(unsigned int capability)
{
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (needed[i].capability == capability)
			return &needed[i];
	return NULL;
}

static void privileges_lose(unsigned int capability)
{
	capng_update(CAPNG_DROP, CAPNG_EFFECTIVE | CAPNG_PERMITTED |
		     CAPNG_INHERITABLE | CAPNG_BOUNDING_SET | CAPNG_AMBIENT,
		     capability);
}

/* The bounding set first: dropping from it takes a capability, too. */
static bool privileges_apply(bool may_bound)
{
	bool done = !may_bound || !capng_apply(CAPNG_SELECT_BOUNDS);

	return !capng_apply(CAPNG_SELECT_CAPS) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && done;
}

/* Keep those that are needed for that. */
static void privileges_reduce(enum need need)
{
	bool may_bound;

	if (capng_get_caps_process())
		log_message(LOG_WARNING, "cannot read the capabilities");
	may_bound = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP);
	for (unsigned int i = 0; i <= CAP_LAST_CAP; i++) {
		const struct privilege *privilege = privileges_find(i);

		if (!privilege || privilege->need < need)
			privileges_lose(i);
		else if (need == NEEDED_BY_DAEMON && !capng_have_capability(CAPNG_EFFECTIVE, i))
			log_message(LOG_INFO, "%s is missing: cannot %s",
				    capng_capability_to_name(i),
				    privilege->reason);
	}
	if (!privileges_apply(may_bound))
		log_message(LOG_WARNING, "cannot drop all capabilities that are not needed: %m");
}

void privileges_drop(void)
{
	privileges_reduce(NEEDED_BY_DAEMON);
}

void privileges_drop_to_read(void)
{
	privileges_reduce(NEEDED_TO_READ);
}

void privileges_drop_all(void)
{
	privileges_reduce(NEEDED_BY_NONE);
}
