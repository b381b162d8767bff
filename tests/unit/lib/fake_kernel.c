// SPDX-License-Identifier: MIT
/*
 * A kernel for xschedd and xschedctl, linked in below their ioctl(): the tests
 * run the real programs, without a GPU and without the module.
 *
 * The device is a FIFO: the test writes events into it, the program reads them.
 * The rest is files in the directory XSCHED_FAKE:
 *   queues   what LIST reports: lines "id pid gpu_id ready"
 *   holds    what is held: lines "pid", written here; of a queue its id, negated
 *   errors   errnos for the next APPLYs, one a line; taken off from the top
 *   denied   pids, or queues likewise, that may not be touched, one a line
 *   refused  what an APPLY that holds it is refused for: lines "pid errno"; a queue likewise
 *   unarmed  the same for a SET of ARM, which names only the first
 *   demoted  pids of processes that are demoted, one a line: for LIST
 *   knows    the last type of event there is; without it, the last of the interface
 *   subscribed  written here: the events of the last SUBSCRIBE, in hexadecimal
 *   unwatched  pids of processes whose queues cannot be watched, one a line: for LIST
 *   mes      if it has a line, MES schedules the GPUs, not HWS
 *   nodes    GPUs there are, one a line; without it 100
 *   hung     GPUs that give no answer, one a line: of an ASYNC APPLY with a queue in
 *            the list there, which then holds and releases nothing
 *   answers  errnos for the next answers to ASYNC APPLYs, like errors
 *   lease    lease in milliseconds; without it 2000
 *   ejected  why the client is ejected, a number of enum kfd_xsched_eject; gone,
 *            with its holds, when the device is opened anew
 *   renewals written here: a line for each RENEW
 *   parked   pids of processes that are parked, one a line: for LIST, since a second
 *   parks    written here: a line for each PARK, "pid idle_ms" or "pid clear"
 *   parkless  its first line is the errno of each PARK
 *   armed    written here: a line for each armed switch, "trigger: holds P..."
 *   log      written here: a line an APPLY, "hold P... release P... = errno";
 *            a queue is "qID"
 *   amdgpu.version, amdgpu.srcversion, kfd_xsched.version ...  of the loaded modules
 * An APPLY takes as long as it says, by the clock of fake_time.h. The files of a GPU in
 * /sys have what an APPLY came to there.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kfd_xsched.h>

#include "fake_ioctl.h"
#include "fake_time.h"

#define MAX_PIDS 64

static FILE *open_file(const char *name, const char *mode)
{
	const char *directory = getenv("XSCHED_FAKE");
	char path[512];

	if (!directory)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return fopen(path, mode);
}

static size_t read_numbers(const char *name, int *numbers)
{
	FILE *file = open_file(name, "re");
	size_t count = 0;

	if (!file)
		return 0;
	while (count < MAX_PIDS && fscanf(file, "%d", &numbers[count]) == 1)
		count++;
	fclose(file);
	return count;
}

static void write_numbers(const char *name, const int *numbers, size_t count)
{
	FILE *file = open_file(name, "we");

	if (!file)
		return;
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%d\n", numbers[i]);
	fclose(file);
}

static bool contains(const int *numbers, size_t count, int number)
{
	while (count--)
		if (numbers[count] == number)
			return true;
	return false;
}

/* Why the client is ejected, or 0. */
static int ejected(void)
{
	int reasons[MAX_PIDS];

	return read_numbers("ejected", reasons) ? reasons[0] : 0;
}

