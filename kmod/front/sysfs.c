// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/kfd_xsched: the device "global", and one for each node.
 *
 * A limit comes as four files: NAME, NAME_min, NAME_max and .defaults/NAME.
 */
#include <linux/compiler.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <linux/kfd_xsched.h>

#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/account.h"
#include "model/node.h"
#include "model/park.h"
#include "model/queue.h"
#include "model/request.h"
#include "switch/switch.h"
#include "watch/watch.h"

static struct device *global;

/* ---- limits -------------------------------------------------------------- */

typedef u32 (*xs_param_fn)(struct device *dev);

/**
 * struct xs_param - a number an administrator may set
 * @get: value in effect
 * @set: put one in effect that is within the limits
 * @least: value that may be set
 * @most: likewise
 * @initial: value before anybody sets one
 */
struct xs_param {
	xs_param_fn get;
	void (*set)(struct device *dev, u32 value);
	xs_param_fn least;
	xs_param_fn most;
	xs_param_fn initial;
};

/**
 * struct xs_param_attr - one of the four files
 * @attr: the file
 * @param: of what
 * @show: which of its numbers
 */
struct xs_param_attr {
	struct device_attribute attr;
	const struct xs_param *param;
	const xs_param_fn *show;
};

static struct xs_param_attr *sysfs_to_param(struct device_attribute *attr)
{
	return container_of(attr, struct xs_param_attr, attr);
}

static ssize_t param_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", (*sysfs_to_param(attr)->show)(dev));
}

static ssize_t param_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	const struct xs_param *param = sysfs_to_param(attr)->param;
	u32 value;

	if (!xs_sysfs_may_write())
		return -EPERM;
	if (kstrtou32(buf, 10, &value) || value < param->least(dev) ||
	    value > param->most(dev))
		return -EINVAL;
	param->set(dev, value);
	return count;
}

#define XS_PARAM_FILE(_var, _file, _mode, _store, _param, _which)		\
static struct xs_param_attr _var = {						\
	.attr = __ATTR(_file, _mode, param_show, _store),			\
	.param = &(_param),							\
	.show = &(_param)._which,						\
}

#define XS_PARAM_FILES(_name)							\
XS_PARAM_FILE(_name##_value, _name, 0644, param_store, _name##_param, get);	\
XS_PARAM_FILE(_name##_least, _name##_min, 0444, NULL, _name##_param, least);	\
XS_PARAM_FILE(_name##_most, _name##_max, 0444, NULL, _name##_param, most);	\
XS_PARAM_FILE(_name##_first, _name, 0444, NULL, _name##_param, initial)

/* The limits, and the value at first, of a number for which they are always the same. */
#define XS_PARAM(_name, _least, _most, _initial)				\
static u32 sysfs_##_name##_min(struct device *dev)				\
{										\
	return _least;								\
}										\
										\
static u32 sysfs_##_name##_max(struct device *dev)				\
{										\
	return _most;								\
}										\
										\
static u32 sysfs_##_name##_initial(struct device *dev)				\
{										\
	return _initial;							\
}										\
										\
static const struct xs_param _name##_param = {					\
	.get = sysfs_##_name##_get,						\
	.set = sysfs_##_name##_set,						\
	.least = sysfs_##_name##_min,						\
	.most = sysfs_##_name##_max,						\
	.initial = sysfs_##_name##_initial,					\
}

static u32 sysfs_watchdog_ms_get(struct device *dev)
{
	return xs_watchdog_ms();
}

static void sysfs_watchdog_ms_set(struct device *dev, u32 value)
{
	xs_watchdog_set_ms(value);
}

XS_PARAM(watchdog_ms, XS_WATCHDOG_MS_MIN, XS_WATCHDOG_MS_MAX, XS_WATCHDOG_MS);
XS_PARAM_FILES(watchdog_ms);

static u32 sysfs_sample_period_us_get(struct device *dev)
{
	return xs_interest_period_us();
}

static void sysfs_sample_period_us_set(struct device *dev, u32 value)
{
	xs_interest_set_period_us(value);
	scoped_guard(rt_mutex, &xs_lock)
		xs_sampler_configure_locked(NULL);
}

XS_PARAM(sample_period_us, KFD_XSCHED_SAMPLE_US_MIN, KFD_XSCHED_SAMPLE_US_MAX,
	 XS_SAMPLE_PERIOD_US);
XS_PARAM_FILES(sample_period_us);

static u32 sysfs_tap_idle_us_get(struct device *dev)
{
	return xs_sampler_tap_idle_us();
}

static void sysfs_tap_idle_us_set(struct device *dev, u32 value)
{
	xs_sampler_set_tap_idle_us(value);
}

XS_PARAM(tap_idle_us, 0, XS_TAP_IDLE_US_MAX, XS_TAP_IDLE_US);
XS_PARAM_FILES(tap_idle_us);

static u32 sysfs_waves_percent_get(struct device *dev)
{
	return xs_node_waves_percent();
}

static void sysfs_waves_percent_set(struct device *dev, u32 value)
{
	xs_node_set_waves_percent(value);
}

XS_PARAM(waves_percent, 0, XS_WAVES_PERCENT_MAX, XS_WAVES_PERCENT);
XS_PARAM_FILES(waves_percent);

static u32 sysfs_grace_get(struct device *dev)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return READ_ONCE(node->default_grace_us);
}

static void sysfs_grace_set(struct device *dev, u32 value)
{
	struct xs_node *node = dev_get_drvdata(dev);

	WRITE_ONCE(node->default_grace_us, value);
}

static u32 sysfs_grace_min(struct device *dev)
{
	return 0;
}

static u32 sysfs_grace_max(struct device *dev)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return node->desc.max_grace_us;
}

static u32 sysfs_grace_initial(struct device *dev)
{
	return min_t(u32, XS_DEFAULT_GRACE_US, sysfs_grace_max(dev));
}

static const struct xs_param default_grace_us_param = {
	.get = sysfs_grace_get,
	.set = sysfs_grace_set,
	.least = sysfs_grace_min,
	.most = sysfs_grace_max,
	.initial = sysfs_grace_initial,
};

XS_PARAM_FILES(default_grace_us);

static u32 sysfs_park_ms_get(struct device *dev)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return READ_ONCE(node->park_ms);
}

