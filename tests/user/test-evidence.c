// SPDX-License-Identifier: MIT
/*
 * The MQD that amdkfd builds here and the slots the software GPU loads it into
 * agree with a real MI308X's, field by field: evidence_fields.c says which, and
 * what is checked of those that cannot be the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "evidence.h"
#include "kfdq.h"
#include "tap.h"

#define QUEUES		5	/* the real process had five; the newest one is looked at */
#define HIP_PACKETS	16384	/* ring of a HIP stream: 1 MiB */
#define MIB		(1 << 20)
#define DEBUGFS		"/sys/kernel/debug/kfd/"
#define DUMP_BYTES	(1 << 20)
#define QUEUE_PRIORITY	134	/* dword of the MQD */

/* The evidence, from tests/vgpu/evidence; each ends with a zero byte. */
extern const char evidence_mqd[], evidence_hqd[];

static struct evidence real, ours;
static struct kfdq_addresses address;

static uint64_t pair(const uint32_t *dwords, unsigned int low)
{
	return (uint64_t)dwords[low + 1] << 32 | dwords[low];
}

static uint64_t kernel_queues(void)
{
	FILE *f = fopen("/sys/module/amdgpu/parameters/num_kcq", "re");
	int n = -1;

	if (f && fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n < 0 || n > 8 ? 8 : n;
}

/* ---- equal fields ---- */

/* Dwords [first, first + n) of an MQD, or of the registers loaded from there. */
static void compare(const char *what, const struct evidence_field *table, unsigned int first,
		    const uint32_t *want, const uint32_t *got, unsigned int n)
{
	unsigned int i, same = 0, bad = 0;
	struct evidence_field f;
	uint32_t mask;

	for (i = 0; i < n; i++) {
		f = evidence_field(table, first + i);
		if (f.rule != EVIDENCE_SAME && f.rule != EVIDENCE_MASKED)
			continue;
		mask = f.rule == EVIDENCE_MASKED ? ~f.mask : ~0u;
		same++;
		if ((want[i] & mask) == (got[i] & mask))
			continue;
		bad++;
		tap_note("%s: dword %u, %s: %08x, on the real GPU %08x (mask %08x)", what,
			 first + i, f.name, got[i], want[i], mask);
	}
	tap_is(bad, 0, "%s: %u of %u dwords are compared and equal", what, same, n);
}

/* Names every field that is compared, and what is different about the others. */
static void print_rules(const char *what, const struct evidence_field *table,
			unsigned int first, unsigned int n)
{
	static const char *const rules[] = {
		[EVIDENCE_ADDRESS] = "checked, not compared",
		[EVIDENCE_MASKED] = "compared but for some bits",
		[EVIDENCE_EXCEPTION] = "EXCEPTION",
	};
	char line[100] = "";
	size_t length = 0;
	unsigned int i;

	tap_note("%s, compared:", what);
	for (i = first; i < first + n; i++) {
		if (evidence_field(table, i).rule != EVIDENCE_SAME ||
		    !strcmp(evidence_name(i), "reserved"))
			continue;
		if (length + strlen(evidence_name(i)) > 90) {
			tap_note("   %s", line);
			length = 0;
		}
		length += snprintf(line + length, sizeof(line) - length, " %s", evidence_name(i));
	}
	tap_note("   %s (and the reserved ones)", line);
	for (; table->name; table++)
		tap_note("%s, %s: %s: %s", what, table->name, rules[table->rule], table->why);
}

/* ---- fields that are checked instead ---- */

static void check_mqd(unsigned int xcc)
{
	const uint32_t *m = ours.mqd[xcc], *m0 = ours.mqd[0];
	uint32_t doorbell = (m[143] >> 2) & 0x3ffffff;	/* dwords */

	tap_is(m[39], (m0[39] + xcc) % ours.xccs, "MQD %u: compute_current_logic_xcc_id", xcc);
	tap_ok(!(m[128] & 4095) && pair(m, 128) == pair(m0, 128) + (uint64_t)xcc * m0[226],
	       "MQD %u: cp_mqd_base_addr", xcc);
	tap_ok(pair(m, 136) << 8 == address.ring, "MQD %u: cp_hqd_pq_base is the ring", xcc);
	tap_ok(pair(m, 139) == address.read && pair(m, 141) == address.write,
	       "MQD %u: read and write index", xcc);
	tap_ok(doorbell && doorbell * 4 % 8192 == address.doorbell && m[143] == m0[143],
	       "MQD %u: DOORBELL_OFFSET is the queue's doorbell", xcc);
	tap_ok(pair(m, 171) == address.save + (uint64_t)xcc * m[177],
	       "MQD %u: cp_hqd_ctx_save_base_addr is its part of the save area", xcc);
}

/* On the real GPU the same relations hold; else the above would mean nothing. */
static void check_real_mqd(unsigned int xcc)
{
	const uint32_t *m = real.mqd[xcc], *m0 = real.mqd[0];

	tap_ok(m[39] == (m0[39] + xcc) % real.xccs &&
	       pair(m, 128) == pair(m0, 128) + (uint64_t)xcc * m0[226] &&
	       pair(m, 136) == pair(m0, 136) && pair(m, 139) == pair(m0, 139) &&
	       pair(m, 141) == pair(m0, 141) && m[143] == m0[143] &&
	       pair(m, 171) == pair(m0, 171) + (uint64_t)xcc * m0[177],
	       "MQD %u: on the real GPU, too", xcc);
}

/* Registers that are loaded from the MQD and not changed. */
static bool as_in_mqd(const uint32_t *regs, const uint32_t *mqd)
{
	const struct evidence_field *f;
	uint32_t mask;

	for (f = evidence_hqd_fields; f->name; f++) {
		mask = f->rule == EVIDENCE_MASKED ? f->mask : ~0u;
		if ((regs[f->dword - MQD_HQD] & mask) != (mqd[f->dword] & mask))
			return false;
	}
	return true;
}

/* ---- the three places ---- */

static void test_mqds(void)
{
	char what[16];
	unsigned int xcc;

	tap_is(ours.xccs, real.xccs, "the queue has one MQD on each of %u XCCs", real.xccs);
	print_rules("MQD", evidence_mqd_fields, 0, MQD_DWORDS);
	for (xcc = 0; xcc < real.xccs && xcc < ours.xccs; xcc++) {
		snprintf(what, sizeof(what), "MQD %u", xcc);
		compare(what, evidence_mqd_fields, 0, real.mqd[xcc], ours.mqd[xcc], MQD_DWORDS);
		check_mqd(xcc);
		check_real_mqd(xcc);
	}
}

static void test_slot(unsigned int xcc)
{
	unsigned int real_pipe, real_queue, pipe, queue;
	struct evidence_slot *r, *o;
	char what[16];

	snprintf(what, sizeof(what), "HQD %u", xcc);
	r = evidence_slot_of(&real, xcc, pair(real.mqd[xcc], 128), &real_pipe, &real_queue);
	o = evidence_slot_of(&ours, xcc, pair(ours.mqd[xcc], 128), &pipe, &queue);
	if (!tap_ok(r && o, "%s: the queue is in a slot of this XCC", what))
		return;
	tap_ok(pipe == real_pipe && queue == real_queue, "%s: on pipe %u, queue %u", what,
	       real_pipe, real_queue);
	tap_is(o->address, r->address, "%s: the registers have the same address", what);
	compare(what, evidence_hqd_fields, MQD_HQD, r->regs, o->regs, HQD_REGS);
	tap_ok(as_in_mqd(o->regs, ours.mqd[xcc]) && as_in_mqd(r->regs, real.mqd[xcc]),
	       "%s: what depends on addresses is as in the MQD, here and there", what);
}

/* Where the process's queues are. */
static void test_slots(unsigned int xcc)
{
	unsigned int pipe, queue, used = 0, differ = 0;
	const struct evidence_slot *r, *o;

	for (pipe = 0; pipe < EVIDENCE_PIPES; pipe++) {
		for (queue = 0; queue < EVIDENCE_QUEUES; queue++) {
			r = &real.slots[xcc][pipe][queue];
			o = &ours.slots[xcc][pipe][queue];
			used += o->present && o->regs[2];
			if (r->present)
				differ += !o->present || o->regs[2] != r->regs[2];
		}
	}
	tap_is(used, QUEUES, "XCC %u: as many slots are in use as there are queues", xcc);
	tap_is(differ, 0, "XCC %u: the same slots as on the real GPU", xcc);
}

/* Registers in which a slot without a queue differs from one of the real GPU. */
static unsigned int differences(const char *what, const uint32_t *want, const uint32_t *got)
{
	unsigned int i, n = 0;

	for (i = 0; i < HQD_REGS; i++) {
		if (got[i] == want[i])
			continue;
		n++;
		tap_note("%s: %s: %08x, on the real GPU %08x", what, evidence_name(MQD_HQD + i), got[i], want[i]);
	}
	return n;
}

/*
 * What a slot without a queue looks like. The model has that from AMD's header of values after a
 * reset, not from the dump.
 */
static void test_empty_slots(unsigned int xcc)
{
	const struct evidence_slot *r = &real.slots[xcc][0][4], *o;
	unsigned int pipe, queue, empty = 0, differ = 0;
	char what[32];

	if (!tap_ok(r->present && !r->regs[2], "XCC %u: the real GPU's dump has an empty slot", xcc))
		return;
	for (pipe = 0; pipe < EVIDENCE_PIPES; pipe++) {
		for (queue = 0; queue < EVIDENCE_QUEUES; queue++) {
			o = &ours.slots[xcc][pipe][queue];
			if (!o->present || o->regs[2])
				continue;
			empty++;
			snprintf(what, sizeof(what), "XCC %u, %u.%u", xcc, pipe, queue);
			differ += differences(what, r->regs, o->regs);
		}
	}
	tap_is(empty, 32 - kernel_queues() - QUEUES, "XCC %u: all other slots of the driver's are empty", xcc);
	tap_is(differ, 0, "XCC %u: each shows in %u registers what one of the real GPU shows", xcc, HQD_REGS);
}

static void test_hiq(unsigned int xcc)
{
	const uint32_t *r = real.hiq[xcc].regs, *o = ours.hiq[xcc].regs;
	const uint32_t *r0 = real.hiq[0].regs, *o0 = ours.hiq[0].regs;
	char what[16];

	snprintf(what, sizeof(what), "HIQ %u", xcc);
	if (!tap_ok(real.hiq[xcc].present && ours.hiq[xcc].present, "%s: is there", what))
		return;
	compare(what, evidence_hiq_fields, MQD_HQD, r, o, HQD_REGS);
	tap_is(pair(o, 0) - pair(o0, 0), pair(r, 0) - pair(r0, 0), "%s: distance of the MQDs", what);
	tap_ok(pair(o, 8) && pair(o, 8) == pair(o0, 8) && pair(o, 11) == pair(o0, 11) &&
	       pair(o, 13) == pair(o0, 13) && pair(o, 37) && pair(o, 37) == pair(o0, 37) &&
	       o[15] == o0[15] && (o[15] & 0xffffffc),
	       "%s: ring, indices, end-of-pipe buffer and doorbell are the same on all XCCs", what);
}

static void test_hqds(void)
{
	unsigned int xcc;

	print_rules("HQD", evidence_hqd_fields, MQD_HQD, HQD_REGS);
	for (xcc = 0; xcc < real.xccs; xcc++) {
		test_slot(xcc);
		test_slots(xcc);
		test_empty_slots(xcc);
	}
	print_rules("HIQ", evidence_hiq_fields, MQD_HQD, HQD_REGS);
	for (xcc = 0; xcc < real.xccs; xcc++)
		test_hiq(xcc);
}

/* ---- what the driver makes of the GPU's size ---- */

static uint64_t property(struct kfdq_device *dev, const char *name)
{
	uint64_t value = 0;

	kfdq_property(dev, name, &value);
	return value;
}

static void test_topology(struct kfdq_device *dev)
{
	uint64_t xccs = property(dev, "num_xcc"), save = property(dev, "cwsr_size");
	uint64_t cus = property(dev, "simd_count") / property(dev, "simd_per_cu");
	uint64_t debug = (cus / xccs * 40 * 32 + 63) / 64 * 64, all = (save + debug) * xccs;

	tap_is(property(dev, "gfx_target_version"), 90402, "it is a gfx942");
	tap_is(cus, 80, "compute units");
	tap_is(save, real.mqd[0][177], "cwsr_size is the real GPU's cp_hqd_ctx_save_size");
	tap_is(property(dev, "ctl_stack_size"), real.mqd[0][175],
	       "ctl_stack_size is the real GPU's cp_hqd_cntl_stack_size");
	tap_is(all * 10 / MIB, 466, "the save area of a queue has 46.6 MiB");
	/* ROCm's driver reports the sum over the XCCs: 120 on a MI308X with num_kcq=2. */
	tap_is(property(dev, "num_cp_queues"), 32 - kernel_queues(),
	       "num_cp_queues: an XCC has 32 less the kernel's");
}

/* ---- */

static void read_file(const char *path, char *text)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		tap_bail("%s: error %d", path, -errno);
	n = fread(text, 1, DUMP_BYTES - 1, f);
	text[n] = 0;
	if (fclose(f) || n == DUMP_BYTES - 1)
		tap_bail("%s: cannot be read", path);
}

