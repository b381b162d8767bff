/* SPDX-License-Identifier: MIT */
/* What cmocka wants included before itself, and what all unit tests use. */
#ifndef XSCHED_UNIT_H
#define XSCHED_UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libxsched.h>

#define RUN(tests) \
	cmocka_run_group_tests_name(XSCHED_UNIT_NAME, tests, NULL, NULL)

#endif /* XSCHED_UNIT_H */
