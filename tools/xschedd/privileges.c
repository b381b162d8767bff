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

#include "log.h"
#include "privileges.h"

static const struct {
	unsigned int capability;
	const char *reason;
} needed[] = {
	{ CAP_SYS_NICE, "hold and prioritise queues of all users" },
	{ CAP_SYS_PTRACE, "see what a process executes, and in which namespace" },
	{ CAP_DAC_READ_SEARCH, "read the environment of a process" },
	/* Without it a locked stack cannot grow, and the daemon dies. */
	{ CAP_IPC_LOCK, "stay in memory" },
};

void privileges_drop(void)
{
	bool may_bound;

	if (capng_get_caps_process())
		log_message(LOG_WARNING, "cannot read the capabilities");
	may_bound = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP);
	for (unsigned int i = 0; i <= CAP_LAST_CAP; i++) {
		const char *reason = NULL;

		for (size_t j = 0; j < sizeof(needed) / sizeof(*needed); j++)
			if (needed[j].capability == i)
				reason = needed[j].reason;
		if (!reason)
			capng_update(CAPNG_DROP, CAPNG_EFFECTIVE |
				     CAPNG_PERMITTED | CAPNG_INHERITABLE |
				     CAPNG_BOUNDING_SET | CAPNG_AMBIENT, i);
		else if (!capng_have_capability(CAPNG_EFFECTIVE, i))
			log_message(LOG_INFO, "%s is missing: cannot %s",
				    capng_capability_to_name(i), reason);
	}
	/* The bounding set first: dropping from it takes a capability, too. */
	if (may_bound && capng_apply(CAPNG_SELECT_BOUNDS))
		log_message(LOG_WARNING, "cannot restrict the bounding set");
	if (capng_apply(CAPNG_SELECT_CAPS))
		log_message(LOG_WARNING, "cannot drop capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		log_message(LOG_WARNING, "cannot refuse new privileges: %m");
}
