// SPDX-License-Identifier: GPL-2.0-only
/*
 * A driver below that exists in memory only. See fake.h.
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/idr.h>
#include <linux/kthread.h>
#include <linux/mmap_lock.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "core.h"
#include "fake.h"

/* How often to try to be the next one that begins. */
#define FAKE_TRIES	3

static struct xs_hw_node nodes[FAKE_NODES];
static struct xs_hw_process processes[FAKE_PROCESSES];
/* Of the first queue. */
#define FAKE_DOORBELL	0x1000

static struct xs_hw_queue queues[FAKE_QUEUES];
static u32 next_queue_id;

int (*fake_on_start)(void);
void (*fake_on_stop)(void);
void (*fake_on_tap)(void);

static int fake_start(void)
{
	return fake_on_start ? fake_on_start() : 0;
}

static void fake_stop(void)
{
	if (fake_on_stop)
		fake_on_stop();
}

/* Whether the firmware is to know. */
static bool change_one(struct xs_hw_node *node, struct xs_hw_change *change)
{
	struct xs_hw_queue *queue = change->hw;
	bool flips;

	WARN_ON(!queue->present);
	WARN_ON(queue->desc.node != node);
	queue->desc.process->was_hold_new = queue->desc.process->hold_new;
	change->ret = queue->ret;
	change->flipped = false;
	if (queue->ret == -ESRCH)
		return false;
	/* Off for another reason, it neither comes nor goes. */
	flips = queue->held != change->hold && !queue->reasons;
	change->flipped = flips;
	queue->held = change->hold;
	if (change->priority != XS_PRIORITY_KEEP) {
		flips |= queue->override != change->priority;
		queue->override = change->priority;
	}
	if (change->level != XS_PRIORITY_KEEP) {
		WARN_ON(!(queue->desc.node->desc.caps & KFD_XSCHED_CAP_CLASS));
		flips |= queue->level != change->level;
		queue->level = change->level;
	}
	change->effective_priority = queue->override < 0 ?
		queue->desc.priority : queue->override;
	change->effective_level = queue->level < 0 ? FAKE_APP_LEVEL : queue->level;
	return flips;
}

static int fake_apply(struct xs_hw_node *node, struct xs_hw_change *changes, u32 grace_us,
		      struct xs_hw_times *times)
{
	struct xs_hw_change *change;
	bool sent = false;

	/* One transaction a node at a time, and the core not at a standstill. */
	lockdep_assert_not_held(&xs_lock);
	WARN_ON(mutex_is_locked(&node->lock));
	guard(mutex)(&node->lock);
	node->applies++;
	for (change = changes; change; change = change->next)
		node->changes++;
	node->last_grace_us = grace_us;
	complete(&node->entered);
	if (READ_ONCE(node->hang))
		wait_for_completion(&node->answer);
	if (node->fail == -ETIME)
		xs_news->preempt_failed(node, node->culprit);
	if (node->fail && !node->fail_half)
		return node->fail;
	WRITE_ONCE(node->switching, true);
	msleep(node->switch_ms);
	for (change = changes; change; change = change->next) {
		sent |= change_one(node, change);
		times->flips += change->flipped;
	}
	WRITE_ONCE(node->switching, false);
	node->transactions += sent;
	times->fw_transactions = sent;
	times->unmap_ns = node->unmap_ns ?: 1;
	return node->fail;
}

void fake_hang(struct xs_hw_node *node)
{
	reinit_completion(&node->answer);
	reinit_completion(&node->entered);
	WRITE_ONCE(node->hang, true);
}

void fake_answer(struct xs_hw_node *node, int error)
{
	node->fail = error;
	WRITE_ONCE(node->hang, false);
	complete_all(&node->answer);
}

void fake_answer_one(struct xs_hw_node *node, int error)
{
	node->fail = error;
	complete(&node->answer);
}

static void fake_hold_new(struct xs_hw_process *process, bool hold)
{
	WARN_ON(process->exited);
	process->hold_new = hold;
	process->told++;
}

static u32 fake_state(struct xs_hw_queue *queue)
{
	return queue->held || queue->reasons ? queue->reasons : KFD_XSCHED_QUEUE_ACTIVE;
}

