// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: the core on top of amdkfd.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "backend.h"
#include "front/front.h"

static int __init xs_module_init(void)
{
	return xs_core_start(&xs_kfd_backend);
}

static void __exit xs_module_exit(void)
{
	xs_core_stop();
}

module_init(xs_module_init);
module_exit(xs_module_exit);

MODULE_AUTHOR("The kfd-xsched authors");
MODULE_DESCRIPTION("Hold, release and prioritise user queues of AMD GPUs");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
