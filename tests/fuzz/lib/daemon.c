// SPDX-License-Identifier: MIT
/* The daemon's parts in the fuzzer's own process. */
#include "daemon.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "facts.h"
#include "facts/names.h"
#include "fake_clock.h"
#include "fake_time.h"
#include "parts.h"
#include "sched/sched.h"
#include "serve/audit.h"

/* More turns than that of a loop without news are a circle. */
#define TURNS		100000
#define BEGIN_NS	(1000 * SECOND)
#define PAUSE_NS	(60 * SECOND)

static const char *const texts[] = {
	"[xschedd]\ndevice=%s\nrealtime=no\n"
	"[rule serve]\nunit=inference-*\npriority=50\nperiod_us=learn\n"
	"[rule users]\nuser=alice\nmax_priority=20\n"
	"[rule others]\nuser=bob\ngroup=render\npriority=3\n"
	"[rule night]\nenvironment=JOB=night*\npriority=-5\ntenant=cgroup\n",
	"[xschedd]\ndevice=%s\nrealtime=no\npolicy=pup\nlevel=unmap\narmed=yes\ntenant=unit\n"
	"[rule \"q\"]\ncomm=a*\npriority=-256\n",
};

/* As an order of a session: what happens between two inputs. */
static const char between[] = "\16";

#define HISTORY		(1 << 20)

static struct config configs[2];
static unsigned int current, inputs;
static char *history;
static size_t history_used;

static void die(const char *what, int error)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, strerror(-error));
	abort();
}

/* What the helper for names reads: the first configuration is left there. */
static const char *config_path(void)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/conf", parts_directory());
	return path;
}

static void read_configs(void)
{
	const char *path = config_path();
	char text[1024], error[256];

	for (unsigned int i = 2; i--;) {
		FILE *file = fopen(path, "we");

		snprintf(text, sizeof(text), texts[i], kernel_device());
		if (!file || fputs(text, file) < 0 || fclose(file))
			die(path, -1);
		if (config_load(&configs[i], path, error, sizeof(error)))
			die(error, -1);
	}
}

/* What a RELOAD finds is the other one. */
static int reload(void *user, char *error, size_t size)
{
	struct daemon *daemon = user;

	(void)error;
	(void)size;
	current = !current;
	sched_reload(&daemon->sched, &configs[current]);
	return 0;
}

/* As the daemon's main(): from then on no database is waited for. */
static void look_up_names(void)
{
	names_thaw();
	names_look_up_rest();
	names_freeze();
}

static void open_parts(struct daemon *daemon)
{
	int ret = sd_event_new(&daemon->event);

	if (ret >= 0)
		ret = resolver_new(&daemon->resolver, daemon->event, config_path());
	if (!ret)
		ret = reader_new(&daemon->reader, daemon->event, false);
	if (!ret)
		ret = audit_new(&daemon->audit, daemon->event);
	if (!ret)
		ret = sched_start(&daemon->sched, daemon->event, &configs[0]);
	if (ret)
		die("it does not start", ret);
}

void daemon_start(struct daemon *daemon)
{
	if (!configs[0].policy)
		read_configs();
	current = 0;
	fake_time()->now_ns = BEGIN_NS;
	kernel_reset();
	look_up_names();
	*daemon = (struct daemon){ 0 };
	open_parts(daemon);
	daemon->host = (struct host){
		.event = daemon->event, .sched = &daemon->sched,
		.allowance = &daemon->allowance, .reader = daemon->reader,
		.resolver = daemon->resolver, .audit = daemon->audit, .reload = reload,
		.user = daemon,
	};
	daemon_run(daemon, 0);
}

void daemon_stop(struct daemon *daemon)
{
	sched_stop(&daemon->sched);
	audit_free(daemon->audit);
	reader_free(daemon->reader);
	resolver_free(daemon->resolver);
	sd_event_unref(daemon->event);
}

/* ---- one for several inputs ---------------------------------------------- */

bool daemon_is_to_start(void)
{
	history_used = inputs ? history_used : 0;
	return !inputs;
}

bool daemon_is_to_stop(void)
{
	inputs++;
	if (inputs < DAEMON_LIVES && !getenv("FUZZ_FRESH"))
		return false;
	inputs = 0;
	return true;
}

static void open_history(void)
{
	const char *path = getenv("FUZZ_HISTORY");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (!path)
		return;
	if (fd < 0 || ftruncate(fd, HISTORY))
		die(path, -1);
	history = mmap(NULL, HISTORY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (history == MAP_FAILED)
		die(path, -1);
	close(fd);
}

static void note(const void *data, size_t size)
{
	if (history_used + size > HISTORY)
		return;
	memcpy(history + history_used, data, size);
	history_used += size;
}

/* Zeros are no part of what is sent: they mean nothing. */
void daemon_next(const uint8_t *data, size_t size)
{
	static bool known;

	if (!known)
		open_history();
	known = true;
	if (!history)
		return;
	if (!history_used)
		memset(history, 0, HISTORY);
	note(data, size);
	note(between, sizeof(between) - 1);
}

void daemon_pause(struct daemon *daemon)
{
	kernel_fail(0);
	facts_withhold(0);
	for (int kind = 0; kind < CHILD_KINDS; kind++)
		children_are(kind, 0);
	fake_time()->now_ns += PAUSE_NS;
	daemon_run(daemon, 0);
}

void daemon_run(struct daemon *daemon, uint64_t ns)
{
	unsigned int turn = 0;

	fake_clock_move(fake_time()->now_ns + ns);
	do {
		if (turn++ == TURNS)
			die("its loop has no end", 0);
		children_run();
	} while (sd_event_run(daemon->event, 0) > 0);
}
