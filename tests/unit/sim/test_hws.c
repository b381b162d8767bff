// SPDX-License-Identifier: MIT
/* The HIQ's firmware: packets, runlists, and what it refuses. */
#include <stdlib.h>

#include "fake.h"
#include "firmware/hws.h"
#include "firmware/pm4.h"

#define RING		256
#define RING_AT		0x1000
#define LIST_AT		0x10000
#define LIST_DWORDS	8192
#define FENCE_AT	0x80000
#define RPTR_AT		0x80010
#define PACKET_NS	500

/**
 * struct bed - a firmware on a fake GPU
 * @f: the GPU
 * @hws: the firmware
 * @memory: the driver's, from address 0
 * @wptr: dwords written to the ring
 * @list: dwords written to the runlist
 * @why: the last refusal
 * @refused: how many
 * @bad_mqd: this doorbell's MQD is bad
 * @stop: opcode at which the firmware stops, 0: none
 * @late_ns: answers to ops->late
 * @stuck: doorbell of the queue that does not react, 0: none
 * @vmid: each queue had when it was mapped
 */
struct bed {
	struct fake *f;
	struct sim_hws *hws;
	u32 memory[0x90000 / 4];
	u32 wptr;
	u32 list;
	const char *why;
	u32 refused;
	u32 bad_mqd;
	u32 stop;
	u64 late_ns;
	u32 stuck;
	s32 vmid[FAKE_QUEUES];
};

static struct bed bed;

static void *memory(void *owner, u64 addr, u32 bytes)
{
	assert_ptr_equal(owner, &bed);
	assert_true(addr % 4096 + bytes <= 4096);
	return addr && addr + bytes <= sizeof(bed.memory) ?
		(u8 *)bed.memory + addr : NULL;
}

static void process(void *owner, struct sim_hws_process *p)
{
	(void)owner;
	p->user = p;
}

/* Doorbells are numbers of queues here. */
static struct sim_queue *map(void *owner, struct sim_hws_queue *q, u64 t)
{
	struct fake_queue *fq = &bed.f->q[q->doorbell];

	(void)owner;
	if (bed.bad_mqd == q->doorbell) {
		bed.hws->why = "that MQD";
		return NULL;
	}
	assert_int_equal(q->mqd, 0x1000000000ULL + q->doorbell * 4096);
	assert_int_equal(q->wptr_va, 0x2000000000ULL + q->doorbell * 8);
	assert_ptr_equal(sim_hws_process(q)->user, sim_hws_process(q));
	fq->aql.sim.priority = 1;
	bed.vmid[q->doorbell] = q->sched.process->vmid;
	assert_true(sim_queue_map(&bed.f->gpu, &fq->aql.sim, t, fq->image_bytes) != SIM_NEVER);
	fq->image_bytes = 0;
	return &fq->aql.sim;
}

static void refused(void *owner, const char *why, const u32 *packet, u32 dwords)
{
	(void)owner;
	assert_true(dwords == 0 || packet);
	bed.why = why;
	bed.refused++;
}

static bool stop(void *owner, const u32 *packet)
{
	(void)owner;
	return bed.stop && pm4_opcode(packet[0]) == bed.stop;
}

static u64 late(void *owner)
{
	(void)owner;
	return bed.late_ns;
}

static bool stuck(void *owner, const struct sim_hws_queue *q)
{
	(void)owner;
	return bed.stuck && bed.stuck == q->doorbell;
}

static const struct sim_hws_ops ops = {
	.memory = memory,
	.process = process,
	.map = map,
	.refused = refused,
	.stop = stop,
	.late = late,
	.stuck = stuck,
};

static void preempted(struct fake *f, u64 t)
{
	(void)f;
	sim_hws_preempted(bed.hws, t);
}

