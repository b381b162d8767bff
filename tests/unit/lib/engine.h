/* SPDX-License-Identifier: MIT */
/* An engine, its tenants, and plans that are carried out at once. */
#ifndef XSCHED_TEST_ENGINE_H
#define XSCHED_TEST_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include <xsched/engine.h>

struct xsched_engine *new_engine(const char *policy);

/* A process with one queue, whose id is the pid, on one node. */
void add(struct xsched_engine *engine, int32_t pid, uint32_t gpu, int32_t priority, bool ready);

/* Plan and carry it out. Returns when to plan again. */
uint64_t carry_out(struct xsched_engine *engine, uint64_t now);

#endif /* XSCHED_TEST_ENGINE_H */
