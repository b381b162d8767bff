/* SPDX-License-Identifier: GPL-2.0-only */
/* Linux 5.10 has what is in there in <linux/kernel.h>. */
#include <linux/kernel.h>
