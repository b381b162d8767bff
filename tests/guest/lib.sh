# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# What guest tests written in shell share. Source it after setting dir, where they may write.

. "${0%/*}/tap.sh"
# shellcheck disable=SC2034 # for the tests
knobs=/sys/class/kfd_xsched/global
mkdir -p "${dir:?}"
tap_said=$dir/output

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