static int setup(void **state)
{
	memset(&bed, 0, sizeof(bed));
	fake_setup((void **)&bed.f);
	bed.f->profile.hqds = 8;
	bed.f->profile.sdma_engines = 16;
	bed.f->profile.hiq_packet_ns = PACKET_NS;
	bed.f->profile.save_bytes_per_us = 1000000;
	bed.f->forward = preempted;
	bed.bad_mqd = ~0U;
	bed.hws = malloc(sizeof(*bed.hws));
	assert_non_null(bed.hws);
	sim_hws_init(bed.hws, &bed.f->gpu, &ops, &bed);
	sim_hws_load(bed.hws, RING_AT, RING, RPTR_AT);
	*state = bed.f;
	return 0;
}

static int teardown(void **state)
{
	free(bed.hws);
	return fake_teardown(state);
}

/* ---- what the driver writes ---- */

static u32 *hiq(u32 opcode, u32 len)
{
	u32 *p;

	if (bed.wptr % RING + len > RING) {	/* fill up to the wrap */
		while (bed.wptr % RING)
			bed.memory[RING_AT / 4 + bed.wptr++ % RING] =
				3U << 30 | PM4_NOP_ALONE << 16 | PM4_NOP << 8;
	}
	p = &bed.memory[RING_AT / 4 + bed.wptr % RING];
	memset(p, 0, len * 4);
	p[0] = pm4_header(opcode, len);
	bed.wptr += len;
	return p;
}

static u32 *list(u32 opcode, u32 len)
{
	u32 *p = &bed.memory[LIST_AT / 4 + bed.list];

	bed.list += len;
	assert_true(bed.list <= LIST_DWORDS);
	memset(p, 0, len * 4);
	p[0] = pm4_header(opcode, len);
	return p;
}

static void set_resources(u32 vmids, u64 slots)
{
	u32 *p = hiq(PM4_SET_RESOURCES, PM4_SET_RESOURCES_LEN);

	p[1] = PM4_RES_HIQ << 29 | vmids;
	p[2] = (u32)slots;
	p[3] = slots >> 32;
}

static u32 *map_process(u32 pasid)
{
	u32 *p = list(PM4_MAP_PROCESS, PM4_MAP_PROCESS_LEN_9_4);

	p[1] = 10U << 25 | pasid;
	p[2] = 0x1000;
	return p;
}

static u32 *map_queues(u32 doorbell)
{
	u32 *p = list(PM4_MAP_QUEUES, PM4_MAP_QUEUES_LEN);

	p[1] = 1U << 29 | PM4_SLOTS_OF_HWS << 4;
	p[2] = doorbell << 2;
	p[3] = doorbell * 4096;
	p[4] = 0x10;
	p[5] = doorbell * 8;
	p[6] = 0x20;
	return p;
}

static void chain(u32 addr, u32 dwords)
{
	u32 *p = list(PM4_RUN_LIST, PM4_RUN_LIST_LEN);

	p[1] = addr;
	p[3] = 1U << 23 | 1 << 20 | dwords;
}

static u32 *run_list(u32 processes)
{
	u32 *p = hiq(PM4_RUN_LIST, PM4_RUN_LIST_LEN);

	p[1] = LIST_AT;
	p[3] = processes << 24 | 1 << 23 | bed.list;
	return p;
}

static u32 *unmap(u32 sel)
{
	u32 *p = hiq(PM4_UNMAP_QUEUES, PM4_UNMAP_QUEUES_LEN);

	p[1] = sel << 4;
	return p;
}

static u32 *grace(u32 units)
{
	u32 *p = hiq(PM4_WRITE_DATA, PM4_WRITE_DATA_LEN);

	p[1] = 1 << 16;
	p[2] = PM4_REG_IQ_WAIT_TIME2;
	p[4] = units << 8 | 0x12000034;
	return p;
}

static u32 *query(u64 value)
{
	u32 *p = hiq(PM4_QUERY_STATUS, PM4_QUERY_STATUS_LEN);

	p[1] = (u32)PM4_QUERY_FENCE_AFTER_ACK << 30;
	p[3] = FENCE_AT;
	p[5] = (u32)value;
	p[6] = value >> 32;
	return p;
}

static u64 fence(void)
{
	return *(u64 *)&bed.memory[FENCE_AT / 4];
}

