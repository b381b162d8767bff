/* SPDX-License-Identifier: MIT */
/*
 * The sections [xschedd] and [options] of the configuration.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_SETTINGS_H
#define XSCHEDD_SETTINGS_H

#include "facts/parser.h"

/** settings_line() - a line of [xschedd] */
int settings_line(struct parser *p, const char *name, const char *value);

/** settings_option() - a line of [options] */
int settings_option(struct parser *p, const char *name, const char *value);

#endif /* XSCHEDD_SETTINGS_H */
