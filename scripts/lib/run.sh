# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What runs long: it ends with whoever started it, within bounds, and not beside another. Sourced by base.sh.
#
# What a script starts runs in namespaces of its own for processes and mounts, is "contained". The kernel ends all of
# them when the first of them ends, which it does when the script ends, however that ends.
#
# Descriptors: 6 is the lock on all reservations, 7 our own, 8 the lock on build/, 9 that on what is being made. What we
# start inherits none.

# Of what a machine has, this is left to others.
RESERVE_MIB=2048
# How long another is waited for, in seconds: longer than "make check" and what .ci/run adds to it may take.
PATIENCE_S=${KFD_XSCHED_PATIENCE_S:-5400}

who=${KFD_XSCHED_WHO:-"$0 in $TOP (process $$)"}

# --- it ends with us --------------------------------------------------------------

# The first process of a namespace collects what others leave.
namespaces=(unshare --mount-proc --pid --fork --kill-child)
first_process=(bash -c '"$@"; exit $?' first)
contained=("${namespaces[@]}" "${first_process[@]}")
child=

# On exit: what we have started ends; then what the script itself has to do, if it has a function of that name.
end_child() {
	[ -z "$child" ] || kill -KILL "$child" 2>/dev/null || :
	! declare -F clean_up >/dev/null || clean_up
}
trap end_child EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start SECONDS COMMAND...: start it, contained; 0: without a limit. Traps run between commands, so nothing that takes
# long may run in the foreground.
start() {
	setpriv --pdeathsig KILL timeout --foreground -s KILL "$1" setpriv --pdeathsig KILL "${contained[@]}" "${@:2}" \
		<&0 7>&- 8>&- 9>&- &
	child=$!
}

# spawn LOG COMMAND...: the same without input, with its output in LOG. In "limit": seconds it may take.
limit=1800
spawn() {
	start "$limit" "${@:2}" >"$1" 2>&1 </dev/null
}

# Wait for what was started; return its status, 137 if it was ended at its limit.
reap() {
	local status=0

	wait "$child" || status=$?
	child=
	return $status
}

# --- who supervises ---------------------------------------------------------------

