// SPDX-License-Identifier: MIT
/*
 * The HTTP front of xschedd: XSched's routes with its keys, permissions, and misuse,
 * while the GPUs are scheduled all the same.
 */
#include "xschedd_bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Queue 1 of GPU 100: kDeviceTypeGPU << 32 | gpu_id. */
#define DEVICE	"8589934692"

static uint16_t port;

/* ---- a client ----------------------------------------------------------- */

/* A port without a listener. */
static uint16_t free_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	close(fd);
	return ntohs(address.sin_port);
}

static void start_front(struct bench *b, const char *more)
{
	char text[512];

	port = free_port();
	snprintf(text, sizeof(text), "http_port=%u\nhttp_front=yes\nhttp_root=yes\n%s", port,
		 more);
	start_daemon(b, text);
}

static int connect_to(const char *address, int flags)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

	if (fd < 0)
		return -errno;
	inet_pton(AF_INET, address, &to.sin_addr);
	set_patience(fd);
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    errno == EINPROGRESS)
		return fd;
	close(fd);
	return -errno;
}

static int connect_http(void)
{
	int fd = connect_to("127.0.0.1", 0);

	assert_true(fd >= 0);
	return fd;
}

/* Whether xschedd has accepted it: its end of it has an inode since then. */
static bool accepted(int fd)
{
	struct sockaddr_in own;
	socklen_t size = sizeof(own);
	unsigned int there, inode = 0;
	char line[256];
	FILE *f = fopen("/proc/net/tcp", "re");

	assert_non_null(f);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &size), 0);
	while (!inode && fgets(line, sizeof(line), f))
		if (sscanf(line, " %*d: %*x:%*x %*x:%x %*x %*x:%*x %*x:%*x %*x %*u %*u %u",
			   &there, &inode) != 2 || there != ntohs(own.sin_port))
			inode = 0;
	fclose(f);
	return inode;
}

/* connect() returns before the other end knows: a thread of the kernel can be in between. */
static int connect_accepted(void)
{
	int fd = connect_http();

	wait_until(accepted(fd));
	return fd;
}

/* Bytes as they are; all that comes back until the other end hangs up. */
static const char *talk(const char *text, size_t length)
{
	static char answer[65536];
	int fd = connect_http();
	size_t used = 0;
	ssize_t got;

	send(fd, text, length, MSG_NOSIGNAL);
	do {
		got = receive(fd, answer + used, sizeof(answer) - 1 - used);
		used += got > 0 ? got : 0;
	} while (got > 0 && used < sizeof(answer) - 1);
	answer[used] = '\0';
	close(fd);
	return answer;
}

/* What xschedd grants a connection for a request, and for the next one. */
#define PATIENCE	(10 * SECOND)

/* Whether the other end has hung up, or does soon: what it has done comes by TCP. */
static bool hung_up(int fd)
{
	char byte[256];

	errno = 0;
	while (recv(fd, byte, sizeof(byte), 0) > 0)
		;
	/* EAGAIN: nothing for as long as we had patience. */
	return errno != EAGAIN;
}

/* A request with a body, or NULL: the whole answer, with its head. */
static const char *http(const char *method, const char *path, const char *body)
{
	static char request[16384];
	int length;

	length = snprintf(request, sizeof(request),
			  "%s %s HTTP/1.1\r\nHost: localhost:%u\r\n"
			  "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
			  method, path, port, body ? strlen(body) : 0,
			  body ? body : "");
	return talk(request, length);
}

static void wants(const char *answer, int status, const char *text)
{
	char head[32];

	snprintf(head, sizeof(head), "HTTP/1.1 %d ", status);
	if (strncmp(answer, head, strlen(head)) || !strstr(answer, text))
		fail_msg("not %d, %s, but: %s", status, text, answer);
}

/* The daemon still holds and releases: high has work, then it has none. */
static void still_schedules(struct bench *b)
{
	send_event(b, READY, b->pids[0], 1);
	expect(b, "holds", "%d\n", b->pids[1]);
	send_event(b, IDLE, b->pids[0], 1);
	wait_until(!*read_whole(b, "holds"));
}

/* Two tenants, which the daemon and the kernel know. */
static void two_listed(struct bench *b)
{
	two_tenants(b);
	write_file(b, "queues", "1 %d 100 0\n2 %d 100 1\n", b->pids[0],
		   b->pids[1]);
	until_read(b);
	assert_int_equal(ctl(b, "priority %d 0", b->pids[0]), 0);
}

/* ---- routes ------------------------------------------------------------- */

/* The member of an object that must have it. */
static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value))
		fail_msg("no '%s' in %s", name, json_object_to_json_string(object));
	return value;
}

static struct json_object *body_of(const char *answer)
{
	const char *body = strstr(answer, "\r\n\r\n");
	struct json_object *object;

