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

typedef u32 (*xs_param_fn)(const struct xs_node *node);

/**
 * struct xs_param - a number an administrator may set; @node is NULL of those that are of none
 * @get: value in effect
 * @set: put one in effect that is within the limits
 * @least: value that may be set
 * @most: likewise
 * @initial: value before anybody sets one
 */
struct xs_param {
	xs_param_fn get;
	void (*set)(struct xs_node *node, u32 value);
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
	return sysfs_emit(buf, "%u\n", (*sysfs_to_param(attr)->show)(dev_get_drvdata(dev)));
}

static ssize_t param_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	const struct xs_param *param = sysfs_to_param(attr)->param;
	struct xs_node *node = dev_get_drvdata(dev);
	u32 value;

	if (!xs_sysfs_may_write())
		return -EPERM;
	if (kstrtou32(buf, 10, &value) || value < param->least(node) || value > param->most(node))
		return -EINVAL;
	param->set(node, value);
	return count;
}

#define XS_PARAM_FILE(_var, _file, _mode, _store, _param, _which)		\
static struct xs_param_attr _var = {						\
	.attr = __ATTR(_file, _mode, param_show, _store),			\
	.param = &(_param),							\
	.show = &(_param)._which,						\
}

#define XS_PARAM_NUMBER(_name, _which, _value)					\
static u32 sysfs_##_name##_##_which(const struct xs_node *node)			\
{										\
	return _value;								\
}

/* All files of a number, by what may say "node", and in @_change "value". */
#define XS_PARAM_FILES(_name, _current, _change, _lowest, _highest, _first)	\
XS_PARAM_NUMBER(_name, get, _current)						\
XS_PARAM_NUMBER(_name, least, _lowest)						\
XS_PARAM_NUMBER(_name, most, _highest)						\
XS_PARAM_NUMBER(_name, initial, _first)						\
static void sysfs_##_name##_set(struct xs_node *node, u32 value)		\
{										\
	_change;								\
}										\
										\
