/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What older kernels lack. The code is written for the newest Linux; nothing else here asks for a
 * version.
 */
#ifndef XS_COMPAT_H
#define XS_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rtmutex.h>
#include <linux/slab.h>
#include <linux/version.h>

/*
 * Updates and distributions have brought some of this to kernels before 6.5: 6.1 and RHEL 9 have
 * nearly all, so a version does not tell. What follows stands also beside the kernel's own. Before
 * 6.5, Kbuild includes this file in front of all others.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#include <linux/err.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#ifndef __counted_by
#define __counted_by(...)
#endif

#if !__has_include("linux/cleanup.h")
#define __cleanup(function)	__attribute__((__cleanup__(function)))
#define __free(name)		__cleanup(__free_##name)
#define no_free_ptr(pointer) \
	({ __auto_type __at = &(pointer); typeof(*__at) __was = *__at; *__at = NULL; __was; })

#define DEFINE_FREE(name, type, free) \
	static inline void __free_##name(void *p) { type _T = *(type *)p; free; }

DEFINE_FREE(kfree, void *, kfree(IS_ERR(_T) ? NULL : _T))

struct xs_guard {
	void *lock;
	unsigned long flags;
};

#define XS_GUARD(name, type, take, release) \
static inline struct xs_guard xs_guard_##name(type lock) \
{ \
	struct xs_guard guard = { .lock = lock }; \
	take; \
	return guard; \
} \
static inline void xs_unguard_##name(struct xs_guard *guard) \
{ \
	type lock = guard->lock; \
	release; \
}

XS_GUARD(mutex, struct mutex *, mutex_lock(lock), mutex_unlock(lock))
XS_GUARD(rt_mutex, struct rt_mutex *, rt_mutex_lock(lock), rt_mutex_unlock(lock))
XS_GUARD(spinlock, spinlock_t *, spin_lock(lock), spin_unlock(lock))
XS_GUARD(spinlock_irqsave, spinlock_t *, spin_lock_irqsave(lock, guard.flags),
	 spin_unlock_irqrestore(lock, guard->flags))
XS_GUARD(rcu, void *, rcu_read_lock(), (void)lock; rcu_read_unlock())
/* The others have one argument. */
#define xs_guard_rcu(...)	xs_guard_rcu(NULL)

#define XS_GUARDED(name, variable) \
	struct xs_guard variable __cleanup(xs_unguard_##name) = xs_guard_##name
#define guard(name)	XS_GUARDED(name, __UNIQUE_ID(guard))
#define scoped_guard(name, ...) \
	for (XS_GUARDED(name, scope)(__VA_ARGS__), *once = &scope; once; once = NULL)
#endif

#define __free_kvfree	xs_free_kvfree
DEFINE_FREE(kvfree, void *, kvfree(_T))

static inline size_t xs_list_count_nodes(struct list_head *head)
{
	struct list_head *at;
	size_t count = 0;

	list_for_each(at, head)
		count++;
	return count;
}

#define list_count_nodes	xs_list_count_nodes

/* The type is not const there. */
#define kobject_init_and_add(kobj, type, ...) \
	kobject_init_and_add(kobj, (void *)(type), __VA_ARGS__)
#endif

/* No kernel has it yet. */
#ifdef DEFINE_GUARD
DEFINE_GUARD(rt_mutex, struct rt_mutex *, rt_mutex_lock(_T), rt_mutex_unlock(_T))
#endif

static inline bool xs_is_locked(const struct rt_mutex *lock)
{
#ifdef __RT_MUTEX_BASE_INITIALIZER
	return READ_ONCE(lock->rtmutex.owner);
#else
	return READ_ONCE(lock->owner);
#endif
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
/* It started the thread then. */
#define kthread_run_worker	kthread_create_worker
#endif

#endif