static void sysfs_park_ms_set(struct device *dev, u32 value)
{
	xs_park_set_ms(dev_get_drvdata(dev), value);
}

XS_PARAM(park_ms, 0, KFD_XSCHED_PARK_MS_MAX, XS_PARK_MS);
XS_PARAM_FILES(park_ms);

static u32 sysfs_park_batch_ms_get(struct device *dev)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return READ_ONCE(node->park_batch_ms);
}

static void sysfs_park_batch_ms_set(struct device *dev, u32 value)
{
	struct xs_node *node = dev_get_drvdata(dev);

	WRITE_ONCE(node->park_batch_ms, value);
}

XS_PARAM(park_batch_ms, XS_PARK_BATCH_MS_MIN, XS_PARK_BATCH_MS_MAX, XS_PARK_BATCH_MS);
XS_PARAM_FILES(park_batch_ms);

static u32 sysfs_breaker_failures_get(struct device *dev)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return READ_ONCE(node->domain->breaker.limit);
}

static void sysfs_breaker_failures_set(struct device *dev, u32 value)
{
	struct xs_node *node = dev_get_drvdata(dev);

	WRITE_ONCE(node->domain->breaker.limit, value);
}

XS_PARAM(breaker_failures, 0, XS_BREAKER_FAILURES_MAX, XS_BREAKER_FAILURES);
XS_PARAM_FILES(breaker_failures);

static u32 sysfs_breaker_window_s_get(struct device *dev)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return READ_ONCE(node->domain->breaker.window_s);
}

static void sysfs_breaker_window_s_set(struct device *dev, u32 value)
{
	struct xs_node *node = dev_get_drvdata(dev);

	WRITE_ONCE(node->domain->breaker.window_s, value);
}

XS_PARAM(breaker_window_s, XS_BREAKER_WINDOW_S_MIN, XS_BREAKER_WINDOW_S_MAX, XS_BREAKER_WINDOW_S);
XS_PARAM_FILES(breaker_window_s);

#define XS_RATE_OF(_who)							\
static u32 sysfs_##_who##_rate_get(struct device *dev)				\
{										\
	const struct xs_node *node = dev_get_drvdata(dev);			\
										\
	return READ_ONCE(node->rates._who.per_s);				\
}										\
										\
