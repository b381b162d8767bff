// SPDX-License-Identifier: MIT
/* The memory of the process, as kernels read and write it. */
#include "native/native.h"

#define PAGE	4096

void *sim_native_word(struct sim_native_call *c, u32 view, u64 va, u32 bytes, bool write)
{
	u64 page = va / PAGE;

	if (va % bytes)
		return NULL;
	if (c->view[view].page != page || !c->view[view].at) {
		c->view[view].page = page;
		c->view[view].at = c->q->gpu->ops->memory(c->q, page * PAGE, PAGE, write);
	}
	return c->view[view].at ? c->view[view].at + va % PAGE : NULL;
}

u32 sim_native_words_in_page(u64 va, u32 n)
{
	u32 here = (PAGE - va % PAGE) / 4;

	return n < here ? n : here;
}

bool sim_native_copy(struct sim_queue *q, u64 dst, u64 src, u64 bytes)
{
	const void *from;
	void *to;
	u64 n;

	for (; bytes; bytes -= n, src += n, dst += n) {
		n = PAGE - src % PAGE;
		n = PAGE - dst % PAGE < n ? PAGE - dst % PAGE : n;
		n = bytes < n ? bytes : n;
		from = q->gpu->ops->memory(q, src, n, false);
		to = from ? q->gpu->ops->memory(q, dst, n, true) : NULL;
		if (!to)
			return false;
		memmove(to, from, n);
	}
	return true;
}
