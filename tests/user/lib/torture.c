// SPDX-License-Identifier: MIT
/* What all parts of test-torture have in common. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "random.h"
#include "tap.h"
#include "torture.h"

#define KEPT		16	/* of what was done last */
#define STUCK_MS	240000	/* nothing that is done takes that long */
#define LOOK_MS		10000
#define AT_A_TIME	64	/* events */

/**
 * struct record - something that was done
 * @ms: when, since the run began
 * @over: it has returned
 * @ret: what
 * @text: what was done
 */
struct record {
	uint64_t ms;
	bool over;
	int ret;
	char text[80];
};

struct torture torture;

static uint32_t state;
static struct record records[KEPT];
static uint64_t recorded;

/* ---- the generator ------------------------------------------------------- */

void torture_begin_epoch(uint32_t epoch)
{
	uint32_t mix = torture.seed ^ epoch * 2654435761u;

	mix = (mix ^ mix >> 16) * 0x85ebca6bu;
	mix = (mix ^ mix >> 13) * 0xc2b2ae35u;
	state = mix ^ mix >> 16;
	torture.epoch = epoch;
	torture.faulty = false;
	torture.fault = NULL;
	torture.harm = TORTURE_NO_HARM;
	torture.short_lease = false;
	torture.over = false;
}

uint32_t torture_below(uint32_t n)
{
	return random_below(&state, n);
}

/* ---- what was done ------------------------------------------------------- */

static uint64_t run_ms(void)
{
	return (xsdev_now() - torture.began_ns) / TORTURE_MS;
}

void torture_did(const char *format, ...)
{
	struct record *r = &records[recorded % KEPT];
	va_list ap;

	r->ms = run_ms();
	r->over = false;
	va_start(ap, format);
	vsnprintf(r->text, sizeof(r->text), format, ap);
	va_end(ap);
	__atomic_store_n(&recorded, recorded + 1, __ATOMIC_RELEASE);
}

void torture_got(int ret)
{
	struct record *r = &records[(recorded - 1) % KEPT];

	r->ret = ret;
	r->over = true;
	torture.succeeded |= ret >= 0;
}

const char *torture_last(void)
{
	return records[(recorded - 1) % KEPT].text;
}

static void show(const struct record *r)
{
	if (r->over)
		tap_note("  %llu ms: %s: %d", (unsigned long long)r->ms, r->text, r->ret);
	else
		tap_note("  %llu ms: %s", (unsigned long long)r->ms, r->text);
}

static void show_all(void)
{
	uint64_t i = recorded > KEPT ? recorded - KEPT : 0;

	for (; i < recorded; i++)
		show(&records[i % KEPT]);
}

/* ---- what must not be ---------------------------------------------------- */

void torture_violation(enum torture_claim claim, const char *format, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	torture.broken[claim]++;
	torture.violations++;
	tap_note("epoch %u of seed %u, fault: %s, after %llu ms: %s", torture.epoch, torture.seed,
		 torture.fault ? torture.fault : "none", (unsigned long long)run_ms(), text);
	/* What follows in the same epoch may follow from that. */
	if (!torture.over)
		show_all();
	torture.over = true;
}

bool torture_may(int ret, bool documented)
{
	if (ret >= 0 || documented)
		return true;
	return torture.harm == TORTURE_WORK_IS_LOST &&
		(ret == -ETIME || ret == -EIO || ret == -ESHUTDOWN || ret == -EBUSY);
}

/* ---- events -------------------------------------------------------------- */

int torture_hear(int fd, void (*hear)(void *argument, const struct kfd_xsched_event *e),
		 void *argument)
{
	struct kfd_xsched_event events[AT_A_TIME];
	unsigned int i, n;
	ssize_t bytes;

	do {
		bytes = read(fd, events, sizeof(events));
		n = bytes < 0 ? 0 : (unsigned int)((size_t)bytes / sizeof(events[0]));
		for (i = 0; i < n; i++)
			hear(argument, &events[i]);
	} while (n == AT_A_TIME);
	return bytes < 0 && errno != EAGAIN ? -errno : 0;
}

/* ---- nothing waits for ever ---------------------------------------------- */

/* A thread: the other may be where no signal reaches it. */
static void *watch(void *unused)
{
	uint64_t seen = 0, now;
	unsigned int ms = 0;

	for (;;) {
		xsdev_sleep_ms(LOOK_MS);
		now = __atomic_load_n(&recorded, __ATOMIC_ACQUIRE);
		ms = now == seen ? ms + LOOK_MS : 0;
		seen = now;
		if (ms < STUCK_MS)
			continue;
		tap_note("epoch %u of seed %u: the last of these takes for ever", torture.epoch,
			 torture.seed);
		show_all();
		tap_bail("nothing has been done for %u s", ms / 1000);
	}
	return unused;
}

void torture_watch(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, watch, NULL))
		tap_bail("no thread");
}