static int fake_info(struct kfd_xsched_info *info)
{
	struct kfd_xsched_node *nodes = (void *)(uintptr_t)info->nodes;
	int gpu_ids[MAX_PIDS] = { 100 };
	int shut = 0, mes[MAX_PIDS];
	const bool is_mes = read_numbers("mes", mes);

	info->node_count = read_numbers("nodes", gpu_ids);
	if (!info->node_count)
		info->node_count = 1;
	read_numbers("shut", &shut);
	/* The first call of a new client. */
	if (ejected()) {
		write_numbers("ejected", NULL, 0);
		write_numbers("holds", NULL, 0);
	}
	info->abi_version = KFD_XSCHED_ABI_VERSION;
	for (size_t i = 0; i < info->node_count && i < info->node_capacity; i++)
		nodes[i] = (struct kfd_xsched_node){
			.gpu_id = gpu_ids[i],
			.backend = is_mes ? KFD_XSCHED_BACKEND_MES : KFD_XSCHED_BACKEND_HWS,
			.caps = KFD_XSCHED_CAP_SUSPEND,
			.failures = shut ? 3 : 0,
			.shut_ns = shut,
		};
	return 0;
}

static int fake_list(struct kfd_xsched_list *list)
{
	struct kfd_xsched_queue *queues = (void *)(uintptr_t)list->queues;
	FILE *file = open_file("queues", "re");
	unsigned long long id;
	int pid, ready, held[MAX_PIDS], demoted[MAX_PIDS], parked[MAX_PIDS], unwatched[MAX_PIDS];
	size_t holds = read_numbers("holds", held);
	size_t demotions = read_numbers("demoted", demoted);
	size_t parks = read_numbers("parked", parked);
	size_t blind = read_numbers("unwatched", unwatched);
	unsigned int gpu;

	list->count = 0;
	if (!file)
		return 0;
	while (fscanf(file, "%llu %d %u %d", &id, &pid, &gpu, &ready) == 4) {
		struct kfd_xsched_queue queue = {
			.id = id, .pid = pid, .gpu_id = gpu,
			.state = KFD_XSCHED_QUEUE_WATCHED | (ready ? KFD_XSCHED_QUEUE_READY : 0),
			.priority = KFD_XSCHED_PRIORITY_NORMAL,
		};

		if (contains(unwatched, blind, pid))
			queue.state &= ~KFD_XSCHED_QUEUE_WATCHED;
		if (contains(held, holds, pid) ||
		    contains(held, holds, -(int)id)) {
			queue.state |= KFD_XSCHED_QUEUE_HELD;
			queue.holders = 1;
		}
		if (contains(demoted, demotions, pid))
			queue.state |= KFD_XSCHED_QUEUE_DEMOTED;
		queue.resident = KFD_XSCHED_RESIDENT_BUSY | KFD_XSCHED_RESIDENT_BLIND;
		if (contains(parked, parks, pid)) {
			queue.state |= KFD_XSCHED_QUEUE_PARKED;
			queue.parked_ns = fake_time()->now_ns - 1000000000;
			queue.resident = 0;
			queue.returns = 3;
		}
		if (list->count < list->capacity)
			queues[list->count] = queue;
		list->count++;
	}
	fclose(file);
	return 0;
}

/* The errno this APPLY is to have, or its answer, or 0. */
static int next_error(const char *name)
{
	int errors[MAX_PIDS];
	size_t count = read_numbers(name, errors);

	if (!count)
		return 0;
	write_numbers(name, errors + 1, count - 1);
	return errors[0];
}

/* What an entry is about, as in the files. */
static int number_of(const struct kfd_xsched_entry *entry)
{
	return entry->target == KFD_XSCHED_TARGET_QUEUE ? -(int)entry->id :
							  (int)entry->id;
}

static void log_entry(FILE *file, const struct kfd_xsched_entry *entry)
{
	fprintf(file, entry->target == KFD_XSCHED_TARGET_QUEUE ? " q%d" : " %d",
		(int)entry->id);
}

static void log_apply(const struct kfd_xsched_entry *entries, size_t count,
		      int error)
{
	FILE *file = open_file("log", "ae");

	if (!file)
		return;
	fputs("hold", file);
	for (size_t i = 0; i < count; i++)
		if (entries[i].op != KFD_XSCHED_OP_RESUME)
			log_entry(file, &entries[i]);
	fputs(" release", file);
	for (size_t i = 0; i < count; i++)
		if (entries[i].op == KFD_XSCHED_OP_RESUME)
			log_entry(file, &entries[i]);
	fprintf(file, " = %d\n", error);
	fclose(file);
}

