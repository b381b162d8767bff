/* SPDX-License-Identifier: MIT */
/* What the queue of a model is like, and who decides when it runs: options of xs-model. */
#ifndef MODEL_QUEUE_H
#define MODEL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct model_queue - the queue
 * @gpu: on which GPU, by its number in the topology
 * @priority: KFD's, 0..15
 * @first_cu: first compute unit it may use
 * @cus: how many it may use, 0: all
 * @debuggable: a debugger can suspend it, as queues of a runtime
 * @turns: file in which the process says when it has work, NULL: it does not
 * @rank: its priority there; more is higher
 * @lv1: it launches as XSched's level 1, by what that file says
 */
struct model_queue {
	uint32_t gpu;
	uint32_t priority;
	uint32_t first_cu;
	uint32_t cus;
	bool debuggable;
	const char *turns;
	uint32_t rank;
	bool lv1;
};

/* As runtimes have them. */
#define MODEL_QUEUE_PRIORITY	7
#define MODEL_QUEUE_DEFAULTS	{ .priority = MODEL_QUEUE_PRIORITY }

/*
 * Read the options at the beginning of a command line, argv[0] not among them, up to the first that
 * is not of a queue: how many arguments these are, or -EINVAL.
 */
int model_queue_options(int argc, char **argv, struct model_queue *out);

/* The part of a usage message. */
void model_queue_usage(FILE *f);

/* What model_kfdq (model.h) makes its queue of from now on. */
void model_kfdq_use(const struct model_queue *queue);

#ifdef __cplusplus
}
#endif

#endif /* MODEL_QUEUE_H */
