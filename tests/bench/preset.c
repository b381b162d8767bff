// SPDX-License-Identifier: MIT
/*
 * The table of models. Documentation/calibration.rst says what was measured of
 * them on a MI308X, and how far these come to it.
 *
 * Kernels: one for each operation of torchvision's definition, the convolutions
 * among them (derived). ResNet-18 has 20 convolutions, 20 normalisations, 17
 * ReLUs, 8 additions, 2 poolings and a linear layer; ResNet-50 has 53, 53, 49,
 * 16, 2 and 1. What each of them takes was not published. Workgroups, and the
 * time of one, are chosen so that two models beside each other do what was
 * measured (calibrated). The longest six kernels of ResNet-50 have 16 workgroups
 * an image with each batch. Of the others those of small batches are shorter,
 * with as many workgroups; of large batches each workgroup does more.
 */
#include <stddef.h>
#include <string.h>

#include "preset.h"

#define RESNET50	"174 kernels: derived; workgroups of 16 waves and 9 to 480 us: calibrated"

#define RESNET50_LARGE(batch) {				\
	{ 168, (batch) * 59 / 16, 1024, 75000 },	\
	{ 4, (batch) * 16, 1024, 240000 },		\
	{ 2, (batch) * 16, 1024, 480000 },		\
}

static const struct preset presets[] = {
	{
		.name = "resnet18-b1",
		.images = 1,
		.source = "68 kernels: derived; 64 to 160 workgroups of 4 waves and 21 us: calibrated",
		.stages = {
			{ 18, 160, 256, 21000 },
			{ 17, 128, 256, 21000 },
			{ 17, 96, 256, 21000 },
			{ 16, 64, 256, 21000 },
		},
	},
	{
		.name = "resnet50-b8",
		.images = 8,
		.source = RESNET50,
		.stages = {
			{ 118, 128, 1024, 9000 },
			{ 34, 128, 1024, 24000 },
			{ 16, 128, 1024, 80000 },
			{ 4, 128, 1024, 240000 },
			{ 2, 128, 1024, 480000 },
		},
	},
	{
		.name = "resnet50-b256",
		.images = 256,
		.source = RESNET50,
		.stages = RESNET50_LARGE(256),
	},
	{
		.name = "resnet50-b1024",
		.images = 1024,
		.source = RESNET50,
		.stages = RESNET50_LARGE(1024),
	},
	{
		.name = "batch-w16",
		.images = 256,
		.source = "54 kernels of 320 workgroups of 16 waves, which fill 80 CUs twice: assumed",
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
