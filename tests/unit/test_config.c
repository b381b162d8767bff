// SPDX-License-Identifier: MIT
/* The configuration: what is understood, and what is said of what is not. */
#include "unit.h"

#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "facts/config.h"
#include "facts/dropin.h"
#include "facts/process.h"
#include "facts/rating.h"
#include "proc.h"

static char directory[] = "/tmp/xsched-config-XXXXXX";
static char path[64];

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int load(struct config *config, const char *text, char *error)
{
	write_file(path, text);
	return config_load(config, path, error, 256);
}

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/x.conf", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);
}

static void check_defaults(const char *text)
{
	struct config config;
	char error[256];

	if (load(&config, text, error))
		fail_msg("%s", error);
	assert_string_equal(config.policy, "hpf");
	assert_string_equal(config.device, "/dev/kfd_xsched");
	assert_string_equal(config.socket, "/run/xsched/xschedd.sock");
	assert_null(config.trace);
	assert_int_equal(config.sample_us, 100);
	assert_int_equal(config.settle_us, 500);
	assert_int_equal(config.grace_us, 0);
	assert_false(config.unmap);
	assert_true(config.realtime);
	assert_int_equal(config.http_port, 0);
	assert_false(config.http_front);
	assert_false(config.http_root);
	assert_int_equal(config.tenant, TENANT_PROCESS);
	assert_int_equal(config.option_count, 0);
	assert_int_equal(config.rule_count, 0);
	config_free(&config);
}

/* An empty file gives the documented defaults. */
static void defaults(void **state)
{
	(void)state;
	check_defaults("");
}

/* Whether a line is a setting that has been commented out. */
static bool is_shown(const char *line)
{
	return *line == '#' && (line[1] == '[' ||
				(islower((unsigned char)line[1]) && strstr(line, " = ")));
}

/* Each option there is has its place in xschedd.conf(5), with its default and limits. */
static void options_are_documented(void **state)
{
	static char manual[65536];
	const struct xsched_option *option;
	FILE *file = fopen(MANUAL, "r");
	char text[128];
	size_t i, length;

	(void)state;
	assert_non_null(file);
	length = fread(manual, 1, sizeof(manual) - 1, file);
	fclose(file);
	assert_true(length < sizeof(manual) - 1);
	manual[length] = '\0';
	for (i = 0; (option = xsched_option_at(i)); i++) {
		const char *at, *end;

		snprintf(text, sizeof(text), "\n.BR %s \" (%lld)\"\n", option->name,
			 (long long)option->value);
		at = strstr(manual, text);
		if (!at)
			fail_msg("not in the manual: %s", text + 1);
		end = strstr(at + 1, "\n.TP\n");
		snprintf(text, sizeof(text), "%lld..%lld", (long long)option->min,
			 (long long)option->max);
		at = strstr(at, text);
		/* 0 and 1 are said in words. */
		if (option->max > 1 && (!at || at > end))
			fail_msg("%s: the manual lacks %s", option->name, text);
	}
	assert_true(i > 10);
}

/*
 * The file that is installed changes nothing. What it shows is right: settings
 * and rules are understood, and the settings are the defaults.
 */
static void example(void **state)
{
	char line[256], text[16384] = "", shown[16384] = "", settings[16384] = "";
	FILE *file = fopen(EXAMPLE, "r");
	struct config config;
	char error[256];

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		strcat(text, line);
		if (!strncmp(line, "#[options]", 10))
			strcpy(settings, shown);
		strcat(shown, is_shown(line) ? line + 1 : line);
	}
	fclose(file);
	check_defaults(text);
	check_defaults(settings);
	if (load(&config, shown, error))
		fail_msg("%s", error);
	assert_int_equal(config.rule_count, 5);
	assert_null(config_doubt(&config, 0));
	assert_int_equal(config.option_count, 1);
	config_free(&config);
}

/* Every setting and every kind of rule is taken over. */
static void everything(void **state)
{
	struct config config;
	char error[256];

	(void)state;
	assert_int_equal(load(&config,
		"# comment\n[xschedd]\npolicy=hpf\n  sample_us = 20\n"
		"settle_us=0\nsocket=/tmp/s\ntrace=/tmp/t\nlevel=unmap\n"
		"grace_us=80\nrealtime=no\ndevice=/dev/x\n\n"
		"[rule a b]\nexe=/opt/*/serve\npriority=255\n"
		"[rule c]\ncomm = train*\nuser=root\npriority=-255\n", error), 0);
	assert_int_equal(config.sample_us, 20);
	assert_int_equal(config.settle_us, 0);
	assert_int_equal(config.grace_us, 80);
	assert_string_equal(config.socket, "/tmp/s");
	assert_string_equal(config.trace, "/tmp/t");
	assert_string_equal(config.device, "/dev/x");
	assert_true(config.unmap);
	assert_false(config.realtime);
	assert_int_equal(config.rule_count, 2);
	assert_string_equal(config.rules[0].name, "a b");
	assert_string_equal(config.rules[0].patterns[RULE_EXE], "/opt/*/serve");
	assert_int_equal(config.rules[0].priority, 255);
	assert_string_equal(config.rules[1].patterns[RULE_COMM], "train*");
	assert_true(config.rules[1].has_user);
	assert_int_equal(config.rules[1].uid, 0);
	assert_int_equal(config.rules[1].priority, -255);
	config_free(&config);
}