	assert_non_null(body);
	object = json_tokener_parse(body + 4);
	assert_non_null(object);
	return object;
}

static void check_xqueue(struct json_object *xqueue, int handle, pid_t pid,
			 bool ready)
{
	assert_int_equal(json_object_object_length(xqueue), 8);
	assert_int_equal(json_object_get_int64(member(xqueue, "handle")), handle);
	assert_string_equal(json_object_get_string(member(xqueue, "device")),
			    DEVICE);
	assert_int_equal(json_object_get_int(member(xqueue, "level")), 3);
	assert_int_equal(json_object_get_int(member(xqueue, "pid")), pid);
	assert_int_equal(json_object_get_int(member(xqueue, "threshold")), -1);
	assert_int_equal(json_object_get_int(member(xqueue, "batch_size")), -1);
	assert_int_equal(json_object_get_boolean(member(xqueue, "ready")), ready);
	assert_false(json_object_get_boolean(member(xqueue, "suspended")));
}

static void check_process(struct json_object *process, pid_t pid)
{
	assert_int_equal(json_object_object_length(process), 2);
	assert_int_equal(json_object_get_int(member(process, "pid")), pid);
	assert_non_null(strstr(json_object_get_string(member(process, "cmdline")),
			       "test_http"));
}

/* GET /xqueues, GET /xqueue/HANDLE: XSched's keys, all of them and no others. */
static void tells_queues(void **state)
{
	struct bench *b = *state;
	struct json_object *o, *list;

	start_front(b, "");
	two_listed(b);
	o = body_of(http("GET", "/xqueues", NULL));
	list = member(o, "xqueues");
	assert_int_equal(json_object_array_length(list), 2);
	check_xqueue(json_object_array_get_idx(list, 0), 1, b->pids[0], false);
	check_xqueue(json_object_array_get_idx(list, 1), 2, b->pids[1], true);
	list = member(o, "processes");
	assert_int_equal(json_object_array_length(list), 2);
	json_object_put(o);
	o = body_of(http("GET", "/xqueue/2", NULL));
	check_xqueue(member(o, "xqueue"), 2, b->pids[1], true);
	check_process(member(o, "process"), b->pids[1]);
	json_object_put(o);
	wants(http("GET", "/xqueue/3", NULL), 404, "{\"error\":\"XQueue not found\"}");
	wants(http("GET", "/xqueue/", NULL), 400, "not a hexadecimal number");
	wants(http("GET", "/xqueue/-1", NULL), 400, "not a hexadecimal number");
	wants(http("GET", "/xqueue/2x", NULL), 400, "not a hexadecimal number");
	wants(http("GET", "/xqueue/fffffffffffffffff", NULL), 400,
	      "not a hexadecimal number");
}

/* POST /config/HANDLE: levels there are, and nothing that is not there. */
static void configures(void **state)
{
	struct bench *b = *state;

	start_front(b, "");
	two_listed(b);
	wants(http("POST", "/config/1?level=3&threshold=-1&batch_size=-1", NULL),
	      200, "{\"info\":\"success\"}");
	wants(http("POST", "/config/1", NULL), 200, "\"warning\":\"no change\"");
	wants(http("POST", "/config/1?level=1", NULL), 400, "level 1 is not there");
	/* The fake GPU cannot unmap. */
	wants(http("POST", "/config/1?level=2", NULL), 400,
	      "not every GPU has this level");
	wants(http("POST", "/config/1?level=4", NULL), 400, "invalid level");
	wants(http("POST", "/config/1?level=x", NULL), 400, "invalid level");
	wants(http("POST", "/config/1?level=3&threshold=8", NULL), 400,
	      "threshold and batch_size are not there");
	wants(http("POST", "/config/9?level=3", NULL), 404, "XQueue not found");
}

/* GET and POST /policy: by XSched's numbers. */
static void sets_policy(void **state)
{
	struct bench *b = *state;

	start_front(b, "");
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
	wants(http("POST", "/policy?policy=10", NULL), 200, "success");
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":10}");
	assert_non_null(strstr(question(b, "{\"cmd\":\"policy\"}"),
			       "\"policy\":\"cfs\""));
	wants(http("POST", "/policy?policy=6", NULL), 400, "invalid policy");
	wants(http("POST", "/policy?policy=12", NULL), 400, "invalid policy");
	wants(http("POST", "/policy?policy=", NULL), 400, "invalid policy");
	wants(http("POST", "/policy", NULL), 400, "invalid policy");
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":10}");
}

static const char *hint(const char *format, ...)
{
	char body[256];
	va_list args;

	va_start(args, format);
	vsnprintf(body, sizeof(body), format, args);
	va_end(args);
	return http("POST", "/hint", body);
}

