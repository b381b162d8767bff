// SPDX-License-Identifier: MIT
/* The profiles by name, and values derived from one. */
#include "model.h"

static const struct sim_profile *const profiles[] = {
	&sim_profile_mi308x,
	&sim_profile_mi308x_field,
	&sim_profile_mi300x,
	&sim_profile_mi250,
	&sim_profile_gfx11,
};

const struct sim_profile *sim_profile_at(u32 index)
{
	return index < sizeof(profiles) / sizeof(profiles[0]) ? profiles[index] : NULL;
}

const struct sim_profile *sim_profile_find(const char *name)
{
	u32 i;

	for (i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		if (!strcmp(profiles[i]->name, name))
			return profiles[i];
	return NULL;
}

bool sim_profile_partition(const struct sim_profile *p, u32 parts,
			   struct sim_profile *out)
{
	if (!parts || p->xccs % parts || p->cus % parts || p->sdma_engines % parts)
		return false;
	*out = *p;
	out->xccs /= parts;
	out->cus /= parts;
	out->sdma_engines /= parts;
	out->save_bytes_per_us /= parts;	/* assumed: an equal share of HBM */
	out->sdma_bus_bytes_per_us /= parts;	/* and of the bus, which others may leave idle */
	/*
	 * kernel (kgd2kfd_device_init): two XCCs in CPX mode share VMIDs, and
	 * to divide them equally one may be left over.
	 */
	if (parts > 1 && parts == p->xccs)
		out->vmids /= 2;
	return true;
}

u64 sim_grace_ns(const struct sim_profile *p, u32 units)
{
	if (!units && p->mec_fw_version < p->grace_zero_is_endless_below)
		return SIM_NEVER;
	return (u64)units * 1000 * 1000 / p->clock_mhz;
}
