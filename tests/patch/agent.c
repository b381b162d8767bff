// SPDX-License-Identifier: GPL-2.0-only
/*
 * The agent: hold a process while it has no work, and let it run when it rings.
 *
 * It looks at the indices, arms the tap, looks once more, and holds the queues. A
 * ring that nobody saw leaves them held with work in the ring for ever; the test
 * waits for the work. With recheck=0 the second look is left out, which is wrong
 * and has to show. So that it does soon, the agent sleeps before it arms: also
 * on one processor the process goes on meanwhile.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "probe.h"

/**
 * struct agent - of one process, on one node
 * @tgid: process
 * @process: amdkfd's
 * @node: amdkfd's
 * @mm: its address space, grabbed
 * @gap_us: how long it waits before it looks whether there is work
 * @recheck: look again after arming
 * @idle: the queues are held, a ring is waited for
 * @seen: number of doorbell callbacks when it began to wait
 * @holds: how often it held the queues
 * @releases: how often a ring made it release them
 * @late: work that only the second look saw
 * @errors: anything else that failed
 */
struct agent {
	pid_t tgid;
	struct kfd_process *process;
	struct kfd_node *node;
	struct mm_struct *mm;
	unsigned int gap_us;
	bool recheck;

	bool idle;
	int seen;
	unsigned int holds;
	unsigned int releases;
	unsigned int late;
	unsigned int errors;
};

/* For how long, microseconds. */
#define AGENT_SLEEP_US	100

static struct agent agent;
static struct task_struct *agent_task;

static bool queue_has_packets(const struct probe_queue *pq)
{
	u64 read, write;

	if (copy_from_user_nofault(&write, pq->info.write_index, sizeof(write)) ||
	    copy_from_user_nofault(&read, pq->info.read_index, sizeof(read)))
		return true;
	return read != write;
}

/* Whether a queue of the process has packets or waves; also if that is not known. */
static bool has_work_locked(struct agent *a)
{
	struct probe_queue *found[PROBE_MAX_QUEUES];
	unsigned int n = probe_find_locked(a->tgid, found);
	bool work = !n;
	unsigned int i;

	if (!mmget_not_zero(a->mm))
		return true;
	kthread_use_mm(a->mm);
	for (i = 0; i < n; i++)
		work |= queue_has_packets(found[i]);
	kthread_unuse_mm(a->mm);
	mmput_async(a->mm);

	/* After the packets: what was fetched is in flight. */
	for (i = 0; i < n && !work; i++)
		work = probe_waves_locked(found[i]) != 0;
	return work;
}

static void set_held_locked(struct agent *a, bool hold)
{
	struct kfd_sched_times times;

	if (probe_hold_locked(a->tgid, hold, &times))
		a->errors++;
	else if (hold)
		a->holds++;
	else
		a->releases++;
	a->idle = hold;
}

static void look_locked(struct agent *a)
{
	int ret;

	if (has_work_locked(a))
		return;

	usleep_range(AGENT_SLEEP_US / 2, AGENT_SLEEP_US);
	a->seen = atomic_read(&probe_counts.doorbells);
	ret = kfd_sched_tap_arm(a->process, a->node);
	if (ret) {
		/* A thread that faults has what it needs: try again at the next look. */
		a->errors += ret != -EAGAIN;
		return;
	}

	if (a->recheck && has_work_locked(a)) {
		kfd_sched_tap_disarm(a->process, a->node);
		a->late++;
		return;
	}
	set_held_locked(a, true);
}

static bool rang(struct agent *a)
{
	return atomic_read(&probe_counts.doorbells) != a->seen;
}

static int agent_thread(void *data)
{
	struct agent *a = data;

	while (!kthread_should_stop()) {
		if (a->idle)
			wait_event_interruptible(probe_wait, rang(a) || kthread_should_stop());
		else
			usleep_range(get_random_u32_below(a->gap_us), a->gap_us);

		probe_lock();
		if (!a->idle)
			look_locked(a);
		else if (rang(a))
			set_held_locked(a, false);
		probe_unlock();
	}
	return 0;
}

int probe_agent_start(pid_t tgid, unsigned int gap_us, bool recheck)
{
	struct probe_queue *found[PROBE_MAX_QUEUES];
	struct task_struct *task;
	int ret = -ESRCH;

	probe_lock();
	if (agent_task) {
		ret = -EBUSY;
	} else if (probe_find_locked(tgid, found)) {
		agent = (struct agent){
			.tgid = tgid,
			.process = found[0]->info.process,
			.node = found[0]->info.node,
			.mm = found[0]->info.mm,
			.gap_us = max(gap_us, 1U),
			.recheck = recheck,
		};
		mmgrab(agent.mm);
		ret = 0;
	}
	probe_unlock();
	if (ret)
		return ret;

	task = kthread_run(agent_thread, &agent, "kfd_probe");
	if (IS_ERR(task)) {
		mmdrop(agent.mm);
		return PTR_ERR(task);
	}
	agent_task = task;
	return 0;
}

/* The process must still be there: its queues are released, its tap disarmed. */
int probe_agent_stop(char *result, size_t size)
{
	struct probe_queue *found[PROBE_MAX_QUEUES];

	if (!agent_task)
		return -ESRCH;

	kthread_stop(agent_task);
	agent_task = NULL;
	probe_lock();
	if (probe_find_locked(agent.tgid, found)) {
		kfd_sched_tap_disarm(agent.process, agent.node);
		if (agent.idle)
			set_held_locked(&agent, false);
	}
	probe_unlock();
	mmdrop(agent.mm);
	scnprintf(result, size, "holds=%u releases=%u late=%u errors=%u\n",
		  agent.holds, agent.releases, agent.late, agent.errors);
	return 0;
}
