/* SPDX-License-Identifier: MIT */
/*
 * All of XSched's interface but the part of a platform, which is
 * xsched/hip/hal.h here.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHED_COMPAT_XSCHED_H
#define XSCHED_COMPAT_XSCHED_H

#include <xsched/types.h>
#include <xsched/xqueue.h>
#include <xsched/hint.h>

#endif /* XSCHED_COMPAT_XSCHED_H */