/* Ring and let the firmware work for @ns. */
static void run(u64 ns)
{
	u64 end = bed.f->gpu.now + ns, t, firmware;

	sim_hws_ring(bed.hws, bed.wptr, bed.f->gpu.now);
	for (;;) {
		t = sim_next_event(&bed.f->gpu);
		firmware = sim_hws_next_event(bed.hws);
		t = t < firmware ? t : firmware;
		if (t > end)
			break;
		t = t > bed.f->gpu.now ? t : bed.f->gpu.now;
		sim_advance(&bed.f->gpu, t);
		sim_hws_step(bed.hws, t);
	}
	sim_advance(&bed.f->gpu, end);
}

static void start(u32 queues)
{
	u32 i, refusals = bed.refused;

	set_resources(0xfff8, 0xff);
	map_process(5);
	for (i = 0; i < queues; i++)
		map_queues(i);
	run_list(1);
	run(100000);
	assert_int_equal(bed.refused, refusals);
}

/* ---- tests ---- */

/* Packets take their time one after the other; the fence shows it. */
static void test_fence(void **state)
{
	(void)state;
	set_resources(0xfff8, 0xff);
	query(0x123456789abcULL);
	run(2 * PACKET_NS - 1);
	assert_int_equal(fence(), 0);
	run(1);
	assert_int_equal(fence(), 0x123456789abcULL);
	assert_int_equal(bed.memory[RPTR_AT / 4], bed.wptr);
	assert_int_equal(bed.hws->sched.vmid_mask, 0xfff8);
	run(1000000);
	assert_true(sim_hws_next_event(bed.hws) == SIM_NEVER);
}

/* The ring wraps, with one-dword NOPs where a packet did not fit. */
static void test_wrap(void **state)
{
	u32 i;

	(void)state;
	for (i = 1; i < 200; i++) {
		query(i);
		run(PACKET_NS);
		assert_int_equal(fence(), i);
	}
	assert_int_equal(bed.hws->stats.query_status, 199);
	assert_int_equal(bed.refused, 0);
}

/* A runlist maps its queues with the VMID of their process. */
static void test_run_list(void **state)
{
	(void)state;
	set_resources(0xc0, 0xf0);
	map_process(5);
	map_queues(1);
	map_queues(2);
	map_process(6);
	map_queues(3);
	run_list(2);
	run(100000);
	assert_int_equal(bed.refused, 0);
	assert_int_equal(bed.f->gpu.nr_queues, 3);
	assert_int_equal(bed.vmid[1], 6);
	assert_int_equal(bed.vmid[2], 6);
	assert_int_equal(bed.vmid[3], 7);
	assert_int_equal(bed.hws->queues[2].sched.slot, 2);
	assert_int_equal(bed.hws->stats.map_queues, 3);
}

/* Each process and each queue of it takes the firmware a while, and only then they are mapped. */
static void test_run_list_fetch(void **state)
{
	struct fake *f = *state;
	u64 begin;

	f->profile.runlist_entry_ns = 5000;
	set_resources(0xfff8, 0xff);
	map_process(5);
	map_queues(1);
	map_queues(2);
	begin = f->gpu.now;
	run_list(1);
	query(9);
	while (!fence())
		run(10);
	assert_in_range(f->gpu.now - begin, 3 * PACKET_NS + 15000, 3 * PACKET_NS + 15010);
	assert_int_equal(f->q[1].aql.sim.ready_at - begin, 2 * PACKET_NS + 15000 + 10);
}

/* A packet is handed to the other XCCs, three here. */
static void test_broadcast(void **state)
{
	struct fake *f = *state;

	f->profile.xccs = 4;
	f->profile.xcc_ns = 7;
	query(3);
	run(PACKET_NS + 3 * 7 - 1);
	assert_int_equal(fence(), 0);
	run(1);
	assert_int_equal(fence(), 3);
}

