// SPDX-License-Identifier: MIT
/* Synthetic kernels: prepare, submit, account. */
#include <errno.h>
#include <string.h>

#include "spin.h"

#define CODE_BYTES	256UL	/* struct vgpu_code and the ticket, apart from the rest */
#define TICKET_OFFSET	192UL
#define MAX_BATCH	64U

_Static_assert(sizeof(struct vgpu_code) <= TICKET_OFFSET, "the ticket follows the code");

int spin_set_init(struct spin_set *set, struct kfdq_device *dev, uint64_t capacity,
		  uint32_t in_flight)
{
	size_t args = in_flight * sizeof(struct vgpu_spin);
	char *base;
	int ret;

	memset(set, 0, sizeof(*set));
	ret = kfdq_alloc(dev, KFDQ_GTT, CODE_BYTES + args + capacity * sizeof(struct vgpu_log),
			 &set->memory);
	if (ret)
		return ret;
	base = set->memory.addr;
	set->dev = dev;
	set->code = (struct vgpu_code *)base;
	set->ticket = (uint64_t *)(base + TICKET_OFFSET);
	set->args = (struct vgpu_spin *)(base + CODE_BYTES);
	set->log = (struct vgpu_log *)(base + CODE_BYTES + args);
	set->args_count = in_flight;
	set->capacity = capacity;
	set->code->magic = VGPU_CODE_MAGIC;
	set->code->kind = VGPU_CODE_SPIN;
	set->code->vgprs = SPIN_VGPRS;
	set->code->lds_bytes = SPIN_LDS_BYTES;
	return 0;
}

void spin_set_fini(struct spin_set *set)
{
	if (set->dev)
		kfdq_free(set->dev, &set->memory);
	memset(set, 0, sizeof(*set));
}

int spin_next(struct spin_set *set, const struct spin_shape *shape,
	      struct kfdq_signal *completion, struct kfdq_dispatch *out)
{
	struct vgpu_spin *arg = &set->args[set->used % set->args_count];

	if (set->used == set->capacity)
		return -ENOSPC;
	arg->workgroup_ns = shape->workgroup_ns;
	arg->log = (uintptr_t)set->log;
	arg->index = set->used++;
	arg->ticket = (uintptr_t)set->ticket;
	out->code = set->code;
	out->kernarg = arg;
	out->workgroups = shape->workgroups;
	out->workgroup_size = shape->workgroup_size;
	out->completion = completion;
	return 0;
}

int spin_submit(struct spin_set *set, struct kfdq_queue *queue, const struct spin_shape *shape,
		uint32_t count, struct kfdq_signal *completion)
{
	struct kfdq_dispatch batch[MAX_BATCH];
	uint32_t i;
	int ret;

	if (!count || count > MAX_BATCH)
		return -EINVAL;
	if (set->used + count > set->capacity)
		return -ENOSPC;
	for (i = 0; i < count; i++)
		spin_next(set, shape, i == count - 1 ? completion : NULL, &batch[i]);
	if (completion)
		kfdq_signal_arm(completion, 1);
	ret = kfdq_queue_submit(queue, batch, count);
	/* Nothing was written: those dispatches do not exist. */
	if (ret)
		set->used -= count;
	return ret;
}

void spin_account(const struct spin_set *set, struct spin_account *out)
{
	spin_account_all(out, set->log, set->used);
}
