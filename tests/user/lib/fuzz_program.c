// SPDX-License-Identifier: MIT
/* Programs of test-fuzz: made up, changed, written and read. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "random.h"

/* Calls that are worth more together than apart: a client opens, makes a tenant, subscribes. */
#define FEW_CALLS	3

uint32_t fuzz_seed = 1;

static const char how_letters[FUZZ_HOWS] = {
	[FUZZ_NUMBER] = '\0', [FUZZ_QUEUE] = 'q', [FUZZ_PID] = 'p', [FUZZ_PROCESS] = 'P',
	[FUZZ_BUFFER] = '@',
};

uint32_t fuzz_below(uint32_t n)
{
	return random_below(&fuzz_seed, n);
}

/* ---- made up ------------------------------------------------------------- */

static uint8_t any_kind(void)
{
	uint32_t sum = 0, at;
	size_t i;

	for (i = 0; i < fuzz_kind_count; i++)
		sum += fuzz_kinds[i].weight;
	at = fuzz_below(sum);
	for (i = 0; at >= fuzz_kinds[i].weight; i++)
		at -= fuzz_kinds[i].weight;
	return (uint8_t)i;
}

/* What does not fit the operation is EINVAL, most of the time. */
static void make_entry(struct fuzz_value entry[])
{
	enum { OP, TARGET, ID, VALUE, CLASS };
	size_t i;

	for (i = 0; i < FUZZ_ENTRY_FIELDS; i++)
		entry[i] = fuzz_value_of(&fuzz_entry_fields[i]);
	if (fuzz_below(8))
		entry[ID] = fuzz_id_of(entry[TARGET].n);
	if (entry[OP].n != KFD_XSCHED_OP_SET_PRIORITY && fuzz_below(8))
		entry[CLASS].n = 0;
	if ((entry[OP].n == KFD_XSCHED_OP_SUSPEND || entry[OP].n == KFD_XSCHED_OP_RESUME) &&
	    fuzz_below(8))
		entry[VALUE].n = 0;
}

static size_t index_of(const struct fuzz_kind *kind, const char *name)
{
	size_t i;

	for (i = 0; i < kind->count; i++)
		if (!strcmp(kind->fields[i].name, name))
			break;
	return i;
}

static struct fuzz_value *value_of(struct fuzz_call *call, const char *name)
{
	return &call->fields[index_of(&fuzz_kinds[call->kind], name)];
}

static void make_entries(struct fuzz_call *call)
{
	uint8_t i;

	call->entries = (uint8_t)(1 + fuzz_below(FUZZ_ENTRIES));
	for (i = 0; i < call->entries; i++)
		make_entry(call->entry[i]);
	if (fuzz_below(10))
		*value_of(call, "count") = (struct fuzz_value){ FUZZ_NUMBER, call->entries };
}

/* A call that is right in most of its fields. */
static void make_consistent(struct fuzz_call *call)
{
	const unsigned long request = fuzz_kinds[call->kind].request;

	if (request == KFD_XSCHED_TENANT) {
		const uint64_t op = value_of(call, "op")->n;

		if (op == KFD_XSCHED_TENANT_CREATE)
			value_of(call, "id")->n = 0;
		if (op == KFD_XSCHED_TENANT_CREATE || op == KFD_XSCHED_TENANT_DESTROY)
			*value_of(call, "process") = (struct fuzz_value){ FUZZ_NUMBER, 0 };
	} else if (request == KFD_XSCHED_ARM) {
		if (value_of(call, "op")->n == KFD_XSCHED_ARM_SET) {
			value_of(call, "id")->n = 0;
			value_of(call, "flags")->n = 0;
			*value_of(call, "trigger_id") = fuzz_id_of(value_of(call, "trigger")->n);
			return;
		}
		*value_of(call, "trigger") = *value_of(call, "trigger_id") =
			*value_of(call, "count") = *value_of(call, "stride") =
			*value_of(call, "entries") = (struct fuzz_value){ FUZZ_NUMBER, 0 };
	}
}

static void make_call(struct fuzz_call *call)
{
	const struct fuzz_kind *kind;
	size_t i;

	memset(call, 0, sizeof(*call));
	call->kind = any_kind();
	call->thread = (uint8_t)fuzz_below(FUZZ_THREADS);
	call->client = (uint8_t)fuzz_below(FUZZ_CLIENTS);
	kind = &fuzz_kinds[call->kind];
	for (i = 0; i < kind->count; i++)
		call->fields[i] = fuzz_value_of(&kind->fields[i]);
	if (kind->entries)
		make_entries(call);
	if (fuzz_below(10))
		make_consistent(call);
}

void fuzz_program_new(struct fuzz_program *p)
{
	unsigned int i;

	p->count = FEW_CALLS + fuzz_below(FUZZ_CALLS - FEW_CALLS + 1);
	for (i = 0; i < p->count; i++)
		make_call(&p->calls[i]);
}

/* ---- changed ------------------------------------------------------------- */

static void insert(struct fuzz_program *p)
{
	const unsigned int at = fuzz_below(p->count + 1);

	if (p->count == FUZZ_CALLS)
		return;
	memmove(&p->calls[at + 1], &p->calls[at], (p->count - at) * sizeof(p->calls[0]));
	make_call(&p->calls[at]);
	p->count++;
}

static void drop(struct fuzz_program *p)
{
	const unsigned int at = fuzz_below(p->count);

	if (p->count == 1)
		return;
	p->count--;
	memmove(&p->calls[at], &p->calls[at + 1], (p->count - at) * sizeof(p->calls[0]));
}

