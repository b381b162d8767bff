// SPDX-License-Identifier: MIT
/*
 * What is compared between the software GPU and the real one, in one place.
 *
 * A dword that is not listed must be the same. Addresses differ by nature; the
 * test checks that they are those of the queue's own buffers, or have the same
 * relation to each other as on the real GPU. An exception says why a field may
 * differ, and nothing of it is checked.
 */
#include "evidence.h"

/* The MQD of each XCC: written by amdkfd, read and updated by the firmware. */
const struct evidence_field evidence_mqd_fields[] = {
	{ 39, "compute_current_logic_xcc_id", EVIDENCE_ADDRESS, 0,
	  "depends on how many queues the GPU had before: one more on each XCC, modulo XCCs" },
	{ 128, "cp_mqd_base_addr_lo", EVIDENCE_ADDRESS, 0,
	  "page-aligned; each XCC's follows the one before by cp_mqd_stride_size" },
	{ 129, "cp_mqd_base_addr_hi", EVIDENCE_ADDRESS, 0, "the same" },
	{ 136, "cp_hqd_pq_base_lo", EVIDENCE_ADDRESS, 0, "the ring, in units of 256 bytes" },
	{ 137, "cp_hqd_pq_base_hi", EVIDENCE_ADDRESS, 0, "the same" },
	{ 139, "cp_hqd_pq_rptr_report_addr_lo", EVIDENCE_ADDRESS, 0, "the read index" },
	{ 140, "cp_hqd_pq_rptr_report_addr_hi", EVIDENCE_ADDRESS, 0, "the same" },
	{ 141, "cp_hqd_pq_wptr_poll_addr_lo", EVIDENCE_ADDRESS, 0, "the write index" },
	{ 142, "cp_hqd_pq_wptr_poll_addr_hi", EVIDENCE_ADDRESS, 0, "the same" },
	{ 143, "cp_hqd_pq_doorbell_control", EVIDENCE_MASKED, 0x0ffffffc,
	  "DOORBELL_OFFSET: the queue's doorbell in its process's range" },
	{ 171, "cp_hqd_ctx_save_base_addr_lo", EVIDENCE_ADDRESS, 0,
	  "the save area; each XCC's follows the one before by cp_hqd_ctx_save_size" },
	{ 172, "cp_hqd_ctx_save_base_addr_hi", EVIDENCE_ADDRESS, 0, "the same" },
	{ 0 }
};

/* A slot with the queue: loaded from the MQD, then changed by the hardware. */
const struct evidence_field evidence_hqd_fields[] = {
	{ 128, "cp_mqd_base_addr_lo", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 129, "cp_mqd_base_addr_hi", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 136, "cp_hqd_pq_base_lo", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 137, "cp_hqd_pq_base_hi", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 139, "cp_hqd_pq_rptr_report_addr_lo", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 140, "cp_hqd_pq_rptr_report_addr_hi", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 141, "cp_hqd_pq_wptr_poll_addr_lo", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 142, "cp_hqd_pq_wptr_poll_addr_hi", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 143, "cp_hqd_pq_doorbell_control", EVIDENCE_MASKED, 0x0ffffffc,
	  "DOORBELL_OFFSET as in the MQD" },
	{ 171, "cp_hqd_ctx_save_base_addr_lo", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 172, "cp_hqd_ctx_save_base_addr_hi", EVIDENCE_ADDRESS, 0, "as in the MQD" },
	{ 0 }
};

/* The firmware's own queue: the driver chose its ring, the rest is its past. */
const struct evidence_field evidence_hiq_fields[] = {
	{ 128, "cp_mqd_base_addr_lo", EVIDENCE_ADDRESS, 0,
	  "each XCC's follows the one before by the stride of the real one" },
	{ 129, "cp_mqd_base_addr_hi", EVIDENCE_ADDRESS, 0, "the same" },
	{ 136, "cp_hqd_pq_base_lo", EVIDENCE_ADDRESS, 0, "the same on all XCCs" },
	{ 138, "cp_hqd_pq_rptr", EVIDENCE_EXCEPTION, 0,
	  "how many packets the driver has sent so far" },
	{ 139, "cp_hqd_pq_rptr_report_addr_lo", EVIDENCE_ADDRESS, 0, "the same on all XCCs" },
	{ 141, "cp_hqd_pq_wptr_poll_addr_lo", EVIDENCE_ADDRESS, 0, "the same on all XCCs" },
	{ 143, "cp_hqd_pq_doorbell_control", EVIDENCE_MASKED, 0x8ffffffc,
	  "DOORBELL_OFFSET: the driver's first doorbell of the GPU; DOORBELL_HIT: rung lately" },
	{ 146, "cp_hqd_ib_base_addr_lo", EVIDENCE_EXCEPTION, 0,
	  "the runlist the firmware read last; the model keeps no such register" },
	{ 148, "cp_hqd_ib_rptr", EVIDENCE_EXCEPTION, 0, "position in that runlist" },
	{ 149, "cp_hqd_ib_control", EVIDENCE_EXCEPTION, 0, "state of that runlist" },
	{ 156, "cp_hqd_atomic0_preop_lo", EVIDENCE_EXCEPTION, 0, "scratch of the firmware" },
	{ 160, "cp_hqd_hq_status0", EVIDENCE_EXCEPTION, 0,
	  "RSVR_29_10 and TCL2_DIRTY are the firmware's; undocumented" },
	{ 165, "cp_hqd_eop_base_addr_lo", EVIDENCE_ADDRESS, 0, "the same on all XCCs" },
	{ 169, "cp_hqd_eop_wptr", EVIDENCE_EXCEPTION, 0,
	  "room in the end-of-pipe ring, which the model does not have" },
	{ 182, "cp_hqd_pq_wptr_lo", EVIDENCE_EXCEPTION, 0, "as cp_hqd_pq_rptr" },
	{ 0 }
};

struct evidence_field evidence_field(const struct evidence_field *table, uint32_t dword)
{
	struct evidence_field same = { .dword = dword, .name = evidence_name(dword) };

	for (; table->name; table++)
		if (table->dword == dword)
			return *table;
	return same;
}
