// SPDX-License-Identifier: MIT
/* The model under load: arrivals, submission, completion. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

#define NSEC	1000000000ULL

uint64_t model_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NSEC + (uint64_t)t.tv_nsec;
}

/* Returns early, with -EINTR, when a signal comes. */
static int sleep_until(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / NSEC), .tv_nsec = (long)(ns % NSEC) };

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* splitmix64: the same arrivals for the same seed, on any machine. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint64_t gap_ns(struct model *m)
{
	double mean = (double)NSEC / m->options->rate, u;

	if (m->options->arrival == MODEL_PERIODIC)
		return (uint64_t)mean;
	u = (double)(random_next(&m->random) >> 11) * 0x1p-53;
	return (uint64_t)(-log(1.0 - u) * mean);
}

int model_init(struct model *m, const struct model_options *options,
	       const struct model_backend *backend)
{
	int ret;

	memset(m, 0, sizeof(*m));
	m->options = options;
	m->backend = backend;
	m->random = options->seed;
	m->kernels = preset_kernels(options->preset);
	m->capacity = options->requests ? options->requests : options->max_requests;
	m->requests = calloc(m->capacity, sizeof(*m->requests));
	if (!m->requests)
		return -ENOMEM;
	ret = backend->open(m);
	if (ret)
		model_fini(m);
	return ret;
}

void model_fini(struct model *m)
{
	m->backend->close(m);
	free(m->requests);
	memset(m, 0, sizeof(*m));
}

static int submit_request(struct model *m, uint64_t arrival_ns)
{
	struct model_request *r = &m->requests[m->submitted];
	int ret;

	r->first = m->submitted * m->kernels;
	ret = m->backend->submit(m);
	if (ret)
		return ret;
	m->dispatches += m->kernels;
	r->submitted_ns = model_now();
	r->arrival_ns = arrival_ns ? arrival_ns : r->submitted_ns;
	m->submitted++;
	return 0;
}

/* Wait for the oldest request in flight, whatever else happens. */
static int complete_request(struct model *m)
{
	int ret;

	do {
		ret = m->backend->wait(m);
	} while (ret == -EINTR);
	if (ret)
		return ret;
	m->end_ns = model_now();
	m->requests[m->completed++].done_ns = m->end_ns;
	return 0;
}

static bool finished(const struct model *m, const volatile bool *stop)
{
	const struct model_options *o = m->options;

	if (*stop || m->submitted == m->capacity)
		return true;
	return o->seconds > 0 && model_now() >= m->start_ns + (uint64_t)(o->seconds * NSEC);
}

static int run_closed(struct model *m, const volatile bool *stop)
{
	int ret = 0;

	while (!ret && !finished(m, stop)) {
		ret = submit_request(m, 0);
		if (!ret && m->submitted - m->completed == MODEL_DEPTH)
			ret = complete_request(m);
	}
	return ret;
}

static int run_open(struct model *m, const volatile bool *stop)
{
	int ret = 0;

	m->next_arrival_ns = m->start_ns;
	while (!ret && !finished(m, stop)) {
		m->next_arrival_ns += gap_ns(m);
		while (!*stop && sleep_until(m->next_arrival_ns) == -EINTR)
			;
		if (*stop)
			break;
		ret = submit_request(m, m->next_arrival_ns);
		if (!ret)
			ret = complete_request(m);
	}
	return ret;
}

int model_run(struct model *m, const volatile bool *stop)
{
	int ret;

	m->start_ns = model_now();
	if (m->options->start_ns) {
		/* Beginning late would put this model out of step with its peer. */
		if (m->start_ns > m->options->start_ns)
			return -ETIME;
		m->start_ns = m->options->start_ns;
		while (!*stop && sleep_until(m->start_ns) == -EINTR)
			;
	}
	m->end_ns = m->start_ns;
	ret = m->options->arrival == MODEL_CLOSED ? run_closed(m, stop) : run_open(m, stop);
	while (!ret && m->completed < m->submitted)
		ret = complete_request(m);
	if (!ret && m->backend->finish)
		ret = m->backend->finish(m);
	return ret;
}