/* Patterns that look like mistakes and are none. */
static void odd_patterns(void **state)
{
	static const char *const good[] = {
		"a[]]", "a[!]]", "[[]", "\\[", "it's", "'", "a#b;c", "[a-z]*[0-9]", "\"a\" b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct config config;
		char text[128], error[256];

		snprintf(text, sizeof(text), "[rule a]\nexe=%s\npriority=1\n", good[i]);
		if (load(&config, text, error))
			fail_msg("%s: %s", good[i], error);
		assert_string_equal(config.rules[0].patterns[RULE_EXE], good[i]);
		config_free(&config);
	}
}

/* 118 characters. */
#define LONG_NAME "a-name-of-sixty-characters---------------------------------" \
	"another-of-sixty-characters--------------------------------"

static const struct bad {
	const char *text;
	int line;
	int column;
	const char *message;
} bad[] = {
	{ "x=1\n", 1, 1, "before the first section" },
	{ "[xschedd]\nfoo=1\n", 2, 1, "no setting 'foo'; expected one of policy" },
	{ "[xschedd]\npolicy=best\n", 2, 8, "no policy 'best'; expected one of hpf" },
	{ "[xschedd]\npolicy=hpf\n\npolicy=hpf\n", 4, 1, "set twice" },
	{ "[xschedd]\nsample_us=19\n", 2, 11, "not within 20..1000000" },
	{ "[xschedd]\n  sample_us = 1000001\n", 2, 15, "not within 20..1000000" },
	{ "[xschedd]\nsample_us=5x\n", 2, 11, "not a number; expected 20..1000000" },
	{ "[xschedd]\nsample_us=\n", 2, 11, "not a number" },
	{ "[xschedd]\nsettle_us=99999999999999999999\n", 2, 11, "not within" },
	{ "[xschedd]\ngrace_us=-1\n", 2, 10, "not within" },
	{ "[xschedd]\nlevel=kill\n", 2, 7, "expected 'suspend' or 'unmap'" },
	{ "[xschedd]\nrealtime=1\n", 2, 10, "expected 'yes' or 'no'" },
	{ "[xschedd]\nhttp_port=70000\n", 2, 11, "not within 0..65535" },
	{ "[xschedd]\nhttp_front=on\n", 2, 12, "expected 'yes' or 'no'" },
	{ "[xschedd]\ntenant=user\n", 2, 8, "expected 'process', 'cgroup'" },
	{ "[xschedd]\nsocket=x.sock\n", 2, 8, "not an absolute path" },
	{ "[xschedd]\nnonsense\n", 2, 1, "NAME=VALUE" },
	{ "[xschedd\npolicy=hpf\n", 1, 1, "not a section" },
	{ "[other]\n", 1, 1, "no section [other]; expected [xschedd]" },
	{ "[rule]\n", 1, 1, "no section [rule]" },
	/* What inih, but not we, once took for a section: found by tests/fuzz. */
	{ "\xef\xbb\xbf[rule=x]\npriority=1\n", 1, 4, "no section [rule=x]" },
	{ "\f[rule=x]\npriority=1\n", 1, 2, "no section [rule=x]" },
	{ "[rule a]\nexe=a\n\v[rule=x]\npriority=1\n", 1, 1, "rule 'a' gives nothing" },
	{ "[options]\nfoo=1\n", 2, 1, "no option 'foo'" },
	{ "[options]\nfloor_percent=x\n", 2, 15, "not a number" },
	{ "[options]\nfloor_percent=101\n", 2, 15, "not within" },
	{ "[rule x]\ncomm=a\nperiod_us=0\n", 3, 11, "not within 1..60000000" },
	{ "[rule x]\ncomm=a\nperiod_us=soon\n", 3, 11, "'soon' is not a number" },
	{ "[rule x]\ncomm=a\nperiod_us=learn\nperiod_us=5\n", 4, 11, "set twice" },
	{ "[options]\ngang=2\n", 2, 6, "not within 0..1" },
	{ "[rule a]\nexe=a\n", 1, 1, "rule 'a' gives nothing" },
	{ "\n[rule a]\n[xschedd]\n", 2, 1, "rule 'a' gives nothing" },
	{ "[rule a]\npriority=1\n", 1, 1, "matches nothing; expected one of user" },
	{ "[rule a]\nexe=a\npriority=256\n", 3, 10, "not within -256..255" },
	{ "[rule a]\nexe=a\npriority=high\n", 3, 10, "not a number" },
	{ "[rule a]\nexe=a\nexe=b\n", 3, 1, "set twice" },
	{ "[rule a]\nexe=\n", 2, 5, "empty value" },
	{ "[rule a]\nnicer=1\n", 2, 1, "a rule has no 'nicer'" },
	{ "[rule a]\nnice=20\n", 2, 6, "not within -20..19" },
	{ "[rule a]\nnice=5..4\n", 2, 6, "not within 5..19" },
	{ "[rule a]\nenvironment=X\n", 2, 13, "expected VARIABLE=PATTERN" },
	{ "[rule a]\ntrust_descriptive=1\n", 2, 19, "expected 'yes' or 'no'" },
	{ "[rule a]\ntenant=all\n", 2, 8, "expected 'process'" },
	{ "[rule a]\nexe=a\npark=200\n", 3, 6,
	  "expected a time as '200 ms' or '2 s', or 'never', not '200'" },
	{ "[rule a]\nexe=a\npark=-1 s\n", 3, 6, "expected a time" },
	{ "[rule a]\nexe=a\npark=2 min\n", 3, 6, "expected a time" },
	{ "[rule a]\nexe=a\npark=9 ms\n", 3, 6, "9 ms is not within 10 ms..3600 s" },
	{ "[rule a]\nexe=a\npark=3601 s\n", 3, 6, "not within" },
	{ "[rule a]\nexe=a\npark=never\npark=2 s\n", 4, 6, "set twice" },
	{ "[xschedd]\npark=0 ms\n", 2, 6, "not within" },
	{ "[rule a]\nuser=no-such-user-here\n", 2, 6, "no user" },
	{ "[rule a]\nuser=4294967295\n", 2, 6, "not a user id" },
	{ "[rule a]\ngroup=no-such-group\n", 2, 7, "no group" },
	{ "[rule a]\nexe=a\npriority=5\nmax_priority=4\n", 1, 1,
	  "max_priority is below priority" },
	{ "[rule a]\nexe=a\npriority=1\n[rule a]\n", 4, 1, "already" },
	/* What would match nothing, or too much. */
	{ "[rule a]\ncomm=sleep # the server\npriority=1\n", 2, 12, "a comment needs a line of its own" },
	{ "[rule a]\n  cmdline=* 1000 ; x\npriority=1\n", 2, 18, "write '?' for this ';'" },
	{ "[rule a]\t; batch\nexe=a\npriority=1\n", 1, 10, "a comment needs a line" },
	{ "[rule a]\ncomm=\"sleep\"\npriority=1\n", 2, 6, "write the pattern without them" },
	{ "[rule a]\nenvironment=JOB='x'\npriority=1\n", 2, 17, "write the pattern without them" },
	{ "[rule a]\nexe=/usr/bin/[sleep\npriority=1\n", 2, 5, "'[' without ']'" },
	{ "[rule a]\nexe=/usr/bin/x[!]\npriority=1\n", 2, 5, "'[' without ']'" },
	{ "[rule a]\nenvironment=JOB=[\npriority=1\n", 2, 17, "'[' without ']'" },
	/* What would fail at the start. */
	{ "[xschedd]\nsocket=/tmp/" LONG_NAME "\n", 2, 8, "at most 107 characters, this has 123" },
	{ "[xschedd]\ntrace=/no/such/directory/t\n", 2, 7, "no directory '/no/such/directory'" },
};

