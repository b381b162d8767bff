// SPDX-License-Identifier: MIT
/*
 * Policies: those of the library, followed by those that were registered.
 *
 * A registered one is put into the first empty slot with one atomic step and
 * stays there, so that any thread may look for a policy at any time.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include <xsched/engine.h>

#include "policy_priv.h"

static const struct xsched_policy_ops *const builtin[] = {
	&xsched_policy_hpf,
	&xsched_policy_hhpf,
	&xsched_policy_chpf,
	&xsched_policy_up,
	&xsched_policy_pup,
	&xsched_policy_kedf,
	&xsched_policy_lax,
	&xsched_policy_cfs,
	&xsched_policy_mlfq,
	&xsched_policy_awf,
};

#define BUILTIN_COUNT	(sizeof(builtin) / sizeof(builtin[0]))
#define NAME_LENGTH	31

static _Atomic(const struct xsched_policy_ops *)
	registered[XSCHED_POLICY_MAX - BUILTIN_COUNT];

const struct xsched_policy_ops *policy_at(size_t index)
{
	if (index < BUILTIN_COUNT)
		return builtin[index];
	if (index < XSCHED_POLICY_MAX)
		return atomic_load(&registered[index - BUILTIN_COUNT]);
	return NULL;
}

const struct xsched_policy_ops *policy_find(const char *name, size_t *index)
{
	const struct xsched_policy_ops *ops;

	for (size_t i = 0; name && (ops = policy_at(i)); i++) {
		if (strcmp(ops->name, name))
			continue;
		if (index)
			*index = i;
		return ops;
	}
	return NULL;
}

const char *xsched_policy_name(size_t index)
{
	const struct xsched_policy_ops *ops = policy_at(index);

	return ops ? ops->name : NULL;
}

const char *xsched_policy_summary(const char *name)
{
	const struct xsched_policy_ops *ops = policy_find(name, NULL);

	return ops ? ops->summary : NULL;
}

static bool name_fits(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++) {
		char c = name[i];

		if (i == NAME_LENGTH ||
		    !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		      c == '-' || c == '_'))
			return false;
	}
	return i > 0 && strcmp(name, "none");
}

/* "policy.option", with limits around its value. */
static bool option_fits(const struct xsched_policy_ops *ops,
			const struct xsched_option *option)
{
	size_t length = strlen(ops->name);

	return option->name && option->summary &&
	       !strncmp(option->name, ops->name, length) &&
	       option->name[length] == '.' && option->name[length + 1] &&
	       option->min <= option->value && option->value <= option->max;
}

int xsched_policy_register(const struct xsched_policy_ops *ops)
{
	if (!ops)
		return -EINVAL;
	if (ops->abi != XSCHED_POLICY_ABI)
		return -EPROTONOSUPPORT;
	if (!ops->name || !ops->summary || !ops->decide ||
	    !name_fits(ops->name) ||
	    ops->option_count > XSCHED_POLICY_OPTIONS ||
	    (ops->option_count && !ops->options))
		return -EINVAL;
	for (size_t i = 0; i < ops->option_count; i++)
		if (!option_fits(ops, &ops->options[i]))
			return -EINVAL;
	for (size_t i = 0; i < BUILTIN_COUNT; i++)
		if (!strcmp(builtin[i]->name, ops->name))
			return -EEXIST;
	for (size_t i = 0; i < XSCHED_POLICY_MAX - BUILTIN_COUNT; i++) {
		const struct xsched_policy_ops *there = NULL;

		if (atomic_compare_exchange_strong(&registered[i], &there, ops))
			return 0;
		if (!strcmp(there->name, ops->name))
			return -EEXIST;
	}
	return -ENOSPC;
}
