/* SPDX-License-Identifier: MIT */
/* Ordinary users, and root without all its rights, for tests that root runs. */
#ifndef USERS_H
#define USERS_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define USERS_SYS_NICE	(1ULL << CAP_SYS_NICE)

/* ---- what cannot be had is the test's end ---- */

/* Let them reach the devices, which the kernel has to distinguish them at; or as it was. */
void users_admit(bool admit);

/* Go on as that user, without capabilities, or (0) as root again. */
void users_become(uid_t uid);

/* Open the device as that user. */
int users_open(uid_t uid);

/* ---- of the process itself, mostly a child: 0 or -errno ---- */

/* Go on as that user, as what he executes does. */
int users_become_for_good(uid_t uid);

/* Keep these of the permitted capabilities, and of them these as effective ones. */
int users_keep_capabilities(uint64_t effective, uint64_t permitted);

/* Be root of a new user namespace, with what users_map() maps once a byte comes out of @tell. */
int users_enter_namespace(int tell);

/* ---- by its parent ---- */

/* Map so many ids there, as newuidmap(1) and newgidmap(1) do: 0 or -errno. */
int users_map(pid_t pid, unsigned int first, unsigned int count);

#endif /* USERS_H */