/* Each mistake: refused, with file, line and what is wrong. */
static void mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct config config = { .sample_us = 77 };
		char error[256] = "", prefix[128];

		assert_int_equal(load(&config, bad[i].text, error), -EINVAL);
		snprintf(prefix, sizeof(prefix), "%s:%d:%d: ", path,
			 bad[i].line, bad[i].column);
		if (strncmp(error, prefix, strlen(prefix)) ||
		    !strstr(error, bad[i].message))
			fail_msg("%s: got '%s'", bad[i].text, error);
		/* Nothing is handed out. */
		assert_int_equal(config.sample_us, 77);
	}
}

/* A line beyond what the parser can hold is an error, not two lines. */
static void long_line(void **state)
{
	char text[512] = "[rule a]\nexe=", error[256];
	struct config config;

	(void)state;
	memset(text + strlen(text), 'x', 300);
	strcat(text, "\npriority=1\n");
	assert_int_equal(load(&config, text, error), -EINVAL);
	assert_non_null(strstr(error, ":2:1: line too long"));
}

/* A file that was named must exist. */
static void missing_file(void **state)
{
	struct config config;
	char error[256];

	(void)state;
	assert_int_equal(config_load(&config, "/nonexistent/x.conf", error,
				     sizeof(error)), -ENOENT);
	assert_non_null(strstr(error, "/nonexistent/x.conf"));
}

/* Drop-ins come after the file, by name, and may set again what it set. */
static void drop_ins(void **state)
{
	char name[96], one[128], two[128], ignored[128], error[256];
	struct config config;

	(void)state;
	snprintf(name, sizeof(name), "%s.d", path);
	assert_int_equal(mkdir(name, 0755), 0);
	snprintf(one, sizeof(one), "%s/10.conf", name);
	snprintf(two, sizeof(two), "%s/20.conf", name);
	snprintf(ignored, sizeof(ignored), "%s/30.conf~", name);
	write_file(one, "[rule x]\ncomm=x\npriority=1\n");
	write_file(two, "[xschedd]\nsample_us=300\n");
	write_file(ignored, "nonsense\n");
	assert_int_equal(load(&config, "[xschedd]\nsample_us=200\n", error), 0);
	assert_int_equal(config.sample_us, 300);
	assert_int_equal(config.rule_count, 1);
	config_free(&config);
	write_file(two, "[rule x]\n");
	assert_int_equal(load(&config, "", error), -EINVAL);
	assert_non_null(strstr(error, "20.conf:1:1: there is a rule 'x' already"));
	unlink(one);
	unlink(two);
	unlink(ignored);
	rmdir(name);
}

