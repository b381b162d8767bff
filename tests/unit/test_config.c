// SPDX-License-Identifier: MIT
/* The configuration: what is understood, and what is said of what is not. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/xschedd/config.h"
#include "../../tools/xschedd/process.h"

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

/* An empty file gives the documented defaults. */
static void defaults(void **state)
{
	struct config config;
	char error[256];

	(void)state;
	assert_int_equal(load(&config, "", error), 0);
	assert_string_equal(config.policy, "hpf");
	assert_string_equal(config.device, "/dev/kfd_xsched");
	assert_string_equal(config.socket, "/run/xsched/xschedd.sock");
	assert_null(config.trace);
	assert_int_equal(config.sample_us, 100);
	assert_int_equal(config.settle_us, 500);
	assert_int_equal(config.grace_us, 0);
	assert_false(config.unmap);
	assert_true(config.realtime);
	assert_int_equal(config.rule_count, 0);
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
	assert_string_equal(config.rules[0].exe, "/opt/*/serve");
	assert_int_equal(config.rules[0].priority, 255);
	assert_string_equal(config.rules[1].comm, "train*");
	assert_true(config.rules[1].has_user);
	assert_int_equal(config.rules[1].uid, 0);
	assert_int_equal(config.rules[1].priority, -255);
	config_free(&config);
}

static const struct bad {
	const char *text;
	int line;
	const char *message;
} bad[] = {
	{ "x=1\n", 1, "before the first section" },
	{ "[xschedd]\nfoo=1\n", 2, "no setting 'foo'" },
	{ "[xschedd]\npolicy=best\n", 2, "no policy 'best'" },
	{ "[xschedd]\npolicy=hpf\n\npolicy=hpf\n", 4, "set twice" },
	{ "[xschedd]\nsample_us=19\n", 2, "not within 20..1000000" },
	{ "[xschedd]\nsample_us=1000001\n", 2, "not within 20..1000000" },
	{ "[xschedd]\nsample_us=5x\n", 2, "not a number" },
	{ "[xschedd]\nsample_us=\n", 2, "not a number" },
	{ "[xschedd]\nsettle_us=99999999999999999999\n", 2, "not within" },
	{ "[xschedd]\ngrace_us=-1\n", 2, "not within" },
	{ "[xschedd]\nlevel=kill\n", 2, "'suspend' or 'unmap'" },
	{ "[xschedd]\nrealtime=1\n", 2, "'yes' or 'no'" },
	{ "[xschedd]\nsocket=x.sock\n", 2, "not an absolute path" },
	{ "[xschedd]\nnonsense\n", 2, "NAME=VALUE" },
	{ "[xschedd\npolicy=hpf\n", 1, "not a section" },
	{ "[other]\n", 1, "no section [other]" },
	{ "[rule]\n", 1, "no section [rule]" },
	{ "[rule a]\nexe=a\n", 2, "rule 'a' above has no priority" },
	{ "[rule a]\n[xschedd]\n", 2, "rule 'a' above has no priority" },
	{ "[rule a]\npriority=1\n", 2, "none of exe, comm, user" },
	{ "[rule a]\nexe=a\npriority=256\n", 3, "not within -255..255" },
	{ "[rule a]\nexe=a\npriority=high\n", 3, "not a number" },
	{ "[rule a]\nexe=a\nexe=b\n", 3, "set twice" },
	{ "[rule a]\nexe=\n", 2, "empty value" },
	{ "[rule a]\nnice=1\n", 2, "a rule has no 'nice'" },
	{ "[rule a]\nuser=no-such-user-here\n", 2, "no user" },
	{ "[rule a]\nuser=4294967295\n", 2, "not a user id" },
	{ "[rule a]\nexe=a\npriority=1\n[rule a]\n", 4, "already" },
};

/* Each mistake: refused, with file, line and what is wrong. */
static void mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct config config = { .sample_us = 77 };
		char error[256] = "", prefix[128];

		assert_int_equal(load(&config, bad[i].text, error), -EINVAL);
		snprintf(prefix, sizeof(prefix), "%s:%d: ", path, bad[i].line);
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
	assert_non_null(strstr(error, ":2: line too long"));
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
	assert_non_null(strstr(error, "20.conf:1: there is a rule 'x' already"));
	unlink(one);
	unlink(two);
	unlink(ignored);
	rmdir(name);
}

static int32_t priority_of(const struct config *config, const char *exe,
			   const char *comm, uid_t uid, int nice)
{
	struct process process = { .known = true, .uid = uid, .nice = nice };
	const char *rule;

	snprintf(process.exe, sizeof(process.exe), "%s", exe);
	snprintf(process.comm, sizeof(process.comm), "%s", comm);
	return process_priority(&process, config, &rule);
}

/* The first rule that matches decides; without one the nice value does. */
static void rules_decide(void **state)
{
	struct config config;
	char error[256];

	(void)state;
	assert_int_equal(load(&config,
		"[rule base]\nexe=serve\npriority=5\n"
		"[rule full]\nexe=/opt/a/*\npriority=6\n"
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

/* /proc tells who we are. */
static void reads_process(void **state)
{
	struct process process;

	(void)state;
	process_read(&process, getpid());
	assert_true(process.known);
	assert_int_equal(process.uid, getuid());
	assert_false(process.changed_credentials);
	assert_string_equal(process.comm, "test_config");
	assert_non_null(strstr(process.exe, "/test_config"));
	/* Above the largest pid Linux gives out. */
	process_read(&process, 0x7fffffff);
	assert_false(process.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(everything),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(long_line),
		cmocka_unit_test(missing_file),
		cmocka_unit_test(drop_ins),
		cmocka_unit_test(rules_decide),
		cmocka_unit_test(reads_process),
	};

	return cmocka_run_group_tests_name(XSCHED_UNIT_NAME, tests,
					   make_directory, remove_directory);
}
