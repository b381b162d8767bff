// SPDX-License-Identifier: MIT
/*
 * Programs of test-fuzz run: each thread makes its calls of the program, in their order; the
 * clients are opened before the first call and closed after the last. The kernel says which of its
 * code each thread has reached (kcov), if it was made to.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kcov.h>

#include "fuzz.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define KCOV		"/sys/kernel/debug/kcov"
#define COVER		(1 << 16)	/* places of a thread, in a program */
#define SEEN		(1 << 18)	/* of all */
#define PAGE		4096
#define ROOM		(64 * PAGE)
#define CHILDREN	8
#define KERNEL_ADDRESS	0xffff888000000000ULL
#define PROGRAM_S	120		/* whatever the firmware does, it is over by then */

/**
 * struct thread - one that makes calls
 * @thread: it
 * @index: its number
 * @cover: what it has reached, or NULL
 * @room: memory for arguments and arrays, before a page that is not there
 */
static struct thread {
	pthread_t thread;
	uint8_t index;
	uint64_t *cover;
	uint8_t *room;
} threads[FUZZ_THREADS];

struct fuzz_counts fuzz_counts;

static pthread_barrier_t begins, ends;
static const struct fuzz_program *program;
static _Atomic int clients[FUZZ_CLIENTS];
static _Atomic uint64_t *calls;	/* those of children, too */
static uint8_t *shared, *read_only;
static uint32_t seen[SEEN];
static pid_t children[CHILDREN];
static _Atomic unsigned int nr_children;
static bool in_child;

/* ---- arguments ----------------------------------------------------------- */

/* Arrays are behind the argument. */
static uint64_t address_of(const struct thread *t, uint64_t which)
{
	switch (which % FUZZ_BUFFERS) {
	case FUZZ_EDGE:
		return (uintptr_t)t->room + ROOM - sizeof(struct kfd_xsched_entry);
	case FUZZ_SHARED:
		return (uintptr_t)shared;
	case FUZZ_ODD:
		return (uintptr_t)t->room + PAGE + 1;
	case FUZZ_READ_ONLY:
		return (uintptr_t)read_only;
	case FUZZ_NOWHERE:
		return (uintptr_t)t->room + ROOM;
	case FUZZ_KERNEL:
		return KERNEL_ADDRESS;
	default:
		return (uintptr_t)t->room + PAGE;
	}
}

static uint64_t resolve(const struct thread *t, const struct fuzz_value *v)
{
	switch (v->how) {
	case FUZZ_QUEUE:
		return fuzz_world_queue(v->n);
	case FUZZ_PID:
		return fuzz_world_pid(v->n);
	case FUZZ_PROCESS:
		return fuzz_world_process(v->n);
	case FUZZ_BUFFER:
		return address_of(t, v->n);
	default:
		return v->n;
	}
}

/* Little-endian, as all that amdgpu runs on. */
static void fill(const struct thread *t, void *to, const struct fuzz_field *fields, size_t count,
		 const struct fuzz_value *values)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const uint64_t n = resolve(t, &values[i]);

		memcpy((uint8_t *)to + fields[i].offset, &n, fields[i].size);
	}
}

/* What another thread may write at the same time is written as it comes. */
static void fill_entries(const struct thread *t, const struct fuzz_call *call, uint64_t address)
{
	struct kfd_xsched_entry entry;
	size_t i, room = ROOM - PAGE;
	uint8_t *to = (uint8_t *)(uintptr_t)address;

	if (address == address_of(t, FUZZ_EDGE))
		room = sizeof(entry);
	else if (address != address_of(t, FUZZ_ROOM) && address != address_of(t, FUZZ_SHARED) &&
		 address != address_of(t, FUZZ_ODD))
		return;
	for (i = 0; i < call->entries && (i + 1) * sizeof(entry) <= room; i++) {
		memset(&entry, 0, sizeof(entry));
		fill(t, &entry, fuzz_entry_fields, FUZZ_ENTRY_FIELDS, call->entry[i]);
		memcpy(to + i * sizeof(entry), &entry, sizeof(entry));
	}
}

static uint64_t entries_of(const struct thread *t, const struct fuzz_call *call)
{
	const struct fuzz_kind *kind = &fuzz_kinds[call->kind];
	size_t i;

	for (i = 0; i < kind->count; i++)
		if (!strcmp(kind->fields[i].name, "entries"))
			return resolve(t, &call->fields[i]);
	return 0;
}

/* ---- calls --------------------------------------------------------------- */

static int as_result(long ret)
{
	return ret < 0 ? -errno : 0;
}

