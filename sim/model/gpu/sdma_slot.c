// SPDX-License-Identifier: MIT
/* An SDMA queue in its slot: it comes to its engine, is halted or stopped there, and leaves it. */
#include "gpu/sdma.h"

#define MAX_RING	(1ULL << 32)

static struct sim_sdma_engine *engine_of(const struct sim_sdma *s)
{
	return &s->sim.gpu->sdma[s->engine];
}

void sim_sdma_give_up(struct sim_sdma *s)
{
	if (engine_of(s)->active == s)
		engine_of(s)->active = NULL;
	s->step = SIM_SDMA_IDLE;
}

const char *sim_sdma_check(const struct sim_sdma *s, const struct sim_profile *p)
{
	if (s->engine >= p->sdma_engines || s->engine >= SIM_MAX_SDMA)
		return "engine";
	if (!s->ring || s->ring % 256)
		return "ring address";
	if (s->ring_bytes < 256 || s->ring_bytes & (s->ring_bytes - 1) ||
	    s->ring_bytes > MAX_RING)
		return "ring size";
	if (!s->rptr_va || s->rptr_va % 8)
		return "read index address";
	if (!s->wptr_va || s->wptr_va % 8)
		return "write index address";
	if (s->read % 4)
		return "read index";
	return NULL;
}

void sim_sdma_map(struct sim_queue *q)
{
	struct sim_sdma *s = sim_sdma(q);
	struct sim_sdma_engine *e = engine_of(s);

	s->next = e->first;
	e->first = s;
	q->gpu->sdma_queues++;
	s->write = s->read;
	s->served = e->turns;	/* after those that wait already */
	s->step = SIM_SDMA_IDLE;
}

void sim_sdma_halt(struct sim_queue *q)
{
	sim_sdma_give_up(sim_sdma(q));
	sim_sdma(q)->midcmd_cntl = 0;
}

void sim_sdma_stop(struct sim_queue *q)
{
	if (sim_sdma(q)->step == SIM_SDMA_FETCH)
		sim_sdma_give_up(sim_sdma(q));
}

u64 sim_sdma_stopped_at(const struct sim_queue *q, u64 t)
{
	const struct sim_sdma *s = (const struct sim_sdma *)q;

	return s->step == SIM_SDMA_MOVE ? s->at : t;
}

void sim_sdma_off(struct sim_queue *q)
{
	struct sim_sdma *s = sim_sdma(q), **at = &engine_of(s)->first;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	q->gpu->sdma_queues--;
}
