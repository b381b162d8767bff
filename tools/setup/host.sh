# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # for kfd-xsched-setup, which sources this
# What this host has: kernels, which driver each would load, where the source of that is, what DKMS has.
#
# What says yes or no returns a status, and leaves the reason for a no in $why.

dkms=/var/lib/dkms
sources=/usr/src
modules=/lib/modules
state=/var/lib/kfd-xsched
why=''

say() {
	echo "$*"
}

die() {
	echo "kfd-xsched-setup: $*" >&2
	exit 1
}

# All commands that are missing are named at once.
check_needs() {
	local command missing=()

	for command in dkms patch make modinfo depmod tar xz strip cmp; do
		command -v "$command" >/dev/null || missing+=("$command")
	done
	[ ${#missing[@]} = 0 ] || die "this host lacks: ${missing[*]}. On Debian and Ubuntu: apt install dkms patch xz-utils"
}

# --- kernels --------------------------------------------------------------------------------

installed_kernels() {
	find "$modules" -mindepth 2 -maxdepth 2 -name modules.builtin -printf '%h\n' | sed 's|.*/||' | sort -V
}

# The running one, if it is installed here, and the newest.
wanted_kernels() {
	local running

	running=$(uname -r)
	{
		[ ! -e "$modules/$running/modules.builtin" ] || echo "$running"
		installed_kernels | tail -n 1
	} | sort -uV
}

# Those whose driver is ours.
patched_kernels() {
	local link

	for link in "$dkms"/amdgpu/kernel-*; do
		case $(readlink "$link") in
		*+xsched*/*) readlink "$link" | cut -d / -f 2 ;;
		esac
	done
}

# find_kernel KERNEL: it is here, with headers, and its amdgpu has KFD.
find_kernel() {
	local config

	[ -e "$modules/$1/modules.builtin" ] || { why="there is no kernel $1 here"; return 1; }
	[ -e "$modules/$1/build/Makefile" ] || { why="its headers are missing: install linux-headers-$1 (kernel-devel)"; return 1; }
	for config in "$modules/$1/build/.config" "$modules/$1/build/include/config/auto.conf"; do
		if [ -r "$config" ]; then
			grep -q '^CONFIG_HSA_AMD=y' "$config" || { why="it is built without CONFIG_HSA_AMD"; return 1; }
			break
		fi
	done
}

# Of which Linux the headers are, as 6.12.117.
headers_version() {
	awk '{ v[$2] = $3 } END { print v["LINUX_VERSION_MAJOR"] "." v["LINUX_VERSION_PATCHLEVEL"] "." v["LINUX_VERSION_SUBLEVEL"] }' \
		"$modules/$1/build/include/generated/uapi/linux/version.h"
}

# --- DKMS -------------------------------------------------------------------------------------

# field FILE NAME: the value of a line "NAME VALUE"
field() {
	sed -n "s/^$2 //p" "$1" 2>/dev/null | head -n 1
}

# built_in_dkms MODULE VERSION KERNEL: the directory with what DKMS has built, or nothing
built_in_dkms() {
	local dir

	for dir in "$dkms/$1/$2/$3"/*/module; do
		[ ! -d "$dir" ] || echo "$dir"
	done
}

# link_of KERNEL: what DKMS has installed as its amdgpu, if that is there
link_of() {
	echo "$dkms/amdgpu/kernel-$1-$(uname -m)"
}

# foreign_versions: those of amdgpu in DKMS that are not ours: AMD's
foreign_versions() {
	local link

	for link in "$dkms"/amdgpu/*/source; do
		link=${link%/source}
		link=${link##*/}
		[[ $link = '*' || $link = *+xsched* ]] || echo "$link"
	done
}

# --- the driver of a kernel ---------------------------------------------------------------------

# find_driver KERNEL: what modprobe takes as amdgpu: $file; which $driver that is, the "kernel"'s own or the one of
# "dkms", and its $version, without our patches; $active: the version that DKMS has installed, with them.
find_driver() {
	local kernel=$1 link

	driver='' version='' active='' why=''
	file=$(modinfo -k "$kernel" -n amdgpu 2>/dev/null) || file=
	case $file in
	'') why="it has no amdgpu.ko"; return 1 ;;
	'(builtin)') why="amdgpu is built into it, and cannot be replaced"; return 1 ;;
	esac
	link=$(link_of "$kernel")
	if [ ! -L "$link" ]; then
		of_kernel "$kernel"
		return
	fi
	active=$(readlink "$link")
	active=${active%%/*}
	cmp -s "$file" "$link/module/${file##*/}" ||
		{ why="$file is not the amdgpu that DKMS has installed ($active)"; return 1; }
	of_dkms
}

