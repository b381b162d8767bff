// SPDX-License-Identifier: MIT
/* Who has work, in memory that all of them see. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "peers/turns.h"

#define PLACES	32

/**
 * struct turns_page - the file
 * @changes: counts all that is said; a futex
 * @taken: places in use, from the first
 * @places: of each process its priority, and whether it has work
 */
struct turns_page {
	uint32_t changes;
	uint32_t taken;
	struct {
		int32_t priority;
		uint32_t ready;
	} places[PLACES];
};

static long futex(uint32_t *word, int op, uint32_t value)
{
	return syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

int turns_join(struct turns *t, const char *path, int priority)
{
	struct turns_page *page;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), ret = 0;

	if (fd < 0)
		return -errno;
	/* also if it has that length already */
	if (ftruncate(fd, sizeof(*page)))
		ret = -errno;
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		ret = -errno;
	close(fd);
	if (ret)
		return ret;
	t->slot = __atomic_fetch_add(&page->taken, 1, __ATOMIC_SEQ_CST);
	if (t->slot >= PLACES) {
		munmap(page, sizeof(*page));
		return -ENOSPC;
	}
	page->places[t->slot].priority = priority;
	t->priority = priority;
	t->page = page;
	return 0;
}

void turns_say(const struct turns *t, bool ready)
{
	__atomic_store_n(&t->page->places[t->slot].ready, ready, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&t->page->changes, 1, __ATOMIC_SEQ_CST);
	futex(&t->page->changes, FUTEX_WAKE, INT_MAX);
}

bool turns_mine(const struct turns *t)
{
	uint32_t taken = __atomic_load_n(&t->page->taken, __ATOMIC_SEQ_CST), i;

	for (i = 0; i < taken && i < PLACES; i++) {
		if (__atomic_load_n(&t->page->places[i].ready, __ATOMIC_SEQ_CST) &&
		    t->page->places[i].priority > t->priority)
			return false;
	}
	return true;
}

uint32_t turns_seen(const struct turns *t)
{
	return __atomic_load_n(&t->page->changes, __ATOMIC_SEQ_CST);
}

int turns_wait(const struct turns *t, uint32_t seen)
{
	while (turns_seen(t) == seen) {
		if (futex(&t->page->changes, FUTEX_WAIT, seen) < 0 && errno == EINTR)
			return -EINTR;
	}
	return 0;
}

void turns_leave(struct turns *t)
{
	if (!t->page)
		return;
	turns_say(t, false);
	munmap(t->page, sizeof(*t->page));
	t->page = NULL;
}
