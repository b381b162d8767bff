/* SPDX-License-Identifier: MIT */
/* The attack's processes, begun by the test. */
#ifndef ATTACK_ATTACKER_H
#define ATTACK_ATTACKER_H

#include "attack.h"

/* Start one, as that identity: it says in @state how it goes. */
void attacker_start(const struct attack *attack, enum identity as, struct attack_state *state,
		    pid_t high);

#endif /* ATTACK_ATTACKER_H */
