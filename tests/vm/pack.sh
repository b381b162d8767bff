# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# How the archives of a guest are packed. To be sourced after base.sh; "root" is the directory that becomes one.

# add_libraries FILE: the shared libraries it needs.
add_libraries() {
	local library

	# ldd fails for a static program, which needs nothing.
	{ LD_LIBRARY_PATH=$BUILD/lib:$BUILD/xsched-compat/lib:$BUILD/compat ldd "$1" 2>/dev/null || :; } >"$root/needs"
	! grep "not found" "$root/needs" || die "$1 lacks a library"
	sed -n 's|^[^/]*\(/[^ ]*\).*|\1|p' "$root/needs" | while read -r library; do
		case $library in
		"$BUILD"/*) cp -L "$library" "$root/usr/lib/x86_64-linux-gnu/" ;;
		*) cp -L --parents "$library" "$root/" ;;
		esac
	done
	rm "$root/needs"
}

# add_program FILE: into /bin, with the shared libraries it needs.
add_program() {
	cp "$1" "$root/bin/"
	add_libraries "$1"
}

# pack OUT [IMAGE]: reproducible, with fixed order, inodes, times and owner; behind what is in IMAGE: the kernel unpacks
# one archive after the other.
pack() {
	chmod -R go+rX "$root"
	find "$root" -exec touch -h -d @0 {} +
	mkdir -p "${1%/*}"
	(cd "$root" && find . | sort | cpio --quiet -o -H newc --reproducible -R 0:0) | cat ${2:+"$2"} - >"$1.new"
	mv "$1.new" "$1"
}
