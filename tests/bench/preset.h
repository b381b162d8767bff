/* SPDX-License-Identifier: MIT */
/* The models the benchmarks run: their shape, and where each number is from. */
#ifndef PRESET_H
#define PRESET_H

#include <stdint.h>

#define PRESET_MAX_STAGES	8

/**
 * struct preset_stage - equal kernels that follow one another
 * @kernels: how many
 * @workgroups: of each
 * @workgroup_size: threads of a workgroup
 * @workgroup_ns: time a workgroup computes
 */
struct preset_stage {
	uint32_t kernels;
	uint32_t workgroups;
	uint32_t workgroup_size;
	uint64_t workgroup_ns;
};

/**
 * struct preset - a model: a sequence of dependent kernels for each request
 * @name: as given on the command line
 * @images: inputs one request carries, its batch
 * @source: where the numbers are from
 * @stages: the kernels; a stage without kernels ends the list
 */
struct preset {
	const char *name;
	uint32_t images;
	const char *source;
	struct preset_stage stages[PRESET_MAX_STAGES + 1];
};

/* Find one by its name, or NULL. */
const struct preset *preset_find(const char *name);

/* Names of all, for a usage message: NULL after the last. */
const char *preset_name(unsigned int index);

/* Kernels of one request. */
uint32_t preset_kernels(const struct preset *preset);

#endif /* PRESET_H */
