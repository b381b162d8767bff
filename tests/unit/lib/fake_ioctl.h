/* SPDX-License-Identifier: MIT */
/* ioctl() of programs that are linked with --wrap=ioctl: a fake kernel is asked first. */
#ifndef XSCHED_UNIT_FAKE_IOCTL_H
#define XSCHED_UNIT_FAKE_IOCTL_H

/* What the fake kernel answers: 0 or an errno; or -1, if this is for the real one. */
int fake_ioctl(int fd, unsigned long request, void *arg);

#endif /* XSCHED_UNIT_FAKE_IOCTL_H */
