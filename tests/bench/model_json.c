// SPDX-License-Identifier: MIT
/* The result of a model. All times are CLOCK_MONOTONIC in nanoseconds. */
#include <inttypes.h>
#include <unistd.h>

#include "model.h"

const char *model_arrival_name(enum model_arrival arrival)
{
	switch (arrival) {
	case MODEL_PERIODIC:
		return "periodic";
	case MODEL_POISSON:
		return "poisson";
	case MODEL_CLOSED:
		break;
	}
	return "closed";
}

static void write_stages(const struct preset *preset, FILE *f)
{
	const struct preset_stage *stage;

	fprintf(f, " \"stages\": [");
	for (stage = preset->stages; stage->kernels; stage++)
		fprintf(f, "%s{\"kernels\": %u, \"workgroups\": %u, \"workgroup_size\": %u, "
			"\"workgroup_ns\": %" PRIu64 "}", stage == preset->stages ? "" : ", ",
			stage->kernels, stage->workgroups, stage->workgroup_size,
			stage->workgroup_ns);
	fprintf(f, "],\n");
}

/* Each request: arrival, submitted, done, first wave on the GPU, last wave, ring. */
static void write_requests(const struct model *m, FILE *f)
{
	const struct model_request *r;
	const struct vgpu_log *log;
	uint64_t i;

	fprintf(f, " \"requests\": [");
	for (i = 0; i < m->completed; i++) {
		r = &m->requests[i];
		log = &m->log[r->first];
		fprintf(f, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 "]", i ? "," : "", r->arrival_ns, r->submitted_ns, r->done_ns,
			log[0].start_ns, log[m->kernels - 1].end_ns, r->rung_ns);
	}
	fprintf(f, "],\n");
}

/* Dispatches that touch the window: first wave, last wave, times saved. */
static void write_window(const struct model *m, FILE *f)
{
	uint64_t from = m->start_ns + m->options->window_from_ns;
	uint64_t to = from + m->options->window_ns, i;
	const struct vgpu_log *log;
	bool any = false;

	fprintf(f, " \"window\": {\"from_ns\": %" PRIu64 ", \"to_ns\": %" PRIu64
		", \"dispatches\": [", from, to);
	for (i = 0; i < m->dispatches && m->options->window_ns; i++) {
		log = &m->log[i];
		if (!log->executed || log->end_ns < from || log->start_ns > to)
			continue;
		fprintf(f, "%s[%" PRIu64 ",%" PRIu64 ",%u]", any ? "," : "",
			log->start_ns, log->end_ns, log->saved);
		any = true;
	}
	fprintf(f, "]},\n");
}

void model_write(const struct model *m, const struct spin_account *a, FILE *f)
{
	const struct model_options *o = m->options;

	fprintf(f, "{\n \"name\": \"%s\", \"pid\": %d, \"gpu_id\": %u,\n", o->name, getpid(),
		m->gpu_id);
	fprintf(f, " \"preset\": \"%s\", \"images\": %u, \"source\": \"%s\",\n",
		o->preset->name, o->preset->images, o->preset->source);
	write_stages(o->preset, f);
	fprintf(f, " \"arrival\": \"%s\", \"rate\": %g, \"seed\": %" PRIu64 ",\n",
		model_arrival_name(o->arrival), o->rate, o->seed);
	fprintf(f, " \"start_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64 ",\n", m->start_ns, m->end_ns);
	write_requests(m, f);
	write_window(m, f);
	if (m->words)
		fprintf(f, " \"results\": {\"words\": %" PRIu64 ", \"wrong\": %" PRIu64 "},\n",
			m->words, m->wrong);
	fprintf(f, " \"dispatch\": {\"submitted\": %" PRIu64 ", \"executed\": %" PRIu64
		", \"lost\": %" PRIu64 ", \"duplicated\": %" PRIu64 ", \"out_of_order\": %" PRIu64
		", \"saved\": %" PRIu64 ", \"busy_ns\": %" PRIu64 "}\n}\n",
		a->submitted, a->executed, a->lost, a->duplicated, a->out_of_order, a->saved,
		a->busy_ns);
}
