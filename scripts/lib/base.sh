# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the scripts share: places, messages, suites; tap.sh prints TAP, run.sh is of what runs long. To be sourced.

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

# headers_of KVER: what modules are built in for that version of Debian's kernel, or for the one that was built in this
# directory.
headers_of() {
	case $1 in
	/*) echo "$1" ;;
	*) echo "/lib/modules/$1/build" ;;
	esac
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

# tap DESCRIPTION COMMAND...: one test, in a shell of its own: passed if the command succeeds. It is said how long it
# took, if that is long.
tap() {
	local what=$1 start=$SECONDS output status=0
	shift
	output=$("$@" 2>&1) || status=$?
	[ $((SECONDS - start)) -lt 5 ] || echo "# $((SECONDS - start)) s:"
	tap_result $status "$what" <<<"$(tail -n 40 <<<"$output")"
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

# A package of DKMS builds without these.
if [ -r "$TOP/scripts/lib/run.sh" ]; then
	. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
	. "$(dirname "${BASH_SOURCE[0]}")/run.sh"
fi
