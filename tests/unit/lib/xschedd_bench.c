// SPDX-License-Identifier: MIT
/* What the tests of xschedd start from. */
#include "xschedd_bench.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proc.h"

const char *in_dir(const struct bench *b, const char *name)
{
	static char paths[4][128];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", b->dir, name);
	return path;
}

void write_file(const struct bench *b, const char *name,
		       const char *format, ...)
{
	FILE *file = fopen(in_dir(b, name), "w");
	va_list args;

	assert_non_null(file);
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	assert_int_equal(fclose(file), 0);
}

const char *read_whole(const struct bench *b, const char *name)
{
	static char text[65536];
	FILE *file = fopen(in_dir(b, name), "r");
	size_t length = 0;

	if (file) {
		length = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[length] = '\0';
	return text;
}

void expect(const struct bench *b, const char *name,
		   const char *format, ...)
{
	char wanted[256];
	va_list args;

	va_start(args, format);
	vsnprintf(wanted, sizeof(wanted), format, args);
	va_end(args);
	for (uint64_t end_ns = 0; !strstr(read_whole(b, name), wanted);)
		if (!keep_waiting(&end_ns))
			fail_msg("%s: no '%s' in:\n%s", name, wanted, read_whole(b, name));
}

unsigned int occurrences(const struct bench *b, const char *name, const char *text)
{
	const char *at = read_whole(b, name);
	unsigned int count = 0;

	while ((at = strstr(at, text))) {
		count++;
		at++;
	}
	return count;
}

unsigned int lines(const struct bench *b, const char *name)
{
	return occurrences(b, name, "\n");
}

unsigned int applies(const struct bench *b)
{
	return lines(b, "log");
}

/* ---- processes ---------------------------------------------------------- */

void become_user(uid_t uid)
{
	if (setuid(uid))
		_exit(125);
	die_with_parent();
}

pid_t spawn_tenant(int nice)
{
	pid_t pid = fork_child();

	if (!pid) {
		setpriority(PRIO_PROCESS, 0, nice);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	/* Its nice value must stand before it is looked at. */
	wait_until(getpriority(PRIO_PROCESS, pid) == nice);
	return pid;
}

static bool is_of(pid_t pid, uid_t uid)
{
	char real[PROC_WORD];

	proc_status(pid, "Uid", real);
	return *real && strtoul(real, NULL, 10) == uid;
}

pid_t spawn_others(void)
{
	pid_t pid = fork_child();

	if (!pid) {
		become_user(OTHER_USER);
		pause();
	}
	assert_true(pid > 0);
	/* It must be that user's before it is looked at. */
	wait_until(is_of(pid, OTHER_USER));
	return pid;
}

static void set_variable(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* As systemd does it for a service whose standard error is the journal. */
static void name_journal(void)
{
	struct stat status;
	char text[64];

	fstat(2, &status);
	snprintf(text, sizeof(text), "%llu:%llu",
		 (unsigned long long)status.st_dev,
		 (unsigned long long)status.st_ino);
	setenv("JOURNAL_STREAM", text, 1);
}

static bool has_comm(pid_t pid, const char *comm)
{
	char path[64], name[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	if (!fgets(name, sizeof(name), file))
		*name = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, comm);
}

void await_comm(pid_t pid, const char *comm)
{
	wait_until(has_comm(pid, comm));
}

static bool has_environ(pid_t pid)
{
	char path[64];
	FILE *file;
	bool has;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	has = fgetc(file) != EOF;
	fclose(file);
	return has;
}

void await_environ(pid_t pid)
{
	wait_until(has_environ(pid));
}

pid_t spawn_tenant_with(const char *variable)
{
	char *const arguments[] = { "sleep", "1000", NULL };
	char *const environment[] = { (char *)variable, NULL };
	pid_t pid = fork_child();

	if (!pid) {
		/* Whatever the tests run at. */
		setpriority(PRIO_PROCESS, 0, 0);
		execve("/bin/sleep", arguments, environment);
		_exit(126);
	}
	assert_true(pid > 0);
	await_comm(pid, "sleep");
	if (variable)
		await_environ(pid);
	return pid;
}

pid_t spawn(const struct bench *b, const char *program,
		   char *const *arguments, const char *output, uid_t uid)
{
	pid_t pid = fork_child();

	if (pid)
		return pid;
	setenv("XSCHED_FAKE", b->dir, 1);
	set_variable("NOTIFY_SOCKET", b->notify);
	set_variable("WATCHDOG_USEC", b->watchdog_usec);
	unsetenv("WATCHDOG_PID");
	unsetenv("JOURNAL_STREAM");
	if (!freopen(in_dir(b, output), "w", stdout) ||
	    dup2(1, 2) < 0)
		_exit(125);
	if (b->journal)
		name_journal();
	if (uid)
		become_user(uid);
	execv(program, arguments);
	_exit(126);
}

int ctl_as(const struct bench *b, uid_t uid, const char *line)
{
	char socket[128], device[128], copy[128];
	char *arguments[16] = { "xschedctl", "--socket", socket, "--device",
				device };
	int count = 5;

	snprintf(socket, sizeof(socket), "%s/sock", b->dir);
	snprintf(device, sizeof(device), "%s/dev", b->dir);
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		arguments[count++] = word;
	return wait_for(spawn(b, XSCHEDCTL, arguments, "out", uid));
}

int ctl(const struct bench *b, const char *format, ...)
{
	char line[128];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	return ctl_as(b, 0, line);
}

int connect_control(const struct bench *b)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	set_patience(fd);
	strcpy(address.sun_path, in_dir(b, "sock"));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

void act_as(uid_t uid)
{
	assert_int_equal(seteuid(uid), 0);
}

bool has_news(int fd)
{
	return poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 0) == 1;
}

pid_t spawn_daemon(const struct bench *b)
{
	char conf[128];
	char *arguments[] = { "xschedd", "-f", "-c", conf, NULL };

	snprintf(conf, sizeof(conf), "%s/conf", b->dir);
	return spawn(b, XSCHEDD, arguments, "err", 0);
}

void start_daemon(struct bench *b, const char *more)
{
	char answer[4096];
	int fd;

	write_file(b, "conf",
		   "[xschedd]\ndevice=%s/dev\nsocket=%s/sock\ntrace=%s/trace\n"
		   "realtime=no\n%s", b->dir, b->dir, b->dir, more);
	b->daemon = spawn_daemon(b);
	for (uint64_t end_ns = 0; (fd = connect_control(b)) < 0;)
		if (!keep_waiting(&end_ns))
			fail_msg("xschedd does not start: %s", read_whole(b, "err"));
	/* The kernel accepts connections before the daemon is set up; wait for an answer. */
	send(fd, "{\"cmd\":\"stats\"}\n", 16, MSG_NOSIGNAL);
	if (recv(fd, answer, sizeof(answer), 0) < 0)
		fail_msg("xschedd does not answer: %s", read_whole(b, "err"));
	close(fd);
}

int stop_daemon(struct bench *b)
{
	int status;

	kill(b->daemon, SIGTERM);
	status = wait_for(b->daemon);
	b->daemon = 0;
	return status;
}

/* ---- the time ----------------------------------------------------------- */

uint64_t now_ns(void)
{
	return fake_time()->now_ns;
}

void advance_to(const struct bench *b, uint64_t time_ns)
{
	struct fake_time *time = fake_time();
	const unsigned int moves = time->moves;

	assert_int_equal(write(b->ticks, &time_ns, sizeof(time_ns)), sizeof(time_ns));
	for (uint64_t end_ns = 0; time->moves == moves;)
		if (!keep_waiting(&end_ns))
			fail_msg("xschedd does not come to an end: %s", read_whole(b, "err"));
}

void advance(const struct bench *b, uint64_t ns)
{
	advance_to(b, now_ns() + ns);
}

void until_idle(const struct bench *b)
{
	advance(b, 0);
}

void until_read(const struct bench *b)
{
	until_idle(b);
	wait_until(!strstr(question(b, "{\"cmd\":\"list\"}"), "\"unread\":true"));
	until_idle(b);
}

/* ---- events ------------------------------------------------------------- */

struct kfd_xsched_event event(uint32_t type, pid_t pid, uint64_t id)
{
	return (struct kfd_xsched_event){
		.type = type, .pid = pid, .id = id, .gpu_id = GPU,
		.time_ns = now_ns(),
	};
}

void send_events(const struct bench *b,
			const struct kfd_xsched_event *events, size_t count)
{
	assert_int_equal(write(b->events, events, count * sizeof(*events)),
			 count * sizeof(*events));
}

void send_event(const struct bench *b, uint32_t type, pid_t pid,
		       uint64_t id)
{
	struct kfd_xsched_event one = event(type, pid, id);

	send_events(b, &one, 1);
}

/* ---- fixture ------------------------------------------------------------ */

int bench_setup(void **state)
{
	static struct bench bench;
	struct bench *b = &bench;

	*b = (struct bench){ .dir = "/tmp/xsched-daemon-XXXXXX" };
	if (!mkdtemp(b->dir) || chmod(b->dir, 0755) ||
	    mkfifo(in_dir(b, "dev"), 0600) || mkfifo(in_dir(b, "ticks"), 0600) ||
	    fake_time_make(in_dir(b, "clock")))
		return -1;
	b->events = open(in_dir(b, "dev"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	b->ticks = open(in_dir(b, "ticks"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	*state = b;
	return b->events < 0 || b->ticks < 0 ? -1 : 0;
}

int bench_teardown(void **state)
{
	static const char *const files[] = { "dev", "sock", "conf", "trace",
		"queues", "holds", "errors", "denied", "refused", "unarmed", "log", "out", "err",
		"lease", "ejected", "renewals", "journal",
		"notify", "armed", "clock", "ticks", "reads", "asked", "database",
		"nodes", "hung", "answers", "demoted", "knows", "subscribed", "parked", "parks", "parkless",
		"amdgpu.version", "amdgpu.srcversion", "kfd_xsched.version", "kfd_xsched.srcversion" };
	struct bench *b = *state;
	bool ended;

	/* All at once: one may wait for another. */
	if (b->daemon)
		kill(b->daemon, SIGKILL);
	for (size_t i = 0; i < 4; i++)
		if (b->pids[i])
			kill(b->pids[i], SIGKILL);
	ended = !b->daemon || end_child(b->daemon);
	for (size_t i = 0; i < 4; i++)
		if (b->pids[i])
			ended &= end_child(b->pids[i]);
	close(b->events);
	close(b->ticks);
	fake_time_forget();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(in_dir(b, files[i]));
	return rmdir(b->dir) || !ended;
}

void two_tenants(struct bench *b)
{
	b->pids[0] = spawn_tenant(0);
	b->pids[1] = spawn_tenant(10);
	send_events(b, (struct kfd_xsched_event[]){
			event(ADD, b->pids[0], 1), event(ADD, b->pids[1], 2),
			event(READY, b->pids[1], 2) }, 3);
}

void ask(int fd, const char *request, const char *wanted)
{
	char reply[4096];
	ssize_t got;

	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL),
			 strlen(request));
	got = receive(fd, reply, sizeof(reply) - 1);
	assert_true(got > 0);
	reply[got] = '\0';
	if (!strstr(reply, wanted))
		fail_msg("%s answered %s", request, reply);
}

void read_until(int fd, const char *wanted)
{
	static char text[65536];
	size_t used = 0;

	*text = '\0';
	while (used < sizeof(text) - 1) {
		ssize_t got = recv(fd, text + used, sizeof(text) - 1 - used, 0);

		if (got <= 0)
			break;
		used += got;
		text[used] = '\0';
		if (strstr(text, wanted))
			return;
	}
	fail_msg("no %s in %s", wanted, text);
}

const char *question(const struct bench *b, const char *format, ...)
{
	static char reply[65536];
	int fd = connect_control(b);
	char request[1024];
	size_t used = 0;
	va_list args;

	assert_true(fd >= 0);
	va_start(args, format);
	vsnprintf(request, sizeof(request) - 1, format, args);
	va_end(args);
	strcat(request, "\n");
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL),
			 strlen(request));
	while (used < sizeof(reply) - 1 && !memchr(reply, '\n', used)) {
		ssize_t got = receive(fd, reply + used, sizeof(reply) - 1 - used);

		assert_true(got > 0);
		used += got;
	}
	reply[used] = '\0';
	close(fd);
	return reply;
}