/* A list may go on in another buffer. */
static void test_chained_buffers(void **state)
{
	u32 first;

	(void)state;
	set_resources(0xfff8, 0xff);
	map_process(5);
	map_queues(1);
	chain(LIST_AT + 4096, 0);
	first = bed.list;
	bed.list = 1024;
	map_queues(2);
	map_process(6);
	map_queues(3);
	bed.memory[LIST_AT / 4 + first - 1] |= bed.list - 1024;
	bed.list = first;
	run_list(2);
	run(100000);
	assert_int_equal(bed.refused, 0);
	assert_int_equal(bed.f->gpu.nr_queues, 3);
	assert_int_equal(sim_hws_process(&bed.hws->queues[1])->pasid, 5);
}

/* More than fits, and the driver says so: each process has a turn. */
static void test_oversubscribed(void **state)
{
	struct fake *f = *state;
	u32 i;

	set_resources(0xfff8, 0xff);
	for (i = 0; i < 20; i++) {
		if (i % 4 == 0)
			map_process(5 + i);
		map_queues(i);
		fake_dispatch(f, &f->q[i], 80, 4, 100000, true);
	}
	chain(LIST_AT, bed.list + PM4_RUN_LIST_LEN);
	run_list(5);
	run(100000);
	assert_int_equal(f->gpu.nr_queues, 8);
	run(50000000);
	for (i = 0; i < 20; i++)
		fake_assert_exactly_once(f, &f->q[i]);
	assert_int_equal(bed.refused, 0);
	assert_true(bed.hws->sched.stats.process_turns >= 3);
}

/* The driver may say so although it fits (its count differs): nothing rotates. */
static void test_chain_without_need(void **state)
{
	(void)state;
	set_resources(0xfff8, 0xff);
	map_process(5);
	map_queues(0);
	chain(LIST_AT, bed.list + PM4_RUN_LIST_LEN);
	run_list(1);
	run(30000000);
	assert_int_equal(bed.refused, 0);
	assert_int_equal(bed.hws->sched.stats.process_turns, 0);
}

/* RUN_LIST says how many processes run at a time. */
static void test_process_count(void **state)
{
	(void)state;
	set_resources(0xfff8, 0xff);
	map_process(5);
	map_queues(0);
	map_process(6);
	map_queues(1);
	chain(LIST_AT, bed.list + PM4_RUN_LIST_LEN);
	run_list(1);
	run(100000);
	assert_int_equal(bed.f->gpu.nr_queues, 1);
	run(10000000);
	assert_int_equal(bed.f->gpu.nr_queues, 1);
	assert_int_equal(bed.f->q[0].aql.sim.state, SIM_QUEUE_OFF);
}

/* UNMAP_QUEUES holds the next packet until its queues are off. */
static void test_unmap_takes_its_time(void **state)
{
	struct fake *f = *state;
	u64 before;

	fake_dispatch(f, &f->q[0], 80, 4, 10000000, true);
	start(2);
	before = f->gpu.now;
	unmap(PM4_SEL_ALL);
	query(7);
	while (!fence())
		run(100);
	/* grace of the reset value, two queues, the save */
	assert_in_range(f->gpu.now - before, 64000 / 2.1, 80000);
	assert_int_equal(f->gpu.nr_queues, 0);
	assert_int_equal(f->gpu.stats.saves, 1);
	run_list(1);
	run(100000000);
	fake_assert_exactly_once(f, &f->q[0]);
	assert_int_equal(f->q[0].log[0].saved, 1);
}

/* The grace that was written last counts, in units of 1000 clocks. */
static void test_grace(void **state)
{
	struct fake *f = *state;

	fake_dispatch(f, &f->q[0], 80, 4, 50000, true);
	start(1);
	assert_int_equal(bed.hws->sched.grace_ns, 0x40 * 1000000ULL / 2100);
	run(50000);		/* its packets are done */
	fake_dispatch(f, &f->q[0], 80, 4, 50000, true);
	fake_dispatch(f, &f->q[0], 80, 4, 50000, true);
	run(20000);
	grace(1);
	unmap(PM4_SEL_ALL);
	grace(0x40);
	run(1000);
	run(10000000);
	assert_int_equal(bed.hws->wait_time2, 0x12004034);
	assert_int_equal(f->gpu.stats.grace_ns, 476);
	run_list(1);
	run(100000);
	grace(0);		/* the profile's firmware has the quirk */
	run(PACKET_NS);
	assert_true(bed.hws->sched.grace_ns == SIM_NEVER);
	f->profile.mec_fw_version = f->profile.grace_zero_is_endless_below;
	grace(0);
	run(PACKET_NS);
	assert_int_equal(bed.hws->sched.grace_ns, 0);
	assert_int_equal(bed.refused, 0);
}

