/* SPDX-License-Identifier: MIT */
/* Costs of the software around the GPU. */
#ifndef XSIM_COSTS_H
#define XSIM_COSTS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct costs - times of the programs, the daemon, the module and the driver
 * @wake: of a program: from the end of its sleep to its first instruction
 * @submit: of a program: to write the packets of a request and ring
 * @ring: from the doorbell to the fetch of the first packet
 * @complete: from the last wave to the program that waited for it
 * @sample: how often the module looks at the indices of queues
 * @sample_queue: its time for one queue: with many it looks less often
 * @settle: how long a queue must be dry to be reported idle
 * @react: from the event to the daemon's call
 * @tap: from the first ring of an idle queue to the event READY; armed, to the call
 * @apply: of the call: from its begin to the first packet to a firmware
 * @per_queue: the same, in addition for each queue that goes on or off
 * @unmap: of the driver: building the packets, and noticing the fence
 * @map: of the driver: from the fence to the new runlist
 * @back: of the call: from the last node's runlist to its return
 */
struct costs {
	uint64_t wake;
	uint64_t submit;
	uint64_t ring;
	uint64_t complete;
	uint64_t sample;
	uint64_t sample_queue;
	uint64_t settle;
	uint64_t react;
	uint64_t tap;
	uint64_t apply;
	uint64_t per_queue;
	uint64_t unmap;
	uint64_t map;
	uint64_t back;
};

/* Every value with its source. */
extern const struct costs costs_default;

/* A time among the costs by its name, or NULL. */
uint64_t *costs_find(struct costs *costs, const char *name);

/* Enumerate them: false after the last. */
bool costs_at(const struct costs *costs, unsigned int index, const char **name, uint64_t *ns);

#endif /* XSIM_COSTS_H */