/* All of it is known. */
#define READ	.known = true, .has_facts = true, .has_rest = true

static void *say_and_wait(void *argument)
{
	write(*(int *)argument, "r", 1);
	for (;;)
		pause();
	return NULL;
}

/* Only the leader ends. */
static void run_without_leader(int fd)
{
	static int end;
	pthread_t thread;

	end = fd;
	if (!pthread_create(&thread, NULL, say_and_wait, &end))
		syscall(SYS_exit, 0);
}

static bool is_zombie(pid_t pid)
{
	char state[PROC_WORD];

	proc_status(pid, "State", state);
	return *state == 'Z';
}

static int32_t priority_of(const struct config *config, const char *exe,
			   const char *comm, uid_t uid, int nice)
{
	struct process process = { READ, .uid = uid, .gid = uid,
				   .nice = nice };
	struct rating rating;

	snprintf(process.exe, sizeof(process.exe), "%s", exe);
	snprintf(process.comm, sizeof(process.comm), "%s", comm);
	rating_of(&rating, &process, config);
	return rating.priority;
}

/* The first rule that matches decides; without one the nice value does. */
static void rules_decide(void **state)
{
	struct config config;
	char error[256];

	(void)state;
	assert_int_equal(load(&config,
		"[rule base]\nexe=serve\npriority=5\ntrust_descriptive=yes\n"
		"[rule full]\nexe=/opt/a/*\npriority=6\ntrust_descriptive=yes\n"
		"[rule both]\ncomm=py*\nuser=1000\npriority=7\n"
		"[rule user]\nuser=1000\npriority=8\n", error), 0);
	assert_int_equal(priority_of(&config, "/usr/bin/serve", "", 1, 3), 5);
	assert_int_equal(priority_of(&config, "/opt/a/serve", "", 1, 3), 5);
	assert_int_equal(priority_of(&config, "/opt/a/other", "", 1, 3), 6);
	assert_int_equal(priority_of(&config, "/x", "python3", 1000, 3), 7);
	assert_int_equal(priority_of(&config, "/x", "ruby", 1000, 3), 8);
	assert_int_equal(priority_of(&config, "/x", "python3", 1, 10), -10);
	assert_int_equal(priority_of(&config, "", "", 1, -20), 20);
	assert_int_equal(priority_of(&config, "/usr/bin/server", "", 1, 0), 0);
	config_free(&config);
}

static void expect_park(const struct config *config, const char *comm, bool said, uint32_t ms)
{
	struct process process = { .known = true, .has_facts = true, .has_rest = true };
	struct rating rating;

	snprintf(process.comm, sizeof(process.comm), "%s", comm);
	rating_of(&rating, &process, config);
	assert_int_equal(rating.has_park, said);
	assert_int_equal(rating.park_ms, ms);
}

/* From when on a process is parked: by the rule that decides, or else the setting for all. */
static void parks_by_rule(void **state)
{
	struct config config;
	char error[256];

	(void)state;
	assert_int_equal(load(&config, "[rule a]\ncomm=a\npriority=-1\n", error), 0);
	expect_park(&config, "a", false, 0);
	config_free(&config);
	assert_int_equal(load(&config,
		"[xschedd]\npark=2 s\n"
		"[rule a]\ncomm=a\npark=200 ms\n"
		"[rule b]\ncomm=b\npark=never\n"
		"[rule c]\ncomm=?\npriority=-1\n", error), 0);
	expect_park(&config, "a", true, 200);
	expect_park(&config, "b", true, 0);
	expect_park(&config, "c", true, 2000);
	expect_park(&config, "other", true, 2000);
	config_free(&config);
}

/* /proc shows our own process. */
static void reads_process(void **state)
{
	struct process process;

	(void)state;
	process_read_facts(&process, getpid());
	process_read_rest(&process, true);
	assert_true(process.known);
	assert_int_equal(process.uid, getuid());
	assert_false(process.changed_credentials);
	assert_string_equal(process.comm, "test_config");
	assert_non_null(strstr(process.exe, "/test_config"));
	assert_non_null(strstr(process.cmdline, "test_config"));
	assert_non_null(process_variable(&process, "PATH"));
	assert_null(process_variable(&process, "PAT"));
	assert_int_equal(strncmp(process.cgroup, process.root_cgroup,
				 strlen(process.root_cgroup)), 0);
	process_free(&process);
	/* Above the largest pid Linux gives out. */
	process_read_owner(&process, 0x7fffffff);
	assert_false(process.known);
	process_read_facts(&process, 0x7fffffff);
	assert_false(process.known);
	process_read_rest(&process, true);
	assert_null(process.environ);
	/* Of the owner at least this is known. */
	process_read_owner(&process, getpid());
	assert_true(process.known);
	assert_int_equal(process.uid, geteuid());
	assert_int_equal(process.gid, getegid());
}