/* UNMAP_QUEUES picks by process, by doorbell, and spares static queues. */
static void test_selection(void **state)
{
	u32 *p;

	(void)state;
	set_resources(0xfff8, 0xff);
	map_process(5);
	map_queues(0);
	map_queues(1)[1] |= PM4_QUEUE_STATIC << 21;
	map_process(6);
	map_queues(2);
	map_queues(3);
	map_queues(4);
	map_queues(5);
	run_list(2);
	run(100000);
	p = unmap(PM4_SEL_NAMED);
	p[1] |= 2U << 29;
	p[2] = 3 << 2;
	p[3] = 5 << 2;
	run(100000);
	assert_int_equal(bed.f->gpu.nr_queues, 4);
	assert_int_equal(bed.f->q[3].aql.sim.state, SIM_QUEUE_OFF);
	assert_int_equal(bed.f->q[5].aql.sim.state, SIM_QUEUE_OFF);
	unmap(PM4_SEL_PASID)[2] = 6;
	run(100000);
	assert_int_equal(bed.f->gpu.nr_queues, 2);
	unmap(PM4_SEL_DYNAMIC);
	run(100000);
	assert_int_equal(bed.f->gpu.nr_queues, 1);
	assert_int_equal(bed.f->q[1].aql.sim.state, SIM_QUEUE_ON);
	unmap(PM4_SEL_ALL);
	run(100000);
	assert_int_equal(bed.f->gpu.nr_queues, 0);
	assert_int_equal(bed.refused, 0);
}

/* SDMA queues go to the slots of their engine, however the packet names it. */
static void test_sdma_engines(void **state)
{
	struct sim_hws_queue *q = bed.hws->queues;

	(void)state;
	set_resources(0xfff8, 0xff);
	map_process(5);
	map_queues(0)[1] |= PM4_ENGINE_SDMA0 << 26;
	map_queues(1)[1] |= PM4_ENGINE_SDMA1 << 26;
	map_queues(2)[1] |= 4 << 26 | PM4_EXT_SDMA_0_7 << 2;
	map_queues(3)[1] |= 7 << 26 | PM4_EXT_SDMA_8_15 << 2;
	run_list(1);
	run(100000);
	assert_int_equal(bed.refused, 0);
	assert_int_equal(q[0].sched.pool, 1);
	assert_int_equal(q[1].sched.pool, 2);
	assert_int_equal(q[2].sched.pool, 5);
	assert_int_equal(q[3].sched.pool, 16);
}

/* A queue that does not react stays until the driver drops it, and blocks a RUN_LIST. */
static void test_stuck(void **state)
{
	struct fake *f = *state;

	set_resources(0xfff8, 0xff);
	map_process(5);
	map_queues(1);
	map_queues(2);
	run_list(1);
	run(100000);
	assert_int_equal(f->gpu.nr_queues, 2);
	bed.stuck = 2;
	unmap(PM4_SEL_ALL);
	run(100000);
	assert_int_equal(f->gpu.nr_queues, 1);
	assert_int_equal(f->q[2].aql.sim.state, SIM_QUEUE_ON);
	sim_sched_drop(&bed.hws->sched, &f->q[2].aql.sim, f->gpu.now);
	assert_int_equal(f->gpu.nr_queues, 0);
	assert_int_equal(bed.hws->sched.used[0], 0);
	assert_null(bed.hws->sched.processes);
	assert_int_equal(bed.refused, 0);
}

/* ---- refusals ---- */

