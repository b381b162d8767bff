// SPDX-License-Identifier: MIT
/*
 * xschedd: options, signals, the loop.
 *
 * A directory is a floor. A file uses what is on its own floor and on those
 * below, and no files use each other in a circle; scripts/check/structure
 * proves it. From the top down:
 *
 *	xschedd/	this file: the start and the end, signals, rights
 *	serve/		the control socket and HTTP: requests, and what is
 *			answered
 *	sched/		what wakes the scheduler and what is asked of it;
 *			switches
 *	tenants/	events and the list of queues into the engine; processes
 *			that come and go; switches on their way, and what became
 *			of them
 *	kernel/		the device, its lease, armed switches, what is loaded
 *	state/		what the scheduler knows; the stream and the trace
 *			report it
 *	facts/		what is read: the configuration, processes and names of
 *			users (by helpers), peers, ratings
 *	base/		time, messages, and other parts that do not depend on a
 *			daemon
 *
 * Four calls go up, through a pointer handed down: a line of the stream to its
 * listener, facts about a process and names to the file that asked for them, the
 * end and the admission of a connection to the control socket, and a request to
 * this file to read the configuration again.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/privileges.h"
#include "facts/names.h"
#include "sched/sched.h"
#include "serve/audit.h"
#include "serve/control.h"
#include "serve/http.h"

/* Exit statuses, as xschedd(8) documents them. */
enum {
	EXIT_USAGE = 2,		/* options or configuration */
	EXIT_NO_DEVICE = 3,
	EXIT_NOT_PERMITTED = 4,
};

/**
 * struct daemon - all of it
 * @event: loop
 * @configs: the one in effect, and room for the next
 * @current: index of the one in effect
 * @path: configuration file asked for, or NULL
 * @sched: scheduler
 * @allowance: of users who are not administrators
 * @reader: of facts that clients ask for
 * @resolver: looks up users and groups
 * @lookup: for a configuration that a signal asks for
 * @audit: records of requests
 * @host: what requests are about
 * @control: control socket
 * @http: metrics, or NULL
 * @ready_fd: where the parent process waits for the status, or -1
 */
struct daemon {
	sd_event *event;
	struct config configs[2];
	int current;
	char *path;
	struct sched sched;
	struct allowance allowance;
	struct reader *reader;
	struct resolver *resolver;
	struct lookup lookup;
	struct audit *audit;
	struct host host;
	struct control *control;
	struct http *http;
	int ready_fd;
};

static const char usage[] =
	"usage: xschedd [-f] [-c FILE]\n"
	"  -c, --config FILE   configuration (" CONFIG_PATH ")\n"
	"  -f, --foreground    do not go to the background, log to stderr\n"
	"  -t, --test          check the configuration and exit\n"
	"      --version       print the version and exit\n"
	"  -h, --help          print this and exit\n";

static int main_exit_status(int error)
{
	switch (error) {
	case 0:
		return EXIT_SUCCESS;
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		return EXIT_NO_DEVICE;
	case -EACCES:
	case -EPERM:
		return EXIT_NOT_PERMITTED;
	default:
		return EXIT_FAILURE;
	}
}

static int main_load(struct config *config, const char *path, char *error,
		     size_t size)
{
	int ret = config_load(config, path, error, size);
	const char *doubt;

	if (ret)
		log_event(LOG_ERR, &(struct log_fields){ .id = LOG_BAD_CONFIG },
			  "%s", error);
	for (size_t i = 0; !ret && (doubt = config_doubt(config, i)); i++)
		log_event(LOG_WARNING, &(struct log_fields){ .id = LOG_BAD_CONFIG },
			  "%s", doubt);
	return ret;
}

/* ---- the service manager ------------------------------------------------ */

/* systemd needs the start time of a reload, to recognise its end. */
static void main_say_reloading(void)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		   (unsigned long long)(clock_ns() / 1000));
}

