// SPDX-License-Identifier: MIT
/*
 * The table of models. Two figures were measured on a MI308X and fix the
 * rest: ResNet-18 with batch 1 takes about 6.1 ms, and ResNet-50 with batch
 * 256 makes 7.84 iterations (2007.7 images) a second. How that time divides
 * into kernels and workgroups was not published; what is called assumed
 * below was chosen to give these totals.
 */
#include <stddef.h>
#include <string.h>

#include "preset.h"

static const struct preset presets[] = {
	{
		.name = "resnet18-b1",
		.images = 1,
		.source = "6.11 ms a request: P50 measured on a MI308X; "
			  "50 dependent kernels of 64 to 160 workgroups: assumed",
		.stages = {
			{ 2, 160, 256, 118500 },
			{ 12, 160, 256, 118500 },
			{ 12, 128, 256, 118500 },
			{ 12, 96, 256, 118500 },
			{ 12, 64, 256, 118500 },
		},
	},
	{
		.name = "resnet50-b256",
		.images = 256,
		.source = "7.84 iterations a second: measured on a MI308X; "
			  "54 dependent kernels that fill 80 CUs (640 workgroups of 4 waves) "
			  "twice: assumed",
		.stages = {
			{ 54, 1280, 256, 1180000 },
		},
	},
	{
		.name = "resnet50-b256-w16",
		.images = 256,
		.source = "as resnet50-b256; workgroups of 16 waves, 320 of which fill "
			  "80 CUs twice: assumed",
		.stages = {
			{ 54, 320, 1024, 1180000 },
		},
	},
};

#define PRESETS	(sizeof(presets) / sizeof(presets[0]))

const struct preset *preset_find(const char *name)
{
	size_t i;

	for (i = 0; i < PRESETS; i++) {
		if (!strcmp(presets[i].name, name))
			return &presets[i];
	}
	return NULL;
}

const char *preset_name(unsigned int index)
{
	return index < PRESETS ? presets[index].name : NULL;
}

uint32_t preset_kernels(const struct preset *preset)
{
	const struct preset_stage *stage;
	uint32_t kernels = 0;

	for (stage = preset->stages; stage->kernels; stage++)
		kernels += stage->kernels;
	return kernels;
}
