/* SPDX-License-Identifier: MIT */
/*
 * What the tests of xschedd start from: the real xschedd and xschedctl above a
 * fake kernel (fake_kernel.c). Tenants are processes of the test with a nice
 * value each.
 *
 * Nothing here depends on how fast things are. The time of the daemon stands still
 * until a test moves it, so that what must not happen is looked for when all that
 * can happen has. What other processes do, such as the daemon's own helper, takes
 * real time: a test waits for what comes of it.
 */
#ifndef XSCHEDD_BENCH_H
#define XSCHEDD_BENCH_H

#include "unit.h"

#include <signal.h>
#include <sys/types.h>

#include "fake_time.h"

#define GPU	100
#define OTHER_GPU	200
#define OTHER_USER	65534	/* nobody */

#define ADD	KFD_XSCHED_EVENT_QUEUE_ADD
#define READY	KFD_XSCHED_EVENT_READY
#define IDLE	KFD_XSCHED_EVENT_IDLE

/**
 * struct bench - what every test starts from
 * @dir: directory of the fake kernel
 * @events: write end of the device
 * @ticks: moves the time of the daemon
 * @daemon: xschedd
 * @pids: tenants, 0: none
 * @notify: what the daemon finds in NOTIFY_SOCKET, or NULL
 * @watchdog_usec: likewise in WATCHDOG_USEC, or NULL
 * @journal: standard error of the daemon is the journal's
 */
struct bench {
	char dir[64];
	int events;
	int ticks;
	pid_t daemon;
	pid_t pids[4];
	const char *notify;
	const char *watchdog_usec;
	bool journal;
};

/* Setup and teardown of a test. */
int bench_setup(void **state);
int bench_teardown(void **state);

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

/* ---- files of the fake kernel ---- */

/* Path of a file; the last four are kept. */
const char *in_dir(const struct bench *b, const char *name);

void write_file(const struct bench *b, const char *name, const char *format,
		...);

/* All of a file; the last is kept. */
const char *read_whole(const struct bench *b, const char *name);

/* Wait until a file contains a text. */
__attribute__((format(printf, 3, 4)))
void expect(const struct bench *b, const char *name, const char *format, ...);

/* How often a text is in a file; and number of its lines. */
unsigned int occurrences(const struct bench *b, const char *name, const char *text);
unsigned int lines(const struct bench *b, const char *name);

/* Switches so far. */
unsigned int applies(const struct bench *b);

/* ---- processes ---- */

/* In a child: go on as that user. */
void become_user(uid_t uid);

/* A process that waits, with a nice value. */
pid_t spawn_tenant(int nice);

/* One of OTHER_USER; the caller must be root. */
pid_t spawn_others(void);

/* Wait until a process has that name: it is looked at once. */
void await_comm(pid_t pid, const char *comm);

/* The same for the environment that it has by its exec(), which comes later. */
void await_environ(pid_t pid);

/* One of another program or environment: "NAME=VALUE" or NULL. */
pid_t spawn_tenant_with(const char *variable);

/* Start a program; what it prints is in the file @output. */
pid_t spawn(const struct bench *b, const char *program, char *const *arguments,
	    const char *output, uid_t uid);

/* Run xschedctl; what it prints is in the file "out". */
int ctl_as(const struct bench *b, uid_t uid, const char *line);
__attribute__((format(printf, 2, 3)))
int ctl(const struct bench *b, const char *format, ...);

/* Connect to the control socket, or -1. Nothing is waited for there without end. */
int connect_control(const struct bench *b);

/* Be another user for what follows, such as a connection, or root again; the caller is root. */
void act_as(uid_t uid);

/* Whether something has come, or the other end hung up. */
bool has_news(int fd);

pid_t spawn_daemon(const struct bench *b);
void start_daemon(struct bench *b, const char *more);
int stop_daemon(struct bench *b);

/* ---- the time; with a daemon that runs ---- */

uint64_t now_ns(void);

/*
 * Let the daemon do all that is to be done until a time: it has when this returns. Only what
 * comes from another process can come later.
 */
void advance_to(const struct bench *b, uint64_t time_ns);

/* The same, so much later than now. */
void advance(const struct bench *b, uint64_t ns);

/* Let it do what can be done without time. */
void until_idle(const struct bench *b);

/* The same, and until its helper has read about all processes on a GPU. */
void until_read(const struct bench *b);

/* ---- events ---- */

struct kfd_xsched_event event(uint32_t type, pid_t pid, uint64_t id);

/* Several at once, so that the daemon reads them as one batch. */
void send_events(const struct bench *b, const struct kfd_xsched_event *events,
		 size_t count);
void send_event(const struct bench *b, uint32_t type, pid_t pid, uint64_t id);

/* High (nice 0) and low (nice 10), each with a queue; the low one has work. */
void two_tenants(struct bench *b);

/* ---- the control socket ---- */

/* Send a request; its answer contains @wanted. */
void ask(int fd, const char *request, const char *wanted);

/* Read until a text has come. */
void read_until(int fd, const char *wanted);

/* Answer to a request over a connection of its own; the last is kept. */
__attribute__((format(printf, 2, 3)))
const char *question(const struct bench *b, const char *format, ...);

#endif /* XSCHEDD_BENCH_H */
