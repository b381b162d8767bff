# SPDX-License-Identifier: MIT
#
# Targets for users. scripts/ does the work; "make help" lists the targets.

# "make KERNEL=7 ...": with that Linux (tests/roots/base-7), in a directory of its own.
BASE := base$(KERNEL:%=-%)
BUILD := build$(KERNEL:%=/linux-%)

# What is built and run to be tested is in file systems of its own, see scripts/rig: this machine
# itself has nothing installed. Only "install" and what it needs is made with its own compiler.
#
# Each run has a ceiling in minutes, and says how many guests it has at a time, with how much memory (GiB): scripts/rig.
BUILDS := --minutes 60
ONE_GUEST := --minutes 60 --guests 1 --memory 5
TWO_HIP_GUESTS := --minutes 60 --guests 2 --memory 10
LANED := $(if $(filter 1,$(LANES)),--guests 1 --memory 5,--guests 2 --memory 10)
RIG := @scripts/rig run
MAKE_SIM := make --no-print-directory -s -C sim/xsched-sim O=/kfd-xsched/$(BUILD)

include common.mk
.DEFAULT_GOAL := help
HOST := $(abspath $(BUILD))/host
USER_DIRS := libxsched libxsched/compat tools sim/xsched-sim
UDEVDIR ?= /usr/lib/udev/rules.d
SYSTEMDDIR ?= /usr/lib/systemd/system
SYSUSERSDIR ?= /usr/lib/sysusers.d
RULESDIR ?= $(PREFIX)/share/xsched
DKMSDIR ?= /usr/src/kfd-xsched-$(VERSION)
SETUPDIR ?= $(PREFIX)/share/kfd-xsched

# "make FRESH=y ...": no result of a guest is taken that was kept from a run with the same inputs.
ifdef FRESH
export KFD_XSCHED_FRESH := $(FRESH)
endif

# "make DISPLAY=y ..." builds amdgpu with its display code. Only from the command line: in
# the environment, DISPLAY is something else.
ifeq ($(origin DISPLAY),command line)
export KFD_XSCHED_DISPLAY := $(DISPLAY)
endif

# Scripts use all processors by themselves; two of them at once would only disturb each other.
.NOTPARALLEL:

