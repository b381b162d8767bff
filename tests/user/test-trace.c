// SPDX-License-Identifier: MIT
/*
 * Tracepoints, as trace-cmd and perf use them: enabled through tracefs, read as
 * text. Each decision is there, with ids that say which; no line has a pointer.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS	1000000ULL
#define EVENTS	SYSFILE_TRACE "events/kfd_xsched/"

static char text[1 << 20];

static const char *trace(void)
{
	if (sysfile_read(text, sizeof(text), SYSFILE_TRACE "trace") < 0)
		tap_bail("the trace cannot be read");
	return text;
}

static void clear(void)
{
	int fd = open(SYSFILE_TRACE "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		tap_bail("the trace cannot be cleared: %d", -errno);
	close(fd);
}

/* Whether so many lines have that text. */
__attribute__((format(printf, 3, 4)))
static void expect(unsigned int times, const char *what, const char *format, ...)
{
	char wanted[160];
	va_list ap;
	unsigned int n;

	va_start(ap, format);
	vsnprintf(wanted, sizeof(wanted), format, ap);
	va_end(ap);
	n = sysfile_count(trace(), wanted);
	if (!tap_ok(n == times, "%s", what))
		tap_note("%u times \"%s\", in:\n%s", n, wanted, text);
}

/* The place of a line: earlier is smaller. */
static const char *place(const char *word)
{
	const char *at = strstr(text, word);

	return at ? at : text + sizeof(text);
}

/* No event has a field that is a pointer. */
static void test_formats(void)
{
	DIR *events = opendir(EVENTS);
	unsigned int count = 0, bad = 0;
	struct dirent *entry;

	while (events && (entry = readdir(events))) {
		if (sysfile_read(text, sizeof(text), EVENTS "%s/format", entry->d_name) <= 0)
			continue;
		count++;
		if (strstr(text, "*") || strstr(text, "%p"))
			bad++;
	}
	if (events)
		closedir(events);
	tap_note("%u events", count);
	tap_ok(count >= 20, "every decision and phase has an event");
	tap_is(bad, 0, "none has a pointer");
}

static void test_hold(struct worker *w, const struct kfd_xsched_queue *q)
{
	int fd = xsdev_open();
	struct kfd_xsched_renew who = { .size = sizeof(who) };
	unsigned long long client;

	xsdev_ioctl(fd, KFD_XSCHED_RENEW, &who);
	client = who.client;
	expect(1, "client_open", "client_open: client=%llu pid=%d comm=test-trace", client,
	       getpid());
	expect(1, "client_renew", "client_renew: client=%llu ", client);
	xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, NULL);
	expect(1, "hold: client, queue and process", "hold: node%u client=%llu queue=%llu pid=%d queue_id=%u\n",
	       q->gpu_id, client, (unsigned long long)q->id, w->pid, q->queue_id);
	expect(1, "queue_off", "queue_off: node%u queue=%llu ", q->gpu_id,
	       (unsigned long long)q->id);
	expect(1, "switch_begin", "switch_begin: node%u changes=1 ", q->gpu_id);
	expect(1, "switch_end", "switch_end: node%u status=0 flips=1 fw_transactions=1 ",
	       q->gpu_id);
	expect(1, "apply", "apply: client=%llu entries=1 nodes=1 status=0 ", client);
	trace();
	tap_ok(place("switch_begin:") < place("queue_off:") &&
	       place("queue_off:") < place(" hold:") &&
	       place(" hold:") < place("switch_end:") &&
	       place("switch_end:") < place(" apply:"), "in the order of what happened");
	tap_ok(strstr(text, "unmap_ns=") && !strstr(text, " unmap_ns=0 "),
	       "the unmap took some time");
	close(fd);
	expect(1, "closed: release", "release: node%u client=%llu queue=%llu ", q->gpu_id, client,
	       (unsigned long long)q->id);
	expect(1, "closed: queue_on", "queue_on: node%u queue=%llu ", q->gpu_id,
	       (unsigned long long)q->id);
	expect(1, "client_close", "client_close: client=%llu ", client);
}

static void test_activity(struct worker *w, const struct kfd_xsched_queue *q)
{
	static const struct spin_shape shape = { 64, 256, 50 * MS };
	const uint32_t events = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |
		KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE);
	struct kfd_xsched_event event;
	int fd = xsdev_open();

	xsdev_subscribe(fd, events, 1000, 1000);
	/* Where waves cannot be counted, only what follows the dispatch that runs is seen. */
	worker_submit(w, 0, &shape, 1 + !xsdev_can(fd, KFD_XSCHED_CAP_WAVES));
	xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w->pid, 10000, &event);
	worker_wait(w, 0, 10000);
	xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w->pid, 10000, &event);
	expect(1, "queue_ready", "queue_ready: node%u queue=%llu ", q->gpu_id,
	       (unsigned long long)q->id);
	expect(1, "queue_idle", "queue_idle: node%u queue=%llu ", q->gpu_id,
	       (unsigned long long)q->id);
	close(fd);
}

static void test_eject(struct worker *w)
{
	int fd = xsdev_open();
	char who[32];

	xsdev_process_op(fd, KFD_XSCHED_OP_SET_PRIORITY, w->pid, 3, NULL);
	expect(1, "set_priority", " set_priority: ");
	expect(1, "queue_priority", " queue_priority: ");
	snprintf(who, sizeof(who), "pid %d", (int)getpid());
	sysfile_write(who, SYSFILE_GLOBAL "eject");
	expect(1, "client_eject", "client_eject: client=");
	expect(1, "with its reason", " reason=admin silent_ns=");
	sysfile_write("0", SYSFILE_GLOBAL "enabled");
	sysfile_write("1", SYSFILE_GLOBAL "enabled");
	expect(1, "set_enabled", "set_enabled: enabled=0\n");
	close(fd);
}

static void test_queues(struct worker *w)
{
	worker_recreate(w, 0);
	expect(1, "queue_del", " queue_del: node");
	expect(1, "queue_add", " queue_add: node");
}

static struct kfd_xsched_queue find_queue(struct worker *w)
{
	const int fd = must_open();
	const struct kfd_xsched_queue q = must_list(w, 0, fd);

	close(fd);
	return q;
}

int main(void)
{
	struct kfd_xsched_queue q;
	struct worker w;
	int ret;

	must_start(&w, 1, NULL);
	q = find_queue(&w);
	test_formats();
	ret = sysfile_write("1", EVENTS "enable");
	if (!tap_is(ret, 0, "all events can be enabled"))
		return tap_done();
	clear();
	test_hold(&w, &q);
	clear();
	test_activity(&w, &q);
	clear();
	test_eject(&w);
	clear();
	test_queues(&w);
	tap_is(sysfile_write("0", EVENTS "enable"), 0, "and disabled");
	clear();
	worker_stop(&w);
	return tap_done();
}
