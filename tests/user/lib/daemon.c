// SPDX-License-Identifier: MIT
/* xschedd itself, for tests. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define MS	1000000ULL

static const char *path_of(const struct daemon *d, const char *suffix)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/%s.%s", d->name, suffix);
	return path;
}

void daemon_configure(const struct daemon *d, const char *more)
{
	FILE *f = fopen(path_of(d, "conf"), "we");

	if (!f)
		tap_bail("%s: error %d", path_of(d, "conf"), -errno);
	fprintf(f, "[xschedd]\npolicy = hpf\nsample_us = 200\nsettle_us = 1000\n"
		"socket = %s\n%s", path_of(d, "sock"), more);
	fclose(f);
}

/* Does not return. */
static void become(const struct daemon *d)
{
	const char *const *variable;
	char conf[64];
	int fd;

	fd = open(path_of(d, "log"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	dup2(fd, STDERR_FILENO);
	for (variable = d->variables; variable && *variable; variable++)
		putenv((char *)*variable);
	snprintf(conf, sizeof(conf), "%s", path_of(d, "conf"));
	execl(d->program, d->program, "-f", "-c", conf, NULL);
	_exit(127);
}

void daemon_start(struct daemon *d)
{
	/* What an earlier one said is not said by this one. */
	unlink(path_of(d, "log"));
	d->pid = fork();
	if (d->pid < 0)
		tap_bail("fork: error %d", -errno);
	if (!d->pid)
		become(d);
}

int daemon_reap(struct daemon *d)
{
	int status;

	while (waitpid(d->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	d->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int daemon_stop(struct daemon *d)
{
	kill(d->pid, SIGTERM);
	return daemon_reap(d);
}

bool daemon_says(const struct daemon *d, const char *text, unsigned int ms)
{
	static char log[65536];
	uint64_t end = xsdev_now() + ms * MS;

	do {
		if (sysfile_read(log, sizeof(log), "%s", path_of(d, "log")) > 0 &&
		    strstr(log, text))
			return true;
		xsdev_sleep_ms(10);
	} while (xsdev_now() < end);
	return false;
}

const char *daemon_ask(const struct daemon *d, const char *request)
{
	const struct timeval patience = { .tv_sec = 10 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	static char answer[16384];
	size_t used = 0;
	ssize_t got = 1;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*answer = '\0';
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path_of(d, "sock"));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    send(fd, request, strlen(request), MSG_NOSIGNAL) > 0) {
		while (got > 0 && used < sizeof(answer) - 1 && !strchr(answer, '\n')) {
			got = recv(fd, answer + used, sizeof(answer) - 1 - used, 0);
			used += got > 0 ? (size_t)got : 0;
			answer[used] = '\0';
		}
	}
	close(fd);
	return answer;
}

long daemon_count(const struct daemon *d, const char *name)
{
	char member[64];
	const char *at;

	snprintf(member, sizeof(member), "\"%s\":", name);
	at = strstr(daemon_ask(d, "{\"cmd\":\"stats\"}\n"), member);
	return at ? strtol(at + strlen(member), NULL, 10) : -1;
}

bool daemon_counts(const struct daemon *d, const char *name, long least, unsigned int ms)
{
	uint64_t end = xsdev_now() + ms * MS;

	while (daemon_count(d, name) < least) {
		if (xsdev_now() > end)
			return false;
		xsdev_sleep_ms(20);
	}
	return true;
}

bool daemon_holds(int fd, pid_t pid)
{
	struct kfd_xsched_queue queues[16];
	int n = xsdev_list(fd, queues, 16), i;

	for (i = 0; i < n && i < 16; i++) {
		if (queues[i].pid == pid && queues[i].holders)
			return true;
	}
	return false;
}

bool daemon_holds_within(int fd, pid_t pid, bool held, unsigned int ms)
{
	uint64_t end = xsdev_now() + ms * MS;

	while (daemon_holds(fd, pid) != held) {
		if (xsdev_now() > end)
			return false;
		xsdev_sleep_ms(2);
	}
	return true;
}
