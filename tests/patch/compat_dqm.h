/* SPDX-License-Identifier: GPL-2.0-only */
/* The same for what the queue manager offers: on older kernels by a table of its own functions. */
#ifndef KFD_PROBE_COMPAT_DQM_H
#define KFD_PROBE_COMPAT_DQM_H

#include <linux/version.h>

#include "kfd_priv.h"
#include "kfd_device_queue_manager.h"

/**
 * struct dqm_calls - the queue manager's own functions, all under the DQM lock
 * @preempt: HWS: take all queues off
 * @map: HWS: send a new runlist
 * @change_mes: MES: add or remove a queue
 * @set_active: count it, before the map
 */
struct dqm_calls {
	int (*preempt)(struct device_queue_manager *dqm, u32 grace);
	int (*map)(struct device_queue_manager *dqm);
	int (*change_mes)(struct device_queue_manager *dqm, struct queue *q, bool add);
	void (*set_active)(struct device_queue_manager *dqm, struct queue *q, bool active);
};

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)

#include "kfd_sched_dqm.h"

static const struct kfd_sched_dqm_funcs *dqm_funcs;

static int dqm_preempt(struct device_queue_manager *dqm, u32 grace)
{
	return dqm_funcs->unmap(dqm, KFD_UNMAP_QUEUES_FILTER_DYNAMIC_QUEUES, 0, grace, false);
}

static int dqm_change_mes(struct device_queue_manager *dqm, struct queue *q, bool add)
{
	return (add ? dqm_funcs->add_mes : dqm_funcs->remove_mes)(dqm, q, &q->sched.pdd->qpd);
}

/* As amdkfd has them, whose functions are static. */
static void dqm_set_active(struct device_queue_manager *dqm, struct queue *q, bool active)
{
	int n = active ? 1 : -1;

	q->properties.is_active = active;
	dqm->runlist_stale = true;
	dqm->active_queue_count += n;
	if (q->properties.type == KFD_QUEUE_TYPE_COMPUTE)
		dqm->active_cp_queue_count += n;
	if (q->properties.is_gws) {
		dqm->gws_queue_count += n;
		q->sched.pdd->qpd.mapped_gws_queue = active;
	}
}

static inline void dqm_calls_find(struct dqm_calls *c, unsigned long (*lookup)(const char *name))
{
	dqm_funcs = (void *)lookup("kfd_sched_dqm");
	c->preempt = dqm_preempt;
	c->map = dqm_funcs ? dqm_funcs->map : NULL;
	c->change_mes = dqm_change_mes;
	c->set_active = dqm_set_active;
}

#else

static inline void dqm_calls_find(struct dqm_calls *c, unsigned long (*lookup)(const char *name))
{
	c->preempt = (void *)lookup("kfd_dqm_preempt");
	c->map = (void *)lookup("map_queues_cpsch");
	c->change_mes = (void *)lookup("kfd_dqm_change_mes");
	c->set_active = (void *)lookup("kfd_dqm_set_active");
}

#endif

#endif /* KFD_PROBE_COMPAT_DQM_H */
