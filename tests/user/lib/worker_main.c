// SPDX-License-Identifier: MIT
/* The worker's side: own queues, do what is asked. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "random.h"
#include "worker_priv.h"
#include "xsdev.h"

#define LOG_CAPACITY	32768	/* dispatches a queue can make in a test */
#define IN_FLIGHT	256
#define LOAD_BATCH	4
#define LOAD_TIMEOUT_MS	60000
#define REGISTERED_BYTES 65536

struct worker_queue {
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	struct kfdq_signal *signal;
	struct spin_set set;
};

struct worker_state {
	struct kfdq_device *devices[WORKER_MAX_GPUS];
	unsigned int device_count;
	struct worker_queue queues[WORKER_MAX_QUEUES];
	unsigned int count;
	struct kfdq_buffer registered;
	struct worker_shared *shared;
	bool is_observed;
};

static int add_queue(struct worker_state *s)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	struct worker_queue *q = &s->queues[s->count];
	int ret;

	if (s->count == WORKER_MAX_QUEUES)
		return -ENOSPC;
	q->dev = s->devices[s->count % s->device_count];
	ret = kfdq_signal_create(q->dev, &q->signal);
	if (!ret)
		ret = spin_set_init(&q->set, q->dev, LOG_CAPACITY, IN_FLIGHT);
	if (!ret)
		ret = kfdq_queue_create(q->dev, &options, &q->queue);
	if (!ret)
		s->count++;
	return ret;
}

static void account(struct worker_state *s, struct spin_account *sum)
{
	struct spin_account a;
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		spin_account(&s->queues[i].set, &a);
		spin_account_add(sum, &a);
	}
}

