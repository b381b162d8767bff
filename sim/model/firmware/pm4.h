/* SPDX-License-Identifier: MIT */
/*
 * PM4 packets of the HIQ: bits of their dwords, as the firmware's interface has
 * them (Linux: kfd_pm4_headers_ai.h and kfd_pm4_headers_aldebaran.h).
 */
#ifndef SIM_PM4_H
#define SIM_PM4_H

#include "types.h"

#define PM4_NOP			0x10
#define PM4_WRITE_DATA		0x37
#define PM4_SET_RESOURCES	0xa0
#define PM4_MAP_PROCESS		0xa1
#define PM4_MAP_QUEUES		0xa2
#define PM4_UNMAP_QUEUES	0xa3
#define PM4_QUERY_STATUS	0xa4
#define PM4_RUN_LIST		0xa5

/* Lengths in dwords. */
#define PM4_SET_RESOURCES_LEN	8
#define PM4_MAP_PROCESS_LEN	16	/* GC 9.0 */
#define PM4_MAP_PROCESS_LEN_9_4	21	/* GC 9.4.2 and later */
#define PM4_MAP_QUEUES_LEN	7
#define PM4_UNMAP_QUEUES_LEN	6
#define PM4_QUERY_STATUS_LEN	7
#define PM4_RUN_LIST_LEN	4
#define PM4_WRITE_DATA_LEN	5
#define PM4_MAX_LEN		32

/* Count of a NOP that is one dword long. */
#define PM4_NOP_ALONE		0x3fff

static inline u32 pm4_bits(u32 dword, u32 low, u32 width)
{
	return dword >> low & ((1ULL << width) - 1);
}

static inline u32 pm4_type(u32 header)
{
	return header >> 30;
}

static inline u32 pm4_opcode(u32 header)
{
	return pm4_bits(header, 8, 8);
}

/* Length of the packet that begins with @header, in dwords. */
static inline u32 pm4_len(u32 header)
{
	u32 count = pm4_bits(header, 16, 14);

	if (pm4_opcode(header) == PM4_NOP && count == PM4_NOP_ALONE)
		return 1;
	return count + 2;
}

static inline u32 pm4_header(u32 opcode, u32 len)
{
	return 3U << 30 | (len - 2) << 16 | opcode << 8;
}

static inline u64 pm4_u64(u32 lo, u32 hi)
{
	return (u64)hi << 32 | lo;
}

/* SET_RESOURCES */
#define PM4_RES_VMIDS(p)	pm4_bits((p)[1], 0, 16)
#define PM4_RES_QUEUE_TYPE(p)	pm4_bits((p)[1], 29, 3)
#define PM4_RES_QUEUES(p)	pm4_u64((p)[2], (p)[3])
#define PM4_RES_HIQ		1

/* RUN_LIST */
#define PM4_LIST_ADDR(p)	pm4_u64((p)[1] & ~3U, (p)[2])
#define PM4_LIST_DWORDS(p)	pm4_bits((p)[3], 0, 20)
#define PM4_LIST_CHAIN(p)	pm4_bits((p)[3], 20, 1)
#define PM4_LIST_OFFLOAD(p)	pm4_bits((p)[3], 21, 1)
#define PM4_LIST_VALID(p)	pm4_bits((p)[3], 23, 1)
#define PM4_LIST_PROCESSES(p)	pm4_bits((p)[3], 24, 4)

/* MAP_PROCESS */
#define PM4_PROC_PASID(p)	pm4_bits((p)[1], 0, 16)
#define PM4_PROC_DEBUG(p)	pm4_bits((p)[1], 22, 3)	/* new_debug, tmz, diq */
#define PM4_PROC_QUANTUM_MS(p)	pm4_bits((p)[1], 25, 7)
#define PM4_PROC_PD(p)		pm4_u64((p)[2], (p)[3])
#define PM4_PROC_GWS(p)		pm4_bits((p)[13], 0, 7)

/* MAP_QUEUES */
#define PM4_MAP_EXT_ENGINE(p)	pm4_bits((p)[1], 2, 2)
#define PM4_MAP_QUEUE_SEL(p)	pm4_bits((p)[1], 4, 2)
#define PM4_MAP_GWS(p)		pm4_bits((p)[1], 12, 1)
#define PM4_MAP_TYPE(p)		pm4_bits((p)[1], 21, 3)
#define PM4_MAP_ENGINE(p)	pm4_bits((p)[1], 26, 3)
#define PM4_MAP_COUNT(p)	pm4_bits((p)[1], 29, 3)
#define PM4_MAP_DOORBELL(p)	pm4_bits((p)[2], 2, 26)
#define PM4_MAP_MQD(p)		pm4_u64((p)[3], (p)[4])
#define PM4_MAP_WPTR(p)		pm4_u64((p)[5], (p)[6])

enum { PM4_SLOTS_OF_HWS = 1 };
enum { PM4_QUEUE_NORMAL = 0, PM4_QUEUE_DEBUG = 1, PM4_QUEUE_STATIC = 2 };
enum { PM4_ENGINE_COMPUTE = 0, PM4_ENGINE_SDMA0 = 2, PM4_ENGINE_SDMA1 = 3 };
enum { PM4_EXT_LEGACY = 0, PM4_EXT_SDMA_0_7 = 1, PM4_EXT_SDMA_8_15 = 2 };

/* UNMAP_QUEUES */
#define PM4_UNMAP_ACTION(p)	pm4_bits((p)[1], 0, 2)
#define PM4_UNMAP_EXT_ENGINE(p)	pm4_bits((p)[1], 2, 2)
#define PM4_UNMAP_SEL(p)	pm4_bits((p)[1], 4, 2)
#define PM4_UNMAP_ENGINE(p)	pm4_bits((p)[1], 26, 3)
#define PM4_UNMAP_COUNT(p)	pm4_bits((p)[1], 29, 3)
#define PM4_UNMAP_PASID(p)	pm4_bits((p)[2], 0, 16)
#define PM4_UNMAP_DOORBELL(p, i) pm4_bits((p)[2 + (i)], 2, 26)

enum { PM4_UNMAP_PREEMPT = 0 };
enum { PM4_SEL_NAMED, PM4_SEL_PASID, PM4_SEL_ALL, PM4_SEL_DYNAMIC };

/* QUERY_STATUS */
#define PM4_QUERY_INTERRUPT(p)	pm4_bits((p)[1], 28, 2)
#define PM4_QUERY_COMMAND(p)	pm4_bits((p)[1], 30, 2)
#define PM4_QUERY_ADDR(p)	pm4_u64((p)[3], (p)[4])
#define PM4_QUERY_DATA(p)	pm4_u64((p)[5], (p)[6])

enum { PM4_QUERY_FENCE = 1, PM4_QUERY_FENCE_AFTER_ACK = 2 };

/* WRITE_DATA */
#define PM4_WRITE_DST(p)	pm4_bits((p)[1], 8, 4)
#define PM4_WRITE_REG(p)	pm4_bits((p)[2], 0, 18)
#define PM4_WRITE_VALUE(p)	((p)[4])

enum { PM4_WRITE_TO_REG = 0 };

/* CP_IQ_WAIT_TIME2 */
#define PM4_SCH_WAVE_SHIFT	8
#define PM4_SCH_WAVE(value)	pm4_bits(value, PM4_SCH_WAVE_SHIFT, 8)
#define PM4_REG_IQ_WAIT_TIME2	0x30b0	/* GC 9: segment 0 begins at 0x2000 */

#endif /* SIM_PM4_H */
