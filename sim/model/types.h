/* SPDX-License-Identifier: MIT */
/* Integer types for code that is built for user space and for the kernel. */
#ifndef SIM_TYPES_H
#define SIM_TYPES_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
#endif

#endif /* SIM_TYPES_H */
