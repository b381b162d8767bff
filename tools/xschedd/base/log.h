/* SPDX-License-Identifier: MIT */
/*
 * Messages of the daemon: to the journal with fields when standard error goes
 * there, else to standard error in the foreground, and to syslog in the
 * background.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_LOG_H
#define XSCHEDD_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <syslog.h>

/* MESSAGE_ID of the messages that programs look for; xschedd(8) lists them. */
#define LOG_EJECTED		"b8536df8822545cb9822e024ca7c72be"
#define LOG_SWITCH_FAILED	"437183e8ba574a84a16b0ad70c626ab8"
#define LOG_REFUSED		"8285d20fb78345a0bfed03f105cb797d"
#define LOG_BREAKER		"5c0f1f7e2d0b4a0a9d7b1f64d0e3a8c6"
#define LOG_DEMOTED		"eac58ac0385949a0891cd775cdafbffe"
#define LOG_AUDIT		"de80187b91fb48a689f8cee294ee60e9"
#define LOG_AUDIT_LEFT_OUT	"eff0cb7ce234447185550aaf23390283"
#define LOG_BAD_CONFIG		"75bc65640c6c43828b17ebe494111753"

/** Further fields of a message. */
#define LOG_MORE	16

/**
 * struct log_fields - fields of a message; zero: absent
 * @id: MESSAGE_ID
 * @pid: XSCHED_PID
 * @gpu_id: XSCHED_GPU
 * @rule: XSCHED_RULE
 * @more: others, "NAME=value", up to LOG_MORE of them, ended by NULL; or NULL
 */
struct log_fields {
	const char *id;
	pid_t pid;
	uint32_t gpu_id;
	const char *rule;
	const char *const *more;
};

/** log_open() - find out where messages go; before that: standard error */
void log_open(void);

/** log_to_syslog() - from now on to syslog instead of standard error */
void log_to_syslog(void);

/**
 * log_event() - one message with fields
 * @level: LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO or LOG_DEBUG of syslog(3)
 * @fields: what it is about
 * @format: as printf(3), without newline
 */
__attribute__((format(printf, 3, 4)))
void log_event(int level, const struct log_fields *fields,
	       const char *format, ...);

/** log_message() - one message without fields */
__attribute__((format(printf, 2, 3)))
void log_message(int level, const char *format, ...);

/** log_library() - an xsched_log_fn */
void log_library(void *user, int level, const char *message);

#endif /* XSCHEDD_LOG_H */
