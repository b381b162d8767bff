/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays in user space whose element is as long as the caller knows it.
 */
#ifndef KFD_XSCHED_USER_H
#define KFD_XSCHED_USER_H

#include <linux/types.h>

/**
 * struct xs_user_array - such an array
 * @address: in user space
 * @stride: size of an element as the caller knows it
 * @count: elements
 */
struct xs_user_array {
	u64 address;
	u32 stride;
	u32 count;
};

/* 0; -EINVAL: shorter than the first published; -E2BIG: absurdly long. */
int xs_user_check_size(u32 size, u32 min_size);

/* Read all elements into an array of elements of @size bytes. */
int xs_user_get_array(void *to, size_t size, const struct xs_user_array *from);

/* Write all elements; what the caller knows beyond @size is cleared. */
int xs_user_put_array(const struct xs_user_array *to, const void *from, size_t size);

/* The same, leaving what the caller knows beyond @size as it is. */
int xs_user_update_array(const struct xs_user_array *to, const void *from, size_t size);

/* Clear all elements. */
int xs_user_clear_array(const struct xs_user_array *to);

#endif /* KFD_XSCHED_USER_H */
