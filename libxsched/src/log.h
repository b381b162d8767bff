/* SPDX-License-Identifier: MIT */
/* How the object layer reaches the callback of xsched_set_log(). */
#ifndef XSCHED_LOG_H
#define XSCHED_LOG_H

/**
 * xsched_log() - hand a message to the callback, if there is one
 * @level: enum xsched_log_level
 * @format: as printf(3), no newline; cut at 255 characters
 */
__attribute__((format(printf, 2, 3)))
void xsched_log(int level, const char *format, ...);

#endif /* XSCHED_LOG_H */
