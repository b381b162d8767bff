// SPDX-License-Identifier: MIT
/*
 * What administrators find in /sys and debugfs: limits, counters, the files of
 * each queue. Everything that is changed here is put back.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define ALICE	1000
#define MS	1000000ULL
#define QUEUES	"/sys/class/kfd/kfd/proc/%d/queues"

static const struct spin_shape shape = { 64, 256, 2 * MS };

static char node_dir[64];
static int fd;

/* ---- limits -------------------------------------------------------------- */

static int write_number(const char *path, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	return sysfile_write(text, "%s", path);
}

/* NAME, NAME_min, NAME_max, .defaults/NAME: within is in effect, outside is EINVAL. */
static void test_limit(const char *dir, const char *name)
{
	char path[128];
	long now, least, most, initial;

	snprintf(path, sizeof(path), "%s%s", dir, name);
	now = sysfile_number("%s", path);
	least = sysfile_number("%s_min", path);
	most = sysfile_number("%s_max", path);
	initial = sysfile_number("%s.defaults/%s", dir, name);
	tap_note("%s: %ld..%ld, at first %ld, now %ld", name, least, most, initial, now);
	tap_ok(least >= 0 && least <= now && now <= most, "%s: is within its limits", name);
	tap_is(now, initial, "%s: is its default", name);
	tap_is(write_number(path, least), 0, "%s: the least", name);
	tap_is(sysfile_number("%s", path), least, "%s: reads back", name);
	tap_is(write_number(path, most), 0, "%s: the most", name);
	tap_is(write_number(path, least - 1), -EINVAL, "%s: less than the least", name);
	tap_is(write_number(path, most + 1), -EINVAL, "%s: more than the most", name);
	tap_is(sysfile_write("many", "%s", path), -EINVAL, "%s: no number", name);
	tap_is(sysfile_number("%s", path), most, "%s: what is refused changes nothing", name);
	tap_is(sysfile_write("1", "%s_max", path), -EACCES, "%s: the limit cannot be written", name);
	tap_is(write_number(path, now), 0, "%s: put back", name);
}

static int in_child(uid_t uid, int (*fn)(void))
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(setresuid(uid, uid, uid) ? 99 : -fn());
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

static int write_watchdog(void)
{
	return sysfile_write("1000", SYSFILE_GLOBAL "watchdog_ms");
}

static int write_eject(void)
{
	return sysfile_write("1", SYSFILE_GLOBAL "eject");
}

static int write_enabled(void)
{
	return sysfile_write("0", SYSFILE_GLOBAL "enabled");
}

static int read_account_limits(void)
{
	char text[4096];
	const int ret = sysfile_read(text, sizeof(text), SYSFILE_GLOBAL "account_limits");

	return ret < 0 ? ret : 0;
}

/* A line of a kind: how many a user may have, and how many a cgroup of root. */
static void test_account_limit(const char *text, const char *kind)
{
	const char *line = strstr(text, kind);
	long limit = -1, of_root = -1;

	tap_ok(line && (line == text || line[-1] == '\n') &&
	       sscanf(line + strlen(kind), " %ld %ld\n", &limit, &of_root) == 2 &&
	       limit == sysfile_number(SYSFILE_GLOBAL "limits_of_user/%s", kind) &&
	       of_root > 0 && of_root < limit, "account_limits: %s", kind);
}

/* What is limited, and who has how much of it: for root to read. */
static void test_accounts(void)
{
	char text[4096] = "";

	sysfile_read(text, sizeof(text), SYSFILE_GLOBAL "account_limits");
	test_account_limit(text, "clients");
	test_account_limit(text, "armed_entries");
	tap_is(sysfile_write("1", SYSFILE_GLOBAL "account_limits"), -EACCES,
	       "account_limits: they cannot be written");
	tap_is(in_child(ALICE, read_account_limits), -EACCES, "another user: account_limits");
	tap_ok(sysfile_read(text, sizeof(text), SYSFILE_ACCOUNTS) >= 0,
	       "accounts: root can read them");
}

