/* SPDX-License-Identifier: MIT */
/*
 * User queues that processes have made by DRM, and not by KFD. amdgpu of Linux 7 has them; KFD
 * does not know of them, and nor does kfd_xsched.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDCTL_DRM_H
#define XSCHEDCTL_DRM_H

/**
 * struct drm_client - an open file of DRM that has such queues
 * @pid: of its process, as the first PID namespace has it
 * @comm: its name
 * @queues: how many
 */
struct drm_client {
	int pid;
	char comm[64];
	unsigned int queues;
};

/**
 * drm_each_client() - call a function for each
 * @root: what goes before each path
 * @context: for @found
 * @found: is given each client that has a queue
 *
 * Return: 0, or a negative errno: that of opening the directory in debugfs, which only root may
 * read.
 */
int drm_each_client(const char *root, void *context,
		    void (*found)(void *context, const struct drm_client *client));

#endif /* XSCHEDCTL_DRM_H */