/* Why a file of lines "pid errno" refuses an entry, or 0. */
static int why_refused(const char *name, const struct kfd_xsched_entry *entry)
{
	int lines[MAX_PIDS];
	size_t count = read_numbers(name, lines);

	for (size_t i = 0; i + 1 < count; i += 2)
		if (lines[i] == number_of(entry))
			return lines[i + 1];
	return 0;
}

static int check_entry(const struct kfd_xsched_entry *entry)
{
	int denied[MAX_PIDS];
	size_t denials = read_numbers("denied", denied);

	if (contains(denied, denials, number_of(entry)))
		return EPERM;
	return entry->op == KFD_XSCHED_OP_RESUME ? 0 : why_refused("refused", entry);
}

/* Each entry says what is wrong with it, the call only the first. */
static int check(struct kfd_xsched_entry *entries, size_t count)
{
	int error = next_error("errors");
	int refusal = 0;

	for (size_t i = 0; !error && i < count; i++) {
		int why = check_entry(&entries[i]);

		entries[i].status = -why;
		refusal = refusal ? refusal : why;
	}
	return error ? error : refusal;
}

static bool is_refused(const struct kfd_xsched_entry *entries, size_t count)
{
	while (count--)
		if (entries[count].status)
			return true;
	return false;
}

/* The process of a queue, by the list; 0: of none that is known. */
static int owner_of(unsigned long long id)
{
	FILE *file = open_file("queues", "re");
	unsigned long long listed;
	int pid, ready, owner = 0;
	unsigned int gpu;

	if (!file)
		return 0;
	while (fscanf(file, "%llu %d %u %d", &listed, &pid, &gpu, &ready) == 4)
		if (listed == id)
			owner = pid;
	fclose(file);
	return owner;
}

/* Whether a release of @number releases @held: of a process, all its queues. */
static bool lets_go(int number, int held)
{
	return number == held || (number > 0 && held < 0 && owner_of(-held) == number);
}

static void change(const struct kfd_xsched_entry *entries, size_t count)
{
	int held[2 * MAX_PIDS];
	size_t holds = read_numbers("holds", held);

	for (size_t i = 0; i < count && holds < MAX_PIDS; i++) {
		int number = number_of(&entries[i]);

		if (entries[i].op != KFD_XSCHED_OP_RESUME) {
			if (!contains(held, holds, number))
				held[holds++] = number;
			continue;
		}
		for (size_t j = 0; j < holds; j++)
			if (lets_go(number, held[j]))
				held[j--] = held[--holds];
	}
	write_numbers("holds", held, holds);
}

/* ---- what is counted, in /sys ------------------------------------------------ */

/**
 * struct counted - of a GPU
 * @gpu_id: which; 0: none
 */
static struct counted {
	uint32_t gpu_id;
	unsigned int switches;
	unsigned int failures;
	unsigned int flips;
} counted[MAX_PIDS];

static struct counted *counted_of(uint32_t gpu_id)
{
	struct counted *c = counted;

	while (c->gpu_id && c->gpu_id != gpu_id)
		c++;
	c->gpu_id = gpu_id;
	return c;
}

static void count(uint32_t gpu_id, int error, uint32_t flips)
{
	struct counted *c = counted_of(gpu_id);

	c->switches++;
	c->failures += error != 0;
	c->flips += flips;
}

