// SPDX-License-Identifier: MIT
/* Tenants on the real driver: several processes that stop and go as one. */
#include <errno.h>
#include <unistd.h>

#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define HELD_MS		300	/* how long we watch a held queue do nothing */
#define DONE_MS		20000	/* when something that runs must be done */
#define WORKERS		3

static const struct spin_shape shape = { 1, 64, 1000 };
static struct worker workers[WORKERS];
static int fd;

static bool runs(struct worker *w, unsigned int queue, int ms)
{
	return !worker_submit(w, queue, &shape, 1) && !worker_wait(w, queue, ms);
}

static bool is_held(struct worker *w, unsigned int queue)
{
	return must_list(w, queue, fd).state & KFD_XSCHED_QUEUE_HELD;
}

static uint64_t tenant_of(struct worker *w)
{
	return must_list(w, 0, fd).tenant;
}

static void test_as_one(int tenant)
{
	struct kfd_xsched_node_result node;

	tap_is(xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, tenant, workers[0].pid), 0, "one comes");
	tap_is(xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, tenant, workers[1].pid), 0, "another");
	tap_is(xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, tenant, workers[1].pid), -EALREADY,
	       "once only");
	tap_is(tenant_of(&workers[0]), tenant, "the list says so");
	tap_is(xsdev_tenant_op(fd, KFD_XSCHED_OP_SUSPEND, tenant, 0, &node), 0, "SUSPEND");
	tap_is(node.fw_transactions, xsdev_transactions(fd, 2), "is one switch for both");
	tap_is(node.flips, 2, "and two queues");
	tap_ok(!runs(&workers[0], 0, HELD_MS) && !runs(&workers[1], 0, HELD_MS),
	       "neither runs");
	tap_ok(runs(&workers[2], 0, DONE_MS), "a process that is not in it does");
}

static void test_to_come(int tenant)
{
	struct kfd_xsched_node_result node;
	int n = worker_add_queue(&workers[0]);

	tap_ok(n > 0 && is_held(&workers[0], n), "a new queue of a member is born held");
	tap_ok(!runs(&workers[0], n, HELD_MS), "it does not run");
	tap_is(xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, tenant, workers[2].pid), 0,
	       "a third process comes");
	tap_ok(is_held(&workers[2], 0), "and is held when the call returns");
	tap_ok(!runs(&workers[2], 0, HELD_MS), "it does not run");
	tap_is(xsdev_tenant(fd, KFD_XSCHED_TENANT_REMOVE, tenant, workers[2].pid), 0, "it goes");
	tap_is(worker_wait(&workers[2], 0, DONE_MS), 0, "and runs");
	tap_is(xsdev_tenant(fd, KFD_XSCHED_TENANT_REMOVE, tenant, workers[2].pid), -ENOENT,
	       "once only");
	tap_is(xsdev_tenant_op(fd, KFD_XSCHED_OP_RESUME, tenant, 0, &node), 0, "RESUME");
	tap_is(node.fw_transactions, xsdev_transactions(fd, 3), "is one switch");
	tap_ok(!worker_wait(&workers[0], 0, DONE_MS) && !worker_wait(&workers[0], n, DONE_MS) &&
	       !worker_wait(&workers[1], 0, DONE_MS), "all run");
}

static void test_ends(int tenant)
{
	int other = xsdev_open();
	int of_other = xsdev_tenant(other, KFD_XSCHED_TENANT_CREATE, 0, 0);

	xsdev_tenant_op(fd, KFD_XSCHED_OP_SUSPEND, tenant, 0, NULL);
	tap_is(xsdev_tenant(fd, KFD_XSCHED_TENANT_DESTROY, tenant, 0), 0, "DESTROY while held");
	tap_ok(runs(&workers[0], 0, DONE_MS) && runs(&workers[1], 0, DONE_MS), "both run");
	tap_is(tenant_of(&workers[0]), 0, "and are in none");
	tap_is(xsdev_tenant_op(fd, KFD_XSCHED_OP_SUSPEND, tenant, 0, NULL), -ESRCH, "it is gone");

	xsdev_tenant(other, KFD_XSCHED_TENANT_ADD, of_other, workers[0].pid);
	xsdev_tenant_op(other, KFD_XSCHED_OP_SUSPEND, of_other, 0, NULL);
	tap_ok(is_held(&workers[0], 0), "another client's tenant is held");
	tap_is(xsdev_tenant_op(fd, KFD_XSCHED_OP_RESUME, of_other, 0, NULL),
	       of_other <= tenant ? -ESRCH : -ENOENT, "it is not ours to name");
	close(other);
	tap_ok(runs(&workers[0], 0, DONE_MS), "it ends with its client");
}

static void test_exit(void)
{
	int tenant = xsdev_tenant(fd, KFD_XSCHED_TENANT_CREATE, 0, 0);

	xsdev_tenant_op(fd, KFD_XSCHED_OP_SUSPEND, tenant, 0, NULL);
	xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, tenant, workers[1].pid);
	xsdev_tenant(fd, KFD_XSCHED_TENANT_ADD, tenant, workers[2].pid);
	worker_submit(&workers[1], 0, &shape, 1);
	worker_kill(&workers[1]);
	tap_ok(is_held(&workers[2], 0), "a member that is killed leaves the others held");
	tap_is(xsdev_tenant(fd, KFD_XSCHED_TENANT_DESTROY, tenant, 0), 0, "they are released");
	tap_ok(runs(&workers[2], 0, DONE_MS), "and run");
}

static void check_account(struct worker *w)
{
	struct spin_account account;

	tap_ok(!worker_account(w, &account) && spin_account_clean(&account),
	       "every dispatch executed once and in order");
	tap_is(worker_stop(w), 0, "the worker exits");
}

int main(void)
{
	unsigned int i;
	int tenant;

	fd = must_open();
	if (xsdev_wait_no_queue(fd, 20000))
		tap_bail("other processes have queues");
	for (i = 0; i < WORKERS; i++)
		must_start(&workers[i], 1, NULL);
	tenant = xsdev_tenant(fd, KFD_XSCHED_TENANT_CREATE, 0, 0);
	tap_ok(tenant > 0, "a tenant is made");
	test_as_one(tenant);
	test_to_come(tenant);
	test_ends(tenant);
	test_exit();
	check_account(&workers[0]);
	check_account(&workers[2]);
	return tap_done();
}
