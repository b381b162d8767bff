# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What hangs on nothing but its inputs is run once: what it has left is kept in the user's cache, for all checkouts, by
# all of these inputs. To be sourced after base.sh. KFD_XSCHED_FRESH=y: nothing that is kept is taken.

# digits COMMAND...: 16 hexadecimal digits for what it prints.
digits() {
	"$@" | sha256sum | cut -c 1-16
}

# kept_by NAME COMMAND...: where it is kept what NAME has left with the inputs that COMMAND prints.
kept_by() {
	echo "$CACHE/results/$1.$(digits "${@:2}")"
}

# take_kept KEPT DIR WHAT: it is there: put it into DIR, and say so. If not, or it is not to be taken, nothing is there any
# more: what runs now may fail.
take_kept() {
	if [ -z "${KFD_XSCHED_FRESH:-}" ] && cp -r "$1/." "$2" 2>/dev/null; then
		echo "# $3: kept, as it passed with these very inputs on $(cat "$2/passed-on")"
		touch "$1"
		return
	fi
	rm -rf "$1"
	return 1
}

# keep KEPT DIR: keep what is in DIR. What was not used for a month goes.
keep() {
	local new

	mkdir -p "${1%/*}"
	find "${1%/*}" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
	date +%F >"$2/passed-on"
	new=$(mktemp -d "$1.XXXXXX.new")
	cp -r "$2/." "$new"
	rm -rf "$1"
	mv -T "$new" "$1"
}
