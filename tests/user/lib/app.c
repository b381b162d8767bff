// SPDX-License-Identifier: MIT
/* This process as an application of its own scheduler. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "tap.h"

int app_try(struct app *app, unsigned int gpu, unsigned int queues, uint64_t dispatches)
{
	static const struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	int ret = kfdq_open_gpu(gpu, &app->dev);
	unsigned int i;

	if (!ret)
		ret = spin_set_init(&app->spin, app->dev, dispatches, 64);
	for (i = 0; i < queues && !ret; i++) {
		ret = kfdq_queue_create(app->dev, &options, &app->queue[i]);
		if (!ret)
			ret = kfdq_signal_create(app->dev, &app->done[i]);
	}
	return ret;
}

void app_open(struct app *app, uint64_t dispatches)
{
	if (app_try(app, 0, APP_QUEUES, dispatches))
		tap_bail("no GPU, or no queue");
}

int app_in_child(bool (*prepare)(struct app *app), int (*body)(struct app *app))
{
	struct app app;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		app_open(&app, 16);
		_exit(prepare && !prepare(&app) ? 99 : body(&app));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void app_close(struct app *app)
{
	unsigned int i;

	for (i = 0; i < APP_QUEUES; i++)
		kfdq_queue_destroy(app->queue[i]);
	spin_set_fini(&app->spin);
	kfdq_close(app->dev);
}

int app_submit(struct app *app, unsigned int queue, const struct spin_shape *shape)
{
	return spin_submit(&app->spin, app->queue[queue], shape, 1, app->done[queue]);
}

int app_wait(struct app *app, unsigned int queue, int timeout_ms)
{
	int ret;

	do {
		ret = kfdq_signal_wait(app->dev, app->done[queue], timeout_ms);
	} while (ret == -EINTR);
	return ret;
}

int app_run(struct app *app, unsigned int queue, const struct spin_shape *shape)
{
	int ret = app_submit(app, queue, shape);

	return ret ? ret : app_wait(app, queue, 10000);
}

long app_touch(volatile void *at)
{
	volatile uint64_t *doorbell = at;
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	*doorbell = 0;
	getrusage(RUSAGE_SELF, &after);
	return after.ru_minflt - before.ru_minflt;
}

long app_doorbell_offset(const struct app *app)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, at;
	long offset = -1;
	char line[256];

	if (!maps)
		return -1;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%*x %*s %lx", &start, &at) == 2 &&
		    start == (unsigned long)app->dev->doorbells)
			offset = (long)at;
	}
	fclose(maps);
	return offset;
}
