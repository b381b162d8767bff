# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# What tests of xschedd share, beyond lib.sh. Source it after setting dir, where its files are.

. "${0%/*}/lib.sh"
stats=/sys/kernel/debug/vgpu/stats

ctl()
{
	xschedctl --socket $dir/sock "$@"
}

as_user()
{
	su user -c "xschedctl --socket $dir/sock $*"
}

# Column of a process in the daemon's part of the list: 2 priority, 3 from, 4 ready, 5 held.
tenant()
{
	ctl list | awk -v pid="$1" -v column="$2" \
		'/^$/ { tenants = 1 } tenants && $1 == pid { print $column }'
}

# States of a process's queues, in the kernel's part of the list.
queues()
{
	ctl list | awk -v pid="$1" '/^$/ { exit } $2 == pid { print $NF }'
}

tenant_is()
{
	value=$(tenant "$1" "$2")
	[ "$value" = "$3" ] || { echo "it is '$value'"; return 1; }
}

held()
{
	queues "$1" | grep -q held
}

not_held()
{
	queues "$1" | grep -qv held
}

dispatches()
{
	awk '$1 == "dispatches" { print $2 }' $stats
}

# Whether any dispatch completes within 0.3 s; what was in flight has had time to.
gpu_works()
{
	sleep 0.2
	before=$(dispatches)
	sleep 0.3
	[ "$(dispatches)" -gt "$before" ]
}

gpu_rests()
{
	! gpu_works
}

answers()
{
	ctl stats >/dev/null 2>&1
}
