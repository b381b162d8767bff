// SPDX-License-Identifier: MIT
/* The test's side of a worker, and its start. */
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "gpustat.h"
#include "worker.h"
#include "worker_priv.h"
#include "xsdev.h"

#define PATIENCE_MS	20000	/* by then it has happened */
#define ATTEMPTS	20	/* in real time */

static int receive(struct worker *w, struct worker_reply *reply)
{
	ssize_t n;

	do {
		n = recv(w->sock, reply, sizeof(*reply), 0);
	} while (n < 0 && errno == EINTR);
	return n == sizeof(*reply) ? reply->ret : -EPIPE;
}

static int post(struct worker *w, const struct worker_request *request)
{
	ssize_t n = send(w->sock, request, sizeof(*request), MSG_NOSIGNAL);

	return n == sizeof(*request) ? 0 : -EPIPE;
}

static int call(struct worker *w, const struct worker_request *request,
		struct worker_reply *reply)
{
	int ret = post(w, request);

	return ret ? ret : receive(w, reply);
}

/* Does not return. */
static void child(struct worker *w, unsigned int queues, unsigned int gpu,
		  const struct worker_ids *ids, const char *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
	if (ids && (setresgid(ids->real, ids->effective, ids->saved) ||
		    setresuid(ids->real, ids->effective, ids->saved)))
		_exit(125);
	/* A change of ids undoes both. */
	if (ids)
		prctl(PR_SET_DUMPABLE, ids->dumpable);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(worker_main(w->sock, queues, gpu, w->shared));
}