static void repeat(struct fuzz_program *p)
{
	if (p->count == FUZZ_CALLS)
		return;
	p->calls[p->count] = p->calls[fuzz_below(p->count)];
	p->count++;
}

static void change_value(struct fuzz_program *p)
{
	struct fuzz_call *call = &p->calls[fuzz_below(p->count)];
	const struct fuzz_kind *kind = &fuzz_kinds[call->kind];
	const size_t i = fuzz_below((uint32_t)kind->count);

	if (call->entries && fuzz_below(2)) {
		make_entry(call->entry[fuzz_below(call->entries)]);
		return;
	}
	if (fuzz_below(4))
		call->fields[i] = fuzz_value_of(&kind->fields[i]);
	else
		call->fields[i].n ^= 1ULL << fuzz_below(fuzz_below(2) ? 8 : 64);
}

static void change_entry_value(struct fuzz_program *p)
{
	struct fuzz_call *call = &p->calls[fuzz_below(p->count)];
	const uint32_t i = fuzz_below(FUZZ_ENTRY_FIELDS);

	if (call->entries)
		call->entry[fuzz_below(call->entries)][i] = fuzz_value_of(&fuzz_entry_fields[i]);
}

static void move(struct fuzz_program *p)
{
	struct fuzz_call *call = &p->calls[fuzz_below(p->count)];

	if (fuzz_below(2))
		call->thread = (uint8_t)fuzz_below(FUZZ_THREADS);
	else
		call->client = (uint8_t)fuzz_below(FUZZ_CLIENTS);
}

/* The end of another. */
static void splice(struct fuzz_program *p, const struct fuzz_program *other)
{
	unsigned int from = fuzz_below(other->count);
	const unsigned int keep = 1 + fuzz_below(p->count);

	p->count = keep;
	while (p->count < FUZZ_CALLS && from < other->count)
		p->calls[p->count++] = other->calls[from++];
}

void fuzz_program_change(struct fuzz_program *p, const struct fuzz_program *from,
			 const struct fuzz_program *other)
{
	static void (*const changes[])(struct fuzz_program *p) = {
		insert, insert, drop, repeat, change_value, change_value, change_value,
		change_entry_value, change_entry_value, move,
	};
	uint32_t times = 1 + fuzz_below(6);

	*p = *from;
	if (!fuzz_below(8))
		splice(p, other);
	while (times--)
		changes[fuzz_below(sizeof(changes) / sizeof(changes[0]))](p);
}

/* ---- text ---------------------------------------------------------------- */

/* Where the text goes on. */
static char *write_values(char *at, const struct fuzz_value *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (i)
			*at++ = ',';
		if (how_letters[values[i].how])
			*at++ = how_letters[values[i].how];
		at += sprintf(at, "%llx", (unsigned long long)values[i].n);
	}
	return at;
}

void fuzz_program_write(const struct fuzz_program *p, char *line)
{
	unsigned int i, j;

	for (i = 0; i < p->count; i++) {
		const struct fuzz_call *call = &p->calls[i];
		const struct fuzz_kind *kind = &fuzz_kinds[call->kind];

		line += sprintf(line, "%s%s %u %u ", i ? ";" : "", kind->name, call->thread,
				call->client);
		line = write_values(line, call->fields, kind->count);
		for (j = 0; j < call->entries; j++) {
			*line++ = '|';
			line = write_values(line, call->entry[j], FUZZ_ENTRY_FIELDS);
		}
	}
	*line = '\0';
}

/* At @at are @count values: where the text goes on, or NULL. */
static const char *read_values(const char *at, struct fuzz_value *values, size_t count)
{
	const char *letter;
	char *end;
	size_t i;

	for (i = 0; i < count; i++) {
		if (i && *at++ != ',')
			return NULL;
		letter = *at ? memchr(how_letters + 1, *at, FUZZ_HOWS - 1) : NULL;
		values[i].how = letter ? (uint8_t)(letter - how_letters) : FUZZ_NUMBER;
		values[i].n = strtoull(at + !!letter, &end, 16);
		if (end == at + !!letter)
			return NULL;
		at = end;
	}
	return at;
}

static bool find_kind(const char *name, size_t length, struct fuzz_call *call)
{
	for (call->kind = 0; call->kind < fuzz_kind_count; call->kind++) {
		const char *known = fuzz_kinds[call->kind].name;

		if (strlen(known) == length && !memcmp(known, name, length))
			return true;
	}
	return false;
}

static const char *read_call(const char *at, struct fuzz_call *call)
{
	const char *blank = strchr(at, ' ');
	unsigned int thread, client;
	int used = 0;

	memset(call, 0, sizeof(*call));
	if (!blank || !find_kind(at, (size_t)(blank - at), call) ||
	    sscanf(blank, " %u %u %n", &thread, &client, &used) != 2 || !used ||
	    thread >= FUZZ_THREADS || client >= FUZZ_CLIENTS)
		return NULL;
	call->thread = (uint8_t)thread;
	call->client = (uint8_t)client;
	at = read_values(blank + used, call->fields, fuzz_kinds[call->kind].count);
	while (at && *at == '|') {
		if (!fuzz_kinds[call->kind].entries || call->entries == FUZZ_ENTRIES)
			return NULL;
		at = read_values(at + 1, call->entry[call->entries++], FUZZ_ENTRY_FIELDS);
	}
	return at;
}

bool fuzz_program_read(struct fuzz_program *p, const char *line)
{
	p->count = 0;
	while (p->count < FUZZ_CALLS) {
		line = read_call(line, &p->calls[p->count]);
		if (!line)
			return false;
		p->count++;
		if (*line != ';')
			return !*line || *line == '\n';
		line++;
	}
	return false;
}
