// SPDX-License-Identifier: MIT
/*
 * A node whose firmware does not answer, and the reset that follows: a client that asks
 * something else, releases, is ejected or disables the module does not wait for
 * it; a hold outlives the reset; then every node works as before.
 *
 *   test-reset [GPUS]	the last of them hangs
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpufault.h"
#include "lease.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define FW_TIMEOUT_MS	6000	/* instead of amdkfd's nine seconds */
#define PROMPT_MS	1800	/* what waits for the firmware takes longer */
#define DONE_MS		20000

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape tenth = { 64, 256, 100 * MS };
static unsigned int gpus = 1;
static int fd;

/* Two whose process is on the node that hangs, one that is held all the time; one that is not. */
static struct worker lost, held, bystander;

static void hang(void)
{
	int ret = gpufault("%u.0 %s", gpus - 1,
			   xsdev_transactions(fd, 2) == 1 ? "preempt_hang" : "mes_hang remove");

	if (ret)
		tap_bail("the firmware does not hang: error %d", ret);
}

static uint32_t state_of(struct worker *w)
{
	return must_list(w, 0, fd).state;
}

static int op(int file, uint32_t operation, const struct worker *w)
{
	return xsdev_process_op(file, operation, w->pid, 0, NULL);
}

static int hold(struct worker *w)
{
	return op(fd, KFD_XSCHED_OP_SUSPEND, w);
}

static int release(struct worker *w)
{
	return op(fd, KFD_XSCHED_OP_RESUME, w);
}

static uint64_t client_of(int file)
{
	struct kfd_xsched_renew renew = { .size = sizeof(renew) };

	if (xsdev_ioctl(file, KFD_XSCHED_RENEW, &renew))
		tap_bail("RENEW fails");
	return renew.client;
}

/**
 * struct hung - a call that the firmware does not answer
 * @thread: which makes it
 * @file: by this client
 * @client: its number
 * @ret: what it returned
 * @over: it has returned
 */
struct hung {
	pthread_t thread;
	int file;
	uint64_t client;
	int ret;
	atomic_bool over;
};

static void *suspend(void *argument)
{
	struct hung *h = argument;

	h->ret = op(h->file, KFD_XSCHED_OP_SUSPEND, &lost);
	h->over = true;
	return NULL;
}

static void hang_in_a_call(struct hung *h)
{
	const uint64_t end = xsdev_now() + DONE_MS * MS;

	h->over = false;
	hang();
	h->file = xsdev_open();
	h->client = client_of(h->file);
	if (pthread_create(&h->thread, NULL, suspend, h))
		tap_bail("no thread");
	/* The firmware has been asked, and hangs. */
	while (gpufault_look("armed", NULL) >= 0 && xsdev_now() < end)
		xsdev_sleep_ms(5);
}

/*
 * Report that something succeeded, and did not wait for the firmware: the call that does is
 * still on its way, or there was no time for that.
 */
static void prompt(const struct hung *h, int ret, uint64_t since, const char *what)
{
	const bool over = h->over;
	const uint64_t ms = (xsdev_now() - since) / MS;

	if (!tap_ok(ret >= 0 && (!over || ms < PROMPT_MS), "hung: %s at once", what))
		tap_note("error %d after %llu ms", ret, (unsigned long long)ms);
}

static void ask_something_else(const struct hung *h)
{
	int other = xsdev_open();
	uint64_t since = xsdev_now();

	prompt(h, xsdev_list(fd, NULL, 0), since, "LIST returns");
	if (gpus == 1) {
		tap_skip("there is one GPU", "hung: a process on another node is held");
	} else {
		since = xsdev_now();
		prompt(h, op(other, KFD_XSCHED_OP_SUSPEND, &bystander), since,
		       "a process on another node is held");
		since = xsdev_now();
		prompt(h, op(other, KFD_XSCHED_OP_RESUME, &bystander), since, "and released");
	}
	close(other);
}

static void start(struct worker *w, unsigned int gpu)
{
	if (worker_start_on(w, 1, gpu))
		tap_bail("no worker on GPU %u", gpu);
}

static void start_all(void)
{
	start(&lost, gpus - 1);
	start(&held, gpus - 1);
	start(&bystander, 0);
	if (worker_begin(&lost, 0, &endless))
		tap_bail("nothing runs");
}

static void kill_all(void)
{
	worker_kill(&lost);
	worker_kill(&held);
	worker_kill(&bystander);
	tap_is(xsdev_wait_no_queue(fd, DONE_MS), 0, "no queue is left of their processes");
}