of_dkms() {
	local origin=$sources/amdgpu-$active/kfd-xsched/origin

	driver=dkms version=$active
	case $active in
	*+xsched*)
		driver=$(field "$origin" driver)
		version=${active%+xsched*}
		[ -n "$driver" ] || { why="$origin is gone, which said what amdgpu/$active is made from"; return 1; }
		;;
	esac
}

# AMD's driver may be here and not serve this kernel: nobody but its administrator knows which is wanted.
of_kernel() {
	local amd

	amd=$(foreign_versions | tail -n 1)
	[ -z "$amd" ] || {
		why="DKMS has amdgpu/$amd, but not for this kernel, which has its own amdgpu: dkms install amdgpu/$amd -k $1, or remove it"
		return 1
	}
	case $file in
	*"/$1/kernel/"*) driver=kernel version=$(headers_version "$1") ;;
	*) why="$file was installed neither by the kernel's package nor by DKMS"; return 1 ;;
	esac
}

driver_name() {
	case $driver in
	kernel) echo "the amdgpu of Linux $version" ;;
	dkms) echo "amdgpu $version of DKMS" ;;
	esac
}

# --- its source -------------------------------------------------------------------------------------

# The makefile at the top of a source has its version; no other is read.
linux_version() {
	tar --occurrence=1 --wildcards --no-wildcards-match-slash -xOf "$1" 'linux-*/Makefile' 2>/dev/null |
		awk -F ' *= *' '/^(VERSION|PATCHLEVEL|SUBLEVEL) *=/ { v = v "." $2 } END { print substr(v, 2) }'
}

package_version() {
	dpkg-query -W -f='${Version}' "$1" 2>/dev/null || :
}

# find_source KERNEL: of its driver, as $origin, and whether its $display code is built.
find_source() {
	display=y
	case $driver in
	dkms)
		origin=$sources/amdgpu-$version
		[ -e "$origin/dkms.conf" ] || { why="$origin, the source of amdgpu/$version, is gone"; return 1; }
		;;
	kernel)
		display=${wanted_display:-y}
		find_linux "$1"
		;;
	esac
}

# A source of another version may fit, and even compile, against structures that are not the kernel's.
find_linux() {
	local package=linux-source-${version%.*} found

	origin=${source_file:-$sources/$package.tar.xz}
	[ -r "$origin" ] || { why="its source is missing: install $package, or name it with --source"; return 1; }
	found=$(linux_version "$origin")
	[ "$found" = "$version" ] || {
		why="${origin##*/} is Linux ${found:-of no version}, the headers of $1 are of $version: install those of one version"
		return 1
	}
	# Debian's revisions differ, too. What was not installed from a package has none.
	[ "$origin" = "$sources/$package.tar.xz" ] || return 0
	found=$(package_version "$package")
	[ -z "$found" ] || [ -z "$(package_version "linux-headers-$1")" ] ||
		[ "$found" = "$(package_version "linux-headers-$1")" ] || {
		why="$package is $found, linux-headers-$1 is $(package_version "linux-headers-$1"): install those of one version"
		return 1
	}
}

# --- why not ------------------------------------------------------------------------------------------

# known_why KERNEL: what was found now, or was recorded when it was set up
known_why() {
	local text

	text=${why:-$(field "$state/kernels/$1" why)}
	[ -z "$text" ] || echo ": $text"
}

# clear_state: once no kernel has a driver of ours
clear_state() {
	[ -n "$(patched_kernels)" ] || rm -rf "$state"
}
