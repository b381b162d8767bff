/* SPDX-License-Identifier: MIT */
/* What attacks know of the test that makes them. */
#ifndef ATTACK_TEST_H
#define ATTACK_TEST_H

#include "daemon.h"

#define ATTACK_DAEMON	"attack"	/* name of its files */
#define ATTACK_LOWERED	"-50"		/* the priority that a rule gives all of ATTACK_UID */

extern struct daemon attack_daemon;

#endif /* ATTACK_TEST_H */
