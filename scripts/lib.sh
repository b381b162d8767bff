# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the scripts share: places, messages, numbered steps, TAP. To be sourced.

set -euo pipefail
export LC_ALL=C

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$TOP/build}
JOBS=${JOBS:-$(nproc)}
LOGS=$BUILD/log
# What outlives a checkout: file systems to build in, compiler output (scripts/rig).
# shellcheck disable=SC2034
CACHE=${KFD_XSCHED_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kfd-xsched}
# shellcheck disable=SC2034 # for the scripts that source this
AMD=$BUILD/amdgpu/drivers/gpu/drm/amd
export BUILD JOBS
mkdir -p "$LOGS"

# What of our programs a guest gets: all but what reports on the host.
guest_programs() {
	find "$BUILD/bin" -maxdepth 1 -type f ! -name xs-report | sort
}

# Almost all runs in the rig, where nothing of the machine itself is seen.
in_rig() {
	[ -n "${KFD_XSCHED_RIG:-}" ] || die "run this in the rig: scripts/rig run base scripts/$(basename "$0")"
}

# why_no_root NAME LOG: why the rig could not make it; what it said is in LOG.
why_no_root() {
	cat "$CACHE/roots/$1.failed" 2>/dev/null || tail -n 1 "$2"
}

# The makes we call are not parts of the one that called us: no -n, -k or job server of its.
unset MAKEFLAGS MFLAGS MAKELEVEL

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# --- one long command at a time, which ends when we do ---------------------------

# Its process group. Traps run between commands: nothing that takes long may run in the
# foreground.
child_group=
trap '[ -z "$child_group" ] || kill -- "-$child_group" 2>/dev/null || :' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# spawn LOG COMMAND...: start it in a process group of its own, with its output in LOG.
spawn() {
	local log=$1
	shift
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	child_group=$!
	set +m
}

# Wait for what was spawned; return its status.
reap() {
	local status=0

	wait "$child_group" || status=$?
	child_group=
	return $status
}

# --- numbered steps, with progress and time ---------------------------------

step_number=0
step_total=${step_total:-1}

# Approximate number of lines of the next step's log, for display. 0: unknown.
step_lines=0

# State of a running step: its progress, and the last line of its log, cut to fit.
step_activity() {
	local done_lines=0 far=''

	if [ "$step_lines" -gt 0 ]; then
		done_lines=$(wc -l <"$1")
		far=$((done_lines * 100 / step_lines))
		far="$((far < 99 ? far : 99)) %, "
	fi
	printf '%s%s' "$far" "$(tail -n 1 "$1" | tr -d '\r' |
		sed 's|[^ ]*/||g; s/^ *//; s/  */ /g' | cut -c 1-60)"
}

# Say every 15 s (on a terminal every second) how far the step has got.
step_watch() {
	local pid=$1 log=$2 label=$3 start=$4 every=15 last=0 now

	[ ! -t 1 ] || every=1
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		now=$((SECONDS - start))
		[ $((now - last)) -ge $every ] || continue
		last=$now
		if [ -t 1 ]; then
			printf '\r\033[K%s %d s  %s' "$label" "$now" "$(step_activity "$log")"
		else
			printf '%s %d s: %s\n' "$label" "$now" "$(step_activity "$log")"
		fi
	done
	[ ! -t 1 ] || printf '\r\033[K'
}

# step DESCRIPTION COMMAND...: run it with its output in a log, show how far it
# is and how long it took; on failure show the end of the log, and exit.
step() {
	local what=$1 label log start status=0 done_in
	shift
	step_number=$((step_number + 1))
	label=$(printf '[%2d/%d] %s ...' "$step_number" "$step_total" "$what")
	log=$LOGS/$(printf '%s' "$what" | tr -cs 'A-Za-z0-9._-' '-').log
	start=$SECONDS

	spawn "$log" "$@"
	step_watch "$child_group" "$log" "$label" "$start"
	reap || status=$?
	step_lines=0
	done_in="$((SECONDS - start)) s"
	[ "$(tail -n 1 "$log")" != "$UP_TO_DATE" ] || done_in="up to date"
	if [ $status -ne 0 ]; then
		echo "$label FAILED after $done_in, see ${log#"$TOP/"}; it ends:"
		tail -n 40 "$log" | sed 's/^/    /'
		exit $status
	fi
	echo "$label $done_in"
}

# shellcheck disable=SC2034 # scripts/cached says this when it had nothing to do
UP_TO_DATE="up to date"

# --- TAP --------------------------------------------------------------------

tap_count=0
tap_failed=0

# tap DESCRIPTION COMMAND...: one test, passed if the command succeeds.
tap() {
	local what=$1 output status=0
	shift
	tap_count=$((tap_count + 1))
	output=$("$@" 2>&1) || status=$?
	if [ $status -eq 0 ]; then
		echo "ok $tap_count - $what"
		return
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $what"
	printf '%s\n' "$output" | tail -n 40 | sed 's/^/# /'
}

# tap_relay PREFIX: the TAP on stdin as results of ours, numbered on.
tap_relay() {
	local line

	while IFS= read -r line; do
		case $line in
		"ok "*) tap "$1${line#*- }" true ;;
		"not ok "*) tap "$1${line#*- }" false ;;
		\#*) echo "$line" ;;
		esac
	done
}

# End of a script of taps: print the plan; exit 0 only if all passed.
tap_done() {
	echo "1..$tap_count"
	[ $tap_count -gt 0 ] && [ $tap_failed -eq 0 ]
}

# --- suites of TAP, for scripts/tap-summary -----------------------------------

# run_suite LOGS SUITE SECONDS COMMAND...: run it within its limit, show its results as they come. Others may
# run at the same time, so each line says whose it is.
run_suite() {
	local logs=$1 suite=$2 limit=$3 start=$SECONDS status=0
	shift 3

	echo "== $suite"
	: >"$logs/$suite.log"
	spawn "$logs/$suite.log" timeout -k 10 "$limit" "$@"
	tail -n +1 -f -s 0.2 --pid="$child_group" "$logs/$suite.log" |
		sed -u -n -E "s/^ *(ok|not ok|#|Bail out!)/$suite: &/p" &
	reap || status=$?
	wait
	echo "== $suite: $((SECONDS - start)) s"
	echo $status >"$logs/$suite.status"
	echo $((SECONDS - start)) >"$logs/$suite.seconds"
}
