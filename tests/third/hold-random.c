// SPDX-License-Identifier: MIT
/*
 * Hold a process at random moments for random times, until it has ended.
 *
 *   hold-random PID SEED [MOST-PAUSE-US [MOST-HOLD-US]]
 *
 * It says how often amdkfd took a queue of the process off the hardware for that, as the module
 * counts it (preemptions of KFD_XSCHED_LIST), and fails if a call ended with an error that says
 * anything else than that there is no queue, or no process, now.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "xsdev.h"

#define QUEUES	256

/**
 * struct seen - what LIST said of the process
 * @id: its queues
 * @preemptions: of each, when last looked at
 * @queues: how many there were
 */
struct seen {
	uint64_t id[QUEUES];
	uint64_t preemptions[QUEUES];
	unsigned int queues;
};

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return n ? (*seed >> 33) % n : 0;
}

static void pause_us(uint32_t us)
{
	struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L };

	nanosleep(&t, NULL);
}

static void note(struct seen *s, const struct kfd_xsched_queue *q)
{
	unsigned int i;

	for (i = 0; i < s->queues && s->id[i] != q->id; i++)
		;
	if (i == QUEUES)
		return;
	if (i == s->queues)
		s->queues++;
	s->id[i] = q->id;
	s->preemptions[i] = q->preemptions;
}

/* While it is held its queues cannot go, so that the last hold is seen, too. */
static void look(int fd, pid_t pid, struct seen *s)
{
	static struct kfd_xsched_queue queues[QUEUES];
	int n = xsdev_list(fd, queues, QUEUES), i;

	for (i = 0; i < n && i < QUEUES; i++)
		if (queues[i].pid == pid)
			note(s, &queues[i]);
}

static int benign(int ret)
{
	return !ret || ret == -ENOENT || ret == -ESRCH || ret == -EALREADY;
}

int main(int argc, char **argv)
{
	uint32_t pause = argc > 3 ? atoi(argv[3]) : 1000, hold = argc > 4 ? atoi(argv[4]) : 500;
	unsigned int holds = 0, errors = 0, i;
	uint64_t preemptions = 0, seed;
	struct seen s = { .queues = 0 };
	int fd = xsdev_open(), ret;
	pid_t pid;

	if (argc < 3 || fd < 0) {
		fprintf(stderr, "usage: hold-random PID SEED, with " XSDEV_PATH "\n");
		return 2;
	}
	pid = atoi(argv[1]);
	seed = strtoull(argv[2], NULL, 0);
	while (!kill(pid, 0)) {
		pause_us(random_below(&seed, pause));
		ret = xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, pid, 0, NULL);
		errors += !benign(ret);
		if (!ret) {
			holds++;
			pause_us(random_below(&seed, hold));
			look(fd, pid, &s);
		}
		ret = xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, pid, 0, NULL);
		errors += !benign(ret);
	}
	for (i = 0; i < s.queues; i++)
		preemptions += s.preemptions[i];
	printf("holds %u preemptions %llu queues %u errors %u\n", holds,
	       (unsigned long long)preemptions, s.queues, errors);
	return errors != 0;
}