/* Every second client is a user's, who also makes the calls on it. */
static bool is_of_alice(uint8_t client)
{
	return client & 1;
}

/* Of this thread alone: the C library would change all. */
static void become(uid_t uid)
{
	if (syscall(SYS_setresuid, -1, uid, -1))
		_exit(1);
}

static int open_as(uid_t uid)
{
	int fd;

	if (uid)
		become(uid);
	fd = open(XSDEV_PATH, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (uid)
		become(0);
	return fd;
}

static int close_client(uint8_t index)
{
	const int fd = atomic_exchange(&clients[index], -1);

	return fd < 0 ? -EBADF : as_result(close(fd));
}

static int open_client(uint8_t index, uint64_t n)
{
	int fd = open_as(is_of_alice(index) != (n == 5) ? FUZZ_ALICE : 0), ret = fd < 0 ? -errno : 0;

	if (ret)
		return ret;
	fd = atomic_exchange(&clients[index], fd);
	if (fd >= 0)
		close(fd);
	return 0;
}

static int read_events(const struct thread *t, int fd, uint64_t n)
{
	return as_result(read(fd, (void *)(uintptr_t)address_of(t, FUZZ_ROOM),
			      n < ROOM - PAGE ? n : ROOM - PAGE));
}

static int poll_client(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return as_result(poll(&p, 1, 1));
}

static int eject(int fd)
{
	struct kfd_xsched_renew renew = { .size = sizeof(renew) };
	int ret = xsdev_ioctl(fd, KFD_XSCHED_RENEW, &renew);
	char number[24];

	if (ret)
		return ret;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)renew.client);
	return sysfile_write(number, SYSFILE_GLOBAL "eject");
}

static void run_calls(const struct thread *t, size_t from, size_t count, bool all);

/* Does not return: it is killed. */
static void be_child(const struct thread *t, size_t from, uint64_t n)
{
	in_child = true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run_calls(t, from, n % FUZZ_CALLS + 1, true);
	for (;;)
		pause();
}

static int fork_child(const struct thread *t, size_t from, uint64_t n)
{
	const unsigned int place = in_child ? CHILDREN : atomic_fetch_add(&nr_children, 1);
	pid_t pid;

	if (place >= CHILDREN)
		return -EAGAIN;
	pid = fork();
	if (!pid)
		be_child(t, from, n);
	children[place] = pid;
	return pid < 0 ? -errno : 0;
}

/* Of those that were forked, the newest; or a process that has queues. */
static int kill_one(uint64_t n)
{
	const unsigned int count = nr_children < CHILDREN ? nr_children : CHILDREN;

	if (in_child || n & 1 || !count)
		return fuzz_gpu_kill(n / 2);
	return children[count - 1] > 0 ? as_result(kill(children[count - 1], SIGKILL)) : -ESRCH;
}

static int make_other(const struct thread *t, const struct fuzz_call *call, size_t at, int fd)
{
	const uint64_t n = resolve(t, &call->fields[0]);

	switch (call->kind) {
	case FUZZ_OPEN:
		return open_client(call->client, n);
	case FUZZ_CLOSE:
		return close_client(call->client);
	case FUZZ_READ:
		return read_events(t, fd, n);
	case FUZZ_POLL:
		return poll_client(fd);
	case FUZZ_FORK:
		return fork_child(t, at + 1, n);
	case FUZZ_KILL:
		return kill_one(n);
	case FUZZ_WORK:
		return in_child ? 0 : fuzz_gpu_work(n);
	case FUZZ_EJECT:
		return eject(fd);
	default:
		return as_result(ioctl(fd, (unsigned long)n, t->room));
	}
}

static int make_ioctl(const struct thread *t, const struct fuzz_call *call, int fd)
{
	const struct fuzz_kind *kind = &fuzz_kinds[call->kind];
	int ret;

	memset(t->room, 0, PAGE);
	fill(t, t->room, kind->fields, kind->count, call->fields);
	if (kind->entries)
		fill_entries(t, call, entries_of(t, call));
	if (is_of_alice(call->client))
		become(FUZZ_ALICE);
	ret = as_result(ioctl(fd, kind->request, t->room));
	if (is_of_alice(call->client))
		become(0);
	return ret;
}

static void count(const struct fuzz_call *call, int ret)
{
	(*calls)++;
	if (!ret)
		__atomic_fetch_add(&fuzz_counts.succeeded[call->kind], 1, __ATOMIC_RELAXED);
	if (call->kind < FUZZ_OTHERS || fuzz_errno_is_known(-ret))
		return;
	fuzz_counts.unknown_errno = -ret;
	fuzz_counts.unknown_kind = call->kind;
	__atomic_fetch_add(&fuzz_counts.unknown, 1, __ATOMIC_RELAXED);
}

