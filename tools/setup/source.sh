# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # shared with kfd-xsched-setup, which sources this
# A patched copy of a driver's source: /usr/src/amdgpu-VERSION+xschedOURS. It is there whole, or not at all.
#
# What is ours in it is the directory kfd-xsched: "origin" says what it is made from, "build" is what DKMS runs,
# "patches" are those it got, by which "build" can take them out again.

# What changes when the source of the driver does.
origin_id() {
	if [ -d "$origin" ]; then
		(cd "$origin" && find . -type f -printf '%p %s %T@\n' | sort)
	else
		cat "$origin"
	fi | sha256sum | cut -d ' ' -f 1
}

# What changes when our patches, or what builds them, do.
series_id() {
	(cd "$top" && find patches tools/setup scripts/build/amdgpu -type f | sort | xargs sha256sum) |
		sha256sum | cut -d ' ' -f 1
}

# same_source: what is at $target is made from what is here now.
same_source() {
	local made=$sources/amdgpu-$target/kfd-xsched/origin

	[ "$(field "$made" origin)" = "$(origin_id)" ] && [ "$(field "$made" ours)" = "$(series_id)" ] &&
		[ "$(field "$made" display)" = "$display" ] && series=$(field "$made" series)
}

# free PATH: MiB there
free() {
	df --output=avail -BM "$1" | tail -n 1 | tr -dc 0-9
}

# Source and objects of the whole driver take 2 GiB, its source alone half of that.
check_space() {
	local dir=$dkms

	[ -d "$dir" ] || dir=/var/lib
	[ "$(free "$sources")" -ge 1200 ] || { why="$sources has less than 1200 MiB free"; return 1; }
	[ "$(free $dir)" -ge 3000 ] || { why="$dir has less than 3000 MiB free"; return 1; }
}

# lay_out DIR: the pristine source
lay_out() {
	mkdir "$1"
	case $driver in
	dkms) cp -a "$origin/." "$1" ;;
	kernel) tar -C "$1" --strip-components=1 --wildcards --no-wildcards-match-slash -xf "$origin" \
		'linux-*/drivers/gpu/drm/amd' ;;
	esac
}

# patch_source DIR: $series and $applied are what it got
patch_source() {
	local said

	said=$("$top/scripts/series/apply" "$1" 2>&1) || { why=${said//$1/the source}; return 1; }
	series=$(sed -n '1s/.*; series //p' <<<"$said")
	applied=$(sed -n 's/^applied //p' <<<"$said")
}

write_kernels_conf() {
	cat >"$1/dkms.conf" <<-CONF
	# The amdgpu of Linux $version with the series $series of kfd-xsched $ours, made by kfd-xsched-setup.
	# It is for kernels of this very version, so that it is not built for others by itself.
	PACKAGE_NAME="amdgpu"
	PACKAGE_VERSION="$target"
	NO_WEAK_MODULES="yes"
	MAKE[0]="kfd-xsched/build kernel \$kernelver $display"
	CLEAN="true"
	BUILT_MODULE_NAME[0]="amdgpu"
	BUILT_MODULE_LOCATION[0]="drivers/gpu/drm/amd/amdgpu/"
	DEST_MODULE_LOCATION[0]="/updates/dkms"
	CONF
}

# AMD's own, with another version. DKMS builds it for new kernels by itself, as it did AMD's.
write_amds_conf() {
	local conf=$1/dkms.conf

	[ "$(grep -c '^PACKAGE_VERSION=' "$conf")" = 1 ] && grep -q '^PACKAGE_NAME="*amdgpu"*$' "$conf" &&
		grep -q '^MAKE\[0\]=' "$conf" || { why="$origin/dkms.conf is not as AMD's are"; return 1; }
	# it may be a link into the source
	sed "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$target\"/" "$conf" >"$conf.new" && mv -f "$conf.new" "$conf" || return 1
	cat >>"$conf" <<-CONF

	# With the series $series of kfd-xsched $ours, by kfd-xsched-setup.
	NO_WEAK_MODULES="yes"
	MAKE[0]="kfd-xsched/build dkms \$kernelver \${MAKE[0]}"
	POST_INSTALL="kfd-xsched/build installed \$kernelver $ours \$POST_INSTALL"
	CONF
}

# add_ours DIR: what DKMS needs to build it
add_ours() {
	local own=$1/kfd-xsched patch

	mkdir -p "$own/patches" "$own/scripts/build" "$own/scripts/lib"
	cp "$top/scripts/build/amdgpu" "$own/scripts/build"
	cp "$top/scripts/lib/base.sh" "$own/scripts/lib"
	cp "$here/build" "$own"
	for patch in $applied; do
		cp "$top/patches/$series/$patch" "$own/patches"
	done
	printf '%s\n' "driver $driver" "version $version" "series $series" "display $display" "origin $(origin_id)" \
		"ours $(series_id)" >"$own/origin"
	case $driver in
	dkms) write_amds_conf "$1" ;;
	kernel)
		# The kernel's amdgpu says no version, by which one could tell what is loaded.
		echo "MODULE_VERSION(\"$target\");" >>"$1/drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c"
		write_kernels_conf "$1"
		;;
	esac
}

# make_source DIR
make_source() {
	lay_out "$1" || { why=${why:-"the source could not be unpacked into ${1%/*}"}; return 1; }
	patch_source "$1" && add_ours "$1"
}

# try_source: as if, in a directory that goes
try_source() {
	local dir status=0

	check_space || return 1
	dir=$(mktemp -d "${TMPDIR:-/tmp}/kfd-xsched-setup.XXXXXX")
	make_source "$dir/source" || status=1
	rm -rf "$dir"
	return $status
}

# provide_source KERNEL: it is at $target afterwards
provide_source() {
	local new=$sources/.kfd-xsched-setup.new

	[ ! -d "$sources/amdgpu-$target" ] || ! same_source || return 0
	check_space || return 1
	forget "$target"
	say "  making $sources/amdgpu-$target"
	rm -rf "$new"
	make_source "$new" || { rm -rf "$new"; return 1; }
	mv "$new" "$sources/amdgpu-$target"
}
