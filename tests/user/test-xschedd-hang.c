// SPDX-License-Identifier: MIT
/*
 * xschedd on several GPUs, the last of which does not answer when a process there is to be held.
 * Meanwhile, on the first, a process is held and released as ever for work of a higher priority.
 * After the reset of the GPU the daemon goes on, as the client it was.
 *
 *   test-xschedd-hang GPUS [XSCHEDD]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "gpufault.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define LATE_MS		20000	/* for whatever must happen */
#define HANG_MS		800	/* instead of amdkfd's nine seconds */
#define BOUND_MS	100	/* as in test-neighbours */
#define TIMES		5

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape brief = { 1, 64, 10 * MS };

/** struct side - a GPU, and who shares it */
struct side {
	unsigned int gpu;
	struct worker lo, hi;
};

static bool start(struct daemon *d, struct side *s, unsigned int gpu)
{
	char request[80];

	s->gpu = gpu;
	if (worker_start_on(&s->lo, 1, gpu) || worker_start_on(&s->hi, 1, gpu) ||
	    worker_begin(&s->lo, 0, &endless))
		return false;
	snprintf(request, sizeof(request), "{\"cmd\":\"priority\",\"pid\":%d,\"priority\":10}\n",
		 (int)s->hi.pid);
	return strstr(daemon_ask(d, request), "true");
}

/* Since then, until the low one is held, or is not any more, milliseconds. */
static unsigned int hold_ms(int fd, const struct side *s, bool held, uint64_t since)
{
	if (!daemon_holds_within(fd, s->lo.pid, held, LATE_MS))
		return LATE_MS;
	return (unsigned int)((xsdev_now() - since) / MS);
}

/* The longest time of some. */
static unsigned int longest(int fd, struct side *s)
{
	unsigned int most = 0, ms, i;
	uint64_t since;

	for (i = 0; i < TIMES; i++) {
		since = xsdev_now();
		worker_submit(&s->hi, 0, &brief, 1);
		ms = hold_ms(fd, s, true, since);
		most = ms > most ? ms : most;
		worker_wait(&s->hi, 0, LATE_MS);
		since = xsdev_now();
		ms = hold_ms(fd, s, false, since);
		most = ms > most ? ms : most;
	}
	return most;
}

static void test_hang(int fd, struct side *good, struct side *bad)
{
	const long before = gpufault_look("fired", NULL);
	uint64_t since = xsdev_now();
	unsigned int most;

	tap_is(gpufault("%u.0 preempt_hang", bad->gpu), 0, "the last GPU will not answer");
	worker_submit(&bad->hi, 0, &endless, 1);
	while (gpufault_look("fired", NULL) == before && xsdev_now() - since < LATE_MS * MS)
		xsdev_sleep_ms(1);
	tap_ok(gpufault_look("fired", NULL) != before, "as its low one is to be held");
	since = xsdev_now();
	most = longest(fd, good);
	if (!tap_ok(xsdev_now() - since < HANG_MS * MS, "all of what follows is while it hangs"))
		tap_note("%llu ms", (unsigned long long)((xsdev_now() - since) / MS));
	if (!tap_ok(most < BOUND_MS, "on the first GPU low is held and released as ever"))
		tap_note("%u ms", most);
	tap_note("at most %u ms", most);
}

int main(int argc, char **argv)
{
	const unsigned int gpus = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 0;
	struct daemon d = { .program = argc > 2 ? argv[2] : "/bin/xschedd", .name = "hang" };
	int fd = gpufault_open();
	struct side good, bad;
	unsigned int most;

	if (gpus < 2 || fd < 0)
		tap_bail("usage: test-xschedd-hang GPUS, from 2 on");
	gpufault_timeout(HANG_MS);
	daemon_configure(&d, "");
	daemon_start(&d);
	if (!start(&d, &good, 0) || !start(&d, &bad, gpus - 1))
		tap_bail("no workers");
	most = longest(fd, &good);
	tap_ok(most < BOUND_MS, "low is held and released on the first GPU");
	test_hang(fd, &good, &bad);
	tap_is(gpufault_wait_reset(fd), 0, "the last GPU is reset");
	most = longest(fd, &good);
	tap_ok(most < BOUND_MS, "then low is held and released on the first as before");
	tap_is(daemon_count(&d, "ejections"), 0, "the daemon was not ejected");
	tap_is(daemon_stop(&d), 0, "it ends in order");
	worker_kill(&good.hi);
	worker_kill(&good.lo);
	worker_kill(&bad.hi);
	worker_kill(&bad.lo);
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "nothing is held");
	return tap_done();
}