/* A directory named first masks a file of the same name in a later one. */
static void drop_ins_mask(void **state)
{
	char first[96], second[96], file[128], **paths;
	const char *const directories[] = { first, second, "/nonexistent" };

	(void)state;
	snprintf(first, sizeof(first), "%s/etc", directory);
	snprintf(second, sizeof(second), "%s/usr", directory);
	assert_int_equal(mkdir(first, 0755), 0);
	assert_int_equal(mkdir(second, 0755), 0);
	snprintf(file, sizeof(file), "%s/50.conf", first);
	assert_int_equal(symlink("/dev/null", file), 0);
	snprintf(file, sizeof(file), "%s/50.conf", second);
	write_file(file, "nonsense");
	snprintf(file, sizeof(file), "%s/10.conf", second);
	write_file(file, "");
	assert_int_equal(dropin_list(directories, 3, &paths), 2);
	assert_non_null(strstr(paths[0], "/usr/10.conf"));
	assert_non_null(strstr(paths[1], "/etc/50.conf"));
	dropin_free(paths, 2);
	unlink(file);
	snprintf(file, sizeof(file), "%s/50.conf", second);
	unlink(file);
	snprintf(file, sizeof(file), "%s/50.conf", first);
	unlink(file);
	rmdir(first);
	rmdir(second);
}

static void rate(struct rating *rating, const struct process *process,
		 const char *text)
{
	static struct config config;
	char error[256] = "";

	config_free(&config);
	assert_int_equal(load(&config, text, error), 0);
	rating_of(rating, process, &config);
	/* What the rating points to is the configuration's. */
}

/* Each kind of condition decides, and one that does not hold does not. */
static void conditions(void **state)
{
	static char environment[] = "JOB=night-7\0X=\0";
	static char cmdline[] = "python3 train.py --big";
	struct process process = {
		READ, .uid = 1000, .gid = 100, .groups = { 7, 8 },
		.group_count = 2, .nice = 5, .exe = "/usr/bin/python3",
		.comm = "python3", .cgroup = "/ml.slice/train.service",
		.unit = "train.service", .user_unit = "mine.service",
		.container = "c0ffee",
		.cmdline = cmdline, .environ = environment,
	};
	static const char *const good[] = {
		"group=8", "group=100", "nice=5", "nice=0..10",
		"cgroup=/ml.slice/*", "unit=train.*", "user_unit=mine.*",
		"container=c0*",
		"cmdline=*train.py*", "environment=JOB=night-*",
		"environment=X=*", "user=1000", "comm=python?", "exe=python3",
	};
	static const char *const wrong[] = {
		"group=9", "nice=4", "nice=6..10", "cgroup=/other/*",
		"unit=x", "unit=mine.*", "user_unit=train.*", "container=x*",
		"cmdline=train.py",
		"environment=JOB=day*", "environment=Y=*", "user=1001",
	};
	struct rating rating;
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(text, sizeof(text), "[rule r]\n%s\npriority=9\ntrust_descriptive=yes\n",
			 good[i]);
		rate(&rating, &process, text);
		if (rating.priority != 9 || rating.source != SOURCE_RULE)
			fail_msg("%s: no match", good[i]);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "[rule r]\n%s\npriority=9\ntrust_descriptive=yes\n",
			 wrong[i]);
		rate(&rating, &process, text);
		if (rating.priority != -5 || rating.rule)
			fail_msg("%s: match", wrong[i]);
	}
}

/* How much of a process is known. */
enum knowledge {
	NOTHING,	/* its leader has ended, and its number is free */
	OWNER,		/* nothing is read yet */
	FACTS,		/* it withholds the rest */
	ALL,
};

