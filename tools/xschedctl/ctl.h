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
#include <stddef.h>
#include <stdint.h>

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
 * @root: where doctor and eject find /sys, /proc, /dev, /etc and /lib; "": /
 * @output: trace: file to write, NULL: the default
 * @json: print JSON
 * @batch: top: print plain text instead of drawing
 * @follow: events: until interrupted
 * @count: top, events: how many, 0: for ever
 * @delay_ms: top: time between two looks, milliseconds
 * @time_ms: events, trace: how long, 0: the default of the command
 */
struct options {
	const char *device;
	const char *socket;
	const char *root;
	const char *output;
	bool json;
	bool batch;
	bool follow;
	unsigned int count;
	unsigned int delay_ms;
	unsigned int time_ms;
};

/* ---- messages: message.c ------------------------------------------------ */

/** complain() - a message on standard error, as printf(3), without newline */
__attribute__((format(printf, 1, 2)))
void complain(const char *format, ...);

/** status_of() - exit status for 0 or a negative errno */
int status_of(int error);

/** print_json() - an object, on one line of standard output, and flush it */
void print_json(struct json_object *object);

/**
 * print_failure() - with --json, report a failure on standard output, too
 * @options: options
 * @error: negative errno
 * @message: what went wrong
 */
void print_failure(const struct options *options, int error,
		   const char *message);

/* ---- the daemon: daemon.c ----------------------------------------------- */

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
 *	report an error: see daemon_error().
 *
 * Return: 0; -EPROTO: not a valid answer; or another negative errno.
 */
int daemon_ask(int fd, struct json_object *request, struct json_object **reply);

/** daemon_error() - negative errno of an answer, 0: success */
int daemon_error(struct json_object *reply);

/**
 * struct stream - lines of an answer that does not end
 * @fd: from daemon_connect()
 * @text: what was read and not yet taken
 * @used: bytes of @text
 * @room: size of @text
 *
 * Begin with @fd and the rest zero; end with stream_free().
 */
struct stream {
	int fd;
	char *text;
	size_t used;
	size_t room;
};

/**
 * stream_next() - the next line
 * @stream: stream
 * @timeout_ms: how long to wait for it, -1: for ever
 * @object: out, owned by the caller; set on success only
 *
 * Return: 0; -ETIMEDOUT; -EINTR: a signal came; -ECONNRESET: the daemon closed
 * the connection; -EPROTO: not an object; or another negative errno.
 */
int stream_next(struct stream *stream, int timeout_ms,
		struct json_object **object);

/**
 * stream_begin() - one request, and the first line of its answer
 * @stream: stream
 * @request: request; freed here
 * @reply: out, as of daemon_ask()
 *
 * Return: as daemon_ask().
 */
int stream_begin(struct stream *stream, struct json_object *request,
		 struct json_object **reply);

/** stream_free() - close and free */
void stream_free(struct stream *stream);

/** get_string(), get_number(), get_flag(), get_array() - a member of an
 *  answer, or "", 0, false, NULL
 */
const char *get_string(struct json_object *object, const char *name);
double get_number(struct json_object *object, const char *name);
bool get_flag(struct json_object *object, const char *name);
struct json_object *get_array(struct json_object *object, const char *name);

/** get_u64() - a member that may not fit a double exactly */
uint64_t get_u64(struct json_object *object, const char *name);

/* ---- requests: request.c ------------------------------------------------ */

/** request_new() - a request with that command */
struct json_object *request_new(const char *command);

/** request_connect() - daemon_connect() with a message: -1 and a @status */
int request_connect(const struct options *options, int *status);

/**
 * request_ask() - ask the daemon, and print a message on an error
 * @options: has the socket
 * @request: request; freed here
 * @reply: out, with CTL_OK: owned by the caller
 *
 * Return: an exit status.
 */
int request_ask(const struct options *options, struct json_object *request,
		struct json_object **reply);

/** request_demand() - request_ask(), and with --json print the answer */
int request_demand(const struct options *options, struct json_object *request);

/** request_refused() - print the error of an answer; an exit status */
int request_refused(const struct options *options, struct json_object *reply);

/**
 * request_stream() - ask for events, and print a message on an error
 * @options: has the socket
 * @stream: out, with CTL_OK: to be read, and ended with stream_free()
 *
 * Return: an exit status.
 */
int request_stream(const struct options *options, struct stream *stream);

/** stream_error() - what a negative errno of stream_next() means */
const char *stream_error(int error);

/** parse_number() - a decimal number within limits */
bool parse_number(const char *text, long min, long max, int *out);

/** parse_pid() - a process id, or print a message */
bool parse_pid(const char *text, int *pid);

/* ---- lines that fit: width.c -------------------------------------------- */

/** room_after() - columns of the terminal after so many; -1: no terminal */
int room_after(int used);

/**
 * fit_program() - name and path of a program
 * @line: out
 * @size: of @line
 * @comm: name
 * @exe: path; shortened from the left, left out where there is no room
 * @room: columns, -1: any number
 */
void fit_program(char *line, size_t size, const char *comm, const char *exe,
		 int room);

/* ---- how long: span.c --------------------------------------------------- */

/** now_ms() - CLOCK_MONOTONIC in milliseconds */
uint64_t now_ms(void);

/** catch_interrupt() - let SIGINT and SIGTERM end a wait, not the program */
void catch_interrupt(void);

/** interrupted() - whether such a signal came */
bool interrupted(void);

/* The commands. Each returns an exit status. */
int command_list(const struct options *options, char **arguments);
int command_top(const struct options *options, char **arguments);
int command_suspend(const struct options *options, char **arguments);
int command_resume(const struct options *options, char **arguments);
int command_priority(const struct options *options, char **arguments);
int command_policy(const struct options *options, char **arguments);
int command_stats(const struct options *options, char **arguments);
int command_rules(const struct options *options, char **arguments);
int command_events(const struct options *options, char **arguments);
int command_trace(const struct options *options, char **arguments);
int command_eject(const struct options *options, char **arguments);
int command_doctor(const struct options *options, char **arguments);

#endif /* XSCHEDCTL_CTL_H */
