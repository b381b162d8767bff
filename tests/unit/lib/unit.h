/* SPDX-License-Identifier: MIT */
/* What all unit tests of the library and the tools use. */
#ifndef XSCHED_UNIT_H
#define XSCHED_UNIT_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"

#include <libxsched.h>

#endif /* XSCHED_UNIT_H */
