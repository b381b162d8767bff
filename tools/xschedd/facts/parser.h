/* SPDX-License-Identifier: MIT */
/*
 * What the files that parse the configuration have in common.
 *
 * A setter returns 1, or what parser_fail() returns.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PARSER_H
#define XSCHEDD_PARSER_H

#include <stdio.h>

#include "facts/config.h"

/**
 * struct parser - one file being read
 * @config: what is being filled
 * @path: the file
 * @file: the same, open
 * @line: number of the line read last
 * @column: current column in it, from 1
 * @value_column: column in it where the value begins
 * @rule_line: line of the section of @config's last rule
 * @first_rule: rules from here on are of this file
 * @seen: settings of [xschedd] seen in this file, a bit each
 * @failed: @error has the first error
 * @error: message
 * @size: room in @error
 */
struct parser {
	struct config *config;
	const char *path;
	FILE *file;
	int line;
	int column;
	int value_column;
	int rule_line;
	size_t first_rule;
	unsigned int seen;
	bool failed;
	char *error;
	size_t size;
};

/** parser_fail() - note the first error; returns 0, inih's value for an error */
__attribute__((format(printf, 2, 3)))
int parser_fail(struct parser *p, const char *format, ...);

/** parser_string() - replace a string; the new one must not be empty */
int parser_string(struct parser *p, char **field, const char *value);

/**
 * parser_pattern() - replace a shell pattern
 *
 * Refused is what cannot mean what was written: quotes around it, which would be compared, and a '[' that
 * no ']' ends.
 */
int parser_pattern(struct parser *p, char **field, const char *value);

/** parser_number() - parse an integer within limits */
int parser_number(struct parser *p, const char *value, long min, long max,
		  long *out);

/** parser_park() - "N ms" or "N s", from when on a process is parked, or "never": 0 */
int parser_park(struct parser *p, const char *value, uint32_t *ms);

/** parser_bool() - parse "yes" or "no" */
int parser_bool(struct parser *p, const char *value, bool *out);

/** parser_tenant() - parse the name of a kind of tenant */
int parser_tenant(struct parser *p, const char *value, enum tenant_kind *out);

#endif /* XSCHEDD_PARSER_H */
