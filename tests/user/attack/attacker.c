// SPDX-License-Identifier: MIT
/* See attacker.h, and what attack.h has for attackers. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "attacker.h"
#include "identity.h"
#include "tap.h"
#include "xsdev.h"

#define MS		1000000ULL
#define IDLE_QUEUES	4
#define LISTED		64

/* More than the GPU has room for. */
static const struct spin_shape endless = { 4096, 256, 60000 * MS };

/**
 * struct order - what a new attacker is to do
 * @attack: that
 * @as: as whom
 * @state: see struct attacker
 * @high: likewise
 * @high_queue: likewise
 */
struct order {
	const struct attack *attack;
	enum identity as;
	struct attack_state *state;
	pid_t high;
	uint64_t high_queue;
};

void attack_ready(struct attacker *a)
{
	__atomic_store_n(&a->state->ready, 1, __ATOMIC_RELEASE);
}

void attack_note(struct attacker *a, int ret)
{
	const unsigned int answer = ret < 0 ? (unsigned int)-ret : 0;

	if (answer < ATTACK_ERRNO)
		__atomic_fetch_add(&a->state->answers[answer], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&a->state->tries, 1, __ATOMIC_RELAXED);
}

void attack_rest_if_done(const struct attacker *a)
{
	while (__atomic_load_n(&a->state->answers[0], __ATOMIC_RELAXED))
		pause();
}

void attack_fail(struct attacker *a, unsigned int line)
{
	__atomic_store_n(&a->state->failed, line, __ATOMIC_RELEASE);
	_exit(1);
}

unsigned int attack_open_all(struct attacker *a, int *fds, unsigned int most)
{
	unsigned int count;

	for (count = 0; count < most; count++) {
		fds[count] = xsdev_open();
		attack_note(a, fds[count]);
		if (fds[count] < 0)
			break;
	}
	ATTACK_NEEDS(a, count);
	return count;
}

int attack_apply(struct attacker *a, int fd, uint32_t op, int32_t value, unsigned int count)
{
	static struct kfd_xsched_entry entries[KFD_XSCHED_MAX_ENTRIES];
	unsigned int i;

	for (i = 0; i < count; i++)
		entries[i] = (struct kfd_xsched_entry){
			.op = op,
			.target = KFD_XSCHED_TARGET_QUEUE,
			.id = a->ids[i % a->count],
			.value = value,
		};
	return xsdev_apply(fd, entries, count, NULL);
}

bool attack_fork(void)
{
	const pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* The busy one has been created last. Root without a capability sees those of root, too. */
static void find_queues(struct attacker *a)
{
	struct kfd_xsched_queue queues[LISTED];
	int n = xsdev_list(a->fd, queues, LISTED), i;

	for (i = 0; i < n && i < LISTED && a->count < WORKER_MAX_QUEUES; i++)
		if (queues[i].pid == a->idle.pid || queues[i].pid == a->busy.pid)
			a->ids[a->count++] = queues[i].id;
}

static void be_attacker(void *argument)
{
	const struct order *order = argument;
	struct attacker a = {
		.state = order->state,
		.as = order->as,
		.high = order->high,
		.high_queue = order->high_queue,
	};

	ATTACK_NEEDS(&a, !worker_start(&a.idle, IDLE_QUEUES, NULL));
	ATTACK_NEEDS(&a, !worker_start(&a.busy, 1, NULL));
	ATTACK_NEEDS(&a, !worker_submit(&a.busy, 0, &endless, 1));
	a.fd = xsdev_open();
	ATTACK_NEEDS(&a, a.fd >= 0);
	find_queues(&a);
	ATTACK_NEEDS(&a, a.count == IDLE_QUEUES + 1);
	order->attack->run(&a);
	attack_fail(&a, __LINE__);
}

void attacker_start(const struct attack *attack, enum identity as, struct attack_state *state,
		    pid_t high)
{
	struct order order = { .attack = attack, .as = as, .state = state, .high = high };
	struct kfd_xsched_queue queue;

	if (xsdev_find_first(attack_client(), high, &queue))
		tap_bail("the high tenant has no queue");
	order.high_queue = queue.id;
	identity_start(as, be_attacker, &order);
}
