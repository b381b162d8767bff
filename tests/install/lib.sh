# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of installing share. They run in a root whose changes are thrown away. To be sourced.
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/base.sh"

[ -n "${KFD_XSCHED_RIG:-}" ] || die "run this as scripts/check/suites install does"
# As root has it on Debian; the rig's leaves /usr/local out.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
work=$(mktemp -d)
# Where its user would have unpacked the source.
tree=/root/kfd-xsched

copy_tree() {
	mkdir -p "$tree"
	tar -C "$TOP" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf -
}

# All files of this root, but for what apt, systemd-sysusers and others write by themselves.
list_files() {
	find / -xdev \( -path /root -o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path /etc/shadow- \) \
		-prune -o -print | sort
}

# lacks_new NAME: there is nothing that there was not when list_files wrote $work/NAME.
lacks_new() {
	list_files | diff "$work/$1" - || { echo "the files differ"; return 1; }
}

# same_words: the words of both arguments are the same, in any order.
same_words() {
	diff <(xargs -n 1 <<<"$1" | sort) <(xargs -n 1 <<<"$2" | sort)
}