# Whether make, if it has called us, is there and was not interrupted. It passes SIGTERM on to us, but waits without a
# word after a SIGINT that it got alone: all that shows is that it catches that no more.
make_waits() {
	local caught

	caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$PPID/status" 2>/dev/null)
	[ -n "$caught" ] && [ $((16#$caught & 2)) -ne 0 ]
}

# watch_make PID: have it end when make has ended, or was interrupted.
watch_make() {
	trap - EXIT INT TERM
	while sleep 1 && kill -0 "$1" 2>/dev/null; do
		make_waits || kill -TERM "$1"
	done
}

# watch_clock PID: have it end at the DEADLINE (seconds since 1970).
watch_clock() {
	trap - EXIT INT TERM
	while sleep 1 && kill -0 "$1" 2>/dev/null; do
		[ "$EPOCHSECONDS" -lt "$KFD_XSCHED_DEADLINE" ] || kill -ALRM "$1"
	done
}

# heed: from now on we end with whoever called us. Scripts that a script calls end with it anyway.
heed() {
	[ -z "${KFD_XSCHED_SUPERVISED:-}" ] || return 0
	export KFD_XSCHED_SUPERVISED=y
	if [ "$(cat "/proc/$PPID/comm" 2>/dev/null)" = make ] && make_waits; then
		watch_make $$ </dev/null 7>&- 8>&- 9>&- &
	fi
}

# ceiling MINUTES: we end at the latest then; or when whoever called us has said.
ceiling() {
	local deadline=$((EPOCHSECONDS + $1 * 60))

	[ "${KFD_XSCHED_DEADLINE:-$deadline}" -lt "$deadline" ] || export KFD_XSCHED_DEADLINE=$deadline
	trap 'say_running "the time for this is over"; exit 124' ALRM
	watch_clock $$ </dev/null 7>&- 8>&- 9>&- &
}

# supervise FIRST...: run this as the first process of new namespaces, with our own input and output, until it ends.
# Does not return.
supervise() {
	local status=0

	heed
	# what is started in the background ignores these two signals, and a shell cannot have that back
	env --default-signal=INT,QUIT setpriv --pdeathsig KILL "${namespaces[@]}" "$@" <&0 7>&- 8>&- 9>&- &
	child=$!
	reap || status=$?
	exit $status
}

# --- what is running, for whoever asks why nothing moves ----------------------------

RUNNING=$BUILD/running

# running LANE [WHAT LOG]: that lane does it from now on; nothing.
running() {
	mkdir -p "$RUNNING"
	if [ $# -gt 1 ]; then
		printf '%s %s %s\n' "$EPOCHSECONDS" "${3#"$BUILD/"}" "$2" >"$RUNNING/$1"
	else
		rm -f "$RUNNING/$1"
	fi
}

# say_running WHY: what each lane was doing, and the last lines of its log.
say_running() {
	local lane since log what

	echo "== $1; what was running:"
	for lane in "$RUNNING"/*; do
		[ -e "$lane" ] || continue
		read -r since log what <"$lane"
		echo "== $(basename "$lane"): $what, for $((EPOCHSECONDS - since)) s; $log ends:"
		tail -n 15 "$BUILD/$log" 2>/dev/null | tr -d '\r' | sed 's/^/    /'
	done
}

# --- not beside another ---------------------------------------------------------------

# wait_for_turn SAY TRY...: until TRY succeeds. SAY prints whom we wait for, at once and each minute.
wait_for_turn() {
	local say=$1 start=$SECONDS said=-60 waited
	shift

	until "$@"; do
		waited=$((SECONDS - start))
		if [ $((waited - said)) -ge 60 ]; then
			said=$waited
			"$say" >&2
		fi
		[ $waited -lt "$PATIENCE_S" ] || die "has waited for $waited s, and gives up"
		sleep 1
	done
}

# lock FD FILE: take the lock on FILE, open as FD.
lock() {
	local file=$2

	wait_for_turn say_who_locks flock -n "$1"
	echo "$who" >"$file"
}

say_who_locks() {
	echo "waiting for $(cat "$file"), which has locked $file"
}

# reservations: "GUESTS MIB WHO" of each that there is. Those of the dead go.
reservations() {
	local file

	for file in "$CACHE"/reserved/by.*; do
		[ -e "$file" ] || continue
		if flock -n "$file" true; then
			rm -f "$file"
		else
			cat "$file"
		fi
	done
}

# Of this machine, in MiB, without what is left to others.
memory_mib() {
	awk -v left="$RESERVE_MIB" '$1 == "MemTotal:" { print int($2 / 1024) - left }' /proc/meminfo
}

# reserve GUESTS MIB: of what all checkouts of this user may have at a time: a guest more than there are processors, and
# the memory. It is waited for. We have it until we end; what we call needs none of its own, and must fit.
reserve() {
	local guests=$1 mib=$2 have_guests have_mib taken

	if [ -n "${KFD_XSCHED_RESERVED:-}" ]; then
		[ "$mib" -le "${KFD_XSCHED_RESERVED#* }" ] ||
			die "this needs $mib MiB, more than the ${KFD_XSCHED_RESERVED#* } MiB that were reserved for all of the run"
		return
	fi
	have_guests=$(($(nproc) + 1))
	have_mib=${KFD_XSCHED_MEMORY_MIB:-$(memory_mib)}
	[ "$mib" -le "$have_mib" ] ||
		die "this needs $mib MiB of memory for its guests, and this machine has $have_mib MiB beside" \
			"the $RESERVE_MIB that are left to others: take a larger one; make check needs 5120 MiB with LANES=1"
	[ "$guests" -le "$have_guests" ] || guests=$have_guests
	mkdir -p "$CACHE/reserved"
	wait_for_turn say_who_reserves reserve_now
	export KFD_XSCHED_RESERVED="$guests $mib"
}

# If there is room for "guests" and "mib" now, they are ours. "taken": who has the rest.
reserve_now() {
	local status=1

	exec 6>>"$CACHE/reserved/lock"
	flock -w 10 6 || die "$CACHE/reserved/lock is locked for 10 s: who has it?"
	taken=$(reservations)
	if awk -v guests="$guests" -v mib="$mib" -v of_guests="$have_guests" -v of_mib="$have_mib" '
		{ guests += $1; mib += $2 } END { exit guests > of_guests || mib > of_mib }' <<<"$taken"; then
		exec 7>"$CACHE/reserved/by.$EPOCHREALTIME.$$"
		flock -n 7
		echo "$guests $mib $who" >&7
		status=0
	fi
	exec 6>&-
	return $status
}

say_who_reserves() {
	echo "waiting for room for $guests guests and $mib MiB (there are $have_guests and $have_mib), beside:"
	echo "$taken" | sed 's/^\([0-9]*\) \([0-9]*\) /    \1 guests, \2 MiB: /'
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

# try_step DESCRIPTION COMMAND...: run it with its output in a log, show how far it is and how long it took; on failure
# show the end of the log.
try_step() {
	local what=$1 label log start status=0 done_in
	shift
	step_number=$((step_number + 1))
	label=$(printf '[%2d/%d] %s ...' "$step_number" "$step_total" "$what")
	log=$LOGS/$(printf '%s' "$what" | tr -cs 'A-Za-z0-9._-' '-').log
	start=$SECONDS

	running build "$what" "$log"
	spawn "$log" "$@"
	step_watch "$child" "$log" "$label" "$start" 7>&- 8>&- 9>&-
	reap || status=$?
	running build
	step_lines=0
	done_in="$((SECONDS - start)) s"
	[ "$(tail -n 1 "$log")" != "$UP_TO_DATE" ] || done_in="up to date"
	if [ $status -ne 0 ]; then
		echo "$label FAILED after $done_in, see ${log#"$TOP/"}; it ends:"
		tail -n 40 "$log" | sed 's/^/    /'
		return $status
	fi
	echo "$label $done_in"
}

# The same, and exit on failure.
step() {
	try_step "$@" || exit
}

# shellcheck disable=SC2034 # scripts/lib/cached says this when it had nothing to do
UP_TO_DATE="up to date"

# What is started by hand in the rig ("make shell") is its own head.
[ -z "${KFD_XSCHED_RIG:-}" ] || [ -n "${KFD_XSCHED_SUPERVISED:-}" ] || supervise "${first_process[@]}" "$0" "$@"