/* POST /hint: by handle or pid; what it says takes effect. */
static void takes_hints(void **state)
{
	struct bench *b = *state;

	start_front(b, "");
	two_listed(b);
	wants(hint("{\"hint_type\":1,\"pid\":%d,\"priority\":-256}", b->pids[1]),
	      200, "success");
	expect(b, "holds", "%d\n", b->pids[1]);
	wants(hint("{\"hint_type\":1,\"handle\":2,\"priority\":5}"), 200, "success");
	expect(b, "log", " release %d = 0\n", b->pids[1]);
	wants(hint("{\"hint_type\":2,\"handle\":2,\"utilization\":40}"), 200,
	      "success");
	wants(hint("{\"hint_type\":3,\"timeslice\":5000}"), 200, "success");
	wants(hint("{\"hint_type\":7,\"pid\":%d,\"display\":0}", b->pids[0]), 200,
	      "success");
	wants(hint("{\"hint_type\":7,\"pid\":%d,\"display\":0}", b->pids[1]), 200,
	      "success");
	wants(hint("{\"hint_type\":1,\"priority\":5}"), 400,
	      "handle or pid is required");
	wants(hint("{\"hint_type\":1,\"handle\":2,\"priority\":256}"), 400,
	      "missing or invalid");
	wants(hint("{\"hint_type\":1,\"handle\":9,\"priority\":5}"), 404,
	      "XQueue not found");
	wants(hint("{\"hint_type\":4,\"handle\":2}"), 400, "invalid hint type");
	wants(hint("{\"handle\":2}"), 400, "missing hint type");
}

/* /metrics, and with http_front=no nothing but that. */
static void tells_metrics(void **state)
{
	static const char held[] = "\nxsched_node_held_seconds_total{gpu=\"100\"} ";
	struct bench *b = *state;
	char text[32];
	double held_s;

	port = free_port();
	snprintf(text, sizeof(text), "http_port=%u\n", port);
	start_daemon(b, text);
	two_listed(b);
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	advance(b, 1500 * MS);
	send_event(b, IDLE, b->pids[0], 1);
	until_idle(b);
	wants(http("GET", "/metrics", NULL), 200,
	      "Content-Type: text/plain; version=0.0.4");
	wants(http("GET", "/metrics", NULL), 200, "\nxsched_switches_total 2\n");
	wants(http("GET", "/metrics", NULL), 200, held);
	held_s = strtod(strstr(http("GET", "/metrics", NULL), held) + strlen(held), NULL);
	/* From the end of one switch to the end of the next, which took 6 ns. */
	assert_true(held_s > 1.5 && held_s < 1.5 + 7e-9);
	snprintf(text, sizeof(text), "tenant_demoted{pid=\"%d\",", b->pids[0]);
	wants(http("GET", "/metrics", NULL), 200, text);
	wants(http("GET", "/metrics", NULL), 200, "\n# TYPE xsched_tenant_demoted gauge\n");
	wants(http("POST", "/metrics", NULL), 405, "only GET");
	wants(http("GET", "/xqueues", NULL), 404, "there is only \\/metrics");
	wants(http("POST", "/policy?policy=10", NULL), 404, "there is only");
}

/* The value of a metric of a process; -1: it is not there. */
static double metric_of(const char *name, pid_t pid)
{
	char text[64];
	const char *line;

	snprintf(text, sizeof(text), "\nxsched_%s{pid=\"%d\",", name, pid);
	line = strstr(http("GET", "/metrics", NULL), text);
	line = line ? strstr(line, "} ") : NULL;
	return line ? strtod(line + 2, NULL) : -1;
}

/* Who is parked, and how often it came back. */
static void tells_parks(void **state)
{
	struct bench *b = *state;
	char text[32];

	port = free_port();
	snprintf(text, sizeof(text), "http_port=%u\n", port);
	start_daemon(b, text);
	two_listed(b);
	assert_int_equal(metric_of("tenant_parked", b->pids[0]), 0);
	write_file(b, "parked", "%d\n", b->pids[0]);
	/* What is read from the kernel is read once a second. */
	advance(b, SECOND - 1);
	assert_int_equal(metric_of("tenant_parked", b->pids[0]), 0);
	advance(b, 1);
	assert_int_equal(metric_of("tenant_parked", b->pids[0]), 1);
	assert_int_equal(metric_of("tenant_returns_total", b->pids[0]), 3);
	assert_int_equal(metric_of("tenant_parked", b->pids[1]), 0);
	assert_int_equal(metric_of("tenant_parked", 1), -1);
	wants(http("GET", "/metrics", NULL), 200, "\nxsched_node_parks_total{gpu=\"100\"} 1\n");
	wants(http("GET", "/metrics", NULL), 200, "\nxsched_node_returns_total{gpu=\"100\"} 3\n");
	wants(http("GET", "/metrics", NULL), 200,
	      "\nxsched_node_return_seconds_bucket{gpu=\"100\",le=\"0.0001\"} 3\n");
}

