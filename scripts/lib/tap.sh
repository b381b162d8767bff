# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# TAP, as scripts of a shell print it, on the host and in the guest, whose shell is busybox's. To be sourced.

tap_count=0
tap_failed=0
tap_skipped=0
# What a test of ok() says: a file, which whoever sources this names.
tap_said=/dev/null

# tap_result STATUS DESCRIPTION: one result: passed, if the status is 0. On stdin is what a failed test has said.
tap_result()
{
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		case $2 in *"# SKIP "*) tap_skipped=$((tap_skipped + 1)) ;; esac
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
		sed 's/^/# /'
	fi
}

# ok DESCRIPTION COMMAND...: one test, in this very shell: passed if the command succeeds.
ok()
{
	tap_what=$1
	shift
	if "$@" >"$tap_said" 2>&1; then
		tap_status=0
	else
		tap_status=$?
	fi
	tap_result $tap_status "$tap_what" <"$tap_said"
}

# tap_relay PREFIX: the TAP on stdin as results of ours, numbered on.
tap_relay()
{
	while IFS= read -r tap_line; do
		case $tap_line in
		"ok "*) tap_result 0 "$1${tap_line#*- }" ;;
		"not ok "*) tap_result 1 "$1${tap_line#*- }" </dev/null ;;
		\#*) echo "$tap_line" ;;
		esac
	done
}

# The end of a script of these: the plan. Fails if a test has, or if there was none.
tap_done()
{
	echo "1..$tap_count"
	[ $tap_count -gt 0 ] && [ $tap_failed -eq 0 ]
}