/* Durations: half of them 30 us, the others 300 us; returns take 60 us. */
FILE *__wrap_device_open_file(uint32_t gpu_id, const char *name);
FILE *__wrap_device_open_file(uint32_t gpu_id, const char *name)
{
	const struct counted *c = counted_of(gpu_id);
	int parked[MAX_PIDS];
	const size_t parks = read_numbers("parked", parked);
	FILE *file = tmpfile();

	if (!file)
		return NULL;
	if (!strcmp(name, "statistics/switches"))
		fprintf(file, "%u\n", c->switches);
	else if (!strcmp(name, "statistics/failures"))
		fprintf(file, "%u\n", c->failures);
	else if (!strcmp(name, "statistics/flips"))
		fprintf(file, "%u\n", c->flips);
	else if (!strcmp(name, "statistics/parks"))
		fprintf(file, "%zu\n", parks);
	else if (!strcmp(name, "statistics/returns"))
		fprintf(file, "%zu\n", 3 * parks);
	else if (!strcmp(name, "latency/back") && parks)
		fprintf(file, "57344 %zu\n", 3 * parks);
	else if (!strcmp(name, "latency/total") && c->switches)
		fprintf(file, "28672 %u\n262144 %u\n", (c->switches + 1) / 2,
			c->switches / 2);
	rewind(file);
	return file;
}

/* A file of a loaded module is MODULE.NAME in XSCHED_FAKE. */
FILE *__wrap_device_open_module_file(const char *module, const char *name);
FILE *__wrap_device_open_module_file(const char *module, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s.%s", module, name);
	return open_file(path, "re");
}

/* ---- APPLY ------------------------------------------------------------------- */

/* Whether an entry concerns a GPU that does not answer. */
static bool is_hung(const struct kfd_xsched_entry *entry)
{
	int hung[MAX_PIDS];
	size_t count = read_numbers("hung", hung);
	FILE *file = open_file("queues", "re");
	unsigned long long id;
	unsigned int gpu;
	bool hangs = false;
	int pid, ready;

	while (file && fscanf(file, "%llu %d %u %d", &id, &pid, &gpu, &ready) == 4)
		hangs |= contains(hung, count, gpu) &&
			 entry->id == (entry->target == KFD_XSCHED_TARGET_QUEUE ? id :
				       (unsigned long long)pid);
	if (file)
		fclose(file);
	return hangs;
}

/* Answer at once, into the device, or never. */
static int fake_start(int fd, struct kfd_xsched_apply *apply)
{
	struct kfd_xsched_entry *entries = (void *)(uintptr_t)apply->entries;
	int error = ejected() ? EOWNERDEAD : check(entries, apply->count);
	struct kfd_xsched_event answer = {
		.type = KFD_XSCHED_EVENT_APPLY_DONE,
		.id = apply->cookie,
		.gpu_id = 100,
		.queue_id = apply->count,
	};
	bool hangs = false;

	for (size_t i = 0; i < apply->count; i++)
		hangs |= is_hung(&entries[i]);
	fake_time()->now_ns += APPLY_NS;
	log_apply(entries, apply->count, error);
	if (error || hangs)
		return error;
	answer.time_ns = fake_time()->now_ns;
	answer.data = next_error("answers");
	count(100, answer.data, apply->count);
	if (!answer.data)
		change(entries, apply->count);
	return write(fd, &answer, sizeof(answer)) == sizeof(answer) ? 0 : EAGAIN;
}

static int fake_apply(int fd, struct kfd_xsched_apply *apply)
{
	struct kfd_xsched_entry *entries = (void *)(uintptr_t)apply->entries;
	int error;

	if (apply->flags & KFD_XSCHED_APPLY_ASYNC)
		return fake_start(fd, apply);
	error = ejected() ? EOWNERDEAD : check(entries, apply->count);
	if (!error)
		change(entries, apply->count);
	/* Of what was refused no node knows. */
	apply->node_count = !is_refused(entries, apply->count);
	count(100, error, apply->count);
	*(struct kfd_xsched_node_result *)(uintptr_t)apply->nodes =
		(struct kfd_xsched_node_result){
			.gpu_id = 100, .status = -error, .flips = apply->count,
			.fw_transactions = 1, .lock_ns = 1, .unmap_ns = 2,
			.map_ns = 3, .total_ns = APPLY_NS,
		};
	fake_time()->now_ns += APPLY_NS;
	log_apply(entries, apply->count, error);
	return error;
}

