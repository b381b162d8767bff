// SPDX-License-Identifier: MIT
/*
 * The system is suspended as far as programs see it: all are frozen, for longer than
 * a lease. Nobody could give a sign of life, so nobody is ejected for that.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "must.h"
#include "pmsleep.h"
#include "lease.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"

#define LEASE_MS	2000	/* a busy machine may take as long from one step to the next */
#define FROZEN_S	5
#define TIMEOUT_MS	20000
#define MS		1000000ULL

static const struct spin_shape brief = { 1, 64, 50000 };
static const struct spin_shape half = { 4, 64, 500 * MS };

static int renew(int fd)
{
	struct kfd_xsched_renew arg = { .size = sizeof(arg) };

	return xsdev_ioctl(fd, KFD_XSCHED_RENEW, &arg);
}

/* Freeze, wait, thaw: until a second is full. How long it took, milliseconds, or -errno. */
static long freeze(void)
{
	const uint64_t begin = xsdev_now();
	const int ret = pmsleep("freezer", FROZEN_S);

	return ret ? ret : (long)((xsdev_now() - begin) / MS);
}

static void test_held(int fd, struct worker *w)
{
	const long ejected = sysfile_number(SYSFILE_GLOBAL "statistics/ejected_watchdog");
	int tries = 0;
	long ms;

	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, NULL), 0,
	       "a client holds a process");
	worker_submit(w, 0, &brief, 1);
	/* on a busy host a second may be over before all are frozen */
	do {
		renew(fd);
		ms = freeze();
	} while (ms >= 0 && ms <= 2 * LEASE_MS && ++tries < 10);
	tap_ok(ms > 2 * LEASE_MS, "all are frozen, for more than a lease");
	tap_note("%ld ms", ms);
	tap_is(renew(fd), 0, "the client is not ejected");
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 1, "and holds it");
	tap_is(worker_wait(w, 0, LEASE_MS / 2), -ETIME, "the process waits");
	tap_is(worker_wait(w, 0, TIMEOUT_MS), 0, "until the client is silent without a reason");
	tap_is(renew(fd), -EOWNERDEAD, "then it is ejected");
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/ejected_watchdog"), ejected + 1,
	       "once");
}

/* Armed switches are there afterwards, and taps; nothing else need be said. */
static void test_armed(int fd, struct worker *low)
{
	struct kfd_xsched_event e;
	struct worker high;
	int id;

	must_start(&high, 1, NULL);
	xsdev_subscribe(fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED), 0, 0);
	id = xsarm_suspend(fd, high.pid, low->pid);
	tap_ok(id > 0 && freeze() > 0, "frozen with a switch armed");
	worker_submit(&high, 0, &half, 2);
	tap_is(xsarm_wait(fd, id, true, TIMEOUT_MS, &e), 0, "it runs");
	worker_wait(&high, 0, TIMEOUT_MS);
	tap_is(xsarm_wait(fd, id, false, TIMEOUT_MS, &e), 0, "and is undone");
	worker_stop(&high);
}

int main(void)
{
	struct worker w;
	int fd;

	if (access("/sys/power/pm_test", W_OK)) {
		tap_skip("this kernel cannot only pretend to sleep", "suspend");
		return tap_done();
	}
	must_start(&w, 1, NULL);
	if (lease_set(LEASE_MS))
		tap_bail("watchdog_ms cannot be written");
	fd = xsdev_open();
	test_held(fd, &w);
	close(fd);
	fd = xsdev_open();
	test_armed(fd, &w);
	close(fd);
	tap_is(worker_stop(&w), 0, "the process exits");
	return tap_done();
}
