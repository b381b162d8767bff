# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# What guest tests written in shell share. Source it after setting dir, where they may write.

count=0
failed=0
# shellcheck disable=SC2034 # for the tests
knobs=/sys/class/kfd_xsched/global
mkdir -p "${dir:?}"

# ok DESCRIPTION COMMAND...: passed if the command succeeds.
ok()
{
	what=$1
	shift
	count=$((count + 1))
	if "$@" >"$dir/output" 2>&1; then
		echo "ok $count - $what"
	else
		failed=$((failed + 1))
		echo "not ok $count - $what"
		sed 's/^/# /' "$dir/output"
	fi
}

# The plan, and the exit status.
finish()
{
	echo "1..$count"
	[ $failed -eq 0 ]
}

# status WANT COMMAND...: whether it ends with that exit status.
status()
{
	want=$1
	shift
	"$@"
	got=$?
	[ $got -eq "$want" ] || { echo "status $got, not $want"; return 1; }
}

# until_true COMMAND...: try for half a minute.
until_true()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || return 1
		sleep 0.1
	done
}

# start_model NAME [OPTION]...: a process in a closed loop, until stop_model.
start_model()
{
	model=$1
	shift
	xs-model --name "$model" --kernels 4 --workgroups 640 --wg-us 500 --max-requests 200000 \
		--output "$dir/$model.json" "$@" &
}

# stop_model PID: whether each of its dispatches executed once and in order.
stop_model()
{
	kill -TERM "$1" && wait "$1"
}
