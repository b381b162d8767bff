// SPDX-License-Identifier: MIT
/* The synthetic kernels of kernel.h: their costs and results. */
#include "gpu/aql.h"
#include "kernel.h"

/* Contents of sim_dispatch.cookie: addresses, 0: none. */
enum { COOKIE_LOG, COOKIE_TICKET, COOKIE_COUNTERS };

bool sim_kernel_synthetic(struct sim_queue *q, const struct sim_aql_dispatch *p,
			  struct sim_dispatch *d)
{
	struct vgpu_count args = { 0 };
	struct vgpu_code code;
	bool count;

	if (!sim_read(q, p->code, &code, sizeof(code)))
		return false;
	count = code.kind == VGPU_CODE_COUNT;
	if (code.magic != VGPU_CODE_MAGIC || code.reserved ||
	    (code.kind != VGPU_CODE_SPIN && !count))
		return false;
	if (!sim_read(q, p->args, &args, count ? sizeof(args) : sizeof(args.spin)))
		return false;
	if (args.spin.spread > 1000 || args.spin.reserved || args.spin.ticket % 8 ||
	    args.spin.workgroup_ns > SIM_MAX_WORKGROUP_NS ||
	    (count && (!args.counters || args.counters % 4)))
		return false;
	d->vgprs = code.vgprs;
	if (d->lds_bytes < code.lds_bytes)
		d->lds_bytes = code.lds_bytes;
	d->workgroup_ns = args.spin.workgroup_ns;
	d->spread = args.spin.spread;
	if (args.spin.log)
		d->cookie[COOKIE_LOG] = args.spin.log +
			args.spin.index * sizeof(struct vgpu_log);
	d->cookie[COOKIE_TICKET] = args.spin.ticket;
	d->cookie[COOKIE_COUNTERS] = args.counters;
	return true;
}

bool sim_kernel_retired(struct sim_queue *q, const struct sim_dispatch *d,
			u32 first, u32 n, u64 t)
{
	u64 va = d->cookie[COOKIE_COUNTERS];
	u32 *counter;
	u32 i, run;

	(void)t;
	if (!va)
		return true;
	for (va += 4ULL * first; n; n -= run, va += 4 * run) {
		run = (4096 - va % 4096) / 4;
		run = run < n ? run : n;
		counter = q->gpu->ops->memory(q, va, 4 * run, true);
		if (!counter)
			return false;
		for (i = 0; i < run; i++)
			__atomic_fetch_add(&counter[i], 1, __ATOMIC_RELAXED);
	}
	return true;
}

bool sim_kernel_completed(struct sim_queue *q, const struct sim_dispatch *d, u64 t)
{
	u64 va = d->cookie[COOKIE_LOG];
	struct vgpu_log log;
	u64 *ticket;

	if (!va)
		return true;
	if (!sim_read(q, va, &log, sizeof(log)))
		return false;
	if (d->cookie[COOKIE_TICKET]) {
		ticket = sim_ptr(q, d->cookie[COOKIE_TICKET], 8, true);
		if (!ticket)
			return false;
		log.ticket = __atomic_fetch_add(ticket, 1, __ATOMIC_SEQ_CST);
	}
	log.executed++;
	log.saved = d->saves;
	log.start_ns = d->start_ns;
	log.end_ns = t;
	return sim_write(q, va, &log, sizeof(log));
}
