/* SPDX-License-Identifier: MIT */
/* Processes of an attack: started as somebody, and ended all at once. */
#ifndef ATTACK_IDENTITY_H
#define ATTACK_IDENTITY_H

#include "attack.h"

const char *identity_name(enum identity as);

/* Make and remove the cgroup that attackers are in. What cannot be had is the test's end. */
void identity_begin(void);
void identity_end(void);

/* Write to a file of that cgroup: 0 or -errno. */
int identity_limit(const char *file, const char *value);

/* Have @run called in a new process, as that identity. It must not return. */
void identity_start(enum identity as, void (*run)(void *argument), void *argument);

/* Kill all there are, and wait for them: whether there is none left in time. */
bool identity_stop(void);

#endif /* ATTACK_IDENTITY_H */
