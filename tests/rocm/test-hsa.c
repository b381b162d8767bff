// SPDX-License-Identifier: MIT
/* ROCr without HIP: its own kernels for fills and copies, aligned and not. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "tap.h"

#define BYTES	(1 << 20)

static hsa_agent_t gpu;
static hsa_amd_memory_pool_t vram;

static void check(hsa_status_t status, const char *call)
{
	const char *text = "?";

	if (status == HSA_STATUS_SUCCESS)
		return;
	hsa_status_string(status, &text);
	tap_bail("%s: %s", call, text);
}
#define HSA(call) check(call, #call)

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *data)
{
	hsa_amd_segment_t segment;
	bool can;

	(void)data;
	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
					 &can));
	if (segment == HSA_AMD_SEGMENT_GLOBAL && can)
		vram = pool;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_gpu(hsa_agent_t agent, void *data)
{
	hsa_device_type_t type;

	(void)data;
	HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type != HSA_DEVICE_TYPE_GPU)
		return HSA_STATUS_SUCCESS;
	gpu = agent;
	return hsa_amd_agent_iterate_memory_pools(agent, find_pool, NULL);
}

/* Copy within the GPU's memory, and read it back. */
static bool copied(uint8_t *a, uint8_t *b, uint8_t *host, size_t to, size_t from, size_t bytes)
{
	size_t i;

	HSA(hsa_amd_memory_fill(b, 0, BYTES / 4));
	HSA(hsa_memory_copy(b + to, a + from, bytes));
	HSA(hsa_memory_copy(host, b, BYTES));
	for (i = 0; i < BYTES; i++)
		if (host[i] != (i < to || i >= to + bytes ? 0 :
				(uint8_t)((i - to + from) * 7 + (i - to + from) / 256)))
			return false;
	return true;
}

int main(void)
{
	static uint8_t host[BYTES];
	uint8_t *a, *b;
	size_t i, wrong = 0;

	alarm(120);
	HSA(hsa_init());
	HSA(hsa_iterate_agents(find_gpu, NULL));
	if (!vram.handle)
		tap_bail("no GPU memory");
	HSA(hsa_amd_memory_pool_allocate(vram, BYTES, 0, (void **)&a));
	HSA(hsa_amd_memory_pool_allocate(vram, BYTES, 0, (void **)&b));
	HSA(hsa_amd_memory_fill(a, 0x12345678, BYTES / 4));
	HSA(hsa_memory_copy(host, a, BYTES));
	for (i = 0; i < BYTES / 4; i++)
		wrong += ((uint32_t *)host)[i] != 0x12345678;
	tap_is(wrong, 0, "hsa_amd_memory_fill");
	for (i = 0; i < BYTES; i++)
		host[i] = (uint8_t)(i * 7 + i / 256);
	HSA(hsa_memory_copy(a, host, BYTES));
	tap_ok(copied(a, b, host, 0, 0, BYTES), "ROCr's copy kernel, aligned");
	tap_ok(copied(a, b, host, 4, 12, 100001), "with an odd length");
	tap_ok(copied(a, b, host, 1, 7, 300003), "not aligned");
	HSA(hsa_amd_memory_pool_free(a));
	HSA(hsa_amd_memory_pool_free(b));
	HSA(hsa_shut_down());
	return tap_done();
}
