/* SPDX-License-Identifier: MIT */
/*
 * A process that reads /proc for the daemon, with two capabilities. The daemon can
 * kill it while it waits for a process that blocks its readers.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_HELPER_H
#define XSCHEDD_HELPER_H

#include "base/child.h"
#include "facts/process.h"

/**
 * struct helper_page - answers of the helper, in memory that it shares
 * @facts: by process_read_facts()
 * @whole: the same and what was asked for; its pointers are the helper's
 * @cmdline: arguments, if @whole has them
 * @environ: environment, if @whole has it
 */
struct helper_page {
	struct process facts;
	struct process whole;
	char cmdline[PROCESS_CMDLINE + 2];
	char environ[PROCESS_ENVIRON + 2];
};

/** enum helper_extent - how much to read */
enum helper_extent {
	HELPER_READ_FACTS,		/* what cannot wait */
	HELPER_IDENTIFY,		/* and process_identify() */
	HELPER_READ_REST,		/* and process_read_rest() */
};

/**
 * struct helper_question - what the daemon sends it
 * @pid: about which process
 * @extent: how much
 * @cmdline: with the arguments
 */
struct helper_question {
	pid_t pid;
	enum helper_extent extent;
	bool cmdline;
};

/** enum helper_answer - what has come */
enum helper_answer {
	HELPER_FACTS = 'f',
	HELPER_WHOLE = 'w',
};

/**
 * struct helper - the process, as the daemon sees it
 * @child: the process; without one, there is no helper
 * @page: what it writes
 */
struct helper {
	struct child child;
	struct helper_page *page;
};

/**
 * helper_start() - start one
 * @helper: none so far
 * @urgent: GPUs wait for it: if the daemon is real-time, so is the helper. If not, it only comes
 *	before ordinary programs
 *
 * Return: 0 or a negative errno, and @helper is unchanged.
 */
int helper_start(struct helper *helper, bool urgent);

/**
 * helper_ask() - have it read about a process
 * @helper: helper that has answered everything else
 * @pid: process
 * @extent: how much; with HELPER_READ_FACTS, HELPER_FACTS is the only answer
 * @cmdline: with the arguments
 *
 * Return: 0 or a negative errno.
 */
int helper_ask(struct helper *helper, pid_t pid, enum helper_extent extent,
	       bool cmdline);

/**
 * helper_read() - take an answer
 * @helper: helper with something to read
 *
 * Return: enum helper_answer, -EAGAIN: nothing has come, or another negative
 * errno: it is of no more use.
 */
int helper_read(struct helper *helper);

/** helper_wipe() - forget an environment: it may have secrets in it */
void helper_wipe(struct helper *helper);

/**
 * helper_kill() - end it, and free what belongs to it
 * @helper: helper, or none
 *
 * Its process may live on for as long as the kernel does not let it end.
 *
 * Return: the pid to wait for with child_ended(), 0: there was none.
 */
pid_t helper_kill(struct helper *helper);

#endif /* XSCHEDD_HELPER_H */
