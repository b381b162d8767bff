// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all floors share. See core.h.
 */
#include "core.h"

DEFINE_MUTEX(xs_lock);	/* all objects and lists: see core.h */
const struct xs_backend_ops *xs_backend;
const struct xs_news *xs_news;