static void test_global(void)
{
	test_limit(SYSFILE_GLOBAL, "watchdog_ms");
	test_limit(SYSFILE_GLOBAL, "sample_period_us");
	test_limit(SYSFILE_GLOBAL, "tap_idle_us");
	test_limit(SYSFILE_GLOBAL, "waves_percent");
	tap_is(sysfile_number(SYSFILE_GLOBAL "enabled"), 1, "enabled: it is");
	tap_is(sysfile_write("2", SYSFILE_GLOBAL "enabled"), -EINVAL, "enabled: neither yes nor no");
	tap_is(sysfile_write("x", SYSFILE_GLOBAL "eject"), -EINVAL, "eject: no client");
	tap_is(sysfile_write("1000000", SYSFILE_GLOBAL "eject"), -ESRCH, "eject: no such client");
	tap_is(sysfile_write("pid 1", SYSFILE_GLOBAL "eject"), -ESRCH, "eject: no client of it");
	tap_ok(sysfile_number(SYSFILE_GLOBAL "statistics/clients") >= 1, "statistics: clients");
	tap_is(in_child(ALICE, write_watchdog), -EACCES, "another user: watchdog_ms");
	tap_is(in_child(ALICE, write_eject), -EACCES, "another user: eject");
	tap_is(in_child(ALICE, write_enabled), -EACCES, "another user: enabled");
}

/* ---- nodes --------------------------------------------------------------- */

static uint32_t find_node(void)
{
	struct kfd_xsched_node node;

	if (xsdev_node(fd, &node))
		tap_bail("no node");
	snprintf(node_dir, sizeof(node_dir), "/sys/class/kfd_xsched/node%u/", node.gpu_id);
	return node.gpu_id;
}

/* Sum of the counts of a histogram; its lines must ascend. */
static long histogram_sum(const char *name)
{
	char text[8192], *line, *rest = text;
	long sum = 0, count, least, last = -1;

	if (sysfile_read(text, sizeof(text), "%slatency/%s", node_dir, name) < 0)
		return -EIO;
	while ((line = strsep(&rest, "\n")) && *line) {
		if (sscanf(line, "%ld %ld", &least, &count) != 2 || least <= last || count < 1)
			return -EPROTO;
		last = least;
		sum += count;
	}
	return sum;
}

static void test_node(struct worker *w)
{
	uint32_t gpu_id = find_node();
	long switches, transactions;

	tap_is(sysfile_number("%sgpu_id", node_dir), gpu_id, "a node's device is named by its id");
	test_limit(node_dir, "default_grace_us");
	switches = sysfile_number("%sstatistics/switches", node_dir);
	transactions = sysfile_number("%sstatistics/transactions", node_dir);
	xsdev_process_op(fd, KFD_XSCHED_OP_UNMAP, w->pid, KFD_XSCHED_GRACE_DEFAULT, NULL);
	xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w->pid, 0, NULL);
	tap_is(sysfile_number("%sstatistics/switches", node_dir), switches + 2,
	       "statistics: a hold and a release are two switches");
	tap_is(sysfile_number("%sstatistics/transactions", node_dir) > transactions, 1,
	       "statistics: and transactions");
	tap_is(histogram_sum("total"), sysfile_number("%sstatistics/switches", node_dir),
	       "latency: every switch is in the histogram");
	tap_is(histogram_sum("unmap"), histogram_sum("map"), "latency: phases go together");
	tap_ok(histogram_sum("lock") >= 2, "latency: waiting for the lock");
	tap_ok(sysfile_number("%sstatistics/queues", node_dir) >= 1, "statistics: queues");
}

/* ---- files of a queue ---------------------------------------------------- */

static char dir[128];

static long queue_number(const char *name)
{
	return sysfile_number("%s/%s", dir, name);
}

static bool queue_says(const char *name, const char *wanted)
{
	char text[256];

	if (sysfile_read(text, sizeof(text), "%s/%s", dir, name) < 0)
		return false;
	if (strcmp(text, wanted))
		tap_note("%s is %s", name, text);
	return !strcmp(text, wanted);
}

static void use_queue(struct worker *w, unsigned int number)
{
	uint32_t id = 0;

	worker_queue_id(w, number, &id);
	snprintf(dir, sizeof(dir), QUEUES "/%u/xsched", (int)w->pid, id);
}

