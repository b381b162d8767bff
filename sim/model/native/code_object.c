// SPDX-License-Identifier: MIT
/*
 * Identify a kernel. A runtime loads a code object, an ELF file, with its
 * headers in the pages before its code and descriptors. The search goes back
 * from the descriptor, page by page, to the ELF header, and finds the
 * descriptor's name in the dynamic symbol table.
 *
 * Everything read here was written by a process: none of it is trusted.
 */
#include "native/native.h"

#define PAGE		4096
#define WALK_PAGES	4096	/* a code object has its headers within 16 MiB */
#define MAX_SEGMENTS	64
#define MAX_DYNAMIC	128
#define MAX_SYMBOLS	65536

#define EM_AMDGPU	224
#define PT_DYNAMIC	2
#define DT_HASH		4
#define DT_STRTAB	5
#define DT_SYMTAB	6

/* Where bare code begins after its descriptor, and how much of it is hashed. */
#define BARE_ENTRY	256
#define BARE_BYTES	128

struct elf_header {
	u8 ident[16];
	u16 type;
	u16 machine;
	u32 version;
	u64 entry;
	u64 phoff;
	u64 shoff;
	u32 flags;
	u16 ehsize;
	u16 phentsize;
	u16 phnum;
	u16 rest[3];
};

struct elf_segment {
	u32 type;
	u32 flags;
	u64 offset;
	u64 vaddr;
	u64 paddr;
	u64 filesz;
	u64 memsz;
	u64 align;
};

struct elf_symbol {
	u32 name;
	u8 info;
	u8 other;
	u16 section;
	u64 value;
	u64 size;
};

/* Addresses from the dynamic section. */
struct tables {
	u64 hash;
	u64 strings;
	u64 symbols;
};

/* Read memory that may not exist, without a fault. */
static bool peek(struct sim_queue *q, u64 va, void *to, u32 bytes)
{
	const u8 *p;
	u8 *at = to;
	u32 n;

	for (; bytes; bytes -= n, va += n, at += n) {
		n = PAGE - va % PAGE < bytes ? PAGE - va % PAGE : bytes;
		p = q->gpu->ops->peek(q, va, n);
		if (!p)
			return false;
		memcpy(at, p, n);
	}
	return true;
}

static bool find_header(struct sim_queue *q, u64 va, u64 *base, struct elf_header *h)
{
	u64 at = va & ~(u64)(PAGE - 1);
	u32 i;

	for (i = 0; i < WALK_PAGES; i++, at -= PAGE) {
		if (!peek(q, at, h, sizeof(*h)))
			return false;
		if (memcmp(h->ident, "\177ELF", 4) || h->machine != EM_AMDGPU)
			continue;
		*base = at;
		return h->phnum <= MAX_SEGMENTS &&
			h->phentsize == sizeof(struct elf_segment);
	}
	return false;
}

static bool find_dynamic(struct sim_queue *q, u64 base, const struct elf_header *h,
			 u64 *dynamic)
{
	struct elf_segment s;
	u32 i;

	for (i = 0; i < h->phnum; i++) {
		if (!peek(q, base + h->phoff + i * sizeof(s), &s, sizeof(s)))
			return false;
		if (s.type != PT_DYNAMIC)
			continue;
		*dynamic = base + s.vaddr;
		return true;
	}
	return false;
}

static bool find_tables(struct sim_queue *q, u64 base, u64 dynamic, struct tables *t)
{
	u64 entry[2];
	u32 i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < MAX_DYNAMIC; i++, dynamic += sizeof(entry)) {
		if (!peek(q, dynamic, entry, sizeof(entry)))
			return false;
		if (!entry[0])
			break;
		if (entry[0] == DT_HASH)
			t->hash = base + entry[1];
		if (entry[0] == DT_STRTAB)
			t->strings = base + entry[1];
		if (entry[0] == DT_SYMTAB)
			t->symbols = base + entry[1];
	}
	return t->hash && t->strings && t->symbols;
}

static bool read_name(struct sim_queue *q, u64 va, char name[SIM_NATIVE_NAME])
{
	u32 i;

	for (i = 0; i < SIM_NATIVE_NAME; i++) {
		if (!peek(q, va + i, &name[i], 1))
			return false;
		if (!name[i])
			return true;
	}
	name[SIM_NATIVE_NAME - 1] = 0;
	return true;
}

bool sim_code_symbol(struct sim_queue *q, u64 va, char name[SIM_NATIVE_NAME])
{
	struct elf_symbol symbol;
	struct elf_header h;
	struct tables t;
	u64 base, dynamic;
	u32 i, n;

	if (!find_header(q, va, &base, &h) || !find_dynamic(q, base, &h, &dynamic) ||
	    !find_tables(q, base, dynamic, &t))
		return false;
	/* the second word of a hash table is the number of symbols */
	if (!peek(q, t.hash + 4, &n, sizeof(n)) || n > MAX_SYMBOLS)
		return false;
	for (i = 1; i < n; i++) {
		if (!peek(q, t.symbols + (u64)i * sizeof(symbol), &symbol, sizeof(symbol)))
			return false;
		if (base + symbol.value == va)
			return read_name(q, t.strings + symbol.name, name);
	}
	return false;
}

/* A descriptor as the AMDGPU back end of LLVM documents it (code object V3 and later). */
struct descriptor {
	u32 group_bytes;
	u32 private_bytes;
	u32 args_bytes;
	u32 unused;
	s64 entry;	/* from the descriptor to the code */
	u32 reserved[5];
	u32 rsrc[3];	/* COMPUTE_PGM_RSRC3, 1, 2 */
	u16 properties;
	u16 preload;
	u32 end;
};

_Static_assert(sizeof(struct descriptor) == 64, "kernel descriptor");

#define RSRC1_VGPRS	0x3f	/* less one, in granules */
#define WAVE32		(1 << 10)

/* What one of RSRC1_VGPRS is: LLVM's getVGPREncodingGranule(). */
static u32 vgpr_granule(const struct sim_profile *p, const struct descriptor *kd)
{
	if (p->gfx >= SIM_GFX(10, 0, 0) && !(kd->properties & WAVE32))
		return 4;
	return 8;
}

bool sim_code_costs(struct sim_queue *q, u64 va, u32 *vgprs, u32 *lds_bytes)
{
	const struct sim_profile *p = q->gpu->profile;
	struct descriptor kd;
	u32 first;

	if (va % 64 || !peek(q, va, &kd, sizeof(kd)))
		return false;
	if (!kd.entry || (va + kd.entry) % 256 || !peek(q, va + kd.entry, &first, sizeof(first)))
		return false;
	*vgprs = ((kd.rsrc[1] & RSRC1_VGPRS) + 1) * vgpr_granule(p, &kd);
	*lds_bytes = kd.group_bytes;
	return *vgprs <= p->vgprs_per_wave;
}

/* FNV-1a. */
u64 sim_code_hash(struct sim_queue *q, u64 va)
{
	u64 hash = 0xcbf29ce484222325ULL;
	u8 code[BARE_BYTES];
	u32 i;

	if (va % PAGE || !peek(q, va + BARE_ENTRY, code, sizeof(code)))
		return 0;
	for (i = 0; i < sizeof(code); i++)
		hash = (hash ^ code[i]) * 0x100000001b3ULL;
	return hash;
}
