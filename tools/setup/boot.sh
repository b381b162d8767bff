# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154 # shared with kfd-xsched-setup, which sources this
# What the next boot needs, and does: initramfs, Secure Boot, the unit that loads kfd_xsched.ko. No driver is loaded or
# unloaded here but kfd_xsched.ko, by --load.

# --- initramfs ------------------------------------------------------------------------------------------

# image_of KERNEL: its initramfs, if there is one
image_of() {
	local image

	for image in "/boot/initrd.img-$1" "/boot/initramfs-$1.img"; do
		[ ! -e "$image" ] || { echo "$image"; return; }
	done
}

# list_image IMAGE: what is in it
list_image() {
	if command -v lsinitramfs >/dev/null; then
		lsinitramfs "$1"
	elif command -v lsinitrd >/dev/null; then
		lsinitrd "$1"
	else
		return 1
	fi 2>/dev/null
}

# has_driver IMAGE: it has an amdgpu.ko, or cannot be looked into
has_driver() {
	local list

	list=$(list_image "$1") || return 0
	grep -q '/amdgpu\.ko' <<<"$list"
}

renew_initramfs() {
	local image

	image=$(image_of "$1")
	[ -n "$image" ] && has_driver "$image" || return 0
	say "  renewing $image, which has an amdgpu.ko"
	if command -v update-initramfs >/dev/null; then
		update-initramfs -u -k "$1" >>"$log" 2>&1
	elif command -v dracut >/dev/null; then
		dracut --force "$image" "$1" >>"$log" 2>&1
	else
		false
	fi || say "  WARNING: $image was not renewed ($log): until it is, the next boot loads the amdgpu that is in it"
}

# --- Secure Boot ------------------------------------------------------------------------------------------

secure_boot() {
	command -v mokutil >/dev/null && mokutil --sb-state 2>/dev/null | grep -q 'SecureBoot enabled'
}

# The certificate of the key that DKMS signs with: as its configuration says, or where it makes one itself.
certificate() {
	(
		mok_certificate=''
		for file in /etc/dkms/framework.conf /etc/dkms/framework.conf.d/*.conf; do
			# shellcheck source=/dev/null
			[ ! -r "$file" ] || . "$file" >/dev/null
		done
		for file in "$mok_certificate" /var/lib/shim-signed/mok/MOK.der "$dkms/mok.pub"; do
			[ -z "$file" ] || [ ! -r "$file" ] || { echo "$file"; exit; }
		done
	)
}

# may_install KERNEL: with Secure Boot, a driver whose key is not enrolled leaves the next boot without a GPU.
may_install() {
	local key built

	secure_boot || return 0
	key=$(certificate)
	built=$(built_in_dkms amdgpu "$target" "$1")
	[ -n "$key" ] && [ -n "$(modinfo -F signer "$built"/amdgpu.ko*)" ] || {
		why="Secure Boot is on, and DKMS has not signed the driver: set mok_signing_key and mok_certificate in /etc/dkms/framework.conf"
		return 1
	}
	# It succeeds where the key is not enrolled, and says so.
	! mokutil --test-key "$key" | grep -q 'is already enrolled' || return 0
	if [ -n "$enroll" ]; then
		mokutil --import "$key" || { why="mokutil has not taken $key"; return 1; }
		say "  At the next boot, the firmware asks: choose \"Enroll MOK\", with the password just given. Else there is no GPU."
		return 0
	fi
	why="Secure Boot is on, and the key of DKMS is not enrolled. \"kfd-xsched-setup --enroll-key\" does that (mokutil --import $key)"
	return 1
}

# --- the unit ---------------------------------------------------------------------------------------------

# unit enable|disable: kfd-xsched.service loads kfd_xsched.ko when a GPU is there, and is failed where it cannot be.
unit() {
	! command -v systemctl >/dev/null || systemctl --quiet "$1" kfd-xsched.service 2>>"$log" || :
}

# --- what is said ---------------------------------------------------------------------------------------------

# would_boot KERNEL: for --dry-run
would_boot() {
	local image

	image=$(image_of "$1")
	[ -z "$image" ] || ! has_driver "$image" || say "  $image has an amdgpu.ko, and would be renewed"
	! secure_boot || say "  Secure Boot is on: the key that DKMS signs with must be enrolled ($(certificate))"
}

loaded_is_patched() {
	grep -q ' kfd_sched_apply\b' /proc/kallsyms
}

say_loaded() {
	if [ ! -d /sys/module/amdgpu ]; then
		say "No amdgpu is loaded."
	elif loaded_is_patched; then
		say "The amdgpu that is loaded has the patches."
	else
		say "The amdgpu that is loaded does not have the patches."
	fi
}

next_boot() {
	if [ -d /sys/module/amdgpu ]; then
		say "The amdgpu that is loaded stays until the next boot, or until it is loaded anew. Then:"
	else
		say "When amdgpu is loaded next:"
	fi
	say "  the patched amdgpu takes its place, and kfd-xsched.service loads kfd_xsched.ko;"
	say "  xschedd starts if it is enabled: systemctl enable xschedd"
	say "kfd-xsched-setup --undo puts back what was there."
}

# why_not_loaded KERNEL: what to do
why_not_loaded() {
	if ! find_driver "$1"; then
		echo "$why"
	elif ! is_ours; then
		echo "amdgpu $version is not patched$(known_why "$1"). Run kfd-xsched-setup"
	elif ! loaded_is_patched; then
		echo "The patched amdgpu is installed, another is loaded: reboot"
	else
		echo "See dmesg, and kfd-xsched-setup --status"
	fi
}
