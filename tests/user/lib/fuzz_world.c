// SPDX-License-Identifier: MIT
/* What programs of test-fuzz may name: queues that are listed, processes; and whether all is over. */
#include <string.h>
#include <unistd.h>

#include "demoted.h"
#include "fuzz.h"
#include "lease.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define NODES		2
#define LISTED		32
#define REFRESH		64	/* programs, from one look at the queues to the next */
#define FREE_MS		20000

static struct kfd_xsched_queue listed[LISTED];
static unsigned int nr_listed, programs;
static int root = -1;

/* ---- what values stand for ----------------------------------------------- */

uint64_t fuzz_world_queue(uint64_t n)
{
	return nr_listed ? listed[n % nr_listed].id : n;
}

uint64_t fuzz_world_process(uint64_t n)
{
	return nr_listed ? listed[n % nr_listed].process : n;
}

/* One more is this program, which has no queue. */
uint64_t fuzz_world_pid(uint64_t n)
{
	n %= FUZZ_PROCESSES + 1;
	return n == FUZZ_PROCESSES ? (uint64_t)getpid() : (uint64_t)fuzz_gpu_pid((unsigned int)n);
}

/* ---- between programs ---------------------------------------------------- */

static void look(void)
{
	const int n = xsdev_list(root, listed, LISTED);

	nr_listed = n < 0 ? 0 : n < LISTED ? (unsigned int)n : LISTED;
}

void fuzz_world_look(void)
{
	if (fuzz_gpu_look() || programs++ % REFRESH == 0)
		look();
}

void fuzz_world_forgive(void)
{
	struct kfd_xsched_node nodes[NODES];
	const int n = xsdev_nodes(root, nodes, NODES);
	int i;

	demoted_write("all");
	for (i = 0; i < n && i < NODES; i++)
		sysfile_write("closed", "/sys/class/kfd_xsched/node%u/breaker", nodes[i].gpu_id);
}

bool fuzz_world_is_free(void)
{
	const uint64_t until = xsdev_now() + FREE_MS * FUZZ_MS;
	bool free;

	/* What a node did not do while it failed is done later. */
	while (!(free = !sysfile_number(SYSFILE_GLOBAL "statistics/held") && fuzz_gpu_is_free()) &&
	       xsdev_now() < until)
		xsdev_sleep_ms(10);
	return free;
}

/* ---- begin and end ------------------------------------------------------- */

void fuzz_world_begin(void)
{
	root = xsdev_open();
	if (root < 0 || !xsdev_node_count(root))
		tap_bail(XSDEV_PATH ": no node");
	if (lease_set(LEASE_PATIENT_MS))
		tap_bail("the lease cannot be set");
	fuzz_gpu_begin();
}

void fuzz_world_end(void)
{
	fuzz_gpu_end();
	close(root);
}