help:
	@echo 'make demo           two HIP programs on one GPU: alone, together, and under a scheduler'
	@echo 'make demo-raw       the same without ROCm: programs that have queues of their own'
	@echo 'make check          the tests; the last line counts them'
	@echo 'make check-quick    a part of them for while you work: unit tests, KUnit, two guests without ROCm'
	@echo 'make check-all      tests not in "make check": every available ROCm, llama.cpp, every kernel source;'
	@echo '                    in parts, of which each is kept when it has passed (PART=...: only these)'
	@echo 'make check-part     a fixed part of check-all, run for each change in addition to "make check"'
	@echo 'make check-rocm     HIP programs of every available ROCm run, and are preempted, on the software GPU'
	@echo 'make check-third    llama.cpp and other packages of Debian run, and are preempted, there'
	@echo 'make check-variants an amdgpu with shared virtual memory and without the tap'
	@echo 'make check-patches  each patch of the series compiles and applies, and is refused if it does not fit'
	@echo '                    (TREES=...: also unpacked amdgpu-dkms sources; COMPILE=y: compile these)'
	@echo 'make check-trees    for each kernel source of Debian: does a series fit, compile, has it run?'
	@echo '                    (TREES=...: also unpacked amdgpu-dkms sources; downloads 4 GB the first time)'
	@echo 'make module-patch   the patch that adds kfd_xsched to Linux, after the series for Linux 7'
	@echo 'make sanitize       the unit tests under the sanitizers, and an hour of xsched-sim in valgrind'
	@echo 'make vgpu-selftest  a test of each feature of the software GPU'
	@echo 'make bench-switch   time of a switch, compared with amdkfd alone and a debugger (SAMPLES=100)'
	@echo 'make bench-react    time from a doorbell to an empty GPU, armed and through xschedd (SAMPLES=100)'
	@echo 'make bench-oversubscribed  one process beside 99 without work, most or none of them held (SAMPLES=100)'
	@echo 'make bench-park     two processes beside 1, 8 and 64 without work, resident and parked (SAMPLES=100)'
	@echo 'make bench          two models in every way to share a GPU, ours and those of others, each with every seed:'
	@echo '                    25 minutes of what is missing; again, it goes on (EXP=...: only this experiment;'
	@echo '                    EXP=anatomy: what a preemption consists of, part by part; EXP=overhead: what a'
	@echo '                    program pays that has the GPU for itself)'
	@echo 'make bench-shootdowns  CPUs that a doorbell tap interrupts, for 1, 16 and 128 threads'
	@echo 'make bench-policies every policy on the same three scenarios, compared with no policy'
	@echo 'make bench-drm-sched  the ten workloads by which Linux judges drm/sched, under each policy'
	@echo 'make bench-cells    how far xsched-sim is from the guest, in what "make bench" has measured'
	@echo 'make bench-sensitivity  which costs of GPU and software the figures of two models hang on'
	@echo 'make bench-scale    time of a decision of each policy for 64 GPUs and 4096 queues'
	@echo ''
	@echo 'make build          everything that the targets above need, without running them'
	@echo 'make amdgpu         the patched amdgpu.ko  (DISPLAY=y: with display code)'
	@echo 'make kmod           kfd_xsched.ko'
	@echo 'make vgpu           vgpu.ko, the software GPU for the tests'
	@echo 'make guest          the image that the virtual machine boots'
	@echo 'make docs           the manual, build/docs/html'
	@echo 'make results        Documentation/results.rst and its pictures, from what "make bench" has measured'
	@echo 'make figures        the figures and the picture of README, from this tree (half an hour)'
	@echo 'make look           pictures of the output of xschedctl, build/look'
	@echo 'make deb            Debian packages, build/deb (deb-bookworm: for Debian 12)'
	@echo 'make rpm            RPMs, build/rpm'
	@echo 'make shell          a shell in the rig, where all of this is built'
	@echo ''
	@echo 'make user           libxsched, xschedd, xschedctl, xsched-sim, for the host: build/host'
	@echo 'make install        these, the service, and kfd-xsched-setup, which patches the driver'
	@echo '                    (DESTDIR=, PREFIX=$(PREFIX))'
	@echo 'make uninstall      remove what "make install" with the same PREFIX and DESTDIR has installed'
	@echo 'make clean          remove results, logs and build products, except amdgpu'
	@echo 'make distclean      remove build/, and the file systems and caches of all checkouts'
	@echo ''
	@echo 'FRESH=y with any target: run what has passed with the same inputs before, too (Documentation/rig.rst)'
	@echo 'KERNEL=7 with any target: use the newest Linux of trixie-backports; builds in build/linux-7'
	@echo ''
	@echo 'All but the last five build and run in Debian 13, whatever this machine is; they need root, and'
	@echo 'mmdebstrap to make it. Everything made is in build/ and in ~/.cache/kfd-xsched (scripts/rig).'

demo demo-hip:
	$(RIG) $(TWO_HIP_GUESTS) --rocm $(BASE) scripts/bench/demo

demo-raw:
	$(RIG) $(ONE_GUEST) $(BASE) scripts/bench/demo raw

check:
	$(RIG) --minutes 80 $(LANED) --rocm --with install --with deb $(BASE) scripts/check/suites

# No ROCm is built or run.
check-quick:
	$(RIG) --minutes 40 $(LANED) $(BASE) scripts/check/suites --quick

# A ROCm that is not available is skipped by name, and so are third-party programs (6 GB, 3 minutes).
check-all:
	$(RIG) --minutes 600 --guests 2 --memory 14 --rocm --try rocm-trixie --try rocm-bookworm --try third-forky \
		--try base-7 --try spin --try fuzz --try compilers --try deb-bookworm --try rpm \
		--with install $(BASE) scripts/check/suites --all $(PART)

