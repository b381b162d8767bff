/* SPDX-License-Identifier: MIT */
/*
 * Dumps of a GPU's queues, as amdkfd prints them in debugfs (kfd/mqds and
 * kfd/hqds), and what is compared between two of them.
 */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVIDENCE_XCCS	8
#define EVIDENCE_PIPES	4
#define EVIDENCE_QUEUES	8
#define MQD_DWORDS	512
#define HQD_REGS	56	/* CP_MQD_BASE_ADDR ... CP_HQD_PQ_WPTR_HI */
#define MQD_HQD		128	/* they are loaded from the MQD's dwords from here on */

/**
 * struct evidence_slot - a hardware queue slot
 * @present: the dump has it
 * @address: of its first register
 * @regs: their values
 */
struct evidence_slot {
	bool present;
	uint32_t address;
	uint32_t regs[HQD_REGS];
};

/**
 * struct evidence - what is known of one queue, and of the slots of its GPU
 * @xccs: MQDs the queue has
 * @mqd: their content
 * @slots: by XCC, pipe and queue
 * @hiq: the firmware's own queue, by XCC
 */
struct evidence {
	unsigned int xccs;
	uint32_t mqd[EVIDENCE_XCCS][MQD_DWORDS];
	struct evidence_slot slots[EVIDENCE_XCCS][EVIDENCE_PIPES][EVIDENCE_QUEUES];
	struct evidence_slot hiq[EVIDENCE_XCCS];
};

/*
 * Read the first compute queue of process @pid (0: any) from a dump of MQDs,
 * and the slots of GPU @gpu_id (0: any) from one of HQDs. False: not found.
 */
bool evidence_read_mqds(struct evidence *e, const char *text, long pid);
bool evidence_read_hqds(struct evidence *e, const char *text, uint32_t gpu_id);

/* The slot on @xcc that holds the queue with its MQD at @mqd, or NULL. */
struct evidence_slot *evidence_slot_of(struct evidence *e, unsigned int xcc, uint64_t mqd,
				       unsigned int *pipe, unsigned int *queue);

/** enum evidence_rule - how a field is compared */
enum evidence_rule {
	EVIDENCE_SAME,		/* equal to the real GPU's, and to be named */
	EVIDENCE_ADDRESS,	/* an address: the test checks what it must be */
	EVIDENCE_MASKED,	/* equal but for some bits, which the test checks */
	EVIDENCE_EXCEPTION,	/* may differ, for the reason given */
};

/**
 * struct evidence_field - a dword of the MQD, or a register
 * @dword: of the MQD, or that the register is loaded from
 * @name: as the driver calls it
 * @rule: see enum evidence_rule
 * @mask: EVIDENCE_MASKED: bits that are not compared
 * @why: what is checked instead, or the reason of an exception
 */
struct evidence_field {
	uint32_t dword;
	const char *name;
	enum evidence_rule rule;
	uint32_t mask;
	const char *why;
};

/* Dwords with a rule of their own; all others must be the same. */
extern const struct evidence_field evidence_mqd_fields[];
extern const struct evidence_field evidence_hqd_fields[];
extern const struct evidence_field evidence_hiq_fields[];

/* The rule of a dword in one of these tables. */
struct evidence_field evidence_field(const struct evidence_field *table, uint32_t dword);

/* The name of a dword of the MQD; "reserved" if it has none. */
const char *evidence_name(uint32_t dword);

#endif /* EVIDENCE_H */