static void sysfs_##_who##_rate_set(struct device *dev, u32 value)		\
{										\
	struct xs_node *node = dev_get_drvdata(dev);				\
										\
	scoped_guard(rt_mutex, &xs_lock)						\
		xs_rates_set_##_who(&node->rates, value);			\
}										\
										\
static u32 sysfs_##_who##_burst_get(struct device *dev)				\
{										\
	const struct xs_node *node = dev_get_drvdata(dev);			\
										\
	return READ_ONCE(node->rates._who.burst);				\
}										\
										\
static void sysfs_##_who##_burst_set(struct device *dev, u32 value)		\
{										\
	struct xs_node *node = dev_get_drvdata(dev);				\
										\
	WRITE_ONCE(node->rates._who.burst, value);				\
}

XS_RATE_OF(user)
XS_RATE_OF(admin)

XS_PARAM(user_rate, 0, XS_RATE_MAX, XS_USER_RATE);
XS_PARAM_FILES(user_rate);
XS_PARAM(user_burst, XS_BURST_MIN, XS_BURST_MAX, XS_USER_BURST);
XS_PARAM_FILES(user_burst);
XS_PARAM(admin_rate, 0, XS_RATE_MAX, XS_ADMIN_RATE);
XS_PARAM_FILES(admin_rate);
XS_PARAM(admin_burst, XS_BURST_MIN, XS_BURST_MAX, XS_ADMIN_BURST);
XS_PARAM_FILES(admin_burst);

/* ---- global -------------------------------------------------------------- */

static ssize_t enabled_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", xs_enabled());
}

static ssize_t enabled_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	bool enabled;

	if (!xs_sysfs_may_write())
		return -EPERM;
	if (kstrtobool(buf, &enabled))
		return -EINVAL;
	xs_set_enabled(enabled);
	return count;
}
static DEVICE_ATTR_RW(enabled);

/* "N": the client of that number; "pid N": the clients of a process. */
static ssize_t eject_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	u64 number;
	s32 nr;
	int ret;

	if (!xs_sysfs_may_write())
		return -EPERM;
	if (str_has_prefix(buf, "pid ")) {
		if (kstrtos32(buf + strlen("pid "), 10, &nr) || nr <= 0)
			return -EINVAL;
		ret = xs_eject_pid(nr);
	} else {
		if (kstrtou64(buf, 10, &number) || !number)
			return -EINVAL;
		ret = xs_eject_number(number);
	}
	return ret ?: count;
}
static DEVICE_ATTR_WO(eject);

/* A line "KIND LIMIT LIMIT_OF_ROOT" for each kind, also where there is no debugfs. */
static ssize_t account_limits_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	enum xs_quota i;
	int at = 0;

	for (i = 0; i < XS_QUOTAS; i++)
		at += sysfs_emit_at(buf, at, "%s %u %u\n", xs_account_quota_name(i),
				    xs_account_limit(i), xs_account_root_limit(i));
	return at;
}
static DEVICE_ATTR_ADMIN_RO(account_limits);

static struct attribute *global_attrs[] = {
	&watchdog_ms_value.attr.attr,
	&watchdog_ms_least.attr.attr,
	&watchdog_ms_most.attr.attr,
	&sample_period_us_value.attr.attr,
	&sample_period_us_least.attr.attr,
	&sample_period_us_most.attr.attr,
	&tap_idle_us_value.attr.attr,
	&tap_idle_us_least.attr.attr,
	&tap_idle_us_most.attr.attr,
	&waves_percent_value.attr.attr,
	&waves_percent_least.attr.attr,
	&waves_percent_most.attr.attr,
	&dev_attr_enabled.attr,
	&dev_attr_eject.attr,
	&dev_attr_demoted.attr,
	&dev_attr_account_limits.attr,
	NULL
};

static const struct attribute_group global_group = { .attrs = global_attrs };

static struct attribute *global_default_attrs[] = {
	&watchdog_ms_first.attr.attr,
	&sample_period_us_first.attr.attr,
	&tap_idle_us_first.attr.attr,
	&waves_percent_first.attr.attr,
	NULL
};

static const struct attribute_group global_default_group = {
	.name = ".defaults",
	.attrs = global_default_attrs,
};

