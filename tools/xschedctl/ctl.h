/* SPDX-License-Identifier: MIT */
/*
 * xschedctl: what its commands share.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDCTL_CTL_H
#define XSCHEDCTL_CTL_H

#include <json-c/json.h>
#include <stdbool.h>

/* Exit statuses, as xschedctl(1) documents them. */
enum {
	CTL_OK = 0,
	CTL_FAILURE = 1,
	CTL_USAGE = 2,
	CTL_ABSENT = 3,		/* no device, or no daemon */
	CTL_NOT_PERMITTED = 4,
};

/**
 * struct options - options of all commands
 * @device: device node
 * @socket: the daemon's socket
 * @json: print JSON
 * @batch: top: print plain text instead of drawing
 * @count: top: how many times, 0: for ever
 * @delay_ms: top: time between two looks, milliseconds
 */
struct options {
	const char *device;
	const char *socket;
	bool json;
	bool batch;
	unsigned int count;
	unsigned int delay_ms;
};

/** complain() - a message on standard error, as printf(3), without newline */
__attribute__((format(printf, 1, 2)))
void complain(const char *format, ...);

/** status_of() - exit status for 0 or a negative errno */
int status_of(int error);

/**
 * daemon_connect() - connect to the daemon
 * @options: has the path
 *
 * Return: a descriptor or a negative errno.
 */
int daemon_connect(const struct options *options);

/**
 * daemon_ask() - one request, one answer
 * @fd: from daemon_connect()
 * @request: request; freed here
 * @reply: out, the answer, owned by the caller; set on success only. It may
 *	say no: see daemon_error().
 *
 * Return: 0; -EPROTO: the answer is none; or another negative errno.
 */
int daemon_ask(int fd, struct json_object *request, struct json_object **reply);

/** daemon_error() - negative errno of an answer, 0: it says yes */
int daemon_error(struct json_object *reply);

/** get_string(), get_number(), get_flag() - a member of an answer, or "", 0,
 *  false
 */
const char *get_string(struct json_object *object, const char *name);
double get_number(struct json_object *object, const char *name);
bool get_flag(struct json_object *object, const char *name);

/* The commands. Each returns an exit status. */
int command_list(const struct options *options);
int command_top(const struct options *options);
int command_suspend(const struct options *options, char **arguments);
int command_resume(const struct options *options, char **arguments);
int command_priority(const struct options *options, char **arguments);
int command_policy(const struct options *options, char **arguments);
int command_stats(const struct options *options);

#endif /* XSCHEDCTL_CTL_H */