static void assert_dead(const char *why, const u64 *counter)
{
	u32 refusals = bed.refused;

	run(1000000);
	assert_int_equal(bed.refused, refusals + 1);
	assert_string_equal(bed.why, why);
	assert_int_equal(*counter, 1);
	bed.memory[FENCE_AT / 4] = 0;
	query(99);
	run(1000000);
	assert_int_equal(fence(), 0);		/* as the driver will notice */
	assert_true(sim_hws_next_event(bed.hws) == SIM_NEVER);
	/* a reset, and the driver loads it anew */
	sim_gpu_reset(&bed.f->gpu);
	sim_hws_reset(bed.hws);
	sim_hws_load(bed.hws, RING_AT, RING, 0);
	memset(&bed.hws->stats, 0, sizeof(bed.hws->stats));
	bed.wptr = 0;
	bed.list = 0;
	bed.bad_mqd = ~0U;
	query(98);
	run(1000000);
	assert_int_equal(fence(), 98);
}

static void ready(void)
{
	set_resources(0xfff8, 0xff);
	map_process(5);
}

static void test_refused_lists(void **state)
{
	const u64 *bad = &bed.hws->stats.bad_runlists;
	u32 i;

	(void)state;
	run_list(1);
	assert_dead("RUN_LIST: before SET_RESOURCES", bad);

	start(1);
	run_list(1);
	assert_dead("RUN_LIST: queues are mapped", bad);

	ready();
	for (i = 0; i < 9; i++)
		map_queues(i);
	run_list(1);
	assert_dead("RUN_LIST: over-subscribed, and no chain says so", bad);

	ready();
	map_queues(1);
	map_queues(1);
	run_list(1);
	assert_dead("RUN_LIST: a queue twice", bad);

	ready();
	map_queues(1);
	run_list(0);
	assert_dead("RUN_LIST: no process at a time", bad);

	ready();
	run_list(1)[1] = 0xf0000000;
	assert_dead("RUN_LIST: no memory there", bad);

	ready();
	chain(LIST_AT + PM4_MAP_PROCESS_LEN_9_4 * 4, PM4_RUN_LIST_LEN);
	run_list(1);
	assert_dead("RUN_LIST: chain does not end", bad);

	ready();
	map_queues(4);
	bed.bad_mqd = 4;
	run_list(1);
	assert_dead("that MQD", &bed.hws->stats.bad_queues);
}

static void test_refused_list_packets(void **state)
{
	const u64 *bad = &bed.hws->stats.bad_packets;

	(void)state;
	set_resources(0xfff8, 0xff);
	map_queues(1);
	run_list(1);
	assert_dead("MAP_QUEUES: length, or no MAP_PROCESS before", bad);

	set_resources(0xfff8, 0xff);
	list(PM4_MAP_PROCESS, PM4_MAP_PROCESS_LEN)[1] = 5;
	run_list(1);
	assert_dead("MAP_PROCESS: length", bad);

	set_resources(0xfff8, 0xff);
	map_process(5)[1] |= 1 << 24;
	run_list(1);
	assert_dead("MAP_PROCESS: reserved or debug bits", bad);

	set_resources(0xfff8, 0xff);
	map_process(0);
	run_list(1);
	assert_dead("MAP_PROCESS: no address space", bad);
}

/* A queue may have the global wave sync where its process has a share of it. */
static void test_gws(void **state)
{
	u32 refusals = bed.refused;

	(void)state;
	set_resources(0xfff8, 0xff);
	map_process(5)[13] = 64;
	map_queues(1)[1] |= 1 << 12;
	run_list(1);
	run(100000);
	assert_int_equal(bed.refused, refusals);
	assert_int_equal(bed.hws->nr_queues, 1);
	assert_int_equal(bed.hws->stats.map_gws, 1);
}

