// SPDX-License-Identifier: MIT
/* The parameters of a profile by name: to print them, and to change one of them. */
#include "model.h"

/* A number of ns has 32 bits, and sums of a few of them must fit, too. */
#define LONGEST_NS	1000000000

#define PARAMETER(field, is_chip, least, most) {			\
	.name = #field,							\
	.offset = offsetof(struct sim_profile, field),			\
	.bytes = sizeof(((struct sim_profile *)0)->field),		\
	.chip = is_chip,						\
	.min = least,							\
	.max = most,							\
}

#define CHIP(field, least, most)	PARAMETER(field, true, least, most)
#define COST(field, least, most)	PARAMETER(field, false, least, most)
#define TIME(field)			COST(field, 0, LONGEST_NS)

static const struct sim_parameter parameters[] = {
	CHIP(xccs, 1, SIM_MAX_XCCS),
	CHIP(cus, 1, 1024),
	CHIP(shader_engines, 1, 32),
	CHIP(simds_per_cu, 1, 8),
	CHIP(waves_per_simd, 1, 64),
	CHIP(vgprs_per_simd, 1, 4096),
	CHIP(vgprs_per_wave, 1, 4096),
	CHIP(vgpr_granule, 1, 64),
	CHIP(wave_lanes, 1, 64),
	CHIP(lds_per_cu, 1, 1 << 20),
	CHIP(hqds, 1, 63),
	CHIP(pipes, 1, SIM_MAX_PIPES),
	CHIP(vmids, 1, 15),
	CHIP(sdma_engines, 1, SIM_MAX_SDMA),
	CHIP(sdma_queues, 1, 63),
	CHIP(clock_mhz, 1, 10000),
	CHIP(ticks_mhz, 1, 1000),
	CHIP(grace_default, 0, 255),
	CHIP(mec_fw_version, 0, 0xffff),
	CHIP(grace_zero_is_endless_below, 0, 0xffff),
	CHIP(wave_state_bytes, 0, 1 << 20),
	COST(process_quantum_ns, 1000, LONGEST_NS),
	COST(queue_quantum_ns, 1000, LONGEST_NS),
	COST(sdma_bytes_per_us, 1, 100000000),
	TIME(sdma_packet_ns),
	TIME(packet_ns),
	TIME(hiq_packet_ns),
	TIME(map_queue_ns),
	TIME(unmap_queue_ns),
	TIME(save_ns),
	TIME(restore_ns),
	COST(save_bytes_per_us, 1, 100000000),
	COST(firmware_spread, 0, 1000),
	COST(firmware_late_pm, 0, 1000),
	TIME(firmware_late_ns),
	TIME(packet_jitter_ns),
	COST(workgroup_spread, 0, 1000),
	TIME(cold_ns),
	TIME(register_ns),
	TIME(interrupt_ns),
	TIME(runlist_entry_ns),
	TIME(xcc_ns),
	COST(sdma_whole_packets, 0, 1),
	COST(sdma_bus_bytes_per_us, 0, 100000000),
	COST(contention_pm, 0, 1000),
	COST(idle_process_pm, 0, 1000),
	COST(clock_ramp_pm, 0, 10000),
	TIME(clock_ramp_ns),
};

const struct sim_parameter *sim_parameter_at(u32 index)
{
	return index < sizeof(parameters) / sizeof(parameters[0]) ? &parameters[index] : NULL;
}

u64 sim_parameter_get(const struct sim_profile *p, const struct sim_parameter *parameter)
{
	const void *field = (const char *)p + parameter->offset;

	return parameter->bytes == sizeof(u64) ? *(const u64 *)field : *(const u32 *)field;
}

const struct sim_parameter *sim_parameter_find(const char *name)
{
	const struct sim_parameter *parameter;
	u32 i;

	for (i = 0; (parameter = sim_parameter_at(i)); i++)
		if (!strcmp(parameter->name, name))
			return parameter;
	return NULL;
}

bool sim_parameter_set(struct sim_profile *p, const struct sim_parameter *parameter, u64 value)
{
	void *field = (char *)p + parameter->offset;

	if (value < parameter->min || value > parameter->max)
		return false;
	if (parameter->bytes == sizeof(u64))
		*(u64 *)field = value;
	else
		*(u32 *)field = (u32)value;
	return true;
}