static void main_say_ready(const struct daemon *daemon)
{
	const struct config *config = &daemon->configs[daemon->current];

	sd_notifyf(0, "READY=1\nSTATUS=policy %s, %zu rules",
		   xsched_engine_policy(daemon->sched.engine),
		   config->rule_count);
}

/* Read the configuration again. A bad one changes nothing. */
static int main_reload(void *user, char *error, size_t size)
{
	struct daemon *daemon = user;
	int next = !daemon->current, ret;

	main_say_reloading();
	ret = main_load(&daemon->configs[next], daemon->path, error, size);
	if (ret) {
		log_message(LOG_ERR, "the former configuration stays");
	} else {
		sched_reload(&daemon->sched, &daemon->configs[next]);
		config_free(&daemon->configs[daemon->current]);
		daemon->current = next;
		log_message(LOG_INFO, "configuration read again");
	}
	main_say_ready(daemon);
	return ret;
}

/* ---- signals ------------------------------------------------------------ */

static int main_on_terminate(sd_event_source *source,
			     const struct signalfd_siginfo *info, void *user)
{
	struct daemon *daemon = user;

	(void)source;
	(void)info;
	return sd_event_exit(daemon->event, 0);
}

static void main_on_names(struct lookup *lookup, int result)
{
	char error[512];

	if (result)
		log_message(LOG_ERR, "users and groups were not found in time: the former configuration stays");
	else
		main_reload(lookup->user, error, sizeof(error));
}

static int main_on_hangup(sd_event_source *source,
			  const struct signalfd_siginfo *info, void *user)
{
	struct daemon *daemon = user;

	(void)source;
	(void)info;
	resolver_forget(daemon->resolver, &daemon->lookup);
	daemon->lookup = (struct lookup){ .kind = LOOKUP_NAMES, .done = main_on_names,
					  .user = daemon };
	resolver_ask(daemon->resolver, &daemon->lookup);
	return 0;
}

static int main_add_signals(struct daemon *daemon)
{
	sigset_t set;
	int ret;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	ret = sd_event_add_signal(daemon->event, NULL, SIGTERM, main_on_terminate,
				  daemon);
	if (ret >= 0)
		ret = sd_event_add_signal(daemon->event, NULL, SIGINT,
					  main_on_terminate, daemon);
	if (ret >= 0)
		ret = sd_event_add_signal(daemon->event, NULL, SIGHUP,
					  main_on_hangup, daemon);
	return ret < 0 ? ret : 0;
}

/* ---- life --------------------------------------------------------------- */

/*
 * Run before ordinary processes, with all pages in memory: an application waits
 * for the daemon. The helper that reads /proc does not inherit it.
 */
static void main_go_realtime(void)
{
	struct sched_param param = {
		.sched_priority = sched_get_priority_min(SCHED_FIFO),
	};

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param)) {
		log_message(LOG_INFO, "no real-time priority: %m");
		return;
	}
	if (mlockall(MCL_CURRENT))
		log_message(LOG_INFO, "memory is not locked: %m");
}

/* Report the status to the parent process, if it waits. */
static void main_report(struct daemon *daemon, int status)
{
	unsigned char byte = status;

	if (daemon->ready_fd < 0)
		return;
	if (write(daemon->ready_fd, &byte, 1) != 1)
		log_message(LOG_WARNING, "cannot report the start: the parent process is gone");
	close(daemon->ready_fd);
	daemon->ready_fd = -1;
}

static int main_open_ends(struct daemon *daemon)
{
	const struct config *config = &daemon->configs[daemon->current];
	int ret;

	daemon->host = (struct host){
		.event = daemon->event,
		.sched = &daemon->sched,
		.allowance = &daemon->allowance,
		.reader = daemon->reader,
		.resolver = daemon->resolver,
		.audit = daemon->audit,
		.reload = main_reload,
		.user = daemon,
	};
	ret = control_open(&daemon->control, config->socket, &daemon->host);
	/* A missing directory of the socket is not a missing device. */
	if (ret == -ENOENT)
		return -ENOTDIR;
	if (!ret && config->http_port)
		ret = http_open(&daemon->http, config, &daemon->host);
	return ret;
}