static ssize_t clients_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", xs_client_count());
}
static DEVICE_ATTR_RO(clients);

static ssize_t held_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", xs_watchdog_count());
}
static DEVICE_ATTR_RO(held);

#define XS_ACTIVITY_FILE(_name, _format)					\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	return sysfs_emit(buf, _format "\n", xs_sampler_counts()._name);	\
}										\
static DEVICE_ATTR_RO(_name)

static ssize_t parked_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", xs_park_count());
}
static DEVICE_ATTR_RO(parked);

XS_ACTIVITY_FILE(sampled, "%u");
XS_ACTIVITY_FILE(tapped, "%u");
XS_ACTIVITY_FILE(rings, "%llu");

static ssize_t nonsense_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", xs_queue_nonsense_count());
}
static DEVICE_ATTR_RO(nonsense);

#define XS_EJECTED_FILE(_name, _reason)						\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	return sysfs_emit(buf, "%llu\n", xs_ejections(_reason));		\
}										\
static DEVICE_ATTR_RO(_name)

XS_EJECTED_FILE(ejected_watchdog, KFD_XSCHED_EJECT_WATCHDOG);
XS_EJECTED_FILE(ejected_admin, KFD_XSCHED_EJECT_ADMIN);
XS_EJECTED_FILE(ejected_disabled, KFD_XSCHED_EJECT_DISABLED);

static struct attribute *global_statistics_attrs[] = {
	&dev_attr_clients.attr,
	&dev_attr_held.attr,
	&dev_attr_parked.attr,
	&dev_attr_sampled.attr,
	&dev_attr_tapped.attr,
	&dev_attr_rings.attr,
	&dev_attr_nonsense.attr,
	&dev_attr_ejected_watchdog.attr,
	&dev_attr_ejected_admin.attr,
	&dev_attr_ejected_disabled.attr,
	NULL
};

static const struct attribute_group global_statistics_group = {
	.name = "statistics",
	.attrs = global_statistics_attrs,
};

#define XS_QUOTA_FILE(_name, _quota)						\
static ssize_t user_##_name##_show(struct device *dev,				\
				   struct device_attribute *attr, char *buf)	\
{										\
	return sysfs_emit(buf, "%u\n", xs_account_limit(_quota));		\
}										\
static struct device_attribute user_##_name =					\
	__ATTR(_name, 0444, user_##_name##_show, NULL)

XS_QUOTA_FILE(clients, XS_QUOTA_CLIENTS);
XS_QUOTA_FILE(subscriptions, XS_QUOTA_SUBSCRIPTIONS);
XS_QUOTA_FILE(armed, XS_QUOTA_ARMED);
XS_QUOTA_FILE(armed_entries, XS_QUOTA_ARMED_ENTRIES);
XS_QUOTA_FILE(entries, XS_QUOTA_ENTRIES);
XS_QUOTA_FILE(requests, XS_QUOTA_REQUESTS);
XS_QUOTA_FILE(tenants, XS_QUOTA_TENANTS);
XS_QUOTA_FILE(rings, XS_QUOTA_RINGS);

static ssize_t steps_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", XS_STEPS_OF_USER);
}
static DEVICE_ATTR_RO(steps);

static ssize_t armed_steps_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", XS_STEPS_OF_ARMED);
}
static DEVICE_ATTR_RO(armed_steps);

static ssize_t requests_on_target_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	return sysfs_emit(buf, "%u\n", XS_REQUESTS_ON_TARGET);
}
static DEVICE_ATTR_RO(requests_on_target);

static struct attribute *global_user_attrs[] = {
	&user_clients.attr,
	&user_subscriptions.attr,
	&user_armed.attr,
	&user_armed_entries.attr,
	&user_entries.attr,
	&user_requests.attr,
	&user_tenants.attr,
	&user_rings.attr,
	&dev_attr_requests_on_target.attr,
	&dev_attr_steps.attr,
	&dev_attr_armed_steps.attr,
	NULL
};

static const struct attribute_group global_user_group = {
	.name = "limits_of_user",
	.attrs = global_user_attrs,
};

static const struct attribute_group *global_groups[] = {
	&global_group,
	&global_user_group,
	&global_default_group,
	&global_statistics_group,
	NULL
};

