/* SPDX-License-Identifier: MIT */
/* What the command line changes of a scenario. Inside scenario.c and override.c. */
#ifndef XSIM_OVERRIDE_H
#define XSIM_OVERRIDE_H

#include "scenario/scenario.h"

/* All but the policy. False: @error. */
bool override_apply(struct scenario *scn, const struct scenario_options *options, char *error,
		    size_t size);

#endif /* XSIM_OVERRIDE_H */