static int main_start(struct daemon *daemon)
{
	const struct config *config = &daemon->configs[daemon->current];
	int ret = sd_event_default(&daemon->event);

	if (ret >= 0)
		ret = main_add_signals(daemon);
	/* Does nothing unless WATCHDOG_USEC asks for it. */
	if (ret >= 0)
		ret = sd_event_set_watchdog(daemon->event, true);
	if (ret < 0) {
		log_message(LOG_ERR, "cannot start: %s", strerror(-ret));
		return ret;
	}
	if (config->realtime)
		main_go_realtime();
	ret = resolver_new(&daemon->resolver, daemon->event, daemon->path);
	if (!ret)
		ret = reader_new(&daemon->reader, daemon->event, false);
	if (!ret)
		ret = audit_new(&daemon->audit, daemon->event);
	if (!ret)
		ret = sched_start(&daemon->sched, daemon->event, config);
	if (!ret)
		ret = main_open_ends(daemon);
	if (!ret)
		privileges_drop();
	return ret;
}

static int main_run(struct daemon *daemon)
{
	int ret;

	xsched_set_log(log_library, NULL);
	/* From here on nothing may wait for a database of users. */
	names_look_up_rest();
	names_freeze();
	ret = main_start(daemon);
	main_report(daemon, main_exit_status(ret));
	if (!ret) {
		main_say_ready(daemon);
		ret = sd_event_loop(daemon->event);
		sd_notify(0, "STOPPING=1");
	}
	http_close(daemon->http);
	control_close(daemon->control);
	sched_stop(&daemon->sched);
	audit_free(daemon->audit);
	reader_free(daemon->reader);
	resolver_forget(daemon->resolver, &daemon->lookup);
	resolver_free(daemon->resolver);
	sd_event_unref(daemon->event);
	return main_exit_status(ret);
}

/*
 * Go to the background. The parent process waits until the daemon is ready, and
 * exits with its status.
 */
static int main_detach(struct daemon *daemon)
{
	unsigned char status = EXIT_FAILURE;
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid) {
		close(fds[1]);
		if (read(fds[0], &status, 1) != 1)
			status = EXIT_FAILURE;
		_exit(status);
	}
	close(fds[0]);
	daemon->ready_fd = fds[1];
	setsid();
	if (!freopen("/dev/null", "r", stdin) ||
	    !freopen("/dev/null", "w", stdout) ||
	    !freopen("/dev/null", "w", stderr))
		return -errno;
	log_to_syslog();
	return chdir("/") ? -errno : 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "foreground", no_argument, NULL, 'f' },
		{ "test", no_argument, NULL, 't' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct daemon daemon = { .ready_fd = -1 };
	char error[512];
	bool foreground = false, test = false;
	int option, ret;

	while ((option = getopt_long(argc, argv, "c:fth", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			/* Absolute, for SIGHUP; on failure main_load() reports why. */
			daemon.path = realpath(optarg, NULL);
			if (!daemon.path)
				daemon.path = strdup(optarg);
			break;
		case 'f':
			foreground = true;
			break;
		case 't':
			test = true;
			break;
		case 'V':
			printf("xschedd %s\n", xsched_version());
			return EXIT_SUCCESS;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		default:
			fputs(usage, stderr);
			return EXIT_USAGE;
		}
	}
	if (optind != argc) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	ret = EXIT_SUCCESS;
	log_open();
	if (main_load(&daemon.configs[0], daemon.path, error, sizeof(error)))
		ret = EXIT_USAGE;
	else if (test)
		ret = config_doubt(&daemon.configs[0], 0) ? EXIT_USAGE : EXIT_SUCCESS;
	else
		ret = !foreground && main_detach(&daemon) ? EXIT_FAILURE :
							    main_run(&daemon);
	config_free(&daemon.configs[daemon.current]);
	free(daemon.path);
	return ret;
}
