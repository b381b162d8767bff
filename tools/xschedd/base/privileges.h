/* SPDX-License-Identifier: MIT */
/*
 * Drop privileges that the running daemon does not need.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PRIVILEGES_H
#define XSCHEDD_PRIVILEGES_H

/**
 * privileges_drop() - keep the capabilities that are in use, lose the others
 *
 * This is permanent: they leave the bounding set, too, where that is permitted,
 * and an executed program gains none. Failures are logged, and the daemon runs
 * with more capabilities than it needs.
 */
void privileges_drop(void);

/**
 * privileges_drop_to_read() - keep the capabilities that reading /proc needs
 *
 * Otherwise as privileges_drop(). A capability that is missing is not logged again.
 */
void privileges_drop_to_read(void);

/** privileges_drop_all() - likewise, and keep none */
void privileges_drop_all(void);

#endif /* XSCHEDD_PRIVILEGES_H */
