/* SPDX-License-Identifier: MIT */
/*
 * Turns: a page of memory in which processes say whether they have work, for the
 * schedulers that we are compared with. XSched has a server for that, to which
 * clients send events, and which sends them "suspend" and "resume"; here
 * a client sees at once what the others say. It costs less, so it favours them.
 */
#ifndef TURNS_H
#define TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct turns_page;

/**
 * struct turns - a process's place in the page
 * @page: the page, NULL: it has none
 * @slot: which place
 * @priority: its priority; more is higher
 */
struct turns {
	struct turns_page *page;
	uint32_t slot;
	int priority;
};

/* Take a place in the page, which is a file that is made if it is missing; 0 or -errno. */
int turns_join(struct turns *t, const char *path, int priority);

/* Say whether this process has work. May be called in a signal handler. */
void turns_say(const struct turns *t, bool ready);

/* Highest priority first: whether nobody of a higher priority has work. */
bool turns_mine(const struct turns *t);

/* A number that changes with all that is said: take it before a look, and wait for another one. */
uint32_t turns_seen(const struct turns *t);

/* Wait until the number is not @seen any more: 0, or -EINTR. */
int turns_wait(const struct turns *t, uint32_t seen);

/* Leave: this process has no work. */
void turns_leave(struct turns *t);

#endif /* TURNS_H */
