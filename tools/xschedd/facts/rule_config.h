/* SPDX-License-Identifier: MIT */
/*
 * The sections [rule NAME] of the configuration.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_RULE_CONFIG_H
#define XSCHEDD_RULE_CONFIG_H

#include "facts/parser.h"

/** rule_config_begin() - a line [rule NAME] */
int rule_config_begin(struct parser *p, const char *name);

/** rule_config_line() - a line of a rule */
int rule_config_line(struct parser *p, const char *name, const char *value);

/** rule_config_end() - the last rule, if this file began it, is complete */
int rule_config_end(struct parser *p);

#endif /* XSCHEDD_RULE_CONFIG_H */
