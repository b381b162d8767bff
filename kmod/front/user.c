// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arrays in user space whose element is as long as the caller knows it.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "front/front.h"

int xs_user_check_size(u32 size, u32 min_size)
{
	if (size < min_size)
		return -EINVAL;
	return size > PAGE_SIZE ? -E2BIG : 0;
}

static void __user *user_element(const struct xs_user_array *array, u32 i)
{
	return u64_to_user_ptr(array->address + (u64)i * array->stride);
}

int xs_user_get_array(void *to, size_t size, const struct xs_user_array *from)
{
	u32 i;

	if (from->stride == size)
		return copy_from_user(to, user_element(from, 0), size * from->count) ?
			-EFAULT : 0;

	for (i = 0; i < from->count; i++) {
		int ret = copy_struct_from_user(to + i * size, size,
						user_element(from, i), from->stride);

		if (ret)
			return ret;
	}
	return 0;
}

int xs_user_update_array(const struct xs_user_array *to, const void *from, size_t size)
{
	const size_t known = min_t(size_t, size, to->stride);
	u32 i;

	if (to->stride == size)
		return copy_to_user(user_element(to, 0), from, size * to->count) ?
			-EFAULT : 0;

	for (i = 0; i < to->count; i++) {
		if (copy_to_user(user_element(to, i), from + i * size, known))
			return -EFAULT;
	}
	return 0;
}

int xs_user_put_array(const struct xs_user_array *to, const void *from, size_t size)
{
	u32 i;

	for (i = 0; to->stride > size && i < to->count; i++) {
		if (clear_user(user_element(to, i) + size, to->stride - size))
			return -EFAULT;
	}
	return xs_user_update_array(to, from, size);
}

int xs_user_clear_array(const struct xs_user_array *to)
{
	return clear_user(user_element(to, 0), (size_t)to->count * to->stride) ?
		-EFAULT : 0;
}
