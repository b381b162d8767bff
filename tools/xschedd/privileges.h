/* SPDX-License-Identifier: MIT */
/*
 * Give up what is not needed once the daemon runs.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PRIVILEGES_H
#define XSCHEDD_PRIVILEGES_H

/**
 * privileges_drop() - keep the capabilities that are in use, lose the others
 *
 * For good: they leave the bounding set, too, where that is permitted, and
 * nothing that is executed gains any. Failures are logged: the daemon works
 * with more than it needs.
 */
void privileges_drop(void);

#endif /* XSCHEDD_PRIVILEGES_H */