/* What runs together: read once, at the start; a version is enough, else there is a checksum. */
static void tells_build(void **state)
{
	struct bench *b = *state;
	char text[512];
	struct utsname names;

	assert_int_equal(uname(&names), 0);
	write_file(b, "kfd_xsched.version", "%s", "");
	write_file(b, "amdgpu.version", "kfd-\"xsched-0.1.0\n");
	write_file(b, "amdgpu.srcversion", "0123ABCD\n");
	write_file(b, "kfd_xsched.srcversion", "4567EF89\n");
	port = free_port();
	snprintf(text, sizeof(text), "http_port=%u\n", port);
	start_daemon(b, text);
	write_file(b, "amdgpu.version", "another\n");
	snprintf(text, sizeof(text),
		 "\nxsched_build_info{version=\"%s\",kernel=\"%s\","
		 "driver=\"kfd-\\\"xsched-0.1.0\",module=\"4567EF89\",abi=\"%u\"} 1\n",
		 xsched_version(), names.release, KFD_XSCHED_ABI_VERSION);
	wants(http("GET", "/metrics", NULL), 200, text);
	snprintf(text, sizeof(text), "\"module\":\"4567EF89\",\"abi\":%u}",
		 KFD_XSCHED_ABI_VERSION);
	assert_non_null(strstr(question(b, "{\"cmd\":\"stats\"}"), text));
	assert_int_equal(ctl(b, "stats"), 0);
	expect(b, "out", "module           4567EF89\n");
}

/* Modules without a version and without a checksum. */
static void tells_no_build(void **state)
{
	struct bench *b = *state;
	char text[32];

	port = free_port();
	snprintf(text, sizeof(text), "http_port=%u\n", port);
	write_file(b, "amdgpu.version", "%s", "");
	start_daemon(b, text);
	wants(http("GET", "/metrics", NULL), 200, ",driver=\"\",module=\"\",abi=");
}

/* Each metric of ours that an alert of packaging/xschedd.rules.yml looks at is there. */
static void alerts_on_metrics(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	struct bench *b = *state;
	FILE *file = fopen(RULES, "re");
	char line[512], text[128];
	unsigned int found = 0;

	assert_non_null(file);
	port = free_port();
	snprintf(text, sizeof(text), "http_port=%u\n", port);
	start_daemon(b, text);
	while (fgets(line, sizeof(line), file)) {
		const char *at = strchr(line, '#') ? NULL : strstr(line, "xsched_");

		for (; at; at = strstr(at + 1, "xsched_"), found++) {
			snprintf(text, sizeof(text), "\n# TYPE %.*s ", (int)strspn(at, letters), at);
			wants(http("GET", "/metrics", NULL), 200, text);
		}
	}
	fclose(file);
	assert_true(found > 5);
}

/* ---- bad requests ------------------------------------------------------- */

static void refuses_garbage(void **state)
{
	static const char *const bodies[] = {
		"", "{", "[]", "7", "\"\"", "{}{}", "{\"hint_type\":}",
		"{\"hint_type\":1e400}", "[[[[[[[[[[1]]]]]]]]]]",
		"{\"hint_type\":\"1\"}", "\xff\xfe{}", "{'hint_type':1}",
	};
	static const char bytes[] = "GETPOS /\r\n:{}\"hint0123456789%?&=\x80\xff";
	struct bench *b = *state;
	static char text[8192];
	uint32_t seed = 7;

	start_front(b, "");
	two_listed(b);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		wants(http("POST", "/hint", bodies[i]), 400, "{\"error\":\"");
	wants(http("PUT", "/policy", NULL), 405, "not with this method");
	wants(http("POST", "/xqueues", NULL), 405, "not with this method");
	wants(http("GET", "/hint", NULL), 405, "not with this method");
	wants(http("DELETE", "/xqueue/1", NULL), 405, "not with this method");
	wants(http("FROBNICATE", "/config/1", NULL), 405, "not with this method");
	wants(http("GET", "/", NULL), 404, "no such route");
	wants(http("GET", "/xqueuesx", NULL), 404, "no such route");
	wants(http("GET", "/../etc/passwd", NULL), 404, "no such route");
	memset(text, 'x', 4097);
	text[4097] = '\0';
	wants(http("POST", "/hint", text), 413, "the body is too long");
	/* Bytes of which some look like a request, with a fixed seed. */
	for (int round = 0; round < 100; round++) {
		int fd = connect_http();

		for (size_t i = 0; i < sizeof(text); i++) {
			seed = seed * 1664525u + 1013904223u;
			text[i] = bytes[(seed >> 8) % (sizeof(bytes) - 1)];
		}
		send(fd, text, sizeof(text), MSG_NOSIGNAL);
		close(fd);
	}
	/* A head that does not end. */
	memset(text, 'x', sizeof(text));
	memcpy(text, "GET /policy HTTP/1.1\r\nx: ", 25);
	for (int i = 0; i < 3; i++) {
		int fd = connect_accepted();

		send(fd, text, sizeof(text), MSG_NOSIGNAL);
		until_idle(b);
		advance(b, PATIENCE);
		assert_true(hung_up(fd));
		close(fd);
	}
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
	still_schedules(b);
	assert_int_equal(stop_daemon(b), 0);
}