static void run_calls(const struct thread *t, size_t from, size_t most, bool all)
{
	size_t i, done = 0;

	for (i = from; i < program->count && done < most; i++) {
		const struct fuzz_call *call = &program->calls[i];
		const int fd = clients[call->client];

		if (!all && call->thread != t->index)
			continue;
		count(call, call->kind < FUZZ_OTHERS ? make_other(t, call, i, fd) :
		      make_ioctl(t, call, fd));
		done++;
	}
}

/* ---- threads ------------------------------------------------------------- */

/* Each has its own. */
static uint64_t *open_cover(void)
{
	const int fd = open(KCOV, O_RDWR | O_CLOEXEC);
	uint64_t *cover;

	if (fd < 0)
		return NULL;
	if (ioctl(fd, KCOV_INIT_TRACE, COVER))
		tap_bail(KCOV ": error %d", -errno);
	cover = mmap(NULL, COVER * sizeof(*cover), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (cover == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		tap_bail(KCOV " cannot be used: error %d", -errno);
	return cover;
}

static void *serve(void *argument)
{
	struct thread *t = argument;

	t->cover = open_cover();
	pthread_barrier_wait(&ends);
	for (;;) {
		pthread_barrier_wait(&begins);
		if (t->cover)
			__atomic_store_n(&t->cover[0], 0, __ATOMIC_RELAXED);
		run_calls(t, 0, FUZZ_CALLS, false);
		pthread_barrier_wait(&ends);
	}
	return NULL;
}

/* With a page behind it that is not there. */
static uint8_t *make_room(size_t size, int protection)
{
	uint8_t *at = mmap(NULL, size + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at, size, protection))
		tap_bail("no memory");
	return at;
}

static void too_long(int signal)
{
	static const char text[] = "not ok - each program ends; fuzz-program has the last\n";

	(void)signal;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

bool fuzz_run_begin(void)
{
	uint8_t i;

	calls = mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (calls == MAP_FAILED)
		tap_bail("no memory");
	shared = make_room(ROOM, PROT_READ | PROT_WRITE);
	read_only = make_room(PAGE, PROT_READ);
	signal(SIGALRM, too_long);
	pthread_barrier_init(&begins, NULL, FUZZ_THREADS + 1);
	pthread_barrier_init(&ends, NULL, FUZZ_THREADS + 1);
	for (i = 0; i < FUZZ_THREADS; i++) {
		threads[i].index = i;
		threads[i].room = make_room(ROOM, PROT_READ | PROT_WRITE);
		if (pthread_create(&threads[i].thread, NULL, serve, &threads[i]))
			tap_bail("no thread");
	}
	pthread_barrier_wait(&ends);
	return threads[0].cover;
}

/* ---- a program ----------------------------------------------------------- */

/* Whether it is new. A table that is full takes no more. */
static bool note_place(uint32_t place)
{
	uint32_t at = place * 2654435761u % SEEN, tries;

	for (tries = 0; tries < 64; tries++, at = (at + 1) % SEEN) {
		if (seen[at] == place)
			return false;
		if (seen[at])
			continue;
		seen[at] = place;
		return true;
	}
	return false;
}

static uint32_t note_places(const struct thread *t)
{
	uint64_t i, n = t->cover ? __atomic_load_n(&t->cover[0], __ATOMIC_RELAXED) : 0;
	uint32_t fresh = 0;

	for (i = 1; i <= n && i < COVER; i++)
		fresh += note_place((uint32_t)t->cover[i]);
	return fresh;
}

static void end_children(void)
{
	const unsigned int count = nr_children < CHILDREN ? nr_children : CHILDREN;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (children[i] <= 0)
			continue;
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	memset(children, 0, sizeof(children));
	nr_children = 0;
}

uint32_t fuzz_run(const struct fuzz_program *p)
{
	uint32_t fresh = 0;
	uint8_t i;

	program = p;
	for (i = 0; i < FUZZ_CLIENTS; i++)
		clients[i] = open_as(is_of_alice(i) ? FUZZ_ALICE : 0);
	alarm(PROGRAM_S);
	pthread_barrier_wait(&begins);
	pthread_barrier_wait(&ends);
	for (i = 0; i < FUZZ_CLIENTS; i++)
		close_client(i);
	end_children();
	alarm(0);
	for (i = 0; i < FUZZ_THREADS; i++)
		fresh += note_places(&threads[i]);
	fuzz_counts.calls = *calls;
	fuzz_counts.pcs += fresh;
	return fresh;
}
