# SPDX-License-Identifier: MIT
#
# What the makefiles of library, tools and xsched-sim share: where things are installed, how they are compiled.
#
# CFLAGS, CPPFLAGS and LDFLAGS replace what is the default here, also from the environment, as packagers expect.
TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
O ?= $(TOP)/build
.DEFAULT_GOAL := all
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' $(TOP)/dkms.conf)

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
# Where xsched_policy_load() looks for a policy by its name.
POLICYDIR ?= $(LIBDIR)/xsched/policies

# The daemon reads what other users control. Some compilers define _FORTIFY_SOURCE by themselves. The C library warns of
# level 3 where the compiler has only 2, so the preprocessor decides: gcc has it since 12, clang since 9.
CFLAGS ?= -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE='(2+(__GNUC__>11||__clang_major__>8))' -fstack-protector-strong
LDFLAGS ?= -Wl,-z,relro,-z,now
# Programs are position-independent; before the flags above, for these to say otherwise.
PROGRAM_CFLAGS := -fPIE
PROGRAM_LDFLAGS := -pie

# A compiler newer than ours warns of more: that must not stop users. scripts/build/steps makes it -Werror.
WERROR ?=

# settings FILE: a file with all that objects and generated files were made with. Its time changes only with its
# content, so what depends on it is made again when another PREFIX or compiler flag is given. WERROR changes nothing
# of what is made.
define settings
$(1): FORCE
	@mkdir -p $$(@D)
	@printf '%s\n' '$$(subst ','\'',$$(SETTINGS))' >$$@.new
	@if cmp -s $$@.new $$@; then rm $$@.new; else mv $$@.new $$@; fi
endef
SETTINGS = $(CC) $(filter-out -Werror%,$(XCFLAGS)) $(CPPFLAGS) $(CFLAGS) -- $(LDFLAGS)

FORCE:
.PHONY: FORCE
