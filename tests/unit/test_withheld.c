// SPDX-License-Identifier: MIT
/*
 * xschedd and a process that blocks its readers: its exec() waits for a file system
 * in user space that does not answer. Meanwhile the daemon schedules other processes,
 * and answers other requests.
 */
#include "xschedd_bench.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "facts/reader.h"

#define FILE_NODE	2

/* ---- a file system with one file ---------------------------------------- */

static void answer(int fd, uint64_t unique, int error, const void *data, size_t size)
{
	struct fuse_out_header head = { .len = sizeof(head) + size, .error = error,
					.unique = unique };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)data, size } };

	writev(fd, parts, 2);
}

static struct fuse_attr attributes_of(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node, .nlink = 1,
		.mode = node == FILE_NODE ? S_IFREG | 0644 : S_IFDIR | 0755,
	};
}

static void serve_one(int fd, const struct fuse_in_header *in, int flushes)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
				      .minor = FUSE_KERNEL_MINOR_VERSION,
				      .max_write = 4096 };
	struct fuse_attr_out attributes = { .attr = attributes_of(in->nodeid) };
	struct fuse_entry_out entry = { .nodeid = FILE_NODE,
					.attr = attributes_of(FILE_NODE) };
	struct fuse_open_out opened = { 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(fd, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_GETATTR:
		answer(fd, in->unique, 0, &attributes, sizeof(attributes));
		break;
	case FUSE_LOOKUP:
		answer(fd, in->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_OPEN:
		answer(fd, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_FLUSH:
		/* The answer that does not come. */
		write(flushes, "f", 1);
		break;
	case FUSE_FORGET:
		break;
	default:
		answer(fd, in->unique, -ENOSYS, NULL, 0);
	}
}

static _Noreturn void serve(int fd, int flushes)
{
	static char text[65536] __attribute__((aligned(8)));

	/* Until the test ends, whatever becomes of it: others may read /proc and wait, too. */
	while (read(fd, text, sizeof(text)) > 0)
		serve_one(fd, (const struct fuse_in_header *)text, flushes);
	_exit(0);
}

/*
 * Mount it; 0, and its server, which writes a byte to @flushes for each exec() that
 * waits, or why it cannot be had here.
 */
static int mount_files(const char *path, pid_t *server, int flushes)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[128];

	if (fd < 0)
		return errno;
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mount("xsched-test", path, "fuse", 0, options)) {
		int error = errno;

		close(fd);
		return error;
	}
	*server = fork_child();
	if (!*server)
		serve(fd, flushes);
	close(fd);
	return 0;
}

/* ---- a process that waits in exec() ------------------------------------- */

static pid_t exec_waiting(const char *path)
{
	char *const arguments[] = { "sleep", "1000", NULL };
	char *const environment[] = { "XSCHED_AUTO_XQUEUE_PRIORITY=-7", NULL };
	pid_t pid = fork_child();

	if (!pid) {
		/* Whatever the tests run at. */
		setpriority(PRIO_PROCESS, 0, 0);
		if (open(path, O_RDONLY | O_CLOEXEC) < 0)
			_exit(1);
		execve("/bin/sleep", arguments, environment);
		_exit(126);
	}
	return pid;
}

/* pids[2] is the server, pids[3] waits. */
static void make_waiting(struct bench *b)
{
	char directory[128], path[160];
	int flushes[2], error;

	if (getuid()) {
		print_message("# mounting a file system takes root\n");
		skip();
	}
	snprintf(directory, sizeof(directory), "%s", in_dir(b, "out"));
	snprintf(path, sizeof(path), "%s/file", directory);
	assert_int_equal(mkdir(directory, 0755), 0);
	assert_int_equal(pipe2(flushes, O_CLOEXEC), 0);
	/* A mount of our own: nothing is left if the test does not end well. */
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		error = errno;
	else
		error = mount_files(directory, &b->pids[2], flushes[1]);
	if (error) {
		rmdir(directory);
		print_message("# there is no FUSE here: %s\n", strerror(error));
		skip();
	}
	b->pids[3] = exec_waiting(path);
	close(flushes[1]);
	/* It waits. */
	if (poll(&(struct pollfd){ .fd = flushes[0], .events = POLLIN }, 1, PATIENCE_S * 1000) != 1)
		fail_msg("no exec() waits for the file system");
	close(flushes[0]);
	assert_int_equal(umount2(directory, MNT_DETACH), 0);
	assert_int_equal(rmdir(directory), 0);
}

/* The helper waits for it, and the daemon knows what it cannot withhold. */
static void await_reader(const struct bench *b)
{
	expect(b, "reads", "%d\n", b->pids[3]);
	until_idle(b);
}

/* A request about it gets the facts that are known; neither GPUs nor others wait for that. */
static void requests(void **state)
{
	struct bench *b = *state;
	int fd, other;
	char line[64];

	make_waiting(b);
	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	fd = connect_control(b);
	snprintf(line, sizeof(line), "{\"cmd\":\"rules\",\"pid\":%d}\n", b->pids[3]);
	assert_int_equal(send(fd, line, strlen(line), MSG_NOSIGNAL), strlen(line));
	await_reader(b);
	other = connect_control(b);
	/* It is root's: another helper finds that out. */
	until_idle(b);
	advance(b, READER_START_MS * MS);
	ask(other, "{\"cmd\":\"stats\"}\n", "\"ok\":true");
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	assert_int_equal(applies(b), 1);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	advance(b, 498 * MS - 6 - 1);
	assert_false(has_news(fd));
	advance(b, 1);
	assert_true(has_news(fd));
	read_until(fd, "\"uid\":0,");
	close(fd);
	close(other);
	assert_int_equal(stop_daemon(b), 0);
}

/* It is a tenant: its nice value counts, then what can be read later. */
static void tenants(void **state)
{
	struct bench *b = *state;

	make_waiting(b);
	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	send_event(b, ADD, b->pids[3], 3);
	await_reader(b);
	/* Switches wait for it, for 100 ms. */
	send_event(b, READY, b->pids[0], 1);
	advance(b, 100 * MS - 1);
	assert_int_equal(applies(b), 0);
	advance(b, 1);
	assert_int_equal(applies(b), 1);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	advance(b, 400 * MS - 6 - 1);
	assert_null(strstr(read_whole(b, "err"), "keeps its reader waiting"));
	advance(b, 1);
	expect(b, "err", "process %d of user 0 keeps its reader waiting", b->pids[3]);
	assert_non_null(strstr(question(b, "{\"cmd\":\"list\"}"),
			       "\"priority\":0,\"priority_from\":\"nice\""));
	/* Its file system ends, and so does its exec(). It is read when its penalty ends. */
	kill(b->pids[2], SIGKILL);
	await_comm(b->pids[3], "sleep");
	await_environ(b->pids[3]);
	advance(b, 10 * SECOND - 1);
	assert_null(strstr(question(b, "{\"cmd\":\"list\"}"), "environment"));
	advance(b, 1);
	wait_until(strstr(question(b, "{\"cmd\":\"list\"}"),
			  "\"priority\":-7,\"priority_from\":\"environment\""));
	assert_int_equal(stop_daemon(b), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(requests),
		TEST(tenants),
	};

	signal(SIGPIPE, SIG_IGN);
	return RUN(tests);
}
