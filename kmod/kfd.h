/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The backend for the real amdkfd. Nothing here needs amdkfd's header.
 */
#ifndef KFD_XSCHED_KFD_H
#define KFD_XSCHED_KFD_H

struct xs_backend_ops;

/* Holds and overrides by kfd_sched_apply() of a patched amdgpu.ko. */
extern const struct xs_backend_ops xs_kfd_backend;

#endif /* KFD_XSCHED_KFD_H */
