// SPDX-License-Identifier: MIT
/*
 * See locktime.h. The probes are events in an instance of the kernel's tracer that is of this
 * test alone. A filter leaves out all mutexes but one; the return probe has the argument that the
 * function was called with (Linux 6.9 and later).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "locktime.h"
#include "sysfile.h"
#include "tap.h"

#define GROUP		"locktime"
#define TAKEN		"xs_taken"
#define GIVEN		"xs_given"
#define INSTANCE	SYSFILE_TRACE "instances/" GROUP "/"
#define EVENTS		INSTANCE "events/" GROUP "/"
#define PROBES		SYSFILE_TRACE "kprobe_events"
#define PROFILE		SYSFILE_TRACE "kprobe_profile"
#define MARK		"locktime call "

#define BUFFER_KB	"32768"
/* Tasks in rt_mutex_lock() at a time, of any mutex. */
#define MAX_ACTIVE	"512"

/* What takes the processor from a task for a while: groups of events that come in pairs. */
static const char *const interrupts[] = {
	"irq/irq_handler", "irq/softirq", "irq_vectors/local_timer", "irq_vectors/irq_work",
};

#define INTERRUPTS	(sizeof(interrupts) / sizeof(interrupts[0]))

/**
 * struct line - a line of the trace
 * @comm: the task's name
 * @pid: its thread id
 * @us: when
 * @what: the rest
 */
struct line {
	char comm[16];
	pid_t pid;
	uint64_t us;
	const char *what;
};

static struct locktime_row rows[LOCKTIME_ROWS] = { { .call = "between calls" } };
static unsigned int nr_rows = 1;

/* The row of what is called now; and of what was called at the line that is read. */
static unsigned int calling, reading;

/* Who has the mutex at the line that is read. */
static struct line holder;
static char holder_function[sizeof(rows->function)];
static bool is_held;

/*
 * Since when its holder does not run though it could, if that is so, and for how long it did not:
 * another task has the processor. A holder that sleeps does not count as away: it keeps the mutex.
 */
static bool is_away;
static uint64_t left_us, away_us;

/*
 * How many interrupts are within one another there, since when, and what they took of the hold
 * while its holder was not away.
 */
static unsigned int interrupted;
static uint64_t interrupted_us, stolen_us;

static unsigned long lost;
static int marker = -1;

/* ---- the tracer ---- */

static void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: error %d", what, ret);
}

static unsigned long long find_mutex(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long address, found = 0;
	char line[512], name[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2 &&
		    !strcmp(name, "xs_lock") && strstr(line, "[kfd_xsched]"))
			found = address;
	}
	if (f)
		fclose(f);
	if (!found)
		tap_bail("the address of xs_lock is not known");
	return found;
}