static int fake_renew(struct kfd_xsched_renew *renew)
{
	int lease[MAX_PIDS] = { 2000 };
	FILE *file = open_file("renewals", "ae");

	if (file) {
		fputs("renew\n", file);
		fclose(file);
	}
	read_numbers("lease", lease);
	renew->lease_ms = lease[0];
	renew->client = 1;
	renew->ejected = ejected();
	return renew->ejected ? EOWNERDEAD : 0;
}

/* Returns the errno of the first entry that is refused, which alone has a status. */
static int check_armed(const struct kfd_xsched_arm *arm)
{
	struct kfd_xsched_entry *e = (void *)(uintptr_t)arm->entries;

	for (size_t i = 0; i < arm->count; i++) {
		e[i].status = -why_refused("unarmed", &e[i]);
		if (e[i].status)
			return -e[i].status;
	}
	return 0;
}

/* Armed switches are kept here: their numbers are places in the table. */
static int fake_arm(struct kfd_xsched_arm *arm)
{
	static char switches[KFD_XSCHED_MAX_ARMED][256];
	const struct kfd_xsched_entry *e = (void *)(uintptr_t)arm->entries;
	int error = arm->op == KFD_XSCHED_ARM_CLEAR ? 0 : check_armed(arm);
	size_t free_one = 0, used = 0;
	FILE *file;

	if (error)
		return error;
	file = open_file("armed", "we");
	if (!file)
		return ENOMEM;
	while (*switches[free_one])
		free_one++;
	if (arm->op == KFD_XSCHED_ARM_CLEAR) {
		*switches[arm->id - 1] = '\0';
	} else {
		used = sprintf(switches[free_one], "%d: holds",
			       (int)arm->trigger_id);
		for (size_t i = 0; i < arm->count; i++)
			used += sprintf(switches[free_one] + used, " %d",
					(int)e[i].id);
		arm->id = free_one + 1;
	}
	for (size_t i = 0; i < KFD_XSCHED_MAX_ARMED; i++)
		if (*switches[i])
			fprintf(file, "%s\n", switches[i]);
	fclose(file);
	return 0;
}

static int fake_park(const struct kfd_xsched_park *park)
{
	int error[MAX_PIDS] = { 0 };
	FILE *file;

	read_numbers("parkless", error);
	if (error[0])
		return error[0];
	file = open_file("parks", "ae");
	if (!file)
		return ENOMEM;
	if (park->op == KFD_XSCHED_PARK_SET)
		fprintf(file, "%d %u\n", (int)park->id, park->idle_ms);
	else
		fprintf(file, "%d clear\n", (int)park->id);
	fclose(file);
	return 0;
}

static int fake_subscribe(const struct kfd_xsched_subscribe *subscribe)
{
	int last[MAX_PIDS] = { KFD_XSCHED_EVENT_DEMOTED };
	FILE *file;

	read_numbers("knows", last);
	if (subscribe->events >= 2 * KFD_XSCHED_EVENT_BIT(last[0]))
		return EOPNOTSUPP;
	file = open_file("subscribed", "we");
	if (file) {
		fprintf(file, "%x\n", subscribe->events);
		fclose(file);
	}
	return 0;
}

int fake_ioctl(int fd, unsigned long request, void *arg)
{
	switch (request) {
	case KFD_XSCHED_INFO:
		return fake_info(arg);
	case KFD_XSCHED_LIST:
		return fake_list(arg);
	case KFD_XSCHED_APPLY:
		return fake_apply(fd, arg);
	case KFD_XSCHED_ARM:
		return fake_arm(arg);
	case KFD_XSCHED_PARK:
		return fake_park(arg);
	case KFD_XSCHED_SUBSCRIBE:
		return fake_subscribe(arg);
	case KFD_XSCHED_RENEW:
		return fake_renew(arg);
	default:
		return -1;
	}
}