# What .ci/run adds to "make check".
check-part:
	$(RIG) --minutes 80 --guests 2 --memory 14 --rocm --try rocm-trixie --try rocm-bookworm --try third-forky \
		--with install $(BASE) scripts/check/suites --part

check-third:
	$(RIG) --minutes 120 --guests 1 --memory 10 --try third-forky $(BASE) \
		sh -c 'scripts/build/steps raw && scripts/check/third'

# Also a part of "make check".
vgpu-selftest:
	$(RIG) $(ONE_GUEST) $(BASE) sh -c 'scripts/build/steps raw && scripts/check/vgpu'

# SAMPLES: of each set of queues.
bench-switch:
	$(RIG) $(ONE_GUEST) $(BASE) sh -c 'scripts/build/steps raw && scripts/bench/switch $(SAMPLES)'

# Not a part of "make check": it builds all unit tests twice more, and takes several minutes.
sanitize:
	$(RIG) $(BUILDS) $(BASE) scripts/check/sanitize

bench-react:
	$(RIG) $(ONE_GUEST) $(BASE) sh -c 'scripts/build/steps raw && scripts/bench/react $(SAMPLES)'

bench-oversubscribed:
	$(RIG) $(ONE_GUEST) $(BASE) sh -c 'scripts/build/steps raw && scripts/bench/oversubscribed $(SAMPLES)'

bench-park:
	$(RIG) $(ONE_GUEST) $(BASE) sh -c 'scripts/build/steps raw && scripts/bench/park $(SAMPLES)'

# What is there is not run again. EXP: one of "scripts/bench/peers list", or a script of its own (OWN_EXP). SEEDS: how
# many, of those of peers. MINUTES: for how long. LANES: guests at a time.
OWN_EXP := anatomy overhead
bench: run = $(if $(filter $(OWN_EXP),$(EXP)),scripts/bench/$(EXP) $(1),scripts/bench/peers $(1) $(EXP))
bench:
	$(RIG) --minutes 90 --guests $(or $(LANES),1) --memory $$((5 * $(or $(LANES),1))) --rocm $(BASE) \
		env $(foreach v,MINUTES SEEDS LANES,$(if $($(v)),$(v)=$($(v)))) \
		sh -c 'scripts/build/steps all && $(call run,run) && $(call run,report)'

# Documentation/results.rst and its pictures, from what "make bench" has left.
results:
	$(RIG) $(BUILDS) $(BASE) scripts/bench/results write

# 16 CPUs, emulated by as many as there are.
bench-shootdowns:
	$(RIG) $(ONE_GUEST) $(BASE) sh -c 'scripts/build/steps raw && scripts/bench/shootdowns'

# Also a part of "make check": tests/unit/policies.
bench-policies:
	$(RIG) $(BUILDS) $(BASE) sh -c '$(MAKE_SIM) && scripts/bench/policies'

# Virtual time, some seconds.
bench-drm-sched:
	$(RIG) $(BUILDS) $(BASE) sh -c '$(MAKE_SIM) && scripts/bench/drm-sched'

bench-cells:
	$(RIG) $(BUILDS) $(BASE) sh -c '$(MAKE_SIM) && scripts/bench/cells'

# Virtual time, a minute. A part of it is in "make check": tests/unit/sensitivity.
bench-sensitivity:
	$(RIG) $(BUILDS) $(BASE) sh -c '$(MAKE_SIM) && scripts/bench/sensitivity'

# Not a part of "make check": it measures the machine, which should have nothing else to do.
bench-scale:
	$(RIG) $(BUILDS) $(BASE) sh -c '$(MAKE_SIM) && scripts/bench/scale'

# README.md's figures and picture, and their range, of this tree: the demonstration on builds in which code has moved.
figures:
	$(RIG) --minutes 120 --guests 2 --memory 10 --rocm $(BASE) \
		sh -c 'scripts/bench/figures vary && scripts/bench/figures take'

# The pictures of Documentation/looking.rst; nothing is tested.
look:
	$(RIG) $(ONE_GUEST) $(BASE) sh -c 'scripts/build/steps raw && scripts/docs/look'