static void test_refused_queues(void **state)
{
	const u64 *bad = &bed.hws->stats.bad_packets;

	(void)state;
	ready();
	map_queues(1)[1] |= 1U << 30;
	run_list(1);
	assert_dead("MAP_QUEUES: not one queue in a slot of our choice", bad);

	ready();
	map_queues(1)[1] |= 1 << 12;
	run_list(1);
	assert_dead("MAP_QUEUES: GWS of a process without", bad);

	ready();
	map_queues(1)[1] |= PM4_QUEUE_DEBUG << 21;
	run_list(1);
	assert_dead("MAP_QUEUES: type of queue", bad);

	bed.f->profile.sdma_engines = 2;
	bed.hws->sched.slot_mask[5] = 0;
	ready();
	map_queues(1)[1] |= 4 << 26 | PM4_EXT_SDMA_0_7 << 2;
	run_list(1);
	assert_dead("MAP_QUEUES: there is no such engine", bad);

	ready();
	chain(LIST_AT, 4);
	map_queues(1);
	run_list(1);
	assert_dead("RUN_LIST: not a chain at the end of the list", bad);

	ready();
	list(PM4_QUERY_STATUS, PM4_QUERY_STATUS_LEN);
	run_list(1);
	assert_dead("RUN_LIST: unknown packet", bad);

	ready();
	list(PM4_MAP_QUEUES, PM4_MAP_QUEUES_LEN)[0] = 0;
	run_list(1);
	assert_dead("RUN_LIST: not a packet", bad);
}

static void test_refused_packets(void **state)
{
	const u64 *bad = &bed.hws->stats.bad_packets;

	(void)state;
	hiq(0x49, 8);		/* RELEASE_MEM, which nobody sends here */
	assert_dead("unknown packet", bad);

	set_resources(1, 0xff);
	assert_dead("SET_RESOURCES: VMIDs: none, or the driver's own", bad);

	set_resources(0xfff8, 0x1ff);
	assert_dead("SET_RESOURCES: slots: none, or more than there are", bad);

	start(1);
	set_resources(0xfff8, 0xff);
	assert_dead("SET_RESOURCES: queues are mapped", bad);

	ready();
	run_list(1)[3] &= ~(1 << 23);
	assert_dead("RUN_LIST: bits", bad);

	unmap(PM4_SEL_ALL)[1] |= 1;	/* reset instead of preempt */
	assert_dead("UNMAP_QUEUES: bits", bad);

	unmap(PM4_SEL_NAMED);		/* none */
	assert_dead("UNMAP_QUEUES: bits", bad);

	query(1)[1] = 3U << 30;		/* with an interrupt */
	assert_dead("QUERY_STATUS: bits", bad);

	query(1)[3] = FENCE_AT + 4;
	assert_dead("QUERY_STATUS: no memory there", bad);

	grace(1)[2]++;
	assert_dead("WRITE_DATA: not to CP_IQ_WAIT_TIME2", bad);

	query(1)[0] = 0;
	assert_dead("not a packet", bad);

	query(1);
	bed.wptr -= 2;			/* half of it */
	assert_dead("not a packet", bad);
}

/* Fault injection: a firmware that stops, and one that is late. */
static void test_injection(void **state)
{
	(void)state;
	start(1);
	bed.late_ns = 5000000;
	unmap(PM4_SEL_ALL);
	query(1);
	run(5000000);
	assert_int_equal(fence(), 0);
	run(1000000);
	assert_int_equal(fence(), 1);
	bed.stop = PM4_QUERY_STATUS;
	query(2);
	run(1000000000);
	assert_int_equal(fence(), 1);
	assert_true(bed.hws->hung);
	assert_int_equal(bed.refused, 0);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fence),
		TEST(test_wrap),
		TEST(test_run_list),
		TEST(test_run_list_fetch),
		TEST(test_broadcast),
		TEST(test_chained_buffers),
		TEST(test_oversubscribed),
		TEST(test_chain_without_need),
		TEST(test_process_count),
		TEST(test_unmap_takes_its_time),
		TEST(test_grace),
		TEST(test_selection),
		TEST(test_sdma_engines),
		TEST(test_stuck),
		TEST(test_refused_lists),
		TEST(test_refused_list_packets),
		TEST(test_gws),
		TEST(test_refused_queues),
		TEST(test_refused_packets),
		TEST(test_injection),
	};

	return RUN(tests);
}
