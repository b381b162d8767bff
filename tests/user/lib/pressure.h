/* SPDX-License-Identifier: MIT */
/* Pressure on the GPU's memory, from a process that has no queues. */
#ifndef PRESSURE_H
#define PRESSURE_H

/*
 * Fill the GPU's memory through the graphics interface and give it back: the
 * memory manager moves what others have there, which makes amdkfd evict their
 * queues. 0, or -errno.
 */
int pressure_once(void);

#endif /* PRESSURE_H */
