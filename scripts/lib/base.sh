# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the scripts share: places, messages, TAP; of what runs long, run.sh. To be sourced.

set -euo pipefail
export LC_ALL=C

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
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

# git, for any owner of the checkout.
ask_git() {
	git -c safe.directory='*' -C "$TOP" "$@" 2>/dev/null
}

# The commit this tree is at.
commit() {
	local id

	id=$(ask_git rev-parse --short=12 HEAD) || id=unknown
	[ -z "$(ask_git status --porcelain)" ] || id=$id-dirty
	echo "$id"
}

# What of our programs a guest gets: all but what reports on the host.
guest_programs() {
	find "$BUILD/bin" -maxdepth 1 -type f ! -name xs-report | sort
}

# Almost all runs in the rig, where nothing of the machine itself is seen.
in_rig() {
	[ -n "${KFD_XSCHED_RIG:-}" ] || die "run this in the rig, which \"make shell\" enters"
}

# why_no_root NAME LOG: why the rig could not make it; what it said is in LOG.
why_no_root() {
	cat "$CACHE/roots/$1.failed" 2>/dev/null || tail -n 1 "$2"
}

# The makes we call are not parts of the one that called us: no -n, -k or job server of its.
unset MAKEFLAGS MFLAGS MAKELEVEL

# die MESSAGE...: say it, with the script's name and that of its directory.
die() {
	local directory=${0%/*}

	echo "${directory##*/}/${0##*/}: $*" >&2
	exit 1
}

# --- TAP --------------------------------------------------------------------

tap_count=0
tap_failed=0

# tap DESCRIPTION COMMAND...: one test, passed if the command succeeds. What takes long is said to.
tap() {
	local what=$1 start=$SECONDS output status=0
	shift
	tap_count=$((tap_count + 1))
	output=$("$@" 2>&1) || status=$?
	[ $((SECONDS - start)) -lt 5 ] || echo "# $((SECONDS - start)) s:"
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

# --- suites of TAP, for scripts/lib/tap-summary -----------------------------------

# run_suite LOGS SUITE SECONDS COMMAND...: run it within its limit, show its results as they come. Others may
# run at the same time, so each line says whose it is.
run_suite() {
	local logs=$1 suite=$2 limit=$3 start=$SECONDS status=0
	shift 3

	echo "== $suite"
	: >"$logs/$suite.log"
	running "lane-${LANE:-0}" "$suite" "$logs/$suite.log"
	spawn "$logs/$suite.log" "$@"
	tail -n +1 -f -s 0.2 --pid="$child" "$logs/$suite.log" |
		sed -u -n -E "s/^ *(ok|not ok|#|Bail out!)/$suite: &/p" &
	reap || status=$?
	wait
	running "lane-${LANE:-0}"
	echo "== $suite: $((SECONDS - start)) s"
	echo $status >"$logs/$suite.status"
	echo $((SECONDS - start)) >"$logs/$suite.seconds"
}

# A package of DKMS builds without it.
[ ! -r "$TOP/scripts/lib/run.sh" ] || . "$TOP/scripts/lib/run.sh"
