# SPDX-License-Identifier: MIT
"""Sphinx configuration of the kfd-xsched manual; built by `make docs`.

The kernel's own kernel-doc extension reads the comments in the headers, so
that an ioctl is documented in one place: where it is declared. The extension
and the script come from Debian's linux-source; `make docs` puts them into
build/kernel-doc and says where in KERNEL_DOC.
"""
import os
import sys

kernel_doc = os.environ["KERNEL_DOC"]
sys.path.insert(0, os.path.join(kernel_doc, "Documentation", "sphinx"))

project = "kfd-xsched"
author = "The kfd-xsched authors"
copyright = "2026, " + author
extensions = ["kerneldoc"]
exclude_patterns = ["man/*"]
kerneldoc_bin = os.path.join(kernel_doc, "scripts", "kernel-doc")
kerneldoc_srctree = os.environ["srctree"]
html_theme = "alabaster"