/* What is not known counts as matching for a rule that lowers, and for no other. */
static void unread_lowers(void **state)
{
	static const struct {
		const char *rules;
		enum knowledge known;
		int32_t priority, limit;
		enum rating_source source;
	} cases[] = {
		{ "[rule r]\nexe=/opt/*\npriority=-9\n", ALL, 0, 0, SOURCE_NICE },
		{ "[rule r]\nexe=/opt/*\npriority=-9\n", FACTS, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\nexe=/opt/*\npriority=-9\n", OWNER, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\nexe=/opt/*\npriority=-9\n", NOTHING, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\ncmdline=x\npriority=-9\n", FACTS, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\nenvironment=A=b\npriority=-9\n", FACTS, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\ncomm=x\npriority=-9\n", FACTS, 0, 0, SOURCE_NICE },
		{ "[rule r]\ncomm=x\npriority=-9\n", OWNER, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\nunit=x\npriority=-256\n", OWNER, -256, -256, SOURCE_UNREAD },
		{ "[rule r]\ncgroup=x\npriority=-9\n", OWNER, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\nuser_unit=x\npriority=-9\n", OWNER, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\ncontainer=x\npriority=-9\n", OWNER, -9, -9, SOURCE_UNREAD },
		/* The kernel says whose it is. */
		{ "[rule r]\nexe=/opt/*\nuser=1001\npriority=-9\n", OWNER, 0, 0, SOURCE_NICE },
		{ "[rule r]\nexe=/opt/*\ngroup=9\npriority=-9\n", OWNER, 0, 0, SOURCE_NICE },
		{ "[rule r]\nexe=/opt/*\nnice=5\npriority=-9\n", OWNER, 0, 0, SOURCE_NICE },
		{ "[rule r]\nuser=1001\npriority=-9\n", NOTHING, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\ngroup=9\npriority=-9\n", NOTHING, -9, -9, SOURCE_UNREAD },
		{ "[rule r]\nnice=7\npriority=-9\n", NOTHING, -9, -9, SOURCE_UNREAD },
		/* What raises does not count, and hides no rule. */
		{ "[rule r]\nexe=/opt/*\nuser=1000\npriority=9\n", FACTS, 0, 0, SOURCE_NICE },
		{ "[rule r]\nexe=/opt/*\nuser=1000\npriority=9\n[rule s]\ncomm=a\npriority=-9\n",
		  FACTS, -9, -9, SOURCE_RULE },
		/* The lowest of all that might match, up to the first that does. */
		{ "[rule q]\nexe=a\npriority=-3\n[rule r]\nexe=b\npriority=-5\n[rule s]\nuser=1000\npriority=4\n"
		  "[rule t]\nexe=c\npriority=-9\n", FACTS, -5, -5, SOURCE_UNREAD },
		{ "[rule r]\nexe=a\nmax_priority=-4\npriority=-6\n[rule s]\nuser=1000\nmax_priority=7\n",
		  FACTS, -6, -4, SOURCE_UNREAD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static char environment[] = "\0", cmdline[] = "a";
		struct process process = {
			.known = cases[i].known >= OWNER,
			.has_facts = cases[i].known >= FACTS,
			.has_rest = cases[i].known == ALL,
		};
		struct rating rating;

		if (process.known)
			process.uid = process.gid = 1000;
		if (process.has_facts)
			strcpy(process.comm, "a");
		if (process.has_rest) {
			strcpy(process.exe, "/usr/bin/a");
			process.environ = environment;
			process.cmdline = cmdline;
		}
		rate(&rating, &process, cases[i].rules);
		if (rating.priority != cases[i].priority || rating.limit != cases[i].limit ||
		    rating.source != cases[i].source)
			fail_msg("case %zu: %d from %s, limit %d", i, rating.priority,
				 rating_source_name(rating.source), rating.limit);
	}
}

/* What was too long to be kept is not known. */
static void cut_lowers(void **state)
{
	static const struct {
		const char *rules;
		unsigned int cut;
	} cases[] = {
		{ "[rule r]\nexe=x\npriority=-9\n", PROCESS_CUT_EXE },
		{ "[rule r]\ncgroup=x\npriority=-9\n", PROCESS_CUT_CGROUP },
		{ "[rule r]\ngroup=9\npriority=-9\n", PROCESS_CUT_GROUPS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct process process = { READ, .uid = 1000, .gid = 1000 };
		struct rating rating;

		rate(&rating, &process, cases[i].rules);
		assert_int_equal(rating.priority, 0);
		process.cut = cases[i].cut;
		rate(&rating, &process, cases[i].rules);
		assert_int_equal(rating.priority, -9);
		assert_int_equal(rating.source, SOURCE_UNREAD);
	}
}

/* A process without its leader: its owner is known, its executable and environment are not. */
static void no_leader(void **state)
{
	struct process process;
	int ends[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork_child();
	if (!pid) {
		run_without_leader(ends[1]);
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	wait_until(is_zombie(pid));
	process_read_facts(&process, pid);
	process_read_rest(&process, true);
	assert_true(process.known);
	assert_true(process.has_facts);
	assert_int_equal(process.uid, getuid());
	assert_false(process.has_rest);
	process_free(&process);
	kill(pid, SIGKILL);
	wait_for(pid);
	close(ends[0]);
}

/* What a process can say of itself does not raise it, unless the rule says so. */
static void descriptions_do_not_raise(void **state)
{
	static char environment[] = "JOB=serve\0";
	static char cmdline[] = "serve --now";
	const struct process process = {
		READ, .uid = 1000, .gid = 100, .nice = 5,
		.exe = "/opt/serve", .comm = "serve",
		.cgroup = "/user.slice/u.service/serve",
		.root_cgroup = "/user.slice/u.service", .unit = "u.service",
		.user_unit = "serve.service", .container = "serve",
		.cmdline = cmdline, .environ = environment,
	};
	static const char *const doubtful[] = {
		"exe=/opt/serve", "comm=serve", "cmdline=serve*", "nice=5",
		"environment=JOB=serve", "user_unit=serve.*", "container=serve",
		/* Root has not named that part. */
		"cgroup=*/serve",
	};
	static const char *const sure[] = {
		"user=1000", "group=100", "unit=u.service", "cgroup=/user.slice/*",
	};
	struct rating rating;
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(doubtful) / sizeof(doubtful[0]); i++) {
		snprintf(text, sizeof(text), "[rule r]\n%s\npriority=9\nmax_priority=10\n",
			 doubtful[i]);
		rate(&rating, &process, text);
		if (!rating.doubted || rating.priority != 0 || rating.limit != 0)
			fail_msg("%s raises to %d", doubtful[i], rating.priority);
		strcat(text, "user=1000\n");
		rate(&rating, &process, text);
		assert_false(rating.doubted);
		assert_int_equal(rating.priority, 9);
		assert_int_equal(rating.limit, 10);
		/* It may lower, whatever it looks at. */
		snprintf(text, sizeof(text), "[rule r]\n%s\npriority=-9\n", doubtful[i]);
		rate(&rating, &process, text);
		assert_false(rating.doubted);
		assert_int_equal(rating.priority, -9);
	}
	for (size_t i = 0; i < sizeof(sure) / sizeof(sure[0]); i++) {
		snprintf(text, sizeof(text), "[rule r]\n%s\npriority=9\n", sure[i]);
		rate(&rating, &process, text);
		if (rating.doubted || rating.priority != 9)
			fail_msg("%s does not raise", sure[i]);
	}
}

/* Such a rule is understood, and said to be doubtful, with its place. */
static void doubts(void **state)
{
	struct config config;
	char error[256], wanted[128];

	(void)state;
	assert_int_equal(load(&config,
		"[rule a]\nuser=0\npriority=5\n[rule b]\ncomm=x\npriority=5\n"
		"[rule c]\ncomm=x\npriority=0\n[rule d]\nexe=x\nmax_priority=1\n"
		"[rule e]\nexe=x\npriority=5\ntrust_descriptive=yes\n", error), 0);
	assert_int_equal(config.rule_count, 5);
	snprintf(wanted, sizeof(wanted), "%s:4:1: rule 'b' raises", path);
	assert_int_equal(strncmp(config_doubt(&config, 0), wanted, strlen(wanted)), 0);
	assert_non_null(strstr(config_doubt(&config, 0), "trust_descriptive=yes"));
	snprintf(wanted, sizeof(wanted), "%s:10:1: rule 'd' raises", path);
	assert_int_equal(strncmp(config_doubt(&config, 1), wanted, strlen(wanted)), 0);
	assert_null(config_doubt(&config, 2));
	config_free(&config);
}

/* What a program says of itself: lower freely, higher as far as is allowed. */
static void environment_rates(void **state)
{
	static const struct {
		const char *environment;
		const char *rules;
		bool capable;
		int32_t priority;
		enum rating_source source;
	} cases[] = {
		{ "XSCHED_AUTO_XQUEUE_PRIORITY=-7", "", false, -7,
		  SOURCE_ENVIRONMENT },
		{ "XSCHED_AUTO_XQUEUE_PRIORITY=7", "", false, 0,
		  SOURCE_ENVIRONMENT },
		{ "XSCHED_AUTO_XQUEUE_PRIORITY=7", "", true, 7,
		  SOURCE_ENVIRONMENT },
		{ "XSCHED_AUTO_XQUEUE_PRIORITY=-256", "", false, -256,
		  SOURCE_ENVIRONMENT },
		{ "XSCHED_AUTO_XQUEUE_PRIORITY=7",
		  "[rule r]\nuser=1000\nmax_priority=5\n", false, 5,
		  SOURCE_ENVIRONMENT },
		{ "XSCHED_AUTO_XQUEUE_PRIORITY=7",
		  "[rule r]\nuser=1000\npriority=3\n", false, 3,
		  SOURCE_RULE },
		{ "XSCHED_AUTO_XQUEUE_PRIORITY=7",
		  "[rule r]\nuser=1000\npriority=3\nmax_priority=9\n", false,
		  7, SOURCE_ENVIRONMENT },
		{ "XSCHED_AUTO_XQUEUE_PRIORITY=x", "", false, 0, SOURCE_NICE },
		{ "XSCHED_AUTO_XQUEUE_PRIORITY=256", "", false, 0,
		  SOURCE_NICE },
		{ "XSCHED_AUTO_XQUEUE=OFF\0XSCHED_AUTO_XQUEUE_PRIORITY=-7\0",
		  "", false, 0, SOURCE_NICE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct process process = {
			READ, .uid = 1000, .gid = 1000,
			.nice_capable = cases[i].capable,
		};
		char environment[128] = "";
		struct rating rating;

		memcpy(environment, cases[i].environment,
		       i == 9 ? 54 : strlen(cases[i].environment));
		process.environ = environment;
		rate(&rating, &process, cases[i].rules);
		if (rating.priority != cases[i].priority ||
		    rating.source != cases[i].source)
			fail_msg("case %zu: %d from %d", i, rating.priority,
				 rating.source);
	}
}

/* XSched's other variables become hints in the engine's units. */
static void environment_hints(void **state)
{
	static char environment[] = "XSCHED_AUTO_XQUEUE_UTILIZATION=40\0"
		"XSCHED_AUTO_XQUEUE_DEADLINE=1500\0"
		"XSCHED_AUTO_XQUEUE_TIMESLICE=99\0"
		"XSCHED_AUTO_XQUEUE_LEVEL=2\0";
	struct process process = { READ, .environ = environment };
	struct rating rating;

	(void)state;
	rate(&rating, &process, "");
	assert_int_equal(rating.hint_count, 2);
	assert_int_equal(rating.hints[0].hint, XSCHED_HINT_UTILIZATION);
	assert_int_equal(rating.hints[0].value, 40);
	assert_int_equal(rating.hints[1].hint, XSCHED_HINT_DEADLINE_NS);
	assert_int_equal(rating.hints[1].value, 1500000);
	assert_int_equal(rating.level, 2);
}

/* Tenants of several processes, by rule or by setting. */
static void groups(void **state)
{
	struct process process = { READ, .uid = 5, .gid = 5,
		.cgroup = "/a", .unit = "b.service" };
	struct rating rating;

	(void)state;
	rate(&rating, &process, "[xschedd]\ntenant=cgroup\n");
	assert_string_equal(rating.group, "cgroup:/a");
	rate(&rating, &process, "[rule r]\nuser=5\ntenant=unit\n");
	assert_string_equal(rating.group, "unit:b.service");
	strcpy(process.user_unit, "c.service");
	rate(&rating, &process, "[rule r]\nuser=5\ntenant=unit\n");
	assert_string_equal(rating.group, "unit:b.service/c.service");
	assert_int_equal(rating.priority, 0);
	/* In no container: a tenant by itself. */
	rate(&rating, &process, "[rule r]\nuser=5\ntenant=container\n");
	assert_string_equal(rating.group, "");
}

/* The cgroups that container engines make. */
static void containers(void **state)
{
#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	static const char *const cases[][2] = {
		{ "/", "" }, { "/system.slice/a.service", "" },
		{ "/system.slice/docker-" ID ".scope", ID },
		{ "/docker/" ID, ID }, { "/docker/" ID "/x", ID },
		{ "/kubepods.slice/pod1.slice/cri-containerd-" ID ".scope", ID },
		{ "/machine.slice/libpod-" ID ".scope/container", ID },
		{ "/lxc.payload.web", "web" },
		{ "/machine.slice/machine-deb.scope", "deb" },
		/* A user can make these. */
		{ "/user.slice/user-1.slice/user@1.service/docker-" ID ".scope", "" },
		{ "/user.slice/user-1.slice/user@1.service/lxc.payload.web", "" },
	};
	char out[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		process_container(cases[i][0], out, sizeof(out));
		assert_string_equal(out, cases[i][1]);
	}
}

/* Random files, of pieces that mean something: refused or loaded, no more. */
static void random_files(void **state)
{
	static const char *const pieces[] = {
		"[xschedd]\n", "[rule a]\n", "[rule b]\n", "[options]\n", "[",
		"]", "=", "\n", " ", "\t", ";", "#", "policy", "hpf", "priority",
		"exe", "environment", "A=b", "-256", "255", "9999999999999999999",
		"nice", "0..5", "..", "tenant", "cgroup", "\x80", "floor_percent",
		"max_priority", "user", "root", "\r\n", "a", "1",
	};
	uint32_t seed = 20260101;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct config config = { 0 };
		char text[1024] = "", error[256] = "";
		int ret;

		for (int i = 0; i < 40; i++) {
			seed = seed * 1664525u + 1013904223u;
			strcat(text, pieces[(seed >> 8) %
			       (sizeof(pieces) / sizeof(pieces[0]))]);
		}
		ret = load(&config, text, error);
		if (ret) {
			assert_int_equal(ret, -EINVAL);
			assert_int_equal(strncmp(error, path, strlen(path)), 0);
		} else {
			config_free(&config);
		}
	}
}

/* A policy of the directory of policies is loaded, by the name it has there; one without a policy in it is refused. */
static void plug_ins(void **state)
{
	struct config config;
	char error[256];

	(void)state;
	if (load(&config, "[xschedd]\npolicy=fcfs\n", error))
		fail_msg("%s", error);
	assert_string_equal(config.policy, "fcfs");
	config_free(&config);
	/* It is in the library from now on. */
	assert_int_equal(load(&config, "[xschedd]\npolicy=fcfs\n", error), 0);
	config_free(&config);
	assert_int_equal(load(&config, "[xschedd]\npolicy=broken\n", error), -EINVAL);
	assert_non_null(strstr(error, ":2:8: the plug-in 'broken' cannot be loaded"));
	assert_int_equal(load(&config, "[xschedd]\npolicy=../policies/fcfs\n", error), -EINVAL);
	assert_non_null(strstr(error, "there is no policy '../policies/fcfs'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(options_are_documented),
		cmocka_unit_test(example),
		cmocka_unit_test(odd_patterns),
		cmocka_unit_test(everything),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(long_line),
		cmocka_unit_test(missing_file),
		cmocka_unit_test(drop_ins),
		cmocka_unit_test(drop_ins_mask),
		cmocka_unit_test(rules_decide),
		cmocka_unit_test(parks_by_rule),
		cmocka_unit_test(conditions),
		cmocka_unit_test(unread_lowers),
		cmocka_unit_test(cut_lowers),
		cmocka_unit_test(no_leader),
		cmocka_unit_test(descriptions_do_not_raise),
		cmocka_unit_test(doubts),
		cmocka_unit_test(environment_rates),
		cmocka_unit_test(environment_hints),
		cmocka_unit_test(groups),
		cmocka_unit_test(containers),
		cmocka_unit_test(random_files),
		cmocka_unit_test(reads_process),
		cmocka_unit_test(plug_ins),
	};

	return RUN_GROUP(tests, make_directory, remove_directory);
}