/* A web page must not act for the user who views it. */
static void refuses_browsers(void **state)
{
	static const char *const heads[] = {
		"GET /policy HTTP/1.1\r\nHost: localhost\r\nOrigin: http://x\r\n",
		"GET /policy HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: none\r\n",
		"GET /policy HTTP/1.1\r\nHost: gpu.example.com\r\n",
		"GET /policy HTTP/1.1\r\nHost: localhost.example.com\r\n",
	};
	struct bench *b = *state;

	start_front(b, "");
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		char text[256];
		int length = snprintf(text, sizeof(text),
				      "%sConnection: close\r\n\r\n", heads[i]);

		wants(talk(text, length), 403, "not for browsers");
	}
}

/* No setting makes it listen elsewhere, and it serves no other address. */
static void only_on_loopback(void **state)
{
	struct bench *b = *state;

	start_front(b, "");
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
	assert_int_equal(connect_to("127.0.0.2", 0), -ECONNREFUSED);
	stop_daemon(b);
	assert_int_equal(occurrences(b, "err", "tcp_diag"), 0);
	write_file(b, "conf", "[xschedd]\nhttp_port=0.0.0.0:%u\n", port);
	assert_int_equal(wait_for(spawn_daemon(b)), 2);
	expect(b, "err", "/conf:2:11: '0.0.0.0:%u' is not a number; expected 0..65535",
	       port);
	write_file(b, "conf", "[xschedd]\nhttp_address=0.0.0.0\n");
	assert_int_equal(wait_for(spawn_daemon(b)), 2);
	expect(b, "err", "there is no setting 'http_address'");
}

/* ---- connections that stall --------------------------------------------- */

/* Half a request and no more; and one that is gone without a word. */
static void ends_half_open(void **state)
{
	static const char half[] = "POST /hint HTTP/1.1\r\nHost: localhost\r\n"
				   "Content-Length: 100\r\n\r\n{\"hint";
	struct bench *b = *state;
	int silent, started, body;

	start_front(b, "");
	two_listed(b);
	silent = connect_accepted();
	started = connect_accepted();
	body = connect_accepted();
	send(started, "GET /pol", 8, 0);
	send(body, half, sizeof(half) - 1, 0);
	/* Our half of it is closed, theirs is not. */
	shutdown(body, SHUT_WR);
	until_idle(b);
	/* The switches take 12 ns. */
	still_schedules(b);
	advance(b, PATIENCE - 12 - 1);
	assert_false(has_news(silent));
	assert_false(has_news(started));
	advance(b, 1);
	assert_true(hung_up(silent));
	assert_true(hung_up(started));
	assert_true(hung_up(body));
	close(silent);
	close(started);
	close(body);
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
}

/* A byte now and then: never idle, and hung up on all the same. */
static void ends_slow_ones(void **state)
{
	static const char head[] = "GET /policy HTTP/1.1\r\nHost: localhost\r\nx: ";
	struct bench *b = *state;
	int fd;

	start_front(b, "");
	two_listed(b);
	fd = connect_accepted();
	send(fd, head, sizeof(head) - 1, 0);
	until_idle(b);
	for (int i = 1; i < 100; i++) {
		advance(b, PATIENCE / 100);
		send(fd, "y", 1, MSG_NOSIGNAL);
	}
	advance(b, PATIENCE / 100 - 1);
	assert_false(has_news(fd));
	advance(b, 1);
	assert_true(hung_up(fd));
	close(fd);
	still_schedules(b);
}

/* A client with many requests is not slow: each begins the time anew. */
static void keeps_busy_ones(void **state)
{
	static const char request[] =
		"GET /policy HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct bench *b = *state;
	char answer[1024];
	ssize_t got;
	int fd;

	start_front(b, "");
	fd = connect_http();
	for (int i = 0; i < 20; i++) {
		assert_int_equal(send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL),
				 sizeof(request) - 1);
		got = receive(fd, answer, sizeof(answer) - 1);
		assert_true(got > 0);
		answer[got] = '\0';
		wants(answer, 200, "");
		advance(b, PATIENCE - 1);
		assert_false(has_news(fd));
	}
	advance(b, 1);
	assert_true(hung_up(fd));
	close(fd);
}

