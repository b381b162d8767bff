# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The guest's hardware, as QEMU options. To be sourced after scripts/lib/base.sh.
#
#   smpN    N CPUs at the same time, in real time: for races, of which nobody knows where they are
#   icount  one CPU and a clock that counts its instructions, 1 ns each: the same run
#           gives the same times on any machine, and waiting costs nothing
#
# A machine that was saved is a file that has each page of its memory at a place of its own ("mapped-ram"): to go on
# from it is to read that file, once.
#
# ivshmem's memory is a software GPU's VRAM and doorbells; "master" lets it be saved.
# pvpanic is how the guest stops itself where it may be saved (see emit.c).
#
# Without cx16, because QEMU 7.2 leaves part of an operand in RFLAGS after CMPXCHG16B, system
# flags included: an interrupt that hits there takes the guest down, about once in 20 boots.
# The kernel does without the instruction where the CPU lacks it.

# Debian's kernel, or the one that run-guest was given.
KERNEL=${GUEST_KERNEL:-/boot/vmlinuz-$("$TOP/scripts/lib/kver")}
APPEND="console=ttyS0 quiet loglevel=5 log_buf_len=4M panic=-1 oops=panic tsc=reliable mitigations=off"

# set_machine MODE INITRAMFS GPUS [MEMORY [WARM VGPU]]: fill the array "machine" with QEMU and its
# options. WARM: what runs before the machine is saved, on a GPU with these parameters (see init).
set_machine() {
	local append=$APPEND gpu

	machine=(qemu-system-x86_64 -nodefaults -no-reboot -display none -m "${4:-2G}" -global migration.mapped-ram=on
		-cpu "qemu64,-cx16" -device pvpanic -kernel "$KERNEL" -initrd "$2")
	for ((gpu = 0; gpu < $3; gpu++)); do
		machine+=(-object "memory-backend-ram,id=vram$gpu,size=512M,share=on"
			-device "ivshmem-plain,memdev=vram$gpu,master=on")
	done
	case $1 in
	smp*)
		machine+=(-accel "tcg,thread=multi" -smp "${1#smp}")
		;;
	icount)
		machine+=(-accel "tcg,thread=single" -smp 1 -icount "shift=0,sleep=off" -seed 1 -rtc "base=2026-01-01,clock=vm")
		append="$append nokaslr"
		;;
	*)
		die "no machine of mode $1"
		;;
	esac
	# what the kernel does not know goes into init's environment
	[ -z "${5:-}" ] || append="$append GUEST_WARM=$5 GUEST_VGPU=\"$6\""
	machine+=(-append "$append")
}

# Print what to start QEMU with in mode $1. Under icount, the thread that runs the guest and
# the main loop must never run at the same time: between the guest's HLT and the moment its
# last instructions are counted, the main loop may warp the clock to the next timer, and
# those instructions come on top (icount_start_warp_timer() of QEMU 7.2): nanoseconds that are
# there in one run and not in the next. On one CPU they take turns, and under SCHED_BATCH
# the one that wakes up does not interrupt the other. It is the last we may use; or the last but
# LANE, if several of us run at a time (scripts/check/suites).
machine_launcher() {
	local cpus

	[ "$1" = icount ] || return 0
	mapfile -t cpus < <(allowed_cpus)
	printf '%s\n' taskset -c "${cpus[-1 - ${LANE:-0} % ${#cpus[@]}]}" chrt -b 0
}

# The host's CPUs that we may use, a line each.
allowed_cpus() {
	local first last

	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr , '\n' |
		while IFS=- read -r first last; do
			seq "$first" "${last:-$first}"
		done
}

# machine_outputs DIR: options that send the guest's serial lines (the kernel's, and the
# test's) and its debug console into files of DIR.
machine_outputs() {
	printf '%s\n' -serial "file:$1/console.log" -serial "file:$1/test.log" \
		-debugcon "file:$1/debugcon" -global isa-debugcon.iobase=0xe9
}
