/* SPDX-License-Identifier: MIT */
/* xschedd itself, for tests: started with a configuration, looked at from outside. */
#ifndef DAEMON_H
#define DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct daemon - a running xschedd
 * @program: its path
 * @name: the test's; its files are /tmp/NAME.conf, /tmp/NAME.log, /tmp/NAME.sock
 * @pid: its process, 0: it does not run
 * @variables: "NAME=VALUE" for its environment, ending in NULL, or NULL
 */
struct daemon {
	const char *program;
	const char *name;
	pid_t pid;
	const char *const *variables;
};

/*
 * Write its configuration: policy, socket and periods that suit a test, then
 * @more, which is further settings and then sections.
 */
void daemon_configure(const struct daemon *d, const char *more);

/* Start it in the foreground with that configuration, and a new log. Bails out if it cannot. */
void daemon_start(struct daemon *d);

/* SIGTERM and wait: its exit status, or 128 and the signal. */
int daemon_stop(struct daemon *d);

/* Wait until it has ended, for a signal was sent: as daemon_stop(). */
int daemon_reap(struct daemon *d);

/* Whether its log has a text within so many milliseconds. */
bool daemon_says(const struct daemon *d, const char *text, unsigned int ms);

/* Its answer to a line over the control socket, "" if there is none. */
const char *daemon_ask(const struct daemon *d, const char *request);

/* A number of its statistics, -1 if it does not answer. */
long daemon_count(const struct daemon *d, const char *name);

/* Whether that is @least or more within so many milliseconds. */
bool daemon_counts(const struct daemon *d, const char *name, long least, unsigned int ms);

/* Whether any queue of a process is held, by any client. */
bool daemon_holds(int fd, pid_t pid);

/* Whether that is as @held within so many milliseconds. */
bool daemon_holds_within(int fd, pid_t pid, bool held, unsigned int ms);

#endif /* DAEMON_H */
