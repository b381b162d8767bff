# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# How the archives of a guest are packed. To be sourced after lib.sh; "root" is the directory that becomes one.

export LD_LIBRARY_PATH=$BUILD/lib:$BUILD/xsched-compat/lib:$BUILD/compat

# add_libraries FILE [LIST]: the shared libraries it needs, but for those in the list of what the guest has.
add_libraries() {
	local library

	# ldd fails for a static program, which needs nothing.
	{ ldd "$1" 2>/dev/null || :; } >"$root/needs"
	! grep "not found" "$root/needs" || die "$1 lacks a library"
	sed -n 's|^[^/]*\(/[^ ]*\).*|\1|p' "$root/needs" | while read -r library; do
		case $library in
		"$BUILD"/*) cp -L "$library" "$root/usr/lib/x86_64-linux-gnu/" ;;
		*) grep -qxF "${library#/}" "${2:-/dev/null}" || cp -L --parents "$library" "$root/" ;;
		esac
	done
	rm "$root/needs"
}

# add_program FILE [LIST]: into /bin, with the shared libraries it needs.
add_program() {
	cp "$1" "$root/bin/"
	add_libraries "$@"
}

# pack OUT: reproducible, with fixed order, inodes, times and owner.
pack() {
	chmod -R go+rX "$root"
	find "$root" -exec touch -h -d @0 {} +
	mkdir -p "${1%/*}"
	(cd "$root" && find . | sort | cpio --quiet -o -H newc --reproducible -R 0:0) >"$1.new"
	mv "$1.new" "$1"
}