/* 10,000 connections, half of them with half a request: the GPUs are served. */
static void many_connections(void **state)
{
	struct rlimit limit = { 12000, 12000 };
	struct bench *b = *state;
	static int fds[10000];
	unsigned int made = 0;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		skip();
	start_front(b, "");
	two_listed(b);
	/* Not waited for: those there is no room for would not be made. */
	for (size_t i = 0; i < 10000; i++) {
		if (i % 200 == 0)
			advance(b, SECOND);
		fds[i] = connect_to("127.0.0.1", SOCK_NONBLOCK);
		made += fds[i] >= 0;
		if (fds[i] >= 0 && i % 2)
			send(fds[i], "GET /p", 6, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	assert_int_equal(made, 10000);
	still_schedules(b);
	assert_int_equal(ctl(b, "policy"), 0);
	for (size_t i = 0; i < 10000; i++)
		close(fds[i]);
	/* Those the kernel had queued come first. */
	advance(b, SECOND);
	wants(http("GET", "/policy", NULL), 200, "");
	still_schedules(b);
	assert_true(lines(b, "err") < 100);
	assert_int_equal(stop_daemon(b), 0);
}

/* ---- permissions -------------------------------------------------------- */

/* What another user tries; returns in the child alone if all went as it should. */
static void try_as_other(struct bench *b, pid_t own)
{
	become_user(OTHER_USER);
	assert_non_null(strstr(question(b, "{\"cmd\":\"list\"}"), "\"pid\""));
	wants(hint("{\"hint_type\":1,\"pid\":%d,\"priority\":5}", own), 403,
	      "raising a priority");
	wants(hint("{\"hint_type\":1,\"pid\":%d,\"priority\":-5}", own), 200,
	      "success");
	wants(hint("{\"hint_type\":1,\"pid\":%d,\"priority\":-5}", b->pids[0]),
	      403, "another user's process");
	wants(http("POST", "/policy?policy=10", NULL), 403, "not permitted");
	wants(hint("{\"hint_type\":3,\"timeslice\":5000}"), 403, "not permitted");
	/* Not theirs: as if it were not there. */
	wants(http("GET", "/xqueue/1", NULL), 404, "XQueue not found");
	wants(http("POST", "/config/1?level=3", NULL), 404, "XQueue not found");
	assert_null(strstr(http("GET", "/xqueues", NULL), "\"handle\":1,"));
	wants(http("GET", "/xqueues", NULL), 200, "\"handle\":9,");
	assert_null(strstr(http("GET", "/metrics", NULL), "uid=\"0\""));
	wants(http("GET", "/metrics", NULL), 200, "uid=\"65534\"");
}

static void other_users(void **state)
{
	struct bench *b = *state;
	pid_t pid;

	if (getuid())
		skip();
	start_front(b, "");
	two_listed(b);
	pid = fork_child();
	if (!pid) {
		pid_t own = spawn_others();

		write_file(b, "queues", "1 %d 100 0\n2 %d 100 1\n9 %d 100 0\n",
			   b->pids[0], b->pids[1], own);
		send_event(b, ADD, own, 9);
		until_idle(b);
		try_as_other(b, own);
		kill(own, SIGKILL);
		_exit(0);
	}
	assert_int_equal(wait_for(pid), 0);
	still_schedules(b);
}

/* A policy is changed by an administrator alone. */
static void sets_as_other(struct bench *b, int status, const char *text)
{
	pid_t pid = fork_child();

	(void)b;
	if (!pid) {
		become_user(OTHER_USER);
		wants(http("POST", "/policy?policy=10", NULL), status, text);
		_exit(0);
	}
	assert_int_equal(wait_for(pid), 0);
}

/* Members of xsched-admin are administrators, as the databases have it; that is kept for 10 s. */
static void members_are_administrators(void **state)
{
	struct bench *b = *state;

	if (getuid())
		skip();
	write_file(b, "database", "admin %u\n", OTHER_USER);
	start_front(b, "");
	sets_as_other(b, 200, "success");
	assert_int_equal(lines(b, "asked"), 1);
	write_file(b, "database", "admin %u\n", OTHER_USER + 1);
	advance(b, 10 * SECOND - 1);
	sets_as_other(b, 200, "success");
	assert_int_equal(lines(b, "asked"), 1);
	advance(b, 1);
	sets_as_other(b, 403, "not permitted");
	assert_int_equal(lines(b, "asked"), 2);
}

/* Databases that do not answer delay who is asked about, for 2 s, and nobody else. */
static void databases_delay_nobody_else(void **state)
{
	static const char request[] = "POST /policy?policy=10 HTTP/1.1\r\nHost: localhost\r\n"
				      "Content-Length: 0\r\n\r\n";
	struct bench *b = *state;
	char answer[1024];
	ssize_t got;
	int fd;

	if (getuid())
		skip();
	start_front(b, "");
	two_listed(b);
	write_file(b, "database", "stuck\n");
	act_as(OTHER_USER);
	fd = connect_accepted();
	act_as(0);
	send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL);
	expect(b, "asked", "%u\n", OTHER_USER);
	until_idle(b);
	still_schedules(b);
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
	assert_int_equal(ctl(b, "policy"), 0);
	/* The switches took 12 ns. */
	advance(b, 2 * SECOND - 12 - 1);
	assert_false(has_news(fd));
	advance(b, 1);
	got = receive(fd, answer, sizeof(answer) - 1);
	assert_true(got > 0);
	answer[got] = '\0';
	wants(answer, 403, "it is not known in time whether you are an administrator");
	expect(b, "err", "user %u is taken for no administrator", OTHER_USER);
	close(fd);
	/* It is not asked again at once. */
	sets_as_other(b, 403, "it is not known in time");
	write_file(b, "database", "admin %u\n", OTHER_USER);
	advance(b, 10 * SECOND);
	sets_as_other(b, 200, "success");
	assert_int_equal(stop_daemon(b), 0);
}

/* It ends while a request waits for the databases. */
static void ends_while_one_waits(void **state)
{
	static const char request[] = "GET /policy HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct bench *b = *state;
	int fd;

	if (getuid())
		skip();
	start_front(b, "");
	write_file(b, "database", "stuck\n");
	act_as(OTHER_USER);
	fd = connect_accepted();
	act_as(0);
	send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL);
	expect(b, "asked", "%u\n", OTHER_USER);
	assert_int_equal(stop_daemon(b), 0);
	close(fd);
}