static void check_works(void)
{
	struct worker w;
	unsigned int i;

	for (i = 0; i < gpus; i++) {
		start(&w, i);
		tap_ok(!worker_half_way_in_real_time(&w, 1, &tenth, hold, release) &&
		       worker_wait(&w, 0, 300) == -ETIME, "GPU %u: a new process is held", i);
		tap_ok(!release(&w) && !worker_wait(&w, 0, DONE_MS),
		       "GPU %u: and runs to its end", i);
		tap_ok(worker_clean(&w), "GPU %u: every dispatch executed once and in order", i);
		worker_stop(&w);
	}
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "nothing is held in the end");
	xsdev_wait_no_queue(fd, DONE_MS);
}

/* A client with a hold there closes its file; the one that waits is ejected. */
static void test_eject(void)
{
	struct hung h;
	uint64_t since;
	char number[32];
	int third;

	start_all();
	/* Not before: its file would be the workers', too. */
	third = xsdev_open();
	tap_is(op(fd, KFD_XSCHED_OP_SUSPEND, &held), 0, "a process is held before the node hangs");
	op(third, KFD_XSCHED_OP_SUSPEND, &held);
	hang_in_a_call(&h);
	ask_something_else(&h);
	since = xsdev_now();
	prompt(&h, close(third) ? -errno : 0, since, "a client with a hold there closes its file");
	snprintf(number, sizeof(number), "%llu", (unsigned long long)h.client);
	since = xsdev_now();
	prompt(&h, sysfile_write(number, SYSFILE_GLOBAL "eject"), since,
	       "the client that waits for it is ejected");
	pthread_join(h.thread, NULL);
	tap_is(h.ret, -EOWNERDEAD, "its call returns EOWNERDEAD");
	close(h.file);
	tap_ok(!gpufault_wait_reset(fd), "the node is reset");
	tap_ok((state_of(&held) & (KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_MINE |
				   KFD_XSCHED_QUEUE_ACTIVE)) ==
	       (KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_MINE), "the hold outlives the reset");
	tap_ok(!(state_of(&lost) & KFD_XSCHED_QUEUE_HELD), "no client holds the queues that hung");
	tap_is(op(fd, KFD_XSCHED_OP_RESUME, &held), 0, "the hold is released afterwards");
	tap_ok(!(state_of(&held) & KFD_XSCHED_QUEUE_HELD), "and listed so");
	kill_all();
	check_works();
}

/* The whole module is disabled, and enabled again, while the node hangs. */
static void test_disable(void)
{
	uint64_t since;
	struct hung h;

	start_all();
	hang_in_a_call(&h);
	since = xsdev_now();
	prompt(&h, sysfile_write("0", SYSFILE_GLOBAL "enabled"), since, "the module is disabled");
	since = xsdev_now();
	prompt(&h, sysfile_write("1", SYSFILE_GLOBAL "enabled"), since, "and enabled");
	pthread_join(h.thread, NULL);
	tap_is(h.ret, -EOWNERDEAD, "the call on its way returns EOWNERDEAD");
	close(h.file);
	tap_ok(!gpufault_wait_reset(fd), "the node is reset");
	kill_all();
	check_works();
}

/* A process destroys its only queue as the firmware hangs: its next one is like any other. */
static void test_last_queue(void)
{
	struct kfd_xsched_queue q;
	uint32_t id;
	int n;

	start_all();
	if (worker_queue_id(&lost, 0, &id))
		tap_bail("its queue has no number");
	hang();
	tap_ok(worker_recreate(&lost, 0) < 0,
	       "a process destroys its only queue as the node hangs, and gets no other");
	tap_is(xsdev_find(fd, lost.pid, id, &q), -ENOENT, "the queue is gone");
	tap_ok(!gpufault_wait_reset(fd), "the node is reset");
	n = worker_add_queue(&lost);
	if (n < 0)
		tap_bail("no queue after the reset: error %d", n);
	tap_ok(!worker_listed(&lost, (unsigned int)n, fd, &q) &&
	       !(q.state & KFD_XSCHED_QUEUE_RESET), "the queue that it then creates was not reset");
	tap_ok(!hold(&lost) && !release(&lost), "it is held and released");
	worker_submit(&lost, (unsigned int)n, &tenth, 1);
	tap_is(worker_wait(&lost, (unsigned int)n, DONE_MS), 0, "and runs");
	kill_all();
	check_works();
}

int main(int argc, char **argv)
{
	gpus = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 1;
	fd = gpufault_open();
	/* Holds wait for the reset, without a call. */
	lease_set(LEASE_PATIENT_MS);
	gpufault_timeout(FW_TIMEOUT_MS);
	/* First: the hangs that follow walk all processes of the node, also one that it left there. */
	test_last_queue();
	test_eject();
	test_disable();
	return tap_done();
}