static struct kfd_xsched_queue describe(struct worker *w)
{
	struct kfd_xsched_queue q = { 0 };
	uint32_t id = 0;

	worker_queue_id(w, 0, &id);
	xsdev_find(fd, w->pid, id, &q);
	return q;
}

static void test_queue_hold(struct worker *w)
{
	char holder[128];
	long before;

	use_queue(w, 0);
	before = queue_number("preemptions");
	tap_ok(queue_says("holder", ""), "holder: none");
	tap_ok(queue_says("state", "active\n"), "state: active");
	xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, NULL);
	xsdev_sleep_ms(20);
	tap_ok(queue_says("state", "held\n"), "state: held");
	tap_ok(queue_number("held_us") >= 20000, "held_us: at least as long as it is held");
	tap_is(queue_number("preemptions"), before + 1, "preemptions: one more");
	sysfile_read(holder, sizeof(holder), "%s/holder", dir);
	tap_ok(strstr(holder, " test-sysfs\n") && sysfile_count(holder, "\n") == 1 &&
	       atoi(strchr(holder, ' ') ? strchr(holder, ' ') : "0") == getpid(),
	       "holder: client, process and name");
	xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w->pid, 0, NULL);
	tap_ok(queue_says("state", "active\n") && queue_says("holder", ""), "state: active again");
}

static void test_queue_priority(struct worker *w)
{
	long before = queue_number("priority");

	tap_is(before, describe(w).priority, "priority: as LIST has it");
	tap_is(sysfile_write("12\n", "%s/priority", dir), 0, "priority: 12");
	tap_is(describe(w).priority, 12, "priority: LIST reports it");
	tap_is(sysfile_write("16", "%s/priority", dir), -EINVAL, "priority: 16");
	tap_is(sysfile_write("-1", "%s/priority", dir), -EINVAL, "priority: -1");
	tap_is(sysfile_write("high", "%s/priority", dir), -EINVAL, "priority: a word");
	tap_is(queue_number("priority"), 12, "priority: what is refused changes nothing");
	tap_is(sysfile_write("app", "%s/priority", dir), 0, "priority: put back");
	tap_is(queue_number("priority"), before, "priority: is the application's");
}

/* Not every node has classes: then the file says so, and cannot be written. */
static void test_queue_class(struct worker *w)
{
	if (!describe(w).prio_class) {
		tap_ok(queue_says("class", "none\n"), "class: the node has none");
		tap_is(sysfile_write("low", "%s/class", dir), -EOPNOTSUPP, "class: cannot be set");
		return;
	}
	tap_ok(queue_says("class", "normal\n"), "class: normal");
	tap_is(sysfile_write("low", "%s/class", dir), 0, "class: low");
	tap_is(describe(w).prio_class, KFD_XSCHED_CLASS_LOW, "class: LIST reports it");
	tap_is(sysfile_write("none", "%s/class", dir), -EINVAL, "class: none");
	tap_is(sysfile_write("app", "%s/class", dir), 0, "class: put back");
	tap_ok(queue_says("class", "normal\n"), "class: normal again");
}

/* The files of a queue go with it. */
static void test_queue_goes(struct worker *w)
{
	char path[160];
	int n = worker_add_queue(w), open_fd;
	char byte;

	if (n < 0)
		tap_bail("no second queue");
	use_queue(w, (unsigned int)n);
	snprintf(path, sizeof(path), "%s/state", dir);
	open_fd = open(path, O_RDONLY | O_CLOEXEC);
	tap_ok(open_fd >= 0, "a new queue has its files");
	worker_recreate(w, (unsigned int)n);
	tap_is(read(open_fd, &byte, 1) < 0 ? -errno : 0, -ENODEV, "one that is gone has none");
	close(open_fd);
	use_queue(w, (unsigned int)n);
	tap_ok(queue_says("state", "active\n"), "its successor has its own");
	use_queue(w, 0);
}

/* ---- under load ---------------------------------------------------------- */

