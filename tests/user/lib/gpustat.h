/* SPDX-License-Identifier: MIT */
/* The counters of the software GPU, for tests that provoke its complaints. */
#ifndef GPUSTAT_H
#define GPUSTAT_H

/* A line of debugfs vgpu/stats; -1: there is none of that name. */
long gpustat(const char *name);

/* The same of the first node of GPU number @gpu alone. */
long gpustat_of(unsigned int gpu, const char *name);

/* How many errors it has met, of all kinds: what the runner looks at after each test. */
long gpustat_errors(void);

/*
 * Say that this test makes a counter go up by @n, which the runner would count
 * as an error otherwise (tests/guest/all). Adds up; any other change stays one.
 */
void gpustat_expect(const char *name, long n);

#endif /* GPUSTAT_H */
