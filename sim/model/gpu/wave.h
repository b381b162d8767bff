/* SPDX-License-Identifier: MIT */
/* Workgroups, the slots they take, and who gets these: used inside the model. */
#ifndef SIM_WAVE_H
#define SIM_WAVE_H

#include "model.h"

/* wave.c: workgroups and slots */

/* What so many compute units have. */
struct sim_slots sim_slots_of_cus(const struct sim_profile *p, u32 cus);

/* Workgroups that could be launched if there were room; those of an XCC. */
u32 sim_waiting(const struct sim_dispatch *d);
u32 sim_waiting_on(const struct sim_dispatch *d, u32 xcc);

/* The shortest time that a workgroup takes which begins now. */
u64 sim_shortest_ns(const struct sim_dispatch *d);

/* For how many of @d's workgroups the XCC has room. */
u32 sim_room(const struct sim_gpu *gpu, const struct sim_queue *q, const struct sim_dispatch *d, u32 xcc);

/* Launch up to @n workgroups there: first those that were saved. Returns how many. */
u32 sim_place(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d, u32 xcc, u32 n, u64 t);

/* @n of them have ended, or are gone: others may have their slots. */
void sim_release(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d, u32 xcc, u32 n);

/* All of @d is gone. */
void sim_dispatch_drop(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d);

/*
 * Keep these that have ended until they are carried out; those that follow each other are one. Returns
 * one that is large enough, which is not kept any more, or NULL.
 */
struct sim_cohort *sim_cohort_ended(struct sim_gpu *gpu, struct sim_dispatch *d, struct sim_cohort *c);

/* What these workgroups of @d did, at time @t; and all that are kept. False: fault. */
bool sim_cohort_carry_out(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d,
			  const struct sim_cohort *c, u64 t);
bool sim_dispatch_carry_out(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d, u64 t);

struct sim_cohort *sim_cohort_get(struct sim_gpu *gpu);
void sim_cohort_put(struct sim_gpu *gpu, struct sim_cohort *c);

/* launch.c: who gets free slots */

/* Give free slots to workgroups that wait, by priority, then in turn. */
void sim_launch(struct sim_gpu *gpu, u64 t);

/* What gpu->contends[] is for this queue now. */
u8 sim_contends(struct sim_queue *q);

/* pipe.c: queues that share a pipe */

/* The queue comes to a pipe, and leaves it. */
void sim_pipe_join(struct sim_gpu *gpu, struct sim_queue *q);
void sim_pipe_leave(struct sim_gpu *gpu, struct sim_queue *q);

/* Whether its pipe works for this queue now. */
bool sim_pipe_serves(const struct sim_queue *q);

/* When the quantum of a queue ends that shares its pipe, or SIM_NEVER. */
u64 sim_pipe_next_turn(const struct sim_gpu *gpu);

/* Let each pipe work for the queue whose turn it is. Whether one has changed. */
bool sim_pipe_step(struct sim_gpu *gpu, u64 t);

#endif /* SIM_WAVE_H */
