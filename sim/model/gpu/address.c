// SPDX-License-Identifier: MIT
/* The memory of a queue's process, a page at a time, through ops->memory. */
#include "model.h"

#define PAGE	4096

void *sim_ptr(struct sim_queue *q, u64 va, u32 bytes, bool write)
{
	if (va % 8 || va % PAGE + bytes > PAGE)
		return NULL;
	return q->gpu->ops->memory(q, va, bytes, write);
}

static u32 to_page_end(u64 va, u32 bytes)
{
	u32 left = PAGE - va % PAGE;

	return bytes < left ? bytes : left;
}

bool sim_read(struct sim_queue *q, u64 va, void *to, u32 bytes)
{
	const void *p;
	u8 *at = to;
	u32 n;

	for (; bytes; bytes -= n, va += n, at += n) {
		n = to_page_end(va, bytes);
		p = q->gpu->ops->memory(q, va, n, false);
		if (!p)
			return false;
		memcpy(at, p, n);
	}
	return true;
}

bool sim_write(struct sim_queue *q, u64 va, const void *from, u32 bytes)
{
	const u8 *at = from;
	void *p;
	u32 n;

	for (; bytes; bytes -= n, va += n, at += n) {
		n = to_page_end(va, bytes);
		p = q->gpu->ops->memory(q, va, n, true);
		if (!p)
			return false;
		memcpy(p, at, n);
	}
	return true;
}