/* Reads all files of all queues of a process, for ever. */
static void read_everything(pid_t pid)
{
	static const char *const names[] = {
		"priority", "class", "state", "holder", "held_us", "preemptions"
	};
	char path[64], text[4096];
	size_t i;

	snprintf(path, sizeof(path), QUEUES, (int)pid);
	for (;;) {
		DIR *queues = opendir(path);
		struct dirent *entry;

		while (queues && (entry = readdir(queues))) {
			for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
				sysfile_read(text, sizeof(text), "%s/%s/xsched/%s", path,
					     entry->d_name, names[i]);
		}
		if (queues)
			closedir(queues);
		sysfile_read(text, sizeof(text), "%slatency/total", node_dir);
	}
}

/* Holds and releases a process, for ever. */
static void toggle(pid_t pid)
{
	int own = xsdev_open();

	for (;;) {
		xsdev_process_op(own, KFD_XSCHED_OP_SUSPEND, pid, 0, NULL);
		xsdev_process_op(own, KFD_XSCHED_OP_RESUME, pid, 0, NULL);
	}
}

static pid_t spawn(void (*fn)(pid_t), pid_t pid)
{
	pid_t child = fork();

	if (!child)
		fn(pid);
	return child;
}

static void reap(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_readers(struct worker *w)
{
	pid_t reader = spawn(read_everything, w->pid), toggler = spawn(toggle, w->pid);
	int i, failed = 0;

	for (i = 0; i < 200; i++)
		failed += worker_recreate(w, 0) != 0;
	reap(toggler);
	reap(reader);
	tap_is(failed, 0, "200 queues come and go while others read, hold and release");
	use_queue(w, 0);
	tap_ok(queue_says("state", "active\n") && queue_says("holder", ""), "the last is as it was");
}

/* As many lines for queues as the node says it has, as many requests as holders, and an end. */
static bool is_consistent(const char *state)
{
	const char *at = strstr(state, " queues="), *clients = strstr(state, "\nclient ");
	unsigned int queues = 0, held, sum = 0;

	if (!at || !clients || sscanf(at, " queues=%u", &queues) != 1 || !strstr(state, "\nend\n"))
		return false;
	for (at = state; (at = strstr(at, " holders=")); at++) {
		if (sscanf(at, " holders=%u", &held) != 1)
			return false;
		sum += held;
	}
	held = 0;
	for (at = clients; (at = strstr(at, "\n  queue ")); at++)
		held += strcspn(at + 1, "\n") && !!memmem(at + 1, strcspn(at + 1, "\n"), "now=held", 8);
	return sysfile_count(state, "\n  queue ") - sysfile_count(clients, "\n  queue ") == queues &&
		held == sum;
}

static void test_debugfs(struct worker *w)
{
	static char state[1 << 20];
	pid_t toggler = spawn(toggle, w->pid);
	int i, bad = 0;

	worker_load_start(w, &shape, 0);
	for (i = 0; i < 200; i++) {
		if (sysfile_read(state, sizeof(state), SYSFILE_STATE) > 0 && is_consistent(state))
			continue;
		if (!bad++)
			tap_note("%s", state);
	}
	reap(toggler);
	tap_is(bad, 0, "200 dumps under load, each of one moment");
	tap_is(worker_load_stop(w), 0, "the load completes");
	/* Held by nobody: nothing is to wake up for, but for the timer, which runs out. */
	for (i = 0; i < 300; i++) {
		sysfile_read(state, sizeof(state), SYSFILE_STATE);
		if (strstr(state, " armed=0 "))
			break;
		xsdev_sleep_ms(100);
	}
	tap_ok(strstr(state, " armed=0 ") && strstr(state, " held=0\n"), "no timer is left");
}

int main(void)
{
	struct spin_account a;
	struct worker w;

	fd = must_open();
	must_start(&w, 1, NULL);
	test_global();
	test_accounts();
	test_node(&w);
	test_queue_hold(&w);
	test_queue_priority(&w);
	test_queue_class(&w);
	test_queue_goes(&w);
	test_readers(&w);
	test_debugfs(&w);
	worker_account(&w, &a);
	tap_ok(spin_account_clean(&a), "every dispatch executed once and in order");
	worker_stop(&w);
	return tap_done();
}
