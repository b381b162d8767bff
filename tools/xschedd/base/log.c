// SPDX-License-Identifier: MIT
/*
 * Messages of the daemon.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
/* No code location: it would always be this file. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "base/log.h"

#define TEXT_SIZE	1024
#define FIELDS		6

static enum {
	TO_STDERR,
	TO_SYSLOG,
	TO_JOURNAL,
} target;

void log_open(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat status;

	/* systemd.exec(5): it must be the same stream as stderr. */
	if (stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	    !fstat(STDERR_FILENO, &status) && status.st_dev == device &&
	    status.st_ino == inode)
		target = TO_JOURNAL;
}

void log_to_syslog(void)
{
	openlog("xschedd", LOG_PID, LOG_DAEMON);
	target = TO_SYSLOG;
}

/* The message to send, with room for its fields. */
struct message {
	struct iovec parts[FIELDS + LOG_MORE];
	char text[FIELDS][TEXT_SIZE];
	int count;
};

__attribute__((format(printf, 2, 3)))
static void log_add_field(struct message *message, const char *format, ...)
{
	char *text = message->text[message->count];
	va_list args;

	va_start(args, format);
	vsnprintf(text, TEXT_SIZE, format, args);
	va_end(args);
	message->parts[message->count].iov_base = text;
	message->parts[message->count++].iov_len = strlen(text);
}

static void log_add_more(struct message *message, const char *const *more)
{
	for (int i = 0; i < LOG_MORE && more[i]; i++)
		message->parts[message->count++] = (struct iovec){
			.iov_base = (char *)more[i], .iov_len = strlen(more[i]) };
}

static int log_to_journal(int level, const struct log_fields *fields,
			  const char *text)
{
	struct message message = { .count = 0 };

	log_add_field(&message, "PRIORITY=%d", level);
	log_add_field(&message, "MESSAGE=%s", text);
	if (fields->id)
		log_add_field(&message, "MESSAGE_ID=%s", fields->id);
	if (fields->pid)
		log_add_field(&message, "XSCHED_PID=%d", fields->pid);
	if (fields->gpu_id)
		log_add_field(&message, "XSCHED_GPU=%u", fields->gpu_id);
	if (fields->rule)
		log_add_field(&message, "XSCHED_RULE=%s", fields->rule);
	if (fields->more)
		log_add_more(&message, fields->more);
	return sd_journal_sendv(message.parts, message.count);
}

static void log_write_text(int level, const struct log_fields *fields,
			   const char *text)
{
	switch (target) {
	case TO_JOURNAL:
		if (!log_to_journal(level, fields, text))
			break;
		/* The stream takes the level as a prefix. */
		fprintf(stderr, "<%d>%s\n", level, text);
		break;
	case TO_SYSLOG:
		syslog(level, "%s", text);
		break;
	default:
		fprintf(stderr, "xschedd: %s\n", text);
	}
}

static void log_write_format(int level, const struct log_fields *fields,
			     const char *format, va_list args)
{
	char text[TEXT_SIZE - sizeof("MESSAGE=")];

	vsnprintf(text, sizeof(text), format, args);
	log_write_text(level, fields, text);
}

void log_event(int level, const struct log_fields *fields,
	       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_write_format(level, fields, format, args);
	va_end(args);
}

void log_message(int level, const char *format, ...)
{
	const struct log_fields none = { 0 };
	va_list args;

	va_start(args, format);
	log_write_format(level, &none, format, args);
	va_end(args);
}

void log_library(void *user, int level, const char *message)
{
	(void)user;
	log_message(level, "%s", message);
}
