# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is asked of a series in patches/, and of a tree that has it. To be sourced after lib.sh.

amd=drivers/gpu/drm/amd

# names SERIES: its patches, in order.
names() {
	sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$TOP/patches/$1/series"
}

# touched SERIES: its files of C.
touched() {
	sed -n 's|^+++ b/\(.*\.c\)$|\1|p' "$TOP/patches/$1"/*.patch | sort -u
}

# compile SERIES TREE HEADERS [ARGUMENT]...: objects of what the series touches, as far as the tree has it. A warning
# is an error: nothing unused, nothing undeclared.
compile() {
	local tree=$2 headers=$3 objects=() file

	while read -r file; do
		[ ! -e "$tree/$file" ] || objects+=("../amdkfd/$(basename "$file" .c).o")
	done < <(touched "$1")
	[ ${#objects[@]} -gt 0 ] || { echo "there is nothing to compile"; return 1; }
	mkdir -p "$tree/include/trace"
	make -s -C "$headers" M="$tree/$amd/amdgpu" -j"$JOBS" \
		KCFLAGS="-g0 -Werror -I$tree/include/trace" "${@:4}" "${objects[@]}" || return 1
	(cd "$tree/$amd/amdgpu" && ls "${objects[@]}")
}

# Register headers that a public copy lacks, for they are large, are Linux's: add_headers LINUX TREE
add_headers() {
	local header

	(cd "$1/$amd/include" && find asic_reg -name '*.h') | while read -r header; do
		[ -e "$2/amd/include/$header" ] ||
			install -D -m 0644 "$1/$amd/include/$header" "$2/amd/include/$header"
	done
}

# compile_as_dkms LINUX TREE KVER: a tree of amdgpu-dkms with its own layer for other kernels, which finds hardly
# anything on Debian without SRCARCH. Its makefiles turn errors out of warnings off: the files of the series may have
# none. Beside the tree, TREE.dkms and the logs of both steps are left.
compile_as_dkms() {
	local tree=$2 kver=$3 out=$2.dkms objects

	mapfile -t objects < <(touched rocm | sed 's|.*/\(.*\)\.c$|amd/amdgpu/../amdkfd/\1.o|')
	export SRCARCH=x86
	add_headers "$1" "$tree" && rm -rf "$out" && mkdir -p "$out" &&
		(cd "$tree" && amd/dkms/pre-build.sh "$kver" "$tree" "$out/tree" gcc) >"$tree.configure.log" 2>&1 &&
		make -C "/lib/modules/$kver/build" M="$out/tree" -j"$JOBS" TTM_NAME=amdttm SCHED_NAME=amd-sched \
			"${objects[@]}" 2>&1 | tee "$tree.compile.log" || return 1
	[ "$(grep -c '  CC .*amdkfd/kfd_' "$tree.compile.log")" = ${#objects[@]} ] ||
		{ echo "not all was compiled"; return 1; }
	! grep -A 5 'amdkfd/kfd_sched.*warning:' "$tree.compile.log"
}