static void clear(void)
{
	const int fd = open(INSTANCE "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		tap_bail("the trace cannot be cleared: error %d", -errno);
	close(fd);
}

static void add_probes(void)
{
	const unsigned long long mutex = find_mutex();
	char filter[64];

	must(sysfile_write("r" MAX_ACTIVE ":" GROUP "/" TAKEN " rt_mutex_lock lock=$arg1:x64\n",
			   PROBES), "a probe of the return of rt_mutex_lock()");
	must(sysfile_write("p:" GROUP "/" GIVEN " rt_mutex_unlock lock=$arg1:x64\n", PROBES),
	     "a probe of rt_mutex_unlock()");
	if (mkdir(INSTANCE, 0700))
		tap_bail(INSTANCE ": error %d", -errno);
	snprintf(filter, sizeof(filter), "lock == 0x%llx\n", mutex);
	must(sysfile_write(filter, EVENTS TAKEN "/filter"), "a filter");
	must(sysfile_write(filter, EVENTS GIVEN "/filter"), "a filter");
}

void locktime_begin(void)
{
	must(sysfile_set(0, "/proc/sys/kernel/kptr_restrict"), "kptr_restrict");
	add_probes();
	must(sysfile_write(BUFFER_KB, INSTANCE "buffer_size_kb"), "a buffer");
	must(sysfile_write("mono", INSTANCE "trace_clock"), "the clock");
	marker = open(INSTANCE "trace_marker", O_WRONLY | O_CLOEXEC);
	if (marker < 0)
		tap_bail("no marker: error %d", -errno);
	must(sysfile_write("1", INSTANCE "tracing_on"), "tracing_on");
	locktime_watch(true);
}

static void watch_interrupts(bool on)
{
	unsigned int i;

	for (i = 0; i < INTERRUPTS; i++) {
		must(sysfile_write(on ? "1" : "0", INSTANCE "events/%s_entry/enable",
				   interrupts[i]), interrupts[i]);
		must(sysfile_write(on ? "1" : "0", INSTANCE "events/%s_exit/enable",
				   interrupts[i]), interrupts[i]);
	}
}

void locktime_watch(bool on)
{
	watch_interrupts(on);
	must(sysfile_write(on ? "1" : "0", INSTANCE "events/sched/sched_switch/enable"),
	     "sched_switch");
	must(sysfile_write(on ? "1" : "0", EVENTS "enable"), "the events");
	is_held = false;
	interrupted = 0;
}

/* Events that the probes have not seen, for want of room or within one another. */
static unsigned long missed(void)
{
	FILE *f = fopen(PROFILE, "re");
	unsigned long hits, misses, sum = 0;
	char name[64];

	if (!f)
		tap_bail(PROFILE ": error %d", -errno);
	while (fscanf(f, "%63s %lu %lu", name, &hits, &misses) == 3) {
		if (!strcmp(name, TAKEN) || !strcmp(name, GIVEN))
			sum += misses;
	}
	fclose(f);
	return sum;
}

unsigned long locktime_end(void)
{
	locktime_collect();
	lost += missed();
	locktime_watch(false);
	close(marker);
	marker = -1;
	if (rmdir(INSTANCE))
		tap_note(INSTANCE " stays: error %d", -errno);
	must(sysfile_write("-:" GROUP "/" TAKEN "\n", PROBES), "the end of a probe");
	must(sysfile_write("-:" GROUP "/" GIVEN "\n", PROBES), "the end of a probe");
	return lost;
}

/* ---- what is called ---- */

static unsigned int find_row(const char *call)
{
	unsigned int i;

	for (i = 0; i < nr_rows; i++)
		if (!strcmp(rows[i].call, call))
			return i;
	if (i == LOCKTIME_ROWS)
		tap_bail("too many kinds of calls");
	snprintf(rows[i].call, sizeof(rows[i].call), "%s", call);
	nr_rows++;
	return i;
}

void locktime_call(const char *format, ...)
{
	char call[sizeof(rows->call)], text[32];
	unsigned int row;
	va_list ap;
	int n;

	va_start(ap, format);
	vsnprintf(call, sizeof(call), format, ap);
	va_end(ap);
	row = find_row(call);
	if (row == calling)
		return;
	calling = row;
	n = snprintf(text, sizeof(text), MARK "%u\n", row);
	if (write(marker, text, (size_t)n) != n)
		tap_bail("the call cannot be marked: error %d", -errno);
}

/* ---- what has come ---- */

/* "COMM-PID [CPU] FLAGS SECONDS.MICROSECONDS: WHAT", with spaces before and between */
static bool split(char *text, struct line *out)
{
	char *at = strstr(text, " ["), *dash = at;
	unsigned long s, us;
	int n = 0;

	if (*text == '#' || !at || sscanf(at, " [%*u] %*s %lu.%lu: %n", &s, &us, &n) != 2 || !n)
		return false;
	while (dash > text && *dash != '-')
		dash--;
	*out = (struct line){ .pid = atoi(dash + 1), .us = s * 1000000ULL + us, .what = at + n };
	*dash = '\0';
	snprintf(out->comm, sizeof(out->comm), "%.15s", text + strspn(text, " "));
	return true;
}

/* "xs_taken: (FUNCTION+0x12/0x34 [MODULE] <- rt_mutex_lock) lock=0x..." */
static void take(const struct line *l)
{
	const char *from = strchr(l->what, '(');

	holder = *l;
	is_held = true;
	stolen_us = 0;
	away_us = 0;
	is_away = false;
	snprintf(holder_function, sizeof(holder_function), "%.*s",
		 from ? (int)strcspn(from + 1, "+ )") : 0, from ? from + 1 : "");
}

static void give(const struct line *l)
{
	struct locktime_row *row = &rows[reading];
	const uint64_t whole_us = l->us - holder.us, us = whole_us - stolen_us - away_us;

	/* Of one that began before this was watched nothing is known. */
	if (!is_held || holder.pid != l->pid)
		return;
	is_held = false;
	if (whole_us > row->whole_us)
		row->whole_us = whole_us;
	if (row->holds++ && us <= row->longest_us)
		return;
	row->longest_us = us;
	row->away_us = away_us;
	row->pid = holder.pid;
	memcpy(row->comm, holder.comm, sizeof(row->comm));
	memcpy(row->function, holder_function, sizeof(row->function));
}

/* "softirq_entry: vec=1 [action=TIMER]" */
static bool interrupt(const struct line *l)
{
	unsigned int i;

	for (i = 0; i < INTERRUPTS; i++) {
		const char *name = strchr(interrupts[i], '/') + 1;
		const size_t length = strlen(name);

		if (strncmp(l->what, name, length))
			continue;
		if (!strncmp(l->what + length, "_entry", 6) && !interrupted++)
			interrupted_us = l->us;
		if (!strncmp(l->what + length, "_exit", 5) && interrupted && !--interrupted &&
		    !is_away)
			stolen_us += l->us - interrupted_us;
		return true;
	}
	return false;
}

/* "sched_switch: prev_comm=... prev_pid=123 ... prev_state=R+ ==> ... next_pid=456 ..." */
static bool change_task(const struct line *l)
{
	const char *prev = strstr(l->what, " prev_pid="), *next = strstr(l->what, " next_pid=");

	if (strncmp(l->what, "sched_switch:", 13) || !prev || !next)
		return false;
	if (is_held && atoi(prev + 10) == holder.pid && strstr(l->what, " prev_state=R")) {
		is_away = true;
		left_us = l->us;
	}
	if (is_held && is_away && atoi(next + 10) == holder.pid) {
		is_away = false;
		away_us += l->us - left_us;
	}
	return true;
}

static void read_line(char *text)
{
	unsigned long kept, written;
	const char *mark;
	struct line l;

	if (sscanf(text, "# entries-in-buffer/entries-written: %lu/%lu", &kept, &written) == 2)
		lost += written - kept;
	if (!split(text, &l) || interrupt(&l) || change_task(&l))
		return;
	mark = strstr(l.what, MARK);
	if (mark)
		reading = (unsigned int)atoi(mark + strlen(MARK)) % LOCKTIME_ROWS;
	else if (!strncmp(l.what, TAKEN ":", strlen(TAKEN ":")))
		take(&l);
	else if (!strncmp(l.what, GIVEN ":", strlen(GIVEN ":")))
		give(&l);
}

void locktime_collect(void)
{
	char text[512];
	FILE *f;

	must(sysfile_write("0", INSTANCE "tracing_on"), "tracing_on");
	f = fopen(INSTANCE "trace", "re");
	if (!f)
		tap_bail("the trace cannot be read: error %d", -errno);
	while (fgets(text, sizeof(text), f))
		read_line(text);
	fclose(f);
	clear();
	is_held = false;
	interrupted = 0;
	must(sysfile_write("1", INSTANCE "tracing_on"), "tracing_on");
}

unsigned int locktime_rows(const struct locktime_row **out)
{
	*out = rows;
	return nr_rows;
}
