// SPDX-License-Identifier: MIT
/* XSched's level 1: few commands in flight. */
#include <errno.h>
#include <stdlib.h>

#include "peers/lv1.h"

/*
 * XSched's defaults: commands in flight at most, and how many end before the next are launched
 * (its README, XSCHED_AUTO_XQUEUE_THRESHOLD and XSCHED_AUTO_XQUEUE_BATCH_SIZE).
 */
#define THRESHOLD	16
#define BATCH		8

#define ROOM		512	/* commands that wait; XSched's buffer has no limit */

/* In flight are two commands that end a batch at most, BATCH and 2 * BATCH after what is done. */
#define OWN_SIGNALS	3

/**
 * struct mark - a command in flight that can be waited for
 * @number: which one
 * @signal: its
 */
struct mark {
	uint64_t number;
	struct kfdq_signal *signal;
};

/**
 * struct lv1 - the launcher of a queue
 * @dev: GPU
 * @queue: the queue
 * @turns: who has work
 * @own: signals for commands that have none
 * @used: of them, so far
 * @commands: number n at [(n - 1) % ROOM]
 * @submitted: number of the last command of the program
 * @launched: of the last one in the queue
 * @done: of the last one that is known to be complete
 * @marks: of those in flight, number n at [n % THRESHOLD]
 * @first_mark: oldest of them
 * @end_mark: one past the newest
 * @last_marked: number of the command of the newest, or of an older one that was complete
 */
struct lv1 {
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	struct turns turns;
	struct kfdq_signal *own[OWN_SIGNALS];
	uint64_t used;
	struct kfdq_dispatch commands[ROOM];
	uint64_t submitted;
	uint64_t launched;
	uint64_t done;
	struct mark marks[THRESHOLD];
	uint64_t first_mark;
	uint64_t end_mark;
	uint64_t last_marked;
};

int lv1_open(struct kfdq_device *dev, struct kfdq_queue *queue, const struct turns *turns,
	     struct lv1 **out)
{
	struct lv1 *l = calloc(1, sizeof(*l));
	int ret = l ? 0 : -ENOMEM;
	unsigned int i;

	for (i = 0; i < OWN_SIGNALS && !ret; i++)
		ret = kfdq_signal_create(dev, &l->own[i]);
	if (ret) {
		free(l);
		return ret;
	}
	l->dev = dev;
	l->queue = queue;
	l->turns = *turns;
	*out = l;
	return 0;
}

/* The last command of a batch must be one that can be waited for. */
static void end_batch(struct lv1 *l, struct kfdq_dispatch *command, uint64_t number)
{
	if (command->completion || number - l->last_marked < BATCH)
		return;
	command->completion = l->own[l->used++ % OWN_SIGNALS];
	kfdq_signal_arm(command->completion, 1);
}

/* One, with a doorbell of its own, as a launch of HIP. */
static int launch_one(struct lv1 *l)
{
	struct kfdq_dispatch *command = &l->commands[l->launched % ROOM];
	const uint64_t number = l->launched + 1;
	int ret;

	end_batch(l, command, number);
	ret = kfdq_queue_submit(l->queue, command, 1);
	if (ret)
		return ret;
	l->launched = number;
	if (command->completion) {
		l->marks[l->end_mark++ % THRESHOLD] = (struct mark){ number, command->completion };
		l->last_marked = number;
	}
	return 0;
}

/* All that may be: who has the turn is looked at before each. */
static int launch(struct lv1 *l)
{
	int ret = 0;

	while (!ret && l->launched < l->submitted && l->launched - l->done < THRESHOLD &&
	       turns_mine(&l->turns))
		ret = launch_one(l);
	return ret;
}

/* Either as many are in flight as may be, or all are: of both, the oldest mark comes first. */
static int wait_for_mark(struct lv1 *l)
{
	const struct mark *mark = &l->marks[l->first_mark % THRESHOLD];
	int ret = kfdq_signal_wait(l->dev, mark->signal, -1);

	if (!ret) {
		l->done = mark->number;
		l->first_mark++;
	}
	return ret;
}

int lv1_submit(struct lv1 *l, const struct kfdq_dispatch *commands, uint32_t count)
{
	uint32_t i;

	if (l->submitted + count - l->launched > ROOM)
		return -EAGAIN;
	if (l->done == l->submitted)
		turns_say(&l->turns, true);
	for (i = 0; i < count; i++)
		l->commands[l->submitted++ % ROOM] = commands[i];
	return launch(l);
}

/* While it is another's turn XSched's worker waits for nothing else, neither does this. */
static int advance(struct lv1 *l)
{
	const uint32_t seen = turns_seen(&l->turns);
	int ret;

	if (!turns_mine(&l->turns))
		return turns_wait(&l->turns, seen);
	ret = launch(l);
	if (ret || !turns_mine(&l->turns))
		return ret;
	return wait_for_mark(l);
}

int lv1_wait(struct lv1 *l, uint64_t number)
{
	int ret = 0;

	while (!ret && l->done < number)
		ret = advance(l);
	if (!ret && l->done == l->submitted)
		turns_say(&l->turns, false);
	return ret;
}

void lv1_close(struct lv1 *l)
{
	free(l);
}
