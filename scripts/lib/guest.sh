# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A guest as a part of a script of taps. To be sourced after base.sh.

# How its last result is called.
guest_end="the tests ran to their end"

# guest_quiet OUT ARGUMENT...: run-guest with these. Its logs are in OUT, the TAP is in OUT.tap.
guest_quiet() {
	"$TOP/tests/vm/run-guest" --out "$1" "${@:2}" >"$1.tap" 2>&1
}

# guest NAME OUT ARGUMENT...: the same; its TAP, numbered on.
guest() {
	local status=0

	guest_quiet "${@:2}" || status=$?
	guest_ran "$1" "$2.tap" $status
}

# ended_well TAP STATUS: whether it did; if not, the last it said.
ended_well() {
	[ "$2" -eq 0 ] || { tail -n 5 "$1"; return 1; }
}

# guest_ran NAME TAP STATUS: one that has run.
guest_ran() {
	tap_relay "$1: " <"$2"
	tap "$1: $guest_end" ended_well "$2" "$3"
}
