// SPDX-License-Identifier: MIT
/* Reading amdkfd's dumps. */
#include <stdio.h>
#include <string.h>

#include "evidence.h"

#define WORDS	8	/* a line has at most so many */

/* A line of a hex dump: "offset: word word ..."; how many words, 0: it is something else. */
static int hex_line(const char *line, uint32_t *offset, uint32_t words[WORDS])
{
	int n = 0, skip;

	if (sscanf(line, " %x:%n", offset, &skip) != 1)
		return 0;
	line += skip;
	while (n < WORDS && sscanf(line, " %8x%n", &words[n], &skip) == 1) {
		line += skip;
		n++;
	}
	return n;
}

/* Copy a line and return where the next one begins; NULL: there is none. */
static const char *next_line(const char *text, char *line, size_t size)
{
	size_t n = strcspn(text, "\n");

	if (!*text)
		return NULL;
	snprintf(line, size, "%.*s", (int)n, text);
	return text + n + (text[n] == '\n');
}

static void put(uint32_t *to, uint32_t room, uint32_t at, const uint32_t *words, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (at + i < room)
			to[at + i] = words[i];
}

bool evidence_read_mqds(struct evidence *e, const char *text, long pid)
{
	uint32_t offset, words[WORDS];
	bool ours = false, queue = false;
	char line[128];
	long p;
	int n;

	e->xccs = 0;
	while ((text = next_line(text, line, sizeof(line)))) {
		if (sscanf(line, "Process %ld", &p) == 1) {
			if (queue)
				break;
			ours = !pid || p == pid;
		} else if (ours && strstr(line, "ueue on device")) {
			if (queue)
				break;
			queue = strstr(line, "Compute queue") != NULL;
		} else if (queue) {
			n = hex_line(line, &offset, words);
			e->xccs += n && !offset;
			if (e->xccs > EVIDENCE_XCCS)
				return false;
			if (n && e->xccs)
				put(e->mqd[e->xccs - 1], MQD_DWORDS, offset / 4, words, n);
		}
	}
	return e->xccs;
}

/* The slot whose registers follow this line; NULL: it is something else. */
static struct evidence_slot *slot_line(struct evidence *e, const char *line)
{
	unsigned int xcc, pipe, queue;

	if (strstr(line, "HIQ") && sscanf(line, " Inst %u,", &xcc) == 1 && xcc < EVIDENCE_XCCS)
		return &e->hiq[xcc];
	if (sscanf(line, " Inst %u, CP Pipe %u, Queue %u", &xcc, &pipe, &queue) == 3 &&
	    xcc < EVIDENCE_XCCS && pipe < EVIDENCE_PIPES && queue < EVIDENCE_QUEUES)
		return &e->slots[xcc][pipe][queue];
	return NULL;
}

bool evidence_read_hqds(struct evidence *e, const char *text, uint32_t gpu_id)
{
	struct evidence_slot *slot = NULL;
	uint32_t offset, words[WORDS], id;
	bool ours = false, found = false;
	char line[128];
	int n;

	while ((text = next_line(text, line, sizeof(line)))) {
		if (sscanf(line, "Node %*u, gpu_id %x", &id) == 1) {
			ours = !gpu_id || id == gpu_id;
			slot = NULL;
			continue;
		}
		n = hex_line(line, &offset, words);
		if (!n) {
			slot = ours ? slot_line(e, line) : NULL;
		} else if (slot) {
			if (!slot->present)
				slot->address = offset;
			slot->present = true;
			found = true;
			put(slot->regs, HQD_REGS, (offset - slot->address) / 4, words, n);
		}
	}
	return found;
}

struct evidence_slot *evidence_slot_of(struct evidence *e, unsigned int xcc, uint64_t mqd,
				       unsigned int *pipe, unsigned int *queue)
{
	struct evidence_slot *s;

	for (*pipe = 0; *pipe < EVIDENCE_PIPES; (*pipe)++) {
		for (*queue = 0; *queue < EVIDENCE_QUEUES; (*queue)++) {
			s = &e->slots[xcc][*pipe][*queue];
			if (s->present && ((uint64_t)s->regs[1] << 32 | s->regs[0]) == mqd)
				return s;
		}
	}
	return NULL;
}
