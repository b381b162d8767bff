/* SPDX-License-Identifier: MIT */
/*
 * Attacks: what a user tries who may open the device, or has its queues, against others: to keep
 * the locks of the module, to preempt a GPU, to take what is divided among all, to reach what is
 * another's, to get away from a hold. Each is made by processes of its own, as some identity, and
 * goes on until these are killed.
 */
#ifndef ATTACK_H
#define ATTACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker.h"

#define ATTACK_UID	1000		/* who attacks */
#define ATTACK_SUB_UID	100000		/* users of his, in namespaces of his */
#define ATTACK_SUB_UIDS	8
#define ATTACK_OTHER	1001		/* another user, who only looks */
#define ATTACK_HIGH	1002		/* whom a rule of xschedd gives a high priority */
#define ATTACK_HTTP	9110
#define ATTACK_CGROUP	"/sys/fs/cgroup/attack"

/** enum identity - as whom an attack is made, a mask */
enum identity {
	AS_USER = 1,		/* a member of the group: the device is open to him */
	AS_NAMESPACE = 2,	/* root of a user namespace of his, with subordinate ids */
	AS_CONTAINER = 4,	/* the same, and namespaces of pids, mounts, IPC, names and networks */
	AS_ROOT = 8,		/* root of a container without a user namespace: uid 0, no capability */
	/* Where neither pids nor networks matter, a container is a user namespace, too. */
	AS_ALL = AS_USER | AS_CONTAINER | AS_ROOT,
};

#define ATTACK_ERRNO	134
#define ATTACK_WORK	2

/**
 * struct attack_state - what the attack tells the test
 * @ready: it has what it needs, and goes on from here
 * @failed: it could not be made, a line of the source
 * @tries: what it has tried since
 * @answers: how often each errno was the answer; 0: what it tried was done
 * @rounds: work it has seen done that ought to be held, of each process that does some
 * @number: of a process of its own
 */
struct attack_state {
	uint32_t ready;
	uint32_t failed;
	uint64_t tries;
	uint64_t answers[ATTACK_ERRNO];
	uint64_t rounds[ATTACK_WORK];
	int32_t number;
};

/**
 * struct attacker - the attack's process, in itself
 * @state: see there
 * @as: as whom
 * @busy: another process of his, whose queue has work for ever
 * @idle: one whose queues have none
 * @fd: a client
 * @ids: ids of the queues of @idle, then of @busy
 * @count: how many
 * @high: the process of the high tenant, and its queue's id, both as root sees them
 * @high_queue: see @high
 */
struct attacker {
	struct attack_state *state;
	enum identity as;
	struct worker busy;
	struct worker idle;
	int fd;
	uint64_t ids[WORKER_MAX_QUEUES];
	unsigned int count;
	pid_t high;
	uint64_t high_queue;
};

/** enum watched - what others notice */
enum watched {
	WATCH_LIST,	/* another user's LIST */
	WATCH_HIGH,	/* requests of the high tenant */
	WATCH_EJECT,	/* how long after its lease a silent client is ejected */
	WATCHED
};

/**
 * struct attack - a row of the table in tests/README.md
 * @name: what is tried
 * @boundary: what is attacked, as security.rst names it
 * @as: by whom, a mask of AS_*
 * @run: tries it, for ever; in the attacker
 * @answer: an errno that it must have got; 0: none in particular
 * @never_done: none of what it tries may be done
 * @limit: a file of the attackers' cgroup, and what is written there once it is under way
 * @prepare: done by root then, or NULL
 * @judge: what else is shown, by root, as it goes on: NULL, or what is wrong; or NULL
 * @hws: not with MES, whose queues cannot be reset one by one
 * @spared: a mask of watched things that this is allowed to touch; @why says so
 * @spared_on_mes: on MES these, too
 * @why: see @spared
 */
struct attack {
	const char *name;
	const char *boundary;
	unsigned int as;
	void (*run)(struct attacker *a);
	int answer;
	bool never_done;
	const char *limit[2];
	void (*prepare)(const struct attack_state *state);
	const char *(*judge)(const struct attack_state *state);
	bool hws;
	unsigned int spared;
	unsigned int spared_on_mes;
	const char *why;
};

extern const struct attack attacks_on_calls[], attacks_on_locks[], attacks_on_others[];
extern const struct attack attacks_by_escape[], attacks_on_daemon[];

/* ---- in the attacker ---- */

/* It is under way. */
void attack_ready(struct attacker *a);

/* Count what was tried: 0, a number, or -errno. */
void attack_note(struct attacker *a, int ret);

/* What must never be done was done: once is enough to fail, and others are to go on as they did. */
void attack_rest_if_done(const struct attacker *a);

/* It cannot be made: the test fails. */
void attack_fail(struct attacker *a, unsigned int line) __attribute__((noreturn));

#define ATTACK_NEEDS(_a, _condition)			\
	do {						\
		if (!(_condition))			\
			attack_fail(_a, __LINE__);	\
	} while (0)

/* As many clients as he may have, @most at the most, into @fds: how many, one at least. */
unsigned int attack_open_all(struct attacker *a, int *fds, unsigned int most);

/* APPLY of the same to each of his queues, @count entries, by that client. */
int attack_apply(struct attacker *a, int fd, uint32_t op, int32_t value, unsigned int count);

/* One process more for the same attack; false in the new one. */
bool attack_fork(void);

/* ---- by root ---- */

/* The client of the test. */
int attack_client(void);

/* xschedd's answer to root over its socket, in time: NULL, or what was wrong. */
const char *attack_ask_daemon(void);

/* Its answer to root by HTTP: NULL, or what was wrong. */
const char *attack_ask_by_http(void);

#endif /* ATTACK_H */