/* A reload waits for the databases, 5 s at most, and then nothing changes. */
static void reloads_without_waiting(void **state)
{
	struct bench *b = *state;
	int fd;

	start_front(b, "");
	two_listed(b);
	write_file(b, "database", "stuck\n");
	write_file(b, "conf", "[xschedd]\ndevice=%s/dev\nsocket=%s/sock\npolicy=cfs\n"
		   "[rule r]\ngroup=xsched-admin\npriority=1\n", b->dir, b->dir);
	fd = connect_control(b);
	send(fd, "{\"cmd\":\"reload\"}\n", 17, MSG_NOSIGNAL);
	send(fd, "\n", 1, MSG_NOSIGNAL);
	until_idle(b);
	still_schedules(b);
	assert_int_equal(ctl(b, "policy"), 0);
	assert_false(has_news(fd));
	advance(b, 5 * SECOND);
	read_until(fd, "the former configuration stays");
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
	write_file(b, "database", "admin 1\n");
	ask(fd, "{\"cmd\":\"reload\"}\n", "\"ok\":true");
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":10}");
	/* As by a signal. */
	write_file(b, "database", "admin 2\n");
	write_file(b, "conf", "[xschedd]\ndevice=%s/dev\nsocket=%s/sock\npolicy=hpf\n",
		   b->dir, b->dir);
	kill(b->daemon, SIGHUP);
	wait_until(strstr(http("GET", "/policy", NULL), "{\"policy\":1}"));
	close(fd);
}

/* What is done over HTTP to another's process is recorded, without a process that asked. */
static void records_changes(void **state)
{
	struct bench *b = *state;
	pid_t own;

	if (getuid())
		skip();
	b->journal = true;
	start_front(b, "");
	b->journal = false;
	two_tenants(b);
	own = b->pids[2] = spawn_others();
	write_file(b, "queues", "1 %d 100 0\n2 %d 100 1\n9 %d 100 0\n", b->pids[0], b->pids[1],
		   own);
	send_event(b, ADD, own, 9);
	until_read(b);
	wants(hint("{\"hint_type\":1,\"pid\":%d,\"priority\":-30}", own), 200, "success");
	expect(b, "journal", "XSCHED_PID=%d XSCHED_BY_UID=0 XSCHED_BY_ACCOUNT=0", own);
	expect(b, "journal", "XSCHED_UID=65534 XSCHED_COMM=test_http XSCHED_VERB=priority "
	       "XSCHED_BEFORE=%d XSCHED_AFTER=-30 XSCHED_ERRNO=0 ",
	       -getpriority(PRIO_PROCESS, own));
	assert_null(strstr(read_whole(b, "journal"), "XSCHED_BY_PID"));
	wants(http("POST", "/config/9?level=3", NULL), 200, "success");
	expect(b, "journal", "XSCHED_VERB=level XSCHED_BEFORE=3 XSCHED_AFTER=3 XSCHED_ERRNO=0 ");
	wants(http("POST", "/config/1?level=3", NULL), 200, "success");
	assert_null(strstr(read_whole(b, "journal"), "XSCHED_UID=0 "));
}

/* Ask, and do not wait for the answer. */
static int ask_for(const char *path)
{
	char text[128];
	int fd = connect_accepted(), length;

	length = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	assert_int_equal(send(fd, text, length, MSG_NOSIGNAL), length);
	return fd;
}

