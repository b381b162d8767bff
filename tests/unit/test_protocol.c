// SPDX-License-Identifier: MIT
/* Requests of the control socket: what is understood, and what is refused. */
#include "unit.h"

#include "serve/protocol.h"

static int parse(const char *line, struct request *request,
		 const char **message)
{
	return protocol_parse(request, line, strlen(line), message);
}

/* Every command with everything it takes. */
static void good_requests(void **state)
{
	struct request r;
	const char *m;

	(void)state;
	assert_int_equal(parse("{\"cmd\":\"stats\"}", &r, &m), 0);
	assert_int_equal(r.command, COMMAND_STATS);
	assert_int_equal(parse("{\"cmd\":\"status\"}", &r, &m), 0);
	assert_int_equal(r.command, COMMAND_STATS);
	assert_int_equal(parse("{\"cmd\":\"list\"}", &r, &m), 0);
	assert_int_equal(r.command, COMMAND_LIST);
	assert_int_equal(parse("{\"pid\":7,\"cmd\":\"suspend\"}", &r, &m), 0);
	assert_int_equal(r.command, COMMAND_SUSPEND);
	assert_int_equal(r.pid, 7);
	assert_int_equal(parse("{\"cmd\":\"resume\",\"pid\":7}", &r, &m), 0);
	assert_int_equal(r.command, COMMAND_RESUME);
	assert_int_equal(parse("{\"cmd\":\"priority\",\"pid\":7,"
			       "\"priority\":-255}", &r, &m), 0);
	assert_int_equal(r.command, COMMAND_PRIORITY);
	assert_int_equal(r.priority, -255);
	assert_int_equal(parse("{\"cmd\":\"policy\"}", &r, &m), 0);
	assert_int_equal(r.command, COMMAND_POLICY);
	assert_string_equal(r.policy, "");
	assert_int_equal(parse("{\"cmd\":\"policy\",\"policy\":\"hpf\"}", &r,
			       &m), 0);
	assert_string_equal(r.policy, "hpf");
}

static const char *const bad[] = {
	"", " ", "x", "null", "1", "\"list\"", "[]", "{}", "{", "{\"cmd\"",
	"[[[[[[[[[[", "{\"cmd\":{\"a\":{\"b\":{\"c\":1}}}}",
	"{\"cmd\":\"list\"} x", "{\"cmd\":\"list\"}{\"cmd\":\"list\"}",
	"{\"cmd\":\"list\",}", "{'cmd':'list'}", "{\"cmd\":null}",
	"{\"cmd\":1}", "{\"cmd\":\"\"}", "{\"cmd\":\"reboot\"}",
	"{\"cmd\":\"list\\u0000\"}", "{\"cmd\":\"list\",\"x\":1}",
	"{\"cmd\":\"list\",\"pid\":1}", "{\"cmd\":\"suspend\"}",
	"{\"cmd\":\"suspend\",\"pid\":0}", "{\"cmd\":\"suspend\",\"pid\":-1}",
	"{\"cmd\":\"suspend\",\"pid\":\"1\"}",
	"{\"cmd\":\"suspend\",\"pid\":1.5}", "{\"cmd\":\"suspend\",\"pid\":[]}",
	"{\"cmd\":\"suspend\",\"pid\":null}",
	"{\"cmd\":\"suspend\",\"pid\":2147483648}",
	"{\"cmd\":\"suspend\",\"pid\":99999999999999999999999}",
	"{\"cmd\":\"suspend\",\"pid\":1,\"priority\":1}",
	"{\"cmd\":\"priority\",\"pid\":1}",
	"{\"cmd\":\"priority\",\"priority\":1}",
	"{\"cmd\":\"priority\",\"pid\":1,\"priority\":256}",
	"{\"cmd\":\"priority\",\"pid\":1,\"priority\":-257}",
	"{\"cmd\":\"priority\",\"pid\":1,\"priority\":true}",
	"{\"cmd\":\"policy\",\"policy\":\"\"}",
	"{\"cmd\":\"policy\",\"policy\":7}",
	"{\"cmd\":\"policy\",\"policy\":\"a-name-that-is-far-too-long-for-it\"}",
	"{\"cmd\":\"\xff\xfe\"}",
};

/* Everything else: refused with a reason, nothing handed out. */
static void bad_requests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct request r = { .pid = 77 };
		const char *message = NULL;

		if (parse(bad[i], &r, &message) != -EINVAL)
			fail_msg("accepted: %s", bad[i]);
		assert_non_null(message);
		assert_int_equal(r.pid, 77);
	}
}

/* Every single byte of a good request replaced by others: no crash, and what
 * is accepted stays within its limits.
 */
static void mangled_requests(void **state)
{
	static const char good[] =
		"{\"cmd\":\"priority\",\"pid\":123,\"priority\":-20}";
	static const char bytes[] = "{}[]\",:0-9e.\\u \n\t\x01\x7f\x80\xff";

	(void)state;
	for (size_t i = 0; i < sizeof(good) - 1; i++) {
		for (size_t b = 0; b < sizeof(bytes); b++) {
			char line[sizeof(good)];
			struct request r;
			const char *m;

			memcpy(line, good, sizeof(good));
			line[i] = bytes[b];
			if (protocol_parse(&r, line, sizeof(good) - 1, &m))
				continue;
			assert_int_equal(r.command, COMMAND_PRIORITY);
			assert_true(r.pid > 0);
			assert_in_range(r.priority + 256, 0, 511);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_requests),
		cmocka_unit_test(bad_requests),
		cmocka_unit_test(mangled_requests),
	};

	return RUN(tests);
}
