// SPDX-License-Identifier: MIT
#include <string.h>

#include "chain.h"
#include "check.h"

#define SEED	1

template <typename T> static T *pinned(size_t n)
{
	void *at;

	HIP(hipHostMalloc(&at, n * sizeof(T), hipHostMallocDefault));
	memset(at, 0, n * sizeof(T));
	return (T *)at;
}

chain::chain(uint32_t groups, uint32_t size, uint32_t us, uint32_t most)
	: groups(groups), size(size), most(most), rounds(rounds_of_us(us)), n(0),
	  words(pinned<uint32_t>(groups)), log(pinned<layer_log>(most)),
	  ticket(pinned<uint32_t>(1))
{
	const std::vector<uint32_t> from = numbers(groups, SEED);
	uint32_t i;

	memcpy(words, from.data(), groups * sizeof(*words));
	for (i = 0; i < most; i++)
		log[i].start = ~0ULL;
}

chain::~chain()
{
	(void)hipHostFree(words);
	(void)hipHostFree(log);
	(void)hipHostFree(ticket);
}

void chain::launch(hipStream_t s)
{
	if (n == most)
		tap_bail("a chain of more than %u kernels", most);
	xs_layer<<<groups, size, 0, s>>>(words, log + n, ticket, n + 1, rounds);
	LAUNCHED();
	n++;
}

bool chain::in_order(uint32_t i) const
{
	return log[i].executed == 1 && log[i].ticket == i + 1 && log[i].ended == groups &&
		(!i || log[i].start >= log[i - 1].end);
}

bool chain::right() const
{
	std::vector<uint32_t> want = numbers(groups, SEED);
	const struct steps s = steps_of(rounds);
	uint32_t i, wrong = 0, displaced = 0;

	for (i = 1; i <= n; i++)
		for (uint32_t &x : want)
			x = (x ^ i) * s.a + s.b;
	for (i = 0; i < groups; i++)
		wrong += words[i] != want[i];
	for (i = 0; i < n; i++)
		displaced += !in_order(i);
	if (wrong || displaced)
		tap_note("of %u kernels %u ran not once, in order; %u of %u words are wrong",
			 n, displaced, wrong, groups);
	return !wrong && !displaced;
}
