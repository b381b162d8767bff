/* SPDX-License-Identifier: MIT */
/*
 * A kernel and a HIP for the tests of XSched's interface: clients of the kernel
 * are socket pairs, streams are queues of this process.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef COMPAT_FAKE_GPU_H
#define COMPAT_FAKE_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include <xsched/hip/hal.h>

#define FAKE_GPU	100
#define FAKE_QUEUES	8

/**
 * struct fake_stream - a stream
 * @queue: its hardware queue, 1..FAKE_QUEUES
 * @busy: it never ends what it does
 * @noise: another queue that gets work in every other of its memsets, or 0
 * @missed: of the first memsets so many are not noticed, but @noise is
 * @slow: how often one must ask until a memset is done, and only then is noticed
 * @pending: of that, what is left
 * @memsets: memsets so far
 */
struct fake_stream {
	uint64_t queue;
	bool busy;
	uint64_t noise;
	unsigned int missed;
	unsigned int slow;
	unsigned int pending;
	unsigned int memsets;
};

/**
 * struct fake_gpu - the kernel
 * @caps: of its node
 * @lease_ms: of clients
 * @open_error: errno of open(), or 0
 * @apply_error: errno of the next APPLY, or 0
 * @refused: queue that no APPLY may hold, or 0
 * @refusal: of that, the errno
 * @ejected: every client there is now is ejected
 * @applies: APPLYs so far
 * @renewals: RENEWs so far
 * @last_op: operation of the last entry
 * @last_value: its value
 */
struct fake_gpu {
	uint32_t caps;
	_Atomic uint32_t lease_ms;
	_Atomic int open_error;
	_Atomic int apply_error;
	_Atomic uint64_t refused;
	_Atomic int refusal;
	_Atomic bool ejected;
	_Atomic unsigned int applies;
	_Atomic unsigned int renewals;
	uint32_t last_op;
	int32_t last_value;
};

extern struct fake_gpu gpu;

/** fake_reset() - a sound GPU without clients' holds */
void fake_reset(void);

/** fake_held() - number of clients that hold a queue */
unsigned int fake_held(uint64_t queue);

/** fake_clients() - number of open clients */
unsigned int fake_clients(void);

/** fake_work() - a queue gets work, or has done it */
void fake_work(uint64_t queue, bool ready);

/** fake_stream() - as HIP's handle */
hipStream_t fake_stream(struct fake_stream *stream);

#endif /* COMPAT_FAKE_GPU_H */
