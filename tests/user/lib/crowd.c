// SPDX-License-Identifier: MIT
/* See crowd.h. */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "crowd.h"
#include "kfdq.h"
#include "sysfile.h"
#include "tap.h"
#include "users.h"

#define NO_LIMIT	"/sys/module/amdgpu/parameters/no_system_mem_limit"
#define RING_PACKETS	64
#define PATIENCE_S	120

/*
 * KFD takes only whole save areas, tens of MiB a queue. So they overlap in one file: each begins
 * a step after the one before. Nothing is saved there, as there is no work.
 */
#define SAVE_STEP	65536UL
#define SAVE_BYTES	(512UL << 20)

/* The file, and where the next save area begins. */
static int save_fd = -1;
static uint64_t save_at;

void crowd_allow(void)
{
	if (sysfile_set(1, NO_LIMIT))
		tap_bail(NO_LIMIT " cannot be written");
}

/* ---- in the process ---- */

/* Returns the first queue in @first. */
static int create_all(unsigned int queues, struct kfdq_queue **first)
{
	struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	struct kfdq_queue *queue;
	struct kfdq_device *dev;
	int ret = kfdq_open(&dev);
	unsigned int i;

	options.packets = RING_PACKETS;
	options.save_fd = save_fd;
	for (i = 0; i < queues && !ret; i++) {
		options.save_offset = save_at + i * SAVE_STEP;
		ret = kfdq_queue_create(dev, &options, &queue);
		if (!ret && !i)
			*first = queue;
	}
	return ret;
}

static bool answer(int sock, int ret)
{
	return send(sock, &ret, sizeof(ret), MSG_NOSIGNAL) == sizeof(ret);
}

/* Does not return. */
static void be_crowd(int sock, uid_t uid, unsigned int queues)
{
	struct kfdq_queue *first = NULL;
	int ret = users_become_for_good(uid);
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ret = ret ? ret : create_all(queues, &first);
	if (!answer(sock, ret) || ret)
		_exit(1);
	while (recv(sock, &c, 1, 0) == 1) {
		if (!answer(sock, kfdq_queue_recreate(first)))
			_exit(1);
	}
	_exit(0);
}

/* ---- the test's side ---- */

static int wait_answer(const struct crowd *c)
{
	ssize_t n;
	int ret;

	do {
		n = recv(c->sock, &ret, sizeof(ret), 0);
	} while (n < 0 && errno == EINTR);
	return n == sizeof(ret) ? ret : -EPIPE;
}

static void open_save_areas(void)
{
	if (save_fd >= 0)
		return;
	save_fd = memfd_create("save-areas", MFD_CLOEXEC);
	if (save_fd < 0 || ftruncate(save_fd, SAVE_BYTES))
		tap_bail("no memory for save areas: error %d", -errno);
}

void crowd_start(struct crowd *c, uid_t uid, unsigned int queues)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int ret;

	open_save_areas();
	c->pid = child_fork(&c->sock);
	if (c->pid < 0)
		tap_bail("fork: error %d", c->pid);
	if (!c->pid)
		be_crowd(c->sock, uid, queues);
	if (setsockopt(c->sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		tap_bail("SO_RCVTIMEO: error %d", -errno);
	save_at += queues * SAVE_STEP;
	ret = wait_answer(c);
	if (ret)
		tap_bail("no %u queues: error %d", queues, ret);
}

int crowd_recreate(struct crowd *c)
{
	if (send(c->sock, "", 1, MSG_NOSIGNAL) != 1)
		return -errno;
	return wait_answer(c);
}

void crowd_stop(struct crowd *c)
{
	/* Those that were started later have the socket open, too. */
	shutdown(c->sock, SHUT_RDWR);
	close(c->sock);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