# With the newest ROCm also a part of "make check".
check-rocm:
	$(RIG) --minutes 120 --guests 1 --memory 9 --rocm --try rocm-trixie --try rocm-bookworm $(BASE) \
		sh -c 'scripts/build/steps all && scripts/check/rocm --all'

# What "make check" does not: each patch of the series compiles after the one before, and every hunk can fail.
check-patches:
	$(RIG) $(BUILDS) $(BASE) \
		sh -c 'scripts/build/steps linux && scripts/check/patches $(if $(COMPILE),--compile) $(TREES)'

# The patch that adds kfd_xsched to Linux, after patches/linux-7.
module-patch:
	$(RIG) $(BUILDS) base-7 sh -c 'scripts/build/steps linux && '\
		'scripts/series/module-patch "$$BUILD/linux" "$$BUILD/module-patch/module.patch"'

# A kernel that cannot be had is skipped by name. KERNEL=6.1: amdgpu-dkms alone, no series is for that Linux.
check-trees:
	$(RIG) --minutes 300 --guests 1 --memory 5 $(if $(TREES),--try rocm-forky) --try base-7 $(BASE) \
		sh -c 'scripts/build/steps linux user programs && '\
		'$(if $(filter 6.1,$(KERNEL)),VERSIONS=none )scripts/check/trees $(TREES)'

# Not a part of "make check": it builds a second amdgpu.
check-variants:
	$(RIG) $(ONE_GUEST) $(BASE) sh -c 'scripts/build/steps raw && scripts/check/variants'

build:
	$(RIG) $(BUILDS) --rocm $(BASE) scripts/build/steps all

amdgpu:
	$(RIG) $(BUILDS) $(BASE) scripts/build/steps linux patch amdgpu

kmod vgpu:
	$(RIG) $(BUILDS) $(BASE) scripts/build/steps linux patch amdgpu $@

guest:
	$(RIG) $(BUILDS) $(BASE) scripts/build/steps raw

# Into build/deb; lintian judges them. deb-bookworm: for the C library of Debian 12. RPMs are judged by rpmlint.
deb deb-bookworm:
	$(RIG) $(BUILDS) $@ scripts/build/deb

rpm:
	$(RIG) $(BUILDS) rpm scripts/build/rpm

docs:
	$(RIG) $(BUILDS) $(BASE) sh -c 'scripts/build/steps docs && scripts/docs/manual'
	@echo $(BUILD)/docs/html/index.html

shell:
	$(RIG) --rocm $(BASE) env -u KFD_XSCHED_SUPERVISED bash

# Of this machine, for this machine. PREFIX and the like are in common.mk; make passes those that are given on.
user:
	@scripts/install/needs
	@for dir in $(USER_DIRS); do \
		$(MAKE) --no-print-directory -C $$dir O=$(HOST) || exit; \
	done

# Commands of DESTDIR are its own: those are run only for this machine itself.
install: install-user install-dkms
	@$(if $(DESTDIR),echo 'Installed into $(DESTDIR); see scripts/install/after for what is to be run there.', \
		scripts/install/after '$(LIBDIR)')

install-user: user
	@for dir in $(USER_DIRS); do \
		$(MAKE) --no-print-directory -C $$dir O=$(HOST) install || exit; \
	done
	install -D -m 0644 packaging/60-kfd-xsched.rules -t $(DESTDIR)$(UDEVDIR)
	install -D -m 0644 packaging/kfd-xsched.sysusers $(DESTDIR)$(SYSUSERSDIR)/kfd-xsched.conf
	install -D -m 0644 packaging/xschedd.rules.yml -t $(DESTDIR)$(RULESDIR)
	[ -e $(DESTDIR)/etc/xsched/xschedd.conf ] || \
		install -D -m 0644 packaging/xschedd.conf $(DESTDIR)/etc/xsched/xschedd.conf
	install -d $(DESTDIR)$(SYSTEMDDIR)
	sed 's|@SBINDIR@|$(SBINDIR)|' packaging/xschedd.service.in \
		>$(DESTDIR)$(SYSTEMDDIR)/xschedd.service
	chmod 0644 $(DESTDIR)$(SYSTEMDDIR)/xschedd.service

