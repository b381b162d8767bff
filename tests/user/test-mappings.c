// SPDX-License-Identifier: MIT
/*
 * A process that maps its doorbells very often: to take all of that away would keep the
 * sampler, and all others, waiting at each ring. It is sampled instead, and others do not
 * notice.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

/*
 * A quarter of what vm.max_map_count allows. With each one more, Linux 7 for x86 looks at all there are of the same page
 * (memtype_check_insert()): sixteen times as much for all of them.
 */
#define MAPPINGS	16000
/* A runtime and another one, both split. */
#define FEW		3
#define CALLS		400
#define SLOW_NS		(10 * 1000000ULL)
#define RING_US		15000
#define SAMPLE_US	1000
#define SETTLED_MS	20000
#define BIT(type)	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##type)

static const struct spin_shape brief = { 1, 64, 50000 };
static struct app app;
static int fd;

static void *map(long offset)
{
	return mmap(NULL, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED, app.dev->kfd, offset);
}

static int map_more(unsigned int count)
{
	const long offset = app_doorbell_offset(&app);
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (map(offset) == MAP_FAILED)
			return -errno;
	}
	return 0;
}

/* That many processes are sampled, and tapped, soon. */
static bool becomes(long sampled, long tapped)
{
	unsigned int ms;

	for (ms = 0; ms < SETTLED_MS; ms += 10) {
		if (sysfile_number(SYSFILE_GLOBAL "statistics/sampled") == sampled &&
		    sysfile_number(SYSFILE_GLOBAL "statistics/tapped") == tapped)
			return true;
		xsdev_sleep_ms(10);
	}
	return false;
}

/* Which part of its time, in percent, another client waits for long as it subscribes and lists. */
static void be_other_client(void)
{
	uint64_t begin, longest = 0, waited = 0, start = xsdev_now();
	unsigned int i, slow = 0;
	int other = xsdev_open();

	for (i = 0; i < CALLS; i++) {
		begin = xsdev_now();
		if (xsdev_subscribe(other, BIT(IDLE), SAMPLE_US, 0) || xsdev_list(other, NULL, 0) < 0)
			_exit(255);
		begin = xsdev_now() - begin;
		longest = begin > longest ? begin : longest;
		slow += begin > SLOW_NS;
		waited += begin > SLOW_NS ? begin : 0;
		usleep(1000);
	}
	tap_note("%u of %u times took long, the longest %llu us", slow, CALLS,
		 (unsigned long long)longest / 1000);
	fflush(stdout);
	_exit((int)(waited * 100 / (xsdev_now() - start)));
}

/* Ring for nothing, again and again, while another client lists. */
static int waiting_of_another(void)
{
	volatile char *doorbells = (volatile char *)app.dev->doorbells;
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child)
		be_other_client();
	while (!waitpid(child, &status, WNOHANG)) {
		*(volatile uint64_t *)(doorbells + APP_SPARE) = 0;
		usleep(RING_US);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	struct kfd_xsched_event e;
	int waiting;
	long rings;

	fd = must_open();
	if (!xsdev_can(fd, KFD_XSCHED_CAP_TAP)) {
		tap_skip("no tap", "many mappings");
		return tap_done();
	}
	app_open(&app, 16);
	tap_is(xsdev_subscribe(fd, BIT(READY), SAMPLE_US, 0), 0, "somebody asks");
	tap_ok(becomes(0, 1), "the process is tapped");
	tap_is(map_more(FEW), 0, "it maps its doorbells three times more");
	tap_ok(becomes(0, 1), "and is tapped");
	tap_is(map_more(1), 0, "it maps them once more");
	tap_ok(becomes(1, 0), "and is sampled");
	xsdev_subscribe(fd, 0, 0, 0);
	tap_is(map_more(MAPPINGS), 0, "it maps them %u times", MAPPINGS);
	xsdev_subscribe(fd, BIT(READY), SAMPLE_US, 0);
	tap_ok(becomes(1, 0), "it is sampled");
	rings = sysfile_number(SYSFILE_GLOBAL "statistics/rings");
	waiting = waiting_of_another();
	tap_ok(waiting >= 0 && waiting < 50, "while it rings, another client seldom waits");
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/rings"), rings, "no ring is a fault");
	tap_ok(becomes(1, 0), "it is sampled");
	app_submit(&app, 0, &brief);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, getpid(), SETTLED_MS, &e), 0,
	       "its work is seen all the same");
	app_wait(&app, 0, SETTLED_MS);
	xsdev_subscribe(fd, 0, 0, 0);
	app_close(&app);
	return tap_done();
}
