/* SPDX-License-Identifier: MIT */
/*
 * A chain of kernels whose result is right only if each ran once, and in order: xs_layer()
 * over the same words. What it needs is pinned memory of the host, so that neither making
 * nor reading it waits for a stream.
 */
#ifndef ROCM_CHAIN_H
#define ROCM_CHAIN_H

#include <stdint.h>
#include <vector>

#include "kernels.h"

/**
 * struct chain - kernels launched so far
 * @groups: workgroups of each
 * @size: work-items of a workgroup
 * @most: kernels there is room for
 * @rounds: of a workgroup
 * @n: launched
 * @words: one a workgroup
 * @log: one a kernel
 * @ticket: counted up by each
 */
struct chain {
	uint32_t groups, size, most, rounds, n;
	uint32_t *words;
	layer_log *log;
	uint32_t *ticket;

	chain(uint32_t groups, uint32_t size, uint32_t us, uint32_t most);
	~chain();
	chain(const chain &) = delete;
	chain &operator=(const chain &) = delete;

	/* Launch the next kernel; more than there is room for end the program. */
	void launch(hipStream_t s);

	/* Number @i of those launched ran once, in its place, and after the one before. */
	bool in_order(uint32_t i) const;

	/* All did, and the words are what they make of them, bit for bit. Prints what is wrong. */
	bool right() const;
};

#endif /* ROCM_CHAIN_H */
