// SPDX-License-Identifier: MIT
/* What the firmware asks of its surroundings: memory, and to be told of what it refuses. */
#include "firmware/hws.h"

bool sim_hws_read(struct sim_hws *h, u64 addr, u32 *to, u32 dwords)
{
	const void *p;
	u32 n;

	for (; dwords; dwords -= n, addr += n * 4, to += n) {
		n = (4096 - addr % 4096) / 4;
		n = n < dwords ? n : dwords;
		p = addr % 4 ? NULL : h->ops->memory(h->owner, addr, n * 4);
		if (!p)
			return false;
		memcpy(to, p, n * 4);
	}
	return true;
}

void sim_hws_refuse(struct sim_hws *h, u64 *counter, const char *why,
		    const u32 *packet, u32 dwords)
{
	++*counter;
	h->hung = true;
	h->at = SIM_NEVER;
	h->ops->refused(h->owner, why, packet, dwords);
}