# The source of kfd_xsched.ko for DKMS, and the command that patches the driver, with all it needs.
install-dkms:
	install -D -m 0644 dkms.conf Kbuild -t $(DESTDIR)$(DKMSDIR)
	cp -r --no-preserve=mode,ownership kmod uapi LICENSES $(DESTDIR)$(DKMSDIR)
	install -D -m 0644 dkms.conf -t $(DESTDIR)$(SETUPDIR)
	install -D -m 0644 scripts/lib/base.sh -t $(DESTDIR)$(SETUPDIR)/scripts/lib
	install -D -m 0755 scripts/build/amdgpu -t $(DESTDIR)$(SETUPDIR)/scripts/build
	install -D -m 0755 scripts/series/apply -t $(DESTDIR)$(SETUPDIR)/scripts/series
	install -D -m 0644 $(addprefix tools/setup/,host.sh source.sh driver.sh boot.sh) -t $(DESTDIR)$(SETUPDIR)/tools/setup
	install -D -m 0755 $(addprefix tools/setup/,kfd-xsched-setup build) -t $(DESTDIR)$(SETUPDIR)/tools/setup
	cp -r --no-preserve=mode,ownership patches $(DESTDIR)$(SETUPDIR)
	install -d $(DESTDIR)$(SBINDIR) $(DESTDIR)$(SYSTEMDDIR)
	ln -srf $(DESTDIR)$(SETUPDIR)/tools/setup/kfd-xsched-setup $(DESTDIR)$(SBINDIR)/kfd-xsched-setup
	install -D -m 0644 Documentation/man/kfd-xsched-setup.8 -t $(DESTDIR)$(MANDIR)/man8
	sed 's|@SBINDIR@|$(SBINDIR)|' packaging/kfd-xsched.service.in >$(DESTDIR)$(SYSTEMDDIR)/kfd-xsched.service
	chmod 0644 $(DESTDIR)$(SYSTEMDDIR)/kfd-xsched.service

# What "install" with these PREFIX and DESTDIR installs is removed, found by installing it elsewhere.
uninstall:
	@rm -rf $(HOST)/staged
	@$(MAKE) --no-print-directory -s install-user install-dkms DESTDIR=$(HOST)/staged >/dev/null
	@scripts/install/uninstall $(HOST)/staged '$(DESTDIR)' $(PREFIX) $(BINDIR) $(SBINDIR) $(LIBDIR) $(INCLUDEDIR) \
		$(MANDIR) $(UDEVDIR) $(SYSTEMDDIR) $(SYSUSERSDIR) /usr/src
	@rm -rf $(HOST)/staged

# Nothing is removed from under a run.
UNUSED = @[ ! -e $(BUILD)/lock ] || flock -n $(BUILD)/lock true || \
	{ echo "$(BUILD) is locked by $$(cat $(BUILD)/lock): wait, or end it" >&2; exit 1; }

clean:
	$(UNUSED)
	rm -rf $(addprefix $(BUILD)/,asan bin check compilers deb deb-bookworm fuzz guest host lib log man modules obj results rocm rpm sanitize \
		tsan vgpu xsched-sim)
	cd $(BUILD)/stamps 2>/dev/null && ls | grep -vxE 'linux|patch|amdgpu' | xargs rm -f || :

distclean:
	$(UNUSED)
	rm -rf $(BUILD)
	@scripts/rig clean

.PHONY: help demo demo-hip check check-quick check-all check-part check-rocm check-third check-variants check-patches \
	check-trees module-patch sanitize vgpu-selftest bench results bench-switch bench-react bench-oversubscribed bench-park \
	bench-shootdowns bench-policies bench-drm-sched bench-cells bench-sensitivity bench-scale build amdgpu kmod vgpu user \
	guest look figures docs shell install install-user install-dkms uninstall deb deb-bookworm rpm demo-raw clean distclean