static void add_waves(const struct xs_hw_queue *queue, struct xs_hw_waves *waves)
{
	const int count = READ_ONCE(queue->waves);

	if (queue->present && !READ_ONCE(queue->held) && count)
		waves->queues[waves->count++] = (struct xs_hw_queue_waves){
			.doorbell = queue->desc.doorbell,
			.waves = count,
		};
}

static int fake_count_waves(struct xs_hw_node *node, struct xs_hw_waves *waves)
{
	const unsigned int applies = READ_ONCE(node->applies);
	const u64 mapped_ns = READ_ONCE(node->mapped_ns);
	unsigned int i;

	WRITE_ONCE(node->counts, node->counts + 1);
	msleep(READ_ONCE(node->count_ms));
	if (READ_ONCE(node->switching) || READ_ONCE(node->applies) != applies)
		return -EBUSY;
	waves->mapped_ns = mapped_ns == U64_MAX ? ktime_get_ns() : mapped_ns;
	waves->turn_ns = READ_ONCE(node->turn_ns);
	waves->count = 0;
	for (i = 0; i < FAKE_QUEUES && waves->count < XS_HW_MAX_WAVES; i++) {
		if (queues[i].desc.node == node)
			add_waves(&queues[i], waves);
	}
	return READ_ONCE(node->count_error);
}

static bool fake_mapped_since(struct xs_hw_node *node, u64 mapped_ns)
{
	const u64 now = READ_ONCE(node->mapped_ns);

	return READ_ONCE(node->switching) || (now != U64_MAX && now != mapped_ns);
}

static int fake_saved(struct xs_hw_queue *queue)
{
	WRITE_ONCE(queue->asked, queue->asked + 1);
	if (!READ_ONCE(queue->asked_ns))
		WRITE_ONCE(queue->asked_ns, ktime_get_ns());
	msleep(READ_ONCE(queue->ask_ms));
	return READ_ONCE(queue->saved);
}

static u32 fake_priority(struct xs_hw_queue *queue)
{
	return queue->desc.priority;
}

struct fake_tap *fake_tap_of(struct xs_hw_process *process, const struct xs_hw_node *node)
{
	return &process->taps[node - nodes];
}

static int fake_tap(struct xs_hw_process *process, struct xs_hw_node *node)
{
	struct fake_tap *tap = fake_tap_of(process, node);
	int ret;

	WARN_ON(!(node->desc.caps & KFD_XSCHED_CAP_TAP));
	WRITE_ONCE(tap->arms, tap->arms + 1);
	ret = READ_ONCE(tap->ret);
	if (ret)
		return ret;
	if (fake_on_tap)
		fake_on_tap();
	WRITE_ONCE(tap->armed, true);
	return 0;
}

static void fake_untap(struct xs_hw_process *process, struct xs_hw_node *node)
{
	WRITE_ONCE(fake_tap_of(process, node)->armed, false);
}

static bool fake_rings_elsewhere(struct xs_hw_process *process, struct xs_hw_node *node)
{
	return READ_ONCE(fake_tap_of(process, node)->shared);
}

/* As in a page fault, where nothing may be waited for that takes mmap_lock. */
void fake_ring(struct xs_hw_process *process, struct xs_hw_node *node)
{
	mmap_read_lock(current->mm);
	if (xchg(&fake_tap_of(process, node)->armed, false))
		xs_news->doorbell(process, node);
	mmap_read_unlock(current->mm);
}

const struct xs_backend_ops fake_backend = {
	.start = fake_start,
	.stop = fake_stop,
	.apply = fake_apply,
	.hold_new = fake_hold_new,
	.state = fake_state,
	.count_waves = fake_count_waves,
	.mapped_since = fake_mapped_since,
	.saved = fake_saved,
	.priority = fake_priority,
	.tap = fake_tap,
	.untap = fake_untap,
	.rings_elsewhere = fake_rings_elsewhere,
};

void fake_reset(void)
{
	unsigned int i;

	memset(nodes, 0, sizeof(nodes));
	memset(processes, 0, sizeof(processes));
	memset(queues, 0, sizeof(queues));
	for (i = 0; i < FAKE_NODES; i++) {
		mutex_init(&nodes[i].lock);
		init_completion(&nodes[i].answer);
		init_completion(&nodes[i].entered);
	}
	for (i = 0; i < FAKE_PROCESSES; i++)
		mutex_init(&processes[i].lock);
	next_queue_id = 0;
	fake_on_start = NULL;
	fake_on_stop = NULL;
	fake_on_tap = NULL;
}

