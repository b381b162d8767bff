/* SPDX-License-Identifier: MIT */
/* Ordinary users, for tests that root runs. What cannot be had is the test's end. */
#ifndef USERS_H
#define USERS_H

#include <stdbool.h>
#include <sys/types.h>

/* Let them reach the devices, which the kernel has to distinguish them at; or as it was. */
void users_admit(bool admit);

/* Go on as that user, without capabilities, or (0) as root again. */
void users_become(uid_t uid);

/* Open the device as that user. */
int users_open(uid_t uid);

#endif /* USERS_H */