static int start(struct worker *w, unsigned int queues, unsigned int gpu,
		 const struct worker_ids *ids, const char *name)
{
	struct worker_reply reply;
	int ret;

	memset(w, 0, sizeof(*w));
	w->shared = mmap(NULL, sizeof(*w->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->shared == MAP_FAILED)
		return -errno;
	w->pid = child_fork(&w->sock);
	if (w->pid < 0)
		return w->pid;
	if (!w->pid)
		child(w, queues, gpu, ids, name);
	/* The first answer says whether its queues exist. */
	ret = receive(w, &reply);
	if (ret)
		worker_kill(w);
	return ret;
}

int worker_start(struct worker *w, unsigned int queues, const struct worker_ids *ids)
{
	return start(w, queues, 0, ids, NULL);
}

int worker_start_on(struct worker *w, unsigned int queues, unsigned int gpu)
{
	return start(w, queues, gpu, NULL, NULL);
}

int worker_start_named(struct worker *w, unsigned int queues, const char *name)
{
	return start(w, queues, 0, NULL, name);
}

static int reap(struct worker *w)
{
	int status;

	while (waitpid(w->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	close(w->sock);
	munmap(w->shared, sizeof(*w->shared));
	memset(w, 0, sizeof(*w));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int worker_stop(struct worker *w)
{
	/* It exits as its socket comes to the end. */
	shutdown(w->sock, SHUT_WR);
	return reap(w);
}

void worker_kill(struct worker *w)
{
	kill(w->pid, SIGKILL);
	reap(w);
}

int worker_submit(struct worker *w, unsigned int queue, const struct spin_shape *shape,
		  uint32_t count)
{
	struct worker_request request = {
		.command = WORKER_SUBMIT, .queue = queue, .shape = *shape, .a = count
	};
	struct worker_reply reply;

	return call(w, &request, &reply);
}

int worker_wait(struct worker *w, unsigned int queue, int timeout_ms)
{
	struct worker_request request = {
		.command = WORKER_WAIT, .queue = queue, .a = (uint32_t)timeout_ms
	};
	struct worker_reply reply;

	return call(w, &request, &reply);
}

/* In the worker: the GPU moves the read index as it takes a packet. */
static int wait_taken(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t timeout_ms)
{
	const uint64_t end = xsdev_now() + timeout_ms * 1000000;

	(void)dev;
	while (!kfdq_queue_is_empty(queue)) {
		if (xsdev_now() > end)
			return -ETIME;
		xsdev_sleep_ms(1);
	}
	return 0;
}

int worker_begin(struct worker *w, unsigned int queue, const struct spin_shape *shape)
{
	int ret = worker_submit(w, queue, shape, 1);

	return ret ? ret : worker_call(w, queue, wait_taken, PATIENCE_MS);
}

static bool any_done(struct worker *w, unsigned int queues)
{
	unsigned int i;

	for (i = 0; i < queues; i++) {
		if (worker_wait(w, i, 0) != -ETIME)
			return true;
	}
	return false;
}

int worker_half_way(struct worker *w, unsigned int queues, const struct spin_shape *shape,
		    worker_step stop)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < queues && !ret; i++)
		ret = worker_begin(w, i, shape);
	ret = ret ? ret : stop(w);
	return ret || !any_done(w, queues) ? ret : -EALREADY;
}

int worker_half_way_in_real_time(struct worker *w, unsigned int queues,
				 const struct spin_shape *shape, worker_step stop, worker_step go)
{
	unsigned int tries, i;
	int ret = worker_half_way(w, queues, shape, stop);

	for (tries = 1; tries < ATTEMPTS && ret == -EALREADY; tries++) {
		ret = go(w);
		for (i = 0; i < queues && !ret; i++)
			ret = worker_wait(w, i, PATIENCE_MS);
		ret = ret ? ret : worker_half_way(w, queues, shape, stop);
	}
	return ret;
}

int worker_update(struct worker *w, unsigned int queue, uint32_t percentage, uint32_t priority)
{
	struct worker_request request = {
		.command = WORKER_UPDATE, .queue = queue, .a = percentage, .b = priority
	};
	struct worker_reply reply;

	return call(w, &request, &reply);
}

int worker_add_queue(struct worker *w)
{
	struct worker_request request = { .command = WORKER_ADD_QUEUE };
	struct worker_reply reply;
	int ret = call(w, &request, &reply);

	return ret ? ret : (int)reply.value;
}

int worker_recreate(struct worker *w, unsigned int queue)
{
	struct worker_request request = { .command = WORKER_RECREATE, .queue = queue };
	struct worker_reply reply;

	return call(w, &request, &reply);
}

int worker_queue_id(struct worker *w, unsigned int queue, uint32_t *id)
{
	struct worker_request request = { .command = WORKER_QUEUE_ID, .queue = queue };
	struct worker_reply reply;
	int ret = call(w, &request, &reply);

	if (!ret)
		*id = reply.value;
	return ret;
}

int worker_listed(struct worker *w, unsigned int queue, int fd, struct kfd_xsched_queue *out)
{
	uint32_t id;
	int ret = worker_queue_id(w, queue, &id);

	return ret ? ret : xsdev_find(fd, w->pid, id, out);
}

int worker_account(struct worker *w, struct spin_account *out)
{
	struct worker_request request = { .command = WORKER_ACCOUNT };
	struct worker_reply reply;
	int ret = call(w, &request, &reply);

	if (!ret)
		*out = reply.account;
	return ret;
}

bool worker_clean(struct worker *w)
{
	struct spin_account a;

	return !worker_account(w, &a) && spin_account_clean(&a);
}

int worker_last_log(struct worker *w, unsigned int queue, struct vgpu_log *out)
{
	struct worker_request request = { .command = WORKER_LAST_LOG, .queue = queue };
	struct worker_reply reply;
	int ret = call(w, &request, &reply);

	if (!ret)
		*out = reply.log;
	return ret;
}

int worker_invalidate(struct worker *w)
{
	struct worker_request request = { .command = WORKER_INVALIDATE };
	struct worker_reply reply;

	return call(w, &request, &reply);
}

int worker_call(struct worker *w, unsigned int queue, worker_function function,
		uint64_t argument)
{
	struct worker_request request = {
		.command = WORKER_CALL, .queue = queue, .function = function, .argument = argument
	};
	struct worker_reply reply;

	return call(w, &request, &reply);
}

int worker_load_start(struct worker *w, const struct spin_shape *shape, uint32_t seed)
{
	struct worker_request request = { .command = WORKER_LOAD, .shape = *shape, .a = seed };

	w->shared->stop = 0;
	w->shared->begun = w->shared->rounds;
	return post(w, &request);
}

int worker_load_stop(struct worker *w)
{
	struct worker_reply reply;

	__atomic_store_n(&w->shared->stop, 1, __ATOMIC_RELEASE);
	return receive(w, &reply);
}

uint32_t worker_load_rounds(const struct worker *w)
{
	return __atomic_load_n(&w->shared->rounds, __ATOMIC_ACQUIRE);
}

int worker_load_progress(struct worker *w, uint32_t from, int timeout_ms)
{
	uint64_t deadline = xsdev_now() + (uint64_t)timeout_ms * 1000000, now;
	struct timespec left;

	while (worker_load_rounds(w) == from) {
		now = xsdev_now();
		if (now >= deadline)
			return -ETIME;
		left.tv_sec = (time_t)((deadline - now) / 1000000000);
		left.tv_nsec = (long)((deadline - now) % 1000000000);
		syscall(SYS_futex, &w->shared->rounds, FUTEX_WAIT, from, &left, NULL, 0);
	}
	return 0;
}

/* Have the worker look at its load: 0, or -ETIME. */
static int look(struct worker *w, struct worker_look *out)
{
	const uint64_t end = xsdev_now() + PATIENCE_MS * 1000000ULL;
	const uint32_t asked = __atomic_add_fetch(&w->shared->asked, 1, __ATOMIC_RELEASE);

	syscall(SYS_futex, &w->shared->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (__atomic_load_n(&w->shared->looked, __ATOMIC_ACQUIRE) != asked) {
		if (xsdev_now() > end)
			return -ETIME;
		xsdev_sleep_ms(1);
	}
	*out = w->shared->look;
	return 0;
}

/* A round has begun, and the GPU has more to do for it. */
static bool waits_for_gpu(const struct worker_look *l)
{
	return l->begun == l->rounds + 1 && l->executed < l->submitted;
}

/* Look until it waits for the GPU, after no more than a round since there were @rounds. */
static bool see_it_wait(struct worker *w, uint32_t rounds, struct worker_look *out)
{
	const uint64_t end = xsdev_now() + PATIENCE_MS * 1000000ULL;

	while (!look(w, out) && out->rounds - rounds <= 1 && xsdev_now() < end) {
		if (waits_for_gpu(out))
			return true;
		xsdev_sleep_ms(1);
	}
	return false;
}

static bool nothing_between(const struct worker_look *a, const struct worker_look *b)
{
	return a->begun == b->begun && a->rounds == b->rounds && a->executed == b->executed;
}

/*
 * What the GPU had completed when the hold began the worker may see after it: a round, at most.
 * Where nothing is held, the GPU completes something of what waits for it in each such time.
 */
bool worker_load_still(struct worker *w, int ms)
{
	const uint32_t rounds = worker_load_rounds(w);
	struct worker_look before, after;

	do {
		if (!see_it_wait(w, rounds, &before))
			return false;
		xsdev_sleep_ms((unsigned int)ms);
		/* To read its counters brings the GPU up to the present. */
		if (gpustat("dispatches") < 0 || look(w, &after))
			return false;
		if (nothing_between(&before, &after))
			return true;
	} while (after.rounds - rounds <= 1);
	return false;
}

bool worker_load_goes_on(struct worker *w)
{
	const uint32_t rounds = worker_load_rounds(w);

	return !worker_load_progress(w, rounds, PATIENCE_MS) &&
	       !worker_load_progress(w, rounds + 1, PATIENCE_MS);
}