static const struct xs_param _name##_param = {					\
	.get = sysfs_##_name##_get,						\
	.set = sysfs_##_name##_set,						\
	.least = sysfs_##_name##_least,						\
	.most = sysfs_##_name##_most,						\
	.initial = sysfs_##_name##_initial,					\
};										\
XS_PARAM_FILE(_name##_value, _name, 0644, param_store, _name##_param, get);	\
XS_PARAM_FILE(_name##_min, _name##_min, 0444, NULL, _name##_param, least);	\
XS_PARAM_FILE(_name##_max, _name##_max, 0444, NULL, _name##_param, most);	\
XS_PARAM_FILE(_name##_initial, _name, 0444, NULL, _name##_param, initial);	\
										\
static struct attribute *_name##_attrs[] = {					\
	&_name##_value.attr.attr,						\
	&_name##_min.attr.attr,							\
	&_name##_max.attr.attr,							\
	NULL									\
};										\
										\
/* The last one is in .defaults. */						\
static const struct attribute_group _name##_group = { .attrs = _name##_attrs }

static void sysfs_set_sample_period(u32 us)
{
	xs_interest_set_period_us(us);
	scoped_guard(rt_mutex, &xs_lock)
		xs_sampler_configure_locked(NULL);
}

static void sysfs_set_user_rate(struct xs_node *node, u32 per_s)
{
	scoped_guard(rt_mutex, &xs_lock)
		xs_rates_set_user(&node->rates, per_s);
}

static void sysfs_set_admin_rate(struct xs_node *node, u32 per_s)
{
	scoped_guard(rt_mutex, &xs_lock)
		xs_rates_set_admin(&node->rates, per_s);
}

XS_PARAM_FILES(watchdog_ms, xs_watchdog_ms(), xs_watchdog_set_ms(value),
	       XS_WATCHDOG_MS_MIN, XS_WATCHDOG_MS_MAX, XS_WATCHDOG_MS);
XS_PARAM_FILES(sample_period_us, xs_interest_period_us(), sysfs_set_sample_period(value),
	       KFD_XSCHED_SAMPLE_US_MIN, KFD_XSCHED_SAMPLE_US_MAX, XS_SAMPLE_PERIOD_US);
XS_PARAM_FILES(tap_idle_us, xs_sampler_tap_idle_us(), xs_sampler_set_tap_idle_us(value),
	       0, XS_TAP_IDLE_US_MAX, XS_TAP_IDLE_US);
XS_PARAM_FILES(waves_percent, xs_node_waves_percent(), xs_node_set_waves_percent(value),
	       0, XS_WAVES_PERCENT_MAX, XS_WAVES_PERCENT);
XS_PARAM_FILES(default_grace_us, READ_ONCE(node->default_grace_us),
	       WRITE_ONCE(node->default_grace_us, value),
	       0, node->desc.max_grace_us,
	       min_t(u32, XS_DEFAULT_GRACE_US, node->desc.max_grace_us));
XS_PARAM_FILES(park_ms, READ_ONCE(node->park_ms), xs_park_set_ms(node, value),
	       0, KFD_XSCHED_PARK_MS_MAX, XS_PARK_MS);
XS_PARAM_FILES(park_batch_ms, READ_ONCE(node->park_batch_ms),
	       WRITE_ONCE(node->park_batch_ms, value),
	       XS_PARK_BATCH_MS_MIN, XS_PARK_BATCH_MS_MAX, XS_PARK_BATCH_MS);
XS_PARAM_FILES(breaker_failures, READ_ONCE(node->domain->breaker.limit),
	       WRITE_ONCE(node->domain->breaker.limit, value),
	       0, XS_BREAKER_FAILURES_MAX, XS_BREAKER_FAILURES);
XS_PARAM_FILES(breaker_window_s, READ_ONCE(node->domain->breaker.window_s),
	       WRITE_ONCE(node->domain->breaker.window_s, value),
	       XS_BREAKER_WINDOW_S_MIN, XS_BREAKER_WINDOW_S_MAX, XS_BREAKER_WINDOW_S);
XS_PARAM_FILES(user_rate, READ_ONCE(node->rates.user.per_s), sysfs_set_user_rate(node, value),
	       0, XS_RATE_MAX, XS_USER_RATE);
XS_PARAM_FILES(user_burst, READ_ONCE(node->rates.user.burst),
	       WRITE_ONCE(node->rates.user.burst, value),
	       XS_BURST_MIN, XS_BURST_MAX, XS_USER_BURST);
XS_PARAM_FILES(admin_rate, READ_ONCE(node->rates.admin.per_s), sysfs_set_admin_rate(node, value),
	       0, XS_RATE_MAX, XS_ADMIN_RATE);
XS_PARAM_FILES(admin_burst, READ_ONCE(node->rates.admin.burst),
	       WRITE_ONCE(node->rates.admin.burst, value),
	       XS_BURST_MIN, XS_BURST_MAX, XS_ADMIN_BURST);

/* ---- files that show a number ---------------------------------------------- */

#define XS_GLOBAL_FILE(_name, _format, _value)					\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	return sysfs_emit(buf, _format "\n", _value);				\
}										\
static DEVICE_ATTR_RO(_name)

/* By what may say "node". */
#define XS_NODE_FILE(_name, _format, _value)					\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	const struct xs_node *node = dev_get_drvdata(dev);			\
										\
	return sysfs_emit(buf, _format "\n", _value);				\
}										\
static DEVICE_ATTR_RO(_name)

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
	&dev_attr_enabled.attr,
	&dev_attr_eject.attr,
	&dev_attr_demoted.attr,
	&dev_attr_account_limits.attr,
	NULL
};

static const struct attribute_group global_group = { .attrs = global_attrs };

static struct attribute *global_default_attrs[] = {
	&watchdog_ms_initial.attr.attr,
	&sample_period_us_initial.attr.attr,
	&tap_idle_us_initial.attr.attr,
	&waves_percent_initial.attr.attr,
	NULL
};

static const struct attribute_group global_default_group = {
	.name = ".defaults",
	.attrs = global_default_attrs,
};

