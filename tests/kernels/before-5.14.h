/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Linux 5.10 lacks and 5.14 has: so the headers of Debian 11 can stand in for those of 5.14
 * and 5.15 (scripts/check/kernels). Nothing that 5.14 or 5.15 lack may come here: that is the
 * module's to have, in kmod/compat.h.
 */
#ifndef BEFORE_5_14_H
#define BEFORE_5_14_H

#include <linux/lockdep.h>
#include <linux/rbtree.h>

#define lockdep_assert_not_held(lock)	((void)(lock))

static inline void rb_add(struct rb_node *node, struct rb_root *tree,
			  bool (*less)(struct rb_node *, const struct rb_node *))
{
	struct rb_node **link = &tree->rb_node;
	struct rb_node *parent = NULL;

	while (*link) {
		parent = *link;
		link = less(node, parent) ? &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(node, parent, link);
	rb_insert_color(node, tree);
}

#endif