const char *xs_sysfs_backend_name(u32 backend)
{
	switch (backend) {
	case KFD_XSCHED_BACKEND_HWS:
		return "hws";
	case KFD_XSCHED_BACKEND_MES:
		return "mes";
	default:
		return "none";
	}
}

/* ---- nodes --------------------------------------------------------------- */

static ssize_t gpu_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", node->desc.gpu_id);
}
static DEVICE_ATTR_RO(gpu_id);

static ssize_t backend_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n", xs_sysfs_backend_name(node->desc.backend));
}
static DEVICE_ATTR_RO(backend);

static ssize_t breaker_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", xs_node_is_shut(dev_get_drvdata(dev)) ? "open" : "closed");
}

static ssize_t breaker_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	if (!xs_sysfs_may_write())
		return -EPERM;
	if (!sysfs_streq(buf, "closed"))
		return -EINVAL;
	return xs_trip_rearm(node->domain) ?: count;
}
static DEVICE_ATTR_RW(breaker);

static struct attribute *node_attrs[] = {
	&dev_attr_gpu_id.attr,
	&dev_attr_backend.attr,
	&dev_attr_breaker.attr,
	&breaker_failures_value.attr.attr,
	&breaker_failures_least.attr.attr,
	&breaker_failures_most.attr.attr,
	&breaker_window_s_value.attr.attr,
	&breaker_window_s_least.attr.attr,
	&breaker_window_s_most.attr.attr,
	&user_rate_value.attr.attr,
	&user_rate_least.attr.attr,
	&user_rate_most.attr.attr,
	&user_burst_value.attr.attr,
	&user_burst_least.attr.attr,
	&user_burst_most.attr.attr,
	&admin_rate_value.attr.attr,
	&admin_rate_least.attr.attr,
	&admin_rate_most.attr.attr,
	&admin_burst_value.attr.attr,
	&admin_burst_least.attr.attr,
	&admin_burst_most.attr.attr,
	&default_grace_us_value.attr.attr,
	&default_grace_us_least.attr.attr,
	&default_grace_us_most.attr.attr,
	&park_ms_value.attr.attr,
	&park_ms_least.attr.attr,
	&park_ms_most.attr.attr,
	&park_batch_ms_value.attr.attr,
	&park_batch_ms_least.attr.attr,
	&park_batch_ms_most.attr.attr,
	NULL
};

static const struct attribute_group node_group = { .attrs = node_attrs };

static struct attribute *node_default_attrs[] = {
	&breaker_failures_first.attr.attr,
	&breaker_window_s_first.attr.attr,
	&user_rate_first.attr.attr,
	&user_burst_first.attr.attr,
	&admin_rate_first.attr.attr,
	&admin_burst_first.attr.attr,
	&default_grace_us_first.attr.attr,
	&park_ms_first.attr.attr,
	&park_batch_ms_first.attr.attr,
	NULL
};

static const struct attribute_group node_default_group = {
	.name = ".defaults",
	.attrs = node_default_attrs,
};

#define XS_COUNTER_FILE(_name)							\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	const struct xs_node *node = dev_get_drvdata(dev);			\
										\
	return sysfs_emit(buf, "%llu\n", READ_ONCE(node->stats._name));		\
}										\
static DEVICE_ATTR_RO(_name)

XS_COUNTER_FILE(switches);
XS_COUNTER_FILE(failures);
XS_COUNTER_FILE(transactions);
XS_COUNTER_FILE(flips);

static ssize_t parks_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n", READ_ONCE(node->parks));
}
static DEVICE_ATTR_RO(parks);

static ssize_t returns_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n", READ_ONCE(node->returns));
}
static DEVICE_ATTR_RO(returns);

static ssize_t queues_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", READ_ONCE(node->queue_count));
}
static DEVICE_ATTR_RO(queues);

static ssize_t recent_failures_show(struct device *dev, struct device_attribute *attr,
				    char *buf)
{
	const struct xs_node *node = dev_get_drvdata(dev);
	u32 failures;

	scoped_guard(rt_mutex, &xs_lock)
		failures = xs_breaker_recent(&node->domain->breaker, ktime_get_ns());
	return sysfs_emit(buf, "%u\n", failures);
}
static DEVICE_ATTR_RO(recent_failures);

