// SPDX-License-Identifier: MIT
/* hi: a process with a queue, which runs kernels as it is told. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"
#include "hi.h"
#include "kfdq.h"
#include "spin.h"
#include "xsdev.h"

#define WAVE		64	/* lanes: one wave */
#define HI_TIMEOUT_MS	20000

/**
 * struct hi - what it has
 * @dev: GPU
 * @queue: its queue
 * @set: its kernels
 * @done: of the last one
 */
struct hi {
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	struct spin_set set;
	struct kfdq_signal *done;
};

static struct hi_answer run_kernel(struct hi *h, uint64_t ns)
{
	const struct spin_shape shape = {
		.workgroups = 1, .workgroup_size = WAVE, .workgroup_ns = ns,
	};
	struct kfdq_dispatch dispatch;
	struct hi_answer a = { 0 };

	a.ret = spin_next(&h->set, &shape, h->done, &dispatch);
	if (a.ret)
		return a;
	kfdq_signal_arm(h->done, 1);
	a.begin = xsdev_now();
	a.ret = kfdq_queue_submit(h->queue, &dispatch, 1);
	if (!a.ret)
		a.ret = kfdq_signal_wait(h->dev, h->done, HI_TIMEOUT_MS);
	a.end = xsdev_now();
	return a;
}

static int prepare(struct hi *h, unsigned int kernels)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	int ret = kfdq_open(&h->dev);

	if (!ret)
		ret = kfdq_queue_create(h->dev, &options, &h->queue);
	if (!ret)
		ret = kfdq_signal_create(h->dev, &h->done);
	return ret ? ret : spin_set_init(&h->set, h->dev, kernels, 1);
}

/* Runs a kernel that takes as long as each command says. Does not return. */
static void hi_main(int sock, unsigned int kernels)
{
	struct hi h = { 0 };
	struct hi_answer a = { 0 };
	uint64_t ns;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	a.ret = prepare(&h, kernels);
	while (send(sock, &a, sizeof(a), MSG_NOSIGNAL) == sizeof(a) && !a.ret &&
	       recv(sock, &ns, sizeof(ns), 0) == sizeof(ns))
		a = run_kernel(&h, ns);
	_exit(a.ret != 0);
}

pid_t hi_start(unsigned int kernels, int *sock)
{
	struct hi_answer a;
	const pid_t pid = child_fork(sock);
	int ret;

	if (!pid)
		hi_main(*sock, kernels);
	if (pid < 0)
		return pid;
	ret = hi_hear(*sock, &a);
	return ret ? ret : pid;
}

int hi_tell(int sock, uint64_t ns)
{
	return send(sock, &ns, sizeof(ns), MSG_NOSIGNAL) == sizeof(ns) ? 0 : -EPIPE;
}

int hi_hear(int sock, struct hi_answer *a)
{
	return recv(sock, a, sizeof(*a), 0) == sizeof(*a) ? a->ret : -EPIPE;
}