static void read_dumps(struct kfdq_device *dev)
{
	char *text = malloc(DUMP_BYTES);

	if (!text)
		tap_bail("no memory");
	if (!evidence_read_mqds(&real, evidence_mqd, 0) ||
	    !evidence_read_hqds(&real, evidence_hqd, 0))
		tap_bail("the evidence cannot be read");
	read_file(DEBUGFS "mqds", text);
	tap_ok(evidence_read_mqds(&ours, text, getpid()), "kfd/mqds has the queue's MQDs");
	read_file(DEBUGFS "hqds", text);
	tap_ok(evidence_read_hqds(&ours, text, kfdq_gpu_id(dev)), "kfd/hqds has the GPU's slots");
	free(text);
}

/*
 * The real GPU's driver was older than Linux 7, which leaves cp_hqd_queue_priority alone: there it is
 * expected to be 0, and everything else as it was.
 */
static void expect_no_priority(void)
{
	unsigned int xcc, pipe, queue;
	struct utsname host;

	if (uname(&host) || atoi(host.release) < 7)
		return;
	tap_note("Linux %s: cp_hqd_queue_priority is to be 0", host.release);
	for (xcc = 0; xcc < EVIDENCE_XCCS; xcc++) {
		real.mqd[xcc][QUEUE_PRIORITY] = 0;
		real.hiq[xcc].regs[QUEUE_PRIORITY - MQD_HQD] = 0;
		for (pipe = 0; pipe < EVIDENCE_PIPES; pipe++)
			for (queue = 0; queue < EVIDENCE_QUEUES; queue++)
				real.slots[xcc][pipe][queue].regs[QUEUE_PRIORITY - MQD_HQD] = 0;
	}
}

int main(void)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	struct kfdq_queue *queues[QUEUES];
	struct kfdq_device *dev;
	unsigned int i;

	options.packets = HIP_PACKETS;
	options.no_eop = true;
	if (kfdq_open(&dev))
		tap_bail("no device");
	for (i = 0; i < QUEUES; i++)
		if (kfdq_queue_create(dev, &options, &queues[i]))
			tap_bail("no queue %u", i);
	kfdq_queue_addresses(queues[QUEUES - 1], &address);
	read_dumps(dev);
	expect_no_priority();
	test_topology(dev);
	test_mqds();
	test_hqds();
	for (i = 0; i < QUEUES; i++)
		kfdq_queue_destroy(queues[i]);
	kfdq_close(dev);
	return tap_done();
}