struct xs_hw_node *fake_node_add(struct kunit *test, u32 gpu_id, u32 caps)
{
	return fake_node_add_with(test, gpu_id, caps, NULL);
}

struct xs_hw_node *fake_node_add_with(struct kunit *test, u32 gpu_id, u32 caps,
				      const struct xs_hw_node *with)
{
	struct xs_hw_node *node = nodes;

	while (node < nodes + FAKE_NODES && node->present)
		node++;
	KUNIT_ASSERT_LT(test, node - nodes, FAKE_NODES);
	node->desc = (struct xs_hw_node_desc){
		.gpu_id = gpu_id,
		.reset_domain = with ? with->desc.reset_domain : node,
		.backend = KFD_XSCHED_BACKEND_HWS,
		.caps = caps,
		.max_grace_us = caps & KFD_XSCHED_CAP_GRACE ? FAKE_MAX_GRACE_US : 0,
	};
	node->present = true;
	KUNIT_ASSERT_EQ(test, xs_node_added(node, &node->desc), 0);
	return node;
}

void fake_node_remove(struct xs_hw_node *node)
{
	xs_node_removed(node);
	node->present = false;
}

static int process_thread(void *data)
{
	const kuid_t uid = make_kuid(&init_user_ns, (uintptr_t)data);
	struct cred *cred = prepare_creds();

	if (cred) {
		cred->uid = uid;
		cred->euid = uid;
		cred->suid = uid;
		cred->fsuid = uid;
		/* As setresuid() does. */
		if (!uid_eq(uid, GLOBAL_ROOT_UID)) {
			cap_clear(cred->cap_permitted);
			cap_clear(cred->cap_effective);
		}
		compat_own_dumpable();
		commit_creds(cred);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static bool has_uid(struct task_struct *task, unsigned int uid)
{
	bool has;

	scoped_guard(rcu)
		has = uid_eq(__task_cred(task)->suid, KUIDT_INIT(uid));
	return has;
}

static struct xs_hw_process *free_process(struct kunit *test)
{
	struct xs_hw_process *process = processes;

	while (process < processes + FAKE_PROCESSES && process->task)
		process++;
	KUNIT_ASSERT_LT(test, process - processes, FAKE_PROCESSES);
	return process;
}

struct xs_hw_process *fake_process_add(struct kunit *test, unsigned int uid)
{
	struct xs_hw_process *process = free_process(test);

	process->task = kthread_run(process_thread, (void *)(uintptr_t)uid,
				    "fake-%u", uid);
	KUNIT_ASSERT_FALSE(test, IS_ERR(process->task));
	get_task_struct(process->task);
	process->pid = get_task_pid(process->task, PIDTYPE_TGID);
	process->nr = pid_nr(process->pid);
	process->leaderless = false;
	while (!has_uid(process->task, uid))
		msleep(20);
	return process;
}

struct xs_hw_process *fake_space_add(struct kunit *test, struct xs_hw_process *process)
{
	struct xs_hw_process *space = free_process(test);

	space->task = process->task;
	get_task_struct(space->task);
	space->pid = get_pid(process->pid);
	space->nr = process->nr;
	space->leaderless = true;
	return space;
}

/* Its number is free then. */
void fake_leader_exit(struct xs_hw_process *process)
{
	kthread_stop(process->task);
	while (pid_has_task(process->pid, PIDTYPE_TGID))
		msleep(20);
	process->leaderless = true;
}

void fake_process_exit(struct xs_hw_process *process)
{
	unsigned int i;

	xs_process_exited(process);
	process->exited = true;
	memset(process->taps, 0, sizeof(process->taps));
	for (i = 0; i < FAKE_QUEUES; i++) {
		if (queues[i].present && queues[i].desc.process == process)
			fake_queue_remove(&queues[i]);
	}
	if (!process->leaderless)
		fake_leader_exit(process);
	put_task_struct(process->task);
	put_pid(process->pid);
	process->task = NULL;
	process->hold_new = false;
	process->exited = false;
}

struct xs_hw_process *fake_process_add_again(struct kunit *test, unsigned int uid, pid_t nr)
{
	struct xs_hw_process *process;
	unsigned int i;

	for (i = 0; i < FAKE_TRIES; i++) {
		idr_set_cursor(&init_pid_ns.idr, nr);
		process = fake_process_add(test, uid);
		if (process->nr == nr)
			return process;
		kunit_info(test, "somebody else has taken number %d\n", nr);
		fake_process_exit(process);
	}
	KUNIT_FAIL_AND_ABORT(test, "nobody gets number %d", nr);
	return NULL;
}

struct xs_hw_queue *fake_queue_add_desc(struct kunit *test,
					const struct xs_hw_queue_desc *desc)
{
	struct xs_hw_queue *queue = queues;

	while (queue < queues + FAKE_QUEUES && queue->present)
		queue++;
	KUNIT_ASSERT_LT(test, queue - queues, FAKE_QUEUES);
	*queue = (struct xs_hw_queue){
		.desc = *desc,
		.present = true,
		.held = desc->process->hold_new,
		.override = XS_PRIORITY_APP,
		.level = XS_PRIORITY_APP,
	};
	queue->desc.queue_id = next_queue_id++;
	queue->desc.doorbell = FAKE_DOORBELL + (queue - queues);
	queue->desc.pid = desc->process->pid;
	queue->desc.mm = current->mm;
	queue->desc.priority = FAKE_APP_PRIORITY;

	/*
	 * amdkfd holds no mmap_lock here, but others do around what the core
	 * waits for. So lockdep finds every copy to or from user space under
	 * xs_lock.
	 */
	scoped_guard(mutex, &desc->process->lock) {
		mmap_read_lock(current->mm);
		queue->present = !xs_queue_added(queue, &queue->desc);
		mmap_read_unlock(current->mm);
	}
	return queue->present ? queue : NULL;
}

struct xs_hw_queue *fake_queue_add(struct kunit *test, struct xs_hw_process *process,
				   struct xs_hw_node *node)
{
	const struct xs_hw_queue_desc desc = { .node = node, .process = process };

	return fake_queue_add_desc(test, &desc);
}

void fake_queue_remove(struct xs_hw_queue *queue)
{
	guard(mutex)(&queue->desc.process->lock);
	xs_queue_removed(queue);
	queue->present = false;
}

void fake_queue_change(struct xs_hw_queue *queue)
{
	guard(mutex)(&queue->desc.process->lock);
	xs_queue_changed(queue);
}

void fake_queue_lose(struct xs_hw_queue *queue)
{
	guard(mutex)(&queue->desc.node->lock);
	queue->reasons |= KFD_XSCHED_QUEUE_RESET;
	queue->ret = -EACCES;
	xs_news->preempt_failed(queue->desc.node, queue);
}

static bool is_overridden(void)
{
	unsigned int i;

	for (i = 0; i < FAKE_QUEUES; i++) {
		const struct xs_hw_queue *queue = &queues[i];

		if (queue->present && !queue->ret && (queue->override >= 0 || queue->level >= 0))
			return true;
	}
	return false;
}

bool fake_any_hold(void)
{
	unsigned int i;

	for (i = 0; i < FAKE_QUEUES; i++) {
		if (queues[i].present && !queues[i].ret && queues[i].held)
			return true;
	}
	for (i = 0; i < FAKE_PROCESSES; i++) {
		if (processes[i].task && !processes[i].exited &&
		    processes[i].hold_new)
			return true;
	}
	return false;
}

bool fake_anything_held(void)
{
	return fake_any_hold() || is_overridden();
}

void fake_remove_all(void)
{
	unsigned int i;

	for (i = 0; i < FAKE_QUEUES; i++) {
		if (queues[i].present)
			fake_queue_remove(&queues[i]);
	}
	for (i = 0; i < FAKE_PROCESSES; i++) {
		if (processes[i].task)
			fake_process_exit(&processes[i]);
	}
	for (i = 0; i < FAKE_NODES; i++) {
		if (nodes[i].present)
			fake_node_remove(&nodes[i]);
	}
}

unsigned int fake_applies(void)
{
	unsigned int i, sum = 0;

	for (i = 0; i < FAKE_NODES; i++)
		sum += nodes[i].applies;
	return sum;
}

unsigned int fake_transactions(void)
{
	unsigned int i, sum = 0;

	for (i = 0; i < FAKE_NODES; i++)
		sum += nodes[i].transactions;
	return sum;
}
