/* SPDX-License-Identifier: MIT */
/* Messages of the daemon: standard error in the foreground, else syslog. */
#ifndef XSCHEDD_LOG_H
#define XSCHEDD_LOG_H

#include <stdbool.h>
#include <syslog.h>

/** log_to_syslog() - from now on to syslog instead of standard error */
void log_to_syslog(void);

/**
 * log_message() - one message
 * @level: LOG_ERR, LOG_WARNING, LOG_INFO or LOG_DEBUG of syslog(3)
 * @format: as printf(3), without newline
 */
__attribute__((format(printf, 2, 3)))
void log_message(int level, const char *format, ...);

/** log_library() - an xsched_log_fn */
void log_library(void *user, int level, const char *message);

#endif /* XSCHEDD_LOG_H */