static void publish_round(struct worker_shared *shared)
{
	shared->done_ns = xsdev_now();
	__atomic_fetch_add(&shared->rounds, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &shared->rounds, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Beside the load, which may be blocked: look at it when the test asks for that. */
static void *observe(void *argument)
{
	struct worker_state *s = argument;
	struct worker_shared *shared = s->shared;
	struct spin_account a;
	uint32_t asked;

	for (;;) {
		asked = __atomic_load_n(&shared->asked, __ATOMIC_ACQUIRE);
		if (asked == shared->looked) {
			syscall(SYS_futex, &shared->asked, FUTEX_WAIT, asked, NULL, NULL, 0);
			continue;
		}
		shared->look.begun = __atomic_load_n(&shared->begun, __ATOMIC_ACQUIRE);
		memset(&a, 0, sizeof(a));
		account(s, &a);
		shared->look.submitted = a.submitted;
		shared->look.executed = a.executed;
		shared->look.rounds = __atomic_load_n(&shared->rounds, __ATOMIC_ACQUIRE);
		__atomic_store_n(&shared->looked, asked, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* From the first load to the end of the process. */
static int start_observer(struct worker_state *s)
{
	pthread_t thread;
	int ret = s->is_observed ? 0 : pthread_create(&thread, NULL, observe, s);

	s->is_observed |= !ret;
	return -ret;
}

/* A size between 1/16 of the given one and all of it. */
static struct spin_shape vary(const struct spin_shape *shape, uint32_t *seed)
{
	struct spin_shape s = *shape;

	if (!*seed)
		return s;
	s.workgroups = 1 + random_next(seed) % shape->workgroups;
	s.workgroup_ns = shape->workgroup_ns / 16 * (1 + random_next(seed) % 16);
	return s;
}

static int load(struct worker_state *s, const struct worker_request *request)
{
	int ret = start_observer(s);
	uint32_t seed = request->a;
	struct spin_shape shape;
	unsigned int i;

	while (!ret && !__atomic_load_n(&s->shared->stop, __ATOMIC_ACQUIRE)) {
		for (i = 0; i < s->count && !ret; i++) {
			shape = vary(&request->shape, &seed);
			ret = spin_submit(&s->queues[i].set, s->queues[i].queue, &shape,
					  request->a ? LOAD_BATCH : 1, s->queues[i].signal);
		}
		__atomic_fetch_add(&s->shared->begun, 1, __ATOMIC_RELEASE);
		for (i = 0; i < s->count && !ret; i++) {
			if (kfdq_signal_wait(s->queues[i].dev, s->queues[i].signal, LOAD_TIMEOUT_MS))
				ret = -EIO;
		}
		if (!ret)
			publish_round(s->shared);
	}
	return ret;
}

static int wait_queue(struct worker_queue *q, int timeout_ms)
{
	int ret;

	do {
		ret = kfdq_signal_wait(q->dev, q->signal, timeout_ms);
	} while (ret == -EINTR);
	return ret;
}

static void last_log(const struct worker_queue *q, struct vgpu_log *out)
{
	if (q->set.used)
		*out = q->set.log[q->set.used - 1];
}

/* Registered memory whose pages go and come back: an MMU notifier informs amdkfd. */
static int invalidate(struct worker_state *s)
{
	int ret = 0;

	if (!s->registered.addr)
		ret = kfdq_alloc(s->devices[0], KFDQ_USERPTR, REGISTERED_BYTES, &s->registered);
	if (ret)
		return ret;
	memset(s->registered.addr, 1, s->registered.size);
	if (madvise(s->registered.addr, s->registered.size, MADV_DONTNEED))
		return -errno;
	memset(s->registered.addr, 2, s->registered.size);
	return 0;
}

static void serve(struct worker_state *s, const struct worker_request *request,
		  struct worker_reply *reply)
{
	const bool needs_queue = request->command != WORKER_CALL &&
		request->command != WORKER_ADD_QUEUE;
	struct worker_queue *q = &s->queues[request->queue];

	if (request->queue >= s->count && (needs_queue || request->queue)) {
		reply->ret = -EINVAL;
		return;
	}
	switch (request->command) {
	case WORKER_SUBMIT:
		reply->ret = spin_submit(&q->set, q->queue, &request->shape, request->a, q->signal);
		break;
	case WORKER_WAIT:
		reply->ret = wait_queue(q, (int)request->a);
		break;
	case WORKER_UPDATE:
		reply->ret = kfdq_queue_update(q->queue, request->a, request->b);
		break;
	case WORKER_ADD_QUEUE:
		reply->ret = add_queue(s);
		reply->value = s->count - 1;
		break;
	case WORKER_RECREATE:
		reply->ret = kfdq_queue_recreate(q->queue);
		break;
	case WORKER_QUEUE_ID:
		reply->value = kfdq_queue_id(q->queue);
		break;
	case WORKER_ACCOUNT:
		account(s, &reply->account);
		break;
	case WORKER_LAST_LOG:
		last_log(q, &reply->log);
		break;
	case WORKER_INVALIDATE:
		reply->ret = invalidate(s);
		break;
	case WORKER_CALL:
		reply->ret = request->function(s->devices[0], q->queue, request->argument);
		break;
	case WORKER_LOAD:
		reply->ret = load(s, request);
		break;
	default:
		reply->ret = -EINVAL;
	}
}

static int respond(int sock, const struct worker_reply *reply)
{
	return send(sock, reply, sizeof(*reply), MSG_NOSIGNAL) == sizeof(*reply) ? 0 : -EPIPE;
}

/* One GPU, or all there are. */
static int open_devices(struct worker_state *s, unsigned int gpu)
{
	int ret = 0;

	if (gpu != WORKER_ALL_GPUS) {
		s->device_count = 1;
		return kfdq_open_gpu(gpu, &s->devices[0]);
	}
	while (!ret && s->device_count < WORKER_MAX_GPUS) {
		ret = s->device_count ?
			kfdq_open_peer(s->devices[0], s->device_count,
				       &s->devices[s->device_count]) :
			kfdq_open(&s->devices[0]);
		s->device_count += !ret;
	}
	return ret == -ENODEV && s->device_count ? 0 : ret;
}

int worker_main(int sock, unsigned int queues, unsigned int gpu, struct worker_shared *shared)
{
	struct worker_state s = { .shared = shared };
	struct worker_request request;
	struct worker_reply reply = { 0 };

	reply.ret = open_devices(&s, gpu);
	while (!reply.ret && s.count < queues)
		reply.ret = add_queue(&s);
	if (respond(sock, &reply) || reply.ret)
		return 1;
	while (recv(sock, &request, sizeof(request), 0) == sizeof(request)) {
		memset(&reply, 0, sizeof(reply));
		serve(&s, &request, &reply);
		if (respond(sock, &reply))
			return 1;
	}
	/* Exiting with queues alive is what most programs do. */
	return 0;
}
