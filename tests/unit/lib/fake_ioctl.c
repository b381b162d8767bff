// SPDX-License-Identifier: MIT
#include "fake_ioctl.h"

#include <errno.h>
#include <stdarg.h>

int __real_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	int error;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	error = fake_ioctl(fd, request, arg);
	if (error < 0)
		return __real_ioctl(fd, request, arg);
	if (!error)
		return 0;
	errno = error;
	return -1;
}