/* How many of them have an answer by now. */
static int answered(const int *fds, int count)
{
	int there = 0;

	for (int i = 0; i < count; i++)
		there += has_news(fds[i]);
	return there;
}

/* All that waits: of each of these connections a request. */
static void wait_for_turns(const struct bench *b)
{
	int fds[3];

	for (int i = 0; i < 3; i++)
		fds[i] = ask_for("/policy");
	advance(b, 20 * MS - 1);
	assert_int_equal(answered(fds, 3), 0);
	/* The loop counts in microseconds. */
	advance(b, 2000);
	wait_until(answered(fds, 3) == 1);
	assert_true(has_news(fds[0]));
	advance(b, 10 * MS);
	assert_int_equal(answered(fds, 3), 1);
	advance(b, 10 * MS + 2000);
	wait_until(answered(fds, 3) == 2);
	advance(b, SECOND);
	wait_until(answered(fds, 3) == 3);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

/* It is gone when its turn comes: what libmicrohttpd says of that has its path. */
static void leave_before_turn(const struct bench *b)
{
	struct linger now = { .l_onoff = 1 };
	int fd;

	for (int i = 0; i < 20; i++)
		wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
	fd = ask_for("/a\033[2Jb");
	until_idle(b);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
	advance(b, SECOND);
}

/* A user has 16 connections, and gets some answers a second; root is served. */
static void flood_as_other(const struct bench *b)
{
	int fds[17];

	become_user(OTHER_USER);
	for (int i = 0; i < 17; i++)
		fds[i] = connect_http();
	assert_true(hung_up(fds[16]));
	for (int i = 0; i < 17; i++)
		close(fds[i]);
	/* Until their end has come there, too. */
	wait_until(!strncmp(http("GET", "/policy", NULL), "HTTP/1.1 200", 12));
	/* Of all users: 20 are free, then there is one every 20 ms. */
	for (int i = 0; i < 19; i++)
		wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
	wait_for_turns(b);
	leave_before_turn(b);
}

/* Without http_root, uid 0 may do what every user may: it can be a container's. */
static void root_is_a_user(void **state)
{
	struct bench *b = *state;
	char text[64];

	if (getuid())
		skip();
	port = free_port();
	snprintf(text, sizeof(text), "http_port=%u\nhttp_front=yes\n", port);
	start_daemon(b, text);
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
	wants(http("POST", "/policy?policy=10", NULL), 403, "not permitted");
	assert_int_equal(ctl(b, "policy cfs"), 0);
}

static void limits_users(void **state)
{
	struct bench *b = *state;
	pid_t pid;

	if (getuid())
		skip();
	b->journal = true;
	start_front(b, "");
	two_listed(b);
	pid = fork_child();
	if (!pid) {
		flood_as_other(b);
		_exit(0);
	}
	assert_int_equal(wait_for(pid), 0);
	/* No terminal obeys it. */
	expect(b, "journal", "`/a?[2Jb'");
	still_schedules(b);
	wants(http("GET", "/policy", NULL), 200, "{\"policy\":1}");
}

/* So many connections at once, of which the last one waits. */
static void accept_but_one(struct bench *b, int count)
{
	int fd;

	for (int i = 1; i < count; i++)
		close(connect_accepted());
	fd = connect_http();
	send(fd, "GET /policy HTTP/1.0\r\n\r\n", 24, MSG_NOSIGNAL);
	advance(b, 5 * MS - 1);
	assert_false(has_news(fd));
	advance(b, 1);
	read_until(fd, " 200 ");
	close(fd);
}

/* So many at once, and then one in each 5 ms. */
static void accepts_so_many_a_second(void **state)
{
	struct bench *b = *state;

	start_front(b, "");
	advance(b, SECOND);
	accept_but_one(b, 257);
	accept_but_one(b, 1);
	accept_but_one(b, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tells_queues),
		TEST(configures),
		TEST(sets_policy),
		TEST(takes_hints),
		TEST(tells_metrics),
		TEST(tells_parks),
		TEST(tells_build),
		TEST(tells_no_build),
		TEST(alerts_on_metrics),
		TEST(refuses_garbage),
		TEST(refuses_browsers),
		TEST(only_on_loopback),
		TEST(ends_half_open),
		TEST(ends_slow_ones),
		TEST(keeps_busy_ones),
		TEST(many_connections),
		TEST(other_users),
		TEST(members_are_administrators),
		TEST(databases_delay_nobody_else),
		TEST(ends_while_one_waits),
		TEST(reloads_without_waiting),
		TEST(records_changes),
		TEST(root_is_a_user),
		TEST(limits_users),
		TEST(accepts_so_many_a_second),
	};

	signal(SIGPIPE, SIG_IGN);
	return RUN(tests);
}