static ssize_t breaker_openings_show(struct device *dev, struct device_attribute *attr,
				     char *buf)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n", READ_ONCE(node->domain->breaker.openings));
}
static DEVICE_ATTR_RO(breaker_openings);

static ssize_t breaker_open_ms_show(struct device *dev, struct device_attribute *attr,
				    char *buf)
{
	const struct xs_node *node = dev_get_drvdata(dev);
	const u64 open_ns = READ_ONCE(node->domain->breaker.open_ns);

	return sysfs_emit(buf, "%llu\n",
			  open_ns ? (ktime_get_ns() - open_ns) / NSEC_PER_MSEC : 0);
}
static DEVICE_ATTR_RO(breaker_open_ms);

static ssize_t refused_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct xs_node *node = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n", READ_ONCE(node->rates.refused));
}
static DEVICE_ATTR_RO(refused);

static struct attribute *node_statistics_attrs[] = {
	&dev_attr_recent_failures.attr,
	&dev_attr_breaker_openings.attr,
	&dev_attr_breaker_open_ms.attr,
	&dev_attr_refused.attr,
	&dev_attr_switches.attr,
	&dev_attr_failures.attr,
	&dev_attr_transactions.attr,
	&dev_attr_flips.attr,
	&dev_attr_parks.attr,
	&dev_attr_returns.attr,
	&dev_attr_queues.attr,
	NULL
};

static const struct attribute_group node_statistics_group = {
	.name = "statistics",
	.attrs = node_statistics_attrs,
};

ssize_t xs_sysfs_show_histogram(const struct xs_histogram *histogram, char *page)
{
	unsigned int i;
	int at = 0;

	for (i = 0; i < XS_HISTOGRAM_BUCKETS; i++) {
		const u64 count = READ_ONCE(histogram->count[i]);

		if (count)
			at += sysfs_emit_at(page, at, "%llu %llu\n", xs_histogram_floor(i), count);
	}
	return at;
}

#define XS_HISTOGRAM_FILE(_name)						\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	const struct xs_node *node = dev_get_drvdata(dev);			\
										\
	return xs_sysfs_show_histogram(&node->stats._name, buf);		\
}										\
static DEVICE_ATTR_RO(_name)

XS_HISTOGRAM_FILE(total);
XS_HISTOGRAM_FILE(lock);
XS_HISTOGRAM_FILE(unmap);
XS_HISTOGRAM_FILE(map);
XS_HISTOGRAM_FILE(back);

static struct attribute *node_latency_attrs[] = {
	&dev_attr_total.attr,
	&dev_attr_lock.attr,
	&dev_attr_unmap.attr,
	&dev_attr_map.attr,
	&dev_attr_back.attr,
	NULL
};

static const struct attribute_group node_latency_group = {
	.name = "latency",
	.attrs = node_latency_attrs,
};

static const struct attribute_group *node_groups[] = {
	&node_group,
	&node_default_group,
	&node_statistics_group,
	&node_latency_group,
	NULL
};

/* ---- the class ----------------------------------------------------------- */

/* Older kernels write to it. */
static struct class xs_class = { .name = "kfd_xsched" };

void xs_sysfs_node_add(struct xs_node *node)
{
	struct device *dev;

	dev = device_create_with_groups(&xs_class, NULL, 0, node, node_groups,
					"node%u", node->desc.gpu_id);
	if (IS_ERR(dev))
		pr_warn("kfd_xsched: node %u has no files in /sys: %ld\n",
			node->desc.gpu_id, PTR_ERR(dev));
	else
		node->dev = dev;
}

void xs_sysfs_node_del(struct xs_node *node)
{
	if (node->dev)
		device_unregister(node->dev);
	node->dev = NULL;
}

int xs_sysfs_init(void)
{
	int ret = class_register(&xs_class);

	if (ret)
		return ret;
	xs_sysfs_queues_start();
	global = device_create_with_groups(&xs_class, NULL, 0, NULL, global_groups,
					   "global");
	if (IS_ERR(global)) {
		class_unregister(&xs_class);
		return PTR_ERR(global);
	}
	return 0;
}

void xs_sysfs_exit(void)
{
	device_unregister(global);
	class_unregister(&xs_class);
	xs_supply_free(&xs_sysfs_holder.spare);
}
