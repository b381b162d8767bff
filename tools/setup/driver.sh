# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # shared with kfd-xsched-setup, which sources this
# The patched driver, and kfd_xsched.ko, which belongs to it: built, installed and verified by DKMS, for one kernel; and
# what was there, put back.
#
# DKMS has the patched driver as another version of amdgpu. To install one version replaces the other, and an original
# of the kernel's package is kept by DKMS meanwhile.

log=/var/log/kfd-xsched-setup.log
child=

# run_dkms VERB MODULE VERSION [ARGUMENT]...: what it prints is in the log. In a session of its own: a signal for us
# comes at once, and ends all of it.
run_dkms() {
	local status=0

	echo "== dkms $*" >>"$log"
	KFD_XSCHED_SETUP=yes setsid dkms "$1" -m "$2" -v "$3" "${@:4}" >>"$log" 2>&1 9>&- &
	child=$!
	wait $child || status=$?
	child=
	return $status
}

# in_dkms MODULE VERSION
in_dkms() {
	[ -L "$dkms/$1/$2/source" ]
}

add() {
	in_dkms "$1" "$2" || run_dkms add "$1" "$2"
}

# why_not_built MODULE VERSION KERNEL: the first error in what DKMS has kept, or its last words
why_not_built() {
	local made=$dkms/$1/$2/build/make.log

	[ -r "$made" ] || made=$log
	cp "$made" "$log.failed"
	echo "DKMS cannot build $1/$2 for $3: $({ grep -E 'error:|No space left' "$made" || tail -n 1 "$made"; } | head -n 1)" \
		"($log.failed)"
}

build_driver() {
	local kernel=$1

	[ -z "$(built_in_dkms amdgpu "$target" "$kernel")" ] || return 0
	say "  building amdgpu/$target, which takes a quarter of an hour on a few processors"
	add amdgpu "$target" && run_dkms build amdgpu "$target" -k "$kernel" ||
		{ why=$(why_not_built amdgpu "$target" "$kernel"); return 1; }
}

# install_module MODULE VERSION KERNEL
install_module() {
	run_dkms install "$1" "$2" -k "$3" --force || { why="DKMS cannot install $1/$2 for $3 ($log)"; return 1; }
}

# kfd_xsched.ko is built anew: it is made for this very driver.
install_driver() {
	local kernel=$1

	install_module amdgpu "$target" "$kernel" || return 1
	remove_built kfd-xsched "$ours" "$kernel"
	say "  building kfd-xsched/$ours"
	add kfd-xsched "$ours" && run_dkms build kfd-xsched "$ours" -k "$kernel" ||
		{ why=$(why_not_built kfd-xsched "$ours" "$kernel"); return 1; }
	install_module kfd-xsched "$ours" "$kernel"
}

# --- verify -----------------------------------------------------------------------------------------

# crcs KERNEL: of the symbols that kfd_xsched.ko takes from amdgpu, as "NAME CRC"
crcs() {
	modprobe --dump-modversions "$(modinfo -k "$1" -n kfd_xsched)" | awk '$2 ~ /^kfd_sched_/ { print $2, $1 }' | sort
}

# exported KERNEL: the same of what the patched amdgpu exports
exported() {
	awk '$2 ~ /^kfd_sched_/ { print $2, $1 }' "$sources/amdgpu-$target/kfd-xsched/symvers-$1" 2>/dev/null | sort
}

# verify KERNEL: modprobe takes the patched driver, and kfd_xsched.ko, which finds all its symbols there.
verify() {
	local kernel=$1 built needed

	built=$(built_in_dkms amdgpu "$target" "$kernel")
	[ -n "$built" ] || { why="DKMS has not built amdgpu/$target"; return 1; }
	cmp -s "$built/amdgpu.ko"* "$(modinfo -k "$kernel" -n amdgpu)" ||
		{ why="modprobe would take $(modinfo -k "$kernel" -n amdgpu), which is not what was built"; return 1; }
	modinfo -k "$kernel" kfd_xsched >/dev/null 2>&1 || { why="modprobe finds no kfd_xsched.ko"; return 1; }
	modprobe -S "$kernel" --show-depends kfd_xsched 2>/dev/null | grep -q '/amdgpu\.ko' ||
		{ why="kfd_xsched.ko does not depend on amdgpu.ko"; return 1; }
	needed=$(crcs "$kernel")
	[ -n "$needed" ] && [ -z "$(comm -23 <(echo "$needed") <(exported "$kernel"))" ] ||
		{ why="kfd_xsched.ko takes symbols that this amdgpu does not have"; return 1; }
}

# --- the way back -----------------------------------------------------------------------------------

# remove_built MODULE VERSION KERNEL: and what is installed of it. DKMS forgets what it has built for no kernel.
remove_built() {
	[ -z "$(built_in_dkms "$1" "$2" "$3")" ] || run_dkms remove "$1" "$2" -k "$3" || :
}

# put_back KERNEL VERSION: the kernel has that driver of ours; what was before it returns, and nothing of ours stays.
put_back() {
	local kernel=$1 mine=$2 before=${2%+xsched*} status=0

	remove_built kfd-xsched "$ours" "$kernel"
	if in_dkms amdgpu "$before" && [[ $(readlink "$(link_of "$kernel")") = "$mine"/* ]]; then
		install_module amdgpu "$before" "$kernel" || status=1
	fi
	[ $status = 0 ] && remove_built amdgpu "$mine" "$kernel"
	add kfd-xsched "$ours" || :
	return $status
}

# forget VERSION: of amdgpu, of ours: DKMS and /usr/src have it no more
forget() {
	! in_dkms amdgpu "$1" || run_dkms remove amdgpu "$1" --all || :
	rm -rf "${dkms:?}/amdgpu/$1" "$sources/amdgpu-$1"
	rmdir --ignore-fail-on-non-empty "$dkms/amdgpu" 2>/dev/null || :
}

# Sources of ours that serve no kernel.
drop_unused() {
	local dir version

	for dir in "$sources"/amdgpu-*+xsched*; do
		version=${dir##*/amdgpu-}
		[ ! -d "$dir" ] || readlink "$dkms"/amdgpu/kernel-* | grep -qF "$version/" || forget "$version"
	done
}

# --- interrupted --------------------------------------------------------------------------------------

# begin KERNEL VERSION: until "finish", what is half done is said by $state/running, and undone on a signal.
begin() {
	mkdir -p "$state/kernels"
	echo "$1 $2" >"$state/running" || die "$state cannot be written to"
	trap 'interrupted' HUP INT TERM
}

finish() {
	rm -f "$state/running"
	trap - HUP INT TERM
}

interrupted() {
	trap '' HUP INT TERM
	if [ -n "$child" ]; then
		kill -TERM -- -"$child" 2>/dev/null || :
		wait "$child" || :
	fi
	clear_interrupted
	drop_unused
	[ $verb != setup ] || clear_state
	die "interrupted; what was there is back"
}

# What a run has left that ended in the middle, by a signal or with the machine.
clear_interrupted() {
	local kernel mine

	rm -rf "$sources/.kfd-xsched-setup.new"
	[ -e "$state/running" ] || return 0
	read -r kernel mine <"$state/running"
	say "$kernel: amdgpu/$mine was half installed by a run that was interrupted; what was there is put back"
	put_back "$kernel" "$mine" || die "$why"
	rm -f "$state/running"
}
