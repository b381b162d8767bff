# SPDX-License-Identifier: MIT
"""A build directory, and scripts of scripts/bench for it, with a guest and a commit that a test makes up."""
import contextlib
import importlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import sys

from breakage import TOP


def load(name):
    """A script as a module."""
    if str(TOP / "scripts/bench") not in sys.path:
        sys.path.insert(0, str(TOP / "scripts/bench"))
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(name, str(TOP / "scripts/bench" / name))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(script)
    return script


def run(script, *words):
    """The script's exit status, and what it says."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            status = script.main(list(words))
    except SystemExit as end:
        status = end.code
    return (1, said.getvalue() + status) if isinstance(status, str) else (status, said.getvalue())


class BenchTree:
    """With the script of that name, and what guests get. A guest has run(), in place of guestbench.run_guest()."""

    def __init__(self, directory, name, guest):
        self.build = pathlib.Path(directory)
        os.environ["BUILD"] = directory
        # of the run that we are a part of
        for variable in ("KFD_XSCHED_ROCM", "LANE", "LANES", "MINUTES", "SEEDS"):
            os.environ.pop(variable, None)
        (self.build / "guest").mkdir()
        for payload in ("initramfs", "programs", "modules", "rocm-forky", "demo"):
            (self.build / f"guest/{payload}.cpio").write_text(payload, encoding="utf-8")
        self.script, self.kept = load(name), importlib.import_module("kept")
        self.guest = guest(self.build / "sent")
        self.kept.run_guest = self.guest.run
        self.commit("0123456789ab")

    def commit(self, name):
        self.kept.commit = lambda: name

    def gnuplot(self, text):
        """One that runs these lines of shell instead."""
        path = self.build / "bin/gnuplot"
        path.parent.mkdir()
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        os.environ["PATH"] = f"{path.parent}:{os.environ['PATH']}"

    def run(self, *words, script=None):
        return run(script or self.script, *words)
