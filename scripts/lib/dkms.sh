# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # for the scripts that source this
# DKMS with trees of its own below build/, without amdgpu's display code to be done sooner, and unsigned, lest it make a
# signing key for this machine. To be sourced after base.sh.

kver=$("$TOP/scripts/lib/kver")
work=$BUILD/dkms
modules=$work/modules
package=$(sed -n 's/^PACKAGE_NAME="\(.*\)"/\1/p' "$TOP/dkms.conf")
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$TOP/dkms.conf")

# run_dkms VERB [--dkmstree DIR]...: the last tree named is taken.
run_dkms() {
	local verb=$1
	shift
	# Our BUILD is not DKMS's: there, everything goes into its copy of the package.
	env -u BUILD sign_file=/nonexistent KFD_XSCHED_DISPLAY=n \
		dkms "$verb" --dkmstree "$work/tree" --sourcetree "$work/usr/src" \
		-m "$package" -v "$version" "$@"
}
