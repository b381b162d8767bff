# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is asked of a series in patches/, and of a tree that has it. To be sourced after base.sh.

amd=drivers/gpu/drm/amd

# names SERIES: its patches, in order.
names() {
	sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$TOP/patches/$1/series"
}

# touched SERIES: its files of C.
touched() {
	sed -n 's|^+++ b/\(.*\.c\)$|\1|p' "$TOP/patches/$1"/*.patch | sort -u
}

# object FILE: of a file of C of amdgpu or amdkfd, from the directory of amdgpu.
object() {
	local name=${1##*/}

	case $1 in
	*/amdkfd/*) echo "../amdkfd/${name%.c}.o" ;;
	*) echo "${name%.c}.o" ;;
	esac
}

# compile SERIES TREE HEADERS [ARGUMENT]...: objects of what the series touches, as far as the tree has it. A warning
# is an error: nothing unused, nothing undeclared.
compile() {
	local tree=$2 headers=$3 objects=() file

	while read -r file; do
		[ ! -e "$tree/$file" ] || objects+=("$(object "$file")")
	done < <(touched "$1")
	[ ${#objects[@]} -gt 0 ] || { echo "there is nothing to compile"; return 1; }
	mkdir -p "$tree/include/trace"
	make -s -C "$headers" M="$tree/$amd/amdgpu" -j"$JOBS" \
		KCFLAGS="-g0 -Werror -I$tree/include/trace" "${@:4}" "${objects[@]}" || return 1
	(cd "$tree/$amd/amdgpu" && ls "${objects[@]}")
}

# dkms_version DIR: what an unpacked amdgpu-dkms says of itself, as the package or, where somebody has changed it, its
# source does; "unknown" if it does not.
dkms_version() {
	local version

	version=$(cat "$1/dkms.conf" "$1/amd/dkms/dkms.conf" 2>/dev/null |
		sed -n '/^PACKAGE_VERSION="*[0-9]/{s/[^=]*=//;s/"//g;p;q}') || :
	[ -n "$version" ] ||
		version=$(sed -n 's/^AC_INIT(amdgpu-dkms, *\([0-9.]*\)).*/\1/p' "$1/amd/dkms/configure.ac")
	echo "${version:-unknown}"
}

# Register headers that a public copy lacks, for they are large, are Linux's: add_headers LINUX TREE
add_headers() {
	local header

	(cd "$1/$amd/include" && find asic_reg -name '*.h') | while read -r header; do
		[ -e "$2/amd/include/$header" ] ||
			install -D -m 0644 "$1/$amd/include/$header" "$2/amd/include/$header"
	done
}

# configure_dkms LINUX TREE KVER: a tree of amdgpu-dkms with its own layer for other kernels, which finds hardly
# anything on Debian without SRCARCH. TREE.dkms/tree names it then; TREE.configure.log is left. Headers of registers
# are put aside meanwhile: pre-build.sh reads the whole tree for each of a hundred names, and none is in these.
configure_dkms() {
	local tree=$2 out=$2.dkms status=0

	add_headers "$1" "$tree" && rm -rf "$out" && mkdir -p "$out" && mv "$tree/amd/include/asic_reg" "$out" || return 1
	(cd "$tree" && SRCARCH=x86 amd/dkms/pre-build.sh "$3" "$tree" "$out/tree" gcc) >"$tree.configure.log" 2>&1 || status=1
	mv "$out/asic_reg" "$tree/amd/include/"
	return $status
}

# make_dkms TREE KVER ARGUMENT...: what DKMS calls, in a tree that is configured.
make_dkms() {
	make -C "/lib/modules/$2/build" M="$1.dkms/tree" -j"$JOBS" TTM_NAME=amdttm SCHED_NAME=amd-sched "${@:3}"
}

# compile_as_dkms LINUX TREE KVER: what the series touches. AMD's makefiles turn errors out of warnings off: the files
# of the series may have none. TREE.compile.log is left.
compile_as_dkms() {
	local tree=$2 objects=() file

	while read -r file; do
		objects+=("amd/amdgpu/$(object "$file")")
	done < <(touched rocm)
	configure_dkms "$@" && make_dkms "$tree" "$3" "${objects[@]}" 2>&1 | tee "$tree.compile.log" || return 1
	[ "$(grep -c '  CC .*/amd/amdgpu/' "$tree.compile.log")" = ${#objects[@]} ] ||
		{ echo "not all files were compiled"; return 1; }
	! grep -A 5 'amdkfd/kfd_sched.*warning:' "$tree.compile.log"
}