XS_GLOBAL_FILE(clients, "%u", xs_client_count());
XS_GLOBAL_FILE(held, "%u", xs_watchdog_count());
XS_GLOBAL_FILE(parked, "%u", xs_park_count());
XS_GLOBAL_FILE(sampled, "%u", xs_sampler_counts().sampled);
XS_GLOBAL_FILE(tapped, "%u", xs_sampler_counts().tapped);
XS_GLOBAL_FILE(rings, "%llu", xs_sampler_counts().rings);
XS_GLOBAL_FILE(nonsense, "%llu", xs_queue_nonsense_count());
XS_GLOBAL_FILE(ejected_watchdog, "%llu", xs_ejections(KFD_XSCHED_EJECT_WATCHDOG));
XS_GLOBAL_FILE(ejected_admin, "%llu", xs_ejections(KFD_XSCHED_EJECT_ADMIN));
XS_GLOBAL_FILE(ejected_disabled, "%llu", xs_ejections(KFD_XSCHED_EJECT_DISABLED));

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

XS_GLOBAL_FILE(steps, "%u", XS_STEPS_OF_USER);
XS_GLOBAL_FILE(armed_steps, "%u", XS_STEPS_OF_ARMED);
XS_GLOBAL_FILE(requests_on_target, "%u", XS_REQUESTS_ON_TARGET);

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
	&watchdog_ms_group,
	&sample_period_us_group,
	&tap_idle_us_group,
	&waves_percent_group,
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

XS_NODE_FILE(gpu_id, "%u", node->desc.gpu_id);
XS_NODE_FILE(backend, "%s", xs_sysfs_backend_name(node->desc.backend));

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
	NULL
};

static const struct attribute_group node_group = { .attrs = node_attrs };

static struct attribute *node_default_attrs[] = {
	&breaker_failures_initial.attr.attr,
	&breaker_window_s_initial.attr.attr,
	&user_rate_initial.attr.attr,
	&user_burst_initial.attr.attr,
	&admin_rate_initial.attr.attr,
	&admin_burst_initial.attr.attr,
	&default_grace_us_initial.attr.attr,
	&park_ms_initial.attr.attr,
	&park_batch_ms_initial.attr.attr,
	NULL
};

static const struct attribute_group node_default_group = {
	.name = ".defaults",
	.attrs = node_default_attrs,
};

static u32 sysfs_recent_failures(const struct xs_node *node)
{
	guard(rt_mutex)(&xs_lock);
	return xs_breaker_recent(&node->domain->breaker, ktime_get_ns());
}

static u64 sysfs_breaker_open_ms(const struct xs_node *node)
{
	const u64 open_ns = READ_ONCE(node->domain->breaker.open_ns);

	return open_ns ? (ktime_get_ns() - open_ns) / NSEC_PER_MSEC : 0;
}

XS_NODE_FILE(switches, "%llu", READ_ONCE(node->stats.switches));
XS_NODE_FILE(failures, "%llu", READ_ONCE(node->stats.failures));
XS_NODE_FILE(transactions, "%llu", READ_ONCE(node->stats.transactions));
XS_NODE_FILE(flips, "%llu", READ_ONCE(node->stats.flips));
XS_NODE_FILE(parks, "%llu", READ_ONCE(node->parks));
XS_NODE_FILE(returns, "%llu", READ_ONCE(node->returns));
XS_NODE_FILE(queues, "%u", READ_ONCE(node->queue_count));
XS_NODE_FILE(recent_failures, "%u", sysfs_recent_failures(node));
XS_NODE_FILE(breaker_openings, "%llu", READ_ONCE(node->domain->breaker.openings));
XS_NODE_FILE(breaker_open_ms, "%llu", sysfs_breaker_open_ms(node));
XS_NODE_FILE(refused, "%llu", READ_ONCE(node->rates.refused));

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
	&breaker_failures_group,
	&breaker_window_s_group,
	&user_rate_group,
	&user_burst_group,
	&admin_rate_group,
	&admin_burst_group,
	&default_grace_us_group,
	&park_ms_group,
	&park_batch_ms_group,
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
